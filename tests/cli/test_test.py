"""`skillstudio test`: committed samples held to what they expect, told in every format."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill, front_skill, offered
from tests.repositories import needs_git

from skillstudio.dryrun.traces.store import copies_folder, default_folder

SCRIPT = 'echo "$1" > out.txt\n[ "$1" != bad ] || exit 3\n'
WORD = {"word": {"type": "string", "required": True}}
ROOT = Path(__file__).parents[2]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    offered("copy")
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "large.bin").write_bytes(bytes(1000))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def tool(work: Path) -> Path:
    return block_skill(work / "tool", SCRIPT, inputs=WORD)


def sample(tool: Path, name: str, text: str, operation: str = "go") -> Path:
    file = tool / "samples" / operation / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


GOOD = "inputs: {word: tea}\nexpect:\n  exit_code: 0\n  changes: {added: ['skill:out.txt']}\n"
BAD = "inputs:\n  word: bad\n"
BROKEN = "inputs:\n  word: tea\nexpects: {}\n"


@pytest.fixture
def three(tool: Path) -> Path:
    sample(tool, "a-good", GOOD)
    sample(tool, "b-bad", BAD)
    sample(tool, "c-broken", BROKEN)
    return tool


WRONG = "samples/go/c-broken.yaml:3:1: unknown key expects; did you mean expect?"


def test_people_are_told_each_sample_and_why(run: Run, three: Path) -> None:
    ran = run("test", "tool", "--isolation", "copy")
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("same    tool go a-good")
    assert lines[1].startswith("differs tool go b-bad")
    assert lines[2] == "        failed: exit status 3"
    assert lines[3:] == ["differs tool go c-broken", f"        {WRONG}", "1 same, 2 differs"]


def test_programs_are_told_in_json(run: Run, three: Path) -> None:
    told = run("test", "tool", "--isolation", "copy", "--format", "json").json
    assert told["summary"] == {"same": 1, "updated": 0, "differs": 2, "skipped": 0}
    good, bad, broken = told["samples"]
    assert {**good, "seconds": 0} == {
        "skill": "tool",
        "operation": "go",
        "sample": "a-good",
        "path": "tool/samples/go/a-good.yaml",
        "outcome": "same",
        "differences": [],
        "reason": None,
        "isolation": "copy",
        "seconds": 0,
    }
    assert bad["differences"] == ["failed: exit status 3"]
    assert broken["differences"] == [WRONG]


def test_junit_is_told(run: Run, three: Path) -> None:
    ran = run("test", "tool", "--isolation", "copy", "--format", "junit")
    assert ran.status == 1
    suite = ElementTree.fromstring(ran.out)[0]
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "3",
        "failures": "2",
        "skipped": "0",
    }
    cases = {case.get("name"): case for case in suite}
    assert set(cases) == {"a-good", "b-bad", "c-broken"}
    assert cases["a-good"].get("classname") == "tool.go"
    assert len(cases["a-good"]) == 0
    [failure] = cases["b-bad"]
    assert (failure.tag, failure.get("message")) == ("failure", "failed: exit status 3")


def test_github_is_told(run: Run, three: Path) -> None:
    lines = run("test", "tool", "--isolation", "copy", "--format", "github").out.splitlines()
    assert lines[0] == (
        "::error file=tool/samples/go/b-bad.yaml,line=1,title=tool go b-bad::failed: exit status 3"
    )
    assert lines[1].startswith("::error file=tool/samples/go/c-broken.yaml,line=")


EXPECTED = [
    ("exit_code: 1", "exit status: expected 1, got 0"),
    ("contract: false", "standard output: the contract is satisfied, which is not expected"),
    ("outputs: [x.md]", "output files: expected x.md, which is missing"),
    ("changes: {}", "added: unexpected skill:out.txt"),
    ("changes: {added: ['skill:x']}", "added: expected skill:x, which is missing"),
    ("effects: {}", "effect fs.write: expected none, got declared-observed"),
    ("effects: {net.fetch: declared-observed}", ""),
]


@pytest.mark.parametrize(("expect", "said"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_what_is_otherwise_than_expected_is_said(
    run: Run, tool: Path, expect: str, said: str
) -> None:
    sample(tool, "one", f"inputs: {{word: tea}}\nexpect:\n  {expect}\n")
    ran = run("test", "tool", "--isolation", "copy")
    assert ran.status == 1
    assert said in ran.out


def test_update_writes_the_expectation_and_no_other_line(run: Run, tool: Path) -> None:
    before = "# Said by a person.\ninputs:\n  word: tea   # what is brewed\n"
    behind = "workspace: {git: true}  # behind it\n"
    file = sample(tool, "one", f"{before}expect:\n  exit_code: 9\n{behind}")
    other = sample(tool, "two", GOOD)
    kept = other.read_text()
    ran = run("test", "tool", "--isolation", "copy", "--update")
    assert ran.status == 0
    assert "updated tool go one" in ran.out
    text = file.read_text()
    assert text.startswith(f"{before}expect:\n  exit_code: 0\n  contract: true\n")
    assert text.endswith(f"\n{behind}")
    assert "    - skill:out.txt\n" in text
    assert other.read_text().startswith(kept.partition("expect")[0])
    assert run("test", "tool", "--isolation", "copy").status == 0
    assert run("test", "tool", "--isolation", "copy", "--update").out.count("same") == 3


@pytest.mark.parametrize(
    "text",
    [
        "{inputs: {word: tea}, expect: {exit_code: 9}}\n",
        "inputs: {word: tea}",
        GOOD + "\n\n# End.\n",
    ],
    ids=["in braces", "without an end of line", "with a comment behind"],
)
def test_update_writes_what_reads_the_same(run: Run, tool: Path, text: str) -> None:
    file = sample(tool, "one", text)
    assert run("test", "tool", "--isolation", "copy", "--update").status == 0
    assert "word: tea" in file.read_text()
    assert run("test", "tool", "--isolation", "copy").status == 0


NAMES = 'touch "n-$(ls -A | tr "\\n" +)$(git log --format=%s 2>/dev/null)"\n'


@pytest.fixture
def lister(work: Path) -> Path:
    head = "outputs:\n  files:\n    - pattern: '*'\n"
    folder = front_skill(work / "lister", head, f"#!/bin/sh\n{NAMES}")
    (folder / "samples" / "place").mkdir(parents=True)
    (folder / "samples" / "place" / "notes.md").write_text("one\ntwo\n")
    return folder


WORKSPACES = [
    ("", "n-"),
    ("workspace: samples/place\n", "n-notes.md+"),
    ("workspace: ./samples/place\n", "n-notes.md+"),
    pytest.param("workspace: {git: true}\n", "n-.git+Begin", marks=needs_git),
    pytest.param(
        "workspace: {folder: samples/place, git: true}\n", "n-.git+notes.md+Begin", marks=needs_git
    ),
]


@pytest.mark.parametrize(("text", "made"), WORKSPACES)
def test_a_sample_works_in_a_folder_of_its_own(
    run: Run, lister: Path, text: str, made: str
) -> None:
    expect = f"expect:\n  changes: {{added: ['workspace:{made}']}}\n"
    sample(lister, "one", f"inputs: {{}}\n{text}{expect}", "scripts/go.sh")
    ran = run("test", "lister", "--isolation", "copy", "--format", "json")
    assert ran.json["samples"][0]["differences"] == []
    assert not list(Path(copies_folder()).iterdir())
    assert (lister / "samples" / "place" / "notes.md").read_text() == "one\ntwo\n"


@needs_git
def test_the_repository_of_the_skill_is_worked_in_where_a_sample_says_so(
    run: Run, lister: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    script = lister / "scripts" / "go.sh"
    script.write_text("#!/bin/sh\ntest -f large.bin\n")
    sample(lister, "one", "inputs: {}\nworkspace: repo_root\n", "scripts/go.sh")
    monkeypatch.chdir(tmp_path)
    assert run("test", lister, "--isolation", "copy").status == 0
    sample(lister, "one", "inputs: {}\n", "scripts/go.sh")
    assert run("test", lister, "--isolation", "copy").status == 1
    assert run("test", lister, "--isolation", "copy", "--workspace", work).status == 0


WRONG_PLACES = [
    ("workspace: ../..", "2:1: workspace ../.. is outside the skill's folder"),
    ("workspace: /etc", "2:1: workspace /etc is outside the skill's folder"),
    ("workspace: []", "2:1: workspace must be a folder of the skill, repo_root, or a mapping"),
    ("workspace: {git: 1}", "2:1: git must be true or false"),
    ("workspace: {gitt: true}", "2:1: unknown key gitt of workspace; use folder and git"),
    ("workspace: none", "the workspace none is not a folder of the skill"),
]


@pytest.mark.parametrize(("text", "said"), WRONG_PLACES, ids=[row[0] for row in WRONG_PLACES])
def test_a_wrong_workspace_is_told(run: Run, lister: Path, text: str, said: str) -> None:
    sample(lister, "one", f"inputs: {{}}\n{text}\n", "scripts/go.sh")
    ran = run("test", "lister", "--isolation", "copy")
    assert ran.status == 1
    assert said in ran.out


def test_where_nothing_is_committed_that_is_said(run: Run, tool: Path) -> None:
    ran = run("test", "tool")
    assert (ran.status, ran.out[:20]) == (0, "no committed samples")


def test_an_isolation_level_that_is_not_to_be_had_is_no_success(run: Run, tool: Path) -> None:
    sample(tool, "one", GOOD)
    assert run("test", "tool", "--require-isolation", "wasm").status == 4
    skipped = run("test", "tool", "--isolation", "wasm")
    assert skipped.status == 0
    assert "isolation level wasm runs only WASM" in skipped.out


def test_no_run_of_a_sample_is_kept(run: Run, tool: Path) -> None:
    sample(tool, "one", GOOD)
    run("test", "tool", "--isolation", "copy")
    assert not Path(default_folder()).exists()


@needs_git
def test_the_samples_of_the_examples_do_as_they_say(run: Run) -> None:
    offered("copy")
    told = run("test", ROOT / "examples", "--format", "json").json
    outcomes = {f"{each['skill']} {each['sample']}": each for each in told["samples"]}
    assert {each["outcome"] for each in outcomes.values()} == {"same", "skipped"}, json.dumps(told)
    assert outcomes["memory fact"]["outcome"] == "same"
    assert outcomes["deploy dummies"]["outcome"] == "same"
