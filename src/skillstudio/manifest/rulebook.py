"""The rules as data: `rules.toml` in this folder and in the folder of each dialect."""

from __future__ import annotations

import os
from functools import cache
from typing import NamedTuple

from skillstudio.manifest.registry import HERE, dialects
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
    folder: str
    """The dialect's folder; empty for all dialects."""


@cache
def rules(folder: str = "") -> dict[str, Rule]:
    """The rules of one folder by id."""
    import tomllib

    path = os.path.join(HERE, folder, "rules.toml") if folder else os.path.join(HERE, "rules.toml")
    with open(path, "rb") as file:
        tables = tomllib.load(file)
    return {id: Rule(id=id, folder=folder, **fields) for id, fields in tables.items()}


def all_rules() -> dict[str, Rule]:
    """Every rule of every dialect by id."""
    found = dict(rules())
    for folder in sorted({dialect.folder for dialect in dialects()}):
        found.update(rules(folder))
    return found


def severity_of(rule: str, folder: str = "") -> Severity:
    """The severity of a rule, from its dialect's folder first. Raises KeyError."""
    if folder and rule in rules(folder):
        return rules(folder)[rule].severity
    shared = rules()
    return shared[rule].severity if rule in shared else all_rules()[rule].severity
