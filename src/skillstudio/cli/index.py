"""`skillstudio index`: write down which skill of a folder has which capability."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lock_jobs import at, read_source
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.cli.saving import OUTSIDE, leads_out
from skillstudio.cli.skill_paths import Notes, SkillPath, skill_paths
from skillstudio.files.disk import DiskTree
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


def parser() -> Parser:
    made = Parser(
        "index",
        "Write the index of the skills below a folder: name, version, capabilities, operations "
        "and content hash of each, and the skills of each capability.",
    )
    add = made.add_argument
    add("path", metavar="PATH", help="a folder of skills")
    add(
        "-o",
        "--output",
        metavar="FILE",
        default="",
        help=f"where to; without it {FILE} in PATH; - is standard output",
    )
    add("--check", action="store_true", help="write nothing; exit with 1 when a skill differs")
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Write or check. Exit status 1 when something differs, 2 when a skill cannot be read."""
    options = parser().parse_args(arguments)
    if not os.path.isdir(options.path):
        raise UsageError(f"{options.path} is no folder")
    output = options.output or os.path.join(options.path, FILE)
    found = _skill_paths(options.path)
    index = make_index(_indexed(found, options.path))
    for name, entry in index["skills"].items():
        if name != entry["name"]:
            say(safe_text(f"{name}: another skill is called {entry['name']}; it goes by its path"))
    if output == "-":
        if options.check:
            raise UsageError("--check holds a file against the skills; name one with -o")
        print(render(index).decode(), end="")
        return OK
    if leads_out(output):
        raise UsageError(f"{output}: {OUTSIDE}")
    _refuse_inside(output, found)
    old = _old(output)
    if options.check and old is None:
        raise UsageError(f"{output}: there is no such index; without --check it is written")
    changed = differences(old, index) if old is not None else []
    state = _state(old, changed, options)
    if state == "written":
        _write(output, index)
    _tell(output, state, index, changed, options)
    return PROBLEMS if state == "differs" else OK


def _skill_paths(path: str) -> list[SkillPath]:
    notes = Notes()
    found = list(skill_paths([path], notes))
    wrong = [note for note in notes.found if note[0] in _UNREADABLE]
    if wrong:
        raise UsageError("\n".join(message for _, message, *_ in wrong))
    return found


def _indexed(found: list[SkillPath], root: str) -> list[Indexed]:
    """Each skill, read. Raises UsageError that names every one which cannot be."""
    from skillstudio.skill.versions.comparison import UnreadableManifest, open_version
    from skillstudio.skill.versions.operands import Operand

    made = []
    wrong: list[str] = []
    for skill_path in found:
        operand = Operand(
            DiskTree(skill_path.disk), skill_path.shown, "", skill_path.shown, "", skill_path.disk
        )
        try:
            version = open_version(operand, skill_path.settings)
        except UnreadableManifest as error:
            wrong += error.sentences()
            continue
        except OSError as error:
            wrong.append(f"{skill_path.shown} cannot be listed: {error.strerror or error}")
            continue
        if version is None or not version.content_hash:
            wrong += version.notes if version else ()
            continue
        if not version.skill.manifests:
            markdown = version.skill.markdown
            file = f"{skill_path.shown}/{markdown.source.path}" if markdown else skill_path.shown
            wrong.append(f"{file}:1:1: no manifest can be read in it")
            continue
        path = os.path.relpath(skill_path.disk, os.path.abspath(root)).replace(os.sep, "/")
        made.append(Indexed(path, version.interface, version.content_hash))
    if wrong:
        raise UsageError("\n".join(wrong))
    return made


def _refuse_inside(output: str, found: list[SkillPath]) -> None:
    """An index within a skill would change the hash that it writes down."""
    from skillstudio.skill.hashing.content_hash import read_ignore

    real = os.path.realpath(output)
    for skill_path in found:
        inside = os.path.relpath(real, os.path.realpath(skill_path.disk)).replace(os.sep, "/")
        if inside.startswith("../") or os.path.isabs(inside):
            continue
        ignore = read_ignore(DiskTree(skill_path.disk))
        if ignore is None or not ignore.hides(inside):
            raise UsageError(
                f"{output} would lie in the skill {skill_path.shown} and change the hash that it "
                "writes down; name another file with -o, or name it in the skill's .skillignore"
            )


def _old(output: str) -> dict[str, Any] | None:
    """The index that is there, None where there is none. Raises UsageError for another file."""
    from skillstudio.manifest.rulebook import severity_of
    from skillstudio.text.reading import read
    from skillstudio.text.source import Span

    if not os.path.lexists(output):
        return None
    if not os.path.isfile(output):
        what = "a folder" if os.path.isdir(output) else "no file"
        raise UsageError(f"{output} is {what}; name a file with -o")
    source = read_source(output)
    document = read(source, "json", Span(0, len(source.text)))
    for fault in document.faults:
        if severity_of(fault.rule) == "error":
            place = at(source.path, *source.position(fault.start), fault.message)
            raise UsageError(f"{place}; remove the file, then index makes it anew")
    if not is_index(document.value):
        raise UsageError(f"{output} is there already and is no index of skills; name another file")
    value: dict[str, Any] = document.value
    return value


def _state(old: dict[str, Any] | None, changed: list[IndexDifference], options: Namespace) -> str:
    if options.check:
        return "differs" if changed else "ok"
    return "written" if old is None or changed else "unchanged"


def _write(output: str, index: dict[str, Any]) -> None:
    from skillstudio.files.placing import NotPlaced, place_file

    try:
        place_file(render(index), output, replace=True)
    except NotPlaced as error:
        raise UsageError(str(error)) from None


def _tell(
    output: str,
    state: str,
    index: dict[str, Any],
    changed: list[IndexDifference],
    options: Namespace,
) -> None:
    if options.format == "json":
        print_json(
            {
                "path": output,
                "state": state,
                "skills": len(index["skills"]),
                "capabilities": len(index["capability_index"]),
                "differences": [_difference(each) for each in changed],
            }
        )
        return
    for each in changed:
        print(safe_text(f"{output}: {_told(each)}"))
    skills, capabilities = len(index["skills"]), len(index["capability_index"])
    counts = f"{skills} skill{'' if skills == 1 else 's'}, "
    counts += f"{capabilities} capabilit{'y' if capabilities == 1 else 'ies'}"
    if state == "differs":
        say(safe_text(f"skillstudio index {options.path} writes what is there now"))
    else:
        print(safe_text(f"{output}: {state}, {counts}"))


def _difference(each: IndexDifference) -> dict[str, Any]:
    return {
        "skill": each.skill, "path": each.path, "how": each.how, "fields": list(each.fields)
    }  # fmt: skip


def _told(each: IndexDifference) -> str:
    if not each.skill:
        return f"the index itself differs: {', '.join(each.told)}"
    where = f" ({each.path})" if each.path and each.path != each.skill else ""
    fields = f": {', '.join(each.told)}" if each.told else ""
    return f"{each.skill}{where} was {each.how}{fields}"
