"""`skillstudio doctor`: check the environment."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata

from skillstudio import __version__
from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError, count
from skillstudio.text.safe import safe_text

LIBRARIES = (
    "textual",
    "PyYAML",
    "jsonschema-rs",
    "jsonschema",
    "tomlkit",
    "watchfiles",
    "Pygments",
    "platformdirs",
    "rfc8785",
    "Jinja2",
)
TOOLS = {
    "git": "revisions, --changed-since",
    "bd": "lock records its version",
    "tmux": "tests in a real terminal, for development",
}


def run(options: CommandOptions) -> Result:
    """Check the environment; exit status 1 if something that is required is missing."""
    if options.clean:
        return _clean(options.path)
    from skillstudio.cli.isolation import (
        find_leftovers,
        isolation_levels,
        isolation_rows,
        isolation_values,
    )

    levels = isolation_levels()
    left = find_leftovers()
    rows = [
        *_program(),
        *_libraries(),
        *_dialects(),
        *_terminal(),
        *_tools(),
        *isolation_rows(levels),
    ]
    if left:
        size = sum(each.size for each in left)
        note = "of killed runs; skillstudio doctor --clean removes them"
        rows.append(("leftovers", "some", f"{count(len(left), 'folder')}, {size:,} bytes", note))
    keys = ("name", "state", "found", "note")

    def text(_: object) -> Iterator[str]:
        from skillstudio.cli.formats.folding import folded, terminal_width

        gaps = {f"isolation level {each.id}": each.known_gaps for each in levels}
        yield from folded(_lines(rows, gaps), terminal_width())

    return Result(
        lambda: {
            "rows": [dict(zip(keys, row, strict=True)) for row in rows],
            "isolation_levels": isolation_values(levels),
            "leftovers": [each._asdict() for each in left],
        },
        text,
        PROBLEMS if any(row[1] == "missing" for row in rows) else OK,
    )


def _clean(folder: str) -> Result:
    """Remove leftovers; exit status 1 if one could not be removed."""
    from skillstudio.cli.applying import recover_applies
    from skillstudio.cli.isolation import clean
    from skillstudio.files.saving.leftovers import remove_leftovers

    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is not a folder")
    cleaned = clean()
    finished = recover_applies()
    files = remove_leftovers(folder)

    def lines(_: object) -> Iterator[str]:
        for each in cleaned.removed:
            yield safe_text(f"removed {each.folder}, {each.size:,} bytes")
        for folder, why in cleaned.failed:
            yield safe_text(f"not removed {folder}: {why}")
        yield from map(safe_text, finished)
        for file in files:
            path = os.path.normpath(file.path)
            yield safe_text(f"not removed {path}: {file.why}" if file.why else f"removed {path}")
        if not (cleaned.removed or cleaned.failed or finished or files):
            yield "no leftovers"

    return Result(
        lambda: {
            "removed": [each._asdict() for each in cleaned.removed],
            "failed": [{"folder": folder, "why": why} for folder, why in cleaned.failed],
            "files": [{"path": each.path, "why": each.why or None} for each in files],
            "finished": finished,
        },
        lines,
        PROBLEMS if cleaned.failed or any(each.why for each in files) else OK,
    )


Row = tuple[str, str, str, str]


def _lines(rows: Sequence[Row], gaps: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A line for each row, and one for each known gap of an isolation level."""
    width = max(len(row[0]) for row in rows)
    for name, state, found, note in rows:
        line = f"{state:<8} {name:<{width}}  {found}{'  ' + note if note else ''}"
        yield safe_text(line.rstrip())
        for gap in gaps.get(name, ()):
            yield f"{'':<9}known gap: {safe_text(gap)}"


def _dialects() -> Iterator[Row]:
    """The dialects of other packages."""
    from skillstudio.manifest.registry import registry

    known = registry()
    for each in known.dialects:
        if each.distribution:
            yield (f"dialect {each.id}", "ok", each.distribution, each.path)
    for sentence in known.unusable:
        yield ("dialects", "broken", sentence, "")


def _program() -> list[Row]:
    return [
        ("skillstudio", "ok", __version__, ""),
        ("python", "ok", platform.python_version(), sys.executable),
        ("system", "ok", platform.platform(), ""),
    ]


def _libraries() -> list[Row]:
    import yaml

    rows: list[Row] = []
    for name in LIBRARIES:
        try:
            rows.append((name, "ok", metadata.version(name), ""))
        except metadata.PackageNotFoundError:
            rs = name == "jsonschema-rs"
            note = "jsonschema is used instead, about 100 times slower" if rs else "reinstall"
            rows.append((name, "optional" if rs else "missing", "", note))
    fast = bool(yaml.__with_libyaml__)
    note = "" if fast else "YAML is read about 15 times slower; install PyYAML's wheel"
    rows.append(("libyaml", "ok" if fast else "slow", "present" if fast else "absent", note))
    return rows


def _terminal() -> list[Row]:
    size = shutil.get_terminal_size()
    terminal = sys.stdout.isatty()
    rows: list[Row] = [
        (
            "terminal",
            "ok" if terminal else "none",
            f"{os.environ.get('TERM', 'TERM is not set')}, {size.columns}×{size.lines}",
            "" if terminal else "the workbench needs one; all other commands work without",
        )
    ]
    if terminal and (size.columns < 60 or size.lines < 16):
        rows.append(("size", "small", f"{size.columns}×{size.lines}", "the workbench needs 60×16"))
    if os.environ.get("NO_COLOR"):
        rows.append(("NO_COLOR", "ok", "set", "no colours"))
    return rows


def _tools() -> list[Row]:
    rows: list[Row] = []
    for name, use in TOOLS.items():
        found = shutil.which(name)
        rows.append((name, "ok" if found else "optional", found or "", "" if found else use))
    return rows
