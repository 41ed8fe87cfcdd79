"""Two versions of a skill beside each other: what changed, whether it is the same, how it ends."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import measure
import pairs
import peers
import seed_script

from skillstudio.files.disk import DiskTree
from skillstudio.skill.hashing.content_hash import content_hash, hash_tree

STUDIO = str(Path(sys.executable).parent / "skillstudio")
HERE = Path(__file__).parent
FILES = 500
GIGABYTE = 10**9
ENGINE_LIMIT = 20.0
COMMAND_LIMIT = 150.0
SCRIPT_SPEED = 10.0
LARGE_SPEED = 0.9
"""How many times as fast as the peer ours is to be."""


def changes(folder: Path, rounds: int) -> None:
    """200 inputs, 40 of them with another schema: the engine, then whole processes."""
    made = pairs.pair(folder / "changes")
    sides = [str(made.old), str(made.new)]
    things = {"skillstudio": measure.printed([sys.executable, str(HERE / "engine.py"), *sides])}
    commands = {"skillstudio diff": measure.process([STUDIO, "diff", *sides])}
    if script := peers.program("subschema", "jsonsubschema"):
        python = str(Path(script).with_name("python"))
        command = [python, str(HERE / "subschema.py"), *map(str, made.schemas)]
        things["jsonsubschema, no patterns"] = measure.printed(command)
        commands["jsonsubschema, no patterns"] = measure.process(command)
    timings = measure.side_by_side(things, rounds)
    measure.show(f"{pairs.INPUTS} inputs, {pairs.CHANGED} changed: the engine alone", timings)
    measure.limit(timings[0], ENGINE_LIMIT)

    if griffe := peers.program("griffe", "griffe"):
        check = [griffe, "check", "worklog", "-a", "old", "-b", "new"]
        commands["griffe check, 200 parameters"] = measure.process(check, cwd=made.package)
    small = pairs.pair(folder / "small", inputs=1, changed=1)
    commands["skillstudio diff, one input"] = measure.process(
        [STUDIO, "diff", str(small.old), str(small.new)]
    )
    timings = measure.side_by_side(commands, rounds)
    measure.show("the same as a command, cold", timings)
    measure.limit(timings[0], COMMAND_LIMIT)


def hashing(folder: Path, rounds: int) -> None:
    """Many small files against the script that says what the hash is, a large one against C."""
    _many_files(folder / "many", min(rounds, 5))
    large = folder / "large"
    large.mkdir()
    block = bytes(range(250)) * 4000
    with (large / "SKILL.md").open("wb") as file:
        for _ in range(GIGABYTE // len(block)):
            file.write(block)
    tree = DiskTree(str(large))

    def by_hashlib() -> None:
        with (large / "SKILL.md").open("rb") as file:
            hashlib.file_digest(file, "sha256")

    things = {
        "content_hash": _timed(lambda: content_hash(tree)),
        "hashlib.file_digest": _timed(by_hashlib),
        "both digests, as --digests prints them": _timed(lambda: hash_tree(tree)),
    }
    timings = measure.side_by_side(things, min(rounds, 5))
    wanted = {"hashlib.file_digest": 1 / LARGE_SPEED}
    measure.show("1 GB in one file, in process, out of the cache", timings, wanted)


def _many_files(folder: Path, rounds: int) -> None:
    for number in range(FILES - 1):
        path = folder / f"part-{number % 20}" / f"file-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {number}\n" + "Some words of a skill.\n" * 40, encoding="utf-8")
    (folder / "SKILL.md").write_text("---\nname: many\ndescription: Many.\n---\n", encoding="utf-8")
    words = ("identity", "--digests")
    things = {f"skillstudio {' '.join(words)}": measure.process([STUDIO, *words, str(folder)])}
    same = "no script to compare with"
    try:
        script = [str(seed_script.write(folder.parent)), str(folder)]
    except seed_script.Absent as reason:
        print(f"\nthe script of the seed is left out: {reason}")
    else:
        environment = measure.C_LOCALE
        said = subprocess.run(script, capture_output=True, text=True, check=True, env=environment)
        ours = content_hash(DiskTree(str(folder)))
        same = "the same hash" if f"sha256:{said.stdout.strip()}" == ours else "ANOTHER HASH"
        things["the script of the seed"] = measure.process(script, environment=environment)
    timings = measure.side_by_side(things, rounds)
    wanted = {"the script of the seed": 1 / SCRIPT_SPEED}
    measure.show(f"content_hash of {FILES} files ({same})", timings, wanted)


def _timed(do: Callable[[], object]) -> Callable[[], float]:
    """A function that does something once and says how many milliseconds it took."""

    def once() -> float:
        begin = time.perf_counter()
        do()
        return (time.perf_counter() - begin) * 1000

    return once
