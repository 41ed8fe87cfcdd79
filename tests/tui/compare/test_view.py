"""The list of changes: what it says, how it moves, and that it follows the text."""

from __future__ import annotations

import threading

import pytest

from skillstudio.interface.bump import Bump
from skillstudio.interface.change import Spot, Witness
from skillstudio.interface.model import Interface, Place
from skillstudio.session.comparing.comparing import ComparedSide, ComparisonResult, SideFailure
from skillstudio.skill.versions.comparison import Comparison
from skillstudio.tui.widgets.compare.view import ChangeDetails, ChangeRows

from .conftest import NARROW, WIDE, FakeComparing, Show, change, outcome


def spot(path: str, line: int, column: int) -> Spot:
    return Spot(Interface("skill", places={"": Place(path, line, column)}), "")


PATTERN = change(
    "input-pattern-tightened",
    message="the pattern of topic refuses values it accepted",
    old="^.+$", new="^[a-z]+$",
    witness=Witness("A b", "old", "new"),
    old_spot=spot("SKILL.md", 12, 5), new_spot=spot("SKILL.md", 14, 5),
    hits=("protos/day.yaml",), source="seed 000 line 94",
)  # fmt: skip
EFFECT = change("effect-added", "minor", "/effects/net", review=True, message="net is new")
TEXT = change("description-changed", "patch", "/description", routing=True)
HOSTILE = ["[/]", "[@click=app.quit]x", "\x1b]52;c;aGk=\x07", "\u202eevil", "$text-error"]


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
async def test_both_sides_the_bump_and_every_change_are_in_sight(
    show: Show, size: tuple[int, int]
) -> None:
    async with show(outcome(PATTERN, EFFECT, TEXT), size) as driver:
        screen = driver.app.shown
        assert "v1.0.0  →  open  1.0.0\n" in screen
        assert "✗ needs a major bump: 1.0.0 → 2.0.0  b bumps" in screen
        for line in (
            "▲ major     the pattern of topic refuses values it accepted",
            "+ minor     net is new  review",
            "· patch     description-changed here  routing",
        ):
            assert line in screen


async def test_the_witness_of_the_worst_change_is_read_at_once(show: Show) -> None:
    async with show(outcome(PATTERN, EFFECT), WIDE) as driver:
        screen = driver.app.shown
        for line in (
            'for example "A b", which only the old version accepts',
            "breaks: protos/day.yaml",
            "SKILL.md:14",
            " enter go to source  b bump  W waive  o old  n new ",
        ):
            assert line in screen
        driver.app.view.toggle_details()
        screen = await driver.settled()
        for line in (
            "input-pattern-tightened: ",
            'counterexample: "A b": the old version accepts it, the new version rejects it',
            'old: "^.+$"  SKILL.md:12:5',
            'new: "^[a-z]+$"  SKILL.md:14:5',
            f"fingerprint {PATTERN.fingerprint} · source seed 000 line 94",
            "pointer: /inputs/a",
        ):
            assert line in screen


async def test_the_message_of_a_row_that_is_cut_is_whole_below(show: Show) -> None:
    long = "the input that the list has no room for is a new required one without a default"
    cut = PATTERN._replace(message=long, operation="search")
    async with show(outcome(EFFECT, cut), NARROW) as driver:
        assert "▲ major     search: the input" in driver.app.shown
        words = " ".join(driver.app.shown.split())
        assert f"search: {long} for example" in words
        await driver.press("j")
        await driver.pilot.pause()
        assert driver.app.shown.count("net is new") == 1
        await driver.press("k")
        await driver.pilot.resize_terminal(120, 30)
        await driver.settled()
        assert driver.app.shown.count(long) == 1


async def test_moving_tells_of_the_change_under_the_cursor(show: Show) -> None:
    async with show(outcome(PATTERN, EFFECT)) as driver:
        driver.app.view.toggle_details()
        await driver.press("j")
        await driver.pilot.pause()
        assert driver.app.view.change is EFFECT
        assert "pointer: /effects/net" in driver.app.shown
        assert "the skill may do more than before; a person should check this" in driver.app.shown


async def test_enter_asks_for_the_place(show: Show) -> None:
    async with show(outcome(PATTERN)) as driver:
        await driver.press("enter")
        await driver.pilot.pause()
        assert driver.app.jumps == [PATTERN]


async def test_long_details_are_scrolled(show: Show) -> None:
    one = change("wide", new=["value"] * 200)
    async with show(outcome(one)) as driver:
        driver.app.view.toggle_details()
        await driver.settled()
        assert f"fingerprint {one.fingerprint}" not in driver.app.shown
        await driver.press("tab", "G")
        await driver.pilot.pause()
        assert driver.app.query_one(ChangeDetails).has_focus
        assert f"fingerprint {one.fingerprint}" in driver.app.shown


@pytest.mark.parametrize("name", HOSTILE)
async def test_strings_of_a_skill_are_only_text(show: Show, name: str) -> None:
    one = change(
        "renamed", message=f"{name} is gone", pointer=f"/inputs/{name}", old=name, waived="",
        hits=(name,), witness=Witness(name, "old", "new"), old_spot=spot(name, 1, 1),
    )  # fmt: skip
    found = outcome(one, notes=(name,), old=ComparedSide(name, name, "sha256:x"))
    async with show(found, WIDE) as driver:
        screen = driver.app.shown
        driver.app.view.toggle_details()
        screen += await driver.settled()
        assert driver.app.is_running
        assert "\x1b" not in screen
        assert "\u202e" not in screen
        if name.isprintable():
            assert screen.count(name) >= 5


async def test_a_waived_change_stands_apart_with_its_reason(show: Show) -> None:
    async with show(outcome(EFFECT, change("taken", waived="agreed with all"))) as driver:
        assert "~ waived" in driver.app.shown
        await driver.press("G")
        await driver.pilot.pause()
        assert "waived: agreed with all" in driver.app.shown


SAME = Comparison(None, None, (), Bump("none", "none", True, "", ()), content_differs=False)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (outcome(comparison=SAME), "no changes\n"),
        (outcome(), "no interface changes; files differ"),
        (outcome(missing="not in git: /x", changes=(), bump=None), "not in git: /x"),
        (
            outcome(failures=(SideFailure("old", "a colon", Place("SKILL.md", 3, 7)),)),
            "SKILL.md:3:7",
        ),
        (outcome(failures=(SideFailure("new", "no such tag"),), bump=None), "new: no such tag"),
    ],
    ids=["the same", "only files", "no old version", "unreadable", "unknown"],
)
async def test_every_state_says_what_it_is(show: Show, found: object, words: str) -> None:
    async with show(found) as driver:
        assert words in driver.app.shown


async def test_a_skill_on_one_side_alone_cannot_be_compared(show: Show) -> None:
    found = outcome(EFFECT, old=ComparedSide("HEAD: missing"), bump=None, absent_in="HEAD")
    async with show(found) as driver:
        assert "HEAD: missing  →" in driver.app.shown
        assert "? cannot be compared: HEAD does not have this skill\n" in driver.app.shown
        assert "no bump needed" not in driver.app.shown
        assert driver.app.view.tab_state.plain == ""


@pytest.mark.parametrize(
    ("found", "open_", "enter"),
    [
        (outcome(PATTERN), True, "enter go to source"),
        (outcome(PATTERN), False, ""),
        (outcome(PATTERN._replace(new_spot=None)), False, "enter go to old source"),
        (outcome(EFFECT), True, ""),
        (
            outcome(failures=(SideFailure("new", "x", Place("SKILL.md", 3, 7)),)),
            True,
            "enter go to source",
        ),
        (outcome(failures=(SideFailure("old", "x", Place("SKILL.md", 3, 7)),)), True, ""),
    ],
    ids=["place", "another version", "gone", "no place", "broken", "broken before"],
)
async def test_the_keys_say_what_enter_does(
    show: Show, found: ComparisonResult, open_: bool, enter: str
) -> None:
    comparing = FakeComparing(found)
    if not open_:
        comparing.choose("new", "HEAD")
    async with show(comparing, WIDE) as driver:
        keys = driver.app.shown.splitlines()[-1]
        assert keys.strip().startswith(enter)
        assert ("enter" in keys) == bool(enter)
        bump = driver.app.shown.split("\n")[1]
        assert ("  b bumps" in bump) == (open_ and found.bump is not None)


async def test_the_place_of_a_failure_stands_on_its_own_line(show: Show) -> None:
    failed = SideFailure("old", "a colon", Place("SKILL.md", 3, 7))
    async with show(outcome(failures=(failed,), bump=None)) as driver:
        assert "✗ old: a colon\n  at SKILL.md:3:7\n" in driver.app.shown


async def test_below_one_the_shift_is_reported(show: Show) -> None:
    old = ComparedSide("v0.1.0", "0.1.0")
    bump = Bump("none", "minor", False, "0.2.0", ())
    async with show(outcome(PATTERN, old=old, bump=bump, bump_to="0.2.0"), WIDE) as driver:
        for width in (WIDE[0], NARROW[0], 40):
            await driver.pilot.resize_terminal(width, 21)
            screen = " ".join((await driver.settled()).split())
            step = "0.1.0 → 0.2.0 b bumps (enough for a major change below 1.0.0)"
            assert step in screen, "it is wrapped, and its key is in the first line"


async def test_without_an_older_version_it_is_said_once_and_what_to_do(show: Show) -> None:
    missing = "working tree has no older version to compare with: not in a git repository: /x"
    found = ComparisonResult(ComparedSide(""), ComparedSide("working tree"), missing=missing)
    async with show(found) as driver:
        await driver.settled()
        screen = driver.app.shown
        for once in ("older version", "working tree", "not in a git", "o chooses a tag"):
            assert screen.count(once) == 1, screen
        for word in ("none", "not known", "no old version", "v two columns", "tab texts"):
            assert word not in screen
        assert "texts" not in driver.app.view.facts
        await driver.press("tab")
        assert driver.app.view.to_focus.has_focus, "the texts are hidden"
        driver.app.view._comparer = FakeComparing(outcome(EFFECT))
        driver.app.view.refresh_soon()
        screen = await driver.settled()
        assert "v1.0.0  →  open" in screen
        assert "texts" in driver.app.view.facts


async def test_the_last_of_several_texts_is_compared(show: Show) -> None:
    comparing = FakeComparing(outcome(PATTERN), outcome(EFFECT))
    comparing.gate = threading.Event()
    async with show(comparing) as driver:
        while not comparing.asked:
            await driver.pilot.pause()
        for text in ("a", "ab", "abc"):
            driver.app.texts = {"/skills/demo/SKILL.md": text}
            driver.app.view.refresh_soon()
        assert not driver.app.view.is_settled
        comparing.gate.set()
        screen = await driver.settled()
        assert "net is new" in screen
        assert [each.get("/skills/demo/SKILL.md") for each in comparing.asked] == [None, "abc"]


async def test_the_cursor_stays_with_its_change_while_the_text_changes(show: Show) -> None:
    worse = change("worse", pointer="/env/A")
    async with show(
        FakeComparing(outcome(PATTERN, EFFECT), outcome(worse, PATTERN, EFFECT))
    ) as driver:
        await driver.press("j")
        driver.app.view.refresh_soon()
        await driver.settled()
        assert driver.app.view.change is EFFECT


async def test_a_fault_in_a_comparison_is_reported_and_the_next_one_runs(show: Show) -> None:
    class Broken(FakeComparing):
        def compare(self, *given: object) -> object:  # type: ignore[override]
            raise ValueError("no such thing")

    app = show(outcome(PATTERN))
    async with app as driver:
        broken = Broken(outcome(EFFECT))
        driver.app.view.load(broken, dict)
        screen = await driver.stopped()
        assert "the comparison stopped" in screen
        assert screen.count("not compared") == 1
        assert screen.count("the comparison stopped") == 1
        assert "comparing" not in screen
        driver.app.view.show_mode("unified")
        screen = await driver.stopped()
        assert "the comparison stopped" in screen
        assert "the files are the same" not in screen
        driver.app.view.show_mode("beside")
        assert "comparing" not in driver.app.shown
        driver.app.view._comparer = FakeComparing(outcome(EFFECT))
        driver.app.view.refresh_soon()
        assert "net is new" in await driver.settled()


async def test_nothing_of_the_skill_before_is_shown_while_another_is_compared(show: Show) -> None:
    async with show(outcome(PATTERN, EFFECT, TEXT)) as driver:
        slow = FakeComparing(outcome(EFFECT))
        slow.gate = threading.Event()
        driver.app.view.load(slow, dict)
        for mode in ("beside", "unified"):
            driver.app.view.show_mode(mode)  # type: ignore[arg-type]
            await driver.press("G", "enter")
            await driver.pilot.pause()
            assert driver.app.shown.count("comparing…") == 1
            assert "the pattern of topic" not in driver.app.shown
            assert "major" not in driver.app.shown
        slow.gate.set()
        await driver.settled()
        assert "net is new" in await driver.mode("beside")


async def test_ten_thousand_changes_draw_what_is_in_sight(show: Show) -> None:
    many = [change("gone", pointer=f"/inputs/{number}") for number in range(10_000)]
    async with show(outcome(*many)) as driver:
        drawn: list[int] = []
        line = driver.app.view._line
        driver.app.view._line = lambda index: (drawn.append(index), line(index))[1]  # type: ignore[method-assign]
        driver.app.view._list(None)
        await driver.press("G")
        await driver.pilot.pause()
        assert driver.app.query_one(ChangeRows).cursor == 9_999
        assert driver.app.view.change is many[-1]
        assert len(set(drawn)) < 100
