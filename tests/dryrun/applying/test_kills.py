"""A kill at any moment: no file is half, and the next apply of the same changes finishes it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
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
from tests.kills import KILLED, forked, kill_before_call

from skillstudio.dryrun.applying.apply import Steps, apply
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyConflicts

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")

STEPS = [pytest.param(6, id="one-in-6"), pytest.param(1, id="every", marks=pytest.mark.slow)]
"""How many calls lie between two kills."""
MOMENTS = [pytest.param(10, id="10"), pytest.param(50, id="50", marks=pytest.mark.slow)]
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

    def fresh(self) -> tuple[Path, list[ApplyChange]]:
        self._number += 1
        real = make(self.folder / f"real{self._number}", self._tree)
        return real, changes(real, self.copy)

    def finished(self, real: Path, wanted: list[ApplyChange]) -> int:
        """Finish a killed apply. How many changes were made before: each of them, or not at all."""
        now = seen(real)
        for path in self.before.keys() | self.after.keys():
            one, other = self.before.get(path), self.after.get(path)
            allowed = [one, other]
            if "folder" in (one and one[0], other and other[0]):
                allowed.append(None)  # A folder cannot be replaced in one step.
            assert now.get(path) in allowed, path
        done = apply(wanted)
        assert seen(real) == self.after
        assert done.notes == ()
        return len(done.already)


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_before_each_call(quick: Path, step: int) -> None:
    ground = Ground(quick, BEFORE, AFTER)
    made = []
    for number in count(0, step):
        real, wanted = ground.fresh()

        def work(wanted: list[ApplyChange] = wanted, number: int = number) -> None:
            kill_before_call(number)
            apply(wanted)

        ended = forked(work)
        if ended == 0:
            assert seen(real) == ground.after, number
            break
        assert ended == KILLED, number
        made.append(ground.finished(real, wanted))
    assert made == sorted(made)
    assert (made[0], made[-1]) == (0, len(wanted))
    assert len(made) > 120 // step


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

        def work(wanted: list[ApplyChange] = wanted, number: int = number) -> None:
            kill_before_call(number)
            apply(wanted)

        ended = forked(work)
        if ended == KILLED and write(real / path):
            written += 1
            with suppress(ApplyConflicts):
                apply(wanted)
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
def test_a_kill_of_the_apply_that_finishes_another(quick: Path, step: int) -> None:
    ground = Ground(quick, SMALL_BEFORE, SMALL_AFTER)
    pairs = 0
    for first in count(0, step):
        for second in count(0, step):
            real, wanted = ground.fresh()

            def work(wanted: list[ApplyChange] = wanted, number: int = first) -> None:
                kill_before_call(number)
                apply(wanted)

            ended = forked(work)
            if ended != KILLED:
                break
            again = forked(lambda work=work, wanted=wanted, second=second: work(wanted, second))
            ground.finished(real, wanted)
            if again == 0:
                break
            assert again == KILLED
            pairs += 1
        if ended != KILLED:
            break
    assert pairs > 200 // step**2


@pytest.mark.slow
@pytest.mark.parametrize("moments", MOMENTS)
def test_kills_at_random_moments_of_many_files(quick: Path, moments: int) -> None:
    """As quick as it is: the moments are spread over the time that it takes."""
    before: Tree = {f"folder{n % 7}/file{n}": b"old %d\n" % n * 40 for n in range(FILES)}
    after: Tree = {path: b"new of " + str(path).encode() * 50 for path in before}
    ground = Ground(quick, before, after)
    longest = 0.05
    chance = random.Random(6)
    made: list[int] = []
    while len(made) < moments:
        real, wanted = ground.fresh()
        child, begun = started(lambda begin, wanted=wanted: apply(wanted, begin))
        assert os.read(begun, 1) == b"!"
        os.close(begun)
        time.sleep(chance.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        was_over = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        number = ground.finished(real, wanted)
        shutil.rmtree(real)
        longest *= 0.8 if was_over else 1.03
        if not was_over:
            made.append(number)
    assert any(0 < number < FILES for number in made)


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
