"""The targets as data, one file each in `targets/`, and the outcome of a SKILL.md at each.

A statement in a record is a table with `is` or `outcome`, and `at`: its evidence in one of the
record's `sources`. What a record does not state is not judged.
"""

from __future__ import annotations

import os
import re
import unicodedata
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
from skillstudio.manifest.target_values import KINDS, ValueFault, shown, value_faults
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Document
from skillstudio.text.source import Span

OUTCOMES = ("refused", "dropped", "listed without description", "loads without", "loads")
"""The outcomes of a skill at a target, the worst first."""
_REJECTED, _PARTIAL = OUTCOMES[:2], OUTCOMES[2:4]
_SPECIFICATION = frozenset(
    [
        *("name-format", "name-length", "name-folder", "description-length", "key-missing"),
        *("compatibility-length", "metadata-value", "value-type"),
    ]
)
"""Rules of the specification that targets check in their own ways."""
_REPAIRED: dict[str, Severity] = {
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
    def accepted(self) -> bool:
        return self.outcome not in _REJECTED

    @property
    def refusals(self) -> list[Reason]:
        """The reasons for which the skill is refused or dropped."""
        return [reason for reason in self.reasons if reason.outcome in _REJECTED]


@cache
def targets() -> dict[str, dict[str, Any]]:
    """The records by id: validators, uploads, then clients."""
    import tomllib

    folder = os.path.join(os.path.dirname(__file__), "targets")
    found = {}
    for id in sorted(name.removesuffix(".toml") for name in os.listdir(folder)):
        with open(os.path.join(folder, f"{id}.toml"), "rb") as file:
            found[id] = tomllib.load(file)
    return dict(sorted(found.items(), key=lambda item: _KINDS.index(item[1]["kind"])))


@cache
def judging() -> dict[str, dict[str, Any]]:
    """The targets whose reading of SKILL.md is recorded."""
    return {id: target for id, target in targets().items() if "reading" in target}


def _chosen(selected: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The selected targets that exist, or all if none does."""
    known = judging()
    return {id: known[id] for id in selected if id in known} or known


@cache
def documented_keys(selected: tuple[str, ...] = ()) -> frozenset[str]:
    """The keys of the frontmatter that a selected target documents; of any target if none is
    selected, or the keys of one are not recorded."""
    fields = [target["fields"] for target in _chosen(selected).values()]
    if not all("keys" in table for table in fields):
        fields = [target["fields"] for target in judging().values()]
    return frozenset(key for table in fields for key in table.get("keys", {"is": ()})["is"])


@cache
def mapping_readers() -> dict[str, str]:
    """The keys below `metadata` that a target reads as mappings, with its title."""
    stated = ((one["title"], one.get("fields", {}).get("mappings")) for one in targets().values())
    return {key: title for title, keys in stated if keys for key in keys["is"]}


def most_characters(key: str, selected: Iterable[str] = ()) -> int | None:
    """The characters that the value of a key may have at selected targets, or all; None if any."""
    rules = (rule for target in _chosen(selected).values() for rule in target["fields"]["rules"])
    limits = (rule["max"] for rule in rules if rule["key"] == key and rule["wrong"] == "long")
    return min(limits, default=None)


def older_types(selected: Iterable[str] = ()) -> dict[str, set[str]]:
    """Keys with the older readings of a value, as "a date", that selected targets, or all, have."""
    found: dict[str, set[str]] = {}
    for target in _chosen(selected).values():
        types, fields = target["reading"].get("types"), target["fields"]
        # A target reads of `metadata` only the values that its record names, as metadata/internal.
        nested = [rule["key"] for rule in fields["rules"] if "/" in rule["key"]]
        for key in [*fields["keys"]["is"], *nested] if types else ():
            if key not in types.get("booleans", ()):
                found.setdefault(key, set()).update(_OLDER[types["is"]])
    return found


def tool_forms(selected: Iterable[str] = ()) -> dict[str, list[str]]:
    """The forms of `allowed-tools` that selected targets, or all, read: spaces, commas, list."""
    stated = {id: target["fields"].get("tool-forms") for id, target in _chosen(selected).items()}
    return {id: statement["is"] for id, statement in stated.items() if statement}


def value_problems(document: Document, selected: Collection[str] = ()) -> Iterator[Diagnostic]:
    """The problems of values that a selected target, or any if none is, does not support."""
    front = document.value
    if not isinstance(front, dict) or _restricted_keys().isdisjoint(front):
        return
    for id, target in _chosen(selected).items():
        for rule, fault in _value_faults(target, document, id in selected):
            text = worded(_reason(rule, fault.text, fault.advice, fault.span))
            message = f"{target['title']} {text}"
            yield Diagnostic(rule["problem"], message, fault.span, fault.pointer, fault.fixes)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


@cache
def _restricted_keys() -> frozenset[str]:
    """The keys whose values a target restricts to some it knows."""
    rules = (rule for target in judging().values() for rule in target["fields"]["rules"])
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
    known: Readings | None = None,
    selected: Collection[str] = (),
    ids: Collection[str] | None = None,
) -> dict[str, TargetOutcome]:
    """The outcome of a skill at each target, by id; `known` keeps the readings of the skill.

    Of the selected targets, or all, only those of `ids`.
    """
    readings = {} if known is None else known
    return {
        id: TargetOutcome(tuple(_reasons(target, skill, readings, id in selected)))
        for id, target in _chosen(selected).items()
        if ids is None or id in ids
    }


def cited(target: str, evidence: str) -> str:
    """The evidence of a reason with its sources, such as `check:36-39` with what `check` is."""
    sources = targets()[target]["sources"]
    parts = (part.strip() for part in evidence.split(";"))
    named = (re.match(r"(\w[\w-]*)(.*)", part) for part in parts)
    texts = [f"{sources.get(one[1], one[1])} {one[2].lstrip(':')}".strip() for one in named if one]
    return "; ".join(texts) or evidence


def name_refusals(name: str, folder: str) -> dict[str, str]:
    """The reasons why targets refuse or drop a skill of this name in a folder."""
    reading = FrontmatterReading(["name"], {"name": name}.get, None)
    found: dict[str, str] = {}
    for id, target in judging().items():
        rules = [rule for rule in target["fields"]["rules"] if rule["key"] == "name"]
        refusals = TargetOutcome(tuple(_by_rules(rules, reading, folder))).refusals
        if refusals:
            found[id] = refusals[0].text
    return found


def refusals(
    verdicts: Mapping[str, TargetOutcome], asked: Iterable[str], skill: Skill
) -> list[Diagnostic]:
    """`target-refused` for each reason for which requested targets refuse or ignore the skill;
    those without a place that have the same remedy are one. Unknown ids are ignored."""
    places: dict[object, list[tuple[str, Reason]]] = {}
    for id in dict.fromkeys(asked):
        for reason in verdicts[id].refusals if id in verdicts else ():
            is_placed = reason.span is not None
            place = (reason.span, reason.text) if is_placed else reason.fix or reason.text
            places.setdefault(place, []).append((targets()[id]["title"], reason))
    path = skill.markdown.source.path if skill.markdown is not None else "SKILL.md"
    diagnostics = []
    for reasons in places.values():
        span = reasons[0][1].span
        diagnostic = Diagnostic("target-refused", _refusal_text(reasons), span, path=path)
        moved = (reason for _, reason in reasons if reason.fix == _MOVE)
        diagnostics.append(_with_move(diagnostic, next(moved, None), skill))
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
            parts.append(f"{_listed(titles)} {does} not {text.removeprefix(_DOES_NOT)}")
            continue
        deeds = []
        for verb, titles in verbs.items():
            deeds.append(f"{_listed(titles)} {verb}{'s' * (len(titles) == 1)} {skill}")
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
    verdicts: Mapping[str, TargetOutcome], asked: Iterable[str], skill: Skill
) -> list[Diagnostic]:
    """`target-partial` for each key whose value selected targets do not use as it is written."""
    if not verdicts:
        return []
    front = skill.front.document.value if skill.front is not None else None
    found: dict[str, dict[Reason, list[str]]] = {}
    for id in dict.fromkeys(asked):
        for reason in verdicts[id].reasons if id in verdicts else ():
            if reason.outcome in _PARTIAL and reason.key and reason.key in (front or ()):
                same = reason._replace(outcome="", evidence="")
                found.setdefault(reason.key, {}).setdefault(same, []).append(targets()[id]["title"])
    path = skill.markdown.source.path if skill.markdown is not None else "SKILL.md"
    diagnostics = []
    for key, reasons in found.items():
        parts = [f"{_listed(titles)}: {reason.text}" for reason, titles in reasons.items()]
        fixes = dict.fromkeys(reason.fix for reason in reasons if reason.fix)
        message = "; ".join([f"not used as written by {parts[0]}", *parts[1:], *fixes])
        span = next(iter(reasons)).span
        diagnostics.append(Diagnostic("target-partial", message, span, f"/{key}", path=path))
    return diagnostics


def without_repeats(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave out what another problem at the same place says: that targets refuse the skill for an
    error of its own, and a note about a key for which they refuse it."""
    problems = _with_rename(list(found))
    places: dict[tuple[str, Span], list[Diagnostic]] = {}
    for one in problems:
        if one.span is not None:
            places.setdefault((one.path, one.span), []).append(one)
    for one in problems:
        # A file without frontmatter is refused as a whole, and the rule reports its start.
        whole = _START if one.rule == "target-refused" else None
        span = one.span or whole
        others = places.get((one.path, span), ()) if span is not None else ()
        if not any(_repeats(one, other) for other in others):
            yield one


def _with_rename(problems: list[Diagnostic]) -> list[Diagnostic]:
    """The problems, one of a file's name that a target refuses once, with the fix."""
    named = next((one for one in problems if one.rule == "skill-file-case"), None)
    refusals = (one for one in problems if one.rule == "target-refused")
    refusal = next((one for one in refusals if named and _is_same_fault(one, named)), None)
    if named is None or refusal is None:
        return problems
    whole = refusal._replace(span=named.span, fixes=named.fixes)
    return [whole if one is refusal else one for one in problems if one is not named]


def _repeats(one: Diagnostic, other: Diagnostic) -> bool:
    """Whether `one` says no more than another problem at the same place."""
    if one.rule in ("target-refused", "target-partial"):
        is_error = other.severity == "error" and other.rule != "target-refused"
        return is_error and (other.message in one.message or _is_same_fault(one, other))
    is_refusal = other.rule == "target-refused" and one.severity == "info"
    return is_refusal and (bool(other.fixes) or not one.fixes)


def _is_same_fault(one: Diagnostic, other: Diagnostic) -> bool:
    """Whether targets mind the fault that a rule of the specification reports."""
    if other.rule == "key-missing":
        return f"the key {_key_at_fault(other)} is missing" in one.message
    return any(text in one.message for text in _SAME_FAULT.get(other.rule, ()))


def by_outcome(
    found: Iterable[Diagnostic], skill: Skill, verdicts: Mapping[str, TargetOutcome]
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
    for diagnostic in found:
        key = _key_at_fault(diagnostic)
        repaired = _REPAIRED.keys() - skill.settings.severities.keys()
        if is_repaired and diagnostic.rule in repaired:
            yield diagnostic._replace(severity=_REPAIRED[diagnostic.rule])
        elif (
            front is None
            or not key
            or diagnostic.dialect != front.dialect.id
            or diagnostic.rule not in _SPECIFICATION - skill.settings.severities.keys()
            or (diagnostic.span is not None and diagnostic.span.start in starts)
            or outcomes.get(key) in _REJECTED
        ):
            yield diagnostic
        else:
            unlisted = outcomes.get(key) == "listed without description"
            yield diagnostic._replace(severity="warning" if unlisted else "info")


def with_disputed_names(found: Iterable[Diagnostic], skill: Skill) -> Iterator[Diagnostic]:
    """A name with letters of other scripts is a warning if a validator accepts it, and says which
    do and which do not: they read the specification differently."""
    for diagnostic in found:
        name = _text_at(skill, diagnostic) if diagnostic.rule == "name-format" else ""
        if name.isascii() or diagnostic.rule in skill.settings.severities:
            yield diagnostic
            continue
        refusing = name_refusals(name, name)
        titles: tuple[list[str], list[str]] = ([], [])
        for id, target in judging().items():
            if target["kind"] != "client":
                titles[id in refusing].append(target["title"])
        if titles[0]:
            accept, refuse = map(_listed, titles)
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


def worded(reason: Reason) -> str:
    """A reason and its fix in one line."""
    return f"{reason.text}; {reason.fix}" if reason.fix else reason.text


def _listed(names: Sequence[str]) -> str:
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
    stated, fields = target["reading"], target["fields"]
    if "size" in stated and _size(skill.markdown.source.text) > stated["size"]["max"]:
        text = f"SKILL.md has more than {stated['size']['max']:,} bytes"
        yield _reason(stated["size"], text, "move parts into other files", None)
        return
    reading = read_as(skill, stated["opening"]["is"], stated["yaml"]["is"], readings)
    unread = isinstance(reading, UnreadableFrontmatter) and reading.fault == "none"
    body = skill.markdown.source.text[0 if unread else skill.markdown.body.start :]
    if "body" in stated and not body.strip():
        yield _reason(stated["body"], "there are no instructions", "write some", None)
    if isinstance(reading, UnreadableFrontmatter):
        if reading.fault in stated:
            text, _, fix = reading.reason.partition("; ")
            if reading.fault == "none":
                fix = "start the file with keys between two --- lines"
            yield _reason(stated[reading.fault], text, fix, reading.span)
        return
    if "cut" in stated and (cut := cut_at(skill.markdown)) is not None:
        text, fix = "the frontmatter ends at the first ---", "write something else than --- there"
        yield _reason(stated["cut"], text, fix, cut)
    if "duplicate" in stated and reading.document is not None:
        yield from _repeated(stated["duplicate"], reading.document)
    if "unknown" in fields:
        unknown = [key for key in reading.keys if key not in fields["keys"]["is"]]
        elsewhere = documented_keys() if unknown else ()
        for key in unknown[:_MOST_KEYS]:
            text, fix = f"it does not allow the key {shown(key)}", _MOVE
            if key in elsewhere:
                fix = "export a copy"
            yield _reason(fields["unknown"], text, fix, reading.span(key, True))
        yield from _others(fields["unknown"], len(unknown))
    if (stated := target.get("switches", {}).get("implicit")) is not None:
        from skillstudio.manifest.openai_yaml import allows_implicit_invocation

        if not allows_implicit_invocation(skill.tree):
            text = "agents/openai.yaml does not allow implicit invocation"
            yield _reason(stated, text, "", None)
    yield from _by_rules(fields["rules"], reading, skill.name)
    for rule, fault in _value_faults(target, reading.document, is_selected):
        yield _reason(rule, f"it {fault.text}", fault.advice, fault.span)


def _others(stated: dict[str, Any], total: int) -> Iterator[Reason]:
    if total > _MOST_KEYS:
        text = f"the same is true of {total - _MOST_KEYS:,} more keys"
        yield _reason(stated, text, "", None)


def _reason(stated: dict[str, Any], text: str, fix: str, span: Span | None) -> Reason:
    effect = stated.get("effect")
    text = f"{text}, so {effect}" if effect else text
    return Reason(stated["outcome"], text, fix, span, stated["at"])


def _repeated(stated: dict[str, Any], document: Document) -> Iterator[Reason]:
    """Repeated keys in a text that could be read in spite of them."""
    text = document.source.text
    spans = [
        Span(fault.start, fault.end) for fault in document.faults if fault.rule == "key-duplicate"
    ]
    only = stated.get("keys")
    spans = [span for span in spans if only is None or text[span.start : span.end] in only]
    for span in spans[:_MOST_KEYS]:
        key = shown(text[span.start : span.end])
        yield _reason(stated, f"the key {key} is repeated", "remove one of the two", span)
    yield from _others(stated, len(spans))


def _by_rules(
    rules: Iterable[dict[str, Any]], reading: FrontmatterReading, folder: str
) -> Iterator[Reason]:
    for rule in rules:
        found = _broken(rule, reading, folder) if rule["wrong"] not in KINDS else None
        if found is not None:
            key = rule["key"] if rule["key"].split("/")[0] in reading.keys else ""
            made = _reason(rule, *found, reading.span(key))
            # Other values are chosen on purpose, such as `disable-model-invocation: true`.
            yield made if rule["wrong"] == "is" else made._replace(key=rule["key"])


def _broken(
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
        given = value is not None and not isinstance(value, dict)
        return (f"the {key} is not a mapping", "write keys and values below it") if given else None
    if wrong == "kind":
        return _other_kind(key, reading, rule["kinds"])
    text = reading.text(key)
    if text is None:
        return (f"the {key} is not a string", "write a string") if wrong == "type" else None
    if wrong == "long" and (more := reading.text(rule.get("with", "")) or ""):
        length, most = len(text) + len(TOGETHER) + len(more), rule["max"]
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
    allowed = " or ".join(f"a {'string' if one == 'scalar' else one}" for one in kinds)
    return f"the {key} is {'empty' if kind == 'null' else f'a {kind}'}", f"write {allowed}"


def _is_excepted(rule: dict[str, Any], reading: FrontmatterReading) -> bool:
    """Whether a value is null, or false as in Python, where the rule excepts that."""
    excepted = rule.get("unless")
    value = reading.value(rule["key"]) if excepted else None
    return bool(excepted) and (value is None if excepted == "null" else not value)


def _broken_text(rule: dict[str, Any], key: str, text: str, folder: str) -> tuple[str, str] | None:
    wrong = rule["wrong"]
    if key == "name" or rule.get("strip"):
        text = text.strip()
    if rule.get("unicode"):
        text, folder = (unicodedata.normalize("NFKC", string) for string in (text, folder))
    if wrong == "empty" and not (text if key == "compatibility" else text.strip()):
        return f"the {key} is empty", f"write the {key}"
    if wrong == "long" and len(text) > rule["max"]:
        return f"the {key} is longer than {rule['max']} characters", "shorten it"
    if wrong == "contains":
        found = " ".join(character for character in rule["characters"] if character in text)
        return (f"the {key} contains {found}", "remove it") if found else None
    if wrong == "reserved":
        words = sorted(set(rule["words"]) & set(text.lower().split("-")))
        found = " and ".join(words)
        return (f"the name contains the reserved word {found}", "rename it") if words else None
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
