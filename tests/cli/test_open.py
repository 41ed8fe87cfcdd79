"""`open` without a terminal, and `--plain` for screen readers."""

from __future__ import annotations

import shlex
import socket
import sys
from pathlib import Path

import pytest
from tests.commands import Run, running

from skillstudio.cli.verbs import find_verb

TEXT = "---\nname: {}\ndescription: {}\n---\nDo it.\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return running(capsys)


def skill(folder: Path, description: str = "Makes tea. Use when asked.") -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(TEXT.format(folder.name, description))


def test_plain_lists_problems_in_words_and_a_command_for_every_job(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    skill(tmp_path / "all skills" / "tea")
    skill(tmp_path / "all skills" / "broken", "Makes: tea: now")
    done = run("--plain", "all skills")
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("2 skills in all skills: 1 with errors")
    assert lines[1].startswith("broken: 1 error")
    assert lines[2].startswith("tea: ")
    assert done == run("open", "--plain", "all skills")
    assert done.out.isascii(), "no drawings"

    jobs = [each.partition(": skillstudio ")[2] for each in lines if ": skillstudio " in each]
    verbs = [shlex.split(each)[0] for each in jobs]
    assert {"check", "fix", "show", "edit", "plan", "run", "preview", "diff", "new"} <= set(verbs)
    assert all(find_verb(verb) or verb == "--help" for verb in verbs)
    check = next(each for each in jobs if each.startswith("check"))
    assert shlex.split(check) == ["check", "--plain", "all skills/broken"]
    assert run(*shlex.split(check)).status == 1


def test_plain_of_a_folder_without_skills_names_the_next_step(run: Run, tmp_path: Path) -> None:
    done = run("--plain", tmp_path)
    assert done.status == 0
    assert done.out == f"No skill in {tmp_path}. Create one: skillstudio new\n"


def test_without_a_terminal_the_plain_commands_are_named(run: Run, tmp_path: Path) -> None:
    done = run("open", tmp_path)
    assert done.status == 2
    assert "the workbench needs a terminal" in done.err
    assert "skillstudio --plain" in done.err
    assert run("serve", tmp_path / "missing").status == 2
    assert "a port from 0 to 65535" in run("serve", "--port", "70000").err


def test_serve_names_its_extra_and_a_port_that_is_in_use(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("textual_serve", reason="textual-serve is not installed")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--port", str(port), tmp_path)
    assert done.status == 2
    assert f"cannot listen on 127.0.0.1:{port}" in done.err
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    done = run("serve", tmp_path)
    assert done.status == 3
    assert "pip install 'skillstudio[web]'" in done.err


def test_follow_opens_the_current_folder_and_follows(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from skillstudio.tui import app

    opened: list[tuple[str | None, bool]] = []

    def open_workbench(path: str | None, _notices: object, follow: bool = False) -> int:
        opened.append((path, follow))
        return 0

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEXTUAL_DRIVER", "a driver that needs no terminal")
    monkeypatch.setattr(app, "open_workbench", open_workbench)
    for words in (["--follow"], ["open", "--follow", str(tmp_path)], ["open", str(tmp_path)]):
        assert run(*words).status == 0
    assert opened == [(".", True), (str(tmp_path), True), (str(tmp_path), False)]
