"""The rules of agnix beside ours on folders of skills: `python -m benchmarks.agnix FOLDER...`.

It prints a Markdown table and the time of both programs; `agnix.md` is its output for seven public
repositories and the public skills of the tests. `agnix.toml` keeps what reading the hits showed.
SKILLSTUDIO_AGNIX names the program; else it is looked for beside the peers and on the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.measure import process, processor, side_by_side
from benchmarks.peers import HERE

STUDIO = str(Path(sys.executable).parent / "skillstudio")
ROUNDS = 7
Hits = dict[str, Counter[str]]
"""Rules to files to the number of hits."""


def program() -> str | None:
    peer = HERE / "checkers" / "bin" / "agnix"
    named = os.environ.get("SKILLSTUDIO_AGNIX") or (str(peer) if peer.exists() else None)
    return named if named and Path(named).exists() else shutil.which("agnix")


def output(command: list[str]) -> Any:
    return json.loads(subprocess.run(command, capture_output=True, check=False).stdout)


def hits(found: list[dict[str, Any]], path: str) -> Hits:
    counted: Hits = defaultdict(Counter)
    for each in found:
        counted[each["rule"]][str(Path(each[path]).resolve())] += 1
    return counted


def row(rule: str, own: list[str], theirs: Hits, ours: Hits, note: dict[str, Any]) -> str:
    at = theirs.get(rule, Counter())
    here: Counter[str] = sum((ours[each] for each in own), Counter())
    both = len(at.keys() & here.keys())
    cells = [
        rule or "–",
        ", ".join(f"`{each}`" for each in own) or "–",
        f"{at.total()}",
        f"{here.total()}",
        f"{both} / {len(at) - both} / {len(here) - both}",
        note.get("verdict", ""),
        note.get("why", ""),
    ]
    return f"| {' | '.join(cells)} |"


def main() -> int:
    agnix, folders = program(), sys.argv[1:]
    if agnix is None:
        print("agnix is not installed; set SKILLSTUDIO_AGNIX to the program", file=sys.stderr)
        return 2
    if not folders:
        print("name the folders of skills", file=sys.stderr)
        return 2
    commands = {
        "agnix": [agnix, "--format", "json", *folders],
        "skillstudio": [STUDIO, "check", "--format", "json", *folders],
    }
    theirs = hits(output(commands["agnix"])["diagnostics"], "file")
    report = output(commands["skillstudio"])
    found = [each for skill in report["skills"] for each in skill["diagnostics"]]
    ours = hits(found + report["workspace"]["diagnostics"], "path")
    notes = tomllib.loads((Path(__file__).parent / "agnix.toml").read_text(encoding="utf-8"))
    print("| agnix | skillstudio | its hits | ours | files: both / agnix / ours | judged | why |")
    print("|---|---|---|---|---|---|---|")
    paired = set()
    for rule in sorted(theirs, key=lambda each: -theirs[each].total()):
        note = notes.get(rule, {})
        own = [each for each in note.get("ours", []) if each in ours]
        paired |= set(own)
        print(row(rule, own, theirs, ours, note))
    for rule in sorted(ours.keys() - paired, key=lambda each: -ours[each].total()):
        print(row("", [rule], theirs, ours, notes.get(rule, {})))
    commands["skillstudio, cached"] = commands["skillstudio"]
    commands["skillstudio"] = [*commands["skillstudio"], "--no-cache"]
    for what, kind in (("", process), (" of processor time", processor)):
        timings = side_by_side({name: kind(each) for name, each in commands.items()}, ROUNDS)
        print(f"\n{len(report['skills'])} skills, median of {ROUNDS} runs:", end=" ")
        print(", ".join(f"{each.name} {each.median:,.0f} ms{what}" for each in timings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
