"""The sentences that every format of a comparison shares."""

from __future__ import annotations

import json
from typing import Any

from skillstudio.cli.compared import ComparedVersions
from skillstudio.interface.change import Change
from skillstudio.interface.plain import plain
from skillstudio.skill.versions.comparison import shown_path
from skillstudio.text.safe import safe_text

LONGEST = 200
"""Characters of a value that are shown."""
MOST = 500
"""Changes of one skill that people are shown, the gravest first; JSON has all of them."""


def title(row: ComparedVersions, arrow: str = "→") -> str:
    """The skill and its two versions."""
    old, new = row.comparison.old, row.comparison.new
    if old is None:
        return f"{row.name}: added in {row.new.label}"
    if new is None:
        return f"{row.name}: removed in {row.new.label}"
    versions = f" ({old.version or 'no version'} {arrow} {new.version or 'no version'})"
    return f"{row.name}: {row.old.label} {arrow} {row.new.label}{versions}"


def where(row: ComparedVersions, change: Change, plain: bool = False) -> str:
    """The place of a change: in the new version, else where it stood in the old one."""
    for operand, place in ((row.new, change.new_place), (row.old, change.old_place)):
        if place is not None:
            path = shown_path(operand, place.path)
            if plain:
                return f"{path}, line {place.line}, column {place.column}"
            return f"{path}:{place.line}:{place.column}"
    return ""


def proof(change: Change) -> str:
    """What the witness proves; empty where there is none."""
    witness = change.witness
    if witness is None:
        return ""
    return (
        f"{shown(witness.value)}: the {witness.accepted_by} version accepts it, "
        f"the {witness.refused_by} one does not"
    )


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(plain(value), ensure_ascii=False)
    if len(text) > LONGEST:
        return f"{text[:LONGEST]}… ({len(text)} characters)"
    return text


def verdict(row: ComparedVersions, arrow: str = "→") -> str:
    """Which bump is asked for and whether the version has it, in one sentence."""
    made = row.comparison
    bump = made.bump
    if made.old is None or made.new is None:
        return ""
    if bump.required == "none":
        asked = "asks for no bump"
    else:
        to = f"{made.old.version or 'no version'} {arrow} {bump.suggested}"
        asked = f"asks for {bump.required}" + (f": {to}" if bump.suggested else "")
        levels = {change.level for change in made.changes if not change.waived}
        if not levels - {"none"}:
            asked += " (files changed, the interface did not)"
        elif made.old.version.startswith("0.") and bump.required not in levels:
            asked += " (below 1.0.0 every step is one smaller)"
    said = {
        "none": "the version is the same",
        "decreased": "the version went down",
        "unknown": "the bump that was made is not known",
    }
    declared = said.get(bump.declared, f"declared {bump.declared}")
    if bump.required == "none" and bump.declared == "none":
        return asked
    return f"{asked}; {declared}: {'enough' if bump.ok else 'too little'}"


def left_out(number: int) -> str:
    """What stands where so many changes are not shown."""
    return f"{number} more {'change' if number == 1 else 'changes'}: --format json has all of them"


def flags(change: Change) -> str:
    """What else a change asks for besides a bump."""
    found = [("review", change.review), ("routing", change.routing)]
    return ", ".join(name for name, there in found if there)


def summary(rows: list[ComparedVersions]) -> str:
    """How many changes of each level there are, the waived ones apart."""
    changes = [change for row in rows for change in row.comparison.changes]
    counted = [change for change in changes if not change.waived]
    parts = []
    for level in ("major", "minor", "patch"):
        number = sum(change.level == level for change in counted)
        parts += [f"{number} {level}"] if number else []
    review = sum(change.review for change in counted)
    parts += [f"{review} for review"] if review else []
    waived = len(changes) - len(counted)
    parts += [f"{waived} waived"] if waived else []
    return ", ".join(parts) or "no change of the interface"


def said(text: str) -> str:
    """A text from a manifest, on one line and safe to print."""
    return safe_text(text)
