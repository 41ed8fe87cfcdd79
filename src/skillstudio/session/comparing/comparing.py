"""Compare two versions of an open skill, waive changes and bump the version."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.git_state import git_state
from skillstudio.files.tree import FileTree
from skillstudio.interface.change import Change, Side
from skillstudio.interface.model import Place
from skillstudio.text.source import Source, decode

if TYPE_CHECKING:
    from skillstudio.files.git_state import GitState
    from skillstudio.interface.bump import Bump
    from skillstudio.session.buffer import Buffer
    from skillstudio.session.session import Session
    from skillstudio.session.workspace import Workspace
    from skillstudio.settings.read import Waiver
    from skillstudio.skill.versions.comparison import Comparison, Version
    from skillstudio.skill.versions.operands import Operand

WORKING_TREE = (
    "\0working"  # The open skill with unsaved changes. A typed operand cannot contain a null.
)
SAVED_SKILL = "\0saved"
BEFORE = "\0before"  # The last tag of the skill, else HEAD.
_MISSING = ": missing"  # After the label of a version that does not have the skill.


class ComparisonRefused(Exception):
    """Something cannot be done; the message is for users."""


class Sides(NamedTuple):
    """The operands of both versions."""

    old: str = BEFORE
    new: str = WORKING_TREE


class VersionChoice(NamedTuple):
    """A version to choose."""

    operand: str
    label: str
    about: str = ""


class ComparedSide(NamedTuple):
    """One version, as far as it could be opened."""

    label: str
    version: str = ""
    content_hash: str = ""
    tree: FileTree | None = None
    opened_version: Version | None = None
    failures: tuple[SideFailure, ...] = ()
    missing: str = ""  # Why there is no version to compare with.
    operand: Operand | None = None


class SideFailure(NamedTuple):
    """Why one side cannot be compared."""

    side: Side
    message: str
    place: Place | None = None


class ComparisonResult(NamedTuple):
    """The result of a comparison, or why there is none."""

    old: ComparedSide
    new: ComparedSide
    changes: tuple[Change, ...] = ()
    bump: Bump | None = None
    bump_to: str = ""  # The required version; empty if the declared one is sufficient.
    no_bump: str = ""  # Why the required version is unknown.
    notes: tuple[str, ...] = ()
    failures: tuple[SideFailure, ...] = ()
    missing: str = ""  # Why there is no old version to compare with.
    absent_in: str = ""  # The version that does not have the skill, so that no bump is judged.
    comparison: Comparison | None = None

    @property
    def content_differs(self) -> bool:
        """Whether some file differs, or this is unknown."""
        return self.comparison is None or self.comparison.content_differs


class _OpenedVersions(NamedTuple):
    """The versions that do not depend on unsaved texts, and git before they were read."""

    git: GitState
    sides: dict[str, ComparedSide]  # By operand.


class SkillComparer:
    """The comparison of a skill of a workspace, with the two chosen versions."""

    def __init__(self, workspace: Workspace, skill: str) -> None:
        self.workspace = workspace
        self.skill = skill
        self.sides = Sides()
        self._versions: _OpenedVersions | None = None

    @property
    def folder(self) -> str:
        """The skill's folder on disk."""
        return self.workspace.path(self.skill)

    def choices(self, side: Side) -> list[VersionChoice]:
        """The versions to choose from. May be called in a thread."""
        from skillstudio.skill.versions.comparison import candidates

        version_choices = [
            VersionChoice(WORKING_TREE, "working tree", "the open skill with unsaved changes"),
            VersionChoice(SAVED_SKILL, "as saved", "the skill on disk"),
        ]
        if side == "old":
            version_choices.insert(
                0, VersionChoice(BEFORE, "last tag", "of this skill, else HEAD (default)")
            )
        for label, operand in candidates(self.folder):
            if os.path.abspath(operand) != os.path.abspath(self.folder):
                about = "the last commit" if label == "HEAD" else ""
                version_choices.append(VersionChoice(operand, label, about))
        return version_choices

    def choose(self, side: Side, operand: str) -> None:
        """Choose another version for a side, and read it again."""
        self.sides = self.sides._replace(**{side: operand})
        self.forget()

    def at(self, revision: str) -> str:
        """The operand of this skill at a git revision or one of its versions."""
        return f"{self.folder}@{revision}"

    def forget(self) -> None:
        """Read every version again the next time."""
        # A thread may be filling the old one.
        self._versions = None

    @property
    def is_outdated(self) -> bool:
        """Whether git changed since a version was read from it. For any thread; starts no git."""
        versions = self._versions
        return versions is not None and versions.git != git_state(self.folder)

    def compare(self, sides: Sides, unsaved_texts: Mapping[str, str]) -> ComparisonResult:
        """Compare two versions. May be called in a thread; errors are in the result."""
        from skillstudio.skill.versions.comparison import compare_versions

        old, new = (
            self._open("old", sides.old, unsaved_texts),
            self._open("new", sides.new, unsaved_texts),
        )
        failures = (*old.failures, *new.failures)
        if (
            old.opened_version is None
            and new.opened_version is None
            and not (failures or old.missing)
        ):
            failures = (SideFailure("new", "neither version has the skill"),)
        result = ComparisonResult(old, new, failures=failures, missing=old.missing)
        if failures or old.missing:
            return result
        waivers, trouble = self._waivers()
        comparison = compare_versions(
            old.opened_version, new.opened_version, waivers=waivers, workspace=self.workspace.root
        )
        bump_to, no_bump = _bump_to(comparison)
        absent = old if old.opened_version is None else new if new.opened_version is None else None
        return result._replace(
            changes=comparison.changes, bump=comparison.bump if absent is None else None,
            bump_to=bump_to, no_bump=no_bump, notes=(*_notes(comparison), *trouble),
            absent_in=absent.label.removesuffix(_MISSING) if absent is not None else "",
            comparison=comparison,
        )  # fmt: skip

    def _waivers(self) -> tuple[tuple[Waiver, ...], tuple[str, ...]]:
        from skillstudio.settings.read import read_settings_file
        from skillstudio.skill.settings_files import find_settings

        unsaved_texts = self.workspace.unsaved_settings
        file = find_settings(self.folder, unsaved_texts)
        if file is None:
            return (), ()
        try:
            settings, wrong = read_settings_file(file, unsaved_texts.get(file.path))
        except OSError as error:
            return (), (f"{file.display_path} cannot be read: {error.strerror or error}",)
        if wrong is not None:
            return (), (f"{file.display_path} is not UTF-8",)
        return settings.waivers, ()

    def waive(self, change: Change, reason: str) -> str:
        """Write a waiver; return the path of the settings. Raises ComparisonRefused, OSError."""
        from skillstudio.files.saving.writer import prepare_save
        from skillstudio.skill.versions.waiving import WaiverRefused, waive, workspace_settings
        from skillstudio.text.splicing import apply

        file = workspace_settings(self.folder).path
        with prepare_save([file]) as write:
            source = _source(file) if os.path.exists(file) else Source("", file)
            try:
                text = apply(source.text, waive(source, change.fingerprint, reason))
            except WaiverRefused as error:
                raise ComparisonRefused(str(error)) from None
            write(file, text.encode("utf-8"))
        self.workspace.forget_settings()
        return file

    def _open(self, side: Side, operand: str, unsaved_texts: Mapping[str, str]) -> ComparedSide:
        if operand == WORKING_TREE:
            return self._read(side, self._make_operand(unsaved_texts))
        if operand == SAVED_SKILL:
            return self._read(side, self._make_operand({})._replace(label="as saved"))
        versions = self._versions
        if versions is None:
            # The state first: what changes while git is read is noticed later.
            versions = self._versions = _OpenedVersions(git_state(self.folder), {})
        if operand not in versions.sides:
            versions.sides[operand] = self._find(side, operand)
        result = versions.sides[operand]
        return result._replace(
            failures=tuple(failure._replace(side=side) for failure in result.failures)
        )

    def _make_operand(self, unsaved_texts: Mapping[str, str]) -> Operand:
        from skillstudio.skill.versions.operands import Operand

        inside = any(path.startswith(self.folder + os.sep) for path in unsaved_texts)
        label = "working tree, unsaved" if inside else "working tree"
        tree = self.workspace.files(self.skill, unsaved_texts)
        return Operand(tree, self.skill or ".", label=label, folder=self.folder)

    def _find(self, side: Side, text: str) -> ComparedSide:
        from skillstudio.skill.versions.operands import OperandError, before, resolve

        try:
            operand = before(self._make_operand({})) if text == BEFORE else resolve(text)
        except (OperandError, OSError) as error:
            if text == BEFORE and isinstance(error, OperandError):
                return ComparedSide("", missing=error.reason)
            why = (isinstance(error, OSError) and error.strerror) or str(error)
            why = why.removeprefix(f"{text}: ").partition(f"; read as {self.folder}")[0]
            return ComparedSide(self._short(text), failures=(SideFailure(side, why),))
        return self._read(side, operand._replace(label=operand.ref or self._short(operand.label)))

    def _short(self, label: str) -> str:
        """An operand relative to the skill or the workspace."""
        return label.removeprefix(f"{self.folder}@").removeprefix(self.workspace.root + os.sep)

    def _read(self, side: Side, operand: Operand) -> ComparedSide:
        from skillstudio.skill.versions.comparison import open_version
        from skillstudio.skill.versions.reading import UnreadableManifest

        result = ComparedSide(operand.label, tree=operand.tree, operand=operand)
        try:
            version = open_version(operand, self.workspace.settings(self.skill))
        except UnreadableManifest as error:
            failures = (SideFailure(side, message, place) for place, message in error.faults)
            return result._replace(failures=tuple(failures))
        except OSError as error:
            return result._replace(failures=(SideFailure(side, error.strerror or str(error)),))
        if version is None:
            return result._replace(label=f"{operand.label}{_MISSING}")
        return result._replace(
            version=version.version, content_hash=version.content_hash, opened_version=version
        )


def _source(file: str) -> Source:
    """Raises OSError, ComparisonRefused if the file is not UTF-8."""
    with open(file, "rb") as stream:
        text, wrong = decode(stream.read())
    if wrong is not None:
        raise ComparisonRefused(f"{file} is not UTF-8")
    return Source(text, file)


def _bump_to(comparison: Comparison) -> tuple[str, str]:
    """The required version, or why it is unknown; neither if the declared one is sufficient."""
    from skillstudio.skill.versions.bumping import NotSemver, asked_for, check_versions

    declared_version = comparison.new.version if comparison.new is not None else ""
    first = not declared_version and comparison.bump.required != "none"
    if comparison.new is None or (comparison.bump.ok and not first):
        return "", ""
    try:
        check_versions(comparison)
    except NotSemver as error:
        return "", str(error)
    version = asked_for(comparison)
    return ("" if version == declared_version else version), ""


def _notes(comparison: Comparison) -> Iterator[str]:
    from skillstudio.present.comparison import bump_findings

    yield from (finding.message for finding in bump_findings(comparison.bump))
    yield from comparison.notes
    for waiver in comparison.unused_waivers:
        yield f"the waiver {waiver.fingerprint} ({waiver.reason}) matches no change here"


def comparison_comment(name: str, outcome: ComparisonResult) -> str:
    """The changes of a skill as Markdown, as `diff --format markdown` prints them; "" where the
    versions cannot be compared."""
    from skillstudio.present.comparison import comparison_lines
    from skillstudio.present.markdown import markdown

    old, new, comparison = outcome.old.operand, outcome.new.operand, outcome.comparison
    if old is None or new is None or comparison is None:
        return ""
    lines = comparison_lines(name, old, new, comparison, is_comment=True)
    return "\n".join(markdown(lines, "diff"))


def make_bump(session: Session, skill: str, outcome: ComparisonResult, date: str) -> list[str]:
    """Bump the open texts in one undo step; return the files. Raises ComparisonRefused, OSError."""
    from skillstudio.skill.versions.bumping import BumpRefused, plan_bump
    from skillstudio.text.merging import splices_between

    comparison = outcome.comparison
    if comparison is None or comparison.new is None or not outcome.bump_to:
        raise ComparisonRefused(outcome.no_bump or "no bump is required")
    try:
        files = plan_bump(comparison.new.skill, outcome.bump_to, outcome.changes, date)
    except BumpRefused as error:
        raise ComparisonRefused(str(error)) from None
    steps = []
    for path, (old, new) in files.items():
        buffer = _buffer(session, skill, path, old)
        if buffer.read_only:
            raise ComparisonRefused(f"{path} is read-only: {buffer.read_only}")
        if buffer.text != (old or ""):
            raise ComparisonRefused(f"{path} has changed; compare again")
        steps.append((buffer, splices_between(buffer.text, new)))
    label = f"Bump to {outcome.bump_to}"
    for buffer, splices in steps:
        session.buffers[buffer.path] = buffer
        buffer.replace(splices, label)
    session.join([buffer for buffer, _ in steps], label)
    return list(files)


def _buffer(session: Session, skill: str, path: str, old: str | None) -> Buffer:
    from skillstudio.session.buffer import Buffer

    try:
        return session.open(skill, path)
    except FileNotFoundError:
        if old is not None:
            raise
    return Buffer(session.workspace.path(skill, path), None)
