"""Every operation of the example skills, run at one isolation level; at every level when slow."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run
from tests.dryrun.skills import PROCESSES, offered
from tests.repositories import Repo, needs_git

from skillstudio.dryrun.planning.make import operations
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project_unmasked
from skillstudio.skill.discover import find_skills

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = [
    needs_git,
    pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed"),
]

MEMORY = "~/.local/share/skill-memory/memory.db"
FACT = ("semantic", "tools", "Ruff is the linter", "python,lint", "7")
FIELDS = ("memory_type", "category", "title", "tags_csv", "importance")
OLD = "history/0.1.0/memory"
STORED = tuple(word for pair in zip(FIELDS, FACT, strict=True) for word in ("-i", "=".join(pair)))
SEARCHED = ("-i", "query=linter", "-i", "limit=3")

RUNS: list[tuple[str, str, tuple[str, ...], int, list[str]]] = [
    (
        "analyze-git",
        "scripts/analyze.py",
        ("--sample", "year"),
        0,
        ["reports/git-analysis-2025-01-01.md"],
    ),
    ("aws", "deploy-app", ("--sample", "staging"), 0, []),
    ("aws", "list-buckets", ("--sample", "buckets"), 0, []),
    # There is no remote "production" to push to.
    ("deploy", "scripts/deploy.sh", ("--sample", "dummies"), 128, []),
    ("echo-json", "", ("--sample", "hello"), 0, []),
    (OLD, "mem.health", (), 0, [MEMORY]),
    (OLD, "mem.search", SEARCHED, 0, [MEMORY]),
    (OLD, "mem.store", STORED, 0, [MEMORY]),
    ("memory", "health", ("--sample", "all"), 0, [MEMORY]),
    ("memory", "search", ("--sample", "linter"), 0, [MEMORY]),
    ("memory", "store", ("--sample", "fact"), 0, [MEMORY]),
    ("memory", "types", ("--sample", "all"), 0, [MEMORY]),
    ("worklog", "scripts/extract-metrics.sh", ("--sample", "day"), 0, []),
    (
        "worklog",
        "scripts/new-worklog.sh",
        ("--sample", "day"),
        0,
        ["docs/worklogs/2025-01-01-parser.org"],
    ),
]
"""Skill, operation, what is given, exit status, and the files that it leaves."""
MODULES = {"echo-json"}
"""Skills whose program is WASM; those of the others are processes."""
PROCEDURES = {"commit-notes": (), "greeter": ("-i", "username=Ada")}
"""Skills that an agent reads and that start nothing, with what is given."""


def a_repository(folder: Path) -> Path:
    """The examples in a repository with one commit."""
    made = Repo(folder)
    shutil.copytree(EXAMPLES, folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    made.commit({"README.md": "# Examples\n"})
    return folder


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_repository(tmp_path_factory.mktemp("examples") / "repo")


@pytest.fixture
def repo(one: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository of all tests that change nothing in it."""
    monkeypatch.chdir(one)
    return one


def entries(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Every path below a folder with its mode, its time, and a digest of its bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        digest = hashlib.sha256(data).hexdigest()
        found[str(path.relative_to(folder))] = (state.st_mode, state.st_mtime_ns, digest)
    return found


def where(change: dict[str, str]) -> str:
    return {"home": "~/", "skill": "skill: ", "workspace": ""}[change["root"]] + change["path"]


def a_run(run: Run, skill: str, *words: str) -> tuple[int, Any]:
    ran = run("run", f"examples/{skill}", *words, "--yes", "--format", "json")
    return ran.status, ran.json


def test_these_are_all_operations_of_the_examples() -> None:
    found = set()
    for name in find_skills(DiskTree(EXAMPLES)):
        skill = locate(DiskTree(EXAMPLES / name)).skill
        interface = project_unmasked(skill)
        scripts = os.path.isdir(EXAMPLES / name / "scripts")
        named = operations(skill, interface) if interface.operations or scripts else ()
        found |= {(name, each) for each in named or ("",)}
    listed = {(skill, operation) for skill, operation, *_ in RUNS}
    assert found == listed | {(name, "") for name in PROCEDURES}


CASES = [
    pytest.param(isolation, *each, id=f"{isolation}-{each[0]}-{each[1]}")
    for each in RUNS
    for isolation in (("wasm",) if each[0] in MODULES else PROCESSES)
]


@pytest.mark.slow
@pytest.mark.parametrize(("isolation", "skill", "operation", "words", "status", "left"), CASES)
def test_it_runs_and_leaves_everything_as_it_was(
    run: Run,
    repo: Path,
    isolation: str,
    skill: str,
    operation: str,
    words: tuple[str, ...],
    status: int,
    left: list[str],
) -> None:
    offered(isolation)
    before = entries(repo)
    given = (operation, *words) if operation else words
    ended, told = a_run(run, skill, *given, "--isolation", isolation, "--trace", "off")
    assert told["exit_code"] == status, told["problems"]
    assert (ended == 0, told["ok"]) == (status == 0, status == 0), told["effects"]
    assert told["isolation"]["id"] == isolation
    # A sample may describe the home folder of its run, whose files the run then modifies.
    changed = [*told["changes"]["added"], *told["changes"]["modified"]]
    assert ([where(change) for change in changed], told["changes"]["removed"]) == (left, [])
    assert entries(repo) == before
    # That a level works on this machine is remembered.
    paths = (path for path in Path.home().rglob("*") if path.name != "canaries.json")
    assert [path for path in paths if not path.is_dir()] == []


OTHER = [("memory", "wasm"), *(("echo-json", isolation) for isolation in PROCESSES)]


@pytest.mark.parametrize(("skill", "isolation"), OTHER)
def test_an_isolation_level_for_another_kind_of_program_starts_nothing(
    run: Run, repo: Path, skill: str, isolation: str
) -> None:
    words = ("health",) if skill == "memory" else ("--sample", "hello")
    ended, told = a_run(run, skill, *words, "--isolation", isolation)
    assert (ended, told["exit_code"], told["run"]) == (4, None, "")


@pytest.mark.parametrize("skill", PROCEDURES)
def test_of_what_an_agent_reads_nothing_is_started(run: Run, repo: Path, skill: str) -> None:
    offered("copy")
    ended, told = a_run(run, skill, *PROCEDURES[skill], "--isolation", "copy")
    assert (ended, list(told)) == (2, ["error"])
    assert told["error"].startswith(f"{skill} has no operations and no scripts")
    assert run("trace", "list").out == ""


@pytest.mark.slow
@pytest.mark.parametrize("isolation", PROCESSES)
def test_a_record_is_stored_and_found_by_a_later_run(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    offered(isolation)
    repo = a_repository(tmp_path / "repo")
    monkeypatch.chdir(repo)
    database = repo / "memory.db"
    given = ("--env", f"SKILL_MEMORY_DB={database}", "--isolation", isolation)
    ended, told = a_run(run, "memory", "store", "--sample", "fact", *given, "--apply")
    assert (ended, told["contract"]["value"]) == (0, {"status": "ok", "id": 1})
    assert database.read_bytes().startswith(b"SQLite format 3\0")
    before = entries(repo)
    ended, told = a_run(run, "memory", "search", "-i", "query=which linter", *given)
    assert ended == 0
    (found,) = told["contract"]["value"]["data"]
    assert (found["id"], found["title"]) == (1, "Ruff is the linter")
    _, other = a_run(run, "memory", "search", "-i", "query=harbour", *given)
    assert other["contract"]["value"]["data"] == []
    assert entries(repo) == before
