"""What may be imported, when, and on which system."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import skillstudio

ROOT = Path(skillstudio.__file__).parent
MODULES = sorted(
    "skillstudio." + ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in ROOT.rglob("*.py")
    if path.stem not in ("__init__", "__main__")
)
HEAVY = [
    "textual",
    "rich",
    "pygments",
    "watchfiles",
    "platformdirs",
    "tomlkit",
    "semver",
    "importlib.metadata",
    "jsonschema",
    "packaging",
    "asyncio",
]


def python(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_check_imports_nothing_heavy(tmp_path: Path) -> None:
    skill = tmp_path / "plain"
    skill.mkdir()
    text = "---\nname: plain\ndescription: Says things. Use when things are said.\n---\nSay.\n"
    (skill / "SKILL.md").write_text(text)
    code = (
        "import sys, json; from skillstudio.cli.main import main; main(['check', sys.argv[1]]);"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    assert json.loads(python(code, str(skill)).splitlines()[-1]) == []


def test_a_check_of_one_dialect_leaves_the_others_alone(tmp_path: Path) -> None:
    skill = tmp_path / "plain"
    skill.mkdir()
    text = "---\nname: plain\ndescription: Says things. Use when things are said.\n---\nSay.\n"
    (skill / "SKILL.md").write_text(text)
    code = (
        "import sys, json; from skillstudio.cli.main import main; main(['check', sys.argv[1]]);"
        "print(json.dumps([n for n in sys.modules if n.endswith('.rules')]))"
    )
    loaded = json.loads(python(code, str(skill)).splitlines()[-1])
    assert loaded == ["skillstudio.manifest.agent_skills.rules"]


def test_a_plan_of_a_folder_searches_and_compares_no_versions(tmp_path: Path) -> None:
    skill = tmp_path / "plain"
    (skill / "scripts").mkdir(parents=True)
    text = "---\nname: plain\ndescription: Says things. Use when things are said.\n---\nSay.\n"
    (skill / "SKILL.md").write_text(text)
    (skill / "scripts" / "say.sh").write_text("#!/bin/sh\necho said\n")
    code = (
        "import sys, json; from skillstudio.cli.main import main;"
        "status = main(['plan', sys.argv[1], 'scripts/say.sh']);"
        "print(json.dumps([status, *sys.modules]))"
    )
    status, *loaded = json.loads(python(code, str(skill)).splitlines()[-1])
    versions = {name for name in loaded if name.startswith("skillstudio.skill.versions.")}
    assert status == 0
    assert {name.rpartition(".")[2] for name in versions} == {"operand", "operands", "reading"}
    assert not {"skillstudio.cli.compared", "skillstudio.interface.compare"} & set(loaded)
    assert not any(name.startswith("skillstudio.skill.hashing.") for name in loaded)


def test_a_comparison_of_two_folders_imports_nothing_it_does_not_need(tmp_path: Path) -> None:
    for name, version in (("old", "1.0.0"), ("new", "1.1.0")):
        skill = tmp_path / name / "plain"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(
            f'---\nmanifest_version: "1.0"\nname: plain\nversion: {version}\n'
            "description: Says things. Use when things are said.\n---\nSay.\n"
        )
    unneeded = [
        *HEAVY,
        "concurrent.futures",
        "difflib",
        "pathspec",
        "rfc8785",
        "subprocess",
        "tarfile",
        "zipfile",
        "skillstudio.files.repository",
        "skillstudio.settings.read",
        "skillstudio.skill.hashing.same_files",
        "skillstudio.skill.versions.impact",
        "skillstudio.skill.versions.names",
        "skillstudio.skill.versions.revisions",
        "skillstudio.text.reading.fences",
        "skillstudio.text.reading.json",
        "skillstudio.text.reading.toml",
        "skillstudio.text.reading.unclosed",
    ]
    code = (
        "import sys, json; from skillstudio.cli.main import main; main(['diff', *sys.argv[1:]]);"
        f"print(json.dumps([name for name in {unneeded!r} if name in sys.modules]))"
    )
    olds_and_news = (str(tmp_path / name / "plain") for name in ("old", "new"))
    assert json.loads(python(code, *olds_and_news).splitlines()[-1]) == []


def test_the_version_imports_no_room() -> None:
    code = (
        "import sys, json; from skillstudio.cli.main import main; main(['--version']);"
        "print(json.dumps([n for n in sys.modules if n.startswith('skillstudio.')]))"
    )
    loaded = json.loads(python(code).splitlines()[-1])
    assert set(loaded) <= {
        "skillstudio.cli",
        "skillstudio.cli.main",
        "skillstudio.cli.exit_codes",
    }


@pytest.mark.slow
@pytest.mark.parametrize("absent", [["fcntl", "resource", "termios", "pwd"]], ids=["Windows"])
def test_everything_imports_without_the_modules_of_unix(absent: list[str]) -> None:
    # Textual's own driver for this system is chosen by sys.platform, so it stays as it is:
    # only modules of this package may not ask for what is absent.
    code = f"""
import importlib, sys
import textual.app, textual.widgets, subprocess, asyncio, watchfiles, tempfile
class Blocked:
    def find_spec(self, name, path=None, target=None):
        frame = sys._getframe(1)
        while frame and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        asked = frame.f_globals.get("__name__", "") if frame else ""
        if name in {absent!r} and asked.startswith("skillstudio"):
            raise ModuleNotFoundError(name)
for name in {absent!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocked())
for name in {MODULES!r}:
    importlib.import_module(name)
"""
    python(code)
