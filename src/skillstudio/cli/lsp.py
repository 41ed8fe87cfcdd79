"""`skillstudio lsp`: the language server on standard input and output."""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import find_spec

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import PackageMissing, UsageError


def run(_: CommandOptions) -> int:
    """Serve one editor until it exits. Raises CommandRefused, UsageError."""
    if find_spec("pygls") is None:
        raise PackageMissing("pygls is not installed: `pip install 'skillstudio[lsp]'`")
    if sys.stdin.isatty():
        raise UsageError("an editor starts this command; docs/editors.md has its configuration")
    # The worker computes; the message loop must not wait long for the interpreter.
    sys.setswitchinterval(0.0005)
    # Only messages may be written to standard output, and only the server may read the input.
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    from skillstudio.lsp.greeting import greet

    greeting = greet(stdin, stdout)
    from skillstudio.lsp.serve import serve

    # A command runs without collecting garbage; a server runs for days.
    gc.enable()
    return serve(stdin, stdout, greeting)
