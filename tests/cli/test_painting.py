"""A report of a run in a terminal, line by line."""

from __future__ import annotations

import pytest

from skillstudio.cli.output import Paint
from skillstudio.cli.painting import paint_lines
from skillstudio.dryrun.plan import NOT_REQUESTED, IsolationChoice, Plan, Roots, Step
from skillstudio.dryrun.report import (
    JudgedContract,
    JudgedEffect,
    JudgedOutput,
    RunEnding,
    RunFileChange,
    RunReport,
    not_started,
)
from skillstudio.present.run_report import report_parts

PLAN = Plan(
    skill="notes",
    operation="write",
    dialect="skill-manifest-2.0",
    argv={"unix": (("sh", "write.sh"),)},
    cwd="/s",
    env=(),
    inputs={},
    requirements=(),
    outputs=(),
    effects=(),
    isolation=IsolationChoice("confined", (), {"isolated": "bwrap is not installed"}),
    problems=(),
    roots=Roots("/w", "/s"),
    steps=(Step(("sh", "write.sh")),),
    timeout=2.5,
)
GOOD = RunReport("r1", PLAN, RunEnding(0, duration_ms=1200), JudgedContract(True), (), (), (), ())
UNDECLARED = JudgedEffect("net.fetch", False, "undeclared", ("connected to 10.0.0.1:80",), True)
STRAY = JudgedOutput("", "undeclared", ("stray.txt",), True)


def shown(report: RunReport) -> list[str]:
    return list(paint_lines(report_parts(report, details="all"), Paint(False)))


ENDINGS = [
    # the report, how it ended, how the verdict begins
    (GOOD._replace(traced=True), "exit 0, 1.2 s", "✓ as declared · "),
    (GOOD._replace(traced=True, declares=False), "exit 0, 1.2 s", "i nothing declared · "),
    (GOOD, "exit 0, 1.2 s", "! not fully observed · "),
    (GOOD._replace(ending=RunEnding(3)), "exit 3, 0.0 s", "✗ failed · "),
    (GOOD._replace(ending=RunEnding(None, "SIGSEGV")), "ended by SIGSEGV, 0.0 s", "✗ failed · "),
    (
        GOOD._replace(ending=RunEnding(None, "SIGKILL", timed_out=True, duration_ms=4500)),
        "stopped after 4.5 s: the timeout is 2.5 s",
        "✗ timed out · ",
    ),
    (
        GOOD._replace(ending=RunEnding(None, "SIGTERM", cancelled=True, duration_ms=300)),
        "cancelled after 0.3 s",
        "✗ cancelled after 0.3 s",
    ),
    (GOOD._replace(effects=(UNDECLARED,)), "exit 0, 1.2 s", "✗ 1 undeclared effect: net.fetch · "),
    (GOOD._replace(outputs=(STRAY,)), "exit 0, 1.2 s", "✗ 1 undeclared file · "),
    (GOOD._replace(repeat_changes=("added x",)), "exit 0, 1.2 s", "✗ not idempotent · "),
    (
        GOOD._replace(ending=RunEnding(1), contract=JudgedContract(False, ("no JSON.",))),
        "exit 1, 0.0 s",
        "✗ failed, stdout contract not satisfied · ",
    ),
    (
        GOOD._replace(incomplete=("the log is empty",)),
        "exit 0, 1.2 s",
        "✗ observation incomplete · ",
    ),
    (
        GOOD._replace(ending=RunEnding(3), incomplete=("the log is empty",)),
        "exit 3, 0.0 s",
        "✗ failed, observation incomplete · ",
    ),
]


@pytest.mark.parametrize(("report", "ended", "verdict"), ENDINGS)
def test_how_it_ended(report: RunReport, ended: str, verdict: str) -> None:
    told = shown(report)
    assert told[0].startswith(verdict)
    assert ended in told[0]
    assert told[0].endswith("  notes write")


@pytest.mark.parametrize("report", [GOOD, not_started(PLAN, "fix 1 error")])
def test_why_no_higher_isolation_level_is_taken_is_said(report: RunReport) -> None:
    told = shown(report)
    at = told.index("Isolation: confined")
    assert told[at + 1] == "  not isolated: bwrap is not installed"


def test_an_isolation_level_that_nobody_wanted_needs_no_reason() -> None:
    isolation = IsolationChoice("confined", (), {"isolated": NOT_REQUESTED})
    assert not any(
        "not isolated" in line
        for line in shown(GOOD._replace(plan=PLAN._replace(isolation=isolation)))
    )


def test_what_is_not_to_be_had_is_said_once() -> None:
    assert not any(
        "not isolated" in line
        for line in shown(not_started(PLAN, PLAN.isolation.reasons["isolated"]))
    )


def test_a_step_that_is_stood_in_for_is_not_said_to_start() -> None:
    steps = (Step(("aws", "s3", "ls")), Step(("rm", "x"), mocked="gone"))
    told = shown(GOOD._replace(plan=PLAN._replace(steps=steps)))
    at = told.index("Started")
    assert told[at + 1 : at + 3] == [
        "  aws s3 ls",
        "  rm x  (not started: the tests of the recipe provide its output)",
    ]


def test_what_is_new_of_a_file_is_said() -> None:
    change = RunFileChange("skill", "go.sh", "modified", 1_200, "shell", about="permissions 755")
    assert "  ~ skill: go.sh  shell, 1,200 bytes, permissions 755" in shown(
        GOOD._replace(changes=(change,))
    )


def test_of_many_files_some_are_listed() -> None:
    many = tuple(
        RunFileChange("workspace", f"f{number}", "added", 1, "text") for number in range(1_050)
    )
    stray = tuple(STRAY for _ in many)
    told = shown(GOOD._replace(changes=many, outputs=stray))
    assert told.count("  … 1,010 more; --format json lists all") == 2
    assert len(told) < 100
    folded = list(
        paint_lines(report_parts(GOOD._replace(changes=many, outputs=stray)), Paint(False))
    )
    assert "  … 1,045 more; -v lists all" in folded
    assert "+1050 ~0 -0" in told[0]


def test_what_a_program_chose_cannot_steer_a_terminal() -> None:
    name = "a\x1b[2Jb\nc\u202e\udcff"
    change = RunFileChange("workspace", name, "added", 1, "text", name)
    effect = JudgedEffect("fs.write", True, "declared-observed", (f"added {name}",))
    output = JudgedOutput(name, "produced", (name,))
    ended = RunEnding(None, error=name, limits=(name,))
    report = GOOD._replace(
        changes=(change,), effects=(effect,), outputs=(output,), ending=ended,
        contract=JudgedContract(False, (name,)), repeat_changes=(name,), variations=(name,),
    )  # fmt: skip
    for line in shown(report):
        assert line.isprintable(), line
