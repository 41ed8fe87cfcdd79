"""Run within the workbench: fields, plan, run, cancelling, results, comparison of two runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill
from tests.dryrun.traces.conftest import KEY, REPORT
from textual.pilot import Pilot

from skillstudio.dryrun.adopting.findings import AdoptRefused
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import RunFileChange, RunReport
from skillstudio.dryrun.traces.store import RunStore
from skillstudio.dryrun.traces.trace import make_trace
from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.commands.commands import COMMANDS, why_disabled
from skillstudio.session.running.running import Runner
from skillstudio.session.running.state import RunRefused
from skillstudio.tui.screens.chooser import Chooser
from skillstudio.tui.screens.dialogs import Confirm
from skillstudio.tui.widgets.fields.entries import SwitchEntry
from skillstudio.tui.widgets.run.form import InputForm
from skillstudio.tui.widgets.run.view import OutputLog

from ..conftest import NARROW_FIRST, SIZES, Open, bench, seen, settled, shown, until
from .conftest import GAP, GOOD, INPUTS, SAY, Held, fill, planned, to_run, view

pytestmark = pytest.mark.usefixtures("levels")


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_three_shows_the_inputs_the_plan_and_the_isolation_level(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        screen = await to_run(pilot)
        assert "say 1.0.0 · go" in screen
        assert "u copy · network" in screen
        assert "text*" in screen
        assert "✗ Can't run yet: `text` is required" in screen
        assert "sh go.script '' 1" in screen
        assert "[3 Run" in screen
        assert bench(pilot).focused is view(pilot).query_one("#run-plan")


async def test_nothing_of_run_is_loaded_before_it_is_shown(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        assert not bench(pilot).query("RunView")


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_the_plan_follows_and_a_problem_stands_at_its_field(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        await to_run(pilot)
        screen = await fill(pilot, "tea3")
        assert "sh go.script tea3 1" in screen
        assert "✓ ready" in screen
        await pilot.press("enter", *"two")
        screen = await planned(pilot)
        assert "✗ times" in screen
        assert "✗ Can't run yet: `times` is invalid" in screen


@pytest.mark.slow
async def test_a_yes_no_input_is_switched_by_one_key_and_by_a_click(
    open_studio: Open, skills: Path
) -> None:
    loud = {"type": "boolean", "required": False, "default": False}
    block_skill(skills / "say", "echo hi\n", inputs={"loud": loud})
    async with open_studio(skills, (80, 24)) as pilot:
        assert "○ yes  ○ no  ● default: no" in await to_run(pilot)
        entry = view(pilot).query(SwitchEntry).first()
        entry.focus()
        for key, line, answer in (
            ("space", "● yes  ○ no  ○ not set", True),
            ("space", "○ yes  ● no  ○ not set", False),
            ("space", "● yes  ○ no  ○ not set", True),
            ("delete", "○ yes  ○ no  ● default: no", MISSING),
            ("left", "● yes  ○ no  ○ not set", True),
            ("backspace", "○ yes  ○ no  ● default: no", MISSING),
        ):
            await pilot.press(key)
            screen = await planned(pilot)
            assert line in screen, key
            assert entry.answer is answer
            planned_value = "false (default)" if answer is MISSING else str(answer).lower()
            assert f"loud {planned_value} " in " ".join(screen.split()), key
        for part, line in (
            ("no", "○ yes  ● no  ○ not set"), ("not set", "○ yes  ○ no  ● default: no"),
            ("yes", "● yes  ○ no  ○ not set"), ("yes", "● yes  ○ no  ○ not set"),
        ):  # fmt: skip
            await pilot.click(entry, offset=(str(entry.render()).index(part), 0))
            assert line in await planned(pilot), part
        view(pilot).query(SwitchEntry).last().focus()
        for line in ("○ once  ● twice", "● once  ○ twice"):
            await pilot.press("space")
            assert line in await planned(pilot)


@pytest.mark.slow
async def test_what_cannot_be_run_is_reported_and_its_field_is_gone_to(
    open_studio: Open, skills: Path, held: Held
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await pilot.press("r")
        screen = await seen(pilot, "fill in text, then run it")
        await planned(pilot)
        assert view(pilot).query_one(InputForm).editors[0].has_focus_within
        assert held.started == []
        assert "○ required" in screen


@pytest.mark.slow
async def test_a_broken_manifest_leads_to_its_errors_and_not_to_the_inputs(
    open_studio: Open, skills: Path
) -> None:
    text = (skills / "say" / "SKILL.md").read_text()
    (skills / "say" / "SKILL.md").write_text(text.replace("integer", "intege"))
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await pilot.press("f5")
        await settled(pilot)
        assert bench(pilot).focused is view(pilot).query_one("#run-plan"), "no input mends it"
        assert "the manifest has errors" in shown(pilot)
        assert "f8 next error" in shown(pilot)
        closed: list[str] = []
        runner = bench(pilot).views.runner
        assert runner is not None
        runner.close = lambda: closed.append("closed")  # type: ignore[method-assign]
    assert closed == ["closed"], "the folders of samples go with the workbench"


@pytest.mark.slow
async def test_in_a_field_letters_are_text_and_escape_leaves_it(
    open_studio: Open, skills: Path, held: Held
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot, "")
        await pilot.press(*"r35oT")
        screen = await planned(pilot)
        assert "sh go.script r35oT 1" in screen
        await pilot.press("escape")
        await settled(pilot)
        assert bench(pilot).focused is view(pilot).query_one("#run-plan")
        await pilot.press("escape")
        await settled(pilot)
        assert bench(pilot).focused is bench(pilot).query_one("#skills")
        assert held.started == []


@pytest.mark.slow
async def test_no_field_gives_null(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot, "a")
        await pilot.press("backspace")
        await planned(pilot)
        plan = view(pilot).run_state
        assert plan is not None
        assert plan.plan is not None
        assert plan.plan.inputs == {"times": 1}


# Running.


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_a_run_shows_what_is_printed_while_it_goes_on_then_what_it_did(
    open_studio: Open, skills: Path, held: Held, size: tuple[int, int]
) -> None:
    held.gate.clear()
    held.prints = b"[red]one[/] [@click=app.quit]x\n\x1b[2J\x1b]0;t\x07two\n"
    held.errors = b"bad\n"
    async with open_studio(skills, size) as pilot:
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        screen = await seen(pilot, "s left", "! bad")
        assert "[red]one[/] [@click=app.quit]x" in screen
        assert "esc end it" in screen
        assert "bytes printed" in screen
        held.gate.set()
        screen = await seen(pilot, "✓ as declared · exit 0")
        assert "[Result] ✓" in screen
        await pilot.press("t")
        assert "two" in await seen(pilot, "[Output]")


@pytest.mark.slow
async def test_the_pane_beside_the_view_knows_a_run_that_has_ended(
    open_studio: Open, skills: Path, held: Held
) -> None:
    async with open_studio(skills, (170, 40)) as pilot:
        await to_run(pilot)
        await seen(pilot, "Permissions requested", "not run yet")
        while "comparing…" in shown(pilot):  # The end of it would show the run, too.
            await pilot.pause()
        await fill(pilot)
        await pilot.press("f5")
        await seen(pilot, "[Result] ✓", "used in 20")


@pytest.mark.slow
async def test_a_stream_that_never_ends_is_cut_and_says_so(
    open_studio: Open, skills: Path, held: Held
) -> None:
    held.prints = b"x" * 79 + b"\n"
    held.prints *= 20_000
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        await planned(pilot)
        log = view(pilot).query_one(OutputLog)
        assert log.line_count < 1_000
        assert "bytes not shown; the recorded run has them" in log.lines[0]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_a_run_is_ended_by_a_key(
    open_studio: Open, skills: Path, held: Held, key: str
) -> None:
    held.gate.clear()
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        await seen(pilot, "s left")
        assert why(pilot, "run.start") == "a run is active"
        await pilot.press(key)
        screen = await seen(pilot, "✗ cancelled after")
        assert held.cancelled.is_set()
        assert "[3 Run" in screen, "the key did nothing else"
        assert why(pilot, "run.cancel") == "no run is active"


@pytest.mark.slow
async def test_one_key_runs_again_with_the_same_inputs_from_the_files_on_disk(
    open_studio: Open, skills: Path, held: Held
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        await seen(pilot, "✓ as declared")
        await planned(pilot)
        block_skill(skills / "say", SAY, inputs=INPUTS, interpreter="bash")
        await pilot.press("r")
        await planned(pilot)
        await until(pilot, lambda: len(held.started) == 2)
        plans = [each.plan for each in held.started]
        assert [plan.steps[0].argv for plan in plans if plan] == [
            ("sh", "go.script", "hello", "1"),
            ("bash", "go.script", "hello", "1"),
        ]


@pytest.mark.slow
async def test_unsaved_text_is_reported_and_saved_text_is_planned(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        at = buffer.text.index("What to say")
        await pilot.press("1", "e")
        await settled(pilot)
        editor = bench(pilot).views.editor
        assert editor is not None
        editor.go_to(at)
        await pilot.press("X")
        await pilot.press("escape", "3")
        screen = await planned(pilot)
        assert "● SKILL.md is unsaved: plan and run use the files on disk  K saves" in screen
        assert "XWhat to say" not in screen
        await pilot.press("K")
        await until(pilot, lambda: "is unsaved" not in shown(pilot))
        await pilot.press("e")
        await seen(pilot, "XWhat to say")
        assert "is unsaved" not in await planned(pilot)


@pytest.mark.slow
async def test_a_run_that_is_refused_says_why(open_studio: Open, skills: Path, held: Held) -> None:
    held.report = RunRefused("the workspace holds [red]a socket[/]")
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        await seen(pilot, "✗ not run: the workspace holds [red]a socket[/]")


@pytest.mark.slow
async def test_a_fault_in_a_run_costs_no_more_than_the_run(
    open_studio: Open, skills: Path, held: Held
) -> None:
    held.report = ZeroDivisionError("oh")
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        await seen(pilot, "dry-run stopped: ZeroDivisionError('oh')")
        held.report = GOOD
        await pilot.press("r")
        await seen(pilot, "✓ as declared")


@pytest.mark.slow
async def test_leaving_ends_the_run(open_studio: Open, skills: Path, held: Held) -> None:
    held.gate.clear()
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        await seen(pilot, "s left")
        await pilot.press("ctrl+q")
    assert held.cancelled.wait(60)


@pytest.mark.slow
async def test_another_skill_ends_the_run_and_has_none_of_its_words(
    open_studio: Open, skills: Path, held: Held
) -> None:
    block_skill(skills / "zzz", SAY, inputs=INPUTS)
    held.gate.clear()
    held.prints = b"from say\n"
    async with open_studio(skills) as pilot:
        await settled(pilot)
        await bench(pilot).open_file("say")
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        await seen(pilot, "s left")
        await bench(pilot).open_file("zzz")
        screen = await planned(pilot)
        assert held.cancelled.wait(60)
        assert "zzz 1.0.0 · go" in screen
        assert "hello" not in screen
        await pilot.press("t", "t")
        assert "from say" not in await seen(pilot, "[Output]")


# Consent.


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["n", "escape", "y"])
async def test_what_asks_first_is_run_only_with_consent(
    open_studio: Open, skills: Path, held: Held, answer: str
) -> None:
    block_skill(skills / "say", SAY, inputs=INPUTS, effects=["db.write", "net.fetch"])
    async with open_studio(skills, (80, 24)) as pilot:
        await to_run(pilot)
        assert "needs your consent" in await fill(pilot)
        await pilot.press("f5")
        screen = await seen(pilot, "This run needs your consent")
        assert isinstance(pilot.app.screen, Confirm)
        assert "the manifest declares the effect db.write" in screen
        assert "Isolation: copy · 1 known gap" in screen
        assert GAP in screen
        await pilot.press(answer)
        await planned(pilot)
        assert len(held.started) == (answer == "y")


# What is chosen.


@pytest.mark.slow
async def test_operations_are_chosen_and_keep_what_was_typed(
    open_studio: Open, skills: Path
) -> None:
    path = skills / "say" / "SKILL.md"
    text = path.read_text().replace('"go": {', '"again": {"description": "[b]B[/b]", "input": '
        '{"text": {"type": "string", "required": true}}, '
        '"entrypoints": {"unix": ["sh", "go.script", "{text}"]}}, "go": {')  # fmt: skip
    path.write_text(text)
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot, "first")
        for name, typed in (("go", "two"), ("again", "")):
            await pilot.press("escape", "o")
            screen = await seen(pilot, "Which operation?")
            assert "[b]B[/b]" in screen
            await pilot.press(*name, "enter")
            await seen(pilot, f"say 1.0.0 · {name}")
            await planned(pilot)
            if typed:
                assert "first" not in shown(pilot)
                await fill(pilot, typed)
        assert "sh go.script first" in await planned(pilot)


@pytest.mark.slow
async def test_the_isolation_level_is_chosen_with_what_it_does_not_hold(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await pilot.press("u")
        screen = await seen(pilot, "Isolation level")
        assert "✗ isolated  bwrap is not installed" in screen
        assert f"✓ copy  {GAP}" in screen
        await pilot.press(*"Isolated", "enter")
        await seen(pilot, "not now: bwrap is not installed")
        await pilot.press("escape", "u", *"Plan", "enter")
        await seen(pilot, "u plan")


@pytest.mark.slow
async def test_a_sample_is_saved_and_taken(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot, "kept")
        await pilot.press("escape", "m")
        await seen(pilot, "The name of the sample")
        await pilot.press(*"mine", "enter")
        await seen(pilot, "Where to save it")
        await pilot.press("s")
        await seen(pilot, "saved: ")
        assert "text: kept" in (skills / "say/samples/go/mine.yaml").read_text()
        await pilot.press("e", "backspace", "x")
        assert "sh go.script kepx 1" in await planned(pilot)
        await pilot.press("escape", "f")
        await seen(pilot, "mine       text=", "generated")
        await pilot.press(*"mine", "enter")
        await seen(pilot, "sh go.script kept 1")


@pytest.mark.slow
async def test_a_secret_is_on_no_screen(open_studio: Open, skills: Path, held: Held) -> None:
    (skills / "say" / "SKILL.md").write_text(
        '---\nmanifest_version: "1.0"\nname: say\ndescription: Goes.\ninputs:\n  required:\n'
        "    - name: token\n      description: d\n      sensitive: true\n"
        "      schema: {type: string}\n---\nText.\n"
    )
    scripts = skills / "say" / "scripts"
    scripts.mkdir()
    (scripts / "go.sh").write_text('#!/bin/sh\necho "$SKILL_INPUT_TOKEN"\n')
    (scripts / "go.sh").chmod(0o755)
    async with open_studio(skills) as pilot:
        assert "a placeholder is used" in await to_run(pilot)
        screen = await fill(pilot, "hunter2secret")
        assert "•••" in screen
        assert "hunter2" not in screen
        await pilot.press("f5")
        await planned(pilot)
        assert len(held.started) == 1
        for _ in range(3):
            assert "hunter2" not in shown(pilot)
            await pilot.press("t")
            await pilot.pause()


# Earlier runs.


@pytest.mark.slow
async def test_two_runs_are_held_against_each_other(
    open_studio: Open, skills: Path, held: Held, tmp_path: Path
) -> None:
    store = RunStore(str(tmp_path / "state" / "runs"))
    for day, cups in (("20260101", 2), ("20260102", 9)):
        roots = Roots(str(skills.resolve()), str(skills.resolve() / "say"))
        plan = REPORT.plan._replace(inputs={"cups": cups}, roots=roots)
        report = GOOD._replace(run=f"{day}T000000-aaaa", plan=plan)
        store.keep(report.run, make_trace(report, "standard", None, KEY), str(skills), {})
    # A run of another project is not listed.
    other = GOOD._replace(run="20260103T000000-aaaa", plan=REPORT.plan._replace(skill="other"))
    store.keep(other.run, make_trace(other, "standard", None, KEY), str(skills), {})
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        assert why(pilot, "run.compare").startswith("no run is shown: start one")
        await pilot.press("H")
        assert "other brew" not in await seen(pilot, "Earlier runs", "tea brew")
        await pilot.press("enter")
        await seen(pilot, "[Result] ✓", "✓ as declared")
        await pilot.press("v")
        await seen(pilot, "Compare with which run?")
        await pilot.press("enter")
        screen = await seen(pilot, "before  20260101")
        assert "cups: 2 before, 9 now" in screen
        assert "same results" in screen


# What is said of it all.


def why(pilot: Pilot[int], id_: str) -> str:
    command = next(each for each in COMMANDS if each.id == id_)
    return why_disabled(command, bench(pilot).facts())


async def test_a_command_of_run_says_elsewhere_how_to_get_there(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        for command in COMMANDS:
            if command.context == "run":
                assert why(pilot, command.id) == "the Run view is not open: press 3"


@pytest.mark.slow
async def test_each_widget_has_help_of_its_own(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        for place, mode in (
            *(("#run-plan", "plan"), ("Input", "plan"), ("SwitchEntry", "plan")),
            *(("#run-result", "result"), ("#run-output", "output")),
        ):
            view(pilot).show_mode(mode)
            view(pilot).query(place).first().focus()
            await pilot.press("f1")
            await seen(pilot, "Help")
            assert isinstance(pilot.app.screen, Chooser), place
            about = str(pilot.app.screen.query_one("#about").render())
            assert len(about) > 80, place
            assert "run" in about, place
            await pilot.press("escape")
            await until(pilot, lambda: pilot.app.screen is bench(pilot))


@pytest.mark.slow
async def test_a_key_of_the_users_runs(open_studio: Open, skills: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "keymap.yaml").write_text("run.isolation: Z\n")
    async with open_studio(skills) as pilot:
        screen = await to_run(pilot)
        assert "Z isolation" in screen
        await pilot.press("Z")
        await seen(pilot, "Isolation level")


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 83, 84])
async def test_every_width_shows_inputs_and_plan(
    open_studio: Open, skills: Path, held: Held, width: int
) -> None:
    async with open_studio(skills, (width, 20)) as pilot:
        screen = await to_run(pilot)
        assert "text*" in screen
        assert "Plan" in screen
        await fill(pilot)
        await pilot.press("f5")
        await seen(pilot, "as declared")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "is_beside"), [(120, False), (200, True)])
async def test_a_wide_screen_has_the_plan_beside_the_result(
    open_studio: Open, skills: Path, held: Held, width: int, is_beside: bool
) -> None:
    async with open_studio(skills, (width, 36)) as pilot:
        screen = await to_run(pilot)
        assert ("Nothing was run yet" in screen) == is_beside
        await fill(pilot)
        await pilot.press("f5")
        screen = await seen(pilot, "as declared")
        assert ("Starts" in screen) == is_beside
        assert view(pilot).to_focus.has_focus
        await pilot.press("t")
        await settled(pilot)
        assert ("Starts" in shown(pilot)) == is_beside
        assert view(pilot).query_one(OutputLog).has_focus


@pytest.mark.slow
async def test_nothing_of_a_skill_is_markup(open_studio: Open, skills: Path) -> None:
    inputs = {"x": {"type": "string", "required": True, "description": "[/] [@click=app.quit]d"}}
    block_skill(skills / "say", SAY, inputs=inputs, id="[red]n[/]")
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        screen = await fill(pilot, "[b]")
        assert "[/] [@click=app.quit]d" in screen
        assert "sh go.script '[b]'" in screen


@pytest.mark.slow
async def test_the_one_key_line_shows_what_works_where_the_focus_is(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        await to_run(pilot)
        last = shown(pilot).splitlines()[-1]
        assert last.startswith(" e inputs ")
        assert "f1 help" in last
        assert "^s" not in last
        await fill(pilot, "")
        last = shown(pilot).splitlines()[-1]
        assert last.startswith(" esc leave the field ")
        assert " e inputs" not in last
        await pilot.press("escape", "s")
        await settled(pilot)
        assert " e inputs" not in shown(pilot).splitlines()[-1]


@pytest.mark.slow
async def test_the_tab_shows_that_a_run_is_active_and_how_it_ended(
    open_studio: Open, skills: Path, held: Held
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        held.gate.clear()
        await pilot.press("escape", "r")
        assert re.search(r"\[3 Run ▶ \d+ s", await seen(pilot, "[3 Run ▶"))
        await pilot.press("4")
        assert "3 Run ▶" in await seen(pilot, "[4 Preview")
        held.gate.set()
        await until(pilot, lambda: "3 Run ▶" not in shown(pilot))
        sign, _, _ = shown(pilot).partition("3 Run ")[2].partition(" ")
        assert sign in [*"✓!✗"]


@pytest.mark.slow
async def test_before_the_first_run_the_result_says_how_to_make_one(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await pilot.press("t")
        screen = await seen(pilot, "Nothing was run yet")
        assert "f5  runs the operation" in screen
        assert "H  shows an earlier run" in screen


@pytest.mark.slow
async def test_a_skill_without_an_operation_says_how_to_add_one(
    open_studio: Open, tmp_path: Path
) -> None:
    (tmp_path / "SKILL.md").write_text("---\nname: plain\ndescription: Runs nothing.\n---\n")
    async with open_studio(tmp_path) as pilot:
        screen = await to_run(pilot)
        assert "This skill has no operation to run" in screen
        assert "“Add an operation…” in the palette" in screen


@pytest.mark.slow
async def test_f5_runs_again_from_the_text(open_studio: Open, skills: Path, held: Held) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        for expected in (1, 2):
            await pilot.press("escape", "1")
            await seen(pilot, "[1 Edit")
            await pilot.press("f5")
            await until(pilot, lambda n=expected: len(held.started) == n)  # type: ignore[misc]
            assert "[3 Run" in await planned(pilot)


@pytest.mark.slow
async def test_a_click_on_a_tab_shows_its_part(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        rows = shown(pilot).splitlines()
        y = next(y for y, row in enumerate(rows) if "[Plan]" in row)
        await pilot.click(offset=(rows[y].index("Output") + 1, y))
        assert "[Output]" in await seen(pilot, "[Output]")


@pytest.mark.slow
async def test_a_result_unfolds_is_adopted_and_explored(
    open_studio: Open, skills: Path, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        folder = str(skills / "say")
        roots = Roots(str(skills), folder)
        held.report = REPORT._replace(plan=REPORT.plan._replace(roots=roots))
        await pilot.press("escape", "r")
        screen = await seen(pilot, "What it did", "i details")
        assert "Used the network" in screen
        assert "known gap: It can see" not in screen
        await pilot.press("i")
        await until(pilot, lambda: "Effects: declared vs. observed" in shown(pilot))
        await pilot.press("i")
        await until(pilot, lambda: "Effects: declared vs. observed" not in shown(pilot))
        await pilot.press("l")
        await seen(pilot, "no run is recorded yet")
        called: list[list[str]] = []
        monkeypatch.setattr(Runner, "check_result", lambda *_: None)
        monkeypatch.setattr(
            "skillstudio.tui.external.run_outside",
            lambda _app, argv, cwd: called.append([*argv[1:], cwd]) or "",
        )
        await pilot.press("l")
        await until(pilot, lambda: bool(called))
        assert called == [["-m", "skillstudio", "trace", "explore", REPORT.run, str(skills)]]
        asked: list[RunReport] = []

        def offer(report: RunReport, *_: object) -> None:
            asked.append(report)
            raise AdoptRefused("nothing to declare")

        monkeypatch.setattr("skillstudio.session.previewing.adopt.make_offer", offer)
        await pilot.press("a")
        await seen(pilot, "not adopted: nothing to declare")
        assert [each.run for each in asked] == [REPORT.run]


async def test_the_tab_of_preview_has_what_a_run_changed(
    open_studio: Open, skills: Path, held: Held
) -> None:
    change = RunFileChange("workspace", "a.txt", "added", 1, "text")
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        view(pilot).show_report(REPORT._replace(changes=(change, change._replace(path="b.txt"))))
        screen = await seen(pilot, "4 Preview +2")
        assert "+2 ~" not in screen.splitlines()[1], "only what there is of it"
