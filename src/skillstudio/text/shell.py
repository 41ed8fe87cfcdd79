"""Read the simple commands of a shell command, with a small parser of POSIX shell."""

from __future__ import annotations

import re
from functools import lru_cache

Call = tuple[str | None, ...]
"""The words of one simple command; None is only known at run time."""

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_REDIRECTION = re.compile(r"(?:[0-9]+|&)?(?:<<<|<<-?|<>|<&|<(?!\()|>>|>&|>\||>(?!\())")
_DEFINITION = re.compile(r"[ \t]*\([ \t]*\)")
_STOPS = frozenset(" \t\n;&|()<>")
_PREFIX_WORDS = frozenset(("if", "then", "elif", "else", "do", "while", "until", "!", "{", "time"))
_OTHER = frozenset(("for", "select", "fi", "done", "esac", "}", "[["))
_UNREADABLE = frozenset(("case", "function", "coproc"))
_MAX_DEPTH = 20


@lru_cache(maxsize=512)
def calls(command: str) -> tuple[Call, ...]:
    """The simple commands in order, each with its program first."""
    commands: list[list[str | None]] = []
    _read(command, commands, 0)
    return tuple(map(tuple, commands))


def programs(command: str) -> list[str | None]:
    """The first word of each simple command in order; None if it is only known at run time."""
    return [call[0] for call in calls(command)]


def last_program(command: str) -> str | None:
    """The program of the last simple command, outside of substitutions; None if it is not known."""
    outer: list[list[str | None]] = []
    _read(command, outer, 0, [])
    return outer[-1][0] if outer else None


def _read(
    text: str,
    commands: list[list[str | None]],
    depth: int,
    inner: list[list[str | None]] | None = None,
) -> None:
    """Add the simple commands to `commands`, those of substitutions to `inner` if that is given."""
    inner = commands if inner is None else inner
    if depth > _MAX_DEPTH:
        commands.append([None])
        return
    call: list[str | None] = []
    at = 0
    expects_command = True
    documents: list[str] = []
    while at < len(text):
        character = text[at]
        redirection = _REDIRECTION.match(text, at)
        if text.startswith("\\\n", at):
            at += 2
        elif character in " \t\r":
            at += 1
        elif character == "#":
            line_end = text.find("\n", at)
            at = len(text) if line_end < 0 else line_end
        elif redirection:
            at = _skip_blanks(text, redirection.end())
            _, end = _word(text, at, inner, depth)
            if redirection.group().lstrip("0123456789") in ("<<", "<<-"):
                documents.append(text[at:end].strip("'\""))
            at = end
        elif character == "\n":
            at = _after_documents(text, at + 1, documents)
            documents = []
            expects_command = True
        elif character in ";&|(<>":
            # After <( and >( another command starts, as after the other operators.
            at += 1
            expects_command = character not in "<>"
        elif character == ")":
            at += 1
            expects_command = False
        else:
            word, end = _word(text, at, inner, depth)
            raw = text[at:end]
            at = end
            definition = _DEFINITION.match(text, at)
            if definition and expects_command:
                at = definition.end()
                continue
            if not expects_command:
                call.append(word)
                continue
            if _ASSIGNMENT.match(raw) or raw in _PREFIX_WORDS:
                continue
            expects_command = False
            if raw in _UNREADABLE:
                commands.append([None])
                return
            call = [word]
            if raw not in _OTHER:
                commands.append(call)


def _word(
    text: str, at: int, commands: list[list[str | None]], depth: int
) -> tuple[str | None, int]:
    """One word without quotes, None if only known at run time, and its end; reads substitutions."""
    parts: list[str] = []
    is_known = True
    quote = ""
    while at < len(text):
        character = text[at]
        if text.startswith("{{", at) and quote != "'":
            end = text.find("}}", at)
            if end > 0:
                is_known = False
                at = end + 2
                continue
        if quote == "'":
            if character == "'":
                quote = ""
            else:
                parts.append(character)
            at += 1
        elif character == "\\":
            parts.append(text[at + 1 : at + 2].replace("\n", ""))
            at += 2
        elif character == '"':
            quote = "" if quote else '"'
            at += 1
        elif character == "'" and not quote:
            quote = "'"
            at += 1
        elif character == "`":
            end = _backtick(text, at + 1)
            _read(text[at + 1 : end].replace("\\`", "`"), commands, depth + 1)
            is_known = False
            at = end + 1
        elif text.startswith("$(", at):
            end = _find_closing(text, at + 2)
            inside = text[at + 2 : end]
            if not inside.startswith("("):
                _read(inside, commands, depth + 1)
            is_known = False
            at = end + 1
        elif character == "$" and at + 1 < len(text) and _expands(text[at + 1]):
            is_known = False
            end = text.find("}", at) if text[at + 1] == "{" else at + 1
            at = (end if end > 0 else len(text)) + 1
        elif not quote and character in _STOPS:
            break
        else:
            if not quote and character in "*?":
                is_known = False
            parts.append(character)
            at += 1
    return "".join(parts) if is_known else None, at


def _expands(character: str) -> bool:
    return character.isalnum() or character in "_{@*#?!$-"


def _find_closing(text: str, at: int) -> int:
    """The end of the parenthesis opened before `at`, respecting quotes; else of the text."""
    depth = 1
    quote = ""
    while at < len(text):
        character = text[at]
        if character == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if not depth:
                return at
        at += 1
    return len(text)


def _backtick(text: str, at: int) -> int:
    while at < len(text) and text[at] != "`":
        at += 2 if text[at] == "\\" else 1
    return min(at, len(text))


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _after_documents(text: str, at: int, endings: list[str]) -> int:
    """The start of the line after the here-documents that start at `at`."""
    for ending in endings:
        while at < len(text):
            line_end = text.find("\n", at)
            line_end = len(text) if line_end < 0 else line_end
            line = text[at:line_end].strip()
            at = line_end + 1
            if line == ending:
                break
    return min(at, len(text))
