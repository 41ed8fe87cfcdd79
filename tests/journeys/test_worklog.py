"""The worklog of a day: where it would lie, what it would hold, then it is in the repository."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Ran, Run
from tests.dryrun.skills import offered
from tests.repositories import Repo, needs_git

WORKLOG = Path(__file__).parents[2] / "examples" / "worklog"
LOG = "docs/worklogs/2025-12-31-parser.org"
INPUTS = ("-i", "session_date=2025-12-31", "-i", "topic=parser")
HEAD = ["#+TITLE: notes: parser", "#+DATE: 2025-12-31", "#+FILETAGS: :worklog:"]
OLD = "#+TITLE: mine\n"

pytestmark = [
    needs_git,
    pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed"),
    pytest.mark.parametrize("isolation", ["copy", "confined", "isolated"]),
]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str) -> Repo:
    offered(isolation)
    made = Repo(tmp_path / "notes")
    made.commit({"README.md": "# Notes\n"})
    monkeypatch.chdir(made.root)
    return made


def a_run(run: Run, isolation: str, *words: str) -> Ran:
    command = ["run", WORKLOG, "scripts/new-worklog.sh", *INPUTS, "--isolation", isolation, "--yes"]
    return run(*command, *(["--", *words] if words else []))


def ahead(run: Run) -> list[str]:
    ran = run("preview", WORKLOG, *INPUTS)
    assert ran.status == 0
    return ran.out.splitlines()[1:3]


def untouched(repo: Repo) -> bool:
    return repo.git("status", "--porcelain", "--untracked-files=all") == ""


@pytest.mark.slow_cases("copy", "confined")
def test_a_new_worklog(run: Run, repo: Repo, isolation: str) -> None:
    root = os.path.realpath(repo.root)
    assert ahead(run) == [f"workspace {root}", f"+ {LOG}  new"]

    ran = a_run(run, isolation)
    assert ran.status == 0, ran.out
    assert untouched(repo)
    table = run("preview", "--run", "last").out.splitlines()
    assert table[1] == "+1 ~0 -0"
    assert table[2].split() == [
        "+", LOG, "206", "org", "{{output_dir}}/{{session_date}}-{{topic}}.org", "workspace"
    ]  # fmt: skip
    shown = run("preview", "--run", "last", LOG).out
    assert shown.splitlines()[:3] == HEAD
    assert "{{" not in shown

    assert run("apply", "last").status == 0
    assert repo.git("status", "--porcelain", "--untracked-files=all") == f"?? {LOG}"
    assert (repo.root / LOG).read_text() == shown


@pytest.mark.slow
def test_over_one_that_is_there(run: Run, repo: Repo, isolation: str) -> None:
    repo.commit({LOG: OLD})
    assert ahead(run)[1] == f"~ {LOG}  would be overwritten ({len(OLD)} bytes)"

    refused = a_run(run, isolation)
    assert refused.status == 1
    assert f"{LOG} already exists; use --replace to overwrite it" in refused.out

    assert a_run(run, isolation, "--replace").status == 0
    assert untouched(repo)
    diff = run("preview", "--run", "last", LOG, "--diff").out.splitlines()
    assert diff[0] == "+17 -1"
    assert diff[4:8] == ["-#+TITLE: mine", *(f"+{line}" for line in HEAD)]

    value: Any = run("apply", "last", "--format", "json").json
    assert [(each["path"], each["change"]) for each in value["applied"]] == [(LOG, "modified")]
    assert repo.git("status", "--porcelain", "--untracked-files=all") == f"M {LOG}"
    assert (repo.root / LOG).read_text().splitlines()[:3] == HEAD


@pytest.mark.slow_cases("copy", "confined")
def test_over_one_that_changed_since(run: Run, repo: Repo, isolation: str) -> None:
    repo.commit({LOG: OLD})
    assert a_run(run, isolation, "--replace").status == 0
    repo.write({LOG: "#+TITLE: mine, later\n"})
    before = repo.git("status", "--porcelain"), (repo.root / LOG).read_bytes()
    ran = run("apply", "last")
    assert ran.status == 1
    assert f"conflict {LOG} has changed since the run began" in ran.out
    assert (repo.git("status", "--porcelain"), (repo.root / LOG).read_bytes()) == before
