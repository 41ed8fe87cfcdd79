"""`skillstudio test`: committed samples held to what they expect, told in every format."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill, front_skill, offered
from tests.repositories import needs_git

from skillstudio.dryrun.plan import IsolationChoice
from skillstudio.dryrun.traces.store import copies_folder, default_folder

SCRIPT = 'echo "$1" > out.txt\n[ "$1" != bad ] || { echo no good >&2; exit 3; }\n'
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


GOOD = "inputs: {word: tea}\nexpect:\n  files: {'skill:out.txt': \"tea\\n\"}\n"
BAD = "inputs:\n  word: bad\n"
BROKEN = "inputs:\n  word: tea\nexpects: {}\n"


@pytest.fixture
def three(tool: Path) -> Path:
    sample(tool, "a-good", GOOD)
    sample(tool, "b-bad", BAD)
    sample(tool, "c-broken", BROKEN)
    return tool


WRONG = 'samples/go/c-broken.yaml:3:1: unknown key "expects"; did you mean "expect"?'


def test_where_no_copies_can_be_made(
    run: Run, three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    ran = run("test", three)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"skillstudio: cannot write the copies to {tmp_path}/taken/")


def test_people_are_told_each_sample_and_why(run: Run, three: Path) -> None:
    ran = run("test", "tool", "--isolation", "copy")
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("passed  tool go a-good")
    assert lines[1].startswith("failed  tool go b-bad")
    assert lines[2:4] == ["        exit status: expected 0, got 3", "        standard error:"]
    assert lines[4] == "          no good"
    assert lines[5:] == ["failed  tool go c-broken", f"        {WRONG}", "1 passed, 2 failed"]


def test_samples_that_passed_are_one_line_before_those_that_failed(run: Run, tool: Path) -> None:
    for name, text in (("a", BAD), ("b", GOOD), ("c", GOOD), ("d", BROKEN)):
        sample(tool, name, text)
    words = ("test", "tool", "--isolation", "copy")
    lines = run(*words).out.splitlines()
    assert re.fullmatch(r"passed  2 samples  \d+\.\d s", lines[0])
    starts = [line[:12] for line in lines[1:] if not line.startswith(" ")]
    assert starts == ["failed  tool", "failed  tool", "2 passed, 2 "]
    full = run(*words, "-v").out.splitlines()
    assert [line.split("  ")[1] for line in full[:3]] == ["tool go b", "tool go c", "tool go a"]
    assert len(full) == len(lines) + 1
    quiet = run(*words, "-q").out.splitlines()
    assert quiet[0].startswith("failed  tool go a")
    assert quiet[-1].strip() == WRONG.replace("c-broken", "d")
    samples = run(*words, "--format", "json").json["samples"]
    assert [value["sample"] for value in samples] == ["a", "b", "c", "d"]


def test_programs_are_told_in_json(run: Run, three: Path) -> None:
    told = run("test", "tool", "--isolation", "copy", "--format", "json").json
    assert told["summary"] == {"passed": 1, "updated": 0, "failed": 2, "skipped": 0}
    good, bad, broken = told["samples"]
    assert {**good, "seconds": 0} == {
        "skill": "tool",
        "operation": "go",
        "sample": "a-good",
        "path": "tool/samples/go/a-good.yaml",
        "outcome": "passed",
        "differences": [],
        "stderr": None,
        "reason": None,
        "isolation": "copy",
        "seconds": 0,
    }
    assert bad["differences"] == [{"message": "exit status: expected 0, got 3", "diff": None}]
    assert bad["stderr"] == "no good\n"
    assert broken["differences"] == [{"message": WRONG, "diff": None}]


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
    failure, errors = cases["b-bad"]
    assert (failure.tag, failure.get("message")) == ("failure", "exit status: expected 0, got 3")
    assert (errors.tag, errors.text) == ("system-err", "no good\n")


def test_github_is_told(run: Run, three: Path) -> None:
    lines = run("test", "tool", "--isolation", "copy", "--format", "github").out.splitlines()
    assert lines[0] == (
        "::error file=tool/samples/go/b-bad.yaml,line=1,title=tool go b-bad::exit status: "
        "expected 0, got 3"
    )
    assert lines[1].startswith("::error file=tool/samples/go/c-broken.yaml,line=")


EXPECTED = [
    ("exit: 1", "exit status: expected 1, got 0"),
    ("stdout: x", "standard output differs"),
    ("stderr: x", "standard error differs"),
    ("json: 1", "standard output is not JSON"),
    ("files: {}", "file skill:out.txt: added, which is not expected"),
    ("files: {'skill:x': <any>}", "file skill:x: expected, but the run did not change it"),
    ("files: {'skill:out.txt': soup}", "file skill:out.txt differs\n            @@ -1 +1 @@\n"),
    ("effects: []", "effect fs.write: observed, which is not expected"),
    ("effects: [fs.write, db.write]", "effect db.write: expected, but not observed"),
]


@pytest.mark.parametrize(("expect", "said"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_each_difference_is_reported(run: Run, tool: Path, expect: str, said: str) -> None:
    sample(tool, "one", f"inputs: {{word: tea}}\nexpect:\n  {expect}\n")
    ran = run("test", "tool", "--isolation", "copy")
    assert ran.status == 1
    assert said in ran.out


def test_standard_input_and_fixtures(run: Run, work: Path) -> None:
    script = "#!/bin/sh\ncat\ncat notes/a.md b.bin ~/.c\necho more >> notes/a.md\nrm b.bin\n"
    folder = front_skill(work / "reader", "outputs:\n  files:\n    - pattern: '**'\n", script)
    (folder / "samples" / "one").mkdir(parents=True)
    (folder / "samples" / "scripts" / "go.sh" / "b").mkdir(parents=True)
    (folder / "samples" / "b.bin").write_bytes(b"beside\n")
    text = (
        'inputs: {}\nstdin: "given\\n"\nfixtures:\n  notes/a.md: "old\\n"\n'
        '  b.bin: {from: ../../b.bin}\n  home:.c: "mine\\n"\nexpect:\n'
        "  stdout: |\n    given\n    old\n    beside\n    mine\n"
        "  files:\n    notes/*.md: |\n      old\n      m[..]\n    b.bin: <removed>\n"
    )
    sample(folder, "one", text, "scripts/go.sh")
    ran = run("test", "reader", "--isolation", "copy", "--format", "json")
    assert ran.json["samples"][0]["differences"] == []
    (folder / "samples" / "b.bin").unlink()
    ran = run("test", "reader", "--isolation", "copy")
    assert "go.sh/one.yaml: the file ../../b.bin cannot be read: No such file" in ran.out
    (folder / "samples" / "b.bin").symlink_to("/etc/hostname")
    assert "the file ../../b.bin cannot be read" in run("test", "reader").out


def test_texts_choose_samples_and_several_run_at_once(run: Run, three: Path) -> None:
    told = run("test", "tool", "-k", "GOOD", "-k", "broken", "-j", "3", "--format", "json").json
    assert [each["sample"] for each in told["samples"]] == ["a-good", "c-broken"]
    assert run("test", "tool", "-j", "0").status == 2


@pytest.mark.slow
def test_update_writes_the_expectation_and_no_other_line(run: Run, tool: Path) -> None:
    before = "# Said by a person.\ninputs:\n  word: tea   # what is brewed\n"
    behind = "workspace: {git: true}  # behind it\n"
    file = sample(tool, "one", f"{before}expect:\n  stdout: soup\n  files: {{}}\n{behind}")
    old = file.read_text()
    refused = run("test", "tool", "--isolation", "copy", "--update")
    assert (refused.status, file.read_text()) == (1, old)
    assert "not updated: --yes is missing" in refused.out
    assert "+      tea" in refused.out
    ran = run("test", "tool", "--isolation", "copy", "--update", "--yes")
    assert (ran.status, ran.out.splitlines()[-1]) == (0, "1 updated")
    made = "expect:\n  stdout: ''\n  files:\n    skill:out.txt: |\n      tea\n"
    assert file.read_text() == f"{before}{made}{behind}"
    again = run("test", "tool", "--isolation", "copy", "--update", "--yes")
    assert again.out.splitlines()[-1] == "1 passed"


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_update_asks_at_a_terminal(
    run: Run, tool: Path, answer: str, status: int, at_terminal: Callable[[str], None]
) -> None:
    file = sample(tool, "one", "inputs: {word: tea}\nexpect: {stdout: soup}\n")
    at_terminal(answer)
    ran = run("test", "tool", "--isolation", "copy", "--update")
    assert "Write this expectation in tool/samples/go/one.yaml? [y/N]" in ran.err
    assert "-expect: {stdout: soup}" in ran.err
    assert (ran.status, "soup" in file.read_text()) == (status, bool(status))


def test_update_never_expects_a_failure_without_an_answer(
    run: Run, tool: Path, at_terminal: Callable[[str], None]
) -> None:
    file = sample(tool, "one", BAD)
    ran = run("test", "tool", "--isolation", "copy", "--update", "--yes")
    assert (ran.status, file.read_text()) == (1, BAD)
    assert "not updated: the run failed; --update asks at a terminal" in ran.out
    at_terminal("y\n")
    assert run("test", "tool", "--isolation", "copy", "--update").status == 0
    assert "  exit: 3\n" in file.read_text()


TOKEN = "ghp_" + "a1B2c3D4e5" * 4


@pytest.mark.parametrize("is_written", [False, True], ids=["printed", "in a file"])
def test_update_never_writes_what_looks_like_a_credential(
    run: Run, tool: Path, is_written: bool
) -> None:
    block_skill(tool, f"echo {TOKEN}" + " > out.txt" * is_written, inputs=WORD)
    old = "inputs: {word: tea}\nexpect: {stdout: x, files: {}}\n"
    file = sample(tool, "one", old)
    ran = run("test", "tool", "--isolation", "copy", "--update", "--yes")
    assert (ran.status, file.read_text()) == (1, old)
    assert "not updated: tool/samples/go/one.yaml would contain what looks like a" in ran.out


def test_update_asks_before_it_writes_what_may_be_a_password(
    run: Run, tool: Path, at_terminal: Callable[[str], None]
) -> None:
    block_skill(tool, "echo 'password: hunter2'", inputs=WORD)
    old = "inputs: {word: tea}\nexpect: {stdout: x}\n"
    file = sample(tool, "one", old)
    ran = run("test", "tool", "--isolation", "copy", "--update", "--yes")
    assert (ran.status, file.read_text()) == (1, old)
    assert "not updated: it may contain a password: tool/samples/go/one.yaml:4" in ran.out
    at_terminal("y\n")
    ran = run("test", "tool", "--isolation", "copy", "--update", "--yes")
    assert "it may contain a password: tool/samples/go/one.yaml:4" in ran.err
    assert (ran.status, "hunter2" in file.read_text()) == (0, True)
    # What is there already is no question again.
    block_skill(tool, "echo more; echo 'password: hunter2'", inputs=WORD)
    at_terminal("")
    assert run("test", "tool", "--isolation", "copy", "--update", "--yes").status == 0


def test_what_the_manifest_forbids_is_never_expected(run: Run, tool: Path) -> None:
    (tool / "scripts").mkdir(exist_ok=True)
    lying = block_skill(tool.parent / "liar", "cat /etc/passwd >/dev/null; touch a\n", effects=[])
    file = sample(lying, "one", "inputs: {}\n")
    ran = run("test", "liar", "--isolation", "copy", "--update", "--yes")
    assert (ran.status, file.read_text()) == (1, "inputs: {}\n")
    assert "effect fs.write is undeclared" in ran.out


def test_a_package_is_named_by_its_name_and_version_alone(run: Run, tool: Path) -> None:
    sample(tool, "one", "inputs: {word: tea}\n")
    ran = run("test", "tool", "--with", "six @ file:///tmp/evil")
    assert ran.status == 2
    assert "--with 'six @ file:///tmp/evil'" in ran.err


CONNECTS = "import socket\nsocket.socket(socket.AF_UNIX).connect_ex('/run/none.sock')\n"


def test_what_is_left_in_the_temporary_folder_is_a_file_of_the_run(run: Run, tool: Path) -> None:
    script = 'f=$(mktemp -d)\necho key > "$f/k"\n'
    skill = front_skill(tool.parent / "leaver", "", script)
    file = sample(skill, "a", "inputs: {}\nexpect:\n  files: {}\n", "scripts/go.sh")
    failed = run("test", skill, "--isolation", "copy")
    assert "/k: added, which is not expected" in failed.out
    assert run("test", skill, "--isolation", "copy", "--update", "--yes").status == 0
    assert "    tmp:tmp.*/k: |\n      key\n" in file.read_text()
    front_skill(skill, "", f'{script}rm -r "$f"\n')
    gone = run("test", skill, "--isolation", "copy")
    assert "file tmp:tmp.*/k: expected, but the run did not change it" in gone.out


def test_each_file_of_credentials_is_expected_by_its_path(run: Run, tool: Path) -> None:
    """That files are read is expected: that says nothing of which."""
    script = "cat ~/.netrc .env {} 2>/dev/null >&2; :\n"
    skill = front_skill(tool.parent / "reader", "", script.format(""))
    expected = "effects: [fs.read, fs.read .env, fs.read ~/.netrc, proc.exec]"
    text = f"inputs: {{}}\nfixtures: {{.env: A=1}}\nexpect:\n  {expected}\n"
    sample(skill, "a", text, "scripts/go.sh")
    passed = run("test", skill, "--isolation", "copy")
    assert passed.status == 0, passed.out
    front_skill(skill, "", script.format("/proc/$PPID/environ"))
    failed = run("test", skill, "--isolation", "copy")
    assert failed.status == 1
    assert "effect fs.read /proc/PID/environ: observed, which is not expected" in failed.out


@pytest.mark.slow
def test_a_service_of_the_machine_is_accepted_by_its_name_alone(run: Run, tool: Path) -> None:
    skill = block_skill(tool.parent / "caller", CONNECTS, interpreter="python3", effects=[])
    file = sample(skill, "one", "inputs: {}\n")
    refused = run("test", "caller", "--isolation", "copy", "--update", "--yes")
    assert "effect ipc.connect is blocked: connected to unix:/run/none.sock" in refused.out
    assert "list it in the sample's `effects` to accept it" in refused.out
    assert (refused.status, file.read_text()) == (1, "inputs: {}\n")
    file.write_text("inputs: {}\nexpect:\n  effects: [ipc.connect]\n")
    assert run("test", "caller", "--isolation", "copy").status == 0


@pytest.mark.parametrize(
    "text",
    [
        "{inputs: {word: tea}, expect: {stdout: x}}\n",
        "inputs: {word: tea}",
        "inputs: {word: tea}\nexpect: {stdout: x}\n\n\n# End.\n",
    ],
    ids=["in braces", "without an end of line", "with a comment behind"],
)
def test_update_writes_what_reads_the_same(run: Run, tool: Path, text: str) -> None:
    file = sample(tool, "one", text)
    assert run("test", "tool", "--isolation", "copy", "--update", "--yes").status == 0
    assert "word: tea" in file.read_text()
    assert run("test", "tool", "--isolation", "copy").out.endswith("1 passed\n")


def test_what_two_runs_do_differently_is_left_open(run: Run, tool: Path) -> None:
    script = "echo $$; date +%Y-%m-%d; echo made $PPID.$$ > out.txt; head -c 9 /dev/urandom > b\n"
    block_skill(tool, script, inputs=WORD)
    file = sample(tool, "one", "inputs: {word: tea}\n")
    ran = run("test", "tool", "--isolation", "copy", "--update", "--yes")
    assert ran.status == 0, ran.out
    text = file.read_text()
    assert "[..]" in text.partition("stdout")[2].partition("files")[0]
    assert "skill:b: <any>" in text
    assert run("test", "tool", "--isolation", "copy").status == 0


NAMES = 'touch "n-$(ls -A | tr "\\n" +)$(git log --format=%s 2>/dev/null)"\n'


@pytest.fixture
def lister(work: Path) -> Path:
    head = "preconditions: {commands: [{cmd: git}]}\noutputs:\n  files:\n    - pattern: '*'\n"
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
    expect = f"expect:\n  files: {{'{made}': ''}}\n"
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
    ("workspace: []", "2:12: workspace must be a folder of the skill, repo_root, or a mapping"),
    ("workspace: {git: 1}", '2:18: "git" must be a boolean'),
    ("workspace: {gitt: true}", '2:13: unknown key "gitt"; did you mean "git"?'),
    (
        "workspace: repo_root\nfixtures: {a: x}",
        "fixtures cannot be put into workspace: repo_root; name a folder",
    ),
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


def test_a_filter_that_matches_nothing_is_refused(run: Run, tool: Path) -> None:
    sample(tool, "first", GOOD)
    sample(tool, "second", GOOD)
    ran = run("test", "tool", "-k", "frist")
    assert (ran.status, ran.out) == (2, "")
    assert (
        "no sample matches -k frist; did you mean tool go first? there are 2 samples: " in ran.err
    )
    assert "tool go first, tool go second" in ran.err
    ran = run("test", "tool", "-k", "xx", "-k", "yy", "--format", "json")
    assert ran.status == 2
    assert "no sample matches -k xx or -k yy; there are 2 samples: tool go first" in ran.err


@needs_git
def test_a_sample_gives_its_repository_a_history(run: Run, tool: Path) -> None:
    script = "git log --format='%an %as' --name-status\n"
    skill = front_skill(tool.parent / "reader", "", script)
    (skill / "SKILL.md").write_text("---\nname: reader\ndescription: Reads.\n---\n")
    text = """inputs: {}
workspace:
  git: true
  commits:
  - {author: one, date: "2025-02-01", files: {a/b.txt: x, c.txt: y}}
  - {date: "2025-03-01T23:30:00-05:00", files: {c.txt: <removed>}}
expect:
  stdout: |
    skillstudio 2025-03-01

    D\tc.txt
    one 2025-02-01

    A\ta/b.txt
    A\tc.txt
    skillstudio 2025-01-01
"""
    file = sample(skill, "a", text, "scripts/go.sh")
    passed = run("test", skill, "--isolation", "copy")
    assert passed.status == 0, passed.out
    file.write_text(text.replace("files: {c.txt", "files: {none.txt"))
    refused = run("test", skill, "--isolation", "copy")
    assert "the workspace cannot be made a repository: " in refused.out


def test_permissions_of_new_folders_are_compared(run: Run, tool: Path) -> None:
    (tool / "go.script").write_text("umask 022; mkdir -m 700 new; mkdir new/a; echo x > new/a/b\n")
    expect = "inputs: {word: tea}\nexpect:\n  files: {'skill:new/a/b': \"x\\n\"}\n"
    file = sample(tool, "usual", f"{expect}  modes: {{}}\n")
    failed = run("test", "tool", "--isolation", "copy")
    assert "file skill:new: expected usual permissions, got 700" in failed.out
    assert run("test", "tool", "--isolation", "copy", "--update", "--yes").status == 0
    assert "    skill:new: '700'\n" in file.read_text()


def test_permissions_are_compared_where_a_sample_names_them(run: Run, tool: Path) -> None:
    (tool / "go.script").write_text("echo x > made.txt\nchmod 777 made.txt\n")
    expect = "inputs: {word: tea}\nexpect:\n  files: {'skill:made.txt': \"x\\n\"}\n"
    sample(tool, "old", expect)
    sample(tool, "usual", f"{expect}  modes: {{}}\n")
    sample(tool, "right", f"{expect}  modes: {{'skill:*.txt': '777'}}\n")
    rows = run("test", "tool", "--isolation", "copy", "--format", "json").json["samples"]
    messages = {
        row["sample"]: [difference["message"] for difference in row["differences"]] for row in rows
    }
    assert messages == {
        "old": [],
        "right": [],
        "usual": ["file skill:made.txt: expected usual permissions, got 777"],
    }


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


@pytest.mark.slow
@needs_git
def test_the_samples_of_the_examples_do_as_they_say(run: Run) -> None:
    offered("copy")
    told = run("test", ROOT / "examples", "--format", "json").json
    outcomes = {f"{each['skill']} {each['sample']}": each for each in told["samples"]}
    assert {each["outcome"] for each in outcomes.values()} == {"passed", "skipped"}, json.dumps(
        told
    )
    assert outcomes["memory fact"]["outcome"] == "passed"
    assert outcomes["deploy dummies"]["outcome"] == "passed"


README = """# Tool

```console
$ sh go.script tea && cat out.txt
coffee
$ cd /; (exit 3)
$ echo $? [..]
3 [..]
```

```console skip
$ echo never > "{never}"
```
"""


def test_blocks_of_commands_are_run_when_asked_for(run: Run, tool: Path, tmp_path: Path) -> None:
    never = tmp_path / "never"
    readme = tool / "README.md"
    readme.write_text(README.format(never=never))
    unasked = run("test", "tool")
    assert (unasked.status, "README" in unasked.out) == (0, False)
    contained = run("test", "tool", "--blocks", "--isolation", "copy").out
    assert "failed  tool README.md line 3" in contained
    assert "-coffee" in contained
    assert "+tea" in contained
    changed = run("test", "tool", "--blocks", "--isolation", "copy", "--update", "--yes")
    assert (changed.status, changed.out.splitlines()[-1]) == (0, "1 updated")
    assert readme.read_text() == README.format(never=never).replace("coffee", "tea")
    assert not (tool / "out.txt").exists()
    assert not never.exists()


def test_a_block_never_gets_what_looks_like_a_credential(run: Run, tool: Path) -> None:
    block_skill(tool, f"echo {TOKEN}", inputs=WORD)
    readme = tool / "README.md"
    text = "```console\n$ sh go.script tea\ncoffee\n```\n"
    readme.write_text(text)
    ran = run("test", "tool", "--blocks", "--update", "--yes")
    if "a shell needs the isolation level" in ran.out:
        pytest.skip("no isolation level that contains a shell")
    assert (ran.status, readme.read_text()) == (1, text)
    assert "not updated: tool/README.md would contain what looks like a credential" in ran.out


def test_a_shell_is_started_only_where_it_is_contained(
    run: Run, tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tool / "README.md").write_text(README.format(never="/never"))
    monkeypatch.setattr(
        "skillstudio.cli.test.choose_isolation", lambda *_: IsolationChoice("copy", (), {})
    )
    ran = run("test", "tool", "--blocks")
    assert (ran.status, ran.out.splitlines()[-1]) == (0, "1 skipped")
    assert "a shell needs the isolation level confined or isolated" in ran.out
