"""Comments in Markdown that ignore rules."""

from __future__ import annotations

import time

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.analysis import analyse
from skillstudio.text.source import Source

HEAD = "---\nname: tea\ndescription: Makes tea. Use it for tea.\n---\n"
LINK = "[a](gone.md)\n"
OTHER = "[b](lost.md)\n"
HERE = "<!-- skillstudio: ignore[link-missing] written by the build -->"
FILE = HERE.replace("ignore[", "ignore-file[")
UNUSED = "ignore-unused"

CASES: dict[str, tuple[str, list[tuple[str, int]]]] = {
    # what: (the body, which starts in line 5; the rule and line of each problem)
    "no comment": (LINK, [("link-missing", 5)]),
    "the line above": (f"{HERE}\n{LINK}", []),
    "a blank line between, as formatters like it": (f"{HERE}\n\n{LINK}", []),
    "only the next line": (f"{HERE}\n{LINK}\n{OTHER}", [("link-missing", 8)]),
    "two comments for one line": (
        f"{HERE}\n<!-- skillstudio: ignore[path-home] why -->\n{LINK.strip()} in /home/kim/x\n", []
    ),
    "its own line": (f"{LINK.strip()} {HERE}\n{OTHER}", [("link-missing", 6)]),
    "in a list": (f"- a\n  {HERE}\n- {LINK}", []),
    "without a reason, close together": (f"<!--skillstudio:ignore[link-missing]-->\n{LINK}", []),
    "several rules": (f"<!-- skillstudio: ignore[link-missing, path-home] -->\n{LINK}",
        [(UNUSED, 5)]),
    "the file": (f"{LINK}\n{FILE}\n\n{LINK}", []),
    "the file, and unused on a line": (f"{FILE}\n\n{HERE}\nText.\n{LINK}", [(UNUSED, 7)]),
    "unused": (f"{HERE}\nText.\n", [(UNUSED, 5)]),
    "unused for the file": (f"{FILE}\nText.\n", [(UNUSED, 5)]),
    "unknown": (f"<!-- skillstudio: ignore[link-mising] -->\n{LINK}",
        [(UNUSED, 5), ("link-missing", 6)]),
    "in a fence": (f"```\n{HERE}\n```\n{LINK}\n", [("link-missing", 8)]),
    "after a fence": (f"```\n{HERE}\n```\n{HERE}\n{LINK}\n", []),
    "in a code span": (f"`{HERE}` {LINK}\n", [("link-missing", 5)]),
    "security": (
        "<!-- skillstudio: ignore[character-hidden] -->\nHi\u202ethere\n",
        [(UNUSED, 5), ("character-hidden", 6)],
    ),
    "the comment of YAML": (f"# skillstudio: ignore[link-missing]\n{LINK}", [("link-missing", 6)]),
}  # fmt: skip


def problems(
    body: str, head: str = HEAD, settings: SkillSettings = NO_SETTINGS, **files: str
) -> list[tuple[str, str, int]]:
    texts = {"SKILL.md": head + body, **files}
    tree = MemoryTree({path: text.encode() for path, text in texts.items()}, "tea")
    return [
        (each.path, each.rule, Source(texts[each.path]).position((each.span or (0, 0))[0]).line)
        for each in analyse(tree, settings).diagnostics
    ]


@pytest.mark.parametrize("what", CASES)
def test_a_comment_ignores_a_rule(what: str) -> None:
    body, expected = CASES[what]
    found = [(rule, line) for _, rule, line in problems(body)]
    assert found == expected


def test_a_comment_for_the_file_reaches_its_frontmatter() -> None:
    head = HEAD.replace("description:", "licence: MIT\ndescription:")
    assert problems("Text.\n", head) == [("SKILL.md", "key-unknown", 3)]
    assert problems("<!-- skillstudio: ignore-file[key-unknown] old -->\nText.\n", head) == []


def test_lines_may_end_in_cr_lf() -> None:
    assert problems(f"{HERE}\n\n{LINK}".replace("\n", "\r\n"), HEAD.replace("\n", "\r\n")) == []


def test_a_reference_has_comments_of_its_own() -> None:
    body = "[b](references/b.md) [c](references/c.md)\n"
    files = {"references/b.md": f"{HERE}\n{LINK}", "references/c.md": f"{HERE}\nText.\n"}
    assert problems(body, **files) == [("references/c.md", UNUSED, 1)]


def test_a_setting_ignores_security_where_a_comment_cannot() -> None:
    from skillstudio.settings.settings import IgnoredRule
    from skillstudio.text.source import Position

    settings = SkillSettings(ignores=(IgnoredRule("character-hidden", "*", Position(1, 1)),))
    assert problems("Hi\u202ethere\n", settings=settings) == []


@pytest.mark.parametrize(
    "part",
    [
        "<!-- skillstudio: ignore[", "<!-- skillstudio: ignore[a]", f"{HERE}\n", f"`{HERE}",
        "# skillstudio: ignore[", f"```\n{HERE}\n```\n", f"{HERE} ",
    ],
)  # fmt: skip
def test_a_large_text_is_read_in_linear_time(part: str) -> None:
    begun = time.process_time()
    problems(part * (60_000 // len(part)))
    assert time.process_time() - begun < 2
