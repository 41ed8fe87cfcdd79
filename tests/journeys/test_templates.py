"""Each template by commands: a fresh skill is accepted, its own tests pass, its operations run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.commands import Run
from tests.repositories import Repo, needs_git

from skillstudio.manifest.targets import recorded_targets
from skillstudio.scaffold.new.catalogue import list_templates

ALL = tuple(recorded_targets())
CLIENTS = tuple(id for id, each in recorded_targets().items() if each["kind"] == "client")
UNIX = pytest.mark.skipif(os.name == "nt", reason="its operation is a shell script")


class Shown(NamedTuple):
    """What a template's fresh skill shows."""

    targets: tuple[str, ...] = ()
    """The targets that its system can meet: without SKILL.md none is asked."""
    tests: int = 0
    """How many tests it has."""
    plans: tuple[tuple[str, ...], ...] = ()
    """Words behind `plan PATH` that must be planned without a finding."""
    runs: tuple[tuple[str, ...], ...] = ()
    """The same behind `run PATH`, which must do what the manifest declares, too."""
    answers: tuple[str, ...] = ()
    """Answers without which the fresh skill has a TODO where agents read it."""


TEMPLATES = {
    "agent-skills": Shown(
        ALL, answers=("-D", "purpose=Fills in forms", "-D", "use_when=the user asks for a form")
    ),
    "caro-1.0": Shown(),
    "data-report": Shown(
        CLIENTS,
        tests=3,
        plans=(("-i", "data=a-skill/samples/orders.csv"),),
        runs=(
            (
                "scripts/report.py", "-i", "data=a-skill/samples/orders.csv", "--",
                "a-skill/samples/orders.csv", "--output", "reports/columns.md",
            ),
        ),
    ),
    "frontmatter-1.0": Shown(
        CLIENTS, plans=(("-i", "meeting_date=2026-01-31", "-i", "topic=release"),)
    ),
    "knowledge": Shown(ALL),
    "provenact-1": Shown(runs=(("--inputs-json", '{"message": "hello"}'),)),
    "recipe": Shown(runs=(("recent-commits", "-i", "count=3"), ("undo-commit",))),
    "script-tool": Shown(ALL, tests=3, runs=(("--sample", "letter"),)),
    "skill-manifest-2.0": Shown(ALL, runs=(("-i", "folder=."),)),
}  # fmt: skip


def test_every_template_is_shown() -> None:
    assert set(TEMPLATES) == set(list_templates().templates)


@pytest.mark.slow_cases("data-report", "provenact-1", "script-tool")
@needs_git
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_fresh_skill(
    run: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _two_commits(tmp_path)
    monkeypatch.chdir(tmp_path)
    shown = TEMPLATES[name]
    made = run("new", name, "a-skill", "--defaults", *shown.answers)
    assert (made.status, made.err) == (0, "")
    assert run("check", "a-skill", "--fail-on", "warning").status == 0
    for target in shown.targets:
        assert run("check", "a-skill", "--target", target).status == 0, target
    # Wherever it is installed: the folder here is one in which only few targets look.
    answers = run("why", "a-skill", "--format", "json").json["targets"]
    rejecting = ("dropped", "refused", "not recorded")
    accepting = {one["target"] for one in answers if one["installed"] not in rejecting}
    assert accepting == set(shown.targets)
    _its_own_tests(tmp_path / "a-skill", shown.tests)
    for words in (*shown.plans, *shown.runs):
        planned = run("plan", "a-skill", *words)
        assert planned.status == 0, planned.out + planned.err


def _two_commits(folder: Path) -> None:
    """What the recipes look back at, and take back in a copy."""
    repository = Repo(folder)
    for number in ("1", "2"):
        repository.commit({"counted.txt": number})


def _its_own_tests(skill: Path, count: int) -> None:
    assert bool(count) == (skill / "tests").is_dir()
    if count:
        done = subprocess.run(
            [sys.executable, "-B", "-m", "unittest", "discover", "tests"],
            cwd=skill, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert f"Ran {count} tests" in done.stderr


@pytest.mark.slow_cases("provenact-1", "data-report", "recipe")
@UNIX
@needs_git
@pytest.mark.parametrize("name", [name for name, shown in TEMPLATES.items() if shown.runs])
def test_its_operations_do_what_they_declare(
    run: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _two_commits(tmp_path)
    monkeypatch.chdir(tmp_path)
    run("new", name, "a-skill", "--defaults")
    for words in TEMPLATES[name].runs:
        done = run("run", "--yes", "a-skill", *words)
        assert done.status == 0, done.out + done.err
