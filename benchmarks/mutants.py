"""Faults put into the scripts of the examples, and whether `skillstudio test` finds them.

`python benchmarks/mutants.py` runs the tests of each example once for each fault in a copy of it,
and prints what was found. `--repeat N` first runs the tests without a fault N times on each
isolation level: all must pass.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
LEVELS = ("copy", "confined", "isolated")


class Mutant(NamedTuple):
    """A fault: a text of a script that is replaced."""

    kind: str
    script: str  # Below `examples`.
    old: str
    new: str


_ANALYZE = "analyze-git/scripts/analyze.py"
_MEMORY = "memory/scripts/memory.py"
_ROUTER = "memory/scripts/router_mem.sh"
_METRICS = "worklog/scripts/extract-metrics.sh"
_WORKLOG = "worklog/scripts/new-worklog.sh"
_DEPLOY = "deploy/scripts/deploy.sh"

MUTANTS = (
    Mutant("output", _METRICS, 'echo "date=$day"', 'echo "day=$day"'),
    Mutant("output", _METRICS, '"commits=$((commits))"', '"commits=$((commits + 1))"'),
    Mutant("output", _METRICS, "${lines% *}", "${lines#* }"),
    Mutant("output", _METRICS, "sort -u | paste -sd, -", "sort -u | paste -sd';' - | tr a-z A-Z"),
    Mutant("output", _METRICS, "echo \"authors=$authors\"", ":"),
    Mutant("output", _METRICS, "sort -u | sed '/^$/d'", "sed 1d"),
    Mutant("output", _WORKLOG, 'echo "$path"', 'echo "$root/$path"'),
    Mutant("output", _ANALYZE, "target.relative_to(root).as_posix()", "target.name"),
    Mutant("output", _ANALYZE, 'parser.error(f"not a date', 'parser.error(f"no day'),
    Mutant("output", _WORKLOG, "already exists; use", "exists; use"),
    Mutant("JSON value", _MEMORY, "else 0.5 if word in body", "else 0.4 if word in body"),
    Mutant("JSON value", _MEMORY, "else 0.5 if word in body else 0.0", "else 0.0"),
    Mutant("JSON value", _MEMORY, "-pair[0], -pair[1]", "pair[0], -pair[1]"),
    Mutant("JSON value", _MEMORY, "found = ranked[:most]", "found = ranked[: most + 1]"),
    Mutant("JSON value", _MEMORY, '"value": len(rows)', '"value": len(rows) + 1'),
    Mutant("JSON value", _MEMORY, "/ len(rows), 2)", "/ len(rows), 1)"),
    Mutant("JSON value", _MEMORY, '"warn" if mostly_stale', '"late" if mostly_stale'),
    Mutant("JSON value", _MEMORY, '"90 days"', '"9 days"'),
    Mutant("JSON value", _MEMORY, '"content": row["content"],\n', ""),
    Mutant("JSON value", _MEMORY, 'return {"id": row["id"]}', 'return {"id": str(row["id"])}'),
    Mutant("JSON value", _MEMORY, "conflict (digest) do update set",
           "conflict do update set digest = 'x' || digest,"),
    Mutant("file content", _ANALYZE, "# Commits since {since}", "# Commits"),
    Mutant("file content", _ANALYZE, "files.most_common(MOST)", "files.most_common(1)"),
    Mutant("file content", _ANALYZE, '.replace("|", "\\\\|")', ""),
    Mutant("file content", _ANALYZE, "authors[author] += 1", "authors[author] += 2"),
    Mutant("file content", _ANALYZE, "format:%Y-%m", "format:%Y"),
    Mutant("file content", _WORKLOG, "topic=$topic", "topic=$day"),
    Mutant("file content", _WORKLOG, "\n$metrics\"", '"'),
    Mutant("file content", _WORKLOG, "'%s\\n' \"$text\"", "'%s\\n%s\\n' \"$text\" \"$day\""),
    Mutant("missing file", _WORKLOG, 'printf \'%s\\n\' "$text" >"$root/$path"', ":"),
    Mutant("missing file", _ANALYZE, "target.write_text(report(options.since, *found), "
           'encoding="utf-8")', "pass"),
    Mutant("extra file", _WORKLOG, 'echo "$path"', 'touch "$root/$folder/.done"; echo "$path"'),
    Mutant("extra file", _ANALYZE, "print(target", '(root / "cache.bin").touch(); print(target'),
    Mutant("extra file", _METRICS, 'echo "date=$day"', 'echo >log; echo "date=$day"'),
    Mutant("exit status", _METRICS, "exit 2", "exit 0"),
    Mutant("exit status", _WORKLOG, "  exit 2", "  exit 1"),
    Mutant("exit status", _MEMORY, '== "ok" else 1', '== "ok" else 0'),
    Mutant("exit status", _ANALYZE, "parser.error(f", "sys.exit(f"),
    Mutant("effect", _ROUTER, "exec python3", "git log -1 >/dev/null 2>&1; exec python3"),
    Mutant("effect", _DEPLOY, "commit=", "curl -s http://127.0.0.1:9 || true\ncommit="),
)  # fmt: skip


def tested(folder: Path, *options: str) -> dict[str, str]:
    """The outcome of each sample of a folder of skills."""
    done = subprocess.run(
        [sys.executable, "-m", "skillstudio", "test", str(folder), "--format", "json", *options],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    samples = json.loads(done.stdout)["samples"]
    return {f"{each['operation']} {each['sample']}": each["outcome"] for each in samples}


def unmutated(times: int) -> int:
    """Run the tests of the examples on each level; how many did not pass."""
    failed = 0
    for level in LEVELS:
        for _ in range(times):
            outcomes = list(tested(EXAMPLES, "--isolation", level).values())
            failed += outcomes.count("failed")
        print(f"  without a fault, {level}: {times} times, {failed} failed", flush=True)
    return failed


def show() -> int:
    """Print what finds each fault; how many are not found."""
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        for number, mutant in enumerate(MUTANTS, 1):
            skill, _, _ = mutant.script.partition("/")
            folder = Path(name, str(number))
            shutil.copytree(EXAMPLES / skill, folder / skill)
            script = folder / mutant.script
            text = script.read_text()
            assert mutant.old in text, mutant
            script.write_text(text.replace(mutant.old, mutant.new, 1))
            failed = [key for key, outcome in tested(folder).items() if outcome == "failed"]
            missed += not failed
            found = ", ".join(failed) or "NOT FOUND"
            print(f"  {number:2} {mutant.kind:<12} {mutant.script:<32} {found}", flush=True)
            shutil.rmtree(folder)
    print(f"  {len(MUTANTS) - missed} of {len(MUTANTS)} found")
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=0, metavar="N")
    options = parser.parse_args()
    failed = unmutated(options.repeat) if options.repeat else 0
    return 1 if show() + failed else 0


if __name__ == "__main__":
    sys.exit(main())
