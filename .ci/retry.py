"""Run pytest, then run the cases that failed once more, one after the other.

    python .ci/retry.py [options of pytest]

The exit status is 0 when no case failed twice. A case that passed the second time is flaky; its id
is added to flaky.txt, whose length `.ci/run` limits. A run that ended otherwise than by failed
cases (a broken collection, a wrong option) keeps its exit status.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS_FAILED = 1
MOST_RETRIED = 25
"""More failed cases are no accident: they are not run again."""
FLAKY = Path("flaky.txt")


def main(options: list[str]) -> int:
    """Run pytest, at most twice; return the exit status."""
    with tempfile.TemporaryDirectory() as cache:
        options = [*options, "-o", f"cache_dir={cache}"]
        status = _run(options)
        failed = _failed_cases(Path(cache))
        if status != TESTS_FAILED or not 0 < len(failed) <= MOST_RETRIED:
            return status
        print(f"== failed, run once more: {' '.join(sorted(failed))}", flush=True)
        status = _run([*options, "-n", "0", "--lf", "--lfnf", "none"])
        flaky = sorted(failed - _failed_cases(Path(cache)))
    if status not in (0, TESTS_FAILED):
        return status
    with FLAKY.open("a", encoding="utf-8") as file:
        file.writelines(f"{case}\n" for case in flaky)
    return status


def _run(options: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *options], check=False).returncode


def _failed_cases(cache: Path) -> set[str]:
    file = cache / "v" / "cache" / "lastfailed"
    return set(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else set()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
