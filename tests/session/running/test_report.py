"""A report and two kept ones as lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dryrun.traces.conftest import KEY, PLAN, REPORT

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import JudgedContract, JudgedEffect, RunEnding, RunReport
from skillstudio.dryrun.traces.scope import scope_of
from skillstudio.dryrun.traces.store import RunStore
from skillstudio.dryrun.traces.trace import make_trace
from skillstudio.session.running.history import RunHistoryEntry, difference_lines, kept_runs
from skillstudio.session.running.plan import plan_lines, shown_path
from skillstudio.session.running.report import report_lines, verdict
from skillstudio.session.styled_lines import LONGEST, MOST, StyledLine, section

GOOD = REPORT._replace(
    repeated=(), effects=(JudgedEffect("fs.write", True, "declared-observed", ("added pot.txt",)),)
)


def text(report: RunReport) -> str:
    return "\n".join("  " * each.indent + each.text for each in report_lines(report))


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (RunEnding(0, duration_ms=1234), "exit 0, 1.2 s"),
        (RunEnding(3, duration_ms=0), "exit 3, 0.0 s"),
        (RunEnding(None, "SIGKILL", duration_ms=10), "ended by SIGKILL, 0.0 s"),
        (RunEnding(None, "SIGTERM", timed_out=True, duration_ms=3000), "timed out after 3.0 s"),
        (
            RunEnding(None, "SIGTERM", cancelled=True, duration_ms=900),
            "cancelled · ended by you after",
        ),
        (RunEnding(None, error="the program did not start: no"), "the program did not start: no"),
    ],
)
def test_how_it_ended_is_said(ended: RunEnding, words: str) -> None:
    is_good, said = verdict(GOOD._replace(ended=ended))
    assert words in said
    assert is_good is (ended.exit_code == 0)


def test_every_part_of_a_report_is_told_with_its_evidence() -> None:
    found = text(REPORT)
    for line in (
        "✗ not as declared · exit 0, 0.0 s · +1 ~1 -1",
        "  ✗ net.fetch  NOT DECLARED\n      connected to tea.example:443",
        "  ✓ fs.write   declared, observed\n      added pot.txt",
        "  ✓ produced  pot.txt: pot.txt",
        "  + pot.txt  text, 7 bytes  fits pot.txt",
        "  ~ ~/.cache/x  binary, 1 bytes",
        "  - skill: old  text, 3 bytes",
        "a second run changed\n  added pot.txt",
        "  It printed too much.",
        "  The network was closed.",
        "  Confined\n  known gap: It can see the time.\n  not Isolated: bwrap is missing",
        "  bash brew.sh green",
    ):
        assert line in found
    assert "safe" not in found


@pytest.mark.parametrize(
    ("effect", "line", "style"),
    [
        (
            JudgedEffect("x", True, "declared-not-observed"),
            "· x  declared, not observed in this run",
            "quiet",
        ),
        (
            JudgedEffect("x", True, "not-observable"),
            "· x  declared; not observable at this isolation level",
            "quiet",
        ),
        (JudgedEffect("x", True, "blocked"), "i x  tried and refused", ""),
        (JudgedEffect("x", False, "blocked", (), True), "✗ x  NOT DECLARED, tried and", "error"),
        (JudgedEffect("x", False, "undeclared"), "i x  seen; this dialect", ""),
    ],
)
def test_each_verdict_has_its_words(effect: JudgedEffect, line: str, style: str) -> None:
    lines = list(report_lines(GOOD._replace(effects=(effect,))))
    told = lines[[each.text for each in lines].index("effects: declared vs. observed") + 1]
    assert told.text.startswith(line)
    assert told.style == style


def test_a_broken_contract_is_an_error_and_a_kept_one_shows_its_value() -> None:
    assert '✓ kept: {"status": "ok"}' in text(REPORT)
    broken = text(REPORT._replace(contract=JudgedContract(False, ("no output",))))
    assert "contract of standard output\n  ✗ no output" in broken


@pytest.mark.parametrize(
    ("again", "repeated", "told"),
    [
        (None, (), []),
        ((), (), [StyledLine("✓ nothing", "good", 1)]),
        (("added a",), (), [StyledLine("added a", "", 1)]),
        (("added a",), ("added a",), [StyledLine("added a", "error", 1)]),
    ],
)
def test_a_second_run_is_told_where_there_was_one(
    again: tuple[str, ...] | None, repeated: tuple[str, ...], told: list[StyledLine]
) -> None:
    lines = list(report_lines(GOOD._replace(again=again, repeated=repeated, varying=())))
    texts = [each.text for each in lines]
    assert ("a second run changed" in texts) is bool(told)
    if told:
        at = texts.index("a second run changed") + 1
        assert lines[at : at + len(told)] == told


def test_a_part_has_a_bound_in_both_ways() -> None:
    lines = list(section("many", [StyledLine("x" * (LONGEST + 1))] * (MOST + 5)))
    assert len(lines) == MOST + 2
    assert lines[1].text.endswith("… (2,001 characters)")
    assert lines[-1].text == "… 5 more"
    assert list(section("none", [])) == []


def test_a_plan_is_told_in_its_parts() -> None:
    found = "\n".join(each.text for each in plan_lines(PLAN, PLAN.problems, "/home/ann/skills"))
    for line in (
        "! kind begins with - [input-dash]",
        "unix     bash brew.sh green",
        'kind  "green"',
        "milk  absent, an empty argument",
        "pot.txt  in repo_root",
        "not Isolated: bwrap is missing",
        "the current folder: copied, and only the copy is changed",
        "12.5 s at the latest",
        "a note",
    ):
        assert line in found


@pytest.mark.parametrize(
    ("path", "cwd", "words"),
    [("/a/b", "/a/b", "the current folder"), ("/a/b/c", "/a/b", "c"), ("/a/bc", "/a/b", "/a/bc"),
     ("/x", "/", "x"), ("/", "/a", "/")],
)  # fmt: skip
def test_a_path_is_told_from_the_current_folder(path: str, cwd: str, words: str) -> None:
    assert shown_path(path, cwd) == words


# Recorded runs.


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


def test_two_runs_are_told_in_order_causes_before_what_came_of_them(
    store: RunStore, tmp_path: Path
) -> None:
    changed = PLAN._replace(inputs={**PLAN.inputs, "cups": 3})
    new = keep(store, tmp_path, run="20260102T000000-aaaa", plan=changed, ended=RunEnding(1))
    old = keep(store, tmp_path, run="20260101T000000-aaaa")
    assert new.trace is not None
    assert old.trace is not None
    found = "\n".join(each.text for each in difference_lines(new.trace, old.trace))
    assert found.index("before  20260101") < found.index("now     20260102")
    assert found.index("cups: 2 before, 3 now") < found.index("did otherwise: exit")
    assert "exit status 0 before, exit status 1 now" in found


def test_two_runs_that_did_the_same_say_so(store: RunStore, tmp_path: Path) -> None:
    one = keep(store, tmp_path, run="20260101T000000-aaaa").trace
    other = keep(store, tmp_path, run="20260102T000000-aaaa").trace
    assert one is not None
    assert other is not None
    *_, last = difference_lines(one, other)
    assert last.text == "both were run with the same, and did the same"
