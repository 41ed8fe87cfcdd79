"""What ADR-002 and the contract of ADR-003 promise, as an interface."""

from __future__ import annotations

import pytest
from tests.manifest.projected import interface, kinds, only, spot, term

from skillstudio.interface.model import (
    ABSENT,
    Artifact,
    Execution,
    Input,
    Interface,
    Output,
    Requirement,
    Variable,
)

BASE = 'manifest_version: "1.0"\nname: skill\ndescription: Does things.\n'


def of(text: str) -> Interface:
    return interface(SKILL_md=f"---\n{BASE}{text}---\n")


INPUTS = """\
inputs:
  required:
    - name: day
      description: The day
      schema:
        type: string
        pattern: "^\\\\d+$"
  optional:
    - name: limit
      schema:
        type: integer
        default: 5
    - name: nothing
      schema:
        type: [string, "null"]
        default: null
    - name: plain
    - name: open
      schema: true
"""


def test_inputs_by_group_with_the_default_taken_out_of_the_schema() -> None:
    assert only(of(INPUTS)).inputs == (
        Input("day", {"type": "string", "pattern": "^\\d+$"}, True, description="The day"),
        Input("limit", {"type": "integer"}, False, 5),
        Input("nothing", {"type": ["string", "null"]}, False, None),
        Input("plain", {}, False, ABSENT),
        Input("open", True, False, ABSENT),
    )


@pytest.mark.parametrize(
    ("pointer", "mark"),
    [
        ("/inputs/day", "day\n"),
        ("/inputs/day/description", "description: The day"),
        ("/inputs/day/schema", "schema:"),
        ("/inputs/day/schema/pattern", "pattern:"),
        ("/inputs/limit/default", "default: 5"),
        ("/inputs/limit/nowhere", "limit\n"),
        ("/inputs/nothing/schema/type", 'type: [string, "null"]'),
        ("/inputs/nothing/schema/type/1", '"null"]'),
        ("/manifest_versions/frontmatter-1.0", ""),
        ("/nowhere", ""),
    ],
)
def test_every_element_has_a_place_or_that_of_what_holds_it(pointer: str, mark: str) -> None:
    text = f"---\n{BASE}{INPUTS}---\n"
    place = interface(SKILL_md=text).place(pointer)
    if mark:
        assert place == spot(text, mark)
    elif pointer == "/nowhere":
        assert place is None
    else:
        assert place == spot(text, "manifest_version")


def test_the_places_listed_are_those_that_are_found() -> None:
    found = of(INPUTS)
    assert len(found.places) > 20
    for pointer, place in found.places.items():
        assert found.place(pointer) == place


SEVERAL = """\
version: 1.10
env:
  required:
    - {name: TOKEN, sensitive: true, description: A token}
  optional:
    - name: HOME
preconditions:
  commands:
    - {cmd: git, min_version: 2.40, max_version: "3"}
  files:
    - {path: a/b.sh}
    - {path: c, base: cwd}
outputs:
  files:
    - {pattern: "docs/{{day}}.org", description: The log}
    - {pattern: "x/*", base: cwd}
  artifacts:
    - log
    - {name: table, kind: stdout, description: Rows}
execution: {destructive: true, timeout: 1.5}
sensitive: true
interface:
  inputs: [day, day]
  outputs: [{pattern: "docs/*.org"}]
"""


def test_everything_else_that_is_declared() -> None:
    found = of(SEVERAL)
    assert found.version == "1.10"
    assert found.manifest_versions == {"frontmatter-1.0": "1.0"}
    assert found.dialects == ("agent-skills", "frontmatter-1.0")
    assert found.declared
    assert found.sensitive
    assert found.env == (Variable("TOKEN", True, True, "A token"), Variable("HOME", False))
    assert found.requirements == (
        Requirement("command", "git", "2.40", "3"),
        Requirement("file", "a/b.sh", base="skill_root"),
        Requirement("file", "c", base="cwd"),
    )
    assert only(found).outputs == (
        Output("docs/{{day}}.org", "repo_root", "The log"),
        Output("x/*", "cwd"),
    )
    assert only(found).artifacts == (Artifact("log"), Artifact("table", "stdout", "Rows"))
    assert found.execution == Execution(destructive=True, timeout=1.5)
    assert term(found, "inputs").value == ("day",)
    assert term(found, "outputs").value == ("docs/*.org",)
    assert [each.name for each in found.promises] == ["inputs", "outputs"]


def test_what_is_not_said_is_not_made_up() -> None:
    found = of("")
    assert found.execution is None
    assert (found.env, found.requirements, found.promises, found.terms) == ((), (), (), ())
    assert only(found).inputs == ()


@pytest.mark.parametrize(
    "text",
    [
        "inputs: 5\nenv: [a]\noutputs: x\npreconditions: []\ninterface: 1\nexecution: soon\n",
        "inputs: {required: [1, {name: 5}, {description: x}], optional: {name: a}}\n",
        "inputs:\n  required:\n    - name: a\n      schema: [\n",
        "preconditions: {commands: [{cmd: 1}, {}], files: [null]}\noutputs: {files: [{}, 1]}\n",
        "inputs: &a\n  required: *a\n",
        "execution: {timeout: soon, network: 1}\nsensitive: maybe\n",
        "version: [1]\nmetadata: 5\nlicense: {}\n",
    ],
)
def test_what_cannot_be_read_is_left_out(text: str) -> None:
    found = of(text)
    assert found.name == "skill"
    bare = of("")
    assert found._replace(operations=bare.operations, execution=bare.execution) == bare
    assert [each.name for each in only(found).inputs] == ["a"] * ("name: a\n" in text)
    assert kinds(found, found) == []


def test_a_name_used_twice_counts_once_and_is_required() -> None:
    text = "inputs:\n  optional:\n    - name: a\n  required:\n    - name: a\n"
    assert only(of(text)).inputs == (Input("a", {}, True),)


def test_a_default_of_something_sensitive_is_masked() -> None:
    text = "inputs:\n  optional:\n    - {name: key, sensitive: true, schema: {default: hunter2}}\n"
    default = only(of(text)).inputs[0].default
    assert default.startswith("‹sensitive")
    assert "hunter2" not in default
    other = only(of(text.replace("hunter2", "hunter3"))).inputs[0].default
    assert other != default
    whole = of("sensitive: true\n" + text.replace("sensitive: true, ", ""))
    assert only(whole).inputs[0].default == default
