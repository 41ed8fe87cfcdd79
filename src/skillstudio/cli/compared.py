"""Find versions of skills and compare two, with the settings that apply to the skill."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.cli.annotations import AnnotatedRule, Annotation, AnnotationLog
from skillstudio.cli.operands import SettingsReader, find_operand
from skillstudio.cli.output import UsageError
from skillstudio.cli.saving import text_diff
from skillstudio.files.paths import below
from skillstudio.files.workspace import workspace_of
from skillstudio.interface.model import ABSENT
from skillstudio.skill.versions.comparison import (
    Comparison,
    Version,
    compare_versions,
    open_version,
)
from skillstudio.skill.versions.operands import Operand
from skillstudio.skill.versions.reading import UnreadableManifest, shown_path
from skillstudio.text.source import decode

if TYPE_CHECKING:
    from skillstudio.files.tree import FileTree
    from skillstudio.interface.bump import Bump
    from skillstudio.interface.change import Change
    from skillstudio.present.lines import Part
    from skillstudio.text.diagnostic import Severity


class ComparedVersions(NamedTuple):
    """One skill at two versions, and their comparison."""

    old: Operand
    new: Operand
    comparison: Comparison
    settings: str = ""

    @property
    def name(self) -> str:
        """The name of the skill in the newest version that has it."""
        version = self.comparison.new or self.comparison.old
        return version.interface.name if version else self.new.path


class Comparisons(NamedTuple):
    """What the output formats read."""

    rows: list[ComparedVersions]
    in_words: bool = False
    shows_text: bool = False  # Whether the changes in the texts of files are shown, too.
    whole: bool = False  # Whether nothing is cut.
    only_changes: bool = False  # Whether text has no summary, notes and unchanged skills.
    verbose: bool = False  # Whether text has the kind, pointer and fingerprint of each change.
    notes: tuple[str, ...] = ()  # On the whole, beside those on each comparison.


def find_version(text: str) -> Version:
    """One version of a skill, read. Raises UsageError that names what cannot be read."""
    operand, _ = find_operand(text)
    try:
        version = open_version(operand, SettingsReader().of(operand)[0])
    except UnreadableManifest as error:
        raise UsageError("\n".join(error.sentences())) from None
    if version is None:
        raise UsageError(f"there is no skill at {operand.label}")
    return version


def compare_operands(
    old: Operand, new: Operand, settings_reader: SettingsReader, ruleset: str = "default"
) -> ComparedVersions:
    """Read both versions and compare them.

    Raises UsageError if neither has the skill or a manifest does not parse, with the place.
    """
    # A version in an archive, or of another folder, is read with the settings of the other one.
    settings, waivers, file = settings_reader.of(new if new.folder else old)
    faults: list[str] = []
    versions = []
    for operand in (old, new):
        try:
            versions.append(open_version(operand, settings))
        except UnreadableManifest as error:
            faults += error.sentences()
        except OSError as error:
            why = error.strerror or str(error)
            faults.append(f"{shown_path(operand)} cannot be listed: {why}")
    if faults:
        raise UsageError("\n".join(faults))
    if versions == [None, None]:
        raise UsageError(f"there is no skill at {old.label} and none at {new.label}")
    workspace = workspace_for(new if new.folder else old)
    absent = old if versions[0] is None else new if versions[1] is None else None
    comparison = compare_versions(
        versions[0],
        versions[1],
        ruleset=ruleset,
        waivers=waivers,
        workspace=workspace,
        absent=absent,
    )
    return ComparedVersions(old, new, comparison, file)


def comparison_parts(comparisons: Comparisons, is_comment: bool = False) -> Iterator[Part]:
    """The comparisons of skills, with the summary where it is read first: in a terminal the end."""
    from skillstudio.cli.lists import cut_lines
    from skillstudio.present.comparison import (
        comparison_lines,
        flags_legend,
        overview,
        summary_text,
        verdicts_text,
    )
    from skillstudio.present.lines import StyledLine

    rows = comparisons.rows
    if comparisons.only_changes and not is_comment:
        rows = [row for row in rows if row.comparison.changes or not row.comparison.bump.ok]
    changes = [change for row in rows for change in row.comparison.changes]
    text = summary_text(changes) if rows else "no skill changed"
    lead = "Skill changes:"
    if len(rows) > 1:
        verdicts = verdicts_text(row.comparison for row in rows)
        text = f"{verdicts}; {text}" if verdicts else text
        lead = f"Changes in {len(rows)} skills:"
    if is_comment:
        yield StyledLine(text, lead=lead)
        if legend := flags_legend(changes):
            yield StyledLine(legend)
        if len(rows) > 1:
            yield overview([(row.name, row.comparison) for row in rows])
    for row in rows:
        comparison = row.comparison
        is_whole = comparison.old is None or not comparison.changes  # in the overview
        if is_comment and len(rows) > 1 and is_whole and not comparisons.shows_text:
            continue
        yield from comparison_lines(
            row.name,
            row.old,
            row.new,
            row.comparison,
            comparisons.in_words,
            comparisons.whole,
            is_comment,
            comparisons.verbose,
        )
        if comparisons.shows_text:
            trees = [
                side.operand.tree if side else None for side in (comparison.old, comparison.new)
            ]
            for number, line in enumerate(cut_lines(list(_diff_lines(*trees)), comparisons.whole)):
                if not number:
                    yield StyledLine(f"Files of {row.name}", "folded")
                yield StyledLine(line, "code")
        if not is_comment:
            yield StyledLine("")
    if comparisons.only_changes and not is_comment:
        return
    yield from (StyledLine(note, lead="note:") for note in (*notes(rows), *comparisons.notes))
    if is_comment:
        return
    yield StyledLine(f"{len(rows)} skills: {text}" if len(rows) > 1 else text)
    if legend := flags_legend(changes):
        yield StyledLine(legend, "quiet")
    if not comparisons.verbose and any(change.group == "major" for change in changes):
        advice = "to accept a major change: skillstudio waive FINGERPRINT; -v prints fingerprints"
        yield StyledLine(advice, "quiet")


def comparison_annotations(comparisons: Comparisons, _: int) -> AnnotationLog:
    """Each change that is not waived and each version bump that is too small, for CI systems."""
    from skillstudio.present.comparison import MOST, comparison_bump, left_out

    annotations: list[Annotation] = []
    omission_notes: list[tuple[str, str]] = []
    read: dict[str, tuple[FileTree, str]] = {}
    for row in comparisons.rows:
        changes = [change for change in row.comparison.changes if not change.waived]
        visible_changes = changes if comparisons.whole else changes[:MOST]
        for change in visible_changes:
            place = change.new_place
            inside = place.path if place else _manifest(row)
            path = _path_on_disk(row.new, inside)
            if row.new.tree is not None:
                read[path] = row.new.tree, inside
            level: Severity = "error" if change.level == "major" else "info"
            if change.review and change.level != "major":
                level = "warning"
            at = (place.line, place.column, place.line) if place else ()
            annotations.append(Annotation(change.kind, level, _change_text(change), path, *at))
        if len(changes) > len(visible_changes):
            omission_notes.append(
                ("diff", f"{row.name}: {left_out(len(changes) - len(visible_changes))}")
            )
        bump = comparison_bump(row.comparison)
        if bump is not None and not row.comparison.bump.ok:
            path = _path_on_disk(row.new, _manifest(row))
            annotations.append(Annotation("version", "error", f"{row.name}: {bump.text}", path))

    def text(path: str) -> str:
        tree, inside = read[path]
        return decode(tree.read(inside))[0] if tree.kind(inside) == "file" else ""

    return AnnotationLog(
        annotations,
        change_rules,
        lambda path: text(path) if path in read else "",
        notes=omission_notes,
    )


def change_rules() -> dict[str, AnnotatedRule]:
    from skillstudio.manifest.changes import all_kinds

    rules = {
        kind.id: AnnotatedRule(
            kind.message,
            kind.why,
            "error" if kind.level == "major" else "warning" if kind.review else "info",
            f"Run `skillstudio explain {kind.id}` to read this in a terminal.",
            f"changes/{kind.id}/",
        )
        for kind in all_kinds().by_id.values()
    }
    version = AnnotatedRule(
        "The version bump is too small for the changes.",
        "Users of a skill rely on its version to know whether an update breaks them.",
        "error",
        "Run `skillstudio bump --write` to write the required version.",
        "versioning/",
    )
    return rules | {"version": version}


def _change_text(change: Change) -> str:
    from skillstudio.present.comparison import proof_text

    operation = f"{change.operation}: " if change.operation else ""
    breaks = f"breaks {', '.join(change.hits)}" if change.hits else ""
    first = f"{change.level}: {operation}{change.message}"
    return "\n".join(filter(None, (first, proof_text(change), breaks)))


def _manifest(row: ComparedVersions) -> str:
    version = row.comparison.new or row.comparison.old
    manifests = version.skill.manifests if version else ()
    return manifests[0].path if manifests else "SKILL.md"


def _path_on_disk(operand: Operand, inside: str) -> str:
    """The path of a file in the checkout, whatever commit it was read from."""
    folder = operand.folder or operand.path
    return os.path.join(folder, *inside.split("/"))


def notes(rows: Sequence[ComparedVersions]) -> list[str]:
    """Notes on the comparison, and the waivers that match no change."""
    messages = [note for row in rows for note in (*_absent(row), *row.comparison.notes)]
    messages += [
        f"{row.old.no_release}, so {row.name} was compared with HEAD; for another version: "
        "skillstudio diff BASE..HEAD, or skillstudio bump --against BASE"
        for row in rows
        if row.old.no_release
    ]
    idle: dict[tuple[str, str], str] = {}
    used: set[tuple[str, str]] = set()
    for row in rows:
        waived_changes = [change for change in row.comparison.changes if change.waived]
        used |= {(row.settings, change.fingerprint) for change in waived_changes}
        for waiver in row.comparison.unused_waivers:
            idle[row.settings, waiver.fingerprint] = (
                f"{row.settings}:{waiver.place.line}:{waiver.place.column}: the waiver "
                f"{waiver.fingerprint} ({waiver.reason}) matches no change here"
            )
    return messages + [message for waiver, message in idle.items() if waiver not in used]


def _absent(row: ComparedVersions) -> list[str]:
    sides = ((row.old, row.comparison.old), (row.new, row.comparison.new))
    return [operand.note for operand, version in sides if version is None and operand.note]


def workspace_for(operand: Operand) -> str | None:
    """Where to search for users of a changed skill: the repository, else the current folder.

    None if the skill is in neither.
    """
    if not operand.folder:
        return None
    folder = os.path.realpath(operand.folder)
    root = workspace_of(folder)
    if os.path.exists(os.path.join(root, ".git")):
        return root
    here = os.path.realpath(os.curdir)
    too_much = here == os.path.dirname(here) or here == os.path.realpath(os.path.expanduser("~"))
    return None if too_much or below(folder, here) is None else here


def _diff_lines(old: FileTree | None, new: FileTree | None) -> Iterator[str]:
    """A unified diff of every file, or a line for a file that has none."""
    from skillstudio.session.comparing.text import compare_texts
    from skillstudio.text.source import decode

    text_comparison = compare_texts(old, new)
    if text_comparison.trouble:
        yield text_comparison.trouble
    for file in text_comparison.files:
        yield ""
        if file.note:
            yield f"{file.path}: {file.what}; {file.note}"
            continue
        before = decode(old.read(file.path))[0] if old and file.what != "added" else None
        after = decode(new.read(file.path))[0] if new and file.what != "removed" else None
        text = text_diff(before, after, file.path)
        yield from text.removesuffix("\n").split("\n") if text else [f"{file.path}: {file.what}"]
    if text_comparison.left_off:
        yield f"{text_comparison.left_off} more files differ"


def comparison_value(row: ComparedVersions) -> dict[str, Any]:
    """A comparison for cut_json; a version that does not have the skill is null."""
    comparison = row.comparison
    return {
        "old": _version_value(comparison.old),
        "new": _version_value(comparison.new),
        "changes": [partial(_change_value, change) for change in comparison.changes],
        "bump": bump_value(comparison.bump),
        "no_release": row.old.no_release or None,
        "summary": dict(comparison.counts),
    }


def bump_value(bump: Bump) -> dict[str, Any]:
    """The declared and the required version bump as JSON."""
    return {
        "declared": bump.declared,
        "required": "unknown" if bump.is_unknown else bump.required,
        "ok": None if bump.is_unknown else bump.ok,
        "suggested": bump.suggested or None,
        "findings": [
            {"kind": finding.kind, "severity": finding.severity, "message": finding.message}
            for finding in bump.findings
        ],
    }


def _version_value(version: Version | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {
        "path": version.operand.path,
        "ref": version.operand.ref or None,
        "version": version.version or None,
        "content_hash": version.content_hash or None,
    }


def _change_value(change: Change) -> dict[str, Any]:
    witness = change.witness
    return {
        "kind": change.kind,
        "operation": change.operation,
        "pointer": change.pointer,
        "level": change.level,
        "review": change.review,
        "routing": change.routing,
        "verdict": "undecided" if change.undecided_keyword else "decided",
        "keyword": change.undecided_keyword or None,
        "old": None if change.old is ABSENT else change.old,
        "new": None if change.new is ABSENT else change.new,
        "witness": None
        if witness is None
        else {
            "value": witness.value,
            "accepted_by": witness.accepted_by,
            "refused_by": witness.refused_by,
        },
        "message": change.message,
        "source": change.source,
        "fingerprint": change.fingerprint,
        "waived": change.waived or None,
        "hits": list(change.hits),
    }
