"""Print a result in the requested format: to standard output, a file or the user's pager."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any

from skillstudio.cli.lists import MOST_LISTED
from skillstudio.cli.output import Paint, Result, UsageError, colours_wanted, print_json

if TYPE_CHECKING:
    from skillstudio.cli.arguments import Verb

_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}
FORMAT_VERSION = 1
"""The version of the JSON of all commands: a new one if a key is removed or means something else;
keys may be added at any time."""


def print_result(result: Result, verb: Verb, options: Any) -> None:
    """Print a result; with `--output-file` into that file. Raises UsageError."""
    if options.output_file and options.output_file != "-":
        if options.color == "auto":  # What forces colours is meant for logs, not for files.
            options.color = "never"
        with redirect_stdout(StringIO()) as buffer:
            _print(result, verb, options)
        try:
            _write_file(options.output_file, buffer.getvalue().encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise UsageError(f"{options.output_file}: {error.strerror or error}") from None
        return
    command = os.environ.get("PAGER", "").strip()
    if not command or command == "cat" or options.no_pager or not sys.stdout.isatty():
        _print(result, verb, options)
        return
    from skillstudio.cli.pager import PagedOutput

    with PagedOutput(sys.stdout, command) as paged_output, redirect_stdout(paged_output):
        _print(result, verb, options)


def _print(result: Result, verb: Verb, options: Any) -> None:
    format_name = getattr(options, "format", verb.formats[0])
    if format_name == "json":
        value = result.json()
        is_own = isinstance(value, dict) and result.has_version
        print_json({"format_version": FORMAT_VERSION, **value} if is_own else value)
    elif format_name == "text":
        _write(result.text(Paint(colours_wanted(sys.stdout, options.color))))
    elif format_name == "markdown":
        from skillstudio.present.markdown import markdown

        if result.parts is None:
            raise UsageError(f"{verb.name} has no format markdown for this")
        _write(markdown(result.parts(), verb.file))
    elif result.annotations is not None:
        # A format is a module with `lines` or, for JSON of another shape, `value`.
        module = import_module(f"skillstudio.cli.formats.{format_name}")
        log = result.annotations(getattr(module, "MOST", MOST_LISTED))
        if hasattr(module, "value"):
            print_json(module.value(log))
        else:
            _write(module.lines(log))


def _write_file(path: str, data: bytes) -> None:
    descriptor = _DESCRIPTORS.get(path)
    if descriptor is not None:  # It may be a file that other programs write to.
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(data)
        return
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        with open(path, "wb") as file:  # A device or a pipe.
            file.write(data)
        return
    from skillstudio.files.saving.writer import write_file

    write_file(path, data)


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
