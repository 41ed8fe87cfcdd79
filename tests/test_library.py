"""The library: it agrees with the commands, and neither needs the rooms above the core."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillstudio import library
from skillstudio.cli.main import main

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/SKILL.md"))
SKILL = b"---\nname: tea\ndescription: Brews tea.\n---\n"

WITHOUT = """
import sys

ABSENT = {"dryrun", "scaffold", "session", "tui", "lsp", "mcp", "web"}


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("skillstudio.") and name.split(".")[1] in ABSENT:
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Absent())
for name in ABSENT:
    try:
        __import__(f"skillstudio.{name}")
    except ModuleNotFoundError:
        continue
    sys.exit(f"{name} is not absent")
from skillstudio.cli.main import main
from skillstudio.library import analyse, compare, targets

sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "arguments",
    [("check", "--format", "json"), ("diff", "examples/history/0.1.0/memory")],
    ids=" ".join,
)
def test_commands_of_the_core_need_no_other_rooms(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    command = [*arguments, "examples/memory"]
    alone = subprocess.run(
        [sys.executable, "-c", WITHOUT, *command], capture_output=True, text=True, check=False
    )
    status = main(command)
    assert (alone.returncode, alone.stdout) == (status, capsys.readouterr().out), alone.stderr


@pytest.mark.parametrize("skill", EXAMPLES, ids=lambda path: path.name)
def test_the_library_agrees_with_check(
    skill: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    main(["check", "--format", "json", "--all", str(skill)])
    [row] = json.loads(capsys.readouterr().out)["skills"]
    analysis = library.analyse(skill)
    assert [
        (diagnostic.rule, diagnostic.message, analysis.place(diagnostic)[0].line)
        for diagnostic in analysis.diagnostics
    ] == [
        (diagnostic["rule"], diagnostic["message"], diagnostic["line"])
        for diagnostic in row["diagnostics"]
    ]


def test_the_library_agrees_with_diff(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    versions = "examples/history/0.1.0/memory", "examples/memory"
    main(["diff", "--format", "json", "--all", *versions])
    value = json.loads(capsys.readouterr().out)
    comparison = library.compare(*versions)
    assert [
        (change.kind, change.level, change.message, change.fingerprint)
        for change in comparison.changes
    ] == [
        tuple(change[key] for key in ("kind", "level", "message", "fingerprint"))
        for change in value["changes"]
    ]


def test_files_in_memory_are_a_skill() -> None:
    analysis = library.analyse({"SKILL.md": SKILL}, name="tea", targets=["codex"])
    assert (analysis.name, analysis.diagnostics) == ("tea", ())
    assert analysis.targets["codex"].installed == "loads"


def test_settings_of_the_folder_apply(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_bytes(SKILL)
    rules = [diagnostic.rule for diagnostic in library.analyse(tmp_path).diagnostics]
    assert rules == ["name-folder"]
    (tmp_path / "skillstudio.toml").write_text('[rules]\nname-folder = "off"\n', encoding="utf-8")
    assert library.analyse(tmp_path).diagnostics == ()


def test_a_waiver_of_the_newer_folder_applies(tmp_path: Path) -> None:
    versions = (("old", "1.0.0", "Brews tea."), ("new", "1.0.1", "Brews mate."))
    for name, version, description in versions:
        text = (
            f'---\nname: tea\nmanifest_version: "1.0"\nversion: {version}\n'
            f"description: {description}\n---\n"
        )
        (tmp_path / name / "tea").mkdir(parents=True)
        (tmp_path / name / "tea" / "SKILL.md").write_text(text, encoding="utf-8")
    old, new = tmp_path / "old" / "tea", tmp_path / "new" / "tea"
    [change] = library.compare(old, new).changes
    waiver = f'[[waive]]\nfingerprint = "{change.fingerprint}"\nreason = "a better word"\n'
    (tmp_path / "new" / "skillstudio.toml").write_text(waiver, encoding="utf-8")
    [change] = library.compare(old, new).changes
    assert change.waived == "a better word"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: library.analyse("src"), OSError, "src does not contain a skill: "),
        (lambda: library.analyse({"a.md": b""}), OSError, "skill does not contain a skill: "),
        (
            lambda: library.analyse({"SKILL.md": SKILL}, targets=["codez"]),
            ValueError,
            "unknown target codez; did you mean codex?",
        ),
        (
            lambda: library.analyse({"SKILL.md": SKILL}, dialect="front"),
            ValueError,
            "unknown dialect front",
        ),
        (
            lambda: library.compare("no-such-skill", {"SKILL.md": SKILL}),
            library.OperandError,
            "no-such-skill",
        ),
        (
            lambda: library.compare({"SKILL.md": b"---\na: [\n---\n"}, {"SKILL.md": SKILL}),
            library.UnreadableManifest,
            "skill cannot be compared",
        ),
    ],
)
def test_refusals(
    call: Callable[[], Any], error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(error) as refusal:
        call()
    assert str(refusal.value).startswith(message)


def test_the_page_shows_what_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = ROOT / "docs" / "library.md"
    results = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8"
    )
    assert results.attempted > 10
    assert results.failed == 0
