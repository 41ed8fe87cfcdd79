"""Bring a manifest to the version of its dialect that came after, in place.

A migration is a new text of one file; all of it that need not change is as it was, byte by byte.
"""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.files.tree import Overlay
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.locate import Located, locate
from skillstudio.scaffold.conversion.leaf_tracker import ConversionReport, LeafTracker
from skillstudio.scaffold.conversion.leaves import Leaf, label_of, leaves, names_of, papers
from skillstudio.scaffold.conversion.source_checks import refuse_unusable


class Migrated(NamedTuple):
    """A file of a skill before and after."""

    path: str
    old: str
    new: str
    title: str
    """What was done, in a few words."""
    report: ConversionReport


def migrate(located: Located) -> Migrated | None:
    """The oldest manifest of a skill in its next version; None where all are of the latest.

    Raises `migration.MigrationRefused`, and SourceUnusable for a manifest that does not parse.
    """
    refuse_unusable(located, "migrated")
    for manifest in located.skill.manifests:
        step = _step(manifest) if manifest.part == "manifest" else None
        if step is not None:
            return _migrated(located.skill, manifest, step)
    return None


def unchanged(skill: Skill) -> ConversionReport:
    """The report of a skill in which nothing is old."""
    ledger = LeafTracker()
    documents = papers(skill.manifests)
    for leaf in names_of(documents):
        ledger.move([leaf], leaf)
    return ledger.report(documents, documents, _unsaid)


def _step(manifest: Manifest) -> str | None:
    id = manifest.dialect.id
    if id == "frontmatter-1.0":
        legacy = "manifest_version" not in manifest.document.value
        return "legacy frontmatter to frontmatter-1.0" if legacy else None
    return {
        "router-manifest-1": "router-manifest-1 to skill-manifest-2.0",
        "provenact-bundle": "provenact-bundle to provenact-1",
        "provenact-0": "provenact-0 to provenact-1",
    }.get(id)


def _migrated(skill: Skill, manifest: Manifest, title: str) -> Migrated:
    id = manifest.dialect.id
    if id == "router-manifest-1":
        from skillstudio.scaffold.conversion.migrate_router import rewritten
    elif id == "frontmatter-1.0":
        from skillstudio.scaffold.conversion.migrate_frontmatter import rewritten
    else:
        from skillstudio.scaffold.conversion.migrate_provenact import rewritten
    made = rewritten(manifest, skill)
    tree = Overlay(skill.tree, {manifest.path: made.text.encode("utf-8", "surrogatepass")})
    after = locate(tree, skill.settings).skill
    for each in skill.manifests:
        if each.document is not manifest.document:
            for pointer, _ in leaves(each.document.value):
                leaf = Leaf(label_of(each), pointer)
                made.ledger.move([leaf], leaf)
    report = made.ledger.report(papers(skill.manifests), papers(after.manifests), _unsaid)
    return Migrated(manifest.path, manifest.document.source.text, made.text, title, report)


def _unsaid(leaf: Leaf) -> str:
    return f"the next version has no place for {leaf.pointer or 'this'}"
