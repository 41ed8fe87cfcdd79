"""Find skills by name in a tree at some revision, reading only likely files."""

from __future__ import annotations

from collections.abc import Iterable

from skillstudio.files.tree import FileTree, Subtree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import TOO_LARGE, locate
from skillstudio.manifest.registry import carriers
from skillstudio.skill.discover import find_skills, is_skill
from skillstudio.skill.lookup import stated_names


def names_of(skill: Skill) -> tuple[str, ...]:
    """The declared names of a skill, and last its folder's name; each once."""
    return tuple(dict.fromkeys((*stated_names(skill), skill.name)))


def skills_named(tree: FileTree, name: str) -> list[str]:
    """The skills of a tree with a declared name, else those in folders of that name."""
    matching_paths: list[str] = []
    folders: list[str] = []
    for path in find_skills(tree):
        if (path.rpartition("/")[2] or tree.name) == name:
            folders.append(path)
        if _mentions(tree, path, name) and name in _read_names(Subtree(tree, path)):
            matching_paths.append(path)
    return matching_paths or folders


def skills_stating(tree: FileTree, names: Iterable[str], deep: bool = True) -> list[str]:
    """The skills of a tree that declare one of the names; without `deep`, only at its root."""
    wanted_names = tuple(names)
    paths = find_skills(tree) if deep else [""] if is_skill(tree) else []
    return [
        path
        for path in paths
        if any(_mentions(tree, path, name) for name in wanted_names)
        and not set(wanted_names).isdisjoint(_read_names(Subtree(tree, path) if path else tree))
    ]


def _mentions(tree: FileTree, path: str, word: str) -> bool:
    """Whether a manifest file contains a word; cheaper than parsing it."""
    encoded_word = word.encode("utf-8", "surrogatepass")
    carrier_names = {file.lower() for file in carriers()}
    try:
        entries = tree.list(path)
        return any(
            encoded_word in tree.read(f"{path}/{entry.name}".lstrip("/"), TOO_LARGE)
            for entry in entries
            if entry.kind == "file" and entry.name.lower() in carrier_names
        )
    except OSError:
        return False


def _read_names(tree: FileTree) -> tuple[str, ...]:
    try:
        return stated_names(locate(tree).skill)
    except OSError:
        return ()
