"""`skillstudio sample`: inputs generated or given, printed or kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from tests.cli.conftest import Run
from tests.dryrun.skills import front_skill, offered

from skillstudio.dryrun.traces.store import copies_folder

EXAMPLES = Path(__file__).parents[2] / "examples"
Write = Callable[..., Path]


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of an example without its samples."""

    def make(name: str) -> Path:
        target = tmp_path / name
        shutil.copytree(EXAMPLES / name, target, ignore=shutil.ignore_patterns("samples"))
        return target

    return make


def test_what_is_required_is_made_up(run: Run) -> None:
    ran = run("sample", EXAMPLES / "aws", "deploy-app")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "inputs:\n  cluster_name: cluster_name\n  region: aa-a-0\n  app_name: a\n"


def test_json_and_what_is_optional(run: Run) -> None:
    told = run("sample", EXAMPLES / "memory", "search", "--all", "--format", "json").json
    assert told == {
        "skill": "memory",
        "operation": "search",
        "inputs": {"query": "query", "limit": 5},
        "arguments": [],
        "env": {},
    }


def test_what_is_given_stays(run: Run) -> None:
    ran = run("sample", EXAMPLES / "memory", "store", "-i", "importance=7", "-i", "title=on")
    assert "  importance: 7\n" in ran.out
    assert "  title: 'on'\n" in ran.out
    assert "  category: category\n" in ran.out


def test_what_is_kept_can_be_planned(run: Run, copy: Callable[[str], Path]) -> None:
    skill = copy("worklog")
    ran = run("sample", skill, "scripts/extract-metrics.sh", "-i", "session_date=2025-12-31",
              "--save", "day", "--", "2025-12-31")  # fmt: skip
    path = skill / "samples/scripts/extract-metrics.sh/day.yaml"
    assert ran.out == f"{path}\n"
    assert path.read_text() == "inputs:\n  session_date: '2025-12-31'\narguments:\n- '2025-12-31'\n"
    plan = run("plan", skill, "scripts/extract-metrics.sh", "--sample", "day", "--isolation",
               "plan", "--format", "json", "--workspace", skill).json  # fmt: skip
    assert plan["argv"]["unix"][-1] == "2025-12-31"
    assert plan["inputs"]["session_date"] == "2025-12-31"
    assert run("check", skill).status == 0


def test_private_samples_lie_in_the_users_state(run: Run, copy: Callable[[str], Path]) -> None:
    skill = copy("memory")
    ran = run("sample", skill, "health", "--save", "mine", "--private")
    assert Path(ran.out.strip()).is_file()
    assert not (skill / "samples").exists()
    assert run("sample", skill, "health", "--save", "ours").status == 0
    assert run("sample", skill, "health", "--list").out == "ours  (skill)\nmine  (private)\n"
    told = run("sample", skill, "health", "--list", "--format", "json").json
    assert told == [{"name": "ours", "kept": "skill"}, {"name": "mine", "kept": "private"}]


SENSITIVE = [
    ["--secret", "deploy_key=@{file}"],
    ["--env", "DEPLOY_TOKEN=hunter2"],
    ["--env", "ANY=hunter2"],
    ["--", "hunter2"],
]


@pytest.mark.parametrize("given", SENSITIVE)
@pytest.mark.parametrize("private", [True, False])
def test_sensitive_values_are_never_kept(
    run: Run, copy: Callable[[str], Path], tmp_path: Path, given: list[str], private: bool
) -> None:
    skill = copy("deploy")
    (tmp_path / "file").write_text("hunter2")
    before = sorted(tmp_path.rglob("*"))
    arguments = [each.format(file=tmp_path / "file") for each in given]
    kept = ["--save", "x", *(["--private"] if private else [])]
    ran = run("sample", skill, "scripts/deploy.sh", *kept, *arguments)
    assert ran.status == 1
    assert "not saved" in ran.err
    assert "hunter2" not in ran.out + ran.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("private", [[], ["--private"]])
def test_a_sensitive_input_is_left_out_of_what_is_kept(
    run: Run, copy: Callable[[str], Path], private: list[str]
) -> None:
    given = '{"session_date": "2025-12-31", "api_key": "hunter2"}'
    ran = run("sample", copy("worklog"), "--inputs-json", given, "--save", "x", *private)
    assert ran.status == 0
    assert Path(ran.out.strip()).read_text() == "inputs:\n  session_date: '2025-12-31'\n"


WRONG = [
    (["memory", "store", "-i", "importance=high"], 1, "importance must be a whole number"),
    (["memory", "store", "-i", "titel=x"], 1, "unknown input titel; did you mean title?"),
    (["deploy", "scripts/deploy.sh", "-i", "deploy_key=hunter2"], 1, "deploy_key is sensitive"),
    (["memory"], 2, "name one of search, store, health, types"),
    (["memory", "healht"], 2, "did you mean health?"),
    (["memory", "health", "--private"], 2, "--private needs --save NAME"),
    (["memory", "health", "--save", "../x"], 1, "invalid sample name ../x"),
]


@pytest.mark.parametrize(("arguments", "status", "said"), WRONG)
def test_what_is_refused(
    run: Run, copy: Callable[[str], Path], arguments: list[str], status: int, said: str
) -> None:
    ran = run("sample", copy(arguments[0]), *arguments[1:])
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err
    assert "hunter2" not in ran.err


def test_a_schema_that_no_value_fits(run: Run, skill: Write) -> None:
    text = (
        "---\nmanifest_version: '1.0'\nname: odd\ndescription: x\ninputs: {required: "
        "[{name: n, schema: {type: integer, minimum: 5, maximum: 1}}]}\n---\nx\n"
    )
    ran = run("sample", skill("odd", text))
    assert (ran.status, ran.out) == (1, "")
    assert "n: no value for its schema could be generated; give one with -i" in ran.err


def test_what_is_missing_in_json_is_made_up(run: Run) -> None:
    ran = run("sample", EXAMPLES / "aws", "deploy-app", "--inputs-json", '{"app_name": "web"}')
    assert ran.out == "inputs:\n  cluster_name: cluster_name\n  region: aa-a-0\n  app_name: web\n"


def test_what_is_given_needs_no_value_made_up(run: Run, skill: Write) -> None:
    text = (
        "---\nmanifest_version: '1.0'\nname: odd\ndescription: x\ninputs: {required: "
        "[{name: n, schema: {type: string, pattern: '(a)\\\\1'}}]}\n---\nx\n"
    )
    folder = skill("odd", text.replace("\\\\", "\\"))
    assert run("sample", folder, "-i", "n=aa").out == "inputs:\n  n: aa\n"


def test_what_is_made_of_a_sample_keeps_its_folder_and_what_it_expects(
    run: Run, copy: Callable[[str], Path]
) -> None:
    skill = copy("memory")
    old = skill / "samples" / "search" / "old.yaml"
    old.parent.mkdir(parents=True)
    behind = "workspace:\n  folder: scripts\n  git: true\nexpect:\n  exit: 0\n"
    old.write_text(f"inputs:\n  query: tea\n{behind}")
    assert run("sample", skill, "search", "--sample", "old", "--save", "new").status == 0
    text = (skill / "samples" / "search" / "new.yaml").read_text()
    assert text.startswith("inputs:\n  query: tea\n")
    assert text.endswith(behind)


@pytest.mark.parametrize("name", ["sample", "settings"])
def test_the_schema_of_other_files_is_printed(run: Run, name: str) -> None:
    schema = run("config", "schema", name).json
    Draft202012Validator.check_schema(schema)
    refused = run("config", "schema", f"{name}s")
    assert (refused.status, f"did you mean {name}?" in refused.err) == (2, True)


def test_the_samples_of_the_examples_satisfy_the_schema(run: Run) -> None:
    validator = Draft202012Validator(run("config", "schema", "sample").json)
    files = [*EXAMPLES.glob("*/samples/**/*.yaml")]
    assert files
    for file in files:
        assert not list(validator.iter_errors(yaml.safe_load(file.read_text()))), file


SEES_FOLDER = '#!/bin/sh\ncat notes.md "$HOME/.said"; echo "$1" >> notes.md\n'
OWN_FOLDER = """\
inputs: {}
arguments: [hello]
fixtures:
  notes.md: "one\\n"
  home:.said: "at home\\n"
"""


@pytest.fixture
def sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A skill that prints what is in its folders, and a sample that says what is there; the current
    folder has other notes."""
    offered("copy")
    front_skill(tmp_path / "sees", "", SEES_FOLDER)
    place = tmp_path / "sees" / "samples" / "scripts" / "go.sh"
    place.mkdir(parents=True)
    (place / "own.yaml").write_text(OWN_FOLDER)
    (tmp_path / "notes.md").write_text("mine\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


OWN = ("run", "sees", "scripts/go.sh", "--sample", "own", "--isolation", "copy")


@pytest.mark.parametrize(
    ("options", "printed", "changed"),
    [
        ((), ["one", "at home"], "notes.md"),
        (("--workspace", "."), ["mine"], "notes.md"),
    ],
)
def test_a_run_with_a_sample_is_in_its_folder_unless_another_is_named(
    run: Run, sees: Path, options: tuple[str, ...], printed: list[str], changed: str
) -> None:
    ran = run(*OWN, *options)
    stdout = ran.out.partition("stdout\n")[2].splitlines()[: len(printed)]
    assert [line.strip() for line in stdout] == printed
    assert changed in ran.out
    assert (sees / "notes.md").read_text() == "mine\n"
    assert os.listdir(copies_folder()) == []


@pytest.mark.parametrize(
    "options", [("--apply",), ("--patch", "changes.patch"), ("--on", "20260101T000000-abcdefg")]
)
def test_what_needs_your_files_is_refused_in_the_folder_of_a_sample(
    run: Run, sees: Path, options: tuple[str, ...]
) -> None:
    ran = run(*OWN, *options)
    assert ran.status == 2
    assert f"{options[0]} needs your own files" in ran.err
    assert "name yours with --workspace" in ran.err


def test_a_sample_whose_folder_cannot_be_filled_is_refused(run: Run, sees: Path) -> None:
    sample = sees / "sees" / "samples" / "scripts" / "go.sh" / "own.yaml"
    sample.write_text("inputs: {}\nworkspace: {folder: missing}\n")
    ran = run(*OWN)
    assert ran.status == 2
    assert "the workspace missing is not a folder of the skill" in ran.err
