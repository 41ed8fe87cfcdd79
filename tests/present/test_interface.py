"""The interface of a skill in few lines."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.interface.model import (
    Artifact,
    Input,
    Interface,
    Operation,
    Output,
    OutputField,
    Stdout,
)
from skillstudio.present.interface import caller_lines, input_words


def value(name: str = "day", schema: Any = None, required: bool = True, **rest: Any) -> Input:
    return Input(name, {"type": "string"} if schema is None else schema, required, **rest)


@pytest.mark.parametrize(
    ("input_", "words"),
    [
        (value(), "string, required"),
        (value(required=False, default="x"), 'string, optional, default "x"'),
        (value(schema={"enum": ["a", "b"]}), '"a" or "b", required'),
        (value(schema={"type": "string", "enum": ["key"]}, sensitive=True),
         "string, required, sensitive"),
        (value(default="key", sensitive=True), "string, required, default hidden, sensitive"),
    ],
)  # fmt: skip
def test_an_input_in_words(input_: Input, words: str) -> None:
    assert input_words(input_) == words


def test_a_sensitive_skill_shows_no_value() -> None:
    assert input_words(value(schema={"const": "key"}), is_sensitive=True) == "anything, required"


def test_what_callers_pass_and_get() -> None:
    operation = Operation(
        "store",
        inputs=(value(),),
        outputs=(Output("{{day}}.org"),),
        artifacts=(Artifact("report"),),
        fields=(OutputField("size", "integer"),),
        stdout=Stdout(last_line_json=True),
    )
    lines = caller_lines(Interface("worklog", operations=(operation, Operation(""))))
    assert [(line.indent, f"{line.lead} {line.text} {line.remark}".strip()) for line in lines] == [
        (1, "store"),
        (2, "day string, required"),
        (2, "→ {{day}}.org"),
        (2, "→ report"),
        (2, "→ JSON in the last line"),
        (2, "→ size: integer"),
    ]
