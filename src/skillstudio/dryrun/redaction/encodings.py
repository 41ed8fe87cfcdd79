"""The forms in which a sensitive value may reappear: as programs escape, quote and encode it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from posixpath import normpath
from urllib.parse import quote, quote_plus

from skillstudio.text.lazy_pattern import lazy_pattern

SHORTEST = 4  # Shorter values are not searched for: they would match in every other word.
_SHORTEST_ENCODED = 6
_SHORTEST_LOOSE = 8
"""Characters a value needs to be searched for in other cases and in rarer encodings."""
_MOST_LINES = 8  # Values of more lines are searched for in rarer encodings only as a whole.
_WORDS = frozenset({"true", "false", "null", "none"})


def is_sought(value: str) -> bool:
    """Whether a value can be distinguished from ordinary text."""
    return len(value) >= SHORTEST and value.strip() != "" and value.lower() not in _WORDS


def forms_of(value: str) -> set[bytes]:
    """Every form to search for, as bytes; none for a value that is not sought."""
    forms: set[bytes] = set()
    for part in parts_of(value):
        raw = _raw(part)
        for text in _iter_escapes(part):
            forms |= {case.encode("utf-8", "replace") for case in _hex_cases(text)}
        forms |= {*_base64(raw), raw.hex().encode(), raw.hex().upper().encode()}
        if part.strip() == value.strip() or value.count("\n") < _MOST_LINES:
            forms |= set(_rarely(part, raw))
    # The normal form of a path such as `a/../b` may be in every other word.
    return {form for form in forms if len(form) >= SHORTEST} | plain_forms_of(value)


def plain_forms_of(value: str) -> set[bytes]:
    """A value unchanged, by line, and with Latin-1 characters as single bytes."""
    forms: set[bytes] = set()
    for part in parts_of(value):
        forms.add(_raw(part))
        # Python and JavaScript write `\xfc` for a single byte of Latin-1.
        pieces = (
            character.encode("latin-1" if ord(character) < 256 else "utf-8", "surrogateescape")
            for character in part
        )
        forms.add(b"".join(pieces))
    return forms


def number_forms_of(data: bytes) -> Iterator[bytes]:
    """Bytes as lists of numbers."""
    for separator in (b",", b", ", b" ", b",\n"):
        yield separator.join(b"%d" % byte for byte in data)


def parts_of(value: str) -> set[str]:
    """A value and each of its lines; none for a value that is not sought."""
    if not is_sought(value):
        return set()
    lines = [line.strip() for line in value.splitlines()]
    return {value, value.strip(), *(line for line in lines if is_sought(line))}


def _raw(part: str) -> bytes:
    return part.encode("utf-8", "surrogateescape")


_HEX_ESCAPE = lazy_pattern(r"((?<=%)|(?<=\\x)|(?<=&#x)|(?<=\\u)..)[\da-fA-F]{2}")
_SAFE = ("", "/", "*", "!'()*", "$&+=:@", ";,/?:@&=+$#!'()*", "!$&'()*+,/:;=@[\\]^|%")
"""What is not escaped in an address, by Python, Java, JavaScript, Go and browsers."""
_HTML_QUOTES = (
    ("&quot;", "&#x27;"),
    ("&#34;", "&#39;"),
    ("&quot;", "&#039;"),
    ("&quot;", "&apos;"),
)


def _iter_escapes(part: str) -> Iterator[str]:
    """As escaped in a path, an address, JSON, HTML, and quotes of Python, git or a shell."""
    yield from (
        normpath(part),
        part.replace(" ", "+"),
        quote(quote(part, safe="", errors="replace")),
    )
    for safe in _SAFE:
        yield quote(part, safe, errors="replace")
        yield quote_plus(part, safe, errors="replace")
    yield from _html(part)
    for text in set(_json(part)):
        yield from (text, json.dumps(text)[1:-1], quote(text, safe="", errors="replace"))
        yield from _html(text)
    both = "'\""  # Python then escapes the first.
    bytes_text = repr(_raw(part + both))[2:-4]
    octal = re.sub(r"\\x(..)", lambda match: f"\\{int(match[1], 16):03o}", bytes_text)
    for text in (repr(part + both)[1:-4], ascii(part + both)[1:-4], bytes_text, octal):
        for single in (text, text.replace("\\'", "'")):
            yield from (single, single.replace('"', '\\"'))
    yield part.replace("'", "'\\''")
    yield part.replace("'", "'\"'\"'")
    yield re.sub(r"[^\w@%+=:./-]", r"\\\g<0>", part)


def _json(part: str) -> Iterator[str]:
    """As written by Python and JavaScript, PHP, Go and .NET."""
    for text in (json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1]):
        yield text
        yield text.replace("/", "\\/")
        yield re.sub(r"[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)
        yield re.sub(
            r"""\\\\|\\"|[<>&'+`]""",
            lambda match: match[0] if match[0] == "\\\\" else f"\\u{ord(match[0][-1]):04X}",
            text,
        )


def _html(part: str) -> Iterator[str]:
    """As escaped by Python, Jinja and Go, PHP, and XML; or everything as numbers."""
    import html

    plain = html.escape(part, quote=False)
    quoted_texts = (
        plain.replace('"', double).replace("'", single) for double, single in _HTML_QUOTES
    )
    for text in (part, plain, *quoted_texts):
        yield from (text, text.encode("ascii", "xmlcharrefreplace").decode())
    yield "".join(f"&#{ord(character)};" for character in part)


def _hex_cases(text: str) -> set[str]:
    """A text, and with the hexadecimal digits of its escapes in either case."""
    upper = _HEX_ESCAPE.sub(lambda match: match[0].upper(), text)
    return {text, upper, _HEX_ESCAPE.sub(lambda match: match[0].lower(), text)}


_BASE64_SIGNS = (
    (b"+", b"/"), (b"-", b"_"), (b"%2B", b"%2F"), (b"%2b", b"%2f"), (b"+", b"\\/"),
    (b"\\u002B", b"/"), (b"\\u002b", b"/"), (b"&#43;", b"/"), (b"&#x2B;", b"/"),
)  # fmt: skip
"""The last two characters of base64: plain, for addresses, and escaped in addresses, JSON, HTML."""


def _base64(raw: bytes) -> Iterator[bytes]:
    """At each offset modulo 3, only the characters that do not depend on neighbours."""
    for before in range(3):
        whole = base64.b64encode(bytes(before) + raw)
        start = (0, 2, 3)[before]
        end = (before + len(raw)) * 8 // 6
        inner = whole[start:end]
        if len(inner) >= _SHORTEST_ENCODED:
            for plus, slash in _BASE64_SIGNS:
                yield inner.replace(b"+", plus).replace(b"/", slash)


def _rarely(part: str, raw: bytes) -> Iterator[bytes]:
    """In wide characters, base32 and base85 at each offset, and in upper and lower case."""
    for encoding in ("utf-16-le", "utf-16-be"):
        wide = part.encode(encoding, "replace")
        yield wide
        yield from _base64(wide)
    if len(part) < _SHORTEST_LOOSE:
        return
    yield part.lower().encode("utf-8", "surrogateescape")
    yield part.upper().encode("utf-8", "surrogateescape")
    for before in range(5):
        whole = base64.b32encode(bytes(before) + raw)
        inner = whole[-(-before * 8 // 5) : (before + len(raw)) * 8 // 5]
        yield inner
        yield inner.lower()
    for offset in range(4):
        groups = raw[offset : offset + (len(raw) - offset) // 4 * 4]
        if len(groups) >= _SHORTEST_LOOSE:
            yield base64.b85encode(groups)
            yield base64.a85encode(groups)
