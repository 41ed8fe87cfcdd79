"""Samples in words."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.interface.model import ABSENT
from skillstudio.present.samples import inputs_text


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (ABSENT, ""),
        ({}, ""),
        ({"query": "tea", "limit": 2}, 'query="tea"  limit=2'),
        ([1, "a"], '[1, "a"]'),
    ],
)
def test_the_inputs_of_a_sample_in_one_line(inputs: Any, text: str) -> None:
    assert inputs_text(inputs) == text


def test_long_inputs_are_shortened() -> None:
    assert len(inputs_text({"a": "x" * 10_000, "b": "y" * 10_000})) < 300
