"""Which skills of a plugin each client with plugins finds."""

from __future__ import annotations

import json

import pytest
from tests.skill.repositories import CODEX_PLUGINS, Repository, files_of

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.plugin_skills import folder_of, plugin_of


def contained(repository: Repository, target: str) -> set[str]:
    tree = MemoryTree(files_of(repository), "repository")
    plugins = {folder: plugin_of(tree, folder, target) for folder in repository.folders.split()}
    return {folder for folder, plugin in plugins.items() if plugin and plugin.contains_skill}


@pytest.mark.parametrize("repository", CODEX_PLUGINS.values(), ids=CODEX_PLUGINS)
def test_the_skills_of_a_plugin_of_codex(repository: Repository) -> None:
    assert contained(repository, "codex") == set(repository.found.split())


@pytest.mark.parametrize(
    ("name", "folders"),
    [
        # Lists add to skills/NAME, and the entry of a marketplace lists skills, too.
        ("claude-manifest", "p/skills/a"),
        ("entry", "p/skills/a p/other/c"),
        # A plugin needs no manifest.
        ("no-manifest", "p/skills/a"),
    ],
)
def test_the_skills_of_a_plugin_of_claude_code(name: str, folders: str) -> None:
    assert contained(CODEX_PLUGINS[name], "claude-code") == set(folders.split())


@pytest.mark.parametrize(
    ("source", "folder"),
    [
        ("./p", "p"),
        ("./", ""),
        ("p", None),
        ({"source": "local", "path": "./p"}, "p"),
        ({"source": "local"}, None),
        ({"source": "github", "repo": "o/r"}, None),
        ("../p", None),
        (1, None),
    ],
)
def test_the_folder_of_a_listed_plugin(source: object, folder: str | None) -> None:
    assert folder_of(json.loads("{}"), {"source": source}) == folder


@pytest.mark.parametrize(
    ("manifest", "folders"),
    [
        ({"name": "kit"}, "skills"),
        ({"name": "kit", "skills": ["./more"]}, "skills more/c"),
        ({"name": "kit", "skills": "./skills/a"}, "skills skills/a"),
    ],
)
def test_a_folder_for_skills_that_is_one_has_no_other(
    manifest: dict[str, object], folders: str
) -> None:
    """As Claude Code 2.1.332 reads them."""
    names = ("skills", "skills/a", "skills/a/b", "more/c", "other")
    files = {f"{name}/SKILL.md": b"" for name in names}
    files[".claude-plugin/plugin.json"] = json.dumps(manifest).encode()
    tree = MemoryTree(files, "kit")
    plugins = {name: plugin_of(tree, name) for name in names}
    assert {name for name in names if (one := plugins[name]) and one.contains_skill} == set(
        folders.split()
    )
