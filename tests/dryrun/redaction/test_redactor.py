"""No form of a sensitive value comes through, however the bytes are cut."""

from __future__ import annotations

import base64
import html
import json
import posixpath
import shlex
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillstudio.dryrun.redaction.encodings import SHORTEST, forms_of, is_sought
from skillstudio.dryrun.redaction.redactor import Redactor
from skillstudio.interface.wording import SENSITIVE

SECRET = 'p@ss "word"/ü+1'

FORMS = [
    ("as it is", SECRET),
    ("in an address", quote(SECRET, safe="")),
    ("in a path of an address", quote(SECRET)),
    ("in a form", quote_plus(SECRET)),
    ("in JSON", json.dumps({"key": SECRET})),
    ("in JSON as it is read", json.dumps({"key": SECRET}, ensure_ascii=False)),
    ("in JSON in JSON", json.dumps(json.dumps(SECRET))),
    ("in Python", repr([SECRET])),
    ("in base64", base64.b64encode(SECRET.encode()).decode()),
    ("in base64 behind a user", base64.b64encode(f"user:{SECRET}".encode()).decode()),
    ("in base64 behind two more", base64.b64encode(f"ab{SECRET}xyz".encode()).decode()),
    ("in base64 for addresses", base64.urlsafe_b64encode(f"a{SECRET}".encode()).decode()),
    ("in hexadecimal", SECRET.encode().hex()),
    ("in a shell's quotes", shlex.join(["curl", f"it's {SECRET}"])),
]


@pytest.mark.parametrize(("what", "text"), FORMS, ids=[row[0] for row in FORMS])
def test_every_form_is_masked(what: str, text: str) -> None:
    clean = Redactor([SECRET]).text(f"before {text} after")
    assert SENSITIVE in clean
    assert clean.startswith("before ")
    assert clean.endswith(" after")
    assert not any(form in clean.encode() for form in forms_of(SECRET))


def test_each_line_of_a_key_is_masked() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n"
    redactor = Redactor([key])
    assert redactor.text("log: kqhkiG9w0BAQEF!") == f"log: {SENSITIVE}!"
    assert redactor.text(key.replace("\n", "\r\n")).count(SENSITIVE) == 4


@pytest.mark.parametrize("value", ["", "abc", "true", "    ", "False"])
def test_a_value_too_short_or_too_common_is_left_and_counted(value: str) -> None:
    redactor = Redactor([value])
    assert redactor.text(f"it is {value}.") == f"it is {value}."
    assert redactor.too_short == (1 if value else 0)


@pytest.mark.parametrize("value", ["/////", "a/../b", "././/x"])
def test_a_path_that_is_short_in_its_normal_form_masks_no_other_text(value: str) -> None:
    assert min(map(len, forms_of(value))) >= SHORTEST
    assert Redactor([value]).text("x/b /usr/bin") == "x/b /usr/bin"


def test_json_values_are_masked_with_keys_and_numbers() -> None:
    given_ = {"s3cret": 1, "pin": 48151623, "list": ["x s3cret", True, None], "other": 7}
    assert Redactor(["s3cret", "48151623"]).value(given_) == {
        SENSITIVE: 1,
        "pin": SENSITIVE,
        "list": [f"x {SENSITIVE}", True, None],
        "other": 7,
    }


def test_the_longer_of_two_values_goes_first() -> None:
    redactor = Redactor(["hunter2", "hunter2secret"])
    assert redactor.text("hunter2secret hunter2") == f"{SENSITIVE} {SENSITIVE}"
    stream = redactor.stream()
    assert stream.feed(b"hunter2") == b""
    assert stream.feed(b"secret!") == f"{SENSITIVE}!".encode()


def test_only_what_may_be_a_value_is_held_back() -> None:
    stream = Redactor(["hunter2secret"]).stream()
    assert stream.feed(b"all of this goes on, hunt") == b"all of this goes on, "
    assert stream.feed(b"ing, too.") == b"hunting, too."
    assert stream.feed(b"hunter2secre") == b""
    assert stream.flush() == b"hunter2secre"


def test_without_values_nothing_is_held() -> None:
    stream = Redactor([]).stream()
    assert stream.feed(b"anything") == b"anything"
    assert stream.flush() == b""


SECRETS = ["hunter2secret", "abab", "ababab", "zürich-9", "line one\nline two"]
PIECES = st.lists(
    st.one_of(
        st.sampled_from([secret.encode() for secret in SECRETS]),
        st.sampled_from([form for secret in SECRETS for form in sorted(forms_of(secret))]),
        st.sampled_from([b"ab", b"aba", b"hunt", b"line", b" ", b"\n", b"x"]),
        st.binary(max_size=5),
    ),
    max_size=12,
)


@given(pieces=PIECES, cuts=st.lists(st.integers(0, 200), max_size=12))
@example(pieces=[b"ab", b"abab", b"ab"], cuts=[1, 3, 5])
def test_no_cut_lets_a_value_through(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    redactor = Redactor(SECRETS)
    stream = redactor.stream()
    made = b"".join(stream.feed(data[start:end]) for start, end in pairwise(edges))
    made += stream.flush()
    rest = made.split(SENSITIVE.encode())
    for form in (form for secret in SECRETS for form in forms_of(secret)):
        assert not any(form in part for part in rest)
    # What is no value stays, byte for byte: only what was masked is gone.
    at = 0
    for part in rest:
        found = data.find(part, at)
        assert found >= 0
        at = found + len(part)


CUTS = [
    ("long-and-winding…", f"{SENSITIVE}…"),
    ("at long-and-…, and long…", f"at {SENSITIVE}…, and {SENSITIVE}…"),
    ("long-and-winding-secret…", f"{SENSITIVE}…"),
    ("lon… is too short to tell", "lon… is too short to tell"),
    ("long-and-other…", "long-and-other…"),
    ("long-and-winding, whole", "long-and-winding, whole"),
]


@pytest.mark.parametrize(("text", "clean"), CUTS)
def test_where_a_text_was_cut_the_beginning_of_a_value_is_masked(text: str, clean: str) -> None:
    assert Redactor(["long-and-winding-secret"]).text(text) == clean


def test_values_and_texts_that_are_no_text_in_any_encoding() -> None:
    value = b"k\xff\xfe-secret".decode("utf-8", "surrogateescape")
    assert Redactor([value]).text(f"a {value} b") == f"a {SENSITIVE} b"
    assert Redactor(["secret-1"]).text("\ud800 secret-1") == f"\ud800 {SENSITIVE}"


@pytest.mark.parametrize("secret", ["it's-a-secret", "/a//b/./secret", "tok'en\"$x`"])
def test_what_a_shell_and_a_path_make_of_a_value_is_masked(secret: str) -> None:
    redactor = Redactor([secret])
    for text in (
        shlex.join(["sh", secret]),
        posixpath.normpath(secret),
        shlex.quote(f"x {secret}"),
    ):
        clean = redactor.text(text)
        assert SENSITIVE in clean
        assert "secret" not in clean
        assert "en" not in clean.replace(SENSITIVE, "")


ODD = 'p@ss "word"/ü+1<&x>\\y'
RAW = ODD.encode()


def wrapped(text: str, width: int, between: str = "\n") -> str:
    return between.join(text[at : at + width] for at in range(0, len(text), width))


def b64(data: bytes = RAW) -> str:
    return base64.b64encode(data).decode()


def each(form: str, data: str | bytes = RAW) -> str:
    codes = map(ord, data) if isinstance(data, str) else iter(data)
    return "".join(form.format(code) for code in codes)


DOT_NET = "p@ss \\u0022word\\u0022/\\u00FC\\u002B1\\u003C\\u0026x\\u003E\\\\y"
ENCODINGS: dict[str, str | bytes] = {
    **{
        f"base64 from byte {before} on, lines of {width}": wrapped(
            b64(b"x" * before + RAW + b"yz"), width
        )
        for before in range(3)
        for width in (4, 7, 19, 64)
    },
    "base64, lines of DOS": wrapped(b64(), 8, "\r\n"),
    "base64, indented lines": wrapped(b64(), 8, "  \n\n    "),
    "base64 in strings of code": '"' + wrapped(b64(), 8, '" +\n   "') + '"',
    "base64 in a comment": "# " + wrapped(b64(), 8, "\n# "),
    "base64 of several lines in JSON": json.dumps(wrapped(b64(), 8)),
    "base64 in JSON by PHP": json.dumps(b64()).replace("/", "\\/"),
    "base64 in JSON by .NET": b64().replace("+", "\\u002B"),
    "base64 in an address": quote(b64(), safe=""),
    "base64 in HTML": b64().replace("+", "&#43;"),
    "base64 of UTF-16": b64(ODD.encode("utf-16-le")),
    **{f"base32 behind {n}": base64.b32encode(b"a" * n + RAW).decode() for n in range(5)},
    "base32 of several lines": wrapped(base64.b32encode(RAW).decode(), 11),
    "base85": base64.b85encode(b"ab" + RAW),
    "Ascii85": base64.a85encode(b"abc" + RAW),
    "every byte in percents": each("%{:02x}"),
    "every byte in percents, capitals": each("%{:02X}"),
    "percents of JavaScript's escape": each("%u{:04x}", ODD),
    "an address in an address": quote(quote(ODD, safe=""), safe=""),
    "\\xHH": each("\\x{:02x}"),
    "\\xHH, capitals": each("\\x{:02X}"),
    "\\uXXXX": each("\\u{:04x}", ODD),
    "\\uXXXX, capitals": each("\\u{:04X}", ODD),
    "JSON by Go": json.dumps(ODD, ensure_ascii=False).translate(
        {ord(c): f"\\u{ord(c):04x}" for c in "<>&"}
    ),
    "JSON by PHP": json.dumps(ODD).replace("/", "\\/"),
    "JSON by .NET": DOT_NET,
    "ascii() of Python": ascii(ODD),
    "bytes of Python": repr(RAW),
    "HTML": html.escape(ODD),
    "HTML by Go and Jinja": html.escape(ODD).replace("&quot;", "&#34;"),
    "HTML, decimal": each("&#{};", ODD),
    "HTML, hexadecimal": each("&#x{:x};", ODD),
    "HTML, capitals and zeros": each("&#X{:06X};", ODD),
    "HTML, what is no ASCII": ODD.encode("ascii", "xmlcharrefreplace"),
    "JSON in an attribute": html.escape(json.dumps(ODD)),
    "hexadecimal with colons": RAW.hex(":"),
    "hexadecimal with colons, capitals": RAW.hex(":").upper(),
    "hexadecimal with blanks": RAW.hex(" "),
    "hexadecimal of several lines": wrapped(RAW.hex(), 10),
    "hexadecimal, both cases": RAW.hex()[:21] + RAW.hex()[21:].upper(),
    "a list of hexadecimal bytes": ", ".join(f"0x{byte:02x}" for byte in RAW),
    "a list of bytes": str(list(RAW)),
    "a list of bytes of several lines": ",\n".join(map(str, RAW)),
    "UTF-16, little end first": ODD.encode("utf-16-le"),
    "UTF-16, big end first": ODD.encode("utf-16-be"),
    "UTF-16 with its mark": ODD.encode("utf-16"),
    "UTF-32": ODD.encode("utf-32"),
    "JSON in UTF-16": json.dumps(ODD).encode("utf-16-le"),
    "quotes of a shell": shlex.quote(ODD),
    "backslashes of a shell": "".join(f"\\{c}" if c in ' "<>&\\' else c for c in ODD),
    "broken over lines": wrapped(ODD, 9),
    "capitals": ODD.upper(),
    "a quoted path of git": ODD.replace("\\", "\\\\")
    .replace('"', '\\"')
    .replace("ü", "\\303\\274"),
    "Python's quotes, in a longer text": repr(f"{ODD}'")[:-3],
    "YAML": '"p@ss \\"word\\"/\\xFC+1<&x>\\\\y"',
    "an address by JavaScript": quote(ODD, safe="!'()*"),
    "an address by .NET": "p%40ss+%22word%22%2f%c3%bc%2b1%3c%26x%3e%5cy",
}
"""How programs print a value, beyond what FORMS has."""
CUTS_OF: dict[str, Callable[[bytes], list[bytes]]] = {
    "whole": lambda data: [data],
    "byte by byte": lambda data: [data[at : at + 1] for at in range(len(data))],
    **{
        f"cut at {part}/7": lambda data, part=part: [  # type: ignore[misc]
            data[: len(data) * part // 7], data[len(data) * part // 7 :]
        ]
        for part in range(1, 7)
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ENCODINGS)
def test_no_encoding_comes_through_however_it_is_cut(name: str) -> None:
    encoded = ENCODINGS[name]
    data = encoded if isinstance(encoded, bytes) else encoded.encode()
    redactor = Redactor([ODD])
    for cuts in CUTS_OF.values():
        stream = redactor.stream()
        made = b"".join(map(stream.feed, cuts(b"before: " + data + b" :after"))) + stream.flush()
        assert SENSITIVE.encode() in made
        rest = made.replace(SENSITIVE.encode(), b"")
        # What is left of it are quotes around it, and neighbours in the same group of bits.
        assert len(rest) <= len("before:  :after") + 14, made
    assert redactor.finds(data)


PLAIN_TEXTS = [
    b"step 1\n", b"50 of 100\n", b"a, b, and 7\n", b"nothing & more\n", b"C:\\dir\\file\n",
    b"ab:cd:ef\n", b"the end.\n",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN_TEXTS)
def test_a_line_that_is_no_value_is_not_held_back(text: bytes) -> None:
    redactor = Redactor(["hunter2secret"])
    assert redactor.stream().feed(text) == text
    assert redactor.data(text) == text


@given(data=st.binary(max_size=400), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_text_without_a_sensitive_value_is_unchanged(data: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    stream = Redactor(["a value that no test makes"]).stream()
    made = b"".join(stream.feed(data[start:end]) for start, end in pairwise(edges))
    assert made + stream.flush() == data


ENCODERS: dict[str, Callable[[str], str]] = {
    "JSON": json.dumps,
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "JSON in HTML": lambda text: html.escape(json.dumps(text)),
    "Python": repr,
    "bytes of Python": lambda text: repr(text.encode()),
    "Python's quotes, in a longer text": lambda text: repr(f"'{text}\""),
    "shell": shlex.quote,
    "address": quote,
    "form": quote_plus,
    "HTML": html.escape,
    "base64": lambda text: b64(text.encode()),
    "base64 in an address": lambda text: quote_plus(b64(text.encode())),
}


@pytest.mark.parametrize("name", ENCODERS)
@given(secret=st.text(st.characters(exclude_categories=["Cs"]), min_size=8).filter(is_sought))
def test_what_an_encoder_makes_of_any_value_is_masked(name: str, secret: str) -> None:
    assert SENSITIVE in Redactor([secret]).text(ENCODERS[name](secret))


def test_what_may_go_on_for_ever_is_not_held_back_for_ever() -> None:
    stream = Redactor(["hunter2secret"]).stream()
    for _ in range(9):
        stream.feed(b"hunter2\n" + b"\n" * 10_000)
        assert len(stream._tail) < 4096
