"""Started programs as commands that a manifest requires or allows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from skillstudio.dryrun.adopting.finding import (
    AdoptFinding,
    Case,
    Installed,
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
from skillstudio.interface.wording import shown
from skillstudio.manifest.values import dig, strings
from skillstudio.text.diagnostic import Set
from skillstudio.text.versions import dotted

_EXEC = "proc.exec"


def installed(machine: Machine, roots: Roots) -> Callable[[Sequence[str]], Mapping[str, Installed]]:
    """A lookup of installed programs with versions; it never starts programs of the skill."""

    def is_own(path: str) -> bool:
        real = os.path.realpath(path)
        return any(paths.below(real, root) is not None for root in (roots.skill, roots.workspace))

    def look(names: Sequence[str]) -> Mapping[str, Installed]:
        found = {name: shutil.which(name, path=machine.path) or "" for name in names}
        foreign = {name: path for name, path in found.items() if path and not is_own(path)}
        asked = [Requirement("command", name, minimum="0") for name in foreign]
        versions = {result.name: result.found for result in check(asked, machine, roots)}
        return {
            name: Installed(path, versions[name] if dotted(versions[name]) else "")
            for name, path in foreign.items()
        }

    return look


def command(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Commands for a list of requirements, each with the installed version as the minimum."""
    case = missing.case
    started = _started(missing, lambda called: _as_required(case, called))
    names = [name for name in started if name not in _basic()]
    have = case.look([name for name in names if "/" not in name])
    for name in names:
        item: dict[str, Any] = {"cmd": name}
        sentence = f"Require the command {shown(name)}"
        if "/" in name:
            sentence += ", a program of the skill"
        elif name not in have:
            yield _undeclarable(name, started[name], "it is not on this machine's PATH")
            continue
        elif have[name].version:
            item["min_version"] = have[name].version
            sentence += f", version {have[name].version} (installed here) or later"
        else:
            sentence += ", any version: the installed one reports none"
        yield missing.offer(f"command:{name}", sentence, started[name], missing.how.add(item))
    yield from _other_lines(missing)


def program(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Programs for a list of allowed ones; without that list all are allowed."""
    case, how = missing.case, missing.how
    started = _started(missing, os.path.basename)
    allowed = dig(case.value, *how.keys)
    has_list = isinstance(allowed, dict)
    blocked = [item for _, item in strings(allowed, "blocked")]
    # A new list excludes every program that is not in it.
    listed = list(dict.fromkeys((*sorted(case.programs), *_every_started(case))))
    names = [name for name in started if name not in _basic() or name in blocked]
    if not names and started and not has_list:
        # Programs of every system need no entry, but the list needs at least one.
        names = listed[:1]
    for name in names:
        why = started.get(name, [line for lines in started.values() for line in lines])
        if name in blocked:
            reason = "the manifest blocks it by name; decide which of the two is right"
            yield _undeclarable(name, why, reason)
            continue
        items = [name] if has_list else list(dict.fromkeys([*listed, name]))
        more = [other for other in items if other != name]
        beside = f" and {', '.join(map(shown, more))}, which the skill starts too" if more else ""
        sentence = f"Allow the program {shown(name)}{beside}"
        edits = [Set(below(how.at, "commands", "-"), program_name) for program_name in items]
        if not has_list:
            edits.insert(0, Set(below(how.at, "allowed"), True))
        yield missing.offer(f"command:{name}", sentence, why, *edits)
    yield from _other_lines(missing)


def _started(missing: UndeclaredEffect, name_of: Callable[[str], str]) -> dict[str, list[str]]:
    """The undeclared programs that were started, each with its evidence lines."""
    started: dict[str, list[str]] = {}
    for trail in missing.left:
        if trail.program and not trail.masked and not missing.case.is_declared(_EXEC, trail.about):
            started.setdefault(name_of(trail.program), []).append(trail.line)
    return started


def _undeclarable(name: str, why: Sequence[str], reason: str) -> AdoptFinding:
    return not_declarable(f"command:{name}", f"The run started {shown(name)}", why, reason)


def _other_lines(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Evidence of the effect that is not the start of a program."""
    rest = [trail.line for trail in missing.left if not trail.program]
    if rest and missing.how.cannot:
        yield missing.cannot(rest)


def _every_started(case: Case) -> list[str]:
    """The programs of a run that are not on every system, whichever effect they show."""
    found = (os.path.basename(trail.program) for trail in case.started if not trail.masked)
    return [name for name in found if name not in _basic()]


def _basic() -> list[str]:
    """The programs that every system has."""
    names: list[str] = table()["basic"]["programs"]
    return names


def _as_required(case: Case, called: str) -> str:
    """A program as a manifest names it: by name, or by path when it is part of the skill."""
    plain = own_program(case, called)
    if plain:
        return plain if "/" in plain else f"./{plain}"
    return os.path.basename(called)


def own_program(case: Case, called: str) -> str:
    """The path in the skill of a started program, else ""."""
    if "/" not in called:
        return ""
    inside = paths.below(called, case.roots.skill) if os.path.isabs(called) else called
    plain = paths.normalise(inside) if inside else None
    return plain if plain and case.tree.kind(plain) == "file" else ""


def is_of_the_project(case: Case, called: str) -> bool:
    """Whether a program was started by a relative path or one in the workspace."""
    if "/" not in called:
        return False
    return not os.path.isabs(called) or paths.below(called, case.roots.workspace) is not None
