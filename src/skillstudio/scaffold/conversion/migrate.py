"""Migrate a manifest to another version of its dialect in place, with as few changes as needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.tree import Overlay
from skillstudio.manifest.conversion.leaf_tracker import ConversionReport, LeafTracker, WhyLost
from skillstudio.manifest.conversion.leaves import Leaf, Paper, label_of, names_of, papers
from skillstudio.manifest.conversion.migration import MigrationRefused, Rewritten
from skillstudio.manifest.dialect import Dialect, Manifest, Skill
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.locate import LocateResult, locate
from skillstudio.scaffold.conversion.source_checks import refuse_unusable

if TYPE_CHECKING:
    from skillstudio.manifest.hooks import MigrateHook


class Migration(NamedTuple):
    """A file of a skill before and after a migration."""

    path: str
    old: str
    new: str
    title: str
    report: ConversionReport


def migrate(located_skill: LocateResult) -> Migration | None:
    """Migrate the first manifest that is not current. Raises MigrationRefused, SourceUnusable."""
    refuse_unusable(located_skill, "migrated")
    for manifest, hooks in _hooks(located_skill.skill):
        if title := hooks.step(manifest):
            rewritten = hooks.rewritten(manifest, located_skill.skill)
            return _build_migration(located_skill.skill, manifest, rewritten, title, _why_lost)
    return None


def downgrade(located_skill: LocateResult, to: Dialect) -> Migration:
    """Rewrite a manifest in an earlier dialect. Raises MigrationRefused, SourceUnusable."""
    refuse_unusable(located_skill, "migrated")
    why = f"{to.title} has no equivalent"
    for manifest, hooks in _hooks(located_skill.skill):
        if hasattr(hooks, "downgraded") and (rewritten := hooks.downgraded(manifest, to.id)):
            title = f"{manifest.dialect.id} to {to.id}"
            return _build_migration(located_skill.skill, manifest, rewritten, title, lambda _: why)
    raise MigrationRefused(f"no manifest of the skill can be migrated to {to.id}")


def _hooks(skill: Skill) -> Iterator[tuple[Manifest, MigrateHook]]:
    for manifest in skill.manifests:
        hooks = hook(manifest.dialect, "migrate") if manifest.part == "manifest" else None
        if hooks is not None:
            yield manifest, hooks


def report_unchanged(skill: Skill) -> ConversionReport:
    """The report for a skill that needs no migration."""
    ledger = LeafTracker()
    documents = papers(skill.manifests)
    ledger.keep(names_of(documents))
    return ledger.report(documents, documents, _why_lost)


def _build_migration(
    skill: Skill, manifest: Manifest, rewritten: Rewritten, title: str, why_lost: WhyLost
) -> Migration:
    content = rewritten.text.encode("utf-8", "surrogatepass")
    after = locate(Overlay(skill.tree, {manifest.path: content}), skill.settings).skill
    for other in skill.manifests:
        if other.document is not manifest.document:
            rewritten.ledger.keep(Paper(label_of(other), other.document.value).values)
    report = rewritten.ledger.report(papers(skill.manifests), papers(after.manifests), why_lost)
    return Migration(manifest.path, manifest.document.source.text, rewritten.text, title, report)


def _why_lost(leaf: Leaf) -> str:
    return f"the next version has no equivalent for {leaf.pointer or 'this'}"
