"""The schema of a sample, with the inputs of its operation."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from skillstudio.dryrun.sampling.sample import FOLDER, SUFFIX
from skillstudio.dryrun.sampling.samples import SCHEMA
from skillstudio.interface.model import ABSENT, Input, Operation
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.focus import Focus
from skillstudio.manifest.project import project
from skillstudio.text.source import Source, Span


def sample_focus(skill: Skill, path: str, text: str) -> Focus | None:
    """The sample at a path in a skill; None for any other file."""
    if not path.startswith(f"{FOLDER}/") or not path.endswith(SUFFIX):
        return None
    name = path.removeprefix(f"{FOLDER}/").rpartition("/")[0]
    operation = next((other for other in project(skill).operations if other.name == name), None)
    schema = _load_schema()
    if operation is not None:
        properties = {**schema["properties"]}
        properties["inputs"] = {**properties["inputs"], **_inputs(operation)}
        schema = {**schema, "properties": properties}
    return Focus(Source(text, path), "yaml", Span(0, len(text)), (schema,))


def _inputs(operation: Operation) -> dict[str, Any]:
    """The schema of an operation's inputs."""
    return {
        "type": "object",
        "properties": {input_.name: _schema(input_) for input_ in operation.named_inputs},
        "required": [input_.name for input_ in operation.named_inputs if input_.must_be_given],
    }


def _schema(input_: Input) -> dict[str, Any]:
    schema = dict(input_.schema) if isinstance(input_.schema, dict) else {}
    if input_.description:
        schema["description"] = input_.description
    if input_.default is not ABSENT:
        schema["default"] = input_.default
    return schema


@lru_cache(maxsize=1)
def _load_schema() -> dict[str, Any]:
    with open(SCHEMA, encoding="utf-8") as stream:
        schema: dict[str, Any] = json.load(stream)
    return schema
