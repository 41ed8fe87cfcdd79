"""Reports of runs that nobody ran, and the traces of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from skillstudio.dryrun.plan import (
    IsolationChoice,
    Launch,
    Plan,
    PlannedOutput,
    PlanProblem,
    PrivateValues,
    RequirementResult,
    Roots,
    Step,
)
from skillstudio.dryrun.report import (
    JudgedContract,
    JudgedEffect,
    JudgedOutput,
    RunEnding,
    RunFileChange,
    RunReport,
)
from skillstudio.dryrun.traces.key import Key
from skillstudio.dryrun.traces.reading import Trace, trace_of
from skillstudio.dryrun.traces.trace import Mode, make_trace
from skillstudio.interface.wording import SENSITIVE

KEY = Key(bytes(range(32)))
SECRET = "hunter2secret"
IDENTITY: dict[str, str | None] = {
    "nix_store_path": None,
    "source_ref": "git+file:///home/ann/skills#tea",
    "source_rev": "ab" * 20,
    "content_hash": "sha256:" + "1f" * 32,
    "version": "1.2.0",
    "deployed_at": None,
}

PLAN = Plan(
    skill="tea",
    operation="brew",
    dialect="skill-manifest-2.0",
    argv={"unix": (("bash", "brew.sh", "green"),), "windows": (("brew.exe", "green"),)},
    cwd="/home/ann/skills/tea",
    env=("LEAF",),
    inputs={"kind": "green", "cups": 2, "api_key": SENSITIVE},
    requirements=(RequirementResult("command", "bash", "fine", "5.2", ""),),
    outputs=(PlannedOutput("pot.txt", "pot.txt", "repo_root"),),
    effects=("fs.write",),
    isolation=IsolationChoice(
        "confined", ("It can see the time.",), {"isolated": "bwrap is missing"}
    ),
    problems=(PlanProblem("input-dash", "kind begins with -", "/operations/brew", "warning"),),
    roots=Roots("/home/ann/skills", "/home/ann/skills/tea"),
    empty=("milk",),
    notes=("a note",),
    steps=(Step(("bash", "brew.sh", "green"), "", "auto"),),
    timeout=12.5,
)

REPORT = RunReport(
    run="20261121T101112-123abcd",
    plan=PLAN,
    ending=RunEnding(0, duration_ms=12.5, limits=("It printed too much.",)),
    contract=JudgedContract(True, (), {"status": "ok"}),
    effects=(
        JudgedEffect("fs.write", True, "declared-observed", ("added pot.txt",)),
        JudgedEffect("net.fetch", False, "undeclared", ("connected to tea.example:443",), True),
    ),
    outputs=(JudgedOutput("pot.txt", "produced", ("pot.txt",)),),
    changes=(
        RunFileChange("workspace", "pot.txt", "added", 7, "text", "pot.txt"),
        RunFileChange("home", ".cache/x", "modified", 1, "binary", "", "a link to /srv/deep"),
        RunFileChange("skill", "old", "removed", 3, "text"),
    ),
    differences=("The network was closed.",),
    repeat_changes=("added pot.txt",),
    variations=("pot.txt",),
    traced=True,
    identity=IDENTITY,
    started_at="2026-11-21T10:11:12Z",
    suspects=("standard output, line 3",),
    again=("added pot.txt",),
)


def a_launch(told: PrivateValues | None = None, env: Mapping[str, str] | None = None) -> Launch:
    told = told or PrivateValues((), {}, ("api_key",), ("kind", "api_key"), {"api_key": SECRET})
    return Launch(PLAN.steps, PLAN.cwd, env or {"LEAF": "long"}, secrets=(SECRET,), private=told)


def a_value(
    report: RunReport = REPORT,
    mode: Mode = "standard",
    launch: Launch | None = None,
    key: Key | None = KEY,
    sensitive: bool = False,
    printed: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    made = make_trace(report, mode, launch or a_launch(), key, sensitive, printed)
    value: dict[str, Any] = json.loads(json.dumps(made))
    return value


def a_trace(*args: Any, **named: Any) -> Trace:
    return trace_of(json.dumps(a_value(*args, **named)).encode(), "a.json")
