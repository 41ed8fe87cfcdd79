"""Migrate legacy frontmatter to frontmatter-1.0 by adding the version."""

from __future__ import annotations

from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, Paper
from skillstudio.manifest.conversion.migration import MigrationRefused, Rewritten
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.registry import rules_of
from skillstudio.text.edit import EditRefused, resolve_edits
from skillstudio.text.splicing import apply

_RULE = "manifest-version-missing"


def step(manifest: Manifest) -> str:
    """Add the version if it is missing."""
    legacy = "manifest_version" not in manifest.document.value
    return f"legacy frontmatter to {manifest.dialect.id}" if legacy else ""


def rewritten(manifest: Manifest, skill: Skill) -> Rewritten:
    """SKILL.md with `manifest_version`. Raises MigrationRefused."""
    document = manifest.document
    fixes = [
        fix
        for diagnostic in rules_of(manifest.dialect).check(manifest, skill)
        if diagnostic.rule == _RULE
        for fix in diagnostic.fixes
    ]
    if not fixes:
        raise MigrationRefused(f"{manifest.path}: manifest_version has no value; write the version")
    try:
        splices = resolve_edits(document, fixes[0].edits)
    except EditRefused as error:
        raise MigrationRefused(f"{manifest.path}: {error}") from None
    ledger = LeafTracker()
    ledger.keep(Paper(manifest.path, document.value).values)
    why = "without it the fields are read as a legacy format"
    ledger.invent(Leaf(manifest.path, "/manifest_version"), why)
    return Rewritten(apply(document.source.text, splices), ledger)
