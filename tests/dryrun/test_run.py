"""A run from the command line to its report, on every isolation level that this machine has."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.dryrun.planning.conftest import Folder
from tests.dryrun.skills import PROCESSES, block_skill, front_skill, offered

from skillstudio.dryrun import passes
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.files.changeset import snapshot

PLAN = {
    *("skill", "operation", "dialect", "argv", "cwd", "env", "inputs", "requirements", "outputs"),
    *("effects", "isolation", "problems"),
}
RUN = {
    *("run", "exit_code", "signal", "timed_out", "duration_ms", "contract", "effects", "outputs"),
    *("changes", "limits", "differences", "ok"),
}
BESIDES = {
    *("steps", "roots", "empty", "notes", "confirm", "timeout", "started_at", "cancelled"),
    *("error", "reason", "repeated", "again", "varying", "traced", "suspects", "identity"),
    *("incomplete", "verdict", "declares", "defaults", "network", "on", "leftover_files"),
}
"""What a report tells beyond the shape that programs are promised."""

WRITES = """\
mkdir -p out
echo "$1" > "out/$1.txt"
rm -f old.txt
echo more >> notes.md
echo '{"status": "ok", "word": "'"$1"'"}'
"""
WORD: dict[str, Any] = {"word": {"type": "string", "required": True}}
FIELDS = {"status": "ok | error", "word": "string"}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes\n")
    (folder / "old.txt").write_text("old\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(params=PROCESSES)
def isolation(request: pytest.FixtureRequest) -> str:
    return offered(request.param)


Reports = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def report(run: Run, work: Path) -> Reports:
    """Run a skill with JSON, and hold what it was run on to being the same afterwards."""

    def once(skill: Path, *words: str | Path) -> tuple[int, dict[str, Any]]:
        before = [entries(folder) for folder in (work, skill)]
        ran = run("run", skill, *words, "--format", "json", "--trace", "off")
        assert [entries(folder) for folder in (work, skill)] == before
        copies = Path(copies_folder())
        assert not copies.exists() or not list(copies.iterdir())
        assert ran.out, ran.err
        return ran.status, ran.json

    return once


def entries(folder: Path) -> dict[str, Any]:
    """Everything in a folder with its content, mode and target."""
    return {path: each[:5] for path, each in snapshot(str(folder)).items()}


def test_a_report_has_the_shape_that_is_promised(
    report: Reports, tmp_path: Path, isolation: str
) -> None:
    skill = block_skill(tmp_path / "tool", WRITES, inputs=WORD, fields=FIELDS)
    status, found = report(skill, "go", "-i", "word=tea", "--isolation", isolation)
    assert (status, found["ok"], found["exit_code"], found["signal"]) == (0, True, 0, None)
    assert set(found) == PLAN | RUN | BESIDES
    assert set(found["argv"]) == {"unix", "windows"}
    assert found["argv"]["unix"] == ["sh", "go.script", "tea"]
    assert found["inputs"] == {"word": "tea"}
    assert set(found["isolation"]) == {"id", "known_gaps", "reasons"}
    assert found["isolation"]["id"] == isolation
    assert found["contract"] == {
        "ok": True,
        "problems": [],
        "value": {"status": "ok", "word": "tea"},
    }
    assert set(found["changes"]) == {"added", "modified", "removed"}
    for each in (row for rows in found["changes"].values() for row in rows):
        assert set(each) == {"root", "path", "size", "kind", "pattern", "about"}
    for each in found["effects"]:
        assert set(each) == {"effect", "declared", "verdict", "evidence", "error"}
    for each in found["requirements"]:
        assert set(each) == {"kind", "name", "state", "found", "wanted"}


def test_changes_are_told_by_the_originals_and_the_originals_stay(
    report: Reports, tmp_path: Path, isolation: str, work: Path
) -> None:
    script = (
        WRITES.replace("mkdir", f"cd {work} && mkdir", 1) if isolation == "isolated" else WRITES
    )
    skill = block_skill(tmp_path / "tool", script, inputs=WORD)
    status, found = report(skill, "go", "-i", "word=tea", "--isolation", isolation)
    root = "workspace" if isolation == "isolated" else "skill"
    assert status == 0
    made = {"root": root, "path": "out/tea.txt", "size": 4, "kind": "text", "pattern": None}
    assert {**made, "about": None} in found["changes"]["added"]
    if isolation == "isolated":
        assert [each["path"] for each in found["changes"]["removed"]] == ["old.txt"]
        assert [each["path"] for each in found["changes"]["modified"]] == ["notes.md"]


EXITS: list[tuple[str, str, dict[str, Any], tuple[str, ...], int]] = [
    ("ok", "true\n", {}, (), 0),
    ("failed", "exit 7\n", {}, (), 1),
    ("not declared", "echo x > file\n", {"effects": []}, (), 1),
    ("broken promise", "echo no json\n", {"fields": FIELDS}, (), 1),
    ("out of time", "sleep 60\n", {}, ("--timeout", "0.4"), 124),
    ("no operation that runs", "true\n", {"inputs": WORD}, (), 1),
    ("a program that is missing", "true\n", {"interpreter": "no-such-shell-9"}, (), 3),
    ("an isolation level that is not to be had", "true\n", {}, ("--isolation", "wasm"), 4),
    (
        "a higher isolation level than there is",
        "true\n",
        {},
        ("--isolation", "plan", "--require-isolation", "copy"),
        4,
    ),
]


@pytest.mark.parametrize(
    ("what", "script", "options", "words", "status"), EXITS, ids=[row[0] for row in EXITS]
)
def test_the_exit_status_says_how_it_ended_and_the_report_is_there(
    report: Reports,
    tmp_path: Path,
    what: str,
    script: str,
    options: dict[str, Any],
    words: tuple[str, ...],
    status: int,
) -> None:
    offered("copy")
    skill = block_skill(tmp_path / "tool", script, **options)
    words = words if "--isolation" in words else ("--isolation", "copy", *words)
    ended, found = report(skill, "go", *words)
    assert ended == status
    assert set(found) == PLAN | RUN | BESIDES
    assert found["ok"] == (status == 0)
    assert found["timed_out"] == (status == 124)
    assert (found["run"] == "") == (status in (3, 4) or "inputs" in options)


WRONG_USE: list[tuple[tuple[str, ...], str]] = [
    (
        ("--isolation", "nothing"),
        "unknown isolation level nothing; choose from plan, copy, ",
    ),
    (("dance",), "unknown operation dance; "),
    (("go", "--timeout", "never"), "a number of seconds above 0"),
    (("go", "--stage-limit", "much"), "a size such as 500MiB or 4GiB"),
    (("go", "--workspace", "/"), "the workspace would be /, the whole machine"),
    (("go", "--workspace", "none"), "no such folder"),
    (("go", "--secret", "word=plain"), "needs NAME=@FILE or NAME=env:VARIABLE"),
    (("go", "-i", "word"), "-i needs NAME=VALUE"),
]


@pytest.mark.parametrize(("words", "said"), WRONG_USE, ids=[" ".join(r[0]) for r in WRONG_USE])
def test_wrong_use_is_told_and_nothing_is_run(
    run: Run, tmp_path: Path, work: Path, words: tuple[str, ...], said: str
) -> None:
    skill = block_skill(tmp_path / "tool", "true\n")
    ran = run("run", skill, *words, "--format", "json")
    assert (ran.status, ran.result) == (2, "")
    assert said in ran.err


def test_what_asks_first_is_run_with_yes_alone(run: Run, tmp_path: Path, work: Path) -> None:
    offered("copy")
    head = "execution:\n  destructive: true\n"
    skill = front_skill(tmp_path / "wipe", head, "#!/bin/sh\ntrue\n")
    words = ("run", skill, "scripts/go.sh", "--isolation", "copy", "--trace", "off")
    ran = run(*words)
    assert ran.status == 2
    assert "this run needs your consent; pass --yes to give it" in ran.err
    assert run(*words, "--yes").status == 0


def cancelled(words: list[str | Path], work: Path, when: Path) -> tuple[int, dict[str, Any]]:
    """Run as a process of its own, and end it by Ctrl-C once the program is there."""
    import sys

    started = subprocess.Popen(
        [sys.executable, "-m", "skillstudio", *map(str, words)],
        cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    pause = threading.Event()
    until = time.monotonic() + 60
    while time.monotonic() < until and started.poll() is None:
        if list(Path(copies_folder()).rglob(when.name)):
            break
        pause.wait(0.05)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert "Traceback" not in err
    return started.returncode, json.loads(out)


@pytest.mark.slow
def test_ctrl_c_ends_the_run_with_all_that_it_started(
    tmp_path: Path, work: Path, isolation: str
) -> None:
    script = 'trap "" TERM\n(sleep 60; echo late > late.txt) &\necho > begun.txt\nsleep 60\n'
    skill = block_skill(tmp_path / "tool", script)
    words: list[str | Path] = ["run", skill, "go", "--isolation", isolation, "--format", "json"]
    status, found = cancelled(words, work, Path("begun.txt"))
    assert (status, found["cancelled"], found["timed_out"]) == (130, True, False)
    assert set(found) == PLAN | RUN | BESIDES | {"format_version"}
    assert not list(Path(copies_folder()).iterdir())
    assert [each["path"] for each in found["changes"]["added"]] == ["begun.txt"]


TWICE = [
    ("the same again", "echo x > a.txt\n", [], []),
    ("more each time", "echo x >> a.txt\n", ["modified a.txt"], []),
    ("a home that grows", 'echo x >> "$HOME/a.txt"\n', ["modified ~/a.txt"], []),
    ("new files", 'touch "f-$(ls | wc -l)"\n', ["added f-5"], []),
    ("other content", "head -c 9 /dev/urandom > a.bin\n", ["modified a.bin"], ["a.bin"]),
    ("other output", "head -c 9 /dev/urandom | od >&2; pwd\n", [], ["standard error"]),
    ("one that fails", "mkdir made && touch made/x\n", ["ended with exit status 1"], []),
    ("one that dies", "test ! -e x || kill -9 $$\ntouch x\n", ["ended by SIGKILL"], []),
]


@pytest.mark.parametrize("idempotent", [True, False])
@pytest.mark.parametrize(
    ("what", "script", "again", "varying"), TWICE, ids=[row[0] for row in TWICE]
)
def test_a_second_run_is_held_against_the_first(
    report: Reports,
    tmp_path: Path,
    work: Path,
    what: str,
    script: str,
    again: list[str],
    varying: list[str],
    idempotent: bool,
) -> None:
    offered("copy")
    if what == "new files":
        for name in ("x", "y"):
            (work / name).write_text("")
    head = (
        "execution:\n  idempotent: true\n" if idempotent else "execution:\n  idempotent: false\n"
    ) + "outputs:\n  files:\n    - pattern: '*'\n"
    skill = front_skill(tmp_path / "tool", head, f"#!/bin/sh\n{script}")
    status, found = report(skill, "scripts/go.sh", "--isolation", "copy", "--twice")
    assert found["again"] == again
    assert found["repeated"] == (again if idempotent else [])
    assert found["varying"] == varying
    if idempotent and again:
        assert (status, found["ok"]) == (1, False)


DEEP = """\
test ! -e x || python3 -c 'import os
for _ in range(30):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)'
touch x
"""


@pytest.mark.slow
def test_a_second_run_that_is_not_compared_is_not_called_idempotent(
    report: Reports, tmp_path: Path
) -> None:
    offered("copy")
    head = "execution:\n  idempotent: true\noutputs:\n  files:\n    - pattern: '**'\n"
    skill = front_skill(tmp_path / "tool", head, f"#!/bin/sh\n{DEEP}")
    status, found = report(skill, "scripts/go.sh", "--isolation", "copy", "--twice")
    assert [each.partition(",")[0] for each in found["incomplete"]] == ["in the second run"]
    assert (status, found["ok"]) == (1, False)


def test_what_is_written_in_left_out_folders_is_told(
    report: Reports, tmp_path: Path, isolation: str
) -> None:
    script = (
        'mkdir -p "$HOME/.config" __pycache__ node_modules/x\n'
        'echo x > "$HOME/.config/tool"\ntouch __pycache__/a.pyc node_modules/x/y\n'
    )
    skill = block_skill(tmp_path / "tool", script)
    _, found = report(skill, "go", "--isolation", isolation)
    told = [(each["root"], each["path"]) for each in found["changes"]["added"]]
    assert ("home", ".config/tool") in told
    assert {("skill", "__pycache__/a.pyc"), ("skill", "node_modules/x/y")} <= set(told)


RECIPE = """\
parameters: []
steps:
  - {id: one, command: 'no-such-program-7 --count', confirmation: auto}
  - {id: two, command: 'CODE', confirmation: auto}
  - {id: three, command: 'touch reached.txt', confirmation: auto}
"""

MOCKS = """\
tests:
  - recipe: r
    mock_commands:
      - {command: 'no-such-program-7*', stdout: '12 counted', exit_code: 0}
"""


@pytest.mark.parametrize("code", [0, 1])
def test_steps_stop_at_one_that_fails_and_tests_stand_in(
    report: Reports, tmp_path: Path, code: int
) -> None:
    offered("copy")
    made = Folder(tmp_path / "tool")
    made.recipe(RECIPE.replace("CODE", "false" if code else "true"))
    made.file("tests/r.yaml", MOCKS)
    status, found = report(made.path, "r", "--isolation", "copy", "--yes")
    added = [each["path"] for each in found["changes"]["added"]]
    assert found["exit_code"] == code, found["problems"]
    assert (added == ["reached.txt"]) == (code == 0)
    assert "The tests of the recipe mocked 1 of 3 steps." in found["differences"]
    assert (
        "1 step was not started because an earlier one failed." in found["differences"]
    ) == bool(code)
    assert [each["mocked"] for each in found["steps"]] == [True, False, False]
    assert status == 1  # It failed, or wrote a file that it has no capability for.


WERE = "The environment variables were:"
VARIABLES = [
    (
        {"TZ": "UTC"},
        (),
        f"{WERE} from this machine PATH and TZ; set by skillstudio LANG=",
    ),
    ({}, (), f"{WERE} from this machine PATH; set by skillstudio LANG=C.UTF-8 and TERM=dumb."),
    (
        {},
        ("LANG=de_DE.UTF-8",),
        f"{WERE} LANG; from this machine PATH; set by skillstudio TERM=",
    ),
    ({}, ("LANG=C", "TERM=xterm"), f"{WERE} LANG, TERM; from this machine PATH."),
]


@pytest.mark.parametrize(("here", "given", "said"), VARIABLES)
def test_the_variables_that_a_run_had_are_told_as_they_were(
    report: Reports,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    here: dict[str, str],
    given: tuple[str, ...],
    said: str,
) -> None:
    offered("copy")
    monkeypatch.delenv("TZ", raising=False)
    for name, text in here.items():
        monkeypatch.setenv(name, text)
    skill = block_skill(tmp_path / "tool", "true\n")
    words = [word for each in given for word in ("--env", each)]
    _, found = report(skill, "go", "--isolation", "copy", *words)
    assert any(each.startswith(said) for each in found["differences"]), found["differences"]


def test_what_is_not_copied_is_told_by_its_path(
    report: Reports, tmp_path: Path, work: Path
) -> None:
    offered("copy")
    for folder in ("one/__pycache__", "two/__pycache__"):
        (work / folder).mkdir(parents=True)
        (work / folder / "a.pyc").write_bytes(b"a")
    _, found = report(block_skill(tmp_path / "tool", "true\n"), "go", "--isolation", "copy")
    assert (
        "Not copied: one/__pycache__ (a cache), two/__pycache__ (a cache)."
        in (found["differences"])
    )


def a_link_back(work: Path) -> None:
    (work / "back").symlink_to(work / "notes.md")


def too_much(work: Path) -> None:
    with open(work / "large", "wb") as file:
        file.truncate(3 << 20)


REFUSED: list[tuple[Callable[[Path], None], str]] = [
    (a_link_back, "is an absolute link to"),
    (too_much, "--stage-limit"),
]


@pytest.mark.parametrize(("make", "said"), REFUSED, ids=[row[1] for row in REFUSED])
def test_a_workspace_that_cannot_be_copied_is_refused_with_the_reason(
    run: Run, tmp_path: Path, work: Path, make: Callable[[Path], None], said: str
) -> None:
    offered("copy")
    make(work)
    skill = block_skill(tmp_path / "tool", "touch ran\n")
    ran = run(
        "run", skill, "go", "--isolation", "copy", "--stage-limit", "1MiB", "--format", "json"
    )
    assert (ran.status, ran.result) == (2, "")
    assert said in ran.err
    assert str(work) in ran.err
    copies = Path(copies_folder())
    assert not copies.exists() or not list(copies.iterdir())


def test_without_a_skill_or_with_one_that_cannot_be_read_there_is_a_sentence(
    run: Run, tmp_path: Path, work: Path
) -> None:
    assert run("run", tmp_path / "none").status == 2
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "SKILL.md").write_text("---\nname: [\n---\n")
    ran = run("run", tmp_path / "broken")
    assert ran.status == 2
    assert "SKILL.md:2:" in ran.err


def test_a_run_has_nothing_of_this_machines_variables(
    report: Reports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    monkeypatch.setenv("NOT_DECLARED", "leaks")
    skill = block_skill(tmp_path / "tool", "env > env.txt; grep -c leaks env.txt > count\n")
    _, found = report(skill, "go", "--isolation", isolation)
    sizes = {each["path"]: each["size"] for each in found["changes"]["added"]}
    assert sizes["count"] == 2  # "0" and the end of the line.
    assert os.environ["NOT_DECLARED"] == "leaks"


# What must not be reached through links, and what ends a run.

INPUT = "inputs:\n  required:\n    - {name: topic, description: d, schema: {type: string}}\n"


def test_the_files_of_a_second_pass_are_not_written_through_links(
    report: Reports, tmp_path: Path, isolation: str
) -> None:
    """The first pass may leave a link where skillstudio writes the inputs of the next one."""
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    script = f'#!/bin/sh\nrm -f "$SKILL_INPUTS"\nln -s {victim} "$SKILL_INPUTS"\n'
    skill = front_skill(tmp_path / "tool", INPUT, script)
    words = ("scripts/go.sh", "-i", "topic=tea", "--isolation", isolation, "--twice", "--yes")
    assert report(skill, *words)[0] == 0
    assert victim.read_text() == "as it was"


def test_an_absolute_link_is_a_problem_and_is_not_copied(
    report: Reports, work: Path, tmp_path: Path, isolation: str
) -> None:
    (tmp_path / "outside").mkdir()
    (work / "data").symlink_to(tmp_path / "outside")
    skill = block_skill(tmp_path / "tool", "echo x > data/new || test ! -e data\n")
    _, found = report(skill, "--isolation", isolation, "--yes")
    [problem] = [each for each in found["problems"] if each["rule"] == "link-absolute"]
    assert problem["severity"] == "warning"
    assert problem["message"].startswith("data is a link to an absolute path, so it is not copied")
    assert os.listdir(tmp_path / "outside") == []


def test_a_manifest_with_errors_is_not_run_unless_it_is_asked_for(
    run: Run, report: Reports, tmp_path: Path, work: Path
) -> None:
    offered("copy")
    skill = block_skill(tmp_path / "tool", "echo x > new\n", version="one")
    words = ("go", "--isolation", "copy", "--yes")
    status, found = report(skill, *words)
    assert (status, found["run"], found["exit_code"]) == (1, "", None)
    said = run("run", skill, *words)
    assert said.status == 1
    assert "error: SKILL.md:10:14: a version must have three numbers, such as 1.0.0" in said.out
    assert "run it anyway with `skillstudio run --anyway`" in said.out
    status, found = report(skill, *words, "--anyway")
    assert (status, found["exit_code"]) == (0, 0)
    assert {each["severity"] for each in found["problems"]} == {"warning"}
    assert run("plan", skill, "go").status == 1


@pytest.mark.slow
def test_comparing_ends_with_the_time_and_is_then_incomplete(
    report: Reports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    """Files that take no room and minutes to read; the program itself ends at once."""
    monkeypatch.setattr(passes, "COMPARE_TIME", 0.3)
    script = "for i in 1 2 3 4 5 6 7 8 9; do truncate -s 1073741823 $i || exit 9; done\n"
    script += "for i in 1 2 3 4 5 6 7 8 9; do truncate -s 1073741823 1$i || exit 9; done\n"
    skill = block_skill(tmp_path / "tool", script)
    status, found = report(skill, "go", "--isolation", isolation, "--yes", "--timeout", "2")
    assert (status, found["ok"]) != (0, True)
    [sentence] = [each for each in found["incomplete"] if "file" in each]
    assert "the run reached its time limit of 2 s; raise it with --timeout" in sentence
    if not found["timed_out"]:
        assert len(found["changes"]["added"]) == 18


@pytest.mark.slow
def test_copying_ends_with_the_time(
    run: Run, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered("copy")
    for number in range(8):
        with (work / f"sparse{number}").open("wb") as file:
            file.truncate(1 << 30)
    skill = block_skill(tmp_path / "tool", "true\n")
    words = ("--isolation", "copy", "--yes", "--stage-limit", "100G", "--timeout", "0.5")
    ran = run("run", skill, "go", *words)
    assert ran.status == 124
    assert "copying the workspace and the skill took longer than 0.5 s" in ran.err
    assert "not run: copying the folders used up the timeout" in ran.out
    copies = Path(copies_folder())
    assert not copies.exists() or not list(copies.iterdir())


def is_below_private_folder(path: str, difference: str) -> bool:
    """Whether a line of a report says that the run had an empty folder instead of one above."""
    folder = re.fullmatch(r"The folder (.*) was empty and private to the run\.", difference)
    return folder is not None and Path(path).is_relative_to(folder[1])


def test_a_read_that_is_blocked_is_named(report: Reports, tmp_path: Path, isolation: str) -> None:
    """A clue when a program fails: the file exists, and is not readable at this level."""
    skill = block_skill(tmp_path / "tool", f"cat {shlex.quote(__file__)} > copy.txt")
    _, found = report(skill, "go", "--isolation", isolation)
    blocked = [each for each in found["differences"] if each.startswith("Blocked read: ")]
    if isolation == "copy" or not found["traced"]:
        assert blocked == []
        return
    assert found["exit_code"] == 1
    if any(is_below_private_folder(__file__, line) for line in found["differences"]):
        # It does not exist in the run; it is named if nothing grants the folder outside.
        assert [__file__ in line for line in blocked] in ([], [True])
        return
    assert [__file__ in each for each in blocked] == [True]
    reads = [each for each in found["effects"] if each["effect"] == "fs.read"]
    assert [(each["verdict"], each["error"]) for each in reads] == [("blocked", False)]


def test_an_interpreter_that_cannot_be_read_is_named(
    report: Reports, tmp_path: Path, isolation: str
) -> None:
    program = tmp_path / "own" / "interpreter"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    skill = block_skill(tmp_path / "tool", "exit 0", interpreter=str(program))
    _, found = report(skill, "go", "--isolation", isolation)
    if isolation == "copy":
        assert (found["exit_code"], found["error"]) == (0, None)
    else:
        assert "did not start" in found["error"]
        assert f"{program} cannot be read at the isolation level {isolation}" in found["error"]


def test_files_that_are_left_in_the_temporary_folder_are_named(
    report: Reports, tmp_path: Path, isolation: str
) -> None:
    script = 'f=$(mktemp -d)\necho key > "$f/key"\necho x > "$f/gone"\nrm "$f/gone"\n'
    skill = block_skill(tmp_path / "tool", script)
    status, found = report(skill, "go", "--isolation", isolation)
    if not found["traced"]:
        pytest.skip("this system does not let programs be observed")
    (path,) = found["leftover_files"]
    assert path.endswith("/key")
    written = [each for each in found["effects"] if each["effect"] == "fs.write"]
    assert (status, [each["verdict"] for each in written]) == (0, ["declared-not-observed"])


def test_a_temporary_file_of_another_program_is_read_at_every_level(
    report: Reports, tmp_path: Path, isolation: str
) -> None:
    with tempfile.NamedTemporaryFile(dir="/tmp") as other:
        script = f"cat {other.name} {other.name}-none 2>/dev/null || :\n"
        skill = block_skill(tmp_path / "tool", script, effects=["proc.exec"])
        _, found = report(skill, "go", "--isolation", isolation)
    if not found["traced"]:
        pytest.skip("this system does not let programs be observed")
    (read,) = [each for each in found["effects"] if each["effect"] == "fs.read"]
    assert [line.split()[1] for line in read["evidence"]] == [other.name]


ENDS_TRACER = """\
kill -9 $(sed -n 's/^TracerPid:[^0-9]*//p' /proc/self/status) || :
echo on > out.txt
"""


def test_a_program_cannot_end_its_tracer_and_is_named(report: Reports, tmp_path: Path) -> None:
    offered("copy")
    skill = block_skill(tmp_path / "tool", ENDS_TRACER)
    status, found = report(skill, "go", "--isolation", "copy", "--yes")
    if not found["traced"]:
        pytest.skip("this system does not let programs be observed")
    (call,) = [effect for effect in found["effects"] if effect["effect"] == "sys.call"]
    assert "(refused: not permitted)" in call["evidence"][0]
    assert (call["error"], found["incomplete"], found["exit_code"]) == (True, [], 0)
    assert (status, found["ok"]) == (1, False)


def test_a_whole_observation_is_not_called_incomplete(
    report: Reports, tmp_path: Path, isolation: str
) -> None:
    """Daemons and threads too: the tracer is left to write down how each of them ended."""
    script = "for i in 1 2 3 4 5; do (exit $i); done; :"
    skill = block_skill(tmp_path / "tool", script)
    status, found = report(skill, "go", "--isolation", isolation, "--yes")
    assert (found["incomplete"], found["verdict"], status) == ([], "as declared", 0)
    left = block_skill(tmp_path / "left", "(sleep 600 &)\nsleep 600 &\n")
    status, found = report(left, "go", "--isolation", isolation, "--yes")
    said = "2 processes were ended with the program: what it would have done later is not observed"
    assert (found["incomplete"], found["verdict"]) == ([said], "observation incomplete")
    assert status == 1
