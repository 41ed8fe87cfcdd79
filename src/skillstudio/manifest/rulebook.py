"""The rules as data: `rules.toml` in this folder and in the folder of each dialect."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import os
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from typing import Literal, NamedTuple

from skillstudio.manifest.installed import DialectFailed, attribute_errors
from skillstudio.manifest.registry import HERE, folders
from skillstudio.settings.settings import SkillSettings
from skillstudio.text.diagnostic import Severity


class Rule(NamedTuple):
    """A rule with its severity and its explanation."""

    id: str
    severity: Severity
    what: str
    why: str
    source: str
    bad: str
    good: str
    folder: str  # The dialect's folder; empty for all dialects.
    ruleset: str = ""  # The set that settings and `--select` name it by.
    enabled: bool = True  # Whether it applies without a setting or `--select`.


UNCHECKED_RULES = frozenset(
    {
        "dialect-failed",
        "file-too-large",
        "file-unreadable",
        "folder-unreadable",
        "hash-refused",
        "skill-missing",
    }
)
"""Rules for what could not be checked; always reported."""


@cache
def rules(folder: str = "") -> dict[str, Rule]:
    """The rules of one dialect's folder by id. Raises DialectFailed for an installed one's."""
    import tomllib

    dialect = next((dialect for dialect in folders() if folder and dialect.folder == folder), None)
    path = os.path.join(dialect.path if dialect else HERE, "rules.toml")
    with attribute_errors(dialect.distribution if dialect else ""):
        with open(path, "rb") as file:
            tables = tomllib.load(file)
        return {id: Rule(id=id, folder=folder, **fields) for id, fields in tables.items()}


def all_rules() -> dict[str, Rule]:
    """Every rule of every dialect by id."""
    known_rules = dict(rules())
    for dialect in folders():
        try:
            dialect_rules = rules(dialect.folder)
        except DialectFailed:
            continue
        known_rules = (
            dialect_rules | known_rules if dialect.distribution else known_rules | dialect_rules
        )
    return known_rules


def rule_names() -> set[str]:
    """What settings and `--select` may name: the ids of rules, and rulesets."""
    known_rules = all_rules()
    return {*known_rules, *(rule.ruleset for rule in known_rules.values() if rule.ruleset)}


class FormerRule(NamedTuple):
    """What became of a rule that had another id or was removed."""

    new: str = ""
    why: str = ""

    @property
    def text(self) -> str:
        """What to do where its id is named."""
        return f"it is now {self.new}" if self.new else f"it was removed: {self.why}"


def former_rule(id: str) -> FormerRule | None:
    """The rule that once had an id; None if none had."""
    return _former_rules().get(id)


@cache
def _former_rules() -> dict[str, FormerRule]:
    from skillstudio.resources import toml_table

    tables = toml_table(__file__, "former_rules.toml")
    return {id: FormerRule(**fields) for id, fields in tables.items()}


def is_named(rule: str, names: Collection[str]) -> bool:
    """Whether ids and rulesets include a rule."""
    definition = all_rules().get(rule)
    return rule in names or (definition is not None and definition.ruleset in names)


def is_selected(rule: str, names: Collection[str]) -> bool:
    """Whether the ids and rulesets of a `--select` include a rule."""
    return rule in UNCHECKED_RULES or is_named(rule, names)


def is_secure(rule: str) -> bool:
    """Whether a rule is about secrets or attacks."""
    return rule.startswith("secret-") or is_named(rule, ("security",))


@cache
def _matching_rules(names: frozenset[str]) -> frozenset[str]:
    """The rules that ids and rulesets include: once for all skills of a check."""
    return frozenset(id for id in all_rules() if is_named(id, names))


def select_rules(settings: SkillSettings, names: Collection[str]) -> SkillSettings:
    """The settings with only the selected rules on, those that are off by default included."""
    selected_ids = _matching_rules(frozenset(names)) | UNCHECKED_RULES
    severities: dict[str, Severity | Literal["off"]] = {}
    for id, rule in all_rules().items():
        level = settings.severities.get(id) or settings.severities.get(rule.ruleset, "off")
        if id not in selected_ids:
            severities[id] = "off"
        elif level != "off":
            severities[id] = level
        elif not rule.enabled:
            severities[id] = rule.severity
    return settings._replace(severities=severities)


def ignore_rules(settings: SkillSettings, names: Collection[str]) -> SkillSettings:
    """The settings with the rules of these ids and rulesets off."""
    off: dict[str, Severity | Literal["off"]] = dict.fromkeys(
        _matching_rules(frozenset(names)), "off"
    )
    return settings._replace(severities={**settings.severities, **off})


def level_of(
    rule: str, severity: Severity | None, folder: str, settings: SkillSettings
) -> Severity | Literal["off"]:
    """The severity of a rule in a skill's settings; `severity` is the diagnostic's own."""
    level = settings.severities.get(rule)
    if level is not None:
        return level
    definition = _rule(rule, folder)
    if definition is not None and definition.ruleset in settings.severities:
        return settings.severities[definition.ruleset]
    if definition is not None and not definition.enabled:
        return "off"
    return severity or severity_of(rule, folder)


def severity_of(rule: str, folder: str = "") -> Severity:
    """The severity of a rule, looked up in its dialect first. Raises KeyError."""
    definition = _rule(rule, folder)
    if definition is None and any(
        dialect.folder == folder and dialect.distribution for dialect in folders()
    ):
        return "error"
    return all_rules()[rule].severity if definition is None else definition.severity


def _rule(rule: str, folder: str) -> Rule | None:
    with suppress(DialectFailed):
        if folder and rule in rules(folder):
            return rules(folder)[rule]
    return rules().get(rule) or all_rules().get(rule)
