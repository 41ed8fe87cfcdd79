"""A comparison as one JSON value."""

from __future__ import annotations

from typing import Any

from skillstudio.cli.compared import ComparedVersions
from skillstudio.interface.bump import Bump
from skillstudio.interface.change import Change
from skillstudio.interface.model import ABSENT
from skillstudio.skill.versions.comparison import Version


def as_json(row: ComparedVersions) -> dict[str, Any]:
    """One skill at two versions; a version in which it is not there is null."""
    made = row.comparison
    return {
        "old": _version(made.old),
        "new": _version(made.new),
        "changes": [_change(change) for change in made.changes],
        "bump": bump_json(made.bump),
        "summary": dict(made.counts),
    }


def bump_json(bump: Bump) -> dict[str, Any]:
    """The bump that was made and the one that is asked for."""
    return {
        "declared": bump.declared,
        "required": bump.required,
        "ok": bump.ok,
        "suggested": bump.suggested or None,
        "findings": [
            {"kind": each.kind, "severity": each.severity, "message": each.message}
            for each in bump.findings
        ],
    }


def _version(version: Version | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {
        "path": version.operand.path,
        "ref": version.operand.ref or None,
        "version": version.version or None,
        "content_hash": version.content_hash or None,
    }


def _change(change: Change) -> dict[str, Any]:
    witness = change.witness
    return {
        "kind": change.kind,
        "operation": change.operation,
        "pointer": change.pointer,
        "level": change.level,
        "review": change.review,
        "routing": change.routing,
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
