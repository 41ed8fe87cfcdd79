"""Two versions of one skill: which two are compared, and what came out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.interface.change import LEVELS, Change, Side
from skillstudio.interface.model import Place
from skillstudio.text.source import Source, decode

if TYPE_CHECKING:
    from skillstudio.interface.bump import Bump
    from skillstudio.session.workspace import Workspace
    from skillstudio.settings.read import Waiver
    from skillstudio.skill.versions.comparison import Comparison, Version
    from skillstudio.skill.versions.operands import Operand

WORKING = "\0working"
"""The skill as it is open, with what is unsaved. No operand of a person holds a null."""
SAVED = "\0saved"
"""The skill as it lies on disk."""
BEFORE = "\0before"
"""The last tag of the skill, else HEAD."""


class ComparisonRefused(Exception):
    """Something cannot be done: a sentence for the user."""


class Sides(NamedTuple):
    """The operands of both versions."""

    old: str = BEFORE
    new: str = WORKING


class VersionChoice(NamedTuple):
    """A version that can be chosen."""

    operand: str
    label: str
    about: str = ""


class ComparedSide(NamedTuple):
    """One version as far as it could be opened."""

    label: str
    version: str = ""
    content_hash: str = ""
    tree: FileTree | None = None


class SideFailure(NamedTuple):
    """Why one side cannot be compared, and where."""

    side: Side
    message: str
    place: Place | None = None


class ComparisonResult(NamedTuple):
    """What a comparison found, or why there is none."""

    old: ComparedSide
    new: ComparedSide
    changes: tuple[Change, ...] = ()
    bump: Bump | None = None
    bump_to: str = ""
    """The version that the changes ask for; empty where the one there will do."""
    no_bump: str = ""
    """Why the version that is asked for cannot be told."""
    notes: tuple[str, ...] = ()
    failures: tuple[SideFailure, ...] = ()
    missing: str = ""
    """Why there is no old version to compare with."""
    comparison: Comparison | None = None

    @property
    def content_differs(self) -> bool:
        """Whether some file is not the same, or nobody can tell."""
        return self.comparison is None or self.comparison.content_differs

    @property
    def level(self) -> str:
        """The highest level of what is not waived; empty where nothing is."""
        found = {change.level for change in self.changes if not change.waived}
        return next((level for level in LEVELS if level in found), "")


class Comparing:
    """The comparison of one skill of a workspace, with the two versions that are chosen."""

    def __init__(self, workspace: Workspace, skill: str) -> None:
        self.workspace = workspace
        self.skill = skill
        self.sides = Sides()
        self._opened: dict[str, _Opened] = {}
        """What was read of versions that typing does not change."""

    # Choosing.

    @property
    def folder(self) -> str:
        """The skill's folder on disk."""
        return self.workspace.path(self.skill)

    def choices(self, side: Side) -> list[VersionChoice]:
        """The versions that can be chosen without typing. May be called in a thread."""
        from skillstudio.skill.versions.comparison import candidates

        found = [
            VersionChoice(WORKING, "working tree", "the skill as it is open, with what is unsaved"),
            VersionChoice(SAVED, "as saved", "the skill as it lies on disk"),
        ]
        if side == "old":
            found.insert(
                0, VersionChoice(BEFORE, "last tag", "of this skill, else HEAD: as at first")
            )
        for each in candidates(self.folder):
            if os.path.abspath(each.operand_text) != os.path.abspath(self.folder):
                about = "the last commit" if each.label == "HEAD" else ""
                found.append(VersionChoice(each.operand_text, each.label, about))
        return found

    def choose(self, side: Side, operand: str) -> None:
        """Compare with another version from now on; it is read anew."""
        self.sides = self.sides._replace(**{side: operand})
        self.forget()

    def at(self, revision: str) -> str:
        """The operand of this skill at a git revision, or at a version of its own."""
        return f"{self.folder}@{revision}"

    def forget(self) -> None:
        """Read every version anew the next time."""
        # A thread may be filling the old one.
        self._opened = {}

    # Comparing.

    def compare(self, sides: Sides, unsaved: Mapping[str, str]) -> ComparisonResult:
        """What changed between two versions; `unsaved` are texts by their path on disk.

        May be called in a thread. Whatever cannot be found or read is said in the outcome.
        """
        from skillstudio.skill.versions.comparison import compare_versions

        old, new = self._open("old", sides.old, unsaved), self._open("new", sides.new, unsaved)
        failures = (*old.failures, *new.failures)
        if failures or old.missing:
            return ComparisonResult(
                old.summary, new.summary, failures=failures, missing=old.missing
            )
        if old.version is None and new.version is None:
            failure = SideFailure("new", "the skill is in neither version")
            return ComparisonResult(old.summary, new.summary, failures=(failure,))
        waivers, trouble = self._waivers()
        comparison = compare_versions(
            old.version, new.version, waivers=waivers, workspace=self.workspace.root
        )
        bump_to, no_bump = _bump_to(comparison)
        return ComparisonResult(
            old.summary,
            new.summary,
            comparison.changes,
            comparison.bump,
            bump_to,
            no_bump,
            (*_notes(comparison), *trouble),
            comparison=comparison,
        )

    def _waivers(self) -> tuple[tuple[Waiver, ...], tuple[str, ...]]:
        """The changes that are taken on, and why they cannot be read where they cannot."""
        from skillstudio.settings.read import read_settings
        from skillstudio.settings.settings import find_settings

        file = find_settings(self.folder)
        if file is None:
            return (), ()
        try:
            return read_settings(_source(file)).waivers, ()
        except OSError as error:
            return (), (f"{file} cannot be read: {error.strerror or error}",)
        except ComparisonRefused as error:
            return (), (str(error),)

    def waive(self, change: Change, reason: str) -> str:
        """Take a change on, written into `skillstudio.toml`; the path of that file.

        Raises Refused, and OSError where the file cannot be written.
        """
        from skillstudio.files.saving.writer import saving
        from skillstudio.skill.versions.waiving import WaiverRefused, waive, waivers_file
        from skillstudio.text.splicing import apply

        file = waivers_file(self.folder)
        with saving([file]) as write:
            source = _source(file) if os.path.exists(file) else Source("", file)
            try:
                text = apply(source.text, waive(source, change.fingerprint, reason))
            except WaiverRefused as error:
                raise ComparisonRefused(str(error)) from None
            write(file, text.encode("utf-8"))
        self.workspace.forget_settings()
        return file

    def _open(self, side: Side, operand: str, unsaved: Mapping[str, str]) -> _Opened:
        if operand == WORKING:
            return self._read(side, self._working(unsaved))
        if operand == SAVED:
            return self._read(side, self._working({})._replace(label="as saved"))
        kept = self._opened
        if operand not in kept:
            kept[operand] = self._find(side, operand)
        found = kept[operand]
        return found._replace(failures=tuple(each._replace(side=side) for each in found.failures))

    def _working(self, unsaved: Mapping[str, str]) -> Operand:
        from skillstudio.skill.versions.operands import Operand

        inside = any(path.startswith(self.folder + os.sep) for path in unsaved)
        label = "working tree, unsaved" if inside else "working tree"
        tree = self.workspace.files(self.skill, unsaved)
        return Operand(tree, self.skill or ".", label=label, folder=self.folder)

    def _find(self, side: Side, text: str) -> _Opened:
        from skillstudio.skill.versions.operands import OperandError, before, resolve

        try:
            operand = before(self._working({})) if text == BEFORE else resolve(text)
        except OperandError as error:
            if text == BEFORE:
                return _Opened(ComparedSide(""), missing=error.reason)
            return _Opened(
                ComparedSide(self._short(text)), failures=(SideFailure(side, str(error)),)
            )
        except OSError as error:
            why = error.strerror or str(error)
            return _Opened(ComparedSide(self._short(text)), failures=(SideFailure(side, why),))
        return self._read(side, operand._replace(label=operand.ref or self._short(operand.label)))

    def _short(self, label: str) -> str:
        """An operand without the folders that are plain from what is open."""
        head = f"{self.folder}@"
        if label.startswith(head):
            return label[len(head) :]
        root = self.workspace.root + os.sep
        return label[len(root) :] if label.startswith(root) else label

    def _read(self, side: Side, operand: Operand) -> _Opened:
        from skillstudio.skill.versions.comparison import UnreadableManifest, open_version

        summary = ComparedSide(operand.label, tree=operand.tree)
        try:
            version = open_version(operand, self.workspace.settings(self.skill))
        except UnreadableManifest as error:
            told = (SideFailure(side, message, place) for place, message in error.faults)
            return _Opened(summary, failures=tuple(told))
        except OSError as error:
            return _Opened(summary, failures=(SideFailure(side, error.strerror or str(error)),))
        if version is None:
            return _Opened(summary._replace(label=f"{operand.label}: not there"))
        summary = summary._replace(version=version.version, content_hash=version.content_hash)
        return _Opened(summary, version)


class _Opened(NamedTuple):
    """What became of one operand."""

    summary: ComparedSide
    version: Version | None = None
    failures: tuple[SideFailure, ...] = ()
    missing: str = ""


def _source(file: str) -> Source:
    """The text of a settings file. Raises OSError, Refused where it is not UTF-8."""
    with open(file, "rb") as stream:
        text, wrong = decode(stream.read())
    if wrong is not None:
        raise ComparisonRefused(f"{file} is not UTF-8")
    return Source(text, file)


def _bump_to(comparison: Comparison) -> tuple[str, str]:
    """The version to take, or why it cannot be told; neither where the one there will do."""
    from skillstudio.skill.versions.bumping import NotSemver, asked_for, check_versions

    stated = comparison.new.version if comparison.new is not None else ""
    first = not stated and comparison.bump.required != "none"
    if comparison.new is None or (comparison.bump.ok and not first):
        return "", ""
    try:
        check_versions(comparison)
    except NotSemver as error:
        return "", str(error)
    version = asked_for(comparison)
    return ("" if version == stated else version), ""


def _notes(comparison: Comparison) -> Iterator[str]:
    """What to know of a comparison as a whole, the version first."""
    from skillstudio.present.comparison import bump_findings

    yield from (finding.message for finding in bump_findings(comparison.bump))
    yield from comparison.notes
    for waiver in comparison.unused_waivers:
        yield f"the waiver {waiver.fingerprint} ({waiver.reason}) matches no change here"
