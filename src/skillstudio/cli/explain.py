"""`skillstudio explain`: explain a rule, a kind of change or a problem of a run."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Colour, Paint, Result, UsageError
from skillstudio.cli.painting import paint_lines, terminal_width
from skillstudio.dryrun.problem_rules import ProblemRule, problem_rules
from skillstudio.interface.bump import VersionRule, version_rules
from skillstudio.interface.change import LEVELS
from skillstudio.interface.kinds import RULESETS, ChangeKind
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.registry import dialects
from skillstudio.manifest.rulebook import UNCHECKED_RULES, Rule, all_rules, former_rule, is_secure
from skillstudio.present.comparison import flags_legend
from skillstudio.present.lines import LineStyle, StyledLine
from skillstudio.text.diagnostic import SEVERITIES
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
_STYLES: dict[str, LineStyle] = {
    "error": "error",
    "warning": "warning",
    "major": "error",
    "minor": "warning",
}
_WIDTH = 76  # Characters of a row of ids, which fits an 80-column terminal.
_Explained = Rule | ChangeKind | VersionRule | ProblemRule


def run(options: CommandOptions) -> Result:
    entries = collect_entries()
    if options.id is None:
        return Result(
            lambda: [_as_json(id, entry) for id, entry in entries.items()],
            lambda paint: paint_lines(_list(entries, options.verbose), paint, terminal_width()),
        )
    entry = entries.get(options.id)
    if entry is None:
        former = former_rule(options.id)
        advice = f"; {former.text}" if former else ""
        advice = advice or did_you_mean(options.id, entries, "; skillstudio explain lists them")
        raise UsageError(f"unknown rule, kind of change or problem {options.id}{advice}")
    return Result(
        lambda: _as_json(options.id, entry), lambda paint: _lines(options.id, entry, paint)
    )


def collect_entries() -> dict[str, _Explained]:
    """All by id, rules first: an entry with the id of a rule means the same."""
    entries: dict[str, _Explained] = {}
    for table in (all_rules(), all_kinds().by_id, version_rules(), problem_rules()):
        entries |= {id: table[id] for id in sorted(table) if id not in entries}
    return entries


def _groups(entries: dict[str, _Explained]) -> dict[str, dict[str, list[str]]]:
    """The ids by what they are: rules by the manifest format, kinds of changes by level."""
    titles = {"": "all formats"}
    for dialect in dialects():
        titles.setdefault(dialect.folder, dialect.title)
    groups: dict[str, dict[str, list[str]]] = {
        "Rules of check": {title: [] for title in titles.values()},
        "Kinds of changes of diff": {level: [] for level in LEVELS},
        "Rules for versions of diff": {"versions": []},
        "Problems of plan, run and test": {severity: [] for severity in SEVERITIES},
    }
    rules, kinds, versions, problems = groups.values()
    for id, entry in entries.items():
        if isinstance(entry, Rule):
            rules[titles[entry.folder]].append(id)
        elif isinstance(entry, ChangeKind):
            kinds[entry.level].append(id)
        elif isinstance(entry, ProblemRule):
            problems[entry.severity].append(id)
        else:
            versions["versions"].append(id)
    return groups


def _list(entries: dict[str, _Explained], verbose: bool) -> Iterator[StyledLine]:
    """The ids in groups with their numbers; with `verbose` a line for each with its meaning."""
    width = max(map(len, entries))
    for title, groups in _groups(entries).items():
        yield StyledLine(f"{title} ({sum(map(len, groups.values()))})", "heading")
        for name, ids in groups.items():
            if not ids:
                continue
            # The title of an only group says the same.
            if len(groups) > 1:
                yield StyledLine(f"{name} ({len(ids)})", "", 1)
            if not verbose:
                rows = wrap(" ".join(ids), _WIDTH, break_on_hyphens=False)
                yield from (StyledLine(row, "quiet", 2) for row in rows)
                continue
            for id in ids:
                entry = entries[id]
                meaning = entry.why if isinstance(entry, ChangeKind) else entry.what
                style = _STYLES.get(_level(entry), "")
                yield StyledLine(f" {meaning}", style, 2, f"{id:<{width}}  {_level(entry):<7}")
    if not verbose:
        yield StyledLine("-v prints what each means; skillstudio explain ID explains one", "quiet")


def _level(entry: _Explained) -> str:
    return entry.level if isinstance(entry, ChangeKind) else entry.severity


def _lines(id: str, entry: _Explained, paint: Paint) -> Iterator[str]:
    if isinstance(entry, Rule):
        return _rule(entry, paint)
    if isinstance(entry, ProblemRule):
        return _problem(entry, paint)
    return _kind(id, entry, paint)


def _problem(problem: ProblemRule, paint: Paint) -> Iterator[str]:
    yield f"{paint(problem.id, 'place')}  {paint(problem.severity, problem.severity)}"
    yield f"\n{problem.what}\n{problem.why}\n"
    yield f"to fix it:\n    {problem.fix}"


def _rule(rule: Rule, paint: Paint) -> Iterator[str]:
    yield f"{paint(rule.id, 'place')}  {paint(rule.severity, rule.severity)}"
    yield f"\n{rule.what}\n{rule.why}\n"
    if not rule.enabled:
        yield f"off by default; turn it on in [rules], or with check --select {rule.id}"
    if rule.ruleset:
        yield f"ruleset: {rule.ruleset}"
    yield f"source: {rule.source}"
    yield from _explain_ignoring(rule)
    for title, example in (("bad", rule.bad), ("good", rule.good)):
        yield f"\n{title}:"
        for line in example.strip("\n").splitlines():
            yield f"    {line}"


def _explain_ignoring(rule: Rule) -> Iterator[str]:
    if rule.id in UNCHECKED_RULES:
        yield "It cannot be ignored, because it reports what could not be checked."
        return
    yield "to ignore it:"
    yield f"    once: skillstudio check --ignore {rule.id}"
    yield f'    everywhere: {rule.id} = "off" below [rules] in skillstudio.toml'
    yield "    in some files: a table [[ignore]] with rule, path and reason in skillstudio.toml"
    yield f"    at one place in YAML or TOML: the comment # skillstudio: ignore[{rule.id}]"
    if not is_secure(rule.id):
        yield f"    at one place in Markdown: <!-- skillstudio: ignore[{rule.id}] the reason -->"
        yield f"    in one Markdown file: <!-- skillstudio: ignore-file[{rule.id}] the reason -->"


def _kind(id: str, kind: ChangeKind | VersionRule, paint: Paint) -> Iterator[str]:
    level = _level(kind)
    words = [paint(level, _COLOURS[level])]
    words += [mark for mark in ("review", "routing") if getattr(kind, mark, False)]
    ruleset_levels = _other_levels(kind) if isinstance(kind, ChangeKind) else {}
    yield f"{paint(id, 'place')}  {', '.join(words)}"
    yield f"\n{kind.summary if isinstance(kind, ChangeKind) else kind.what}\n{kind.why}\n"
    if isinstance(kind, ChangeKind):
        if legend := flags_legend([kind]):
            yield legend
        if kind.level == "major" or kind.review:
            yield "to accept such a change: skillstudio waive FINGERPRINT, which diff -v prints"
    for ruleset, other in ruleset_levels.items():
        yield f"{other} in the ruleset {ruleset}"
    yield f"source: {kind.source}"


def _as_json(id: str, entry: _Explained) -> dict[str, Any]:
    if isinstance(entry, Rule):
        return entry._asdict()
    if isinstance(entry, ProblemRule):
        return {**entry._asdict(), "source": "skillstudio"}
    is_kind = isinstance(entry, ChangeKind)
    fields = ("level", "review", "routing", "direction") if is_kind else ("severity",)
    value = {field: getattr(entry, field) for field in (*fields, "message", "why", "source")}
    extra_values = {"levels": _other_levels(entry)} if isinstance(entry, ChangeKind) else {}
    return {"id": id, **value, **extra_values}


def _other_levels(kind: ChangeKind) -> dict[str, str]:
    levels = {ruleset: kind.level_in(ruleset) for ruleset in RULESETS}
    return {ruleset: level for ruleset, level in levels.items() if level != kind.level}
