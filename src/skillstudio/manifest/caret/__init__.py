"""Locate the cursor in a manifest: at a key or a value, and what may be inserted.

Uses only the text, brackets and indentation before the cursor, because completion must work in
half-typed text.
"""

from __future__ import annotations

from skillstudio.manifest.caret.caret import Caret
from skillstudio.text.source import Span

__all__ = ["Caret", "caret_at"]


def caret_at(text: str, syntax: str, span: Span, offset: int) -> Caret | None:
    """The place of an offset in the manifest at `span`; None if nothing can be inserted."""
    if syntax == "yaml":
        from skillstudio.manifest.caret.yaml import yaml_caret

        return yaml_caret(text, span, offset)
    if syntax == "toml":
        from skillstudio.manifest.caret.toml import toml_caret

        return toml_caret(text, span, offset)
    from skillstudio.manifest.caret.brackets import JSON, bracket_caret

    return bracket_caret(text, span.start, span.end, offset, JSON, ())
