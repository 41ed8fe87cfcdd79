"""What saving keeps: parallel edits, and files whose writer was killed.

`python benchmarks/saving.py` prints how many parallel edits were acknowledged and how many of
those are in the file, and of the kills how many files were torn, how many bytes were lost and
what was left in the folder after the next save.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

SKILLSTUDIO = (sys.executable, "-m", "skillstudio")
BODY = "\n".join(f"Line {number} of the body." for number in range(4000)) + "\n"
_CALLS = "%file,%desc"


class Kills(NamedTuple):
    """What came of killing the writer of one file again and again."""

    tried: int = 0
    killed: int = 0
    torn: int = 0
    lost: int = 0
    """Bytes of the old text that neither text on disk has."""
    left: int = 0
    """Temporary files right after the kill."""
    left_after: int = 0
    """Temporary files after the next save of the skill."""

    def __str__(self) -> str:
        return (
            f"{self.tried} tried, {self.killed} killed, {self.torn} torn, {self.lost} bytes lost, "
            f"{self.left} left a temporary file, {self.left_after} after the next save"
        )


def a_skill(folder: Path, keys: int = 1, is_linked: bool = False) -> Path:
    """A skill whose manifest has `keys` values to edit."""
    folder.mkdir(parents=True)
    values = "".join(f"  k{number}: old\n" for number in range(keys))
    text = (
        f"---\nname: {folder.name}\ndescription: Does. Use when needed.\nmetadata:\n{values}---\n"
    )
    (folder / "SKILL.md").write_text(text + BODY)
    if is_linked:
        os.link(folder / "SKILL.md", folder.parent / f"{folder.name}-second-name")
    return folder


def edit(skill: Path, number: int, value: str) -> tuple[str, ...]:
    return ("edit", str(skill), "set", f"/metadata/k{number}", value)


def parallel_edits(folder: Path, rounds: int, width: int) -> tuple[int, int, int]:
    """Edits of different values begun together: how many exited 0, were kept, were refused."""
    acknowledged = kept = refused = 0
    for number in range(rounds):
        skill = a_skill(folder / f"round{number}", width)
        begun = [
            subprocess.Popen(
                [*SKILLSTUDIO, *edit(skill, each, f"new{each}")], stderr=subprocess.DEVNULL
            )
            for each in range(width)
        ]
        states = [each.wait() for each in begun]
        text = (skill / "SKILL.md").read_text()
        for each, state in enumerate(states):
            acknowledged += state == 0
            refused += state != 0
            kept += state == 0 and f"  k{each}: new{each}\n" in text
        shutil.rmtree(skill)
    return acknowledged, kept, refused


def random_kills(folder: Path, count: int, is_linked: bool, seed: int = 7) -> Kills:
    """So many kills at random moments of an edit, in processes forked from this one; edits that
    ended before are tried, too, but not counted as killed."""
    from skillstudio.cli import edit as _loaded  # noqa: F401  (children begin with it)
    from skillstudio.cli.main import main

    chance = random.Random(seed)
    longest = _seconds(lambda: _quietly(main, edit(a_skill(folder / "warm"), 0, "warm")))
    found = Kills()
    while found.killed < count:
        skill = a_skill(folder / f"kill{found.tried}", is_linked=is_linked)
        old = (skill / "SKILL.md").read_bytes()
        pid = os.fork()
        if not pid:
            with contextlib.suppress(BaseException):
                _quietly(main, edit(skill, 0, "new"))
            os._exit(0)
        time.sleep(chance.uniform(0, longest))
        os.kill(pid, signal.SIGKILL)
        killed = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0
        longest *= 1.01 if killed else 0.98
        found = _tallied(found, skill, old, killed)
    return found


def call_kills(folder: Path, most: int, is_linked: bool) -> Kills:
    """Kills at each system call of the save, injected by strace."""
    found = Kills()
    for number, (name, nth) in enumerate(_moments(folder, most, is_linked)):
        skill = a_skill(folder / f"call{number}", is_linked=is_linked)
        old = (skill / "SKILL.md").read_bytes()
        inject = ("-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={nth}")
        words = ("strace", "-f", "-o", os.devnull, *inject, *SKILLSTUDIO)
        ended = subprocess.run(
            [*words, *edit(skill, 0, "new")], stderr=subprocess.DEVNULL, check=False
        )
        found = _tallied(found, skill, old, ended.returncode != 0)
    return found


def _moments(folder: Path, most: int, is_linked: bool) -> list[tuple[str, int]]:
    """The calls of a save, each with its number among those of its name in the whole process."""
    skill = a_skill(folder / "traced", is_linked=is_linked)
    log = folder / "calls"
    words = ("strace", "-f", "-o", str(log), "-e", f"trace={_CALLS}")
    subprocess.run([*words, *SKILLSTUDIO, *edit(skill, 0, "new")], check=True)
    counts: dict[str, int] = {}
    found: list[tuple[str, int]] = []
    begun = False
    for line in log.read_text(errors="replace").splitlines():
        call = re.match(r"\d+ +([a-z0-9_]+)\(", line)
        if call is None:
            continue
        counts[call[1]] = counts.get(call[1], 0) + 1
        # The first call of a save takes a lock, or makes the temporary file.
        begun = begun or call[1] == "flock" or "O_EXCL" in line
        if begun:
            found.append((call[1], counts[call[1]]))
    stride = max(1, len(found) // most)
    return found[::stride]


def _tallied(found: Kills, skill: Path, old: bytes, killed: bool) -> Kills:
    """Look at a skill after a kill, save it once more, and look again."""
    new = old.replace(b"k0: old", b"k0: new")
    now = (skill / "SKILL.md").read_bytes()
    left = _leftovers(skill)
    subprocess.run([*SKILLSTUDIO, *edit(skill, 0, "last")], stderr=subprocess.DEVNULL, check=False)
    last = (skill / "SKILL.md").read_bytes()
    # A file with two names is written in place: the next save finishes what a kill tore.
    second = skill.parent / f"{skill.name}-second-name"
    is_torn = now not in (old, new) if not second.exists() else second.read_bytes() != last
    wanted = old.replace(b"k0: old", b"k0: last")
    lost = 0 if last == wanted else max(len(wanted) - len(last), 1)
    made = Kills(1, killed, is_torn, lost, bool(left), bool(_leftovers(skill)))
    shutil.rmtree(skill)
    second.unlink(missing_ok=True)
    return Kills(*map(sum, zip(found, made, strict=True)))


def _leftovers(skill: Path) -> list[str]:
    return [each for each in os.listdir(skill) if each != "SKILL.md"]


def _quietly(main: object, words: tuple[str, ...]) -> None:
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        main(list(words))  # type: ignore[operator]


def _seconds(do: object) -> float:
    begin = time.perf_counter()
    do()  # type: ignore[operator]
    return time.perf_counter() - begin


def saving(folder: Path, rounds: int = 20, width: int = 10, kills: int = 500) -> None:
    """Print all of it."""
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    acknowledged, kept, refused = parallel_edits(folder / "parallel", rounds, width)
    print(f"\nparallel edits, {rounds} rounds of {width}")
    print(f"  {acknowledged} acknowledged, {kept} kept, {refused} refused")
    print("kills of an edit")
    for title, is_linked in (("a file", False), ("a file with a second name", True)):
        part = folder / ("linked" if is_linked else "plain")
        part.mkdir()
        print(f"  {title}, at random moments: {random_kills(part, kills, is_linked)}")
        if shutil.which("strace"):
            print(f"  {title}, at system calls: {call_kills(part, kills, is_linked)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--width", type=int, default=10)
    parser.add_argument("--kills", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        saving(Path(name), options.rounds, options.width, options.kills)


if __name__ == "__main__":
    main()
