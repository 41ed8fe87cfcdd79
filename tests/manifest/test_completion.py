"""What is offered at a cursor, and what the text is when it is taken. `‸` marks the cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.completion import Completion, complete
from skillstudio.manifest.locate import locate

FILES = {"scripts/run.sh": b"", "scripts/make.py": b"", "references/how.md": b"", ".git/x": b""}

FRONT = "---\nname: worklog\ndescription: Keeps a worklog.\n"
INPUTS = """inputs:
  required:
    - name: session_date
      description: The day.
      schema: {type: string}
  optional:
    - name: title
      description: A title.
      schema: {type: string, default: ""}
"""
BLOCK = (
    "---\nname: memory\ndescription: Remembers.\n---\n\n# Memory\n\n```skill-manifest\n%s\n```\n"
)
OPERATION = """{
  "schema_version": "2.0",
  "operations": {
    "search": {
      "description": "Finds.",
      "input": {"query": {"type": "string", "description": "Words."}, "limit": {"type": "integer"}},
      "output": {"description": "Hits."},
      "entrypoints": {
        "unix": ["bash", "%s"]
      }
    }
  }
}"""


def offered(path: str, marked: str) -> tuple[list[Completion], str]:
    text = marked.replace("‸", "")
    assert len(text) == len(marked) - 1, "one cursor"
    tree = MemoryTree({**FILES, path: text.encode()})
    skill = locate(tree).skill
    return complete(skill, path, text, marked.index("‸")), text


def labels(path: str, marked: str) -> list[str]:
    return [each.label for each in offered(path, marked)[0]]


def taken(path: str, marked: str, label: str) -> str:
    """The text after a completion is taken, with the cursor in it."""
    found, text = offered(path, marked)
    one = next(each for each in found if each.label == label)
    cursor = one.cursor if one.cursor >= 0 else len(one.insert)
    put = one.insert[:cursor] + "‸" + one.insert[cursor:]
    return text[: one.start] + put + text[one.end :]


SKILL = "SKILL.md"
ALL_BASES = ["skill_root", "repo_root", "cwd"]
EFFECTS = ["db.read", "db.write", "proc.exec", "fs.read", "fs.write", "net.fetch"]

# where, file, text, labels that come first and in this order, labels that are not offered
PLACES: list[tuple[str, str, str, list[str], list[str]]] = [
    # YAML: keys
    ("first key of an empty frontmatter", SKILL, "---\n‸\n---\n", ["name", "description"], []),
    ("keys of both schemas at the top", SKILL, FRONT + "in‸\n---\n", ["inputs", "interface"], []),
    ("a key that is there is not offered", SKILL, FRONT + "‸\n---\n", ["license"], ["name"]),
    ("a key further below counts as there", SKILL, "---\nna‸\nname: x\n---\n", [], ["name"]),
    ("a key with letters typed", SKILL, FRONT + "lic‸\n---\n", ["license"], ["metadata"]),
    ("a key that has its colon", SKILL, FRONT + "vers‸: 1.0.0\n---\n", ["version"], []),
    ("within a mapping", SKILL, FRONT + "execution:\n  net‸\n---\n", ["network"], ["inputs"]),
    ("an empty line within a mapping", SKILL, FRONT + "execution:\n  network: true\n  ‸\n---\n",
     ["idempotent", "destructive", "interactive"], ["network", "name"]),
    ("below a mapping, back at the top", SKILL, FRONT + "execution:\n  network: true\n‸\n---\n",
     ["license"], ["idempotent"]),
    ("groups of inputs", SKILL, FRONT + "inputs:\n  ‸\n---\n", ["required", "optional"], []),
    ("first key of a list item", SKILL, FRONT + "inputs:\n  required:\n    - ‸\n---\n",
     ["name", "description", "schema"], ["required"]),
    ("first key of a list item, typed", SKILL, FRONT + "inputs:\n  required:\n    - na‸\n---\n",
     ["name"], ["schema"]),
    ("further key of a list item", SKILL,
     FRONT + "inputs:\n  required:\n    - name: x\n      ‸\n---\n",
     ["description", "schema", "sensitive"], ["name"]),
    ("further key of the second item", SKILL,
     FRONT + "inputs:\n  required:\n  - name: x\n    schema: {}\n  - name: y\n    sch‸\n---\n",
     ["schema"], []),
    ("a list at the column of its key", SKILL,
     FRONT + "inputs:\n  required:\n  - name: x\n    des‸\n---\n", ["description"], []),
    ("a new item of a list without one", SKILL, FRONT + "inputs:\n  required:\n    ‸\n---\n",
     ["-"], ["name"]),
    ("with broken lines above", SKILL, '---\nname: "x\nexecution:\n  net‸\n---\n', ["network"], []),
    ("without an end of the frontmatter", SKILL, "---\nname: x\nlic‸", ["license"], []),
    # YAML: values
    ("a value from a list", SKILL, FRONT + "outputs:\n  files:\n    - base: ‸\n---\n",
     ALL_BASES, []),
    ("a value with letters typed", SKILL, FRONT + "outputs:\n  files:\n    - base: re‸\n---\n",
     ["repo_root"], ["cwd"]),
    ("a value by reference", SKILL, FRONT + "preconditions:\n  files:\n  - base: s‸\n---\n",
     ["skill_root"], []),
    ("a boolean", SKILL, FRONT + "sensitive: ‸\n---\n", ["true", "false"], []),
    ("a boolean, typed", SKILL, FRONT + "execution:\n  network: f‸\n---\n", ["false"], ["true"]),
    ("a value in quotes", SKILL, FRONT + 'outputs:\n  files:\n    - base: "c‸"\n---\n',
     ["cwd"], []),
    ("an example", SKILL, FRONT + "version: ‸\n---\n", ["1.0.0"], []),
    ("a value on the line below its key", SKILL, FRONT + "sensitive:\n  ‸\n---\n",
     ["true", "false"], []),
    ("names that an interface may list", SKILL,
     FRONT + INPUTS + "interface:\n  inputs:\n    - ‸\n---\n", ["session_date", "title"], []),
    ("names already listed are left out", SKILL,
     FRONT + INPUTS + "interface:\n  inputs: [title, ‸]\n---\n", ["session_date"], ["title"]),
    # YAML: flow
    ("a key between braces", SKILL, FRONT + "execution: {net‸}\n---\n", ["network"], []),
    ("a key after a comma", SKILL, FRONT + "execution: {network: true, ‸}\n---\n",
     ["idempotent"], ["network"]),
    ("a value between braces", SKILL, FRONT + "execution: {network: ‸}\n---\n",
     ["true", "false"], []),
    ("braces over lines", SKILL, FRONT + "execution: {\n  network: true,\n  des‸\n}\n---\n",
     ["destructive"], []),
    ("a mapping in a list of mappings", SKILL,
     FRONT + "outputs:\n  files: [{pattern: a, ba‸}]\n---\n", ["base"], ["pattern"]),
    # YAML: placeholders and files
    ("an input", SKILL, FRONT + INPUTS + "outputs:\n  files:\n    - pattern: a/{{‸\n---\n",
     ["session_date", "title"], []),
    ("an input, typed, closed", SKILL,
     FRONT + INPUTS + "outputs:\n  files:\n    - pattern: a/{{ti‸}}.org\n---\n", ["title"], []),
    ("an input in quotes", SKILL,
     FRONT + INPUTS + "outputs:\n  files:\n    - pattern: \"{{s‸\"\n---\n", ["session_date"], []),
    ("no input where there are none", SKILL, FRONT + INPUTS + "license: {{‸\n---\n",
     [], ["title"]),
    ("a file of the skill", SKILL, FRONT + "preconditions:\n  files:\n    - path: scr‸\n---\n",
     ["scripts/make.py", "scripts/run.sh"], [".git/x", "references/how.md"]),
    ("a file with a dot", SKILL, FRONT + "preconditions:\n  files:\n    - path: ./ref‸\n---\n",
     ["./references/how.md"], []),
    # JSON in a fenced block
    ("the braces of an empty block", SKILL, BLOCK % "‸", ["{ }"], []),
    ("first key between empty braces", SKILL, BLOCK % "{‸}",
     ["schema_version", "id", "version"], []),
    ("a key in quotes", SKILL, BLOCK % '{"ef‸"}', ["effects"], ["id"]),
    ("a key in quotes without an end", SKILL, BLOCK % '{\n  "ef‸\n}', ["effects"], []),
    ("a key before others", SKILL, BLOCK % '{\n  "‸\n  "id": "x"\n}', ["schema_version"], ["id"]),
    ("a key after a comma in JSON", SKILL, BLOCK % '{"id": "x", ‸}', ["schema_version"], ["id"]),
    ("a key where the comma is missing", SKILL, BLOCK % '{\n  "id": "x"\n  ‸\n}',
     ["schema_version"], ["id"]),
    ("keys of an operation", SKILL, BLOCK % '{"operations": {"search": {"‸"}}}',
     ["description", "input", "output", "entrypoints"], ["operations"]),
    ("keys of an entrypoint", SKILL,
     BLOCK % '{"operations": {"s": {"entrypoints": {"u‸"}}}}', ["unix"], []),
    ("keys of a parameter", SKILL,
     BLOCK % '{"operations": {"s": {"input": {"q": {"‸"}}}}}', ["type", "required"], []),
    ("an effect", SKILL, BLOCK % '{"effects": [‸]}', EFFECTS, []),
    ("an effect in quotes", SKILL, BLOCK % '{"effects": ["db.‸"]}', ["db.read", "db.write"], []),
    ("an effect in half a string", SKILL, BLOCK % '{"effects": ["db.‸]}', ["db.read"], []),
    ("an effect that is there", SKILL, BLOCK % '{"effects": ["db.read", "d‸"]}',
     ["db.write"], ["db.read"]),
    ("a type", SKILL, BLOCK % '{"operations": {"s": {"input": {"q": {"type": ‸}}}}}',
     ["string", "integer", "number", "boolean", "json"], []),
    ("a type before a comma", SKILL,
     BLOCK % '{"operations": {"s": {"input": {"q": {"type": "b‸", "required": true}}}}}',
     ["boolean"], []),
    ("a boolean in JSON", SKILL, BLOCK % '{"stdout_contract": {"last_line_json": t‸}}',
     ["true"], []),
    ("a constant", SKILL, BLOCK % '{"schema_version": ‸}', ["2.0"], []),
    ("a parameter", SKILL, BLOCK % (OPERATION % "{‸"), ["query", "limit"], []),
    ("a parameter, typed", SKILL, BLOCK % (OPERATION % "--query={q‸}"), ["query"], ["limit"]),
    ("a file in a command", SKILL, BLOCK % (OPERATION % "scripts/‸"),
     ["scripts/make.py", "scripts/run.sh"], []),
    ("the old block", SKILL, (BLOCK % '{"entry‸"}').replace("skill-manifest", "router-manifest"),
     ["entrypoints"], ["operations"]),
    # JSON in a file
    ("a capability's kind", "manifest.json",
     '{"schema_version": "1.0.0-draft", "artifact": "", "signers": [],'
     ' "capabilities": [{"kind": "fs.‸"}]}', ["fs.read", "fs.write"], ["env"]),
    # TOML
    ("tables of an empty file", "skill.toml", "‸", ["skill", "provides"], []),
    ("a header", "skill.toml", "[pro‸", ["provides"], ["skill"]),
    ("a header that is there", "skill.toml", '[skill]\nid = "a.b"\n\n[‸]\n',
     ["provides"], ["skill"]),
    ("keys of a table", "skill.toml", "[skill]\n‸\n", ["id", "name", "version"], []),
    ("a key of a table, typed", "skill.toml", '[skill]\nid = "a.b"\nap‸\n',
     ["api_version"], ["id"]),
    ("a key that has its sign", "skill.toml", '[skill]\nap‸ = "1.0"\n', ["api_version"], []),
    ("a boolean in TOML", "skill.toml", "[provides]\nrecipes = ‸\n", ["true", "false"], []),
    ("an example in TOML", "skill.toml", "[skill]\nlicense = ‸\n", ["MIT", "Apache-2.0"], []),
    ("an example in literal quotes", "skill.toml", "[skill]\nlicense = 'M‸'\n", ["MIT"], []),
]  # fmt: skip

NOTHING = [
    ("prose", SKILL, FRONT + "---\n\nSome pro‸se\n"),
    ("another fence", SKILL, FRONT + '---\n\n```json\n{"‸"}\n```\n'),
    ("the line that ends the frontmatter", SKILL, FRONT + "-‸--\n"),
    ("a comment", SKILL, FRONT + "sensitive: true # t‸\n---\n"),
    ("a block of text", SKILL, "---\nname: x\ndescription: |\n  some li‸\n---\n"),
    ("the further lines of a text", SKILL, "---\ndescription: some\n  li‸\n---\n"),
    ("behind a value in quotes", SKILL, FRONT + 'license: "MIT" ‸\n---\n'),
    ("between a key and its colon", SKILL, BLOCK % '{"id"‸: "x"}'),
    ("a comment in TOML", "skill.toml", "[provides]\n# rec‸\n"),
    ("behind a value in TOML", "skill.toml", '[skill]\nid = "a.b"‸\n'),
    ("a string of many lines in TOML", "skill.toml", '[skill]\nname = """\nid‸\n"""\n'),
    ("a file that is no manifest", "notes.txt", "na‸"),
]

TAKEN = [
    # YAML
    ("a plain key", SKILL, "---\nna‸\n---\n", "name", "---\nname: ‸\n---\n"),
    ("a key that has its colon", SKILL, "---\nvers‸: 1.0.0\n---\n", "version",
     "---\nversion‸: 1.0.0\n---\n"),
    ("a key whose value is known", SKILL, "---\nmani‸\n---\n", "manifest_version",
     '---\nmanifest_version: "1.0"‸\n---\n'),
    ("a mapping", SKILL, "---\nexec‸\n---\n", "execution", "---\nexecution:\n  ‸\n---\n"),
    ("a list of mappings with what they need", SKILL, "---\ninputs:\n  req‸\n---\n", "required",
     "---\ninputs:\n  required:\n    - name: ‸\n      description: \n      schema:\n"
     "        \n---\n"),
    ("an item with what it needs", SKILL, "---\nenv:\n  required:\n    ‸\n---\n", "-",
     "---\nenv:\n  required:\n    - name: ‸\n---\n"),
    ("four columns where the text has four", SKILL, "---\nenv:\n    required:\n    opt‸\n---\n",
     "optional", "---\nenv:\n    required:\n    optional:\n        - name: ‸\n---\n"),
    ("a value in place of another", SKILL, "---\nexecution:\n  network: tr‸ue # c\n---\n", "true",
     "---\nexecution:\n  network: true‸ # c\n---\n"),
    ("a value that needs quotes", SKILL, "---\nmanifest_version: ‸\n---\n", "1.0",
     '---\nmanifest_version: "1.0"‸\n---\n'),
    ("a value in the quotes that are there", SKILL, "---\nversion: '1‸'\n---\n", "1.0.0",
     "---\nversion: '1.0.0'‸\n---\n"),
    ("a key between braces", SKILL, "---\nexecution: {net‸}\n---\n", "network",
     "---\nexecution: {network: ‸}\n---\n"),
    ("an input", SKILL, FRONT + INPUTS + "outputs: {files: [{pattern: \"{{t‸\"}]}\n---\n", "title",
     FRONT + INPUTS + "outputs: {files: [{pattern: \"{{title}}‸\"}]}\n---\n"),
    ("an input that is closed", SKILL,
     FRONT + INPUTS + "outputs:\n  files:\n    - pattern: a/{{t‸}}.org\n---\n", "title",
     FRONT + INPUTS + "outputs:\n  files:\n    - pattern: a/{{title}}‸.org\n---\n"),
    # JSON
    ("a text", SKILL, BLOCK % "{‸}", "id", BLOCK % '{"id": "‸"}'),
    ("a constant", SKILL, BLOCK % '{"sch‸"}', "schema_version",
     BLOCK % '{"schema_version": "2.0"‸}'),
    ("a comma before the next key", SKILL, BLOCK % '{\n  "ve‸\n  "id": "x"\n}', "version",
     BLOCK % '{\n  "version": "‸",\n  "id": "x"\n}'),
    ("a comma that was missing", SKILL, BLOCK % '{\n  "id": "x"\n  ‸\n}', "version",
     BLOCK % '{\n  "id": "x",\n  "version": "‸"\n}'),
    ("a list", SKILL, BLOCK % '{"eff‸"}', "effects", BLOCK % '{"effects": [‸]}'),
    ("a mapping with what it needs", SKILL, BLOCK % '{\n  "std‸"\n}', "stdout_contract",
     BLOCK % '{\n  "stdout_contract": {\n    "last_line_json": true\n  }‸\n}'),
    ("only the name where the colon is", SKILL, BLOCK % '{"vers‸": "1"}', "version",
     BLOCK % '{"version"‸: "1"}'),
    ("a value with the quotes it lacks", SKILL, BLOCK % '{"effects": ["db.w‸]}', "db.write",
     BLOCK % '{"effects": ["db.write"‸]}'),
    ("a value before another", SKILL, BLOCK % '{"effects": [‸"fs.read"]}', "db.read",
     BLOCK % '{"effects": ["db.read"‸,"fs.read"]}'),
    ("a parameter", SKILL, BLOCK % (OPERATION % "-q {qu‸"), "query",
     BLOCK % (OPERATION % "-q {query}‸")),
    # TOML
    ("a key in TOML", "skill.toml", "[skill]\nna‸\n", "name", '[skill]\nname = "‸"\n'),
    ("a list in TOML", "skill.toml", "[skill]\nkey‸\n", "keywords", "[skill]\nkeywords = [‸]\n"),
    ("a header with what its table needs", "skill.toml", "[sk‸]\n", "skill",
     '[skill]\nid = "‸"\nname = ""\nversion = ""\ndescription = ""\napi_version = ""\n'),
    ("a value in TOML", "skill.toml", "[skill]\nlicense = ‸\n", "MIT",
     '[skill]\nlicense = "MIT"‸\n'),
    ("a value in literal quotes", "skill.toml", "[skill]\nlicense = 'M‸\n", "MIT",
     "[skill]\nlicense = 'MIT'‸\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "wanted", "absent"), [case[1:] for case in PLACES],
                         ids=[case[0] for case in PLACES])  # fmt: skip
def test_offered(path: str, text: str, wanted: list[str], absent: list[str]) -> None:
    found = labels(path, text)
    assert found[: len(wanted)] == wanted
    assert not set(absent) & set(found)


@pytest.mark.parametrize(("path", "text"), [case[1:] for case in NOTHING],
                         ids=[case[0] for case in NOTHING])  # fmt: skip
def test_nothing_offered(path: str, text: str) -> None:
    assert labels(path, text) == []


@pytest.mark.parametrize(("path", "text", "label", "after"), [case[1:] for case in TAKEN],
                         ids=[case[0] for case in TAKEN])  # fmt: skip
def test_taken(path: str, text: str, label: str, after: str) -> None:
    assert taken(path, text, label) == after


def test_every_key_tells_what_it_is() -> None:
    for text in ("---\n‸\n---\n", BLOCK % "{‸}", "[skill]\n‸\n"):
        path = "skill.toml" if text.startswith("[") else SKILL
        assert all(each.detail for each in offered(path, text)[0])


def test_an_enum_value_tells_what_it_does() -> None:
    found, _ = offered(SKILL, BLOCK % '{"effects": ["net‸"]}')
    assert [each.detail for each in found] == ["Makes requests over the network."]


@pytest.mark.parametrize("text", [case[2] for case in PLACES[::7]])
@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_ends(text: str, newline: str) -> None:
    path = "skill.toml" if text.startswith(("[", "‸")) else SKILL
    if path == SKILL or newline == "\r\n":  # TOML has no lone \r
        assert labels(path, text.replace("\n", newline)) == labels(path, text)


WHOLE = [
    (
        SKILL,
        FRONT + INPUTS + "outputs:\n  files:\n    - {pattern: 'a/{{title}}', base: cwd}\n---\n",
    ),
    (SKILL, BLOCK % (OPERATION % "{query}")),
    ("skill.toml", '[skill]\nid = "a.b"\nkeywords = ["x", "y"]\n\n[provides]\nrecipes = true\n'),
]


@pytest.mark.parametrize(("path", "text"), WHOLE)
def test_every_offset_of_every_beginning_is_answered(path: str, text: str) -> None:
    skill = locate(MemoryTree({**FILES, path: text.encode()})).skill
    for offset in range(0, len(text), 3):
        for shown in (text, text[:offset]):
            for each in complete(skill, path, shown, offset):
                assert 0 <= each.start <= offset <= each.end <= len(shown)


@given(st.text("ab:-{}[]\"'#|\n, =.~`", max_size=40), st.integers(0, 40))
def test_any_text_is_answered(text: str, at: int) -> None:
    for path, around in ((SKILL, "---\n%s\n---\n"), (SKILL, BLOCK), ("skill.toml", "%s")):
        start = around.index("%s")
        skill = locate(MemoryTree({path: b""})).skill
        complete(skill, path, around % text, start + min(at, len(text)))
