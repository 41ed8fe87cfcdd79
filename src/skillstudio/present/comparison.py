"""Two versions of a skill: the required bump, and each change with its counterexample."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from skillstudio.interface.bump import Bump, VersionFinding
from skillstudio.interface.change import CHANGE_GROUPS, LEVELS, Change, Level
from skillstudio.interface.kinds import ChangeKind
from skillstudio.interface.model import ABSENT
from skillstudio.interface.plain import plain
from skillstudio.present.lines import (
    LONGEST,
    SHOW_ALL,
    LineStyle,
    Part,
    StyledLine,
    StyledTable,
    count,
    shorten,
)
from skillstudio.skill.versions.comparison import Comparison
from skillstudio.skill.versions.operands import Operand
from skillstudio.skill.versions.reading import shown_path

MOST = 500  # Changes of one skill that are listed, the highest level first.
_WITNESS = 200  # Characters of a counterexample.
GROUPS: dict[str, tuple[str, str, str, LineStyle]] = {
    "failed": ("✗", "cannot be compared", "", "error"),
    "major": ("✗", "major", "what works today may break", "error"),
    "undecided": ("?", "undecided", "a person must check whether this breaks calls", "warning"),
    "minor": ("+", "minor", "what works today keeps working", "warning"),
    "patch": ("·", "patch", "no interface change", ""),
    "none": ("○", "no bump needed", "", "quiet"),
    "waived": ("~", "waived", "accepted, with a reason", "quiet"),
    "notes": ("i", "notes", "", ""),
}
"""Glyph, word, meaning and style of each group of changes."""
_HEADLINE_KINDS = frozenset(
    (
        "version-unchanged-with-changes", "version-bump-too-small", "version-missing",
        "version-bump-larger-than-needed",
        "content-changed-interface-same",
    )
)  # fmt: skip
"""Findings that the line about the bump includes."""


def comparison_lines(
    name: str,
    old: Operand,
    new: Operand,
    comparison: Comparison,
    in_words: bool = False,
    whole: bool = False,
    is_comment: bool = False,
    verbose: bool = False,
) -> Iterator[Part]:
    """The required bump, then the changes of one skill by level. `in_words` uses no arrows or
    `path:line`; `whole` lists every change; `verbose` adds kinds, pointers, sources and
    fingerprints; `is_comment` leaves out what a reader of a pull request does not need."""
    arrow = "to" if in_words else "→"
    title = comparison_title(name, old, new, comparison, arrow)
    bump = comparison_bump(comparison, arrow)
    if bump is None and not is_comment:
        absent = old if comparison.old is None else new
        bump = absent_line(absent.ref or absent.label)
    headline = [bump] if bump else []
    heading = StyledLine(title, "title")
    yield from (heading, *headline) if is_comment else (*headline, heading)
    for finding in bump_findings(comparison.bump):
        lead = f"{finding.severity}:"
        yield StyledLine(finding.message, _severity(finding), 1, lead, finding.kind)
    budget = len(comparison.changes) if whole else MOST
    groups: dict[str, list[Change]] = {group: [] for group in CHANGE_GROUPS}
    for change in comparison.changes:
        groups[change.group].append(change)
    for group, changes in groups.items():
        if not changes:
            continue
        is_folded = group != "major" and not any(change.review for change in changes)
        yield group_line(group, len(changes), "folded" if is_folded else "heading")
        for change in changes[:budget]:
            change = change._replace(message=change.message.replace("→", arrow))
            place = place_text(old, new, change, in_words)
            if is_comment:
                yield from change_lines(change, _short_place(change), 1, is_comment=True)
            elif verbose:
                yield from change_lines(change, place, 1)
                yield StyledLine(change.pointer or "/", "quiet", 2, "pointer:")
            else:
                yield from short_change_lines(change, place, 1)
        if len(changes) > budget:
            yield StyledLine(left_out(len(changes) - budget), "quiet", 1)
        budget = max(budget - len(changes), 0)


def comparison_title(
    name: str, old: Operand, new: Operand, comparison: Comparison, arrow: str = "→"
) -> str:
    """The skill and its two versions."""
    if comparison.old is None or comparison.new is None:
        return f"{name}: {'added' if comparison.old is None else 'removed'} in {new.label}"
    sides = [(old.label, comparison.old.version), (new.label, comparison.new.version)]
    place = ""
    if old.commit and new.commit and old.path == new.path != ".":
        place = f"{old.path} "
        sides = [(old.ref, comparison.old.version), (new.ref, comparison.new.version)]
    is_versioned = any(version for _, version in sides)
    texts = [
        label
        if not is_versioned or (version and label.endswith(version))
        else f"{label} ({version or 'no version'})"
        for label, version in sides
    ]
    return f"{name}: {place}{f' {arrow} '.join(texts)}"


def overview(rows: Sequence[tuple[str, Comparison]], arrow: str = "→") -> StyledTable:
    """A line for each skill, the ones that need something first."""
    ranked_rows = []
    for name, comparison in rows:
        rank, verdict = _verdict(comparison, arrow)
        versions = [
            side.version or "–" for side in (comparison.old, comparison.new) if side is not None
        ]
        version = f" {arrow} ".join(dict.fromkeys(versions))
        changes = summary_text(comparison.changes)
        if not comparison.changes and comparison.bump.required != "none":
            changes += "; files differ"
        ranked_rows.append((rank, (name, version, verdict, changes)))
    sorted_rows = sorted(ranked_rows, key=lambda entry: entry[0])
    return StyledTable(
        ("skill", "version", "bump", "changes"), tuple(row for _, row in sorted_rows)
    )


def verdicts_text(comparisons: Iterable[Comparison]) -> str:
    """How many skills need a bump, cannot be judged, were added and were removed."""
    ranks = Counter(_verdict(comparison)[0] for comparison in comparisons)
    parts = [
        f"{ranks[rank]} {singular if ranks[rank] == 1 else many}"
        for rank, (singular, many) in _VERDICTS.items()
        if ranks[rank]
    ]
    return ", ".join(parts)


_VERDICTS = {
    0: ("needs a bump", "need a bump"),
    1: ("cannot be judged", "cannot be judged"),
    2: ("removed", "removed"),
    3: ("added", "added"),
}


def _verdict(comparison: Comparison, arrow: str = "→") -> tuple[int, str]:
    """The rank of a comparison in an overview, and its bump in a few words."""
    bump = comparison.bump
    if comparison.new is None or comparison.old is None:
        rank, how = (2, "removed") if comparison.new is None else (3, "added")
        if bump.ok or comparison.plugin is None:
            return rank, how
        step = f"{bump.required} {arrow} {bump.suggested} in {comparison.plugin.file}"
        return 0, f"✗ {how}, needs {step}"
    if not bump.ok:
        step = f"{bump.required} {arrow} {bump.suggested}" if bump.suggested else bump.required
        if comparison.new.versioned_in:
            step += f" in {comparison.new.versioned_in}"
        return 0, f"✗ needs {step}" if bump.required != "none" else f"✗ {bump.declared}"
    if bump.is_unknown:
        return 1, f"? unknown: {_unknown_reason(bump, comparison.old.version)}"
    if bump.declared == "unknown":
        return 4, f"next: {bump.suggested}" if bump.suggested else "nothing changed"
    # The version of a plugin is that of all its skills: another one may need the step.
    is_larger = bump.declared != bump.required and not comparison.new.versioned_in
    return 4, f"✓ {bump.declared}" + " (more than needed)" * is_larger


def flags_legend(changes: Iterable[Change | ChangeKind]) -> str:
    """What the flags of some changes mean, in one line; "" if there are none."""
    all_changes = list(changes)
    review = "[review] a person should check the change, mostly because the skill may do more"
    routing_note = (
        "[routing] agents choose the skill by this text, so they may choose it in other cases"
    )
    flags = (
        (review, any(change.review for change in all_changes)),
        (routing_note, any(change.routing for change in all_changes)),
    )
    return "; ".join(text for text, is_set in flags if is_set)


def group_line(group: str, number: int, style: LineStyle = "heading") -> StyledLine:
    """The heading of a group of changes."""
    _, word, meaning, _ = GROUPS[group]
    return StyledLine(f"{word} ({number:,})", style, remark=meaning)


def left_out(number: int) -> str:
    """How many changes are not listed."""
    return f"… {count(number, 'more change')}; {SHOW_ALL}"


def summary_text(changes: Iterable[Change]) -> str:
    """The number of changes of each level, waived ones apart."""
    all_changes = list(changes)
    unwaived_changes = [change for change in all_changes if not change.waived]
    numbers: dict[str, int] = {
        group: sum(change.group == group for change in unwaived_changes)
        for group in CHANGE_GROUPS[:4]
    }
    numbers |= {"for review": sum(change.review for change in unwaived_changes)}
    numbers |= {"waived": len(all_changes) - len(unwaived_changes)}
    parts = [f"{number} {word}" for word, number in numbers.items() if number]
    return ", ".join(parts) or "no interface changes"


# The bump.


def comparison_bump(comparison: Comparison, arrow: str = "→") -> StyledLine | None:
    """The bump of a comparison; None if a version has neither the skill nor its plugin."""
    if comparison.plugin is not None:
        was, _, file = comparison.plugin
        line = bump_line(comparison.bump, was, comparison.changes, arrow=arrow)
        return line._replace(text=f"{line.text} (version in {file})")
    if comparison.old is None or comparison.new is None:
        return None
    line = bump_line(comparison.bump, comparison.old.version, comparison.changes, arrow=arrow)
    file = "" if comparison.bump.ok else comparison.new.versioned_in
    return line._replace(text=f"{line.text} (version in {file})") if file else line


def absent_line(version: str) -> StyledLine:
    """Why no bump is judged: a version does not have the skill."""
    return StyledLine(f"? cannot be compared: {version} does not have this skill", "")


def bump_line(
    bump: Bump,
    old: str,
    changes: Sequence[Change],
    to: str = "",
    arrow: str = "→",
    with_reason: bool = True,
) -> StyledLine:
    """Which bump the changes need, and whether the version has it. `old` is the old version, `to`
    the version to take if it is not the suggested one."""
    if bump.no_release:
        return StyledLine(f"? {_no_release_text(bump)}", "warning")
    text = _bump_text(bump, old, to or bump.suggested, arrow)
    if with_reason and (reason := bump_reason(bump, old, changes)):
        text += f" {reason}"
    if bump.ok and bump.declared == "none" and bump.required != "none":
        return StyledLine(f"? {text}", "")
    if bump.ok and bump.declared == "unknown":
        return StyledLine(f"{'i' if bump.suggested else '?'} {text}", "")
    return StyledLine(f"✓ {text}", "good") if bump.ok else StyledLine(f"✗ {text}", "error")


def bump_reason(bump: Bump, old: str, changes: Sequence[Change]) -> str:
    """Why the required bump is not the level of a change, in parentheses; "" if it is."""
    highest = highest_level(changes)
    if bump.no_release or bump.required == "none":
        return ""
    if highest == "none":
        return "(files changed, the interface did not)"
    if old.startswith("0.") and is_smaller(bump, changes):
        return f"(enough for a {highest} change below 1.0.0)"
    return ""


def highest_level(changes: Iterable[Change]) -> Level:
    """The highest level of the changes that no waiver accepts."""
    levels = {change.level for change in changes if not change.waived}
    return next((level for level in LEVELS if level in levels), "none")


def is_smaller(bump: Bump, changes: Iterable[Change]) -> bool:
    """Whether the required bump is smaller than the level of a change, as below 1.0.0."""
    return LEVELS.index(highest_level(changes)) < LEVELS.index(bump.required) < len(LEVELS) - 1


def _bump_text(bump: Bump, old: str, to: str, arrow: str) -> str:
    declared_bump, required_bump = bump.declared, bump.required
    if required_bump == "none":
        if declared_bump == "unknown":
            return "nothing changed; the versions cannot be compared"
        remarks = {"decreased": "; the version decreased", "none": ""}
        return "no bump needed" + remarks.get(declared_bump, f" ({declared_bump} bump made)")
    if bump.is_unknown:
        reason = _unknown_reason(bump, old)
        return f"required bump unknown: {reason}; from 1.0.0 on it would be a {required_bump} bump"
    if bump.ok and declared_bump == "unknown":
        return f"needs a {required_bump} bump: {old} {arrow} {to}"
    if bump.ok and declared_bump == "none":
        return "cannot be compared: only one version has the skill"
    if bump.ok:
        remark = "as required" if declared_bump == required_bump else f"{required_bump} is required"
        return f"{declared_bump} bump, {remark}"
    step = f": {old or 'no version'} {arrow} {to}" if to else ""
    why = {
        "none": "",
        "decreased": "; the version decreased",
        "unknown": "; the versions cannot be compared",
    }
    return f"needs a {required_bump} bump{step}" + why.get(
        declared_bump, f"; {declared_bump} is too small"
    )


def _no_release_text(bump: Bump) -> str:
    return f"required bump unknown: {bump.no_release}; HEAD has the same files"


def _unknown_reason(bump: Bump, old: str) -> str:
    """Why nobody can judge a bump."""
    if bump.no_release:
        return "no release found"
    kinds = {finding.kind for finding in bump.findings}
    if "version-missing" in kinds:
        return "no version is declared"
    return "the older version is not a semantic version" if old else "the older version is missing"


def bump_findings(bump: Bump) -> list[VersionFinding]:
    """What else is wrong with the step between the versions."""
    return [finding for finding in bump.findings if finding.kind not in _HEADLINE_KINDS]


def _severity(finding: VersionFinding) -> LineStyle:
    return finding.severity if finding.severity in ("error", "warning") else "quiet"


# One change.


def flags_text(change: Change) -> str:
    """What a change needs besides a bump."""
    flags = [("review", change.review), ("routing", change.routing)]
    return ", ".join(name for name, is_set in flags if is_set)


def short_change_lines(change: Change, place: str, indent: int = 0) -> Iterator[StyledLine]:
    """A change with its counterexample, flags and place in one line, then what to do about it."""
    text = f"{change.operation}: {change.message}" if change.operation else change.message
    if change.witness is not None:
        value = value_text(change.witness.value, _WITNESS)
        side = change.witness.accepted_by
        text += f"; counterexample: {value}, which only the {side} version accepts"
    flags = f"[{flags_text(change)}]" if flags_text(change) else ""
    style = GROUPS[change.level][3]
    yield StyledLine(text, style, indent, remark="  ".join(filter(None, (flags, place))))
    yield from _consequences(change, indent + 1)


def _consequences(change: Change, indent: int) -> Iterator[StyledLine]:
    """What the author can do about a change, what it breaks, and the reason of its waiver."""
    if advice := advice_text(change):
        yield StyledLine(advice, "", indent, "to do:")
    yield from (StyledLine(hit, "warning", indent, "breaks:") for hit in change.hits)
    if change.waived:
        yield StyledLine(change.waived, "quiet", indent, "waived:")


def example_text(change: Change) -> str:
    """The counterexample in the words of a list; "" if there is none."""
    if change.witness is None:
        return ""
    value, side = value_text(change.witness.value, _WITNESS), change.witness.accepted_by
    return f"for example {value}, which only the {side} version accepts"


def about_change(change: Change) -> Iterator[StyledLine]:
    """What an author needs of a change at once: the example, what it breaks, what to do."""
    if example := example_text(change):
        yield StyledLine(example, "warning")
    yield from _consequences(change, 0)


def change_lines(
    change: Change, place: str = "", indent: int = 0, full: bool = False, is_comment: bool = False
) -> Iterator[StyledLine]:
    """A change and its facts. `full` adds both values and the reasons; a comment has the place in
    the same line, and the fingerprint only where a waiver needs it."""
    operation = f"{change.operation}: " if change.operation else ""
    text, style = f"{operation}{change.message}", GROUPS[change.level][3]
    flags = f"[{flags_text(change)}]" if flags_text(change) else ""
    if is_comment and place:
        flags = f"{flags} {place}".strip()
    yield StyledLine(text, style, indent, f"{change.kind}:", flags)
    deeper = indent + 1
    if place and not is_comment:
        yield StyledLine(f"at {place}", "", deeper)
    if proof := proof_text(change):
        yield StyledLine(proof, "warning", deeper, "counterexample:")
    yield from _consequences(change, deeper)
    if full:
        yield from _reasons(change, deeper)
    facts = [f"fingerprint {change.fingerprint}"]
    if not is_comment:
        facts.append(f"source {change.source}")
    if not is_comment or (change.level == "major" and not change.waived):
        yield StyledLine(" · ".join(facts), "quiet", deeper)


def _reasons(change: Change, indent: int) -> Iterator[StyledLine]:
    from skillstudio.manifest.changes import all_kinds

    for side, value, place in (
        ("old", change.old, change.old_place),
        ("new", change.new, change.new_place),
    ):
        where = f"{place.path}:{place.line}:{place.column}" if place is not None else ""
        yield StyledLine(value_text(value), "quiet", indent, f"{side}:", where)
    if change.review:
        text = "the skill may do more than before; a person should check this"
        if change.undecided_keyword:
            text = "the effect on existing calls is not known; a person should check this"
        yield StyledLine(text, "quiet", indent, "review:")
    if change.routing:
        yield StyledLine("agents select the skill by this text", "quiet", indent, "routing:")
    kind = all_kinds().by_id.get(change.kind)
    if kind is not None and kind.why:
        yield StyledLine(kind.why, "quiet", indent, "why:")
    yield StyledLine(change.pointer or "/", "quiet", indent, "pointer:")


def place_text(old: Operand, new: Operand, change: Change, in_words: bool = False) -> str:
    """The place of a change in the new version, else in the old one."""
    for operand, place in ((new, change.new_place), (old, change.old_place)):
        if place is not None:
            path = shown_path(operand, place.path)
            if in_words:
                return f"{path}, line {place.line}, column {place.column}"
            return f"{path}:{place.line}:{place.column}"
    return ""


def _short_place(change: Change) -> str:
    """The file and line of a change, below a heading with the folder of the skill."""
    place = change.new_place or change.old_place
    return f"{place.path}:{place.line}" if place is not None else ""


def proof_text(change: Change) -> str:
    """The counterexample and which version accepts it; "" if there is none."""
    witness = change.witness
    if witness is None:
        return ""
    value = value_text(witness.value, _WITNESS)
    accepts, rejects = witness.accepted_by, witness.refused_by
    return f"{value}: the {accepts} version accepts it, the {rejects} version rejects it"


_ADVICE = {
    "pattern": "write the pattern without lookaround, back-references and \\b",
    "format": "describe the strings with `pattern` as well",
    "$ref": "put the schema that it leads to into the manifest",
}


def advice_text(change: Change) -> str:
    """What the author can do about an undecided change; "" if it is decided."""
    if not change.undecided_keyword:
        return ""
    advice = _ADVICE.get(change.undecided_keyword, f"simplify `{change.undecided_keyword}`")
    if change.undecided_keyword == "schema":
        advice = "make the schema smaller"
    return (
        f"compare both versions by hand and waive the change if old calls still work, or {advice}"
    )


def value_text(value: Any, most: int = LONGEST) -> str:
    """A value of a manifest as JSON, shortened."""
    if value is ABSENT:
        return "none"
    text = json.dumps(plain(value), ensure_ascii=False, sort_keys=True, default=str)
    return shorten(text, most)
