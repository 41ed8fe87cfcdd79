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
from skillstudio.dryrun.sampling.testing import unmet

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
    ("it failed", {"ended": RunEnding(1)}),
    ("it was ended", {"ended": RunEnding(None, "SIGKILL")}),
    ("it was out of time, and ended with 0 when asked to", {"ended": RunEnding(0, timed_out=True)}),
    ("it was cancelled, and ended with 0 when asked to", {"ended": RunEnding(0, cancelled=True)}),
    ("a broken promise", {"contract": JudgedContract(False, ("no",))}),
    ("an effect", {"effects": (JudgedEffect("net.fetch", False, "undeclared", (), True),)}),
    ("a missing file", {"outputs": (JudgedOutput("a.md", "missing", (), True),)}),
    ("an undeclared file", {"outputs": (JudgedOutput("", "undeclared", ("x",), True),)}),
    ("a second run that changes more", {"repeated": ("added x",)}),
]


def test_what_is_no_fault_leaves_it_well() -> None:
    assert GOOD.ok


@pytest.mark.parametrize(("what", "changed"), FAULTS, ids=[row[0] for row in FAULTS])
def test_one_fault_is_enough(what: str, changed: dict[str, Any]) -> None:
    assert not GOOD._replace(**changed).ok


LOST = "the tracer did not record how 1 process ended"


@pytest.mark.parametrize(
    ("expect", "changed", "differs"),
    [
        ({"exit_code": 0}, {"ended": RunEnding(0, timed_out=True)},
         ("exit status: expected 0, but the run timed out",)),
        ({"effects": {"fs.write": "declared-observed", "net.fetch": "blocked"}},
         {"incomplete": (LOST,)}, (f"observation incomplete: {LOST}",)),
        ({"changes": {}}, {"incomplete": (LOST,)}, (f"observation incomplete: {LOST}",)),
        ({"exit_code": 0, "contract": True}, {"incomplete": (LOST,)}, ()),
        ({"exit_code": None}, {"ended": RunEnding(None, "SIGTERM", timed_out=True)}, ()),
    ],
)  # fmt: skip
def test_a_sample_differs_where_nobody_can_say_that_it_does_not(
    expect: dict[str, Any], changed: dict[str, Any], differs: tuple[str, ...]
) -> None:
    assert unmet(expect, GOOD._replace(**changed)) == differs


def test_what_was_not_started_did_not_do_it() -> None:
    report = not_started(PLAN, "it asks first")
    assert (report.ok, report.ended.error) == (False, "it asks first")
