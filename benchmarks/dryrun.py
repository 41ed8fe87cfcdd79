"""What a dry run costs apart from its program: the copies, and the command as a whole."""

from __future__ import annotations

import json
import random
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import measure

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.staging.stage import stage
from skillstudio.dryrun.staging.staged import changes_of

STUDIO = str(Path(sys.executable).parent / "skillstudio")
FILES = 200
BYTES = 20 << 20
STAGED = 100.0
"""Milliseconds that copying so many files of so many bytes may take."""
WHOLE = 600.0
"""Milliseconds that `skillstudio run` of a program that does nothing may take."""
MANIFEST = {
    "schema_version": "2.0",
    "id": "nothing",
    "version": "1.0.0",
    "capabilities": ["do-nothing"],
    "effects": [],
    "operations": {
        "go": {"description": "Nothing", "input": {}, "entrypoints": {"unix": ["true"]}}
    },
}


def dryrun(folder: Path, rounds: int) -> None:
    """The copies beside what the system copies with, and a run on each isolation level of this
    machine."""
    workspace, skill = folder / "work", folder / "nothing"
    _fill(workspace)
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        "---\nname: nothing\ndescription: Does nothing. Use when nothing is to be done.\n---\n\n"
        f"```skill-manifest\n{json.dumps(MANIFEST)}\n```\n"
    )
    staged = measure.side_by_side(
        {
            "stage": _timed(folder, lambda target: _stage(workspace, skill, target)),
            "stage, and what changed": _timed(
                folder, lambda target: _stage(workspace, skill, target, look=True)
            ),
            "shutil.copytree": _timed(
                folder, lambda target: shutil.copytree(workspace, target / "work")
            ),
        },
        rounds,
    )
    measure.show(f"copying {FILES} files, {BYTES >> 20} MB", staged)
    measure.limit(staged[0], STAGED)
    levels = [isolation.id for isolation in probe_isolation().all if isolation.available]
    whole = measure.side_by_side(
        {
            f"run --isolation {isolation}": measure.process(
                [STUDIO, "run", str(skill), "--isolation", isolation, "--yes", "--trace", "off"],
                cwd=skill,
            )
            for isolation in ("isolated", "confined", "copy")
            if isolation in levels
        },
        rounds,
    )
    measure.show("skillstudio run of `true`, all in all", whole)
    measure.limit(whole[0], WHOLE)


def _fill(folder: Path) -> None:
    """Files of several sizes in folders of twenty, the same ones every time."""
    chosen = random.Random(5)
    for number in range(FILES):
        file = folder / f"part{number % 10}" / f"file{number}.bin"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(chosen.randbytes(BYTES // FILES * (1 + number % 3) // 2))


def _stage(workspace: Path, skill: Path, target: Path, look: bool = False) -> None:
    staged = stage(Roots(str(workspace), str(skill)), str(target))
    if look and changes_of(staged):
        raise RuntimeError("nothing ran, and something changed")


def _timed(folder: Path, copy: Callable[[Path], object]) -> Callable[[], float]:
    def once() -> float:
        target = folder / "target"
        target.mkdir()
        start = time.perf_counter()
        copy(target)
        milliseconds = (time.perf_counter() - start) * 1000
        shutil.rmtree(target)
        return milliseconds

    return once
