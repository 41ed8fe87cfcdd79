"""Locate the cursor between brackets: JSON, and flow style in YAML and TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.manifest.caret import Caret

_DOUBLE = r'"(?:[^"\\\r\n]|\\[^\r\n])*(?:"|(?=\\?(?:[\r\n]|\Z)))'
_SINGLE = r"'[^'\r\n]*(?:'|(?=[\r\n]|\Z))"


class Grammar(NamedTuple):
    """The syntax between brackets."""

    token: re.Pattern[str]
    sign: str  # The separator of key and value.


JSON = Grammar(re.compile(rf"{_DOUBLE}|[\[\]{{}},:]|[^\s\[\]{{}},:\"]+"), ":")
YAML = Grammar(
    re.compile(
        rf"{_DOUBLE}|{_SINGLE}|(?<!\S)#[^\r\n]*|[\[\]{{}},]|:(?=[\s,\]}}]|\Z)"
        r"|(?:[^\s\[\]{},:]|:(?=[^\s,\]}]))+(?:[ \t]+(?:[^\s\[\]{},:#]|:(?=[^\s,\]}]))+)*"
    ),
    ":",
)
TOML = Grammar(re.compile(rf"{_DOUBLE}|{_SINGLE}|#[^\r\n]*|[\[\]{{}},=]|[^\s\[\]{{}},=\"'#]+"), "=")


class _Frame:
    """An open bracket, and the state of its content."""

    __slots__ = ("bracket", "index", "key", "keys", "last_end", "state")

    def __init__(self, bracket: str, end: int) -> None:
        self.bracket = bracket
        self.keys: list[str] = []
        self.key = ""
        self.index = 0
        self.state = "key" if bracket == "{" else "value"
        self.last_end = end


class _Token(NamedTuple):
    start: int
    end: int
    text: str

    @property
    def is_quoted(self) -> bool:
        return self.text[0] in "\"'"

    @property
    def is_closed(self) -> bool:
        return self.is_quoted and len(self.text) > 1 and self.text[-1] == self.text[0]

    @property
    def plain(self) -> str:
        return self.text[1 : -1 if self.is_closed else None] if self.is_quoted else self.text


def open_at(text: str, start: int, offset: int, grammar: Grammar) -> bool:
    """Whether a bracket opened at or after `start` is open at an offset."""
    frames, _ = _read(text, start, offset, offset, grammar)
    return bool(frames)


def bracket_caret(
    text: str, start: int, limit: int, offset: int, grammar: Grammar, base: tuple[str, ...]
) -> Caret | None:
    """The place of an offset in a bracketed value; None outside, and where a separator must be."""
    frames, at = _read(text, start, offset, limit, grammar)
    if not frames:
        if at or text[start:limit].strip():
            return None
        return Caret("value", base, offset, offset, "", flow=True)
    frame = frames[-1]
    pointer = (*base, *(_step(outer_frame) for outer_frame in frames[:-1]))
    begin, end, typed_text, quote = offset, offset, "", ""
    if at:
        begin, quote = at.start, at.text[0] if at.is_quoted else ""
        typed_text = text[begin + len(quote) : offset]
        end = at.end if not at.is_quoted or _is_whole(text, at) else offset
    next_token = next(_tokens(text, end, limit, grammar), None)
    is_key = frame.bracket == "{" and frame.state in ("key", "after")
    if frame.state == "sign":
        return None
    before = ""
    if frame.state == "after":
        before = "," + text[frame.last_end : begin]
        begin = frame.last_end
    needs_comma = next_token is not None and next_token.text not in ("]", "}", ",", grammar.sign)
    after = "," if needs_comma else ""
    if is_key:
        keys = {*frame.keys, *_later_keys(text, end, limit, grammar)}
        is_assigned = next_token is not None and next_token.text == grammar.sign
        return Caret(
            "key", pointer, begin, end, typed_text, quote, frozenset(keys), flow=True,
            is_assigned=is_assigned, before=before, after="" if is_assigned else after,
        )  # fmt: skip
    return Caret(
        "value", (*pointer, _step(frame)), begin, end, typed_text, quote, flow=True,
        before=before, after=after,
    )  # fmt: skip


def _step(frame: _Frame) -> str:
    return frame.key if frame.bracket == "{" else str(frame.index)


def _tokens(text: str, start: int, limit: int, grammar: Grammar) -> Iterator[_Token]:
    for match in grammar.token.finditer(text, start, limit):
        if not match.group().startswith("#") or grammar is JSON:
            yield _Token(match.start(), match.end(), match.group())


def _read(
    text: str, start: int, offset: int, limit: int, grammar: Grammar
) -> tuple[list[_Frame], _Token | None]:
    """The open frames at an offset, and the string or word that contains it."""
    frames: list[_Frame] = []
    for token in _tokens(text, start, limit, grammar):
        if token.start >= offset:
            break
        sign = token.text in ("{", "}", "[", "]", ",", grammar.sign)
        if not sign and (token.end > offset or (token.end == offset and not token.is_closed)):
            _begin(frames)
            return frames, token
        _take(frames, token, grammar, sign)
        if not frames:
            break
    return frames, None


def _begin(frames: list[_Frame]) -> None:
    """Start a string or word: after a key without its separator it is the next key."""
    if frames and frames[-1].state == "sign":
        frames[-1].keys.append(frames[-1].key)
        frames[-1].state = "key"


def _take(frames: list[_Frame], token: _Token, grammar: Grammar, sign: bool) -> None:
    if token.text in "{[" and sign:
        frames.append(_Frame(token.text, token.end))
        return
    if not frames:
        return
    frame = frames[-1]
    if token.text in "}]" and sign:
        frames.pop()
        if frames:
            _finish_item(frames[-1], token)
    elif token.text == "," and sign:
        frame.index += 1
        if frame.state == "sign":
            frame.keys.append(frame.key)
        frame.state = "key" if frame.bracket == "{" else "value"
    elif token.text == grammar.sign and sign:
        if frame.state == "sign":
            frame.keys.append(frame.key)
            frame.state = "value"
    elif frame.bracket == "{" and frame.state in ("key", "after", "sign"):
        if frame.state == "sign":
            frame.keys.append(frame.key)
        frame.key, frame.state, frame.last_end = token.plain, "sign", token.end
    else:
        _finish_item(frame, token)


def _finish_item(frame: _Frame, token: _Token) -> None:
    if frame.state == "after" and frame.bracket == "[":
        frame.index += 1
    frame.state, frame.last_end = "after", token.end


def _later_keys(text: str, start: int, limit: int, grammar: Grammar) -> Iterator[str]:
    """The keys between an offset and the closing bracket of its mapping."""
    depth = 0
    last: _Token | None = None
    for token in _tokens(text, start, limit, grammar):
        if token.text in ("{", "["):
            depth += 1
        elif token.text in ("}", "]"):
            depth -= 1
            if depth < 0:
                return
        elif token.text == grammar.sign and depth == 0 and last and last.start >= start:
            yield last.plain
        last = token if depth == 0 else None


def _is_whole(text: str, token: _Token) -> bool:
    """Whether a string ends where its author intended, by the number of quotes on the line."""
    if not token.is_closed:
        return False
    ends = [at for at in (text.find("\n", token.start), text.find("\r", token.start)) if at >= 0]
    rest = text[token.start : min(ends, default=len(text))].replace("\\" + token.text[0], "")
    return rest.count(token.text[0]) % 2 == 0
