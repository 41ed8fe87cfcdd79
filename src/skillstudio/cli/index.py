"""`skillstudio index`: write or verify an index of the skills in a folder."""

from __future__ import annotations

import os
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lock import read_valid
from skillstudio.cli.output import Result, UsageError, refuse_on, say
from skillstudio.cli.progress import count_items
from skillstudio.cli.skill_paths import say_settings_problems, skill_paths
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.files.placing import NotPlaced, place_file
from skillstudio.files.workspace import OUTSIDE, leads_out
from skillstudio.present.lines import count
from skillstudio.skill.index import (
    IndexDifference,
    IndexedSkill,
    differences,
    is_index,
    make_index,
    render,
)
from skillstudio.skill.workspace import SkillPath, WorkspaceSearch
from skillstudio.text.safe import safe_text

FILE = "skills-index.json"
_UNREADABLE = ("skill-missing", "folder-unreadable")


def run(options: CommandOptions) -> Result:
    """Write or verify. Exit status 1 if a skill differs. Raises UsageError."""
    if not os.path.isdir(options.path):
        raise UsageError(f"{options.path} is not a folder")
    output = options.output or os.path.join(options.path, FILE)
    search = WorkspaceSearch()
    skill_folders = list(skill_paths([options.path], search))
    say_settings_problems(search)
    problems = [problem.diagnostic for problem in search.problems]
    if wrong := [diagnostic.message for diagnostic in problems if diagnostic.rule in _UNREADABLE]:
        raise UsageError("\n".join(wrong))
    index = make_index(_index_skills(skill_folders, options.path))
    for name, entry in index["skills"].items():
        if name != entry["name"]:
            say(f"{name}: another skill has the name {entry['name']}; the index uses its path")
    if output == "-":
        if options.check:
            raise UsageError("--check compares a file with the skills; name one with -o")
        return Result(lambda: index, lambda _: [render(index).decode().removesuffix("\n")])
    if leads_out(output):
        raise UsageError(f"{output}: {OUTSIDE}")
    _refuse_inside(output, skill_folders)
    old = _old(output)
    if options.check and old is None:
        raise UsageError(f"{output}: there is no such index; omit --check to write it")
    index_differences = differences(old, index) if old is not None else []
    if options.check:
        state = "differs" if index_differences else "ok"
    else:
        state = "written" if old is None or index_differences else "unchanged"
    if state == "written":
        with refuse_on(NotPlaced):
            place_file(render(index), output, replace=True)
    if state == "differs" and options.format != "json" and not options.quiet:
        say(f"run skillstudio index {options.path} to update it")
    skills, capabilities = len(index["skills"]), len(index["capability_index"])
    lines = [f"{output}: {_difference_text(difference)}" for difference in index_differences]
    if state != "differs" and not options.quiet:
        several = count(capabilities, "capability", "capabilities")
        lines.append(f"{output}: {state}, {count(skills, 'skill')}, {several}")
    keys = ("skill", "path", "how", "fields")
    return Result(
        lambda: {
            "path": output,
            "state": state,
            "skills": skills,
            "capabilities": capabilities,
            "differences": [
                {key: getattr(difference, key) for key in keys} for difference in index_differences
            ],
        },
        lambda _: map(safe_text, lines),
        PROBLEMS if state == "differs" else OK,
    )


def _index_skills(skill_folders: list[SkillPath], root: str) -> list[IndexedSkill]:
    from skillstudio.skill.versions.comparison import open_version
    from skillstudio.skill.versions.operands import Operand
    from skillstudio.skill.versions.reading import UnreadableManifest

    indexed_skills = []
    wrong: list[str] = []
    for target in count_items(skill_folders, len(skill_folders), "skills"):
        operand = Operand(DiskTree(target.disk), target.label, "", target.label, "", target.disk)
        try:
            version = open_version(operand, target.settings)
        except UnreadableManifest as error:
            wrong += error.sentences()
            continue
        except OSError as error:
            wrong.append(f"{target.label} cannot be listed: {error.strerror or error}")
            continue
        if version is None or not version.content_hash:
            wrong += version.notes if version else ()
            continue
        if not version.skill.manifests:
            markdown = version.skill.markdown
            file = f"{target.label}/{markdown.source.path}" if markdown else target.label
            wrong.append(f"{file}:1:1: it contains no manifest")
            continue
        path = make_relative(target.disk, os.path.abspath(root)).replace(os.sep, "/")
        indexed_skills.append(IndexedSkill(path, version.interface, version.content_hash))
    if wrong:
        raise UsageError("\n".join(wrong))
    return indexed_skills


def _refuse_inside(output: str, skill_folders: list[SkillPath]) -> None:
    """Refuse an index in a skill: it would change the hash that it records."""
    from skillstudio.skill.hashing.content_hash import read_ignore

    real = os.path.realpath(output)
    for target in skill_folders:
        inside = make_relative(real, os.path.realpath(target.disk)).replace(os.sep, "/")
        if inside.startswith("../") or os.path.isabs(inside):
            continue
        ignore = read_ignore(DiskTree(target.disk))
        if ignore is None or not ignore.hides(inside):
            raise UsageError(
                f"{output} is in the skill {target.label} and would change the hash that it "
                "records; name another file with -o, or add it to the skill's .skillignore"
            )


def _old(output: str) -> dict[str, Any] | None:
    if not os.path.lexists(output):
        return None
    if not os.path.isfile(output):
        what = "a folder" if os.path.isdir(output) else "not a file"
        raise UsageError(f"{output} is {what}; name a file with -o")
    value: Any = read_valid(output, "json", "; remove the file, then run index again").value
    if not is_index(value):
        raise UsageError(f"{output} exists and is not an index of skills; name another file")
    return dict(value)


def _difference_text(difference: IndexDifference) -> str:
    if not difference.skill:
        return f"the index itself differs: {', '.join(difference.summaries)}"
    where = (
        f" ({difference.path})" if difference.path and difference.path != difference.skill else ""
    )
    fields = f": {', '.join(difference.summaries)}" if difference.summaries else ""
    return f"{difference.skill}{where} was {difference.how}{fields}"
