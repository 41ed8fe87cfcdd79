"""Draw the workbench's screens as SVG files: `python -m screenshots.draw` in the checkout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from screenshots.draw import recording, screens, views


def main(argv: Sequence[str] | None = None) -> int:
    """Draw every screen and view and print the path of each file."""
    parser = argparse.ArgumentParser(prog="screenshots.draw", description=__doc__)
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        default=Path(__file__).parents[1],
        help="folder for the files (default: screenshots/ of this checkout)",
    )
    output = parser.parse_args(argv).output
    for draw in (screens.draw, views.draw_views, recording.draw_recordings):
        for name, svg in draw():
            path = output / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(svg, encoding="utf-8", newline="\n")
            print(path, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
