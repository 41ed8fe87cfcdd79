"""A kill at any moment: afterwards everything is applied or nothing is, and no file is half."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from itertools import groupby
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
from skillstudio.dryrun.applying.wanted import Wanted

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")

MOMENTS = 50
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

    def fresh(self) -> tuple[Path, list[Wanted]]:
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


def test_a_kill_before_each_call(quick: Path) -> None:
    ground = Ground(quick, BEFORE, AFTER)
    told = []
    while True:
        real, wanted = ground.fresh()

        def work(wanted: list[Wanted] = wanted, number: int = len(told)) -> None:
            kill_before_call(number)
            apply(wanted, ground.journals)

        ended = forked(work)
        if ended == 0:
            assert seen(real) == ground.after
            break
        assert ended == KILLED
        told.append(ground.recovered(real))
    assert [each for each, _ in groupby(told)] == ["nothing", "rolled back", "finished", "nothing"]
    assert len(told) > 150


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
    quick: Path, path: str, write: Callable[[Path], bool]
) -> None:
    number = written = 0
    ended = KILLED
    make(quick / "copy", SMALL_AFTER)
    while ended == KILLED:
        real = make(quick / f"real{number}", SMALL_BEFORE)
        wanted = changes(real, quick / "copy")
        journals = str(quick / f"journals{number}")

        def work(
            wanted: list[Wanted] = wanted, journals: str = journals, number: int = number
        ) -> None:
            kill_before_call(number)
            apply(wanted, journals)

        ended = forked(work)
        if ended == KILLED and write(real / path):
            written += 1
            recover(journals)
            assert (real / path).read_bytes() == MINE, number
        number += 1
    assert written > 3


SMALL_BEFORE: Tree = {"a": b"a", "b/c": b"c", "d": "a"}
SMALL_AFTER: Tree = {"a": b"A", "b": b"b", "e/f": b"f"}


@pytest.mark.parametrize("fails", [False, True], ids=["forward", "back"])
def test_a_kill_before_each_step_of_a_recovery(quick: Path, fails: bool) -> None:
    """Also of one that rolls back, and of the recovery of a recovery."""
    ground = Ground(quick, SMALL_BEFORE, SMALL_AFTER)
    pairs = 0
    first = 1
    while True:
        second = 0
        while True:
            real, wanted = ground.fresh()
            steps = failing_then_killed_at(first) if fails else killed_at(first)
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
            second += 1
        if ended != KILLED:
            break
        first += 1
    assert pairs > 40


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


def test_kills_at_random_moments_of_many_files(quick: Path) -> None:
    """As quick as it is, forth and back: the moments are spread over the time that it takes."""
    before: Tree = {f"folder{n % 7}/file{n}": b"old %d\n" % n * 40 for n in range(FILES)}
    after: Tree = {path: b"new of " + str(path).encode() * 50 for path in before}
    ground = Ground(quick, before, after)

    real, forth = ground.fresh()
    back = [each._replace(folder=str(real)) for each in changes(ground.copy, quick / "before")]
    longest = 0.05
    chance = random.Random(6)
    outcomes: list[str] = []
    while len(outcomes) < MOMENTS:
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
    assert {"finished", "rolled back"} == set(outcomes)


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
