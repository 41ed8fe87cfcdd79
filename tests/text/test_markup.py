"""Text from outside shows as itself in Markdown and in HTML."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from skillstudio.text.markup import break_mentions, github_text, html_text, markdown_text
from skillstudio.text.safe import safe_text

ESCAPED = [
    ("<img src=x>", r"\<img src=x>"),
    ("</b> <!-- x --> <?php", r"\</b> \<!-- x --> \<?php"),
    ("<", r"\<"),
    ("&lt; &#60;", r"\&lt; \&#60;"),
    ("[x](http://y)", r"\[x\](http://y)"),
    ("![x][y]", r"!\[x\]\[y\]"),
    ("**bold** _it_ ~~gone~~ `code`", r"\*\*bold\*\* \_it\_ \~\~gone\~\~ \`code\`"),
    ("a*b* __init__", r"a\*b\* \_\_init\_\_"),
    ('_a "b_" c_', r'\_a "b\_" c\_'),
    ("a | b", r"a \| b"),
    (r"\*", r"\\\*"),
    (r"\. \_ \\", r"\\. \\\_ \\\\"),
    ("\\", r"\\"),
    ("# heading", r"\# heading"),
    ("   ## heading", r"\## heading"),
    ("#", r"\#"),
    ("> quotation", r"\> quotation"),
    ("- item", r"\- item"),
    ("+ item", r"\+ item"),
    ("* item", r"\* item"),
    ("-", r"\-"),
    ("1. item", r"1\. item"),
    ("12) item", r"12\) item"),
    ("=====", r"\====="),
    ("---", r"\---"),
    ("- - -", r"\- - -"),
    (":-:", r"\:-:"),
    ("~~~", r"\~\~\~"),
    ("\x1b[31m\u202e", "␛\\[31m\\<U+202E>"),
]
"""What would be markup, and what is written for it."""
PLAIN = [
    "",
    "topic is new",
    'a takes another type: "string"',
    "session_date became topic__name",
    "a * b _ c",
    "costs $5, in $HOME, $x$",
    r"^\d{4}-\w+$",
    "a < b > c <= d -> e",
    "a & b && c",
    "#12 C# a#b",
    "-f and +x",
    "1.0.0 became 2.0.0",
    "1234567890. item",
    "a - b + c = d: e",
    "(a) {b} a.b! c/d",
]
"""What is no markup where it stands, and is written as it is."""


@pytest.mark.parametrize(("text", "written"), ESCAPED)
def test_markup_is_escaped(text: str, written: str) -> None:
    assert markdown_text(text) == written


@pytest.mark.parametrize("text", PLAIN)
def test_no_more_is_escaped_than_has_to_be(text: str) -> None:
    assert markdown_text(text) == text


def test_a_text_stays_on_one_line() -> None:
    assert markdown_text("one\n# two") == "one␊# two"


TEXTS = st.lists(
    st.sampled_from(
        [*"\\`*_[]()<>|~&$#+-=:.!01ab é\"'^ \n", "http://x", "1. ", "&lt;", "```", "<b>"]
    ),
    min_size=1,
    max_size=9,
).map("".join)
LINES = [
    ("{}\n", "<p>{}</p>\n"),
    ("- {}\n", "<ul>\n<li>{}</li>\n</ul>\n"),
    ("before\n{}\n", "<p>before\n{}</p>\n"),
    ("- **Breaking:** {}\n", "<ul>\n<li><strong>Breaking:</strong> {}</li>\n</ul>\n"),
]
"""Markdown in which a text stands, and what is shown for it."""


@pytest.mark.parametrize(("line", "shown"), LINES)
@pytest.mark.parametrize("more", [[], ["table", "strikethrough"]], ids=["commonmark", "github"])
@given(text=TEXTS)
def test_a_reader_of_markdown_shows_the_text_itself(
    line: str, shown: str, more: list[str], text: str
) -> None:
    itself = safe_text(text).strip()
    assume(itself)
    reader = MarkdownIt("commonmark").enable(more)
    assert reader.render(line.format(markdown_text(text))) == shown.format(_as_html(itself))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("costs $5 and $x$", r"costs \$5 and \$x\$"),
        ("*@team* www.y", "\\*@\u2060team\\* www\u2060.y"),
    ],
)
def test_a_comment_holds_neither_a_formula_nor_a_call(text: str, written: str) -> None:
    assert github_text(text) == written


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@team #12 e@x.org", "@\u2060team #\u206012 e@\u2060x.org"),
        ("http://y and www.y", "http:\u2060//y and www\u2060.y"),
        ("a: b, a @ b", "a: b, a @ b"),
    ],
)
def test_nothing_calls_a_person_or_a_page(text: str, shown: str) -> None:
    assert break_mentions(text) == shown


def test_html_holds_no_tag_and_no_entity() -> None:
    assert html_text('<b a="c">&amp;\n@team') == ("&lt;b a=&quot;c&quot;&gt;&amp;amp;␊@\u2060team")


def _as_html(text: str) -> str:
    return escape(text).replace("&#x27;", "'")
