"""`skillstudio doctor`: check the environment."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata

from skillstudio import __version__
from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.environment import VARIABLES
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError
from skillstudio.cli.painting import parts_result
from skillstudio.cli.systems import SYSTEMS, Ability, abilities, this_system
from skillstudio.dryrun.isolation import canary
from skillstudio.dryrun.isolation.known_gaps import network_gaps
from skillstudio.dryrun.isolation.levels import TITLES, IsolationLevel, probe_isolation
from skillstudio.dryrun.isolation.remembered import forget
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.planning.requirements import check
from skillstudio.dryrun.planning.run_inputs import this_machine
from skillstudio.dryrun.staging.leftovers import Leftover, leftovers
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.files.folders import remove
from skillstudio.interface.model import Requirement
from skillstudio.manifest.registry import registry
from skillstudio.present.lines import LineStyle, StyledLine, count
from skillstudio.text.safe import safe_text

DoctorRow = tuple[str, str, str, str]  # Name, state, what was found, and a note.

_STATES = ("missing", "broken", "slow", "small", "some", "none", "optional")
"""The states of rows that are not `ok`, the worst first."""
_DIALECT = "dialect "  # The start of the names of installed dialects.
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
    "packaging",
)
TOOLS = {
    "git": "needed for revisions and --changed-since",
    "bd": "lock records its version",
    "tmux": "needed for tests in a real terminal",
}
_PROGRAMS = {
    "bwrap": "needed for isolation level isolated; install the package bubblewrap",
}


def run(options: CommandOptions) -> Result:
    """Check the environment; exit status 1 if something that is required is missing."""
    if options.clean:
        return _clean(options.path)
    forget()
    levels = probe_isolation().all
    leftovers = _leftovers()
    table = abilities(levels)
    rows = [*_program(), *_libraries(), *_dialects(), *_terminal(), *_tools()]
    rows += [*_isolation(levels), *_abilities(table)]
    if leftovers:
        size = sum(leftover.size for leftover in leftovers)
        note = "of killed runs; skillstudio doctor --clean removes them"
        rows.append(
            ("leftovers", "some", f"{count(len(leftovers), 'folder')}, {size:,} bytes", note)
        )
    return parts_result(
        lambda: {
            "rows": [
                dict(zip(("name", "state", "found", "note"), row, strict=True)) for row in rows
            ],
            "isolation_levels": [
                {
                    **level._asdict(),
                    "title": TITLES[level.id],
                    "reason": level.reason or None,
                    "known_gaps": _gaps(level),
                }
                for level in levels
            ],
            "leftovers": [leftover._asdict() for leftover in leftovers],
            "system": this_system(),
            "abilities": [
                {"id": ability.id, **ability.on, "here": ability.here, "instead": ability.instead}
                for ability in table
            ],
        },
        lambda: _parts(rows, levels, table if options.verbose else [], options),
        PROBLEMS if any(row[1] == "missing" for row in rows) else OK,
    )


def _parts(
    rows: list[DoctorRow],
    levels: tuple[IsolationLevel, ...],
    table: list[Ability],
    options: CommandOptions,
) -> Iterator[StyledLine]:
    """What is missing or failed, the isolation levels, then the settings and dialects of this
    machine; `verbose` adds everything else, and `quiet` prints only the former. Below a row is
    what the systems offer of it, by `table`."""
    verbose, quiet = options.verbose, options.quiet
    gaps = {_row_name(level): _gaps(level) for level in levels}
    faults = [row for row in rows if row[1] != "ok" and row[0] not in gaps]
    ok_rows = [row for row in rows if row[1] == "ok" and row[0] not in gaps]
    machine_rows = [row for row in ok_rows if row[0] in VARIABLES or row[0].startswith(_DIALECT)]
    width = max(len(row[0]) for row in rows)
    systems = {ability.id: _systems(ability) for ability in table}
    for row in sorted(faults, key=lambda row: _STATES.index(row[1])):
        yield _line(row, width)
        yield from systems.get(row[0], ())
    for name, state, value, note in (row for row in rows if row[0] in gaps):
        if quiet and state == "ok":
            continue
        number = count(len(gaps[name]), "known gap") if gaps[name] else ""
        yield _line((name, state, value, note or number), width)
        yield from systems.get(name, ())
        for gap in gaps[name] if verbose else ():
            yield StyledLine(f"known gap: {gap}", indent=5)
    if quiet:
        return
    for row in ok_rows if verbose else machine_rows:
        yield _line(row, width)
        yield from systems.get(row[0], ())
    if not verbose:
        advice = "-v lists them and the known gaps"
        yield _line((f"{len(ok_rows) - len(machine_rows)} more", "ok", advice, ""), width)


def _systems(ability: Ability) -> list[StyledLine]:
    text = " · ".join(f"{SYSTEMS[system]}: {value}" for system, value in ability.on.items())
    return [StyledLine(text, "quiet", indent=5)]


def _abilities(table: list[Ability]) -> Iterator[DoctorRow]:
    """What this machine offers besides the isolation levels, which have their own rows."""
    for ability in table:
        if ability.id.startswith("isolation level "):
            continue
        state = {"yes": "ok", "no": "none"}.get(ability.here, "some")
        value = "" if ability.here in ("yes", "no") else ability.here
        yield (ability.id, state, value, "" if state == "ok" else ability.instead)


def _line(row: DoctorRow, width: int) -> StyledLine:
    name, state, value, note = row
    style: LineStyle = "error" if state in ("missing", "broken") else ""
    text = f"{name:<{width}}  {'  '.join(filter(None, (value, note)))}".rstrip()
    return StyledLine(text, style, lead=f"{state:<9}")


def _row_name(level: IsolationLevel) -> str:
    return f"isolation level {level.id}"


def _gaps(level: IsolationLevel) -> tuple[str, ...]:
    """Every known gap of a level, and those of runs that reach hosts."""
    return (*level.known_gaps, *network_gaps(level.id, "hosts"))


def _clean(folder: str) -> Result:
    from skillstudio.dryrun.applying.apply import find_interrupted_apply
    from skillstudio.files.saving.in_place import finish_all
    from skillstudio.files.saving.leftovers import remove_leftovers

    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is not a folder")
    removed_leftovers: list[Leftover] = []
    failures: list[dict[str, str]] = []
    for leftover in _leftovers():
        try:
            remove(leftover.folder)
            removed_leftovers.append(leftover)
        except FileNotFoundError:
            # Its own run, or another doctor --clean, removed it first.
            continue
        except OSError as error:
            failures.append({"folder": leftover.folder, "why": error.strerror or str(error)})
    recovery_notes = [*finish_all(), *filter(None, [find_interrupted_apply()])]
    files = remove_leftovers(folder)
    lines = [
        f"removed {leftover.folder}, {leftover.size:,} bytes" for leftover in removed_leftovers
    ]
    lines += [f"not removed {failure['folder']}: {failure['why']}" for failure in failures]
    lines += recovery_notes
    for file in files:
        path = os.path.normpath(file.path)
        lines.append(f"not removed {path}: {file.why}" if file.why else f"removed {path}")
    return Result(
        lambda: {
            "removed": [leftover._asdict() for leftover in removed_leftovers],
            "failed": failures,
            "files": [{"path": file.path, "why": file.why or None} for file in files],
            "finished": recovery_notes,
        },
        lambda _: map(safe_text, lines or ["no leftovers"]),
        PROBLEMS if failures or any(file.why for file in files) else OK,
    )


def _leftovers() -> list[Leftover]:
    import tempfile

    return [*leftovers(copies_folder()), *leftovers(tempfile.gettempdir(), canary.PREFIX)]


def _dialects() -> Iterator[DoctorRow]:
    for dialect in registry().dialects:
        if dialect.distribution:
            yield (f"{_DIALECT}{dialect.id}", "ok", dialect.distribution, dialect.path)
    for sentence in registry().unusable:
        yield ("dialects", "broken", sentence, "")


def _program() -> Iterator[DoctorRow]:
    yield ("skillstudio", "ok", __version__, "")
    yield ("python", "ok", platform.python_version(), sys.executable)
    yield ("system", "ok", platform.platform(), "")


def _libraries() -> Iterator[DoctorRow]:
    import yaml

    for name in LIBRARIES:
        rs = name == "jsonschema-rs"
        note = "jsonschema is used instead, about 100 times slower" if rs else "reinstall"
        yield _package(name, "optional" if rs else "missing", note)
    fast = bool(yaml.__with_libyaml__)
    note = "" if fast else "YAML is read about 15 times slower; install PyYAML's wheel"
    yield ("libyaml", "ok" if fast else "slow", "present" if fast else "absent", note)


def _package(name: str, absent: str, note: str) -> DoctorRow:
    """The row of a Python package; its state if it is absent, and the note then."""
    try:
        return (name, "ok", metadata.version(name), "")
    except metadata.PackageNotFoundError:
        return (name, absent, "", note)


def _terminal() -> Iterator[DoctorRow]:
    size = shutil.get_terminal_size()
    shape = f"{size.columns}×{size.lines}"
    terminal = sys.stdout.isatty()
    note = "" if terminal else "the workbench needs one; all other commands work without"
    kind = os.environ.get("TERM", "TERM is not set")
    yield ("terminal", "ok" if terminal else "none", f"{kind}, {shape}", note)
    if terminal and (size.columns < 60 or size.lines < 16):
        yield ("size", "small", shape, "the workbench needs 60×16")
    for name, about in VARIABLES.items():
        if value := os.environ.get(name):
            yield (name, "ok", safe_text(value), about)


def _tools() -> Iterator[DoctorRow]:
    for name, use in TOOLS.items():
        path = shutil.which(name)
        yield (name, "ok" if path else "optional", path or "", "" if path else use)


def _isolation(levels: tuple[IsolationLevel, ...]) -> Iterator[DoctorRow]:
    for level in levels:
        state = "ok" if level.available else "none"
        yield (_row_name(level), state, TITLES[level.id], level.reason)
    abi = probe_isolation().host.landlock
    note = "" if abi else "needed for isolation level confined; Linux 5.13 and later have it"
    yield ("landlock", "ok" if abi else "none", f"ABI {abi}" if abi else "", note)
    programs = [Requirement("command", name, minimum="0") for name in _PROGRAMS]
    for program in check(programs, this_machine(), Roots(os.getcwd(), os.getcwd())):
        if program.state == "missing":
            yield (program.name, "optional", program.found, _PROGRAMS[program.name])
        else:
            yield (program.name, "ok", program.found, "")
    note = "needed for isolation level wasm; install skillstudio[wasm]"
    yield _package("wasmtime", "optional", note)
    note = "needed to record and replay https; install skillstudio[network]"
    yield _package("trustme", "optional", note)
    web = "needed for skillstudio serve; install skillstudio[web]"
    yield _package("textual-serve", "optional", web)
    yield _package("pillow", "optional", "needed for pictures; install skillstudio[images]")
    yield _package("pygls", "optional", "needed for skillstudio lsp; install skillstudio[lsp]")
    yield _package("mcp", "optional", "needed for skillstudio mcp; install skillstudio[mcp]")
