"""Project the frontmatter of Agent Skills, with client extensions, to an Interface."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from skillstudio.interface.model import Interface, Term, token
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.front_values import tool_uses
from skillstudio.manifest.places import Places
from skillstudio.manifest.values import as_stated, dig, mapping, pointer, text
from skillstudio.text.node import Mapping, resolve

ALL = ("*",)
_TEXTS = ("compatibility", "when_to_use", "argument-hint", "arguments", "paths", "hooks")
"""Keys whose value is compared as a whole."""
_SETTINGS = ("agent", "context", "effort", "model", "shell")
"""Keys that configure how a client runs the skill."""


def project(manifest: Manifest, _skill: Skill) -> Interface:
    """The name, description, allowed tools and invocation settings."""
    value = manifest.document.value
    places = Places(manifest)
    for key in ("name", "description", "license", "metadata"):
        places.key(f"/{key}", f"/{key}")
    places.tree("/metadata", "/metadata")
    return Interface(
        name=text(value, "name") or "",
        description=text(value, "description") or "",
        license=text(value, "license") or "",
        metadata=_metadata(manifest),
        permissions=tuple(_permissions(value, places)),
        terms=tuple(_terms(value, places)),
        places=places,
    )


def _metadata(manifest: Manifest) -> dict[str, str]:
    """The metadata without the version, as texts, numbers as written."""
    document, place = manifest.document, manifest.place_of("version")
    version = as_stated(document, resolve(document.at(place)) if place else None)
    places = manifest.dialect.states.get("version", ())
    node = resolve(document.at("/metadata"))
    nodes = {entry.name: entry.value for entry in node.entries} if isinstance(node, Mapping) else {}
    texts = {
        key: as_stated(document, nodes.get(key)) or _plain(value)
        for key, value in mapping(document.value, "metadata").items()
        if pointer("metadata", key) != place
    }
    # A version that two places state is still one version.
    return {
        key: value
        for key, value in texts.items()
        if value != version or pointer("metadata", key) not in places
    }


def _permissions(value: Any, places: Places) -> Iterator[Term]:
    """Each tool with its allowed uses; a tool without parentheses allows all."""
    for key in ("allowed-tools", "disallowed-tools"):
        tools: dict[str, dict[str, None]] = {}
        for tool, uses in tool_uses(dig(value, key)):
            tools.setdefault(tool, {}).update(dict.fromkeys(_uses(uses)))
        at = f"/permissions/{key}"
        places.key(at, f"/{key}")
        if key == "disallowed-tools":
            entries = [
                tool if use == "*" else f"{tool}({use})"
                for tool, uses in tools.items()
                for use in uses
            ]
            if entries:
                yield Term(key, tuple(entries), "set")
            continue
        for tool, allowed_uses in tools.items():
            places.key(f"{at}/{token(tool)}", f"/{key}")
            items = ALL if "*" in allowed_uses else tuple(allowed_uses)
            yield Term(key, items, "allow-list", tool, "variable")


def _uses(uses: str) -> list[str]:
    """The uses between parentheses; `git:*` is every command that starts with the word `git`."""
    parts = [use.strip() for use in uses.split(",")]
    plain = [f"{use.removesuffix(':*')} *" if use.endswith(":*") else use for use in parts if use]
    return plain or ["*"]


def _terms(value: Any, places: Places) -> Iterator[Term]:
    for key in _TEXTS:
        yield from places.text_term(key.replace("_", "-"), _plain(dig(value, key)), f"/{key}")
    for key in _SETTINGS:
        yield from places.text_term("invocation-setting", _plain(dig(value, key)), f"/{key}", key)
    switches = {
        "model-invocation-off": ("disable-model-invocation", True),
        "user-invocation-off": ("user-invocable", False),
    }
    for name, (key, off) in switches.items():
        places.key(f"/terms/{name}", f"/{key}")
        if dig(value, key) is off:
            yield Term(name, True, "switch")


def _plain(value: Any) -> str:
    """A value as text: strings unchanged, other values as canonical JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
