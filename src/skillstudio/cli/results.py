"""Print a result in the requested format: to standard output, a file or the user's pager."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

from skillstudio.cli.output import Paint, Result, UsageError, colours_wanted, print_json

if TYPE_CHECKING:
    from skillstudio.cli.arguments import Verb


def print_result(result: Result, verb: Verb, options: Any) -> None:
    """Print a result; with `--output-file` into that file. Raises UsageError."""
    if options.output_file:
        from skillstudio.files.saving.writer import write_file

        held, sys.stdout = sys.stdout, StringIO()
        try:
            _print(result, verb, options)
            text = sys.stdout.getvalue()
        finally:
            sys.stdout = held
        try:
            write_file(options.output_file, text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise UsageError(f"{options.output_file}: {error.strerror or error}") from None
        return
    command = os.environ.get("PAGER", "").strip()
    if not command or command == "cat" or options.no_pager or not sys.stdout.isatty():
        _print(result, verb, options)
        return
    from skillstudio.cli.pager import Paged

    held = sys.stdout
    with Paged(held, command) as paged:
        sys.stdout = paged
        try:
            _print(result, verb, options)
        finally:
            sys.stdout = held


def _print(result: Result, verb: Verb, options: Any) -> None:
    wanted = getattr(options, "format", verb.formats[0])
    if wanted == "json":
        print_json(result.json())
    elif wanted == "text":
        _write(result.text(Paint(colours_wanted(sys.stdout))), sys.stdout)
    elif wanted in verb.formats:
        from skillstudio.cli.formats.markdown import markdown

        _write(markdown(result.data(), verb.name), sys.stdout)
    else:
        # A format is a module with `lines` or, for JSON of another shape, `value`.
        module = import_module(f"skillstudio.cli.formats.{verb.file}.{wanted}")
        if hasattr(module, "value"):
            print_json(module.value(result.data))
        else:
            _write(module.lines(result.data), sys.stdout)


def _write(lines: Iterable[str], out: TextIO) -> None:
    for line in lines:
        out.write(f"{line}\n")
