"""`skillstudio explain`: explain a rule or a kind of change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Colour, Paint, Result, UsageError
from skillstudio.interface.bump import VersionRule, version_rules
from skillstudio.interface.kinds import RULESETS, ChangeKind
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.rulebook import Rule, all_rules
from skillstudio.text.nearest import did_you_mean

_COLOURS: dict[str, Colour] = {
    "error": "error",
    "warning": "warning",
    "info": "info",
    "major": "error",
    "minor": "warning",
    "patch": "info",
    "none": "quiet",
}


def run(options: CommandOptions) -> Result:
    known = explained()
    if options.id is None:
        return Result(
            lambda: [_as_json(id, each) for id, each in known.items()],
            lambda paint: _list(known, paint),
        )
    found = known.get(options.id)
    if found is None:
        advice = did_you_mean(options.id, known, "; skillstudio explain lists them")
        raise UsageError(f"unknown rule or kind of change {options.id}{advice}")
    return Result(
        lambda: _as_json(options.id, found),
        lambda paint: (
            _rule(found, paint) if isinstance(found, Rule) else _kind(options.id, found, paint)
        ),
    )


def explained() -> dict[str, Rule | ChangeKind | VersionRule]:
    """All by id, rules first: a version rule with the id of a rule means the same."""
    rules, kinds, versions = all_rules(), all_kinds().by_id, version_rules()
    found: dict[str, Rule | ChangeKind | VersionRule] = {id: rules[id] for id in sorted(rules)}
    found |= {id: kinds[id] for id in sorted(kinds)}
    return found | {id: versions[id] for id in sorted(versions) if id not in found}


def _list(known: dict[str, Rule | ChangeKind | VersionRule], paint: Paint) -> Iterator[str]:
    width = max(map(len, known))
    for id, each in known.items():
        level = _level(each)
        said = each.what if isinstance(each, Rule) else each.why
        yield f"{id:<{width}}  {paint(f'{level:<7}', _COLOURS[level])}  {said}"


def _level(found: Rule | ChangeKind | VersionRule) -> str:
    return found.level if isinstance(found, ChangeKind) else found.severity


def _rule(rule: Rule, paint: Paint) -> Iterator[str]:
    yield f"{paint(rule.id, 'place')}  {paint(rule.severity, rule.severity)}"
    yield f"\n{rule.what}\n{rule.why}\n"
    if not rule.enabled:
        yield f"off by default; turn it on in [rules], or with check --select {rule.id}"
    if rule.ruleset:
        yield f"ruleset: {rule.ruleset}"
    yield f"source: {rule.source}"
    for title, example in (("bad", rule.bad), ("good", rule.good)):
        yield f"\n{title}:"
        for line in example.strip("\n").splitlines():
            yield f"    {line}"


def _kind(id: str, kind: ChangeKind | VersionRule, paint: Paint) -> Iterator[str]:
    level = _level(kind)
    words = [paint(level, _COLOURS[level])]
    words += [mark for mark in ("review", "routing") if getattr(kind, mark, False)]
    others = _other_levels(kind) if isinstance(kind, ChangeKind) else {}
    yield f"{paint(id, 'place')}  {', '.join(words)}"
    yield f"\n{kind.message}\n{kind.why}\n"
    for ruleset, other in others.items():
        yield f"{other} in the ruleset {ruleset}"
    yield f"source: {kind.source}"


def _as_json(id: str, found: Rule | ChangeKind | VersionRule) -> dict[str, Any]:
    if isinstance(found, Rule):
        return found._asdict()
    is_kind = isinstance(found, ChangeKind)
    fields = ("level", "review", "routing", "direction") if is_kind else ("severity",)
    value = {field: getattr(found, field) for field in (*fields, "message", "why", "source")}
    more = {"levels": _other_levels(found)} if isinstance(found, ChangeKind) else {}
    return {"id": id, **value, **more}


def _other_levels(kind: ChangeKind) -> dict[str, str]:
    found = {ruleset: kind.level_in(ruleset) for ruleset in RULESETS}
    return {ruleset: level for ruleset, level in found.items() if level != kind.level}
