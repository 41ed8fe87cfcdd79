"""Skills with manifests of every system."""

from __future__ import annotations

import json
from typing import Any

CONTRACT = """---
# what it is called
name: notes
description: Finds notes. Use when a note is looked for.
manifest_version: "1.0"
version: 1.2.0
inputs:
  required:
    - name: query
      description: What to look for
      schema: {type: string, pattern: "^a"}
  optional:
    - name: limit
      description: How many
      schema: {type: integer, default: 5}
    - name: key
      description: A key
      sensitive: true
      schema: {type: string}
env:
  required:
    - name: HOME
outputs:
  files:
    - pattern: "{{query}}.md"
      description: The note
execution:
  network: true
  timeout: 30
---

# Notes
"""
BLOCK: dict[str, Any] = {
    "schema_version": "2.0",
    "id": "notes",
    "version": "0.3.0",
    "capabilities": ["note-find"],
    "effects": ["fs.read", "net.fetch"],
    "operations": {
        "find": {
            "description": "Find a note",
            "input": {
                "query": {"type": "string", "required": True, "description": "What to look for"},
                "limit": {"type": "integer", "default": 5},
                "extra": {"type": "json", "default": {"a": []}},
            },
            "output": {"description": "The notes", "fields": {"data": "array"}},
            "entrypoints": {"unix": ["bash", "n.sh", "{query}", "{limit}", "{extra}"]},
        }
    },
    "stdout_contract": {"last_line_json": True},
}
V1: dict[str, Any] = {
    "schema_version": "1.0.0-draft",
    "id": "x.notes",
    "name": "Notes",
    "version": "0.1.0",
    "entrypoint": "run",
    "artifact": "sha256:" + "0" * 64,
    "capabilities": [{"kind": "fs.read", "value": "/data"}, {"kind": "env", "value": "HOME"}],
    "signers": ["alice"],
    "inputs_schema": {"type": "object"},
    "outputs_schema": {},
}
CARO = """[skill]
id = "tool.notes"
name = "Notes"   # a title
version = "0.1.0"
description = "Finds notes"
api_version = "1.0"

[provides]
recipes = true

[capabilities]
filesystem_read = ["~/notes"]

[platform]
required_tools = ["git"]
"""
RECIPE = """id: find
name: Find a note
description: Look a note up
parameters:
  - {name: query, type: string, required: true, description: What, validation: "^a"}
steps:
  - {command: "grep {{query}} notes", confirmation: always}
"""


def markdown(block: Any) -> str:
    text = (
        "---\nname: notes\ndescription: Finds notes. Use when one is looked for.\n---\n\nAbove.\n"
    )
    return f"{text}\n```skill-manifest\n{json.dumps(block, indent=2)}\n```\n\nBelow.\n"


SOURCES: dict[str, dict[str, bytes]] = {
    "agent-skills": {
        "SKILL.md": b"---\nname: notes\ndescription: Finds notes. Use it.\nallowed-tools: Read, X"
        b"\nhidden: true\nmetadata: {a: 1.10, b: [x, y]}\n---\nText.\n"
    },
    "frontmatter-1.0": {"SKILL.md": CONTRACT.encode()},
    "skill-manifest-2.0": {"SKILL.md": markdown(BLOCK).encode(), "n.sh": b"#!/bin/sh\n"},
    "provenact-1": {"manifest.json": json.dumps(V1, indent=2).encode()},
    "caro-1.0": {"skill.toml": CARO.encode(), "recipes/find.yaml": RECIPE.encode()},
}
