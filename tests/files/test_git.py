"""Git is asked what changed, and a repository's configuration starts nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from skillstudio.files.git import GitError, changed_files

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    for name in ("kept", "changed", "gone", "ümläut name"):
        (root / name).write_text(f"{name}\n")
    (root / ".gitignore").write_text("ignored\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def test_changed_new_and_gone_files_are_named_and_ignored_ones_are_not(repository: Path) -> None:
    (repository / "changed").write_text("other\n")
    (repository / "ümläut name").write_text("other\n")
    (repository / "gone").unlink()
    (repository / "ignored").write_text("x")
    (repository / "new").mkdir()
    (repository / "new" / "file").write_text("x")
    root, changed = changed_files(str(repository / "new"), "HEAD")
    assert root == str(repository.resolve())
    assert changed == {"changed", "gone", "new/file", "ümläut name"}


@pytest.mark.parametrize("name", ["evil", "e=vil", "e.v=i.l=", 'e"\\vil', "évil"])
@pytest.mark.parametrize("verb", ["clean", "process"])
def test_a_filter_of_the_repository_is_not_run(
    repository: Path, tmp_path: Path, name: str, verb: str
) -> None:
    trace = tmp_path / "trace"
    git(repository, "config", f"filter.{name}.{verb}", f"touch {trace}; cat")
    git(repository, "config", f"filter.{name}.required", "true")
    git(repository, "config", "core.fsmonitor", f"touch {trace}")
    git(repository, "config", "diff.external", f"touch {trace}")
    (repository / ".gitattributes").write_text(f"* filter={name}\n")
    (repository / "changed").write_text("other\n")
    _, changed = changed_files(str(repository), "HEAD")
    assert "changed" in changed
    assert not trace.exists()


@pytest.mark.parametrize("ref", ["nowhere", "--output=x", "-h", ""])
def test_a_revision_that_is_none_is_refused(repository: Path, ref: str) -> None:
    with pytest.raises(GitError, match="unknown git revision"):
        changed_files(str(repository), ref)


def test_a_folder_without_git_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitError, match="not in a git repository"):
        changed_files(str(tmp_path), "HEAD")


def test_a_machine_without_git_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="not installed"):
        changed_files(str(tmp_path), "HEAD")
