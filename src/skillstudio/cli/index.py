"""`skillstudio index`: write or verify an index of the skills in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lock_jobs import at, read_source
from skillstudio.cli.output import Result, UsageError, say
from skillstudio.cli.saving import OUTSIDE, leads_out
from skillstudio.cli.skill_paths import Notes, SkillPath, skill_paths
from skillstudio.files.disk import DiskTree
from skillstudio.present.lines import count
from skillstudio.skill.index import (
    IndexDifference,
    Indexed,
    differences,
    is_index,
    make_index,
    render,
)
from skillstudio.text.safe import safe_text

FILE = "skills-index.json"
_UNREADABLE = ("skill-missing", "folder-unreadable")


def run(options: CommandOptions) -> Result:
    """Write or verify. Exit status 1 if a skill differs. Raises UsageError."""
    if not os.path.isdir(options.path):
        raise UsageError(f"{options.path} is not a folder")
    output = options.output or os.path.join(options.path, FILE)
    found = _targets(options.path)
    index = make_index(_indexed(found, options.path))
    for name, entry in index["skills"].items():
        if name != entry["name"]:
            say(f"{name}: another skill has the name {entry['name']}; the index uses its path")
    if output == "-":
        if options.check:
            raise UsageError("--check compares a file with the skills; name one with -o")
        return Result(lambda: index, lambda _: [render(index).decode().removesuffix("\n")])
    if leads_out(output):
        raise UsageError(f"{output}: {OUTSIDE}")
    _refuse_inside(output, found)
    old = _old(output)
    if options.check and old is None:
        raise UsageError(f"{output}: there is no such index; omit --check to write it")
    changed = differences(old, index) if old is not None else []
    if options.check:
        state = "differs" if changed else "ok"
    else:
        state = "written" if old is None or changed else "unchanged"
    if state == "written":
        _write(output, index)
    if state == "differs" and options.format != "json":
        say(f"run skillstudio index {options.path} to update it")
    return Result(
        lambda: _value(output, state, index, changed),
        lambda _: _lines(output, state, index, changed),
        PROBLEMS if state == "differs" else OK,
    )


def _targets(path: str) -> list[SkillPath]:
    notes = Notes()
    found = list(skill_paths([path], notes))
    wrong = [note for note in notes.found if note[0] in _UNREADABLE]
    if wrong:
        raise UsageError("\n".join(message for _, message, *_ in wrong))
    return found


def _indexed(found: list[SkillPath], root: str) -> list[Indexed]:
    """Each skill, read. Raises UsageError that names every unreadable one."""
    from skillstudio.skill.versions.comparison import UnreadableManifest, open_version
    from skillstudio.skill.versions.operands import Operand

    made = []
    wrong: list[str] = []
    for target in found:
        operand = Operand(DiskTree(target.disk), target.shown, "", target.shown, "", target.disk)
        try:
            version = open_version(operand, target.settings)
        except UnreadableManifest as error:
            wrong += error.sentences()
            continue
        except OSError as error:
            wrong.append(f"{target.shown} cannot be listed: {error.strerror or error}")
            continue
        if version is None or not version.content_hash:
            wrong += version.notes if version else ()
            continue
        if not version.skill.manifests:
            markdown = version.skill.markdown
            file = f"{target.shown}/{markdown.source.path}" if markdown else target.shown
            wrong.append(f"{file}:1:1: it contains no manifest")
            continue
        path = os.path.relpath(target.disk, os.path.abspath(root)).replace(os.sep, "/")
        made.append(Indexed(path, version.interface, version.content_hash))
    if wrong:
        raise UsageError("\n".join(wrong))
    return made


def _refuse_inside(output: str, found: list[SkillPath]) -> None:
    """Refuse an index in a skill: it would change the hash that it records."""
    from skillstudio.skill.hashing.content_hash import read_ignore

    real = os.path.realpath(output)
    for target in found:
        inside = os.path.relpath(real, os.path.realpath(target.disk)).replace(os.sep, "/")
        if inside.startswith("../") or os.path.isabs(inside):
            continue
        ignore = read_ignore(DiskTree(target.disk))
        if ignore is None or not ignore.hides(inside):
            raise UsageError(
                f"{output} is in the skill {target.shown} and would change the hash that it "
                "records; name another file with -o, or add it to the skill's .skillignore"
            )


def _old(output: str) -> dict[str, Any] | None:
    """The old index, None if there is none. Raises UsageError for another file."""
    from skillstudio.manifest.rulebook import severity_of
    from skillstudio.text.reading import read
    from skillstudio.text.source import Span

    if not os.path.lexists(output):
        return None
    if not os.path.isfile(output):
        what = "a folder" if os.path.isdir(output) else "not a file"
        raise UsageError(f"{output} is {what}; name a file with -o")
    source = read_source(output)
    document = read(source, "json", Span(0, len(source.text)))
    for fault in document.faults:
        if severity_of(fault.rule) == "error":
            place = at(source.path, *source.position(fault.start), fault.message)
            raise UsageError(f"{place}; remove the file, then run index again")
    if not is_index(document.value):
        raise UsageError(f"{output} exists and is not an index of skills; name another file")
    value: dict[str, Any] = document.value
    return value


def _write(output: str, index: dict[str, Any]) -> None:
    from skillstudio.files.placing import NotPlaced, place_file

    try:
        place_file(render(index), output, replace=True)
    except NotPlaced as error:
        raise UsageError(str(error)) from None


def _value(
    output: str, state: str, index: dict[str, Any], changed: list[IndexDifference]
) -> dict[str, Any]:
    return {
        "path": output,
        "state": state,
        "skills": len(index["skills"]),
        "capabilities": len(index["capability_index"]),
        "differences": [_difference(each) for each in changed],
    }


def _lines(
    output: str, state: str, index: dict[str, Any], changed: list[IndexDifference]
) -> Iterator[str]:
    for each in changed:
        yield safe_text(f"{output}: {_told(each)}")
    if state != "differs":
        skills = count(len(index["skills"]), "skill")
        capabilities = count(len(index["capability_index"]), "capability", "capabilities")
        yield safe_text(f"{output}: {state}, {skills}, {capabilities}")


def _difference(each: IndexDifference) -> dict[str, Any]:
    return {
        "skill": each.skill, "path": each.path, "how": each.how, "fields": list(each.fields)
    }  # fmt: skip


def _told(each: IndexDifference) -> str:
    if not each.skill:
        return f"the index itself differs: {', '.join(each.summaries)}"
    where = f" ({each.path})" if each.path and each.path != each.skill else ""
    fields = f": {', '.join(each.summaries)}" if each.summaries else ""
    return f"{each.skill}{where} was {each.how}{fields}"
