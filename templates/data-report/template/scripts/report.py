#!/usr/bin/env python3
"""Describe the columns of a CSV file in Markdown.

usage: report.py DATA --output FILE
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path


def number(text: str) -> float | None:
    """Return the number in a cell, or None."""
    try:
        return float(text)
    except ValueError:
        return None


def describe(name: str, cells: list[str]) -> list[str]:
    """Return one line of the report: filled cells and values of a column."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    numbers = [number(cell) for cell in filled]
    known = [each for each in numbers if each is not None]
    values = f"{len(set(filled))} different"
    if filled and len(known) == len(filled):
        mean = sum(known) / len(known)
        values += f", {min(known):g} to {max(known):g}, mean {mean:.4g}"
    return [name, f"{len(filled)} of {len(cells)}", values]


def report(path: Path) -> str:
    """Return the report. Raises ValueError for a missing header or a row of another length."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file, strict=True) if row]
    if not rows:
        raise ValueError("the file has no header line")
    headings, *body = rows
    for count, row in enumerate(body, 1):
        if len(row) != len(headings):
            raise ValueError(f"row {count} has {len(row)} cells, the header has {len(headings)}")
    lines = [
        f"# {path.name}",
        "",
        f"{len(body)} rows, {len(headings)} columns.",
        "",
        "| column | filled | values |",
        "|---|---|---|",
    ]
    for at, heading in enumerate(headings):
        cells = describe(heading.strip(), [row[at] for row in body])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Describe the columns of a CSV file in Markdown.")
    parser.add_argument("data", type=Path, help="the CSV file")
    parser.add_argument("--output", type=Path, required=True, help="the report to write")
    options = parser.parse_args(arguments)
    try:
        text = report(options.data)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(text, encoding="utf-8")
    except (OSError, ValueError, csv.Error) as error:
        print(f"{options.data}: {error}", file=sys.stderr)
        return 1
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
