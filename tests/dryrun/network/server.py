"""Servers of this machine that tests fetch from, and the way into a proxy without a sandbox."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from skillstudio.dryrun.network.proxy import Proxy

Answer = tuple[int, dict[str, str], bytes]


@contextmanager
def serving(
    answer: Callable[[str, str, bytes], Answer], context: ssl.SSLContext | None = None
) -> Iterator[int]:
    """A server whose answers depend on method, path and body; its port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, headers, sent = answer(self.command, self.path, body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_POST = do_GET  # noqa: N815 - named after the method

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def inside(proxy: Proxy) -> Iterator[list[int]]:
    """Do what the launcher does in the network namespace of a program: the ports of the proxy and
    of the services that it passes on, here of the machine itself."""
    with proxy.step() as network:
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in network.ports]
        ports = [each.getsockname()[1] for each in listeners]
        with socket.socket(fileno=socket.dup(network.fd)) as out:
            socket.send_fds(out, [b"n"], [each.fileno() for each in listeners])
        for each in listeners:
            each.close()
        yield ports


def ask(
    port: int, url: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """The answer of a proxy at a port."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, url, body, headers)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()
