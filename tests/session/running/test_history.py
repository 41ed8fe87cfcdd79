"""The recorded runs of a skill and of its workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dryrun.traces.conftest import KEY, PLAN, REPORT

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.traces.scope import scope_of
from skillstudio.dryrun.traces.store import RunStore
from skillstudio.dryrun.traces.trace import make_trace
from skillstudio.session.running.history import RunHistoryEntry, kept_runs


def keep(store: RunStore, place: Path, **changes: Any) -> RunHistoryEntry:
    report = REPORT._replace(**changes)
    store.keep(report.run, make_trace(report, "standard", None, KEY), str(place), {})
    return next(each for each in runs_of_tea(store) if each.run == report.run)


def runs_of_tea(store: RunStore) -> list[RunHistoryEntry]:
    roots = PLAN.roots
    return kept_runs(store, scope_of(roots.skill), scope_of(roots.workspace))


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(str(tmp_path / "runs"))


def test_runs_are_listed_with_those_of_the_skill_first(store: RunStore, tmp_path: Path) -> None:
    other = PLAN._replace(skill="coffee", roots=Roots(PLAN.roots.workspace, "/home/ann/coffee"))
    keep(store, tmp_path, run="20260101T000000-aaaa")
    keep(store, tmp_path, run="20260103T000000-aaaa", plan=other)
    keep(store, tmp_path, run="20260102T000000-aaaa")
    found = runs_of_tea(store)
    assert [each.run[:8] for each in found] == ["20260102", "20260101", "20260103"]
    assert found[0].title == "tea brew"
    assert found[0].about.startswith("✗ exit 0, 0.0 s")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"trace": "9"}', b"\xff", b"[" * 100_000])
def test_a_run_that_cannot_be_read_says_why(store: RunStore, tmp_path: Path, data: bytes) -> None:
    kept = keep(store, tmp_path)
    (tmp_path / "runs" / kept.run / "trace.json").write_bytes(data)
    (found,) = runs_of_tea(store)
    assert found.trace is None
    assert "trace.json" in found.trouble
