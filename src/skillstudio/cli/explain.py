"""`skillstudio explain`: a rule or a kind of change in full."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import Any

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Colour, Paint, Parser, UsageError, colours_wanted, print_json
from skillstudio.interface.bump import VersionRule, version_rules
from skillstudio.interface.kinds import RULESETS, ChangeKind
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.rulebook import Rule, all_rules

_COLOURS: dict[str, Colour] = {
    "error": "error",
    "warning": "warning",
    "info": "info",
    "major": "error",
    "minor": "warning",
    "patch": "info",
    "none": "quiet",
}


def parser() -> Parser:
    made = Parser(
        "explain",
        "Explain a rule of check (what, why, source, a bad and a good example) or a kind of "
        "change that diff tells (level, message, why, source).",
    )
    made.add_argument(
        "rule", nargs="?", metavar="ID", help="the id of a rule or kind; none lists them all"
    )
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    known = _known()
    if options.rule is None:
        return _list(known, options.format == "json")
    found = known.get(options.rule)
    if found is None:
        near = get_close_matches(options.rule, known, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"no rule or kind of change {options.rule}{hint}")
    if options.format == "json":
        print_json(_as_json(options.rule, found))
        return OK
    paint = Paint(colours_wanted(sys.stdout))
    if isinstance(found, Rule):
        _print(found, paint)
    else:
        _print_kind(options.rule, found, paint)
    return OK


def _known() -> dict[str, Rule | ChangeKind | VersionRule]:
    """By id, the rules first: those of versions may be called as a rule is and mean the same."""
    rules, kinds, versions = all_rules(), all_kinds().by_id, version_rules()
    found: dict[str, Rule | ChangeKind | VersionRule] = {id: rules[id] for id in sorted(rules)}
    found |= {id: kinds[id] for id in sorted(kinds)}
    return found | {id: versions[id] for id in sorted(versions) if id not in found}


def _list(known: dict[str, Rule | ChangeKind | VersionRule], as_json: bool) -> int:
    if as_json:
        print_json([_as_json(id, each) for id, each in known.items()])
        return OK
    paint = Paint(colours_wanted(sys.stdout))
    width = max(map(len, known))
    for id, each in known.items():
        level = _level(each)
        said = each.what if isinstance(each, Rule) else each.why
        print(f"{id:<{width}}  {paint(f'{level:<7}', _COLOURS[level])}  {said}")
    return OK


def _level(found: Rule | ChangeKind | VersionRule) -> str:
    return found.level if isinstance(found, ChangeKind) else found.severity


def _print(rule: Rule, paint: Paint) -> None:
    print(f"{paint(rule.id, 'place')}  {paint(rule.severity, rule.severity)}")
    print(f"\n{rule.what}\n{rule.why}\n")
    print(f"source: {rule.source}")
    for title, example in (("bad", rule.bad), ("good", rule.good)):
        print(f"\n{title}:")
        for line in example.strip("\n").splitlines():
            print(f"    {line}")


def _print_kind(id: str, kind: ChangeKind | VersionRule, paint: Paint) -> None:
    level = _level(kind)
    words = [paint(level, _COLOURS[level])]
    others = _other_levels(kind) if isinstance(kind, ChangeKind) else {}
    if isinstance(kind, ChangeKind):
        words += [mark for mark in ("review", "routing") if getattr(kind, mark)]
    print(f"{paint(id, 'place')}  {', '.join(words)}")
    print(f"\n{kind.message}\n{kind.why}\n")
    for ruleset, other in others.items():
        print(f"{other} in the ruleset {ruleset}")
    print(f"source: {kind.source}")


def _as_json(id: str, found: Rule | ChangeKind | VersionRule) -> dict[str, Any]:
    if isinstance(found, Rule):
        return found._asdict()
    told: dict[str, Any] = {"id": id}
    if isinstance(found, ChangeKind):
        told |= {
            "level": found.level,
            "review": found.review,
            "routing": found.routing,
            "direction": found.direction,
            "levels": _other_levels(found),
        }
    else:
        told["severity"] = found.severity
    return told | {"message": found.message, "why": found.why, "source": found.source}


def _other_levels(kind: ChangeKind) -> dict[str, str]:
    """Ruleset to level, where it is another one than by default."""
    found = {ruleset: kind.level_in(ruleset) for ruleset in RULESETS}
    return {ruleset: level for ruleset, level in found.items() if level != kind.level}
