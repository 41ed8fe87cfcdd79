"""The inputs of a run: typed, by default, from a sample, generated; every problem at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.dryrun.planning.conftest import Folder, a_plan, operation, rules

from skillstudio.dryrun.planning.typed import parse_value, render_value
from skillstudio.interface.wording import SENSITIVE
from skillstudio.text.strict_json import NotJson, read_json

TYPED = [
    ("5", {"type": "integer"}, 5),
    ("5.0", {"type": "integer"}, 5),
    ("-3", {"type": "integer"}, -3),
    ("5", {"type": "string"}, "5"),
    ("true", {"type": "string"}, "true"),
    ("012", {"type": "string"}, "012"),
    ("012", {"type": "integer"}, "012"),
    ("1.5", {"type": "number"}, 1.5),
    ("true", {"type": "boolean"}, True),
    ("yes", {"type": "boolean"}, "yes"),
    ("True", {"type": "boolean"}, "True"),
    ("[1, 2]", {"type": "array"}, [1, 2]),
    ('{"a": null}', {"type": "object"}, {"a": None}),
    ("null", {"type": ["null", "integer"]}, None),
    ("null", {"type": ["null", "string"]}, "null"),
    ("3", {"enum": [1, 2, 3]}, 3),
    ("3", {"enum": ["3", 3]}, "3"),
    ("3", {"enum": ["1"]}, "3"),
    ("7", {"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, 7),
    ("anything", {}, "anything"),
    ("5", {}, "5"),
    ("5", True, 5),
    ('"5"', True, "5"),
    ("1e400", {"type": "number"}, "1e400"),
    ("NaN", {"type": "number"}, "NaN"),
    ("9" * 5000, {"type": "integer"}, "9" * 5000),
    ("[" * 100_000, {"type": "array"}, "[" * 100_000),
]


@pytest.mark.parametrize(("text", "schema", "value"), TYPED, ids=lambda each: repr(each)[:30])
def test_a_text_is_read_as_its_schema_asks(text: str, schema: Any, value: Any) -> None:
    found = parse_value(text, schema)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["", "no", "{'a': 1}", "NaN", "1e999", "[1,]"])
def test_what_takes_anything_takes_json(text: str) -> None:
    with pytest.raises(NotJson):
        parse_value(text, True)


def test_a_key_stands_once() -> None:
    with pytest.raises(NotJson, match='duplicate key "a"'):
        read_json('{"b": {"a": 1, "a": 2}}')


def test_json_says_where_it_ends() -> None:
    with pytest.raises(NotJson, match="line 2, column 1"):
        read_json("[1,\n")


RENDERED = [
    ("a b", "a b"),
    (True, "true"),
    (False, "false"),
    (None, "null"),
    (5, "5"),
    (1.5, "1.5"),
    ([1, "é"], '[1,"é"]'),
    ({"a": {"b": None}}, '{"a":{"b":null}}'),
]


@pytest.mark.parametrize(("value", "text"), RENDERED)
def test_a_value_as_an_argument(value: Any, text: str) -> None:
    assert render_value(value) == text


LIMIT = {"type": "integer", "required": False, "default": 5}
NOTE = {"type": "string", "required": False}
ARGV = ["printf", "--", "{query}", "{limit}", "{note}"]


def planned(folder: Folder, texts: Mapping[str, str] | None = None, **more: Any) -> Any:
    folder.block(operation(ARGV, query="string", limit=LIMIT, note=NOTE))
    return a_plan(folder.path, "go", texts, **more)


def test_what_is_not_given_is_its_default_else_absent_and_marked(folder: Folder) -> None:
    found = planned(folder, {"query": "x"})
    assert found.plan.inputs == {"query": "x", "limit": 5}
    assert found.plan.empty == ("note",)
    assert found.launch.steps[0].argv == ("printf", "--", "x", "5", "")


def test_null_is_a_value_and_not_the_lack_of_one(folder: Folder) -> None:
    found = planned(folder, value={"query": "x", "note": None})
    (problem,) = found.plan.problems
    assert (problem.rule, problem.pointer) == ("input-invalid", "/operations/go/inputs/note")


def test_every_problem_is_told_at_once_and_points_at_its_input(folder: Folder) -> None:
    found = planned(folder, {"limit": "many", "qery": "x"})
    assert [(each.rule, each.pointer) for each in found.plan.problems] == [
        ("input-unknown", "/operations/go/inputs/qery"),
        ("input-missing", "/operations/go/inputs/query"),
        ("input-invalid", "/operations/go/inputs/limit"),
    ]
    assert "did you mean query?" in found.plan.problems[0].message
    assert found.plan.problems[2].message == "limit must be a whole number"
    assert found.launch is None


def test_texts_go_over_json_and_json_over_a_sample(folder: Folder) -> None:
    found = planned(
        folder,
        {"query": "text"},
        value={"query": "json", "limit": 2},
        sample={"query": "sample", "limit": 1, "note": "sample"},
    )
    assert found.plan.inputs == {"query": "text", "limit": 2, "note": "sample"}


@pytest.mark.parametrize("value", [[1], "text", 5, None])
def test_inputs_that_are_no_object(folder: Folder, value: Any) -> None:
    assert "inputs-form" in rules(planned(folder, value=value))


def test_json_is_taken_as_it_is(folder: Folder) -> None:
    found = planned(folder, value={"query": "012", "limit": "5"})
    assert [each.message for each in found.plan.problems] == ["limit must be a whole number"]


def test_a_default_satisfies_a_required_input_and_is_marked(folder: Folder) -> None:
    given = {"type": "string", "required": True, "default": "x"}
    folder.block(operation(["printf", "{a}"], a=given))
    found = a_plan(folder.path, "go")
    assert found.plan.inputs == {"a": "x"}
    assert found.plan.defaults == ("a",)
    assert found.launch.steps[0].argv == ("printf", "x")
    assert a_plan(folder.path, "go", {"a": "y"}).plan.defaults == ()


def test_a_generated_value_is_no_default(folder: Folder) -> None:
    folder.frontmatter(
        "sensitive: true\ninputs: {required: [{name: a, schema: {type: string}},"
        " {name: b, schema: {type: string, default: c}}]}\n"
    )
    assert a_plan(folder.path).plan.defaults == ("b",)


def test_a_default_is_validated_too(folder: Folder) -> None:
    folder.frontmatter(
        "inputs: {optional: [{name: day, schema: {type: string, pattern: '^\\d+$', default: x}}]}\n"
    )
    assert rules(a_plan(folder.path)) == ["input-invalid", "nothing-to-start"]


def test_a_schema_that_cannot_be_used_is_said_and_stops_nothing(folder: Folder) -> None:
    folder.frontmatter("inputs: {required: [{name: a, schema: {type: strin}}]}\n")
    found = a_plan(folder.path, "", {"a": "x"})
    assert ("input-schema", "warning") in [(e.rule, e.severity) for e in found.plan.problems]


SECRETS = """\
inputs:
  required:
    - {name: key, sensitive: true, schema: {type: string}}
    - {name: pin, sensitive: true, schema: {type: string, pattern: "^[0-9]{4}$"}}
  optional: [{name: other, sensitive: true, schema: {type: string}}]
env:
  required: [{name: TOKEN, sensitive: true}, {name: PLAIN}]
  optional: [{name: SPARE, sensitive: true}]
"""


def secret_skill(folder: Folder, more: str = "") -> Folder:
    return folder.frontmatter(SECRETS + more).file("go.sh", "#!/bin/sh\n", 0o755)


def test_secrets_are_made_up_where_they_are_required(folder: Folder) -> None:
    secret_skill(folder)
    found = a_plan(folder.path, "go.sh")
    assert found.launch is not None
    env = found.launch.env
    assert env["SKILL_INPUT_KEY"] == "skillstudio-dummy-key"
    assert env["SKILL_INPUT_PIN"].isdecimal()
    assert len(env["SKILL_INPUT_PIN"]) == 4
    assert env["TOKEN"] == "skillstudio-dummy-TOKEN"
    assert not {"SPARE", "SKILL_INPUT_OTHER", "PLAIN"} & env.keys()
    assert found.plan.inputs == {"key": SENSITIVE, "pin": SENSITIVE}
    assert "variable-unset" in rules(found)
    # A pin of four digits that fits the schema would be masked in every date.
    assert set(found.launch.secrets) == {"skillstudio-dummy-key", "skillstudio-dummy-TOKEN"}


def test_given_secrets_reach_the_program_and_nothing_that_is_shown(folder: Folder) -> None:
    secret_skill(folder)
    found = a_plan(
        folder.path,
        "go.sh",
        secrets={"key": "hunter2-key", "pin": "1234", "TOKEN": "hunter2-token", "SPARE": "hunter3"},
        arguments=("--with=hunter2-key", "plain"),
    )
    assert found.launch is not None
    assert found.launch.env["SKILL_INPUT_KEY"] == "hunter2-key"
    assert found.launch.env["SPARE"] == "hunter3"
    assert found.launch.steps[0].argv[-2:] == ("--with=hunter2-key", "plain")
    assert set(found.launch.secrets) == {"hunter2-key", "1234", "hunter2-token", "hunter3"}
    assert "hunter" not in str(found.plan)
    assert "1234" not in str(found.plan)
    assert f"--with={SENSITIVE}" in found.plan.argv["unix"][0]


def test_a_secret_has_no_place_in_a_command_line(folder: Folder) -> None:
    secret_skill(folder)
    found = a_plan(folder.path, "go.sh", {"key": "hunter2"})
    assert "input-secret" in rules(found)
    assert "hunter2" not in str(found.plan)


def test_a_wrong_secret_is_told_without_what_its_schema_allows(folder: Folder) -> None:
    schema = "{enum: [hunter2, hunter3]}"
    folder.frontmatter(
        f"inputs: {{required: [{{name: key, sensitive: true, schema: {schema}}}]}}\n"
    )
    found = a_plan(folder.path, "", secrets={"key": "guess-of-it"})
    assert found.plan.problems[0].message == "key does not fit its schema"
    assert not any(word in str(found.plan) for word in ("hunter", "guess"))


def test_a_secret_that_nothing_asks_for(folder: Folder) -> None:
    secret_skill(folder)
    assert "secret-unknown" in rules(a_plan(folder.path, "go.sh", secrets={"nothing": "hunter2"}))


def test_in_a_sensitive_skill_every_value_is_masked(folder: Folder) -> None:
    folder.frontmatter(
        "sensitive: true\n"
        "inputs: {required: [{name: a, schema: {type: string}}, {name: b}],"
        " optional: [{name: dir, schema: {type: string, default: made}}]}\n"
        "env: {required: [{name: HOOK}]}\n"
        'outputs: {files: [{pattern: "{{dir}}/{{a}}.md"}]}\n'
    ).file("go.sh", "#!/bin/sh\n", 0o755)
    found = a_plan(folder.path, "go.sh", {"a": "quiet-value"})
    assert found.launch is not None
    assert found.launch.env["SKILL_INPUT_A"] == "quiet-value"
    assert found.launch.env["SKILL_INPUT_B"] == "skillstudio-dummy-b"
    assert found.launch.env["HOOK"] == "skillstudio-dummy-HOOK"
    assert "quiet-value" not in str(found.plan)
    # The run is judged by the paths as they are, the plan shows them masked.
    assert [each.path for each in found.launch.outputs] == ["made/quiet-value.md"]
    assert [each.path for each in found.plan.outputs] == [f"{SENSITIVE}/{SENSITIVE}.md"]


def test_an_input_that_is_one_json_value(folder: Folder) -> None:
    folder.file(
        "manifest.json",
        '{"schema_version": "1.0.0-draft", "id": "a.b", "entrypoint": {"kind": "wasi-command",'
        ' "path": "a.wasm"}, "artifact": "sha256:0", "capabilities": [], "signers": [],'
        ' "inputs_schema": {"type": "object", "required": ["n"], "properties": {"n": {"type":'
        ' "integer"}}}, "outputs_schema": true}',
    ).file("a.wasm", b"\0asm")
    found = a_plan(folder.path, "", {"n": "5"})
    assert found.launch is not None
    assert found.launch.stdin == b'{"n": 5}'
    assert found.launch.module == str(folder.path / "a.wasm")
    assert rules(a_plan(folder.path)) == ["input-invalid"]
    assert rules(a_plan(folder.path, "", value=[1])) == ["input-invalid"]
    assert rules(a_plan(folder.path, "", {"n": "x"})) == ["input-invalid"]
    (problem,) = a_plan(folder.path, "", {"n": "x"}).plan.problems
    assert problem.message == "the input at n must be a whole number"


def test_a_default_satisfies_a_required_part_of_one_value(folder: Folder) -> None:
    parts = '{"n": {"type": "integer", "default": 5}, "m": {"default": 6}, "k": {"type": "string"}}'
    folder.file(
        "manifest.json",
        '{"schema_version": "1.0.0-draft", "id": "a.b", "entrypoint": {"kind": "wasi-command",'
        ' "path": "a.wasm"}, "artifact": "sha256:0", "capabilities": [], "signers": [],'
        f' "inputs_schema": {{"required": ["n", "k"], "properties": {parts}}},'
        ' "outputs_schema": true}',
    ).file("a.wasm", b"\0asm")
    found = a_plan(folder.path, "", {"k": "x"})
    assert found.launch is not None
    # The program itself knows the default of an optional part.
    assert found.launch.stdin == b'{"k": "x", "n": 5}'
    assert found.plan.defaults == ("n",)
    given = a_plan(folder.path, "", {"k": "x", "n": "7"})
    assert given.launch is not None
    assert given.launch.stdin == b'{"k": "x", "n": 7}'
    assert rules(a_plan(folder.path, "", {"n": "7"})) == ["input-invalid"]
