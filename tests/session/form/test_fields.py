"""The fields of a form: their order and kinds, and what filling one in does to the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.registry import schema_of
from skillstudio.session.form import filling
from skillstudio.session.form.fields import FormField, fields
from skillstudio.skill.analysis import analyse
from skillstudio.text.edit import EditRefused, apply
from skillstudio.text.node import Document, Scalar, to_value
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

ROOT = Path(__file__).parents[3]

FRONTMATTER = """---
name: demo
description: Does it.
version: 1.0
inputs:
  required:
    - name: day
      description: A day
      schema: {type: string}
  optional: []
execution:
  network: false
  timeout: 0x1E
outputs:
  artifacts:
    - log
    - {name: state, kind: state}
colour: [red]
---
"""

FENCE = """# demo

```skill-manifest
{
  "schema_version": "2.0",
  "effects": ["db.read", "db.raed"],
  "operations": {
    "a/b": {"description": "Does a.", "input": {"n": {"type": "integer", "default": 1.50}},
      "entrypoints": {"unix": ["bash", "run.sh"], "agent": null}}
  }
}
```
"""

CARO = """[skill]
id = "cloud.x"
keywords = ["a"]

[provides]
recipes = true

[dependencies]
"core.shell" = ">=1.0"
"tool.k" = { version = "*", optional = true }

[features.eks]
description = "EKS"
"""

RECIPE = """id: r
steps:
  - command: |
      echo one
      echo two
    expect: {exit_code: 0}
"""

PROVENACT = """{"schema_version": "1.0.0-draft",
 "entrypoint": {"kind": "wasi-command", "path": "x"},
 "capabilities": [{"kind": "env", "value": "HOME"}], "inputs_schema": "https://x/y"}
"""


def manifests(
    text: str, file: str = "SKILL.md", more: dict[str, str] | None = None
) -> list[Manifest]:
    files = {file: text, **(more or {})}
    tree = MemoryTree({path: each.encode() for path, each in files.items()}, name="demo")
    return list(analyse(tree).manifests)


def form(text: str, file: str = "SKILL.md") -> tuple[Document, dict[str, FormField]]:
    """The fields of the first document of a file, by pointer."""
    found = manifests(text, file)
    together = [each for each in found if each.document is found[0].document]
    schemas = [schema_of(each.dialect, each.part) for each in together]
    made = fields(found[0].document, schemas)
    return found[0].document, {each.pointer: each for each in made}


def recipe(text: str) -> tuple[Document, dict[str, FormField]]:
    found = manifests(CARO, "skill.toml", {"recipes/r.yaml": text})[-1]
    assert found.part == "recipe"
    made = fields(found.document, [schema_of(found.dialect, "recipe")])
    return found.document, {each.pointer: each for each in made}


def test_two_dialects_of_one_document_give_one_form_in_the_order_of_their_schemas() -> None:
    _, made = form(FRONTMATTER)
    assert [each.label for each in made.values() if each.depth == 0] == [
        "name", "description", "license", "compatibility", "metadata", "allowed-tools",
        "manifest_version", "version", "inputs", "env", "preconditions", "outputs", "execution",
        "sensitive", "interface", "colour",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pointer", "kind", "present", "required", "value"),
    [
        ("/name", "text", True, True, "demo"),
        ("/description", "multiline", True, True, "Does it."),
        ("/license", "text", False, False, None),
        ("/metadata", "map", False, False, None),
        ("/version", "text", True, False, 1.0),
        ("/inputs", "group", True, False, None),
        ("/inputs/required", "list", True, False, None),
        ("/inputs/required/0", "group", True, True, None),
        ("/inputs/required/0/sensitive", "switch", False, False, None),
        ("/inputs/required/0/schema", "map", True, True, None),
        ("/inputs/required/0/schema/type", "json", True, True, "string"),
        ("/inputs/optional", "list", True, False, None),
        ("/env/required", "list", False, False, None),
        ("/outputs/artifacts/0", "text", True, True, "log"),
        ("/outputs/artifacts/1", "group", True, True, None),
        ("/outputs/artifacts/1/kind", "choice", True, False, "state"),
        ("/execution/network", "switch", True, False, False),
        ("/execution/timeout", "number", True, False, 30),
        ("/colour", "raw", True, False, ["red"]),
    ],
)
def test_fields_of_the_frontmatter(
    pointer: str, kind: str, present: bool, required: bool, value: object
) -> None:
    field = form(FRONTMATTER)[1][pointer]
    assert (field.kind, field.present, field.required) == (kind, present, required)
    assert field.value == value


@pytest.mark.parametrize(
    ("pointer", "kind", "value"),
    [
        ("/schema_version", "choice", "2.0"),
        ("/id", "text", None),
        ("/capabilities", "list", None),
        ("/effects/1", "choice", "db.raed"),
        ("/operations", "map", None),
        ("/operations/a~1b", "group", None),
        ("/operations/a~1b/input", "map", None),
        ("/operations/a~1b/input/n", "group", None),
        ("/operations/a~1b/input/n/type", "choice", "integer"),
        ("/operations/a~1b/input/n/default", "json", 1.5),
        ("/operations/a~1b/entrypoints/unix/1", "text", "run.sh"),
        ("/operations/a~1b/entrypoints/agent", "json", None),
        ("/stdout_contract/last_line_json", "switch", None),
    ],
)
def test_fields_of_skill_manifest(pointer: str, kind: str, value: object) -> None:
    field = form(FENCE)[1][pointer]
    assert (field.kind, field.value) == (kind, value)


@pytest.mark.parametrize(
    ("pointer", "kind", "value"),
    [
        ("/skill/id", "text", "cloud.x"),
        ("/skill/keywords/0", "text", "a"),
        ("/provides/recipes", "switch", True),
        ("/knowledge/priority", "number", None),
        ("/dependencies/core.shell", "text", ">=1.0"),
        ("/dependencies/tool.k", "group", None),
        ("/dependencies/tool.k/version", "json", "*"),
        ("/features/eks/description", "text", "EKS"),
        ("/features/eks/default", "switch", None),
        ("/platform/os", "list", None),
    ],
)
def test_fields_of_caro(pointer: str, kind: str, value: object) -> None:
    field = form(CARO, "skill.toml")[1][pointer]
    assert (field.kind, field.value) == (kind, value)


def test_fields_of_a_recipe() -> None:
    _, made = recipe(RECIPE)
    assert made["/steps/0/command"].kind == "multiline"
    assert made["/steps/0/command"].note == "a block of lines"
    assert made["/steps/0/expect/exit_code"].kind == "number"
    assert [c.value for c in made["/steps/0/confirmation"].choices] == ["auto", "prompt", "always"]
    assert made["/steps/0/confirmation"].choices[0].description == "Runs without asking."


@pytest.mark.parametrize(
    ("pointer", "kind"),
    [
        ("/entrypoint", "map"),
        ("/entrypoint/kind", "json"),
        ("/inputs_schema", "json"),
        ("/capabilities/0/kind", "choice"),
        ("/capabilities/0/value", "text"),
        ("/compatibility/runtime_profiles", "list"),
    ],
)
def test_fields_of_provenact(pointer: str, kind: str) -> None:
    assert form(PROVENACT, "manifest.json")[1][pointer].kind == kind


def test_what_a_field_says_of_itself() -> None:
    _, made = form(FRONTMATTER)
    assert made["/outputs/files"].item is not None
    item = made["/inputs/required/0"]
    assert (item.title, item.summary) == ("day", "A day")
    assert made["/inputs/required"].summary == "day"
    assert made["/outputs/artifacts"].summary == "log · state"
    assert made["/inputs"].size == 2
    assert made["/sensitive"].default is False
    assert made["/version"].literal == "1.0"
    assert "a string" in made["/version"].note
    assert made["/license"].example == "MIT"
    assert made["/name"].description.startswith("Name of the skill")
    assert made["/colour"].literal == '["red"]'
    assert made["/colour"].note.startswith("the schema does not define this key")


def test_only_what_is_open_is_looked_into() -> None:
    document, _ = form(FRONTMATTER)
    schema = schema_of(manifests(FRONTMATTER)[1].dialect)
    shut = fields(document, [schema], lambda field: field.label != "inputs")
    assert "/inputs" in [each.pointer for each in shut]
    assert not [each for each in shut if each.pointer.startswith("/inputs/")]
    assert [each for each in shut if each.pointer.startswith("/outputs/")]


@pytest.mark.parametrize(
    ("text", "pointer", "note"),
    [
        ("description: [a]", "/description", "a list instead of string"),
        ("name: x\ninputs: no", "/inputs", "a single value instead of object"),
        ("name: x\ninputs: {required: {}}", "/inputs/required", "a mapping instead of array"),
    ],
)
def test_a_value_of_another_type_is_shown_raw(text: str, pointer: str, note: str) -> None:
    _, made = form(f"---\nmanifest_version: '1.0'\n{text}\n---\n")
    assert made[pointer].kind == "raw"
    assert note in made[pointer].note
    assert filling.explain_lock(made[pointer])


@pytest.mark.parametrize(
    ("text", "file", "readable"),
    [
        ("---\nname: demo\ndescription: 'x\n---\n", "SKILL.md", "/name"),
        ("---\nname: demo\nversion: 1.0.0\ninputs: [\n---\n", "SKILL.md", "/name"),
        ("[skill]\nid = 'a.b'\nname = \n[provides]\n", "skill.toml", "/skill/id"),
    ],
)
def test_a_broken_document_shows_what_could_be_read(text: str, file: str, readable: str) -> None:
    document, made = form(text, file)
    assert document.faults
    assert made[readable].present


# Filling in


def changed(text: str, pointer: str, typed: str, file: str = "SKILL.md") -> str:
    document, made = form(text, file)
    return apply(text, filling.fill(document, made[pointer], typed))


@pytest.mark.parametrize(
    ("pointer", "typed", "old", "new"),
    [
        ("/name", "other", "name: demo", "name: other"),
        ("/version", "1.0", "", ""),
        ("/version", "1.1", "version: 1.0\n", 'version: "1.1"\n'),
        ("/execution/timeout", "0x1E", "", ""),
        ("/execution/timeout", "45", "0x1E", "45"),
        ("/execution/timeout", " 2.5 ", "0x1E", "2.5"),
        ("/execution/timeout", "", "  timeout: 0x1E\n", ""),
        ("/inputs/required/0/schema/type", "number", "{type: string}", "{type: number}"),
        ("/inputs/required/0/schema/type", "[1, 2]", "{type: string}", "{type: [1, 2]}"),
        ("/inputs/required/0/schema/type", '"7"', "{type: string}", '{type: "7"}'),
        ("/outputs/artifacts/0", "", "- log", '- ""'),
        ("/name", "", "name: demo", 'name: ""'),
        ("/license", "", "", ""),
    ],
)
def test_typing_changes_only_that_value(pointer: str, typed: str, old: str, new: str) -> None:
    assert changed(FRONTMATTER, pointer, typed) == FRONTMATTER.replace(old, new, 1)


def test_an_emptied_optional_field_goes_and_a_required_one_stays() -> None:
    text = "---\nname: x\ndescription: d\nlicense: MIT\n---\n"
    assert changed(text, "/license", "") == text.replace("license: MIT\n", "")
    assert changed(text, "/description", "") == text.replace("description: d", 'description: ""')


def test_what_lies_around_a_new_value_is_made_with_it() -> None:
    text = "---\nmanifest_version: '1.0'\nname: x\ndescription: d\n---\n"
    _, made = form(changed(text, "/execution/timeout", "9"))
    assert made["/execution/timeout"].value == 9
    document, made = form(text)
    added = apply(text, filling.add_item(document, made["/interface/inputs"], "day"))
    assert form(added)[1]["/interface/inputs/0"].value == "day"


@pytest.mark.parametrize(
    ("pointer", "typed", "reason"),
    [
        ("/execution/timeout", "soon", '"soon" is not a number'),
        ("/execution/timeout", "nan", "is not a number"),
        ("/execution/timeout", "1e999", "is not a number"),
        ("/name", "a\x1b[31m", "invisible characters"),
        ("/name", "a\u202eb", "invisible characters"),
    ],
)
def test_what_cannot_be_a_value_is_refused_with_the_reason(
    pointer: str, typed: str, reason: str
) -> None:
    with pytest.raises(EditRefused) as refused:
        changed(FRONTMATTER, pointer, typed)
    assert reason in str(refused.value)


def test_a_value_with_unseen_characters_is_locked() -> None:
    _, made = form('---\nname: "a\\e]52;c;x\\a"\ndescription: "tab\\there"\n---\n')
    assert "invisible characters" in filling.explain_lock(made["/name"])
    assert "invisible characters" in filling.explain_lock(made["/description"])
    _, made = form('---\nname: "héllo 🙂"\ndescription: "two\\nlines"\n---\n')
    assert filling.explain_lock(made["/name"]) == filling.explain_lock(made["/description"]) == ""


def test_maps_take_new_keys_and_names() -> None:
    document, made = form(CARO, "skill.toml")
    dependencies = made["/dependencies"]
    added = apply(CARO, filling.add_entry(document, dependencies, " x.y ", ""))
    assert '"x.y" = ""' in added
    renamed = apply(CARO, filling.rename_entry(document, made["/dependencies/core.shell"], "a.b"))
    assert renamed == CARO.replace('"core.shell"', '"a.b"')
    for name, reason in (("core.shell", "already"), ("  ", "enter a name"), ("a\x07", "invisible")):
        with pytest.raises(EditRefused, match=reason):
            filling.add_entry(document, dependencies, name, "")


def test_items_move_and_go() -> None:
    document, made = form(FENCE)
    first, last = made["/effects/0"], made["/effects/1"]
    assert '["db.raed", "db.read"]' in apply(FENCE, filling.move_item(document, first, 1))
    assert '["db.read"]' in apply(FENCE, filling.clear(document, last))
    for field, by, reason in ((first, -1, "the first"), (last, 1, "the last")):
        with pytest.raises(EditRefused, match=reason):
            filling.move_item(document, field, by)
    with pytest.raises(EditRefused, match="required"):
        filling.clear(document, made["/operations"])


@pytest.mark.parametrize(
    ("text", "file", "pointer", "template"),
    [
        (FRONTMATTER, "SKILL.md", "/inputs/optional",
         {"name": "", "description": "", "schema": {"type": "string"}}),
        (FRONTMATTER, "SKILL.md", "/interface/inputs", ""),
        (FENCE, "SKILL.md", "/operations/a~1b/input", {"type": "string"}),
        (FENCE, "SKILL.md", "/effects", "db.read"),
        (CARO, "skill.toml", "/features", {"description": ""}),
        (CARO, "skill.toml", "/dependencies", ""),
        (PROVENACT, "manifest.json", "/capabilities", {"kind": "fs.read", "value": ""}),
    ],
)  # fmt: skip
def test_a_new_item_begins_with_as_little_as_the_schema_lets_stand(
    text: str, file: str, pointer: str, template: object
) -> None:
    item = form(text, file)[1][pointer].item
    assert item is not None
    assert item.template == template


# The examples


def _examples() -> Iterator[tuple[str, Manifest, FormField]]:
    for folder in sorted((ROOT / "examples").iterdir()):
        for manifest in analyse(DiskTree(str(folder))).manifests:
            for field in fields(manifest.document, [schema_of(manifest.dialect, manifest.part)]):
                if field.present and field.value is not None and not filling.explain_lock(field):
                    yield folder.name, manifest, field


EXAMPLES = list(_examples())
texts = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1)


def test_the_examples_have_fields_of_every_kind_that_is_typed() -> None:
    kinds = {field.kind for _, _, field in EXAMPLES}
    assert kinds >= {"text", "multiline", "number", "switch", "choice", "json"}


@given(st.sampled_from(EXAMPLES), texts, st.integers(-9, 10**6) | st.floats(-1e4, 1e4, width=16))
def test_a_new_value_changes_nothing_but_itself(
    example: tuple[str, Manifest, FormField], text: str, number: float
) -> None:
    _, manifest, field = example
    document = manifest.document
    if field.kind == "switch":
        splices = filling.put(document, field, not field.value)
        wanted: object = not field.value
    else:
        typed = json.dumps(number) if field.kind == "number" else text
        try:
            wanted = filling.read(field, typed)
        except EditRefused:
            return
        splices = filling.fill(document, field, typed)
    node = document.at(field.pointer)
    assert isinstance(node, Scalar)
    assert all(node.start <= each.start <= each.end <= node.end for each in splices)
    after = apply(document.source.text, splices)
    tail = len(document.source.text) - node.end
    assert after[: node.start] == document.source.text[: node.start]
    assert after[len(after) - tail :] == document.source.text[node.end :]
    assert splices or wanted == field.value


def test_the_text_of_an_untouched_field_changes_nothing() -> None:
    for _, manifest, field in EXAMPLES:
        assert filling.fill(manifest.document, field, filling.format_value(field)) == []
        if field.kind == "json":
            assert filling.read(field, filling.format_value(field)) == field.value


SOURCES = [(FRONTMATTER, "SKILL.md"), (FENCE, "SKILL.md"), (CARO, "skill.toml")]


@given(
    st.sampled_from(SOURCES),
    st.floats(0, 1),
    st.text("\n \t\"'[]{}:,=#-&*|x", max_size=6),
    st.integers(0, 99),
)
def test_half_typed_texts_have_fields_that_can_be_filled_in_or_say_why_not(
    source: tuple[str, str], where: float, typed: str, which: int
) -> None:
    text, file = source
    at = round(where * len(text))
    text = text[:at] + typed + text[at:]
    for manifest in manifests(text, file):
        document = manifest.document
        made = fields(document, [schema_of(manifest.dialect, manifest.part)])
        free = [each for each in made if not filling.explain_lock(each) and not each.is_container]
        field = free[which % len(free)]
        try:
            splices = filling.put(document, field, filling.read(field, "7"))
        except EditRefused:
            continue
        span = Span(document.span.start, len(apply(text, splices)) - len(text) + document.span.end)
        after = read(Source(apply(text, splices), file), document.syntax, span)
        assert to_value(after.at(field.pointer)) in (7, "7")
