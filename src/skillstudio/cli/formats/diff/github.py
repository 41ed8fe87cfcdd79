"""`--format github`: workflow commands that GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.compared import ComparedVersions, Comparisons
from skillstudio.cli.formats.check.github import data, property_
from skillstudio.interface.change import Change
from skillstudio.present.comparison import MOST, comparison_bump, left_out, proof_text
from skillstudio.skill.versions.operands import Operand

LEVELS = {"major": "error", "minor": "notice", "patch": "notice", "none": "notice"}


def lines(found: Comparisons) -> Iterator[str]:
    """One command for each change that is not waived and each version bump that is too small."""
    for row in found.rows:
        changes = [change for change in row.comparison.changes if not change.waived]
        most = len(changes) if found.whole else MOST
        for change in changes[:most]:
            yield _command(row, change)
        if len(changes) > most:
            yield f"::notice title=diff::{data(f'{row.name}: {left_out(len(changes) - most)}')}"
        bump = comparison_bump(row.comparison)
        if bump is not None and not row.comparison.bump.ok:
            file = f"file={property_(_file(row.new, _manifest(row)))},line=1"
            yield f"::error {file},title=version::{data(f'{row.name}: {bump.text}')}"


def _command(row: ComparedVersions, change: Change) -> str:
    level = "warning" if change.review and change.level != "major" else LEVELS[change.level]
    place = change.new_place
    path = _file(row.new, place.path if place else _manifest(row))
    at = f"file={property_(path)}"
    at += f",line={place.line},col={place.column}" if place else ",line=1"
    operation = f"{change.operation}: " if change.operation else ""
    message = f"{change.level}: {operation}{change.message}"
    for more in (proof_text(change), f"breaks {', '.join(change.hits)}" if change.hits else ""):
        message += f"\n{more}" if more else ""
    return f"::{level} {at},title={property_(change.kind)}::{data(message)}"


def _manifest(row: ComparedVersions) -> str:
    version = row.comparison.new or row.comparison.old
    manifests = version.skill.manifests if version else ()
    return manifests[0].path if manifests else "SKILL.md"


def _file(operand: Operand, inside: str) -> str:
    """A path as the checkout has it, whatever commit it was read from."""
    return inside if operand.path == "." else f"{operand.path}/{inside}"
