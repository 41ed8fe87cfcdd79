"""The workbench's parts: lists, filter, keys, sizes, and strings that mean harm."""

from __future__ import annotations

import importlib
import re
import threading
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from tests.manifest.explained.made import caro

import skillstudio.tui
from skillstudio.session.commands.commands import COMMANDS, REASONS, why_disabled
from skillstudio.session.workspace import SkillEntry, Workspace
from skillstudio.tui.commands.table import HANDLERS, MODULES, OF_RUNS, handler_of
from skillstudio.tui.screens.chooser import Chooser
from skillstudio.tui.screens.jump import LETTERS
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.lines import KeyLine
from skillstudio.tui.widgets.pane import TabBar
from skillstudio.tui.widgets.skills_pane import SkillTree

from .conftest import (
    BACKGROUND,
    GOOD,
    NARROW_FIRST,
    Open,
    bench,
    ended,
    seen,
    settled,
    shown,
    until,
)

HOSTILE = ["[/]", "[@click=app.quit]x", "[link=file:///etc]x", "\x1b]52;c;aGk=\x07", "\u202eevil"]


def test_every_command_of_the_table_can_be_run() -> None:
    own = {"help.show", "help.palette", "new.next", "new.create", "new.back"}
    assert set(HANDLERS) | own == {command.id for command in COMMANDS}
    of_runs = [
        id_
        for name in OF_RUNS
        for id_ in importlib.import_module(f"skillstudio.tui.commands.{name}").HANDLERS
    ]
    wanted = [
        command.id
        for command in COMMANDS
        if command.category in ("run", "preview", "tests") or command.id == "skill.run"
    ]
    assert sorted(of_runs) == sorted(wanted)
    for id_ in (id_ for names in MODULES.values() for id_ in names):
        signature(handler_of(id_)).bind(None)  # It exists, and the workbench is all that it needs.


def test_the_groups_of_workers_that_tests_wait_for_exist() -> None:
    code = "".join(path.read_text() for path in Path(*skillstudio.tui.__path__).rglob("*.py"))
    groups = BACKGROUND | {"ask", "plan", "targets"}
    assert [group for group in groups if f'"{group}"' not in code] == []


async def test_skills_stand_in_the_list_with_glyph_and_word(
    open_studio: Open, skills: Path
) -> None:
    (skills / "beta" / "SKILL.md").write_text("---\nname: other\ndescription: x\n---\n")
    async with open_studio(skills) as pilot:
        assert "✓ alpha" in shown(pilot)
        assert re.search(r"✗ other +1", shown(pilot))


async def test_each_folder_stands_in_the_list_once(open_studio: Open, skills: Path) -> None:
    for folder in ("aaa/deep/one", "aaa/two", "alpha-old/three"):
        (skills / folder).mkdir(parents=True)
        name = folder.rpartition("/")[2]
        (skills / folder / "SKILL.md").write_text(GOOD.format(name=name))
    async with open_studio(skills) as pilot:
        tree = bench(pilot).query_one(SkillTree)
        assert [row.skill or f"{row.folder}/" for row in tree.rows] == [
            *("/", "alpha", "beta", "aaa/", "aaa/two", "aaa/deep/", "aaa/deep/one"),
            *("alpha-old/", "alpha-old/three"),
        ]


async def test_the_filter_narrows_by_text_and_by_state(open_studio: Open, skills: Path) -> None:
    (skills / "beta" / "SKILL.md").write_text("---\nname: other\ndescription: x\n---\n")
    async with open_studio(skills) as pilot:
        await pilot.press("slash", "a", "l", "p")
        await pilot.pause()
        tree = bench(pilot).query_one(SkillTree)
        assert [row.skill for row in tree.rows] == ["alpha"]
        await settled(pilot)
        assert " esc clear the filter" in shown(pilot), "in the filter"
        await pilot.press("enter")
        await settled(pilot)
        assert "  esc clear the filter" in shown(pilot), "in the list"
        await pilot.press("escape")
        await settled(pilot)
        assert len(tree.rows) == 2
        assert "clear the filter" not in shown(pilot)
        bench(pilot).skills_pane.filter = "state:error"
        bench(pilot).skills_pane.refresh_skills()
        assert [row.skill for row in tree.rows] == ["beta"]


async def test_lists_move_by_arrows_and_by_letters(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        tree = bench(pilot).query_one(SkillTree)
        seen = []
        for key in ("j", "k", "G", "g", "down", "up", "end", "home"):
            await pilot.press(key)
            seen.append(tree.cursor)
        assert seen == [1, 0, 1, 0, 1, 0, 1, 0]


async def test_escape_leads_to_the_skills_and_never_out(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        for _ in range(4):
            await pilot.press("escape")
        assert pilot.app.is_running
        assert bench(pilot).query_one(SkillTree).has_focus


@pytest.mark.slow
async def test_panes_are_reached_by_letters_outside_the_text(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        await pilot.press("escape", "p")
        assert "enter to the text" in shown(pilot)
        assert "no targets selected  t ─" in shown(pilot)
        await pilot.press("e")
        assert "[Edit" in shown(pilot)
        assert "esc 1…6" in shown(pilot)
        await pilot.press("f6")
        assert "enter to the text" in shown(pilot)


@pytest.mark.slow
async def test_without_selected_targets_the_frame_says_how_many_refuse(
    open_studio: Open, skills: Path
) -> None:
    text = "---\nname: alpha\ndescription: Says: things.\n---\nSay.\n"
    (skills / "alpha/SKILL.md").write_text(text)
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        await pilot.press("escape", "p")
        screen = shown(pilot)
        assert "no targets selected · 5 of 6 that look here would refuse it  t" in screen


async def test_the_frame_follows_the_cursor(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("e", "ctrl+home", "down", "down", "right")
        await until(pilot, lambda: " 3:2 ─" in shown(pilot))


@pytest.mark.slow
async def test_only_the_targets_of_the_place_are_shown(open_studio: Open, tmp_path: Path) -> None:
    for name, text in (("tea", "name: Tea\ndescription: d"), ("pot", "name: pot")):
        folder = tmp_path / "work/.agents/skills" / name
        folder = folder if name == "pot" else tmp_path / "work/.claude/skills/tea"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\n{text}\n---\n# Body\n\nSay.\n")
    async with open_studio(tmp_path / "work/.claude/skills/tea") as pilot:
        await pilot.press("escape", "p")
        assert "✓ claude-code  t ─" in shown(pilot)
        assert "targets  t ─" not in shown(pilot)
    async with open_studio(tmp_path / "work") as pilot:
        found = {each.name: each.status for each in bench(pilot).session.workspace.skills.values()}
        # Claude Code loads the one, and Codex, for example, ignores the other.
        assert found == {"Tea": "info", "pot": "error"}


@pytest.mark.slow
async def test_the_palette_runs_what_is_chosen(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Chooser)
        await pilot.press("p", "r", "o", "b", "l", "e", "m", "s")
        await pilot.press("enter")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, Chooser)
        assert bench(pilot).query_one("#problems").has_focus


async def test_a_disabled_command_says_why(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "not now: there are no unsaved changes" in shown(pilot)


async def test_help_explains_what_is_focused(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert "The skills in the open folder" in shown(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, Chooser)


@pytest.mark.parametrize("width", [60, 66, 80, 100, 120])
async def test_the_last_line_is_never_cut_off(open_studio: Open, skills: Path, width: int) -> None:
    async with open_studio(skills, (width, 24)) as pilot:
        line = bench(pilot).query_one(KeyLine).render()
        assert line.cell_length <= width
        assert line.plain.count("^p") == 1


@pytest.mark.parametrize("width", range(40, 67, 2))
async def test_narrow_terminals_do_not_crash(open_studio: Open, skills: Path, width: int) -> None:
    async with open_studio(skills / "alpha", (width, 24)) as pilot:
        small = "needs 60 × 16 characters" in shown(pilot)
        assert small == (width < 60)


async def test_a_low_terminal_names_the_size_needed(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha", (80, 15)) as pilot:
        assert "needs 60 × 16 characters" in shown(pilot)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "alpha · SKILL.md" in shown(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_a_skills_text_is_only_text(
    open_studio: Open, skills: Path, text: str, size: tuple[int, int]
) -> None:
    quoted = text.replace("\x1b", "\\e").replace("\x07", "\\a").replace("\u202e", "\\u202e")
    (skills / "alpha" / "SKILL.md").write_text(
        f'---\nname: "{quoted}"\ndescription: x\n"{quoted}": 1\n---\n'
    )
    async with open_studio(skills, size) as pilot:
        raw = "\x1b", "\x07", "\u202e"
        await pilot.press("enter")
        await settled(pilot)
        assert bench(pilot).open.skill == "alpha"
        visible = text[:6] if text.isprintable() else text[-4:].strip("\x07")
        assert visible in shown(pilot)
        await pilot.press("escape", "p")
        await pilot.pause()
        for key in ("x", "q", "ctrl+l", "escape"):
            await pilot.press(key)
            await pilot.pause()
            assert not any(sign in shown(pilot) for sign in raw)
        bench(pilot).say(text)
        await pilot.pause()
        assert pilot.app.is_running


async def test_a_hostile_folder_name_is_only_text(open_studio: Open, tmp_path: Path) -> None:
    for name in ("[@click=app.quit]x", "a\x1b]0;b\x07", "[bold"):
        folder = tmp_path / "many" / name / "skill"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(GOOD.format(name="skill"))
    async with open_studio(tmp_path / "many") as pilot:
        assert "[@click=app.quit]x" in shown(pilot)
        assert "a␛]0;b␇" in shown(pilot)
        await pilot.press("j", "j", "enter")
        await settled(pilot)
        assert bench(pilot).open.skill is not None


async def test_no_colours_still_tell_the_states_apart(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    (skills / "beta" / "SKILL.md").write_text("---\nname: other\ndescription: x\n---\n")
    async with open_studio(skills) as pilot:
        assert pilot.app.no_color
        assert "✓ alpha" in shown(pilot)
        assert re.search(r"✗ other +1", shown(pilot))


async def test_nothing_open_offers_what_works_offline(open_studio: Open) -> None:
    async with open_studio(None, (80, 24)) as pilot:
        assert "Open this folder" in shown(pilot)
        assert "Open another folder" in shown(pilot)
        await pilot.press("ctrl+q")
        await ended(pilot)


async def test_a_folder_without_skills_says_so(open_studio: Open, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    async with open_studio(empty) as pilot:
        assert "no skill" in shown(pilot)
        assert pilot.app.is_running


async def test_a_folder_is_not_called_empty_before_it_was_searched(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    find = Workspace.find

    def held(self: Workspace, cancelled: Any, progress: Any) -> list[SkillEntry]:
        while not (gate.is_set() or cancelled()):
            progress([SkillEntry("", "")] * 50)
            gate.wait(0.01)
        return find(self, cancelled, progress)

    (skills.parent / "none").mkdir()
    async with open_studio(skills.parent / "none", (80, 24)) as pilot:
        pane = bench(pilot).skills_pane
        assert "no skill here" in shown(pilot)
        monkeypatch.setattr(Workspace, "find", held)
        pane.scan()
        try:
            screen = await seen(pilot, "looking for skills… 50 found")
            assert "no skill" not in screen
            assert pane.cancel_scan()
            screen = await seen(pilot, "the search was stopped; rescan starts it again")
            assert "no skill" not in screen
        finally:
            gate.set()


async def test_the_first_of_many_skills_are_listed_while_the_search_goes_on(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    find = Workspace.find

    def held(self: Workspace, cancelled: Any, progress: Any) -> list[SkillEntry]:
        progress([SkillEntry(f"many/{name:03}", f"{name:03}") for name in range(100)])
        gate.wait(60)
        return find(self, cancelled, progress)

    (skills.parent / "none").mkdir()
    async with open_studio(skills.parent / "none", (80, 24)) as pilot:
        monkeypatch.setattr(Workspace, "find", held)
        bench(pilot).skills_pane.scan()
        try:
            screen = await seen(pilot, "looking for skills… 100 found")
            assert "▸ · 003" in screen
        finally:
            gate.set()
        await seen(pilot, "no skill here")


@pytest.mark.slow
async def test_a_file_that_is_not_text_opens_read_only(open_studio: Open, skills: Path) -> None:
    (skills / "alpha" / "SKILL.md").write_bytes(b"---\nname: alpha\n\xff\n---\n")
    async with open_studio(skills) as pilot:
        await bench(pilot).open_file("alpha")
        await pilot.pause()
        assert "read-only: not UTF-8 at line 3" in shown(pilot)


def test_every_reason_is_one_that_a_command_needs() -> None:
    needing = [command for command in COMMANDS if command.needs]
    assert {need for command in needing for need in command.needs} == set(REASONS)
    assert all(why_disabled(command, ()) for command in needing)
    assert not any(why_disabled(command, REASONS) for command in needing)


async def test_what_is_wrong_with_settings_is_reported_once(
    open_studio: Open, skills: Path
) -> None:
    (skills / "skillstudio.toml").write_text('[rules]\nkey-unknow = "off"\n')
    async with open_studio(skills) as pilot:

        def notices() -> list[str]:
            said = [str(each.message) for each in pilot.app._notifications]
            return [each for each in said if each.startswith("skillstudio.toml")]

        assert notices() == [
            'skillstudio.toml:2:1: unknown rule "key-unknow"; did you mean key-unknown?'
        ]
        await pilot.press("R")
        await settled(pilot)
        assert len(notices()) == 1


async def test_problems_by_other_skills_and_of_no_skill_are_on_the_screen(
    open_studio: Open, tmp_path: Path
) -> None:
    needs = caro("cloud.aws", '[dependencies]\n"tool.kubectl" = ">=0.2"\n')
    for name, text in (("aws", needs), ("kubectl", caro("tool.kubectl", version="0.1.0"))):
        (tmp_path / "caro" / name).mkdir(parents=True)
        (tmp_path / "caro" / name / "skill.toml").write_text(text)
    (tmp_path / "caro" / ".claude-plugin").mkdir()
    (tmp_path / "caro" / ".claude-plugin" / "plugin.json").write_text('{"name": "a", "x": 1}')
    async with open_studio(tmp_path / "caro") as pilot:
        workspace = bench(pilot).session.workspace
        assert workspace.skills["aws"].counts.get("warning") == 1
        assert "Problems of the folder" in shown(pilot)
        assert '.claude-plugin/plugin.json:1:15  unknown key "x"' in shown(pilot)
        await bench(pilot).open_file("aws")
        assert "which does not satisfy >=0.2" in shown(pilot)
        fixed = caro("tool.kubectl", version="0.3.0")
        (tmp_path / "caro" / "kubectl" / "skill.toml").write_text(fixed)
        bench(pilot).look_at_disk(frozenset([str(tmp_path / "caro" / "kubectl" / "skill.toml")]))
        await settled(pilot)
        await settled(pilot)
        assert "which does not satisfy" not in shown(pilot)
        assert "warning" not in workspace.skills["aws"].counts


@pytest.mark.slow
async def test_with_nothing_open_the_focus_stays_with_the_skills(
    open_studio: Open, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    async with open_studio(tmp_path / "empty", (80, 24)) as pilot:
        for key in ("p", "e", "f1", "escape", "1", "2", "f6"):
            await pilot.press(key)
            await settled(pilot)
        assert bench(pilot).query_one(SkillTree).has_focus
        assert bench(pilot).skills_pane.filter == ""


@pytest.mark.slow
async def test_the_skill_is_marked_while_it_has_unsaved_changes(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await bench(pilot).open_file("alpha")
        bench(pilot).go_to_pane("view")
        await pilot.pause()
        await pilot.press("end")
        for _ in range(2):
            await pilot.press("space")
            await pilot.pause()
            assert "alpha ●" in shown(pilot)
            await pilot.press("ctrl+s")
            await pilot.pause()
            assert "alpha ●" not in shown(pilot)


async def test_typing_in_a_file_that_cannot_be_changed_says_why(
    open_studio: Open, skills: Path
) -> None:
    (skills / "alpha" / "SKILL.md").write_bytes(b"---\nname: alpha\ndescription: \xff\n---\n")
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("enter", "x")
        await pilot.pause()
        assert shown(pilot).count("read-only: not UTF-8 at line 3") == 2  # in title and notice


@pytest.mark.slow
async def test_tabs_frames_and_targets_answer_a_click(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        bar = bench(pilot).query_one("#views", TabBar)
        for view in ("form", "compare", "tests", "edit"):
            x = next(x for x, _, command in bar.places if command == f"view.{view}")
            await pilot.click(bar, offset=(x + 1, 0))
            await settled(pilot)
            assert bench(pilot).views.current_view == view
        edge = bench(pilot).query_one("#problems-pane").region
        await pilot.click(offset=(edge.x + 5, edge.y))
        await settled(pilot)
        assert "enter to the text" in shown(pilot)


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (120, 36), (300, 80)])
async def test_every_view_and_its_key_is_seen(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    (skills / "alpha" / "SKILL.md").write_text("---\nname: other\ndescription: x\n---\n")
    async with open_studio(skills / "alpha", size) as pilot:
        for name in ("1 Edit", "2 Form", "3 Run", "4 Prev", "5 Comp", "6 Test"):
            assert name in shown(pilot)


@pytest.mark.slow
async def test_a_letter_jumps_to_a_part_of_the_screen(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        targets = bench(pilot).jump_targets()
        commands = [target.command for target in targets]
        assert {"view.form", "pane.problems", "skill.targets"} < set(commands)
        for command in ("pane.problems", "view.form"):
            await pilot.press("ctrl+o")
            await settled(pilot)
            last = shown(pilot).splitlines()[-1]
            assert last.strip() == "esc back"
            await pilot.press(LETTERS[commands.index(command)])
            await settled(pilot)
            assert isinstance(pilot.app.screen, Workbench)
        assert bench(pilot).views.current_view == "form"
        await pilot.press("1", "s")
        await settled(pilot)
        tree = bench(pilot).skills_pane.skill_tree
        rows = [target for target in bench(pilot).jump_targets() if target.widget is tree]
        assert [target.row for target in rows] == list(range(len(tree.rows)))
        other = next(target for target in rows if target.row != tree.cursor)
        await pilot.press("ctrl+o")
        await settled(pilot)
        await pilot.press(LETTERS[bench(pilot).jump_targets().index(other)])
        await settled(pilot)
        assert bench(pilot).focused is tree
        assert tree.cursor == other.row
        await pilot.press("ctrl+o", "escape")
        await settled(pilot)
        assert isinstance(pilot.app.screen, Workbench)


@pytest.mark.slow
async def test_panes_are_dragged_resized_and_zoomed(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        pane = bench(pilot).query_one("#skills-pane")
        await pilot.mouse_down(offset=(pane.region.right - 1, 10))
        await pilot.hover(offset=(49, 10))
        await pilot.mouse_up(offset=(49, 10))
        await pilot.pause()
        assert pane.region.width == 50
        await pilot.press("escape", "s", "minus")
        await pilot.pause()
        assert pane.region.width == 48
        await pilot.press("p", "z")
        await pilot.pause()
        assert not pane.region
        await pilot.press("z")
        await pilot.pause()
        assert pane.region.width == 48
        problems = bench(pilot).query_one("#problems-pane")
        await pilot.press("plus", "z")
        await pilot.pause()
        assert problems.region.height > 20, "one pane alone has the whole screen"
        await pilot.press("z")
    async with open_studio(skills / "alpha") as pilot:
        pane = bench(pilot).query_one("#skills-pane")
        assert pane.region.width == 48, "sizes are kept for the next session"
        await pilot.resize_terminal(80, 24)
        await pilot.press("escape", "s")
        await pilot.pause()
        assert pane.region.width == 80


@pytest.mark.slow
async def test_a_wide_screen_shows_what_each_key_costs(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha", (200, 60)) as pilot:
        await until(pilot, lambda: "Always in context" in shown(pilot))
        editor = bench(pilot).views.editor
        assert editor is not None
        editor.go_to_line(3, 200)
        await pilot.press("enter", *"Seen")
        await until(pilot, lambda: "Does one thing well.Seen" in shown(pilot).split("context")[1])
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: "Always in context" not in shown(pilot))
        await pilot.resize_terminal(200, 60)
        await until(pilot, lambda: "Always in context" in shown(pilot))
