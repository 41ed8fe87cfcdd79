"""Recipe files: text in, rule and place out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

RECIPE = """\
id: list
name: List
description: List the buckets of {{region}}
parameters:
  - name: region
    type: string
steps:
  - id: one
    command: aws s3 ls
"""


def lines(result: Any) -> list[str]:
    return [line.removeprefix("recipes/list.yaml:") for line in result.lines]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("aws s3 ls", "aws s3 ls {{region}}", []),
        ("aws s3 ls", '"aws {{zone}}"', ["9:19 recipe-parameter-unknown {{zone}}"]),
        ("aws s3 ls", "aws {{ zone }}", ["9:18 placeholder-malformed {{ zone }}"]),
        ("aws s3 ls", '""', ['9:14 recipe-command-empty ""']),
        ("aws s3 ls", '"  "', ['9:14 recipe-command-empty "  "']),
        ("aws s3 ls", "gcloud ls", ["9:14 recipe-command-not-allowed gcloud ls"]),
        ("aws s3 ls", "aws a | rm b", ["9:14 recipe-command-blocked aws a | rm b"]),
        ("aws s3 ls", "aws a; /bin/rm b", ["9:14 recipe-command-blocked aws a; /bin/rm b"]),
        ("aws s3 ls", "aws a && kubectl b", []),
        (
            "aws s3 ls",
            "A=1 aws $(gcloud x)",
            ["9:14 recipe-command-not-allowed A=1 aws $(gcloud x)"],
        ),
        ("aws s3 ls", '"{{region}} ls"', ['9:14 recipe-command-not-allowed "{{region}} ls"']),
        ("name: region", "name: 3", ["5:11 value-type 3"]),
        ("type: string", "type: integer\n    default: x", ["7:14 value-type x"]),
        ("type: string", "validation: '('", ["6:17 pattern-invalid '('"]),
        ("id: one", "id: one\n    confirmation: never", ["9:19 value-enum never"]),
        ("id: one", "id: one\n    timeout: 0", ["9:14 value-range 0"]),
        ("id: one", "id: one\n    retries: 3", ["9:5 key-unknown retries"]),
        ("    command: aws s3 ls\n", "", ["8:5 key-missing id"]),
        ("steps:\n  - id: one\n    command: aws s3 ls\n", "steps: []\n", ["7:8 value-length []"]),
        (
            "  - id: one",
            "  - id: one\n    command: aws x\n  - id: one",
            ["10:9 name-duplicate one"],
        ),
    ],
)
def test_one_change(found: Callable[..., Any], old: str, new: str, wanted: list[str]) -> None:
    assert RECIPE.count(old) == 1
    assert lines(found(**{"recipes/list.yaml": RECIPE.replace(old, new)})) == (wanted)


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("rollback:\n  - command: rm -r x\n", ["10:14 recipe-command-blocked rm -r x"]),
        ("verification:\n  - check: curl x\n", ["11:12 recipe-command-not-allowed curl x"]),
        ("preconditions:\n  - check: custom\n", ["11:12 key-missing custom"]),
        (
            "preconditions:\n  - check: custom\n    script: curl x\n",
            ["12:13 recipe-command-not-allowed curl x"],
        ),
        ("preconditions:\n  - check: env_set\n    args: [HOME]\n", []),
        (
            "verification:\n  - check: aws x\n    expect:\n      contains: '{{nothing}}'\n",
            ["13:18 recipe-parameter-unknown {{nothing}}"],
        ),
    ],
)
def test_one_block_more(found: Callable[..., Any], block: str, wanted: list[str]) -> None:
    result = lines(found(**{"recipes/list.yaml": RECIPE + block}))
    assert [each.split(" ", 1)[1] for each in result] == [each.split(" ", 1)[1] for each in wanted]


def test_a_reference_in_a_block_scalar_has_its_place(found: Callable[..., Any]) -> None:
    text = RECIPE.replace("aws s3 ls", "|\n      aws s3 ls \\\n        --region {{zone}}")
    assert lines(found(**{"recipes/list.yaml": text})) == [
        "11:18 recipe-parameter-unknown {{zone}}"
    ]


def test_recipe_ids_are_unique_in_the_skill(found: Callable[..., Any]) -> None:
    result = found(**{"recipes/list.yaml": RECIPE, "recipes/more.yaml": RECIPE})
    assert result.lines == ["recipes/more.yaml:1:5 name-duplicate list"]


def test_a_skill_that_may_run_nothing_has_no_commands(found: Callable[..., Any]) -> None:
    manifest = (
        '[skill]\nid = "cloud.aws"\nname = "AWS"\nversion = "1.0.0"\ndescription = "x"\n'
        'api_version = "1.0"\n[provides]\nknowledge = true\nrecipes = true\n'
        "[capabilities.terminal_exec]\nallowed = false\n"
    )
    result = found(manifest, **{"recipes/list.yaml": RECIPE})
    assert result.lines == ["recipes/list.yaml:9:14 recipe-command-not-allowed aws s3 ls"]


@pytest.mark.parametrize(
    "text", ["", "- a\n", "steps: 3\n", "steps:\n  - {\n", "a: [\n", "steps: [1]\n"]
)
def test_broken_recipes_are_reported_and_nothing_raises(
    found: Callable[..., Any], text: str
) -> None:
    assert found(**{"recipes/list.yaml": text}).rules
