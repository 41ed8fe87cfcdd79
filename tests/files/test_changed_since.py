"""Which folders differ from a revision, also in other repositories below."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git

from skillstudio.files.changed_since import ChangedSince
from skillstudio.files.git import GitError

pytestmark = needs_git


@pytest.fixture
def outer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with another one that has no branch `base`, or no commit at all."""
    repository = Repo(tmp_path / "outer")
    repository.commit({"tea/SKILL.md": "Tea.\n", "cake/SKILL.md": "Cake.\n"}, "base")
    repository.git("branch", "base")
    repository.write({"tea/SKILL.md": "More tea.\n"})
    monkeypatch.chdir(repository.root)
    return repository


@pytest.mark.parametrize("has_commit", [True, False])
@pytest.mark.parametrize("is_ignored", [True, False])
def test_a_repository_without_the_revision_counts_as_changed_unless_it_is_ignored(
    outer: Repo, has_commit: bool, is_ignored: bool
) -> None:
    outer.write({".gitignore": "/vendor/\n" if is_ignored else ""})
    inner = Repo(outer.root / "vendor" / "lib")
    inner.write({"jam/SKILL.md": "Jam.\n"})
    if has_commit:
        inner.commit({}, "jam")
    changes = ChangedSince("base")
    names = ("tea", "cake", "vendor/lib/jam")
    changed = {name for name in names if changes.contains(str(outer.root / name))}
    assert changed == ({"tea"} if is_ignored else {"tea", "vendor/lib/jam"})
    note = "the repository vendor/lib does not have base, so all of its skills count as changed"
    assert changes.notes == ([] if is_ignored else [note])


def test_a_revision_that_the_repository_itself_does_not_have_is_refused(outer: Repo) -> None:
    with pytest.raises(GitError, match="unknown git revision 'none'"):
        ChangedSince("none").contains(str(outer.root / "tea"))


def test_a_repository_elsewhere_is_refused(outer: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit({"jam/SKILL.md": "Jam.\n"}, "jam")
    with pytest.raises(GitError, match="unknown git revision 'base'"):
        ChangedSince("base").contains(str(other.root / "jam"))
