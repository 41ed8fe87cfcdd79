"""The memory example keeps its contract: the last line is JSON, whatever is asked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("python3")), reason="needs bash and python3"
)
STORE = ("store", "semantic", "tools", "Ruff is the linter", "python, lint", "7")


class Memory:
    """The scripts of one version, with a database."""

    def __init__(self, skill: Path, database: Path) -> None:
        self.skill = skill
        self.environment = {**os.environ, "SKILL_MEMORY_DB": str(database)}

    def __call__(self, *arguments: str, fails: bool = False) -> Any:
        done = subprocess.run(
            ["bash", "scripts/router_mem.sh", *arguments],
            cwd=self.skill,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        answer = json.loads(done.stdout.splitlines()[-1])
        assert (done.returncode != 0) is fails
        assert answer["status"] == ("error" if fails else "ok")
        return answer


@pytest.fixture
def memory(copied: Callable[[str], Path], tmp_path: Path) -> Memory:
    return Memory(copied("memory"), tmp_path / "data" / "memory.db")


@pytest.mark.slow
def test_what_was_stored_is_found(memory: Memory) -> None:
    id = memory(*STORE, "Configured in pyproject.toml")["id"]
    memory("store", "episodic", "talk", "Coffee was good", "", "1")
    (found,) = memory("search", "which linter do we use? ruff", "5")["data"]
    assert found["id"] == id
    assert found["title"] == "Ruff is the linter"
    assert found["content"] == "Configured in pyproject.toml"
    assert 0 < found["relevance_score"] <= 1


@pytest.mark.slow
def test_the_best_match_comes_first_and_the_limit_holds(memory: Memory) -> None:
    memory("store", "semantic", "x", "One word: alpha", "", "9")
    best = memory("store", "semantic", "x", "Two words: alpha beta", "", "1")["id"]
    assert [each["id"] for each in memory("search", "alpha beta", "1")["data"]] == [best]
    assert len(memory("search", "alpha beta", "")["data"]) == 2


@pytest.mark.slow
def test_the_same_memory_is_kept_once(memory: Memory) -> None:
    assert memory(*STORE)["id"] == memory(*STORE)["id"]
    assert memory(*STORE)["id"] != memory(*STORE, "with a content")["id"]


def test_words_of_the_shell_are_only_words(memory: Memory) -> None:
    title = "$(touch /tmp/x); '; drop table memories; --"
    memory("store", "working", "c", title, "a,b", "5")
    assert memory("search", "drop table", "5")["data"][0]["title"] == title


@pytest.mark.slow
def test_health_counts(memory: Memory) -> None:
    memory(*STORE)
    memory("store", "working", "c", "Now", "", "2")
    metrics = {each["metric"]: each["value"] for each in memory("health")["data"]}
    assert metrics == {"total": 2, "average_importance": 4.5, "stale": 0}


@pytest.mark.slow
def test_types_are_those_that_can_be_stored(memory: Memory) -> None:
    types = memory("types")["data"]
    assert all(set(each) == {"type", "lifespan", "description"} for each in types)
    for each in types:
        memory("store", each["type"], "c", "A title", "", "1")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("forget",),
        ("search",),
        ("search", "?!"),
        ("search", "x", "many"),
        ("search", "x", "0"),
        ("store", "eternal", "c", "t", "", "1"),
        ("store", "semantic", "c", " ", "", "1"),
        ("store", "semantic", "c", "t", "", "11"),
        ("health", "now"),
    ],
)
def test_a_wrong_call_is_answered_with_json_too(memory: Memory, arguments: tuple[str, ...]) -> None:
    assert memory(*arguments, fails=True)["error"]


@pytest.mark.slow
def test_a_database_of_the_older_version_is_read(
    memory: Memory, copied: Callable[[str], Path], tmp_path: Path
) -> None:
    older = Memory(copied("history/0.1.0/memory"), tmp_path / "data" / "memory.db")
    id = older(*STORE)["id"]
    assert older("search", "ruff", "5")["data"][0]["id"] == id
    assert older("health")["data"][0]["value"] == 1
    assert older("types", fails=True)["error"]
    assert memory("search", "ruff", "5")["data"][0]["content"] == ""
