"""Move a key of the frontmatter to `metadata`, where the specification has a place for any key."""

from __future__ import annotations

from skillstudio.text.diagnostic import Fix, Remove, Set
from skillstudio.text.node import Document, Mapping, Scalar, resolve


def metadata_fix(document: Document, key: str) -> tuple[Fix, ...]:
    """Move a key with a plain value to `metadata`, as a string that is written the same.

    Not safe: clients that read the key where it is no longer find it. None for a value that is no
    scalar, one with a comment, and where `metadata` has the key or is no mapping.
    """
    front = document.value
    node = resolve(document.at(f"/{key}"))
    if not isinstance(front, dict) or not isinstance(node, Scalar) or document.faults:
        return ()
    text = document.source.text
    after = text[node.end : text.find("\n", node.end) % (len(text) + 1)]
    scalar_text = text[node.start : node.end] if node.style == "plain" else node.value
    if after.strip() or not isinstance(scalar_text, str) or not scalar_text.isprintable():
        return ()
    metadata = resolve(document.at("/metadata"))
    if metadata is None:
        where = Set("/metadata", {key: scalar_text})
    elif isinstance(metadata, Mapping) and metadata.get(key) is None:
        where = Set(f"/metadata/{key}", scalar_text)
    else:
        return ()
    return (Fix("Move it to metadata", (where, Remove(f"/{key}"))),)
