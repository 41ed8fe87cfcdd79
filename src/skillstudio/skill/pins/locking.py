"""Lock skills and protos, including their dependencies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.paths import below
from skillstudio.files.tree import Overlay
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.hook_values import Need
from skillstudio.manifest.hooks import hook
from skillstudio.skill.hashing.content_hash import Hashed, HashRefused, hash_tree
from skillstudio.skill.hashing.identity import Origin, nix_store_path, source_of
from skillstudio.skill.lookup import LocatedSkill, Lookup, stated_names, stated_version
from skillstudio.skill.pins.lock import Lock, Locked, files_of
from skillstudio.skill.pins.proto import Reference, check_pin, missing
from skillstudio.text.source import Source

if TYPE_CHECKING:
    from skillstudio.manifest.hooks import DependenciesHook


class Ambiguous(Exception):
    """Two different skills of the workspace have the same name."""

    def __init__(self, reason: str, folders: Iterable[str]) -> None:
        self.reason = reason
        """The message without the folders."""
        self.folders = tuple(folders)
        super().__init__(f"{reason}: {' and '.join(self.folders[:3])}")


class LockProblem(NamedTuple):
    """Why something cannot be locked, and its place; line and column are 1-based."""

    kind: str
    message: str
    path: str
    line: int = 1
    column: int = 1


class Mode(NamedTuple):
    """A row of ADR-003's table of recommended modes, and the reason."""

    mode: str
    identity: str
    why: str


class Locking:
    """Collects skills and locks them. The workspace is searched at the first look-up of a name."""

    def __init__(self, look: Callable[[], Lookup]) -> None:
        self._look = look
        self._lookup: Lookup | None = None
        self._hashed: dict[int, tuple[Skill, Hashed]] = {}
        self.problems: list[LockProblem] = []
        self.notes: list[str] = []
        self.wanted: dict[str, LocatedSkill] = {}

    def take_proto(self, source: Source, references: Iterable[Reference]) -> None:
        """Add the skills of a proto and check their pins. Raises Ambiguous."""
        for reference in references:
            found = self._choose(reference.id) if reference.id else None
            if found is None:
                place = source.position(reference.span.start)
                message, rule = missing(reference, self._known().names()), "binding-skill-missing"
                self.problems.append(LockProblem(rule, message, source.path, *place))
                continue
            for diagnostic in check_pin(
                reference, found.skill, source.path, lambda skill: self._hash(skill).content_hash
            ):
                if diagnostic.rule == "binding-pin-unknown":
                    self.notes.append(diagnostic.message)
                    continue
                place = source.position(diagnostic.span.start if diagnostic.span else 0)
                self.problems.append(
                    LockProblem(diagnostic.rule, diagnostic.message, source.path, *place)
                )
            self._take(reference.id, found)

    def take_skill(self, found: LocatedSkill) -> None:
        """Add a skill given by its path. Raises Ambiguous."""
        names = stated_names(found.skill)
        self._take(names[0] if names else found.skill.name, found)

    def lock(self, provenance: bool = True) -> Lock:
        """The state of the added skills; without `provenance`, only compared fields."""
        skills = {}
        for name, found in sorted(self.wanted.items()):
            try:
                hashed = self._hash(found.skill)
            except HashRefused as error:
                self.problems.append(LockProblem("hash-refused", f"{name}: {error}", found.folder))
                continue
            source = source_of(found.folder, (name,)) if provenance else Origin()
            if source.dirty:
                some = ", ".join(source.dirty[:5]) + (", …" if len(source.dirty) > 5 else "")
                self.notes.append(f"{name} has uncommitted changes, so no source_rev: {some}")
            self.notes += [f"{name}: {warning}" for warning in hashed.warnings]
            skills[name] = Locked(
                hashed.content_hash,
                hashed.tree_sha256,
                nix_store_path(found.folder),
                "" if source.dirty else source.rev,
                stated_version(found.skill).version,
                files_of(hashed),
            )
        return Lock(skills)

    def holds(self, path: str) -> str:
        """The folder of the skill whose hash a file at `path` would change; empty if none."""
        for found in self.wanted.values():
            inside = (below(path, os.path.realpath(found.folder)) or "").replace(os.sep, "/")
            if not inside:
                continue
            try:
                files = hash_tree(Overlay(found.skill.tree, {inside: b""})).files
            except HashRefused:
                continue
            if any(file.path == inside for file in files):
                return found.folder
        return ""

    def _take(self, wanted: str, skill: LocatedSkill) -> None:
        pending = [(wanted, skill)]
        while pending:
            name, found = pending.pop()
            if name in self.wanted:
                self._agree(name, [self.wanted[name], found])
                continue
            self.wanted[name] = found
            for manifest in found.skill.manifests:
                hooks = hook(manifest.dialect, "dependencies")
                if hooks is None or manifest.part != "manifest":
                    continue
                for need in hooks.needs(manifest):
                    target = self._needed(name, found, manifest, hooks, need)
                    pending += [(need.id, target)] if target is not None else []

    def _needed(
        self,
        name: str,
        found: LocatedSkill,
        manifest: Manifest,
        hooks: DependenciesHook,
        need: Need,
    ) -> LocatedSkill | None:
        if need.suggested:
            return None
        target = self._choose(need.id)
        message = ""
        if target is None:
            message = f"{name} depends on {need.id}, but no skill in the workspace has that id"
            kind = "dependency-unresolved"
        elif need.range is not None:
            version = stated_version(target.skill).version
            kind = "dependency-out-of-range"
            # `check` reports an invalid range; it cannot be compared here.
            if hooks.admits(need.range, version) is False:
                have = version or "no version"
                message = f"{name} depends on {need.id} {need.range}, but found {have}"
        if message and need.optional:
            self.notes.append(f"{message}; it is optional, so it is not locked")
            return None
        if message:
            span = manifest.document.key_span(need.pointer)
            place = manifest.document.source.position(span.start) if span else (1, 1)
            path = f"{found.folder}/{manifest.path}"
            self.problems.append(LockProblem(kind, message, path, *place))
        return target

    def _choose(self, name: str) -> LocatedSkill | None:
        found = self._known().all(name)
        return self._agree(name, found) if found else None

    def _agree(self, name: str, found: Sequence[LocatedSkill]) -> LocatedSkill:
        """The first of several skills with a name, which must all be equal."""
        if len(found) == 1:
            return found[0]
        try:
            trees = {self._hash(candidate.skill).tree_sha256 for candidate in found}
        except HashRefused as error:
            reason = f"{len(found)} skills are named {name}, but {error}"
            raise Ambiguous(reason, (candidate.folder for candidate in found)) from None
        if len(trees) > 1:
            reason = f"{len(found)} different skills are named {name}"
            raise Ambiguous(reason, (candidate.folder for candidate in found))
        return found[0]

    def _known(self) -> Lookup:
        if self._lookup is None:
            self._lookup = self._look()
        return self._lookup

    def _hash(self, skill: Skill) -> Hashed:
        if id(skill) not in self._hashed:
            self._hashed[id(skill)] = (skill, hash_tree(skill.tree))
        return self._hashed[id(skill)][1]


def mode_of(references: Sequence[Reference]) -> Mode:
    """The recommended mode of ADR-003 for a proto, or for skills without a proto."""
    if references and all("content_hash" in reference.pin for reference in references):
        why = "the proto pins every skill to its content hash, so it works on every machine"
        return Mode("pin + lock", "content_hash", why)
    if not references:
        why = "no proto pins these skills, so only the lock file makes runs reproducible"
    elif any("min_version" in reference.pin for reference in references):
        why = "the proto accepts any version from min_version; the lock file records the exact one"
    else:
        floating = sorted({reference.id for reference in references if not reference.pin})
        named = ", ".join(floating[:3]) + (" and others" if len(floating) > 3 else "")
        verb = "is" if len(floating) == 1 else "are"
        why = f"{named} {verb} not pinned in the proto, so only the lock makes runs reproducible"
    return Mode("locked", "content_hash", why)
