"""Everything of a run that its manifest could say, in the order in which a report tells it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from skillstudio.dryrun.adopting.effects import undeclared_effects
from skillstudio.dryrun.adopting.fields import fields
from skillstudio.dryrun.adopting.finding import AdoptFinding, Case, Look
from skillstudio.dryrun.adopting.outputs import undeclared_outputs, unobserved_outputs
from skillstudio.dryrun.adopting.repeats import idempotence
from skillstudio.dryrun.adopting.unobserved import unobserved
from skillstudio.dryrun.judging.declared import Setting, declarations
from skillstudio.dryrun.planning.make import resolve_operation
from skillstudio.dryrun.planning.outputs import plan_outputs
from skillstudio.dryrun.planning.run_inputs import OperationUnknown
from skillstudio.dryrun.planning.typed import rendered
from skillstudio.dryrun.redaction.redactor import Redactor
from skillstudio.dryrun.report import TOO_SHORT, RunReport
from skillstudio.dryrun.reporting import masked
from skillstudio.dryrun.traces.key import holds_mask
from skillstudio.interface.model import Interface, Operation
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.project import unmasked

_BROKEN = ("syntax-json", "syntax-toml", "syntax-yaml")
_OF_THE_RUN = ("output:", "field:", "fs.read:", "fs.write:")
"""Findings whose edits have names in them that the run came up with."""


class AdoptRefused(Exception):
    """Nothing of a run can be adopted by the skill as it is now: a sentence that says why."""


def make_case(report: RunReport, skill: Skill, home: str, look: Look) -> Case:
    """A run beside the skill as it stands now, whichever version of it ran.

    Raises AdoptRefused where it has that operation, or a manifest of that system, no longer.
    """
    plan = report.plan
    interface = unmasked(skill)
    _refuse_broken(skill.of(plan.dialect))
    try:
        found = resolve_operation(skill, interface, plan.operation)
    except OperationUnknown as error:
        raise AdoptRefused(f"the skill has changed since the run: {error}") from None
    manifest = skill.of(found.dialect)
    if manifest is None or found.dialect != plan.dialect:
        raise AdoptRefused(
            f"the skill has changed since the run: it ran by {plan.dialect} and is of "
            f"{found.dialect} now"
        )
    report = _without_secrets(report, interface, found.operation)
    plan = report.plan
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


def findings(case: Case) -> tuple[AdoptFinding, ...]:
    """What the author may adopt, faults first, and what cannot be said last; each id once."""
    found: dict[str, AdoptFinding] = {}
    for each in _all(case):
        same = found.get(each.id)
        found[each.id] = each if same is None else _joined(same, each)
    if case.may_hold_secrets:
        found = {id: _doubted(each) for id, each in found.items()}
    return tuple(sorted(found.values(), key=lambda each: (each.fix is None, not each.picked)))


def _all(case: Case) -> Iterator[AdoptFinding]:
    if case.report.ended.error and case.report.ended.exit_code is None:
        return
    parts: Iterable[Iterator[AdoptFinding]] = (
        undeclared_effects(case),
        undeclared_outputs(case),
        fields(case),
        idempotence(case),
        unobserved(case),
        unobserved_outputs(case),
    )
    yield from chain.from_iterable(parts)


def _doubted(finding: AdoptFinding) -> AdoptFinding:
    """What has words of the run in it is for the author to read before it is written."""
    if finding.fix is None or not finding.id.startswith(_OF_THE_RUN):
        return finding
    doubt = f"see that it has no sensitive value, of which some are {TOO_SHORT}"
    return finding._replace(sentence=f"{finding.sentence}; {doubt}", picked=False)


def _refuse_broken(manifest: Manifest | None) -> None:
    """Where a text cannot be read as a whole, nobody can say what it declares."""
    if manifest is None:
        return
    for fault in manifest.document.faults:
        if fault.rule in _BROKEN:
            where = manifest.document.source.position(fault.start)
            at = f"{manifest.path}:{where.line}:{where.column}"
            raise AdoptRefused(f"{at}: {fault.message}, which is to be mended first")


def _without_secrets(report: RunReport, interface: Interface, operation: Operation) -> RunReport:
    """The report without the values of inputs that were marked as sensitive since the run."""
    secret = {each.name for each in operation.inputs if each.sensitive or interface.sensitive}
    inputs = report.plan.inputs
    given = {name: inputs[name] for name in secret & inputs.keys() if not holds_mask(inputs[name])}
    if not given:
        return report
    redactor = Redactor(each for value in given.values() for each in _texts(value))
    clean = masked(report, redactor)
    if redactor.too_short:
        clean = clean._replace(differences=(*clean.differences, TOO_SHORT))
    hidden = {**inputs, **dict.fromkeys(given, SENSITIVE)}
    return clean._replace(run=report.run, plan=report.plan._replace(inputs=hidden))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
    elif value is not None:
        yield rendered(value)


def _joined(one: AdoptFinding, other: AdoptFinding) -> AdoptFinding:
    """One finding of two: a program may show several effects, a pattern may stand twice."""
    why = tuple(dict.fromkeys((*one.why, *other.why)))
    mended = one.fix or other.fix
    if one.fix and other.fix:
        more = tuple(edit for edit in other.fix.edits if edit not in one.fix.edits)
        mended = one.fix._replace(edits=(*one.fix.edits, *more))
        if more and other.sentence != one.sentence:
            one = one._replace(sentence=f"{one.sentence}; {other.sentence}")
    cannot = "" if mended else one.cannot
    return one._replace(why=why, fix=mended, picked=one.picked or other.picked, cannot=cannot)


def _programs(skill: Skill, interface: Interface) -> Iterator[str]:
    for each in interface.operations:
        try:
            how = resolve_operation(skill, interface, each.name).launching
        except OperationUnknown:
            continue
        for processes in how.platforms.values():
            yield from (os.path.basename(one.argv[0]) for one in processes if one.argv)
