"""Which blocks of a SKILL.md are manifests. `‸` marks where each finding begins."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.check import check
from skillstudio.manifest.locate import locate
from skillstudio.manifest.skill_manifest.blocks import find_unfenced
from skillstudio.text.diagnostic import Diagnostic, Splice
from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.source import Source

Look = Callable[..., list[Diagnostic]]

HEAD = "---\nname: notes\ndescription: Finds notes. Use when a note is looked for.\n---\n"
MANIFEST = """{
  "schema_version": "2.0",
  "id": "notes",
  "version": "1.0.0",
  "capabilities": [],
  "effects": [],
  "operations": {"find": {"description": "Find", "input": {}, "output": {"description": "Notes"},
    "entrypoints": {"agent": "Look in the notes"}}},
  "stdout_contract": {"last_line_json": false}
}"""
ROUTER = '{"id": "notes", "version": "1.0.0", "effects": [], "entrypoints": {}}'
YAML = """schema_version: "2.0"
id: notes
version: "1.0.0"
capabilities: []
effects: []
operations: {}
stdout_contract: {last_line_json: true}
"""
BLOCK = f"```skill-manifest\n{MANIFEST}\n```\n"


def findings(look: Look, body: str) -> tuple[list[tuple[str, int]], list[int]]:
    marks = [at - index for index, at in enumerate(_places(HEAD + body))]
    found = look({"SKILL.md": (HEAD + body).replace("‸", "")})
    return [(each.rule, each.span.start if each.span else -1) for each in found], marks


def _places(text: str) -> list[int]:
    return [index for index, character in enumerate(text) if character == "‸"]


CASES = {
    "one block": ("", f"# Notes\n\n{BLOCK}"),
    "tildes, indented, with words": ("", f"  ~~~skill-manifest of notes\n{MANIFEST}\n  ~~~\n"),
    "a second": ("manifest-block-second", f"{BLOCK}\nMore.\n\n‸{BLOCK}"),
    "a second behind an illustration": (
        "manifest-block-second",
        f"````markdown\n{BLOCK}````\n\n{BLOCK}\n‸{BLOCK}",
    ),
    "an illustration behind it": ("", f"{BLOCK}\n````markdown\n{BLOCK}````\n"),
    "another in a list": ("", f"{BLOCK}\n- item\n\n  ```skill-manifest\n  {{}}\n  ```\n"),
    "no fence": ("manifest-block-unfenced", f"# Notes\n\n‸{MANIFEST}\n"),
    "no fence, a little indented": ("manifest-block-unfenced", f"# Notes\n\n   ‸{MANIFEST}\n"),
    "no fence, the old format": ("manifest-block-unfenced", f"‸{ROUTER}\n"),
    "no fence, beside the block": ("", f"{BLOCK}\n{MANIFEST}\n"),
    "in a block of JSON": ("manifest-block-unfenced", f"‸```json\n{MANIFEST}\n```\n"),
    "in a block of JSON with words": (
        "manifest-block-unfenced",
        f"‸~~~ JSON title=x\n\n{MANIFEST}\n~~~\n",
    ),
    "in a block without a language": ("manifest-block-unfenced", f"‸```\n{MANIFEST}\n```\n"),
    "no fence, without entrypoints": (
        "manifest-block-unfenced",
        '‸{"schema_version": "2.0", "id": "notes", "operations": {}}\n',
    ),
    "the old format in a block of JSON": (
        "manifest-block-unfenced",
        f"‸```json\n{ROUTER}\n```\n",
    ),
    "in a block of JSON with more": ("", f"```json\n{MANIFEST}\n{{}}\n```\n"),
    "in a block of JSON, below an illustration": (
        "",
        f"````markdown\n```json\n{MANIFEST}\n```\n````\n",
    ),
    "in a block of JSON in a list": ("", f"- item\n\n  ```json\n  {MANIFEST}\n  ```\n"),
    "in a block of another language": ("", f"```text\n{MANIFEST}\n```\n"),
    "in a block of JSON, beside the block": ("", f"{BLOCK}\n```json\n{MANIFEST}\n```\n"),
    "in a comment": ("", f"<!--\n{MANIFEST}\n-->\n"),
    "in code by indentation": ("", "    " + MANIFEST.replace("\n", "\n    ") + "\n"),
    "another object": ("", '{"id": "notes", "operations": [], "entrypoints": {}}\n'),
    "a broken object": ("", f"{MANIFEST[:-1]}\n"),
}


@pytest.mark.parametrize(("rule", "body"), CASES.values(), ids=CASES)
def test_blocks(look: Look, rule: str, body: str) -> None:
    found, marks = findings(look, body)
    assert found == [(rule, mark) for mark in marks]
    assert bool(marks) == bool(rule)


def apply(text: str, fix: Diagnostic) -> str:
    edits = sorted((edit for edit in fix.fixes[0].edits if isinstance(edit, Splice)), reverse=True)
    assert len(edits) == len(fix.fixes[0].edits)
    for edit in edits:
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("after", ["", "\n", "\nMore.\n", " and more.\n"])
def test_the_fence_is_put_around_it(look: Look, after: str, newline: str) -> None:
    text = (HEAD + "# Notes\n\n" + MANIFEST + after).replace("\n", newline)
    mended = apply(text, look({"SKILL.md": text})[0])
    assert look({"SKILL.md": mended}) == []
    assert (
        mended.replace(f"```skill-manifest{newline}", "").replace("```", "").split() == text.split()
    )
    assert "\n" not in mended.replace(newline, "")


@pytest.mark.parametrize("opening", ["```json", "```", "~~~ json title=x", "  ````JSON"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_fence_is_named(look: Look, opening: str, newline: str) -> None:
    marks = opening.strip().split()[0].rstrip("jsonJSON")
    text = f"{HEAD}# Notes\n\n{opening}\n{MANIFEST}\n{marks}\nMore.\n".replace("\n", newline)
    mended = apply(text, look({"SKILL.md": text})[0])
    assert look({"SKILL.md": mended}) == []
    named = opening[: opening.index(marks) + len(marks)] + "skill-manifest"
    assert mended == text.replace(opening + newline, named + newline, 1)


@pytest.mark.parametrize(
    ("block", "mark"),
    [
        (YAML, "s"),
        (MANIFEST.replace('"id": "notes"', "'id': \"notes\"") + "\n", "'id'"),
    ],
    ids=["block style", "single quotes"],
)
def test_a_block_that_only_yaml_can_read(look: Look, block: str, mark: str) -> None:
    text = f"{HEAD}```skill-manifest\n{block}```\n"
    found = look({"SKILL.md": text})
    assert [each.rule for each in found] == ["manifest-block-yaml"]
    assert found[0].span is not None
    start = text.index(block)
    assert start + block.index(mark) == found[0].span.start
    mended = apply(text, found[0])
    assert look({"SKILL.md": mended}) == []
    json.loads(mended.partition("```skill-manifest\n")[2].partition("```")[0])


def test_a_spare_comma_is_a_slip_in_json(look: Look) -> None:
    text = f"{HEAD}```skill-manifest\n{MANIFEST[:-2]},\n}}\n```\n"
    found = look({"SKILL.md": text})
    assert [each.rule for each in found] == ["syntax-json"]
    assert apply(text, found[0]) == f"{HEAD}{BLOCK}"


def test_the_rules_hold_for_a_block_in_yaml(look: Look) -> None:
    block = YAML.replace("effects: []", "effects: [fs.raed]")
    found = look({"SKILL.md": f"{HEAD}```skill-manifest\n{block}```\n"})
    assert [each.rule for each in found] == ["manifest-block-yaml", "effect-unknown"]


@pytest.mark.parametrize("block", ["just words", "{", "{]", '{"id": "a" "b"', "- a\n- b"])
def test_what_is_neither_json_nor_yaml_is_broken_json(look: Look, block: str) -> None:
    found = look({"SKILL.md": f"{HEAD}```skill-manifest\n{block}\n```\n"})
    assert "syntax-json" in {each.rule for each in found}
    assert "manifest-block-yaml" not in {each.rule for each in found}


@given(st.text(alphabet='{}[]",:\n `~<!->ab1', max_size=60), st.booleans())
def test_any_body_is_survived(text: str, is_inside: bool) -> None:
    body = f"```skill-manifest\n{text}\n```\n" if is_inside else f'{{"id": {text}'
    located = locate(MemoryTree({"SKILL.md": (HEAD + body).encode()}, "notes"))
    assert check(located.skill) is not None


@pytest.mark.parametrize(
    "body", ['{"id":\n' * 20_000, '{"id": [' + "1, " * 100_000, '{"id": {}}\n' * 20_000]
)
def test_looking_for_objects_takes_no_time(body: str) -> None:
    markdown = read_markdown(Source(HEAD + body))
    began = time.process_time()
    assert find_unfenced(markdown) == []
    assert time.process_time() - began < 2
