"""Our engine in a process of its own: everything that changed between two versions of a skill.

`python engine.py OLD NEW` prints the milliseconds of processor time of the one comparison, which is
the first, so that nothing is remembered of an earlier one; without the start and the reading of the
files.
"""

from __future__ import annotations

import sys
import time

from skillstudio.files.disk import DiskTree
from skillstudio.interface.compare import compare
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.project import project
from skillstudio.skill.analysis import analyse


def main() -> None:
    old, new = (project(analyse(DiskTree(folder)).skill) for folder in sys.argv[1:3])
    begin = time.process_time()
    found = compare(old, new, all_kinds())
    milliseconds = (time.process_time() - begin) * 1000
    if not found:
        sys.exit("nothing was found, so nothing was measured")
    print(milliseconds)


if __name__ == "__main__":
    main()
