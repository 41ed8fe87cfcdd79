"""Commits, tags and history are read, the work tree stays as it is, and nothing is started."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from skillstudio.files import git as git_module
from skillstudio.files.disk import DiskTree
from skillstudio.files.git import GitError, changed_files
from skillstudio.files.git_tree import MAX_LISTING, MAX_TOTAL, GitObjects, check_total, read_tree
from skillstudio.files.listed import ListedEntry
from skillstudio.files.repository import PathAbsent, Repository, Tag, open_repository
from skillstudio.skill.hashing.content_hash import hash_tree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ODD = ["$(touch x)", "a\nb", 'quote"d', "sp ace", "ümläut", ":(exclude)x", "*", "-n", "tab\there"]
PROGRAMS = [
    *(f"core.{key}" for key in ("fsmonitor", "pager", "sshCommand", "editor", "askPass")),
    *(f"core.{key}" for key in ("gitProxy", "alternateRefsCommand")),
    *(f"pager.{verb}" for verb in ("status", "tag", "rev-list", "diff")),
    *(f"diff.{key}" for key in ("external", "evil.command", "evil.textconv")),
    *(f"filter.evil.{key}" for key in ("clean", "smudge", "process")),
    *(f"remote.origin.{key}" for key in ("uploadpack", "receivepack", "vcs")),
    *("merge.evil.driver", "gpg.program", "gpg.ssh.program", "credential.helper"),
    *("sequence.editor", "interactive.diffFilter", "uploadpack.packObjectsHook"),
]
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))
}


def git(folder: Path, *arguments: str, when: int = 0) -> str:
    dates = {f"GIT_{who}_DATE": f"{1_700_000_000 + when} +0000" for who in ("AUTHOR", "COMMITTER")}
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **IDENTITY, **dates},
    ).stdout.strip()


def commit(root: Path, files: dict[str, str | None], when: int = 0) -> str:
    """A commit in which files are written, or gone where their text is None."""
    for name, text in files.items():
        path = root / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "x", when=when)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


def test_a_folder_of_a_commit_is_a_tree(root: Path) -> None:
    files: dict[str, str | None] = {
        "skills/log/SKILL.md": "one\n",
        "skills/log/run.sh": "#!/bin/sh\n",
    }
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / "skills/log/link").symlink_to("SKILL.md")
    (root / "skills/log/out").symlink_to("../../../etc/passwd")
    (root / "skills/log/run.sh").touch(0o755)
    (root / "skills/log/run.sh").chmod(0o755)
    first = commit(root, files)
    commit(root, {"skills/log/SKILL.md": "two\n", "skills/log/new": "x"}, when=1)
    with open_repository(root / "skills" / "log") as repository:
        assert repository.root == str(root.resolve())
        prefix = repository.prefix(root / "skills" / "log")
        tree = repository.tree(first, prefix)
        assert (prefix, tree.name) == ("skills/log", "log")
        assert [(entry.name, entry.kind, entry.size) for entry in tree.list()] == [
            ("SKILL.md", "file", 4),
            ("link", "link", 8),
            ("out", "link", 19),
            ("run.sh", "file", 10),
        ]
        assert tree.read("SKILL.md") == tree.read("link") == b"one\n"
        assert tree.read("SKILL.md", 2) == b"on"
        assert b"".join(tree.chunks("run.sh", 3)) == b"#!/bin/sh\n"
        assert [oct(tree.mode(name)) for name in ("run.sh", "SKILL.md")] == ["0o755", "0o644"]
        assert (tree.target("out"), tree.resolve("out")) == ("../../../etc/passwd", None)
        assert (tree.resolve("link"), tree.resolve("gone"), tree.kind("gone")) == (
            "SKILL.md",
            None,
            None,
        )
        for call in (tree.read, tree.size, tree.mode, tree.target, tree.list):
            with pytest.raises(OSError):
                call("gone")
        with pytest.raises(OSError):
            tree.read("out")
        assert repository.tree("HEAD").name == "repo"
        assert repository.read(first, "./skills//log/SKILL.md") == b"one\n"
        assert repository.read(first, "skills/log/new") is None
        assert repository.read(first, "skills/log") is None


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows cannot hold")
def test_a_name_is_a_name_and_nothing_else(root: Path) -> None:
    odd: dict[str, str | None] = {f"{name}/{name}": name for name in ODD}
    head = commit(root, odd)
    (root / os.fsdecode(b"\xff")).mkdir()
    commit(root, {os.fsdecode(b"\xff/\xfe"): "x"}, when=1)
    repository = open_repository(root)
    whole = repository.tree("HEAD")
    for name in ODD:
        assert repository.tree("HEAD", name).read(name) == name.encode()
        assert whole.read(f"{name}/{name}") == name.encode()
        assert repository.read("HEAD", f"{name}/{name}") == name.encode()
        assert repository.history(name) == [head]
        (root / name / "new").write_text("x")
        assert repository.dirty(name) == [f"{name}/new"]
    assert repository.tree("HEAD", "\udcff").read("\udcfe") == b"x"
    assert not (root / "x").exists()
    repository.close()


@pytest.mark.parametrize("ref", ["nowhere", "", "-h", "--all", "HEAD:a", "a\nb", "HEAD HEAD", "\0"])
def test_a_revision_that_is_none_is_refused(root: Path, ref: str) -> None:
    commit(root, {"a": "1"})
    with open_repository(root) as repository:
        assert not repository.has(ref)
        for ask in (repository.commit, repository.tree):
            with pytest.raises(GitError, match="unknown git revision"):
                ask(ref)


@pytest.mark.parametrize("path", ["gone", "a", "a/b", "gone\nfor good"])
def test_a_folder_that_a_commit_lacks_is_told_from_an_error(root: Path, path: str) -> None:
    commit(root, {"a": "1"})
    with open_repository(root) as repository, pytest.raises(PathAbsent, match="in HEAD"):
        repository.tree("HEAD", path)


def test_tags_name_their_commits_newest_first(root: Path) -> None:
    first = commit(root, {"a": "1"})
    git(root, "tag", "v1.0.0")
    second = commit(root, {"a": "2"}, when=10)
    git(root, "tag", "-a", "-m", "x", "log@2.0.0", when=20)
    git(root, "tag", "v1.9.0")
    git(root, "tag", "v1.10.0")
    git(root, "tag", "-a", "-m", "x", "twice", "log@2.0.0", when=30)
    git(root, "tag", "blob", "HEAD:a")
    with open_repository(root) as repository:
        assert repository.tags() == [
            Tag("twice", second),
            Tag("log@2.0.0", second),
            Tag("v1.10.0", second),
            Tag("v1.9.0", second),
            Tag("v1.0.0", first),
        ]
        assert repository.commit("log@2.0.0") == second


def test_history_names_the_commits_that_touch_a_path(root: Path) -> None:
    one = commit(root, {"a/x": "1", "b/x": "1"}, when=0)
    two = commit(root, {"b/x": "2"}, when=1)
    three = commit(root, {"a/x": "3"}, when=2)
    with open_repository(root) as repository:
        assert repository.history("a") == [three, one]
        assert repository.history() == [three, two, one]
        assert repository.history("a", since=two) == [one]
        assert repository.history("a", limit=1) == [three]
        assert repository.history("gone") == []
        with pytest.raises(GitError, match="unknown git revision"):
            repository.history("a", since="nowhere")


def test_what_changed_between_two_commits(root: Path) -> None:
    one = commit(root, {"a/b/x": "1", "c/x": "1", "top": "1", "same/x": "1"})
    two = commit(root, {"a/b/x": "2", "c/x": None, "d/new\nname": "1", "top": "2"}, when=1)
    with open_repository(root) as repository:
        assert repository.files_changed(one, two) == ["a/b/x", "c/x", "d/new\nname", "top"]


def test_what_is_not_committed_is_named(root: Path) -> None:
    commit(root, {"a/x": "1", "a/y": "1", "a/z": "1", "b/x": "1", ".gitignore": "ignored\n"})
    (root / "a/x").write_text("2")
    (root / "a/y").unlink()
    git(root, "mv", "a/z", "a/moved")
    (root / "a/new").mkdir()
    (root / "a/new/file").write_text("1")
    (root / "a/ignored").write_text("1")
    with open_repository(root / "a" / "new") as repository:
        assert repository.dirty("a") == ["a/moved", "a/new/file", "a/x", "a/y", "a/z"]
        assert repository.dirty("b") == []


def test_the_remote(root: Path) -> None:
    with open_repository(root) as repository:
        assert repository.remote() == ""
        git(root, "remote", "add", "fork", "https://example.org/fork.git")
        assert repository.remote() == "https://example.org/fork.git"
        git(root, "remote", "add", "origin", "https://example.org/origin.git")
        assert repository.remote() == "https://example.org/origin.git"


def test_a_repository_without_a_commit(root: Path) -> None:
    with open_repository(root) as repository:
        assert (repository.history(), repository.tags(), repository.has("HEAD")) == ([], [], False)
        with pytest.raises(GitError, match="has no commits; create one with git commit"):
            repository.tree("HEAD")


def test_a_path_outside_has_no_prefix(root: Path, tmp_path: Path) -> None:
    with open_repository(root) as repository:
        assert repository.prefix(root) == ""
        with pytest.raises(GitError, match="outside"):
            repository.prefix(tmp_path)


def test_a_folder_that_is_no_work_tree_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitError, match="not in a git repository"):
        open_repository(tmp_path)
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(GitError, match="without a work tree"):
        open_repository(tmp_path / "bare.git")
    with pytest.raises(GitError, match="git"):
        open_repository(tmp_path / "gone")


def test_a_repository_of_someone_else_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(GitError, match=r"another user.*safe\.directory"):
        open_repository(root)


def test_a_hook_that_calls_is_not_taken_for_the_place_to_look(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(root, {"a": "1"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    with open_repository(root) as repository:
        assert repository.tree("HEAD").read("a") == b"1"


def test_bytes_are_those_of_the_commit(root: Path) -> None:
    """No line ends are rewritten, no file of export-ignore is missing, no keyword is filled in."""
    commit(
        root,
        {
            ".gitattributes": "* text eol=crlf ident export-subst\ndocs export-ignore\n",
            "docs/a": "x\n",
            "b": "$Id$ $Format:%H$\n",
        },
    )
    with open_repository(root) as repository:
        tree = repository.tree("HEAD")
        assert (tree.read("b"), tree.read("docs/a")) == (b"$Id$ $Format:%H$\n", b"x\n")


def test_a_commit_and_its_checkout_have_one_digest(root: Path) -> None:
    (root / "run").touch(0o755)
    (root / "run").chmod(0o755)
    (root / "link").symlink_to("run")
    commit(
        root, {"SKILL.md": "x", "a/b/c": "y", "run": "z", ".skillignore": "docs/\n", "docs/a": ""}
    )
    with open_repository(root) as repository:
        assert hash_tree(repository.tree("HEAD"))[:3] == hash_tree(DiskTree(root))[:3]


def test_a_submodule_is_named_and_not_entered(root: Path) -> None:
    head = commit(root, {"a": "1"})
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    git(root, "commit", "-q", "-m", "x")
    with open_repository(root) as repository:
        tree = repository.tree("HEAD")
        assert tree.kind("sub") == "other"
        with pytest.raises(OSError):
            tree.read("sub")
        assert repository.files_changed("HEAD~1", "HEAD") == ["sub"]


def _hostile(root: Path, trace: Path) -> None:
    """Every key of a configuration that names a program, and hooks."""
    program = root.parent / "program"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{trace}'\ncat\n")
    program.chmod(0o755)
    for key in PROGRAMS:
        git(root, "config", key, str(program))
    for verb in ("rev-parse", "status", "ls-tree", "cat-file", "rev-list", "diff-tree", "config"):
        git(root, "config", f"alias.{verb}", f"!{program}")
    for key, value in (
        ("filter.evil.required", "true"),
        ("log.showSignature", "true"),
        ("remote.origin.url", f"ext::{program}"),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("submodule.recurse", "true"),
    ):
        git(root, "config", key, value)
    hooks = root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
        "post-checkout",
    ):
        shutil.copy(program, hooks / name)


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_no_configuration_of_a_repository_starts_a_program(root: Path, tmp_path: Path) -> None:
    one = commit(root, {"a": "1", "b/x": "1", ".gitattributes": "* filter=evil diff=evil\n"})
    two = commit(root, {"a": "2"}, when=1)
    git(root, "tag", "-a", "-m", "x", "v1")
    trace = tmp_path / "trace"
    _hostile(root, trace)
    (root / "a").write_text("3")
    with open_repository(root / "b") as repository:
        tree = repository.tree(one)
        hash_tree(tree)
        repository.tags()
        assert len(repository.history("a")) == 2
        repository.files_changed(one, two)
        assert "a" in repository.dirty()
        repository.remote()
        assert "a" in changed_files(str(root), "HEAD")[1]
        gone = git(root, "rev-parse", "HEAD:b/x")
        (root / ".git/objects" / gone[:2] / gone[2:]).unlink()
        with pytest.raises(OSError, match=r"partial clone|could not read"):
            repository.tree(one).read("b/x")
    assert not trace.exists(), trace.read_text()
    subprocess.run(["git", "-C", str(root), "diff"], capture_output=True, check=False)
    assert trace.exists(), "the configuration would have started something"


def test_the_repository_is_only_read(root: Path) -> None:
    commit(root, {"a": "1", "b/x": "1"})
    os.utime(root / "a", (1, 1))
    before = _state(root)
    with open_repository(root) as repository:
        hash_tree(repository.tree("HEAD"))
        repository.dirty()
        repository.history("a")
        repository.tags()
    assert _state(root) == before


def _state(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(root.rglob("*"))
    }


def test_two_versions_are_read_with_few_starts_of_git(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        commit(root, {f"log/{name}": f"{name} {number}" for name in "abcdefgh"}, when=number)
        git(root, "tag", f"v{number}")
    started = []
    command = git_module._command

    def counted(folder: str, arguments: tuple[str, ...]) -> list[str]:
        started.append(arguments)
        return command(folder, arguments)

    monkeypatch.setattr(git_module, "_command", counted)
    with open_repository(root) as repository:
        names = [tag.name for tag in repository.tags()]
        hashes = {hash_tree(repository.tree(name, "log")).content_hash for name in names[:2]}
        versions = [repository.read(each, "log/a") for each in repository.history("log")]
    assert len(hashes) == 2
    assert versions == [f"a {number}".encode() for number in (4, 3, 2, 1, 0)]
    assert len(started) <= 6


def test_threads_share_a_repository(root: Path) -> None:
    files: dict[str, str | None] = {f"f{number}": f"{number}" * number for number in range(60)}
    commit(root, files)
    with open_repository(root) as repository:
        tree = repository.tree("HEAD")
        wrong: list[str] = []

        def read_all() -> None:
            wrong.extend(n for n, text in files.items() if tree.read(n).decode() != text)

        threads = [threading.Thread(target=read_all) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_a_large_file_is_read_in_pieces_and_others_meanwhile(root: Path) -> None:
    large = "0123456789abcdef" * (640 << 10)
    commit(root, {"large": large, "small": "x"})
    with open_repository(root) as repository:
        tree = repository.tree("HEAD")
        pieces = tree.chunks("large", 1 << 20)
        first = next(pieces)
        assert tree.read("small") == b"x"
        assert tree.read("large", 16) == b"0123456789abcdef"
        assert tree.read("small") == b"x"
        assert (first + b"".join(pieces)).decode() == large
        assert next(tree.chunks("large", 10)) == b"0123456789"


def test_a_damaged_object_says_so(root: Path) -> None:
    commit(root, {"a": "1" * 100, "b": "2"})
    blob = git(root, "rev-parse", "HEAD:a")
    path = root / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"nothing of zlib")
    with open_repository(root) as repository:
        # The size is in the object, so a listing fails already.
        with pytest.raises((GitError, OSError)):
            repository.tree("HEAD").read("a")
        assert repository.read("HEAD", "b") == b"2"


def test_a_closed_repository_opens_again(root: Path) -> None:
    head = commit(root, {"a": "1"})
    repository = Repository(str(root))
    assert repository.commit("HEAD") == head
    repository.close()
    assert repository.commit("HEAD") == head
    repository.close()


def bomb(root: Path, levels: int) -> str:
    """A tree of ten entries a level that all are one object, so 10 ** levels files of one byte."""
    commit(root, {"a": "1"})
    entry = f"100644 blob {git(root, 'rev-parse', 'HEAD:a')}"
    for _ in range(levels):
        lines = "".join(f"{entry}\t{name}\n" for name in "abcdefghij")
        made = subprocess.run(
            ["git", "-C", str(root), "mktree"], input=lines, capture_output=True, text=True
        )
        entry = f"040000 tree {made.stdout.strip()}"
    return entry.split()[2]


def test_a_commit_of_more_files_than_any_disk_holds_is_refused(root: Path) -> None:
    tree = bomb(root, 9)
    objects = GitObjects(str(root))
    with pytest.raises(GitError, match="the folder x has too many files in that commit"):
        read_tree(str(root), tree, "x", objects, max_listing=1 << 20)


@pytest.mark.parametrize(("bound", "refused"), [(99, True), (100, False)])
def test_files_that_come_to_more_than_the_bound_are_refused(
    root: Path, bound: int, refused: bool
) -> None:
    tree = bomb(root, 2)
    objects = GitObjects(str(root))
    if refused:
        with pytest.raises(GitError, match="the files of x come to more than 99 bytes"):
            read_tree(str(root), tree, "x", objects, max_total=bound)
    else:
        found = read_tree(str(root), tree, "x", objects, max_total=bound)
        paths = [f"{one}/{other}" for one in "abcdefghij" for other in "abcdefghij"]
        assert sum(map(found.size, paths)) == 100
    objects.close()


def test_the_bounds_hold_for_a_commit(root: Path) -> None:
    assert (MAX_LISTING, MAX_TOTAL) == (32 << 20, 16 << 30)
    large = ListedEntry("file", 0o644, 1 << 30, "")
    check_total("x", [large] * 16)
    with pytest.raises(GitError, match="the files of x come to more than 16 GiB"):
        check_total("x", [large] * 17)


@pytest.mark.parametrize(
    "ref", ["@{u}", "HEAD@{99}", "main@{upstream}", "@{-1}", "HEAD^{/nothing}"]
)
def test_a_revision_at_which_git_gives_up_is_unknown_and_no_damage(root: Path, ref: str) -> None:
    commit(root, {"a": "1"})
    with open_repository(root) as repository:
        assert not repository.has(ref)
        with pytest.raises(GitError, match=f"unknown git revision {re.escape(repr(ref))}"):
            repository.commit(ref)
        assert repository.read("HEAD", "a") == b"1"
