"""The symbols of the workspace: skills, operations and inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from lsprotocol import types

from skillstudio.interface.model import Interface, token
from skillstudio.lsp.documents import EditorText
from skillstudio.lsp.skills import Documents, SkillCheck
from skillstudio.manifest.project import project
from skillstudio.skill.analysis import Analysis
from skillstudio.text.safe import safe_text

_MOST_MATCHES = 5_000


def matching_symbols(
    skill_symbols: Iterable[Iterable[types.WorkspaceSymbol]], query: str
) -> list[types.WorkspaceSymbol]:
    """The skills, operations and inputs whose names have the letters of a query, in order."""
    query = query.casefold()

    def matches(symbol: types.WorkspaceSymbol) -> bool:
        # Editors match so, too, and rank the result.
        letters = iter(symbol.name.casefold())
        return all(letter in letters for letter in query)

    symbols = chain.from_iterable(skill_symbols)
    return list(islice(filter(matches, symbols), _MOST_MATCHES))


def find_symbols(
    skill_check: SkillCheck, documents: Documents
) -> tuple[types.WorkspaceSymbol, ...]:
    """The skill, its operations and its inputs."""
    analysis = skill_check.analysis
    return () if analysis is None else tuple(_symbols(skill_check, analysis, documents))


def _symbols(
    skill_check: SkillCheck, analysis: Analysis, documents: Documents
) -> Iterator[types.WorkspaceSymbol]:
    interface = project(analysis.skill)
    texts: dict[str, EditorText] = {}

    def symbol(
        name: str, kind: types.SymbolKind, pointer: str, container: str = ""
    ) -> types.WorkspaceSymbol | None:
        place = interface.places.get(pointer)
        source = analysis.source(place.path) if place else None
        if place is None or source is None:
            return None
        path = skill_check.path(place.path)
        if path not in texts:
            texts[path] = documents.text_of(path, source)
        start = texts[path].position(source.offset(place.line, place.column))
        location = types.Location(documents.uri(path), types.Range(start, start))
        return types.WorkspaceSymbol(
            location, safe_text(name), kind, container_name=container or None
        )

    name = safe_text(analysis.name)
    if (main := analysis.main) is not None:
        path = skill_check.path(main.path)
        text = documents.text_of(path, analysis.source(main.path))
        start = text.range(main.document.opening_line).start
        location = types.Location(documents.uri(path), types.Range(start, start))
        yield types.WorkspaceSymbol(location, name, types.SymbolKind.Module)
    for pointer, symbol_name, kind in _named_parts(interface):
        if named_symbol := symbol(symbol_name, kind, pointer, name):
            yield named_symbol


def _named_parts(interface: Interface) -> Iterator[tuple[str, str, types.SymbolKind]]:
    """The pointer, name and kind of each operation and input."""
    for operation in interface.operations:
        above = f"/operations/{token(operation.name)}"
        if operation.declared:
            yield above, operation.name, types.SymbolKind.Function
        for input_ in operation.inputs:
            below = f"/inputs/{token(input_.name)}"
            pointer = above + below if above + below in interface.places else below
            yield pointer, input_.name, types.SymbolKind.Variable
