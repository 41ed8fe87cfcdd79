"""Names of files that belong to no skill: compiled files, version control, leftovers of editors."""

from __future__ import annotations

from functools import cache
from typing import Any

from skillstudio.files.ignore import Ignore
from skillstudio.resources import toml_table

_FILE = "left_out.toml"


def exclusion_rules() -> list[dict[str, Any]]:
    """The rules of `left_out.toml`."""
    rules: list[dict[str, Any]] = toml_table(__file__, _FILE)["rule"]
    return rules


def name_patterns(rule: dict[str, Any]) -> Ignore:
    """The names of a rule."""
    return Ignore("\n".join(rule["names"]).encode(), _FILE)


def why_not_copied(path: str) -> str:
    """Why no copy of a skill or template contains a file, or a folder if its path ends with `/`.

    "" if copies contain it. A file in a folder that is not copied is not copied either.
    """
    parts = path.rstrip("/").split("/")
    last = len(parts) - 1
    for at, name in enumerate(parts):
        is_folder = at < last or path.endswith("/")
        for names, reason in _load_uncopied_patterns():
            if names.excludes(name, is_folder):
                return reason
    return ""


def is_left_out(path: str) -> bool:
    """Whether no archive contains a file or folder, because of its name or of a folder above it."""
    parts = path.split("/")
    last = len(parts) - 1
    return any(
        names.excludes(name, at < last) or names.excludes(name, True)
        for names in map(name_patterns, exclusion_rules())
        for at, name in enumerate(parts)
    )


def is_compiled(name: str, is_folder: bool) -> bool:
    """Whether an interpreter wrote a file, or all files of a folder."""
    return any(names.excludes(name, is_folder) for names in _load_compiled_patterns())


@cache
def _load_uncopied_patterns() -> list[tuple[Ignore, str]]:
    rules = [rule for rule in exclusion_rules() if not rule.get("copies")]
    return [(name_patterns(rule), rule["reason"]) for rule in rules]


@cache
def _load_compiled_patterns() -> list[Ignore]:
    return [name_patterns(rule) for rule in exclusion_rules() if rule.get("compiled")]
