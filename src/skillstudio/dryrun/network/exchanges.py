"""Recorded requests and responses, and the file beside a sample that contains them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.secrets import is_secret_name, is_secret_parameter
from skillstudio.text.lazy_pattern import lazy_pattern

LARGEST_BODY = 4 << 20  # Bytes of one response.
LARGEST_FILE = 16 << 20  # Bytes of all exchanges of a sample.
MOST = 500  # Exchanges of a sample.
_VERSION = 1
_HEADERS = frozenset(
    {
        *("content-type", "content-language", "content-disposition", "location", "link", "etag"),
        *("last-modified", "retry-after", "vary", "accept-ranges", "allow"),
    }
)
"""Headers that are recorded. None of them carries a credential, unlike `set-cookie`."""

_ADDRESS = lazy_pattern(r"https?://[^\s<>\"]+|(?<![^<])/[^\s<>\"]*")
_FIELD = lazy_pattern(r'("(?P<name>[A-Za-z][\w.-]{0,63})"\s*:\s*)"(?:[^"\\]|\\.)*"')
"""A field of a JSON object whose value is a string."""
_FORM = lazy_pattern(r"[\w.~%+*\[\]-]+=[^\s&\"{}<>]*(?:&[\w.~%+*\[\]-]+=[^\s&\"{}<>]*)*")
"""The body of a form (`application/x-www-form-urlencoded`)."""


class ExchangesRefused(Exception):
    """A file of recorded exchanges that cannot be used: a sentence."""


class Exchange(NamedTuple):
    """A request and its response. Nothing of the request's headers is kept."""

    method: str
    url: str
    request_digest: str  # The SHA-256 of the request's body; "" without one.
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def request(self) -> tuple[str, str, str]:
        """What a request must have in common with the recorded one."""
        return self.method, self.url, self.request_digest


Mask = Callable[[bytes], bytes]
"""Mask every sensitive value."""


def request_key(method: str, url: str, body: bytes, mask: Mask) -> tuple[str, str, str]:
    """How a request is recognised; sensitive values do not matter. Raises NotApart."""
    request_digest = sha256(_masked_body(body, mask)).hexdigest() if body else ""
    return method, masked_url(url, mask), request_digest


def exchange_of(
    request: tuple[str, str, str],
    status: int,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    mask: Mask,
) -> Exchange:
    """An exchange without sensitive values."""
    kept_headers = [
        (name, _masked_header(value, mask)) for name, value in headers if name.lower() in _HEADERS
    ]
    return Exchange(*request, status, tuple(kept_headers), _masked_body(body, mask))


class NotApart(ValueError):
    """An address that only a sensitive value distinguishes from others."""


def masked_url(url: str, mask: Mask) -> str:
    """An address with its sensitive values masked one by one: user and password, values of
    parameters by their name or their form, parts of the path. Raises NotApart."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise NotApart from None
    user, at, host = parts.netloc.rpartition("@")
    clean = urlunsplit(
        (
            parts.scheme,
            (SENSITIVE if user else "") + at + host,
            "/".join(_masked_part(part, mask) for part in parts.path.split("/")),
            _masked_query(parts.query, mask),
            "",
        )
    )
    if _mask_text(clean, mask) != clean:
        raise NotApart
    return clean


def _masked_part(text: str, mask: Mask) -> str:
    """A part of an address, in which a value may be percent-encoded."""
    clean = _mask_text(text, mask)
    plain = unquote(text)
    return SENSITIVE if clean == text and _mask_text(plain, mask) != plain else clean


def _masked_query(query: str, mask: Mask) -> str:
    return "&".join(_masked_pair(pair, mask) for pair in query.split("&"))


def _masked_pair(pair: str, mask: Mask) -> str:
    name, sign, value = pair.partition("=")
    if is_secret_parameter(unquote_plus(name), value):
        value = SENSITIVE
    return _masked_part(name, mask) + sign + _masked_part(value, mask)


def _masked_header(value: str, mask: Mask) -> str:
    """A header; those that name addresses are `Location` and `Link`."""

    def clean(address: re.Match[str]) -> str:
        try:
            return masked_url(address.group(), mask)
        except NotApart:
            return SENSITIVE

    return _mask_text(_ADDRESS.sub(clean, value), mask)


def _masked_body(body: bytes, mask: Mask) -> bytes:
    """A body in which fields of JSON and of forms with the name of a secret are masked, too."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return mask(body)
    if _FORM.fullmatch(text):
        text = _masked_query(text, mask)
    else:
        text = _FIELD.sub(
            lambda field: (
                f'{field[1]}"{SENSITIVE}"' if is_secret_name(field["name"]) else field.group()
            ),
            text,
        )
    return mask(text.encode("utf-8"))


def _mask_text(text: str, mask: Mask) -> str:
    return mask(text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")


def write_exchanges(exchanges: Iterable[Exchange]) -> bytes:
    """The text of a file."""
    value = {"version": _VERSION, "exchanges": [_value(exchange) for exchange in exchanges]}
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def _value(exchange: Exchange) -> dict[str, Any]:
    value: dict[str, Any] = {"method": exchange.method, "url": exchange.url}
    if exchange.request_digest:
        value["request_sha256"] = exchange.request_digest
    value |= {"status": exchange.status, "headers": dict(exchange.headers)}
    try:
        value["text"] = exchange.body.decode("utf-8")
    except UnicodeDecodeError:
        value["base64"] = base64.b64encode(exchange.body).decode("ascii")
    return value


def read_exchanges(data: bytes, path: str) -> tuple[Exchange, ...]:
    """Read a file, which may come from anyone. Raises ExchangesRefused."""
    if len(data) > 2 * LARGEST_FILE:
        raise ExchangesRefused(f"{path} has more than {2 * LARGEST_FILE:,} bytes")
    try:
        value = json.loads(data)
        if value["version"] != _VERSION:
            raise ExchangesRefused(f"{path}: the version must be {_VERSION}")
        return tuple(map(_exchange, value["exchanges"]))
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
        binascii.Error,
    ) as error:
        what = f"{type(error).__name__}: {error}"
        raise ExchangesRefused(
            f"{path} is not a file of recorded responses ({what}); record it again"
        ) from None


def _exchange(value: dict[str, Any]) -> Exchange:
    has_text = "text" in value
    body = value["text"].encode() if has_text else base64.b64decode(value["base64"], validate=True)
    headers = tuple(
        (name, text)
        for name, text in value["headers"].items()
        if name.lower() in _HEADERS and isinstance(text, str) and text.isprintable()
    )
    method, url, request_digest = value["method"], value["url"], value.get("request_sha256", "")
    if not all(isinstance(text, str) for text in (method, url, request_digest)):
        raise ValueError("method, url and request_sha256 must be strings")
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError("url must be an http or https address")
    status = value["status"]
    if type(status) is not int or not 200 <= status <= 599:
        raise ValueError("status must be a number from 200 to 599")
    return Exchange(method, url, request_digest, status, headers, body)
