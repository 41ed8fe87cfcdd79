"""The interface of a skill in few lines: what its callers pass, and what it writes and prints."""

from __future__ import annotations

import json
from collections.abc import Iterator

from skillstudio.interface.model import ABSENT, Input, Interface, Operation
from skillstudio.interface.type_words import type_words
from skillstudio.present.lines import StyledLine


def input_words(input_: Input, is_sensitive: bool = False) -> str:
    """The type of an input, whether it is required, and its default; sensitive values are hidden.

    The author's texts are not made safe.
    """
    schema, is_hidden = input_.schema, input_.sensitive or is_sensitive
    if is_hidden and isinstance(schema, dict):
        schema = {key: part for key, part in schema.items() if key not in ("enum", "const")}
    words = [type_words(schema), "required" if input_.required else "optional"]
    if input_.default is not ABSENT:
        value = "hidden" if is_hidden else json.dumps(input_.default, ensure_ascii=False)
        words.append(f"default {value}")
    if input_.sensitive:
        words.append("sensitive")
    return ", ".join(words)


def caller_lines(interface: Interface) -> Iterator[StyledLine]:
    """What callers of each operation pass, and what it writes and prints."""
    for operation in interface.operations:
        indent = 1
        if operation.name:
            yield StyledLine(operation.name, "title", 1)
            indent = 2
        for input_ in operation.named_inputs:
            remark = input_words(input_, interface.sensitive)
            yield StyledLine(input_.name, "", indent, remark=remark)
        for text in _results(operation):
            yield StyledLine(text, "quiet", indent, lead="→")


def _results(operation: Operation) -> Iterator[str]:
    yield from (output.pattern for output in operation.outputs)
    yield from (artifact.name for artifact in operation.artifacts)
    if operation.stdout is not None and operation.stdout.last_line_json:
        yield "JSON in the last line"
    yield from (f"{field.name}: {field.text}" for field in operation.fields)
