"""Two versions of a skill beside each other: what changed, whether it is the same, how it ends."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import measure
import pairs
import peers

from skillstudio.files.disk import DiskTree
from skillstudio.interface.compare import compare
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.project import project
from skillstudio.schema.regex.inclusion import Undecidable, included
from skillstudio.schema.regex.parser import PatternError, parse
from skillstudio.skill.analysis import analyse
from skillstudio.skill.hashing.content_hash import hash_tree

STUDIO = str(Path(sys.executable).parent / "skillstudio")
HERE = Path(__file__).parent
FILES = 500
GIGABYTE = 10**9
ENGINE_LIMIT = 20.0
COMMAND_LIMIT = 150.0
PATTERN_LIMIT = 200.0
PATTERNS: tuple[tuple[str, str], ...] = (
    (r"^\d{4}-\d{1,2}-\d{1,2}$", r"^\d{4}-\d{2}-\d{2}$"),
    (r"^\d{4}-\d{2}-\d{2}$", r"^\d{4}-\d{1,2}-\d{1,2}$"),
    (r"^[a-z][a-z0-9-]*$", r"^[a-z0-9]+(-[a-z0-9]+)*$"),
    (r"^.{1,64}$", r"^.{1,1024}$"),
    (r"^.{1,1024}$", r"^.{1,64}$"),
    (r"^(a|b)*a(a|b){12}$", r"^(a|b)*$"),
    (r"^(a|b)*$", r"^(a|b)*a(a|b){12}$"),
    (r"^(a|b)*a(a|b){12}$", r"^(a|b)*b(a|b){12}$"),
    (r"^(a|b)*a(a|b){18}$", r"^(a|b)*a(a|b){17}$"),
    (r"(a+)+$", r"^(a*)*b?$"),
    (r"^(([a-z]+)*)*$", r"^[a-z]*$"),
    (r"^(x{1,100}){1,100}$", r"^x*$"),
    (r"^((x{1,30}){1,30}){1,30}$", r"^x+$"),
    (r"^a{60000}$", r"^a+$"),
    (r"^a|b$", r"^(a|b)$"),
    (r"^[^/]+$", r"^.+$"),
    (r"^\p{L}+$", r"^\w+$"),
    (r"^(?=.*\d).{8,}$", r"^.{8,}$"),
    (r"^(a)\1$", r"^aa$"),
    (r"^[\u0000-\uffff]{1,255}$", r"^[^\u0000]*$"),
    (r"^(" + "|".join(f"word{n}" for n in range(400)) + ")$", r"^word\d+$"),
    (r"^word\d{1,3}$", r"^(" + "|".join(f"word{n}" for n in range(400)) + ")$"),
)
"""Ordinary ones, and each way in which an engine is known to take for ever."""


def changes(folder: Path, rounds: int) -> None:
    """200 inputs, 40 of them with another schema: the engine, then whole processes."""
    made = pairs.pair(folder / "changes")
    sides = [project(analyse(DiskTree(str(side))).skill) for side in (made.old, made.new)]
    kinds = all_kinds()
    found = compare(sides[0], sides[1], kinds)
    schemas = [str(path) for path in made.schemas]

    def engine() -> float:
        begin = time.perf_counter()
        compare(sides[0], sides[1], kinds)
        return (time.perf_counter() - begin) * 1000

    things: dict[str, Callable[[], float]] = {"skillstudio": engine}
    diff = [STUDIO, "diff", str(made.old), str(made.new)]
    commands: dict[str, Callable[[], float]] = {"skillstudio diff": measure.process(diff)}
    if script := peers.program("subschema", "jsonsubschema"):
        python = str(Path(script).with_name("python"))
        command = [python, str(HERE / "subschema.py"), *schemas, "1"]
        things["jsonsubschema, no patterns"] = lambda: float(
            subprocess.run(command, capture_output=True, text=True, check=True).stdout
        )
        commands["jsonsubschema, no patterns"] = measure.process(command)
    title = f"{pairs.INPUTS} inputs, {pairs.CHANGED} changed: in process ({len(found)} found)"
    timings = measure.side_by_side(things, rounds)
    measure.show(title, timings)
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
    many = folder / "many"
    for number in range(FILES):
        path = many / f"part-{number % 20}" / f"file-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {number}\n" + "Some words of a skill.\n" * 40, encoding="utf-8")
    (many / "SKILL.md").write_text("---\nname: many\ndescription: Many.\n---\n", encoding="utf-8")
    script = [str(HERE / "skill-content-hash.sh"), str(many)]
    said = subprocess.run(script, capture_output=True, text=True, check=True, env=measure.C_LOCALE)
    same = said.stdout.strip() == hash_tree(DiskTree(str(many))).content_hash.removeprefix(
        "sha256:"
    )
    things = {
        "skillstudio hash": measure.process([STUDIO, "hash", str(many)]),
        "the script of the seed": measure.process(script, environment=measure.C_LOCALE),
    }
    title = f"content_hash of {FILES} files ({'the same hash' if same else 'ANOTHER HASH'})"
    wanted = {"the script of the seed": 0.1}
    measure.show(title, measure.side_by_side(things, min(rounds, 5)), wanted)

    large = folder / "large"
    large.mkdir()
    block = bytes(range(256)) * 4096
    with (large / "SKILL.md").open("wb") as file:
        for _ in range(GIGABYTE // len(block)):
            file.write(block)

    def ours() -> float:
        begin = time.perf_counter()
        hash_tree(DiskTree(str(large)))
        return (time.perf_counter() - begin) * 1000

    def theirs() -> float:
        begin = time.perf_counter()
        with (large / "SKILL.md").open("rb") as file:
            hashlib.file_digest(file, "sha256")
        return (time.perf_counter() - begin) * 1000

    measure.show(
        "1 GB in one file, in process",
        measure.side_by_side({"hash_tree": ours, "hashlib.file_digest": theirs}, min(rounds, 5)),
        {"hashlib.file_digest": 1 / 0.9},
    )


def patterns(rounds: int) -> None:
    """Each pair both decided and timed; the slowest is what counts."""
    print(f"\nwhether one pattern includes another ({len(PATTERNS)} pairs)")
    worst = []
    for narrow, wide in PATTERNS:
        times = []
        for _ in range(rounds):
            begin = time.perf_counter()
            try:
                witness = included(parse(narrow), parse(wide))
                verdict = "included" if witness is None else f"not: {witness[:20]!r}"
            except (Undecidable, PatternError) as error:
                verdict = f"undecided: {error}"
            times.append((time.perf_counter() - begin) * 1000)
        worst.append(median(times))
        print(f"  {worst[-1]:8.2f} ms   {narrow[:28]:<28}  {wide[:28]:<28}  {verdict[:60]}")
    within = "yes" if max(worst) <= PATTERN_LIMIT else "NO"
    print(f"  worst {max(worst):.1f} ms (wanted ≤ {PATTERN_LIMIT:.0f}: {within})")
