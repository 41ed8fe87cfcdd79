"""Find the skills that the paths of a command line name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from skillstudio.cli.output import UsageError, refuse_on, say
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.skill.discover import find_skills, is_skill, skill_around
from skillstudio.skill.workspace import (
    PLUGIN_FOLDER,
    PluginFolder,
    SkillPath,
    WorkspaceSearch,
    with_unsaved,
)


def unsaved_skill_path(path: str, data: bytes, search: WorkspaceSearch) -> SkillPath | None:
    """The skill of a file with this content, which need not exist on disk; None if there is none.

    Raises OSError.
    """
    folder, name = os.path.split(path)
    holder: str | None = folder or "."
    # The file may be what makes its folder a skill.
    if next(find_skills(with_unsaved(os.path.abspath(folder), {name: data})), None) != "":
        holder = _holder(path, {}) if os.path.isdir(folder or ".") else None
    if not holder:
        search.add("skill-missing", f"{path} belongs to no skill", path)
        return None
    disk = os.path.abspath(holder)
    inside = make_relative(path, holder).replace(os.sep, "/")
    label = holder.replace(os.sep, "/")
    return SkillPath(label, disk, search.settings_of(disk), {inside: data})


def skill_paths(paths: Iterable[str], search: WorkspaceSearch) -> Iterator[SkillPath]:
    """The skills at and below some paths, each once. A file names the skill that contains it.

    A path that does not exist may be the name of a skill of the workspace. Raises UsageError for
    neither.
    """
    seen_folders: set[str] = set()
    holders: dict[str, str] = {}
    for path in paths:
        path = _resolve_path(path)
        label = path.replace(os.sep, "/").rstrip("/") or "/"
        if not os.path.isdir(path):
            above, name = os.path.split(os.path.abspath(path))
            if os.path.basename(above) == PLUGIN_FOLDER and name.endswith(".json"):
                plugin = os.path.dirname(above)
                label = label.removesuffix(f"{PLUGIN_FOLDER}/{name}").rstrip("/")
                search.plugins[plugin] = PluginFolder(label, plugin)
                continue
            folder = _holder(path, holders)
            if not folder:
                from skillstudio.skill.pins.proto import is_proto

                if is_proto(path):
                    search.protos.append((path, label))
                    continue
                search.add("skill-missing", f"{label} belongs to no skill", label)
                continue
            label = folder.replace(os.sep, "/")
            yield from islice(_unseen(search.below(folder, label), seen_folders), 1)
        else:
            yield from _unseen(search.below(path, label), seen_folders)


def _resolve_path(path: str) -> str:
    """A path, or the folder of the only skill with this name. Raises UsageError."""
    if os.path.lexists(path):
        return path
    from skillstudio.skill.versions.operand import OperandError
    from skillstudio.skill.versions.revisions import skill_by_name

    with refuse_on(OperandError):
        named_skill = skill_by_name(path, os.curdir)
    if named_skill is None:
        is_path = os.path.basename(path) != path
        also = "" if is_path else ", and no skill of the workspace has this name"
        raise UsageError(f"{path}: no such file or folder{also}")
    return named_skill.path


def _unseen(skills: Iterable[SkillPath], seen_folders: set[str]) -> Iterator[SkillPath]:
    for skill in skills:
        if skill.disk not in seen_folders:
            seen_folders.add(skill.disk)
            yield skill


def skills_at(path: str, is_around: bool = False) -> list[SkillPath]:
    """The skill at a path, else the skills below it; with `is_around`, else the skill that contains
    it. Raises UsageError for none."""
    search = WorkspaceSearch()
    path = _resolve_path(path)
    skills = list(skill_paths([path], search))
    say_settings_problems(search)
    if os.path.isdir(path):
        skills = [skill for skill in skills if os.path.samefile(skill.disk, path)] or skills
        if not skills and is_around and (folder := skill_around(path)):
            return skills_at(make_relative(folder))
    if not skills:
        wrong = "; ".join(problem.diagnostic.message for problem in search.problems)
        raise UsageError(wrong or f"{path} contains no skill")
    return skills


def say_settings_problems(search: WorkspaceSearch, known: int = 0) -> None:
    """Print the problems of settings, but not the first `known` of a search: only `check` has them
    in its result."""
    for path, diagnostic, source in search.problems[known:]:
        if source is None and not diagnostic.rule.startswith("settings-"):
            continue
        span = diagnostic.span
        line, column = source.position(span.start) if source and span else (1, 1)
        say(f"{path}:{line}:{column}: {diagnostic.message}")


def one_skill_path(path: str) -> tuple[SkillPath, str]:
    """The one skill that a path names, and the file in it if the path is a file.

    Raises UsageError for none or several.
    """
    path = _resolve_path(path)
    skills = skills_at(path)
    if len(skills) > 1:
        names = ", ".join([*(skill.label for skill in skills[:5]), *(["…"] if skills[5:] else [])])
        raise UsageError(f"{path} contains {len(skills)} skills; name one: {names}")
    inside = "" if os.path.isdir(path) else make_relative(path, skills[0].disk)
    return skills[0], inside.replace(os.sep, "/")


def _holder(path: str, holders: dict[str, str]) -> str:
    """The nearest parent folder of a file that is a skill; "" for none.

    Does not leave the working directory if the path is relative. `holders` has the results by
    folder."""
    folder = os.path.dirname(path) or os.curdir
    passed_folders = []
    holder = ""
    for _ in range(40):
        if folder in holders:
            holder = holders[folder]
            break
        passed_folders.append(folder)
        if is_skill(DiskTree(folder)):
            holder = folder
            break
        above = os.path.dirname(folder.rstrip(os.sep))
        if folder in (os.curdir, os.pardir, above):
            break
        folder = above or os.curdir
    holders |= dict.fromkeys(passed_folders, holder)
    return holder
