"""Markdown as it reads."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.preview.spans import plain, width
from skillstudio.preview.views.markdown import render_markdown

MARKDOWN = "skillstudio.preview.views.markdown"

CASES = [
    ("# One\n## Two\n", ["# One", "", "## Two"]),
    ("a\nb\n\nc  \nd\n", ["a b", "", "c", "d"]),
    ("**s** *e* `c` ~~x~~\n", ["s e c x"]),
    ("[t](u) [u](u) <http://x.y>\n", ["t (u) u http://x.y"]),
    ("![alt](p.png)\n", ["[image: alt] (p.png)"]),
    ("- a\n- b\n  - c\n    d\n- e\n\nz\n", ["• a", "• b", "  • c d", "• e", "", "z"]),
    ("3. a\n4. b\n", ["3. a", "4. b"]),
    ("1. a\n\n   b\n\n2. c\n", ["1. a", "", "   b", "", "2. c"]),
    ("> a\n>\n> b\n\nc\n", ["│ a", "│", "│ b", "", "c"]),
    ("- > a\n", ["• │ a"]),
    ("- - a\n  - b\n", ["• • a", "  • b"]),
    ("-\n- b\n", ["• b"]),
    ("```py\nx = 1\n\ny\n```\nz\n", ["py", "  x = 1", "", "  y", "", "z"]),
    ("    code\n", ["  code"]),
    ("a\n\n---\n\nb\n", ["a", "", "─" * 20, "", "b"]),
    ("<script>alert(1)</script>\n\na <b>x</b>\n", ["<script>alert(1)</script>", "", "a <b>x</b>"]),
    ("| a | b |\n|--|--|\n| 日 | `x` |\n\nz\n", ["a  │ b", "───┼──", "日 │ x", "", "z"]),
    ("---\nname: x\n---\n\nBody\n", ["frontmatter", "  name: x", "", "Body"]),
    ("---\nnot closed\n", ["─" * 20, "", "not closed"]),
    ("[red]markup[/red] [link=x]y\n", ["[red]markup[/red]", "[link=x]y"]),
    ("a\x1b[2J\u202eb\n", ["a␛[2J<U+202E>b"]),
    ("", []),
    ("\n\n", []),
]


@pytest.mark.parametrize(("text", "lines"), CASES)
def test_markdown(text: str, lines: list[str]) -> None:
    assert [plain(each).rstrip() for each in render_markdown(text, 20)] == lines


def test_styles() -> None:
    (found,) = render_markdown("a **s** *e* `c` [l](u)\n", 80)
    assert [(span.text.strip(), span.style) for span in found if span.text.strip()] == [
        ("a", ""), ("s", "strong"), ("e", "emphasis"), ("c", "code"), ("l", "link"),
        ("(u)", "quiet"),
    ]  # fmt: skip


def test_long_words_are_broken_and_paragraphs_fit() -> None:
    text = "word " * 30 + "x" * 100 + " 日本語" * 20 + "\n\n- " + "item " * 20
    for each in render_markdown(text, 30):
        assert width(plain(each)) <= 30


def test_of_a_long_table_the_first_rows_are_set_out() -> None:
    rows = list(render_markdown("| a |\n|---|\n" + "| 1 |\n" * 500, 80))
    assert len(rows) == 1 + 1 + 200 + 1
    assert plain(rows[-1]) == "… 300 more rows"


def test_a_paragraph_without_end_stands_as_it_is() -> None:
    text = "*word* " * 1_000
    shown = " ".join(plain(each) for each in render_markdown(text, 80))
    assert shown == text.strip()


DEEP = ["> " * 2_000 + "x", "- " * 2_000 + "x", "[" * 2_000 + "x", "*a " * 2_000 + "x"]


@pytest.mark.parametrize("text", DEEP)
def test_what_is_nested_too_deeply_is_shown_all_the_same(text: str) -> None:
    assert any(plain(each).endswith("x") for each in render_markdown(text, 80))


PIECES = (
    "# A title\n", "\n", "words *in* a row\n", "- one\n", "  - two\n", "1. first\n", "> said\n",
    "```py\nx = 1\n", "```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "---\n", "===\n", "    code\n",
    "<div>\n", "[x]: http://a.b\n", "see [x] and ![y](z)\n", "> - [x]: c\n", "\t\n", "***\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(0, 120))
def test_what_is_parsed_in_two_steps_is_what_is_parsed_in_one(rows: list[str], soon: int) -> None:
    text = "".join(rows)
    # Without a limit in seconds: a busy machine would colour less of the code in one of the two.
    with mock.patch(f"{MARKDOWN}._SECONDS", 3_600):
        with mock.patch(f"{MARKDOWN}._SOON", soon):
            stepwise = list(render_markdown(text, 40))
        with mock.patch(f"{MARKDOWN}._SOON", 1 << 20):
            assert stepwise == list(render_markdown(text, 40))
