"""Whole stories of a user, key by key."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from textual.pilot import Pilot

from skillstudio.session.drafts import BufferDraft, Drafts
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.screens.conflict import ConflictScreen
from skillstudio.tui.screens.dialogs import Confirm

from .conftest import NARROW_FIRST, Open, bench, ended, seen, settled, shown


def type_(pilot: Pilot[int], old: str, new: str) -> None:
    """Change the first `old` of the open text, as typing would."""
    buffer = bench(pilot).open.buffer
    assert buffer is not None
    at = buffer.text.index(old)
    buffer.replace([Splice(at, at + len(old), new)], "typing", merge=True)


def rules(pilot: Pilot[int]) -> list[str]:
    analysis = bench(pilot).open.analysis
    assert analysis is not None
    return [each.rule for each in analysis.diagnostics]


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_break_see_jump_fix_save_undo_quit(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    file = skills / "alpha" / "SKILL.md"
    before = file.read_text()
    async with open_studio(skills / "alpha", size) as pilot:
        assert "alpha · SKILL.md" in shown(pilot)
        await pilot.press("enter")
        editor = bench(pilot).views.editor
        assert editor is not None
        editor.go_to(before.index(" one"))
        await pilot.press("colon")
        await pilot.pause()
        assert rules(pilot) == ["description-unquoted"]
        assert "✗1" in shown(pilot)
        assert "● unsaved" in shown(pilot)

        await pilot.press("f8")
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert buffer.text[editor.cursor_offset] == ":"
        await pilot.press("f2")
        await pilot.pause()
        assert rules(pilot) == []
        assert '"Does: one thing well."' in shown(pilot)

        await pilot.press("ctrl+s")
        await pilot.pause()
        expected = before.replace("Does one thing well.", '"Does: one thing well."')
        assert file.read_text() == expected
        assert "unsaved" not in shown(pilot)

        await pilot.press("ctrl+z")
        await pilot.pause()
        assert "● unsaved" in shown(pilot)
        assert buffer.dirty
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.is_running
        await pilot.press("ctrl+q", "d")
        await ended(pilot)
    assert file.read_text() == expected


async def test_quitting_with_save_all_writes_every_file(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        for name in ("alpha", "beta"):
            await bench(pilot).open_file(name)
            type_(pilot, "Does one", "Did one")
        await pilot.press("ctrl+q", "s")
        await ended(pilot)
    assert all("Did one" in (skills / name / "SKILL.md").read_text() for name in ("alpha", "beta"))


async def test_quitting_with_nothing_unsaved_asks_nothing(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("ctrl+q")
        await ended(pilot)


@pytest.mark.slow
async def test_a_clean_file_follows_the_disk_and_undo_leads_back(
    open_studio: Open, skills: Path
) -> None:
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha") as pilot:
        before = file.read_text()
        file.write_text(before.replace("one thing", "two things"))
        bench(pilot).look_at_disk(frozenset({str(file)}))
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert "~3  description: Does two things well." in shown(pilot)
        assert not buffer.dirty
        await pilot.press("ctrl+z")
        assert buffer.text == before
        assert buffer.dirty


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "kept"),
    [(["m"], "mine"), (["t"], "theirs"), (["1", "a"], "mine"), (["2", "a"], "theirs")],
)
async def test_a_dirty_file_is_never_overwritten_by_either_side(
    open_studio: Open, skills: Path, keys: list[str], kept: str
) -> None:
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha") as pilot:
        type_(pilot, "Does one thing", "mine")
        file.write_text(file.read_text().replace("Does one thing", "theirs"))
        bench(pilot).look_at_disk(frozenset({str(file)}))
        await settled(pilot)
        assert "changed on disk" in shown(pilot)
        assert "theirs" in file.read_text()
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ConflictScreen)
        assert "theirs" in file.read_text()
        await pilot.press(*keys)
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert f"description: {kept} well." in buffer.text
        assert f"description: {kept} well." in file.read_text()
        assert not buffer.dirty
        assert "changed on disk" not in shown(pilot)


async def test_backing_out_of_a_conflict_writes_nothing(open_studio: Open, skills: Path) -> None:
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha") as pilot:
        type_(pilot, "Does one thing", "mine")
        file.write_text("theirs")
        await pilot.press("ctrl+s")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert "mine" in buffer.text
        assert buffer.dirty
    assert file.read_text() == "theirs"


@pytest.mark.slow
async def test_a_file_gone_from_disk_is_written_again_only_when_asked(
    open_studio: Open, skills: Path
) -> None:
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha") as pilot:
        type_(pilot, "Does one thing", "mine")
        file.unlink()
        bench(pilot).look_at_disk(frozenset({str(file)}))
        await pilot.pause()
        assert "deleted on disk" in shown(pilot)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert not file.exists()
        await pilot.press("w")
        await pilot.pause()
        assert "mine" in file.read_text()


@pytest.mark.slow
async def test_a_clean_file_that_is_gone_can_be_written_again_or_come_back(
    open_studio: Open, skills: Path
) -> None:
    file = skills / "alpha" / "SKILL.md"
    text = file.read_text()
    async with open_studio(skills / "alpha") as pilot:
        for way in ("comes back", "is written"):
            file.unlink()
            bench(pilot).look_at_disk(frozenset({str(file)}))
            await settled(pilot)
            assert "deleted on disk" in shown(pilot)
            if way == "comes back":
                file.write_text(text.replace("one", "1"))
                bench(pilot).look_at_disk(frozenset({str(file)}))
            else:
                await pilot.press("ctrl+s", "w")
            await settled(pilot)
            buffer = bench(pilot).open.buffer
            assert buffer is not None
            assert not buffer.dirty
            assert file.read_text() == buffer.text == text.replace("one", "1")
            assert "deleted on disk" not in shown(pilot)


@pytest.mark.slow
async def test_a_full_disk_is_reported_and_loses_nothing(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with open_studio(skills / "alpha") as pilot:
        before = (skills / "alpha" / "SKILL.md").read_text()
        type_(pilot, "Does one", "Did one")
        monkeypatch.setattr("os.fsync", full)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "not saved: No space left on device" in " ".join(
            notice.message for notice in pilot.app._notifications
        )
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert buffer.dirty
        assert (skills / "alpha" / "SKILL.md").read_text() == before
        monkeypatch.undo()
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert not buffer.dirty


@pytest.mark.slow
async def test_a_draft_of_a_killed_session_is_offered_and_recovered(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha") as pilot:
        type_(pilot, "Does one", "Did one")
        bench(pilot).keep_drafts()
    # The application ended without asking: that is what kill -9 leaves behind.
    assert "Did one" not in file.read_text()
    async with open_studio(skills / "alpha") as pilot:
        assert "never saved" in shown(pilot)
        await pilot.press("r")
        await settled(pilot)
        assert "● unsaved" in shown(pilot)
        assert "Did one" in shown(pilot)
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert "Did one" in file.read_text()
    assert Drafts(str(tmp_path / "state" / "drafts")).all() == []


async def test_a_draft_whose_file_changed_meanwhile_is_merged_by_choice(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    file = skills / "alpha" / "SKILL.md"
    base = file.read_text()
    drafts = Drafts(str(tmp_path / "state" / "drafts"))
    drafts.keep(BufferDraft(str(file), base.replace("Does", "Did"), base, 1.0))
    drafts.close()  # As if its process had ended.
    file.write_text(base + "More.\n")
    async with open_studio(skills) as pilot:
        await pilot.press("r")
        await settled(pilot)
        assert isinstance(pilot.app.screen, ConflictScreen)
        await pilot.press("a")
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert buffer.text == base.replace("Does", "Did") + "More.\n"
    assert file.read_text() == base + "More.\n"


@pytest.mark.slow
async def test_drafts_of_one_file_are_offered_one_after_the_other(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    file = skills / "alpha" / "SKILL.md"
    base = file.read_text()
    for number in (1, 2):
        ended = Drafts(str(tmp_path / "state" / "drafts"))
        ended.keep(BufferDraft(str(file), base + f"draft {number}\n", base, float(number)))
        ended.close()
    async with open_studio(skills) as pilot:
        session = bench(pilot).session
        await seen(pilot, "never saved")
        await pilot.press("r")
        await seen(pilot, "never saved", "Recovering replaces")
        await pilot.press("l")
        await settled(pilot)
        (buffer,) = session.dirty()
        assert buffer.text == base + "draft 2\n"
        assert [draft.text for draft in session.found_drafts()] == [base + "draft 1\n"]


@pytest.mark.slow
async def test_the_draft_of_a_window_that_ended_is_offered_when_its_file_is_opened(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    file = skills / "alpha" / "SKILL.md"
    base = file.read_text()
    other = Drafts(str(tmp_path / "state" / "drafts"))
    other.keep(BufferDraft(str(file), base + "theirs\n", base, 1.0))
    async with open_studio(skills) as pilot:
        workbench = bench(pilot)
        for _ in range(2):
            await workbench.open_file("alpha")
            await settled(pilot)
            assert pilot.app.screen is workbench
            await workbench.open_file("beta")
        other.close()
        await workbench.open_file("beta")
        await settled(pilot)
        assert pilot.app.screen is workbench
        await workbench.open_file("alpha")
        await seen(pilot, "never saved")
        await pilot.press("l")
        await settled(pilot)
        # It is not asked again before the next start.
        await workbench.open_file("alpha")
        await settled(pilot)
        assert pilot.app.screen is workbench
        assert [draft.text for draft in workbench.session.found_drafts()] == [base + "theirs\n"]


async def test_a_discarded_draft_is_gone(open_studio: Open, skills: Path, tmp_path: Path) -> None:
    file = skills / "alpha" / "SKILL.md"
    drafts = Drafts(str(tmp_path / "state" / "drafts"))
    drafts.keep(BufferDraft(str(file), "draft", file.read_text(), 1.0))
    drafts.close()  # As if its process had ended.
    async with open_studio(skills) as pilot:
        await pilot.press("d")
        await pilot.pause()
        assert "Discard permanently?" in shown(pilot)
        assert len(drafts.all()) == 1
        await pilot.press("y")
        await pilot.pause()
        assert bench(pilot).session.dirty() == []
    assert drafts.all() == []


@pytest.mark.parametrize("lines", [2, 200])
async def test_a_skill_opens_at_its_worst_problem(
    open_studio: Open, skills: Path, lines: int
) -> None:
    filler = "# filler\n" * lines
    text = f"---\nname: alpha\n{filler}description: Does: things.\n---\nSay.\n"
    (skills / "alpha" / "SKILL.md").write_text(text)
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        editor = bench(pilot).views.editor
        assert editor is not None
        assert text[editor.cursor_offset - 4 :].startswith("Does: things.")
        assert "◂ quote this value  f2" in shown(pilot)
        assert (editor.scroll_offset.y == 0) == (lines == 2)
