"""The commands that Claude Code runs when it starts a skill, and what it makes of them."""

from __future__ import annotations

import time

import pytest

from skillstudio.manifest.injected import MAX_COMMANDS, aborts, fill_arguments, find_injected
from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.source import Source

HEAD = "---\nname: a\nother: '!`front`'\n---\n"


def commands(body: str) -> list[str]:
    """Each command with the place that names it."""
    found = find_injected(read_markdown(Source(HEAD + body, "SKILL.md")))
    return [f"{each.name.removeprefix('SKILL.md:')} {each.command}" for each in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Branch: !`git status`", ["5 git status"]),
        ("!`a b` and !`c`\n\n- !`d`", ["5 a b", "5:12 c", "7 d"]),
        ("\t!`a`\r\n!`b`\r\n", ["5 a", "6 b"]),
        ("!`a\nb`", ["5 a\nb"]),
        ("```!\na\nb\n```\n", ["5 a\nb"]),
        ("```!\r\na\r\nb\r\n```\r\n", ["5 a\nb"]),
        ("```! \n\n  a\n```\n!`b`", ["5 a", "9 b"]),
        ("- item\n  ```!\n  a\n  ```\n", ["6 a"]),
        ("```!\necho !`a`\n```\n", ["5 echo !`a`"]),
        # It reads no Markdown: a fenced block and a longer code span do not protect.
        ("```markdown\n- !`gh pr diff`\n```\n", ["6 gh pr diff"]),
        ("````markdown\n```!\na\n```\n````\n", ["6 a"]),
        ("Write `` !`a` `` for it.", ["5 a"]),
        ("Files of `.gitignore !`-rules, as `a/.gitkeep`", ["5 -rules, as"]),
        # These are not injected.
        ("KEY=!`a`, \\!`b`, (!`c`), `!`d``, ! `e`", []),
        ("`a` and ``b``", []),
        ("```bash\na\n```\n", []),
        ("~~~!\na\n~~~\n", []),
        ("``` !\na\n```\n", []),
        ("!``, !` `, ```!\n\n```", []),
        ("!`a", []),
        ("```!\na\n", []),
        ("```!\n!`a` without an end", ["6 a"]),
        ("", []),
    ],
)  # fmt: skip
def test_what_is_injected(body: str, expected: list[str]) -> None:
    assert commands(body) == expected


def test_examples_are_those_in_ordinary_blocks() -> None:
    body = "!`a`\n```yaml\n!`b`\n```\n```!\nc\n```\n"
    found = find_injected(read_markdown(Source(HEAD + body, "SKILL.md")))
    assert [each.command for each in found if each.is_example] == ["b"]


@pytest.mark.parametrize(
    "body",
    [
        " !`" * 300_000,
        "```!" * 250_000,
        " !`a" * 250_000,
        "```!\n" * 150_000 + " !`" * 100_000,
        "!" * 1_000_000,
        " !`a`" * 200_000,
    ],
)
def test_a_hostile_text_takes_linear_time(body: str) -> None:
    markdown = read_markdown(Source(HEAD + body, "SKILL.md"))
    start = time.process_time()
    assert len(find_injected(markdown)) <= MAX_COMMANDS
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("command", "words", "expected"),
    [
        ("echo $ARGUMENTS", ["a", "b"], "echo a b"),
        ("echo $ARGUMENTS", ["a b", "c"], 'echo "a b" c'),
        ("echo $ARGUMENTS.", [], "echo ."),
        ("echo $0 ${1} $1", ["a", "b"], "echo a ${1} b"),
        ("echo $ARGUMENTS[1] $0x $10 $ARGUMENTSX", ["a", "b"], "echo b $0x $10 $ARGUMENTSX"),
        ("echo $1 $ARGUMENTS[7]", ["a"], "echo $1 $ARGUMENTS[7]"),
        (
            r"awk '{print \$1}' \$ARGUMENTS \$HOME",
            ["a", "b"],
            r"awk '{print $1}' $ARGUMENTS \$HOME",
        ),
        ("echo $topic $kind $HOME", ["tea", "b"], "echo tea $kind $HOME"),
        ("echo $0", ["$1", "b"], "echo $1"),
    ],
)
def test_arguments_are_filled_in(command: str, words: list[str], expected: str) -> None:
    assert fill_arguments(command, words, ["topic"]) == expected


@pytest.mark.parametrize(
    ("command", "exit_code", "expected"),
    [
        ("false", 0, False),
        ("false", 1, True),
        ("grep a b", 1, False),
        ("grep a b", 2, True),
        ("/usr/bin/grep a b", 1, False),
        ("cat a | rg b", 1, False),
        ("grep a b | head", 1, True),
        ("diff a b", 1, False),
        ("git diff --exit-code", 1, True),
        ("[ -f a ]", 1, False),
        ("cd x\ntest -f a", 1, False),
        ('grep "$(cat p)" f', 1, False),
        ('echo "$(grep a b)"', 1, True),
        ("$TOOL a", 1, True),
        ("sleep 9", None, True),
        ("'", 1, True),
    ],
)
def test_what_aborts_the_skill(command: str, exit_code: int | None, expected: bool) -> None:
    assert aborts(command, exit_code) is expected
