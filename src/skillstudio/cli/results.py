"""Print a result in the requested format: to standard output, a file or the user's pager."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any

from skillstudio.cli.output import Paint, Result, UsageError, colours_wanted, print_json

if TYPE_CHECKING:
    from skillstudio.cli.arguments import Verb


def print_result(result: Result, verb: Verb, options: Any) -> None:
    """Print a result; with `--output-file` into that file. Raises UsageError."""
    if options.output_file:
        from skillstudio.files.saving.writer import write_file

        with redirect_stdout(StringIO()) as held:
            _print(result, verb, options)
        try:
            write_file(options.output_file, held.getvalue().encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise UsageError(f"{options.output_file}: {error.strerror or error}") from None
        return
    command = os.environ.get("PAGER", "").strip()
    if not command or command == "cat" or options.no_pager or not sys.stdout.isatty():
        _print(result, verb, options)
        return
    from skillstudio.cli.pager import Paged

    with Paged(sys.stdout, command) as paged, redirect_stdout(paged):
        _print(result, verb, options)


def _print(result: Result, verb: Verb, options: Any) -> None:
    wanted = getattr(options, "format", verb.formats[0])
    if wanted == "json":
        print_json(result.json())
    elif wanted == "text":
        _write(result.text(Paint(colours_wanted(sys.stdout))))
    elif wanted in verb.formats:
        from skillstudio.cli.formats.markdown import markdown

        _write(markdown(result.data(), verb.name))
    else:
        # A format is a module with `lines` or, for JSON of another shape, `value`.
        module = import_module(f"skillstudio.cli.formats.{verb.file}.{wanted}")
        if hasattr(module, "value"):
            print_json(module.value(result.data))
        else:
            _write(module.lines(result.data))


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
