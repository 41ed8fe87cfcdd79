"""The action, the job for GitLab and the workflows: valid, safe, and what they run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillstudio import __version__

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
GITLAB = ROOT / "ci" / "gitlab" / "skillstudio.yml"
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
    job = jobs["skillstudio"]
    assert "$[[" not in " ".join([*job["before_script"], *job["script"]])
    assert all(each["expand"] is False for each in job["variables"].values())
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


def test_a_release_needs_the_tag_of_the_version() -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    done = subprocess.run(
        [ROOT / ".ci" / "package", "--tag", "v99.0.0"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"the tag v99.0.0 is not v{__version__}" in done.stderr


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
    (action,) = documents(ACTION)
    (check,) = (each for each in action["runs"]["steps"] if each.get("id") == "check")
    for name, text in {"good": GOOD, "bad": BAD}.items():
        folder = tmp_path / "repo" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "repo", check=True)
    given = {name: each["default"] for name, each in action["inputs"].items()} | inputs
    outputs = {"program": str(PROGRAM), "report": str(tmp_path / "report")}
    values = {
        **{f"inputs.{name}": value for name, value in given.items()},
        **{f"steps.install.outputs.{name}": value for name, value in outputs.items()},
    }
    environment = {
        name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: values[found[1]], text)
        for name, text in check["env"].items()
    }
    saved = tmp_path / "output"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]],
        cwd=tmp_path / "repo" / given["working-directory"],
        env=os.environ | environment | {"GITHUB_OUTPUT": str(saved)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.search(output, done.stdout), done.stdout
    found = dict(line.split("=", 1) for line in saved.read_text().splitlines())
    assert found == {"status": str(status), "report": str(tmp_path / "report")}
    assert not list(tmp_path.rglob("owned"))
    assert (tmp_path / "report").exists() == (status < 2)
