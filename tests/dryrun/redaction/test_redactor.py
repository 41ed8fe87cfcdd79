"""No form of a sensitive value comes through, however the bytes are cut."""

from __future__ import annotations

import base64
import json
import posixpath
import shlex
from itertools import pairwise
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillstudio.dryrun.redaction.forms import forms_of
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
