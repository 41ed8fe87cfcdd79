"""Skills to check: many of one kind, and long ones to type in."""

from __future__ import annotations

import json
from pathlib import Path

from skillstudio.manifest.registry import dialects, schema_of

SKILL = """\
---
manifest_version: "1.0"
name: {name}
description: Writes the log number {number} of a work session. Use when a session ends.
version: 1.{number}.0
inputs:
  required:
    - name: session_date
      description: Date of the session (YYYY-MM-DD)
      schema:
        type: string
        pattern: "^\\\\d{{4}}-\\\\d{{2}}-\\\\d{{2}}$"
  optional:
    - name: topic
      description: Brief topic descriptor for filename
      schema:
        type: string
        default: "session"
    - name: output_dir
      description: Directory for worklog output
      schema:
        type: string
        default: "docs/worklogs"
env:
  optional:
    - name: PROJECT
      description: Project name for context
preconditions:
  commands:
    - cmd: git
      min_version: "2.40"
outputs:
  files:
    - pattern: "{{{{output_dir}}}}/{{{{session_date}}}}-{{{{topic}}}}.org"
      base: repo_root
      description: The generated worklog file
execution:
  idempotent: false
  destructive: false
  network: false
  timeout: 30
sensitive: false
---
# {name}
"""


def skills(folder: Path, count: int) -> list[Path]:
    """So many frontmatter-1.0 skills of about 45 lines, and the YAML of each beside them."""
    yaml = folder / "yaml"
    yaml.mkdir(parents=True)
    made = []
    for number in range(count):
        name = f"worklog-{number}"
        text = SKILL.format(name=name, number=number)
        skill = folder / "skills" / name
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(text, encoding="utf-8")
        path = yaml / f"{name}.yaml"
        path.write_text(text.split("---\n")[1], encoding="utf-8")
        made.append(path)
    return made


def frontmatter_schema(folder: Path) -> Path:
    """One JSON Schema for the whole frontmatter, as a peer without dialects needs it."""
    known = {each.id: schema_of(each) for each in dialects()}
    agent, manifest = known["agent-skills"], known["frontmatter-1.0"]
    schema = {**manifest, "properties": {**agent["properties"], **manifest["properties"]}}
    path = folder / "frontmatter.schema.json"
    path.write_text(json.dumps(schema), encoding="utf-8")
    return path


def long_skill(lines: int) -> str:
    """The text of one skill with a manifest of about so many lines."""
    head, _, tail = SKILL.format(name="worklog", number=1).partition("env:\n")
    inputs = "".join(
        f"    - name: input_{number}\n      description: Input number {number}\n"
        '      schema:\n        type: string\n        default: "x"\n'
        for number in range(max((lines - 45) // 5, 0))
    )
    return head + inputs + "env:\n" + tail
