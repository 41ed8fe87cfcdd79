"""`skillstudio serve`: the workbench in a browser on this machine."""

from __future__ import annotations

import asyncio
import gc
import os
from importlib.util import find_spec

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import PackageMissing, UsageError


def run(options: CommandOptions) -> int:
    """Serve until it is interrupted; its exit status. Raises CommandRefused, UsageError."""
    path = options.path
    if path is not None and not os.path.exists(path):
        raise UsageError(f"{path}: no such file or folder")
    if find_spec("textual_serve") is None:
        raise PackageMissing("textual-serve is not installed: `pip install 'skillstudio[web]'`")
    from skillstudio.web.server import HOST, WorkbenchServer

    port = options.port or 0
    # A command runs without collecting garbage; a server runs for days.
    gc.enable()
    arguments = ["open"] if path is None else ["open", "--", path]
    name = "" if path is None else os.path.basename(os.path.abspath(path))
    try:
        server = WorkbenchServer(
            arguments, f"{name} · skillstudio" if name else "skillstudio", port
        )
    except OSError as error:
        raise UsageError(
            f"cannot listen on {HOST}:{port}: {error.strerror or error}; "
            "choose another --port, or omit it"
        ) from None

    def print_url() -> None:
        print(server.url, flush=True)

    asyncio.run(server.serve(print_url))
    return OK
