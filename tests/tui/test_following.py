"""Follow mode: the skill that another program writes is shown, and its tests run again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dryrun.skills import front_skill
from tests.tui.conftest import GOOD, Open, bench, ended, finish, seen, shown, until
from textual.pilot import Pilot

from skillstudio.dryrun.sampling.expecting import SampleDifference
from skillstudio.present.lines import StyledLine, laid_out
from skillstudio.present.samples import SampleResult
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.tui.widgets.follow import (
    FollowedChange,
    FollowedTests,
    FollowState,
    follow_parts,
)

SMALL = (60, 20)
COLON = GOOD.replace("Does one", "Does: one")
SCRIPT = "#!/bin/sh\necho '{\"total\": 40}'\n"
SAMPLE = "inputs: {}\nexpect: {exit: 0, json: {total: 40}}\n"


async def write(pilot: Pilot[int], path: Path, text: str) -> str:
    """Write a file as another program would; the screen after that."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    bench(pilot).look_at_disk(frozenset({str(path)}))
    return await finish(pilot, "follow")


async def test_the_skill_that_is_written_next_is_shown_with_its_worst_problem(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, SMALL, follow=True) as pilot:
        await seen(pilot, "F unfollow")
        screen = await write(pilot, skills / "beta" / "SKILL.md", COLON.format(name="beta"))
        assert "beta" in screen.splitlines()[0]
        assert "SKILL.md changed" in screen
        assert "✗ SKILL.md:3:18  unquoted" in screen
        assert "description: Does: one thing well." in screen
        screen = await write(pilot, skills / "alpha" / "notes.txt", "n\n")
        assert "alpha" in screen.splitlines()[0]
        assert "notes.txt changed" in screen
        assert "no errors and no warnings" in screen
        assert "Before that" in screen
        assert "✗" in next(line for line in screen.splitlines() if "  beta  SKILL.md" in line)


async def test_a_new_skill_is_followed(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, SMALL, follow=True) as pilot:
        await write(pilot, skills / "gamma" / "SKILL.md", GOOD.format(name="gamma"))
        screen = await seen(pilot, "SKILL.md changed", "no problems")
        assert "gamma" in screen.splitlines()[0]


async def test_a_skill_that_is_moved_is_followed(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, SMALL, follow=True) as pilot:
        paths = [skills / "beta", skills / "delta"]
        paths[0].rename(paths[1])
        bench(pilot).look_at_disk(frozenset(map(str, paths)))
        await seen(pilot, "SKILL.md changed")
        assert bench(pilot).open.skill == "delta"
        assert set(bench(pilot).session.workspace.skills) == {"alpha", "delta"}


async def test_one_key_begins_and_ends_it(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        screen = await write(pilot, skills / "beta" / "SKILL.md", COLON.format(name="beta"))
        assert "changed" not in screen, "it is off unless it is wanted"
        await pilot.press("enter")
        await seen(pilot, "name: alpha")
        await pilot.press("escape", "F")
        await seen(pilot, "Nothing has changed yet")
        await write(pilot, skills / "beta" / "SKILL.md", COLON.format(name="beta") + "x\n")
        await seen(pilot, "SKILL.md changed")
        await pilot.press("enter")
        await seen(pilot, "description: Does: one")
        editor = bench(pilot).views.editor
        assert editor is not None
        assert editor.cursor_location[0] == 2, "enter goes to the problem"
        await pilot.press("escape", "F")
        await pilot.pause()
        assert "unfollow" not in shown(pilot)
        screen = await write(
            pilot, skills / "alpha" / "SKILL.md", GOOD.format(name="alpha") + "y\n"
        )
        assert "beta" in screen.splitlines()[0]


async def test_a_view_that_was_chosen_stays_for_the_next_skill(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, follow=True) as pilot:
        await write(pilot, skills / "beta" / "notes.txt", "n\n")
        await pilot.press("5")
        await seen(pilot, "[5 Compare")
        screen = await write(pilot, skills / "alpha" / "notes.txt", "n\n")
        assert "[5 Compare" in screen
        assert bench(pilot).open.skill == "alpha"


async def test_what_the_user_types_into_is_not_taken_away(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("F", "enter")
        await seen(pilot, "name: alpha")
        await pilot.press("e", "X")
        await write(pilot, skills / "beta" / "SKILL.md", COLON.format(name="beta"))
        await seen(pilot, "beta changed on disk; leave the text to see it")
        assert bench(pilot).open.skill == "alpha"
        await write(pilot, skills / "alpha" / "SKILL.md", COLON.format(name="alpha"))
        await seen(pilot, "This file changed on disk under your changes")
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert "X" in buffer.text, "unsaved text is never replaced"
        await write(pilot, skills / "beta" / "notes.txt", "n")
        assert bench(pilot).open.skill == "alpha"
        await pilot.press("escape")
        await until(pilot, lambda: bench(pilot).open.skill == "beta")


async def test_a_dialog_is_not_taken_away(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, follow=True) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: pilot.app.screen is not bench(pilot))
        await write(pilot, skills / "beta" / "notes.txt", "n\n")
        assert bench(pilot).open.skill is None
        await pilot.press("escape")
        await seen(pilot, "notes.txt changed")
        assert bench(pilot).open.skill == "beta"


@pytest.mark.slow
async def test_nothing_runs_before_the_user_ran_it_and_then_each_change_does(
    open_studio: Open, skills: Path
) -> None:
    tea = front_skill(skills / "tea", "", SCRIPT)
    sample = tea / "samples" / "scripts" / "go.sh" / "plain.yaml"
    async with open_studio(skills, SMALL, follow=True) as pilot:
        await write(pilot, sample, SAMPLE)
        await seen(pilot, "1 sample not run: press r to run it now")
        await write(pilot, tea / "scripts" / "go.sh", SCRIPT.replace("40", "41"))
        tests = bench(pilot).views.hidden_tests
        assert tests is not None
        assert [result.outcome for result in tests.results] == ["not run"]
        await pilot.press("r")
        await seen(pilot, "go.sh plain failed", "JSON at /total: expected 40, got 41")
        await until(pilot, lambda: tests.is_settled)
        await write(pilot, tea / "scripts" / "go.sh", SCRIPT)
        await seen(pilot, "1 sample passed")
        await write(pilot, tea / "scripts" / "go.sh", SCRIPT.replace("40", "42"))
        await seen(pilot, "expected 40, got 42")
        await until(pilot, lambda: tests.is_settled)
        await pilot.press("6")
        await seen(pilot, "this run")
        assert tests.row is not None
        assert tests.row.hunks, "what differs can be accepted"
        await write(pilot, skills / "alpha" / "notes.txt", "n\n")
        assert bench(pilot).open.skill == "alpha"
        await write(pilot, tea / "scripts" / "go.sh", SCRIPT)
        await until(pilot, lambda: tests.is_settled)
        passed = [result.outcome for result in tests.results]
        assert passed == ["passed"], "it stays allowed while another skill is open"
        tester = bench(pilot).views.tester
        assert tester is not None
        assert tester.runner is bench(pilot).views.runner, "Run and Tests share their choices"


@pytest.mark.slow
async def test_a_file_that_one_sample_uses_runs_that_sample(
    open_studio: Open, skills: Path
) -> None:
    for name in ("one", "two"):
        tea = front_skill(skills / "tea", "", SCRIPT, f"scripts/{name}.sh")
        sample = tea / "samples" / "scripts" / f"{name}.sh" / "plain.yaml"
        sample.parent.mkdir(parents=True)
        sample.write_text(SAMPLE)
    async with open_studio(skills, SMALL, follow=True) as pilot:
        await write(pilot, tea / "SKILL.md", (tea / "SKILL.md").read_text() + "\n")
        await seen(pilot, "2 samples not run")
        await pilot.press("r")
        await seen(pilot, "2 samples passed")
        tests = bench(pilot).views.hidden_tests
        assert tests is not None
        await until(pilot, lambda: tests.is_settled)
        await write(pilot, tea / "scripts" / "two.sh", SCRIPT + "# the same\n")
        await until(pilot, lambda: tests.is_settled)
        assert [result.outcome for result in tests.results] == ["outdated", "passed"]


@pytest.mark.slow
async def test_the_workbench_is_quit_while_hidden_tests_run(
    open_studio: Open, skills: Path
) -> None:
    tea = front_skill(skills / "tea", "", "#!/bin/sh\nsleep 600\n")
    async with open_studio(skills, SMALL, follow=True) as pilot:
        await write(pilot, tea / "samples" / "scripts" / "go.sh" / "plain.yaml", SAMPLE)
        await seen(pilot, "1 sample not run")
        await pilot.press("r")
        await seen(pilot, "running samples/scripts/go.sh/plain.yaml")
        await pilot.press("ctrl+q")
        await ended(pilot)


async def test_a_skill_that_was_written_before_the_watch_began_is_found(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, SMALL, follow=True) as pilot:
        (skills / "gamma").mkdir()
        (skills / "gamma" / "SKILL.md").write_text(GOOD.format(name="gamma"))
        bench(pilot).skills_pane._find_missed()  # The watch calls it when it begins.
        await until(pilot, lambda: bench(pilot).open.skill == "gamma")
        await seen(pilot, "SKILL.md changed")


CHANGE = FollowedChange("tea", "tea", ("scripts/go.sh", "SKILL.md"), "10:42:07")
ERROR = Diagnostic("a-rule", "is wrong", severity="error")
WARNING = Diagnostic("a-rule", "is odd", severity="warning")
NOTE = Diagnostic("a-rule", "is so", severity="info")
DIFFERS = (SampleDifference("exit: expected 0, got 1"),)
TITLE = "scripts/go.sh, SKILL.md changed  at 10:42:07"


def result(name: str, state: str = "run", failed: bool = False) -> SampleResult:
    return SampleResult(
        "tea", "go", name, f"samples/{name}.yaml", DIFFERS if failed else (), seconds=0.5,
        state=state,  # type: ignore[arg-type]
    )  # fmt: skip


STATES: list[tuple[str, FollowState, list[str]]] = [
    (
        "nothing yet",
        FollowState(None, ()),
        [
            "Nothing has changed yet",
            "The skill that another program writes next is shown here.",
            "✓ no problems",
        ],
    ),
    ("being read", FollowState(CHANGE), [TITLE, "reading…"]),
    ("notes only", FollowState(CHANGE, (NOTE,)), [TITLE, "✓ no errors and no warnings  1 info"]),
    (
        "the worst and the others",
        FollowState(CHANGE, (ERROR, WARNING, WARNING), "SKILL.md:3:2", "  a: b: c"),
        [TITLE, "✗ SKILL.md:3:2  is wrong", "  a: b: c", "  and 2 warnings"],
    ),
    (
        "tests",
        FollowState(
            CHANGE,
            (),
            tests=FollowedTests(
                (
                    result("a", failed=True),
                    result("b"),
                    result("c", "outdated"),
                    result("d", "not run"),
                ),
                waiting_paths={"samples/d.yaml"},
            ),
            run_key="r",
        ),
        [
            TITLE,
            "✓ no problems",
            "✗ go a failed  0.5 s",
            "  exit: expected 0, got 1",
            "✓ 1 sample passed  0.5 s",
            "○ 1 sample not run: press r to run it now and after each change",
            "○ 1 sample not touched by the change",
        ],
    ),
    (
        "a test that runs",
        FollowState(
            CHANGE,
            (),
            tests=FollowedTests((result("a", "outdated"), result("b")), "samples/a.yaml"),
        ),
        [TITLE, "✓ no problems", "▶ running samples/a.yaml", "✓ 1 sample passed  0.5 s"],
    ),
    (
        "a failure that is run again for what varies",
        FollowState(CHANGE, (), tests=FollowedTests((result("a", failed=True),), "samples/a.yaml")),
        [TITLE, "✓ no problems", "✗ go a failed  0.5 s", "  exit: expected 0, got 1"],
    ),
    (
        "no test can run",
        FollowState(CHANGE, (), tests=FollowedTests((result("a"),), refusal="it has errors")),
        [TITLE, "✓ no problems", "! tests not run: it has errors"],
    ),
    (
        "other skills",
        FollowState(CHANGE, (), earlier=[(FollowedChange("m", "milk", ("a",), "10:41:00"), "✗")]),
        [TITLE, "✓ no problems", "Before that", "  ✗ 10:41:00  milk  a"],
    ),
]


@pytest.mark.parametrize(
    ("state", "lines"), [case[1:] for case in STATES], ids=[case[0] for case in STATES]
)
def test_a_state_is_shown_in_lines(state: FollowState, lines: list[str]) -> None:
    texts = [_text(line) for line in laid_out(follow_parts(state))]
    assert [text for text in texts if text] == lines


def _text(line: StyledLine) -> str:
    parts = (line.lead, line.text)
    text = " ".join(part for part in parts if part)
    return "  " * line.indent + text + (f"  {line.remark}" if line.remark else "")
