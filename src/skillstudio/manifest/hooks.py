"""The hooks of dialects: what the modules of their folders must have, each named as its file.

All but `rules.py` and `project.py` are optional.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from skillstudio.manifest.registry import module_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Protocol

    from skillstudio.interface.model import Interface
    from skillstudio.manifest.conversion.document_draft import DocumentDraft
    from skillstudio.manifest.conversion.migration import Rewritten
    from skillstudio.manifest.conversion.source import ConversionSource
    from skillstudio.manifest.dialect import Dialect, Manifest, Skill
    from skillstudio.manifest.hook_values import (
        BindingProblem,
        Digest,
        FileExists,
        FindVersion,
        Need,
    )
    from skillstudio.manifest.launching import Launching
    from skillstudio.text.diagnostic import Diagnostic, Edit
else:
    # A protocol takes long to make, and nothing asks one at run time.
    Protocol = object


class RulesHook(Protocol):
    """`rules.py`: what a schema cannot say.

    Optional functions: `gate(manifest, skill)` ends the check with an error of its own,
    `check_part(manifest, skill)` checks a further file, `asks(manifest)` gives the permissions
    for the policy, `schema_fixes(diagnostic, manifest, skill)` gives fixes for what the schema
    found, `locate_checks(skill)` looks at a SKILL.md that has the dialect's `hint`,
    `reread(document)` reads a block with faults again.
    """

    def check(self, manifest: Manifest, skill: Skill) -> Iterable[Diagnostic]:
        """The diagnostics of a manifest that can be read."""


class ProjectHook(Protocol):
    """`project.py`: what a manifest promises."""

    def project(self, manifest: Manifest, skill: Skill) -> Interface:
        """The manifest as an interface; what cannot be read is left out."""


class LaunchHook(Protocol):
    """`launch.py`: how operations are started."""

    def launch(self, manifest: Manifest, skill: Skill, operation: str) -> Launching | None:
        """How an operation is started; None for one that the manifest does not know."""


class HashingHook(Protocol):
    """`hashing.py`, with `digests` in dialect.json: digests that the dialect defines."""

    def digests(self, manifest: Manifest, skill: Skill) -> Iterable[Digest]:
        """The digests of a manifest. Raises DigestRefused."""


class DependenciesHook(Protocol):
    """`dependencies.py`, with `depends` and `identity.id` in dialect.json."""

    def needs(self, manifest: Manifest) -> Iterable[Need]:
        """The skills that a skill needs or suggests."""

    def features(self, manifest: Manifest) -> Collection[str]:
        """The features that a skill offers to those that need it."""

    def admits(self, wanted: str, version: str) -> bool | None:
        """Whether a version is in a range; None for a text that is no range."""


class ImpactHook(Protocol):
    """`impact.py`: whom a breaking change hits."""

    def programs(self, part: Manifest) -> Collection[str]:
        """The programs that a further file of the skill starts."""


class PinsHook(Protocol):
    """`pins.py`: what a proto that names the skill must give it."""

    def check_binding(
        self,
        manifest: Any,
        inputs: Mapping[str, object],
        env: Collection[str] | None = None,
        find_version: FindVersion | None = None,
        file_exists: FileExists | None = None,
    ) -> Iterable[BindingProblem]:
        """The problems of a caller's values with the plain value of a manifest."""


class AdoptingHook(Protocol):
    """`adopting.py`: places that restate the outputs which `adopt` adds and removes."""

    def added(self, value: Any, pattern: str) -> Iterable[Edit]:
        """The further edits that an added output pattern needs."""

    def removed(self, value: Any, pattern: str) -> Iterable[Edit]:
        """The further edits that a removed output pattern needs."""


class ConvertHook(Protocol):
    """`convert.py`, with `converts` in dialect.json: a skill of another dialect as one of this.

    Optional for the carrier `file`: `text(source, target, ledger)` gives the whole text of the
    manifest, in place of what `put` puts into an empty draft.
    """

    def put(
        self, source: ConversionSource, draft: DocumentDraft, target: Dialect, name: str
    ) -> None:
        """Put what the source says into the draft of the frontmatter, block or file."""


class MigrateHook(Protocol):
    """`migrate.py`: a manifest in the next version of its dialect."""

    def step(self, manifest: Manifest) -> str:
        """What would be done, in a few words; "" where the manifest is of the latest version."""

    def rewritten(self, manifest: Manifest, skill: Skill) -> Rewritten:
        """The new text of the manifest's file. Raises MigrationRefused."""


@overload
def hook(dialect: Dialect, name: Literal["launch"]) -> LaunchHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["hashing"]) -> HashingHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["dependencies"]) -> DependenciesHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["impact"]) -> ImpactHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["pins"]) -> PinsHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["adopting"]) -> AdoptingHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["convert"]) -> ConvertHook | None: ...
@overload
def hook(dialect: Dialect, name: Literal["migrate"]) -> MigrateHook | None: ...
def hook(dialect: Dialect, name: str) -> Any:
    """A module of a dialect's folder by its file's name; None where the dialect has none.

    `hooks.py` says what each must have. An error in the code of an installed dialect, here or
    when one of the functions is called, is raised as DialectFailed.
    """
    return module_of(dialect, name)
