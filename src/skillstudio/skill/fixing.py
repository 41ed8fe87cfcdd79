"""Turn the fixes of diagnostics into new texts. Nothing is written here."""

from __future__ import annotations

from bisect import bisect_right, insort
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
    left: int = 0
    """How many fixes were not tried because the document is too long for so many of them."""


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
    from skillstudio.text.edit import MOST_READ, EditRefused, apply

    fixed = Fixed()
    taken: dict[str, _Taken] = {}
    work = 0
    for diagnostic in analysis.diagnostics:
        fix = next((each for each in diagnostic.fixes if each.safe or unsafe), None)
        if fix is None:
            continue
        if not all(isinstance(edit, Splice) for edit in fix.edits):
            # Each of these reads its document again.
            document = document_of(analysis, diagnostic)
            cost = document.span.end - document.span.start if document is not None else 0
            if work and work + cost > MOST_READ:
                fixed.left += 1
                continue
            work += cost
        try:
            splices = fix_edits(analysis, diagnostic, fix)
        except EditRefused:
            continue
        before = taken.setdefault(diagnostic.path, _Taken())
        if any(before.touches(splice) for splice in splices):
            continue
        before.add(splices)
        fixed.created += [edit for edit in fix.edits if isinstance(edit, CreateFile)]
        fixed.renamed += [edit for edit in fix.edits if isinstance(edit, RenameFile)]
        fixed.applied.append((diagnostic, fix))
    for path, places in taken.items():
        source = analysis.source(path)
        if places.splices and source is not None:
            fixed.texts[path] = apply(source.text, places.splices)
    return fixed


class _Taken:
    """The splices of one file in the order of its text; those of two fixes do not touch."""

    def __init__(self) -> None:
        self.splices: list[Splice] = []

    def touches(self, splice: Splice) -> bool:
        """Whether a splice overlaps one that is there, or begins where that ends."""
        at = bisect_right(self.splices, splice.end, key=lambda each: each.start)
        # Splices of one fix may lie at one place: those before it end no later than it does.
        return at > 0 and self.splices[at - 1].end >= splice.start

    def add(self, splices: list[Splice]) -> None:
        for splice in splices:
            insort(self.splices, splice)
