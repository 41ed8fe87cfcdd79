"""What lies around the text: the disk, the user's editor, keys and themes of one's own."""

from __future__ import annotations

import shlex
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App
from textual.content import Content

from skillstudio.tui import external
from skillstudio.tui.app import Studio
from skillstudio.tui.screens.chooser import Answer, find_matches
from skillstudio.tui.widgets.form.view import FormView

from .conftest import Open, bench, ended, settled, shown, until

THEME = """name: mine
title: My own
colours:
  primary: "{primary}"
  foreground: "#ffffff"
  background: "#000000"
  error: "#ff0000"
  warning: "#ffff00"
  success: "#00ff00"
"""


async def test_a_change_on_disk_is_noticed_by_itself(open_studio: Open, skills: Path) -> None:
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha", watch=True) as pilot:
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        file.write_text(file.read_text().replace("one thing", "two things"))
        await until(pilot, lambda: "two things" in buffer.text)


async def test_a_change_from_before_the_watch_began_is_noticed(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = threading.Event()

    def begins_late(
        *_: object, yield_on_timeout: bool = False, **__: object
    ) -> Iterator[set[tuple[int, str]]]:
        written.wait(60)
        if yield_on_timeout:
            yield set()

    monkeypatch.setattr("watchfiles.watch", begins_late)
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha", watch=True) as pilot:
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        file.write_text(file.read_text().replace("one thing", "two things"))
        written.set()
        await until(pilot, lambda: "two things" in buffer.text)


async def test_the_outline_leads_to_a_key(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("ctrl+e")
        await until(pilot, lambda: "3 description" in shown(pilot))
        assert all(line in shown(pilot) for line in ("Outline", "2 name", "5 alpha"))
        await pilot.press("d", "e", "enter")
        editor = bench(pilot).views.editor
        assert editor is not None
        await until(pilot, lambda: editor.cursor_location == (2, 0) and editor.has_focus)


@pytest.mark.slow
async def test_a_new_skill_appears_in_the_list(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        folder = skills / "gamma"
        folder.mkdir()
        (folder / "SKILL.md").write_text("---\nname: gamma\ndescription: x\n---\n")
        bench(pilot).look_at_disk(frozenset({str(folder / "SKILL.md")}))
        await settled(pilot)
        assert "✓ gamma" in shown(pilot)


async def test_the_users_keymap_is_used_and_its_faults_are_reported(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "keymap.yaml").write_text("app.quit: ctrl+w\nfile.sav: ctrl+x\n")
    async with open_studio(skills) as pilot:
        assert "did you mean file.save?" in " ".join(
            notice.message for notice in pilot.app._notifications
        )
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert pilot.app.is_running
        await pilot.press("ctrl+w")
        await ended(pilot)


@pytest.mark.slow
async def test_themes_are_previewed_kept_and_remembered(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    async with open_studio(skills) as pilot:
        assert pilot.app.theme == "skillstudio-dark"
        await pilot.press("T")
        await pilot.pause()
        await pilot.press(*"skillstudio-light")
        await pilot.pause()
        assert pilot.app.theme == "skillstudio-light"
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.theme == "skillstudio-dark"
        await pilot.press("T", *"contrast", "enter")
        await pilot.pause()
        assert pilot.app.theme == "high-contrast"
    async with open_studio(skills) as pilot:
        assert pilot.app.theme == "high-contrast"


async def test_a_theme_of_the_user_is_read_again_when_it_changes(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "config" / "themes"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(THEME.format(primary="#112233"))
    async with open_studio(skills) as pilot:
        app = pilot.app
        assert isinstance(app, Studio)
        app.theme = "mine"
        (folder / "mine.yaml").write_text(THEME.format(primary="#445566"))
        assert app.load_themes() == []
        assert app.current_theme.primary == "#445566"
        (folder / "mine.yaml").write_text(THEME.format(primary="nonsense"))
        faults = app.load_themes()
        assert [str(fault).rpartition("/")[2] for fault in faults] == [
            "mine.yaml:4:12: 'nonsense' is not a colour; use #rgb, #rrggbb or an ansi_ name"
        ]
        assert app.current_theme.primary == "#445566"


@pytest.mark.slow_cases("high-contrast")
@pytest.mark.parametrize(
    "name", ["skillstudio-dark", "skillstudio-light", "high-contrast", "terminal"]
)
async def test_every_theme_draws_the_workbench(open_studio: Open, skills: Path, name: str) -> None:
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        pilot.app.theme = name
        await pilot.pause()
        assert "alpha · SKILL.md" in shown(pilot)


async def test_copying_goes_to_the_terminal_by_osc_52(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("escape", "y")
        await pilot.pause()
        assert pilot.app.clipboard == str(skills / "alpha" / "SKILL.md")
        assert "OSC 52" in shown(pilot)


def script(folder: Path, body: str) -> str:
    path = folder / "editor"
    command = shlex.join([sys.executable, "-c", f"import sys\n{body}\n"])
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


class _Suspended(App[int]):
    """An application that can hand over its terminal."""

    def suspend(self):  # type: ignore[no-untyped-def]
        from contextlib import nullcontext

        return nullcontext()


@pytest.mark.skipif(sys.platform == "win32", reason="a script with #! is the editor")
@pytest.mark.parametrize(
    ("body", "text", "trouble"),
    [
        ("open(sys.argv[1], 'ab').write(b'more\\r\\n')", "one\r\nmore\r\n", ""),
        ("pass", "one\r\n", ""),
        ("sys.exit(3)", None, "ended with status 3"),
        ("open(sys.argv[1], 'wb').write(b'\\xff')", None, "not UTF-8"),
        ("import os; os.unlink(sys.argv[1])", None, "cannot read"),
    ],
)
def test_the_round_trip_through_the_users_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, text: str | None, trouble: str
) -> None:
    monkeypatch.setenv("VISUAL", script(tmp_path, body))
    found, said = external.edit_outside(_Suspended(), "/some/SKILL.md", "one\r\n")
    assert found == text
    assert trouble in said
    assert bool(said) == bool(trouble)


@pytest.mark.parametrize("command", ["", "'", "/no/such/program"])
def test_an_editor_that_is_none_is_reported(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("VISUAL", command)
    monkeypatch.setenv("EDITOR", command)
    found, said = external.edit_outside(_Suspended(), "/some/SKILL.md", "one")
    assert found is None
    assert said


@pytest.mark.slow
async def test_the_form_changes_the_same_text(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("escape", "2")
        await settled(pilot)
        assert bench(pilot).query_one(FormView).display
        assert bench(pilot).views.editor is None
        await pilot.press("escape", "1")
        await settled(pilot)
        assert bench(pilot).views.editor is not None


def test_answers_are_found_by_words_in_the_title_then_elsewhere_then_by_letters() -> None:
    answers = [
        Answer("1", "file: Save", Content(""), "Write the file."),
        Answer("2", "edit: Undo", Content(""), "Also after a save."),
        Answer("3", "pane: Next pane", Content(""), "Go on."),
    ]
    assert [each.id for each in find_matches("save", answers)] == ["1", "2"]
    assert [each.id for each in find_matches("nxtpn", answers)] == ["3"]
    assert [each.id for each in find_matches("", answers)] == ["1", "2", "3"]
    assert find_matches("zzz", answers) == []


async def test_git_says_what_changed_or_why_it_does_not(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(skills.parent))
    async with open_studio(skills, (240, 36)) as pilot:
        await pilot.press("slash")
        bench(pilot).query_one("#filter").value = "since:HEAD"  # type: ignore[attr-defined]
        await pilot.press("enter")
        await settled(pilot)
        assert "not in a git repository" in shown(pilot)
