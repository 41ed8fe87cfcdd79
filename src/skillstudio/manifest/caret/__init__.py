"""Locate the cursor in half-typed text, by the brackets and indentation before it."""

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
