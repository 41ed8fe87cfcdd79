"""`skillstudio config`: list the workbench's keys or themes, or print a JSON Schema."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError, json_text, say
from skillstudio.files.state import config_folder
from skillstudio.present.lines import StyledTable, table
from skillstudio.resources import folder
from skillstudio.session.commands.commands import COMMANDS
from skillstudio.session.commands.keymap import (
    Keymap,
    all_shown,
    default_keymap,
    read_keymap,
    sample_keymap,
)
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, decode

OUTPUTS = os.path.join(os.path.dirname(__file__), "schemas")
"""The folder of the schemas of what commands print as JSON, a file for each."""
_SUFFIX = ".json"
_KEYMAP = "keymap.yaml"


def run(options: CommandOptions) -> Result:
    """Print them; exit status 1 if one of the user's files has problems. Raises UsageError."""
    if options.action == "schema":
        return _schema(options)
    if options.dialect is not None:
        raise UsageError(f"unexpected argument {options.dialect}")
    return _themes() if options.action == "themes" else _keys(options)


def schema_files() -> dict[str, str]:
    """The schemas of other files of authors, and of what commands print as JSON, by name."""
    from skillstudio.dryrun.sampling import samples
    from skillstudio.settings import read

    outputs = {
        file.removesuffix(_SUFFIX): os.path.join(OUTPUTS, file)
        for file in sorted(os.listdir(OUTPUTS))
        if file.endswith(_SUFFIX)
    }
    return {"sample": samples.SCHEMA, "settings": read.SCHEMA, **outputs}


def output_schema(verb: str) -> str:
    """The name of the schema of what a command prints as JSON."""
    # The name of the command is that of another file of authors.
    return "sample-output" if verb == "sample" else verb


def _schema(options: CommandOptions) -> Result:
    from skillstudio.manifest.registry import dialect, dialects, schema_of
    from skillstudio.schema.bundle import read_bundled

    files = schema_files()
    names = [*(known_dialect.id for known_dialect in dialects()), *files]
    if options.dialect is None:
        raise UsageError(f"config schema needs a NAME: {', '.join(names)}")
    schema: Any
    if options.dialect in files:
        schema = read_bundled(files[options.dialect])
    elif (named_dialect := dialect(options.dialect)) is None:
        raise unknown("manifest format", options.dialect, names)
    elif options.part != "manifest" and options.part not in named_dialect.parts:
        raise unknown(
            f"part of {named_dialect.id}:", options.part, ["manifest", *named_dialect.parts]
        )
    else:
        schema = schema_of(named_dialect, options.part)
    return Result(
        lambda: schema,
        lambda _: [json_text(schema, 2 if sys.stdout.isatty() else None)],
        has_version=False,
    )


def _keys(options: CommandOptions) -> Result:
    if options.sample:
        sample = sample_keymap()
        return Result(lambda: {"sample": sample}, lambda _: sample.splitlines())
    keymap = _keymap(options.keymap)
    for problem in keymap.problems:
        say(f"{keymap.path}:{problem.line}:{problem.column}: {problem.message}")
    status = PROBLEMS if keymap.problems else OK
    fields = ("id", "title", "category", "help", "keys", "context", "twin")
    value = [
        {field: getattr(command, field) for field in fields} | {"keys": keymap.keys[command.id]}
        for command in COMMANDS
    ]
    return Result(
        lambda: {"commands": value},
        lambda _: _keys_lines(keymap),
        status,
        lambda: _keys_table(keymap),
    )


def _keys_table(keymap: Keymap) -> Iterator[StyledTable]:
    rows = (
        (command.id, ", ".join(keymap.keys[command.id]), command.help, command.twin or "")
        for command in COMMANDS
    )
    yield from table(("command", "keys", "what", "on the command line"), rows)


def _keys_lines(keymap: Keymap) -> Iterator[str]:
    width = max(len(command.id) for command in COMMANDS)
    keys = {command.id: all_shown(keymap.keys[command.id]) for command in COMMANDS}
    wide = max(map(len, keys.values()))
    for command in COMMANDS:
        yield f"{command.id:<{width}}  {keys[command.id]:<{wide}}  {command.help}"


def _keymap(file: str | None) -> Keymap:
    path = file or os.path.join(config_folder(), _KEYMAP)
    if file is None and not os.path.isfile(path):
        return default_keymap()
    with open(path, "rb") as stream:
        text, _ = decode(stream.read())
    return read_keymap(Source(text, path))


def _themes() -> Result:
    from skillstudio.session.themes import read_themes

    user_folder = os.path.join(config_folder(), "themes")
    themes, faults = read_themes([folder("themes"), user_folder])
    say(*map(str, faults))

    def value() -> dict[str, Any]:
        values = [
            {"name": theme.name, "title": theme.title, "dark": theme.dark, "path": theme.path}
            for theme in themes.values()
        ]
        return {"themes": values, "folder": user_folder}

    def lines(_: object) -> Iterator[str]:
        width = max((len(name) for name in themes), default=0)
        for theme in themes.values():
            kind = "terminal" if theme.terminal else "dark" if theme.dark else "light"
            yield f"{safe_text(theme.name):<{width}}  {kind:<8}  {safe_text(theme.title)}"
        yield f"your own themes: {safe_text(user_folder)}"

    return Result(value, lines, PROBLEMS if faults else OK)
