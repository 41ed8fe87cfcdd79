"""Options that a text passes to a script, and the script does not have."""

from __future__ import annotations

import time

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse

HEAD = "---\nname: count\ndescription: Counts words. Use it.\n---\n"
PARSER = """import argparse
p = argparse.ArgumentParser()
p.add_argument("file")
p.add_argument("--out", "-o")
p.add_argument("--verbose", action="store_true")
{more}
args = p.parse_args()
"""
COMMANDS = """import argparse
p = argparse.ArgumentParser()
s = p.add_subparsers(dest="what", required=True)
s.add_parser("words").add_argument("--limit", type=int)
s.add_parser("lines")
p.parse_args()
"""


def look(body: str, script: str = PARSER.format(more=""), **files: str) -> list[str]:
    texts = {"SKILL.md": HEAD + body, "scripts/count.py": script, **files}
    analysis = analyse(MemoryTree({path: text.encode() for path, text in texts.items()}, "count"))
    return [one.message for one in analysis.diagnostics if one.rule == "option-unknown"]


UNKNOWN = "scripts/count.py has no option"
FENCE = "```bash\n{}\n```\n"


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        ("`python3 scripts/count.py a.txt --output f`",
         [f"{UNKNOWN} --output; did you mean --out?"]),
        (FENCE.format("python3 scripts/count.py a.txt --colour=red --out f"),
         [f"{UNKNOWN} --colour; add it, or correct the command"]),
        (FENCE.format("uv run scripts/count.py a.txt \\\n  --out f \\\n  --lines"),
         [f"{UNKNOWN} --lines; add it, or correct the command"]),
        (FENCE.format("./scripts/count.py --colour a && ./scripts/count.py --colour b"),
         [f"{UNKNOWN} --colour; add it, or correct the command"]),
        (FENCE.format('python3 "${CLAUDE_SKILL_DIR}/scripts/count.py" --colour'),
         [f"{UNKNOWN} --colour; add it, or correct the command"]),
    ],
)  # fmt: skip
def test_an_option_that_the_script_does_not_have(body: str, messages: list[str]) -> None:
    assert look(body) == messages


@pytest.mark.parametrize(
    "body",
    [
        "`python3 scripts/count.py a.txt --out f --verbose --help --verb`",
        "`python3 scripts/count.py a.txt | sort --unique`",
        "`python3 scripts/count.py a.txt -- --colour`",
        "`python3 scripts/count.py a.txt; git log --oneline`",
        "`python3 scripts/count.py <file> --<flag>`",
        "`wrapper scripts/count.py --colour`",
        "scripts/count.py --colour",
        FENCE.format("python3 scripts/count.py a.txt # not --colour\ngit log --oneline"),
        "```yaml\nargs: scripts/count.py --colour\n```\n",
    ],
)
def test_what_is_no_option_of_the_script(body: str) -> None:
    assert look(body) == []


def test_commands_of_a_script() -> None:
    body = FENCE.format("python3 scripts/count.py words --limit 3\npython3 scripts/count.py lines")
    assert look(body, COMMANDS) == []
    assert look("`python3 scripts/count.py words --colour`", COMMANDS) == [
        f"{UNKNOWN} --colour; add it, or correct the command"
    ]


@pytest.mark.parametrize(
    "script",
    [
        PARSER.format(more="import sys; sys.argv.remove('x')"),
        PARSER.format(more="p.add_argument('rest', nargs=argparse.REMAINDER)"),
        PARSER.replace("parse_args", "parse_known_args").format(more=""),
        PARSER.format(more="for name in NAMES: p.add_argument(name)"),
        PARSER.format(more="add_more(p)"),
        PARSER.format(more="# --colour is added elsewhere"),
        "import click\n",
        "print(1)\n",
        "def broken(:\n",
        "",
    ],
)
def test_a_script_that_may_take_others(script: str) -> None:
    assert look("`python3 scripts/count.py a.txt --colour`", script) == []


def test_references_are_read_too() -> None:
    body = "[more](references/more.md)"
    assert look(body, **{"references/more.md": "Run `python3 scripts/count.py --colour`."}) == [
        f"{UNKNOWN} --colour; add it, or correct the command"
    ]


@pytest.mark.parametrize(
    "part",
    ["`python3 scripts/count.py --a` ", "python3 scripts/count.py ", "scripts/count.py --a "],
)
def test_hostile_texts_take_linear_time(part: str) -> None:
    start = time.process_time()
    look(part * (200_000 // len(part)))
    assert time.process_time() - start < 3
