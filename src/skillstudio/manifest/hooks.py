"""The hooks of dialects: the functions of the modules in their folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from skillstudio.manifest.registry import module_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Protocol

    from skillstudio.interface.model import Interface
    from skillstudio.manifest.conversion.migration import Rewritten
    from skillstudio.manifest.dialect import Dialect, Manifest, Skill
    from skillstudio.manifest.hook_values import Digest, DraftedOperation, Need
    from skillstudio.manifest.launching import LaunchSpec
    from skillstudio.text.diagnostic import Diagnostic, Edit
else:
    # Protocols are slow to create and are not used at run time.
    Protocol = object


class RulesHook(Protocol):
    """`rules.py`: checks that a schema cannot express.

    Optional functions: `gate(manifest, skill)` may reject a manifest before any other check,
    `check_part(manifest, skill)` checks a further file, `asks(manifest)` lists the requested
    permissions for the policy, `schema_fixes(diagnostic, manifest, skill)` fixes what the schema
    reports, `locate_checks(skill)` checks a SKILL.md that contains the dialect's `hint`,
    `reread(document)` parses a block with syntax errors in another way.
    """

    def check(self, manifest: Manifest, skill: Skill) -> Iterable[Diagnostic]:
        """Problems of a manifest that could be parsed."""


class ProjectHook(Protocol):
    """`project.py`: the interface that a manifest declares."""

    def project(self, manifest: Manifest, skill: Skill) -> Interface:
        """The manifest as an interface, without the parts that are invalid."""


class LaunchHook(Protocol):
    """`launch.py`: how operations are started."""

    def launch(self, manifest: Manifest, skill: Skill, operation: str) -> LaunchSpec | None:
        """How an operation is started; None for an unknown operation."""


class HashingHook(Protocol):
    """`hashing.py`, with `digests` in dialect.json: digests that only the dialect defines."""

    def digests(self, manifest: Manifest, skill: Skill) -> Iterable[Digest]:
        """The digests of a manifest. Raises DigestRefused."""


class DependenciesHook(Protocol):
    """`dependencies.py`, with `depends` and `identity.id` in dialect.json."""

    def needs(self, manifest: Manifest) -> Iterable[Need]:
        """The skills that a skill requires or suggests."""

    def features(self, manifest: Manifest) -> Collection[str]:
        """The features that a skill offers to dependent skills."""

    def admits(self, version_range: str, version: str) -> bool | None:
        """Whether a range includes a version; None for an invalid range."""


class ImpactHook(Protocol):
    """`impact.py`: what a breaking change affects."""

    def programs(self, part: Manifest) -> Collection[str]:
        """The programs that a further file of the skill starts."""


class AdoptingHook(Protocol):
    """`adopting.py`: places that repeat the outputs that `adopt` adds and removes."""

    def added(self, value: Any, pattern: str) -> Iterable[Edit]:
        """The further edits that an added output pattern needs."""

    def removed(self, value: Any, pattern: str) -> Iterable[Edit]:
        """The further edits that a removed output pattern needs."""


class DraftHook(Protocol):
    """`draft.py`: operations for scripts; with `drafts` in dialect.json also a whole block."""

    def draft(
        self,
        target: Dialect,
        name: str,
        effects: Sequence[str],
        operations: Mapping[str, DraftedOperation],
    ) -> dict[str, Any]:
        """The value of the block."""

    def operation(
        self, manifest: Manifest, name: str, drafted_operation: DraftedOperation
    ) -> tuple[str, dict[str, Any]]:
        """The JSON Pointer and the value of a further operation of a manifest."""


class MigrateHook(Protocol):
    """`migrate.py`: a manifest in the next version of its dialect; `downgraded` is optional."""

    def step(self, manifest: Manifest) -> str:
        """The migration in a few words; "" for a manifest of the latest version."""

    def rewritten(self, manifest: Manifest, skill: Skill) -> Rewritten:
        """The new text of the manifest's file. Raises MigrationRefused."""

    def downgraded(self, manifest: Manifest, to: str) -> Rewritten | None:
        """The same in an earlier dialect; None for any other. Raises MigrationRefused."""


@overload
def hook(dialect: Dialect, name: Literal["launch"]) -> LaunchHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["hashing"]) -> HashingHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["dependencies"]) -> DependenciesHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["impact"]) -> ImpactHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["adopting"]) -> AdoptingHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["draft"]) -> DraftHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["migrate"]) -> MigrateHook | None: ...
def hook(dialect: Dialect, name: str) -> Any:
    """A module of a dialect's folder, or None. Errors of installed ones raise DialectFailed."""
    return module_of(dialect, name)
