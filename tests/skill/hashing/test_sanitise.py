"""Paths that are shared: the home folders of ADR-003's pattern, and nothing else."""

from __future__ import annotations

import time

import pytest

from skillstudio.skill.hashing.sanitise import sanitise, sanitise_value

CASES = [
    # The seed's own example; its result drops `proj`, its pattern does not.
    ("git+file:///home/dan/proj/skills#worklog", "git+file://LOCAL/proj/skills#worklog"),
    ("/nix/store/abc123-worklog-1.0.0", "/nix/store/abc123-worklog-1.0.0"),
    ("/home/dan/skills", "LOCAL/skills"),
    ("/home/dan", "LOCAL/"),
    ("git+file:///home/dan#notes", "git+file://LOCAL/#notes"),
    ("/Users/dan/skills", "LOCAL/skills"),
    ("/Users/Dan Example/skills", "LOCAL/skills"),
    (r"C:\Users\dan\skills\notes", r"LOCAL/skills\notes"),
    (r"C:\Users\Dan Example\my skills\a", r"LOCAL/my skills\a"),
    (r"c:\users\dan\a", "LOCAL/a"),
    (r"C:\\Users\\dan\\a", "LOCAL/a"),
    ("git+file:///C:/Users/dan/a#b", "git+file://LOCAL/a#b"),
    ("git+file:///C:/Users/Dan%20Example/a#b", "git+file://LOCAL/a#b"),
    # Below another folder, or on a host, what is before stays apart.
    ("/var/home/dan/a", "/var/LOCAL/a"),
    ("/mnt/c/Users/dan/a", "/mnt/c/LOCAL/a"),
    ("git+ssh://example.org/home/dan/a.git", "git+ssh://example.org/LOCAL/a.git"),
    ("from /home/a/x to /home/b/y", "from LOCAL/x to LOCAL/y"),
    ("/home/", "/home/"),
    ("/homes/dan/a", "/homes/dan/a"),
    ("/opt/skills", "/opt/skills"),
    ("", ""),
]


@pytest.mark.parametrize(("path", "shared"), CASES)
def test_a_home_folder_becomes_local(path: str, shared: str) -> None:
    assert sanitise(path) == shared
    assert sanitise(shared) == shared


def test_every_string_of_a_value_is_sanitised() -> None:
    value = {"/home/a/k": ["/home/a/x", {"deep": "/Users/b/y"}], "n": 1, "none": None}
    shared = {"LOCAL/k": ["LOCAL/x", {"deep": "LOCAL/y"}], "n": 1, "none": None}
    assert sanitise_value(value) == shared


@pytest.mark.parametrize(
    "text", ["/home/" * 50_000, "/Users/a b c d" * 20_000, "C:" + "\\" * 99_999]
)
def test_no_text_takes_long(text: str) -> None:
    start = time.perf_counter()
    sanitise(text)
    assert time.perf_counter() - start < 2
