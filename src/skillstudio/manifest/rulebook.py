"""The rules as data: `rules.toml` in this folder and in the folder of each dialect."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from skillstudio.manifest.installed import DialectFailed, blaming
from skillstudio.manifest.registry import HERE, folders
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


@cache
def rules(folder: str = "") -> dict[str, Rule]:
    """The rules of one dialect's folder by id. Raises DialectFailed for an installed one's."""
    import tomllib

    dialect = next((each for each in folders() if folder and each.folder == folder), None)
    path = os.path.join(dialect.path if dialect else HERE, "rules.toml")
    with blaming(dialect.distribution if dialect else ""):
        with open(path, "rb") as file:
            tables = tomllib.load(file)
        return {id: Rule(id=id, folder=folder, **fields) for id, fields in tables.items()}


def all_rules() -> dict[str, Rule]:
    """Every rule of every dialect by id."""
    found = dict(rules())
    for dialect in folders():
        try:
            more = rules(dialect.folder)
        except DialectFailed:
            continue
        found = more | found if dialect.distribution else found | more
    return found


def severity_of(rule: str, folder: str = "") -> Severity:
    """The severity of a rule, looked up in its dialect first. Raises KeyError."""
    with suppress(DialectFailed):
        if folder and rule in rules(folder):
            return rules(folder)[rule].severity
    shared = rules()
    if rule in shared:
        return shared[rule].severity
    found = all_rules()
    installed = any(each.folder == folder and each.distribution for each in folders())
    return "error" if installed and rule not in found else found[rule].severity
