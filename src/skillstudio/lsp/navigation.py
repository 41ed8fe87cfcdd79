"""Places of a document: symbols, folds, links, and inputs with their uses."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

from lsprotocol import types

from skillstudio.lsp.documents import EditorText, uri_of
from skillstudio.lsp.edits import EditSupport, workspace_edit
from skillstudio.lsp.server import RequestRefused
from skillstudio.lsp.skills import SkillPlace
from skillstudio.manifest.outline import OutlineItem, outline
from skillstudio.manifest.rename import (
    InputPlace,
    RenameRefused,
    declared_inputs,
    input_places,
    operation_places,
    rename_input,
    rename_operation,
)
from skillstudio.skill.links import (
    file_links,
    keyed_spans,
    linking_files,
    moved_links,
    renamed_skill,
)
from skillstudio.text.edit import EditRefused
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, Span

_MOST_SYMBOLS = 5_000


class OutlineSection(NamedTuple):
    """A key or heading with the whole text below it."""

    item: OutlineItem
    span: Span
    is_heading: bool


def sections(place: SkillPlace) -> list[OutlineSection]:
    """The keys and headings of a document, in order."""
    analysis = place.check.analysis
    if analysis is None:
        return []
    text, path = place.text.text, place.inside
    bounds = keyed_spans(text, path)
    items = outline(analysis.skill, path, text)[:_MOST_SYMBOLS]
    outline_sections: list[OutlineSection] = []
    open_: list[tuple[OutlineItem, int, int, bool]] = []  # With its end so far, and its index.
    ends: list[int] = []
    for item in items:
        keyed_span = next((b for b in bounds if b.start <= item.offset < b.end), None)
        is_heading = keyed_span is None
        while open_ and _is_over(open_[-1], item, is_heading):
            last = open_.pop()
            ends[last[2]] = min(last[1], item.offset)
        open_.append(
            (item, len(text) if keyed_span is None else keyed_span.end, len(ends), is_heading)
        )
        ends.append(open_[-1][1])
        outline_sections.append(OutlineSection(item, Span(item.offset, 0), is_heading))
    return [
        section._replace(span=Span(section.item.offset, _trim_end(text, section.item.offset, end)))
        for section, end in zip(outline_sections, ends, strict=True)
    ]


def _is_over(open_: tuple[OutlineItem, int, int, bool], item: OutlineItem, heading: bool) -> bool:
    before, end, _, was_heading = open_
    if item.offset >= end:
        return True
    return was_heading == heading and item.level <= before.level


def _trim_end(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def symbols(place: SkillPlace) -> list[types.DocumentSymbol]:
    """The keys and headings as a tree."""
    roots: list[types.DocumentSymbol] = []
    above: list[tuple[int, list[types.DocumentSymbol]]] = []
    for section in sections(place):
        children: list[types.DocumentSymbol] = []
        while above and above[-1][0] <= section.span.start:
            above.pop()
        (above[-1][1] if above else roots).append(_symbol(section, place.text, children))
        above.append((section.span.end, children))
    return roots


def _symbol(
    section: OutlineSection, text: EditorText, children: list[types.DocumentSymbol]
) -> types.DocumentSymbol:
    start, end = section.span
    line = text.line(text.position(start).line)
    name = Span(start, min(max(start + len(section.item.name), start), line.end, max(end, start)))
    kind = types.SymbolKind.String if section.is_heading else types.SymbolKind.Property
    label = safe_text(section.item.name.strip()) or "(empty)"
    return types.DocumentSymbol(
        label, kind, text.range(section.span), text.range(name), children=children
    )


def flat_symbols(place: SkillPlace) -> list[types.SymbolInformation]:
    """The same as a list, for editors without trees."""
    return [
        types.SymbolInformation(
            types.Location(place.document.uri, place.text.range(section.span)),
            safe_text(section.item.name.strip()) or "(empty)",
            types.SymbolKind.String if section.is_heading else types.SymbolKind.Property,
        )
        for section in sections(place)
    ]


def folds(place: SkillPlace) -> list[types.FoldingRange]:
    """The frontmatter, fences, keys and sections of more than one line."""
    text = place.text
    spans = [section.span for section in sections(place)]
    if place.inside.lower().endswith(".md"):
        # A fold starts at the line before the text: the opening line.
        spans += [Span(max(start - 1, 0), _trim_end(text.text, start, end))
                  for start, end in keyed_spans(text.text, place.inside)]  # fmt: skip
    lines = {(text.position(start).line, text.position(end).line) for start, end in spans}
    return [types.FoldingRange(first, last) for first, last in sorted(lines) if first < last]


def links(place: SkillPlace) -> list[types.DocumentLink]:
    """Links to the files of the skill."""
    analysis = place.check.analysis
    if analysis is None:
        return []
    return [
        types.DocumentLink(place.text.range(link.span), uri_of(place.check.path(link.target)))
        for link in file_links(analysis.skill, place.inside, place.text.text)
    ]


# Inputs


def _input_at(place: SkillPlace, position: types.Position) -> tuple[str, InputPlace] | None:
    """The input whose name is at a position, and that place."""
    analysis = place.check.analysis
    if analysis is None:
        return None
    offset, path = place.text.offset(position), place.inside
    for name in declared_inputs(analysis.skill):
        try:
            places = input_places(analysis.skill, name)
        except RenameRefused:
            continue
        for input_place in places:
            if (
                input_place.path == path
                and input_place.span.start <= offset <= input_place.span.end
            ):
                return name, input_place
    return None


def definition(place: SkillPlace, position: types.Position) -> list[types.Location]:
    """Where the input or operation at a position is declared."""
    return _locations(place, position, declares=True) or _operation(place, position)[:1]


def references(
    place: SkillPlace, position: types.Position, declaration: bool
) -> list[types.Location]:
    """Where an input is used in the files of the skill, or the samples of an operation."""
    locations = _locations(place, position, declares=None if declaration else False)
    return locations or _operation(place, position)[0 if declaration else 1 :]


def _operation_at(place: SkillPlace, position: types.Position) -> str:
    """The operation whose name is at a position, or whose sample the document is; "" for none."""
    analysis = place.check.analysis
    if analysis is None:
        return ""
    offset = place.text.offset(position)
    for name, path, span in operation_places(analysis.skill):
        if path == place.inside and span.start <= offset <= span.end:
            return name
        if place.inside in _samples(place, name):
            return name
    return ""


def _samples(place: SkillPlace, operation: str) -> list[str]:
    from skillstudio.dryrun.sampling.sample import SampleRefused, operation_folder
    from skillstudio.dryrun.sampling.samples import list_committed, sample_file

    analysis = place.check.analysis
    if analysis is None:
        return []
    with suppress(SampleRefused):
        folder = operation_folder(operation)
        names = list_committed(analysis.skill.tree, operation)
        return [sample_file(folder, name) for name in names]
    return []


def _operation(place: SkillPlace, position: types.Position) -> list[types.Location]:
    """The declaration of the operation at a position, or of a sample's file; then its samples."""
    name, analysis = _operation_at(place, position), place.check.analysis
    if not name or analysis is None:
        return []
    targets = [
        (place.check.path(path), span)
        for declared_name, path, span in operation_places(analysis.skill)
        if declared_name == name
    ]
    targets += [(place.check.path(sample), Span(0, 0)) for sample in _samples(place, name)]
    return [
        types.Location(
            place.documents.uri(path),
            place.documents.text_of(path, _source(place, path)).range(span),
        )
        for path, span in targets
    ]


def _source(place: SkillPlace, path: str) -> Source | None:
    analysis = place.check.analysis
    return analysis.source(place.check.inside(path)) if analysis else None


def _locations(
    place: SkillPlace, position: types.Position, declares: bool | None
) -> list[types.Location]:
    input_match, analysis = _input_at(place, position), place.check.analysis
    if input_match is None or analysis is None:
        return []
    locations = []
    for input_place in input_places(analysis.skill, input_match[0]):
        if declares is None or input_place.declares == declares:
            path = place.check.path(input_place.path)
            text = place.documents.text_of(path, analysis.source(input_place.path))
            locations.append(
                types.Location(place.documents.uri(path), text.range(input_place.span))
            )
    return locations


def renamable(place: SkillPlace, position: types.Position) -> types.PrepareRenameResult | None:
    """The name of the input or operation at a position."""
    if (input_match := _input_at(place, position)) is not None:
        name, span = input_match[0], input_match[1].span
        return types.PrepareRenamePlaceholder(place.text.range(span), name)
    analysis, offset = place.check.analysis, place.text.offset(position)
    for name, path, span in operation_places(analysis.skill) if analysis else ():
        if path == place.inside and span.start <= offset <= span.end:
            return types.PrepareRenamePlaceholder(place.text.range(span), name)
    return None


def rename(
    place: SkillPlace, position: types.Position, new: str, support: EditSupport
) -> types.WorkspaceEdit | None:
    """Rename the input or operation at a position in all files of the skill.

    Raises RequestRefused.
    """
    analysis = place.check.analysis
    target = renamable(place, position)
    if analysis is None or not isinstance(target, types.PrepareRenamePlaceholder):
        raise RequestRefused("no input or operation here; only these can be renamed")
    try:
        if _input_at(place, position) is not None:
            splices = rename_input(analysis.skill, target.placeholder, new).splices
            return workspace_edit(place.check, place.documents, support, splices)
        splices, files = rename_operation(analysis.skill, target.placeholder, new)
    except (RenameRefused, EditRefused) as error:
        raise RequestRefused(str(error)) from None
    edit = workspace_edit(place.check, place.documents, support, splices, files)
    if edit is None:
        raise RequestRefused(
            f"this editor cannot rename folders; rename {files[0].old} to {files[0].new} first"
        )
    return edit


def find_move_edit(
    place: SkillPlace, moves: tuple[str, str], support: EditSupport
) -> types.WorkspaceEdit | None:
    """The edit before a file, or the skill's folder, is renamed: its name, and links to it."""
    analysis = place.check.analysis
    if analysis is None:
        return None
    old, new = moves
    if old == place.check.folder:
        front = analysis.skill.front
        edits = {front.path: renamed_skill(front, *map(os.path.basename, moves))} if front else {}
    else:
        old, new = place.check.inside(old), place.check.inside(new)
        edits = {
            path: moved_links(analysis.skill, path, _text_of(place, path), old, new)
            for path in linking_files(analysis.skill)
        }
    edits = {path: splices for path, splices in edits.items() if splices}
    return workspace_edit(place.check, place.documents, support, edits) if edits else None


def _text_of(place: SkillPlace, inside: str) -> str:
    """The text of another file of the same skill."""
    path, analysis = place.check.path(inside), place.check.analysis
    return place.documents.text_of(path, analysis.source(inside) if analysis else None).text
