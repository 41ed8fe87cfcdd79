"""Serve one editor."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from contextlib import suppress
from typing import BinaryIO

from pygls.io_ import StdoutWriter, run_async

from skillstudio.lsp.features import add_features
from skillstudio.lsp.greeting import Greeting, is_pipe
from skillstudio.lsp.pull import add_pull_diagnostics
from skillstudio.lsp.server import SkillServer, add_documents

_LONGEST_HEADER = 64 * 1024


class PipeWriter(StdoutWriter):
    """Ends the server when the editor has closed its end."""

    def write(self, data: bytes) -> None:
        """Write one message."""
        try:
            super().write(data)
        except BrokenPipeError:
            raise SystemExit from None


class PipeReader:
    """Messages from a pipe without a thread, which would wait for the worker at each line."""

    def __init__(self) -> None:
        self.stream = asyncio.StreamReader(_LONGEST_HEADER)

    async def readline(self) -> bytes:
        """One line; b"" at the end."""
        # A request takes the documents when it starts, which is before the next message is read.
        await asyncio.sleep(0)
        try:
            return await self.stream.readline()
        except ValueError:
            return b"\n"  # It is too long for a header.

    async def readexactly(self, size: int) -> bytes:
        """So many bytes; b"" if the end comes before."""
        try:
            return await self.stream.readexactly(size)
        except asyncio.IncompleteReadError:
            return b""


def make_server() -> SkillServer:
    """A server with all its features."""
    server = SkillServer()
    add_documents(server)
    add_pull_diagnostics(server)
    add_features(server)
    return server


def serve(stdin: BinaryIO, stdout: BinaryIO, greeting: Greeting) -> int:
    """Serve one editor; the exit status: 0 if it asked the server to shut down first."""
    # `report_server_error` reports what goes wrong; the library logs it with tracebacks as well.
    log = logging.getLogger("pygls")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    server = make_server()
    server.answered_id = greeting.answered_id
    try:
        if is_pipe(stdin):
            asyncio.run(_read_messages(server, stdin, stdout, greeting.data))
        else:
            server.start_io(stdin, stdout)
    except SystemExit:
        pass  # The message `exit`.
    except (BrokenPipeError, ValueError) as error:
        print(f"skillstudio: the editor has closed the connection: {error}", file=sys.stderr)
    finally:
        server.scan.cancel()
    return 0 if server.is_shut_down else 1


async def _read_messages(
    server: SkillServer, stdin: BinaryIO, stdout: BinaryIO, first_data: bytes
) -> None:
    reader = PipeReader()
    reader.stream.feed_data(first_data)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader.stream), stdin
    )
    server.protocol.set_writer(PipeWriter(stdout))
    with suppress(KeyboardInterrupt):
        await run_async(
            threading.Event(), reader, server.protocol,
            error_handler=server.report_server_error,
        )  # fmt: skip
