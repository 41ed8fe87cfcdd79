"""Serve one editor."""

from __future__ import annotations

import logging
import sys
from typing import BinaryIO

from skillstudio.lsp.features import add_features
from skillstudio.lsp.server import SkillServer, add_documents


def make_server() -> SkillServer:
    """A server with all its features."""
    server = SkillServer()
    add_documents(server)
    add_features(server)
    return server


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve one editor; the exit status: 0 if it asked the server to shut down first."""
    # `report_server_error` reports what goes wrong; the library logs it with tracebacks as well.
    log = logging.getLogger("pygls")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    server = make_server()
    try:
        server.start_io(stdin, stdout)
    except (BrokenPipeError, ValueError) as error:
        print(f"skillstudio: the editor has closed the connection: {error}", file=sys.stderr)
    finally:
        server.worker.shutdown(wait=False, cancel_futures=True)
    return 0 if server.is_shut_down else 1
