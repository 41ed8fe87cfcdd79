"""Sensitive values of a run: their generated stand-ins and how they are masked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skillstudio.dryrun.planning.typed import Schema, validator_of
from skillstudio.interface.model import ABSENT
from skillstudio.interface.wording import SENSITIVE

__all__ = ["SENSITIVE", "dummy", "dummy_text", "masked"]

_SHORTEST = 4
"""Characters; shorter values occur in too many texts."""


def dummy_text(name: str) -> str:
    """A generated text that is distinguishable from every real secret."""
    return f"skillstudio-dummy-{name}"


def dummy(name: str, schema: Schema) -> Any:
    """A generated value for a secret that fits its schema; ABSENT when none is found."""
    from itertools import islice

    from skillstudio.schema.outcome import SchemaRefused
    from skillstudio.schema.sample import samples

    text = dummy_text(name)
    validator = validator_of(schema)
    if validator is None or validator.is_valid(text):
        return text
    try:
        return next(islice(samples(schema, 1), 1), ABSENT)
    except SchemaRefused:
        return ABSENT


def masked(text: str, secrets: Iterable[str]) -> str:
    """A text with the secrets in it masked, longest first."""
    known = sorted({each for each in secrets if len(each) >= _SHORTEST}, key=len, reverse=True)
    if not known or not any(each in text for each in known):
        return text
    for each in known:
        text = text.replace(each, SENSITIVE)
    return text
