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
from skillstudio.skill.hashing.content_hash import HashRefused, TreeHash, hash_tree
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


class LockBuilder:
    """Collects skills and locks them. The workspace is searched at the first look-up of a name."""

    def __init__(self, look: Callable[[], Lookup]) -> None:
        self._look = look
        self._lookup: Lookup | None = None
        self._digests: dict[int, tuple[Skill, TreeHash]] = {}
        self.problems: list[LockProblem] = []
        self.notes: list[str] = []
        self.skills: dict[str, LocatedSkill] = {}

    def take_proto(self, source: Source, references: Iterable[Reference]) -> None:
        """Add the skills of a proto and check their pins. Raises Ambiguous."""
        for reference in references:
            located_skill = self._choose(reference.id) if reference.id else None
            if located_skill is None:
                place = source.position(reference.span.start)
                message, rule = (
                    missing(reference, self._get_lookup().names()),
                    "binding-skill-missing",
                )
                self.problems.append(LockProblem(rule, message, source.path, *place))
                continue
            for diagnostic in check_pin(
                reference,
                located_skill.skill,
                source.path,
                lambda skill: self._hash(skill).content_hash,
            ):
                if diagnostic.rule == "binding-pin-unknown":
                    self.notes.append(diagnostic.message)
                    continue
                place = source.position(diagnostic.span.start if diagnostic.span else 0)
                self.problems.append(
                    LockProblem(diagnostic.rule, diagnostic.message, source.path, *place)
                )
            self._take(reference.id, located_skill)

    def take_skill(self, located_skill: LocatedSkill) -> None:
        """Add a skill given by its path. Raises Ambiguous."""
        names = stated_names(located_skill.skill)
        self._take(names[0] if names else located_skill.skill.name, located_skill)

    def lock(self, provenance: bool = True) -> Lock:
        """The state of the added skills; without `provenance`, only compared fields."""
        skills = {}
        for name, located_skill in sorted(self.skills.items()):
            try:
                digests = self._hash(located_skill.skill)
            except HashRefused as error:
                self.problems.append(
                    LockProblem("hash-refused", f"{name}: {error}", located_skill.folder)
                )
                continue
            source = source_of(located_skill.folder, (name,)) if provenance else Origin()
            if source.dirty:
                some = ", ".join(source.dirty[:5]) + (", …" if len(source.dirty) > 5 else "")
                self.notes.append(f"{name} has uncommitted changes, so no source_rev: {some}")
            self.notes += [f"{name}: {warning}" for warning in digests.warnings]
            skills[name] = Locked(
                digests.content_hash,
                digests.tree_sha256,
                nix_store_path(located_skill.folder),
                "" if source.dirty else source.rev,
                stated_version(located_skill.skill).version,
                files_of(digests),
            )
        return Lock(skills)

    def holds(self, path: str) -> str:
        """The folder of the skill whose hash a file at `path` would change; empty if none."""
        for located_skill in self.skills.values():
            inside = (below(path, os.path.realpath(located_skill.folder)) or "").replace(
                os.sep, "/"
            )
            if not inside:
                continue
            try:
                files = hash_tree(Overlay(located_skill.skill.tree, {inside: b""})).files
            except HashRefused:
                continue
            if any(file.path == inside for file in files):
                return located_skill.folder
        return ""

    def _take(self, root_name: str, skill: LocatedSkill) -> None:
        pending = [(root_name, skill)]
        while pending:
            name, located_skill = pending.pop()
            if name in self.skills:
                self._agree(name, [self.skills[name], located_skill])
                continue
            self.skills[name] = located_skill
            for manifest in located_skill.skill.manifests:
                hooks = hook(manifest.dialect, "dependencies")
                if hooks is None or manifest.part != "manifest":
                    continue
                for need in hooks.needs(manifest):
                    target = self._resolve_need(name, located_skill, manifest, hooks, need)
                    pending += [(need.id, target)] if target is not None else []

    def _resolve_need(
        self,
        name: str,
        located_skill: LocatedSkill,
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
            path = f"{located_skill.folder}/{manifest.path}"
            self.problems.append(LockProblem(kind, message, path, *place))
        return target

    def _choose(self, name: str) -> LocatedSkill | None:
        candidates = self._get_lookup().all(name)
        return self._agree(name, candidates) if candidates else None

    def _agree(self, name: str, candidates: Sequence[LocatedSkill]) -> LocatedSkill:
        """The first of several skills with a name, which must all be equal."""
        if len(candidates) == 1:
            return candidates[0]
        try:
            trees = {self._hash(candidate.skill).tree_sha256 for candidate in candidates}
        except HashRefused as error:
            reason = f"{len(candidates)} skills are named {name}, but {error}"
            raise Ambiguous(reason, (candidate.folder for candidate in candidates)) from None
        if len(trees) > 1:
            reason = f"{len(candidates)} different skills are named {name}"
            raise Ambiguous(reason, (candidate.folder for candidate in candidates))
        return candidates[0]

    def _get_lookup(self) -> Lookup:
        if self._lookup is None:
            self._lookup = self._look()
        return self._lookup

    def _hash(self, skill: Skill) -> TreeHash:
        if id(skill) not in self._digests:
            self._digests[id(skill)] = (skill, hash_tree(skill.tree))
        return self._digests[id(skill)][1]


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
        unpinned_ids = sorted({reference.id for reference in references if not reference.pin})
        names = ", ".join(unpinned_ids[:3]) + (" and others" if len(unpinned_ids) > 3 else "")
        verb = "is" if len(unpinned_ids) == 1 else "are"
        why = f"{names} {verb} not pinned in the proto, so only the lock makes runs reproducible"
    return Mode("locked", "content_hash", why)
