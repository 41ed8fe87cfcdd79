"""Split a step's command into arguments, or report that it needs a shell."""

from __future__ import annotations

import re

_WORD = re.compile(
    r"""(?![~#])(?:
        \{\{[A-Za-z_][A-Za-z0-9_.\-]*\}\}
        |'[^']*'
        |"(?:[^"\\$`]|\\.|\$(?![A-Za-z0-9_{(@*#?!$\-]))*"
        |\\.
        |[^\s'"\\$`|&;<>()*?\[{]
        |\$(?![A-Za-z0-9_{(@*#?!$\-'"])
        |\{(?![^}]*,[^}]*\})
    )+""",
    re.VERBOSE | re.DOTALL,
)
"""What a shell takes as one word and does not expand."""
_SHOWN = 20  # Characters of what is not a word that the reason shows.
_BLANKS = re.compile(r"\A(?:[ \t\r]|\\\n)+")
_QUOTED = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)""", re.DOTALL)
_ESCAPED = re.compile(r"""\\([$`"\\\n])""")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_BUILT_IN = frozenset(
    (
        *("alias", "bg", "cd", "declare", "eval", "exec", "exit", "export", "fg", "hash", "jobs"),
        *("let", "local", "popd", "pushd", "read", "readonly", "return", "set", "shift", "shopt"),
        *("source", "trap", "type", "ulimit", "umask", "unalias", "unset", "wait", ".", ":"),
        *("if", "for", "case", "select", "function", "time", "until", "while", "{"),
    )
)
"""Words that only a shell supports."""


class NeedsShell(Exception):
    """A command that needs a shell; the text names the reason."""


def split(command: str) -> tuple[str, ...]:
    """The arguments of one simple command, with its placeholders. Raises NeedsShell."""
    words: list[str] = []
    rest = command.strip()
    while word := _WORD.match(rest):
        words.append(_QUOTED.sub(_unquote, word[0]))
        rest = _BLANKS.sub("", rest[word.end() :], count=1)
    if rest:
        raise NeedsShell(f"only a shell can read the command from {rest[:_SHOWN]!r} on")
    if not words:
        raise NeedsShell("it is empty")
    if _ASSIGNMENT.match(words[0]):
        raise NeedsShell("it sets a variable")
    if words[0] in _BUILT_IN:
        raise NeedsShell(f"{words[0]} is a shell builtin, not a program")
    return tuple(words)


def _unquote(match: re.Match[str]) -> str:
    single, double, escaped = match.groups()
    if double is not None:
        return _ESCAPED.sub(lambda sign: sign[1].replace("\n", ""), double)
    return single if escaped is None else escaped.replace("\n", "")
