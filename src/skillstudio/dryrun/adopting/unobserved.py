"""Offers to remove declarations that a run did not use; none is preselected."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from skillstudio.dryrun.adopting.effects import KINDS
from skillstudio.dryrun.adopting.finding import (
    AdoptFinding,
    AdoptSuggestion,
    Case,
    is_cut,
    suggestion,
    unproven,
)
from skillstudio.dryrun.adopting.programs import is_of_the_project, own_program
from skillstudio.dryrun.judging.declared import Setting, declarations, resolve_path, table
from skillstudio.dryrun.planning.processes import program_of, read_shebang
from skillstudio.dryrun.report import JudgedEffect
from skillstudio.files.paths import below
from skillstudio.interface.model import Term
from skillstudio.interface.wording import display_value
from skillstudio.manifest.values import dig, mappings, strings, text
from skillstudio.text.diagnostic import Remove, Set

MOST_OF_A_LINE = 256
_READ = "fs.read"
_TERMS = {
    "filesystem_read": ("fs-read", "fs.read"),
    "filesystem_write": ("fs-write", "fs.write"),
    "network": ("network", "net.fetch"),
}


def find_unobserved(case: Case) -> Iterator[AdoptFinding]:
    """An offer for each declared effect, permission and command that a whole run did not use."""
    if not case.is_whole:
        return
    how = suggestion(case.dialect, "unobserved")
    if how.form == "item-unobserved":
        yield from _items(case, how)
    elif how.form:
        for effect in case.report.effects:
            if effect.declared and effect.verdict == "declared-not-observed":
                yield from FORMS[how.form](case, effect, how)
    how = suggestion(case.dialect, "command-unobserved")
    if how.form and case.is_fully_traced and not any(map(is_cut, case.report.effects)):
        yield from COMMANDS[how.form](case, how)


def _word(case: Case, effect: JudgedEffect, how: AdoptSuggestion) -> Iterator[AdoptFinding]:
    for at, word in strings(case.value, *how.keys):
        if word == effect.effect:
            did = "did not show it, with an empty home" if word == _READ else "did not show it"
            yield _offer(case, f"effect:{word}", f"the effect {word}", did, at)


def _flag(case: Case, effect: JudgedEffect, how: AdoptSuggestion) -> Iterator[AdoptFinding]:
    if effect.effect == "net.fetch" and dig(case.value, *how.keys) is True:
        reason = f"this run did not use the network, {unproven(case)}"
        sentence = f"Set {how.keys[-1]}: false: {reason}"
        edit = Set(how.at, False)
        yield AdoptFinding(f"unobserved:effect:{effect.effect}", sentence, (), (edit,))


def _capability(case: Case, effect: JudgedEffect, how: AdoptSuggestion) -> Iterator[AdoptFinding]:
    kind = KINDS.get(effect.effect, effect.effect)
    for at, item in mappings(case.value, *how.keys):
        if (text(item, "kind") or text(item, "name")) == kind and _is_given(case, item):
            value = text(item, "value")
            capability_name = f"{kind}:{value}" if value else kind
            yield _offer_unused(
                case, f"capability:{capability_name}", f"the capability {capability_name}", at
            )


def _is_given(case: Case, item: Mapping[str, Any]) -> bool:
    """Whether the run granted all that a capability requests: for files, paths in the copies."""
    paths = [path for _, path in strings(item, "constraints", "paths")]
    value = text(item, "value")
    if value and (text(item, "kind") or "").startswith("fs."):
        paths.append(value)
    roots = (case.roots.workspace, case.roots.skill)
    absolute_paths = [
        os.path.normpath(os.path.join(roots[0], path)) for path in paths if path != "*"
    ]
    return all(any(below(path, root) is not None for root in roots) for path in absolute_paths)


def _items(case: Case, how: AdoptSuggestion) -> Iterator[AdoptFinding]:
    """Each list item that nothing observed needs; without a tracer that is unknown."""
    for key, (name, effect) in _TERMS.items():
        judgements = [judgement for judgement in case.report.effects if judgement.effect == effect]
        visible = case.is_fully_traced or table()["effect"][effect]["seen_by"] == "files"
        if not visible or any(map(is_cut, judgements)):
            continue
        effect_trails = [trail for judgement in judgements for trail in case.trails(judgement)]
        if any(not (trail.is_path or trail.host) for trail in effect_trails):
            continue  # It is unknown which item was used.
        observed_subjects = [trail.about for trail in effect_trails]
        setting = Setting(case.dialect, case.roots, case.home, ())
        for at, item in strings(case.value, *how.keys, key):
            if effect == _READ and _is_of_home(case, item):
                continue
            only = (Term(name, (item,), "allow-list"),)
            alone = case.interface._replace(permissions=only, execution=None, requirements=())
            item_declarations = declarations(alone, case.operation, setting)
            allows = [
                declaration.allows
                for declaration in item_declarations
                if declaration.effect == effect
            ]
            if not any(allow(about) for allow in allows for about in observed_subjects):
                yield _offer_unused(case, f"{effect}:{item}", f"{display_value(item)} of {key}", at)


def _is_of_home(case: Case, item: str) -> bool:
    """Whether a path is where a run has an empty folder: what does not exist there is not read."""
    path = resolve_path(item, Setting(case.dialect, case.roots, case.home, ()))
    roots = (case.roots.workspace, case.roots.skill)
    return below(path, case.home) is not None and all(below(path, root) is None for root in roots)


def _commands(case: Case, how: AdoptSuggestion) -> Iterator[AdoptFinding]:
    started_programs = _find_started(case)
    if started_programs is None:
        return
    for at, item in mappings(case.value, *how.keys):
        name = text(item, "cmd")
        if name and os.path.basename(name) not in started_programs:
            yield _not_started(case, name, "command", at)


def _programs(case: Case, how: AdoptSuggestion) -> Iterator[AdoptFinding]:
    """Programs that neither a step nor the run starts; one stays, as an empty list allows all."""
    started_programs = _find_started(case)
    if started_programs is None:
        return
    used_programs = started_programs | case.programs
    listed_programs = list(strings(case.value, *how.keys))
    spare = [(at, name) for at, name in listed_programs if name not in used_programs]
    if len(spare) == len(listed_programs):
        spare = spare[1:]
    for at, name in spare:
        yield _not_started(case, name, "program", at)


def _find_started(case: Case) -> set[str] | None:
    """The names of all started programs, with the interpreters of scripts; None when unknown."""
    program_paths = [trail.program for trail in case.program_trails]
    program_names = {step.argv[0] for step in case.report.plan.steps if step.argv} | set(
        program_paths
    )
    for program in program_paths:
        path = own_program(case, program)
        if path:
            shebang = read_shebang(case.tree.read(path, MOST_OF_A_LINE))
            program_names |= {*shebang.argv[:1], *program_of(path, shebang)[:1]}
        elif is_of_the_project(case, program):
            return None
    return set(map(os.path.basename, program_names))


def _offer_unused(case: Case, id: str, what: str, at: str) -> AdoptFinding:
    return _offer(case, id, what, "did not use it", at)


def _not_started(case: Case, name: str, kind: str, at: str) -> AdoptFinding:
    return _offer(
        case, f"command:{name}", f"the {kind} {display_value(name)}", "did not start it", at
    )


def _offer(case: Case, id: str, what: str, did: str, at: str) -> AdoptFinding:
    sentence = f"Remove {what}: this run {did}, {unproven(case)}"
    return AdoptFinding(f"unobserved:{id}", sentence, (), (Remove(at),))


FORMS: dict[str, Callable[[Case, JudgedEffect, AdoptSuggestion], Iterator[AdoptFinding]]] = {
    "word-unobserved": _word,
    "flag-unobserved": _flag,
    "capability-unobserved": _capability,
}
"""The forms of adopt.toml for a declared effect; `item-unobserved` handles lists."""
COMMANDS: dict[str, Callable[[Case, AdoptSuggestion], Iterator[AdoptFinding]]] = {
    "command-unobserved": _commands,
    "program-unobserved": _programs,
}
