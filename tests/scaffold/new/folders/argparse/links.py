#!/usr/bin/env python3
"""List the relative links of Markdown files that lead nowhere.

The exit status is 1 when there are any.
"""

import argparse
import json
import re
import sys
from pathlib import Path

ENDING = ".md"


def broken(file: Path) -> list[str]:
    """The links of one file that lead to no file."""
    links = re.findall(r"\]\(([^)#\s]+)", file.read_text(encoding="utf-8"))
    return [link for link in links if "://" not in link and not (file.parent / link).exists()]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description="List the relative links that lead nowhere.")
    add = made.add_argument
    add("folder", type=Path, help="the folder to look through")
    add("--ending", default=ENDING, help="how the names of the files end (%(default)s)")
    group = made.add_argument_group("output")
    group.add_argument("--limit", type=int, default=20, help="how many to list at most")
    group.add_argument("--format", choices=("text", "json"), default="text")
    add("-q", "--quiet", action="store_true", help="say nothing, set the exit status only")
    add("--skip", action="append", help="a name to pass over; may be given again")
    add("--version", action="version", version="1.0")
    return made


def main() -> int:
    options = parser().parse_args()
    found = {
        str(file): links
        for file in sorted(options.folder.rglob(f"*{options.ending}"))
        if file.name not in (options.skip or []) and (links := broken(file))
    }
    if options.format == "json":
        print(json.dumps(dict(list(found.items())[: options.limit])))
    elif not options.quiet:
        for file, links in list(found.items())[: options.limit]:
            print(file, *links)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
