"""`skillstudio explain`: a rule in full."""

from __future__ import annotations

import sys
from difflib import get_close_matches

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json
from skillstudio.manifest.rulebook import Rule, all_rules


def parser() -> Parser:
    made = Parser("explain", "Explain a rule: what, why, source, a bad and a good example.")
    made.add_argument("rule", nargs="?", metavar="RULE", help="a rule's id; none lists them all")
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    rules = all_rules()
    if options.rule is None:
        chosen = [rules[id] for id in sorted(rules)]
    elif options.rule in rules:
        chosen = [rules[options.rule]]
    else:
        near = get_close_matches(options.rule, rules, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"no rule {options.rule}{hint}")
    if options.format == "json":
        values = [rule._asdict() for rule in chosen]
        print_json(values if options.rule is None else values[0])
        return OK
    paint = Paint(colours_wanted(sys.stdout))
    if options.rule is None:
        width = max(len(rule.id) for rule in chosen)
        for rule in chosen:
            print(f"{rule.id:<{width}}  {paint(f'{rule.severity:<7}', rule.severity)}  {rule.what}")
    else:
        _print(chosen[0], paint)
    return OK


def _print(rule: Rule, paint: Paint) -> None:
    print(f"{paint(rule.id, 'place')}  {paint(rule.severity, rule.severity)}")
    print(f"\n{rule.what}\n{rule.why}\n")
    print(f"source: {rule.source}")
    for title, example in (("bad", rule.bad), ("good", rule.good)):
        print(f"\n{title}:")
        for line in example.strip("\n").splitlines():
            print(f"    {line}")
