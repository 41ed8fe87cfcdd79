"""Find a verb by its name, and suggest one for an unknown word."""

from __future__ import annotations

from importlib import import_module

from skillstudio.cli.arguments import Verb

GROUPS = {
    "Author": ("new", "update", "check", "fix", "why", "targets", "explain", "show", "edit"),
    "Review": ("diff", "bump", "waive", "identity", "lock", "index"),
    "Run": ("plan", "run", "test", "sample", "preview", "adopt", "apply", "trace"),
    "Ship": ("migrate", "export", "pack", "unpack"),
    "Setup": ("serve", "lsp", "mcp", "config", "completion", "doctor"),
}  # fmt: skip
"""The verbs of each group, in the order of help; a module of `table/` has their records."""
ALIASES = {"check-compat": "diff"}
_UNLISTED_GROUPS = {"open": "Setup"}  # With its group; `skillstudio PATH` does the same.
"""Accepted names that help, completion and the pages do not list."""
_INSTEAD = {
    "init": "use skillstudio new",
    "create": "use skillstudio new",
    "templates": "use skillstudio new --list",
    "lint": "use skillstudio check",
    "validate": "use skillstudio check",
    "format": "skillstudio does not reformat files; see skillstudio fix",
    "fmt": "skillstudio does not reformat files; see skillstudio fix",
    "list": "use skillstudio show PATH, or skillstudio check for all skills",
    "ls": "use skillstudio show PATH, or skillstudio check for all skills",
    "info": "use skillstudio show",
    "rules": "use skillstudio explain",
    "profiles": "use skillstudio targets",
    "rename": "use skillstudio edit PATH rename-input OLD NEW",
    "operation": "use skillstudio edit PATH add-operation SCRIPT",
    "hash": "use skillstudio identity --digests",
    "explore": "use skillstudio trace explore",
    "convert": "use skillstudio export for a target, or skillstudio migrate for the next version",
    "schema": "use skillstudio config schema NAME",
    "keys": "use skillstudio config keys",
    "themes": "use skillstudio config themes",
    "version": "use skillstudio --version",
}
"""Words that other tools use for a command, and what to use here."""


def find_verb(name: str) -> Verb | None:
    """The verb of a name or an alias; None if there is none. Imports only its group."""
    name = ALIASES.get(name, name)
    matching_groups = (group for group, names in GROUPS.items() if name in names)
    group = _UNLISTED_GROUPS.get(name) or next(matching_groups, None)
    return next(verb for verb in _verbs_of(group) if verb.name == name) if group else None


def all_verbs() -> dict[str, Verb]:
    """Every listed verb by its name."""
    verbs = (verb for group in GROUPS for verb in _verbs_of(group))
    return {verb.name: verb for verb in verbs if verb.name not in _UNLISTED_GROUPS}


def _verbs_of(group: str) -> tuple[Verb, ...]:
    verbs: tuple[Verb, ...] = import_module(f"skillstudio.cli.table.{group.lower()}").VERBS
    return verbs


def hint_for(word: str) -> str:
    """A suggestion for an unknown word, as the end of a message."""
    if word in _INSTEAD:
        return f"; {_INSTEAD[word]}"
    from skillstudio.text.nearest import did_you_mean

    return did_you_mean(word, [name for names in GROUPS.values() for name in names])
