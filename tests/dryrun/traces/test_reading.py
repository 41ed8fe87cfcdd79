"""A trace of anybody's: read whole, or refused with the place; nothing else ever happens."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dryrun.traces.conftest import a_value

from skillstudio.dryrun.traces.reading import Trace, TraceRefused, read_trace, trace_of
from skillstudio.dryrun.traces.store import MAX_TRACE

WRONG: list[tuple[str, Any, str]] = [
    ("trace", "2", "/trace must be 1: another version of skillstudio wrote it"),
    ("trace", 1, "/trace must be a string"),
    ("mode", "off", "/mode must be one of standard, aggressive"),
    ("mode", ["standard"], "/mode must be one of standard, aggressive"),
    ("run", None, "/run must be a string"),
    ("run", "x" * (1 << 20) + "x", "/run has more than 1,048,576 characters"),
    ("inputs", [], "/inputs must be an object"),
    ("sensitive", "yes", "/sensitive must be true or false"),
    ("duration_ms", "1", "/duration_ms must be a number"),
    ("duration_ms", 10**400, "/duration_ms is too large"),
    ("exit_code", 1.5, "/exit_code must be an integer"),
    ("exit_code", 1 << 70, "/exit_code is too large"),
    ("exit_code", True, "/exit_code must be an integer"),
    ("effects/0/verdict", "fine", "/effects/0/verdict must be one of declared-observed, "),
    ("effects/1/evidence", "x", "/effects/1/evidence must be a list"),
    ("changes/added/0/path", 5, "/changes/added/0/path must be a string"),
    ("changes/added/0/root", "etc", "/changes/added/0/root must be one of workspace, skill, home"),
    ("changes/removed", None, "/changes/removed must be a list"),
    ("steps/0/argv/1", {}, "/steps/0/argv/1 must be a string"),
    ("isolation/id", "safe", "/isolation/id must be one of plan, copy, confined, isolated, wasm"),
    ("roots", {"workspace": ""}, "/roots has no key skill"),
    ("given/env/LEAF", 1, "/given/env/LEAF must be a string"),
    ("execution/skill_version/content_hash", 1, "/content_hash must be a string"),
    ("argv/unix", {"a": 1}, "/argv/unix must be a list"),
    ("key", 7, "/key must be a string"),
]


@pytest.mark.parametrize(("place", "value", "said"), WRONG, ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_told_with_its_place(place: str, value: Any, said: str) -> None:
    made = copy.deepcopy(a_value())
    *way, last = place.split("/")
    holder: Any = made
    for name in way:
        holder = holder[int(name) if isinstance(holder, list) else name]
    holder[int(last) if isinstance(holder, list) else last] = value
    with pytest.raises(TraceRefused) as refused:
        trace_of(json.dumps(made).encode(), "a.json")
    assert str(refused.value).startswith("a.json: ")
    assert said in str(refused.value)


@pytest.mark.parametrize("name", sorted(a_value()))
def test_every_key_is_asked_for(name: str) -> None:
    made = a_value()
    del made[name]
    # They follow from others, or came later.
    later = ("incomplete", "declares", "network", "on", "reason", "printed", "leftover_files")
    if name in ("ok", "verdict", *later):
        assert trace_of(json.dumps(made).encode(), "a.json")
        return
    with pytest.raises(TraceRefused, match=f"has no key {name}"):
        trace_of(json.dumps(made).encode(), "a.json")


BYTES = [
    (b"", "it is not JSON: expecting value, line 1, column 1"),
    (b"{\n  'a'", "it is not JSON: expecting property name enclosed in double quotes, line 2, "),
    (b"\xff\xfe{}", "it is not UTF-8 at byte 0"),
    (b"null", "it must be an object"),
    (b"{}", "it has no key trace"),
    (b'{"trace": NaN}', "it is not JSON: it contains NaN"),
    (b'{"trace": 1e999}', "it is not JSON: it contains a number that is too large"),
    (b'{"trace": ' + b"9" * 5000 + b"}", "it is not JSON: it contains a number that is too large"),
    (b"[" * 100_000, "its values are nested too deeply"),
    (b"[" * 130 + b"]" * 130, "its values are nested too deeply"),
    (b" " * (MAX_TRACE + 1), f"it has more than {MAX_TRACE:,} bytes"),
]


@pytest.mark.parametrize(("data", "said"), BYTES, ids=[row[1][:30] for row in BYTES])
def test_what_is_no_trace_is_told(data: bytes, said: str) -> None:
    with pytest.raises(TraceRefused) as refused:
        trace_of(data, "a.json")
    assert said in str(refused.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(sorted(a_value())), JSON)
def test_whatever_stands_in_a_key_it_is_read_or_refused(name: str, value: Any) -> None:
    data = json.dumps({**a_value(), name: value}).encode()
    try:
        found: Trace | str = trace_of(data, "a")
    except TraceRefused as refused:
        found = str(refused)
    assert isinstance(found, Trace) or found.startswith("a: ")


@pytest.mark.parametrize("kind", ["absent", "folder without one", "pipe"])
def test_a_place_without_a_trace_is_told(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "x"
    if kind == "folder without one":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    with pytest.raises(TraceRefused, match=str(place)):
        read_trace(str(place))
