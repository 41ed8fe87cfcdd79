"""Code actions: fixes of problems, all safe fixes, and comments that ignore a rule."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lsprotocol import types

from skillstudio.files.paths import make_relative
from skillstudio.files.tree import Overlay
from skillstudio.lsp.changes import offer_waivers
from skillstudio.lsp.documents import OpenDocument
from skillstudio.lsp.edits import (
    EditSupport,
    document_edit,
    find_replacement,
    settings_edit,
    workspace_edit,
)
from skillstudio.lsp.reports import report
from skillstudio.lsp.skills import SkillPlace, Skills, check_settings
from skillstudio.manifest.rulebook import UNCHECKED_RULES
from skillstudio.manifest.suppress import MARKDOWN
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.fixing import apply_fixes, fix_edits
from skillstudio.text.diagnostic import CreateFile, Diagnostic, RenameFile, Splice
from skillstudio.text.edit import EditRefused, resolve_edits
from skillstudio.text.edit import apply as apply_splices
from skillstudio.text.reading import read
from skillstudio.text.safe import safe_text
from skillstudio.text.source import BOM, Source, Span

FIX_ALL = "source.fixAll.skillstudio"
KINDS: tuple[types.CodeActionKind | str, ...] = (types.CodeActionKind.QuickFix, FIX_ALL)
_ROUNDS = 10  # Fixes that touch one another are applied one after the other.
_MOST_IGNORED = 5  # Problems for which a comment is tried, each with an analysis of its own.
_MARKDOWN_COMMENT = re.compile(r"<!--\s*skillstudio:\s*ignore\[[^\]\n]*(?=\])")
_COMMENT = re.compile(r"#\s*skillstudio:\s*ignore\[[^\]\n]*(?=\])")


def actions(
    place: SkillPlace, params: types.CodeActionParams, support: EditSupport, skills: Skills
) -> list[types.CodeAction]:
    """The code actions for a range of a document, fixes first."""
    analysis = place.check.analysis
    if analysis is None:
        return []
    code_actions: list[types.CodeAction] = []
    problems = [
        (diagnostic, report(diagnostic, place.text))
        for diagnostic in _find_problems(place, analysis, params)
    ]
    if _is_asked(params, types.CodeActionKind.QuickFix):
        for diagnostic, editor_diagnostic in problems:
            code_actions += _fixes(place, analysis, diagnostic, editor_diagnostic, support)
        code_actions += _offer_ignores(place, analysis, problems, support, skills)
        code_actions += offer_waivers(place, params, support, skills)
    if _is_asked(params, FIX_ALL):
        code_actions += _fix_all(place, analysis, support)
    return code_actions


def settings_actions(
    document: OpenDocument, params: types.CodeActionParams, support: EditSupport
) -> Iterator[types.CodeAction]:
    """The fixes of problems of a file with settings."""
    if not _is_asked(params, types.CodeActionKind.QuickFix):
        return
    text = document.text
    span = text.span(params.range)
    if span.start == span.end:
        span = text.line(params.range.start.line)
    settings = read(Source(text.text, document.path), "toml", Span(0, len(text.text)))
    for diagnostic in check_settings(text.text, document.path):
        start, end = diagnostic.span or (0, 0)
        if end < span.start or span.end < start:
            continue
        for fix in diagnostic.fixes:
            try:
                splices = resolve_edits(settings, fix.edits)
            except EditRefused:
                continue
            edits = [
                types.TextEdit(text.range(Span(splice.start, splice.end)), splice.text)
                for splice in splices
            ]
            yield types.CodeAction(
                safe_text(fix.title),
                types.CodeActionKind.QuickFix,
                [report(diagnostic, text)],
                edit=document_edit(document, edits, support),
            )


def _is_asked(params: types.CodeActionParams, kind: str) -> bool:
    only = params.context.only
    return only is None or any(kind == prefix or kind.startswith(f"{prefix}.") for prefix in only)


def _find_problems(
    place: SkillPlace, analysis: Analysis, params: types.CodeActionParams
) -> Iterator[Diagnostic]:
    """The problems that touch the range, or a cursor's line, or that the editor names."""
    start, end = place.text.span(params.range)
    if start == end:
        line = params.range.start.line
        start, end = place.text.line(line)
    named_keys = {
        (diagnostic.code, str(diagnostic.range)) for diagnostic in params.context.diagnostics
    }
    for diagnostic in analysis.diagnostics:
        if diagnostic.path == place.inside:
            span = diagnostic.span or (0, 0)
            touches = span[0] <= end and start <= span[1]
            if touches or (diagnostic.rule, str(place.text.range(diagnostic.span))) in named_keys:
                yield diagnostic


def _fixes(
    place: SkillPlace,
    analysis: Analysis,
    diagnostic: Diagnostic,
    editor_diagnostic: types.Diagnostic,
    support: EditSupport,
) -> Iterator[types.CodeAction]:
    for number, fix in enumerate(diagnostic.fixes):
        try:
            splices = fix_edits(analysis, diagnostic, fix)
        except EditRefused:
            continue
        files = [
            file_edit for file_edit in fix.edits if isinstance(file_edit, CreateFile | RenameFile)
        ]
        edit = workspace_edit(
            place.check, place.documents, support,
            {diagnostic.path: splices} if splices else {}, files,
        )  # fmt: skip
        if edit is not None and (splices or files):
            yield types.CodeAction(
                safe_text(fix.title), types.CodeActionKind.QuickFix, [editor_diagnostic],
                is_preferred=fix.safe and number == 0, edit=edit,
            )  # fmt: skip


def _fix_all(
    place: SkillPlace, analysis: Analysis, support: EditSupport
) -> Iterator[types.CodeAction]:
    """One action with every safe fix of the skill, applied until none is left."""
    if not any(fix.safe for diagnostic in analysis.diagnostics for fix in diagnostic.fixes):
        return
    texts: dict[str, str] = {}
    files: list[CreateFile | RenameFile] = []
    after = analysis
    for _ in range(_ROUNDS):
        result = apply_fixes(after)
        new = {path: text for path, text in result.texts.items() if texts.get(path) != text}
        files += [file for file in result.created_files if support.creates and file not in files]
        if not new:
            break
        texts |= new
        data = {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
        after = analyse(Overlay(analysis.skill.tree, data), analysis.skill.settings)
    splices: dict[str, Sequence[Splice]] = {}
    for path, text in texts.items():
        source = analysis.source(path)
        old = place.documents.text_of(place.check.path(path), source)
        if old.hidden_count and not text.startswith(BOM):
            text = BOM + text  # The mark is not in the editor's text, so no edit can remove it.
        splices[path] = find_replacement(old, text)
    edit = workspace_edit(place.check, place.documents, support, splices, files)
    if edit is not None and (splices or files):
        yield types.CodeAction("Apply all safe fixes of skillstudio", FIX_ALL, edit=edit)


def _offer_ignores(
    place: SkillPlace,
    analysis: Analysis,
    problems: Sequence[tuple[Diagnostic, types.Diagnostic]],
    support: EditSupport,
    skills: Skills,
) -> Iterator[types.CodeAction]:
    """A comment for each rule, if it removes the problem and adds none."""
    tried_keys: set[tuple[str, int]] = set()
    for diagnostic, editor_diagnostic in problems:
        key = diagnostic.rule, editor_diagnostic.range.start.line
        if key in tried_keys or len(tried_keys) == _MOST_IGNORED:
            continue
        tried_keys.add(key)
        splice = _comment(analysis, diagnostic)
        if splice is not None and _is_effective(analysis, diagnostic, splice):
            title = f"Ignore {diagnostic.rule} here"
            splices = {diagnostic.path: [splice]}
            edit = workspace_edit(place.check, place.documents, support, splices)
        else:
            title = f"Ignore {diagnostic.rule} in this file, in the settings"
            edit = _ignore_in_settings(place, diagnostic, support, skills)
        if edit is not None:
            yield types.CodeAction(
                title, types.CodeActionKind.QuickFix, [editor_diagnostic], edit=edit
            )


def _ignore_in_settings(
    place: SkillPlace, diagnostic: Diagnostic, support: EditSupport, skills: Skills
) -> types.WorkspaceEdit | None:
    """An entry in the settings, for files without comments and rules of security."""
    settings = skills.settings_file(place.check.folder, place.documents)
    path = make_relative(place.check.path(diagnostic.path), settings.base).replace(os.sep, "/")
    if (
        diagnostic.rule in UNCHECKED_RULES
        or diagnostic.rule == "ignore-unused"
        or any(character in path for character in "*?[")  # The path is a glob.
    ):
        return None
    try:
        entry = {"rule": diagnostic.rule, "path": path}
        return settings_edit(place, support, settings.path, "ignore", entry)
    except EditRefused:
        return None


def _comment(analysis: Analysis, diagnostic: Diagnostic) -> Splice | None:
    """A comment on the line above, or the rule in an existing comment; in the body of a Markdown
    file, a comment at the end of the line."""
    span = diagnostic.span
    if span is None or diagnostic.rule == "ignore-unused":
        return None
    markdown = analysis.source(diagnostic.path)
    in_manifest = any(
        manifest.path == diagnostic.path
        and manifest.document.span.start <= span.start <= manifest.document.span.end
        for manifest in analysis.manifests
    )
    if markdown is not None and not in_manifest and diagnostic.path.endswith(MARKDOWN):
        number = markdown.line_at(span.start)
        line = markdown.line(number).rstrip("\r\n")
        start = markdown.line_starts[number - 1]
        if match := _MARKDOWN_COMMENT.search(line):
            return Splice(start + match.end(), start + match.end(), f", {diagnostic.rule}")
        end = start + len(line)
        return Splice(end, end, f" <!-- skillstudio: ignore[{diagnostic.rule}] -->")
    for manifest in analysis.manifests:
        document = manifest.document
        if manifest.path != diagnostic.path or document.syntax == "json":
            continue
        if not document.span.start <= span.start <= document.span.end:
            continue
        source = document.source
        number = source.line_at(span.start)
        start = source.line_starts[number - 1]
        line = source.line(number)
        if match := _COMMENT.search(line):
            return Splice(start + match.end(), start + match.end(), f", {diagnostic.rule}")
        if number > 1 and source.line(number - 1).strip().startswith("#"):
            before = source.line_starts[number - 2]
            if match := _COMMENT.search(source.line(number - 1)):
                return Splice(before + match.end(), before + match.end(), f", {diagnostic.rule}")
        if start < document.span.start:
            return None
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        text = f"{indent}# skillstudio: ignore[{diagnostic.rule}]{source.newline}"
        return Splice(start, start, text)
    return None


def _is_effective(analysis: Analysis, diagnostic: Diagnostic, splice: Splice) -> bool:
    source = analysis.source(diagnostic.path)
    if source is None:
        return False
    text = apply_splices(source.text, [splice])
    data = {diagnostic.path: text.encode("utf-8", "surrogatepass")}
    after = analyse(Overlay(analysis.skill.tree, data), analysis.skill.settings)
    before_, after_ = (
        Counter((problem.rule, problem.path, problem.message) for problem in result.diagnostics)
        for result in (analysis, after)
    )
    return not after_ - before_ and bool(before_ - after_)
