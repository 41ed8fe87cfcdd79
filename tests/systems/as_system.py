"""skillstudio as another system has it: `as_system.py SYSTEM ARGUMENT...`."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2])]
    from tests.systems.removal import remove_linux

    remove_linux(sys.argv[1])
    from skillstudio.cli.main import main

    sys.exit(main(sys.argv[2:]))
