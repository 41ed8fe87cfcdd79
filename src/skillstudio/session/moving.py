"""Moving a skill from the workbench: what would be made, what the report says, and making it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.settings.settings import SkillSettings

if TYPE_CHECKING:
    from skillstudio.manifest.conversion.leaf_tracker import ConversionReport
    from skillstudio.scaffold.conversion.result_tree import ResultTree

Verb = Literal["migrate", "convert", "export"]
Kind = Literal["head", "text", "same", "old", "new"]
PREVIEWED = 5_000
"""Lines of a manifest that are shown."""


class NotMoved(Exception):
    """The skill cannot be moved so; the text says why, in one or more lines."""


class Aim(NamedTuple):
    """What a skill is to become."""

    verb: Verb
    to: str = ""
    """The system, or the target."""
    title: str = ""
    """What that is called."""


class MovePlan(NamedTuple):
    """What would be made of a skill. Nothing is written yet."""

    aim: Aim
    texts: dict[str, tuple[str | None, str]]
    """The manifests that are written: path to the old text, None where there was none, and the
    new one."""
    report: ConversionReport
    notes: tuple[str, ...]
    counts: dict[str, int]
    """What a check of the result finds: severity to number."""
    tree: ResultTree | None = None
    """The whole result, where it is a folder of its own."""


class MoveRow(NamedTuple):
    """One line of the preview."""

    kind: Kind
    text: str


def aims(verb: Verb) -> list[Aim]:
    """The systems that skills are converted to, or the targets that they are exported for."""
    if verb == "export":
        from skillstudio.manifest.targets import targets

        return [Aim(verb, id, str(each["title"])) for id, each in targets().items()]
    from skillstudio.manifest.registry import conversion_targets

    return [Aim(verb, each.id, each.title) for each in conversion_targets()]


def proposed(aim: Aim, folder: str) -> str:
    """A new folder beside the skill's: it has the skill's name and lies in one of the aim's."""
    above, name = os.path.split(os.path.abspath(folder))
    return os.path.join(above, aim.to, name)


def migration(tree: FileTree, settings: SkillSettings) -> MovePlan | None:
    """What a migration would change; None where nothing is old. Raises NotMoved."""
    from skillstudio.files.tree import Overlay
    from skillstudio.manifest.locate import locate
    from skillstudio.scaffold.conversion.migrate import migrate

    with _refusals_as_errors():
        done = migrate(locate(tree, settings))
        if done is None:
            return None
        counts = _counts(Overlay(tree, {done.path: done.new.encode()}), settings)
    aim = Aim("migrate", title=done.title)
    return MovePlan(aim, {done.path: (done.old, done.new)}, done.report, (), counts)


def look(aim: Aim, tree: FileTree, settings: SkillSettings, folder: str) -> MovePlan:
    """What would lie in a new folder of a name. Raises NotMoved."""
    from skillstudio.manifest.locate import locate
    from skillstudio.scaffold.conversion.convert import convert
    from skillstudio.scaffold.conversion.export import export

    make = export if aim.verb == "export" else convert
    with _refusals_as_errors():
        made = make(locate(tree, settings), aim.to, folder)
        counts = _counts(made.tree, settings)
    return MovePlan(aim, made.texts, made.report, made.notes, counts, made.tree)


def rows(moved: MovePlan) -> list[MoveRow]:
    """The preview: of a migration its diff, of a new skill its manifest; then the report.

    What is lost is told before what is made of the rest.
    """
    from skillstudio.scaffold.conversion.report_text import report_lines

    report = [
        MoveRow("head", "Report"),
        *(_report_row(line) for line in report_lines(moved.report)),
    ]
    written: list[MoveRow] = []
    for path, (old, new) in moved.texts.items():
        written.append(MoveRow("head", path))
        shown = _diff(path, old or "", new) if moved.tree is None else _lines(new)
        written += shown
    notes = [MoveRow("text", note) for note in moved.notes]
    parts = (written, report) if moved.tree is None else (report, written)
    return [*notes, *parts[0], MoveRow("text", ""), *parts[1]]


def summary(moved: MovePlan) -> str:
    """The report and the check in one line."""
    report = moved.report
    sizes = {
        "lost": report.lost,
        "invented": report.invented,
        "changed": report.changed,
        "carried over": report.carried,
    }
    said = ", ".join(f"{len(each)} {word}" for word, each in sizes.items())
    found = ", ".join(
        f"{number} {word}{'' if number == 1 or word == 'info' else 's'}"
        for word, number in moved.counts.items()
    )
    return f"{said}; check of the result: {found or 'nothing found'}"


def make(moved: MovePlan, destination: str) -> dict[str, str]:
    """Make the new folder; what was not copied, with the reasons.

    Raises files.placing.NotPlaced.
    """
    from skillstudio.files.placing import place
    from skillstudio.scaffold.conversion.result_tree import CopiedFiles

    if moved.tree is None:
        raise ValueError("a migration changes a file that is there")
    files = CopiedFiles(moved.tree)
    place(files, destination, files.executable)
    return files.left


@contextmanager
def _refusals_as_errors() -> Iterator[None]:
    """Whatever keeps a skill from being moved as NotMoved."""
    from skillstudio.manifest.conversion.migration import ConversionRefused, MigrationRefused
    from skillstudio.scaffold.conversion.export import ExportRefused
    from skillstudio.scaffold.conversion.source_checks import SourceUnusable

    try:
        yield
    except SourceUnusable as error:
        raise NotMoved(error.under()) from None
    except (ConversionRefused, ExportRefused, MigrationRefused) as error:
        raise NotMoved(str(error)) from None
    except OSError as error:
        raise NotMoved(error.strerror or str(error)) from None


def _counts(tree: FileTree, settings: SkillSettings) -> dict[str, int]:
    from skillstudio.skill.analysis import analyse

    found = [each.severity or "error" for each in analyse(tree, settings).diagnostics]
    return {word: found.count(word) for word in ("error", "warning", "info") if word in found}


def _report_row(line: str) -> MoveRow:
    return MoveRow("text" if line.startswith(" ") else "same", line)


def _lines(text: str) -> list[MoveRow]:
    from skillstudio.text.hunks import split_lines

    lines = [MoveRow("same", line.rstrip("\r\n")) for line in split_lines(text)]
    left = len(lines) - PREVIEWED
    return lines if left <= 0 else [*lines[:PREVIEWED], MoveRow("text", f"… {left} more lines")]


def _diff(path: str, old: str, new: str) -> list[MoveRow]:
    from skillstudio.text.hunks import unified

    return list(_diff_rows(unified(old, new, path, path).split("\n")[2:-1]))


def _diff_rows(lines: Iterable[str]) -> Iterator[MoveRow]:
    kinds: dict[str, Kind] = {"-": "old", "+": "new", "@": "text"}
    for line in lines:
        yield MoveRow(kinds.get(line[:1], "same"), line)
