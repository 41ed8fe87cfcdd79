"""Problems as diagnostics of the protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lsprotocol import types

from skillstudio.lsp.documents import EditorText
from skillstudio.lsp.skills import Documents, SkillCheck
from skillstudio.manifest.rulebook import severity_of
from skillstudio.present.lines import count
from skillstudio.resources import docs_address, rule_page
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.safe import safe_text

Diagnostics = list[types.Diagnostic]
SOURCE = "skillstudio"
MOST = 1_000  # Problems of one file; editors show no more.
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_TAGS = {
    "ignore-unused": types.DiagnosticTag.Unnecessary,
    "parameter-unused": types.DiagnosticTag.Unnecessary,
    "value-ignored": types.DiagnosticTag.Unnecessary,
    "version-top-level": types.DiagnosticTag.Deprecated,
}
"""How an editor shows the text of such a problem: faded, or struck out."""


def reports(check: SkillCheck, documents: Documents) -> dict[str, list[types.Diagnostic]]:
    """The problems of a skill by the path of their file on disk."""
    by_path: dict[str, list[types.Diagnostic]] = {}
    if check.analysis is None:
        trouble = types.Diagnostic(
            types.Range(types.Position(0, 0), types.Position(0, 0)),
            safe_text(f"the skill cannot be checked: {check.trouble}"),
            severity=types.DiagnosticSeverity.Error, source=SOURCE,
        )  # fmt: skip
        return {path: [trouble] for path in documents.below(check.folder)}
    texts: dict[str, EditorText] = {}
    omitted_counts: Counter[str] = Counter()
    main = next((manifest.path for manifest in check.analysis.manifests), "")
    for diagnostic in check.analysis.diagnostics:
        inside = diagnostic.path or main
        path = check.path(inside) if inside else check.folder
        if path not in texts:
            texts[path] = documents.text_of(path, check.analysis.source(inside))
        items = by_path.setdefault(path, [])
        omitted_counts[path] += len(items) >= MOST
        if len(items) < MOST:
            items.append(report(diagnostic, texts[path], check, documents))
    for path, number in omitted_counts.items():
        if number:
            message = f"… {count(number, 'more problem')}; skillstudio check prints all"
            last = by_path[path][-1]
            severity = types.DiagnosticSeverity.Information
            by_path[path].append(types.Diagnostic(last.range, message, severity, source=SOURCE))
    return by_path


def report(
    diagnostic: Diagnostic,
    text: EditorText,
    check: SkillCheck | None = None,
    documents: Documents | None = None,
) -> types.Diagnostic:
    """One problem in the text of its file."""
    related_places = (
        list(_find_related(diagnostic, text, check, documents)) if check and documents else []
    )
    tag = _TAGS.get(diagnostic.rule)
    home = docs_address()
    return types.Diagnostic(
        text.range(diagnostic.span),
        safe_text(diagnostic.message),
        severity=_SEVERITIES[diagnostic.severity or severity_of(diagnostic.rule)],
        code=diagnostic.rule,
        code_description=types.CodeDescription(f"{home}/{rule_page(diagnostic.rule)}")
        if home
        else None,
        source=SOURCE,
        tags=[tag] if tag else None,
        related_information=related_places or None,
    )


def _find_related(
    diagnostic: Diagnostic, text: EditorText, check: SkillCheck, documents: Documents
) -> Iterable[types.DiagnosticRelatedInformation]:
    """The first of two equal keys, and the places that disagree in other files."""
    analysis = check.analysis
    if analysis is None or diagnostic.span is None:
        return
    from skillstudio.text.node import Mapping, resolve

    for manifest in analysis.manifests:
        path = check.path(manifest.path)
        if diagnostic.rule == "key-duplicate" and manifest.path == diagnostic.path:
            node = resolve(manifest.document.at(diagnostic.pointer.rpartition("/")[0]))
            entries = node.entries if isinstance(node, Mapping) else ()
            name = next((entry.name for entry in entries if entry.key.span == diagnostic.span), "")
            entry = next((entry for entry in entries if entry.name == name), None)
            if entry is not None and entry.key.span != diagnostic.span:
                place = types.Location(documents.uri(path), text.range(entry.key.span))
                yield types.DiagnosticRelatedInformation(place, "the first of the two")
                return
        elif diagnostic.rule.endswith("-disagrees") and manifest.dialect.id != diagnostic.dialect:
            at = manifest.place_of(diagnostic.rule.removesuffix("-disagrees"))
            value = manifest.document.at(at) if at else None
            if value is not None and (manifest.path, value.span) != (
                diagnostic.path,
                diagnostic.span,
            ):
                other = documents.text_of(path, analysis.source(manifest.path))
                place = types.Location(documents.uri(path), other.range(value.span))
                yield types.DiagnosticRelatedInformation(place, f"in {manifest.dialect.id}")
