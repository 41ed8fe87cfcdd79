"""Draw errors and warnings on public skills to judge by hand: `python -m benchmarks.sample DIR`.

DIR has checked-out repositories, named OWNER+NAME. Problems without a selected target are drawn
first. A problem is drawn by the hash of what it says, so that the same problems come again, also
after a change of other rules. `sample.tsv` keeps the verdicts: right, wrong or unsure, and why.
Drawn problems without one are printed first.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path

STUDIO = str(Path(sys.executable).parent / "skillstudio")
KEPT = Path(__file__).parent / "sample.tsv"
SEED, DRAWN = "2026-11-23", 60
TARGETS = ("", "spec", "claude-code", "claude-upload", "codex")
"""Without a selected target, and with each of these."""
FIELDS = ("repository", "commit", "path", "target", "rule", "message")


def problems(repository: Path) -> set[tuple[str, ...]]:
    command = ["git", "-C", str(repository), "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    found: set[tuple[str, ...]] = set()
    own: set[tuple[str, ...]] = set()
    for target in TARGETS:
        asked = ["--target", target] if target else []
        check = [STUDIO, "check", "--format", "json", *asked, str(repository)]
        report = json.loads(subprocess.run(check, capture_output=True, check=False).stdout)
        said = [each for skill in report["skills"] for each in skill["diagnostics"]]
        for each in [*said, *report["workspace"]["diagnostics"]]:
            path = str(Path(each["path"]).resolve().relative_to(repository.resolve()))
            key = (path, each["rule"], each["message"])
            if each["severity"] == "info" or (target and key in own):
                continue
            if not target:
                own.add(key)
            found.add((repository.name.replace("+", "/"), commit, path, target, *key[1:]))
    return found


def order(problem: tuple[str, ...]) -> tuple[bool, str]:
    return bool(problem[3]), sha256("\0".join((SEED, *problem)).encode()).hexdigest()


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("name the folder of the repositories", file=sys.stderr)
        return 2
    folders = sorted(each for each in Path(sys.argv[1]).iterdir() if "+" in each.name)
    found = {problem for each in folders for problem in problems(each)}
    drawn = sorted(found, key=order)[:DRAWN]
    verdicts = {}
    if KEPT.exists():
        with KEPT.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                verdicts[tuple(row[each] for each in FIELDS)] = (row["verdict"], row["why"])
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow((*FIELDS, "verdict", "why"))
    for problem in sorted(drawn, key=lambda each: (each in verdicts, each)):
        out.writerow((*problem, *verdicts.get(problem, ("", ""))))
    count = Counter(verdicts.get(each, ("not judged",))[0] for each in drawn)
    judged = ", ".join(f"{number} {verdict}" for verdict, number in count.most_common())
    plain = sum(not each[3] for each in drawn)
    print(f"{plain} without a selected target,", end=" ", file=sys.stderr)
    print(f"{len(drawn)} of {len(found)} problems: {judged}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
