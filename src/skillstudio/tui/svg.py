"""A screen's SVG made to look alike in every viewer and to be the same in every run."""

from __future__ import annotations

import re

_CELL = 12.2
"""Units that a character is wide."""
_TEXT = re.compile(
    r'<text class="(?P<style>[^"]*)" x="(?P<x>[^"]*)" y="(?P<y>[^"]*)"'
    r' textLength="[^"]*" clip-path="(?P<clip>[^"]*)">(?P<text>[^<]*)</text>'
)
_SPACE = "&#160;"
_WORDS = re.compile(r"[^ ]+(?: [^ ]+)*")
_CHARACTER = re.compile(r"&#?\w+;|.", re.DOTALL)
_FONT_FACE = re.compile(r"\s*@font-face \{[^}]*\}")
_FONT = re.compile(r"(font-family:) Fira Code, monospace;\s*font-size: 20px")
_ID = re.compile(r"terminal-\d+")


def tidy(svg: str, name: str) -> str:
    """The same picture with nothing to fetch, each word at its own place, ids from its name.

    Some viewers drop spaces at the ends of a text or ignore how long it shall be, and then
    columns run apart. The ids are counted from content that differs between runs unseen.
    """
    svg = _FONT.sub(r"\1 DejaVu Sans Mono, Menlo, Consolas, monospace; font-size: 20.25px", svg)
    svg = _TEXT.sub(_by_words, _FONT_FACE.sub("", svg))
    return "".join(f"{line.rstrip()}\n" for line in _ID.sub(name, svg).strip().split("\n"))


def _by_words(found: re.Match[str]) -> str:
    """One text for each run of words, without the wide spaces around."""
    text = found["text"].replace(_SPACE, " ")
    made = []
    for run in _WORDS.finditer(text):
        words = run.group()
        x = float(found["x"]) + _CELL * _length(text[: run.start()])
        made.append(
            f'\n<text class="{found["style"]}" x="{x:g}" y="{found["y"]}"'
            f' textLength="{_CELL * _length(words):g}" clip-path="{found["clip"]}"'
            f">{words.replace(' ', _SPACE)}</text>"
        )
    return "".join(made)


def _length(escaped: str) -> int:
    return len(_CHARACTER.findall(escaped))
