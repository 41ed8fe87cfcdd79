"""Preview within the workbench: seen, switched, searched, handed over, adopted, applied."""

from __future__ import annotations

import re
import shutil
import stat
from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill
from tests.session.kept_runs import RUN, keep_run
from tests.tui.conftest import NARROW_FIRST, SIZES, Open, bench, seen, shown, until

from skillstudio.dryrun.report import JudgedEffect
from skillstudio.session.commands.commands import COMMANDS, why_disabled
from skillstudio.tui.screens.adopt import AdoptScreen
from skillstudio.tui.screens.chooser import Chooser
from skillstudio.tui.screens.dialogs import Confirm
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.preview.table import FileTable

from .conftest import AFTER, settled, to_preview, view

BELOW, BESIDE = SIZES


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_four_shows_the_last_run_then_the_card_then_outputs(
    open_studio: Open, kept: Path, size: tuple[int, int]
) -> None:
    async with open_studio(kept, size) as pilot:
        screen = await to_preview(pilot)
        assert "4 Preview +4 ~1 -1" in screen
        assert "[Changes]" in screen
        assert "+4 ~1 -1  go  exit 0" in screen
        assert "+ out/[red]log.org" in screen
        assert re.search(r"~ notes\.txt +\+1 -0", screen)
        assert "real folders unchanged until you apply" in screen
        assert bench(pilot).focused is view(pilot).query_one(FileTable)
        screen = await to_preview(pilot, "t")
        assert "[Card]" in screen
        assert "say 1.0.0  agent-skills" in screen
        assert "Always in context" in screen
        assert "real folders" not in screen
        screen = await to_preview(pilot, "t")
        assert "[Outputs]" in screen
        assert "no declared output files" in screen


@pytest.mark.slow
@pytest.mark.parametrize("size", [*SIZES, (200, 50)])
async def test_the_selected_file_is_below_the_list(
    open_studio: Open, kept: Path, size: tuple[int, int]
) -> None:
    async with open_studio(kept, size) as pilot:
        await to_preview(pilot)
        table = view(pilot).query_one(FileTable).region
        lines = view(pilot).query_one(ViewLines).region
        assert lines.y > table.bottom - 1
        assert lines.width == table.width
        assert lines.height >= 8


async def test_nothing_of_it_is_loaded_before_it_is_shown(open_studio: Open, kept: Path) -> None:
    async with open_studio(kept) as pilot:
        assert not bench(pilot).query("PreviewView")


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_one_key_leads_through_the_ways_of_looking(
    open_studio: Open, kept: Path, size: tuple[int, int]
) -> None:
    async with open_studio(kept, size) as pilot:
        await to_preview(pilot)
        view(pilot).query_one(FileTable).cursor = 4
        screen = await settled(pilot)
        assert "[Diff]" in screen, "of a change, unless another way is chosen"
        assert re.search("2 [+] two", screen)
        screen = await to_preview(pilot, "v")
        assert "[Raw]" in screen
        screen = await to_preview(pilot, "v")
        assert "[Hex]" in screen
        assert re.search("6f 6e 65 0a  ?74 77 6f 0a", screen)
        assert "[Rendered]" in await to_preview(pilot, "v")
        assert "[Rendered]" in await to_preview(pilot, "up"), "which stays"
        assert "[Diff]" in await to_preview(pilot, "down", "v")


@pytest.mark.slow
async def test_nothing_of_a_file_is_markup_or_steers_the_terminal(
    open_studio: Open, kept: Path
) -> None:
    async with open_studio(kept, BESIDE) as pilot:
        screen = await to_preview(pilot)
        assert "** [/] milk ␛[31m" in screen
        assert "\x1b" not in screen


@pytest.mark.slow
async def test_only_the_lines_in_sight_are_painted_and_the_end_is_found(
    open_studio: Open, kept: Path
) -> None:
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot, "down")
        lines = view(pilot).query_one(ViewLines)
        assert lines.view is not None
        assert lines.view.count < 30_000
        assert len(lines._known_lines) < 2 * lines.size.height
        await pilot.press("tab")
        assert bench(pilot).focused is lines
        await pilot.press("G")
        await seen(pilot, "line 29999", "30,000 lines")
        await pilot.press("g")
        await seen(pilot, "line 0\n")


@pytest.mark.slow
async def test_more_of_a_long_markdown_comes_at_its_end(open_studio: Open, kept: Path) -> None:
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot, "down", "down")
        lines = view(pilot).query_one(ViewLines)
        assert lines.view is not None
        first = lines.view.count
        await pilot.press("tab", "G")
        await until(pilot, lambda: lines.view is not None and lines.view.count > 2 * first)
        assert lines.scroll_y > 0


@pytest.mark.slow
async def test_a_wide_line_is_moved_along(open_studio: Open, kept: Path) -> None:
    async with open_studio(kept, BELOW) as pilot:
        screen = await to_preview(pilot, "down", "down", "down")
        assert "xxx" in screen
        assert "xxxend" not in screen
        await pilot.press("tab", *["l"] * 14)
        await seen(pilot, "xxxend")


# Searching.


@pytest.mark.slow
async def test_a_text_is_found_again_and_again_and_from_the_beginning(
    open_studio: Open, kept: Path
) -> None:
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot, "down")
        lines = view(pilot).query_one(ViewLines)
        await pilot.press("ctrl+f")
        await settled(pilot)
        await pilot.press(*"LINE", "space", *"29998", "enter")
        await seen(pilot, "line 29998")
        assert lines.match_line == 29_998
        await pilot.press("ctrl+f")
        await settled(pilot)
        await pilot.press(*["backspace"] * 10, *"999", "enter")
        await seen(pilot, "line 999\n")
        await pilot.press("n")
        await seen(pilot, "line 1999\n")
        assert lines.match_line == 1_999


@pytest.mark.slow
async def test_what_is_nowhere_is_reported_and_escape_leaves_the_field(
    open_studio: Open, kept: Path
) -> None:
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot)
        await pilot.press("n")
        await seen(pilot, "not now: no search text")
        await pilot.press("ctrl+f")
        await settled(pilot)
        await pilot.press(*"tv4", "escape")
        await settled(pilot)
        assert view(pilot).subject == "run"
        assert bench(pilot).focused is view(pilot).query_one(ViewLines)
        await pilot.press("ctrl+f")
        await settled(pilot)
        await pilot.press("enter")
        await seen(pilot, "“tv4” was not found")


# Other programs.


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A pager and editor that keeps what it is shown, with its name and mode."""
    made = tmp_path / "program"
    made.write_text(f'#!/bin/sh\ncat "$1" > {tmp_path}/shown\necho "$1" > {tmp_path}/name\n'
                    f'stat -c %a "$1" > {tmp_path}/mode\n')  # fmt: skip
    made.chmod(0o755)
    return made


@pytest.mark.slow
async def test_the_pager_gets_what_is_shown_and_the_editor_a_copy_of_the_bytes(
    open_studio: Open,
    kept: Path,
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from contextlib import nullcontext

    monkeypatch.setenv("PAGER", str(program))
    monkeypatch.setenv("EDITOR", str(program))
    monkeypatch.delenv("VISUAL", raising=False)
    async with open_studio(kept, BELOW) as pilot:
        monkeypatch.setattr(pilot.app, "suspend", nullcontext)
        await to_preview(pilot, "m")
        text = (tmp_path / "shown").read_text()
        assert text == "* Tea\n" + "** [/] milk ␛[31m\n" * 5
        assert Path((tmp_path / "name").read_text()).name.strip() == "_red_log.org.preview.txt"
        await to_preview(pilot, "x")
        assert (tmp_path / "shown").read_bytes() == AFTER["out/[red]log.org"]
        assert (tmp_path / "mode").read_text().strip() == "400"
        assert stat.S_IMODE(program.stat().st_mode) == 0o755


@pytest.mark.slow
async def test_a_program_that_fails_is_reported(
    open_studio: Open, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import nullcontext

    monkeypatch.setenv("PAGER", "/no/such/pager")
    async with open_studio(kept, BELOW) as pilot:
        monkeypatch.setattr(pilot.app, "suspend", nullcontext)
        await to_preview(pilot)
        await pilot.press("m")
        await seen(pilot, "/no/such/pager: No such")


# Runs.


@pytest.mark.slow
async def test_another_run_is_chosen_and_the_last_one_again(
    open_studio: Open, kept: Path, tmp_path: Path
) -> None:
    other = block_skill(kept.parent / "other", "echo\n")
    keep_run(tmp_path / "state" / "runs", other, AFTER, run="20261122T000000-1")
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot)
        await pilot.press("H")
        screen = await seen(pilot, "Show the changes of which run", "other go")
        assert screen.index("say go") < screen.index("other go")
        await pilot.press(*"other", "enter")
        await seen(pilot, "+4 ~1 -3  other go")
        await pilot.press("H")
        await seen(pilot, "Show the changes of which run")
        await pilot.press("up", "up", "up", "enter")
        await seen(pilot, "+4 ~1 -1  go")


@pytest.mark.slow
async def test_without_a_run_it_says_so_and_nothing_can_be_adopted_or_applied(
    open_studio: Open, skill: Path
) -> None:
    async with open_studio(skill, BELOW) as pilot:
        screen = await to_preview(pilot, "t")
        assert "this skill has no recorded run yet" in screen
        assert " f5 run  " in screen
        for word in ("run again", "no files", "Rendered", " v "):
            assert word not in screen
        await pilot.press("H")
        await seen(pilot, "no run is recorded yet")
        off = {
            each.id: why_disabled(each, bench(pilot).facts())
            for each in COMMANDS
            if each.context == "preview"
        }
        assert off["preview.adopt"].startswith("no run is shown")
        assert off["preview.apply"].startswith("no run is shown")
        assert off["preview.pager"] == "there is no content to search or open"
        assert off["preview.subject"] == ""


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_a_run_that_goes_while_it_is_shown_is_reported(
    open_studio: Open, kept: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = tmp_path / "state" / "runs" / RUN
    async with open_studio(kept, size) as pilot:
        await to_preview(pilot)
        shutil.rmtree(folder / "files")
        for _ in range(4):
            screen = await to_preview(pilot, "v")
            assert "the recorded files of this run were deleted" in screen
        await pilot.press("H")
        await seen(pilot, "Show the changes of which run", RUN[:15])
        await pilot.press("down", "enter")
        await settled(pilot)
        shutil.rmtree(folder)
        await pilot.press("R")
        await pilot.pause()
        screen = await settled(pilot)
        assert "no run is recorded yet" in screen
        await pilot.press("H")
        await seen(pilot, "no run is recorded yet")


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_a_run_that_changed_nothing_says_so(
    open_studio: Open, skill: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    from tests.tui.preview.conftest import BEFORE

    keep_run(tmp_path / "state" / "runs", skill, BEFORE)
    async with open_studio(skill, size) as pilot:
        screen = await to_preview(pilot)
        assert "no files changed" in screen


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_what_is_protected_from_writing_is_reported_and_not_offered(
    open_studio: Open, kept: Path, size: tuple[int, int]
) -> None:
    (kept.parent / "notes.txt").chmod(0o444)
    async with open_studio(kept, size) as pilot:
        await to_preview(pilot)
        view(pilot).query_one(FileTable).cursor = 4
        await settled(pilot)
        await pilot.press("A")
        screen = await seen(pilot, "1 conflict with the real folders", "Apply the other 5")
        assert "Apply notes.txt alone" not in screen


@pytest.mark.slow
@pytest.mark.parametrize("size", [(45, 20), (60, 16), (30, 8)])
async def test_a_terminal_that_was_too_small_leaves_the_focus_where_it_was(
    open_studio: Open, kept: Path, size: tuple[int, int]
) -> None:
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot, "tab")
        lines = view(pilot).query_one(ViewLines)
        assert lines.has_focus
        await pilot.resize_terminal(*size)
        await pilot.pause()
        await pilot.resize_terminal(*BELOW)
        await settled(pilot)
        assert lines.has_focus
        await pilot.press("v")
        assert "[Diff]" in await settled(pilot)


# Adopting and applying.


@pytest.mark.slow
async def test_what_a_run_showed_is_picked_seen_and_taken_as_one_step_of_undo(
    open_studio: Open, skill: Path, tmp_path: Path
) -> None:
    from tests.dryrun.traces.conftest import REPORT

    effect = JudgedEffect("db.write", False, "undeclared", ("added x.db",), True)
    keep_run(tmp_path / "state" / "runs", skill, AFTER,
             report=REPORT._replace(effects=(effect,), contract=REPORT.contract))  # fmt: skip
    before = (skill / "SKILL.md").read_text()
    async with open_studio(skill, BESIDE) as pilot:
        await to_preview(pilot)
        await pilot.press("a")
        screen = await seen(pilot, "[x] Declare the effect db.write", '"db.write"')
        assert f"Adopt what run {RUN} showed" in screen
        await pilot.press("space")
        await seen(pilot, "[ ] Declare the effect db.write")
        assert '"db.write"' not in shown(pilot)
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, AdoptScreen), "nothing is picked"
        await pilot.press("space")
        await seen(pilot, '"db.write"')
        await pilot.press("enter")
        await seen(pilot, "[Edit", "● unsaved")
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert '"db.write"' in buffer.text
        assert (skill / "SKILL.md").read_text() == before
        await pilot.press("ctrl+z")
        await pilot.pause()
        assert buffer.text == before


@pytest.mark.slow
async def test_changes_are_applied_once_they_are_agreed_to(open_studio: Open, kept: Path) -> None:
    notes = kept.parent / "notes.txt"
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot)
        view(pilot).query_one(FileTable).cursor = 4
        await settled(pilot)
        await pilot.press("A")
        await seen(pilot, "Apply notes.txt alone", "enter Apply all 6")
        await pilot.press("escape")
        await seen(pilot, "nothing was applied; the real folders are unchanged")
        assert notes.read_text() == "one\n"
        await pilot.press("enter")
        await seen(pilot, "Apply all 6", "enter Apply notes.txt alone")
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("enter")
        await seen(pilot, "applied: 1 file", "✓ applied", "1 of 6 files applied")
        assert notes.read_text() == "one\ntwo\n"
        assert (kept.parent / "old.md").exists()
        await pilot.press("A")
        await seen(pilot, "enter Apply the other 5")
        await pilot.press("enter")
        await seen(pilot, "applied: 5 files", "6 of 6 files applied")
        assert not (kept.parent / "old.md").exists()
        assert "A apply" not in shown(pilot)


@pytest.mark.slow
async def test_what_changed_since_the_run_is_reported_and_stays_as_it_is(
    open_studio: Open, kept: Path
) -> None:
    notes, old = kept.parent / "notes.txt", kept.parent / "old.md"
    notes.write_text("mine\n")
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot)
        view(pilot).query_one(FileTable).cursor = 4
        await settled(pilot)
        await pilot.press("A")
        screen = await seen(
            pilot, "1 conflict with the real folders", "notes.txt has changed since"
        )
        assert "Apply notes.txt alone" not in screen
        await pilot.press("a")
        await seen(pilot, "applied: ")
        assert notes.read_text() == "mine\n"
        assert not old.exists()
        assert (kept.parent / "out" / "wide.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_what_is_applied_already_is_reported_and_not_offered_again(
    open_studio: Open, kept: Path, size: tuple[int, int]
) -> None:
    notes = kept.parent / "notes.txt"
    async with open_studio(kept, size) as pilot:
        await to_preview(pilot)
        view(pilot).query_one(FileTable).cursor = 4
        await settled(pilot)
        await pilot.press("A")
        await seen(pilot, "Apply to the real folders")
        await pilot.press("f")
        await seen(pilot, "applied: 1 file")
        await pilot.press("A")
        screen = await seen(pilot, "✓ 1 file already applied", "5 in the workspace")
        assert "conflict with" not in screen
        assert "Apply notes.txt alone" not in screen
        assert "Apply the other 5" in screen
        notes.write_text("mine\n")
        await pilot.press("escape", "A")
        await seen(pilot, "1 conflict with the real folders")
        notes.write_text("one\ntwo\n")
        await pilot.press("escape", "A")
        await seen(pilot, "1 file already applied")
        await pilot.press("a")
        await seen(pilot, "applied: 5 files")
        await pilot.press("A")
        screen = await seen(pilot, "✓ 6 files already applied")
        assert "Apply the other" not in screen
        await pilot.press("a")
        assert isinstance(pilot.app.screen, Confirm), "there is nothing to apply"


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_a_skill_that_is_another_by_now_is_reported_with_what_it_means(
    open_studio: Open, skill: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    from tests.dryrun.traces.conftest import REPORT

    effect = JudgedEffect("db.write", False, "undeclared", ("added x.db",), True)
    identity = {"content_hash": "sha256:of-another"}
    keep_run(tmp_path / "state" / "runs", skill, AFTER,
             report=REPORT._replace(effects=(effect,), identity=identity))  # fmt: skip
    async with open_studio(skill, size) as pilot:
        await to_preview(pilot)
        await pilot.press("a")
        screen = await seen(pilot, "! the skill has changed since this run", "1 of 3 picked")
        assert "! the run used other files; the current ones may behave" in screen
        await pilot.press("tab", "G")
        await seen(pilot, '"db.write"')
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, AdoptScreen), "out of the diff first"
        await pilot.press("escape")
        await settled(pilot)
        assert bench(pilot).views.current_view == "preview"


@pytest.mark.slow
async def test_the_card_follows_what_is_typed(open_studio: Open, kept: Path) -> None:
    async with open_studio(kept, BESIDE) as pilot:
        await to_preview(pilot, "t", "down")
        found = bench(pilot)
        assert found.open.buffer is not None
        at = found.open.buffer.text.index("Goes. Use")
        await pilot.press("1", "e")
        await pilot.pause()
        assert found.views.editor is not None
        found.views.editor.go_to(at)
        await pilot.press("N", "o", "w", "space")
        await pilot.press("escape")
        screen = await to_preview(pilot)
        assert "say: Now Goes. Use when" in screen


@pytest.mark.slow
async def test_the_dialogs_take_letters_for_themselves(open_studio: Open, kept: Path) -> None:
    async with open_studio(kept, BELOW) as pilot:
        await to_preview(pilot)
        await pilot.press("H")
        await seen(pilot, "Show the changes of which run")
        assert isinstance(pilot.app.screen, Chooser)
        await pilot.press("v", "t")
        await pilot.pause()
        assert (view(pilot).how, view(pilot).subject) == ("preview", "run")
