"""What a digest is of, when there is none, and what is said about it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tracemalloc
import unicodedata
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import ListedEntry, ListedTree, MemoryTree
from skillstudio.skill.hashing.content_hash import (
    HashRefused,
    content_hash,
    hash_tree,
    hashed_files,
)

NOTHING = hashlib.sha256().hexdigest()

SEED = r"""
set -euo pipefail
cd "$1"
find . -type f ! -path './.git/*' ! -path './.skillignore' ! -name '*.pyc' ! -name '.DS_Store' \
  ! -name '__pycache__' -print0 | LC_ALL=C sort -z | \
  xargs -0 -I {} sh -c 'echo "{}"; cat "{}"' | sha256sum | cut -d' ' -f1
"""
"""What seed 003 does where there is no ignore file, which it gets wrong."""


def tree(**files: bytes) -> MemoryTree:
    return MemoryTree({"SKILL.md": b"x", **files})


def write(folder: Path, files: dict[str, bytes]) -> DiskTree:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return DiskTree(folder)


def test_the_stream_is_each_path_and_its_bytes_in_byte_order() -> None:
    files = {"a/b": b"1", "a-b": b"2", "a.b": b"3", "a0": b"4", "é": b"5", "B": b""}
    stream = b"./B\n./a-b\n2./a.b\n3./a/b\n1./a0\n4" + "./é\n5".encode()
    expected = "sha256:" + hashlib.sha256(stream).hexdigest()
    assert hash_tree(MemoryTree(files)).content_hash == expected
    assert content_hash(MemoryTree(files)) == expected
    assert [each.path for each in hash_tree(MemoryTree(files)).files] == [
        *("B", "a-b", "a.b", "a/b", "a0", "é"),
    ]


def test_nothing_at_all_has_a_digest() -> None:
    assert hash_tree(MemoryTree({})).content_hash == f"sha256:{NOTHING}"


def test_the_tree_digest_is_made_as_the_documentation_says(tmp_path: Path) -> None:
    found = write(tmp_path, {"SKILL.md": b"hello\n", "run": b""})
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "zlink").symlink_to("SKILL.md")
    digests = [hashlib.sha256(data).hexdigest() for data in (b"hello\n", b"", b"SKILL.md")]
    lines = (
        "tree-sha256\n"
        f"file 100644 8:SKILL.md 6:{digests[0]}\n"
        f"file 100755 3:run 0:{digests[1]}\n"
        f"link 120000 5:zlink 8:{digests[2]}\n"
    )
    hashed = hash_tree(found)
    assert hashed.tree_sha256 == "sha256:" + hashlib.sha256(lines.encode()).hexdigest()
    assert [tuple(each) for each in hashed.files] == [
        ("SKILL.md", "100644", 6, digests[0]),
        ("run", "100755", 0, digests[1]),
        ("zlink", "120000", 8, digests[2]),
    ]


def test_the_example_of_the_documentation_is_true() -> None:
    page = (Path(__file__).parents[3] / "docs" / "hashing.md").read_text(encoding="utf-8")
    digest = hash_tree(MemoryTree({"SKILL.md": b"hello\n"})).tree_sha256
    assert digest.removeprefix("sha256:") in page


def test_the_streams_that_collide_differ_as_trees() -> None:
    one, other = tree(a=b"x", b=b"y"), tree(a=b"x./b\ny")
    assert hash_tree(one).content_hash == hash_tree(other).content_hash
    assert hash_tree(one).tree_sha256 != hash_tree(other).tree_sha256


def test_what_content_hash_does_not_see_the_tree_digest_sees(tmp_path: Path) -> None:
    found = write(tmp_path, {"SKILL.md": b"x"})
    (tmp_path / "link").symlink_to("one")
    before = hash_tree(found)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("two")
    retargeted = hash_tree(found)
    (tmp_path / "SKILL.md").chmod(0o755)
    runnable = hash_tree(found)
    assert before.content_hash == retargeted.content_hash == runnable.content_hash
    assert len({each.tree_sha256 for each in (before, retargeted, runnable)}) == 3


def test_what_is_never_hashed() -> None:
    extra = {
        ".git/HEAD": b"1",
        ".skillignore": b"# nothing\n",
        "a/b.pyc": b"1",
        ".DS_Store": b"1",
        "a/.DS_Store": b"1",
        "a/__pycache__": b"1",
    }
    assert hash_tree(tree(**extra))[:3] == hash_tree(tree())[:3]
    assert hashed_files(tree(**extra)) == ["SKILL.md"]


@pytest.mark.parametrize(
    "name", ["a/.git/HEAD", "a/.skillignore", "__pycache__/keep.txt", ".gitignore"]
)
def test_what_only_looks_like_it_is_hashed(name: str) -> None:
    assert hash_tree(tree(**{name: b"1"})).content_hash != hash_tree(tree()).content_hash


@pytest.mark.parametrize(
    "ignored", ["README.md", "docs/", "*.test.js", "docs/*\n!docs/keep", "[[:digit:]]"]
)
def test_ignored_files_count_as_if_they_were_not_there(ignored: str) -> None:
    files = {
        "README.md": b"1",
        "docs/a": b"2",
        "docs/keep": b"3",
        "x.test.js": b"4",
        "1": b"5",
        "s/run.sh": b"6",
    }
    hidden = {
        "README.md": ["README.md"],
        "docs/": ["docs/a", "docs/keep"],
        "*.test.js": ["x.test.js"],
        "docs/*\n!docs/keep": ["docs/a"],
        "[[:digit:]]": ["1"],
    }[ignored]
    kept = {name: data for name, data in files.items() if name not in hidden}
    with_ignores = hash_tree(tree(**files, **{".skillignore": ignored.encode()}))
    assert with_ignores[:3] == hash_tree(tree(**kept))[:3]
    assert len(with_ignores.files) == len(kept) + 1


@pytest.mark.parametrize("name", ["a\nb", "a\nb/c"])
def test_a_line_end_in_a_name_has_no_digest(name: str) -> None:
    with pytest.raises(HashRefused, match="line break") as error:
        hash_tree(tree(**{name: b""}))
    assert "\n" not in str(error.value)
    assert hash_tree(tree(**{name: b"", ".skillignore": b"a?b"})).files


@pytest.mark.parametrize(("file", "ignored"), [("SKILL.md", "*.md"), ("skill.toml", "/skill.toml")])
def test_a_manifest_that_is_ignored_has_no_digest(file: str, ignored: str) -> None:
    with pytest.raises(HashRefused, match=f"excludes {file}"):
        hash_tree(MemoryTree({file: b"x", ".skillignore": ignored.encode()}))


def test_an_ignore_file_that_cannot_be_followed_has_no_digest(tmp_path: Path) -> None:
    found = write(tmp_path / "skill", {"SKILL.md": b"x", "rules": b"SKILL.md"})
    (tmp_path / "skill/.skillignore").symlink_to("../outside")
    with pytest.raises(HashRefused, match="outside the skill"):
        hash_tree(found)
    (tmp_path / "skill/.skillignore").unlink()
    (tmp_path / "skill/.skillignore").symlink_to("rules")
    with pytest.raises(HashRefused, match=r"excludes SKILL\.md"):
        hash_tree(found)
    for data, reason in ((b"a\n" * 3000, "lines"), (b"a" * (1 << 16) + b"b", "64 KiB")):
        with pytest.raises(HashRefused, match=reason):
            hash_tree(tree(**{".skillignore": data}))


def test_a_file_that_cannot_be_read_has_no_digest(tmp_path: Path) -> None:
    class Unreadable(MemoryTree):
        def read(self, path: str, limit: int | None = None) -> bytes:
            if path == "secret":
                raise PermissionError(13, "Permission denied", path)
            return super().read(path, limit)

    files = {"SKILL.md": b"x", "secret": b"y"}
    for digest in (hash_tree, content_hash):
        with pytest.raises(HashRefused, match=r"^secret cannot be read: Permission denied$"):
            digest(Unreadable(files))
    assert hash_tree(Unreadable({**files, ".skillignore": b"secret"})).files
    with pytest.raises(HashRefused, match="the folder cannot be read: No such file"):
        hash_tree(DiskTree(tmp_path / "gone"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_folder_that_cannot_be_listed_has_no_digest(tmp_path: Path) -> None:
    found = write(tmp_path, {"SKILL.md": b"x", "closed/a": b"y"})
    (tmp_path / "closed").chmod(0)
    try:
        with pytest.raises(HashRefused, match="closed cannot be read"):
            hash_tree(found)
    finally:
        (tmp_path / "closed").chmod(0o755)


def warnings(found: MemoryTree | DiskTree | ListedTree) -> str:
    return "\n".join(hash_tree(found).warnings)


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFO there")
def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    found = write(tmp_path, {"SKILL.md": b"x", ".git": b"gitdir: /elsewhere\n"})
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    said = warnings(found)
    assert "not in content_hash: link" in said
    assert "excluded from every digest: pipe" in said
    assert ".git is a file and is excluded" in said
    assert hash_tree(found).content_hash == hash_tree(tree()).content_hash


@pytest.mark.parametrize("name", ['a"b', "$HOME", "a\\b", "`id`", "$(touch x)"])
def test_a_name_that_the_seeds_shell_reads_is_named_and_not_run(tmp_path: Path, name: str) -> None:
    found = write(tmp_path, {"SKILL.md": b"x", name: b"y"})
    assert f"so it differs: {name}" in warnings(found)
    assert sorted(os.listdir(tmp_path)) == sorted(["SKILL.md", name])


def test_names_that_look_alike_are_named() -> None:
    names = [unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD")]
    assert "equal to another" in warnings(tree(**dict.fromkeys(names, b"")))
    assert warnings(tree(**{names[0]: b""})) == ""


def test_a_name_of_any_bytes_is_hashed_as_it_is(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff")
    found = tree(**{name: b"y"})
    expected = hashlib.sha256(b"./SKILL.md\nx./\xff\ny").hexdigest()
    assert hash_tree(found).content_hash == f"sha256:{expected}"
    assert "not valid UTF-8" in warnings(found)
    with pytest.raises(HashRefused, match="UTF-8"):
        hash_tree(tree(**{"\ud800": b""}))


def test_a_warning_lists_a_few_names_only() -> None:
    said = warnings(tree(**{f"${number:02}": b"" for number in range(30)}))
    assert said.count("$") == 5
    assert said.endswith("and 25 more")


def test_a_line_of_the_ignore_file_that_matches_nothing_is_named() -> None:
    assert ".skillignore:2: " in warnings(tree(**{".skillignore": b"a\nb[\n"}))


def test_a_submodule_is_in_no_digest() -> None:
    class Contents:
        def read(self, key: str, limit: int | None = None) -> bytes:
            return b"x"

    entries = {
        "SKILL.md": ListedEntry("file", 0o644, 1, "1"),
        "sub": ListedEntry("other", 0, 0, "2"),
    }
    found = ListedTree("skill", entries, Contents())  # type: ignore[arg-type]
    assert hash_tree(found).content_hash == hash_tree(tree()).content_hash
    assert "excluded from every digest: sub" in warnings(found)


def test_large_files_have_the_same_digest_and_are_not_held(tmp_path: Path) -> None:
    size = (48 << 20) + 7
    with open(tmp_path / "large", "wb") as file:
        file.truncate(size)
    (tmp_path / "SKILL.md").write_bytes(b"x")
    stream = hashlib.sha256(b"./SKILL.md\nx./large\n" + bytes(size)).hexdigest()
    own = hashlib.sha256(bytes(size)).hexdigest()
    tracemalloc.start()
    hashed = hash_tree(DiskTree(tmp_path))
    alone = content_hash(DiskTree(tmp_path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert hashed.content_hash == alone == f"sha256:{stream}"
    assert hashed.files[1][2:] == (size, own)
    assert peak < 8 << 20


@pytest.mark.skipif(
    sys.platform != "linux" or not all(map(shutil.which, ("bash", "find", "xargs", "sha256sum"))),
    reason="the seed's script needs GNU tools",
)
def test_the_seeds_script_says_the_same_of_an_ordinary_tree(tmp_path: Path) -> None:
    files = {
        "SKILL.md": b"---\n",
        "a b/c'd": b"1\r\n",
        "a-b": b"",
        "a/(x)&*": bytes(256),
        "é/中": b"2",
    }
    found = write(tmp_path, {**files, ".git/HEAD": b"x", "a/.git/x": b"y", "x.pyc": b"z"})
    said = subprocess.run(
        ["bash", "-c", SEED, "seed", str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert hash_tree(found).content_hash == f"sha256:{said.stdout.strip()}"
