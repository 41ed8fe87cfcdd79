"""The interface of a whole skill: manifests of several systems, what is masked, real manifests."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.manifest.projected import changes, interface, kinds, spot

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import FileTree
from skillstudio.interface.compare import compare
from skillstudio.interface.model import Interface, Operation, token
from skillstudio.interface.plain import plain
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    *sorted(path.parent for path in (ROOT / "examples").glob("**/SKILL.md")),
    *(ROOT / "examples" / name for name in ("aws", "echo-json")),
]
MUTATIONS = sorted((Path(__file__).parent / "mutations").glob("*.yaml"))

SEVERAL = """\
---
manifest_version: "1.0"
name: both
description: Does both.
inputs: {required: [{name: a, schema: {type: string}}]}
---
```skill-manifest
{
 "schema_version": "2.0",
 "id": "other",
 "version": "2.0.0",
 "operations": {"run": {"description": "Runs."}}
}
```
"""
TOML = """\
[skill]
id = "tool.both"
version = "3.0.0"
description = "Of caro."
license = "MIT"
api_version = "1.0"
"""
RECIPE = "id: run\ndescription: Of the recipe.\nparameters: [{name: x}]\n"


def test_the_manifests_of_one_skill_are_one_interface() -> None:
    found = interface("both", SKILL_md=SEVERAL, skill_toml=TOML, recipes__r_yaml=RECIPE)
    assert found.dialects == (
        "agent-skills",
        "frontmatter-1.0",
        "caro-1.0",
        "skill-manifest-2.0",
    )
    assert (found.name, found.description, found.license) == ("both", "Does both.", "MIT")
    assert found.version == "3.0.0"
    assert found.manifest_versions == {
        "frontmatter-1.0": "1.0",
        "caro-1.0": "1.0",
        "skill-manifest-2.0": "2.0",
    }
    assert [each.name for each in found.operations] == ["", "run"]
    run = found.operations[1]
    assert run.description == "Of the recipe."
    assert [each.name for each in run.inputs] == ["x"]
    assert found.place("/name") == spot(SEVERAL, "name: both")
    assert found.place("/version") == spot(TOML, "version", "skill.toml")
    assert found.place("/operations/run") == spot(RECIPE, "run", "recipes/r.yaml")


def test_what_states_no_name_is_called_as_its_folder() -> None:
    assert interface("here", SKILL_md="---\ndescription: x\n---\n").name == "here"
    empty = project(locate(MemoryTree({"README.md": b""}, "bare")).skill)
    assert (empty.name, empty.dialects, empty.declared) == ("bare", (), False)


KEY = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "text",
    [
        f"inputs: {{optional: [{{name: a, schema: {{type: string, default: {KEY}}}}}]}}",
        f"inputs: {{optional: [{{name: a, schema: {{enum: [{KEY}, b]}}}}]}}",
        f"inputs: {{optional: [{{name: a, schema: {{properties: {{x: {{const: {KEY}}}}}}}}}]}}",
        f"inputs: {{optional: [{{name: a, description: 'use {KEY}'}}]}}",
        f"metadata: {{key: {KEY}}}",
        f'compatibility: "\\x67hp_{KEY[4:]}"',
        f"outputs: {{files: [{{pattern: 'x/{KEY}'}}]}}",
    ],
)
def test_what_looks_like_a_credential_is_masked_wherever_it_stands(text: str) -> None:
    found = interface(SKILL_md=f'---\nname: skill\ndescription: x\n{text}\nversion: "1.0.0"\n---\n')
    assert KEY not in repr(found)
    assert "‹sensitive" in repr(found)
    assert KEY not in json.dumps(plain(found))


def trees(folder: Path) -> list[tuple[str, FileTree]]:
    whole = sorted([*folder.glob("**/SKILL.md"), *folder.glob("**/manifest.json")])
    single = sorted((folder / "router-manifest").glob("*.md"))
    return [
        *((path.relative_to(folder).as_posix(), DiskTree(path.parent)) for path in whole),
        *((path.name, MemoryTree({"SKILL.md": path.read_bytes()}, path.stem)) for path in single),
    ]


def sound(found: Interface) -> None:
    """What holds for the interface of any skill whatever."""
    assert found.name
    assert compare(found, found, all_kinds()) == ()
    json.dumps(plain(found), allow_nan=False)
    names = [each.name for each in found.operations]
    assert len(names) == len(set(names))
    for operation in found.operations:
        for each in operation.inputs:
            assert f"{operation.pointer}/inputs/{token(each.name)}" in found.places
    for pointer, place in found.places.items():
        assert place.line > 0, pointer
        assert place.column > 0, pointer


@pytest.mark.slow
def test_every_real_manifest_has_an_interface(data: Path) -> None:
    checked = declared = 0
    for _, tree in trees(data / "corpus"):
        found = project(locate(tree).skill)
        again = project(locate(tree).skill)
        sound(found)
        assert kinds(found, again) == []
        checked += 1
        declared += found.declared
    assert checked > 370
    assert declared >= 28


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_every_example_has_an_interface(folder: Path) -> None:
    found = project(locate(DiskTree(folder)).skill)
    sound(found)
    assert found.declared is (folder.name != "commit-notes")


@pytest.mark.parametrize("file", MUTATIONS, ids=lambda path: path.stem)
def test_every_mutated_manifest_has_an_interface(file: Path) -> None:
    import yaml

    table = yaml.safe_load(file.read_text(encoding="utf-8"))
    for case in table["cases"]:
        old, new = case.get("old"), case.get("new")
        if not isinstance(old, str) or not isinstance(new, str):
            continue
        text = table["base"].replace(old.replace("‸", ""), new.replace("‸", ""), 1)
        files = {path: content.encode() for path, content in table.get("files", {}).items()}
        tree = MemoryTree({**files, table["path"]: text.encode()}, table["name"])
        found = project(locate(tree).skill)
        again = project(locate(tree).skill)
        assert kinds(found, again) == []


def test_the_memory_skill_between_its_two_versions() -> None:
    old, new = (
        project(locate(DiskTree(ROOT / "examples" / path)).skill)
        for path in ("history/0.1.0/memory", "memory")
    )
    assert (old.version, new.version) == ("0.1.0", "0.2.0")
    assert {each.name for each in new.operations} == {"search", "store", "health", "types"}
    assert [f"{each.operation}: {each.message}" for each in changes(old, new)] == [
        ': the manifest\'s dialect changed from "router-manifest-1" to "skill-manifest-2.0"',
        'health: the operation "mem.health" was renamed to "health"',
        'search: the operation "mem.search" was renamed to "search"',
        'store: the operation "mem.store" was renamed to "store"',
        ': the input and output of "health", "search", "store" are now declared',
        'search: "limit" is now optional',
        'store: "content" is a new optional input',
        'types: the operation "types" was added',
        ": the description of the skill changed",
    ]


broken = st.text(alphabet=st.sampled_from("{}[]:,-\"'\n abcdefs1&*!|>#"), min_size=0, max_size=60)


@given(broken, st.integers(0, len(SEVERAL)))
def test_no_text_makes_it_raise(text: str, at: int) -> None:
    found = interface(SKILL_md=SEVERAL[:at] + text + SEVERAL[at:], skill_toml=TOML + text)
    sound(found)


@pytest.mark.slow
def test_many_inputs_cost_little() -> None:
    inputs = {
        f"in_{number}": {"type": "string", "description": "x", "default": "y"}
        for number in range(10_000)
    }
    value = {"id": "big", "operations": {"run": {"input": inputs}}}
    text = f"---\nname: big\ndescription: x\n---\n```skill-manifest\n{json.dumps(value)}\n```\n"
    found = interface("big", SKILL_md=text)
    assert len(found.operations[0].inputs) == 10_000
    assert found.place("/operations/run/inputs/in_9999/schema/type") is not None
    # Each input has itself, its keys and its schema.
    assert len(found.places) > 60_000


def test_only_the_asked_for_places_are_looked_up() -> None:
    """Finding every place of a large manifest costs more than comparing it."""
    found = interface(SKILL_md=SEVERAL)
    assert not isinstance(found.places, dict)
    assert "/operations/run" in found.places
    assert "/operations/walk" not in found.places
    with pytest.raises(KeyError):
        found.places["/operations/walk"]


def test_a_check_does_not_import_the_interface(tmp_path: Path) -> None:
    import subprocess

    skill = tmp_path / "aws"
    skill.mkdir()
    for path in (ROOT / "examples" / "aws").rglob("*"):
        target = skill / path.relative_to(ROOT / "examples" / "aws")
        if path.is_dir():
            target.mkdir()
        else:
            target.write_bytes(path.read_bytes())
    code = (
        "import sys; from skillstudio.cli.main import main; main(['check', sys.argv[1]]);"
        "print([name for name in sys.modules if name.startswith('skillstudio.interface')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(skill)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_operations_of_one_name_are_joined_element_by_element() -> None:
    v2 = {
        "id": "x",
        "operations": {
            "run": {
                "description": "Of the block.",
                "input": {"x": {"type": "integer"}, "y": {"type": "string"}},
                "entrypoints": {"unix": ["a"]},
            }
        },
    }
    text = f"---\nname: x\ndescription: x\n---\n```skill-manifest\n{json.dumps(v2)}\n```\n"
    found = interface("x", SKILL_md=text, skill_toml=TOML, recipes__r_yaml=RECIPE)
    (run,) = found.operations
    assert isinstance(run, Operation)
    assert [(each.name, each.schema) for each in run.inputs] == [
        ("x", {"type": "string"}),
        ("y", {"type": "string"}),
    ]
    assert [each.platform for each in run.entrypoints] == ["unix"]
    assert re.fullmatch("Of the recipe.", run.description)
