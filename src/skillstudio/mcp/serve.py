"""Serve one client on standard input and output."""

from __future__ import annotations

import logging
import signal
from contextlib import suppress

import anyio
from mcp.server.stdio import stdio_server

from skillstudio.mcp.server import ServerOptions, make_server


def serve(options: ServerOptions) -> int:
    """Serve until the client closes standard input or ends this program; the exit status."""
    # What goes wrong is in the answers; the library logs it with tracebacks as well.
    log = logging.getLogger("mcp")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    try:
        anyio.run(_serve, options)
    except BaseExceptionGroup as group:
        # The client went away while something was being written to it.
        if group.split((OSError, anyio.BrokenResourceError, anyio.ClosedResourceError))[1]:
            raise
    return 0


async def _serve(options: ServerOptions) -> None:
    server = make_server(options)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, tasks.cancel_scope)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _stop_on_signal(scope: anyio.CancelScope) -> None:
    """Let a signal end the server with all commands that it started."""
    # Windows has no handlers for signals: Ctrl-C raises KeyboardInterrupt there.
    with (
        suppress(NotImplementedError),
        anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals,
    ):
        async for _ in signals:
            scope.cancel()
            return
