"""Copies for a run: what is in them, what is not, and what is refused."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.staging import stage as stage_module
from skillstudio.dryrun.staging.stage import stage
from skillstudio.dryrun.staging.staged import StagedChange, Staging, StagingRefused, compare_copies
from skillstudio.dryrun.staging.survey import REPOSITORY_ELSEWHERE, CopyLimits, StagingSurvey
from skillstudio.files.changeset import snapshot


def changes_of(staged: Staging) -> tuple[StagedChange, ...]:
    return compare_copies(staged, lambda: False).changes


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    """A workspace with a skill in it."""
    work = tmp_path / "work"
    skill = work / "skills" / "notes"
    (skill / "scripts").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: notes\n---\n")
    (skill / "scripts" / "run.sh").write_text("#!/bin/sh\n")
    (skill / "scripts" / "run.sh").chmod(0o755)
    (work / ".git").mkdir()
    (work / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (work / "readme.md").write_text("hello")
    (work / "current").symlink_to("readme.md")
    return Roots(str(work), str(skill))


@pytest.fixture
def copies(tmp_path: Path) -> str:
    folder = tmp_path / "run"
    folder.mkdir()
    return str(folder)


def reasons(staged: Staging) -> dict[str, str]:
    return {os.path.relpath(path, staged.original.workspace): why for path, why in staged.skipped}


def test_everything_is_copied_and_nothing_shared(roots: Roots, copies: str) -> None:
    staged = stage(roots, copies)
    before = snapshot(roots.workspace)
    copied = snapshot(staged.roots.workspace)
    assert {path: state[:5] for path, state in copied.items()} == {
        path: state[:5] for path, state in before.items()
    }
    assert staged.roots.skill == os.path.join(staged.roots.workspace, "skills", "notes")
    for path, state in copied.items():
        if state.kind == "file":
            file = os.path.join(staged.roots.workspace, path)
            assert not os.path.samefile(file, os.path.join(roots.workspace, path))
    assert changes_of(staged) == ()


def test_a_skill_elsewhere_is_copied_for_itself(tmp_path: Path, roots: Roots, copies: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    staged = stage(Roots(str(other), roots.skill), copies)
    assert os.path.isfile(os.path.join(staged.roots.skill, "SKILL.md"))
    assert os.listdir(staged.roots.workspace) == []


def test_a_workspace_in_the_skill_is_copied_once(roots: Roots, copies: str) -> None:
    staged = stage(Roots(os.path.join(roots.skill, "scripts"), roots.skill), copies)
    assert staged.roots.workspace == os.path.join(staged.roots.skill, "scripts")


def test_paths_are_told_by_their_originals(roots: Roots, copies: str) -> None:
    staged = stage(roots, copies)
    file = os.path.join(roots.skill, "SKILL.md")
    copy = staged.copy_of(file)
    assert copy is not None
    assert staged.original_of(copy) == file
    assert staged.copy_of("/etc/passwd") is None
    assert staged.copy_of(roots.workspace + "-other/x") is None


def test_a_change_is_told_under_one_root(roots: Roots, copies: str) -> None:
    staged = stage(roots, copies)
    Path(staged.roots.skill, "out.txt").write_text("in the skill")
    Path(staged.roots.workspace, "readme.md").write_text("changed")
    Path(staged.roots.workspace, "current").unlink()
    found = [(each.root, each.path, each.original) for each in changes_of(staged)]
    assert found == [
        ("skill", "out.txt", os.path.join(roots.skill, "out.txt")),
        ("workspace", "current", os.path.join(roots.workspace, "current")),
        ("workspace", "readme.md", os.path.join(roots.workspace, "readme.md")),
    ]


def _ignored(work: Path) -> None:
    (work / ".gitignore").write_text("build/\n.env\n")
    (work / "build").mkdir()
    (work / ".env").write_text("KEY=1")


def _unix_socket(work: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(work)
        try:
            listening.bind("door")
        finally:
            os.chdir(here)


def _link_chain(work: Path) -> None:
    (work / "a" / "b" / "c").mkdir(parents=True)
    (work / "a" / "b" / "c" / "up").symlink_to("../../..")
    (work / "a" / "b" / "c" / "chain").symlink_to("up/../outside")


def _by_absolute_link(work: Path) -> None:
    (work / "usr").symlink_to("/usr")
    (work / "shell").symlink_to("usr/bin/env")


SKIPPED: list[tuple[str, Callable[[Path], object], dict[str, str]]] = [
    ("installed packages", lambda w: (w / "node_modules").mkdir(),
     {"node_modules": "installed packages"}),
    ("a cache", lambda w: (w / "skills/__pycache__").mkdir(), {"skills/__pycache__": "a cache"}),
    ("an ignored folder, and no ignored file", _ignored, {"build": "ignored by .gitignore"}),
    ("a FIFO", lambda w: os.mkfifo(w / "pipe"), {"pipe": "a socket, FIFO or device"}),
    ("a socket", _unix_socket, {"door": "a socket, FIFO or device"}),
    ("a link out", lambda w: (w / "up").symlink_to("../elsewhere"),
     {"up": "a link that points outside of the folder"}),
    ("an absolute link", lambda w: (w / "shell").symlink_to("/bin/sh"),
     {"shell": "a link to an absolute path"}),
    ("a link whose words stay inside, and which leads out by another link", _link_chain,
     {"a/b/c/chain": "a link that points outside of the folder"}),
    ("a link that leads out by an absolute link", _by_absolute_link,
     {"usr": "a link to an absolute path", "shell": "a link that points outside of the folder"}),
    ("an ignore file that is a FIFO", lambda w: os.mkfifo(w / ".gitignore"),
     {".gitignore": "a socket, FIFO or device"}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "add", "expected"), SKIPPED, ids=[row[0] for row in SKIPPED])
def test_what_is_left_out_is_listed(
    roots: Roots, copies: str, what: str, add: Callable[[Path], object], expected: dict[str, str]
) -> None:
    add(Path(roots.workspace))
    staged = stage(roots, copies)
    assert reasons(staged) == expected
    for path in expected:
        copy = os.path.join(staged.roots.workspace, path)
        # A folder is there without its content, so that a write there is seen.
        original = os.path.join(roots.workspace, path)
        if os.path.isdir(original) and not os.path.islink(original):
            assert os.listdir(copy) == []
        else:
            assert not os.path.lexists(copy)


def test_a_skill_in_a_folder_of_packages_is_copied(roots: Roots, copies: str) -> None:
    packages = Path(roots.workspace, "node_modules", "other")
    packages.mkdir(parents=True)
    moved = packages.parent / "notes"
    shutil.move(roots.skill, moved)
    staged = stage(Roots(roots.workspace, str(moved)), copies)
    assert os.path.isfile(os.path.join(staged.roots.skill, "SKILL.md"))


def _many(work: Path) -> None:
    for number in range(40):
        (work / f"{number}.txt").write_text("x")


def _by_another_way(work: Path) -> None:
    work.with_name("alias").symlink_to(work)
    (work / "again").symlink_to(work.with_name("alias") / "readme.md")


def _working_elsewhere(work: Path, name: str = "config", target: str = "/x/y") -> None:
    (work / "sub" / ".git").mkdir(parents=True)
    (work / "sub" / ".git" / name).write_text(f"[core]\n\tworktree = {target}\n")


REFUSED: list[tuple[str, Callable[[Path], object], CopyLimits, str]] = [
    ("an absolute link back", lambda w: (w / "again").symlink_to(w / "readme.md"), CopyLimits(),
     "so a write through it would reach the original"),
    ("an absolute link back by a detour",
     lambda w: (w / "again").symlink_to(f"{w}/x/../readme.md"), CopyLimits(),
     "so a write through it would reach the original"),
    ("an absolute link back through another link", _by_another_way, CopyLimits(),
     "so a write through it would reach the original"),
    ("a repository that works elsewhere", _working_elsewhere, CopyLimits(),
     "sets core.worktree to /x/y, which git in the copy would use too"),
    ("a repository whose work tree works elsewhere",
     lambda w: _working_elsewhere(w, "config.worktree", '"~/x"'), CopyLimits(),
     "config.worktree sets core.worktree to ~/x"),
    ("too many bytes", lambda w: (w / "big").write_bytes(bytes(3 << 20)), CopyLimits(size=2 << 20),
     "has more than 2 MiB to copy; name a smaller folder with --workspace"),
    ("too many files", _many, CopyLimits(entries=30), "has more than 30 files"),
]  # fmt: skip


def _git_file(place: Path, target: str) -> None:
    place.mkdir(exist_ok=True)
    (place / ".git").write_text(f"gitdir: {target}\n")


def _submodule(work: Path, tree: str = "../../../sub", target: str = "../.git/modules/sub") -> None:
    (work / ".git/modules/sub").mkdir(parents=True)
    (work / ".git/modules/sub/config").write_text(f"[core]\n\tworktree = {tree}\n")
    _git_file(work / "sub", target)


def _worktree_inside(work: Path) -> None:
    _submodule(work)
    (work / ".git/modules/sub/commondir").write_text("../../../../elsewhere\n")


def _submodule_by_a_link(work: Path) -> None:
    _submodule(work)
    (work / ".git/modules").rename(work.parent / "modules")
    (work / ".git/modules").symlink_to("../../modules")


NO_REPOSITORY = "gitdir: no-repository-in-this-dry-run\n"
DETACHED: list[tuple[str, Callable[[Path], object], str, str | None]] = [
    ("a worktree", lambda w: _git_file(w, "/x/.git/worktrees/w"), ".git", NO_REPOSITORY),
    ("a submodule", lambda w: _git_file(w, "../.git/modules/w"), ".git", NO_REPOSITORY),
    ("a link", lambda w: (w / ".git").symlink_to("/x"), ".git", NO_REPOSITORY),
    ("a link that leads out",
     lambda w: (w / "docs").mkdir() or (w / "docs/.git").symlink_to("../../x"), "docs/.git",
     NO_REPOSITORY),
    ("no text of git", lambda w: (w / ".git").write_bytes(b"\xff\0"), ".git", NO_REPOSITORY),
    ("a submodule of the copy", _submodule, "sub/.git", "gitdir: ../.git/modules/sub\n"),
    ("a submodule by an absolute path",
     lambda w: _submodule(w, target=f"{w}/.git/modules/sub"), "sub/.git", None),
    ("a submodule that works elsewhere", lambda w: _submodule(w, "../../../../w"), "sub/.git",
     None),
    ("a worktree of a repository elsewhere", _worktree_inside, "sub/.git", None),
    ("a submodule by a link", _submodule_by_a_link, "sub/.git", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "add", "path", "text"), DETACHED, ids=[row[0] for row in DETACHED]
)
def test_git_in_the_copy_never_reaches_a_repository_elsewhere(
    roots: Roots,
    copies: str,
    what: str,
    add: Callable[[Path], object],
    path: str,
    text: str | None,
) -> None:
    work = Path(roots.workspace)
    if text == NO_REPOSITORY:
        shutil.rmtree(work / ".git")
    add(work)
    staged = stage(roots, copies)
    copy = Path(staged.roots.workspace) / path
    assert (copy.read_text() if os.path.lexists(copy) else None) == text
    assert not copy.is_symlink()
    reasons = [skip.why for skip in staged.skipped if skip.path == str(work / path)]
    is_kept = text is not None and text != NO_REPOSITORY
    assert reasons == ([] if is_kept else [REPOSITORY_ELSEWHERE])


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_in_the_copy_of_a_worktree_finds_no_repository(roots: Roots, copies: str) -> None:
    work = Path(roots.workspace)
    shutil.rmtree(work / ".git")
    subprocess.run(["git", "init", "-q", str(work.parent)], check=True)
    _git_file(work, str(work.parent / ".git"))
    staged = stage(roots, copies)
    ran = subprocess.run(
        ["git", "add", "-A"],
        cwd=staged.roots.workspace,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 128
    assert "not a git repository" in ran.stderr
    assert not (work.parent / ".git/index").exists()


@pytest.mark.parametrize(
    ("what", "add", "limits", "message"), REFUSED, ids=[row[0] for row in REFUSED]
)
def test_what_cannot_be_copied_is_refused_before_a_byte_is(
    roots: Roots,
    copies: str,
    what: str,
    add: Callable[[Path], object],
    limits: CopyLimits,
    message: str,
) -> None:
    add(Path(roots.workspace))
    with pytest.raises(StagingRefused, match=re.escape(message)):
        stage(roots, copies, limits)
    assert os.listdir(copies) == []


def test_a_repository_that_works_in_the_copy_stays(roots: Roots, copies: str) -> None:
    _working_elsewhere(Path(roots.workspace), target="..")
    staged = stage(roots, copies)
    assert os.path.isfile(os.path.join(staged.roots.workspace, "sub/.git/config"))


def test_copies_within_what_is_copied_are_refused(roots: Roots) -> None:
    inside = Path(roots.workspace, "run")
    inside.mkdir()
    with pytest.raises(StagingRefused, match="the copies would be inside"):
        stage(roots, str(inside))


def test_staging_ends_when_it_is_cancelled(roots: Roots, copies: str) -> None:
    with pytest.raises(InterruptedError):
        stage(roots, copies, is_cancelled=lambda: True)


def test_set_user_id_bits_stay_behind(roots: Roots, copies: str) -> None:
    Path(roots.skill, "scripts", "run.sh").chmod(0o4755)
    staged = stage(roots, copies)
    assert os.stat(os.path.join(staged.roots.skill, "scripts/run.sh")).st_mode & 0o7777 == 0o755


def test_a_read_only_folder_is_copied_with_all_in_it(roots: Roots, copies: str) -> None:
    Path(roots.skill, "scripts").chmod(0o555)
    staged = stage(roots, copies)
    assert os.path.isfile(os.path.join(staged.roots.skill, "scripts/run.sh"))


def test_copies_that_a_run_took_away(roots: Roots, copies: str) -> None:
    staged = stage(roots, copies)
    assert changes_of(staged) == ()
    shutil.rmtree(staged.copies[0].folder)
    gone = changes_of(staged)
    assert gone
    assert all(each.entry_change.after is None for each in gone)
    # What a link in their place leads to is none of theirs.
    os.symlink("/", staged.copies[0].folder)
    assert changes_of(staged) == gone


def test_copies_that_a_run_closed(roots: Roots, copies: str) -> None:
    staged = stage(roots, copies)
    scripts = os.path.join(staged.roots.skill, "scripts")
    os.chmod(scripts, 0)
    os.chmod(staged.roots.workspace, 0)
    [closed] = changes_of(staged)
    assert closed.original == os.path.join(roots.skill, "scripts")
    assert closed.entry_change.after is not None
    assert closed.entry_change.after.mode == 0


def test_what_was_not_compared_in_time_is_no_change(roots: Roots, copies: str) -> None:
    """Nothing is called removed that was only not looked at."""
    staged = stage(roots, copies)
    Path(staged.roots.workspace, "readme.md").write_text("changed")
    found = compare_copies(staged, lambda: True)
    assert found.changes == ()
    assert [path.rstrip("/") for path in found.unlisted_folders] == [roots.workspace]


def test_a_file_with_a_hole_is_copied_with_it(roots: Roots, copies: str) -> None:
    sparse = Path(roots.workspace, "sparse")
    with sparse.open("wb") as file:
        file.write(b"begin")
        file.truncate(64 << 20)
    if sparse.stat().st_blocks * 512 > 32 << 20:
        pytest.skip("this file system has no holes")
    staged = stage(roots, copies)
    copy = Path(staged.roots.workspace, "sparse").stat()
    assert (copy.st_size, copy.st_blocks * 512 < 8 << 20) == (64 << 20, True)
    assert changes_of(staged) == ()
    with Path(staged.roots.workspace, "sparse").open("rb") as file:
        assert file.read(6) == b"begin\0"


def test_a_folder_that_becomes_a_link_while_it_is_copied_is_not_followed(
    roots: Roots, copies: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the survey and the copy somebody puts a link in the place of a folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "run.sh").write_text("secret")
    then = stage_module.survey

    def swapping(*arguments: Any) -> StagingSurvey:
        found = then(*arguments)
        scripts = Path(roots.skill, "scripts")
        if not scripts.is_symlink():
            scripts.rename(tmp_path / "moved")
            scripts.symlink_to(outside)
        return found

    monkeypatch.setattr(stage_module, "survey", swapping)
    staged = stage(roots, copies)
    assert not os.path.lexists(os.path.join(staged.roots.skill, "scripts", "run.sh"))
    assert reasons(staged) == {"skills/notes/scripts/run.sh": "it was replaced during the copy"}
