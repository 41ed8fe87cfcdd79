"""What a sample expects: texts with elisions, JSON with placeholders, files by path and glob."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.sampling.expecting import (
    FileReader,
    SampleDifference,
    files_differences,
    json_differences,
    json_of_both,
    text_difference,
    text_matches,
    text_of_both,
)

TEXTS = [
    ("", "", True),
    ("a\n", "a", True),
    ("a", "a\n", True),
    ("a\n", "a\n\n", False),
    ("a\n", "b\n", False),
    ("a[..]d\n", "abcd\n", True),
    ("a[..]d\n", "ad\n", True),
    ("a[..]a\n", "a\n", False),
    ("[..]b[..]b[..]\n", "abcb\n", True),
    ("[..]b[..]b[..]\n", "abc\n", False),
    ("[..]\n", "\n", True),
    ("...\n", "", True),
    ("...\n", "a\nb\n", True),
    ("a\n...\n", "a\n", True),
    ("a\n...\n", "b\na\n", False),
    ("...\nc\n", "a\nb\nc\n", True),
    ("...\nc\n", "a\nc\nb\n", False),
    ("a\n...\na\n", "a\n", False),
    ("a\n...\nb\n...\nc\n", "a\nx\nb\ny\nc\n", True),
    ("a\n...\nb\n...\nb\n", "a\nx\nb\ny\nc\n", False),
    ("a\n...\nb[..]\n...\n", "a\nbx\n", True),
    ("....\n", "a\n", False),
    (" ...\n", "a\n", False),
]


@pytest.mark.parametrize(("expected", "actual", "same"), TEXTS)
def test_texts_with_elisions(expected: str, actual: str, same: bool) -> None:
    assert text_matches(expected, actual) is same
    found = list(text_difference("standard output", expected, actual))
    assert [each.message for each in found] == ([] if same else ["standard output differs"])


def test_a_diff_shows_only_lines_that_differ() -> None:
    [found] = text_difference("x", "took [..] s\nb\nc\n", "took 5 s\nb\nd\n")
    assert found.diff.splitlines()[2:] == ["@@ -1,3 +1,3 @@", " took 5 s", " b", "-c", "+d"]


lines = st.lists(st.sampled_from(["", "a", "b", "ab", "a b", "...", "[..]", "x1y"]), max_size=6)


@given(lines, lines)
def test_a_text_of_two_runs_matches_both(one: list[str], other: list[str]) -> None:
    texts = ["".join(f"{line}\n" for line in each) for each in (one, other)]
    made = text_of_both(*texts)
    assert all(text_matches(made, each) for each in texts)


TEXTS_OF_BOTH = [
    ("a\n", "a\n", "a\n"),
    ("pid 4511.52\n", "pid 4533.92\n", "pid [..]\n"),
    ("took 12 s\n", "took 345 s\n", "took [..] s\n"),
    ("a\nb\n", "a\nx\ny\n", "a\n...\n"),
    ("in /tmp/a1/out\nok\n", "in /tmp/b2/out\nok\n", "in /tmp/[..]/out\nok\n"),
]


@pytest.mark.parametrize(("one", "other", "made"), TEXTS_OF_BOTH)
def test_the_text_of_two_runs(one: str, other: str, made: str) -> None:
    assert text_of_both(one, other) == made


JSON = [
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1}, {"a": 1.0}, []),
    ({"a": 1}, {"a": True}, ["JSON at /a: expected 1, got true"]),
    ({"a": 1}, {}, ["JSON at /a: missing"]),
    ({}, {"b/c": 1}, ["JSON at /b~1c: unexpected 1"]),
    ([1, 2], [1], ["JSON at the root: expected 2 items, got 1"]),
    ([1, 2], [2, 1], ["JSON at /0: expected 1, got 2", "JSON at /1: expected 2, got 1"]),
    ("<int>", 5, []),
    ("<int>", 5.5, ["JSON at the root: expected <int>, got 5.5"]),
    ("<int>", True, ["JSON at the root: expected <int>, got true"]),
    ("<number>", 5.5, []),
    ("<number>", "5", ['JSON at the root: expected <number>, got "5"']),
    ("<string>", "", []),
    ("<string>", None, ["JSON at the root: expected <string>, got null"]),
    ("<path>", "/tmp/a b", []),
    ("<path>", "", ['JSON at the root: expected <path>, got ""']),
    ("<path>", "a\nb", ['JSON at the root: expected <path>, got "a\\nb"']),
    ("<date>", "2025-01-31", []),
    ("<date>", "2025-01-31T10:00:00.5+01:00", []),
    ("<date>", "31.1.2025", ['JSON at the root: expected <date>, got "31.1.2025"']),
    ("<any>", {"a": []}, []),
    ("run [..] of 3", "run 1 of 3", []),
    (None, None, []),
    ({"a": [{"b": "<int>"}]}, {"a": [{"b": "x"}]}, ['JSON at /a/0/b: expected <int>, got "x"']),
]


@pytest.mark.parametrize(("expected", "actual", "said"), JSON)
def test_json_by_value(expected: Any, actual: Any, said: list[str]) -> None:
    assert [each.message for each in json_differences(expected, actual)] == said


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from(["", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=6,
)


@given(values, values)
def test_a_value_of_two_runs_matches_both(one: Any, other: Any) -> None:
    made = json_of_both(one, other)
    assert not list(json_differences(made, one))
    assert not list(json_differences(made, other))
    assert json.dumps(json_of_both(one, one)) == json.dumps(one)


def test_differences_of_a_large_value_are_counted() -> None:
    found = list(json_differences(list(range(100)), list(range(1, 101))))
    assert len(found) == 21
    assert found[-1].message == "80 more differences of the JSON value"


CONTENTS = {
    "a.md": b"one\n",
    "out/b.png": b"\x89PNG",
    "home:.x": b"",
    "skill:s": b"s",
    "tmp:t.9/k": b"k",
}
CHANGES = {**dict.fromkeys(CONTENTS, "added"), "old": "removed"}
REST = {"home:.x": "", "tmp:t.*/k": "k", "skill:s": "<any>", "old": "<removed>"}
ALL = {"a.md": "one\n", "out/*.png": "<any>", **REST}
PNG = "0f4636c78f65d3639ece5a064b5ae753e3408614a14fb18ab4d7540d2c248543"


def read(path: str) -> bytes | None:
    return CONTENTS.get(path)


def digest(path: str) -> str:
    return PNG if path == "out/b.png" else ""


READER = FileReader(read, digest, lambda name: CONTENTS[name.removeprefix("../")])
FILES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"a.md": "o[..]\n"}, []),
    ({"a.md": "two\n"}, ["file a.md differs"]),
    ({"a.md": {"from": "../a.md"}}, []),
    ({"a.md": {"from": "../skill:s"}}, ["file a.md differs"]),
    ({"a.md": "<removed>"}, ["file a.md: expected removed, but it was added"]),
    ({"old": "<any>"}, ["file old: expected a file with content, but it was removed"]),
    ({"out/*.png": {"sha256": PNG}}, []),
    (
        {"out/*.png": {"sha256": "0" * 64}},
        [f"file out/b.png: expected SHA-256 {'0' * 64}, got {PNG}"],
    ),
    (
        {"out/*.png": "text"},
        ["file out/b.png: not a text that can be compared; expect sha256 or <any>"],
    ),
    ({"c.md": "<any>"}, ["file c.md: expected, but the run did not change it"]),
    ({"c*": "<any>"}, ["file c*: expected, but the run did not change it"]),
]


@pytest.mark.parametrize(("expected", "said"), FILES, ids=[str(row[0]) for row in FILES])
def test_files(expected: dict[str, Any], said: list[str]) -> None:
    found = files_differences({**ALL, **expected}, CHANGES, READER)
    assert [each.message for each in found] == said


@pytest.mark.parametrize(
    ("expected", "content", "is_same"),
    [("x\n", b"x\n", True), ("x", b"x\n", True), ("x", b"x", True), ("x\n", b"x", False),
     ("x\n...\n", b"x\ny", False), ("", b"", True), ("...\n", b"", True)],
)  # fmt: skip
def test_the_end_of_a_file_is_compared_where_it_is_expected(
    expected: str, content: bytes, is_same: bool
) -> None:
    reader = FileReader(lambda _: content, lambda _: "", lambda _: b"")
    messages = [str(each) for each in files_differences({"a": expected}, {"a": "added"}, reader)]
    assert messages == ([] if is_same else ["file a: its last line has no line end"])


def test_a_changed_file_that_is_not_expected() -> None:
    found = files_differences({"*": "<any>", **REST}, CHANGES, READER)
    assert list(found) == []  # A glob matches folders, too, but no other folder of the run.
    found = files_differences({"a.md": "<any>"}, CHANGES, READER)
    assert [each.message for each in found] == [
        "file out/b.png: added, which is not expected",
        "file home:.x: added, which is not expected",
        "file skill:s: added, which is not expected",
        "file tmp:t.9/k: added, which is not expected",
        "file old: removed, which is not expected",
    ]


def test_a_difference_is_its_message() -> None:
    assert str(SampleDifference("standard output differs", "---")) == "standard output differs"
