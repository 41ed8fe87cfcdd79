"""The HTTP proxy of a run. It runs outside of the program's network namespace and is all that the
program reaches.

The launcher, which is inside, opens listening sockets on the loopback of that namespace and passes
them out: a socket belongs to the namespace that it was created in. So no process and no socket in a
file is needed for the way out, and connections to hosts are made by skillstudio itself.
"""

from __future__ import annotations

import ipaddress
import select
import socket
import ssl
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from skillstudio.dryrun.network.choice import ADDRESS, AT_ONCE, PORT, host_pattern
from skillstudio.dryrun.network.exchanges import (
    LARGEST_BODY,
    LARGEST_FILE,
    MOST,
    Exchange,
    Mask,
    NotApart,
    exchange_of,
    masked_url,
    request_key,
)
from skillstudio.dryrun.plan import NetworkChoice
from skillstudio.dryrun.prepared import StepNetwork
from skillstudio.dryrun.report import Event

if TYPE_CHECKING:
    import trustme

_PATIENCE = 30.0  # Seconds that a host has to answer.
_LAST = 2.0  # Seconds that connections have to end after the program.
_MOST_CONNECTIONS = 64
_MOST_EVENTS = 1_000
_MOST_PROBLEMS = 10
_LARGEST_REQUEST = 8 << 20  # Bytes of the body of a request.
_CHUNK = 1 << 16
_HOPS = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "upgrade"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "expect"),
    }
)
"""Headers for one connection only (RFC 9110, section 7.6.1)."""
_PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
_DIRECT = "localhost,127.0.0.1,::1"
_CERTIFICATES = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    *("GIT_SSL_CAINFO", "PIP_CERT"),
)
NOT_NAMED = "not named with --net"
NOT_RECORDED = "no recorded response"
_NOT_APART = (
    "{}: only a sensitive value in the address or body tells a request from others, so its "
    "response can be neither recorded nor replayed"
)
_NO_TLS = "https needs the extra `network`: pip install 'skillstudio[network]'"


class Unreachable(Exception):
    """Why a host is not connected to: a few words."""


class Proxy:
    """The network of one pass: what a program may reach, and what it tried to reach."""

    def __init__(
        self, choice: NetworkChoice, recorded_exchanges: Sequence[Exchange] = (), mask: Mask = bytes
    ) -> None:
        """`recorded_exchanges` are the responses of `replay`; `mask` masks sensitive values."""
        self.mode = choice.mode
        self.mask = mask
        self.hosts = [host_pattern(host) for host in choice.hosts]
        self._events: dict[Event, None] = {}
        self._unnamed_count = 0  # Attempts beyond the limit.
        self.exchanges: list[Exchange] = []
        self.answer_count = 0  # Requests answered from recorded responses.
        self._problems: dict[str, None] = {}
        self._recorded_exchanges: dict[tuple[str, str, str], list[Exchange]] = defaultdict(list)
        for exchange in recorded_exchanges:
            # Written by hand, or before parameters were masked by their name.
            with suppress(NotApart):
                url = masked_url(exchange.url, mask)
                self._recorded_exchanges[exchange.method, url, exchange.request_digest].append(
                    exchange
                )
        self._unmasked_digests: dict[tuple[str, str, str], bytes] = {}
        """A request to the digest of what it was before sensitive values were masked."""
        self._size = 0
        self._lock = threading.Lock()
        self._authority = _authority() if choice.mode in ("record", "replay") else None
        services = [pattern.port for pattern in self.hosts if pattern.is_service]
        if choice.mode == "replay":
            urls = [urlsplit(exchange.url) for exchange in recorded_exchanges]
            services = [url.port for url in urls if url.hostname == "127.0.0.1"]
        # Privileged ports cannot be opened, and the recording may come from anyone.
        self._services = [port for port in dict.fromkeys(services) if port and port >= 1024]

    @property
    def events(self) -> tuple[Event, ...]:
        """Every distinct attempt to reach a host, up to a limit."""
        return tuple(self._events)

    @property
    def problems(self) -> tuple[str, ...]:
        """What prevents the run from being complete, a sentence each."""
        excess_notes = [f"{self._unnamed_count:,} more attempts to reach hosts are not named"]
        return (*self._problems, *(excess_notes if self._unnamed_count else ()))

    def environment(self, certificates: str) -> dict[str, str]:
        """The variables that lead programs to the proxy; `certificates` is the path of a file with
        `certificate`, or ""."""
        variables = dict.fromkeys(_PROXIES, f"http://{ADDRESS}")
        variables |= {
            "no_proxy": _DIRECT,
            "NO_PROXY": _DIRECT,
            "NODE_USE_ENV_PROXY": "1",
            **AT_ONCE,
        }
        return variables | (dict.fromkeys(_CERTIFICATES, certificates) if certificates else {})

    @property
    def certificate(self) -> bytes:
        """The certificate of the run's own authority for https, which only this run has."""
        return self._authority.cert_pem.bytes() if self._authority else b""

    @contextmanager
    def step(self) -> Iterator[StepNetwork]:
        """Serve one step, whose launcher passes its sockets to the descriptor."""
        ours, theirs = socket.socketpair()
        wake, woken = socket.socketpair()
        open_ = _Connections()
        server = threading.Thread(target=self._serve, args=(ours, wake, open_), daemon=True)
        server.start()
        try:
            with theirs:
                yield StepNetwork(theirs.fileno(), (PORT, *self._services))
        finally:
            with suppress(OSError):
                ours.shutdown(socket.SHUT_RDWR)
            woken.close()
            server.join(_LAST)
            open_.close()
            for end in (ours, wake):
                end.close()

    def _serve(self, ours: socket.socket, wake: socket.socket, open_: _Connections) -> None:
        """Accept connections until the step is over."""
        with ExitStack() as stack:
            try:
                _, fds, _, _ = socket.recv_fds(ours, 1, 1 + len(self._services))
                listeners = [stack.enter_context(socket.socket(fileno=fd)) for fd in fds]
                while listeners:
                    ready, _, _ = select.select([wake, *listeners], [], [])
                    if wake in ready:
                        return
                    for listener in ready:
                        service = (
                            self._services[index - 1] if (index := listeners.index(listener)) else 0
                        )
                        self._accept(listener, service, open_)
            except Exception as error:
                # Closing the listeners refuses everything that follows.
                self.fault(f"the proxy of the run ended early: {type(error).__name__}: {error}")

    def _accept(self, listener: socket.socket, service: int, open_: _Connections) -> None:
        connection, _ = listener.accept()
        connection.settimeout(_PATIENCE)
        if not open_.start(connection, lambda: self._handle(connection, service)):
            self.fault(f"more than {_MOST_CONNECTIONS} connections at once were refused")
            connection.close()

    def _handle(self, connection: socket.socket, service: int) -> None:
        # Clients end connections as they like, and a request may be any bytes.
        with suppress(OSError, ValueError, HTTPException):
            if service and self.mode == "hosts":
                self.note("127.0.0.1", service)
                with socket.create_connection(("127.0.0.1", service), _PATIENCE) as other:
                    _relay(connection, other)
                return
            base = f"http://127.0.0.1:{service}" if service else ""
            _Handler(connection, ("", 0), _Origin(self, base))  # type: ignore[arg-type]

    # What connections ask

    def allow(self, host: str, port: int) -> None:
        """Raise Unreachable when a host is not to be reached."""
        if self.mode == "record" and not self.hosts:
            return
        if not any(pattern.matches(host, port) for pattern in self.hosts):
            raise Unreachable(NOT_NAMED)

    def connect(self, host: str, port: int) -> socket.socket:
        """Connect to a host. Raises Unreachable."""
        self.allow(host, port)
        is_named = any(pattern.matches(host, port) for pattern in self.hosts)
        try:
            addresses = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Unreachable("no such host") from None
        why = "no address"
        for _, _, _, _, address in addresses:
            if not _is_public(str(address[0]), host, is_named):
                why = "an address of this machine or network"
                continue
            try:
                return socket.create_connection((str(address[0]), port), _PATIENCE)
            except OSError as error:
                why = error.strerror or str(error)
        raise Unreachable(why)

    def context(self, host: str) -> ssl.SSLContext:
        """The server's side of TLS for a host. Raises Unreachable."""
        if self._authority is None:
            self.fault(_NO_TLS)
            raise Unreachable(_NO_TLS)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with self._lock:
            self._authority.issue_cert(host.strip("[]")).configure_cert(context)
        return context

    def key(self, method: str, url: str, body: bytes) -> tuple[str, str, str]:
        """How a request is recorded and found again. Raises NotApart when only a sensitive value
        tells it from another one of this run."""
        request = request_key(method, url, body, self.mask)
        address = urlsplit(url)._replace(fragment="").geturl().encode("utf-8", "replace")
        unmasked_digest = sha256(b"\0".join((address, body))).digest()
        with self._lock:
            if self._unmasked_digests.setdefault(request, unmasked_digest) != unmasked_digest:
                raise NotApart
        return request

    def find_exchange(self, request: tuple[str, str, str]) -> Exchange | None:
        """The response to a request; several are given in their order, the last one repeatedly."""
        with self._lock:
            exchanges = self._recorded_exchanges.get(request)
            if not exchanges:
                return None
            self.answer_count += 1
            return exchanges.pop(0) if len(exchanges) > 1 else exchanges[0]

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange, unless it exceeds a limit."""
        with self._lock:
            self._size += len(exchange.body)
            if len(self.exchanges) >= MOST or self._size > LARGEST_FILE:
                problem = (
                    f"only {MOST} responses of {LARGEST_FILE:,} bytes together can be recorded"
                )
                self._problems[problem] = None
            else:
                self.exchanges.append(exchange)

    def note(self, host: str, port: int, error: str = "") -> None:
        """Note an attempt to reach a host."""
        name = f"[{host}]" if ":" in host and not host.startswith("[") else host
        event = Event("connect", f"{name}:{port}", error, is_proxied=True)
        with self._lock:
            if event in self._events or len(self._events) < _MOST_EVENTS:
                self._events[event] = None
            else:
                self._unnamed_count += 1

    def fault(self, sentence: str) -> None:
        """Note what prevents the run from being complete."""
        with self._lock:
            if len(self._problems) < _MOST_PROBLEMS:
                self._problems[sentence] = None


class _Connections:
    """The open connections of a step, each with a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[socket.socket, threading.Thread] = {}

    def start(self, connection: socket.socket, handle: Any) -> bool:
        def run() -> None:
            try:
                handle()
            finally:
                with self._lock:
                    self._open.pop(connection, None)
                connection.close()

        thread = threading.Thread(target=run, daemon=True)
        with self._lock:
            if len(self._open) >= _MOST_CONNECTIONS:
                return False
            self._open[connection] = thread
        thread.start()
        return True

    def close(self) -> None:
        """End all connections."""
        with self._lock:
            threads = list(self._open.values())
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(_LAST)


class _Origin(NamedTuple):
    """What a connection belongs to: the proxy, and where requests without a host go."""

    proxy: Proxy
    base: str


class _Handler(BaseHTTPRequestHandler):
    """The requests of one connection."""

    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE
    server: _Origin  # type: ignore[assignment]

    def log_message(self, *_: Any) -> None:
        """Say nothing: the report has it."""

    def version_string(self) -> str:
        """Name no version."""
        return "skillstudio"

    def do_CONNECT(self) -> None:
        """Open a tunnel, or look into it when responses are recorded or replayed."""
        proxy = self.server.proxy
        self.close_connection = True
        host, port = _host_and_port(f"//{self.path}", 443)
        try:
            if proxy.mode == "hosts":
                with proxy.connect(host, port) as other:
                    proxy.note(host, port)
                    self._confirm_connection()
                    _relay(self.connection, other)
                return
            if proxy.mode == "record":
                proxy.allow(host, port)
            context = proxy.context(host)
        except Unreachable as error:
            self._refuse(host, port, str(error))
            return
        self._confirm_connection()
        name = host if port == 443 else f"{host}:{port}"
        with context.wrap_socket(self.connection, server_side=True) as inside:
            _Handler(inside, ("", 0), _Origin(proxy, f"https://{name}"))  # type: ignore[arg-type]

    def _confirm_connection(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")

    def _forward(self) -> None:
        """Answer a request."""
        proxy, base = self.server
        url = self.path if not self.path.startswith("/") else base + self.path
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            self._answer(HTTPStatus.BAD_REQUEST, "this is an HTTP proxy: name a host")
            return
        host, port = _host_and_port(url, 443 if parts.scheme == "https" else 80)
        body = self._body()
        if body is None:
            self._answer(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the body is too long to be passed on"
            )
            return
        request = None
        if proxy.mode in ("record", "replay"):
            try:
                request = proxy.key(self.command, url, body)
            except NotApart:
                proxy.fault(_NOT_APART.format(f"{self.command} {host}:{port}"))
        if proxy.mode == "replay":
            self._replay(request, host, port)
            return
        try:
            with proxy.connect(host, port) as plain:
                proxy.note(host, port)
                self._fetch(plain, url, body, request)
        except Unreachable as error:
            self._refuse(host, port, str(error))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _forward  # noqa: N815

    def _replay(self, request: tuple[str, str, str] | None, host: str, port: int) -> None:
        proxy = self.server.proxy
        exchange = proxy.find_exchange(request) if request is not None else None
        if exchange is None:
            if request is not None:
                method, url, _ = request
                proxy.fault(f"{method} {url} has no recorded response; record it with --net record")
            self._refuse(host, port, NOT_RECORDED)
            return
        proxy.note(host, port)
        self.send_response(exchange.status)
        for name, value in exchange.headers:
            self.send_header(name, value)
        self._end(exchange.body)

    def _fetch(
        self, plain: socket.socket, url: str, body: bytes, request: tuple[str, str, str] | None
    ) -> None:
        proxy, parts = self.server.proxy, urlsplit(url)
        upstream = HTTPConnection(parts.hostname or "", timeout=_PATIENCE)
        with ExitStack() as stack:
            try:
                upstream.sock = plain
                if parts.scheme == "https":
                    context = ssl.create_default_context()
                    upstream.sock = stack.enter_context(
                        context.wrap_socket(plain, server_hostname=parts.hostname)
                    )
                self._send(upstream, url, body)
                response = upstream.getresponse()
                stack.callback(response.close)
                # More than can be recorded is passed on all the same.
                body_start = response.read(LARGEST_BODY + 1) if proxy.mode == "record" else b""
            except (OSError, HTTPException, ValueError) as error:
                self._answer(HTTPStatus.BAD_GATEWAY, f"{parts.hostname}: {error}")
                return
            if request is not None:
                self._record(request, response, body_start)
            self._pass_on(response, body_start)

    def _send(self, upstream: HTTPConnection, url: str, body: bytes) -> None:
        parts = urlsplit(url)
        path = url.split("/", 3)[3] if url.count("/") > 2 else ""
        upstream.putrequest(
            self.command, f"/{path.partition('#')[0]}", skip_host=True, skip_accept_encoding=True
        )
        upstream.putheader("Host", parts.netloc.rpartition("@")[2])
        left_out = {*_HOPS, "host", "content-length"}
        if self.server.proxy.mode == "record":
            left_out.add("accept-encoding")
            upstream.putheader("Accept-Encoding", "identity")
        for name, value in self.headers.items():
            if name.lower() not in left_out:
                upstream.putheader(name, value)
        if body or self.command in ("POST", "PUT", "PATCH"):
            upstream.putheader("Content-Length", str(len(body)))
        upstream.putheader("Connection", "close")
        upstream.endheaders(body or None)

    def _record(self, request: tuple[str, str, str], response: HTTPResponse, body: bytes) -> None:
        proxy = self.server.proxy
        method, url, _ = request
        encoding = response.getheader("content-encoding", "identity")
        if len(body) > LARGEST_BODY:
            proxy.fault(f"{method} {url} is not recorded: more than {LARGEST_BODY:,} bytes")
        elif encoding != "identity":
            proxy.fault(f"{method} {url} is not recorded: it is compressed ({encoding})")
        else:
            headers = response.getheaders()
            proxy.record(exchange_of(request, response.status, headers, body, proxy.mask))

    def _pass_on(self, response: HTTPResponse, body_start: bytes) -> None:
        self.send_response(response.status, response.reason)
        length = response.getheader("content-length")
        for name, value in response.getheaders():
            if name.lower() not in (*_HOPS, "content-length", "date", "server"):
                self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", length)
        else:
            # The end of the connection is the end of the body.
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(body_start)
        while data := response.read(_CHUNK):
            self.wfile.write(data)

    def _body(self) -> bytes | None:
        """The body of the request; None when it is too long."""
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            return self._chunks()
        length = self.headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:9]) > _LARGEST_REQUEST:
            self.close_connection = True
            return None
        return self.rfile.read(int(length))

    def _chunks(self) -> bytes | None:
        """A body in chunks (RFC 9112, section 7.1). Raises ValueError."""
        body = b""
        while size := int(self.rfile.readline(_CHUNK).split(b";")[0], 16):
            if size < 0 or len(body) + size > _LARGEST_REQUEST:
                self.close_connection = True
                return None
            body += self.rfile.read(size)
            self.rfile.readline(_CHUNK)
        while self.rfile.readline(_CHUNK).strip():
            pass  # Trailers.
        return body

    def _refuse(self, host: str, port: int, why: str) -> None:
        self.server.proxy.note(host, port, why)
        status = HTTPStatus.BAD_GATEWAY if why == NOT_RECORDED else HTTPStatus.FORBIDDEN
        self._answer(status, f"{host}:{port}: {why}")

    def _answer(self, status: HTTPStatus, why: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self._end(f"skillstudio: {why}\n".encode())

    def _end(self, body: bytes) -> None:
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _relay(connection: socket.socket, other: socket.socket) -> None:
    """Pass bytes in both directions until both have ended."""
    ends = {connection: other, other: connection}
    while ends:
        ready, _, _ = select.select(list(ends), [], [], _PATIENCE)
        if not ready:
            return
        for end in ready:
            to = other if end is connection else connection
            data = end.recv(_CHUNK)
            if data:
                to.sendall(data)
            else:
                del ends[end]
                with suppress(OSError):
                    to.shutdown(socket.SHUT_WR)


def _host_and_port(url: str, default: int) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or default


def _is_public(address: str, host: str, is_named: bool) -> bool:
    """Whether an address may be connected to: a name must not lead to this machine, and only a
    host that was named to a private network."""
    parsed_address = ipaddress.ip_address(address.partition("%")[0])
    parsed_address = getattr(parsed_address, "ipv4_mapped", None) or parsed_address
    if (
        parsed_address.is_loopback
        or parsed_address.is_link_local
        or parsed_address.is_unspecified
        or parsed_address.is_multicast
    ):
        return is_named and (host == "localhost" or _is_literal(host))
    return is_named or parsed_address.is_global


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _authority() -> trustme.CA | None:
    try:
        import trustme
    except ImportError:
        return None
    return trustme.CA()
