"""Compute the new texts of fixes; nothing is written."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skillstudio.files.tree import Overlay
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import TOO_LARGE, locate
from skillstudio.manifest.targets import OUTCOMES, judge
from skillstudio.skill.analysis import Analysis
from skillstudio.text.diagnostic import CreateFile, Diagnostic, Edit, Fix, RenameFile, Splice
from skillstudio.text.node import Document, split_pointer

_FEWEST_LOOKS = 2  # Minimum number of times that any skill is read again to find harmless fixes.


_Places = set[tuple[str, ...]]  # The tokens of some pointers.


@dataclass
class Fixed:
    """The result of some fixes."""

    texts: dict[str, str] = field(default_factory=dict)
    created_files: list[CreateFile] = field(default_factory=list)
    renamed_files: list[RenameFile] = field(default_factory=list)
    applied_fixes: list[tuple[Diagnostic, Fix]] = field(default_factory=list)
    read: int = 0  # Characters of documents that were read again to apply fixes.


class _Proposal(NamedTuple):
    diagnostic: Diagnostic
    fix: Fix
    splices: list[Splice]
    read: int  # Characters of its document that were read again.


def fix_edits(analysis: Analysis, diagnostic: Diagnostic, fix: Fix) -> list[Splice]:
    """The splices of one fix. Raises `text.edit.EditRefused` if it has another effect."""
    document = document_of(analysis, diagnostic)
    edits: list[Edit] = [
        edit for edit in fix.edits if not isinstance(edit, CreateFile | RenameFile)
    ]
    splices = [edit for edit in edits if isinstance(edit, Splice)]
    if len(splices) == len(edits):
        return splices
    if document is None:
        return []
    from skillstudio.text.edit import resolve_edits

    return resolve_edits(document, edits)


def document_of(analysis: Analysis, diagnostic: Diagnostic) -> Document | None:
    """The document that a diagnostic's pointer refers to."""
    for manifest in analysis.manifests:
        if manifest.path == diagnostic.path and manifest.dialect.id == diagnostic.dialect:
            return manifest.document
    return None


def apply_fixes(analysis: Analysis, unsafe: bool = False, dialect: str | None = None) -> Fixed:
    """Apply the first applicable fix of each diagnostic, without overlapping ones.

    An omitted fix is found again when the result is analyzed. Without `unsafe`, fixes that are not
    `harmless` are omitted too. `dialect` is the one used by the analysis.
    """
    proposals = list(_proposals(analysis, unsafe))
    read = sum(proposal.read for proposal in proposals)
    if not unsafe:
        proposals = _harmless_ones(analysis, dialect, proposals)
    result = Fixed(_texts(analysis, proposals), read=read)
    for diagnostic, fix, *_ in proposals:
        result.created_files += [edit for edit in fix.edits if isinstance(edit, CreateFile)]
        result.renamed_files += [edit for edit in fix.edits if isinstance(edit, RenameFile)]
        result.applied_fixes.append((diagnostic, fix))
    return result


def harmless(before: Skill, after: Skill, faults: Iterable[Diagnostic]) -> bool:
    """Whether fixes preserve everything that a safe fix must preserve.

    The dialects and all values except those with problems stay the same, and no target that
    accepted the skill rejects it.
    """
    names, new_names = (
        [(manifest.path, manifest.part, manifest.dialect.id) for manifest in skill.manifests]
        for skill in (before, after)
    )
    if names != new_names:
        return False
    places = _places_at_fault(before, faults)
    pairs = zip(before.manifests, after.manifests, places, strict=True)
    # Several manifests may share one document.
    documents = {
        (id(old.document), id(new.document)): (old.document, new.document, left_out)
        for old, new, left_out in pairs
    }
    if any(
        _without(old, ignored_places) != _without(new, ignored_places)
        for old, new, ignored_places in documents.values()
    ):
        return False
    return collect_outcomes(before) <= collect_outcomes(after)


def collect_outcomes(skill: Skill) -> set[tuple[str, str]]:
    """Each target with its outcome and all worse ones."""
    return {
        (id, outcome)
        for id, verdict in judge(skill).items()
        for outcome in OUTCOMES[: OUTCOMES.index(verdict.outcome) + 1]
    }


def _proposals(analysis: Analysis, unsafe: bool) -> Iterable[_Proposal]:
    from skillstudio.text.edit import MOST_READ, EditRefused

    taken_spans: dict[str, _Taken] = {}
    work = 0
    for diagnostic in analysis.diagnostics:
        for fix in diagnostic.fixes:
            if fix.safe or unsafe:
                break
        else:
            continue
        cost = 0
        splices = [edit for edit in fix.edits if isinstance(edit, Splice)]
        if len(splices) < len(fix.edits):
            # Each of these reads its document again.
            document = document_of(analysis, diagnostic)
            cost = document.span.end - document.span.start if document is not None else 0
            if work and work + cost > MOST_READ:
                # It is found and tried again when the result is analyzed.
                continue
            work += cost
            try:
                splices = fix_edits(analysis, diagnostic, fix)
            except EditRefused:
                continue
        before = taken_spans.get(diagnostic.path)
        if before is None:
            before = taken_spans[diagnostic.path] = _Taken(_room(analysis, diagnostic.path))
        if before.add(splices):
            yield _Proposal(diagnostic, fix, splices, cost)


def _room(analysis: Analysis, path: str) -> int:
    """How many bytes a file may grow and still be readable."""
    source = analysis.source(path)
    size = len(source.text.encode("utf-8", "surrogatepass")) if source is not None else 0
    return TOO_LARGE - size


def _harmless_ones(
    analysis: Analysis, dialect: str | None, proposals: list[_Proposal]
) -> list[_Proposal]:
    """The proposals that are harmless together: all of them, else found by bisection.

    Each attempt reads the skill again; after too many attempts the rest is omitted.
    """
    from skillstudio.text.edit import MOST_READ

    size = sum(len(manifest.document.source.text) for manifest in analysis.manifests)
    looks = max(_FEWEST_LOOKS, MOST_READ // max(1, size))
    kept_proposals: list[_Proposal] = []
    pending_groups = [proposals]
    while pending_groups and looks:
        group = pending_groups.pop()
        looks -= 1
        if not group or _is_harmless(analysis, dialect, [*kept_proposals, *group]):
            kept_proposals += group
        elif len(group) > 1:
            half = len(group) // 2
            pending_groups += [group[half:], group[:half]]
    return kept_proposals


def _is_harmless(analysis: Analysis, dialect: str | None, proposals: list[_Proposal]) -> bool:
    texts = _texts(analysis, proposals)
    skill = analysis.skill
    data = {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
    after = locate(Overlay(skill.tree, data), skill.settings, dialect).skill
    return harmless(skill, after, (proposal.diagnostic for proposal in proposals))


def _texts(analysis: Analysis, proposals: Iterable[_Proposal]) -> dict[str, str]:
    from skillstudio.text.edit import apply

    splices: dict[str, list[Splice]] = {}
    for proposal in proposals:
        splices.setdefault(proposal.diagnostic.path, []).extend(proposal.splices)
    sources = {path: analysis.source(path) for path in splices}
    return {
        path: apply(source.text, sorted(splices[path]))
        for path, source in sources.items()
        if source is not None and splices[path]
    }


def _places_at_fault(skill: Skill, faults: Iterable[Diagnostic]) -> list[_Places]:
    """The places with problems in each manifest; equal for manifests of one document."""
    documents = {
        (manifest.path, manifest.dialect.id): id(manifest.document) for manifest in skill.manifests
    }
    fault_places: dict[int, _Places] = {}
    for fault in faults:
        document = documents.get((fault.path, fault.dialect))
        if document is not None and fault.pointer:
            fault_places.setdefault(document, set()).add(tuple(split_pointer(fault.pointer)))
    return [fault_places.get(id(manifest.document), set()) for manifest in skill.manifests]


def _without(document: Document, places: _Places) -> str:
    """The value of a document without some places.

    As a text, so that `1`, `1.0` and `true` differ and not-a-number equals itself.
    """
    return repr(_left_out(document.value, places))


def _left_out(value: Any, places: _Places) -> Any:
    """A value without some places, and without mappings that become empty."""
    # Several tokens may be joined in one key, as in `{a.b: 1}`.
    here = {".".join(tokens) for tokens in places}
    below: dict[str, _Places] = {}
    for first, *rest in places:
        if rest:
            below.setdefault(first, set()).add(tuple(rest))
    if isinstance(value, dict) and places:
        remainder = {
            key: _left_out(part, below[key]) if key in below else part
            for key, part in value.items()
            if key not in here
        }
        return {key: part for key, part in remainder.items() if key not in below or part != {}}
    if isinstance(value, list) and places:
        return [
            None if str(index) in here else _left_out(part, below.get(str(index), set()))
            for index, part in enumerate(value)
        ]
    return value


class _Taken:
    """The splices of one file in the order of its text; those of different fixes do not touch."""

    def __init__(self, room: int) -> None:
        self.splices: list[Splice] = []
        self.room = room
        """How many bytes the file may still grow; a removed character counts as one."""

    def add(self, splices: list[Splice]) -> bool:
        """Add the splices of a fix, unless one touches an earlier one or the file grows too far."""
        room = self.room
        for start, end, text in splices:
            room -= len(text.encode("utf-8", "surrogatepass")) - (end - start)
        if room < 0 or any(map(self._touches, splices)):
            return False
        self.room = room
        for splice in splices:
            if not self.splices or self.splices[-1] <= splice:
                self.splices.append(splice)
            else:
                insort(self.splices, splice)
        return True

    def _touches(self, splice: Splice) -> bool:
        """Whether a splice overlaps an earlier one or starts where that ends."""
        if not self.splices or self.splices[-1].end < splice.start:
            return False
        at = bisect_right(self.splices, splice.end, key=lambda other: other.start)
        # Splices of one fix may have the same place: earlier ones end no later.
        return at > 0 and self.splices[at - 1].end >= splice.start
