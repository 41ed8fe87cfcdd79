"""Select what pack excludes, and why: `left_out.toml`, and the `pack.toml` of dialects."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from skillstudio.files.ignore import Ignore
from skillstudio.files.tree import FileEntry
from skillstudio.manifest.registry import tables_of
from skillstudio.skill.hashing.content_hash import IGNORE_FILE

_FILE = os.path.join(os.path.dirname(__file__), "left_out.toml")
EMPTY = "an empty folder"
OTHER = "not a file, folder or link"
ITSELF = "the output of pack"


class PackExclusions:
    """The exclusion rules for one skill."""

    def __init__(
        self, ignore: Ignore | None, dialects: Collection[str] = (), own: Iterable[str] = ()
    ) -> None:
        """`dialects` are the ids of the skill's dialects, `own` the output paths."""
        self._ignore = ignore
        self._own = frozenset(own)
        rules = [each for each in _rules() if not each.dialects or each.dialects & set(dialects)]
        self._always = [each for each in rules if not each.usual]
        self._usual = [each for each in rules if each.usual]

    def reason(self, path: str, entry: FileEntry) -> str:
        """Why an entry in a packed folder is excluded, or ""."""
        if path in self._own:
            return ITSELF
        if entry.kind == "other":
            return OTHER
        folder = entry.kind == "folder"
        for rule in self._always:
            if rule.names.excludes(path, folder):
                return rule.reason
        decided = self._ignore.decision(path, folder) if self._ignore else None
        if decided is not None:
            return f"{IGNORE_FILE}:{decided.line}" if decided.excludes else ""
        return next((r.reason for r in self._usual if r.names.excludes(path, folder)), "")

    def reason_within(self, names: Collection[str]) -> str:
        """Why the names in a folder exclude it, or ""."""
        return next((r.reason for r in self._always if not r.holds.isdisjoint(names)), "")


class _Rule:
    def __init__(self, fields: dict[str, Any], dialects: Iterable[str] = ()) -> None:
        self.names = Ignore("\n".join(fields["names"]).encode(), _FILE)
        self.holds = frozenset(fields.get("holds", ()))
        self.reason: str = fields["reason"]
        self.usual: bool = fields.get("usual", False)
        self.dialects = frozenset(dialects)


@cache
def _rules() -> tuple[_Rule, ...]:
    import tomllib

    with open(_FILE, "rb") as file:
        rules = [_Rule(fields) for fields in tomllib.load(file)["rule"]]
    rules += [_Rule(fields, dialects) for dialects, fields in tables_of("pack.toml", "rule")]
    return tuple(rules)
