"""The requests about a document: which function answers which."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from lsprotocol import types

from skillstudio.lsp import changes, language, lenses, navigation
from skillstudio.lsp.actions import KINDS, actions, settings_actions
from skillstudio.lsp.documents import path_of
from skillstudio.lsp.edits import edit_support
from skillstudio.lsp.hints import inlay_hints
from skillstudio.lsp.server import SkillServer
from skillstudio.lsp.skills import SkillPlace
from skillstudio.lsp.symbols import matching_symbols
from skillstudio.text.safe import safe_text


def add_features(server: SkillServer) -> None:
    """Add all requests about documents to a server."""
    _language(server)
    _places(server)
    _inputs(server)
    _lenses(server)


def _language(server: SkillServer) -> None:

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=list(KINDS))
    )
    async def code_action(
        ls: SkillServer, params: types.CodeActionParams
    ) -> list[types.CodeAction | types.Command]:
        support = edit_support(ls.client_capabilities)
        return await ls.answer(
            params.text_document.uri,
            lambda place: [*actions(place, params, support, ls.skills)],
            [],
            lambda document: [*settings_actions(document, params, support)],
        )

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(ls: SkillServer, params: types.HoverParams) -> types.Hover | None:
        client = ls.client_capabilities.text_document
        formats = client.hover.content_format if client and client.hover else None
        markdown = bool(formats) and types.MarkupKind.Markdown in (formats or ())
        return await ls.answer(
            params.text_document.uri,
            lambda place: language.hover_at(place, params.position, markdown),
            None,
            lambda document: language.hover_settings(document, params.position, markdown),
        )

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=list(language.TRIGGERS)),
    )
    async def completion(ls: SkillServer, params: types.CompletionParams) -> types.CompletionList:
        client = ls.client_capabilities.text_document
        item = client.completion.completion_item if client and client.completion else None
        snippets = bool(item and item.snippet_support)
        return await ls.answer(
            params.text_document.uri,
            lambda place: language.complete_document(place, params.position, snippets),
            types.CompletionList(False, []),
            lambda document: language.complete_settings(document, params.position, snippets),
        )


def _places(server: SkillServer) -> None:

    @server.feature(types.WORKSPACE_SYMBOL)
    async def workspace_symbol(
        ls: SkillServer, params: types.WorkspaceSymbolParams
    ) -> list[types.WorkspaceSymbol]:
        await ls.scan.wait()
        documents, scan = ls.documents(), ls.scan
        folders = scan.folders
        # One job each for skills that must be checked: other requests run in between.
        unknown_folders = await ls.run(
            lambda: [folder for folder in folders if not scan.has_symbols(folder, documents)]
        )
        for folder in unknown_folders:
            await ls.run(partial(scan.symbols, folder, documents), is_request=False)
        return await ls.run(
            lambda: matching_symbols(
                (scan.symbols(folder, documents) for folder in folders), params.query
            )
        )

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def document_symbol(
        ls: SkillServer, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
        client = ls.client_capabilities.text_document
        symbol = client.document_symbol if client else None
        uri = params.text_document.uri
        if symbol and symbol.hierarchical_document_symbol_support:
            return await ls.answer(uri, navigation.symbols, [])
        return await ls.answer(uri, navigation.flat_symbols, [])

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding_range(
        ls: SkillServer, params: types.FoldingRangeParams
    ) -> list[types.FoldingRange]:
        return await ls.answer(params.text_document.uri, navigation.folds, [])

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def document_link(
        ls: SkillServer, params: types.DocumentLinkParams
    ) -> list[types.DocumentLink]:
        return await ls.answer(params.text_document.uri, navigation.links, [])

    @server.feature(
        types.WORKSPACE_WILL_RENAME_FILES,
        types.FileOperationRegistrationOptions(
            [types.FileOperationFilter(types.FileOperationPattern("**/*"), "file")]
        ),
    )
    async def will_rename_files(
        ls: SkillServer, params: types.RenameFilesParams
    ) -> types.WorkspaceEdit | None:
        return await _find_rename_edits(ls, params)


async def _find_rename_edits(
    ls: SkillServer, params: types.RenameFilesParams
) -> types.WorkspaceEdit | None:
    """The edits of all open documents and of the SKILL.md of a renamed skill."""
    support = edit_support(ls.client_capabilities)
    steps: list[Any] = []
    changes: dict[str, Any] = {}
    for file_rename in params.files:
        old, new = path_of(file_rename.old_uri), path_of(file_rename.new_uri)
        if not old or not new:
            continue
        file = os.path.join(old, "SKILL.md") if os.path.isdir(old) else old
        edits = await ls.answer_for_file(
            file, partial(navigation.find_move_edit, moves=(old, new), support=support)
        )
        if edits is not None:
            steps += edits.document_changes or ()
            changes |= edits.changes or {}
    if not steps and not changes:
        return None
    return types.WorkspaceEdit(changes=changes or None, document_changes=steps or None)


def _inputs(server: SkillServer) -> None:

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(ls: SkillServer, params: types.DefinitionParams) -> list[types.Location]:
        return await ls.answer(
            params.text_document.uri,
            lambda place: navigation.definition(place, params.position),
            [],
        )

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(ls: SkillServer, params: types.ReferenceParams) -> list[types.Location]:
        includes_declaration = params.context.include_declaration
        return await ls.answer(
            params.text_document.uri,
            lambda place: navigation.references(place, params.position, includes_declaration),
            [],
        )

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare_rename(
        ls: SkillServer, params: types.PrepareRenameParams
    ) -> types.PrepareRenameResult | None:
        return await ls.answer(
            params.text_document.uri,
            lambda place: navigation.renamable(place, params.position),
            None,
        )

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(ls: SkillServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
        support = edit_support(ls.client_capabilities)
        return await ls.answer(
            params.text_document.uri,
            lambda place: navigation.rename(place, params.position, params.new_name, support),
            None,
        )


def _lenses(server: SkillServer) -> None:

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hint(ls: SkillServer, params: types.InlayHintParams) -> list[types.InlayHint]:
        return await ls.answer(
            params.text_document.uri, lambda place: inlay_hints(place, params.range), []
        )

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    async def code_lens(ls: SkillServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        return await ls.answer(params.text_document.uri, lenses.lenses, [])

    @server.feature(types.CODE_LENS_RESOLVE)
    async def resolve(ls: SkillServer, lens: types.CodeLens) -> types.CodeLens:
        data = lens.data if isinstance(lens.data, dict) else {}
        uri = str(data.get("uri", ""))
        result = await ls.answer(uri, lambda place: changes.compare(place, ls.skills), None)
        if result is None:
            return types.CodeLens(lens.range, types.Command("not compared", ""), lens.data)
        # Without changes there is nothing to show.
        command = lenses.COMPARE if result.changes else ""
        title = types.Command(changes.bump_title(result), command, arguments=[uri])
        return types.CodeLens(lens.range, title, lens.data)

    @server.command(lenses.TARGETS)
    async def show_targets(ls: SkillServer, uri: str = "") -> None:
        await _show(ls, uri, lenses.target_lines)

    @server.command(lenses.COMPARE)
    async def show_changes(ls: SkillServer, uri: str = "") -> None:
        await _show(ls, uri, lambda place: changes.change_lines(place, ls.skills))

    @server.command(lenses.DRY_RUN)
    async def dry_run(ls: SkillServer, uri: str = "", operation: str = "") -> None:
        await _show(ls, uri, lambda place: [lenses.run_text(place, operation)])


async def _show(ls: SkillServer, uri: str, lines: Callable[[SkillPlace], Iterable[str]]) -> None:
    def join(place: SkillPlace) -> str:
        return "\n".join(map(safe_text, lines(place)))

    if message := await ls.answer(uri, join, ""):
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))
