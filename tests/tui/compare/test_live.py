"""The required bump and what breaks, while the skill is edited."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain

from skillstudio.interface.bump import Bump, Declared
from skillstudio.interface.change import Level
from skillstudio.session.comparing.comparing import ComparedSide, ComparisonResult
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.widgets.compare.live import bump_state

from ..conftest import SIZES, Open, bench, seen, shown, until
from .conftest import change

SIDE = ComparedSide("", "")


def outcome(declared: Declared, required: Level, ok: bool) -> ComparisonResult:
    return ComparisonResult(SIDE, SIDE, bump=Bump(declared, required, ok, "", ()))


def below_one(declared: Declared, ok: bool) -> ComparisonResult:
    """A major change of 0.1.0."""
    bump = Bump(declared, "minor", ok, "0.2.0", ())
    new = ComparedSide("", "0.2.0" if ok else "0.1.0")
    return ComparisonResult(SIDE, new, (change("k", "minor"), change("k")), bump)


@pytest.mark.parametrize(
    ("result", "state"),
    [
        (None, ""),
        (ComparisonResult(SIDE, SIDE), ""),
        (outcome("none", "none", True), "✓"),
        (outcome("minor", "minor", True), "✓ minor"),
        (outcome("none", "major", False), "▲ major"),
        (outcome("unknown", "patch", True), "▲ patch"),
        (below_one("none", False), "▲ 0.2.0"),
        (below_one("minor", True), "✓ 0.2.0"),
    ],
)
def test_the_state_of_the_tab(result: ComparisonResult | None, state: str) -> None:
    assert bump_state(result).plain == state


@pytest.mark.slow  # The first comparison of a process imports and starts git: 0.5 processor s.
@needs_git
@pytest.mark.parametrize("size", SIZES)
async def test_a_breaking_change_is_at_its_line_and_the_bump_at_its_tab(
    open_studio: Open, tmp_path: Path, size: tuple[int, int]
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"plain/SKILL.md": plain()}, "plain@1.0.0")
    async with open_studio(repo.root, size) as pilot:
        await seen(pilot, "5 Compare ✓")
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        tight = plain(pattern="^[a-c]+$")
        buffer.replace([Splice(0, len(buffer.text), tight)], "Editing")
        screen = await seen(pilot, "▲ rejects", "5 Compare ▲")
        (line,) = [line for line in screen.split("\n") if "▲ rejects" in line]
        assert "pattern" in line
        start = buffer.text.index("name:")
        buffer.replace([Splice(start, start, "# more\n")], "Editing")
        (line,) = [line for line in shown(pilot).split("\n") if "▲ rejects" in line]
        assert "pattern" in line, "it stays at its text until the next comparison"
        buffer.undo()
        buffer.undo()
        await until(pilot, lambda: "▲" not in shown(pilot))
