"""The action, the job for GitLab and the workflows: valid, safe, and what they run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from tests.dryrun.skills import block_skill, offered
from tests.repositories import Repo, plain

from skillstudio import __version__
from skillstudio.scaffold.new.catalogue import list_templates

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
GITLAB = ROOT / "templates" / "check.yml"
WORKFLOWS = sorted([*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("docs/workflows/*.yml")])
PROGRAM = Path(sys.executable).parent / "skillstudio"
GOOD = "---\nname: good\ndescription: Makes tea. Use when tea is wanted.\n---\nMake tea.\n"
BAD = "---\nname: bad\ndescription: one: two\n---\nText.\n"
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="skillstudio is not installed")


def documents(path: Path) -> list[Any]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def steps(path: Path) -> Iterator[dict[str, Any]]:
    """The steps of a workflow or an action."""
    (value,) = documents(path)
    if "runs" in value:
        yield from value["runs"]["steps"]
    for job in value.get("jobs", {}).values():
        yield from job["steps"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "files"),
    [("github-workflows", WORKFLOWS), ("github-actions", [ACTION]), ("gitlab-ci", [GITLAB])],
)
def test_each_file_is_valid_by_its_schema(schema: str, files: list[Path], tmp_path: Path) -> None:
    if find_spec("check_jsonschema") is None:
        pytest.skip("check-jsonschema is not installed")
    if schema == "gitlab-ci":  # Its header is a document of its own.
        parts = [path.read_text(encoding="utf-8").split("\n---\n") for path in files]
        files = []
        for text in (text for texts in parts for text in texts):
            files.append(tmp_path / f"{len(files)}.yml")
            files[-1].write_text(text)
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("file", [ACTION, *WORKFLOWS], ids=lambda path: path.stem)
def test_no_value_of_a_run_is_put_into_a_script(file: Path) -> None:
    scripts = [step["run"] for step in steps(file) if "run" in step]
    assert scripts
    assert [text for text in scripts if "${{" in text] == []


def test_the_inputs_for_gitlab_are_put_into_variables_only() -> None:
    header, jobs = documents(GITLAB)
    base = jobs[".skillstudio"]
    scripts = [
        *base["before_script"],
        *(line for job in jobs.values() for line in job.get("script", ())),
    ]
    assert "$[[" not in " ".join(scripts)
    assert all(variable["expand"] is False for variable in base["variables"].values())
    used = set(re.findall(r"inputs\.([\w-]+)", GITLAB.read_text()))
    assert used == set(header["spec"]["inputs"])


def test_the_installed_version_is_this_one() -> None:
    header, _ = documents(GITLAB)
    versions = {header["spec"]["inputs"]["version"]["default"]}
    pages = (*WORKFLOWS, ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
    texts = [path.read_text(encoding="utf-8") for path in pages]
    for text in texts:
        versions |= set(re.findall(r"pip install skillstudio==([\w.]+)", text))
        assert not re.search(r"run: pip install skillstudio$", text, re.MULTILINE)
    assert versions == {__version__}


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("## 0.2.0 – 2026-12-01\n\n- New.\n\n## 0.1.0 – 2026-11-01\n\n- Old.\n", "- New."),
        ("## 0.2.0 – unreleased\n\n- New.\n", "has no date"),
        ("## 0.1.0 – 2026-11-01\n\n- Old.\n", "has no section for 0.2.0"),
    ],
)  # fmt: skip
def test_the_notes_of_a_release_are_those_of_the_changelog(
    tmp_path: Path, text: str, notes: str
) -> None:
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci" / "notes.py"
    script.write_bytes((ROOT / ".ci" / "notes.py").read_bytes())
    (tmp_path / "CHANGELOG.md").write_text(text)
    done = subprocess.run(
        [sys.executable, script, "0.2.0"], capture_output=True, text=True, check=False
    )
    assert done.returncode == (0 if notes.startswith("-") else 1)
    assert notes in done.stdout + done.stderr
    assert "Old" not in done.stdout


def test_the_extra_all_has_each_extra_for_users() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    (whole,) = extras["all"]
    names = set(re.findall(r"\w+", whole)) - {"skillstudio"}
    assert names == set(extras) - {"all", "docs", "dev"}
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert names <= set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))


def test_a_release_needs_the_tag_of_the_version() -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    done = subprocess.run(
        [ROOT / ".ci" / "package", "--tag", "v99.0.0"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"the tag v99.0.0 is not v{__version__}" in done.stderr


def test_templates_of_skills_are_beside_the_component() -> None:
    assert GITLAB.stem not in list_templates().templates
    assert not list_templates().faults


def _value(values: dict[str, str], expression: re.Match[str]) -> str:
    return values.get(expression[1], "")


COMMENT = "repos/owner/skills/issues/comments/42"


class Job(NamedTuple):
    """A run of the action's steps in a repository, without those of other actions."""

    repository: Path
    inputs: dict[str, str]
    event: dict[str, str]
    saved: Path

    def run(self, *ids: str, path: str = "") -> tuple[str, dict[str, str], int]:
        """Run the steps with these ids, those without one by their place.

        What they print, their outputs as `STEP.NAME`, and the status of the last.
        """
        (action,) = documents(ACTION)
        given = {name: value["default"] for name, value in action["inputs"].items()} | self.inputs
        values = {f"inputs.{name}": text for name, text in given.items()} | self.event
        outputs = {"program": str(PROGRAM), "report": str(self.saved / "report")}
        values |= {f"steps.install.outputs.{name}": text for name, text in outputs.items()}
        printed, status = "", 0
        for number, step in enumerate(action["runs"]["steps"]):
            id = step.get("id", str(number))
            if id not in ids:
                continue
            environment = {
                name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", partial(_value, values), text)
                for name, text in step["env"].items()
            }
            file = self.saved / f"output-{id}"
            folder = given["working-directory"] if "working-directory" in step else "."
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.repository / folder,
                env=os.environ
                | environment
                | {"GITHUB_OUTPUT": str(file), "GITHUB_STEP_SUMMARY": str(self.saved / "summary")}
                | {"GITHUB_SERVER_URL": "https://github.com"}
                | ({"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"} if path else {}),
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            printed, status = printed + done.stdout + done.stderr, done.returncode
            lines = file.read_text().splitlines() if file.exists() else []
            values |= {
                f"steps.{id}.outputs.{name}": text
                for name, _, text in (line.partition("=") for line in lines)
            }
        names = [name for name in values if name.startswith("steps.") and ".install." not in name]
        return printed, {name: values[name] for name in names}, status


@pytest.fixture
def job(tmp_path: Path) -> Callable[..., Job]:
    """The action in a repository with two commits, of which the second changes a skill."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"skills/tea/SKILL.md": plain("tea")}, "base")
    repo.commit({"skills/tea/SKILL.md": plain("tea", "1.0.0", "^[a-f]+$")}, "head")

    def start(**inputs: str) -> Job:
        event = {
            "github.event.pull_request.base.sha": repo.git("rev-parse", "HEAD~1"),
            "github.event.pull_request.head.sha": repo.git("rev-parse", "HEAD"),
            "github.event.pull_request.number": "7",
            "github.repository": "owner/skills",
            "github.token": "token",
        }
        given = {name.replace("_", "-"): text for name, text in inputs.items()}
        return Job(repo.root, given, event, tmp_path)

    return start


def place_of_step(text: str) -> str:
    """The number of the step without an id whose script contains a text."""
    (action,) = documents(ACTION)
    (number,) = (
        number
        for number, step in enumerate(action["runs"]["steps"])
        if "id" not in step and text in step.get("run", "")
    )
    return str(number)


@needs_bash
@needs_program
def test_the_action_compares_what_a_pull_request_changes(job: Callable[..., Job]) -> None:
    last = place_of_step("worst")
    printed, outputs, status = job(diff="true").run("diff", last)
    assert outputs["steps.diff.outputs.status"] == "1", printed
    assert status == 1
    report = Path(outputs["steps.diff.outputs.report"]).read_text()
    assert report.startswith("<!-- skillstudio diff -->")
    assert "major" in report
    # Allowed, refused as an option, and without the history.
    assert job(diff="true", diff_fail_on="none").run("diff", last)[2] == 0
    assert job(diff="true", diff_fail_on="$(touch owned)").run("diff", last)[2] == 2
    shallow = job(diff="true")
    shallow.event["github.event.pull_request.base.sha"] = "0" * 40
    printed, outputs, status = shallow.run("diff", last)
    assert "::error::the comparison needs the history: set fetch-depth: 0" in printed
    assert status == 2
    assert not list(shallow.repository.parent.rglob("owned"))


@needs_bash
@needs_program
@pytest.mark.parametrize(
    ("comments", "text", "calls"),
    [
        ("", "Changes", ["pr comment 7 --repo owner/skills --body-file REPORT"]),
        ("", "no skill changed", []),
        ("42", "no skill changed", [f"api --method PATCH {COMMENT} -F body=@REPORT"]),
        ("", "x" * 70_000, ["pr comment 7 --repo owner/skills --body-file REPORT.cut"]),
    ],
    ids=["first", "nothing", "again", "too long"],
)  # fmt: skip
def test_the_comparison_is_one_comment(
    job: Callable[..., Job], tmp_path: Path, comments: str, text: str, calls: list[str]
) -> None:
    report, log, program = tmp_path / "report.md", tmp_path / "calls", tmp_path / "bin" / "gh"
    report.write_text(f"<!-- skillstudio diff -->\n\n{text}\nend\n")
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\n[ "$2" = --paginate ] && printf %s "{comments}" || echo "$@" >> {log}\n'
    )
    program.chmod(0o755)
    run = job(diff="true")
    run.event["steps.diff.outputs.report"] = str(report)
    printed, _, status = run.run(place_of_step("gh pr comment"), path=str(program.parent))
    assert status == 0, printed
    lines = log.read_text().splitlines() if log.exists() else []
    assert [line.replace(str(report), "REPORT") for line in lines] == calls
    if (cut := tmp_path / "report.md.cut").exists():
        assert cut.stat().st_size < 65_536


@needs_bash
@needs_program
@pytest.mark.slow
def test_the_action_runs_the_samples(job: Callable[..., Job]) -> None:
    offered("copy")
    run = job(test="true", path="skills/tool")
    tool = block_skill(run.repository / "skills" / "tool", "exit 1")
    sample = tool / "samples" / "go" / "bad.yaml"
    sample.parent.mkdir(parents=True)
    sample.write_text("inputs: {}\nexpect: {exit: 0}\n")
    printed, _, status = run.run("test", place_of_step("worst"))
    assert "::error file=skills/tool/samples/go/bad.yaml" in printed
    assert status == 1


@needs_bash
@needs_program
@pytest.mark.parametrize(
    ("inputs", "status", "output"),
    [
        ({}, 1, r"::error file=skills/bad/SKILL.md,line=3"),
        ({"path": "skills/good"}, 0, r"\A\Z"),
        ({"path": "skills/good\nskills/bad"}, 1, "skills/bad/SKILL.md"),
        ({"working-directory": "skills", "path": "bad", "format": "text"}, 1, "bad/SKILL.md:3"),
        ({"args": "--select\nname-format\n"}, 0, r"\A\Z"),
        ({"format": "sarif"}, 1, r"\A\Z"),
        ({"fail-on": "$(touch owned)"}, 2, r"\A\Z"),
        ({"path": "; touch owned; `touch owned` $(touch owned)"}, 2, r"\A\Z"),
    ],
)
def test_the_action_checks(
    tmp_path: Path, inputs: dict[str, str], status: int, output: str
) -> None:
    for name, text in {"good": GOOD, "bad": BAD}.items():
        folder = tmp_path / "repo" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "repo", check=True)
    printed, outputs, exit_status = Job(tmp_path / "repo", inputs, {}, tmp_path).run("check")
    assert exit_status == 0, printed
    assert re.search(output, printed) or status == 2, printed
    assert outputs == {
        "steps.check.outputs.status": str(status),
        "steps.check.outputs.report": str(tmp_path / "report"),
    }
    assert not list(tmp_path.rglob("owned"))
    assert (tmp_path / "report").exists() == (status < 2)
