"""No character of a skill may steer the terminal it is shown in."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.safe import safe_text

TABLE = [
    ("plain text, ünïcödé, 日本語, ελληνικά", "plain text, ünïcödé, 日本語, ελληνικά"),
    ("emoji 👩‍🚀 with a joiner", "emoji 👩‍🚀 with a joiner"),
    ("\x1b]52;c;AAAA\x07", "␛]52;c;AAAA␇"),
    ("\x1b[31mred", "␛[31mred"),
    ("tab\tnul\0del\x7f", "tab␉nul␀del␡"),
    ("C1 \x9b31m", "C1 <U+009B>31m"),
    ("a\r\nb", "a␍␊b"),
    ("right \u202eto left", "right <U+202E>to left"),
    ("isolate \u2066x\u2069", "isolate <U+2066>x<U+2069>"),
    ("line\u2028paragraph\u2029", "line<U+2028>paragraph<U+2029>"),
    ("zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"),
    ("tag \U000e0041", "tag <U+E0041>"),
    ("half \ud83d pair", "half \\ud83d pair"),
    ("[link=file:///x]markup[/]", "[link=file:///x]markup[/]"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "shown"), TABLE)
def test_what_is_shown(text: str, shown: str) -> None:
    assert safe_text(text) == shown


def test_newlines_are_kept_on_request_and_nothing_else_is() -> None:
    assert safe_text("a\nb\r\n\tc", keep_newlines=True) == "a\nb␍\n␉c"


@given(st.text(st.characters(codec=None)))
def test_nothing_that_steers_is_left(text: str) -> None:
    shown = safe_text(text)
    shown.encode("utf-8")
    assert not any(unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") for char in shown)
    assert not any(unicodedata.bidirectional(char) in BIDI_CONTROLS for char in shown)
    assert safe_text(shown) == shown


BIDI_CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
