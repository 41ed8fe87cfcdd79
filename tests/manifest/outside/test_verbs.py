"""Every verb on a skill whose dialect another distribution installs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tests.commands import Run
from tests.manifest.outside.conftest import JOB, write

from skillstudio.cli.verbs import ALIASES, all_verbs

pytestmark = pytest.mark.usefixtures("site")

NO_SKILL = {
    "lsp": "the server of editors; it publishes what check prints",
    "new": "begins with a template, which is no part of a dialect",
    "update": "follows a template, which is no part of a dialect",
    "serve": "the workbench in a browser",
    "mcp": "its tools are other verbs",
    "config": "lists the keys and themes of the workbench",
    "completion": "lists verbs and their arguments",
}
"""Verbs that have nothing to do with the dialect of a skill, and why."""


def test_every_verb_has_its_test() -> None:
    tried = {name.removeprefix("test_").replace("_", "-") for name in globals()}
    assert {*all_verbs(), *ALIASES} - NO_SKILL.keys() - tried == set()


def other(work: Path, old: str, new: str) -> Path:
    """Another version of the job."""
    return write(work.parent / "other" / "count", old, new)


def test_check(work: Path, run: Run) -> None:
    assert (run("check", ".").status, run("check", ".").out) == (
        0,
        "2 skills checked, no problems\n",
    )
    (work / "base" / "job.toml").write_text(JOB.replace("tools.count", "Tools.Base"))
    (work / "count" / "plans" / "day.json").write_text("{}")
    (work / "skillstudio.toml").write_text('[policy]\neffects = ["fs.read"]\n')
    found = {
        (each["path"].removeprefix("./"), each["rule"], each["severity"])
        for skill in run("check", ".", "--format", "json").json["skills"]
        for each in skill["diagnostics"]
    }
    assert found == {
        ("base/job.toml", "job-shouts", "warning"),
        ("base/job.toml", "policy-exceeded", "error"),
        ("base/job.toml", "dependency-unresolved", "info"),
        ("count/job.toml", "policy-exceeded", "error"),
        ("count/job.toml", "dependency-unresolved", "info"),
        ("count/plans/day.json", "plan-empty", "warning"),
    }
    assert run("check", "base", "--fix").status == 1
    assert 'id = "tools.base"' in (work / "base" / "job.toml").read_text()


def test_check_holds_versions_of_needs(work: Path, run: Run) -> None:
    text = (work / "base" / "job.toml").read_text()
    (work / "base" / "job.toml").write_text(text.replace("1.2.0", "0.9.0"))
    out = run("check", ".").out
    assert "dependency-out-of-range: tools.base is 0.9.0 in base, which does not" in out


def test_check_of_a_proto(work: Path, run: Run) -> None:
    (work / "day.yaml").write_text("steps:\n  - skill: tools.count\n    inputs: {}\n")
    ran = run("check", "day.yaml")
    assert ran.status == 1
    assert "binding-input-unmapped: tools.count: the required input word has no value" in ran.out


@pytest.mark.usefixtures("work")
def test_why(run: Run) -> None:
    out = run("why", "-v", "count").out
    assert "  jobfile-1: job.toml\n  jobfile-1 (plan): plan, referenced by job.toml\n" in out


def test_explain(run: Run) -> None:
    assert "The id of a job has upper-case letters." in run("explain", "job-shouts").out
    assert "the priority became …" in run("explain", "job-priority-changed").out


@pytest.mark.usefixtures("work")
def test_show(run: Run) -> None:
    ran = run("show", "count")
    assert ran.out.startswith("count  1.0.0  (jobfile-1)\n")
    assert "  word  string, required  What is counted" in ran.out
    assert "  any  python3 count.py {word}" in ran.out


def test_edit_add_operation(work: Path, run: Run) -> None:
    ran = run("edit", "count", "add-operation", "count.py")
    assert (ran.status, ran.out) == (1, "")
    assert "no manifest of the skill has operations that start scripts" in ran.err
    assert "(its manifests: jobfile-1)" in ran.err
    assert (work / "count" / "job.toml").read_text() == JOB


def test_edit(work: Path, run: Run) -> None:
    assert run("edit", "count", "set", "/job/version", "1.0.1").status == 0
    text = (work / "count" / "job.toml").read_text()
    assert text == JOB.replace('version = "1.0.0"', 'version = "1.0.1"')


def test_edit_rename_input(work: Path, run: Run) -> None:
    assert run("edit", "count", "rename-input", "word", "text").status == 0
    text = (work / "count" / "job.toml").read_text()
    assert text == JOB.replace("{word}", "{text}").replace("inputs.word", "inputs.text")


def test_identity_digests(work: Path, run: Run) -> None:
    digest = hashlib.sha256("".join(JOB.split()).encode()).hexdigest()
    assert f"job_hash      sha256:{digest}\n" in run("identity", "count", "--digests").out
    (work / "count" / ".skillignore").write_text("job.toml\n")
    assert ".skillignore excludes job.toml" in run("identity", "count", "--digests").err


@pytest.mark.usefixtures("work")
def test_identity(run: Run) -> None:
    found = run("identity", "count", "--format", "json").json
    assert found["name"] == "count"
    assert found["version_from"] == "jobfile-1 in job.toml:10"


def test_lock(work: Path, run: Run) -> None:
    assert run("lock", "count").out.startswith("proto.lock: written, 2 skills\n")
    assert "tools.base" in (work / "proto.lock").read_text()
    assert run("lock", "count", "--check").status == 0
    text = (work / "base" / "job.toml").read_text()
    (work / "base" / "job.toml").write_text(text.replace("1.2.0", "0.9.0"))
    ran = run("lock", "count")
    assert ran.status == 1
    assert "count depends on tools.base 1.0.0, but found 0.9.0" in ran.out + ran.err


def test_diff(work: Path, run: Run) -> None:
    ran = run("diff", "-v", "count", other(work, '"low"', '"high"'))
    assert ran.status == 1
    assert "job-priority-changed" in ran.out
    assert 'the priority became "high"' in ran.out


def test_diff_names_who_is_hit(work: Path, run: Run) -> None:
    (work / "user").mkdir()
    (work / "user" / "job.toml").write_text(
        JOB.replace("tools.count", "tools.user").replace("tools.base", "tools.count")
    )
    old = other(work, "inputs.word", "inputs.term")
    (work / "count" / "job.toml").write_text(JOB.replace(', "wc"', ""))
    found = run("diff", old, "count", "--format", "json").json["changes"]
    hits = {each["kind"]: each["hits"] for each in found if each["hits"]}
    assert hits.pop("job-programs-fewer") == ["count/plans/day.json", "user/job.toml"]
    assert set(map(tuple, hits.values())) == {("user/job.toml",)}


test_check_compat = test_diff


def test_bump(work: Path, run: Run) -> None:
    old = other(work, '"low"', '"high"')
    assert run("bump", "count", "--against", old).out == "1.0.1\n"


def test_waive(work: Path, run: Run) -> None:
    old = other(work, "[inputs.word]", "[inputs.term]")
    found = run("diff", old, "count", "--format", "json").json
    fingerprint = next(each["fingerprint"] for each in found["changes"] if each["level"] == "major")
    assert run("waive", fingerprint, "count", "--reason", "nobody calls it").status == 0
    assert fingerprint in (work / "skillstudio.toml").read_text()


def test_migrate(work: Path, run: Run) -> None:
    (work / "count" / "job.toml").write_text(JOB.replace("format = 1\n", ""))
    ran = run("migrate", "count")
    assert ran.status == 0
    assert "job format 0 to 1" in ran.out + ran.err
    assert (work / "count" / "job.toml").read_text() == JOB
    (work / "count" / "job.toml").write_text(JOB.replace("format = 1\n", "# final\n"))
    assert "job.toml is final" in run("migrate", "count").err


@pytest.mark.usefixtures("work")
def test_export(run: Run) -> None:
    ran = run("export", "count", "--target", "skill-creator", "-o", "exported")
    assert (ran.status, "no SKILL.md to export; add one" in ran.err) == (1, True)


@pytest.mark.usefixtures("work")
def test_pack(run: Run) -> None:
    ran = run("pack", "count", "-o", "count.zip")
    assert ran.status == 0
    assert "job.toml" in ran.out


def test_unpack(work: Path, run: Run) -> None:
    run("pack", "count", "-o", "count.tar.gz")
    assert run("unpack", "count.tar.gz", "-o", "un").status == 0
    assert (work / "un" / "job.toml").read_text() == JOB


def test_index(work: Path, run: Run) -> None:
    assert run("index", ".").status == 0
    found = json.loads((work / "skills-index.json").read_text())
    assert "jobfile-1" in json.dumps(found)


@pytest.mark.usefixtures("work")
def test_plan(run: Run) -> None:
    ran = run("plan", "count", "-i", "word=tea")
    assert ran.status == 0
    assert ran.out.startswith("count  (jobfile-1)\nStarts\n  python3 count.py tea\n")


@pytest.mark.usefixtures("work")
def test_preview(run: Run) -> None:
    ran = run("preview", "count", "--card")
    assert ran.status == 0
    assert "  effect proc.exec  no limit" in ran.out
    assert run("preview", "count", "-i", "word=tea").status == 0
    assert run("preview", "count/job.toml").status == 0


@pytest.fixture
def ran(work: Path, run: Run) -> Run:
    """The job was run once."""
    assert run("run", "count", "-i", "word=tea", "--isolation", "copy", "--yes").status == 1
    return run


@pytest.mark.slow
@pytest.mark.usefixtures("work")
def test_run(run: Run) -> None:
    done = run("run", "count", "-i", "word=tea", "--isolation", "copy", "--yes", "--format", "json")
    assert done.status == 1
    verdicts = {each["effect"]: each["declared"] for each in done.json["effects"]}
    assert verdicts["fs.write"] is False
    assert verdicts["proc.exec"] is True


@pytest.mark.slow
def test_adopt(ran: Run) -> None:
    out = ran("adopt", "last").out
    assert '+listed = ["count.txt"]\n' in out
    assert '+[[outputs]]\n+pattern = "count.txt"\n' in out


@pytest.mark.slow
def test_apply(ran: Run) -> None:
    assert ran("apply", "last", "--check").out.startswith("+ count/count.txt\n")


@pytest.mark.slow
def test_trace_explore(ran: Run) -> None:
    words = ("--isolation", "copy", "-c", "ls count", "--format", "json")
    (shown,) = ran("trace", "explore", "last", *words).json["commands"]
    assert "count.txt" in shown["output"].split()


@pytest.mark.slow
def test_trace(ran: Run) -> None:
    assert "  count  copy  exit status 0  not as declared" in ran("trace", "list").out


@pytest.mark.slow
def test_test(work: Path, run: Run) -> None:
    (work / "count" / "samples").mkdir()
    sample = "inputs: {word: tea}\nexpect: {exit: 0}\n"
    (work / "count" / "samples" / "tea.yaml").write_text(sample)
    ran = run("test", "count")
    assert (ran.status, ran.out[-9:]) == (1, "1 failed\n")
    assert "effect fs.write is undeclared: added count.txt" in ran.out
    (work / "count" / "count.py").write_text("import sys\nprint(len(sys.argv[1]))\n")
    assert run("test", "count").out.endswith("1 passed\n")


@pytest.mark.usefixtures("work")
def test_sample(run: Run) -> None:
    assert "word: word\n" in run("sample", "count").out


def test_targets(run: Run) -> None:
    listed = run("targets", "--format", "json").json["dialects"]
    assert {"id": "jobfile-1", "title": "Job file", "versions": ["1"]}.items() <= listed[-1].items()


def test_config_schema(run: Run, site: Path) -> None:
    own = json.loads((site / "jobfile" / "plan.schema.json").read_text())
    assert run("config", "schema", "jobfile-1", "--part", "plan").json == own


@pytest.mark.slow
def test_doctor(run: Run) -> None:
    assert "dialect jobfile-1" in run("doctor").out


def test_fix(work: Path, run: Run) -> None:
    assert run("fix", ".", "--diff").out == run("check", ".").out
