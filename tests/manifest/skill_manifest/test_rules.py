"""What is said of a manifest: `‸` marks where each finding begins."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.check import check
from skillstudio.manifest.locate import locate
from skillstudio.manifest.skill_manifest.rules import asks
from skillstudio.manifest.values import has_type
from skillstudio.text.diagnostic import CreateFile, Diagnostic, Set, Splice

Look = Callable[..., list[Diagnostic]]

FILES = {"scripts/find.sh": "", "scripts/find.ps1": "", "scripts/find.bat": ""}
OPERATION = """{
  "description": "Find notes",
  "input": INPUT,
  "output": {"description": "The notes"},
  "entrypoints": ENTRYPOINTS
}"""
SKILL = """---
name: notes
description: Finds notes. Use when a note is looked for.
---
The scripts are in scripts.

```skill-manifest
{
"schema_version": "2.0",
"id": "notes",
"version": "1.0.0",
"capabilities": ["note-find"],
"effects": ["fs.read"],
"operations": {"find": OPERATION},
"stdout_contract": {"last_line_json": true, "note": "one object"}
}
```
"""
QUERY = '{"query": {"type": "string", "required": true}}'
UNIX = '["bash", "scripts/find.sh", "{query}"]'
WINDOWS = '["powershell.exe", "-File", "scripts\\\\find.ps1", "{query}"]'
BOTH = f'{{"unix": {UNIX}, "windows": {WINDOWS}}}'


def skill(entrypoints: str = BOTH, inputs: str = QUERY) -> str:
    operation = OPERATION.replace("INPUT", inputs).replace("ENTRYPOINTS", entrypoints)
    return SKILL.replace("OPERATION", operation)


def unix(argv: str) -> str:
    return f'{{"unix": {argv}, "windows": {WINDOWS}}}'


def windows(argv: str) -> str:
    return f'{{"unix": {UNIX}, "windows": {argv}}}'


def marked(text: str) -> tuple[str, list[int]]:
    parts = text.split("‸")
    offsets = [sum(map(len, parts[: index + 1])) for index in range(len(parts) - 1)]
    return "".join(parts), offsets


def judge(look: Look, text: str) -> tuple[list[tuple[str, int]], list[int]]:
    plain, marks = marked(text)
    found = look({"SKILL.md": plain, **FILES})
    return [(each.rule, each.span.start if each.span else -1) for each in found], marks


ENTRYPOINTS = {
    "nothing to say": [
        ("", BOTH),
        ("", unix('["{skill_dir}/scripts/find.sh", "{query}"]')),
        ("", unix('["bash", "-c", "cd {skill_dir}", "{query}"]')),
        ("", unix('["bash", "-c", "ls ${HOME}", "{query}"]')),
        ("", unix('["git", "grep", "{query}", "${other}"]')),
        ("", '{"agent": "Follow the procedure in words"}'),
        ("", '{"agent": "scripts/find.sh"}'),
        ("", '{"agent": ["bash", "scripts/find.sh", "{query}"]}'),
        ("", windows('["cmd", "/c", "scripts\\\\find.bat"]')),
        ("", windows('["scripts\\\\find.bat"]')),
    ],
    "placeholders": [
        ("placeholder-unknown", unix('["bash", "scripts/find.sh", "{query}", "‸{querry}"]')),
        ("placeholder-unknown", unix('["bash", "scripts/find.sh", "{query}", "a‸{b}c"]')),
        ("placeholder-unknown", unix('["bash", "scripts/find.sh", "{query}", "\\u0041‸{b}"]')),
        ("placeholder-unknown", unix('["bash", "-c", "f‸{cmd}", "{query}"]')),
        ("placeholder-in-script", unix('["bash", "-c", "grep ‸{query}"]')),
        ("placeholder-in-script", unix('["bash", "-c", "grep $‸{query}"]')),
        ("placeholder-in-script", unix('["sh", "-ec", "grep ‸{query}"]')),
        ("placeholder-in-script", unix('["python3", "-c", "print(\'‸{query}\')"]')),
        ("placeholder-in-script", windows('["powershell", "-Command", "x", "‸{query}"]')),
        ("placeholder-in-script", windows('["cmd", "/c", "dir", "‸{query}"]')),
        ("placeholder-in-script", windows('["scripts\\\\find.bat", "‸{query}"]')),
        ("placeholder-in-script", windows('["tool.cmd", "‸{query}"]')),
        ("placeholder-in-program", unix('["‸{query}", "--version"]')),
        ("placeholder-in-program", unix('["bin-‸{query}", "--version"]')),
        ("placeholder-in-program", unix('["env", "‸{query}"]')),
    ],
    "files": [
        ("path-missing", unix('["bash", ‸"scripts/gone.sh", "{query}"]')),
        ("path-missing", unix('[‸"./gone.sh", "{query}"]')),
        ("path-missing", unix('["bash", ‸"{skill_dir}/gone.sh", "{query}"]')),
        ("path-missing", windows('["powershell", "-File", ‸"gone\\\\find.ps1", "{query}"]')),
        ("path-missing", '{"agent": ‸"procedures/find.md"}'),
        ("path-absolute", unix('["bash", ‸"/opt/find.sh", "{query}"]')),
        ("path-absolute", unix('["bash", ‸"~/find.sh", "{query}"]')),
        ("path-outside", unix('["bash", ‸"../find.sh", "{query}"]')),
        ("path-outside", unix('["bash", ‸"{skill_dir}/../find.sh", "{query}"]')),
    ],
    "shapes": [
        ("value-length", unix("‸[]")),
        ("value-type", unix('‸"bash scripts/find.sh"')),
        ("value-type", unix('["bash", "scripts/find.sh", "{query}", ‸5]')),
        ("value-type", '{"agent": ‸5}'),
        ("value-type", '{"agent": ["bash", ‸5, "{query}"]}'),
        ("value-length", '{"agent": ‸""}'),
        ("value-length", '{"agent": ‸[]}'),
        ("key-unknown", f'{{"unix": {UNIX}, "windows": {WINDOWS}, ‸"unix_wrapper": []}}'),
        ("entrypoint-windows-missing", f'{{‸"unix": {UNIX}}}'),
    ],
}


@pytest.mark.parametrize(
    ("rule", "entrypoints"), [case for cases in ENTRYPOINTS.values() for case in cases]
)
def test_commands(look: Look, rule: str, entrypoints: str) -> None:
    found, marks = judge(look, skill(entrypoints))
    assert found == [(rule, mark) for mark in marks]


INPUTS = [
    ("", '{"query": {"type": "string", "default": ""}}'),
    ("", '{"query": {"type": "json", "default": [1, {}]}}'),
    ("", '{"query": {"type": "number", "default": 1}}'),
    ("", '{"query": {"type": "integer", "default": 2.0}}'),
    ("", '{"query": {"type": "string", "required": true, "default": null}}'),
    ("default-type", '{"query": {"type": "string", "default": ‸5}}'),
    ("default-type", '{"query": {"type": "integer", "default": ‸"5"}}'),
    ("default-type", '{"query": {"type": "integer", "default": ‸2.5}}'),
    ("default-type", '{"query": {"type": "integer", "default": ‸true}}'),
    ("default-type", '{"query": {"type": "number", "default": ‸false}}'),
    ("default-type", '{"query": {"type": "boolean", "default": ‸"true"}}'),
    ("value-enum", '{"query": {"type": ‸"text", "default": 5}}'),
    ("key-missing", '{‸"query": {"required": true}}'),
    ("default-on-required", '{"query": {"type": "string", "required": true, "default": ‸""}}'),
    ("parameter-unused", QUERY[:-1] + ', ‸"scope": {"type": "string", "required": true}}'),
    ("", QUERY[:-1] + ', "scope": {"type": "string"}}'),
]


@pytest.mark.parametrize(("rule", "inputs"), INPUTS)
def test_parameters(look: Look, rule: str, inputs: str) -> None:
    found, marks = judge(look, skill(inputs=inputs))
    assert found == [(rule, mark) for mark in marks]


def test_an_optional_parameter_without_default_at_each_use(look: Look) -> None:
    uses = BOTH.replace('"{query}"', '"‸{query}"')
    found, marks = judge(look, skill(uses, '{"query": {"type": "string"}}'))
    assert found == [("placeholder-no-default", mark) for mark in marks]


def test_an_agent_reads_its_parameters_itself(look: Look) -> None:
    assert look({"SKILL.md": skill('{"agent": "Look it up"}')}) == []


TOP = [
    ("id-folder", '"notes",\n"version"', '‸"note",\n"version"'),
    ("version-not-semver", '"1.0.0"', '‸"1.0"'),
    ("version-not-semver", '"1.0.0"', '‸"v1.0.0"'),
    ("capability-form", '"note-find"', '‸"Find"'),
    ("effect-unknown", '"fs.read"', '‸"fs.raed"'),
    ("value-duplicate", '["fs.read"]', '‸["fs.read", "fs.read"]'),
    ("value-enum", '"2.0"', '‸"2.1"'),
    ("key-unknown", '"note":', '‸"remark":'),
    ("key-extension", '"effects":', '‸"x-owner": 1, "effects":'),
    ("key-missing", '{"last_line_json": true, "note": "one object"}', "{}"),
]


@pytest.mark.parametrize(("rule", "old", "new"), TOP)
def test_the_top_level(look: Look, rule: str, old: str, new: str) -> None:
    assert skill().count(old) == 1
    text = skill().replace(old, new)
    if rule == "key-missing":
        text = text.replace('"stdout_contract"', '‸"stdout_contract"')
    found, marks = judge(look, text)
    assert [each for each in found if each[0] != "name-disagrees"] == [(rule, marks[0])]


def fix(look: Look, text: str, rule: str) -> list[tuple[str, object]]:
    found = [each for each in look({"SKILL.md": text, **FILES}) if each.rule == rule]
    return [(each.title, each.edits[0]) for each in found[0].fixes]


def test_fixes(look: Look) -> None:
    def top(rule: str) -> list[tuple[str, object]]:
        _, old, new = next(case for case in TOP if case[0] == rule)
        return fix(look, skill().replace(old, new.replace("‸", "")), rule)

    assert top("id-folder") == [("Change it to notes", Set("/id", "notes"))]
    assert top("version-not-semver") == [("Change it to 1.0.0", Set("/version", "1.0.0"))]
    assert [edit for _, edit in top("effect-unknown")] == [Set("/effects/0", "fs.read")]
    gone = skill(unix('["bash", "scripts/gone.sh", "{query}"]'))
    created = CreateFile("scripts/gone.sh", "#!/usr/bin/env bash\n")
    assert fix(look, gone, "path-missing") == [("Create scripts/gone.sh", created)]
    at = "/operations/find/input/query/default"
    assert fix(
        look, skill(inputs='{"query": {"type": "integer", "default": "5"}}'), "default-type"
    ) == [("Write it as 5", Set(at, 5))]
    mistyped = skill(unix('["bash", "scripts/find.sh", "{query}", "{querry}"]'))
    start = mistyped.index("{querry}")
    assert fix(look, mistyped, "placeholder-unknown") == [
        ("Change it to {query}", Splice(start, start + 8, "{query}"))
    ]


@pytest.mark.parametrize(
    ("kind", "taken", "refused"),
    [
        ("string", ["", "5"], [5, True, None, []]),
        ("integer", [5, -1, 2.0], [2.5, True, "5"]),
        ("number", [5, 2.5], [False, "5"]),
        ("boolean", [True, False], [0, 1, "true"]),
        ("json", [1, "a", None, [], {}], []),
    ],
)
def test_what_a_type_takes(kind: str, taken: list[object], refused: list[object]) -> None:
    assert all(has_type(value, kind) for value in taken)
    assert not any(has_type(value, kind) for value in refused)


def test_a_credential_is_found_and_not_repeated(look: Look) -> None:
    token = "ghp_" + "a1B2" * 9
    text = skill(unix(f'["bash", "scripts/find.sh", "{{query}}", "{token}"]'))
    found = look({"SKILL.md": text, **FILES})
    assert [each.rule for each in found] == ["secret-literal"]
    assert found[0].span is not None
    assert text[slice(*found[0].span)] == f'"{token}"'
    assert token not in found[0].message


BROKEN = ["5", "null", "[]", '"text"', "[5]", "{}", '{"find": 5}', '{"unix": [5]}', '[["a"]]']
PARTS = [
    '"id": "notes"',
    '"capabilities": ["note-find"]',
    '"effects": ["fs.read"]',
    f'"input": {QUERY}',
    f'"entrypoints": {BOTH}',
    f'"unix": {UNIX}',
    '"type": "string"',
    '"required": true',
]


@pytest.mark.parametrize("value", BROKEN)
@pytest.mark.parametrize("key", PARTS)
def test_a_value_of_any_other_type_is_survived(look: Look, key: str, value: str) -> None:
    name = key.partition(":")[0]
    assert skill().count(key) == 1
    found = look({"SKILL.md": skill().replace(key, f"{name}: {value}"), **FILES})
    assert all(each.span is not None for each in found)


@pytest.mark.parametrize("length", range(0, 700, 9))
def test_a_manifest_that_breaks_off_gives_no_guesses(look: Look, length: int) -> None:
    text = skill()
    start = text.index("{\n")
    found = look({"SKILL.md": text[: start + length] + "\n```\n", **FILES})
    about_the_rest = {"parameter-unused", "placeholder-unknown", "entrypoint-windows-missing"}
    assert not {each.rule for each in found} & about_the_rest


def test_what_it_asks_for() -> None:
    tree = MemoryTree({"SKILL.md": skill().encode()}, "notes")
    manifest = locate(tree).skill.of("skill-manifest-2.0")
    assert manifest is not None
    above = "/operations/find/entrypoints"
    assert [tuple(ask) for ask in asks(manifest)] == [
        ("effect", "fs.read", "/effects/0"),
        ("capability", "note-find", "/capabilities/0"),
        ("command", "bash", f"{above}/unix/0"),
        ("command", "powershell.exe", f"{above}/windows/0"),
    ]


ROUTER = """---
name: notes
description: Finds notes. Use when a note is looked for.
---
‸```router-manifest
{"id": "notes", "version": "0.1.0", "effects": [],
 "entrypoints": {"notes.find": {ENTRYPOINTS}},
 "stdout_contract": {"last_line_json": true, "schema_version": "1.0"}}
```
"""


@pytest.mark.parametrize(
    ("rule", "entrypoints"),
    [
        ("", f'"unix": {UNIX}, "windows": {WINDOWS}'),
        ("entrypoint-windows-missing", f'‸"unix": {UNIX}'),
        ("placeholder-in-script", '"windows": ["cmd", "/c", "‸{query}"]'),
        ("path-missing", '"windows": ["python", ‸"gone.py", "${HOME}"]'),
        ("key-unknown", '"windows": ["python"], ‸"agent": "words"'),
    ],
)
def test_router_manifests(look: Look, rule: str, entrypoints: str) -> None:
    found, marks = judge(look, ROUTER.replace("ENTRYPOINTS", entrypoints))
    expected = [("router-manifest-old", marks[0])] + [(rule, mark) for mark in marks[1:]]
    assert found == expected


def test_a_router_manifest_asks_for_its_commands() -> None:
    text = marked(ROUTER.replace("ENTRYPOINTS", f'"unix": {UNIX}'))[0]
    located = locate(MemoryTree({"SKILL.md": text.encode(), "scripts/find.sh": b""}, "notes"))
    manifest = located.skill.of("router-manifest-1")
    assert manifest is not None
    assert ("command", "bash", "/entrypoints/notes.find/unix/0") in list(asks(manifest))
    assert "error" not in {each.severity for each in check(located.skill)}
