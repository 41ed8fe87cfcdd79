"""Reject a source that cannot be read completely: unread values would be lost silently."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.locate import Located
from skillstudio.manifest.registry import rules_of
from skillstudio.manifest.rulebook import severity_of
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Mapping, resolve
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

    def __init__(self, doing: str, faults: list[str]) -> None:
        super().__init__(f"fix this before the skill can be {doing}")
        self.faults = faults  # `path:line:column: message`, paths relative to the skill.

    def under(self, folder: str = "") -> str:
        """List the first faults with paths below `folder`, then the reason."""
        above = f"{folder}/" if folder else ""
        shown = [f"{above}{fault[:_LONGEST]}" for fault in self.faults[:_MOST]]
        left = len(self.faults) - _MOST
        check = f"skillstudio check {folder or 'PATH'} --all"
        more = [f"… {left:,} more; {check} lists them"] if left > 0 else []
        return "\n".join([*shown, *more, str(self)])


def refuse_unusable(located: Located, doing: str) -> None:
    """Raise SourceUnusable for a manifest that does not parse or has no known version."""
    skill = located.skill
    found = [
        _said(each, skill.source(each.path)) for each in located.diagnostics if each.rule in _WHOLE
    ]
    for manifest in skill.manifests:
        found += [_said(each, manifest.document.source) for each in _of(manifest, skill)]
    if found:
        raise SourceUnusable(doing, list(dict.fromkeys(found)))


def _of(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """The errors that prevent reading one manifest."""
    document, folder = manifest.document, manifest.dialect.folder
    for fault in document.faults:
        if severity_of(fault.rule, folder) == "error":
            span = Span(fault.start, fault.end)
            yield Diagnostic(fault.rule, fault.message, span, path=manifest.path)
    if not isinstance(resolve(document.root), Mapping) and not document.faults:
        message = "the manifest is not a mapping of keys to values"
        yield Diagnostic("", message, document.opening, path=manifest.path)
    rules = rules_of(manifest.dialect)
    if manifest.part == "manifest" and hasattr(rules, "gate"):
        for each in rules.gate(manifest, skill):
            if severity_of(each.rule, folder) == "error":
                yield each._replace(path=manifest.path)


def _said(each: Diagnostic, source: Source | None) -> str:
    line, column = source.position(each.span.start) if source and each.span else (1, 1)
    return f"{each.path}:{line}:{column}: {each.message}"
