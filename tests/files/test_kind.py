"""What a file holds."""

from __future__ import annotations

import pytest

from skillstudio.files.kind import HEAD, kind_of

KINDS = [
    ("notes.md", b"# Notes\n", "markdown", True),
    ("NOTES.MD", b"# Notes\n", "markdown", True),
    ("log.org", b"* TODO\n", "org", True),
    ("data.json", b"{}", "json", True),
    ("data.jsonl", b"{}\n{}\n", "json-lines", True),
    ("table.tsv", b"a\tb\n", "csv", True),
    ("Makefile", b"all:\n", "make", True),
    ("empty", b"", "text", True),
    ("readme", "é".encode(), "text", True),
    ("run", b"#!/bin/sh\n", "shell", True),
    ("run", b"#!/usr/bin/env python3.11\n", "python", True),
    ("run", b"#!/usr/bin/env -S A=1 node --flag\n", "javascript", True),
    ("run", b"#!\n", "text", True),
    ("run", b"#!/opt/unknown\n", "text", True),
    ("wide.txt", b"\xff\xfeh\0i\0", "text", True),
    ("notes.md", b"\x89PNG\r\n\x1a\n....", "png", False),
    ("a.webp", b"RIFF....WEBPVP8 ", "webp", False),
    ("store.db", b"SQLite format 3\0....", "sqlite", False),
    ("skill.wasm", b"\0asm\1\0\0\0", "wasm", False),
    ("a.tar", b"name" + bytes(253) + b"ustar", "tar", False),
    ("latin.txt", b"caf\xe9 au lait", "binary", False),
    ("zeros", bytes(10), "binary", False),
]


@pytest.mark.parametrize(("path", "head", "kind", "is_text"), KINDS)
def test_a_file_is_called_by_what_it_holds(
    path: str, head: bytes, kind: str, is_text: bool
) -> None:
    assert kind_of(f"folder/{path}", head) == (kind, is_text)


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_character_cut_at_the_end_of_the_head_is_text_still(cut: int) -> None:
    text = b"a" * (HEAD - cut) + "𝄞".encode()
    assert kind_of("song", text[:HEAD]).is_text


def test_half_a_character_before_the_end_is_not_text() -> None:
    assert not kind_of("song", b"abc" + "𝄞".encode()[:3]).is_text
