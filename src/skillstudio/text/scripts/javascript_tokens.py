"""Split JavaScript or TypeScript into tokens nested by brackets, tolerantly, and read literals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from skillstudio.text.scripts.model import NOTHING

Kind = Literal["name", "string", "template", "number", "mark", "group"]
MAX_DEPTH = 60
HOLE = "\0"  # Stands for a computed part of a template.

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<string>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<template>`(?:\\.|[^`\\])*`)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>[0-9][\w.]*)"
    r"|(?P<mark>=>|===?|!==?|\+\+|--|&&|\|\||\?\?|\.\.\.|\?\.|.)",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_BEFORE_VALUE = frozenset({"return", "typeof", "case", "in", "of", "delete", "void", "throw"})
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


class Token(NamedTuple):
    """A token; for a group `text` is its opening bracket and `inner` what it contains."""

    kind: Kind
    text: str
    inner: tuple[Token, ...] = ()


Tokens = Sequence[Token]


def read_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a program without comments; unbalanced brackets end with the text."""
    open_groups: list[tuple[str, list[Token]]] = [("", [])]
    at = 0
    while at < len(text):
        items = open_groups[-1][1]
        regex = _REGEX.match(text, at) if text[at] == "/" and _takes_value(items) else None
        if regex is not None:
            items.append(Token("mark", "/"))
            at = regex.end()
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            break
        at = match.end()
        kind, piece = match.lastgroup, match[0]
        if kind == "space":
            continue
        if piece in _PAIRS and len(open_groups) < MAX_DEPTH:
            open_groups.append((piece, []))
        elif piece == _PAIRS.get(open_groups[-1][0]):
            bracket, inner = open_groups.pop()
            open_groups[-1][1].append(Token("group", bracket, tuple(inner)))
        elif kind in ("string", "template"):
            items.append(Token(kind, _unquote(piece)))  # type: ignore[arg-type]
        else:
            items.append(Token(kind, piece))  # type: ignore[arg-type]
    while len(open_groups) > 1:
        bracket, inner = open_groups.pop()
        open_groups[-1][1].append(Token("group", bracket, tuple(inner)))
    return tuple(open_groups[0][1])


def _takes_value(items: Tokens) -> bool:
    """Whether a slash begins a regular expression rather than dividing."""
    if not items:
        return True
    last = items[-1]
    if last.kind == "mark":
        return last.text not in (")", "]", "}", "++", "--")
    return last.kind == "name" and last.text in _BEFORE_VALUE


def _unquote(piece: str) -> str:
    text = piece[1:-1]
    if piece[0] == "`":
        text = re.sub(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", HOLE, text)
    return re.sub(
        r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", _unescape, text, flags=re.S
    )


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        number = int(code.strip("ux{}"), 16)
        return chr(number) if number < 0x110000 else ""
    return _ESCAPES.get(code, code)


def split(items: Tokens, mark: str = ",") -> list[Tokens]:
    """The parts between marks such as commas, without an empty last one."""
    parts: list[list[Token]] = [[]]
    for token in items:
        if token.kind == "mark" and token.text == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return [*parts] if parts[-1] else [*parts[:-1]]


def groups(items: Tokens) -> Iterator[Tokens]:
    """The tokens of every bracket, outermost first, and all outside of brackets."""
    stack: list[Tokens] = [items]
    while stack:
        current = stack.pop()
        yield current
        stack += [token.inner for token in reversed(current) if token.kind == "group"]


class Literals:
    """The literals of a program, and names that are declared as one."""

    def __init__(self, items: Tokens) -> None:
        self.constants: dict[str, Tokens] = {}
        """A constant to the tokens of its value."""
        for scope in groups(items):
            for at, token in enumerate(scope[:-3]):
                if token.text in ("const", "let", "var") and scope[at + 1].kind == "name":
                    equals = next(
                        (n for n in range(at + 2, min(at + 8, len(scope))) if scope[n].text == "="),
                        None,
                    )
                    if equals is not None:
                        end = equals + 1
                        while end < len(scope) and scope[end].text not in (";", "const", "let"):
                            end += 1
                        self.constants.setdefault(scope[at + 1].text, scope[equals + 1 : end])

    def value(self, items: Tokens, depth: int = 0) -> Any:
        """The value of a literal: text, number, boolean, list or dict; NOTHING otherwise."""
        if depth > 8 or not items:
            return NOTHING
        while len(items) > 2 and items[-2].text == "as":
            items = items[:-2]  # `as const` of TypeScript.
        if len(items) > 1 and any(token.text == "+" for token in items):
            parts = [self.value(operand, depth + 1) for operand in split(items, "+")]
            return "".join(parts) if all(isinstance(part, str) for part in parts) else NOTHING
        if len(items) == 2 and items[0].text == "-" and items[1].kind == "number":
            number = _number(items[1].text)
            return -number if isinstance(number, (int, float)) else NOTHING
        if len(items) != 1:
            return self._evaluate_join(items, depth)
        (item,) = items
        match item.kind:
            case "string":
                return item.text
            case "template":
                return item.text
            case "number":
                return _number(item.text)
            case "name":
                if item.text in ("true", "false"):
                    return item.text == "true"
                if item.text in ("null", "undefined"):
                    return None
                tokens = self.constants.get(item.text)
                return self.value(tokens, depth + 1) if tokens is not None else NOTHING
            case "group" if item.text == "[":
                return [self.value(element, depth + 1) for element in split(item.inner)]
            case "group" if item.text == "{":
                return self.mapping(item.inner, depth + 1)
        return NOTHING

    def _evaluate_join(self, items: Tokens, depth: int) -> Any:
        """`["a", "b"].join("\\n")`, as usage texts are written."""
        if len(items) == 4 and items[2].text == "join" and items[0].text == "[":
            parts = self.value(items[:1], depth + 1)
            mark = self.value(items[3].inner, depth + 1)
            if isinstance(parts, list) and isinstance(mark, str):
                return mark.join(part if isinstance(part, str) else HOLE for part in parts)
        return NOTHING

    def mapping(self, items: Tokens, depth: int = 0) -> dict[str, Any]:
        """The keys of an object literal with their values; a value may be NOTHING."""
        members: dict[str, Any] = {}
        for part in split(items):
            if len(part) >= 3 and part[1].text == ":" and part[0].kind in ("name", "string"):
                members[part[0].text] = self.value(part[2:], depth + 1)
            elif len(part) == 1 and part[0].kind == "name":
                members[part[0].text] = self.value(part, depth + 1)
        return members

    def text(self, items: Tokens) -> str:
        """The value of a text on one line, "" for anything else."""
        value = self.value(items)
        return " ".join(value.replace(HOLE, "…").split()) if isinstance(value, str) else ""


def _number(text: str) -> Any:
    plain = text.replace("_", "").removesuffix("n")[:40]
    for kind in (int, float):
        try:
            return kind(plain)
        except ValueError:
            continue
    return NOTHING
