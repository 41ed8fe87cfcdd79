"""Fields of the printed value beside those that the manifest declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.dryrun.adopting.finding import AdoptFinding, Case, below, fix
from skillstudio.dryrun.adopting.inferring import infer, widened
from skillstudio.dryrun.adopting.suggestions import suggestion
from skillstudio.dryrun.judging.contract import FAILED, STATUS
from skillstudio.dryrun.traces.key import holds_mask
from skillstudio.interface.model import OutputField
from skillstudio.interface.wording import shown
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.text.diagnostic import Remove, Set

MOST = 200
"""Fields to declare; an object with more new ones is a table and no list of fields."""


def fields(case: Case) -> Iterator[AdoptFinding]:
    """Fields that were printed and are not declared, are of another type, or were not printed."""
    value = case.report.contract.value
    if not isinstance(value, dict):
        return
    failed = value.get(STATUS) == FAILED or not case.succeeded
    declared = {each.name: each for each in case.operation.fields}
    yield from _undeclared(case, value, failed)
    yield from _types(case, value)
    how = suggestion(case.dialect, "field-unobserved")
    if how.form and case.is_whole and not failed:
        for name in declared.keys() - value.keys():
            yield AdoptFinding(
                f"unobserved:field:{name}",
                f"Take out the field {shown(name)}: this run printed none, which one run does not "
                "prove of others",
                (f"declared as {shown(declared[name].text)}",),
                fix(f"Take out {name}", Remove(_at(case, how.at, name))),
            )


def _undeclared(case: Case, value: dict[str, Any], failed: bool) -> Iterator[AdoptFinding]:
    how = suggestion(case.dialect, "field")
    declared = {each.name for each in case.operation.fields}
    new = [name for name in value if name not in declared and not (failed and name == FAILED)]
    if not new:
        return
    if not how.form:
        if declared:
            yield AdoptFinding(
                "field", f"Fields were printed, which cannot be said here: {how.cannot}",
                tuple(new), cannot=how.cannot,
            )  # fmt: skip
        return
    if len(new) > MOST:
        reason = f"an object with {len(new)} more fields is a table, and no list of them"
        yield AdoptFinding(
            "field", f"Fields were printed, which cannot be said here: {reason}", tuple(new[:MOST]),
            cannot=reason,
        )  # fmt: skip
        return
    # Without any field declared nothing is promised of them, so nothing is wrong.
    is_fault = bool(declared)
    for name in new:
        if holds_mask(name) or looks_like_secret(name):
            reason = "its name holds a sensitive value, which is put into no manifest"
            sentence = f"A field was printed, which cannot be adopted: {reason}"
            yield AdoptFinding("field:sensitive", sentence, cannot=reason)
            continue
        word = infer(value[name], name)
        yield AdoptFinding(
            f"field:{name}",
            f"Declare the field {shown(name)} as {shown(word)}",
            ("printed in this run",),
            fix(f"Declare {name}", Set(_at(case, how.at, name), word)),
            is_fault,
        )


def _types(case: Case, value: dict[str, Any]) -> Iterator[AdoptFinding]:
    how = suggestion(case.dialect, "field-type")
    for field in case.operation.fields:
        if not how.form or field.name not in value or not _is_other(field, value[field.name]):
            continue
        word = widened(field.text, value[field.name], field.name)
        yield AdoptFinding(
            f"field:{field.name}",
            f"Declare the field {shown(field.name)} as {shown(word)}, as it was printed, and "
            f"not as {shown(field.text)}",
            ("printed in this run",),
            fix(f"Declare {field.name} as {word}", Set(_at(case, how.at, field.name), word)),
            True,
        )


def _is_other(field: OutputField, value: Any) -> bool:
    if field.schema is None or holds_mask(value):
        return False
    try:
        return bool(compile_schema(field.schema).errors(value))
    except SchemaRefused:
        return False


def _at(case: Case, at: str, name: str) -> str:
    parts = [case.operation.name if part == "{operation}" else part for part in at.split("/")[1:]]
    return below("", *parts, name)
