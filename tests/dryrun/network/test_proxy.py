"""The proxy that is all a program reaches: what it lets through, records and replays."""

from __future__ import annotations

import socket
import ssl
import threading
from http.client import HTTPSConnection
from pathlib import Path

import pytest
from tests.dryrun.network.server import Answer, ask, inside, serving

from skillstudio.dryrun.network import proxy as module
from skillstudio.dryrun.network.choice import read_network
from skillstudio.dryrun.network.exchanges import LARGEST_BODY
from skillstudio.dryrun.network.proxy import NOT_NAMED, NOT_RECORDED, Proxy, _is_public

SECRET = "hunter2-hunter2"


def answer(method: str, path: str, body: bytes) -> Answer:
    if path == "/long":
        return 200, {}, b"x" * (LARGEST_BODY + 1)
    if path == "/zip":
        return 200, {"Content-Encoding": "gzip"}, b"zip"
    headers = {"Content-Type": "text/plain", "Set-Cookie": "id=1", "X-Own": "1"}
    return 201 if body else 200, headers, f"{method} {path} {body.decode()}".encode()


def seen(proxy: Proxy) -> list[tuple[str, str]]:
    return [(each.subject.rpartition(":")[0], each.error) for each in proxy.events]


def test_only_named_hosts_are_reached() -> None:
    with serving(answer) as port:
        proxy = Proxy(read_network([f"127.0.0.1:{port}"]))
        with inside(proxy) as (way, _):
            assert ask(way, f"http://127.0.0.1:{port}/a?b=1")[::2] == (200, b"GET /a?b=1 ")
            status, _, text = ask(way, "http://other.example/")
        assert (status, text) == (403, b"skillstudio: other.example:80: not named with --net\n")
        assert seen(proxy) == [("127.0.0.1", ""), ("other.example", NOT_NAMED)]


def test_headers_and_bodies_are_passed_on() -> None:
    with serving(answer) as port:
        url = f"http://127.0.0.1:{port}/"
        with inside(Proxy(read_network([f"127.0.0.1:{port}"]))) as (way, _):
            status, headers, text = ask(way, url, "POST", b"tea")
            assert (status, text, headers["X-Own"]) == (201, b"POST / tea", "1")
            with socket.create_connection(("127.0.0.1", way)) as raw:
                raw.sendall(
                    f"POST {url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                    "Connection: close\r\n\r\n2\r\nte\r\n1\r\na\r\n0\r\n\r\n".encode()
                )
                assert b"POST / tea" in _all(raw)


def _all(connection: socket.socket) -> bytes:
    connection.settimeout(10)
    found = b""
    while data := connection.recv(1 << 16):
        found += data
    return found


def test_a_tunnel_leads_to_named_hosts_only() -> None:
    with serving(answer) as port:
        proxy = Proxy(read_network([f"127.0.0.1:{port}"]))
        with inside(proxy) as (way, _):
            with socket.create_connection(("127.0.0.1", way)) as raw:
                raw.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
                assert raw.recv(100).startswith(b"HTTP/1.1 200 ")
                raw.sendall(b"GET /in HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                assert b"GET /in" in _all(raw)
            with socket.create_connection(("127.0.0.1", way)) as raw:
                raw.sendall(b"CONNECT mail.example:25 HTTP/1.1\r\n\r\n")
                assert b" 403 " in _all(raw)
        assert seen(proxy) == [("127.0.0.1", ""), ("mail.example", NOT_NAMED)]


def test_a_service_of_this_machine_is_passed_on_as_it_is() -> None:
    with (
        serving(answer) as port,
        inside(Proxy(read_network([f"127.0.0.1:{port}"]))) as (_, service),
    ):
        assert ask(service, "/direct")[2] == b"GET /direct "


ADDRESSES = [
    # address, host, whether it was named, whether it is connected to
    ("93.184.216.34", "a.org", True, True),
    ("93.184.216.34", "a.org", False, True),
    ("10.0.0.1", "a.org", True, True),
    ("10.0.0.1", "a.org", False, False),
    ("127.0.0.1", "a.org", True, False),
    ("127.0.0.1", "127.0.0.1", True, True),
    ("127.0.0.1", "localhost", False, False),
    ("::1", "a.org", True, False),
    ("::ffff:127.0.0.1", "a.org", True, False),
    ("169.254.169.254", "a.org", True, False),
    ("169.254.169.254", "169.254.169.254", False, False),
    ("0.0.0.0", "a.org", True, False),
    ("fe80::1%eth0", "a.org", True, False),
]


@pytest.mark.parametrize(("address", "host", "is_named", "is_reached"), ADDRESSES)
def test_which_addresses_a_name_may_lead_to(
    address: str, host: str, is_named: bool, is_reached: bool
) -> None:
    assert _is_public(address, host, is_named) is is_reached


def test_a_name_that_leads_to_this_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answer) as port:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        proxy = Proxy(read_network([f"inner.example:{port}"]))
        with pytest.raises(module.Unreachable, match="an address of this machine"):
            proxy.connect("inner.example", port)


def mask(data: bytes) -> bytes:
    return data.replace(SECRET.encode(), b"***")


def test_what_is_recorded_is_replayed_without_the_server() -> None:
    with serving(answer) as port:
        base = f"http://127.0.0.1:{port}"
        recording = Proxy(read_network(["record", f"127.0.0.1:{port}"]), mask=mask)
        with inside(recording) as (way, service):
            assert ask(way, f"{base}/?t={SECRET}", Cookie="c", Authorization="a")[0] == 200
            assert ask(service, "/post", "POST", SECRET.encode())[0] == 201
    text = repr(recording.exchanges)
    assert len(recording.exchanges) == 2
    assert SECRET not in text
    assert "Cookie" not in text
    replaying = Proxy(read_network(["replay"]), recording.exchanges, mask)
    with inside(replaying) as (way, service):
        assert ask(way, f"{base}/?t={SECRET}")[::2] == (200, b"GET /?t=*** ")
        assert ask(service, "/post", "POST", SECRET.encode())[::2] == (201, b"POST /post ***")
        assert ask(service, "/post", "POST", b"other")[0] == 502
    assert replaying.answer_count == 2
    assert replaying.problems == (
        f"POST {base}/post has no recorded response; record it with --net record",
    )
    assert seen(replaying)[-1] == ("127.0.0.1", NOT_RECORDED)


def test_a_response_is_replayed_to_its_own_request_alone() -> None:
    with serving(answer) as port:
        base = f"127.0.0.1:{port}"
        recording = Proxy(read_network(["record", base]), mask=mask)
        with inside(recording) as (way, _):
            for name in ("alice", "bob"):
                assert ask(way, f"http://user:pw@{base}/{name}")[0] == 200
                assert ask(way, f"http://{base}/{name}?api_key={SECRET}")[0] == 200
    assert recording.problems == ()
    assert "pw" not in repr(recording.exchanges)
    replaying = Proxy(read_network(["replay"]), recording.exchanges, mask)
    with inside(replaying) as (way, _):
        assert ask(way, f"http://other:one@{base}/bob")[::2] == (200, b"GET /bob ")
        assert ask(way, f"http://{base}/alice?api_key=other")[::2] == (
            200,
            b"GET /alice?api_key=*** ",
        )
        assert ask(way, f"http://user:pw@{base}/mallory")[0] == 502
        assert ask(way, f"http://{base}/bob")[0] == 502
    assert replaying.problems == (
        f"GET http://‹sensitive›@{base}/mallory has no recorded response; record it with "
        "--net record",
        f"GET http://{base}/bob has no recorded response; record it with --net record",
    )


@pytest.mark.parametrize("mode", ["record", "replay"])
def test_requests_that_differ_in_a_sensitive_value_alone_are_kept_apart(mode: str) -> None:
    """Nobody can tell which response belongs to which."""
    with serving(answer) as port:
        base = f"127.0.0.1:{port}"
        first = Proxy(read_network(["record", base]))
        with inside(first) as (way, _):
            ask(way, f"http://{base}/me?token=alice")
        proxy = first
        if mode == "replay":
            proxy = Proxy(read_network(["replay"]), first.exchanges)
        with inside(proxy) as (way, _):
            ask(way, f"http://{base}/me?token=alice")
            status = ask(way, f"http://{base}/me?token=bob")[0]
    assert status == (502 if mode == "replay" else 200)
    assert len(first.exchanges) == (2 if mode == "record" else 1)
    assert proxy.problems == (
        f"GET {base}: only a sensitive value in the address or body tells a request from others, "
        "so its response can be neither recorded nor replayed",
    )


def test_attempts_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_EVENTS", 3)
    proxy = Proxy(read_network(["a.example"]))
    for number in (1, 2, 2, 2, 3, 3):
        proxy.note(f"h{number}.example", 80, NOT_NAMED)
    assert proxy.problems == ()
    for number in (4, 5, 1, 4):
        proxy.note(f"h{number}.example", 80, NOT_NAMED)
    assert [each for each, _ in seen(proxy)] == ["h1.example", "h2.example", "h3.example"]
    assert proxy.problems == ("3 more attempts to reach hosts are not named",)


def test_several_responses_to_one_request_are_replayed_in_order() -> None:
    count = iter(range(9))

    def counting(*_: object) -> Answer:
        return 200, {}, b"%d" % next(count)

    with serving(counting) as port:
        url = f"http://127.0.0.1:{port}/"
        recording = Proxy(read_network(["record", f"127.0.0.1:{port}"]))
        with inside(recording) as (way, _):
            assert [ask(way, url)[2] for _ in range(2)] == [b"0", b"1"]
    with inside(Proxy(read_network(["replay"]), recording.exchanges)) as (way, _):
        assert [ask(way, url)[2] for _ in range(3)] == [b"0", b"1", b"1"]


@pytest.mark.parametrize(("path", "why"), [("/long", "more than"), ("/zip", "compressed")])
def test_what_cannot_be_recorded_is_passed_on_and_said(path: str, why: str) -> None:
    with serving(answer) as port:
        proxy = Proxy(read_network(["record", f"127.0.0.1:{port}"]))
        with inside(proxy) as (way, _):
            assert ask(way, f"http://127.0.0.1:{port}{path}")[2] == answer("GET", path, b"")[2]
    assert not proxy.exchanges
    assert why in proxy.problems[0]


def test_https_is_recorded_and_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trustme = pytest.importorskip("trustme")
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))

    def fetch(proxy: Proxy, way: int) -> bytes:
        trusting = ssl.create_default_context(cadata=proxy.certificate.decode())
        client = HTTPSConnection("127.0.0.1", way, timeout=60, context=trusting)
        client.set_tunnel("127.0.0.1", port)
        client.request("GET", "/tls")
        return client.getresponse().read()

    with serving(answer, context) as port:
        recording = Proxy(read_network(["record", f"127.0.0.1:{port}"]))
        with inside(recording) as (way, _):
            assert fetch(recording, way) == b"GET /tls "
    assert [each.url for each in recording.exchanges] == [f"https://127.0.0.1:{port}/tls"]
    replaying = Proxy(read_network(["replay"]), recording.exchanges)
    with inside(replaying) as (way, *_):
        assert fetch(replaying, way) == b"GET /tls "


def test_https_without_the_extra_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_authority", lambda: None)
    proxy = Proxy(read_network(["record"]))
    with inside(proxy) as (way,), socket.create_connection(("127.0.0.1", way)) as raw:
        raw.sendall(b"CONNECT a.example:443 HTTP/1.1\r\n\r\n")
        assert b"pip install 'skillstudio[network]'" in _all(raw)
    assert "pip install 'skillstudio[network]'" in proxy.problems[0]
    assert proxy.certificate == b""


HOSTILE = [
    b"\0\xff\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET ftp://a.example/ HTTP/1.1\r\n\r\n",
    b"GET http://[::1 HTTP/1.1\r\n\r\n",
    b"GET http://a.example:99999/ HTTP/1.1\r\n\r\n",
    b"CONNECT : HTTP/1.1\r\n\r\n",
    b"TRACE http://a.example/ HTTP/1.1\r\n\r\n",
    b"GET http://a.example/ HTTP/1.1\r\n" + b"A: b\r\n" * 1_000 + b"\r\n",
    b"GET http://a.example/ HTTP/1.1\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
    b"POST http://a.example/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST http://a.example/ HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n",
    b"POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n",
    b"POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
]


@pytest.mark.parametrize("sent", HOSTILE)
def test_hostile_bytes_end_their_connection_only(sent: bytes) -> None:
    with serving(answer) as port:
        proxy = Proxy(read_network([f"127.0.0.1:{port}"]))
        with inside(proxy) as (way, _):
            with socket.create_connection(("127.0.0.1", way)) as raw:
                try:
                    raw.sendall(sent)
                    raw.shutdown(socket.SHUT_WR)
                    said = _all(raw)
                except OSError:  # the proxy may have reset it before all was sent
                    said = b""
            assert b" 200 " not in said
            assert ask(way, f"http://127.0.0.1:{port}/")[0] == 200


def test_a_proxy_that_dies_refuses_what_follows_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def dies(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Proxy, "_accept", dies)
    before = threading.active_count()
    proxy = Proxy(read_network(["a.example"]))
    with inside(proxy) as (way,), pytest.raises(OSError):
        ask(way, "http://a.example/")
    assert proxy.problems == ("the proxy of the run ended early: RuntimeError: broken",)
    assert threading.active_count() == before


def test_nothing_is_left_of_a_step() -> None:
    before = threading.active_count()
    proxy = Proxy(read_network(["a.example"]))
    with inside(proxy) as (way,):
        open_ = [socket.create_connection(("127.0.0.1", way)) for _ in range(5)]
        for each in open_:
            each.sendall(b"GET http://a.example/ HTTP/1.1\r\n")
        # Answered, so all earlier ones are being served.
        assert ask(way, "http://b.example/")[0] == 403
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", way))
    for each in open_:
        each.close()


def test_a_launcher_that_fails_leaves_nothing() -> None:
    before = threading.active_count()
    proxy = Proxy(read_network(["a.example"]))
    with proxy.step():
        pass
    assert threading.active_count() == before
    assert not proxy.problems
