"""The skills of a tree at some revision that a name means, reading only those that may."""

from __future__ import annotations

from collections.abc import Iterable

from skillstudio.files.subtree import Subtree
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import TOO_LARGE, locate
from skillstudio.manifest.registry import carriers
from skillstudio.skill.discover import find_skills, is_skill
from skillstudio.skill.lookup import stated_names


def names_of(skill: Skill) -> tuple[str, ...]:
    """What a skill calls itself, and last its folder's name; each once."""
    return tuple(dict.fromkeys((*stated_names(skill), skill.name)))


def skills_named(tree: FileTree, name: str) -> list[str]:
    """The skills of a tree that call themselves so; where none does, those in folders so called."""
    stated: list[str] = []
    folders: list[str] = []
    for path in find_skills(tree):
        if (path.rpartition("/")[2] or tree.name) == name:
            folders.append(path)
        if _mentions(tree, path, name) and name in _stated(Subtree(tree, path)):
            stated.append(path)
    return stated or folders


def skills_stating(tree: FileTree, names: Iterable[str], deep: bool = True) -> list[str]:
    """The skills of a tree that call themselves by one of some names; not `deep`: at its root."""
    wanted = tuple(names)
    paths = find_skills(tree) if deep else [""] if is_skill(tree) else []
    return [
        path
        for path in paths
        if any(_mentions(tree, path, name) for name in wanted)
        and not set(wanted).isdisjoint(_stated(Subtree(tree, path) if path else tree))
    ]


def _mentions(tree: FileTree, path: str, word: str) -> bool:
    """Whether a file that can carry a manifest holds a word: cheaper than to read it as one."""
    wanted = word.encode("utf-8", "surrogatepass")
    lowered = {file.lower() for file in carriers()}
    try:
        entries = tree.list(path)
        return any(
            wanted in tree.read(f"{path}/{entry.name}".lstrip("/"), TOO_LARGE)
            for entry in entries
            if entry.kind == "file" and entry.name.lower() in lowered
        )
    except OSError:
        return False


def _stated(tree: FileTree) -> tuple[str, ...]:
    try:
        return stated_names(locate(tree).skill)
    except OSError:
        return ()
