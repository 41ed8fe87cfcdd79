"""Where in a manifest the cursor is: at a key or a value, of what, and what may go there.

Works on the text alone and looks at the brackets and the indentation before the cursor, because
half-typed text is what completion is asked for in.
"""

from __future__ import annotations

from skillstudio.manifest.caret.caret import Caret
from skillstudio.text.source import Span

__all__ = ["Caret", "caret_at"]


def caret_at(text: str, syntax: str, span: Span, offset: int) -> Caret | None:
    """The place of an offset in the manifest that covers `span`; None where nothing can go."""
    if syntax == "yaml":
        from skillstudio.manifest.caret.yaml import yaml_caret

        return yaml_caret(text, span, offset)
    if syntax == "toml":
        from skillstudio.manifest.caret.toml import toml_caret

        return toml_caret(text, span, offset)
    from skillstudio.manifest.caret.brackets import JSON, bracket_caret

    return bracket_caret(text, span.start, span.end, offset, JSON, ())
