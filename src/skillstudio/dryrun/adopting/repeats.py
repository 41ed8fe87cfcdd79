"""Whether running it again changes anything, as `--twice` measured it."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.dryrun.adopting.finding import AdoptFinding, Case, fix
from skillstudio.dryrun.adopting.suggestions import suggestion
from skillstudio.dryrun.report import FAILED_AGAIN
from skillstudio.manifest.values import dig
from skillstudio.text.diagnostic import Set


def idempotence(case: Case) -> Iterator[AdoptFinding]:
    """What the manifest could say of a second run; nothing where there was none.

    True is offered only when the second run ended well and changed nothing, and never made by
    itself: other inputs may do otherwise. False where true is declared mends a fault.
    """
    again = case.report.again
    how = suggestion(case.dialect, "idempotent")
    if again is None or not case.succeeded:
        return
    failed = bool(again) and all(each.startswith(FAILED_AGAIN) for each in again)
    did = "failed" if failed else "changed what the first one left"
    declared = case.interface.execution is not None and case.interface.execution.idempotent
    if not how.form:
        yield AdoptFinding(
            "idempotent",
            f"A second run {did if again else 'changed nothing'}, which cannot be said here: "
            f"{how.cannot}",
            again,
            cannot=how.cannot,
        )
    elif declared and again:
        yield AdoptFinding(
            "idempotent",
            f"Say idempotent: false, as a second run {did}",
            again,
            fix("Say idempotent: false", Set(how.at, False)),
            True,
        )
    elif not declared and not again:
        yield AdoptFinding(
            "idempotent",
            "Say idempotent: true, as a second run changed nothing; other inputs may do otherwise",
            ("nothing",),
            fix("Say idempotent: true", Set(how.at, True)),
        )
    elif again and dig(case.value, *how.at.strip("/").split("/")) is None:
        yield AdoptFinding(
            "idempotent",
            f"Say idempotent: false, as a second run {did}",
            again,
            fix("Say idempotent: false", Set(how.at, False)),
        )
