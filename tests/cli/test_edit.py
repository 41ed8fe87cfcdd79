"""`skillstudio edit`: one value changes, and no other byte."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

Skill = Callable[..., Path]

YAML = """---
manifest_version: "1.0"   # a comment
name: plain
description: 'Says. Use it.'
outputs:
  files:
    - pattern: a.md
      description: One
    - pattern: "b.md"
      description: Two
  artifacts: []
---
Say.\r
"""
JSON = """---
name: plain
description: Says. Use it.
---
```skill-manifest
{ "schema_version": "2.0",
  "id": "plain", "capabilities": [ "text-say" ],
  "stdout_contract": { "last_line_json": true } }
```
"""
TOML = """# a comment
[skill]
id = 'tool.plain'      # kept
name = "Plain"
keywords = ["a", "b"]

[features]
one = { description = "One", default = true }
"""

EDITS = [
    # YAML
    ("SKILL.md", "set /outputs/files/1/pattern c.md", '"b.md"', '"c.md"'),
    ("SKILL.md", "set /outputs/files/0/pattern {{a}}.md", "a.md", '"{{a}}.md"'),
    ("SKILL.md", "set /description Tells.", "'Says. Use it.'", "'Tells.'"),
    ("SKILL.md", "set /license MIT", "  artifacts: []\n", "  artifacts: []\nlicense: MIT\n"),
    ("SKILL.md", "set /sensitive true", "  artifacts: []\n", "  artifacts: []\nsensitive: true\n"),
    ("SKILL.md", "add /outputs/artifacts/- log", "[]", "[log]"),
    (
        "SKILL.md",
        'add /outputs/files/- {"pattern":"c.md"}',
        "      description: Two\n",
        "      description: Two\n    - pattern: c.md\n",
    ),
    ("SKILL.md", "remove /outputs/files/0/description", "      description: One\n", ""),
    ("SKILL.md", "rename /outputs/files/0/description about", "description: One", "about: One"),
    # JSON
    ("block", "set /id other", '"id": "plain"', '"id": "other"'),
    ("block", "set /stdout_contract/last_line_json false", "true", "false"),
    ("block", "add /capabilities/- text-tell", '[ "text-say" ]', '[ "text-say", "text-tell" ]'),
    ("block", "remove /capabilities", '"capabilities": [ "text-say" ],\n  ', ""),
    ("block", "rename /stdout_contract/last_line_json json", '"last_line_json"', '"json"'),
    # TOML
    ("skill.toml", "set /skill/id tool.other", "'tool.plain'", "'tool.other'"),
    ("skill.toml", "add /skill/keywords/- c", '["a", "b"]', '["a", "b", "c"]'),
    ("skill.toml", "set /features/one/default false", "true", "false"),
    ("skill.toml", "remove /skill/name", 'name = "Plain"\n', ""),
    ("skill.toml", "rename /features/one uno", "one = {", "uno = {"),
]
TEXTS = {"SKILL.md": YAML, "block": JSON, "skill.toml": TOML}


@pytest.mark.parametrize(("where", "words", "old", "new"), EDITS, ids=[e[1] for e in EDITS])
def test_one_splice(run: Run, tmp_path: Path, where: str, words: str, old: str, new: str) -> None:
    text = TEXTS[where]
    assert text.count(old) == 1
    file = tmp_path / ("SKILL.md" if where == "block" else where)
    file.write_bytes(text.encode())
    ran = run("edit", tmp_path, *words.split(" ", 2))
    assert ran == (0, "", "")
    assert file.read_bytes() == text.replace(old, new).encode()


@pytest.mark.parametrize(
    ("value", "options", "written"),
    [
        ("7", [], "7"),
        ("7", ["--string"], '"7"'),
        ("null", [], "null"),
        ("seven", [], "seven"),
        ("NaN", [], "NaN"),
        ('"7"', [], '"7"'),
        ("[1, 2]", [], "\n  - 1\n  - 2"),
        ("true", ["--string"], '"true"'),
        ("a: b", [], '"a: b"'),
        ("", [], '""'),
    ],
)
def test_a_value_is_json_where_it_is_json(
    run: Run, skill: Skill, value: str, options: list[str], written: str
) -> None:
    folder = skill(text="---\nname: plain\ndescription: Says.\nx-a: old\n---\n")
    assert run("edit", folder, "set", "/x-a", value, *options).status == 0
    text = (folder / "SKILL.md").read_text()
    written = written if written.startswith("\n") else f" {written}"
    assert text == f"---\nname: plain\ndescription: Says.\nx-a:{written}\n---\n"


def test_a_value_that_begins_with_a_dash_follows_two(run: Run, skill: Skill) -> None:
    folder = skill()
    assert run("edit", folder, "set", "/license", "-x").status == 2
    assert run("edit", folder, "set", "/license", "--", "-x").status == 0
    assert "\nlicense: -x\n" in (folder / "SKILL.md").read_text()


def test_diff_shows_and_does_not_write(run: Run, skill: Skill) -> None:
    folder = skill(text=YAML)
    ran = run("edit", folder, "set", "/name", "other", "--diff")
    assert ran.status == 0
    assert ran.out.splitlines()[0] == f"--- a/{folder}/SKILL.md"
    assert "-name: plain\n+name: other\n" in ran.out
    assert (folder / "SKILL.md").read_bytes() == YAML.encode()


def test_a_pointer_that_fits_two_manifests_asks_which(run: Run, skill: Skill) -> None:
    """`id` stands in one manifest only, a new key could be added to either."""
    folder = skill(text=JSON)
    ran = run("edit", folder, "set", "/license", "MIT")
    assert ran.status == 2
    assert "--dialect: agent-skills, skill-manifest-2.0" in ran.err
    assert (folder / "SKILL.md").read_text() == JSON
    assert run("edit", folder, "set", "/license", "MIT", "--dialect", "agent-skills").status == 0
    assert run("edit", folder, "set", "/id", "other").status == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("remove /nothing", "no value at /nothing"),
        ("rename /name description", "the key description already exists"),
        ("set /name/first a", "no list or mapping at /name"),
        ("add /outputs/files/9 {}", "the list has no item 9"),
    ],
)
def test_a_refused_edit_exits_1_with_the_reason(
    run: Run, skill: Skill, words: str, reason: str
) -> None:
    folder = skill(text=YAML)
    ran = run("edit", folder, *words.split(" ", 2))
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"skillstudio: {folder}/SKILL.md: {reason}\n"
    assert (folder / "SKILL.md").read_bytes() == YAML.encode()


@pytest.mark.parametrize(
    "words",
    [
        "set name a",
        "set /name",
        "remove /name a",
        "set /name a --dialect caro-1.0",
        "move /name /title",
        "rename-input name",
        "rename-input old new --dialect agent-skills",
        "rename-input old new --name other",
        "add-operation scripts/go.py extra",
        "add-operation scripts/go.py --prose",
        "set /name a --prose",
    ],
)
def test_wrong_use_exits_2(run: Run, skill: Skill, words: str) -> None:
    assert run("edit", skill(), *words.split()).status == 2


@pytest.mark.skipif(os.name == "nt", reason="permission bits are POSIX")
@pytest.mark.parametrize("bits", [0o600, 0o755])
def test_the_mode_stays(run: Run, skill: Skill, bits: int) -> None:
    file = skill() / "SKILL.md"
    file.chmod(bits)
    assert run("edit", file, "set", "/license", "MIT").status == 0
    assert stat.S_IMODE(file.stat().st_mode) == bits


def test_an_edit_that_changes_nothing_does_not_write(run: Run, skill: Skill) -> None:
    file = skill() / "SKILL.md"
    before = file.stat()
    assert run("edit", file, "set", "/name", "plain") == (0, "", "")
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("action", ["add", "set"])
@pytest.mark.parametrize("keys", ["", "metadata:\n", "metadata: {}\n"])
def test_a_missing_mapping_is_made(run: Run, tmp_path: Path, action: str, keys: str) -> None:
    head = "---\nname: tea\ndescription: Makes tea. Use it for tea.\n"
    file = tmp_path / "tea" / "SKILL.md"
    file.parent.mkdir()
    file.write_text(f"{head}{keys}---\nGo.\n")
    assert run("edit", str(file.parent), action, "/metadata/version", "0.1.0").status == 0
    assert file.read_text() in (
        f"{head}metadata:\n  version: 0.1.0\n---\nGo.\n",
        f"{head}metadata: {{version: 0.1.0}}\n---\nGo.\n",
    )
    assert run("edit", str(file.parent), action, "/a/b/c", "x").status == 1
