"""Validate messages with the meta model of the Language Server Protocol 3.17.

The protocol's own model (`protocol/`) says what each message may contain. This is stricter than
most implementations: a property that a structure does not declare is an error.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

FILE = Path(__file__).parent / "protocol" / "metaModel.json.gz"
OMITTED = frozenset(("documentation", "since", "deprecated", "proposed"))
Sender = Literal["client", "server"]
Type = dict[str, Any]


class MessageError(NamedTuple):
    """What is wrong with a message, and where."""

    path: tuple[str, ...]
    reason: str
    expected: str = ""

    def __str__(self) -> str:
        return f"{'.'.join(self.path) or 'message'}: {self.reason}"

    def below(self, key: object) -> MessageError:
        return self._replace(path=(str(key), *self.path))


def trim(value: Any) -> Any:
    """Remove documentation, and what is only proposed, from a part of the model."""
    if isinstance(value, dict):
        return {key: trim(item) for key, item in value.items() if key not in OMITTED}
    if isinstance(value, list):
        is_proposed = [isinstance(item, dict) and item.get("proposed") is True for item in value]
        return [trim(item) for item, out in zip(value, is_proposed, strict=True) if not out]
    return value


def pack(model: str) -> bytes:
    """The bytes of `protocol/metaModel.json.gz` for the text of a meta model."""
    text = json.dumps(trim(json.loads(model)), separators=(",", ":"), sort_keys=True)
    return gzip.compress(text.encode(), 9, mtime=0)


def wrong(expected: str, value: object) -> MessageError:
    text = json.dumps(value)
    short = text if len(text) < 60 else f"{text[:57]}…"
    return MessageError((), f"expected {expected}, not {short}", expected)


def first(errors: Iterable[MessageError | None]) -> MessageError | None:
    return next((error for error in errors if error), None)


def is_integer(value: object, lowest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value < 2**31


BASES: dict[str, Callable[[Any], bool]] = {
    "URI": lambda value: isinstance(value, str) and bool(re.match(r"[A-Za-z][\w+.-]*:", value)),
    "DocumentUri": lambda value: BASES["URI"](value),
    "string": lambda value: isinstance(value, str),
    "RegExp": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: is_integer(value, -(2**31)),
    "uinteger": lambda value: is_integer(value, 0),
    "decimal": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
ANY = {"kind": "reference", "name": "LSPAny"}
ID: Type = {
    "kind": "or",
    "items": [{"kind": "base", "name": "integer"}, {"kind": "base", "name": "string"}],
}
ERROR: Type = {
    "kind": "literal",
    "value": {
        "properties": [
            {"name": "code", "type": {"kind": "base", "name": "integer"}},
            {"name": "message", "type": {"kind": "base", "name": "string"}},
            {"name": "data", "type": ANY, "optional": True},
        ]
    },
}


class MetaModel:
    """Types by name, and requests and notifications by method."""

    def __init__(self, model: dict[str, Any]) -> None:
        self.structures = {item["name"]: item for item in model["structures"]}
        self.enumerations = {item["name"]: item for item in model["enumerations"]}
        self.aliases = {item["name"]: item["type"] for item in model["typeAliases"]}
        self.requests = {item["method"]: item for item in model["requests"]}
        self.notifications = {item["method"]: item for item in model["notifications"]}
        self.registrations: dict[str, Type] = {}
        for item in (*model["requests"], *model["notifications"]):
            method = item.get("registrationMethod", item["method"])
            if "registrationOptions" in item:
                self.registrations[method] = item["registrationOptions"]

    def has_params(self, method: str) -> bool:
        """Whether a method has parameters; a method outside of the protocol may have any."""
        entry = self.requests.get(method) or self.notifications.get(method)
        return entry is None or "params" in entry

    def validate(
        self, message: object, sender: Sender, asked: str | None = None
    ) -> MessageError | None:
        """The first error of a message; `asked` is the method that a response answers."""
        if not isinstance(message, dict):
            return wrong("an object", message)
        if message.get("jsonrpc") != "2.0":
            return wrong('"2.0"', message.get("jsonrpc")).below("jsonrpc")
        if "method" not in message:
            return self._validate_response(message, asked)
        return self._validate_call(message, sender)

    def _validate_call(self, message: dict[str, Any], sender: Sender) -> MessageError | None:
        method, is_request = message["method"], "id" in message
        known = self.requests if is_request else self.notifications
        if unknown := sorted(message.keys() - {"jsonrpc", "id", "method", "params"}):
            return MessageError((unknown[0],), "unknown property")
        if is_request and (error := self.check(ID, message["id"])):
            return error.below("id")
        params = message.get("params")
        if "params" in message and not isinstance(params, dict | list):
            return wrong("an object or an array", params).below("params")
        if method not in known:
            if isinstance(method, str) and method.startswith("$/") and not is_request:
                return None  # Such a notification may be ignored by whoever does not know it.
            return MessageError(("method",), f"no {'request' if is_request else 'notification'}"
                                f" of the protocol: {method}")  # fmt: skip
        entry = known[method]
        direction = "clientToServer" if sender == "client" else "serverToClient"
        if entry["messageDirection"] not in (direction, "both"):
            return MessageError(("method",), f"{method} must not be sent by the {sender}")
        if ("params" in message) != ("params" in entry):
            needs = "has no parameters" if "params" in message else "needs parameters"
            return MessageError(("params",), f"{method} {needs}")
        if "params" in entry and (error := self.check(entry["params"], params)):
            return error.below("params")
        if method == "client/registerCapability":
            return self._validate_registrations(message["params"]["registrations"])
        return None

    def _validate_registrations(self, items: list[dict[str, Any]]) -> MessageError | None:
        for number, item in enumerate(items):
            options, path = item.get("registerOptions"), ("params", "registrations", str(number))
            if item["method"] not in self.registrations:
                if options is not None:
                    return MessageError((*path, "method"), f"{item['method']} has no options")
            elif options is not None:
                error = self.check(self.registrations[item["method"]], options)
                if error:
                    return MessageError((*path, "registerOptions", *error.path), error.reason)
        return None

    def _validate_response(self, message: dict[str, Any], asked: str | None) -> MessageError | None:
        if unknown := sorted(message.keys() - {"jsonrpc", "id", "result", "error"}):
            return MessageError((unknown[0],), "unknown property")
        if "id" not in message or ("result" in message) == ("error" in message):
            return MessageError((), "a response has an id, and either a result or an error")
        # A message that could not be read has no id to answer.
        if message["id"] is None and "error" not in message:
            return wrong("a number or a string", None).below("id")
        if message["id"] is not None and (error := self.check(ID, message["id"])):
            return error.below("id")
        if "error" in message:
            error = self.check(ERROR, message["error"])
            return error and error.below("error")
        if asked in self.requests:
            error = self.check(self.requests[asked]["result"], message["result"])
            return error and error.below("result")
        return MessageError((), f"a result for no request of the protocol: {asked}")

    def check(self, kind: Type, value: Any) -> MessageError | None:
        """The first error of a value of a type."""
        check: Callable[[Type, Any], MessageError | None] = getattr(self, f"_check_{kind['kind']}")
        return check(kind, value)

    def _check_base(self, kind: Type, value: Any) -> MessageError | None:
        return None if BASES[kind["name"]](value) else wrong(kind["name"], value)

    def _check_stringLiteral(self, kind: Type, value: Any) -> MessageError | None:  # noqa: N802
        return None if value == kind["value"] else wrong(json.dumps(kind["value"]), value)

    def _check_array(self, kind: Type, value: Any) -> MessageError | None:
        if not isinstance(value, list):
            return wrong("an array", value)
        return self._check_items([kind["element"]] * len(value), value)

    def _check_tuple(self, kind: Type, value: Any) -> MessageError | None:
        if not isinstance(value, list) or len(value) != len(kind["items"]):
            return wrong(f"an array of {len(kind['items'])}", value)
        return self._check_items(kind["items"], value)

    def _check_items(self, kinds: list[Type], value: list[Any]) -> MessageError | None:
        pairs = enumerate(zip(kinds, value, strict=True))
        errors = ((number, self.check(kind, item)) for number, (kind, item) in pairs)
        return first(error and error.below(number) for number, error in errors)

    def _check_map(self, kind: Type, value: Any) -> MessageError | None:
        if not isinstance(value, dict):
            return wrong("an object", value)
        for key, item in value.items():
            key = int(key) if kind["key"].get("name") in ("integer", "uinteger") else key
            error = self.check(kind["key"], key) or self.check(kind["value"], item)
            if error:
                return error.below(key)
        return None

    def _check_or(self, kind: Type, value: Any) -> MessageError | None:
        errors = []
        for item in kind["items"]:
            error = self.check(item, value)
            if error is None:
                return None
            errors.append(error)
        # The alternative that agrees with most of the value is the one that was meant.
        best = max(errors, key=lambda error: len(error.path))
        if best.path:
            return best
        return wrong(" or ".join(error.expected for error in errors if error.expected), value)

    def _check_and(self, kind: Type, value: Any) -> MessageError | None:
        properties: dict[str, Type] = {}
        for item in kind["items"]:
            properties |= self.properties(item["name"])
        return self._check_properties(properties, value)

    def _check_literal(self, kind: Type, value: Any) -> MessageError | None:
        properties = {item["name"]: item for item in kind["value"]["properties"]}
        return self._check_properties(properties, value)

    def _check_reference(self, kind: Type, value: Any) -> MessageError | None:
        name = kind["name"]
        if name in ("LSPAny", "LSPObject", "LSPArray"):
            types: dict[str, type] = {"LSPAny": object, "LSPObject": dict, "LSPArray": list}
            return None if isinstance(value, types[name]) else wrong(name, value)
        if name in self.aliases:
            return self.check(self.aliases[name], value)
        if name in self.enumerations:
            return self._check_enumeration(self.enumerations[name], value)
        return self._check_properties(self.properties(name), value)

    def _check_enumeration(self, enumeration: Type, value: Any) -> MessageError | None:
        if error := self.check(enumeration["type"], value):
            return error
        values = [item["value"] for item in enumeration["values"]]
        is_open = enumeration.get("supportsCustomValues", False)
        return None if is_open or value in values else wrong(enumeration["name"], value)

    def _check_properties(self, properties: dict[str, Type], value: Any) -> MessageError | None:
        if not isinstance(value, dict):
            return wrong("an object", value)
        for name, item in properties.items():
            if name in value:
                if error := self.check(item["type"], value[name]):
                    return error.below(name)
            elif not item.get("optional"):
                return MessageError((name,), "missing")
        unknown = sorted(value.keys() - properties.keys())
        return MessageError((unknown[0],), "unknown property") if unknown else None

    @cache  # noqa: B019
    def properties(self, name: str) -> dict[str, Type]:
        """The properties of a structure with those that it extends or mixes in."""
        structure = self.structures[name]
        properties: dict[str, Type] = {}
        for parent in (*structure.get("extends", ()), *structure.get("mixins", ())):
            properties |= self.properties(parent["name"])
        return properties | {item["name"]: item for item in structure["properties"]}


@cache
def load_meta_model() -> MetaModel:
    return MetaModel(json.loads(gzip.decompress(FILE.read_bytes())))


class Conversation:
    """Validates the messages of one connection; remembers what each response answers."""

    def __init__(self) -> None:
        self.model = load_meta_model()
        self.asked: dict[tuple[Sender, object], str] = {}

    def check(self, message: Any, sender: Sender) -> MessageError | None:
        """The first error of the next message, with its method."""
        other: Sender = "server" if sender == "client" else "client"
        method = message.get("method") if isinstance(message, dict) else None
        asked = None
        if method is not None and "id" in message:
            self.asked[sender, message["id"]] = method
        elif isinstance(message, dict) and method is None:
            asked = method = self.asked.pop((other, message.get("id")), None)
        error = self.model.validate(message, sender, asked)
        return error and error.below(f"{sender} {method}")


if __name__ == "__main__":
    FILE.write_bytes(pack(Path(sys.argv[1]).read_text(encoding="utf-8")))
