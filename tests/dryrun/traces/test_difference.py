"""In what two runs differ, a sentence each; values that are hidden stay so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.dryrun.traces.conftest import IDENTITY, PLAN, REPORT, SECRET, a_launch, a_trace

from skillstudio.dryrun.plan import PrivateValues, RequirementResult
from skillstudio.dryrun.report import (
    JudgedContract,
    JudgedEffect,
    JudgedOutput,
    RunEnding,
    RunFileChange,
    RunReport,
)
from skillstudio.dryrun.traces.difference import DID, differences
from skillstudio.dryrun.traces.key import Key

SENTENCES: list[tuple[str, RunReport, str, list[str]]] = [
    ("the same at another time", REPORT._replace(run="x", started_at="y"), "", []),
    (
        "it took longer",
        REPORT._replace(ending=REPORT.ending._replace(duration_ms=9e3)),
        "",
        [],
    ),
    (
        "the skill changed",
        REPORT._replace(identity={**IDENTITY, "version": "2.0.0", "source_rev": None}),
        "version",
        [f"source_rev: {'ab' * 20} before, nothing now", "version: 1.2.0 before, 2.0.0 now"],
    ),
    (
        "another operation",
        REPORT._replace(plan=PLAN._replace(operation="pour")),
        "skill",
        ["operation: brew before, pour now"],
    ),
    (
        "an input",
        REPORT._replace(plan=PLAN._replace(inputs={"kind": "black", "api_key": "x"})),
        "inputs",
        ["kind: green before, black now", "cups: 2 before, nothing now"],
    ),
    (
        "another isolation level and other tools",
        REPORT._replace(
            traced=False,
            plan=PLAN._replace(
                isolation=PLAN.isolation._replace(id="copy"),
                requirements=(RequirementResult("command", "bash", "too-old", "3.2", ">=4"),),
            ),
        ),
        "environment",
        [
            "isolation level: confined before, copy now",
            "traced: true before, false now",
            "bash: fine 5.2 before, too-old 3.2 now",
        ],
    ),
    (
        "an incomplete observation",
        REPORT._replace(incomplete=("the log is empty",)),
        "effects",
        ["the observation of the second run is incomplete"],
    ),
    (
        "how it ended",
        REPORT._replace(ending=RunEnding(None, "SIGKILL", timed_out=True)),
        "exit",
        ["how it ended: exit status 0 before, timed out now"],
    ),
    (
        "the contract",
        REPORT._replace(contract=JudgedContract(False, ("It is no JSON.",))),
        "contract",
        [
            "stdout contract: satisfied before, not satisfied now",
            'problems: [] before, ["It is no JSON."] now',
            'value: {"status": "ok"} before, nothing now',
        ],
    ),
    (
        "effects",
        REPORT._replace(effects=(JudgedEffect("fs.write", True, "declared-not-observed"),)),
        "effects",
        [
            "fs.write: declared-observed before, declared-not-observed now",
            "fs.write: added pot.txt: observed before, nothing now",
            "net.fetch: undeclared (not declared) before, nothing now",
            "net.fetch: connected to tea.example:443: observed before, nothing now",
        ],
    ),
    (
        "output files",
        REPORT._replace(outputs=(JudgedOutput("pot.txt", "missing", is_error=True),)),
        "outputs",
        ["pot.txt: produced before, missing now"],
    ),
    (
        "files",
        REPORT._replace(
            changes=(
                RunFileChange("workspace", "pot.txt", "added", 1007, "text", "pot.txt"),
                RunFileChange("home", ".cache/x", "modified", 1, "binary", "", "a link to /srv"),
                RunFileChange("home", "new", "added", 2, "text"),
            )
        ),
        "files",
        [
            "pot.txt: added, text, 7 bytes before, added, text, 1,007 bytes now",
            "~/.cache/x: modified, binary, 1 bytes, a link to /srv/deep before, "
            "modified, binary, 1 bytes, a link to /srv now",
            "skill: old: removed, text, 3 bytes before, nothing now",
            "~/new: nothing before, added, text, 2 bytes now",
        ],
    ),
]


@pytest.mark.parametrize(
    ("what", "report", "area", "sentences"), SENTENCES, ids=[row[0] for row in SENTENCES]
)
def test_each_difference_is_a_sentence(
    what: str, report: RunReport, area: str, sentences: list[str]
) -> None:
    found = differences(a_trace(), a_trace(report))
    assert [each.message for each in found] == sentences
    assert {each.area for each in found} <= {area}
    keys = {"area", "name", "before", "after", "message", "diff"}
    assert all(set(each._asdict()) == keys for each in found)


def hidden(value: Any, key: Key | None = None, cups: int = 2) -> Any:
    told = PrivateValues((), {}, ("api_key",), (), {"api_key": value, "cups": cups})
    return a_trace(REPORT, "standard", a_launch(told), *((key,) if key else ()))


def test_an_equal_hidden_value_is_seen_to_be_equal() -> None:
    assert differences(hidden(SECRET), hidden(SECRET)) == ()


def test_another_hidden_value_is_seen_and_not_told() -> None:
    [found] = differences(hidden(SECRET), hidden("swordfish"))
    assert found.message == "api_key: the value changed"
    assert SECRET not in json.dumps(found._asdict())


def test_values_under_two_keys_say_nothing_of_each_other() -> None:
    found = differences(hidden(SECRET), hidden(SECRET, Key(bytes(32))))
    assert {each.message for each in found} == {
        f"{name}: unknown whether the two values are equal"
        for name in ("api_key", "cups", "variable LEAF")
    }


def test_two_traces_without_values_still_show_what_changed() -> None:
    other = REPORT._replace(changes=REPORT.changes[:2], outputs=())
    found = differences(a_trace(mode="aggressive"), a_trace(other, mode="aggressive"))
    assert [each.area for each in found] == ["outputs", "files"]
    assert found[1].name.startswith("skill: ‹sensitive› ")
    assert "old" not in found[1].message


def test_what_a_run_did_is_told_from_what_it_was_run_with() -> None:
    causes = {"skill", "version", "inputs", "environment"}
    assert causes.isdisjoint(DID)
