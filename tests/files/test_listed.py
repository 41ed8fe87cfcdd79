"""Listings of archives and commits, which can contradict themselves."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import ListedEntry, ListedTree
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
