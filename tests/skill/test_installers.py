"""Which skills of a repository `npx skills` finds, and why it does not find the others."""

from __future__ import annotations

import pytest
from tests.skill.repositories import INSTALLABLE, Repository, files_of

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.installers import SkillFolders, find_installable, installers


@pytest.mark.parametrize("repository", INSTALLABLE.values(), ids=INSTALLABLE)
def test_what_an_installer_finds(repository: Repository) -> None:
    tree = MemoryTree(files_of(repository), "repository")
    (target,) = installers()
    installable = find_installable(tree, target)
    folders = [folder.removeprefix(".") if folder == "." else folder
               for folder in repository.folders.split()]  # fmt: skip
    found = {folder for folder in folders if installable.overlooks(folder) is None}
    assert found == {folder.replace(".", "") if folder == "." else folder
                     for folder in repository.found.split()}  # fmt: skip


@pytest.mark.parametrize(
    ("repository", "folder", "text", "fix"),
    [
        ("root", "one", "the only one that it finds", "--full-depth"),
        ("elsewhere", "node_modules/seven", "it skips node_modules", "skills/seven"),
        ("containers", "deep/er/six", "3 levels below skills", "move it to skills/six"),
        ("lock", ".agents/skills/one", "lists it as installed", "remove it from skills-lock.json"),
    ],
)
def test_why_an_installer_overlooks_a_skill(
    repository: str, folder: str, text: str, fix: str
) -> None:
    tree = MemoryTree(files_of(INSTALLABLE[repository]), "repository")
    overlooked = find_installable(tree, *installers()).overlooks(folder)
    assert overlooked is not None
    assert text in overlooked.text
    assert fix in overlooked.fix
    assert overlooked.evidence


def test_a_repository_too_large_to_be_searched_overlooks_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("skillstudio.skill.installers._MOST_FOLDERS", 3)
    tree = MemoryTree(files_of(INSTALLABLE["elsewhere"]), "repository")
    assert find_installable(tree, *installers()).overlooks("1/2/3/4/5/six") is None
    assert SkillFolders(tree, frozenset()).budget == 3
