"""The targets as data, one file each in `targets/`, and the outcome of a SKILL.md at each.

A statement in a record is a table with `is` or `outcome`, and `at`: its evidence in one of the
record's `sources`. What a record does not state is not judged.
"""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter_readings import (
    FrontmatterReading,
    Readings,
    UnreadableFrontmatter,
    cut_at,
    read_as,
)
from skillstudio.manifest.target_values import KINDS, ValueFault, shorten_text, value_faults
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Document
from skillstudio.text.source import Span

OUTCOMES = ("refused", "dropped", "listed without description", "loads without", "loads")
"""The outcomes of a skill at a target, the worst first."""
_REJECTIONS, _PARTIAL = OUTCOMES[:2], OUTCOMES[2:4]
_SPECIFICATION = frozenset(
    [
        *("name-format", "name-length", "name-folder", "description-length", "key-missing"),
        *("compatibility-length", "metadata-value", "value-type"),
    ]
)
"""Rules of the specification that targets check in their own ways."""
_REPAIR_SEVERITIES: dict[str, Severity] = {
    "description-unquoted": "warning",
    "value-unquoted": "warning",
    "frontmatter-line": "info",
}
"""Rules of reading whose violations some targets repair, and their severity if all selected do."""
_START = Span(0, 0)
_OTHER_NAME = "the name differs from the folder name"
_SAME_FAULT = {
    "name-format": ("contains characters other than", "double hyphen", _OTHER_NAME),
    "name-length": ("is longer than", _OTHER_NAME),
    "name-folder": (_OTHER_NAME,),
    "description-length": ("is longer than",),
    "compatibility-length": ("is longer than",),
    "value-type": (
        "is not a ",
        "is a list",
        "is a mapping",
        "is a number",
        "is a boolean",
        "is empty",
    ),
    "key-duplicate": ("is repeated", "is duplicated"),
    "skill-file-case": ("the file is named",),
    "path-link-outside": ("is a symbolic link",),
    "frontmatter-missing": ("does not start with a --- line", "no frontmatter between"),
}
"""The words in which targets mind the faults of rules, by rule."""
_MOST_KEYS = 100  # Unknown or repeated keys listed for each target; the others are counted.
TOGETHER = " - "
"""What a target puts between two texts that it lists together."""
_DOES_NOT = "it does not "
_MOVE = "move the key under metadata"
_NUMBERS = ("a date", "a number", "an octal number")
_OLDER: dict[str, tuple[str, ...]] = {
    "YAML 1.1": (*_NUMBERS, "a boolean", "a special value", "a string"),
    "YAML 1.2": (),
    "js-yaml 3": _NUMBERS,
}
"""The values that a YAML parser reads otherwise than the core schema of YAML 1.2, by `types`."""
_KIND_NAMES: dict[type, str] = {
    bool: "boolean", dict: "mapping", float: "number", int: "number", list: "list", str: "string",
}  # fmt: skip
"""The kinds of values in records, by their types; "scalar" is each that is one word or text."""
_KINDS = ("validator", "upload", "client")
_ASCII_NAME = lazy_pattern(r"[a-z0-9-]+")


class Reason(NamedTuple):
    """Why a target does not load a whole skill, the fix, and the place in SKILL.md."""

    outcome: str
    text: str
    fix: str = ""
    span: Span | None = None
    evidence: str = ""
    key: str = ""
    """The key with a value, or without one, that the target does not use as it is."""


class TargetOutcome(NamedTuple):
    """The outcome of a skill at one target, with all reasons."""

    reasons: tuple[Reason, ...] = ()

    @property
    def outcome(self) -> str:
        """The worst outcome of the reasons."""
        return min((reason.outcome for reason in self.reasons), key=OUTCOMES.index, default="loads")

    @property
    def is_accepted(self) -> bool:
        return self.outcome not in _REJECTIONS

    @property
    def refusals(self) -> list[Reason]:
        """The reasons for which the skill is refused or dropped."""
        return [reason for reason in self.reasons if reason.outcome in _REJECTIONS]


@cache
def targets() -> dict[str, dict[str, Any]]:
    """The records by id: validators, uploads, then clients."""
    import tomllib

    folder = os.path.join(os.path.dirname(__file__), "targets")
    records = {}
    for id in sorted(name.removesuffix(".toml") for name in os.listdir(folder)):
        with open(os.path.join(folder, f"{id}.toml"), "rb") as file:
            records[id] = tomllib.load(file)
    return dict(sorted(records.items(), key=lambda item: _KINDS.index(item[1]["kind"])))


@cache
def recorded_targets() -> dict[str, dict[str, Any]]:
    """The targets whose reading of SKILL.md is recorded."""
    return {id: target for id, target in targets().items() if "reading" in target}


def _select_targets(selected_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The selected targets that exist, or all if none does."""
    known_targets = recorded_targets()
    return {id: known_targets[id] for id in selected_ids if id in known_targets} or known_targets


@cache
def documented_keys(selected_ids: tuple[str, ...] = ()) -> frozenset[str]:
    """The keys of the frontmatter that a selected target documents; of any target if none is
    selected, or the keys of one are not recorded."""
    fields = [target["fields"] for target in _select_targets(selected_ids).values()]
    if not all("keys" in table for table in fields):
        fields = [target["fields"] for target in recorded_targets().values()]
    return frozenset(key for table in fields for key in table.get("keys", {"is": ()})["is"])


@cache
def mapping_readers() -> dict[str, str]:
    """The keys below `metadata` that a target reads as mappings, with its title."""
    readers = (
        (target["title"], target.get("fields", {}).get("mappings")) for target in targets().values()
    )
    return {key: title for title, keys in readers if keys for key in keys["is"]}


def most_characters(key: str, selected_ids: Iterable[str] = ()) -> int | None:
    """The characters that the value of a key may have at selected targets, or all; None if any."""
    rules = (
        rule
        for target in _select_targets(selected_ids).values()
        for rule in target["fields"]["rules"]
    )
    limits = (rule["max"] for rule in rules if rule["key"] == key and rule["wrong"] == "long")
    return min(limits, default=None)


def older_types(selected_ids: Iterable[str] = ()) -> dict[str, set[str]]:
    """Keys with the older readings of a value, as "a date", that selected targets, or all, have."""
    readings: dict[str, set[str]] = {}
    for target in _select_targets(selected_ids).values():
        types, fields = target["reading"].get("types"), target["fields"]
        # A target reads of `metadata` only the values that its record names, as metadata/internal.
        nested_keys = [rule["key"] for rule in fields["rules"] if "/" in rule["key"]]
        for key in [*fields["keys"]["is"], *nested_keys] if types else ():
            if key not in types.get("booleans", ()):
                readings.setdefault(key, set()).update(_OLDER[types["is"]])
    return readings


def tool_forms(selected_ids: Iterable[str] = ()) -> dict[str, list[str]]:
    """The forms of `allowed-tools` that selected targets, or all, read: spaces, commas, list."""
    statements = {
        id: target["fields"].get("tool-forms")
        for id, target in _select_targets(selected_ids).items()
    }
    return {id: statement["is"] for id, statement in statements.items() if statement}


def value_problems(document: Document, selected_ids: Collection[str] = ()) -> Iterator[Diagnostic]:
    """The problems of values that a selected target, or any if none is, does not support."""
    front = document.value
    if not isinstance(front, dict) or _restricted_keys().isdisjoint(front):
        return
    for id, target in _select_targets(selected_ids).items():
        for rule, fault in _value_faults(target, document, id in selected_ids):
            text = render_reason(_reason(rule, fault.text, fault.advice, fault.span))
            message = f"{target['title']} {text}"
            yield Diagnostic(rule["problem"], message, fault.span, fault.pointer, fault.fixes)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


@cache
def _restricted_keys() -> frozenset[str]:
    """The keys whose values a target restricts to some it knows."""
    rules = (rule for target in recorded_targets().values() for rule in target["fields"]["rules"])
    return frozenset(rule["key"] for rule in rules if rule["wrong"] in KINDS)


def _value_faults(
    target: dict[str, Any], document: Document | None, is_selected: bool
) -> Iterator[tuple[dict[str, Any], ValueFault]]:
    for rule in target["fields"]["rules"]:
        if document is not None and rule["wrong"] in KINDS:
            for fault in islice(value_faults(rule, document, is_selected), _MOST_KEYS):
                yield rule, fault


def judge(
    skill: Skill,
    known_readings: Readings | None = None,
    selected_ids: Collection[str] = (),
    ids: Collection[str] | None = None,
) -> dict[str, TargetOutcome]:
    """The outcome of a skill at each target, by id; `known_readings` keeps the readings of the
    skill.

    Of the selected targets, or all, only those of `ids`.
    """
    readings = {} if known_readings is None else known_readings
    return {
        id: TargetOutcome(tuple(_reasons(target, skill, readings, id in selected_ids)))
        for id, target in _select_targets(selected_ids).items()
        if ids is None or id in ids
    }


def cite_sources(target: str, evidence: str) -> str:
    """The evidence of a reason with its sources, such as `check:36-39` with what `check` is."""
    sources = targets()[target]["sources"]
    parts = (part.strip() for part in evidence.split(";"))
    matches = (re.match(r"(\w[\w-]*)(.*)", part) for part in parts)
    texts = [
        f"{sources.get(match[1], match[1])} {match[2].lstrip(':')}".strip()
        for match in matches
        if match
    ]
    return "; ".join(texts) or evidence


def name_refusals(name: str, folder: str) -> dict[str, str]:
    """The reasons why targets refuse or drop a skill of this name in a folder."""
    reading = FrontmatterReading(["name"], {"name": name}.get, None)
    reasons: dict[str, str] = {}
    for id, target in recorded_targets().items():
        rules = [rule for rule in target["fields"]["rules"] if rule["key"] == "name"]
        refusals = TargetOutcome(tuple(_by_rules(rules, reading, folder))).refusals
        if refusals:
            reasons[id] = refusals[0].text
    return reasons


def refusals(
    verdicts: Mapping[str, TargetOutcome], requested_ids: Iterable[str], skill: Skill
) -> list[Diagnostic]:
    """`target-refused` for each reason for which requested targets refuse or ignore the skill;
    those without a place that have the same remedy are one. Unknown ids are ignored."""
    places: dict[object, list[tuple[str, Reason]]] = {}
    for id in dict.fromkeys(requested_ids):
        for reason in verdicts[id].refusals if id in verdicts else ():
            is_placed = reason.span is not None
            place = (reason.span, reason.text) if is_placed else reason.fix or reason.text
            places.setdefault(place, []).append((targets()[id]["title"], reason))
    path = skill.markdown.source.path if skill.markdown is not None else "SKILL.md"
    diagnostics = []
    for reasons in places.values():
        span = reasons[0][1].span
        diagnostic = Diagnostic("target-refused", _refusal_text(reasons), span, path=path)
        move_reasons = (reason for _, reason in reasons if reason.fix == _MOVE)
        diagnostics.append(_with_move(diagnostic, next(move_reasons, None), skill))
    return diagnostics


def is_reason_of(diagnostic: Diagnostic, reason: Reason) -> bool:
    """Whether a refusal has a reason."""
    text = reason.text.removeprefix(_DOES_NOT)
    return reason.span == diagnostic.span and text in diagnostic.message


def _refusal_text(reasons: Sequence[tuple[str, Reason]]) -> str:
    """Which targets, by their titles, refuse or ignore a skill, why, and what to do."""
    texts: dict[str, dict[str, list[str]]] = {}
    for title, reason in reasons:
        verb = "refuse" if reason.outcome == "refused" else "ignore"
        texts.setdefault(reason.text, {}).setdefault(verb, []).append(title)
    parts, skill = [], "this skill"
    for text, verbs in texts.items():
        if text.startswith(_DOES_NOT):
            titles = [title for several in verbs.values() for title in several]
            does = "does" if len(titles) == 1 else "do"
            parts.append(f"{_join_names(titles)} {does} not {text.removeprefix(_DOES_NOT)}")
            continue
        deeds = []
        for verb, titles in verbs.items():
            deeds.append(f"{_join_names(titles)} {verb}{'s' * (len(titles) == 1)} {skill}")
            skill = "it"
        parts.append(f"{', '.join(deeds)}: {text}")
    return "; ".join([*parts, *dict.fromkeys(reason.fix for _, reason in reasons if reason.fix)])


def _with_move(diagnostic: Diagnostic, reason: Reason | None, skill: Skill) -> Diagnostic:
    """A refusal with the fix that moves a key that no target documents, if that is a reason."""
    front = skill.front
    if front is None or reason is None or reason.span is None:
        return diagnostic
    if any(other.document is front.document and other is not front for other in skill.manifests):
        return diagnostic  # It may be a key of that format, which is not read below metadata.
    from skillstudio.manifest.to_metadata import metadata_fix

    start, end = reason.span
    fixes = metadata_fix(front.document, front.document.source.text[start:end])
    return diagnostic._replace(fixes=fixes, dialect=front.dialect.id) if fixes else diagnostic


def partial_loads(
    verdicts: Mapping[str, TargetOutcome], requested_ids: Iterable[str], skill: Skill
) -> list[Diagnostic]:
    """`target-partial` for each key whose value selected targets do not use as it is written."""
    if not verdicts:
        return []
    front = skill.front.document.value if skill.front is not None else None
    reasons_by_key: dict[str, dict[Reason, list[str]]] = {}
    for id in dict.fromkeys(requested_ids):
        for reason in verdicts[id].reasons if id in verdicts else ():
            if reason.outcome in _PARTIAL and reason.key and reason.key in (front or ()):
                same = reason._replace(outcome="", evidence="")
                reasons_by_key.setdefault(reason.key, {}).setdefault(same, []).append(
                    targets()[id]["title"]
                )
    path = skill.markdown.source.path if skill.markdown is not None else "SKILL.md"
    diagnostics = []
    for key, reasons in reasons_by_key.items():
        parts = [f"{_join_names(titles)}: {reason.text}" for reason, titles in reasons.items()]
        fixes = dict.fromkeys(reason.fix for reason in reasons if reason.fix)
        message = "; ".join([f"not used as written by {parts[0]}", *parts[1:], *fixes])
        span = next(iter(reasons)).span
        diagnostics.append(Diagnostic("target-partial", message, span, f"/{key}", path=path))
    return diagnostics


def without_repeats(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave out what another problem at the same place says: that targets refuse the skill for an
    error of its own, and a note about a key for which they refuse it."""
    problems = _with_rename(list(diagnostics))
    places: dict[tuple[str, Span], list[Diagnostic]] = {}
    for problem in problems:
        if problem.span is not None:
            places.setdefault((problem.path, problem.span), []).append(problem)
    for problem in problems:
        # A file without frontmatter is refused as a whole, and the rule reports its start.
        whole = _START if problem.rule == "target-refused" else None
        span = problem.span or whole
        neighbours = places.get((problem.path, span), ()) if span is not None else ()
        if not any(_repeats(problem, other) for other in neighbours):
            yield problem


def _with_rename(problems: list[Diagnostic]) -> list[Diagnostic]:
    """The problems, one of a file's name that a target refuses once, with the fix."""
    case_problem = next(
        (problem for problem in problems if problem.rule == "skill-file-case"), None
    )
    refusals = (problem for problem in problems if problem.rule == "target-refused")
    refusal = next(
        (problem for problem in refusals if case_problem and _is_same_fault(problem, case_problem)),
        None,
    )
    if case_problem is None or refusal is None:
        return problems
    whole = refusal._replace(span=case_problem.span, fixes=case_problem.fixes)
    return [
        whole if problem is refusal else problem
        for problem in problems
        if problem is not case_problem
    ]


def _repeats(problem: Diagnostic, other: Diagnostic) -> bool:
    """Whether `problem` says no more than another problem at the same place."""
    if problem.rule in ("target-refused", "target-partial"):
        is_error = other.severity == "error" and other.rule != "target-refused"
        return is_error and (other.message in problem.message or _is_same_fault(problem, other))
    is_refusal = other.rule == "target-refused" and problem.severity == "info"
    return is_refusal and (bool(other.fixes) or not problem.fixes)


def _is_same_fault(problem: Diagnostic, other: Diagnostic) -> bool:
    """Whether targets mind the fault that a rule of the specification reports."""
    if other.rule == "key-missing":
        return f"the key {_key_at_fault(other)} is missing" in problem.message
    return any(text in problem.message for text in _SAME_FAULT.get(other.rule, ()))


def by_outcome(
    diagnostics: Iterable[Diagnostic], skill: Skill, verdicts: Mapping[str, TargetOutcome]
) -> Iterator[Diagnostic]:
    """Problems of keys with the specification, as severe as what selected targets do with them.

    The severity stays if one refuses or drops the skill; a warning if one lists no description,
    else info. What all selected targets repair is a warning: others do not.
    """
    front = skill.front
    starts = {fault.start for fault in front.document.faults} if front is not None else ()
    outcomes: dict[str, str] = {}
    for reason in (reason for verdict in verdicts.values() for reason in verdict.reasons):
        worst = outcomes.get(reason.key, "loads")
        outcomes[reason.key] = min(worst, reason.outcome, key=OUTCOMES.index)
    is_repaired = all(verdict.outcome == "loads" for verdict in verdicts.values())
    for diagnostic in diagnostics:
        key = _key_at_fault(diagnostic)
        repaired_rules = _REPAIR_SEVERITIES.keys() - skill.settings.severities.keys()
        if is_repaired and diagnostic.rule in repaired_rules:
            yield diagnostic._replace(severity=_REPAIR_SEVERITIES[diagnostic.rule])
        elif (
            front is None
            or not key
            or diagnostic.dialect != front.dialect.id
            or diagnostic.rule not in _SPECIFICATION - skill.settings.severities.keys()
            or (diagnostic.span is not None and diagnostic.span.start in starts)
            or outcomes.get(key) in _REJECTIONS
        ):
            yield diagnostic
        else:
            lacks_description = outcomes.get(key) == "listed without description"
            yield diagnostic._replace(severity="warning" if lacks_description else "info")


def with_disputed_names(diagnostics: Iterable[Diagnostic], skill: Skill) -> Iterator[Diagnostic]:
    """A name with letters of other scripts is a warning if a validator accepts it, and says which
    do and which do not: they read the specification differently."""
    for diagnostic in diagnostics:
        name = _text_at(skill, diagnostic) if diagnostic.rule == "name-format" else ""
        if name.isascii() or diagnostic.rule in skill.settings.severities:
            yield diagnostic
            continue
        refusing_ids = name_refusals(name, name)
        titles: tuple[list[str], list[str]] = ([], [])
        for id, target in recorded_targets().items():
            if target["kind"] != "client":
                titles[id in refusing_ids].append(target["title"])
        if titles[0]:
            accept, refuse = map(_join_names, titles)
            message = f"{diagnostic.message}; disputed: accepted by {accept}, refused by {refuse}"
            diagnostic = diagnostic._replace(severity="warning", message=message)
        yield diagnostic


def _text_at(skill: Skill, diagnostic: Diagnostic) -> str:
    source = skill.source(diagnostic.path)
    return source.text[slice(*diagnostic.span)] if source and diagnostic.span else ""


def _key_at_fault(diagnostic: Diagnostic) -> str:
    """The top-level key with a problem, or the one that is missing."""
    if diagnostic.rule == "key-missing" and not diagnostic.pointer:
        return diagnostic.message.removeprefix('missing key "').removesuffix('"')
    return diagnostic.pointer.partition("/")[2].partition("/")[0]


def render_reason(reason: Reason) -> str:
    """A reason and its fix in one line."""
    return f"{reason.text}; {reason.fix}" if reason.fix else reason.text


def _join_names(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _reasons(
    target: dict[str, Any], skill: Skill, readings: Readings, is_selected: bool
) -> Iterator[Reason]:
    away = "dropped" if target["kind"] == "client" else "refused"
    if skill.markdown is None:
        if any(skill.tree.kind(name) == "file" for name in target["discovery"]["files"]["is"]):
            text = "SKILL.md cannot be read here, so it is not known how this target reads it"
            yield Reason("loads without", text, "fix the problem of the file first")
        elif skill.tree.kind("SKILL.md") == "link":
            yield Reason(away, "SKILL.md is a symbolic link that leads to no file", "correct it")
        else:
            yield Reason(away, "has no SKILL.md", "add SKILL.md")
        return
    file, names = skill.markdown.source.path, target["discovery"]["files"]
    if file not in names["is"]:
        text = f"the file is named {file}, not SKILL.md"
        yield Reason(away, text, "rename it", None, names["at"])
        return
    if target["kind"] == "upload":
        from skillstudio.manifest.uploads import broken_limits

        for limit, text, fix in broken_limits(target["limits"], skill):
            yield _reason(limit, text, fix, None)
    record, fields = target["reading"], target["fields"]
    if "size" in record and _size(skill.markdown.source.text) > record["size"]["max"]:
        text = f"SKILL.md has more than {record['size']['max']:,} bytes"
        yield _reason(record["size"], text, "move parts into other files", None)
        return
    reading = read_as(skill, record["opening"]["is"], record["yaml"]["is"], readings)
    unread = isinstance(reading, UnreadableFrontmatter) and reading.fault == "none"
    body = skill.markdown.source.text[0 if unread else skill.markdown.body.start :]
    if "body" in record and not body.strip():
        yield _reason(record["body"], "there are no instructions", "write some", None)
    if isinstance(reading, UnreadableFrontmatter):
        if reading.fault in record:
            text, _, fix = reading.reason.partition("; ")
            if reading.fault == "none":
                fix = "start the file with keys between two --- lines"
            yield _reason(record[reading.fault], text, fix, reading.span)
        return
    if "cut" in record and (cut := cut_at(skill.markdown)) is not None:
        text, fix = "the frontmatter ends at the first ---", "write something else than --- there"
        yield _reason(record["cut"], text, fix, cut)
    if "duplicate" in record and reading.document is not None:
        yield from _find_repeats(record["duplicate"], reading.document)
    if "unknown" in fields:
        unknown = [key for key in reading.keys if key not in fields["keys"]["is"]]
        elsewhere = documented_keys() if unknown else ()
        for key in unknown[:_MOST_KEYS]:
            text, fix = f"it does not allow the key {shorten_text(key)}", _MOVE
            if key in elsewhere:
                fix = "export a copy"
            yield _reason(fields["unknown"], text, fix, reading.span(key, True))
        yield from _count_others(fields["unknown"], len(unknown))
    if (record := target.get("switches", {}).get("implicit")) is not None:
        from skillstudio.manifest.openai_yaml import allows_implicit_invocation

        if not allows_implicit_invocation(skill.tree):
            text = "agents/openai.yaml does not allow implicit invocation"
            yield _reason(record, text, "", None)
    yield from _by_rules(fields["rules"], reading, skill.name)
    for rule, fault in _value_faults(target, reading.document, is_selected):
        yield _reason(rule, f"it {fault.text}", fault.advice, fault.span)


def _count_others(statement: dict[str, Any], total: int) -> Iterator[Reason]:
    if total > _MOST_KEYS:
        text = f"the same is true of {total - _MOST_KEYS:,} more keys"
        yield _reason(statement, text, "", None)


def _reason(statement: dict[str, Any], text: str, fix: str, span: Span | None) -> Reason:
    effect = statement.get("effect")
    text = f"{text}, so {effect}" if effect else text
    return Reason(statement["outcome"], text, fix, span, statement["at"])


def _find_repeats(statement: dict[str, Any], document: Document) -> Iterator[Reason]:
    """Repeated keys in a text that could be read in spite of them."""
    text = document.source.text
    spans = [
        Span(fault.start, fault.end) for fault in document.faults if fault.rule == "key-duplicate"
    ]
    only = statement.get("keys")
    spans = [span for span in spans if only is None or text[span.start : span.end] in only]
    for span in spans[:_MOST_KEYS]:
        key = shorten_text(text[span.start : span.end])
        yield _reason(statement, f"the key {key} is repeated", "remove one of the two", span)
    yield from _count_others(statement, len(spans))


def _by_rules(
    rules: Iterable[dict[str, Any]], reading: FrontmatterReading, folder: str
) -> Iterator[Reason]:
    for rule in rules:
        violation = _find_violation(rule, reading, folder) if rule["wrong"] not in KINDS else None
        if violation is not None:
            key = rule["key"] if rule["key"].split("/")[0] in reading.keys else ""
            reason = _reason(rule, *violation, reading.span(key))
            # Other values are chosen on purpose, such as `disable-model-invocation: true`.
            yield reason if rule["wrong"] == "is" else reason._replace(key=rule["key"])


def _find_violation(
    rule: dict[str, Any], reading: FrontmatterReading, folder: str
) -> tuple[str, str] | None:
    """How a value violates a rule, and the fix; None if it does not."""
    key, wrong = rule["key"], rule["wrong"]
    name = key.replace("/", ".")
    if wrong == "is":
        value = str(reading.value(key)).lower()
        if rule.get("boolean") and not isinstance(reading.value(key), bool):
            return None
        return (f"{name} is {value}", "") if value in rule["values"] else None
    if wrong == "missing":
        absent = key not in reading.keys
        return (f"the key {key} is missing", f"add {key}") if absent else None
    if key not in reading.keys or _is_excepted(rule, reading):
        return None
    if wrong == "mapping":
        value = reading.value(key)
        is_wrong_kind = value is not None and not isinstance(value, dict)
        return (
            (f"the {key} is not a mapping", "write keys and values below it")
            if is_wrong_kind
            else None
        )
    if wrong == "kind":
        return _other_kind(key, reading, rule["kinds"])
    text = reading.text(key)
    if text is None:
        return (f"the {key} is not a string", "write a string") if wrong == "type" else None
    if wrong == "long" and (other_text := reading.text(rule.get("with", "")) or ""):
        length, most = len(text) + len(TOGETHER) + len(other_text), rule["max"]
        both = f"the {key} and {rule['with']} are together longer than {most} characters"
        return (both, "shorten them") if length > most else None
    return _broken_text(rule, key, text, folder)


def _other_kind(
    key: str, reading: FrontmatterReading, kinds: Sequence[str]
) -> tuple[str, str] | None:
    """Why a value is not of the allowed kinds, and the fix; None if it is, or was not read."""
    if reading.document is None:
        return None
    kind = _KIND_NAMES.get(type(reading.value(key)), "null")
    is_scalar = "scalar" in kinds and kind not in ("list", "mapping", "null")
    if kind in kinds or is_scalar:
        return None
    alternatives = " or ".join(
        f"a {'string' if allowed_kind == 'scalar' else allowed_kind}" for allowed_kind in kinds
    )
    return f"the {key} is {'empty' if kind == 'null' else f'a {kind}'}", f"write {alternatives}"


def _is_excepted(rule: dict[str, Any], reading: FrontmatterReading) -> bool:
    """Whether a value is null, or false as in Python, where the rule excepts that."""
    exception = rule.get("unless")
    value = reading.value(rule["key"]) if exception else None
    return bool(exception) and (value is None if exception == "null" else not value)


def _broken_text(rule: dict[str, Any], key: str, text: str, folder: str) -> tuple[str, str] | None:
    wrong = rule["wrong"]
    if key == "name" or rule.get("strip"):
        text = text.strip()
    if rule.get("unicode"):
        import unicodedata

        text, folder = (unicodedata.normalize("NFKC", string) for string in (text, folder))
    if wrong == "empty" and not (text if key == "compatibility" else text.strip()):
        return f"the {key} is empty", f"write the {key}"
    if wrong == "long" and len(text) > rule["max"]:
        return f"the {key} is longer than {rule['max']} characters", "shorten it"
    if wrong == "contains":
        offenders = " ".join(character for character in rule["characters"] if character in text)
        return (f"the {key} contains {offenders}", "remove it") if offenders else None
    if wrong == "reserved":
        words = sorted(set(rule["words"]) & set(text.lower().split("-")))
        offenders = " and ".join(words)
        return (f"the name contains the reserved word {offenders}", "rename it") if words else None
    if wrong == "folder" and text and text != folder:
        return _OTHER_NAME, "use the same name for both"
    if wrong == "letters" and text and not _is_plain(text, bool(rule.get("unicode"))):
        reason = "the name contains characters other than lowercase letters, digits and hyphens"
        return reason, "remove them"
    if wrong == "characters" and text and (other := _other_character(text, rule)):
        position = "starts with" if other == text[0] else "contains"
        other = "a space" if other == " " else other
        return f"the name {position} {other}", f"use letters, digits and {rule['allowed'].strip()}"
    if wrong == "hyphens" and (text.startswith("-") or text.endswith("-") or "--" in text):
        reason = "the name has a leading, trailing or double hyphen"
        return reason, "use single hyphens between letters or digits"
    return None


def _other_character(name: str, rule: Mapping[str, Any]) -> str:
    """The first character of a name that a rule does not allow: no letter or digit, nor one of its
    own; `ascii` and `first` say that letters are ASCII, and that a name starts with one."""
    for index, character in enumerate(name):
        is_own = character in rule["allowed"] and (index or not rule.get("first"))
        is_foreign = bool(rule.get("ascii")) and not character.isascii()
        if is_foreign or not (is_own or character.isalnum()):
            return character
    return ""


def _is_plain(name: str, unicode: bool) -> bool:
    if not unicode:
        return _ASCII_NAME.fullmatch(name) is not None
    return name == name.lower() and all(
        character.isalnum() or character == "-" for character in name
    )
