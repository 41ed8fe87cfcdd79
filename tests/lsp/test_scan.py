"""The scan of the folders that are open in an editor, without an editor."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import pytest

from skillstudio.lsp import scan as scanning
from skillstudio.lsp.scan import SkillSummary, WorkspaceScan
from skillstudio.lsp.skills import ChangedPaths, Documents, Skills
from skillstudio.session import result_cache
from skillstudio.session.workspace import Workspace

T = TypeVar("T")
TEXT = "---\nname: skill-{0}\ndescription: Use when: asked, {0}.\n---\nSee [it](../style.md).\n"
COUNT = 45


class Host:
    """A server without a protocol, whose worker is this thread."""

    def __init__(self, *roots: Path) -> None:
        self.skills = Skills()
        self.skills.open_roots(map(str, roots))
        self.messages: list[str] = []
        self.places: set[str] = set()

    def documents(self) -> Documents:
        return Documents({})

    async def run(self, job: Callable[[], T], is_request: bool = True) -> T:
        return job()

    def check_folders(self, folders: Collection[str]) -> None:
        self.places |= set(folders)

    def log(self, message: str) -> None:
        self.messages.append(message)

    def report_server_error(self, error: Exception, source: Any) -> None:
        raise error


async def scanned(*roots: Path) -> WorkspaceScan:
    scan = WorkspaceScan(Host(*roots))
    scan.start()
    await scan.wait()
    return scan


def summaries(scan: WorkspaceScan) -> list[SkillSummary]:
    return [scan.summary(folder, Documents({})) for folder in scan.folders]


@pytest.fixture
def skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(result_cache, "_SETTLING_TIME", -(10**12))
    monkeypatch.setattr(result_cache, "_SETTLED_COARSELY", -(10**12))
    root = tmp_path / "skills"
    for number in range(COUNT):
        folder = root / f"skill-{number}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(TEXT.format(number))
    return root


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The skills that are checked, in order."""
    names: list[str] = []
    analyse = scanning.analyse

    def counted(tree: Any, *arguments: Any) -> Any:
        names.append(tree.name)
        return analyse(tree, *arguments)

    monkeypatch.setattr(scanning, "analyse", counted)
    return names


async def test_unchanged_skills_come_from_the_cache(skills: Path, checks: list[str]) -> None:
    first = summaries(await scanned(skills))
    assert len(checks) == len(first) == COUNT
    assert all(summary.reports and summary.symbols for summary in first)
    checks.clear()
    assert summaries(await scanned(skills)) == first
    assert checks == []
    (skills / "skill-7/SKILL.md").write_text(TEXT.format(7).replace("when:", "when"))
    assert summaries(await scanned(skills)) != first
    assert checks == ["skill-7"]


async def test_only_what_changed_is_scanned_again(
    skills: Path, checks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[str] = []
    search = Workspace.search_skills
    monkeypatch.setattr(
        Workspace,
        "search_skills",
        lambda workspace, *more: searches.append(workspace.root) or search(workspace, *more),
    )
    scan = await scanned(skills)
    assert searches == [str(skills)]
    checks.clear()
    for number in (3, 4):
        (skills / f"skill-{number}/SKILL.md").write_text(TEXT.format(number) + "More.\n")
    changes = ChangedPaths([str(skills / "skill-3/SKILL.md")])
    scan.forget(changes)
    scan.start(is_searched=False)
    await scan.wait()
    assert checks == ["skill-3"]
    assert searches == [str(skills)]
    (skills / "skill-3/SKILL.md").unlink()
    scan.forget(changes)
    scan.start()
    await scan.wait()
    assert len(scan.folders) == COUNT - 1


async def test_a_root_inside_of_another_is_scanned_once(skills: Path, checks: list[str]) -> None:
    scan = await scanned(skills, skills / "skill-1", skills)
    assert len(checks) == len(scan.folders) == COUNT


async def test_a_huge_folder_is_not_searched_without_end(
    skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "_MOST_FOLDERS", 10)
    host = Host(skills)
    scan = WorkspaceScan(host)
    scan.start()
    await scan.wait()
    assert 0 < len(scan.folders) <= 10
    (message,) = host.messages
    assert "more than 10 folders" in message


async def test_a_folder_that_does_not_exist_has_no_skills(tmp_path: Path) -> None:
    scan = await scanned(tmp_path / "nowhere")
    assert scan.folders == ()
