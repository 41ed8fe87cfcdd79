"""Protos against the skills of a workspace; the marks enclose each finding's place."""

from __future__ import annotations

import hashlib

import pytest
from tests.manifest.marked import expected

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.pins.proto import check_proto
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
PINNED = "---\nname: pinned\ndescription: d\nversion: 1.2.0\n---\n"
DATED = "---\nname: dated\ndescription: d\nversion: '2025'\n---\n"
ROUTER = """---
name: router
description: d
---
```skill-manifest
{"schema_version": "2.0", "id": "router", "version": "0.3.0", "operations": {}}
```
"""
UNSUPPORTED = """---
manifest_version: "2.0"
name: unsupported
description: d
inputs: 7
---
"""
NEEDING = """---
manifest_version: "1.0"
name: needing
description: d
inputs:
  required:
    - name: key
      description: The key
      sensitive: true
      schema: {type: string}
preconditions:
  files:
    - path: there.sh
    - path: gone.sh
    - path: elsewhere.sh
      base: repo_root
---
"""
CARO = '[skill]\nid = "tool.caro"\nname = "c"\nversion = "1.0.0"\napi_version = "9.0"\n'
PLAIN = "---\nname: plain\ndescription: d\n---\n"
SKILLS = {
    name: locate(MemoryTree({"SKILL.md": text.encode()}, name)).skill
    for name, text in (
        ("greeter", GREETER),
        ("plain", PLAIN),
        ("pinned", PINNED),
        ("dated", DATED),
        ("router", ROUTER),
        ("unsupported", UNSUPPORTED),
    )
}
SKILLS["needing"] = locate(
    MemoryTree({"SKILL.md": NEEDING.encode(), "there.sh": b""}, "needing")
).skill
SKILLS["tool.caro"] = locate(MemoryTree({"skill.toml": CARO.encode()}, "caro")).skill
PLAIN_HASH, PINNED_HASH = (
    "sha256:" + hashlib.sha256(b"./SKILL.md\n" + text.encode()).hexdigest()
    for text in (PLAIN, PINNED)
)
FULL = "    inputs: {username: Ada, tone: dry}\n"

CASES = [
    ("", f"steps:\n  - skill: greeter\n{FULL}"),
    ("", "skill: plain\ninputs:\n  anything: 1\n"),
    ("", "skill:\n  id: greeter\n  min_version: 1.0.0\ninputs: {username: Ada, tone: dry}\n"),
    ("", f"skill:\n  id: plain\n  content_hash: {PLAIN_HASH}\n"),
    ("", f"skill: {{id: pinned, content_hash: {PINNED_HASH}, min_version: 1.2.0}}\n"),
    ("", "skill: {id: router, min_version: 0.3.0}\n"),
    ("", "skill: {name: plain}\n"),
    ("", "skill: greeter\ninputs:\n  username: '{{who}}'\n  tone: dry\n"),
    ("binding-skill-missing", "skill: «greter»\n"),
    ("binding-skill-missing", "steps:\n  - a:\n      - skill:\n          id: «'gone'»\n"),
    ("manifest-version-unsupported", "skill: «unsupported»\n"),
    ("api-version-unsupported", "skill: «tool.caro»\n"),
    ("binding-file-missing", "skill: «needing»\ninputs: {key: '{{key}}'}\n"),
    ("binding-input-unmapped", "skill: «greeter»\ninputs:\n  tone: dry\n"),
    ("binding-input-optional", "skill: «greeter»\ninputs:\n  username: Ada\n"),
    (
        "binding-input-unknown",
        "skill: greeter\ninputs:\n  «name»: x\n  username: Ada\n  tone: dry\n",
    ),
    ("binding-input-invalid", "skill: greeter\ninputs:\n  username: «ada»\n  tone: dry\n"),
    ("binding-hash-mismatch", f"skill:\n  id: plain\n  content_hash: «{PINNED_HASH}»\n"),
    ("binding-hash-malformed", "skill:\n  id: plain\n  content_hash: «sha256:abc»\n"),
    ("binding-hash-malformed", f"skill: {{id: plain, content_hash: «{PLAIN_HASH.upper()}»}}\n"),
    ("binding-hash-malformed", f"skill: {{id: plain, content_hash: «'{PLAIN_HASH[7:]}'»}}\n"),
    ("binding-hash-malformed", "skill: {id: plain, content_hash: «12»}\n"),
    ("binding-hash-malformed", "skill: {id: plain, content_hash: «[sha256]»}\n"),
    ("binding-version-low", "skill:\n  id: plain\n  min_version: «1.0.0»\n"),
    ("binding-version-low", "skill: {id: dated, min_version: «1.0.0»}\n"),
    ("binding-version-low", "skill: {id: pinned, min_version: «1.2.1»}\n"),
    ("binding-version-low", "skill: {id: router, min_version: «0.3.1»}\n"),
    (
        "binding-version-low",
        "skill:\n  id: greeter\n  min_version: «2.0.0»\ninputs: {username: Ada, tone: dry}\n",
    ),
    ("binding-version-malformed", "skill: {id: pinned, min_version: «1.0»}\n"),
    ("binding-version-malformed", "skill: {id: pinned, min_version: «'1.0'»}\n"),
    ("binding-version-malformed", "skill: {id: pinned, min_version: «'>=1.0.0'»}\n"),
    ("binding-version-malformed", "skill: {id: pinned, min_version: «{a: 1}»}\n"),
    ("binding-pin-unknown", "skill: {id: pinned, «min_versoin»: 9.0.0}\n"),
    ("binding-skill-missing", "«skill»: {min_version: 1.0.0}\n"),
    ("syntax-yaml", "skill: plain\n«}»\n"),
]


@pytest.mark.parametrize(("rule", "marked"), CASES)
def test_a_finding_stands_at_its_place(rule: str, marked: str) -> None:
    text, places = expected(rule, marked)
    told = check_proto(Source(text, "proto.yaml"), SKILLS.get, SKILLS)
    assert [f"{d.rule} {d.span.start}-{d.span.end}" for d in told if d.span] == places
    assert all(each.path == "proto.yaml" for each in told)


def test_both_values_are_shown() -> None:
    proto = f"- skill: {{id: plain, content_hash: {PINNED_HASH}}}\n"
    proto += "- skill: {id: pinned, min_version: 2.0.0}\n- skill: {id: plain, min_version: 3.0.0}\n"
    told = check_proto(Source(proto, "proto.yaml"), SKILLS.get, SKILLS)
    shown = [(PLAIN_HASH, PINNED_HASH), ("1.2.0", "2.0.0"), ("no version", "3.0.0")]
    assert all(
        value in each.message for each, values in zip(told, shown, strict=True) for value in values
    )


def test_a_skill_without_a_hash_keeps_no_pin() -> None:
    files = {"SKILL.md": PLAIN.encode(), "a\nb": b""}
    skill = locate(MemoryTree(files, "plain")).skill
    text, places = expected(
        "binding-hash-mismatch", f"skill: {{id: plain, content_hash: «{PLAIN_HASH}»}}\n"
    )
    told = check_proto(Source(text, "proto.yaml"), {"plain": skill}.get)
    assert [f"{d.rule} {d.span.start}-{d.span.end}" for d in told if d.span] == places
    assert "line break" in told[0].message
