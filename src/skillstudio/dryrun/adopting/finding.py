"""What a run showed that the manifest could say otherwise, and what it is all judged by."""

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
    """Its kind and what it is about, such as `effect:fs.read`; the same for each run of it."""
    sentence: str
    why: tuple[str, ...] = ()
    """What was seen, a line each."""
    fix: Fix | None = None
    """The edits of the manifest; `choice.splices` makes what they miss. None where the manifest
    system cannot say it."""
    picked: bool = False
    """Whether it is adopted unless somebody says otherwise: only what the run calls a fault."""
    cannot: str = ""
    """Why there is no fix."""


class Installed(NamedTuple):
    """A program of this machine."""

    path: str
    version: str
    """"" where it does not say."""


Look = Callable[[Sequence[str]], Mapping[str, Installed]]
"""From names of programs to those that this machine has."""


class Case(NamedTuple):
    """A run, and the manifest as it stands now."""

    report: RunReport
    manifest: Manifest
    interface: Interface
    """Unmasked."""
    operation: Operation
    declared: Sequence[Declaration]
    """What the manifest declares now."""
    programs: frozenset[str]
    """What the operations of the skill are started by."""
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
        """Whether it ended well and by itself: what is missing after a failure says nothing."""
        ended = self.report.ended
        return ended.exit_code == 0 and not (ended.timed_out or ended.cancelled)

    @property
    def is_whole(self) -> bool:
        """Whether it did all that it does: no limit was hit, and no step was stood in for."""
        mocked = any(each.mocked is not None for each in self.report.plan.steps)
        return self.succeeded and not self.report.ended.limits and not mocked

    @property
    def watched(self) -> bool:
        """Whether a tracer saw all of it: else what is missing may have happened."""
        return self.report.traced and not self.report.incomplete and not self._tells(CUT_LOG)

    @property
    def may_hold_secrets(self) -> bool:
        """Whether a sensitive value may stand in what was seen, too short to be masked."""
        return self._tells(TOO_SHORT)

    def _tells(self, words: str) -> bool:
        return any(words in each for each in self.report.differences)

    def is_declared(self, effect: str, about: str) -> bool:
        """Whether the manifest now declares something that was seen."""
        return any(each.effect == effect and each.allows(about) for each in self.declared)


def unproven(case: Case) -> str:
    """How little it proves that something was not seen, as a clause."""
    said = "which one run does not prove of others"
    if any(each.name != case.operation.name for each in case.interface.operations):
        return f"{said}, nor of the other operations, which share it"
    if case.report.plan.operation != case.operation.name:
        return f"{said}, nor of other scripts"
    return said


def fix(title: str, *edits: Edit) -> Fix:
    """A way to adopt something: what is declared is the author's to say, so none is safe."""
    return Fix(title, edits)


def below(pointer: str, *tokens: str | int) -> str:
    """A JSON Pointer further down."""
    return pointer + join_pointer([str(token) for token in tokens])
