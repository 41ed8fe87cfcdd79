"""Everything of a run that its manifest could say, in the order in which a report tells it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain

from skillstudio.dryrun.adopting.effects import undeclared_effects
from skillstudio.dryrun.adopting.fields import fields
from skillstudio.dryrun.adopting.finding import Case, Finding, Look
from skillstudio.dryrun.adopting.outputs import undeclared_outputs, unseen_outputs
from skillstudio.dryrun.adopting.repeats import idempotence
from skillstudio.dryrun.adopting.unseen import unseen
from skillstudio.dryrun.judging.declared import Setting, declarations
from skillstudio.dryrun.planning.given import OperationUnknown
from skillstudio.dryrun.planning.make import find_operation
from skillstudio.dryrun.planning.outputs import plan_outputs
from skillstudio.dryrun.planning.typed import rendered
from skillstudio.dryrun.report import Report
from skillstudio.interface.model import Interface
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.project import unmasked


class AdoptRefused(Exception):
    """Nothing of a run can be adopted by the skill as it is now: a sentence that says why."""


def make_case(report: Report, skill: Skill, home: str, look: Look) -> Case:
    """A run beside the skill as it stands now, whichever version of it ran.

    Raises AdoptRefused where it has that operation, or a manifest of that system, no longer.
    """
    plan = report.plan
    interface = unmasked(skill)
    try:
        found = find_operation(skill, interface, plan.operation)
    except OperationUnknown as error:
        raise AdoptRefused(f"the skill has changed since the run: {error}") from None
    manifest = skill.of(found.dialect)
    if manifest is None or found.dialect != plan.dialect:
        raise AdoptRefused(
            f"the skill has changed since the run: it ran by {plan.dialect} and is of "
            f"{found.dialect} now"
        )
    texts = {name: rendered(value) for name, value in plan.inputs.items() if value is not None}
    outputs, _ = plan_outputs(found.operation, texts, plan.roots, in_workspace=True)
    setting = Setting(plan.dialect, plan.roots, home, outputs)
    return Case(
        report,
        manifest,
        interface,
        found.operation,
        declarations(interface, found.operation, setting),
        frozenset(_programs(skill, interface)),
        home,
        look,
        skill.tree,
    )


def findings(case: Case) -> tuple[Finding, ...]:
    """What the author may adopt, faults first, and what cannot be said last; each id once."""
    found: dict[str, Finding] = {}
    for each in _all(case):
        same = found.get(each.id)
        found[each.id] = each if same is None else _joined(same, each)
    return tuple(sorted(found.values(), key=lambda each: (each.fix is None, not each.picked)))


def _all(case: Case) -> Iterator[Finding]:
    if case.report.ended.error and case.report.ended.exit_code is None:
        return
    parts: Iterable[Iterator[Finding]] = (
        undeclared_effects(case),
        undeclared_outputs(case),
        fields(case),
        idempotence(case),
        unseen(case),
        unseen_outputs(case),
    )
    yield from chain.from_iterable(parts)


def _joined(one: Finding, other: Finding) -> Finding:
    """Two ways to the same edit: a program may show several effects."""
    return one._replace(
        why=tuple(dict.fromkeys((*one.why, *other.why))), picked=one.picked or other.picked
    )


def _programs(skill: Skill, interface: Interface) -> Iterator[str]:
    for each in interface.operations:
        try:
            how = find_operation(skill, interface, each.name).launching
        except OperationUnknown:
            continue
        for processes in how.platforms.values():
            yield from (os.path.basename(one.argv[0]) for one in processes if one.argv)
