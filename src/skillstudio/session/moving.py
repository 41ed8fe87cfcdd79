"""Migrate and export a skill from the workbench."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.present.lines import count
from skillstudio.present.problems import numbers
from skillstudio.settings.settings import SkillSettings
from skillstudio.text.diagnostic import SEVERITIES, Severity

if TYPE_CHECKING:
    from skillstudio.manifest.conversion.leaf_tracker import ConversionReport
    from skillstudio.scaffold.conversion.result_tree import ResultTree

Kind = Literal["head", "text", "same", "old", "new"]
PREVIEW_LINES = 5_000


class NotMoved(Exception):
    """The skill cannot be moved; the message has one or more lines."""


class Aim(NamedTuple):
    """The target of an export."""

    to: str
    title: str = ""


class MovePlan(NamedTuple):
    """The result of a move before it is written."""

    title: str  # What is done, in a few words.
    texts: dict[str, tuple[str | None, str]]
    """Path of each written manifest to its old text (None for a new file) and its new text."""
    report: ConversionReport
    notes: tuple[str, ...]
    counts: dict[Severity, int]  # The number of problems in the result.
    tree: ResultTree | None = None  # All files of the result, if it is a new folder.


class MoveRow(NamedTuple):
    """One line of the preview."""

    kind: Kind
    text: str


def aims() -> list[Aim]:
    """The targets to export for."""
    from skillstudio.manifest.targets import recorded_targets

    return [Aim(id, str(target["title"])) for id, target in recorded_targets().items()]


def propose_folder(aim: Aim, folder: str, root: str) -> str:
    """A new folder beside the folder of all skills, such as `skills-codex/NAME`; if that exists,
    `skills-codex-2/NAME`, because a skill has the name of its folder.

    Within that folder the copy would be one more of its skills.
    """
    name, base = os.path.basename(os.path.abspath(folder)), f"{os.path.abspath(root)}-{aim.to}"
    paths = (os.path.join(f"{base}-{n}" if n > 1 else base, name) for n in itertools.count(1))
    return next(path for path in paths if not os.path.lexists(path))


def migration(tree: FileTree, settings: SkillSettings) -> MovePlan | None:
    """Plan a migration; None if the manifest is current. Raises NotMoved."""
    from skillstudio.files.tree import Overlay
    from skillstudio.manifest.locate import locate
    from skillstudio.scaffold.conversion.migrate import migrate

    with _refusals_as_errors():
        result = migrate(locate(tree, settings))
        if result is None:
            return None
        counts = _counts(Overlay(tree, {result.path: result.new.encode()}), settings)
    return MovePlan(
        result.title, {result.path: (result.old, result.new)}, result.report, (), counts
    )


def look(aim: Aim, tree: FileTree, settings: SkillSettings, folder: str) -> MovePlan:
    """Plan an export into a new folder. Raises NotMoved."""
    from skillstudio.manifest.locate import locate
    from skillstudio.scaffold.conversion.export import export
    from skillstudio.scaffold.packing.uploading import inner_skills

    with _refusals_as_errors():
        result = export(locate(tree, settings), aim.to, folder)
        counts = _counts(result.tree, settings)
    inner = inner_skills(result.exclusions, "copied", "export it alone")
    notes = (*result.notes, *inner, *result.lost_links)
    return MovePlan(aim.title, result.texts, result.report, notes, counts, result.tree)


def rows(plan: MovePlan) -> list[MoveRow]:
    """The preview: for a migration the diff, for a new skill the manifest, and the report."""
    from skillstudio.scaffold.conversion.report_text import report_lines

    report = [MoveRow("head", "Report")]
    report += [
        MoveRow("text" if line.startswith(" ") else "same", line)
        for line in report_lines(plan.report)
    ]
    text_rows: list[MoveRow] = []
    for path, (old, new) in plan.texts.items():
        text_rows.append(MoveRow("head", path))
        text_rows += diff_rows(path, old or "", new) if plan.tree is None else _lines(new)
    notes = [MoveRow("text", note) for note in plan.notes]
    parts = (text_rows, report) if plan.tree is None else (report, text_rows)
    return [*notes, *parts[0], MoveRow("text", ""), *parts[1]]


def summary(plan: MovePlan) -> str:
    """The report and the check in one line."""
    report = plan.report
    result = (
        f"{len(report.lost_leaves)} lost, {len(report.invented_leaves)} generated, "
        f"{len(report.changed_leaves)} changed, {len(report.carried_pointers)} copied"
    )
    problems = ", ".join(numbers(plan.counts).values()) or "no problems"
    return f"{result}; check of the result: {problems}"


def make(plan: MovePlan, destination: str) -> dict[str, str]:
    """Create the new folder; return files that were not copied, and why. Raises NotPlaced."""
    from skillstudio.files.placing import place
    from skillstudio.scaffold.conversion.result_tree import CopiedFiles

    if plan.tree is None:
        raise ValueError("a migration does not create a folder")
    files = CopiedFiles(plan.tree)
    place(files, destination, files.executable)
    return files.exclusion_reasons


@contextmanager
def _refusals_as_errors() -> Iterator[None]:
    """Turn every reason why a skill cannot be moved into NotMoved."""
    from skillstudio.manifest.conversion.migration import MigrationRefused
    from skillstudio.scaffold.conversion.export import ExportRefused
    from skillstudio.scaffold.conversion.source_checks import SourceUnusable

    try:
        yield
    except SourceUnusable as error:
        raise NotMoved(error.under()) from None
    except (ExportRefused, MigrationRefused) as error:
        raise NotMoved(str(error)) from None
    except OSError as error:
        raise NotMoved(error.strerror or str(error)) from None


def _counts(tree: FileTree, settings: SkillSettings) -> dict[Severity, int]:
    from skillstudio.skill.analysis import analyse

    severities = [
        diagnostic.severity or "error" for diagnostic in analyse(tree, settings).diagnostics
    ]
    return {severity: severities.count(severity) for severity in SEVERITIES}


def _lines(text: str) -> list[MoveRow]:
    from skillstudio.text.hunks import split_lines

    lines = [MoveRow("same", line.rstrip("\r\n")) for line in split_lines(text)]
    hidden_count = len(lines) - PREVIEW_LINES
    footer = [MoveRow("text", f"… {count(hidden_count, 'more line')}")] if hidden_count > 0 else []
    return lines[:PREVIEW_LINES] + footer


def diff_rows(path: str, old: str, new: str) -> list[MoveRow]:
    """The unified diff of a file, without its header."""
    from skillstudio.text.hunks import unified_diff

    kinds: dict[str, Kind] = {"-": "old", "+": "new", "@": "text"}
    lines = unified_diff(old, new, path, path).split("\n")[2:-1]
    return [MoveRow(kinds.get(line[:1], "same"), line) for line in lines]
