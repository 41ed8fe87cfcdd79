"""The file of recorded responses, which may come from anyone."""

from __future__ import annotations

import json

import pytest

from skillstudio.dryrun.network.exchanges import (
    LARGEST_FILE,
    ExchangesRefused,
    NotApart,
    exchange_of,
    masked_url,
    read_exchanges,
    request_key,
    write_exchanges,
)
from skillstudio.dryrun.redaction.suspects import mask_suspects

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


TOKEN = "ghp_" + "a1B2c3D4e5" * 4


def hide(data: bytes) -> bytes:
    """Mask as a run does."""
    return mask_suspects(mask(data).decode()).encode()


MASKED = [
    # address, masked
    ("http://a.org/tea?q=1", "http://a.org/tea?q=1"),
    ("http://a.org/tea?q=1#part", "http://a.org/tea?q=1"),
    ("http://user:pw@a.org/alice", "http://‹sensitive›@a.org/alice"),
    ("http://user:pw@a.org/bob", "http://‹sensitive›@a.org/bob"),
    ("http://ghp@a.org:81/bob", "http://‹sensitive›@a.org:81/bob"),
    (f"http://a.org/alice?token={TOKEN}", "http://a.org/alice?token=‹sensitive›"),
    (f"http://a.org/bob?a=1&x={TOKEN}&b=2", "http://a.org/bob?a=1&x=‹sensitive›&b=2"),
    (f"http://a.org/{TOKEN}/bob", "http://a.org/‹sensitive›/bob"),
    ("http://a.org/?api_key=0123456789abcdef", "http://a.org/?api_key=‹sensitive›"),
    ("http://a.org/?api%5Fkey=tea", "http://a.org/?api%5Fkey=‹sensitive›"),
    ("http://a.org/?key=PROJ-1", "http://a.org/?key=PROJ-1"),
    (f"http://a.org/?x={TOKEN.replace('_', '%5F')}", "http://a.org/?x=‹sensitive›"),
    (f"http://a.org/?{TOKEN}", "http://a.org/?‹sensitive›"),
    ("http://a.org/?x=hunter2-hunter2", "http://a.org/?x=***"),
    ("https://[::1]:8443/x?a=b=c&&d", "https://[::1]:8443/x?a=b=c&&d"),
]


@pytest.mark.parametrize(("url", "masked"), MASKED)
def test_sensitive_values_of_an_address_are_masked_one_by_one(url: str, masked: str) -> None:
    assert masked_url(url, hide) == masked
    # What was masked is its own key when it is replayed.
    assert masked_url(masked, hide) == masked


@pytest.mark.parametrize("url", [f"http://{TOKEN}/", "http://a.org/hunter2/x", "http://[::1/"])
def test_an_address_that_cannot_be_told_from_others_is_refused(url: str) -> None:
    def hide_over_parts(data: bytes) -> bytes:
        return hide(data.replace(b"org/hunter2/x", b"***"))

    with pytest.raises(NotApart):
        masked_url(url, hide_over_parts)


BODIES = [
    # body, masked
    ('{"password": "tea", "n": 1}', '{"password": "‹sensitive›", "n": 1}'),
    ('{"access_token":"a\\"b","x":"y"}', '{"access_token":"‹sensitive›","x":"y"}'),
    ('{"nextPageToken": "abc", "key": "K-1"}', '{"nextPageToken": "abc", "key": "K-1"}'),
    ("user=ada&password=tea", "user=ada&password=‹sensitive›"),
    ("a password=tea in prose", "a password=tea in prose"),
    ("grant_type=x", "grant_type=x"),
]


@pytest.mark.parametrize(("body", "masked"), BODIES)
def test_fields_with_the_name_of_a_secret_are_masked(body: str, masked: str) -> None:
    key = request_key("GET", "http://a.org/", b"", hide)
    assert exchange_of(key, 200, [], body.encode(), hide).body.decode() == masked


def test_headers_that_name_an_address_keep_the_rest_of_it() -> None:
    key = request_key("GET", "http://a.org/", b"", hide)
    headers = [
        ("Location", f"/next?token={TOKEN}&page=2"),
        ("Link", f'<http://a.org/?api_key=tea&page=2>; rel="next", </x?token={TOKEN}>; rel="p"'),
    ]
    assert dict(exchange_of(key, 302, headers, b"", hide).headers) == {
        "Location": "/next?token=‹sensitive›&page=2",
        "Link": '<http://a.org/?api_key=‹sensitive›&page=2>; rel="next", '
        '</x?token=‹sensitive›>; rel="p"',
    }


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
            {"url": "‹sensitive›"},
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
