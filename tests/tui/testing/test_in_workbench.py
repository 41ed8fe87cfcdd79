"""Tests of a skill within the workbench: their state, what differs, what is accepted."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill, offered
from textual.pilot import Pilot
from textual.widgets import Static

from skillstudio.dryrun.staging.leftovers import leftovers
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.present.samples import outcome_reason
from skillstudio.session.commands.commands import COMMANDS, why_disabled
from skillstudio.session.testing import SampleRow, SampleTester
from skillstudio.tui.widgets.testing import SampleDetails, SampleRows

from ..conftest import NARROW_FIRST, PATIENCE, SIZES, Open, bench, seen, settled, shown, until
from ..run.conftest import fill, planned, to_run

TEXT = {"text": {"type": "string", "required": True}}
SCRIPT = 'echo "said $1"\necho one\necho two\necho three\necho "$1" > notes.txt\n'
SAID = "inputs: {text: hello}\nexpect:\n  stdout: |\n    said hello\n    one\n    two\n    three\n"
NOTES = "  files: {'skill:notes.txt': \"hello\\n\"}\n"


@pytest.fixture
def skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the skill `say`, which has two samples."""
    offered("copy")
    folder = tmp_path / "skills"
    block_skill(folder / "say", SCRIPT, inputs=TEXT, effects=["fs.write"])
    put(folder, "hello", SAID + NOTES)
    put(folder, "other", "inputs: {text: tea}\n")
    monkeypatch.chdir(folder)
    return folder


def put(skills: Path, name: str, text: str) -> Path:
    path = skills / "say" / "samples" / "go" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def break_script(skills: Path) -> None:
    script = SCRIPT.replace("one", "ONE").replace("three", "THREE")
    (skills / "say" / "go.script").write_text(script)


async def to_tests(pilot: Pilot[int]) -> str:
    await settled(pilot)
    await pilot.press("escape", "6")
    on_copies(pilot)
    return await rested(pilot)


def on_copies(pilot: Pilot[int]) -> None:
    runner = bench(pilot).views.runner
    assert runner is not None
    runner.isolation = "copy"


async def rested(pilot: Pilot[int]) -> str:
    """What is shown once no test is running, and the state of all is known."""
    while True:
        await settled(pilot)
        view = bench(pilot).views.tests_view
        if view is not None and view.is_settled:
            await pilot.pause()
            return shown(pilot)


def why(pilot: Pilot[int], id_: str) -> str:
    command = next(each for each in COMMANDS if each.id == id_)
    return why_disabled(command, bench(pilot).facts())


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_every_sample_is_listed_with_its_state(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        screen = await to_tests(pilot)
        assert "[6 Tests" in screen
        assert "○ 2 not run" in screen
        assert re.search(r'○ go  hello.yaml +text="hello"', screen)
        assert why(pilot, "tests.accept").startswith("no difference is selected")
        await pilot.press("r")
        screen = await rested(pilot)
        assert "✓ 1 passed   ○ 1 not run" in screen
        assert re.search(r"✓ go  hello.yaml +\d+\.\d s", screen)
        await pilot.press("f5")
        screen = await rested(pilot)
        assert "✓ 2 passed" in screen
        assert leftovers(copies_folder()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "counts"), [("r", "✓ 1 passed   ○ 1 not run"), ("f5", "✓ 2 passed")]
)
async def test_a_key_before_the_samples_are_listed_is_not_lost(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch, key: str, counts: str
) -> None:
    gate = threading.Event()
    look = SampleTester.look

    def held(tester: SampleTester) -> list[SampleRow]:
        gate.wait(PATIENCE)
        return look(tester)

    monkeypatch.setattr(SampleTester, "look", held)
    async with open_studio(skills, (80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("escape", "6")
        await seen(pilot, "looking for samples…")
        on_copies(pilot)
        await pilot.press(key)
        gate.set()
        await seen(pilot, counts)


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_what_differs_is_shown_and_accepted_hunk_by_hunk(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    path = skills / "say" / "samples" / "go" / "hello.yaml"
    async with open_studio(skills, size) as pilot:
        await to_tests(pilot)
        await pilot.press("r")
        await rested(pilot)
        break_script(skills)
        bench(pilot).disk_changed()
        screen = await rested(pilot)
        assert re.search(r"! go  hello.yaml .*go.script changed since it was run", screen)
        assert re.search(r'○ go  other.yaml +text="tea"', screen)
        await pilot.press("r")
        screen = await rested(pilot)
        assert "✗ go  hello.yaml" in screen
        assert all(f" {line}" in screen for line in ("- one", "+ ONE", "- three", "+ THREE"))
        assert "standard output: expected" in screen
        assert "go.script changed since it last passed" in screen
        assert "▌ - one" in screen
        # The second one; the first stays as it is.
        await pilot.press("down", "down")
        assert "▌ - three" in await rested(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: bench(pilot).open.file == "samples/go/hello.yaml")
        editor = bench(pilot).views.editor
        assert editor is not None
        await until(pilot, lambda: editor.cursor_location[0] == 6)  # The line `three`.
        await pilot.press("escape", "6")
        assert "▌ - three" in await rested(pilot)
        await pilot.press("a")
        screen = await rested(pilot)
        assert "▌ - one" in screen
        assert "+ THREE" not in screen
        assert path.read_text() == SAID.replace("three", "THREE") + (
            "  files:\n    skill:notes.txt: |\n      hello\n"
        )
        await pilot.press("A")
        screen = await rested(pilot)
        assert "✓ go  hello.yaml" in screen
        assert "    ONE\n    two\n    THREE\n" in path.read_text()


@pytest.mark.slow
async def test_the_mouse_selects_runs_and_accepts(open_studio: Open, skills: Path) -> None:
    break_script(skills)
    async with open_studio(skills, (80, 24)) as pilot:
        await to_tests(pilot)

        async def click(text: str) -> None:
            rows = shown(pilot).splitlines()
            y = max(number for number, row in enumerate(rows) if text in row)
            await pilot.click(offset=(rows[y].index(text) + 1, y))

        await click("other.yaml")
        view = bench(pilot).views.tests_view
        assert view is not None
        assert view.query_one(SampleRows).cursor == 1
        await click("hello.yaml")
        await click("r run")
        await rested(pilot)
        await click("- three")
        assert view.hunk is not None
        assert view.hunk.added == ("THREE",)
        await click("a accept")
        await rested(pilot)
        assert "THREE" in (skills / "say/samples/go/hello.yaml").read_text()
        assert "ONE" not in (skills / "say/samples/go/hello.yaml").read_text()


@pytest.mark.slow
async def test_a_failed_run_is_accepted_only_after_a_question(
    open_studio: Open, skills: Path
) -> None:
    (skills / "say" / "go.script").write_text("echo oh no >&2\nexit 3\n")
    path = put(skills, "hello", "inputs: {text: hello}\n")
    async with open_studio(skills) as pilot:
        await to_tests(pilot)
        await pilot.press("r")
        screen = await rested(pilot)
        assert "exit status" in screen
        assert "oh no" in screen
        await pilot.press("A")
        await seen(pilot, "This run failed")
        await pilot.press("enter")
        await rested(pilot)
        assert "exit" not in path.read_text()
        await pilot.press("A")
        await seen(pilot, "This run failed")
        await pilot.press("y")
        await seen(pilot, "✓ go  hello.yaml")
        assert "exit: 3\n" in path.read_text()


@pytest.mark.slow
async def test_what_the_manifest_does_not_allow_cannot_be_accepted(
    open_studio: Open, skills: Path
) -> None:
    block_skill(skills / "say", SCRIPT, inputs=TEXT, effects=[])
    async with open_studio(skills) as pilot:
        await to_tests(pilot)
        await pilot.press("r")
        screen = await rested(pilot)
        assert "cannot be accepted: effect fs.write is undeclared" in screen
        assert why(pilot, "tests.accept-all").startswith("no difference is selected")


@pytest.mark.slow
async def test_a_sample_that_changed_meanwhile_is_not_overwritten(
    open_studio: Open, skills: Path
) -> None:
    break_script(skills)
    async with open_studio(skills) as pilot:
        await to_tests(pilot)
        await pilot.press("r")
        await rested(pilot)
        mine = "inputs: {text: mine}\n"
        path = put(skills, "hello", mine)
        await pilot.press("a")
        await seen(pilot, "not accepted: the sample has changed since it was run")
        assert path.read_text() == mine


@pytest.mark.slow
async def test_running_tests_are_ended_by_a_key(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    (skills / "say" / "go.script").write_text(f"touch {tmp_path}/begun\nsleep 600\n")
    async with open_studio(skills) as pilot:
        await to_tests(pilot)
        await pilot.press("f5")
        await until(pilot, (tmp_path / "begun").exists)
        assert why(pilot, "tests.run") == "a run is active"
        assert "▶ go  hello.yaml" in await seen(pilot, "running 1 of 2")
        assert why(pilot, "tests.accept-all") == "a run is active"
        assert "accept" not in shown(pilot)
        await pilot.press("escape")
        screen = await rested(pilot)
        assert "○ 2 not run" in screen
        assert leftovers(copies_folder()) == []


@pytest.mark.slow
async def test_a_sample_is_opened_and_one_that_cannot_be_read_says_where(
    open_studio: Open, skills: Path
) -> None:
    put(skills, "hello", "inputs: {text: hello}\nexpects: {}\n")
    async with open_studio(skills, (80, 24)) as pilot:
        await to_tests(pilot)
        await pilot.press("r")
        screen = await rested(pilot)
        assert 'unknown key "expects"' in screen
        await pilot.press("enter")
        await seen(pilot, "expects: {}")
        assert bench(pilot).open.file == "samples/go/hello.yaml"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
async def test_a_sample_that_is_no_file_holds_nothing_up(open_studio: Open, skills: Path) -> None:
    folder = skills / "say" / "samples" / "go"
    os.mkfifo(folder / "pipe.yaml")
    (folder / "pipe-link.yaml").symlink_to("pipe.yaml")
    (folder / "zero.yaml").symlink_to("/dev/zero")
    async with open_studio(skills, (80, 24)) as pilot:
        await to_tests(pilot)
        await pilot.press("f5")
        screen = await rested(pilot)
        assert "✗ 2 failed   ✓ 2 passed" in screen


@pytest.mark.slow
async def test_without_samples_the_view_says_how_to_make_one(
    open_studio: Open, skills: Path
) -> None:
    for path in (skills / "say" / "samples" / "go").iterdir():
        path.unlink()
    async with open_studio(skills) as pilot:
        screen = await to_tests(pilot)
        assert "no tests yet" in screen
        assert "save the run as a test (A)" in screen
        assert why(pilot, "tests.run") == "the skill has no samples"


@pytest.mark.slow
async def test_a_skill_without_operations_says_that_a_test_needs_one(
    open_studio: Open, tmp_path: Path
) -> None:
    skill = tmp_path / "notes"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: notes\ndescription: Notes.\n---\n# Notes\n")
    async with open_studio(skill) as pilot:
        screen = await to_tests(pilot)
        assert "no tests yet" in screen
        assert "A test runs an operation, and this skill has none." in screen
        assert "go to Run" not in screen
        rows = bench(pilot).query_one(SampleRows)
        cursor = rows.get_component_styles("rows--cursor").background
        colours = {segment.style.bgcolor for segment in rows.render_line(0) if segment.style}
        assert cursor.rich_color not in colours, "no line is selected"


@pytest.mark.slow
async def test_a_run_is_saved_as_a_test(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, (120, 36)) as pilot:
        await to_run(pilot)
        on_copies(pilot)
        assert why(pilot, "run.save-test").startswith("no run of this session is shown")
        await fill(pilot, "soup")
        await pilot.press("f5")
        await seen(pilot, "✓")
        await planned(pilot)
        assert "A save as test" in shown(pilot)
        await pilot.press("A", *"soup", "enter")
        await seen(pilot, "saved: samples/go/soup.yaml")
        text = (skills / "say" / "samples" / "go" / "soup.yaml").read_text()
        assert "text: soup" in text
        assert "said soup" in text
        # A name that is taken is replaced only after a question.
        await pilot.press("A", *"hello", "enter")
        await seen(pilot, "samples/go/hello.yaml already exists")
        await pilot.press("enter")
        await settled(pilot)
        assert (skills / "say/samples/go/hello.yaml").read_text() == SAID + NOTES
        await pilot.press("6")
        screen = await rested(pilot)
        assert "go  soup.yaml" in screen


@pytest.mark.slow
async def test_a_run_that_depends_on_its_folder_is_not_saved(
    open_studio: Open, skills: Path
) -> None:
    block_skill(skills / "say", "echo ../*\n", inputs=TEXT, effects=["fs.read"])
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        on_copies(pilot)
        await fill(pilot, "soup")
        await pilot.press("f5")
        await seen(pilot, "exit 0")
        await planned(pilot)
        (skills / "more.txt").write_text("more\n")
        await pilot.press("A", *"soup", "enter")
        await seen(pilot, "not saved: see the reasons", "alone in a new folder")
        assert not (skills / "say" / "samples" / "go" / "soup.yaml").exists()


@pytest.mark.slow
async def test_the_tab_counts_what_failed_and_passed(open_studio: Open, skills: Path) -> None:
    break_script(skills)
    async with open_studio(skills) as pilot:
        await to_tests(pilot)
        await pilot.press("f5")
        await rested(pilot)
        assert "[6 Tests ✗1 ✓1" in await seen(pilot, "[6 Tests ✗1")
        await pilot.press("1")
        assert "6 Tests ✗1 ✓1" in await seen(pilot, "[1 Edit")


@pytest.mark.slow
async def test_samples_that_change_elsewhere_are_followed(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, watch=True) as pilot:
        await to_tests(pilot)
        await pilot.press("f5")
        await seen(pilot, "[6 Tests ✓2]")
        put(skills, "hello", SAID)
        await seen(pilot, "the sample changed since it was run")
        put(skills, "third", "inputs: {text: milk}\n")
        await seen(pilot, "○ go  third.yaml")
        await pilot.press("1")
        await seen(pilot, "[1 Edit i1]", "6 Tests ✓1")
        put(skills, "other", "inputs: {text: soup}\n")
        await until(pilot, lambda: "6 Tests ✓" not in shown(pilot))


@pytest.mark.slow
async def test_without_samples_the_steps_to_one_are_listed(open_studio: Open, skills: Path) -> None:
    for sample in (skills / "say/samples/go").iterdir():
        sample.unlink()
    async with open_studio(skills) as pilot:
        screen = await to_tests(pilot)
        assert "1. go to Run (3) and run an operation (f5)" in screen
        assert "2. save the run as a test (A)" in screen


@pytest.mark.slow
async def test_what_may_be_a_credential_is_not_accepted_unseen(
    open_studio: Open, skills: Path
) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    path = put(skills, "hello", "inputs: {text: hello}\nexpect:\n  stdout: old\n")
    script = skills / "say" / "go.script"
    script.write_text(f"echo token {token}\n")
    before = path.read_text()
    async with open_studio(skills) as pilot:
        await to_tests(pilot)
        await pilot.press("r")
        await rested(pilot)
        await pilot.press("a")
        await seen(pilot, "not accepted: samples/go/hello.yaml would contain what looks like a")
        assert path.read_text() == before
        script.write_text("echo 'password: hunter2'\n")
        bench(pilot).disk_changed()
        await rested(pilot)
        await pilot.press("r")
        await rested(pilot)
        await pilot.press("a")
        await seen(pilot, "The sample may contain a password")
        await pilot.press("enter")
        await rested(pilot)
        assert path.read_text() == before
        await pilot.press("a")
        await seen(pilot, "The sample may contain a password")
        await pilot.press("y")
        await seen(pilot, "✓ go  hello.yaml")
        assert "password: hunter2" in path.read_text()


@pytest.mark.slow
async def test_an_operation_without_a_sample_offers_to_generate_one(
    open_studio: Open, skills: Path
) -> None:
    for sample in (skills / "say/samples/go").iterdir():
        sample.unlink()
    async with open_studio(skills) as pilot:
        screen = await to_tests(pilot)
        assert "· go  no sample   n generates one" in screen
        await pilot.press("n")
        await seen(pilot, "wrote samples/go/generated.yaml")
        await seen(pilot, "○ go  generated.yaml")
        assert "text:" in (skills / "say/samples/go/generated.yaml").read_text()
        await pilot.press("r")
        await seen(pilot, "✓ 1 passed")
        assert why(pilot, "tests.generate") == "each operation has a sample"
        await pilot.press("e")
        await until(pilot, lambda: bench(pilot).open.file == "samples/go/generated.yaml")


@pytest.mark.slow
async def test_after_all_tests_the_first_that_failed_is_selected(
    open_studio: Open, skills: Path
) -> None:
    put(skills, "zebra", SAID.replace("one", "uno"))
    async with open_studio(skills) as pilot:
        await to_tests(pilot)
        await pilot.press("f5")
        await rested(pilot)
        view = bench(pilot).views.tests_view
        assert view is not None
        assert view.row is not None
        assert view.row.result.sample == "zebra"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_the_message_of_the_selected_sample_is_shown_in_full(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    put(skills, "a-sample-with-a-long-name-for-it", SAID + NOTES)
    (skills / "say" / "go.script").write_text("echo first >&2\necho no tea >&2\nexit 3\n")
    async with open_studio(skills, size) as pilot:
        await to_tests(pilot)
        await pilot.press("f5")
        screen = await rested(pilot)
        view = bench(pilot).views.tests_view
        assert view is not None
        assert view.row is not None
        details = view.query_one(SampleDetails)
        assert details.display
        text = " ".join(str(details.query_one(Static).content).split())
        for difference in view.row.result.differs:
            assert difference.message in text or size == (80, 24)
        assert outcome_reason(view.row.result) in text or size == (200, 60)
        if size == (200, 60):
            assert text.startswith("no tea ✗ failed")
            assert 'Inputs text="hello"' in text
        lines = [line.content.plain.strip() for line in view._lines]
        assert lines[1] == "no tea", "before the differences"
        assert "no tea" in screen
