"""The file of recorded responses, which may come from anyone."""

from __future__ import annotations

import json

import pytest

from skillstudio.dryrun.network.exchanges import (
    LARGEST_FILE,
    ExchangesRefused,
    exchange_of,
    read_exchanges,
    request_key,
    write_exchanges,
)

SECRET = b"hunter2-hunter2"


def mask(data: bytes) -> bytes:
    return data.replace(SECRET, b"***")


def test_a_file_is_read_as_it_was_written() -> None:
    made = [
        exchange_of(
            request_key("GET", "http://a.org/", b"", mask), 200, [], "tea ☕".encode(), mask
        ),
        exchange_of(request_key("POST", "http://a.org/", b"x", mask), 404, [], b"\xff\0", mask),
    ]
    assert list(read_exchanges(write_exchanges(made), "f")) == made


def test_no_sensitive_value_and_no_cookie_is_kept() -> None:
    headers = [
        ("Content-Type", "text/plain"),
        ("Set-Cookie", "id=1"),
        ("Authorization", "x"),
        ("Location", f"/{SECRET.decode()}"),
    ]
    key = request_key("POST", f"http://a.org/?t={SECRET.decode()}", b"t=" + SECRET, mask)
    made = exchange_of(key, 200, headers, b"token " + SECRET, mask)
    assert SECRET not in write_exchanges([made])
    assert dict(made.headers) == {"Content-Type": "text/plain", "Location": "/***"}
    # The value is another one where it is replayed, and masked as well.
    assert key == request_key("POST", "http://a.org/?t=***", b"t=***", mask)


GOOD = {"method": "GET", "url": "http://a.org/", "status": 200, "headers": {}, "text": ""}
BROKEN = [
    b"",
    b"[]",
    b"null",
    b"\xff",
    b"[" * 100_000,
    b'{"version": 2, "exchanges": []}',
    b'{"version": 1}',
    b'{"version": 1, "exchanges": 5}',
    *(
        json.dumps({"version": 1, "exchanges": [{**GOOD, **wrong}]}).encode()
        for wrong in (
            {"status": "200"},
            {"status": 99},
            {"status": True},
            {"method": 5},
            {"url": None},
            {"text": 5},
            {"headers": []},
        )
    ),
    json.dumps({"version": 1, "exchanges": [{**GOOD, "text": None}]}).encode(),
]


@pytest.mark.parametrize("data", BROKEN)
def test_a_broken_file_is_refused(data: bytes) -> None:
    with pytest.raises(ExchangesRefused, match="samples/go/a"):
        read_exchanges(data, "samples/go/a.net.json")


def test_a_file_that_is_too_long_is_refused() -> None:
    with pytest.raises(ExchangesRefused, match="more than"):
        read_exchanges(b" " * (2 * LARGEST_FILE + 1), "f")


def test_a_header_that_could_start_another_one_is_left_out() -> None:
    value = {**GOOD, "headers": {"ETag": "a\r\nSet-Cookie: b", "Link": "c", "Set-Cookie": "d"}}
    data = json.dumps({"version": 1, "exchanges": [value]}).encode()
    assert read_exchanges(data, "f")[0].headers == (("Link", "c"),)
