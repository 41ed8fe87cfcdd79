"""What leaves the machine names no one and holds no credential."""

from __future__ import annotations

import json

import pytest
from tests.dryrun.traces.conftest import PLAN, REPORT, SECRET, a_trace

from skillstudio.dryrun.plan import Roots, Step
from skillstudio.dryrun.redaction.suspects import mask_suspects
from skillstudio.dryrun.report import JudgedContract
from skillstudio.dryrun.traces.reading import trace_of
from skillstudio.dryrun.traces.share import NotShared, share

TOKEN = "ghp_" + "Zk3" * 12


def test_paths_are_told_without_the_person() -> None:
    shared = share(a_trace(), mask_suspects)
    text = json.dumps(shared)
    assert "ann" not in text
    assert shared["execution"]["skill_version"]["source_ref"] == "git+file://LOCAL/skills#tea"
    assert shared["roots"] == {"workspace": "WORKSPACE", "skill": "SKILL"}
    assert shared["cwd"] == "SKILL"


def test_a_home_folder_anywhere_is_one() -> None:
    plan = PLAN._replace(
        roots=Roots("/srv/work", "/srv/work/tea"),
        steps=(
            Step(("cat", "/var/root/.x", "/var/rooted", "--in=/var/root", "C:\\Users\\Ann\\y")),
        ),
    )
    shared = share(a_trace(REPORT._replace(plan=plan)), mask_suspects, "/var/root")
    assert shared["steps"][0]["argv"] == [
        "cat", "LOCAL/.x", "/var/rooted", "--in=LOCAL", "LOCAL/y",
    ]  # fmt: skip


def test_what_looks_like_a_credential_is_masked_everywhere() -> None:
    report = REPORT._replace(
        contract=JudgedContract(True, (), {TOKEN: TOKEN}),
        differences=(f"token {TOKEN}",),
        plan=PLAN._replace(inputs={"kind": TOKEN}),
    )
    text = json.dumps(share(a_trace(report), mask_suspects))
    assert TOKEN not in text
    assert "\\u2039sensitive\\u203a" in text


@pytest.mark.parametrize(("mode", "sensitive"), [("aggressive", True), ("aggressive", False)])
def test_a_sensitive_skill_is_shared_by_who_has_read_it(mode: str, sensitive: bool) -> None:
    trace = a_trace(mode=mode, sensitive=sensitive)
    with pytest.raises(NotShared, match="--reviewed"):
        share(trace, mask_suspects)
    shared = share(trace, mask_suspects, is_reviewed=True)
    assert SECRET not in json.dumps(shared)


def test_what_is_shared_is_a_trace() -> None:
    shared = share(a_trace(), mask_suspects)
    read = trace_of(json.dumps(shared).encode(), "shared.json")
    assert read.report.changes == REPORT.changes
    assert read.report.identity is not None
