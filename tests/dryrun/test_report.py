"""Whether a run did what is declared: every single fault says no."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.dryrun.plan import IsolationChoice, Plan, Roots
from skillstudio.dryrun.report import (
    JudgedContract,
    JudgedEffect,
    JudgedOutput,
    RunEnding,
    RunReport,
    not_started,
)
from skillstudio.dryrun.sampling.expecting import FileReader
from skillstudio.dryrun.testing import SampleRun, differences

PLAN = Plan(
    "tea", "brew", "frontmatter-1.0", {}, "/srv", (), {}, (), (), (), IsolationChoice("copy", (),
    {}), (), (), Roots("/srv", "/srv/tea"),
)  # fmt: skip
GOOD = RunReport(
    "run", PLAN, RunEnding(0), JudgedContract(True),
    (JudgedEffect("fs.write", True, "declared-observed"), JudgedEffect("net.fetch", False,
    "blocked")), (JudgedOutput("*.md", "missing"),), (), (),
)  # fmt: skip

FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("it failed", {"ending": RunEnding(1)}),
    ("it was ended", {"ending": RunEnding(None, "SIGKILL")}),
    (
        "it was out of time, and ended with 0 when asked to",
        {"ending": RunEnding(0, timed_out=True)},
    ),
    ("it was cancelled, and ended with 0 when asked to", {"ending": RunEnding(0, cancelled=True)}),
    ("a broken promise", {"contract": JudgedContract(False, ("no",))}),
    ("an effect", {"effects": (JudgedEffect("net.fetch", False, "undeclared", (), True),)}),
    ("a missing file", {"outputs": (JudgedOutput("a.md", "missing", (), True),)}),
    ("an undeclared file", {"outputs": (JudgedOutput("", "undeclared", ("x",), True),)}),
    ("a second run that changes more", {"repeat_changes": ("added x",)}),
]


def test_what_is_no_fault_leaves_it_well() -> None:
    assert GOOD.ok


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({"traced": True}, "as declared"),
        ({"traced": False}, "not fully observed"),
        ({"traced": True, "effects": (JudgedEffect("fs.write", False, "prevented"),)},
         "not fully observed"),
    ],
)  # fmt: skip
def test_the_verdict_of_a_run_without_a_fault(changed: dict[str, Any], verdict: str) -> None:
    report = GOOD._replace(**changed)
    assert (report.ok, report.verdict) == (True, verdict)


def test_what_was_not_started_has_not_failed() -> None:
    report = not_started(PLAN, "fix 1 error")
    assert (report.ok, report.verdict) == (False, "not run")


@pytest.mark.parametrize(("what", "changed"), FAULTS, ids=[row[0] for row in FAULTS])
def test_one_fault_is_enough(what: str, changed: dict[str, Any]) -> None:
    assert not GOOD._replace(**changed).ok


LOST = "the tracer did not record how 1 process ended"


@pytest.mark.parametrize(
    ("expect", "changed", "differs"),
    [
        ({}, {}, ()),
        ({"exit": 0}, {"ending": RunEnding(0, timed_out=True)}, ("the run timed out",)),
        ({"exit": 1}, {"ending": RunEnding(1, timed_out=True)}, ("the run timed out",)),
        ({}, {"ending": RunEnding(None, "SIGTERM", timed_out=True)}, ("the run timed out",)),
        ({}, {"ending": RunEnding(None, "SIGTERM")}, ("exit status: expected 0, got SIGTERM",)),
        ({"exit": 0}, {"incomplete": (LOST,)}, (f"observation incomplete: {LOST}",)),
        ({"effects": ["fs.write", "net.fetch"]}, {"incomplete": (LOST,)},
         (f"observation incomplete: {LOST}",)),
        # It may have left a file there, as at another isolation level.
        ({"effects": ["fs.write"]}, {"traced": True, "effects": (JudgedEffect("fs.write", False,
         "prevented"),)}, ()),
        ({"effects": ["fs.write"]}, {"traced": True, "effects": ()},
         ("effect fs.write: expected, but not observed",)),
        ({"files": {}}, {"incomplete": (LOST,)}, (f"observation incomplete: {LOST}",)),
        ({"exit": 1}, {"ending": RunEnding(1), "incomplete": (LOST,)},
         (f"observation incomplete: {LOST}",)),
    ],
)  # fmt: skip
def test_a_sample_differs_where_nobody_can_say_that_it_does_not(
    expect: dict[str, Any], changed: dict[str, Any], differs: tuple[str, ...]
) -> None:
    files = FileReader(lambda _path: None, lambda _path: "", lambda _name: b"")
    run = SampleRun(GOOD._replace(**changed), "", "", {}, files)
    assert tuple(each.message for each in differences(expect, run)) == differs


def test_what_was_not_started_did_not_do_it() -> None:
    report = not_started(PLAN, "it asks first")
    assert (report.ok, report.ending.error) == (False, "it asks first")
