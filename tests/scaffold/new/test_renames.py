"""Renamed files are recognised by their lines, and versions by their numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.scaffold.new.catalogue import is_older, newest_version
from skillstudio.scaffold.new.renames import match_files, own_files

TEN = b"".join(b"step %d\n" % number for number in range(10))


def test_the_most_similar_file_is_the_renamed_one() -> None:
    before = {"a.md": TEN, "empty.md": b"", "other.md": b"other\n"}
    after = {"b.md": TEN + b"end\n", "c.md": TEN + b"1\n2\n3\n", "empty2.md": b"", "d": b"\0"}
    assert match_files(before, after) == {"a.md": "b.md"}
    # Among equal files, the one of the same name.
    assert match_files({"a.md": TEN}, {"b.md": TEN, "x/a.md": TEN}) == {"a.md": "x/a.md"}
    assert match_files({"a.md": TEN}, {"b.md": TEN.replace(b"\n", b"\r\n")}) == {"a.md": "b.md"}
    assert match_files({"a.bin": b"\0a"}, {"b.bin": b"\0a"}) == {"a.bin": "b.bin"}
    assert match_files({"a.md": TEN}, {"b.md": TEN[: len(TEN) // 3]}) == {}


def test_many_files_are_only_compared_for_equality() -> None:
    before = {f"{number}.md": b"%d\n" % number + TEN for number in range(200)}
    after = {f"x/{number}.md": b"%d\n" % number + TEN for number in range(200)}
    assert match_files(before, after) == {path: f"x/{path}" for path in before}
    same = dict.fromkeys(before, TEN)
    assert match_files(same, dict.fromkeys(after, TEN)) == {}


def test_files_of_the_author_are_read_without_links_and_leftovers(tmp_path: Path) -> None:
    for path in ("a.md", "x/b.md", ".git/c", "d.pyc"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    (tmp_path / "large.md").write_bytes(b"x" * ((1 << 20) + 1))
    (tmp_path / "link.md").symlink_to("a.md")
    assert own_files(DiskTree(str(tmp_path)), ["a.md"]) == {"x/b.md": b"x/b.md"}


@pytest.mark.parametrize(
    ("tags", "newest"),
    [
        ([], ""),
        (["latest", "release"], ""),
        (["v1.9", "v1.10", "v1.2.3"], "v1.10"),
        (["1.0", "v2.0.0-rc1", "2.0b1", "v-3"], "1.0"),
        (["v1", "v1.0.1"], "v1.0.1"),
        (["v" + "9" * 5000, "v1"], "v1"),
        (["-u", "--upload-pack=x", "v1"], "v1"),
    ],
)
def test_the_newest_version_of_some_tags(tags: list[str], newest: str) -> None:
    assert newest_version(tags) == newest


def test_a_commit_is_no_older_version() -> None:
    assert is_older("v1.9", "v1.10")
    assert not is_older("v1.0", "v1")
    assert not is_older("v1", "0123abc")
    assert not is_older("0123abc", "v1")
