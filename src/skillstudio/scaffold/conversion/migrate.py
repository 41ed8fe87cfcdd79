"""Migrate a manifest to the next version of its dialect in place, with as few changes as needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.tree import Overlay
from skillstudio.manifest.conversion.leaf_tracker import ConversionReport, LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, Paper, label_of, names_of, papers
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.locate import Located, locate
from skillstudio.scaffold.conversion.source_checks import refuse_unusable

if TYPE_CHECKING:
    from skillstudio.manifest.hooks import MigrateHook


class Migrated(NamedTuple):
    """A file of a skill before and after a migration."""

    path: str
    old: str
    new: str
    title: str
    report: ConversionReport


def migrate(located: Located) -> Migrated | None:
    """Migrate the first manifest that is not current. Raises MigrationRefused, SourceUnusable."""
    refuse_unusable(located, "migrated")
    for manifest in located.skill.manifests:
        hooks = hook(manifest.dialect, "migrate") if manifest.part == "manifest" else None
        if hooks is not None and (title := hooks.step(manifest)):
            return _migrated(located.skill, manifest, hooks, title)
    return None


def unchanged(skill: Skill) -> ConversionReport:
    """The report for a skill that needs no migration."""
    ledger = LeafTracker()
    documents = papers(skill.manifests)
    ledger.keep(names_of(documents))
    return ledger.report(documents, documents, _unsaid)


def _migrated(skill: Skill, manifest: Manifest, hooks: MigrateHook, title: str) -> Migrated:
    made = hooks.rewritten(manifest, skill)
    tree = Overlay(skill.tree, {manifest.path: made.text.encode("utf-8", "surrogatepass")})
    after = locate(tree, skill.settings).skill
    for each in skill.manifests:
        if each.document is not manifest.document:
            made.ledger.keep(Paper(label_of(each), each.document.value).values)
    report = made.ledger.report(papers(skill.manifests), papers(after.manifests), _unsaid)
    return Migrated(manifest.path, manifest.document.source.text, made.text, title, report)


def _unsaid(leaf: Leaf) -> str:
    return f"the next version has no equivalent for {leaf.pointer or 'this'}"
