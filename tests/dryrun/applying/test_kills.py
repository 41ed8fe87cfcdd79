"""A kill at any moment: afterwards everything is applied or nothing is, and no file is half."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.dryrun.applying.ground import AFTER, BEFORE, Tree, changes, make, seen

from skillstudio.dryrun.applying.apply import Steps, apply, is_cut_off, recover
from skillstudio.dryrun.applying.wanted import Wanted

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")

KILLED = -signal.SIGKILL
MOMENTS = 50
FILES = 200


def forked(work: Callable[[], object]) -> int:
    """Do something in a process of its own, whose end is told once it is over."""
    pid = os.fork()
    if not pid:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed_at(number: int) -> Steps:
    """Steps that end their process by SIGKILL before one of them."""
    left = iter(range(number))

    def step(_: str) -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


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

    def fresh(self) -> tuple[Path, list[Wanted]]:
        self._number += 1
        real = make(self.folder / f"real{self._number}", self._tree)
        return real, changes(real, self.copy)

    def recovered(self, real: Path) -> str:
        """Recover, and say what is there then; it must be one of both, and nothing beside."""
        was_cut_off = is_cut_off(self.journals)
        found = recover(self.journals)
        assert len(found) == was_cut_off
        assert not [name for name in os.listdir(self.journals) if name != "lock"]
        now = seen(real)
        assert now in (self.before, self.after)
        told = found[0].outcome if found else "nothing"
        assert found == () or found[0].notes == ()
        if told != "nothing":
            assert (now == self.after) == (told == "finished")
        assert recover(self.journals) == ()
        return told


def test_a_kill_before_each_step(tmp_path: Path) -> None:
    ground = Ground(tmp_path, BEFORE, AFTER)
    told = []
    while True:
        real, wanted = ground.fresh()
        steps = killed_at(len(told))
        ended = forked(lambda wanted=wanted, steps=steps: apply(wanted, ground.journals, steps))
        if ended == 0:
            assert seen(real) == ground.after
            break
        assert ended == KILLED
        told.append(ground.recovered(real))
    made = told.index("finished")
    assert told[0] == "nothing"
    assert set(told[1:made]) == {"rolled back"}
    assert set(told[made:]) == {"finished"}
    assert len(told) > 30


SMALL_BEFORE: Tree = {"a": b"a", "b/c": b"c", "d": "a"}
SMALL_AFTER: Tree = {"a": b"A", "b": b"b", "e/f": b"f"}


@pytest.mark.parametrize("fails", [False, True], ids=["forward", "back"])
def test_a_kill_before_each_step_of_a_recovery(tmp_path: Path, fails: bool) -> None:
    """Also of one that rolls back, and of the recovery of a recovery."""
    ground = Ground(tmp_path, SMALL_BEFORE, SMALL_AFTER)
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


def slowed(begun: int) -> Steps:
    """Steps that take a while; the first is told through a pipe."""

    def step(name: str) -> None:
        if name == "begin":
            os.write(begun, b"!")
        time.sleep(0.0001)

    return step


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is one: a disk would be waited for most of the time."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def test_kills_at_random_moments_of_many_files(quick: Path) -> None:
    before: Tree = {f"folder{n % 7}/file{n}": b"old %d\n" % n * 40 for n in range(FILES)}
    after: Tree = {path: b"new of " + str(path).encode() * 50 for path in before}
    ground = Ground(quick, before, after)

    real, wanted = ground.fresh()
    longest = 0.1
    chance = random.Random(6)
    outcomes: list[str] = []
    while len(outcomes) < MOMENTS:
        if seen(real) == ground.after:
            real, wanted = ground.fresh()
        reader, writer = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                apply(wanted, ground.journals, slowed(writer))
            finally:
                os._exit(0)
        os.close(writer)
        assert os.read(reader, 1) == b"!"
        os.close(reader)
        time.sleep(chance.uniform(0, longest))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        # Even now each file has its old bytes or its new ones.
        now = seen(real)
        assert all(now[path] in (ground.before[path], ground.after[path]) for path in before)
        if chance.random() < 0.5:
            cut = killed_at(chance.randrange(FILES))
            forked(lambda cut=cut: recover(ground.journals, cut))
        told = ground.recovered(real)
        if told != "nothing":
            outcomes.append(told)
            longest *= 1.05
        elif seen(real) == ground.after:
            # It was over by then: this machine is quicker than was thought.
            longest *= 0.8
    assert {"finished", "rolled back"} == set(outcomes)
