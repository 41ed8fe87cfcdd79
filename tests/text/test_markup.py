"""Text from outside shows as itself in Markdown and in HTML."""

from __future__ import annotations

import re

import pytest

from skillstudio.text.markup import html_text, markdown_text, uncalling


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("topic is new", "topic is new"),
        ('a takes another type: "string"', 'a takes another type: "string"'),
        ("<img src=x>", r"\<img src=x\>"),
        ("&lt;", r"\&lt;"),
        ("[x](http://y)", r"\[x\](http://y)"),
        ("**bold** _it_ ~~gone~~ `code`", r"\*\*bold\*\* \_it\_ \~\~gone\~\~ \`code\`"),
        ("a | b", r"a \| b"),
        ("$x$", r"\$x\$"),
        ("\\", r"\\"),
        ("# heading", r"\# heading"),
        ("   # heading", r"\# heading"),
        ("- item", r"\- item"),
        ("+ item", r"\+ item"),
        ("1. item", r"1\. item"),
        ("12) item", r"12\) item"),
        ("=====", r"\====="),
        ("one\n# two", "one␊# two"),
        ("\x1b[31m\u202e", "␛\\[31m\\<U+202E\\>"),
        ("", ""),
    ],
)
def test_nothing_is_markup(text: str, shown: str) -> None:
    assert markdown_text(text) == shown
    unescaped = re.sub(r"\\(.)", r"\1", shown)
    assert "\n" not in unescaped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@team #12 e@x.org", "@\u2060team #\u206012 e@\u2060x.org"),
        ("http://y and www.y", "http:\u2060//y and www\u2060.y"),
        ("a: b, a @ b", "a: b, a @ b"),
    ],
)
def test_nothing_calls_a_person_or_a_page(text: str, shown: str) -> None:
    assert uncalling(text) == shown


def test_html_holds_no_tag_and_no_entity() -> None:
    assert html_text('<b a="c">&amp;\n@team') == ("&lt;b a=&quot;c&quot;&gt;&amp;amp;␊@\u2060team")
