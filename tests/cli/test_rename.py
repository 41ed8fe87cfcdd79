"""`skillstudio edit SKILL rename-input`: a new name, wherever the skill has the old one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run

FRONTMATTER = """---
manifest_version: "1.0"
name: plain
description: Writes «topic» notes about topic.
inputs:
  required:
    - name: «topic»
      description: The topic.
      schema: {type: string}
  optional:
    - name: 'topics'
      description: Not it.
      schema: {type: string, default: a}
outputs:
  files:
    - pattern: "{{«topic»}}/{{ topic }}-{{topics}}-topic-{{«topic»}}.md"
interface:
  inputs: ["«topic»", topics]
  outputs:
    - pattern: "*/{{«topic»}}.md"
---
Write about topic, not topics.
"""
OPERATIONS = """---
name: plain
description: Searches. Use it.
---
```skill-manifest
{
  "schema_version": "2.0", "id": "plain", "version": "1.0.0",
  "capabilities": ["text-find"], "effects": ["proc.exec"],
  "operations": {
    "find": {
      "description": "Find topic.", "output": {"description": "It."},
      "input": {"«topic»": {"type": "string", "required": true, "description": "topic"}},
      "entrypoints": {"unix": ["find.sh", "{«topic»}", "--topic={«topic»}", "topic"]}
    },
    "other": {
      "description": "Other.", "output": {"description": "It."},
      "input": {"subject": {"type": "string", "required": true, "description": "It."}},
      "entrypoints": {"unix": ["find.sh", "{subject}"]}
    }
  }
}
```
"""
RECIPE = """id: one
name: One
description: The topic.
parameters:
  - name: «topic»
    type: string
    required: true
    description: The topic.
steps:
  - command: "say {{«topic»}} topic"
    confirmation: auto
"""
OTHER_RECIPE = """id: two
name: Two
description: Two.
parameters:
  - name: subject
    type: string
    required: true
    description: It.
steps:
  - command: say {{subject}}
"""
SKILL_TOML = (
    '[provides]\nrecipes = true\n[recipes]\nfiles = ["recipes/*.yaml"]\n[skill]\n'
    'id = "tool.plain"\nname = "Plain"\nversion = "1.0.0"\ndescription = "A topic."\n'
    'api_version = "1.0"\n'
)
SAMPLE = "operation: ''\ninputs:\n  «topic»: topic\n  topics: b\n"


def before(marked: str) -> str:
    return marked.replace("«", "").replace("»", "")


def after(marked: str) -> str:
    return marked.replace("«topic»", "subject")


def write(folder: Path, files: dict[str, str]) -> None:
    for path, marked in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(before(marked))


SKILLS = {
    "frontmatter, interface, samples": {
        "SKILL.md": FRONTMATTER.replace("Writes «topic»", "Writes topic"),
        "samples/day.yaml": SAMPLE,
    },
    "an operation and not its neighbour": {"SKILL.md": OPERATIONS},
    "a recipe and not its neighbour": {
        "skill.toml": SKILL_TOML,
        "recipes/one.yaml": RECIPE,
        "recipes/two.yaml": OTHER_RECIPE,
    },
}


@pytest.mark.parametrize("title", SKILLS)
def test_every_place_and_no_other(run: Run, tmp_path: Path, title: str) -> None:
    folder = tmp_path / "plain"
    files = SKILLS[title]
    write(folder, files)
    ran = run("edit", folder, "rename-input", "topic", "subject")
    assert (ran.status, ran.out) == (0, "")
    assert {path: (folder / path).read_text() for path in files} == {
        path: after(marked) for path, marked in files.items()
    }


def test_prose_is_offered(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"SKILL.md": FRONTMATTER})
    assert run("edit", tmp_path, "rename-input", "topic", "subject").err.startswith(
        "1 mention in prose not changed"
    )
    assert "Write about topic, not topics." in (tmp_path / "SKILL.md").read_text()
    write(tmp_path, {"SKILL.md": FRONTMATTER})
    assert run("edit", tmp_path, "rename-input", "topic", "subject", "--prose").err == ""
    assert "Write about subject, not topics." in (tmp_path / "SKILL.md").read_text()


def test_diff_shows_every_file_and_writes_none(run: Run, tmp_path: Path) -> None:
    write(tmp_path, SKILLS["frontmatter, interface, samples"])
    out = run("edit", tmp_path, "rename-input", "topic", "subject", "--diff").out
    assert [line for line in out.splitlines() if line.startswith("+++")] == [
        f"+++ b/{tmp_path}/SKILL.md",
        f"+++ b/{tmp_path}/samples/day.yaml",
    ]
    assert "subject" not in (tmp_path / "SKILL.md").read_text()


@pytest.mark.parametrize(
    ("name", "written"), [("yes", '"yes"'), ("null", '"null"'), ("y", '"y"'), ("when", "when")]
)
def test_a_name_that_yaml_reads_otherwise_is_quoted(
    run: Run, tmp_path: Path, name: str, written: str
) -> None:
    write(tmp_path, {"SKILL.md": FRONTMATTER})
    assert run("edit", tmp_path, "rename-input", "topic", name).status == 0
    text = (tmp_path / "SKILL.md").read_text()
    assert f"    - name: {written}\n" in text
    assert f'"*/{{{{{name}}}}}.md"' in text
    assert f'inputs: ["{name}", topics]' in text


LETTERS = "letters, digits, _ and -"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("nothing", "subject", "no manifest of the skill declares the input nothing"),
        ("topic", "topics", "the input topics already exists"),
        (
            "topic",
            "a b",
            "a b is not a valid name: start with a letter and use only letters, digits, _ and -",
        ),
        (
            "topic",
            "}}",
            "}} is not a valid name: start with a letter and use only letters, digits, _ and -",
        ),
    ],
)
def test_a_refused_rename_exits_1_with_the_reason(
    run: Run, tmp_path: Path, old: str, new: str, reason: str
) -> None:
    write(tmp_path, {"SKILL.md": FRONTMATTER})
    ran = run("edit", tmp_path, "rename-input", old, new)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"skillstudio: {tmp_path}: {reason}\n"
    assert (tmp_path / "SKILL.md").read_text() == before(FRONTMATTER)


def test_a_sample_that_has_the_new_name_too_is_in_the_way(run: Run, tmp_path: Path) -> None:
    files = {"SKILL.md": FRONTMATTER, "samples/day.yaml": "inputs: {topic: a, subject: b}\n"}
    write(tmp_path, files)
    ran = run("edit", tmp_path, "rename-input", "topic", "subject")
    assert ran.status == 1
    assert "samples/day.yaml: the key subject already exists" in ran.err
    assert (tmp_path / "SKILL.md").read_text() == before(FRONTMATTER)
