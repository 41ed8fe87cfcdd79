"""The schemas of what a Claude Code plugin declares: its manifests, hooks, servers and monitors.

`plugins.json` has them. Sources: the plugins reference and the hooks reference of Claude Code, and
`claude-code-plugin-manifest.json` at SchemaStore.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from skillstudio.schema.diagnostics import schema_diagnostics
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import MOST_REPORTED, Document

if TYPE_CHECKING:
    from skillstudio.schema.outcome import Validator

PLUGIN = ".claude-plugin/plugin.json"
MARKETPLACE = ".claude-plugin/marketplace.json"
COMPONENT_FILES = {
    "hooks": "hooks/hooks.json",
    "mcpServers": ".mcp.json",
    "lspServers": ".lsp.json",
    "monitors": "monitors/monitors.json",
}
"""The components that a file of the plugin can configure, and the file that is always read."""


@cache
def _data() -> dict[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "plugins.json"), encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return data


@cache
def schema_of(what: str) -> dict[str, Any]:
    """The schema of a manifest, by its path, or of a component, by its key in plugin.json."""
    parts = _data()["parts"]
    if what == "hooks":
        group = {
            "type": "object",
            "required": ["hooks"],
            "properties": {
                "matcher": {"type": "string"},
                "hooks": {"type": "array", "items": parts["hook"]},
            },
        }
        # `wrong = "hooks"` in a target's record names the events.
        return {"type": "object", "additionalProperties": {"type": "array", "items": group}}
    if what not in (PLUGIN, MARKETPLACE):
        return dict(parts[what])
    plugin: dict[str, Any] = _data()[PLUGIN]
    keys = plugin["properties"]
    for key in ("hooks", "mcpServers", "lspServers"):
        inline = schema_of(key)
        item = inline | {"type": ["string", "object"]}
        keys[key] = inline | {"type": ["string", "array", "object"], "items": item}
    keys["monitors"] = keys["monitors"] | {"items": parts["monitors"]["items"]}
    keys["experimental"]["properties"] = {key: keys[key] for key in ("themes", "monitors")}
    keys["userConfig"] = parts["userConfig"]
    keys["channels"]["items"]["properties"]["userConfig"] = parts["userConfig"]
    keys["commands"] = keys["commands"] | {"additionalProperties": parts["command"]}
    if what == PLUGIN:
        return plugin
    marketplace: dict[str, Any] = _data()[MARKETPLACE]
    # An entry in a marketplace may have all keys of a plugin.
    marketplace["properties"] |= {"name": keys["name"], "owner": keys["author"]}
    entry = marketplace["properties"]["plugins"]["items"]
    entry["properties"] = keys | entry["properties"]
    return marketplace


@cache
def _validator(what: str) -> Validator:
    from skillstudio.schema.engine import compile_schema

    return compile_schema(schema_of(what))


def schema_problems(
    document: Document, what: str, value: Any, within: Iterable[str] = ()
) -> list[Diagnostic]:
    """The problems of a value, which is at the keys `within`, with the schema of `what`."""
    errors = _validator(what).errors(value, MOST_REPORTED)
    placed_errors = [error._replace(instance=(*within, *error.instance)) for error in errors]
    return schema_diagnostics(document, schema_of(what), placed_errors)
