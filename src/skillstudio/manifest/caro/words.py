"""Split a step's command into arguments, or report which feature of a shell it needs."""

from __future__ import annotations

import re

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_PLACEHOLDER = re.compile(r"\{\{[A-Za-z_][A-Za-z0-9_.\-]*\}\}")
_SPECIAL = {
    "|": "a pipe",
    "&": "a command list or a background job",
    ";": "a command list",
    "`": "a command substitution",
    "\n": "multiple lines",
    **dict.fromkeys("<>", "a redirection"),
    **dict.fromkeys("()", "a subshell"),
    **dict.fromkeys("*?[", "a file name pattern"),
}
"""Unquoted characters with the shell feature that they use."""
_BUILT_IN = frozenset(
    (
        *("alias", "bg", "cd", "declare", "eval", "exec", "exit", "export", "fg", "hash", "jobs"),
        *("let", "local", "popd", "pushd", "read", "readonly", "return", "set", "shift", "shopt"),
        *("source", "trap", "type", "ulimit", "umask", "unalias", "unset", "wait", ".", ":"),
        *("if", "for", "case", "select", "function", "time", "until", "while", "{"),
    )
)
"""Words that only a shell supports."""
_ESCAPED_IN_QUOTES = '$`"\\\n'


class NeedsShell(Exception):
    """A command that needs a shell; the text names the feature."""


def split(command: str) -> tuple[str, ...]:
    """The arguments of one simple command, with its placeholders. Raises NeedsShell."""
    words: list[str] = []
    parts: list[str] | None = None
    quote = ""
    at = 0
    command = command.strip()
    while at < len(command):
        character = command[at]
        placeholder = _PLACEHOLDER.match(command, at)
        if placeholder:
            parts = parts or []
            parts.append(placeholder.group())
            at = placeholder.end()
            continue
        if quote == "'":
            if character == "'":
                quote = ""
            else:
                parts = parts or []
                parts.append(character)
        elif character == "\\":
            at += 1
            parts = parts or []
            parts.append(_resolve_escape(command, at, quote))
        elif character == '"':
            quote = "" if quote else '"'
            parts = parts or [""]
        elif character == "'" and not quote:
            quote = "'"
            parts = parts or [""]
        elif character == "$" and _expands(command, at + 1):
            raise NeedsShell("it expands a variable or a command")
        elif character == "`" or (not quote and character in _SPECIAL):
            raise NeedsShell(f"it has {_SPECIAL[character]}")
        elif not quote and character in " \t\r":
            if parts is not None:
                words.append("".join(parts))
            parts = None
        elif not quote and parts is None and character in "#~":
            raise NeedsShell("it has a comment" if character == "#" else "it expands ~")
        elif not quote and character == "{" and _has_list(command, at):
            raise NeedsShell("it has a brace expansion")
        else:
            parts = parts or []
            parts.append(character)
        at += 1
    if quote:
        raise NeedsShell("it has an unclosed quote")
    if parts is not None:
        words.append("".join(parts))
    return _check_words(tuple(words))


def _check_words(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        raise NeedsShell("it is empty")
    if _ASSIGNMENT.match(words[0]):
        raise NeedsShell("it sets a variable")
    if words[0] in _BUILT_IN:
        raise NeedsShell(f"{words[0]} is a shell builtin, not a program")
    return words


def _resolve_escape(command: str, at: int, quote: str) -> str:
    """The result of a backslash before `at`; an escaped line break is removed."""
    character = command[at : at + 1]
    if character == "\n":
        return ""
    return character if not quote or character in _ESCAPED_IN_QUOTES else "\\" + character


def _has_list(command: str, at: int) -> bool:
    """Whether the braces that open at a place contain a comma."""
    end = command.find("}", at)
    return end > 0 and command.find(",", at, end) > 0


def _expands(command: str, at: int) -> bool:
    character = command[at : at + 1]
    return character.isalnum() or (character != "" and character in "_{(@*#?!$-'\"")
