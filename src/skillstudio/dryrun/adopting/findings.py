"""Collect everything in a run that its manifest could declare."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from skillstudio.dryrun.adopting.effects import undeclared_effects
from skillstudio.dryrun.adopting.fields import fields
from skillstudio.dryrun.adopting.finding import (
    AdoptFinding,
    Case,
    Look,
    not_declarable,
    suggestion,
)
from skillstudio.dryrun.adopting.outputs import undeclared_outputs, unobserved_outputs
from skillstudio.dryrun.adopting.unobserved import find_unobserved
from skillstudio.dryrun.judging.declared import Setting, declarations
from skillstudio.dryrun.planning.make import resolve_operation
from skillstudio.dryrun.planning.outputs import plan_outputs
from skillstudio.dryrun.planning.run_inputs import OperationUnknown
from skillstudio.dryrun.planning.typed import render_value
from skillstudio.dryrun.redaction.redactor import Redactor
from skillstudio.dryrun.report import FAILED_AGAIN, TOO_SHORT, RunReport
from skillstudio.dryrun.reporting import mask_value
from skillstudio.dryrun.traces.key import holds_mask
from skillstudio.interface.model import Interface, Operation
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.project import project_unmasked
from skillstudio.manifest.values import dig
from skillstudio.text.diagnostic import Set

_SYNTAX_RULES = ("syntax-json", "syntax-toml", "syntax-yaml")
_OF_THE_RUN = ("output:", "field:", "fs.read:", "fs.write:")
"""Findings whose edits contain text from the run."""


class AdoptRefused(Exception):
    """Nothing of a run can be adopted by the current skill: a sentence with the reason."""


def make_case(report: RunReport, skill: Skill, home: str, look: Look) -> Case:
    """Pair a run with the current skill. Raises AdoptRefused when that no longer fits."""
    plan = report.plan
    interface = project_unmasked(skill)
    _refuse_broken(skill.of(plan.dialect))
    try:
        resolved_operation = resolve_operation(skill, interface, plan.operation)
    except OperationUnknown as error:
        raise AdoptRefused(f"the skill has changed since the run: {error}") from None
    manifest = skill.of(resolved_operation.dialect)
    if manifest is None or resolved_operation.dialect != plan.dialect:
        raise AdoptRefused(
            f"the skill has changed since the run: it ran as {plan.dialect} and is now "
            f"{resolved_operation.dialect}"
        )
    report = _without_secrets(report, interface, resolved_operation.operation)
    plan = report.plan
    texts = {name: render_value(value) for name, value in plan.inputs.items() if value is not None}
    outputs, _ = plan_outputs(resolved_operation.operation, texts, plan.roots, in_workspace=True)
    setting = Setting(plan.dialect, plan.roots, home, outputs)
    operation, programs = resolved_operation.operation, frozenset(_programs(skill, interface))
    declared_effects = list(declarations(interface, operation, setting))
    return Case(
        report, manifest, interface, operation, declared_effects, programs, home, look, skill.tree
    )


def findings(case: Case) -> tuple[AdoptFinding, ...]:
    """What the author may adopt: errors first, what cannot be declared last, each id once."""
    findings_by_id: dict[str, AdoptFinding] = {}
    for finding in _all(case):
        same = findings_by_id.get(finding.id)
        findings_by_id[finding.id] = finding if same is None else _join(same, finding)
    if case.may_hold_secrets:
        findings_by_id = {id: _require_review(finding) for id, finding in findings_by_id.items()}
    return tuple(
        sorted(
            findings_by_id.values(),
            key=lambda finding: (not finding.edits, not finding.is_preselected),
        )
    )


def _all(case: Case) -> Iterator[AdoptFinding]:
    if case.report.ending.error and case.report.ending.exit_code is None:
        return
    yield from undeclared_effects(case)
    yield from undeclared_outputs(case)
    yield from fields(case)
    yield from idempotence(case)
    yield from find_unobserved(case)
    yield from unobserved_outputs(case)


def _require_review(finding: AdoptFinding) -> AdoptFinding:
    """Require the author to review a finding that contains text from the run."""
    if not finding.edits or not finding.id.startswith(_OF_THE_RUN):
        return finding
    doubt = f"check it for sensitive values: some are {TOO_SHORT}"
    return finding._replace(sentence=f"{finding.sentence}; {doubt}", is_preselected=False)


def _refuse_broken(manifest: Manifest | None) -> None:
    """Raise AdoptRefused for a manifest with syntax errors, whose declarations are unknown."""
    if manifest is None:
        return
    for fault in manifest.document.faults:
        if fault.rule in _SYNTAX_RULES:
            where = manifest.document.source.position(fault.start)
            at = f"{manifest.path}:{where.line}:{where.column}"
            raise AdoptRefused(f"{at}: {fault.message}; fix this first")


def _without_secrets(report: RunReport, interface: Interface, operation: Operation) -> RunReport:
    """Mask the values of inputs that were marked as sensitive after the run."""
    secret = {input_.name for input_ in operation.inputs if input_.sensitive or interface.sensitive}
    inputs = report.plan.inputs
    secret_values = {
        name: inputs[name] for name in secret & inputs.keys() if not holds_mask(inputs[name])
    }
    if not secret_values:
        return report
    redactor = Redactor(_texts(list(secret_values.values())))
    clean = mask_value(report, redactor)
    if redactor.too_short:
        clean = clean._replace(differences=(*clean.differences, TOO_SHORT))
    masked_inputs = {**inputs, **dict.fromkeys(secret_values, SENSITIVE)}
    return clean._replace(run=report.run, plan=report.plan._replace(inputs=masked_inputs))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping | list):
        for element in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(element)
    elif value is not None:
        yield render_value(value)


def _join(finding: AdoptFinding, other: AdoptFinding) -> AdoptFinding:
    """Join two findings with one id: a program may show several effects."""
    why = tuple(dict.fromkeys((*finding.why, *other.why)))
    new_edits = tuple(edit for edit in other.edits if edit not in finding.edits)
    if finding.edits and new_edits and other.sentence != finding.sentence:
        finding = finding._replace(sentence=f"{finding.sentence}; {other.sentence}")
    edits, cannot = (
        (*finding.edits, *new_edits),
        "" if finding.edits or new_edits else finding.cannot,
    )
    return finding._replace(
        why=why,
        edits=edits,
        is_preselected=finding.is_preselected or other.is_preselected,
        cannot=cannot,
    )


def _programs(skill: Skill, interface: Interface) -> Iterator[str]:
    for operation in interface.operations:
        try:
            how = resolve_operation(skill, interface, operation.name).launch_spec
        except OperationUnknown:
            continue
        for processes in how.platforms.values():
            yield from (os.path.basename(process.argv[0]) for process in processes if process.argv)


def idempotence(case: Case) -> Iterator[AdoptFinding]:
    """What the manifest could declare after a second run; `true` is never preselected."""
    again = case.report.again
    how = suggestion(case.dialect, "idempotent")
    if again is None or not case.has_succeeded:
        return
    has_failed = bool(again) and all(line.startswith(FAILED_AGAIN) for line in again)
    did = "failed" if has_failed else "changed the result of the first"
    is_declared = case.interface.execution is not None and case.interface.execution.idempotent
    if not how.form:
        what = f"A second run {did if again else 'changed nothing'}"
        yield not_declarable("idempotent", what, again, how.cannot)
    elif again and (is_declared or dig(case.value, *how.keys) is None):
        sentence = f"Set idempotent: false, because a second run {did}"
        yield AdoptFinding(
            "idempotent", sentence, again, (Set(how.at, False),), is_preselected=is_declared
        )
    elif not is_declared and not again:
        sentence = (
            "Set idempotent: true, because a second run changed nothing; other inputs may differ"
        )
        yield AdoptFinding("idempotent", sentence, ("nothing",), (Set(how.at, True),))
