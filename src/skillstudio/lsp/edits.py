"""Edits of the engine as edits of the protocol."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lsprotocol import types

from skillstudio.lsp.documents import EditorText, OpenDocument, uri_of
from skillstudio.lsp.skills import Documents, SkillCheck, SkillPlace
from skillstudio.text.diagnostic import CreateFile, RenameFile, Splice
from skillstudio.text.source import Source, Span

Step = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


class EditSupport(NamedTuple):
    """The edits that the editor can apply."""

    versions: bool = False  # Of documents with a version, in order.
    creates: bool = False
    renames: bool = False


def edit_support(client: types.ClientCapabilities) -> EditSupport:
    """What the editor declares about workspace edits."""
    workspace = client.workspace.workspace_edit if client.workspace else None
    if workspace is None or not workspace.document_changes:
        return EditSupport()
    kinds = workspace.resource_operations or ()
    return EditSupport(
        True,
        types.ResourceOperationKind.Create in kinds,
        types.ResourceOperationKind.Rename in kinds,
    )


def workspace_edit(
    check: SkillCheck,
    documents: Documents,
    support: EditSupport,
    splices: Mapping[str, Sequence[Splice]],
    files: Sequence[CreateFile | RenameFile] = (),
) -> types.WorkspaceEdit | None:
    """The edit of a skill's files, by path in the skill; None if the editor cannot apply it."""
    edits: dict[str, list[types.TextEdit]] = {}
    steps: list[Step] = []
    for inside, file_splices in splices.items():
        path = check.path(inside)
        source = check.analysis.source(inside) if check.analysis else None
        text = documents.text_of(path, source)
        if any(splice.start < text.hidden_count for splice in file_splices):
            return None  # The byte order mark is not in the editor's text.
        document = documents.by_path.get(path)
        uri = document.uri if document else uri_of(path)
        edits[uri] = [
            types.TextEdit(text.range(Span(splice.start, splice.end)), splice.text)
            for splice in sorted(file_splices)
        ]
        version = document.version if document else None
        place = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
        steps.append(types.TextDocumentEdit(place, list(edits[uri])))
    for file in files:
        if isinstance(file, CreateFile):
            if not support.creates:
                return None
            uri = uri_of(check.path(file.path))
            start = types.Range(types.Position(0, 0), types.Position(0, 0))
            place = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=None)
            steps.append(types.CreateFile(uri))
            steps.append(types.TextDocumentEdit(place, [types.TextEdit(start, file.text)]))
        else:
            if not support.renames:
                return None
            old, new = (uri_of(check.path(path)) for path in file)
            steps.append(types.RenameFile(old, new))
    if support.versions:
        return types.WorkspaceEdit(document_changes=steps)
    return types.WorkspaceEdit(changes=edits)


def document_edit(
    document: OpenDocument, edits: list[types.TextEdit], support: EditSupport
) -> types.WorkspaceEdit:
    """The edit of one open document."""
    if not support.versions:
        return types.WorkspaceEdit(changes={document.uri: edits})
    place = types.OptionalVersionedTextDocumentIdentifier(
        uri=document.uri, version=document.version
    )
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(place, list(edits))])


def settings_edit(
    place: SkillPlace,
    support: EditSupport,
    path: str,
    name: str,
    entry: Mapping[str, str],
) -> types.WorkspaceEdit | None:
    """The edit that adds an entry to a file with settings, which may not exist yet.

    Raises EditRefused; None if the editor cannot apply it.
    """
    from skillstudio.settings.entries import add_entry, entries

    check, documents = place.check, place.documents
    inside = check.inside(path)
    if path not in documents.by_path and not os.path.isfile(path):
        source = Source("", path)
        (splice,) = add_entry(source, name, entry)
        return workspace_edit(check, documents, support, {}, [CreateFile(inside, splice.text)])
    source = Source(documents.text_of(path).text, path)
    if any(
        isinstance(other, dict) and entry.items() <= other.items()
        for other in entries(source, name)
    ):
        return None
    return workspace_edit(check, documents, support, {inside: add_entry(source, name, entry)})


def find_replacement(old: EditorText, new: str) -> list[Splice]:
    """The splice between the common start and end of two texts; none if they are equal."""
    text = old.text
    if text == new:
        return []
    most = min(len(text), len(new))
    start = next((at for at in range(most) if text[at] != new[at]), most)
    most -= start
    end = next((at for at in range(most) if text[-1 - at] != new[-1 - at]), most)
    return [Splice(start, len(text) - end, new[start : len(new) - end])]
