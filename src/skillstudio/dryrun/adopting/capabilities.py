"""Observed effects as provenact capabilities: a kind with a value."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from skillstudio.dryrun.adopting.finding import AdoptFinding, Case, below, fix, not_declarable
from skillstudio.dryrun.adopting.suggestions import AdoptSuggestion
from skillstudio.dryrun.adopting.trails import Trail
from skillstudio.dryrun.report import JudgedEffect
from skillstudio.interface.wording import shown
from skillstudio.manifest.values import mappings, text
from skillstudio.text.diagnostic import Set

KINDS = {"net.fetch": "net.http", "proc.exec": "exec"}
"""Effects whose capability has another name."""
_PLAIN_HTTP = "80"
_TLS = "443"


def capability(
    _case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    """Capabilities of provenact version 1: a kind and one value each."""
    kind = KINDS.get(effect.effect, effect.effect)
    for value, lines in _values(kind, left).items():
        item = {"kind": kind, "value": value}
        yield _finding(effect, kind, value, lines, Set(below(how.at, "-"), item))
    yield from _without_value(effect, kind, how, left)


def constraint(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    """Capabilities of provenact version 0, with lists of limits; an existing one is extended."""
    kind = KINDS.get(effect.effect, effect.effect)
    limit = "domains" if kind == "net.http" else "paths"
    where = next(
        (at for at, each in mappings(case.value, how.at.strip("/")) if text(each, "name") == kind),
        None,
    )
    for value, lines in _values(kind, left).items():
        value = value.partition("://")[2] or value
        new: Any = {"name": kind, "required": True, "constraints": {limit: [value]}}
        edit = Set(below(how.at, "-"), new)
        if where is not None:
            edit = Set(below(where, "constraints", limit, "-"), value)
        yield _finding(effect, kind, value, lines, edit)
    yield from _without_value(effect, kind, how, left)


def _finding(
    effect: JudgedEffect, kind: str, value: str, lines: Sequence[str], edit: Set
) -> AdoptFinding:
    return AdoptFinding(
        f"capability:{kind}:{value}",
        f"Request the capability {kind} with {shown(value)}; this changes the manifest's hash",
        tuple(lines),
        fix(f"Request {kind}", edit),
        effect.is_error,
    )


def _values(kind: str, left: Sequence[Trail]) -> dict[str, list[str]]:
    """The values of a kind, each with its evidence lines."""
    found: dict[str, list[str]] = {}
    for each in left:
        value = "" if each.masked else _value(kind, each)
        if value:
            found.setdefault(value, []).append(each.line)
    return found


def _value(kind: str, trail: Trail) -> str:
    if kind == "exec":
        return "true" if trail.program else ""
    if kind != "net.http":
        # Runtimes open folders; a single file cannot be granted.
        return os.path.dirname(trail.about) if trail.is_path else ""
    if not trail.host:
        return ""
    port = trail.about.rpartition(":")[2] if trail.about != trail.host else _TLS
    scheme = "http" if port == _PLAIN_HTTP else "https"
    return f"{scheme}://{trail.host}" + ("" if port in (_PLAIN_HTTP, _TLS) else f":{port}")


def _without_value(
    effect: JudgedEffect, kind: str, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    rest = [each.line for each in left if each.masked or not _value(kind, each)]
    if rest:
        id, what = f"effect:{effect.effect}", f"The run showed {effect.effect}"
        yield not_declarable(id, what, rest, how.cannot)
