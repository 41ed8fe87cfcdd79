"""The files of a skill in the tree: opened, created, renamed, deleted and restored."""

from __future__ import annotations

import os
import re
from io import BytesIO
from pathlib import Path
from struct import pack
from zipfile import ZipFile
from zlib import compress, crc32

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.tui.screens.dialogs import Confirm, PromptDialog
from skillstudio.tui.widgets.problems import ProblemList
from skillstudio.tui.widgets.skills_pane import SkillTree

from .conftest import GOOD, NARROW_FIRST, Open, bench, seen, settled, shown, until

TEXT = """---
name: alpha
description: Does one thing well.
---
Run [it](scripts/run.py).
"""


@pytest.fixture
def alpha(skills: Path) -> Path:
    folder = skills / "alpha"
    files = {
        "SKILL.md": TEXT,
        "scripts/run.py": "def run(): pass\n",
        "references/style.md": "# Style\n",
        ".git/config": "",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "out").symlink_to(skills)
    os.mkfifo(folder / "pipe")
    return folder


def tree(pilot: Pilot[int]) -> SkillTree:
    return bench(pilot).query_one(SkillTree)


def files(pilot: Pilot[int]) -> list[str]:
    """The files that are listed, and the selected one with a mark."""
    found = tree(pilot)
    rows = enumerate(found.rows)
    return [">" * (at == found.cursor) + row.file for at, row in rows if row.skill == "alpha"]


def select(pilot: Pilot[int], path: str) -> None:
    tree(pilot).select("alpha", path)
    tree(pilot).focus()


async def answer(pilot: Pilot[int], *keys: str) -> None:
    """Press keys in the dialog that opens."""
    await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog | Confirm))
    await pilot.press(*keys)
    await settled(pilot)


async def name(pilot: Pilot[int], path: str) -> None:
    """Enter a path in the dialog that opens."""
    await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
    pilot.app.screen.query_one(Input).value = path
    await answer(pilot, "enter")


@pytest.mark.slow
async def test_files_are_shown_and_hidden_and_opened_and_edited(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    async with open_studio(skills) as pilot:
        assert files(pilot) == [">"]
        await pilot.press("right")
        listed = ["SKILL.md", "logo.png", "out", "pipe", "references", "scripts"]
        assert files(pilot) == [">", *listed]
        assert "out → " in shown(pilot)
        await pilot.press("left", "left")
        assert files(pilot) == [">"]
        await pilot.press("l", "G", "k", "l", "j")
        assert files(pilot) == ["", *listed, ">scripts/run.py"]
        await pilot.press("enter")
        await settled(pilot)
        editor, buffer = bench(pilot).views.editor, bench(pilot).open.buffer
        assert editor is not None
        assert buffer is not None
        assert not editor.has_focus, "a second enter would be typed"
        await pilot.press("enter")
        await settled(pilot)
        assert editor.has_focus
        assert buffer.path == str(alpha / "scripts/run.py")
        assert {run.kind for run in editor._highlighter.runs(0)} >= {"marker", "key"}
        await pilot.press("x")
        await settled(pilot)
        assert "run.py ●" in shown(pilot)
        assert "alpha ●" in shown(pilot)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert (alpha / "scripts/run.py").read_text() == "xdef run(): pass\n"
        assert "●" not in shown(pilot)
        await pilot.press("ctrl+z")
        assert buffer.text == "def run(): pass\n"
        bench(pilot).keep_drafts()
        assert [draft.path for draft in bench(pilot).session.drafts.all()] == [buffer.path]


async def test_files_show_their_problems(open_studio: Open, skills: Path, alpha: Path) -> None:
    (alpha / "SKILL.md").write_text(TEXT.replace("one thing", "one: thing"))
    (alpha / "scripts" / "evil.py").write_text("x = '\u202e'\n")
    async with open_studio(skills) as pilot:
        await pilot.press("right")
        await settled(pilot)
        line = next(each for each in shown(pilot).splitlines() if "SKILL.md" in each)
        assert "✗" in line
        assert re.search(r"▸ scripts/ +!1", shown(pilot))


async def test_a_long_name_is_cut_before_its_mark_and_count(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    name = f"{'long-' * 12}.py"
    (alpha / name).write_text("x = '\u202e'\n")
    async with open_studio(skills, size=(120, 36)) as pilot:
        select(pilot, name)
        await pilot.press("enter")
        await until(pilot, lambda: bench(pilot).open.file == name)
        await pilot.press("enter", "x")
        await settled(pilot)
        line = next(line for line in shown(pilot).splitlines()[1:] if "long-long" in line)
        assert re.search(r"long-\S*… ● +!1", line)


async def test_the_line_of_keys_says_that_enter_folds(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("right")
        select(pilot, "scripts")
        await settled(pilot)
        assert "enter unfold" in shown(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert "enter fold" in shown(pilot)


@pytest.mark.slow
async def test_a_problem_of_another_file_leads_to_its_place(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    (alpha / "scripts" / "evil.py").write_text("y = 1\nx = '\u202e'\n")
    async with open_studio(skills) as pilot:
        await bench(pilot).open_file("alpha", "references/style.md")
        await settled(pilot)
        assert "scripts/evil.py:2:6" in shown(pilot)
        problems = bench(pilot).query_one(ProblemList)
        problems.focus()
        at = next(at for at, one in enumerate(problems.diagnostics) if one.path.endswith("evil.py"))
        problems.point_to(problems.diagnostics[at])
        await pilot.press("enter")
        await settled(pilot)
        editor = bench(pilot).views.editor
        assert editor is not None
        assert bench(pilot).open.file == "scripts/evil.py"
        assert editor.cursor_location == (1, 5)
        assert editor.has_focus


@pytest.mark.slow
async def test_a_hostile_name_is_only_text(open_studio: Open, skills: Path, alpha: Path) -> None:
    names = {
        "[@click=app.quit]x.md": "[@click=app.quit]x.md",
        "[bold].md": "[bold].md",
        "\x1b[31mred.md": "␛[31mred.md",
        "a\nb.md": "a␊b.md",
        "\u202egpj.md": "<U+202E>gpj.md",
        "samples/[red]\x07.yaml": "[red]␇.yaml",
    }
    (alpha / "samples").mkdir()
    for path in names:
        (alpha / path).write_text("x\n")
    (alpha / "[link]").symlink_to("\x1b]0;x\x07[/]")
    async with open_studio(skills) as pilot:
        await pilot.press("right")
        assert "[link] → ␛]0;x␇[/]" in shown(pilot)
        for path, text in names.items():
            select(pilot, path)
            await pilot.press("enter")
            await until(pilot, lambda path=path: bench(pilot).open.file == path)
            screen = shown(pilot)
            assert screen.count(text) >= 2, "in the tree and in the frame"
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", screen)
        await pilot.click(SkillTree, offset=(6, 2))
        assert pilot.app.is_running


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("out", "which is not in the skill; it is not followed"),
        ("pipe", "pipe is not a file"),
    ],
)
async def test_what_is_no_file_of_the_skill_is_refused_with_the_reason(
    open_studio: Open, skills: Path, alpha: Path, path: str, why: str
) -> None:
    async with open_studio(skills) as pilot:
        select(pilot, path)
        await pilot.press("enter")
        await until(pilot, lambda: any(why in n.message for n in pilot.app._notifications))
        assert bench(pilot).open.buffer is None


def png() -> bytes:
    """A picture of 4 × 4 red pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + name + data + pack(">I", crc32(name + data))

    head, rows = pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0), (b"\0" + b"\xc8\x32\x32" * 4) * 4
    body = chunk(b"IHDR", head) + chunk(b"IDAT", compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def archive() -> bytes:
    stream = BytesIO()
    with ZipFile(stream, "w") as file:
        file.writestr("\x1b[31mtea.txt", "hello")
    return stream.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data", "texts"),
    [
        ("logo.png", png(), ["png", "4 × 4"]),
        ("a.zip", archive(), ["1 entry", "␛[31mtea.txt"]),
        ("a.pdf", b"%PDF-1.4\n\0\xff", ["pdf", "25 50 44 46"]),
        ("a.db", b"SQLite format 3\0broken", ["sqlite"]),
        ("wide.txt", "tea\n".encode("utf-16"), ["tea", "it is in UTF-16"]),
        ("a.dat", bytes(range(256)), ["it is binary", "00 01 02 03"]),
    ],
)
async def test_a_file_that_is_no_text_is_shown(
    open_studio: Open, skills: Path, alpha: Path, name: str, data: bytes, texts: list[str]
) -> None:
    (alpha / name).write_bytes(data)
    async with open_studio(skills) as pilot:
        select(pilot, name)
        await pilot.press("enter")
        await seen(pilot, name, "v bytes", *texts)
        await pilot.press("v")
        await seen(pilot, "00000000", "v preview")
        await pilot.press("escape")
        await settled(pilot)
        assert bench(pilot).open.buffer is None
        assert tree(pilot).has_focus
        assert (alpha / name).read_bytes() == data


async def test_a_file_that_is_no_text_is_shown_at_the_start(open_studio: Open, alpha: Path) -> None:
    async with open_studio(alpha / "logo.png") as pilot:
        await seen(pilot, "v bytes")
        await pilot.press("escape")
        assert bench(pilot).open.file == "SKILL.md"


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        ("Käse\n".encode("latin-1"), ["read-only: not UTF-8 at line 1", "K�se"]),
        (b"tea\n" * (1 << 18) + b"x", ["read-only: larger than 1 MiB", "tea"]),
    ],
)
async def test_text_that_cannot_be_edited_is_shown_with_the_reason(
    open_studio: Open, skills: Path, alpha: Path, data: bytes, texts: list[str]
) -> None:
    (alpha / "a.txt").write_bytes(data)
    async with open_studio(skills) as pilot:
        select(pilot, "a.txt")
        await pilot.press("enter")
        await seen(pilot, *texts)


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_create_rename_delete_and_undo(
    open_studio: Open, skills: Path, alpha: Path, size: tuple[int, int]
) -> None:
    async with open_studio(alpha.parent, size) as pilot:
        await bench(pilot).open_file("alpha", "scripts/run.py")
        select(pilot, "scripts")
        await pilot.press("a")
        await name(pilot, "SKILL.md")
        assert "SKILL.md already exists; nothing is overwritten" in shown(pilot)
        await pilot.press("escape", "a")
        await name(pilot, "scripts/new.sh")
        assert (alpha / "scripts/new.sh").read_text() == ""
        assert bench(pilot).open.file == "scripts/new.sh"

        await bench(pilot).open_file("alpha", "scripts/run.py")
        select(pilot, "scripts/run.py")
        await pilot.press("r")
        await name(pilot, "scripts/go.py")
        assert "1 path depends on scripts/run.py" in shown(pilot)
        await answer(pilot, "u")
        assert (alpha / "scripts/go.py").exists()
        assert not (alpha / "scripts/run.py").exists()
        manifest = bench(pilot).session.open("alpha", "SKILL.md")
        assert "[it](scripts/go.py)" in manifest.text
        assert manifest.dirty
        assert bench(pilot).open.file == "scripts/go.py"
        assert tree(pilot).has_focus
        assert tree(pilot).selected_row is not None

        await pilot.press("d")
        await answer(pilot, "enter")
        assert (alpha / "scripts/go.py").exists(), "enter keeps it"
        await pilot.press("d")
        await answer(pilot, "y")
        assert not (alpha / "scripts/go.py").exists()
        assert bench(pilot).open.file == "SKILL.md"
        select(pilot, "scripts")
        await pilot.press("ctrl+z")
        await settled(pilot)
        assert (alpha / "scripts/go.py").read_text() == "def run(): pass\n"
        await pilot.press("u")
        await settled(pilot)
        assert (alpha / "scripts/run.py").exists()
        assert manifest.text == TEXT
        await pilot.press("u")
        await settled(pilot)
        assert not (alpha / "scripts/new.sh").exists()
        assert "u" not in files(pilot)


@pytest.mark.slow
async def test_undo_in_the_text_takes_back_the_rename_with_its_paths(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    async with open_studio(skills) as pilot:
        select(pilot, "scripts/run.py")
        await pilot.press("r")
        await name(pilot, "bin/go.py")
        await answer(pilot, "u")
        await bench(pilot).open_file("alpha", "SKILL.md")
        await pilot.press("e")
        editor = bench(pilot).views.editor
        assert editor is not None
        assert editor.has_focus
        assert "(bin/go.py)" in editor.text
        await pilot.press("ctrl+z")
        await settled(pilot)
        assert editor.text == TEXT
        assert (alpha / "scripts/run.py").exists()
        assert not (alpha / "bin").exists()
        await pilot.press("ctrl+y")
        assert editor.text == TEXT


async def test_the_manifest_is_not_deleted(open_studio: Open, skills: Path, alpha: Path) -> None:
    async with open_studio(skills) as pilot:
        select(pilot, "SKILL.md")
        await pilot.press("d")
        await settled(pilot)
        assert pilot.app.screen is bench(pilot), "it is not asked first"
        message = "not deleted: a skill needs its manifest, SKILL.md"
        assert any(message in n.message for n in pilot.app._notifications)
        assert (alpha / "SKILL.md").exists()


async def test_the_arrow_answers_a_click(open_studio: Open, skills: Path, alpha: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.click(SkillTree, offset=(0, 0))
        await settled(pilot)
        assert "SKILL.md" in files(pilot)
        assert bench(pilot).open.buffer is None
        await pilot.click(SkillTree, offset=(5, 1))
        await settled(pilot)
        assert bench(pilot).open.file == "SKILL.md"


async def test_skills_of_one_name_are_told_apart_and_the_open_one_is_selected(
    open_studio: Open, skills: Path
) -> None:
    (skills / "old" / "beta").mkdir(parents=True)
    (skills / "old" / "beta" / "SKILL.md").write_text(GOOD.format(name="beta"))
    async with open_studio(skills) as pilot:
        await pilot.press("ctrl+l", *"old", "slash", *"beta", "enter")
        await settled(pilot)
        assert "beta · old/beta/SKILL.md" in shown(pilot)
        selected = bench(pilot).skills_pane.skill_tree.selected_row
        assert selected is not None
        assert (selected.skill, selected.file) == ("old/beta", "SKILL.md")
        await pilot.press("ctrl+l", *"alpha", "enter")
        await settled(pilot)
        assert "alpha · SKILL.md" in shown(pilot)


WORDS = " ".join(f"word{number:02}" for number in range(18))


async def test_the_text_is_whole_after_the_tree_got_wider(
    open_studio: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "alone"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: alone\ndescription: {WORDS}\n---\nRun it.\n")
    (folder / "scripts" / "a-script-with-a-long-name.sh").write_text("#!/bin/sh\n")
    async with open_studio(folder, (120, 36)) as pilot:
        await seen(pilot, "word17")
        tree = bench(pilot).skills_pane.region.width
        await pilot.press("down", "right")
        await seen(pilot, "a-script-with")
        await settled(pilot)
        assert bench(pilot).skills_pane.region.width > tree
        assert re.findall(r"word\d\d", shown(pilot)) == WORDS.split()
        await pilot.press("left")
        await settled(pilot)
        assert bench(pilot).skills_pane.region.width > tree, "it does not jump back"


@pytest.mark.slow
@pytest.mark.parametrize("view", ["3", "5", "6"])
async def test_a_file_of_the_tree_is_shown_as_text_whatever_view_was_shown(
    open_studio: Open, skills: Path, view: str
) -> None:
    (skills / "alpha" / "notes.md").write_text("# Notes\n")
    async with open_studio(skills / "alpha") as pilot:
        await settled(pilot)
        await pilot.press("escape", view)
        await settled(pilot)
        await pilot.press("s")
        tree = bench(pilot).skills_pane.skill_tree
        at = next(index for index, row in enumerate(tree.rows) if row.file == "notes.md")
        tree.cursor = at
        await pilot.press("enter")
        await seen(pilot, "# Notes")
        assert bench(pilot).views.current_view == "edit"
        await pilot.press(view)
        await settled(pilot)
        await pilot.press("s", "enter")
        await until(pilot, lambda: bench(pilot).views.current_view == "edit")
