"""Find where a script asks a question at the terminal, which agents do not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.scripts.model import NotRead
from skillstudio.text.scripts.python import parse_python
from skillstudio.text.source import Source, Span

_EXAMPLE_FOLDERS = ("template", "asset", "example", "test", "fixture")
"""Starts of the names of folders whose scripts are copied, or read as examples."""
_OTHER_WAY = lazy_pattern(
    r"isatty|isTTY|\[ ?(?:! ?)?-t [012]|\s-t [01] |[\"'](?:ask|prompt|interactive)[\"']"
    r"|--(?:yes|force|batch|auto|no-?input|no-?prompt"
    r"|no-?confirm|non-?interactive|skip-confirm\w*|quiet|defaults?|interactive|repl)\b"
    r"|[\"'(| ]-y[\"')| ]|non_?interactive|EOFError|\bexpect\b",
    re.IGNORECASE,
)
"""What a script has that asks only people, or that takes the answers."""
_READ = lazy_pattern(
    r"[ \t]*(?:(?:if|then|else|do|!) ){0,2}(?:IFS=\S{0,9} )?"
    r"(?P<read>read)(?P<options>(?: -\w+){1,5})(?= )"
)
_HERE = lazy_pattern(r"<<-?[ \t]*[\"'\\]?(\w{1,40})")
_ARGUMENT_TEST = lazy_pattern(r"-z |\$#|\$\{?[1-9@*]")
"""What is before a question that is asked only if an argument is missing."""
_LINES, _LONGEST = 4, 200
_PROMPT_CALLS = ("input", "getpass", "getpass.getpass")
_QUESTION = lazy_pattern(r"\b(?:rl|readline|\w{0,20}[Ii]nterface|inquirer)\.(?:question|prompt)\(")
_PIPE = lazy_pattern(r"\|[^|\n`]{0,80}$")
_FOR_PEOPLE = lazy_pattern(r"interactiv|manual|by hand|prompts?\b|<<", re.IGNORECASE)
_MOST_NAMES = 50


class _AskingLanguage(NamedTuple):
    marks: tuple[bytes, ...]
    endings: tuple[str, ...]


_SHELL = _AskingLanguage((b"read -",), (".bash", ".sh", ".zsh"))
_PYTHON = _AskingLanguage((b"input(", b"getpass("), (".py",))
_NODE = _AskingLanguage(
    (b".question(", b"inquirer.prompt("), (".cjs", ".js", ".mjs", ".mts", ".ts")
)


def check_prompts(path: str, data: bytes, source: Source, skill_text: str) -> Iterator[Diagnostic]:
    """`script-prompts` at the first question of a script that SKILL.md, of text `skill_text`,
    names."""
    if is_kept(path) or not _is_for_agents(path, skill_text):
        return
    language = _language(path, data)
    if language is None or not any(mark in data for mark in language.marks):
        return
    text = source.text
    if _OTHER_WAY.search(text):
        return
    span = _question(text, language)
    if span is not None:
        message = (
            "this asks at a terminal, and agents have none, so the script stops or goes on without "
            "an answer; read it from an option, or add one such as --yes"
        )
        yield Diagnostic("script-prompts", message, span, path=path)


def is_kept(path: str) -> bool:
    """Whether a script is in a folder of those that are copied, or read as examples."""
    return any(folder.startswith(_EXAMPLE_FOLDERS) for folder in path.lower().split("/")[:-1])


def _is_for_agents(path: str, skill_text: str) -> bool:
    """Whether no place of SKILL.md tells that people run the script, or how to answer it."""
    name = path.rpartition("/")[2]
    at = -1
    for _ in range(_MOST_NAMES):
        at = skill_text.find(name, at + 1)
        if at < 0:
            break
        start = max(skill_text.rfind("\n", 0, at) + 1, at - 200)
        end = skill_text.find("\n", at, at + 200)
        line = skill_text[start : end if end >= 0 else at + 200]
        if _PIPE.search(skill_text, start, at) or _FOR_PEOPLE.search(line):
            return False
    return True


def _language(path: str, data: bytes) -> _AskingLanguage | None:
    for language in (_SHELL, _PYTHON, _NODE):
        if path.lower().endswith(language.endings):
            return language
    first = data[:200].partition(b"\n")[0] if "." not in path.rpartition("/")[2] else b""
    if not first.startswith(b"#!"):
        return None
    if b"python" in first:
        return _PYTHON
    return _NODE if b"node" in first else _SHELL if b"sh" in first else None


def _question(text: str, language: _AskingLanguage) -> Span | None:
    """The first question that is always asked, as far as this can be read."""
    if language is _PYTHON:
        return _python_question(text)
    if language is _NODE:
        match = _QUESTION.search(text)
        return Span(*match.span()) if match else None
    return _shell_question(text)


def _shell_question(text: str) -> Span | None:
    start, word = 0, ""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if word:
            word = "" if line.strip() == word else word
        elif match := _READ.match(line):
            options = match["options"]
            asks = "p" in options and "t" not in options and "u" not in options
            is_given = (
                _ARGUMENT_TEST.search("".join(lines[-_LINES:])) or "<" in line.rpartition('"')[2]
            )
            if asks and not is_given:
                return Span(start + match.start("read"), start + match.end("options"))
        elif here := _HERE.search(line):
            word = here[1]
        lines.append(line[:_LONGEST])
        start += len(line)
    return None


def _python_question(text: str) -> Span | None:
    try:
        tree = parse_python(text)
    except NotRead:
        return None
    positions: list[tuple[int, int]] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef) and node.name in _PROMPT_CALLS:
            return None
        if isinstance(node, ast.Call) and _render_name(node.func) in _PROMPT_CALLS:
            positions.append((node.lineno, node.col_offset))
        # What is asked below these is for a missing value, or may fail.
        if isinstance(node, ast.If) and _is_lacking(node.test):
            stack += node.orelse
        elif not isinstance(node, ast.BoolOp | ast.Try):
            stack += ast.iter_child_nodes(node)
    if not positions:
        return None
    line, column = min(positions)
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: line - 1]))
    start += len(lines[line - 1].encode()[:column].decode(errors="replace"))
    return Span(start, text.find("(", start) + 1)


def _render_name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}"
    return function.id if isinstance(function, ast.Name) else ""


def _is_lacking(test: ast.expr) -> bool:
    """Whether a condition is that a value is missing."""
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], ast.Is)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
