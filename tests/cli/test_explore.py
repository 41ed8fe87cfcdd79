"""`run --on` and `trace explore`: the result of a recorded run, run on and looked at."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run
from tests.dryrun.skills import offered

from skillstudio.cli import explore
from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.run_arguments import IsolationMissing
from skillstudio.dryrun import shell
from skillstudio.dryrun.plan import IsolationChoice
from skillstudio.dryrun.traces.store import copies_folder

ADD = 'echo "$1" >> words.txt\n[ "$2" != home ] || echo x > ~/state\nwc -l < words.txt\n'


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "work"
    (folder / "tool/scripts").mkdir(parents=True)
    (folder / "tool/SKILL.md").write_text(CLEAN.format(name="tool"))
    (folder / "tool/scripts/go.sh").write_text(ADD)
    (folder / "words.txt").write_text("zero\n")
    monkeypatch.chdir(folder)
    return offered("confined")


def go(run: Run, level: str, *arguments: str, on: str = "") -> str:
    """Run the script and return the id of the run."""
    options = ["--on", on] if on else []
    ran = run("run", "tool", "scripts/go.sh", "--isolation", level, *options, "--", *arguments)
    assert ran.status == 0, ran.err
    return ran.out.partition("recorded as ")[2].split()[0].rstrip(",")


def left() -> list[Path]:
    return list(Path(copies_folder()).glob("run-*"))


@pytest.mark.slow
def test_runs_on_one_another_and_a_look_at_the_result(
    run: Run, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = go(run, tool, "one")
    second = go(run, tool, "two", on="last")
    report = run("trace", "show", second, "--format", "json").json
    assert report["on"] == first
    assert [each["path"] for each in report["changes"]["modified"]] == ["words.txt"]
    assert f"started on the result of run {first}." in " ".join(report["differences"])
    assert Path("words.txt").read_text() == "zero\n"
    # The second alone cannot be applied; both one after the other can.
    conflict = run("apply", second)
    assert (conflict.status, f"run {first}; apply that one first" in conflict.err) == (1, True)

    lines = "cat words.txt\ncd tool; printf '\\033[31mred\\n'\nls; touch made; false\n\nexit\nno\n"
    monkeypatch.setattr("sys.stdin", StringIO(lines))
    seen = run("trace", "explore", second)
    assert seen.status == 1
    assert seen.out.splitlines() == ["zero", "one", "two", "␛[31mred", "SKILL.md", "scripts"]
    assert f"the result of run {second} (tool), isolation level {tool}" in seen.err
    assert "exit status 1" in seen.err

    commands = ("-c", "exit 4", "-c", "cat < words.txt | tail -1; ls tool/made")
    found = run("trace", "explore", second, *commands, "--format", "json").json["commands"]
    assert [each["exit_code"] for each in found] == [None, 2]
    assert found[1]["output"].startswith("two\n")
    assert not Path("tool/made").exists()
    assert left() == []

    assert run("apply", first).status == 0
    assert run("apply", second).status == 0
    assert Path("words.txt").read_text() == "zero\none\ntwo\n"


def test_a_result_that_is_not_recorded_is_refused(run: Run, tool: str) -> None:
    ran = go(run, tool, "one", "home")
    refused = run("trace", "explore", ran, "-c", "ls")
    assert refused.status == 2
    assert "are not recorded: files in the home folder (1 changed)" in refused.err
    partly = run("trace", "explore", ran, "-c", "tail -1 words.txt", "--anyway")
    assert (partly.status, partly.out) == (0, "one\n")
    assert "not recorded of run" in partly.err
    Path("words.txt").write_text("other\n")
    changed = run("trace", "explore", ran, "-c", "ls", "--anyway")
    assert (changed.status, changed.out) == (2, "")
    assert "the folders have changed since: words.txt" in changed.err
    assert left() == []


def test_a_shell_is_not_started_uncontained_unless_named(
    run: Run, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = go(run, "copy", "one")
    assert run("trace", "explore", ran, "-c", "pwd", "--isolation", "copy").out == f"{Path.cwd()}\n"

    def none(_launching: object, options: CommandOptions) -> IsolationChoice:
        assert (options.isolation, options.require_isolation) == (None, "confined")
        raise IsolationMissing("none")

    monkeypatch.setattr("skillstudio.cli.explore.choose_isolation", none)
    missing = run("trace", "explore", ran, "-c", "ls")
    assert (missing.status, missing.out) == (4, "")


@pytest.mark.slow
def test_without_a_shell_it_says_what_to_install(
    run: Run, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    go(run, tool, "one")
    monkeypatch.setattr(explore, "find_shell", lambda: None)
    ran = run("trace", "explore", "last", "-c", "pwd", "--isolation", tool)
    assert ran.status == 2
    assert ran.err.startswith("skillstudio: bash and sh are not on PATH; install one")


def test_windows_gets_the_path_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell.shutil, "which", lambda name: f"C:\\Git\\{name}.exe")
    assert shell.find_shell() == "bash"
    monkeypatch.setattr(shell.os, "name", "nt")
    assert shell.find_shell() == "C:\\Git\\bash.exe"
