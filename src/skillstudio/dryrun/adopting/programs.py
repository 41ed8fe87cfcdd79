"""Programs that were started, as commands that a manifest asks for or allows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from skillstudio.dryrun.adopting.finding import AdoptFinding, Case, Installed, below, fix
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
    """Who says which programs this machine has. Each is asked for its version as `plan` asks.

    What lies in the skill or the workspace is never started for that.
    """

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
    """Commands for a list of what must be there, each with the version that is here."""
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
        sentence = f"Ask for the command {shown(name)}"
        if "/" in name:
            sentence += ", a program of the skill"
        elif name not in have:
            reason = "it is none of the programs of this machine that every run finds"
            yield AdoptFinding(
                f"command:{name}",
                f"{shown(name)} was started, which cannot be said here: {reason}",
                why,
                cannot=reason,
            )
            continue
        elif have[name].version:
            item["min_version"] = have[name].version
            sentence += f" from {have[name].version} on, the version found here"
        else:
            sentence += ", of any version: it does not say which one it is"
        yield AdoptFinding(
            f"command:{name}",
            sentence,
            why,
            fix(f"Ask for {name}", Set(below(how.at, "-"), item)),
            effect.is_error,
        )


def program(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    """Programs for a list of those that may run; a list that is not there allows them all."""
    started: dict[str, list[str]] = {}
    for each in left:
        if each.program and not each.masked and not case.is_declared(_EXEC, each.about):
            started.setdefault(os.path.basename(each.program), []).append(each.line)
    allowed = dig(case.value, *how.at.strip("/").split("/"))
    blocked = [item for _, item in strings(allowed, "blocked")]
    # A new list shuts out whatever is not in it.
    listed = list(dict.fromkeys((*sorted(case.programs), *_started(case))))
    basic = table()["basic"]["programs"]
    names = [name for name in started if name not in basic or name in blocked]
    if not names and started and not isinstance(allowed, dict):
        # With a list at all, the programs that every system has need no item.
        names = listed[:1]
    for name in names:
        why = tuple(started.get(name, [line for each in started.values() for line in each]))
        if name in blocked:
            reason = "the manifest blocks it by name, and only you can say which of the two holds"
            yield AdoptFinding(
                f"command:{name}",
                f"{shown(name)} was started, which cannot be said here: {reason}",
                why,
                cannot=reason,
            )
            continue
        items = [name] if isinstance(allowed, dict) else list(dict.fromkeys([*listed, name]))
        more = [each for each in items if each != name]
        beside = f", beside {', '.join(map(shown, more))} that are started, too" if more else ""
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
    """The programs of a run that not every system has, whichever effect they show."""
    found = (
        os.path.basename(each.program)
        for effect in case.report.effects
        for each in trails(effect, case.roots, case.home)
        if each.program and not each.masked
    )
    return [name for name in found if name not in table()["basic"]["programs"]]


def _asked_for(case: Case, called: str) -> str:
    """A program as a manifest asks for it: by its name, or the path of one of the skill's own."""
    plain = own_program(case, called)
    if plain:
        return plain if "/" in plain else f"./{plain}"
    return os.path.basename(called)


def own_program(case: Case, called: str) -> str:
    """Where in the skill a program lies, as it was called; "" where it is none of the skill's."""
    if "/" not in called:
        return ""
    inside = paths.below(called, case.roots.skill) if os.path.isabs(called) else called
    plain = paths.normalise(inside) if inside else None
    return plain if plain and case.tree.kind(plain) == "file" else ""


def is_of_the_project(case: Case, called: str) -> bool:
    """Whether a program was called by a path that is no place for installed ones."""
    if "/" not in called:
        return False
    return not os.path.isabs(called) or paths.below(called, case.roots.workspace) is not None


def _is_below(path: str, folder: str) -> bool:
    return paths.below(os.path.realpath(path), folder) is not None
