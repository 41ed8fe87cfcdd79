"""Paths with backslashes and drives: what they become in manifests, reports, URIs and messages."""

from __future__ import annotations

import ntpath
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.systems.removal import View

from skillstudio.cli import annotations
from skillstudio.cli.annotations import AnnotationLog
from skillstudio.cli.formats import sarif
from skillstudio.dryrun.applying import checking
from skillstudio.dryrun.isolation import gate, launch
from skillstudio.dryrun.planning import processes
from skillstudio.dryrun.prepared import CopiedFolder, RunFolders
from skillstudio.files import beneath, disk, paths
from skillstudio.lsp import documents
from skillstudio.present import home, plan
from skillstudio.session import buffer, skill_files
from skillstudio.settings import settings
from skillstudio.skill import client_places, client_switches, lookup, selection
from skillstudio.skill.hashing import identity

HERE = r"C:\Users\Ada\skills"
MODULES = (
    annotations, beneath, buffer, checking, client_places, client_switches, disk, documents, gate,
    home, identity, launch, lookup, paths, plan, processes, sarif, selection, settings,
    skill_files,
)  # fmt: skip


pytestmark = pytest.mark.skipif(os.name == "nt", reason="the working directory is another")


@pytest.fixture(autouse=True)
def _windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the modules see Windows' `os.path`, with a working directory on drive C."""

    def expand(path: str) -> str:
        return path.replace("~", r"C:\Users\Ada", 1) if path.startswith("~") else path

    path = View(ntpath, set(), {"expanduser": expand, "realpath": ntpath.normpath})
    others: dict[str, Any] = {"path": path, "sep": "\\", "altsep": "/", "name": "nt"}
    view = View(os, set(), {**others, "getcwd": lambda: HERE})
    for module in MODULES:
        if hasattr(module, "os"):
            monkeypatch.setattr(module, "os", view)
    # What ntpath asks on the way.
    monkeypatch.setattr(ntpath, "os", SimpleNamespace(getcwd=lambda: HERE, fspath=os.fspath))


URIS = {
    r"C:\Users\Ada\my skills\tea\SKILL.md": "file:///C%3A/Users/Ada/my%20skills/tea/SKILL.md",
    r"D:\é#1\SKILL.md": "file:///D%3A/%C3%A9%231/SKILL.md",
    r"\\server\share\tea\SKILL.md": "file://server/share/tea/SKILL.md",
}


@pytest.mark.parametrize(("path", "uri"), URIS.items())
def test_the_uri_of_a_path_and_back(path: str, uri: str) -> None:
    assert documents.uri_of(path) == uri
    assert documents.path_of(uri) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/Ada/SKILL.md", r"c:\Users\Ada\SKILL.md"),
        ("file:///c:/Users/Ada/SKILL.md", r"c:\Users\Ada\SKILL.md"),
        ("file://localhost/c:/SKILL.md", r"c:\SKILL.md"),
        ("untitled:Untitled-1", ""),
        ("file:///C:/a%00b", ""),
    ],
)
def test_editors_write_drives_in_several_ways(uri: str, path: str) -> None:
    assert documents.path_of(uri) == path


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        (r"C:\Users\Ada\skills\tea\SKILL.md", r"tea\SKILL.md"),
        (r"C:\Users\Ada", ".."),
        (r"D:\skills\tea", r"D:\skills\tea"),
        (r"\\server\share\tea", r"\\server\share\tea"),
    ],
)
def test_a_path_on_another_drive_stays_absolute(path: str, relative: str) -> None:
    assert paths.make_relative(path, HERE) == relative
    assert paths.make_relative(path) == relative


def test_a_path_below_a_folder() -> None:
    assert paths.below(r"C:\a\b\c", r"C:\a") == r"b\c"
    assert paths.below("C:\\a", "C:\\") == "a"
    assert paths.below(r"C:\ab", r"C:\a") is None


def test_a_tree_maps_its_paths_to_the_disk() -> None:
    tree = disk.DiskTree(r"C:\Users\Ada\skills\tea")
    assert tree.name == "tea"
    assert tree.path("scripts/run.py") == r"C:\Users\Ada\skills\tea\scripts\run.py"
    assert tree.path("") == r"C:\Users\Ada\skills\tea"
    assert disk.DiskTree("C:\\").path("a/b") == r"C:\a\b"


@pytest.mark.parametrize(
    ("path", "written", "uri"),
    [
        (r"tea\SKILL.md", "tea/SKILL.md", "tea/SKILL.md"),
        (r"C:\Users\Ada\skills\my tea\SKILL.md", "my tea/SKILL.md", "my%20tea/SKILL.md"),
        (r"D:\tea\SKILL.md", "D:/tea/SKILL.md", "file:///D%3A/tea/SKILL.md"),
    ],
)
def test_reports_for_ci_have_slashes(path: str, written: str, uri: str) -> None:
    log = AnnotationLog([], [], lambda _: "")
    log.__dict__["root"] = HERE
    assert log.repository_path(path) == written
    assert sarif._artifact(log, path)["uri"] == uri


def test_a_file_in_a_skill_is_named_with_slashes() -> None:
    folder = r"C:\Users\Ada\skills\tea"
    assert buffer._inside(rf"{folder}\scripts\run.py", folder) == "scripts/run.py"
    assert skill_files._is_in(rf"{folder}\a", folder, "\\")
    file = settings.SettingsFile(rf"{folder}\skillstudio.toml", folder)
    assert file.display_path == "tea/skillstudio.toml"
    elsewhere = settings.SettingsFile(r"D:\skillstudio.toml", "D:\\")
    assert elsewhere.display_path == "D:/skillstudio.toml"


def test_a_repository_on_disk_has_a_url() -> None:
    assert identity._file_url(r"C:\Users\Ada\skills") == "git+file:///C:/Users/Ada/skills"


def test_the_place_of_a_skill_in_its_project_and_home() -> None:
    places = client_places.KnownPlaces()
    root = r"C:\work\app"
    assert places.where_is(rf"{root}\.claude\skills\tea", root) == ".claude/skills/tea"
    at_home = r"C:\Users\Ada\.codex\skills\tea"
    assert places.where_is(at_home, None) == "~/.codex/skills/tea"
    assert selection._root_of(at_home.replace("\\", "/")) is not None


def test_paths_in_messages() -> None:
    assert plan.shown_path(rf"{HERE}\tea\run.py", HERE) == r"tea\run.py"
    assert plan.shown_path(r"D:\run.py", HERE) == r"D:\run.py"


def test_programs_and_arguments_are_moved_to_the_copies() -> None:
    copy = CopiedFolder(HERE, r"C:\Temp\run\workspace")
    folders = RunFolders(r"C:\Temp\run", (copy,), r"C:\Temp\run\home", r"C:\Temp\run\temporary")
    assert gate.copy_of(rf"{HERE}\tea\run.py", folders) == copy
    assert gate.copy_of(r"C:\Users\Ada\skills-2", folders) is None
    moved = launch.map_to_copy(rf"{HERE}\tea\run.py", folders)
    assert moved == r"C:\Temp\run\workspace\tea\run.py"
    assert processes._is_file(r"scripts\run.ps1")


def test_a_change_is_applied_only_to_plain_names() -> None:
    assert checking.path_fault("out/a.txt") == ""
    assert "plain names" in checking.path_fault("out\\a.txt")
    assert "plain names" in checking.path_fault("C:a.txt")


def test_a_path_never_leaves_its_folder() -> None:
    assert beneath._is_below(r"c:\users\ada\skills\tea", HERE)
    assert not beneath._is_below(r"C:\Users\Ada", HERE)
    assert not beneath._is_below(r"D:\tea", HERE)


def test_only_one_function_makes_paths_relative() -> None:
    """`os.path.relpath` raises ValueError between drives."""
    package = Path(paths.__file__).parents[1]
    modules = [
        str(module.relative_to(package))
        for module in package.rglob("*.py")
        if "os.path.relpath(" in module.read_text(encoding="utf-8")
    ]
    assert modules == [str(Path("files", "paths.py"))]
