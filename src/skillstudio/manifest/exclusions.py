"""Which files of a skill no archive or upload contains, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from skillstudio.files.ignore import IGNORE_FILE, Ignore
from skillstudio.files.left_out import exclusion_rules, name_patterns
from skillstudio.files.tree import FileEntry
from skillstudio.manifest.registry import tables_of

MARKDOWN = "SKILL.md"
OTHER = "not a file, folder or link"
ITSELF = "the output of pack"
INNER = "a skill of its own"
FORBIDDEN_NAME = "the upload of a skill must not contain it"
_ANYTHING: Mapping[str, Any] = {}


class PackExclusions:
    """The exclusion rules for one skill."""

    def __init__(
        self,
        ignore: Ignore | None,
        dialects: Collection[str] = (),
        output_paths: Iterable[str] = (),
        upload: Mapping[str, Any] = _ANYTHING,
    ) -> None:
        """`dialects` are the ids of the skill's dialects, `output_paths` the output paths, `upload`
        the limits of the target that the copy is uploaded to."""
        self._ignore = ignore
        self._output_paths = frozenset(output_paths)
        self._forbidden_names = frozenset(upload["names"]["names"] if "names" in upload else ())
        self._is_single = "manifests" in upload
        rules = [rule for rule in _rules() if not rule.dialects or rule.dialects & set(dialects)]
        self._always = [rule for rule in rules if not rule.usual]
        self._usual = [rule for rule in rules if rule.usual]

    def reason(self, path: str, entry: FileEntry) -> str:
        """Why an entry in a packed folder is excluded, or ""."""
        if path in self._output_paths:
            return ITSELF
        if entry.kind == "other":
            return OTHER
        if path in self._forbidden_names:
            return FORBIDDEN_NAME
        folder = entry.kind == "folder"
        for rule in self._always:
            if rule.names.excludes(path, folder):
                return rule.reason
        decision = self._ignore.decision(path, folder) if self._ignore else None
        if decision is not None:
            return f"{IGNORE_FILE}:{decision.line}" if decision.excludes else ""
        return next((r.reason for r in self._usual if r.names.excludes(path, folder)), "")

    def reason_within(self, names: Collection[str]) -> str:
        """Why the names in a folder below the skill's exclude it, or ""."""
        if self._is_single and MARKDOWN in names:
            return INNER
        return next((r.reason for r in self._always if not r.holds.isdisjoint(names)), "")


class _Rule:
    def __init__(self, fields: dict[str, Any], dialects: Iterable[str] = ()) -> None:
        self.names = name_patterns(fields)
        self.holds = frozenset(fields.get("holds", ()))
        self.reason: str = fields["reason"]
        self.usual: bool = fields.get("usual", False)
        self.dialects = frozenset(dialects)


@cache
def _rules() -> tuple[_Rule, ...]:
    rules = [_Rule(fields) for fields in exclusion_rules()]
    rules += [_Rule(fields, dialects) for dialects, fields in tables_of("pack.toml", "rule")]
    return tuple(rules)
