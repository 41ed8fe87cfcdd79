"""The resources: every rule and kind of change, and the JSON Schema of every dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote

from mcp_types import Resource, ResourceTemplate

from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.registry import dialect, dialects, schema_of
from skillstudio.manifest.rulebook import all_rules
from skillstudio.text.nearest import did_you_mean

RULE, SCHEMA = "rule://", "schema://"
TEMPLATES = (
    ResourceTemplate(
        name="rule", title="Rule", uri_template="rule://{id}", mime_type="text/markdown",
        description="A rule of check_skill, or a kind of change of diff_versions",
    ),
    ResourceTemplate(
        name="schema", title="JSON Schema of a dialect", uri_template="schema://{dialect}",
        mime_type="application/schema+json", description="The JSON Schema of a manifest format",
    ),
)  # fmt: skip


class ResourceUnknown(Exception):
    """There is no such resource; the message says so."""


class ResourceText(NamedTuple):
    """The content of a resource."""

    text: str
    mime_type: str


def resources() -> Iterator[Resource]:
    """All resources, schemas first."""
    for manifest_format in dialects():
        yield Resource(
            name=manifest_format.id, title=manifest_format.title,
            uri=f"{SCHEMA}{quote(manifest_format.id)}", mime_type="application/schema+json",
        )  # fmt: skip
    for id in names("id"):
        yield Resource(name=id, uri=f"{RULE}{quote(id)}", mime_type="text/markdown")


def names(variable: str) -> list[str]:
    """The values of a variable of the templates."""
    if variable == "dialect":
        return [known_dialect.id for known_dialect in dialects()]
    if variable == "id":
        return [*sorted(all_rules()), *sorted(all_kinds().by_id)]
    return []


def read_resource(uri: str) -> ResourceText:
    """A resource. Raises ResourceUnknown."""
    if uri.startswith(SCHEMA):
        return _schema(unquote(uri.removeprefix(SCHEMA).rstrip("/")))
    if uri.startswith(RULE):
        return _rule(unquote(uri.removeprefix(RULE).rstrip("/")))
    raise ResourceUnknown(f"there is no resource {uri}; resources start with {RULE} or {SCHEMA}")


def _schema(id: str) -> ResourceText:
    known_dialect = dialect(id)
    if known_dialect is None:
        raise ResourceUnknown(f"unknown dialect {id}{did_you_mean(id, names('dialect'))}")
    return ResourceText(json.dumps(schema_of(known_dialect)), "application/schema+json")


def _rule(id: str) -> ResourceText:
    rule, kind = all_rules().get(id), all_kinds().by_id.get(id)
    if rule is not None:
        examples = (("Bad", rule.bad), ("Good", rule.good))
        parts = [
            f"# {rule.id} ({rule.severity})", rule.what, rule.why,
            *(f"{title}:\n\n{_indent_text(text)}" for title, text in examples if text.strip()),
            f"Source: {rule.source}",
        ]  # fmt: skip
    elif kind is not None:
        parts = [f"# {id} ({kind.level})", kind.message, kind.why, f"Source: {kind.source}"]
    else:
        advice = did_you_mean(id, names("id"))
        raise ResourceUnknown(f"unknown rule or kind of change {id}{advice}")
    return ResourceText("\n\n".join(parts) + "\n", "text/markdown")


def _indent_text(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip("\n").splitlines())
