"""A screen's SVG made to look alike in every viewer and to be the same in every run."""

from __future__ import annotations

import re

_CELL = 12.2
"""Units that a character is wide."""
_TEXT = re.compile(
    r'<text class="(?P<style>[^"]*)" x="(?P<x>[^"]*)" y="(?P<y>[^"]*)"'
    r' textLength="[^"]*" clip-path="[^"]*">(?P<text>[^<]*)</text>'
)
_SPACE = "&#160;"
_WORDS = re.compile(r"[^ ]+(?: [^ ]+)*")
_CHARACTER = re.compile(r"&#?\w+;|.", re.DOTALL)
_RECT = re.compile(
    r'<rect fill="([^"]*)" x="([^"]*)" y="([^"]*)" width="([^"]*)" height="24\.65"'
    r' shape-rendering="crispEdges"/>'
)
_RECTS = re.compile(f"(?:{re.sub(r'[(](?![?])', '(?:', _RECT.pattern)})+")
_FONT_FACE = re.compile(r"\s*@font-face \{[^}]*\}")
_CLIP = re.compile(r'\s*<clipPath id="[^"]*-line-\d+">\s*<rect [^>]*/>\s*</clipPath>')
_FONT = re.compile(r"(font-family:) Fira Code, monospace;\s*font-size: 20px")
_ID = re.compile(r"terminal-\d+")


def tidy(svg: str, name: str) -> str:
    """The same picture with nothing to fetch, each word at its own place, ids from its name, and
    cells of one colour beside each other as one.

    Some viewers drop spaces at the ends of a text or ignore how long it shall be, and then
    columns run apart. The ids are counted from content that differs between runs unseen.
    """
    svg = _FONT.sub(r"\1 DejaVu Sans Mono, Menlo, Consolas, monospace; font-size: 20.25px", svg)
    svg = _TEXT.sub(_by_words, _FONT_FACE.sub("", svg))
    # Each word has its place and its length, so that none runs out of its line.
    svg = _RECTS.sub(_by_colours, _CLIP.sub("", svg))
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
            f' textLength="{_CELL * _length(words):g}">{words.replace(" ", _SPACE)}</text>'
        )
    return "".join(made)


def _by_colours(found: re.Match[str]) -> str:
    """One rectangle for each run of one colour."""
    made: list[tuple[str, str, float, float]] = []
    for each in _RECT.finditer(found.group()):
        fill, row, left = each[1], each[3], float(each[2])
        right = left + float(each[4])
        if made and made[-1][:2] == (fill, row) and abs(made[-1][3] - left) < _CELL / 2:
            left = made.pop()[2]
        made.append((fill, row, left, right))
    return "\n".join(
        f'<rect fill="{fill}" x="{left:g}" y="{row}" width="{right - left:g}" height="24.65"'
        ' shape-rendering="crispEdges"/>'
        for fill, row, left, right in made
    )


def _length(escaped: str) -> int:
    return len(_CHARACTER.findall(escaped))
