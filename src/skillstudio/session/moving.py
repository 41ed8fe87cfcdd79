"""Moving a skill from the workbench: what would be made, what the report says, and making it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.settings.settings import SkillSettings

if TYPE_CHECKING:
    from skillstudio.manifest.conversion.ledger import Report
    from skillstudio.scaffold.moving.moved_tree import MovedTree

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
    """The system, or the consumer."""
    title: str = ""
    """What that is called."""


class Moved(NamedTuple):
    """What would be made of a skill. Nothing is written yet."""

    aim: Aim
    texts: dict[str, tuple[str | None, str]]
    """The manifests that are written: path to the old text, None where there was none, and the
    new one."""
    report: Report
    notes: tuple[str, ...]
    counts: dict[str, int]
    """What a check of the result finds: severity to number."""
    tree: MovedTree | None = None
    """The whole result, where it is a folder of its own."""


class Row(NamedTuple):
    """One line of the preview."""

    kind: Kind
    text: str


def aims(verb: Verb) -> list[Aim]:
    """The systems that skills are converted to, or the consumers that they are exported for."""
    if verb == "export":
        from skillstudio.manifest.profiles import profiles

        return [Aim(verb, id, str(each["title"])) for id, each in profiles().items()]
    from skillstudio.manifest.registry import conversion_targets

    return [Aim(verb, each.id, each.title) for each in conversion_targets()]


def proposed(aim: Aim, folder: str) -> str:
    """A new folder beside the skill's: it has the skill's name and lies in one of the aim's."""
    above, name = os.path.split(os.path.abspath(folder))
    return os.path.join(above, aim.to, name)


def migration(tree: FileTree, settings: SkillSettings) -> Moved | None:
    """What a migration would change; None where nothing is old. Raises NotMoved."""
    from skillstudio.files.tree import Overlay
    from skillstudio.manifest.locate import locate
    from skillstudio.scaffold.moving.migrate import migrate

    with _refusals_told():
        done = migrate(locate(tree, settings))
        if done is None:
            return None
        counts = _counts(Overlay(tree, {done.path: done.new.encode()}), settings)
    aim = Aim("migrate", title=done.title)
    return Moved(aim, {done.path: (done.old, done.new)}, done.report, (), counts)


def look(aim: Aim, tree: FileTree, settings: SkillSettings, folder: str) -> Moved:
    """What would lie in a new folder of a name. Raises NotMoved."""
    from skillstudio.manifest.locate import locate
    from skillstudio.scaffold.moving.convert import convert
    from skillstudio.scaffold.moving.export import export

    make = export if aim.verb == "export" else convert
    with _refusals_told():
        made = make(locate(tree, settings), aim.to, folder)
        counts = _counts(made.tree, settings)
    return Moved(aim, made.texts, made.report, made.notes, counts, made.tree)


def rows(moved: Moved) -> list[Row]:
    """The preview: of a migration its diff, of a new skill its manifest; then the report.

    What is lost is told before what is made of the rest.
    """
    from skillstudio.scaffold.moving.telling import told

    report = [Row("head", "Report"), *(_told(line) for line in told(moved.report))]
    written: list[Row] = []
    for path, (old, new) in moved.texts.items():
        written.append(Row("head", path))
        shown = _diff(path, old or "", new) if moved.tree is None else _lines(new)
        written += shown
    notes = [Row("text", note) for note in moved.notes]
    parts = (written, report) if moved.tree is None else (report, written)
    return [*notes, *parts[0], Row("text", ""), *parts[1]]


def summary(moved: Moved) -> str:
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


def make(moved: Moved, destination: str) -> dict[str, str]:
    """Make the new folder; what was not copied, with the reasons.

    Raises files.placing.NotPlaced.
    """
    from skillstudio.files.placing import place
    from skillstudio.scaffold.moving.moved_tree import Copied

    if moved.tree is None:
        raise ValueError("a migration changes a file that is there")
    files = Copied(moved.tree)
    place(files, destination, files.executable)
    return files.left


@contextmanager
def _refusals_told() -> Iterator[None]:
    """Whatever keeps a skill from being moved as NotMoved."""
    from skillstudio.manifest.conversion.migration import ConversionRefused, MigrationRefused
    from skillstudio.scaffold.moving.export import ExportRefused
    from skillstudio.scaffold.moving.sound import Unsound

    try:
        yield
    except Unsound as error:
        raise NotMoved(error.under()) from None
    except (ConversionRefused, ExportRefused, MigrationRefused) as error:
        raise NotMoved(str(error)) from None
    except OSError as error:
        raise NotMoved(error.strerror or str(error)) from None


def _counts(tree: FileTree, settings: SkillSettings) -> dict[str, int]:
    from skillstudio.skill.analysis import analyse

    found = [each.severity or "error" for each in analyse(tree, settings).diagnostics]
    return {word: found.count(word) for word in ("error", "warning", "info") if word in found}


def _told(line: str) -> Row:
    return Row("text" if line.startswith(" ") else "same", line)


def _lines(text: str) -> list[Row]:
    from skillstudio.text.hunks import split_lines

    lines = [Row("same", line.rstrip("\r\n")) for line in split_lines(text)]
    left = len(lines) - PREVIEWED
    return lines if left <= 0 else [*lines[:PREVIEWED], Row("text", f"… {left} more lines")]


def _diff(path: str, old: str, new: str) -> list[Row]:
    from skillstudio.text.hunks import unified

    return list(_diff_rows(unified(old, new, path, path).split("\n")[2:-1]))


def _diff_rows(lines: Iterable[str]) -> Iterator[Row]:
    kinds: dict[str, Kind] = {"-": "old", "+": "new", "@": "text"}
    for line in lines:
        yield Row(kinds.get(line[:1], "same"), line)
