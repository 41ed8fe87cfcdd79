"""Where the parts of a SKILL.md lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillstudio.text.reading.markdown import Markdown, read_markdown
from skillstudio.text.source import Source


def read(text: str) -> Markdown:
    return read_markdown(Source(text))


def frontmatter(text: str) -> str | None:
    found = read(text)
    return text[slice(*found.frontmatter)] if found.frontmatter else None


def fences(text: str) -> list[tuple[str, str, bool, bool]]:
    return [
        (fence.info, text[slice(*fence.inner)], fence.is_closed, fence.top_level)
        for fence in read(text).fences
    ]


FRONTMATTER = [
    ("---\nname: a\n---\nBody\n", "name: a\n", "Body\n"),
    ("\ufeff---\nname: a\n---\n", "name: a\n", ""),
    ("---\r\nname: a\r\n---\r\nBody\r\n", "name: a\r\n", "Body\r\n"),
    ("---  \nname: a\n--- \t\nBody", "name: a\n", "Body"),
    ("---\nname: a\n...\nBody", "name: a\n", "Body"),
    ("---\n---\n", "", ""),
    ('---\nd: "a --- b"\n---\n', 'd: "a --- b"\n', ""),
    ("---\nd: |\n  ---\n---\n", "d: |\n  ---\n", ""),
    ("---\nd: x\n----\ny: z\n---\n", "d: x\n----\ny: z\n", ""),
    ("---\nname: a\n---", "name: a\n", ""),
    ("---\rname: a\r---\rBody", "name: a\r", "Body"),
]


@pytest.mark.parametrize(("text", "inner", "body"), FRONTMATTER)
def test_frontmatter_lies_between_the_lines_of_dashes(text: str, inner: str, body: str) -> None:
    found = read(text)
    assert frontmatter(text) == inner
    assert text[slice(*found.body)] == body
    assert text[slice(*found.opening)] == "---"
    # Some targets read neither spaces after the first line nor dots; see test_displaced.py.
    assert {fault.rule for fault in found.faults} <= {"frontmatter-line"}


@pytest.mark.parametrize(
    "text", ["", "# Title\n", "\n---\na: b\n---\n", " ---\na: b\n---\n", "----\na: b\n----\n"]
)
def test_no_frontmatter_is_a_fault_at_the_start(text: str) -> None:
    found = read(text)
    assert found.frontmatter is None
    assert [(f.rule, f.start, f.end) for f in found.faults] == [("frontmatter-missing", 0, 0)]


UNCLOSED = [
    ("---\nname: a\n\n# Title\n\nText: here it is.\n", "name: a\n"),
    ("---\nname: a\n\n# a comment\nversion: 1\n", "name: a\n\n# a comment\nversion: 1\n"),
    ("---\nname: a\n--\n\n# Title\n", "name: a\n"),
    ("---\nname: a\n\nProse that goes on.\n", "name: a\n"),
    ("---", ""),
    *((f"---\nname: a\n{line}\n\n# Title\n", "name: a\n") for line in (
        "----", "---end", "--- # end", "... end", "***", "===", "```", "~~~",
    )),
    ("---\r\nname: a\r\n--\r\n", "name: a\r\n"),
    ("---\nname: a\n\n# Title\n\nProse.\n\n---\n\n## More\n", "name: a\n"),
    ("---\r\nname: a\r\n\r\n# Title\r\n\r\nProse.\r\n\r\n---\r\n", "name: a\r\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "inner"), UNCLOSED)
def test_unclosed_frontmatter_ends_where_prose_begins(text: str, inner: str) -> None:
    found = read(text)
    assert frontmatter(text) == inner
    assert [(f.rule, f.start, f.end) for f in found.faults] == [("frontmatter-unclosed", 0, 3)]


CLOSED = [
    "name: a\n\n# a heading or a comment\n\nversion: 1\n\n",
    "name: a\n\n# a comment\n\nhalf\n",
    "name: a\n\n# a comment\nhalf\n\n",
    "name: a\n\nhalf\n\n",
    "name: |\n  # Title\n\n  Prose.\n\n",
]


@pytest.mark.parametrize("inner", CLOSED)
def test_what_may_still_be_typed_is_not_taken_for_prose(inner: str) -> None:
    text = f"---\n{inner}---\n# Title\n"
    assert read(text).faults == ()
    assert frontmatter(text) == inner


FENCES = [
    ("```json\n{}\n```\n", [("json", "{}\n", True, True)]),
    ("~~~\nx\n~~~\n", [("", "x\n", True, True)]),
    ("````md\n```json\n{}\n```\n````\n", [("md", "```json\n{}\n```\n", True, True)]),
    ("```\nx\n`````\ny", [("", "x\n", True, True)]),
    ("````\nx\n```\n", [("", "x\n```\n", False, True)]),
    ("```\nx\n~~~\n```\n", [("", "x\n~~~\n", True, True)]),
    ("``` a b  \nx\n```  \n", [("a b", "x\n", True, True)]),
    ("``` a`b\nx\n", []),
    ("~~~ a`b\nx\n~~~\n", [("a`b", "x\n", True, True)]),
    ("   ```x\na\n   ```\n", [("x", "a\n", True, True)]),
    ("    ```x\n    a\n    ```\n", []),
    ("```\nx\n    ```\n```\n", [("", "x\n    ```\n", True, True)]),
    ("```x", [("x", "", False, True)]),
    ("``\nx\n``\n", []),
    ("text ```x\n", []),
    ("- item\n\n  ```x\n  a\n  ```\n", [("x", "  a\n", True, False)]),
    ("- ```x\n  a\n  ```\n", [("x", "  a\n", True, False)]),
    ("1. item\n   ```x\n   a\n   ```\n\n```y\n```\n",
     [("x", "   a\n", True, False), ("y", "", True, True)]),
    ("- ```x\n  a\nout\n", [("x", "  a\n", False, False)]),
    ("> ```x\n> a\n> ```\n", [("x", "> a\n", True, False)]),
    ("> ```x\n> a\nout\n", [("x", "> a\n", False, False)]),
    ("- item\n\ntext\n\n```x\n```\n", [("x", "", True, True)]),
    ("<!--\n```x\n```\n-->\n```y\n```\n", [("y", "", True, True)]),
    ("<!-- c -->\n```y\n```\n", [("y", "", True, True)]),
    ("<pre>\n```x\n```\n</pre>\n", []),
    ("<details>\n\n```x\n```\n</details>\n", [("x", "", True, True)]),
    ("```x\r\na\r\n```\r\n", [("x", "a\r\n", True, True)]),
    ("---\na: |\n  ```x\n---\n```y\n```\n", [("y", "", True, True)]),
    ("a\nb\n- c\nd\n\n  ```x\n  ```\n", [("x", "", True, False)]),
    ("````x\na ```\n    ````\n```\n````\nb\n", [("x", "a ```\n    ````\n```\n", True, True)]),
    ("```x\ra\rb ``` c\r```\r```y\n", [("x", "a\rb ``` c\r", True, True), ("y", "", False, True)]),
    ("a\n<b>\n```x\nb\n", [("x", "b\n", False, True)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), FENCES)
def test_fences(text: str, found: list[tuple[str, str, bool, bool]]) -> None:
    assert fences(text) == found


def test_the_opening_of_a_fence_runs_from_its_first_mark_to_the_end_of_the_text() -> None:
    text = "a\n\n  ```skill-manifest  \n{}\n  ```\n"
    (fence,) = read(text).fences
    assert text[slice(*fence.opening_line)] == "```skill-manifest"


PIECES = ["---", "\n", "\r\n", "```", "~~~", "````", " ", "   ", "- ", "1. ", "> ", "<!--", "-->",
          "name: a", "...", "\ufeff", "#", "\t", "<pre>", "json", "\u2028"]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
@example("---\nname: a\n---\n# A\n```json\n1\n```\n")
def test_any_text_is_read_and_its_parts_lie_in_order(text: str) -> None:
    found = read(text)
    assert 0 <= found.opening.start <= found.opening.end <= found.body.start <= len(text)
    assert found.body.end == len(text)
    if found.frontmatter:
        assert found.opening.end <= found.frontmatter.start <= found.frontmatter.end
        assert found.frontmatter.end <= found.body.start
    at = found.body.start
    for fence in found.fences:
        assert at <= fence.opening_line.start < fence.opening_line.end <= fence.inner.start
        assert fence.inner.start <= fence.inner.end <= len(text)
        assert text[fence.opening_line.start] in "`~"
        at = fence.inner.end


@pytest.mark.slow
def test_fences_of_real_skills_are_those_of_a_commonmark_parser(data: Path) -> None:
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark")
    files = sorted((data / "corpus").rglob("*.md"))
    assert files
    for file in files:
        source = Source(file.read_bytes().decode("utf-8", "replace"), str(file))
        found = read_markdown(source)
        first = source.position(found.body.start).line
        expected = [
            (token.map[0] + first, token.info.strip(), token.level == 0)
            for token in parser.parse(source.text[slice(*found.body)])
            if token.type == "fence"
        ]
        own = [
            (source.position(fence.opening_line.start).line, fence.info, fence.top_level)
            for fence in found.fences
        ]
        assert own == expected, file
