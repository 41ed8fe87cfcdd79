"""Started programs as commands that a manifest requires or allows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from skillstudio.dryrun.adopting.finding import (
    AdoptFinding,
    Case,
    InstalledProgram,
    UndeclaredEffect,
    below,
    not_declarable,
)
from skillstudio.dryrun.judging.declared import table
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.planning.requirements import check
from skillstudio.dryrun.planning.run_inputs import Machine
from skillstudio.files import paths
from skillstudio.interface.model import Requirement
from skillstudio.interface.wording import display_value
from skillstudio.manifest.values import dig, strings
from skillstudio.text.diagnostic import Set
from skillstudio.text.versions import parse_dotted

_EXEC = "proc.exec"


def make_program_lookup(
    machine: Machine, roots: Roots
) -> Callable[[Sequence[str]], Mapping[str, InstalledProgram]]:
    """A lookup of installed programs with versions; it never starts programs of the skill."""

    def is_own(path: str) -> bool:
        real = os.path.realpath(path)
        return any(paths.below(real, root) is not None for root in (roots.skill, roots.workspace))

    def look(names: Sequence[str]) -> Mapping[str, InstalledProgram]:
        paths_by_name = {name: shutil.which(name, path=machine.path) or "" for name in names}
        foreign = {name: path for name, path in paths_by_name.items() if path and not is_own(path)}
        version_requirements = [Requirement("command", name, minimum="0") for name in foreign]
        versions = {
            result.name: result.found for result in check(version_requirements, machine, roots)
        }
        return {
            name: InstalledProgram(path, versions[name] if parse_dotted(versions[name]) else "")
            for name, path in foreign.items()
        }

    return look


def command(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Commands for a list of requirements, each with the installed version as the minimum."""
    case = missing.case
    lines_by_program = _collect_started(
        missing, lambda program_path: _as_required(case, program_path)
    )
    names = [name for name in lines_by_program if name not in _basic()]
    have = case.look([name for name in names if "/" not in name])
    for name in names:
        item: dict[str, Any] = {"cmd": name}
        sentence = f"Require the command {display_value(name)}"
        if "/" in name:
            sentence += ", a program of the skill"
        elif name not in have:
            yield _undeclarable(name, lines_by_program[name], "it is not on this machine's PATH")
            continue
        elif have[name].version:
            item["min_version"] = have[name].version
            sentence += f", version {have[name].version} (installed here) or later"
        else:
            sentence += ", any version: the installed one reports none"
        yield missing.offer(
            f"command:{name}", sentence, lines_by_program[name], missing.how.add(item)
        )
    yield from _other_lines(missing)


def program(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Programs for a list of allowed ones; without that list all are allowed."""
    case, how = missing.case, missing.how
    lines_by_program = _collect_started(missing, os.path.basename)
    program_rules = dig(case.value, *how.keys)
    has_list = isinstance(program_rules, dict)
    blocked_programs = [item for _, item in strings(program_rules, "blocked")]
    # A new list excludes every program that is not in it.
    listed_programs = list(dict.fromkeys((*sorted(case.programs), *_every_started(case))))
    names = [name for name in lines_by_program if name not in _basic() or name in blocked_programs]
    if not names and lines_by_program and not has_list:
        # Programs of every system need no entry, but the list needs at least one.
        names = listed_programs[:1]
    for name in names:
        why = lines_by_program.get(
            name, [line for lines in lines_by_program.values() for line in lines]
        )
        if name in blocked_programs:
            reason = "the manifest blocks it by name; decide which of the two is right"
            yield _undeclarable(name, why, reason)
            continue
        items = [name] if has_list else list(dict.fromkeys([*listed_programs, name]))
        other_programs = [other for other in items if other != name]
        beside = (
            f" and {', '.join(map(display_value, other_programs))}, which the skill starts too"
            if other_programs
            else ""
        )
        sentence = f"Allow the program {display_value(name)}{beside}"
        edits = [Set(below(how.at, "commands", "-"), program_name) for program_name in items]
        if not has_list:
            edits.insert(0, Set(below(how.at, "allowed"), True))
        yield missing.offer(f"command:{name}", sentence, why, *edits)
    yield from _other_lines(missing)


def _collect_started(
    missing: UndeclaredEffect, name_of: Callable[[str], str]
) -> dict[str, list[str]]:
    """The undeclared programs that were started, each with its evidence lines."""
    lines_by_program: dict[str, list[str]] = {}
    for trail in missing.uncovered_trails:
        if (
            trail.program
            and not trail.is_masked
            and not missing.case.is_declared(_EXEC, trail.about)
        ):
            lines_by_program.setdefault(name_of(trail.program), []).append(trail.line)
    return lines_by_program


def _undeclarable(name: str, why: Sequence[str], reason: str) -> AdoptFinding:
    return not_declarable(f"command:{name}", f"The run started {display_value(name)}", why, reason)


def _other_lines(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Evidence of the effect that is not the start of a program."""
    rest = [trail.line for trail in missing.uncovered_trails if not trail.program]
    if rest and missing.how.cannot:
        yield missing.cannot(rest)


def _every_started(case: Case) -> list[str]:
    """The programs of a run that are not on every system, whichever effect they show."""
    program_names = (
        os.path.basename(trail.program) for trail in case.program_trails if not trail.is_masked
    )
    return [name for name in program_names if name not in _basic()]


def _basic() -> list[str]:
    """The programs that every system has."""
    names: list[str] = table()["basic"]["programs"]
    return names


def _as_required(case: Case, program_path: str) -> str:
    """A program as a manifest names it: by name, or by path when it is part of the skill."""
    plain = own_program(case, program_path)
    if plain:
        return plain if "/" in plain else f"./{plain}"
    return os.path.basename(program_path)


def own_program(case: Case, program_path: str) -> str:
    """The path in the skill of a started program, else ""."""
    if "/" not in program_path:
        return ""
    inside = (
        paths.below(program_path, case.roots.skill) if os.path.isabs(program_path) else program_path
    )
    plain = paths.normalise(inside) if inside else None
    return plain if plain and case.tree.kind(plain) == "file" else ""


def is_of_the_project(case: Case, program_path: str) -> bool:
    """Whether a program was started by a relative path or one in the workspace."""
    if "/" not in program_path:
        return False
    return (
        not os.path.isabs(program_path)
        or paths.below(program_path, case.roots.workspace) is not None
    )
