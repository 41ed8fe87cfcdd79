"""Reject a source that cannot be read completely: unread values would be lost silently."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.locate import LocateResult
from skillstudio.manifest.registry import rules_of
from skillstudio.manifest.rulebook import severity_of
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Fault, Mapping, resolve
from skillstudio.text.source import Source, Span

_WHOLE = (
    *("frontmatter-unclosed", "file-not-utf8", "file-unreadable", "file-too-large"),
    "path-link-outside",
)
"""Rules for files that, if violated, leave all or a part of a manifest unread."""

_MOST = 20  # Faults listed in an error.
_LONGEST = 400


class SourceUnusable(Exception):
    """A source with errors that prevent reading it."""

    def __init__(self, action: str, faults: list[str], total: int) -> None:
        super().__init__(f"fix this before the skill can be {action}")
        self.faults = faults  # The first, as `path:line:column: message`, relative to the skill.
        self.total = total

    def under(self, folder: str = "") -> str:
        """List the first faults with paths below `folder`, then the reason."""
        above = f"{folder}/" if folder else ""
        lines = [f"{above}{fault[:_LONGEST]}" for fault in self.faults]
        hidden_count = self.total - len(lines)
        check = f"skillstudio check {folder or 'PATH'} --all"
        hint_lines = [f"… {hidden_count:,} more; {check} lists them"] if hidden_count > 0 else []
        return "\n".join([*lines, *hint_lines, str(self)])


def refuse_unusable(located_skill: LocateResult, action: str) -> None:
    """Raise SourceUnusable for a manifest that does not parse or has no known version."""
    skill = located_skill.skill
    diagnostics = [
        diagnostic for diagnostic in located_skill.diagnostics if diagnostic.rule in _WHOLE
    ]
    faults: dict[Fault, str] = {}  # With the path; dialects that share a document share its faults.
    for manifest in skill.manifests:
        document, folder = manifest.document, manifest.dialect.folder
        errors = {fault.rule for fault in document.faults}
        errors = {rule for rule in errors if severity_of(rule, folder) == "error"}
        faults.update((fault, manifest.path) for fault in document.faults if fault.rule in errors)
        diagnostics += _unknown(manifest, skill)
    total = len(diagnostics := list(dict.fromkeys(diagnostics))) + len(faults)
    for fault, path in islice(faults.items(), _MOST):
        diagnostics.append(Diagnostic("", fault.message, Span(fault.start, fault.end), path=path))
    if diagnostics:
        messages = [
            _render_diagnostic(diagnostic, skill.source(diagnostic.path))
            for diagnostic in diagnostics[:_MOST]
        ]
        raise SourceUnusable(action, messages, total)


def _unknown(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """The errors that leave unknown what a manifest without faults says."""
    document, folder = manifest.document, manifest.dialect.folder
    if not isinstance(resolve(document.root), Mapping) and not document.faults:
        message = "the manifest is not a mapping of keys to values"
        yield Diagnostic("", message, document.opening_line, path=manifest.path)
    rules = rules_of(manifest.dialect)
    if manifest.part == "manifest" and hasattr(rules, "gate"):
        for diagnostic in rules.gate(manifest, skill):
            if severity_of(diagnostic.rule, folder) == "error":
                yield diagnostic._replace(path=manifest.path)


def _render_diagnostic(diagnostic: Diagnostic, source: Source | None) -> str:
    line, column = source.position(diagnostic.span.start) if source and diagnostic.span else (1, 1)
    return f"{diagnostic.path}:{line}:{column}: {diagnostic.message}"
