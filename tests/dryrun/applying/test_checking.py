"""What stands against a change, each with what is there, what was expected, and what to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dryrun.applying.ground import Tree, changes, make, seen

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.checking import judge, path_fault
from skillstudio.dryrun.applying.patch import PatchRefused, patches
from skillstudio.files.changeset import FileState

BEFORE: Tree = {
    "doc/a.md": b"old\n",
    "link": "doc/a.md",
    "goes/x": b"x",
    "plain": b"plain\n",
    "run.sh": (b"#!/bin/sh\n", 0o755),
}
AFTER: Tree = {
    "doc/a.md": b"new\n",
    "doc/b.md": b"b\n",
    "link": "plain",
    "goes": b"a file",
    "run.sh": b"#!/bin/sh\n",
    "sub/deep/c.md": b"c\n",
}


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return make(tmp_path / "real", BEFORE)


@pytest.fixture
def wanted(real: Path, tmp_path: Path) -> list[ApplyChange]:
    return changes(real, make(tmp_path / "copy", AFTER))


def told(wanted: list[ApplyChange]) -> dict[str, str]:
    return {each.path: each.message for each in judge(wanted).conflicts}


def test_what_did_not_change_since_has_no_conflict(wanted: list[ApplyChange]) -> None:
    assert told(wanted) == {}


def swap(path: Path, what: Callable[[Path], object]) -> None:
    path.unlink()
    what(path)


SINCE: dict[str, tuple[Callable[[Path], object], dict[str, str]]] = {
    "other bytes": (
        lambda real: (real / "doc/a.md").write_text("mine\n"),
        {"doc/a.md": "has changed since the run began (5 bytes, SHA-256 "},
    ),
    "other bytes of the same length": (
        lambda real: (real / "doc/a.md").write_text("OLD\n"),
        {"doc/a.md": "has changed since"},
    ),
    "another mode": (
        lambda real: (real / "run.sh").chmod(0o700),
        {"run.sh": "has mode 0700 now and had 0755 before"},
    ),
    "gone": (
        lambda real: (real / "doc/a.md").unlink(),
        {"doc/a.md": "no longer exists and was a file when the run began"},
    ),
    "come": (
        lambda real: (real / "doc/b.md").write_text("mine\n"),
        {"doc/b.md": "is a file now and did not exist when the run began"},
    ),
    "the very same come": (lambda real: (real / "doc/b.md").write_text("b\n"), {}),
    "the very same come, with another mode": (
        lambda real: ((real / "doc/b.md").write_text("b\n"), (real / "doc/b.md").chmod(0o600)),
        {"doc/b.md": "is a file now and did not exist"},
    ),
    "the very same, behind a link": (
        lambda real: (
            (real / "doc/b.md").write_text("b\n"),
            (real / "doc").rename(real / "d"),
            (real / "doc").symlink_to("d"),
        ),
        {"doc/a.md": "doc is a link to ", "doc/b.md": "doc is a link to "},
    ),
    "a link that leads there already": (
        lambda real: swap(real / "link", lambda path: path.symlink_to("plain")),
        {},
    ),
    "a folder that went already": (
        lambda real: ((real / "goes/x").unlink(), (real / "goes").rmdir()),
        {"goes": "no longer exists and was a folder when the run began"},
    ),
    "a folder where a file comes": (
        lambda real: (real / "doc/b.md").mkdir(),
        {"doc/b.md": "is a folder now and did not exist"},
    ),
    "a folder where a file was": (
        lambda real: swap(real / "doc/a.md", Path.mkdir),
        {"doc/a.md": "is a folder now and was a file"},
    ),
    "a link where a file was": (
        lambda real: swap(real / "doc/a.md", lambda path: path.symlink_to("/etc/passwd")),
        {"doc/a.md": "is a link now and was a file"},
    ),
    "a FIFO where a file was": (
        lambda real: swap(real / "doc/a.md", os.mkfifo),
        {"doc/a.md": "is a special file now and was a file"},
    ),
    "a link leads elsewhere": (
        lambda real: swap(real / "link", lambda path: path.symlink_to("run.sh")),
        {"link": "leads to run.sh now and led to doc/a.md before"},
    ),
    "a folder above is a link that leads out": (
        lambda real: ((real / "doc").rename(real.parent / "d"), (real / "doc").symlink_to("../d")),
        {
            "doc/a.md": "doc is a link to ",
            "doc/b.md": "never writes through links",
        },
    ),
    "a folder above is a link that stays": (
        lambda real: ((real / "doc").rename(real / "d"), (real / "doc").symlink_to("d")),
        {"doc/a.md": "doc is a link to ", "doc/b.md": "doc is a link to "},
    ),
    "a new folder is a link by now": (
        lambda real: (real / "sub").symlink_to("/etc"),
        {"sub/deep/c.md": "sub is a link to /etc and was a folder in the run"},
    ),
    "a file where a folder comes": (
        lambda real: (real / "sub").write_text(""),
        {"sub/deep/c.md": "sub is a file and was a folder in the run"},
    ),
    "a file in a folder that goes": (
        lambda real: (real / "goes/mine").write_text(""),
        {"goes": "would be removed with mine, which the run did not remove"},
    ),
    "an empty folder in a folder that goes": (
        lambda real: (real / "goes/mine").mkdir(),
        {"goes": "would be removed with mine"},
    ),
    "protected file": (
        lambda real: (real / "doc/a.md").chmod(0o444),
        {"doc/a.md": "has mode 0444 now"},
    ),
    "protected folder": (
        lambda real: (real / "doc").chmod(0o555),
        {"doc/a.md": "doc is read-only; use chmod u+w", "doc/b.md": "is read-only"},
    ),
    "a name in another case": (
        lambda real: (real / "doc/B.md").write_text(""),
        {"doc/b.md": "differs only in case from B.md, which exists"},
    ),
    "a folder in another case": (
        lambda real: (real / "Sub").mkdir(),
        {"sub/deep/c.md": "differs only in case from Sub, which exists"},
    ),
}


@pytest.mark.parametrize("since", SINCE)
def test_what_changed_since_is_a_conflict(
    real: Path, wanted: list[ApplyChange], since: str
) -> None:
    change, expected = SINCE[since]
    change(real)
    before = seen(real)
    found = told(wanted)
    assert found.keys() == expected.keys()
    for path, part in expected.items():
        assert part in found[path]
    assert seen(real) == before
    (real / "doc").chmod(0o755)


def one(folder: Path, path: str, after: FileState | None, source: str = "") -> ApplyChange:
    return ApplyChange("workspace", str(folder), path, None, after, source)


PATHS = {
    "": "not a plain path",
    "/etc/passwd": "not a plain path",
    "a//b": "not a plain path",
    "./a": "not a plain path",
    "a/": "not a plain path",
    "a\0b": "not a plain path",
    "../a": "leads out",
    "a/../../b": "leads out",
    ".git/config": "is in .git",
    ".git": "is in .git",
    "sub/.git/hooks/pre-commit": "is in .git",
    ".GIT/config": "is in .git",
    ".git./config": "is in .git",
    ".git /config": "is in .git",
    ".git::$INDEX_ALLOCATION/config": "is in .git",
    "git~1/config": "is in .git",
    ".g\u200cit/config": "is in .git",
    ".gitignore": "",
    ".github/workflows/a.yml": "",
    "a/b\nc": "",
    "\udcff": "",
}


@pytest.mark.parametrize("path", PATHS)
def test_paths(tmp_path: Path, path: str) -> None:
    part = PATHS[path]
    assert part in path_fault(path)
    assert bool(path_fault(path)) == bool(part)
    source = make(tmp_path / "kept", {"f": b"x"}) / "f"
    root = make(tmp_path / "real", {})
    state = changes(root, source.parent)[0].after
    assert bool(judge([one(root, path, state, str(source))]).conflicts) == bool(part)


LINKS = {
    "/etc/shadow": "absolute or outside the folder",
    "../../etc/shadow": "absolute or outside the folder",
    "sub/../../out": "absolute or outside the folder",
    ".git/hooks": "a link into .git",
    "plain": "",
    ".": "",
}


@pytest.mark.parametrize("target", LINKS)
def test_links(real: Path, target: str) -> None:
    found = told([one(real, "new", FileState("link", 0, target=target))])
    assert LINKS[target] in found.get("new", "")
    assert bool(found) == bool(LINKS[target])


def test_what_a_run_may_not_leave(real: Path, tmp_path: Path) -> None:
    kept = make(tmp_path / "kept", {"f": b"x"}) / "f"
    state = changes(make(tmp_path / "none", {}), kept.parent)[0].after
    assert state is not None
    cases = {
        "is not a file, folder or link": one(real, "new", FileState("other", 0o644)),
        "would run as its owner": one(real, "new", state._replace(mode=0o4755), str(kept)),
        "would run as its owner or group": one(real, "new", state._replace(mode=0o2755), str(kept)),
        "no recorded content": one(real, "new", state, str(tmp_path / "gone")),
        "is not what the run left": one(real, "new", state._replace(size=2), str(kept)),
        "exists neither before nor after": one(real, "new", None),
        "does not exist; create it": one(tmp_path / "nowhere", "new", state, str(kept)),
    }
    for part, each in cases.items():
        assert part in told([each])["new"]


def test_rights_are_not_given_to_other_bytes(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"s": (b"old", 0o4755), "t": (b"old", 0o4755)})
    copy = make(tmp_path / "copy", {"s": (b"new", 0o4755), "t": (b"old", 0o4700)})
    found = told(changes(real, copy))
    assert found.keys() == {"s"}
    assert "would run as its owner or group (mode 4755)" in found["s"]


BARE: Tree = {"HEAD": b"ref: refs/heads/main\n", "objects/info": None, "refs/heads": None}
STORES: dict[str, tuple[Tree, Tree, set[str]]] = {
    "a bare repository": (
        {f"r.git/{path}": what for path, what in BARE.items()},
        {"r.git/hooks/post-receive": b"x", "r.git.txt": b"x"},
        {"r.git/hooks/post-receive"},
    ),
    "the root is one": (BARE, {"hooks/post-receive": b"x"}, {"hooks/post-receive"}),
    "the store of a work tree": (
        {"store/HEAD": b"x", "store/commondir": b"..\n"},
        {"store/config.worktree": b"x"},
        {"store/config.worktree"},
    ),
    "one that comes": (
        {},
        {f"a/b/{path}": what for path, what in BARE.items()} | {"a/b/config": b"x", "a/c": b"x"},
        {"a/b/HEAD", "a/b/objects/info", "a/b/refs/heads", "a/b/config"},
    ),
    "one that comes in another case": (
        {},
        {"r/head": b"x", "r/Objects/a": b"x", "r/REFS/a": b"x"},
        {"r/head", "r/Objects/a", "r/REFS/a"},
    ),
    "one that is made whole": (
        {"r/HEAD": b"x", "r/refs/a": b"x"},
        {"r/objects/a": b"x"},
        {"r/objects/a"},
    ),
    "names that make none": ({"r/HEAD": b"x"}, {"r/refs": b"x", "objects/x": b"x"}, set()),
}


@pytest.mark.parametrize("store", STORES)
def test_a_repository_of_any_name_is_left_to_git(tmp_path: Path, store: str) -> None:
    before, coming, refused = STORES[store]
    real = make(tmp_path / "real", before)
    copy = make(make(tmp_path / "copy", before), coming)
    wanted = changes(real, copy)
    found = told(wanted)
    assert found.keys() == refused
    assert all("is in a Git repository" in each for each in found.values())
    if refused:
        with pytest.raises(PatchRefused, match="is in a Git repository"):
            patches(wanted)


def test_a_protected_file_is_neither_written_nor_removed(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"a": (b"a", 0o444), "b": (b"b", 0o444)})
    found = told(changes(real, make(tmp_path / "copy", {"a": (b"A", 0o444)})))
    assert found.keys() == {"a", "b"}
    assert all("use chmod u+w" in each for each in found.values())


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="only POSIX tells of it")
def test_nothing_is_written_to_a_disk_that_is_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = make(tmp_path / "real", {"a": b"a"})
    wanted = changes(real, make(tmp_path / "copy", {"a": b"A", "b": b"B"}))
    assert told(wanted) == {}
    flags = list(os.statvfs(real))
    flags[8] |= os.ST_RDONLY
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result(flags))
    found = told(wanted)
    assert found.keys() == {"a", "b"}
    assert all("is on a read-only file system" in each for each in found.values())


def test_names_that_are_one_elsewhere(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"old": b""})
    copy = make(tmp_path / "copy", {"A": b"1", "a": b"2", "OLD": b"3"})
    if len(seen(copy)) < 3:
        pytest.skip("here they are one already")
    found = judge(changes(real, copy)).conflicts
    # A rename that changes the case alone is none: the old name goes.
    assert [each.path for each in found] == ["a"]
    assert "and A are the same name on some systems" in found[0].message


def test_what_was_to_go_is_not_gone_where_all_is(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"gone": b"x"})
    wanted = changes(real, make(tmp_path / "copy", {}))
    real.rename(tmp_path / "away")
    assert "does not exist; create it" in told(wanted)["gone"]


def test_the_same_path_twice(wanted: list[ApplyChange]) -> None:
    assert "listed twice" in told([*wanted, wanted[0]])[wanted[0].path]


def test_a_choice_that_cannot_be(wanted: list[ApplyChange], real: Path) -> None:
    """What lies below a file is not left where only the file was chosen."""
    chosen = [each for each in wanted if each.path == "goes"]
    assert "would be removed with x" in told(chosen)["goes"]
    inside = one(real, "goes/new", FileState("link", 0, target="x"))
    assert "goes, which is no longer a folder" in told([*wanted, inside])["goes/new"]


def test_a_root_that_is_reached_by_a_link(
    tmp_path: Path, wanted: list[ApplyChange], real: Path
) -> None:
    (tmp_path / "way").symlink_to(real)
    assert told([each._replace(folder=str(tmp_path / "way")) for each in wanted]) == {}
