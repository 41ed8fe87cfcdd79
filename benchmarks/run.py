"""Every figure that the documentation quotes, ours and the peers' in one run: `make bench`.

Absolute times are this machine's; the ratios are what counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import escapes
import frames
import giants
import isolation
import measure
import patterns
import peers
import saving
import versions
import workloads

import dryrun
from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse
from skillstudio.text.source import Source

STUDIO = str(Path(sys.executable).parent / "skillstudio")
_VERY_MANY = 100_000  # Skills.
PARTS = (
    *(
        "start",
        "one",
        "many",
        "keys",
        "typing",
        "frame",
        "rows",
        "changes",
        "hash",
        "patterns",
        "levels",
    ),
    *("dryrun", "escapes", "giants", "saving"),
)


def start(rounds: int) -> None:
    """`--version` against nothing at all."""
    measure.show(
        "--version",
        measure.side_by_side(
            {
                "skillstudio --version": measure.process([STUDIO, "--version"]),
                "python -c pass": measure.process([sys.executable, "-c", "pass"]),
            },
            rounds,
        ),
    )


def one_skill(folder: Path, rounds: int) -> None:
    """A cold check of one skill."""
    skill = folder / "one"
    made = workloads.skills(skill, 1)
    schema = workloads.frontmatter_schema(skill)
    plain = skill / "plain"
    plain.mkdir()
    (plain / "SKILL.md").write_text(
        "---\nname: plain\ndescription: Says things. Use when something is to be said.\n---\nSay.\n"
    )
    commands = {"skillstudio check": [STUDIO, "check", str(plain)]}
    wanted = {}
    if agentskills := peers.program("checkers", "agentskills"):
        commands["agentskills validate"] = [agentskills, "validate", str(plain)]
        wanted["agentskills validate"] = 0.6
    processor = {name: measure.processor(command) for name, command in commands.items()}
    measure.show("one skill, cold, processor time", measure.side_by_side(processor, rounds), wanted)
    things = {name: measure.process(command) for name, command in commands.items()}
    if jsonschema := peers.program("checkers", "check-jsonschema"):
        command = [jsonschema, "--schemafile", str(schema), str(made[0])]
        things["check-jsonschema"] = measure.process(command)
        wanted["check-jsonschema"] = 1 / 3
    if agnix := peers.program("checkers", "agnix"):
        things["agnix (native)"] = measure.process([agnix, str(plain)])
    things["skillstudio, frontmatter-1.0"] = measure.process(
        [STUDIO, "check", str(skill / "skills")]
    )
    measure.show("one skill, cold", measure.side_by_side(things, rounds), wanted)


def many_skills(folder: Path, count: int, rounds: int) -> None:
    """A whole tree of skills of about 45 lines."""
    tree = folder / str(count)
    made = [str(path) for path in workloads.skills(tree, count)]
    schema = str(workloads.frontmatter_schema(tree))
    skills = str(tree / "skills")
    changed = tree / "skills" / "worklog-7" / "SKILL.md"
    cached = [STUDIO, "check", skills]
    commands = {"skillstudio, cold": [*cached, "--no-cache"]}
    if agnix := peers.program("checkers", "agnix"):
        commands["agnix (native)"] = [agnix, skills]
    if jsonschema := peers.program("checkers", "check-jsonschema"):
        commands["check-jsonschema"] = [jsonschema, "--schemafile", schema, *made]
    wanted = {"agnix (native)": 1.0, "check-jsonschema": 1 / 5}
    cached_wanted = {"agnix (native)": 1 / 6}
    if count < 3000:  # A start of Python takes longer than agnix takes for a few skills.
        wanted, cached_wanted = {"check-jsonschema": 1 / 5}, {}
    for what, kind in (("", measure.process), (", processor time", measure.processor)):
        once = kind(cached)

        def one_changed(once: Callable[[], float] = once) -> float:
            with changed.open("a", encoding="utf-8") as file:
                file.write("More.\n")
            return once()

        peer = {name: kind(command) for name, command in commands.items()}
        timings = measure.side_by_side(
            {**peer, "skillstudio, cached": once, "skillstudio, one changed": one_changed}, rounds
        )
        *first, unchanged, one = timings
        measure.show(f"{count} skills{what}", first, wanted)
        measure.show(f"{count} skills, unchanged{what}", [unchanged, *first[1:]], cached_wanted)
        measure.show(f"{count} skills, one changed{what}", [one, *first[1:]], cached_wanted)


def many(folder: Path, rounds: int) -> None:
    many_skills(folder, 300, max(rounds // 2, 3))
    many_skills(folder, 3000, 3)


def keystrokes(rounds: int) -> None:
    """From a changed character to all diagnostics, in process."""
    print("\nkeystroke to diagnostics (parse, schema, all rules, targets)")
    for lines in (60, 200, 2000):
        text = workloads.long_skill(lines)
        at = text.index("description: Writes") + 20
        times = []
        for number in range(rounds * 4):
            changed = text[:at] + "x" * (number % 3 + 1) + text[at:]
            begin = time.perf_counter()
            analyse(MemoryTree({"SKILL.md": changed.encode()}, "worklog"))
            times.append((time.perf_counter() - begin) * 1000)
        times.sort()
        print(
            f"  {len(Source(text).line_starts):>5} lines   p50 {times[len(times) // 2]:7.2f} ms"
            f"   p95 {times[int(len(times) * 0.95)]:7.2f} ms"
        )


def typing(folder: Path, rounds: int) -> None:
    """A key typed into a text of 200 lines: the whole workbench, and a text area alone."""
    skill = folder / "typing" / "plain"
    skill.mkdir(parents=True)
    head = "---\nname: plain\ndescription: Says things. Use when something is to be said.\n---\n"
    lines = (
        f"- Step {n}: do the thing with `code`, then **check** the result." for n in range(196)
    )
    (skill / "SKILL.md").write_text(head + "\n".join(lines))
    down, text = [b"\x1b[B"] * 8, b"the quick brown fox jumps over it. " * 3
    bare = [
        sys.executable,
        str(Path(__file__).parent / "bare.py"),
        str(skill / "SKILL.md"),
        "alone",
    ]
    things = {
        "skillstudio, with analysis": frames.key_cost([STUDIO, str(skill)], [b"e", *down], text),
        "plain TextArea": frames.key_cost(bare, down, text),
    }
    timings = measure.side_by_side(things, rounds)
    measure.show("a key at 200 lines, processor time", timings, {"plain TextArea": 1.3})


def frame(rounds: int) -> None:
    """The first whole frame in a terminal of 120×36."""
    examples = str(Path(__file__).parent.parent / "examples")
    skill = str(Path(examples) / "worklog" / "SKILL.md")
    bare = str(Path(__file__).parent / "bare.py")
    things: dict[str, Callable[[], float]] = {
        "skillstudio examples": frames.first_frame([STUDIO, examples]),
        "bare Textual, same widgets": frames.first_frame([sys.executable, bare, skill]),
    }
    wanted = {}
    for name in ("posting", "harlequin"):
        if program := peers.program(name, name):
            things[name] = frames.first_frame([program])
            wanted[name] = 0.5
    measure.show("first frame", measure.side_by_side(things, rounds), wanted)


def rows(folder: Path, rounds: int) -> None:
    """The first rows of skills on the screen: of one skill, and of very many."""
    trees = {}
    for count in (1, _VERY_MANY):
        tree = folder / f"rows-{count}"
        for number in range(count):
            skill = tree / f"group-{number // 1000:03}" / f"skill-{number:06}"
            skill.mkdir(parents=True)
            text = f"---\nname: {skill.name}\ndescription: Says things.\n---\nSay.\n"
            (skill / "SKILL.md").write_text(text)
        trees[count] = str(tree)
    things = {
        f"{count:,} skills": frames.first_frame([STUDIO, tree], text="skill-000000")
        for count, tree in trees.items()
    }
    one, many = things
    timings = measure.side_by_side({many: things[many], one: things[one]}, rounds)
    measure.show("first rows", timings, {one: 1.5})


def saves(folder: Path, alone: bool) -> None:
    """Parallel edits and killed ones: all of them takes minutes, so only where it is asked for."""
    folder.mkdir()
    saving.saving(folder) if alone else saving.saving(folder, rounds=2, kills=20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    print(measure.environment())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: dict[str, Callable[[], None]] = {
            "start": lambda: start(options.rounds),
            "one": lambda: one_skill(folder, options.rounds),
            "many": lambda: many(folder, options.rounds),
            "keys": lambda: keystrokes(options.rounds),
            "typing": lambda: typing(folder, max(options.rounds // 3, 2)),
            "frame": lambda: frame(options.rounds),
            "rows": lambda: rows(folder, max(options.rounds // 2, 3)),
            "changes": lambda: versions.changes(folder, options.rounds),
            "hash": lambda: versions.hashing(folder, options.rounds),
            "patterns": lambda: patterns.patterns(options.rounds),
            "levels": lambda: isolation.levels(folder / "levels", options.rounds),
            "dryrun": lambda: dryrun.dryrun(folder / "dryrun", options.rounds),
            "escapes": escapes.escapes,
            "saving": lambda: saves(folder / "saving", options.only == "saving"),
            "giants": lambda: giants.show(verbs=giants.MAIN),
        }
        for part, measured in parts.items():
            if options.only in (None, part):
                measured()


if __name__ == "__main__":
    main()
