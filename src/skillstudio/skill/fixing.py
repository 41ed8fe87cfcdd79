"""Turn the fixes of diagnostics into new texts. Nothing is written here."""

from __future__ import annotations

from dataclasses import dataclass, field

from skillstudio.skill.analysis import Analysis
from skillstudio.text.diagnostic import CreateFile, Diagnostic, Edit, Fix, RenameFile, Splice
from skillstudio.text.node import Document


@dataclass
class Fixed:
    """What some fixes make of a skill's files."""

    texts: dict[str, str] = field(default_factory=dict)
    """The whole new text of each file that changes, by path in the skill."""
    created: list[CreateFile] = field(default_factory=list)
    renamed: list[RenameFile] = field(default_factory=list)
    applied: list[tuple[Diagnostic, Fix]] = field(default_factory=list)


def fix_edits(analysis: Analysis, diagnostic: Diagnostic, fix: Fix) -> list[Splice]:
    """The splices of one fix in the file of its diagnostic.

    Raises `text.edit.EditRefused` where an edit would not do what it says.
    """
    document = document_of(analysis, diagnostic)
    edits: list[Edit] = [e for e in fix.edits if not isinstance(e, CreateFile | RenameFile)]
    if all(isinstance(edit, Splice) for edit in edits):
        return [edit for edit in edits if isinstance(edit, Splice)]
    if document is None:
        return []
    from skillstudio.text.edit import resolve_edits

    return resolve_edits(document, edits)


def document_of(analysis: Analysis, diagnostic: Diagnostic) -> Document | None:
    """The document that the pointer of a diagnostic speaks of."""
    for manifest in analysis.manifests:
        if manifest.path == diagnostic.path and manifest.dialect.id == diagnostic.dialect:
            return manifest.document
    return None


def apply_fixes(analysis: Analysis, unsafe: bool = False) -> Fixed:
    """Apply the first fix of each diagnostic that may be applied, those that overlap left out.

    A fix that was left out is found again when the result is analysed anew.
    """
    from skillstudio.text.edit import EditRefused, apply

    fixed = Fixed()
    taken: dict[str, list[Splice]] = {}
    for diagnostic in analysis.diagnostics:
        fix = next((each for each in diagnostic.fixes if each.safe or unsafe), None)
        if fix is None:
            continue
        try:
            splices = fix_edits(analysis, diagnostic, fix)
        except EditRefused:
            continue
        before = taken.setdefault(diagnostic.path, [])
        if any(_touch(new, old) for new in splices for old in before):
            continue
        before += splices
        fixed.created += [edit for edit in fix.edits if isinstance(edit, CreateFile)]
        fixed.renamed += [edit for edit in fix.edits if isinstance(edit, RenameFile)]
        fixed.applied.append((diagnostic, fix))
    for path, splices in taken.items():
        source = analysis.source(path)
        if splices and source is not None:
            fixed.texts[path] = apply(source.text, sorted(splices))
    return fixed


def _touch(one: Splice, other: Splice) -> bool:
    return one.start <= other.end and other.start <= one.end
