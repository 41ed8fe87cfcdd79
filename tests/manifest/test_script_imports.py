"""Scripts that load code from outside the skill."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskSnapshot
from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import Analysis, analyse

HEAD = "---\nname: tea\ndescription: Makes tea. Use it.\n---\n"
IMPORT = "import os, sys\nfrom pathlib import Path\n"


def look(path: str, script: str, body: str = "") -> list[str]:
    files = {"SKILL.md": HEAD + (body or f"Run `{path}` by its program.\n"), path: script}
    return places(analyse(MemoryTree({p: t.encode() for p, t in files.items()}, "tea")))


def places(analysis: Analysis) -> list[str]:
    found = (one for one in analysis.diagnostics if one.rule == "import-outside")
    return [
        f"{one.severity} {one.message.split(', outside')[0].split(' from ')[1]}" for one in found
    ]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("sys.path.insert(0, str(Path(__file__).parent.parent.parent))", ".."),
        ("sys.path.append(str(Path(__file__).resolve().parents[2] / 'shared'))", "../shared"),
        ("sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../..', 'lib'))", "../lib"),
        ("HERE = Path(__file__).resolve().parent\nROOT = HERE.parent.parent\n"
         "sys.path.insert(0, str(ROOT / 'a' / 'b'))", "../a/b"),
        ("sys.path.insert(0, os.path.abspath(os.path.dirname(__file__) + '')) if 0 else None\n"
         "sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(__file__))))", ".."),
    ],
)  # fmt: skip
def test_python_that_leaves_the_skill(line: str, place: str) -> None:
    assert look("scripts/go.py", IMPORT + line) == [f"warning {place}"]


@pytest.mark.parametrize(
    "line",
    [
        "sys.path.insert(0, str(Path(__file__).parent.parent))",
        "sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'lib'))",
        "sys.path.insert(0, str(Path.home() / 'lib'))",
        "sys.path.insert(0, sys.argv[1])",
        "sys.path.insert(0, '/opt/lib')",
        "if Path('x').exists():\n    sys.path.insert(0, str(Path(__file__).parents[3]))",
        "A = B\nB = A\nsys.path.insert(0, str(A))",
        "sys.path.insert(0, str(Path(__file__).parents[-1]))",
        "def broken(:",
    ],
)
def test_python_that_stays_or_may_stay(line: str) -> None:
    assert look("scripts/go.py", IMPORT + line) == []


@pytest.mark.parametrize(
    ("path", "line", "found"),
    [
        ("scripts/go.mjs", 'import { a } from "../../shared/a.mjs";', ["warning ../shared/a.mjs"]),
        ("scripts/go.js", "const a = require('../../lib/a');", ["warning ../lib/a"]),
        ("scripts/go.mjs", 'import "../lib/a.mjs";', []),
        ("scripts/go.js", "// see ../../lib/a", []),
        ("scripts/go.sh", 'source "$(dirname "$0")/../../lib.sh"', ["warning ../lib.sh"]),
        ("scripts/go.sh", '. "${SCRIPT_DIR}/../lib.sh"', []),
        ("tests/go.sh", 'source "$(dirname "$0")/../../lib.sh"', []),
    ],
)
def test_other_languages(path: str, line: str, found: list[str]) -> None:
    assert look(path, f"{line}\n") == found


def test_a_script_that_nothing_names_is_the_authors_own() -> None:
    assert (
        look("scripts/go.py", f"{IMPORT}sys.path.insert(0, str(Path(__file__).parents[3]))", "Do.")
        == []
    )


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ("skills/pay/SKILL.md", "info ../pay/scripts"),
        (".claude-plugin/plugin.json", "info ../pay/scripts"),
        ("other.txt", "warning ../pay/scripts"),
    ],
)
def test_code_of_another_skill_or_the_plugin(tmp_path: Path, manifest: str, expected: str) -> None:
    line = "sys.path.append(str(Path(__file__).parents[2] / 'pay/scripts'))"
    files = {
        "skills/tea/SKILL.md": HEAD + "Run `python3 scripts/go.py`.\n",
        "skills/tea/scripts/go.py": IMPORT + line,
        "skills/pay/scripts/pay.py": "",
        ".git/HEAD": "",
        manifest: '{"name": "kit"}',
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert places(analyse(DiskSnapshot(tmp_path / "skills/tea"))) == [expected]


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("a.py", "sys.path.insert(0, str(Path(__file__).parent))\n"),
        ("a.js", "import from "),
        ("a.js", "require('../"),
        ("a.sh", 'source "$(dirname '),
    ],
)
def test_hostile_scripts_take_linear_time(path: str, part: str) -> None:
    start = time.process_time()
    look(f"scripts/{path}", part * (200_000 // len(part)))
    assert time.process_time() - start < 3
