"""How soon a view of a file is there, and how much memory it takes.

Each file is shown in a process of its own: first with all that has to be imported, as a command
does, then once more, as the workbench does. Run by itself: `python benchmarks/preview.py`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

HUGE = 2 << 30
LINES = 60
"""What a large terminal shows at once."""
MOST_MS = 100
MOST_MB = 50

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
    return (time.perf_counter() - start) * 1000, len(lines), view.kind
cold, lines, kind = once()
warm = min(once()[0] for _ in range(3))
print(json.dumps([cold, warm, peak() - before, lines, kind]))
"""


def sparse(begin: bytes) -> Callable[[Path], None]:
    """A file of two gigabytes that takes no room."""

    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.write(begin)
            file.truncate(HUGE)

    return make


def repeated(unit: bytes, size: int) -> Callable[[Path], None]:
    return lambda path: path.write_bytes((unit * (size // len(unit) + 1))[:size]) and None


def database(path: Path) -> None:
    connection = sqlite3.connect(path)
    for number in range(30):
        connection.execute(f"CREATE TABLE t{number}(a, b, c)")
        rows = ((n, str(n) * 10, bytes(200)) for n in range(5_000))
        connection.executemany(f"INSERT INTO t{number} VALUES(?, ?, ?)", rows)
    connection.commit()
    connection.close()


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for number in range(5_000):
            made.writestr(f"folder/{number}.bin", b"")
        made.writestr("zeros", bytes(200 << 20))


FILES: dict[str, Callable[[Path], None]] = {
    "2GB.txt": sparse(b"a line\n" * 10_000),
    "2GB.bin": sparse(b"\0\1\2"),
    "2GB.json": sparse(b'{"a": 1, ' * 10_000),
    "2GB.md": sparse(b"# Title\n\nword [link](x)\n\n" * 10_000),
    "2GB.csv": sparse(b"a,b,c\n1,2,3\n" * 10_000),
    "10MB.md": repeated(b"# A title\n\nSome *words* and `code`.\n\n- one\n- two\n\n", 10 << 20),
    "hostile.md": repeated(b"*a [b](", 10 << 20),
    "1MB.json": repeated(b"[", 1 << 20),
    "1MB.csv": repeated(b"name,12,3.5,some words\n", 1 << 20),
    "quotes.csv": repeated(b'"', 1 << 20),
    "10MB.py": repeated(b'def f(x):\n    """Say."""\n    return x + 1\n\n', 10 << 20),
    "hostile.py": repeated(b'"""', 10 << 20),
    "hostile.rb": repeated(b"<<A ", 10 << 20),
    "hostile.html": repeated(b"<", 10 << 20),
    "10MB.yaml": repeated(b"key:\n  - a: 1\n    b: [x, y]\n", 10 << 20),
    "10MB.jsonl": repeated(b'{"a": 1, "b": [true, null]}\n', 10 << 20),
    "escapes.log": repeated(b"\x1b[31m\x07\xe2\x80\xae", 10 << 20),
    "tables.db": database,
    "bomb.zip": bomb,
}


def main() -> int:
    late: list[str] = []
    print(f"{'file':<14}{'kind':<12}{'with imports':>14}{'again':>10}{'memory':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in FILES.items():
            path = Path(folder, name)
            make(path)
            done = subprocess.run(
                [sys.executable, "-c", CHILD, str(path), str(LINES)],
                capture_output=True,
                text=True,
                check=True,
            )
            cold, warm, memory, _, kind = json.loads(done.stdout)
            print(f"{name:<14}{kind:<12}{cold:>11.1f} ms{warm:>7.1f} ms{memory:>7.1f} MB")
            if warm > MOST_MS or memory > MOST_MB:
                late.append(name)
            os.remove(path)
    if late:
        print(f"beyond {MOST_MS} ms or {MOST_MB} MB: {', '.join(late)}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
