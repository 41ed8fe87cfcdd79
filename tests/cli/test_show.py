"""`skillstudio show`: the interface for people and for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from skillstudio.cli.output import Paint
from skillstudio.cli.show import interface_lines
from skillstudio.interface.model import Interface, Operation
from skillstudio.interface.type_words import type_words

EXAMPLES = Path(__file__).parents[2] / "examples"
Write = Callable[..., Path]
WORKLOG = """\
worklog  1.0.0  (agent-skills, frontmatter-1.0)
  Create org-mode worklogs documenting work sessions. Use at the end of a session, or when the user asks what was done.

inputs
  session_date  string matching ^\\d{4}-\\d{2}-\\d{2}$, required  Date of the session (YYYY-MM-DD)
  topic         string, optional, default "session"            Brief topic descriptor for filename
  output_dir    string, optional, default "docs/worklogs"      Directory for worklog output (relative to repo root)
  api_key       string, optional, sensitive                    API key for external service

outputs
  {{output_dir}}/{{session_date}}-{{topic}}.org  in repo_root  The generated worklog file

environment
  PROJECT    optional             Project name for context
  API_TOKEN  optional, sensitive  Authentication token

requirements
  git                           command from 2.40
  date                          command
  scripts/extract-metrics.sh    file in skill_root
  templates/worklog-template.org  file in skill_root

execution
  idempotent   no
  destructive  no
  network      no
  interactive  no
  timeout      30 s

guarantees
  inputs   session_date, topic, output_dir, api_key
  outputs  {{output_dir}}/{{session_date}}-{{topic}}.org
  env      PROJECT, API_TOKEN

about
  frontmatter-1.0  version 1.0
"""  # noqa: E501


def test_the_worklog_skill(run: Run) -> None:
    ran = run("show", EXAMPLES / "worklog")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == WORKLOG


@pytest.mark.parametrize(
    ("example", "shown"),
    [
        ("memory", "  limit  integer, optional, default 5  Max results to return"),
        ("memory", "unix     bash scripts/router_mem.sh search {query} {limit}"),
        ("memory", "status         ok | error"),
        ("memory", "proc.exec, db.read, db.write"),
        ("aws", "cloud.aws  0.3.0  (caro-1.0)"),
        ("aws", "exec-commands  aws, eksctl, kubectl"),
        ("aws", "platform-os                   everything"),
        ("aws", "dependency-range core.shell   >=1.0"),
        ("aws", "recipe-confirmation apply-manifests  prompt"),
        ("echo-json", "inputs-schema   object of message"),
        ("commit-notes", "commit-notes  without a version  (agent-skills)"),
        ("commit-notes", "It declares no interface"),
        ("deploy", "Every value of the skill counts as sensitive."),
        ("deploy", "deploy_key  string, required, sensitive"),
        ("greeter", "username  string, required  Name of the user to greet"),
    ],
)
def test_what_other_examples_show(run: Run, example: str, shown: str) -> None:
    assert shown in run("show", EXAMPLES / example).out


def test_json_is_the_interface_with_its_places(run: Run) -> None:
    told = run("show", EXAMPLES / "worklog", "--format", "json").json
    assert told["path"].endswith("examples/worklog")
    assert re.fullmatch("sha256:[0-9a-f]{64}", told["content_hash"])
    assert (told["name"], told["version"], told["ref"]) == ("worklog", "1.0.0", "")
    (operation,) = told["operations"]
    day, topic, *_ = operation["inputs"]
    # There is no default, which is not the same as the default null.
    assert "default" not in day
    assert topic["default"] == "session"
    assert topic["schema"] == {"type": "string"}
    assert told["execution"]["timeout"] == 30
    assert told["places"]["/inputs/topic"] == {"path": "SKILL.md", "line": 18, "column": 13}


def test_effects_that_are_stated_once_are_listed_once(run: Run, skill: Write) -> None:
    operations = {name: {"input": {}} for name in ("one", "two")}
    effects = ["db.read", "net.fetch"]
    block = json.dumps({"id": "made", "operations": operations, "effects": effects})
    text = f"---\nname: made\ndescription: x\n---\n```skill-manifest\n{block}\n```\n"
    shown = run("show", skill("made", text)).out.splitlines()
    assert shown.count("  db.read, net.fetch") == shown.count("effects") == 1
    assert shown.index("effects") > shown.index("two")


def test_effects_of_each_operation_are_listed_with_it() -> None:
    operations = tuple(Operation(name, effects=("db.read",)) for name in ("one", "two"))
    shown = list(interface_lines(Interface("made", operations=operations), Paint(False)))
    assert shown.count("    db.read") == shown.count("  effects") == 2


@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.iterdir()))
def test_every_example_in_both_formats(run: Run, example: str) -> None:
    if example == "history":
        return
    assert run("show", EXAMPLES / example).status == 0
    assert run("show", EXAMPLES / example, "--format", "json").json["dialects"]


SECRETS = """\
---
manifest_version: "1.0"
name: secret
description: Keeps secrets.
inputs:
  optional:
    - {name: pin, sensitive: true, schema: {type: string, enum: [hunter2, x], default: hunter2}}
---
"""


@pytest.mark.parametrize("format", ["text", "json"])
def test_values_of_sensitive_inputs_are_not_shown(run: Run, skill: Write, format: str) -> None:
    ran = run("show", skill("secret", SECRETS), "--format", format)
    assert ran.status == 0
    assert "hunter2" not in ran.out
    assert "pin" in ran.out


HOSTILE = """\
---
manifest_version: "1.0"
name: hostile
description: "a\\u001b[31mred\\u202eback\\nline"
inputs:
  required:
    - {name: "x\\u001b]0;title\\u0007", schema: {enum: ["\\u001b[2J"]}}
env: {required: [{name: "A\\u009bB"}]}
---
"""


def test_nothing_of_the_author_steers_the_terminal(run: Run, skill: Write) -> None:
    out = run("show", skill("hostile", HOSTILE)).out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert "␛[31mred" in out


def test_a_manifest_that_does_not_parse_is_refused_with_its_place(run: Run, skill: Write) -> None:
    ran = run("show", skill("plain", "---\nname: plain\ninputs: [\n---\n"))
    assert (ran.status, ran.out) == (2, "")
    assert re.search(r"plain/SKILL\.md:\d+:\d+: ", ran.err)


def test_what_is_no_skill_is_refused(run: Run, tmp_path: Path) -> None:
    ran = run("show", tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert "does not contain a skill" in ran.err
    assert run("show", tmp_path / "nowhere").status == 2
    assert run("show").status == 2


def test_numbers_that_json_cannot_write(run: Run, skill: Write) -> None:
    text = (
        '---\nmanifest_version: "1.0"\nname: odd\ndescription: x\ninputs: {optional: '
        "[{name: a, schema: {maximum: .inf, minimum: -.inf, default: .nan}}]}\n---\n"
    )
    (given,) = run("show", skill("odd", text), "--format", "json").json["operations"][0]["inputs"]
    assert given["schema"] == {"maximum": ".inf", "minimum": "-.inf"}
    assert given["default"] == ".nan"


@pytest.mark.slow
def test_ten_thousand_inputs(run: Run, skill: Write) -> None:
    inputs = {f"in_{number}": {"type": "string"} for number in range(10_000)}
    block = json.dumps({"id": "big", "operations": {"run": {"input": inputs}}})
    text = f"---\nname: big\ndescription: x\n---\n```skill-manifest\n{block}\n```\n"
    lines = run("show", skill("big", text), "--all").out.splitlines()
    assert "    in_9999  string, optional" in lines
    lines = run("show", skill("big", text)).out.splitlines()
    assert lines[-1] == "    … 9,900 more; use --all to show everything"
    assert "    in_99  string, optional" in lines
    found = run("show", skill("big", text), "--format", "json").json
    assert len(found["operations"][0]["inputs"]) == 1_000
    assert found["total"]["/operations/0/inputs"] == 10_000
    assert found["omitted"]["/operations/0/inputs"] == 9_000
    found = run("show", skill("big", text), "--format", "json", "--all").json
    assert (len(found["operations"][0]["inputs"]), "total" in found) == (10_000, False)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (True, "anything"),
        (False, "nothing"),
        ({}, "anything"),
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"type": "string", "pattern": "^a"}, "string matching ^a"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "integer from 1 to 9"),
        ({"type": "number", "exclusiveMinimum": 0}, "number above 0"),
        ({"enum": ["ok", 1, None]}, '"ok" or 1 or null'),
        ({"const": True}, "true"),
        ({"enum": list(range(9))}, "0 or 1 or 2 or 3 or 4 or 5 or 3 more"),
        ({"type": "array", "items": {"type": "string"}}, "array of string"),
        ({"type": "array", "items": {"items": {"items": {}}}}, "array of anything"),
        (
            {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]},
            "object of a?, b",
        ),
        ({"type": "object", "properties": {}}, "object"),
        ({"type": "string", "maxLength": 3, "title": "T"}, "string, with maxLength"),
        ({"oneOf": []}, "anything, with oneOf"),
        ({"type": 5, "enum": 5, "required": 5}, "5"),
        (5, "anything"),
    ],
)
def test_a_schema_in_words(schema: object, words: str) -> None:
    assert type_words(schema) == words
