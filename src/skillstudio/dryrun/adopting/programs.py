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
    below,
    fix,
    not_declarable,
)
from skillstudio.dryrun.adopting.suggestions import AdoptSuggestion
from skillstudio.dryrun.adopting.trails import Trail, trails
from skillstudio.dryrun.judging.declared import table
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.planning.requirements import check
from skillstudio.dryrun.planning.run_inputs import Machine
from skillstudio.dryrun.report import JudgedEffect
from skillstudio.files import paths
from skillstudio.interface.model import Requirement
from skillstudio.interface.wording import shown
from skillstudio.manifest.values import dig, strings
from skillstudio.text.diagnostic import Set
from skillstudio.text.versions import dotted

_EXEC = "proc.exec"


def installed(machine: Machine, roots: Roots) -> Callable[[Sequence[str]], Mapping[str, Installed]]:
    """A lookup of installed programs and their versions; programs of the skill or workspace are
    never started for that."""

    def look(names: Sequence[str]) -> Mapping[str, Installed]:
        found = {name: shutil.which(name, path=machine.path) or "" for name in names}
        foreign = {
            name: path
            for name, path in found.items()
            if path and not any(_is_below(path, root) for root in (roots.skill, roots.workspace))
        }
        asked = [Requirement("command", name, minimum="0") for name in foreign]
        versions = {each.name: each.found for each in check(asked, machine, roots)}
        return {
            name: Installed(path, versions[name] if dotted(versions[name]) else "")
            for name, path in foreign.items()
        }

    return look


def command(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    """Commands for a list of requirements, each with the installed version as the minimum."""
    started: dict[str, list[str]] = {}
    for each in left:
        if each.program and not each.masked and not case.is_declared(_EXEC, each.about):
            started.setdefault(_asked_for(case, each.program), []).append(each.line)
    basic = table()["basic"]["programs"]
    names = [name for name in started if name not in basic]
    have = case.look([name for name in names if "/" not in name])
    for name in names:
        why = tuple(started[name])
        item: dict[str, Any] = {"cmd": name}
        sentence = f"Require the command {shown(name)}"
        if "/" in name:
            sentence += ", a program of the skill"
        elif name not in have:
            reason = "it is not on this machine's PATH"
            reason = "it is none of the programs of this machine that every run finds"
            yield not_declarable(f"command:{name}", f"The run started {shown(name)}", why, reason)
            continue
        elif have[name].version:
            item["min_version"] = have[name].version
            sentence += f", version {have[name].version} (installed here) or later"
        else:
            sentence += ", any version: the installed one reports none"
        yield AdoptFinding(
            f"command:{name}",
            sentence,
            why,
            fix(f"Require {name}", Set(below(how.at, "-"), item)),
            effect.is_error,
        )


def program(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    """Programs for a list of allowed ones; without that list all are allowed."""
    started: dict[str, list[str]] = {}
    for each in left:
        if each.program and not each.masked and not case.is_declared(_EXEC, each.about):
            started.setdefault(os.path.basename(each.program), []).append(each.line)
    allowed = dig(case.value, *how.at.strip("/").split("/"))
    blocked = [item for _, item in strings(allowed, "blocked")]
    # A new list excludes every program that is not in it.
    listed = list(dict.fromkeys((*sorted(case.programs), *_started(case))))
    basic = table()["basic"]["programs"]
    names = [name for name in started if name not in basic or name in blocked]
    if not names and started and not isinstance(allowed, dict):
        # Programs of every system need no entry, but the list needs at least one.
        names = listed[:1]
    for name in names:
        why = tuple(started.get(name, [line for each in started.values() for line in each]))
        if name in blocked:
            reason = "the manifest blocks it by name; decide which of the two is right"
            yield not_declarable(f"command:{name}", f"The run started {shown(name)}", why, reason)
            continue
        items = [name] if isinstance(allowed, dict) else list(dict.fromkeys([*listed, name]))
        more = [each for each in items if each != name]
        beside = f" and {', '.join(map(shown, more))}, which the skill starts too" if more else ""
        edits = [Set(below(how.at, "commands", "-"), each) for each in items]
        if not isinstance(allowed, dict):
            edits.insert(0, Set(below(how.at, "allowed"), True))
        yield AdoptFinding(
            f"command:{name}",
            f"Allow the program {shown(name)}{beside}",
            why,
            fix(f"Allow {name}", *edits),
            effect.is_error,
        )


def _started(case: Case) -> list[str]:
    """The programs of a run that are not on every system, whichever effect they show."""
    found = (
        os.path.basename(each.program)
        for effect in case.report.effects
        for each in trails(effect, case.roots, case.home)
        if each.program and not each.masked
    )
    return [name for name in found if name not in table()["basic"]["programs"]]


def _asked_for(case: Case, called: str) -> str:
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


def _is_below(path: str, folder: str) -> bool:
    return paths.below(os.path.realpath(path), folder) is not None
