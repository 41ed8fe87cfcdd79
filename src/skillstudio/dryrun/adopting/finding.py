"""What a run suggests to change in the manifest, and the case it is judged in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.judging.declared import Declaration
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import CUT_LOG, TOO_SHORT, RunReport
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Interface, Operation
from skillstudio.manifest.dialect import Manifest
from skillstudio.text.diagnostic import Edit, Fix
from skillstudio.text.node import join_pointer


class AdoptFinding(NamedTuple):
    """One thing to adopt, or why it cannot be."""

    id: str
    """Kind and subject, such as `effect:fs.read`; the same for every run that shows it."""
    sentence: str
    why: tuple[str, ...] = ()
    """Evidence, a line each."""
    fix: Fix | None = None
    """The edits of the manifest, without missing parents; None when it cannot be adopted."""
    picked: bool = False
    """Whether it is preselected: only what the run reports as an error."""
    cannot: str = ""
    """Why there is no fix."""


class Installed(NamedTuple):
    """A program on this machine."""

    path: str
    version: str
    """"" when unknown."""


Look = Callable[[Sequence[str]], Mapping[str, Installed]]
"""Looks up programs of this machine by name."""


class Case(NamedTuple):
    """A run beside the current manifest."""

    report: RunReport
    manifest: Manifest
    interface: Interface
    """Unmasked."""
    operation: Operation
    declared: Sequence[Declaration]
    """What the manifest declares now."""
    programs: frozenset[str]
    """The programs that start the skill's operations."""
    home: str
    """The user's home folder."""
    look: Look
    tree: FileTree
    """The skill's folder."""

    @property
    def value(self) -> Any:
        """The manifest as plain values."""
        return self.manifest.document.value

    @property
    def roots(self) -> Roots:
        return self.report.plan.roots

    @property
    def dialect(self) -> str:
        return self.manifest.dialect.id

    @property
    def succeeded(self) -> bool:
        """Whether the run ended well: after a failure, missing effects prove nothing."""
        ended = self.report.ended
        return ended.exit_code == 0 and not (ended.timed_out or ended.cancelled)

    @property
    def is_whole(self) -> bool:
        """Whether the run did everything: no limit was reached and no step was mocked."""
        mocked = any(each.mocked is not None for each in self.report.plan.steps)
        return self.succeeded and not self.report.ended.limits and not mocked

    @property
    def watched(self) -> bool:
        """Whether a tracer saw all of it; otherwise missing events may have happened."""
        return self.report.traced and not self.report.incomplete and not self._mentions(CUT_LOG)

    @property
    def may_hold_secrets(self) -> bool:
        """Whether the report may contain a sensitive value that was too short to mask."""
        return self._mentions(TOO_SHORT)

    def _mentions(self, words: str) -> bool:
        return any(words in each for each in self.report.differences)

    def is_declared(self, effect: str, about: str) -> bool:
        """Whether the manifest now declares something that was observed."""
        return any(each.effect == effect and each.allows(about) for each in self.declared)


def unproven(case: Case) -> str:
    """The clause that warns that one run proves little."""
    if any(each.name != case.operation.name for each in case.interface.operations):
        return "but other runs and operations may"
    if case.report.plan.operation != case.operation.name:
        return "but other runs and scripts may"
    return "but other runs may"


def not_declarable(id: str, what: str, why: Sequence[str], reason: str) -> AdoptFinding:
    """A finding that the manifest cannot declare; `what` is the start of its sentence."""
    sentence = f"{what}, which this manifest cannot declare: {reason}"
    return AdoptFinding(id, sentence, tuple(why), cannot=reason)


def fix(title: str, *edits: Edit) -> Fix:
    """A fix that the author has to pick: declarations are theirs, so none is marked safe."""
    return Fix(title, edits)


def below(pointer: str, *tokens: str | int) -> str:
    """Extend a JSON pointer."""
    return pointer + join_pointer([str(token) for token in tokens])
