"""The validator of messages: right ones pass, and the first error of a wrong one has its path."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from tests.lsp.client import EVERYTHING, at, place
from tests.lsp.meta_model import FILE, Conversation, MetaModel, load_meta_model, pack, trim

URI = "file:///tea/SKILL.md"
DIAGNOSTIC = {"range": place(1, 2), "message": "wrong"}
INITIALIZE = {"processId": None, "rootUri": None, "capabilities": EVERYTHING}
REGISTRATION = {"id": "1", "method": "workspace/didChangeWatchedFiles"}
WATCHERS = {"watchers": [{"globPattern": "**/*.md"}]}


def call(method: str, params: Any = None, **properties: Any) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "method": method} | properties
    return message if params is None else message | {"params": params}


def published(**changes: Any) -> dict[str, Any]:
    params = {"uri": URI, "diagnostics": [DIAGNOSTIC | changes]}
    return call("textDocument/publishDiagnostics", params)


def registering(**changes: Any) -> dict[str, Any]:
    params = {"registrations": [REGISTRATION | changes]}
    return call("client/registerCapability", params, id=1)


RIGHT: list[tuple[str, dict[str, Any]]] = [
    ("client", call("initialize", INITIALIZE, id=1)),
    ("client", call("initialize", INITIALIZE | {"processId": 7, "trace": "off"}, id="one")),
    ("client", call("initialize", INITIALIZE | {"initializationOptions": [1, None]}, id=1)),
    ("client", call("initialized", {})),
    ("client", call("shutdown", id=2)),
    ("client", call("exit")),
    ("client", call("$/cancelRequest", {"id": 1})),
    ("client", call("$/ours", {"any": 1})),
    ("client", call("textDocument/hover", at(URI, 0, 2**31 - 1) | {"workDoneToken": "t"}, id=3)),
    ("server", published()),
    ("server", published(code="a-rule", severity=1, tags=[1, 2], data={"any": [1.5, None]})),
    ("server", published(code=3, codeDescription={"href": "https://example.org/a"})),
    ("server", registering(registerOptions=WATCHERS)),
    ("server", call("workspace/diagnostic/refresh", id=1)),
    ("server", call("window/logMessage", {"type": 4, "message": ""})),
]
WRONG: list[tuple[str, Any, str]] = [
    ("client", [], "message: expected an object"),
    ("client", call("exit", jsonrpc="1.0"), 'jsonrpc: expected "2.0"'),
    ("client", call("shutdown", {}, id=1), "params: shutdown has no parameters"),
    ("client", call("initialized"), "params: initialized needs parameters"),
    ("client", call("initialized", 3), "params: expected an object or an array"),
    ("client", call("shutdown"), "method: no notification of the protocol: shutdown"),
    ("client", call("exit", id=1), "method: no request of the protocol: exit"),
    ("client", call("$/ours", {}, id=1), "method: no request of the protocol: $/ours"),
    ("client", call("exit", more=1), "more: unknown property"),
    ("client", call("shutdown", id=None), "id: expected integer or string, not null"),
    ("client", call("shutdown", id=True), "id: expected integer or string, not true"),
    ("client", published(), "must not be sent by the client"),
    ("server", call("exit"), "method: exit must not be sent by the server"),
    ("server", published(severity=5), "params.diagnostics.0.severity: expected DiagnosticSev"),
    ("server", published(severity=None), "params.diagnostics.0.severity: expected uinteger"),
    (
        "server",
        published(code=None),
        "params.diagnostics.0.code: expected integer or string, not null",
    ),
    ("server", published(codeDescription={"href": "a"}), "codeDescription.href: expected URI"),
    ("server", published(tags=1), "params.diagnostics.0.tags: expected an array, not 1"),
    ("server", published(rule="x"), "params.diagnostics.0.rule: unknown property"),
    ("server", published(range=place(-1, 0)), "range.start.line: expected uinteger, not -1"),
    ("server", published(range=place(2**31, 0)), "range.start.line: expected uinteger"),
    ("server", published(range={"start": {}}), "range.start.line: missing"),
    ("server", registering(registerOptions={}), "registrations.0.registerOptions.watchers: miss"),
    ("server", registering(method="tea/make", registerOptions={}), "tea/make has no options"),
    (
        "client",
        call("initialize", INITIALIZE | {"capabilities": {"general": {"x": 1}}}, id=1),
        "params.capabilities.general.x: unknown property",
    ),
]


def check(message: Any, sender: Any) -> str:
    error = load_meta_model().validate(message, sender)
    return str(error) if error else ""


@pytest.mark.parametrize(("sender", "message"), RIGHT)
def test_a_right_message_has_no_error(sender: str, message: dict[str, Any]) -> None:
    assert check(message, sender) == ""


@pytest.mark.parametrize(("sender", "message", "expected"), WRONG)
def test_the_first_error_of_a_wrong_message(sender: str, message: Any, expected: str) -> None:
    assert expected in check(message, sender)


EDIT = {"range": place(0, 0), "newText": ""}
DOCUMENT = {"uri": URI, "version": None}
RESPONSES: list[tuple[str, dict[str, Any], str]] = [
    ("shutdown", {"result": None}, ""),
    ("shutdown", {"result": {}}, "result: expected null"),
    ("shutdown", {"result": None, "error": {"code": 1, "message": ""}}, "either a result or"),
    ("shutdown", {"error": {"code": -32601, "message": "unknown", "data": 1}}, ""),
    ("shutdown", {"error": {"code": "1", "message": ""}}, "error.code: expected integer"),
    ("shutdown", {"error": {"code": 1, "message": "", "more": 1}}, "error.more: unknown"),
    ("shutdown", {"id": None, "result": None}, "id: expected a number or a string, not null"),
    ("shutdown", {"id": None, "error": {"code": -32700, "message": ""}}, ""),
    ("tea/make", {"result": None}, "a result for no request of the protocol: tea/make"),
    ("textDocument/hover", {"result": {"contents": {"kind": "markdown", "value": ""}}}, ""),
    ("textDocument/hover", {"result": {"contents": {"kind": "html", "value": ""}}}, "MarkupKind"),
    ("textDocument/hover", {"result": {"contents": ["a", {"language": "c", "value": ""}]}}, ""),
    ("textDocument/definition", {"result": [{"uri": URI, "range": place(0, 0)}]}, ""),
    ("textDocument/definition", {"result": [{"uri": URI}]}, "result.0.range: missing"),
    ("textDocument/rename", {"result": {"changes": {URI: [EDIT]}}}, ""),
    ("textDocument/rename", {"result": {"changes": {"SKILL.md": [EDIT]}}}, "expected DocumentUri"),
    (
        "textDocument/rename",
        {"result": {"documentChanges": [{"textDocument": DOCUMENT, "edits": [EDIT]},
                                        {"kind": "create", "uri": URI}]}},
        "",
    ),
    (
        "textDocument/rename",
        {"result": {"documentChanges": [{"textDocument": {"uri": URI}, "edits": [EDIT]}]}},
        "result.documentChanges.0.textDocument.version: missing",
    ),
    (
        "initialize",
        {"result": {"capabilities": {"semanticTokensProvider": {
            "legend": {"tokenTypes": [], "tokenModifiers": []}, "range": {"x": 1}}}}},
        "result.capabilities.semanticTokensProvider.range",
    ),
    ("initialize", {"result": {"capabilities": {"renameProvider": {"prepareProvider": 1}}}},
     "result.capabilities.renameProvider.prepareProvider: expected boolean, not 1"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "rest", "expected"), RESPONSES)
def test_a_response_is_checked_as_the_result_of_its_request(
    method: str, rest: dict[str, Any], expected: str
) -> None:
    message = {"jsonrpc": "2.0", "id": 1} | rest
    error = load_meta_model().validate(message, "server", method)
    assert expected in str(error) if expected else error is None


def test_a_conversation_knows_what_a_response_answers() -> None:
    conversation = Conversation()
    assert conversation.check(call("shutdown", id=1), "client") is None
    assert conversation.check(call("workspace/diagnostic/refresh", id=1), "server") is None
    answer = {"jsonrpc": "2.0", "id": 1, "result": 3}
    error = conversation.check(answer, "server")
    assert str(error) == "server shutdown.result: expected null, not 3"
    again = conversation.check(answer | {"result": None}, "server")
    assert "no request of the protocol: None" in str(again)


def test_tuples_maps_and_intersections() -> None:
    base = {"kind": "base", "name": "uinteger"}
    model = load_meta_model()
    pair = {"kind": "tuple", "items": [base, base]}
    assert model.check(pair, [1, 2]) is None
    assert str(model.check(pair, [1])) == "message: expected an array of 2, not [1]"
    assert str(model.check(pair, [1, "2"])) == '1: expected uinteger, not "2"'
    numbers = {"kind": "map", "key": {"kind": "base", "name": "integer"}, "value": base}
    assert model.check(numbers, {"-1": 1}) is None
    assert str(model.check(numbers, {"-1": -1})) == "-1: expected uinteger, not -1"
    both = [{"kind": "reference", "name": name} for name in ("Position", "Location")]
    right = {"line": 1, "character": 1, "uri": URI, "range": place(0, 0)}
    kind = {"kind": "and", "items": both}
    assert model.check(kind, right) is None
    assert str(model.check(kind, right | {"line": -1})).startswith("line: expected uinteger")
    del right["range"]
    assert str(model.check(kind, right)) == "range: missing"


def test_every_type_of_the_model_can_be_checked() -> None:
    model = load_meta_model()
    kinds: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if "kind" in value:
                kinds.add(value["kind"])
                if value["kind"] == "reference":
                    name = value["name"]
                    assert name in {**model.structures, **model.enumerations, **model.aliases}
            value = list(value.values())
        for item in value if isinstance(value, list) else ():
            walk(item)

    walk(json.loads(gzip.decompress(FILE.read_bytes())))
    assert all(hasattr(MetaModel, f"_check_{kind}") for kind in kinds)
    assert len(model.requests) > 60
    assert all(model.properties(name) is not None for name in model.structures)


def test_the_file_is_small_and_has_neither_a_time_nor_documentation() -> None:
    data = FILE.read_bytes()
    assert len(data) < 60_000
    assert data[4:8] == bytes(4)
    text = gzip.decompress(data).decode()
    assert gzip.decompress(pack(text)).decode() == text
    assert trim([{"name": "a", "proposed": True, "since": "1"}, {"name": "b", "since": "1"}]) == [
        {"name": "b"}
    ]
    assert "Copyright (c) Microsoft" in (FILE.parent / "LICENSE.txt").read_text()
