"""A script that a skill starts by its path can be started so."""

from __future__ import annotations

import os
import time

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse

RULES = {"script-not-executable", "script-crlf", "script-prompts", "file-missing"}
HEAD = "---\nname: inv\ndescription: Checks invoices. Use for them.\n---\n\n# Invoices\n\n"
FILES = {
    "scripts/go.sh": "#!/bin/sh\n",
    "scripts/ready.sh": "#!/bin/sh\n",
    "scripts/sum.py": "print(1)\n",
    "references/a.md": "# A\n",
}


def look(body: str, **files: str) -> list[str]:
    """The problems in a skill whose scripts/ready.sh alone is executable."""
    texts = {**FILES, **files, "SKILL.md": HEAD + body}
    data = {path: text.encode() for path, text in texts.items()}
    analysis = analyse(MemoryTree(data, "inv", ("scripts/ready.sh",)))
    return [
        f"{each.rule} {each.severity}: {each.message}"
        for each in analysis.diagnostics
        if each.rule in RULES
    ]


def plain(path: str, program: str) -> str:
    return (
        f"script-not-executable warning: {path} is started directly and has no execute bit; use "
        f"chmod +x or git update-index --chmod=+x, or start it with {program}"
    )


GO = plain("scripts/go.sh", "bash")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no execute bits")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Run `./scripts/go.sh`.", [GO]),
        ("Then `scripts/go.sh all`.", [GO]),
        ("Run `${CLAUDE_SKILL_DIR}/scripts/go.sh`.", [GO]),
        ("State: !`${CLAUDE_SKILL_DIR}/scripts/go.sh`", [GO]),
        ("```bash\n./scripts/go.sh\nscripts/go.sh again\n```", [GO]),
        ("```sh\nls && ./scripts/go.sh\n```", [GO]),
        ("```sh\nDEBUG=1 \"${CLAUDE_SKILL_DIR}/scripts/go.sh\" a\n```", [GO]),
        ("```console\n$ scripts/sum.py a\n```", [plain("scripts/sum.py", "python3")]),
        ("```!\n{baseDir}/scripts/go.sh\n```", [GO]),
    ],
)  # fmt: skip
def test_a_script_without_the_execute_bit(body: str, expected: list[str]) -> None:
    assert look(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "Run `./scripts/ready.sh`.",
        "Run `bash scripts/go.sh all`, `sh ./scripts/go.sh`.",
        "```bash\nbash scripts/go.sh\npython3 scripts/sum.py\nsource scripts/go.sh\n```",
        "```bash\nchmod +x scripts/*.sh\n./scripts/go.sh\n```",
        "`scripts/go.sh`, `./scripts/go.sh` and [it](scripts/go.sh) do it. Run `scripts/sum.py`.",
        "Run `python3 scripts/sum.py a`; `scripts/sum.py --help` explains it.",
        "```\n./scripts/go.sh\n```",
        "```python\nscripts/go.sh\n```",
        "```bash\ncat scripts/go.sh\nmy/scripts/go.sh\nscripts/go.sh.bak\n```",
        "./scripts/go.sh",
        "Run `./references/a.md`.",
    ],
)
def test_what_starts_no_script_directly(body: str) -> None:
    assert look(body) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no execute bits")
def test_a_reference_that_is_led_to_counts() -> None:
    files = {"references/a.md": "Run `./scripts/go.sh`.\n"}
    assert look("See [a](references/a.md).", **files) == [GO]
    assert look("Nothing.", **files) == []
    assert look("See [a](references/a.md). First `chmod +x scripts/go.sh`.", **files) == []


@pytest.mark.parametrize(
    ("text", "is_reported"),
    [
        ("#!/bin/sh\r\necho\r\n", True),
        ("#!/bin/sh\necho\r\n", False),
        ("echo\r\n", False),
        ("#!/bin/sh", False),
    ],
)
def test_an_interpreter_line_with_crlf(text: str, is_reported: bool) -> None:
    problems = look("", **{"scripts/go.sh": text})
    assert [each.partition(" ")[0] for each in problems] == ["script-crlf"] * is_reported


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("State: !`bash ${CLAUDE_SKILL_DIR}/scripts/x1.sh`", ["scripts/x1.sh"]),
        ("State: !`${CLAUDE_SKILL_DIR}/scripts/x1.sh --now`", ["scripts/x1.sh"]),
        ("State: !`./scripts/x1.sh --now`", ["scripts/x1.sh"]),
        ("```!\nbash scripts/x1.sh\n${CLAUDE_SKILL_DIR}/tools/x2\n```", ["scripts/x1.sh"]),
        ("State: !`git status`", []),
    ],
)
def test_a_missing_script_of_an_injected_command(body: str, missing: list[str]) -> None:
    expected = [f"file-missing warning: the skill has no file {path}" for path in missing]
    assert [each.partition(";")[0] for each in look(body)] == expected


PROMPT = "script-prompts warning: this asks at a terminal"


@pytest.mark.parametrize(
    ("path", "script"),
    [
        ("scripts/go.sh", 'read -p "Continue? (y/n) " answer\n'),
        ("scripts/go.sh", '#!/bin/bash\nif true; then\n  read -rp "Name: " NAME\nfi\n'),
        ("scripts/go.sh", 'read -p "Sure? " -n 1 -r\nread -p "Really? "\n'),
        ("scripts/go", '#!/usr/bin/env bash\nread -s -p "Password: " word\n'),
        ("scripts/sum.py", "answer = input('Continue? ')\n"),
        ("scripts/sum.py", "import getpass\nkey = getpass.getpass('Key: ')\n"),
        ("scripts/go.mjs", "rl.question('Continue? ', (answer) => go(answer));\n"),
    ],
)
def test_a_script_that_asks(path: str, script: str) -> None:
    problems = look(f"It is in `{path}`.", **{path: script})
    assert [each.partition(",")[0] for each in problems] == [PROMPT]


@pytest.mark.parametrize(
    ("path", "script"),
    [
        ("scripts/go.sh", "while read -r line; do echo; done\nread -r first < in.txt\n"),
        ("scripts/go.sh", 'if [ -t 0 ]; then\n  read -p "Continue? " answer\nfi\n'),
        ("scripts/go.sh", '[ "$1" = --yes ] || read -p "Sure? " a\nread -p "Sure? " b\n'),
        ("scripts/go.sh", 'if [ -z "$NAME" ]; then\n  read -p "Name: " NAME\nfi\n'),
        ("scripts/go.sh", "cat > a.sh <<'E'\nread -p \"Name: \" NAME\nE\n"),
        ("scripts/go.sh", '# read -p "x"\necho "read -p x"\nread -t 5 -p "x " y\n'),
        ("scripts/sum.py", "import sys\nif sys.stdin.isatty():\n    input('x')\n"),
        ("scripts/sum.py", "name = args.name or input('Name: ')\n"),
        ("scripts/sum.py", "if not args.name:\n    args.name = input('Name: ')\n"),
        ("scripts/sum.py", "try:\n    a = input('Name: ')\nexcept Exception:\n    a = ''\n"),
        ("scripts/sum.py", "def input(x): return x\ninput('Name')\n"),
        ("scripts/sum.py", 'CODE = """\nx = input(1)\n"""\nmodel.input(1)\n'),
        ("scripts/sum.py", "input('\n"),
        ("templates/go.sh", 'read -p "Name: " NAME\n'),
    ],
)
def test_a_script_that_needs_no_terminal(path: str, script: str) -> None:
    assert look(f"It is in `{path}`.", **{path: script}) == []


@pytest.mark.parametrize(
    "body",
    [
        "No scripts.",
        "For people: the interactive `scripts/go.sh`.",
        "```bash\necho y | bash scripts/go.sh\n```",
        "```bash\nbash scripts/go.sh <<< y\n```",
    ],
)
def test_a_script_that_agents_need_not_answer(body: str) -> None:
    assert look(body, **{"scripts/go.sh": 'read -p "Sure? " a\n'}) == []


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        *(("scripts/go.sh", unit) for unit in ("read -p -x ", "a <<X1\n", "read -p x\n<", "-t ")),
        ("scripts/sum.py", "if not a: input()\n"),
        *(
            ("scripts/sum.py", unit)
            for unit in ("input(", "x or input()\n", "if not a:\n  x\nel", "-(")
        ),
    ],
)
def test_hostile_scripts_take_linear_time(path: str, unit: str) -> None:
    start = time.process_time()
    end = "input('')\n" if path.endswith("py") else "read -p x y\n"
    look(f"`{path}` " * 1_000, **{path: unit * (100_000 // len(unit)) + end})
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    "unit",
    ["`scripts/go.sh x` ", "scripts/go.sh ", "```sh\n./scripts/go.sh", "A=a A=a `", "$ ", "bash "],
)
def test_hostile_texts_take_linear_time(unit: str) -> None:
    start = time.process_time()
    look(unit * (200_000 // len(unit)) + "\npython3 scripts/go.sh\n")
    assert time.process_time() - start < 3
