"""A kill at any moment: afterwards everything is applied or nothing is, and no file is half."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from itertools import count, groupby
from pathlib import Path

import pytest
from tests.dryrun.applying.ground import (
    AFTER,
    BEFORE,
    Tree,
    changes,
    make,
    seen,
)
from tests.kills import KILLED, forked, kill_before_call, killed_at

from skillstudio.dryrun.applying.apply import Steps, apply, is_cut_off, recover
from skillstudio.dryrun.applying.changes import ApplyChange

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")

STEPS = [pytest.param(6, id="one-in-6"), pytest.param(1, id="every", marks=pytest.mark.slow)]
"""How many calls lie between two kills."""
MOMENTS = [pytest.param(10, id="10"), pytest.param(50, id="50", marks=pytest.mark.slow)]
OUTCOMES = ["nothing", "rolled back", "finished", "nothing"]
"""What recovery says, in the order of the moments at which an apply can end."""
FILES = 200


class Ground:
    """A real folder that is made anew for each kill, and what it is before and after."""

    def __init__(self, folder: Path, before: Tree, after: Tree) -> None:
        self.folder = folder
        self.before = seen(make(folder / "before", before))
        self.copy = make(folder / "copy", after)
        self.after = seen(self.copy)
        self._tree = before
        self._number = 0
        self.journals = str(folder / "journals")
        self.is_made = False
        """Whether all is applied, when it was recovered last."""

    def fresh(self) -> tuple[Path, list[ApplyChange]]:
        self._number += 1
        real = make(self.folder / f"real{self._number}", self._tree)
        return real, changes(real, self.copy)

    def recovered(self, real: Path) -> str:
        """Recover, and say what is there then; it must be one of both, and nothing beside."""
        was_cut_off = is_cut_off(self.journals)
        found = recover(self.journals)
        assert len(found) == was_cut_off
        assert not os.path.isdir(self.journals) or set(os.listdir(self.journals)) <= {"lock"}
        now = seen(real)
        assert now in (self.before, self.after)
        self.is_made = now == self.after
        told = found[0].outcome if found else "nothing"
        assert found == () or found[0].notes == ()
        if told != "nothing":
            assert (now == self.after) == (told == "finished")
        assert recover(self.journals) == ()
        return told


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_before_each_call(quick: Path, step: int) -> None:
    ground = Ground(quick, BEFORE, AFTER)
    told = []
    for number in count(0, step):
        real, wanted = ground.fresh()

        def work(wanted: list[ApplyChange] = wanted, number: int = number) -> None:
            kill_before_call(number)
            apply(wanted, ground.journals)

        ended = forked(work)
        if ended == 0:
            assert seen(real) == ground.after, number
            break
        assert ended == KILLED, number
        told.append(ground.recovered(real))
    order = iter(OUTCOMES)
    outcomes = [each for each, _ in groupby(told)]
    assert outcomes == OUTCOMES if step == 1 else all(each in order for each in outcomes)
    assert {"rolled back", "finished"} <= set(outcomes)
    assert len(told) > 150 // step


def written_in_place(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("r+b") as file:
        file.write(MINE)
        file.truncate()
    return True


def renamed_over(path: Path) -> bool:
    if path.parent.is_file() or (path.is_dir() and not path.is_symlink()):
        return False
    path.parent.mkdir(exist_ok=True)
    (path.parent / "mine~").write_bytes(MINE)
    os.replace(path.parent / "mine~", path)
    return True


MINE = b"mine, written after the kill"


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("path", "write"),
    [
        ("a", written_in_place),
        ("a", renamed_over),
        ("b/c", renamed_over),
        ("d", renamed_over),
        ("e/f", written_in_place),
    ],
)
def test_what_a_user_writes_after_a_kill_is_never_lost(
    quick: Path, path: str, write: Callable[[Path], bool], step: int
) -> None:
    written = 0
    make(quick / "copy", SMALL_AFTER)
    for number in count(0, step):
        real = make(quick / f"real{number}", SMALL_BEFORE)
        wanted = changes(real, quick / "copy")
        journals = str(quick / f"journals{number}")

        def work(
            wanted: list[ApplyChange] = wanted, journals: str = journals, number: int = number
        ) -> None:
            kill_before_call(number)
            apply(wanted, journals)

        ended = forked(work)
        if ended == KILLED and write(real / path):
            written += 1
            recover(journals)
            assert (real / path).read_bytes() == MINE, number
        if ended != KILLED:
            break
    assert written > 3 // step


SMALL_BEFORE: Tree = {"a": b"a", "b/c": b"c", "d": "a"}
SMALL_AFTER: Tree = {"a": b"A", "b": b"b", "e/f": b"f"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [pytest.param(3, id="one-in-3"), pytest.param(1, id="every", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("fails", [False, True], ids=["forward", "back"])
def test_a_kill_before_each_step_of_a_recovery(quick: Path, fails: bool, step: int) -> None:
    """Also of one that rolls back, and of the recovery of a recovery."""
    ground = Ground(quick, SMALL_BEFORE, SMALL_AFTER)
    pairs = 0
    for first in count(0, step):
        for second in count(0, step):
            real, wanted = ground.fresh()
            steps = failing_then_killed_at(first + 1) if fails else killed_at(first + 1)
            ended = forked(lambda wanted=wanted, steps=steps: apply(wanted, ground.journals, steps))
            if ended != KILLED:
                break
            cut = killed_at(second)
            again = forked(lambda cut=cut: recover(ground.journals, cut))
            told = ground.recovered(real)
            if again == 0:
                assert told == "nothing"
                break
            assert again == KILLED
            pairs += 1
        if ended != KILLED:
            break
    assert pairs > 40 // step**2


def failing_then_killed_at(number: int) -> Steps:
    """Steps of which the last rename fails, so that all is rolled back; then as `killed_at`."""
    killed = killed_at(number)
    state = {"failed": False}

    def step(name: str) -> None:
        if state["failed"]:
            killed(name)
        elif name == "applied":
            state["failed"] = True
            raise OSError(5, "Input/output error")

    return step


@pytest.mark.slow
@pytest.mark.parametrize("moments", MOMENTS)
def test_kills_at_random_moments_of_many_files(quick: Path, moments: int) -> None:
    """As quick as it is, forth and back: the moments are spread over the time that it takes."""
    before: Tree = {f"folder{n % 7}/file{n}": b"old %d\n" % n * 40 for n in range(FILES)}
    after: Tree = {path: b"new of " + str(path).encode() * 50 for path in before}
    ground = Ground(quick, before, after)

    real, forth = ground.fresh()
    back = [each._replace(folder=str(real)) for each in changes(ground.copy, quick / "before")]
    longest = 0.05
    chance = random.Random(6)
    outcomes: list[str] = []
    while len(outcomes) < moments:
        child, begun = started(lambda begin, forth=forth: apply(forth, ground.journals, begin))
        assert os.read(begun, 1) == b"!"
        os.close(begun)
        time.sleep(chance.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        was_over = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        # Even now each file has its old bytes or its new ones.
        now = seen(real)
        assert all(now[path] in (ground.before[path], ground.after[path]) for path in before)
        if chance.random() < 0.5:
            number = chance.randrange(FILES * 8)
            forked(lambda number=number: (kill_before_call(number), recover(ground.journals)))
        told = ground.recovered(real)
        if was_over:
            longest *= 0.8
        elif told != "nothing":
            outcomes.append(told)
            longest *= 1.03
        if ground.is_made:
            forth, back = back, forth
            ground.before, ground.after = ground.after, ground.before
    both = {"finished", "rolled back"}
    assert set(outcomes) == both if moments > 10 else set(outcomes) <= both


def started(work: Callable[[Steps], object]) -> tuple[int, int]:
    """Start something in a process of its own, whose first step is told through a pipe."""
    reader, writer = os.pipe()

    def begin(name: str) -> None:
        if name == "begin":
            os.write(writer, b"!")

    pid = os.fork()
    if not pid:
        try:
            work(begin)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    return pid, reader
