"""Samples in words."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.dryrun.sampling.sample import REPO_ROOT, Sample, SampleWorkspace
from skillstudio.interface.model import ABSENT
from skillstudio.present.samples import arguments_text, folder_text, inputs_text


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


@pytest.mark.parametrize(
    ("inputs", "arguments", "text"),
    [
        ({"day": "2025-01-01"}, ("2025-01-01",), ""),
        ({"day": "2025-01-01"}, ("yesterday",), "yesterday"),
        ({"limit": 2}, ("2", "-v"), "-v"),
        (ABSENT, ("a", "b"), "a b"),
    ],
)
def test_arguments_that_repeat_an_input_are_left_out(
    inputs: Any, arguments: tuple[str, ...], text: str
) -> None:
    assert arguments_text(Sample("s", "go", inputs, arguments)) == text


@pytest.mark.parametrize(
    ("workspace", "fixtures", "text"),
    [
        (SampleWorkspace(), {}, ""),
        (SampleWorkspace(git=True), {"a": "", "b": ""}, "git · 2 files"),
        (SampleWorkspace("samples/tree"), {"a": ""}, "samples/tree · 1 file"),
        (SampleWorkspace(REPO_ROOT), {}, "the skill's repository"),
    ],
)
def test_the_folder_of_a_sample_in_words(
    workspace: SampleWorkspace, fixtures: dict[str, Any], text: str
) -> None:
    sample = Sample("s", "go", workspace=workspace, fixtures=fixtures)
    assert folder_text(sample) == text
