"""Samples in words."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.dryrun.sampling.expecting import SampleDifference
from skillstudio.dryrun.sampling.sample import REPO_ROOT, Sample, SampleWorkspace
from skillstudio.interface.model import ABSENT
from skillstudio.present.samples import (
    SampleResult,
    arguments_text,
    folder_text,
    inputs_text,
    sample_details,
)


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


def test_the_details_of_a_failed_sample_start_with_the_last_line_of_standard_error() -> None:
    result = SampleResult(
        "say", "go", "tea", "samples/go/tea.yaml", (SampleDifference("exit status 1, not 0", ""),),
        "Traceback\nKeyError: tea\n", seconds=0.24, isolation="copy",
    )  # fmt: skip
    lines = list(sample_details(result, (), 'text="tea"'))
    assert [(line.lead, line.text, line.style) for line in lines] == [
        ("", "KeyError: tea", ""),
        ("✗", "failed", "error"),
        ("", "exit status 1, not 0", ""),
        ("", "Inputs", "heading"),
        ("", 'text="tea"', ""),
        ("", "Standard error", "heading"),
        ("", "Traceback", "code"),
        ("", "KeyError: tea", "code"),
    ]
    skipped = list(sample_details(result._replace(differs=(), skipped="no entrypoint")))
    assert [line.text for line in skipped] == ["skipped", "no entrypoint"]
