"""What a run suggests to change in the manifest, and the case it is judged in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from skillstudio.dryrun.judging.declared import Declaration, program_in, table
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import CUT_LOG, TOO_SHORT, JudgedEffect, RunReport
from skillstudio.dryrun.traces.key import SCHEME, holds_mask
from skillstudio.files import paths
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Interface, Operation
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.registry import tables_of
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.text.diagnostic import Edit, Set
from skillstudio.text.node import join_pointer

_CHANGES = ("added", "modified", "removed")
_LINE = re.compile(
    r"(added|modified|removed|started|read|wrote|connected to|sent to|looked up"
    r"|requested a|called) (.*?)( \((?:refused|failed): [^()]*\))?",
    re.DOTALL,
)
_REMAINDER_LINE = re.compile(r"and [0-9]+ more")
_IN_SKILL = " (in the skill)"
_PATHS = frozenset((*_CHANGES, "read", "wrote"))


class Trail(NamedTuple):
    """One line of evidence."""

    line: str
    verb: str
    about: str  # An absolute path, a host or a command line, as declarations are matched against.
    is_masked: bool  # Whether it contains a mask or something that looks like a credential.

    @property
    def is_path(self) -> bool:
        return self.verb in _PATHS

    @property
    def program(self) -> str:
        """The started program, as it was called, else ""."""
        return program_in(self.about) if self.verb == "started" else ""

    @property
    def host(self) -> str:
        """The contacted host without its port, else ""."""
        if self.verb == "looked up":
            return self.about
        if self.verb in ("connected to", "sent to") and not self.about.startswith("unix:"):
            return self.about.rpartition(":")[0]
        return ""


def is_cut(effect: JudgedEffect) -> bool:
    """Whether the report does not list all that was observed."""
    return any(_REMAINDER_LINE.fullmatch(line) for line in effect.evidence)


def trails(effect: JudgedEffect, roots: Roots, home: str) -> Iterator[Trail]:
    """The parsed evidence of an effect, without lines that only count others."""
    for line in effect.evidence:
        match = _LINE.fullmatch(line)
        if match is not None:
            verb, about = match[1], match[2]
            if verb in _CHANGES:
                about = absolute_path(about, roots)
            if verb in _PATHS and (about == "~" or about.startswith("~/")):
                about = home + about[1:]
            trail = Trail(line, verb, about, False)
            name = trail.program or _within(about, roots, home)
            is_masked = holds_mask(name) or SCHEME in name or looks_like_secret(name)
            yield trail._replace(is_masked=is_masked)
        elif line.startswith(SCHEME):
            yield Trail(line, "", line, True)


def _within(about: str, roots: Roots, home: str) -> str:
    """A path relative to one of the run's folders, whose own names do not matter."""
    inside = (paths.below(about, folder) for folder in (roots.skill, roots.workspace, home))
    return next((path for path in inside if path is not None), about)


def absolute_path(path: str, roots: Roots) -> str:
    """The absolute path of a changed file as the report names it."""
    if path.startswith("~/") or os.path.isabs(path):
        return path
    inside = path.removesuffix(_IN_SKILL)
    return f"{roots.skill if inside != path else roots.workspace}/{inside}"


_UNSAID = "its dialect has no way to declare it"


class AdoptFinding(NamedTuple):
    """One thing to adopt, or why it cannot be."""

    id: str  # Kind and subject, such as `effect:fs.read`; the same for every run that shows it.
    sentence: str
    why: tuple[str, ...] = ()  # Evidence, a line each.
    edits: tuple[Edit, ...] = ()
    """The edits of the manifest, without missing parents; none when it cannot be adopted."""
    is_preselected: bool = (
        False  # Whether it is preselected: only what the run reports as an error.
    )
    cannot: str = ""


class InstalledProgram(NamedTuple):
    """A program on this machine."""

    path: str
    version: str  # "" when unknown.


Look = Callable[[Sequence[str]], Mapping[str, InstalledProgram]]


class Case(NamedTuple):
    """A run beside the current manifest."""

    report: RunReport
    manifest: Manifest
    interface: Interface  # Unmasked.
    operation: Operation
    declared: Sequence[Declaration]
    programs: frozenset[str]  # The programs that start the skill's operations.
    home: str
    look: Look
    tree: FileTree  # The skill's folder.

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
    def undeclared_files(self) -> list[str]:
        """The files that no output pattern covers, as the report names them."""
        outputs = [output for output in self.report.outputs if output.verdict == "undeclared"]
        return [path for output in outputs for path in output.paths]

    @property
    def program_trails(self) -> list[Trail]:
        """The evidence of every started program, whichever effect it shows."""
        effects = self.report.effects
        return [trail for effect in effects for trail in self.trails(effect) if trail.program]

    def trails(self, effect: JudgedEffect) -> list[Trail]:
        """The parsed evidence of an effect."""
        return list(trails(effect, self.roots, self.home))

    @property
    def has_succeeded(self) -> bool:
        """Whether the run ended well: after a failure, missing effects prove nothing."""
        ending = self.report.ending
        return ending.exit_code == 0 and not (ending.timed_out or ending.cancelled)

    @property
    def is_whole(self) -> bool:
        """Whether the run did everything: no limit was reached and no step was mocked."""
        has_mocks = any(step.mocked is not None for step in self.report.plan.steps)
        return self.has_succeeded and not self.report.ending.limits and not has_mocks

    @property
    def is_fully_traced(self) -> bool:
        """Whether a tracer saw all of it; otherwise missing events may have happened."""
        return self.report.traced and not self.report.incomplete and not self._mentions(CUT_LOG)

    @property
    def may_hold_secrets(self) -> bool:
        """Whether the report may contain a sensitive value that was too short to mask."""
        return self._mentions(TOO_SHORT)

    def _mentions(self, words: str) -> bool:
        return any(words in difference for difference in self.report.differences)

    def is_declared(self, effect: str, about: str) -> bool:
        """Whether the manifest now declares something that was observed."""
        return any(
            declaration.effect == effect and declaration.allows(about)
            for declaration in self.declared
        )


def unproven(case: Case) -> str:
    """The clause that warns that one run proves little."""
    if any(operation.name != case.operation.name for operation in case.interface.operations):
        return "but other runs and operations may"
    if case.report.plan.operation != case.operation.name:
        return "but other runs and scripts may"
    return "but other runs may"


def not_declarable(id: str, what: str, why: Sequence[str], reason: str) -> AdoptFinding:
    """A finding that the manifest cannot declare; `what` is the start of its sentence."""
    sentence = f"{what}, which this manifest cannot declare: {reason}"
    return AdoptFinding(id, sentence, tuple(why), cannot=reason)


def below(pointer: str, *tokens: str | int) -> str:
    """Extend a JSON pointer."""
    return pointer + join_pointer([str(token) for token in tokens])


class AdoptSuggestion(NamedTuple):
    """How one dialect declares what a run showed."""

    form: str = ""  # The function that builds the edit; "" when it cannot be declared.
    at: str = ""  # A JSON pointer into the manifest.
    cannot: str = ""  # Why it, or some of it, cannot be declared.

    @property
    def keys(self) -> list[str]:
        """The keys of `at`."""
        return self.at.strip("/").split("/")

    def add(self, item: Any) -> Set:
        """The edit that appends an item to the list at `at`."""
        return Set(below(self.at, "-"), item)


def suggestion(dialect: str, finding_kind: str) -> AdoptSuggestion:
    """How a dialect declares what a run showed."""
    return suggestions().get((dialect, finding_kind), AdoptSuggestion(cannot=_UNSAID))


@cache
def suggestions() -> dict[tuple[str, str], AdoptSuggestion]:
    """The whole table, by dialect and finding."""
    return {
        (dialect, finding_kind): AdoptSuggestion(
            row.get("form", ""), row.get("at", ""), row.get("cannot", "")
        )
        for dialects, row in tables_of("adopt.toml", "say")
        for dialect in dialects
        for finding_kind in row["findings"]
    }


class UndeclaredEffect(NamedTuple):
    """An observed effect that the manifest does not declare, and how to declare it."""

    case: Case
    effect: JudgedEffect
    how: AdoptSuggestion
    uncovered_trails: Sequence[Trail]  # The evidence that no declaration covers.

    @property
    def about(self) -> str:
        """What a skill with this effect does, to follow `the skill`."""
        return str(table()["effect"][self.effect.effect]["about"])

    def offer(self, id: str, sentence: str, why: Iterable[str], *edits: Edit) -> AdoptFinding:
        """A finding that can be adopted; preselected when the run reports an error."""
        return AdoptFinding(id, sentence, tuple(why), edits, self.effect.is_error)

    def cannot(self, lines: Sequence[str], why: str = "") -> AdoptFinding:
        """The part of the effect that this dialect cannot declare."""
        id, what = f"effect:{self.effect.effect}", f"The skill {self.about} ({self.effect.effect})"
        return not_declarable(id, what, lines, why or self.how.cannot)
