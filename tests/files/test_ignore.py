"""Ignore files by git's rules, against git itself where it is there, in bounded time."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillstudio.files.ignore import MAX_LINE, MAX_LINES, Ignore, IgnoreRefused

NAMES = [
    "a",
    "b",
    "ab",
    "aab",
    "a.b",
    "foo",
    "x]",
    "[",
    "-",
    "a\\b",
    "é",
    "B",
    "1",
    "b ",
    "!a",
    "#a",
]
PIECES = [
    *("a", "b", "foo", "*", "**", "?", "/", "[ab]", "[!a]", "[^b]", "[a-c]", "[]x]", "[a", "[a-]"),
    *(
        "[[:alpha:]]",
        "[[:nope:]]",
        "[[:digit:]a]",
        "[:a:]",
        "[\\]]",
        "[a\\-c]",
        "[--0]",
        "\\",
        "\\*",
    ),
    *(" ", "\\ ", "!", "#", ".", "é", "-", "1", "\r", "\t", "X"),
]


def ignore(*lines: str) -> Ignore:
    return Ignore("\n".join(lines).encode(), ".skillignore")


@pytest.mark.parametrize(
    ("lines", "hidden", "kept"),
    [
        (["docs/"], ["docs/a", "x/docs/a"], ["docs"]),
        (["docs/", "!docs/keep.md"], ["docs/keep.md"], []),
        (["docs/*", "!docs/keep.md"], ["docs/a", "docs/b/keep.md"], ["docs/keep.md"]),
        (["/a"], ["a", "a/b"], ["b/a"]),
        (["a/b"], ["a/b", "a/b/c"], ["x/a/b"]),
        (["a/**/z"], ["a/z", "a/b/z", "a/b/c/z"], ["az", "a/bz"]),
        (["foo**/bar"], ["foo/bar", "fooX/bar"], ["foo", "bar"]),
        (["*", "!*/", "!*.md"], ["a.txt", "d/a.txt"], ["a.md", "d/a.md"]),
        (["foo", "!foo/"], ["foo"], ["foo/x"]),
        (["[[:digit:]].md"], ["1.md"], ["a.md", "é.md"]),
        (["[[:upper:][:punct:]]"], ["A", "-"], ["a", "1"]),
        (["?"], ["a"], ["é", "ab"]),
        (["a\\ ", "b  "], ["a ", "b"], ["a", "b  "]),
        (["# a", "\\#b", "\\!c"], ["#b", "!c"], ["# a", "b", "c"]),
        (["x.md\r", "", "   ", "/"], ["x.md"], ["x.md\r", " ", "a"]),
        (["\ufeffa"], ["a"], ["\ufeffa"]),
    ],
)
def test_lines(lines: list[str], hidden: list[str], kept: list[str]) -> None:
    found = ignore(*lines)
    assert [path for path in hidden if not found.hides(path)] == []
    assert [path for path in kept if found.hides(path)] == []
    assert found.warnings == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("foo\\", "ends with a backslash"),
        ("a[b", "unclosed ["),
        ("[[:nope:]]", ":nope:"),
        ("[a[:digit", "unclosed ["),
    ],
)
def test_a_line_that_can_match_nothing_is_named(line: str, reason: str) -> None:
    found = ignore("a", line, "b")
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(".skillignore:2: ")
    assert reason in found.warnings[0]
    assert [path for path in ("a", "b", line, "foo", "ab") if found.hides(path)] == ["a", "b"]


@pytest.mark.parametrize(
    "pattern", ["*a" * 40 + "b", "**/a/" * 40 + "b", "[a-z]*" * 40 + "!", "?*" * 90]
)
def test_no_pattern_stretches_the_time(pattern: str) -> None:
    found = ignore(pattern)
    paths = ["a" * 255, "/".join(["a"] * 60), "a/" * 40 + "a" * 200]
    begun = time.process_time()
    for path in paths:
        found.hides(path)
    assert time.process_time() - begun < 2


def test_what_no_one_writes_is_refused() -> None:
    with pytest.raises(IgnoreRefused, match="lines"):
        ignore(*["a"] * (MAX_LINES + 1))
    with pytest.raises(IgnoreRefused, match=r"\.skillignore:2 is longer"):
        ignore("a", "b" * (MAX_LINE + 1))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path_factory.mktemp("ignoring")
    subprocess.run(["git", "-C", str(folder), "init", "-q"], check=True)
    return folder


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    lines=st.lists(
        st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
        min_size=1,
        max_size=3,
    ),
    paths=st.lists(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join),
        min_size=20,
        max_size=40,
    ),
)
def test_git_says_the_same(empty: Path, lines: list[str], paths: list[str]) -> None:
    data = "\n".join(lines).encode()
    (empty / ".git/info/exclude").write_bytes(data)
    said = subprocess.run(
        ["git", "-C", str(empty), "check-ignore", "--no-index", "-z", "-v", "-n", "--stdin"],
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
    ).stdout.split(b"\0")
    rows = zip(said[0::4], said[2::4], said[3::4], strict=False)
    git = {path.decode(): bool(source) and not line.startswith(b"!") for source, line, path in rows}
    assert git.keys() == set(paths)
    found = Ignore(data, ".skillignore")
    assert {path: found.hides(path) for path in paths} == git


def test_the_line_that_decides_is_named() -> None:
    ignore = Ignore(b"# notes\n*.log\n!keep.log\nbuild/\n", ".skillignore")
    assert ignore.decision("a.log", folder=False) == (True, 2)
    assert ignore.decision("keep.log", folder=False) == (False, 3)
    assert ignore.decision("build", folder=True) == (True, 4)
    assert ignore.decision("build", folder=False) is None
