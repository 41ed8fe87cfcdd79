"""How soon a view of a file is there, and how much memory it takes.

Each file is shown in processes of its own: as a command shows it, first with all that has to be
imported; and in the workbench, from the move of the cursor to the painted frame. Run by itself:
`python benchmarks/preview.py [NAME…]`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from hostile import FILES

LINES = 60
"""What a large terminal shows at once."""
ROUNDS = 2
MOST_MS = 100
MOST_MB = 50
PAINTED = str(Path(__file__).with_name("preview_painted.py"))

CHILD = """
import json, resource, sys, time
def peak():
    # What a process took before it became this program counts in ru_maxrss, too.
    try:
        with open("/proc/self/status") as file:
            return next(int(row.split()[1]) for row in file if row.startswith("VmHWM")) / 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
import skillstudio.preview.files, skillstudio.preview.source
before = peak()
def once():
    start = time.perf_counter()
    from skillstudio.preview.files import view_of
    from skillstudio.preview.source import open_source
    view = view_of(open_source(sys.argv[1]))
    lines = view.lines(0, int(sys.argv[2]))
    return (time.perf_counter() - start) * 1000
cold = once()
print(json.dumps([cold, min(once() for _ in range(3)), peak() - before]))
"""


def measured(*arguments: str) -> list[float]:
    """What the program prints; of some rounds the least of each."""
    command = [sys.executable, *arguments]
    rounds: list[list[float]] = []
    for _ in range(ROUNDS):
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        rounds.append(json.loads(done.stdout))
    return [min(each) for each in zip(*rounds, strict=True)]


def main() -> int:
    late: list[str] = []
    print(f"{'':<16}{'command':^30}    {'workbench':^50}")
    heads = ["first", "again", "memory", "first", "processor", "again", "held up", "memory"]
    row = "".join(f"{each:>10}" for each in heads)
    print(f"{'ms, MB':<16}{row[:30]}    {row[30:]}")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or FILES:
            path = Path(folder, name)
            FILES[name](path)
            shown = measured("-c", CHILD, str(path), str(LINES))
            painted = measured(PAINTED, str(path))
            cells = "".join(f"{each:>10.1f}" for each in shown) + "    "
            print(f"{name:<16}{cells}{''.join(f'{each:>10.1f}' for each in painted)}", flush=True)
            first, again, memory = shown
            if (
                max(first, again, painted[0], painted[2]) > MOST_MS
                or max(memory, painted[4]) > MOST_MB
            ):
                late.append(name)
            os.remove(path)
    if late:
        print(f"beyond {MOST_MS} ms or {MOST_MB} MB: {', '.join(late)}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
