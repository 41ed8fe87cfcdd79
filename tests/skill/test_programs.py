"""The programs of a skill, and which one a misspelt name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.skill.programs import SkillProgram, find_programs, nearest_program

PATHS = ("scripts/split.py", "scripts/join.sh", "bin/split.py", "tool")


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("split.py", "scripts/split.py"),
        ("split", "scripts/split.py"),
        ("script/split.py", "scripts/split.py"),
        ("splt.py", "scripts/split.py"),
        ("bin/splt.py", "bin/split.py"),
        ("jion.sh", "scripts/join.sh"),
        ("tol", "tool"),
        ("other.rb", None),
        ("", None),
    ],
)
def test_a_misspelt_name_means_a_program(word: str, path: str | None) -> None:
    assert nearest_program(word, PATHS) == path


def test_no_program_is_near_without_any() -> None:
    assert nearest_program("split.py", ()) is None


BROKEN = b"import json\nprint(json.dumps({)\n"
FAULT = "not valid Python 3: line 2: closing parenthesis ')' does not match opening parenthesis '{'"


def test_a_script_that_does_not_parse_is_still_a_program(tmp_path: Path) -> None:
    for path in ("scripts/broken.py", "lib/broken.py", "scripts/test_broken.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(BROKEN)
    found = find_programs(DiskTree(str(tmp_path)))
    assert found == [SkillProgram("scripts/broken.py", None, FAULT)], "only what is a program"


PRINTS = "print(1)\n"
LISTED: dict[str, tuple[dict[str, str], str]] = {
    # what: (files beside SKILL.md, what `run SKILL` lists of them)
    "in scripts": (
        {"scripts/a.py": PRINTS, "scripts/b.sh": "echo hi\n", "scripts/c.mjs": "console.log(1)\n"},
        "scripts/a.py scripts/b.sh scripts/c.mjs",
    ),
    "in bin": ({"bin/a.py": PRINTS}, "bin/a.py"),
    "elsewhere": ({"assets/a.py": PRINTS, "b.sh": "echo hi\n"}, ""),
    "elsewhere, started by SKILL.md": (
        {"assets/a.py": PRINTS, "b.sh": "echo hi\n", "lib/started.py": PRINTS},
        "b.sh lib/started.py",
    ),
    "in a mention of SKILL.md": ({"named.py": PRINTS, "other/started.pyc": ""}, ""),
    "a file with a longer name": ({"arted.py": PRINTS}, ""),
    "only definitions": ({"scripts/a.py": "import os\nX = 1\ndef f(): ...\n"}, ""),
    "only exports": ({"scripts/a.ts": "export const x = 1;\n"}, ""),
    "imported": ({"scripts/a.py": "import b\nb.f()\n", "scripts/b.py": PRINTS}, "scripts/a.py"),
    "imported from a folder": (
        {"scripts/a.py": "from lib.b import f\nf()\n", "scripts/lib/b.py": PRINTS},
        "scripts/a.py",
    ),
    "sourced": (
        {"scripts/a.sh": '. "$(dirname "$0")/b.sh"\n', "scripts/b.sh": "echo hi\n"},
        "scripts/a.sh",
    ),
    "required": (
        {"scripts/a.js": "require('./b.js');\n", "scripts/b.js": "console.log(1);\n"},
        "scripts/a.js",
    ),
    "imported, and started by SKILL.md": (
        {"scripts/a.py": "import started\nf()\n", "lib/started.py": PRINTS},
        "scripts/a.py lib/started.py",
    ),
    "no program": (
        {"scripts/__init__.py": PRINTS, "scripts/test_a.py": PRINTS, "scripts/a.txt": "a\n"},
        "",
    ),
    "executable with a line for an interpreter": (
        {"+tools/x.awk": "#!/usr/bin/awk -f\n", "scripts/x": "#!/bin/sh\n"},
        "scripts/x tools/x.awk",
    ),
    "executable in scripts": ({"+scripts/x.awk": "#!/usr/bin/awk -f\n"}, "scripts/x.awk"),
    "executable without that line": ({"+assets/a.py": PRINTS, "+bin/x": "\x7fELF"}, ""),
}
SKILL = """\
# T
Run `python3 -u ${CLAUDE_SKILL_DIR}/lib/started.py --all` or:

    bash b.sh

Read `named.py`. Not run: python3 other/started.pyc
"""


@pytest.mark.parametrize("what", LISTED)
def test_the_scripts_that_a_person_would_run_are_listed(tmp_path: Path, what: str) -> None:
    files, listed = LISTED[what]
    (tmp_path / "SKILL.md").write_text(SKILL if "SKILL.md" in what else "# T\n")
    for name, text in files.items():
        file = tmp_path / name.lstrip("+")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755 if name.startswith("+") else 0o644)
    found = find_programs(DiskTree(str(tmp_path)))
    assert [program.path for program in found] == listed.split()
