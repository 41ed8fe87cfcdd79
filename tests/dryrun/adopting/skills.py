"""A skill of each dialect that declares next to nothing, and reports of runs of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from skillstudio.dryrun.adopting.finding import AdoptFinding, Case, InstalledProgram
from skillstudio.dryrun.adopting.findings import findings, make_case
from skillstudio.dryrun.plan import IsolationChoice, Plan, Roots, Step
from skillstudio.dryrun.report import (
    JudgedContract,
    JudgedEffect,
    JudgedOutput,
    RunEnding,
    RunReport,
)
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate

ROOTS = Roots("/w", "/w/skills/doer")
HOME = "/home/ann"
HEAD = "name: doer\ndescription: Does it. Use when it is to be done.\n"
PLAIN = f"---\n{HEAD}---\n\n# Doer\n\n`do.py` does it.\n"

FRONTMATTER = f"""\
---
manifest_version: "1.0"
{HEAD}version: 1.0.0
inputs:
  required:
    - {{name: date, description: The day, schema: {{type: string}}}}
  optional:
    - {{name: topic, description: A word, schema: {{type: string, default: tea}}}}
    - {{name: extra, description: Perhaps, schema: {{type: string}}}}
    - {{name: names, description: Several, schema: {{type: array, default: []}}}}
    - name: token
      description: Secret
      sensitive: true
      schema: {{type: string}}
preconditions:
  commands:
    - cmd: make
outputs:
  files:
    - pattern: old.txt
execution:
  network: false   # as far as I know
---

`do.py` does it.
"""


def two(effects: Sequence[str] = (), fields: Mapping[str, str] | None = None) -> str:
    """A skill-manifest-2.0."""
    manifest = {
        "schema_version": "2.0",
        "id": "doer",
        "version": "1.0.0",
        "capabilities": [],
        "effects": list(effects),
        "operations": {
            "do": {
                "description": "Does it",
                "input": {},
                "output": {"description": "said", "fields": dict(fields or {"status": "string"})},
                "entrypoints": {"unix": ["python3", "do.py"], "windows": ["python", "do.py"]},
            }
        },
        "stdout_contract": {"last_line_json": True},
    }
    text = json.dumps(manifest, indent=2)
    return f"---\n{HEAD}---\n\n```skill-manifest\n{text}\n```\n"


ROUTER = f"""\
---
{HEAD}---

```router-manifest
{{
  "id": "doer",
  "version": "1.0.0",
  "entrypoints": {{"do": {{"unix": ["python3", "do.py"], "windows": ["python", "do.py"]}}}},
  "stdout_contract": {{"last_line_json": true}}
}}
```
"""
CARO = """\
[skill]
id = "tool.doer"
name = "Doer"
version = "1.0.0"
description = "Does it"
authors = ["a <a@example.org>"]
license = "MIT"
api_version = "1.0"

[provides]
recipes = true

[recipes]
files = ["recipes/*.yaml"]
"""
RECIPE = """\
id: do
name: Do it
description: Does it
parameters: []
steps:
  - {id: do, name: Do, command: python3 do.py, confirmation: auto}
"""
WASM = b"\0asm\x01\0\0\0"
PROVENACT_1 = """\
{
  "schema_version": "1.0.0-draft",
  "id": "doer",
  "name": "Doer",
  "version": "0.1.0",
  "entrypoint": {"kind": "wasi-command", "path": "skill.wasm"},
  "artifact": "sha256:93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476",
  "capabilities": [],
  "signers": [],
  "inputs_schema": {"type": "object"},
  "outputs_schema": {"type": "object"},
  "provenance": {},
  "compatibility": {"runtime_profiles": [], "adapter_profiles": []}
}
"""
PROVENACT_0 = """\
{
  "schema_version": "v0",
  "skill_id": "org.doer",
  "version": "0.1.0",
  "entrypoint": {"wasm": "skill.wasm", "wasi": "preview2"},
  "description": "Does it",
  "inputs": {"content_type": "application/json", "json_schema": {"type": "object"}},
  "outputs": {"content_type": "application/json", "json_schema": {"type": "object"}},
  "caps": [],
  "limits": {"cpu_ms": 1, "mem_mb": 1, "io_bytes": 1}
}
"""
BUNDLE = """\
{
  "name": "doer",
  "version": "0.1.0",
  "entrypoint": "run",
  "artifact": "sha256:93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476",
  "capabilities": [],
  "signers": []
}
"""

SKILLS: dict[str, tuple[dict[str, str], str]] = {
    "agent-skills": ({"SKILL.md": PLAIN}, "do.py"),
    "frontmatter-1.0": ({"SKILL.md": FRONTMATTER}, "do.py"),
    "skill-manifest-2.0": ({"SKILL.md": two()}, "do"),
    "router-manifest-1": ({"SKILL.md": ROUTER}, "do"),
    "caro-1.0": ({"skill.toml": CARO, "recipes/do.yaml": RECIPE}, "do"),
    "provenact-1": ({"manifest.json": PROVENACT_1}, ""),
    "provenact-0": ({"manifest.json": PROVENACT_0}, ""),
    "provenact-bundle": ({"manifest.json": BUNDLE}, ""),
}
"""Dialect to its files and the operation that is run."""


def tree(files: Mapping[str, str]) -> MemoryTree:
    """A skill's folder; the program, and one of the skill's own, lie in it too."""
    own = {"do.py": b"#!/usr/bin/env python3\n", "bin/helper": b"#!/bin/sh\n", "skill.wasm": WASM}
    return MemoryTree({**own, **{path: text.encode() for path, text in files.items()}}, "doer")


def report(dialect: str, **parts: Any) -> RunReport:
    """The report of a run that ended well, was traced, and did nothing but what is given."""
    plan = Plan(
        skill="doer",
        operation=SKILLS[dialect][1],
        dialect=dialect,
        argv={},
        cwd="/w",
        env=(),
        inputs=parts.pop("inputs", {}),
        requirements=(),
        outputs=(),
        effects=(),
        isolation=IsolationChoice("isolated", (), {}),
        problems=(),
        roots=ROOTS,
        steps=(Step(("python3", "do.py")),),
    )
    whole: dict[str, Any] = {
        "ending": RunEnding(0),
        "contract": JudgedContract(True),
        "effects": (),
        "outputs": (),
        "changes": (),
        "differences": (),
        "traced": True,
        **parts,
    }
    return RunReport("20261121T101112-123abcd", plan, **whole)


def undeclared(effect: str, *evidence: str) -> JudgedEffect:
    return JudgedEffect(effect, False, "undeclared", evidence, True)


def written(*paths: str) -> tuple[JudgedOutput, ...]:
    return tuple(JudgedOutput("", "undeclared", (path,), True) for path in paths)


def look(names: Sequence[str]) -> Mapping[str, InstalledProgram]:
    """A machine with git 2.40, psql 15.4 and a tool that does not say its version."""
    have = {
        "git": InstalledProgram("/usr/bin/git", "2.40"),
        "psql": InstalledProgram("/usr/bin/psql", "15.4"),
        "quiet": InstalledProgram("/usr/bin/quiet", ""),
    }
    return {name: have[name] for name in names if name in have}


def case(dialect: str, files: Mapping[str, str] | None = None, **parts: Any) -> Case:
    """A run of the skill of a dialect, or of other files of it."""
    skill = locate(tree(SKILLS[dialect][0] if files is None else files)).skill
    return make_case(report(dialect, **parts), skill, HOME, look)


def found(dialect: str, files: Mapping[str, str] | None = None, **parts: Any) -> list[AdoptFinding]:
    return list(findings(case(dialect, files, **parts)))
