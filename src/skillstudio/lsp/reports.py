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
    found: dict[str, list[types.Diagnostic]] = {}
    if check.analysis is None:
        trouble = types.Diagnostic(
            types.Range(types.Position(0, 0), types.Position(0, 0)),
            safe_text(f"the skill cannot be checked: {check.trouble}"),
            severity=types.DiagnosticSeverity.Error, source=SOURCE,
        )  # fmt: skip
        return {path: [trouble] for path in documents.below(check.folder)}
    texts: dict[str, EditorText] = {}
    omitted: Counter[str] = Counter()
    main = next((manifest.path for manifest in check.analysis.manifests), "")
    for diagnostic in check.analysis.diagnostics:
        inside = diagnostic.path or main
        path = check.path(inside) if inside else check.folder
        if path not in texts:
            texts[path] = documents.text_of(path, check.analysis.source(inside))
        items = found.setdefault(path, [])
        omitted[path] += len(items) >= MOST
        if len(items) < MOST:
            items.append(report(diagnostic, texts[path], check, documents))
    for path, number in omitted.items():
        if number:
            message = f"… {count(number, 'more problem')}; skillstudio check prints all"
            last = found[path][-1]
            severity = types.DiagnosticSeverity.Information
            found[path].append(types.Diagnostic(last.range, message, severity, source=SOURCE))
    return found


def report(
    each: Diagnostic,
    text: EditorText,
    check: SkillCheck | None = None,
    documents: Documents | None = None,
) -> types.Diagnostic:
    """One problem in the text of its file."""
    related = list(_related(each, text, check, documents)) if check and documents else []
    tag = _TAGS.get(each.rule)
    home = docs_address()
    return types.Diagnostic(
        text.range(each.span),
        safe_text(each.message),
        severity=_SEVERITIES[each.severity or severity_of(each.rule)],
        code=each.rule,
        code_description=types.CodeDescription(f"{home}/{rule_page(each.rule)}") if home else None,
        source=SOURCE,
        tags=[tag] if tag else None,
        related_information=related or None,
    )


def _related(
    each: Diagnostic, text: EditorText, check: SkillCheck, documents: Documents
) -> Iterable[types.DiagnosticRelatedInformation]:
    """The first of two equal keys, and the places that disagree in other files."""
    analysis = check.analysis
    if analysis is None or each.span is None:
        return
    from skillstudio.text.node import Mapping, resolve

    for manifest in analysis.manifests:
        path = check.path(manifest.path)
        if each.rule == "key-duplicate" and manifest.path == each.path:
            node = resolve(manifest.document.at(each.pointer.rpartition("/")[0]))
            entries = node.entries if isinstance(node, Mapping) else ()
            name = next((entry.name for entry in entries if entry.key.span == each.span), "")
            entry = next((entry for entry in entries if entry.name == name), None)
            if entry is not None and entry.key.span != each.span:
                place = types.Location(documents.uri(path), text.range(entry.key.span))
                yield types.DiagnosticRelatedInformation(place, "the first of the two")
                return
        elif each.rule.endswith("-disagrees") and manifest.dialect.id != each.dialect:
            at = manifest.place_of(each.rule.removesuffix("-disagrees"))
            value = manifest.document.at(at) if at else None
            if value is not None and (manifest.path, value.span) != (each.path, each.span):
                other = documents.text_of(path, analysis.source(manifest.path))
                place = types.Location(documents.uri(path), other.range(value.span))
                yield types.DiagnosticRelatedInformation(place, f"in {manifest.dialect.id}")
