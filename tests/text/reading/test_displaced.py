"""Frontmatter that does not start a file, and what its fix makes of it."""

from __future__ import annotations

import pytest

from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.source import Source

KEYS = "name: a\ndescription: D.\n"
GOOD = f"---\n{KEYS}---\nb\n"


@pytest.mark.parametrize(
    ("text", "fixed", "words"),
    [
        (f"\n\n{GOOD}", GOOD, "remove what is before it"),
        (f"\ufeff\n{GOOD}", f"\ufeff{GOOD}", "remove what is before it"),
        (f"\r\n{GOOD}", GOOD, "remove what is before it"),
        (f" ---\n{KEYS} ---\nb\n", GOOD, "remove what is before it"),
        (f"<!-- c -->\n{GOOD}", f"---\n{KEYS}---\n\n<!-- c -->\nb\n", "move the comment below it"),
        (f"```yaml\n---\n{KEYS}---\n```\nb\n", GOOD, "remove the fence"),
        (f"~~~\n---\n{KEYS}---\nb\n~~~\n", GOOD, "remove the fence"),
        (f"```yml\n{KEYS}```\nb\n", GOOD, "write --- lines instead of the fence"),
        (f"{KEYS}---\nb\n", GOOD, "above the first key is missing"),
        (f"----\n{KEYS}-----\nb\n", GOOD, "three dashes"),
    ],
)
def test_frontmatter_at_another_place(text: str, fixed: str, words: str) -> None:
    (fault,) = read_markdown(Source(text, "SKILL.md")).faults
    assert fault.rule == "frontmatter-missing"
    assert words in fault.message
    assert fault.safe
    for start, end, new in sorted(fault.edits, reverse=True):
        text = text[:start] + new + text[end:]
    assert text == fixed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\n",
        "\n\n# Title\n\n---\nname: a\n",
        "<!-- c --># Title\n",
        "<!-- c -->\n---\n\nA rule.\n\n---\n",
        "```yaml\nkey: 1\n```\n",
        "```\nname: a\n",
        "```python\nname: a\n```\n",
        "name: a\n",
        "Name: a\n---\n",
        "----\n\nA rule.\n\n----\n",
        "+++\nname = 'a'\n+++\n",
        "-- \nname: a\n--\n",
        "\n" * 20_000 + GOOD,
    ],
)
def test_texts_without_frontmatter(text: str) -> None:
    (fault,) = read_markdown(Source(text, "SKILL.md")).faults
    assert (fault.rule, fault.edits) == ("frontmatter-missing", ())


@pytest.mark.parametrize(
    ("text", "rule", "fixed"),
    [
        (f"---  \n{KEYS}---\nb\n", "frontmatter-line", GOOD),
        (f"---\t\r\n{KEYS}---\nb\n", "frontmatter-line", GOOD.replace("---\n", "---\r\n", 1)),
        (f"---\n{KEYS}...\nb\n", "frontmatter-line", GOOD),
        ("---\nname： a\ndescription：D.\n---\nb\n", "syntax-yaml", GOOD),
        (GOOD.replace("D.", "D：E"), None, ""),
        (GOOD, None, ""),
        (f"---\n{KEYS}---  \nb\n", None, ""),
    ],
)
def test_lines_that_some_targets_do_not_read(text: str, rule: str | None, fixed: str) -> None:
    faults = read_markdown(Source(text, "SKILL.md")).faults
    assert [fault.rule for fault in faults] == ([] if rule is None else [rule])
    for fault in faults:
        for start, end, new in sorted(fault.edits, reverse=True):
            text = text[:start] + new + text[end:]
        assert text == fixed
