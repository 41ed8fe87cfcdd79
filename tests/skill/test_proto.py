"""Protos against the skills of a workspace; the marks enclose each finding's place."""

from __future__ import annotations

import pytest
from tests.manifest.marked import expected

from skillstudio.files.tree import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.proto import check_proto
from skillstudio.text.source import Source

GREETER = """---
manifest_version: "1.0"
name: greeter
description: Greets the user
version: 1.2.0
inputs:
  required:
    - name: username
      description: Name of the user
      schema:
        type: string
        pattern: ^[A-Z]
  optional:
    - name: tone
      description: How to greet
      schema:
        type: string
        default: warm
---
"""
PLAIN = "---\nname: plain\ndescription: d\n---\n"
SKILLS = {
    name: locate(MemoryTree({"SKILL.md": text.encode()}, name)).skill
    for name, text in (("greeter", GREETER), ("plain", PLAIN))
}
FULL = "    inputs: {username: Ada, tone: dry}\n"

CASES = [
    ("", f"steps:\n  - skill: greeter\n{FULL}"),
    ("", "skill: plain\ninputs:\n  anything: 1\n"),
    ("", "skill:\n  id: greeter\n  min_version: 1.0.0\ninputs: {username: Ada, tone: dry}\n"),
    ("", "skill:\n  id: plain\n  content_hash: sha256:abc\n"),
    ("", "skill: greeter\ninputs:\n  username: '{{who}}'\n  tone: dry\n"),
    ("binding-skill-missing", "skill: «greter»\n"),
    ("binding-skill-missing", "steps:\n  - a:\n      - skill:\n          id: «'gone'»\n"),
    ("binding-input-unmapped", "skill: «greeter»\ninputs:\n  tone: dry\n"),
    ("binding-input-optional", "skill: «greeter»\ninputs:\n  username: Ada\n"),
    (
        "binding-input-unknown",
        "skill: greeter\ninputs:\n  «name»: x\n  username: Ada\n  tone: dry\n",
    ),
    ("binding-input-invalid", "skill: greeter\ninputs:\n  username: «ada»\n  tone: dry\n"),
    ("binding-version-low", "skill:\n  id: «plain»\n  min_version: 1.0.0\n"),
    (
        "binding-version-low",
        "skill:\n  id: «greeter»\n  min_version: 2.0.0\ninputs: {username: Ada, tone: dry}\n",
    ),
    ("syntax-yaml", "skill: plain\n«}»\n"),
]


@pytest.mark.parametrize(("rule", "marked"), CASES)
def test_a_finding_stands_at_its_place(rule: str, marked: str) -> None:
    text, places = expected(rule, marked)
    told = check_proto(Source(text, "proto.yaml"), SKILLS.get, SKILLS)
    assert [f"{d.rule} {d.span.start}-{d.span.end}" for d in told if d.span] == places
    assert all(each.path == "proto.yaml" for each in told)
