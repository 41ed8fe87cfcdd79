"""The versions of a skill in a repository: from tags and from manifests in commits."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.git import GitError, advice_if_shallow, ask_git
from skillstudio.files.repository import PathAbsent, Repository, Tag
from skillstudio.files.tree import FileTree, Subtree
from skillstudio.manifest.locate import TOO_LARGE, locate
from skillstudio.manifest.plugin_skills import plugin_of
from skillstudio.manifest.project import project
from skillstudio.manifest.registry import carriers
from skillstudio.skill.discover import is_skill
from skillstudio.skill.versions.names import skills_stating
from skillstudio.text.versions import TagNames, rank_tag

MOST_COMMITS = 2000


class VersionMissing(Exception):
    """No tag or commit has the requested version; the message is for users."""


class VersionCommit(NamedTuple):
    """The commit of a version, its label, and the version from a tag."""

    commit: str
    ref: str
    version: str = ""
    path: str | None = None  # The skill's path in that commit, if it differs.
    is_shared: bool = False  # Whether the tag is of other skills, too.


def skill_at(repository: Repository, commit: str, path: str) -> FileTree | None:
    """The files of the skill at a path of a commit, None if there is none."""
    try:
        tree = repository.tree(commit, path)
    except PathAbsent:
        return None
    return tree if is_skill(tree) else None


def _stated_version(tree: FileTree | None) -> str:
    try:
        return project(locate(tree).skill).version if tree is not None else ""
    except OSError:
        return ""


def find_version(
    repository: Repository, path: str, names: Iterable[str], version: str
) -> VersionCommit:
    """The commit of one semantic version of the skill at `path`.

    A tag of the skill, such as `NAME@1.2.0`; else a tag of its plugin, `v1.2.0` or `1.2.0`, unless
    the manifest there has another version; else the newest commit whose manifest has it. Raises
    VersionMissing, GitError.
    """
    tags = tags_of(repository.tags(), tag_names(repository, path, names))
    other = ""
    for tag in tags:
        if tag.version != version:
            continue
        if not tag.is_shared:
            return tag
        tree = skill_at(repository, tag.commit, path)
        declared_version = _stated_version(tree)
        if tree is not None and declared_version in ("", version):
            return tag
        if declared_version:
            other = f"; the tag {tag.ref} has version {declared_version}"
    for commit in repository.history(path, limit=MOST_COMMITS):
        if _mentions(repository, commit, path, version) and (
            _stated_version(skill_at(repository, commit, path)) == version
        ):
            return VersionCommit(commit, commit[:12], version)
    if advice := advice_if_shallow(repository.root):
        other += f"; {advice}"
    raise VersionMissing(
        f"version {version} of {path or 'the skill'} not found: no tag and no manifest "
        f"in its history has that version{other}"
    )


def last_tag(
    repository: Repository, path: str, names: Iterable[str], beside: str = ""
) -> VersionCommit | None:
    """The newest tag of the skill at `path` that is an ancestor of the checked out commit.

    The most specific tags take precedence: those with the skill's path, its name, the name of its
    plugin, then `vX.Y.Z` and `X.Y.Z`.
    A skill with another path at its tag is found by its name; `beside` is the commit in which the
    skill has the path `path` (default: the working tree). Raises GitError.
    """
    names = tuple(names)
    was_searched = False
    for tag in tags_of(repository.tags(), tag_names(repository, path, names)):
        if not _is_built_on(repository, tag.commit):
            continue
        if skill_at(repository, tag.commit, path):
            return tag
        if not (tag.is_shared and was_searched):
            was_searched = was_searched or tag.is_shared
            old_path = moved_from(repository, tag.commit, names, beside)
            if old_path is not None:
                return tag._replace(path=old_path)
    return None


def moved_from(
    repository: Repository, commit: str, names: Iterable[str], beside: str = ""
) -> str | None:
    """The path in a commit of the only skill with one of the names.

    None if there is none, if there are several, if the skill also exists at that path in `beside`
    (another commit, or else the working tree), so that it is another skill, or if a commit has too
    many files.
    """
    names = tuple(names)
    try:
        paths = skills_stating(repository.tree(commit), names)
        if len(paths) != 1:
            return None
        there = repository.tree(beside) if beside else DiskTree(repository.root)
    except GitError:
        return None
    here = Subtree(there, paths[0]) if paths[0] else there
    return None if skills_stating(here, names, deep=False) else paths[0]


def tag_names(repository: Repository, path: str, names: Iterable[str]) -> TagNames:
    """What tags of the skill at `path` can begin with: its path, its names, and its plugin."""
    plugin = plugin_of(DiskTree(repository.root), path)
    return (
        (path,),
        tuple(names),
        (plugin.plugin,) if plugin is not None and plugin.contains_skill else (),
    )


def tags_of(tags: Iterable[Tag], names: TagNames) -> list[VersionCommit]:
    """The tags with a version of a skill, the most specific first."""
    plugin_rank = len(names) - 1  # The last group is the plugin.
    ranked_tags = [(*rank_tag(tag.name, names), tag) for tag in tags]
    return [
        VersionCommit(tag.commit, tag.name, version, None, rank >= plugin_rank)
        for rank, version, tag in sorted(ranked_tags, key=itemgetter(0))
        if version
    ]


def _is_built_on(repository: Repository, commit: str) -> bool:
    try:
        ask_git(repository.root, "merge-base", "--is-ancestor", commit, "HEAD")
    except GitError:
        return False
    return True


def _mentions(repository: Repository, commit: str, path: str, version: str) -> bool:
    """Whether a manifest may contain a version; much cheaper than parsing it."""
    encoded_version = version.encode()
    return any(
        encoded_version in (repository.read(commit, f"{path}/{file}".lstrip("/"), TOO_LARGE) or b"")
        for file in carriers()
    )
