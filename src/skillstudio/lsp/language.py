"""Hover and completion."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

from skillstudio.dryrun.sampling.sample import FOLDER
from skillstudio.files.listed import MemoryTree
from skillstudio.lsp.documents import EditorText, OpenDocument
from skillstudio.lsp.skills import SkillPlace
from skillstudio.manifest.completion import Completion, complete_in
from skillstudio.manifest.focus import Focus, focus_at
from skillstudio.manifest.hover import Hover, hover_in
from skillstudio.manifest.rulebook import Rule, all_rules
from skillstudio.manifest.settings_focus import settings_focus
from skillstudio.manifest.targets import OUTCOMES, render_reason
from skillstudio.skill.outcomes import NOT_FOUND
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Span

TRIGGERS = ("{", ":", " ", "-", '"', "/", "[")
_KINDS = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "input": types.CompletionItemKind.Variable,
    "path": types.CompletionItemKind.File,
}
_OF_SNIPPETS = re.compile(r"[\\$}]")
_MOST_PROBLEMS = 5


def hover_at(place: SkillPlace, position: types.Position, markdown: bool) -> types.Hover | None:
    """The description of the key or value at a position, and the rules of its problems."""
    analysis = place.check.analysis
    if analysis is None:
        return None
    text = place.text
    offset = text.offset(position)
    focus = _focus(place, offset)
    description = hover_in(focus, offset, analysis.skill.settings.targets) if focus else None
    parts, span = [], description.span if description else None
    if description:
        is_by_author = place.inside.startswith(f"{FOLDER}/")
        parts.append(_describe(description, markdown, is_by_author))
    rules = all_rules()
    at = [
        diagnostic
        for diagnostic in analysis.diagnostics
        if diagnostic.path == place.inside
        and diagnostic.span
        and diagnostic.span.start <= offset <= diagnostic.span.end
    ]
    for diagnostic in at[:_MOST_PROBLEMS]:
        if diagnostic.rule in rules:
            parts.append(_rule(rules[diagnostic.rule], diagnostic, markdown))
            span = span or diagnostic.span
    parts += _outcomes(place, offset, markdown) if span else []
    if not parts:
        return None
    return _hover(parts, text.range(span), markdown)


def hover_settings(
    document: OpenDocument, position: types.Position, markdown: bool
) -> types.Hover | None:
    """The description of a setting, or of the rule that it names."""
    text = document.text
    focus = settings_focus(document.path, text.text)
    description = hover_in(focus, text.offset(position))
    if description is None:
        return None
    return _hover([_describe(description, markdown)], text.range(description.span), markdown)


def _focus(place: SkillPlace, offset: int) -> Focus | None:
    """The manifest or sample at an offset."""
    from skillstudio.dryrun.sampling.sample_focus import sample_focus

    analysis, text = place.check.analysis, place.text.text
    if analysis is None:
        return None
    focus = focus_at(analysis.skill, place.inside, text, offset)
    return focus or sample_focus(analysis.skill, place.inside, text)


def _describe(description: Hover, markdown: bool, is_by_author: bool = False) -> str:
    """The text of a hover; a sample is described by what the author of the skill wrote."""
    title, text = safe_text(description.title), safe_text(description.text)
    if markdown and is_by_author:
        text = _escape_markdown(text)
    return f"**{_code(title)}** {text}" if markdown else f"{title}: {text}"


def _hover(parts: list[str], range_: types.Range, markdown: bool) -> types.Hover:
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    between = "\n\n---\n\n" if markdown else "\n\n"
    return types.Hover(types.MarkupContent(kind, between.join(parts)), range_)


def _rule(rule: Rule, diagnostic: Diagnostic, markdown: bool) -> str:
    severity = diagnostic.severity or rule.severity
    if not markdown:
        return f"{rule.id} ({severity}): {rule.what} {rule.why}"
    lines = [f"**{_code(rule.id)}** {severity}: {rule.what} {rule.why}", f"Source: {rule.source}"]
    if rule.good:
        fence = "```" if "```" not in rule.good else "````"
        lines.append(f"{fence}\n{rule.good.strip()}\n{fence}")
    return "\n\n".join(lines)


def _outcomes(place: SkillPlace, offset: int, markdown: bool) -> list[str]:
    """What targets do with the skill because of this place."""
    analysis = place.check.analysis
    markdown_file = analysis.skill.markdown if analysis else None
    if analysis is None or markdown_file is None or markdown_file.source.path != place.inside:
        return []
    sentences = []
    for answer in analysis.targets.values():
        for reason in answer.reasons if answer.outcome != NOT_FOUND else ():
            if reason.span and reason.outcome != OUTCOMES[-1]:
                start, end = reason.span
                if start <= offset <= end:
                    sentences.append(f"{answer.title}: {safe_text(render_reason(reason))}")
    if not sentences:
        return []
    return [
        "\n".join(f"- {_escape_markdown(sentence)}" for sentence in sentences)
        if markdown
        else "\n".join(sentences)
    ]


def _code(text: str) -> str:
    return f"`{text.replace('`', chr(0x2019))}`"


def _escape_markdown(text: str) -> str:
    """A text without Markdown: it may quote what an author wrote."""
    return re.sub(r"([\\`*_{}\[\]<>()#!|~&])", r"\\\1", text)


def complete_document(
    place: SkillPlace, position: types.Position, snippets: bool
) -> types.CompletionList:
    """What can be inserted at a position, the best first."""
    analysis = place.check.analysis
    if analysis is None:
        return types.CompletionList(False, [])
    offset = place.text.offset(position)
    focus = _focus(place, offset)
    if focus is None:
        return types.CompletionList(False, [])
    completions = complete_in(focus, analysis.skill.tree, offset)
    return _completion_list(completions, place.text, position, snippets)


def complete_settings(
    document: OpenDocument, position: types.Position, snippets: bool
) -> types.CompletionList:
    """The keys, rules, targets and values of settings."""
    text = document.text
    focus = settings_focus(document.path, text.text)
    completions = complete_in(focus, MemoryTree({}, ""), text.offset(position))
    return _completion_list(completions, text, position, snippets)


def _completion_list(
    completions: Sequence[Completion], text: EditorText, position: types.Position, snippets: bool
) -> types.CompletionList:
    offset, items = text.offset(position), []
    for number, completion in enumerate(completions):
        range_ = text.range(Span(completion.start, completion.end))
        if range_.start.line == range_.end.line == position.line and completion.start <= offset:
            items.append(_item(completion, range_, number, snippets))
    return types.CompletionList(False, items)


def _item(
    completion: Completion, range_: types.Range, number: int, snippets: bool
) -> types.CompletionItem:
    is_snippet = snippets and 0 <= completion.cursor < len(completion.insert)
    insert = completion.insert
    if is_snippet:
        before, after = insert[: completion.cursor], insert[completion.cursor :]
        insert = f"{_plain(before)}$0{_plain(after)}"
    first = completion.insert.split("\n")[0]
    return types.CompletionItem(
        safe_text(completion.label),
        kind=_KINDS[completion.kind],
        detail=safe_text(completion.detail) or None,
        sort_text=f"{number:05}",
        # Editors compare this with the text that is replaced, which may have a quote.
        filter_text=None if first.startswith(completion.label) else first,
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else None,
        insert_text_mode=types.InsertTextMode.AsIs,
        text_edit=types.TextEdit(range_, insert),
    )


def _plain(text: str) -> str:
    """A text that a snippet inserts as it is."""
    return _OF_SNIPPETS.sub(r"\\\g<0>", text)
