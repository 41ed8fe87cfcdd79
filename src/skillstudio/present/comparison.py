"""Two versions of a skill: the required bump, and each change with its counterexample."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from skillstudio.interface.bump import Bump, VersionFinding
from skillstudio.interface.change import LEVELS, Change
from skillstudio.interface.model import ABSENT
from skillstudio.interface.plain import plain
from skillstudio.present.lines import (
    LONGEST,
    SHOW_ALL,
    LineStyle,
    Part,
    StyledLine,
    count,
    shortened,
)
from skillstudio.skill.versions.comparison import Comparison, shown_path
from skillstudio.skill.versions.operands import Operand

MOST = 500  # Changes of one skill that are listed, the highest level first.
_WITNESS = 200  # Characters of a counterexample.
GROUPS: dict[str, tuple[str, str, str, LineStyle]] = {
    "failed": ("✗", "cannot be compared", "", "error"),
    "major": ("✗", "major", "what works today may break", "error"),
    "minor": ("+", "minor", "what works today keeps working", "warning"),
    "patch": ("·", "patch", "no interface change", ""),
    "none": ("○", "no bump needed", "", "quiet"),
    "waived": ("~", "waived", "accepted, with a reason", "quiet"),
    "notes": ("i", "notes", "", ""),
}
"""Glyph, word, meaning and style of each group of changes."""
_STATED = frozenset(
    ("version-unchanged-with-changes", "version-bump-too-small", "content-changed-interface-same")
)
"""Findings that the line about the bump includes."""


def comparison_lines(
    name: str,
    old: Operand,
    new: Operand,
    comparison: Comparison,
    in_words: bool = False,
    whole: bool = False,
) -> Iterator[Part]:
    """The bump and the changes of one skill. `in_words` uses no arrows or `path:line`; `whole`
    lists every change."""
    arrow = "to" if in_words else "→"
    yield StyledLine(comparison_title(name, old, new, comparison, arrow), "title")
    if bump := comparison_bump(comparison, arrow):
        yield bump
    for finding in bump_findings(comparison.bump):
        lead = f"{finding.severity}:"
        yield StyledLine(finding.message, _severity(finding), 1, lead, finding.kind)
    left = len(comparison.changes) if whole else MOST
    groups: dict[str, list[Change]] = {group: [] for group in (*LEVELS, "waived")}
    for change in comparison.changes:
        groups["waived" if change.waived else change.level].append(change)
    for group, changes in groups.items():
        if not changes:
            continue
        is_folded = group != "major" and not any(change.review for change in changes)
        yield group_line(group, len(changes), "folded" if is_folded else "heading")
        for change in changes[:left]:
            shown = change._replace(message=change.message.replace("→", arrow))
            yield from change_lines(shown, place_text(old, new, change, in_words), indent=1)
        if len(changes) > left:
            yield StyledLine(left_out(len(changes) - left), "quiet", 1)
        left = max(left - len(changes), 0)


def comparison_title(
    name: str, old: Operand, new: Operand, comparison: Comparison, arrow: str = "→"
) -> str:
    """The skill and its two versions."""
    if comparison.old is None or comparison.new is None:
        return f"{name}: {'added' if comparison.old is None else 'removed'} in {new.label}"
    versions = [each.version or "no version" for each in (comparison.old, comparison.new)]
    return f"{name}: {old.label} {arrow} {new.label} ({f' {arrow} '.join(versions)})"


def group_line(group: str, number: int, style: LineStyle = "heading") -> StyledLine:
    """The heading of a group of changes."""
    _, word, meaning, _ = GROUPS[group]
    return StyledLine(f"{word} ({number:,})", style, remark=meaning)


def left_out(number: int) -> str:
    """How many changes are not listed."""
    return f"… {count(number, 'more change')}; {SHOW_ALL}"


def summary_text(changes: Iterable[Change]) -> str:
    """The number of changes of each level, waived ones apart."""
    found = list(changes)
    counted = [change for change in found if not change.waived]
    numbers: dict[str, int] = {
        level: sum(each.level == level for each in counted) for level in LEVELS[:3]
    }
    numbers |= {"for review": sum(change.review for change in counted)}
    numbers |= {"waived": len(found) - len(counted)}
    parts = [f"{number} {word}" for word, number in numbers.items() if number]
    return ", ".join(parts) or "no interface changes"


# The bump.


def comparison_bump(comparison: Comparison, arrow: str = "→") -> StyledLine | None:
    """The bump of a comparison; None if one of the versions does not have the skill."""
    if comparison.old is None or comparison.new is None:
        return None
    return bump_line(comparison.bump, comparison.old.version, comparison.changes, arrow=arrow)


def bump_line(
    bump: Bump, old: str, changes: Sequence[Change], to: str = "", arrow: str = "→"
) -> StyledLine:
    """Which bump the changes need, and whether the version has it. `old` is the old version, `to`
    the version to take if it is not the suggested one."""
    text = _required(bump, old, to or bump.suggested, arrow)
    levels = {change.level for change in changes if not change.waived}
    if bump.required != "none" and not levels - {"none"}:
        text += " (files changed, the interface did not)"
    elif bump.required != "none" and old.startswith("0.") and bump.required not in levels:
        text += " (below 1.0.0, every step is one smaller)"
    if bump.ok and bump.required != "none" and bump.declared == "unknown":
        return StyledLine(f"i {text}", "")
    return StyledLine(f"✓ {text}", "good") if bump.ok else StyledLine(f"✗ {text}", "error")


def _required(bump: Bump, old: str, to: str, arrow: str) -> str:
    declared, required = bump.declared, bump.required
    if required == "none":
        made = {"decreased": "; the version decreased", "none": "", "unknown": ""}
        return "no bump needed" + made.get(declared, f" ({declared} bump made)")
    if bump.ok and declared == "unknown":
        return f"{required} bump required; the versions cannot be compared"
    if bump.ok and declared == "none":
        return "no bump needed; only one version has the skill"
    if bump.ok:
        more = "as required" if declared == required else f"{required} is required"
        return f"{declared} bump, {more}"
    step = f": {old or 'no version'} {arrow} {to}" if to else ""
    why = {
        "none": "",
        "decreased": "; the version decreased",
        "unknown": "; the versions cannot be compared",
    }
    return f"needs a {required} bump{step}" + why.get(declared, f"; {declared} is too small")


def bump_findings(bump: Bump) -> list[VersionFinding]:
    """What else is wrong with the step between the versions."""
    return [each for each in bump.findings if each.kind not in _STATED]


def _severity(finding: VersionFinding) -> LineStyle:
    return finding.severity if finding.severity in ("error", "warning") else "quiet"


# One change.


def flags_text(change: Change) -> str:
    """What a change needs besides a bump."""
    found = [("review", change.review), ("routing", change.routing)]
    return ", ".join(name for name, is_set in found if is_set)


def change_lines(
    change: Change, place: str = "", indent: int = 0, full: bool = False
) -> Iterator[StyledLine]:
    """A change and its facts. `full` adds both values and the reasons."""
    operation = f"{change.operation}: " if change.operation else ""
    text, style = f"{operation}{change.message}", GROUPS[change.level][3]
    flags = f"[{flags_text(change)}]" if flags_text(change) else ""
    yield StyledLine(text, style, indent, f"{change.kind}:", flags)
    deeper = indent + 1
    if place:
        yield StyledLine(f"at {place}", "", deeper)
    if proof := proof_text(change):
        yield StyledLine(proof, "warning", deeper, "counterexample:")
    yield from (StyledLine(hit, "warning", deeper, "breaks:") for hit in change.hits)
    if change.waived:
        yield StyledLine(change.waived, "quiet", deeper, "waived:")
    if full:
        yield from _reasons(change, deeper)
    facts = [f"fingerprint {change.fingerprint}", f"source {change.source}"]
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


def proof_text(change: Change) -> str:
    """The counterexample and which version accepts it; "" if there is none."""
    found = change.witness
    if found is None:
        return ""
    value = value_text(found.value, _WITNESS)
    accepts, rejects = found.accepted_by, found.refused_by
    return f"{value}: the {accepts} version accepts it, the {rejects} version rejects it"


def value_text(value: Any, most: int = LONGEST) -> str:
    """A value of a manifest as JSON, shortened."""
    if value is ABSENT:
        return "none"
    text = json.dumps(plain(value), ensure_ascii=False, sort_keys=True, default=str)
    return shortened(text, most)
