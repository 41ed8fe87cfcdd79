"""Listings of archives and commits, which can contradict themselves."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import ListedEntry, ListedTree, MemoryTree
from skillstudio.files.tree import FileEntry


class Contents:
    """Every file has one byte."""

    def read(self, key: str) -> bytes:
        return b"x"


@pytest.mark.parametrize("kind", ["file", "link", "other"])
@pytest.mark.parametrize("paths", [("a", "a/b"), ("a/b", "a"), ("a/b", "a/c/d", "a")])
def test_an_entry_with_entries_below_it_is_a_folder_in_any_order(
    kind: str, paths: tuple[str, ...]
) -> None:
    entries = {path: ListedEntry("file", 0o644, 1, path) for path in paths}
    entries["a"] = entries["a"]._replace(kind=kind)  # type: ignore[arg-type]
    tree = ListedTree("skill", entries, Contents())  # type: ignore[arg-type]
    assert tree.kind("a") == "folder"
    assert tree.list("") == [FileEntry("a", "folder")]


@pytest.mark.parametrize(
    ("path", "trail"),
    [
        ("a/file", ["a/file"]),
        ("a", ["a"]),
        ("b/link", ["b/link", "a/file"]),
        ("b/over", ["b/over", "b/link", "a/file"]),
        ("b/folder/file", ["b/folder", "a/file"]),
        ("b/gone", ["b/gone", "c"]),
        ("b/loop", ["b/loop"] * 41),
        ("b/out", ["b/out"]),
        ("b/absolute", ["b/absolute"]),
    ],
)
def test_a_trail_has_the_links_and_where_they_end(path: str, trail: list[str]) -> None:
    links = {
        "b/link": "../a/file", "b/over": "link", "b/folder": "../a", "b/gone": "../c/d/e",
        "b/loop": "loop", "b/out": "../../a", "b/absolute": "/a",
    }  # fmt: skip
    assert MemoryTree({"a/file": b"x"}, links=links).trail(path) == trail
