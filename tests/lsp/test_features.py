"""What an editor asks and what it gets, over standard input and output; `‸` marks the cursor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.lsp.client import Client, LspError, at, place, serving

from skillstudio.lsp.documents import EditorText
from skillstudio.manifest.targets import targets

CURSOR = "‸"
PLAIN = "---\nname: tea\ndescription: Makes tea. Use when asked.\n{}---\n{}"
COLON = "---\nname: tea\ndescription: Use when: asked{}\n---\nMake tea.\n"
INPUTS = """---
manifest_version: "1.0"
name: tea
version: "1.0.0"
description: Makes tea. Use when asked.
inputs:
  required:
    - name: {}
      description: The kind.
      schema: {{type: string}}
outputs:
  files:
    - pattern: "cups/{{{{{}}}}}.md"
---
# Tea

## Brew
Brew it.
"""
OPERATIONS = """---
name: tea
description: Makes tea. Use when asked.
---
```skill-manifest
{{
  "schema_version": "2.0", "id": "tea", "version": "1.0.0",
  "capabilities": ["text-find"], "effects": [],
  "operations": {{
    "{}": {{
      "description": "Brew.", "input": {{}}, "output": {{"description": "Tea."}},
      "entrypoints": {{"unix": ["brew.sh"]}}
    }}
  }}
}}
```
"""
_numbers = count(1)


class Opened(NamedTuple):
    """An open document of a skill of its own, and the cursor in it."""

    client: Client
    uri: str
    text: str
    line: int
    character: int

    def ask(self, method: str, **more: Any) -> Any:
        return self.client.request(method, **at(self.uri, self.line, self.character), **more)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with serving() as found:
        found.start(tmp_path_factory.mktemp("workspace"))
        yield found


@pytest.fixture
def opening(client: Client, tmp_path: Path) -> Callable[..., Opened]:
    def open_(marked: str, name: str = "SKILL.md", **files: str) -> Opened:
        folder = tmp_path / f"{next(_numbers)}" / "tea"
        folder.mkdir(parents=True)
        for path, content in {**files, name: marked.replace(CURSOR, "")}.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        text = marked.replace(CURSOR, "")
        offset = marked.find(CURSOR) if CURSOR in marked else 0
        found = EditorText(text).position(offset)
        uri = client.open(folder / name, text)
        return Opened(client, uri, text, found.line, found.character)

    return open_


def shown(text: str, edits: list[dict[str, Any]]) -> str:
    """A text after the edits of one document, with the cursor of a snippet as it is."""
    editor = EditorText(text)
    for each in sorted(edits, key=lambda e: -offset_of(editor, e["range"]["start"])):
        start, end = (offset_of(editor, each["range"][key]) for key in ("start", "end"))
        text = text[:start] + each["newText"] + text[end:]
    return text


def offset_of(text: EditorText, position: dict[str, int]) -> int:
    from lsprotocol import types

    return text.offset(types.Position(**position))


def steps(edit: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = edit["documentChanges"]
    return found


# What is asked: each returns what comes back, in short.


def problems(opened: Opened) -> list[str]:
    found = opened.client.problems(opened.uri)
    return [
        f"{each['range']['start']['line']}:{each['range']['start']['character']} "
        f"{('error', 'warning', 'info')[each['severity'] - 1]} {each['code']}"
        + "".join(f" +{('unnecessary', 'deprecated')[tag - 1]}" for tag in each.get("tags") or ())
        + "".join(
            f" see {other['location']['range']['start']['line']}"
            for other in each.get("relatedInformation") or ()
        )
        for each in found
    ]


def hover(opened: Opened) -> str | None:
    found = opened.ask("textDocument/hover")
    return found and str(found["contents"]["value"])


def completion(opened: Opened) -> list[str]:
    found = opened.ask("textDocument/completion")["items"]
    return [shown(opened.text, [each["textEdit"]]).split("\n")[opened.line] for each in found[:3]]


def actions(opened: Opened, *only: str) -> list[str]:
    found = opened.client.request(
        "textDocument/codeAction",
        textDocument={"uri": opened.uri},
        range=place(opened.line, opened.character),
        context={"diagnostics": [], **({"only": list(only)} if only else {})},
    )
    return [
        f"{each['title']}{' *' if each.get('isPreferred') else ''} → "
        + " & ".join(
            shown(opened.text, step["edits"]).split("\n")[opened.line]
            if "edits" in step and step["textDocument"]["uri"] == opened.uri
            else f"{step['kind']} {os.path.basename(step.get('newUri') or step['uri'])}"
            for step in steps(each["edit"])
            # The text of a new file follows its creation.
            if "kind" in step or step["textDocument"]["uri"] == opened.uri
        )
        for each in found
    ]


def fixes_all(opened: Opened) -> list[str]:
    return actions(opened, "source.fixAll")


def symbols(opened: Opened) -> list[Any]:
    def tree(found: list[dict[str, Any]]) -> list[Any]:
        return [
            each["name"] if not each["children"] else (each["name"], tree(each["children"]))
            for each in found
        ]

    document = {"uri": opened.uri}
    return tree(opened.client.request("textDocument/documentSymbol", textDocument=document))


def folds(opened: Opened) -> list[str]:
    document = {"uri": opened.uri}
    found = opened.client.request("textDocument/foldingRange", textDocument=document)
    return [f"{each['startLine']}-{each['endLine']}" for each in found]


def links(opened: Opened) -> list[str]:
    document = {"uri": opened.uri}
    found = opened.client.request("textDocument/documentLink", textDocument=document)
    return [
        f"{each['range']['start']['line']}:{each['range']['start']['character']} "
        f"{each['target'].rpartition('/tea/')[2]}"
        for each in found
    ]


def lenses(opened: Opened) -> list[str]:
    document = {"uri": opened.uri}
    found = opened.client.request("textDocument/codeLens", textDocument=document)
    return [f"{each['range']['start']['line']} {each['command']['title']}" for each in found]


def definition(opened: Opened) -> list[str]:
    return places(opened.ask("textDocument/definition"))


def references(opened: Opened) -> list[str]:
    context = {"includeDeclaration": True}
    return places(opened.ask("textDocument/references", context=context))


def places(found: list[dict[str, Any]]) -> list[str]:
    return [
        f"{each['uri'].rpartition('/tea/')[2]} {each['range']['start']['line']}:"
        f"{each['range']['start']['character']}-{each['range']['end']['character']}"
        for each in found
    ]


def rename(opened: Opened) -> list[str]:
    found = opened.ask("textDocument/prepareRename")
    if found is None:
        return []
    edit = opened.ask("textDocument/rename", newName="leaf")
    return [found["placeholder"], *(
        f"{step['textDocument']['uri'].rpartition('/tea/')[2]} {len(step['edits'])} edits"
        if "edits" in step
        else f"{step['oldUri'].rpartition('/tea/')[2]} → {step['newUri'].rpartition('/tea/')[2]}"
        for step in steps(edit)
    )]  # fmt: skip


def hints(opened: Opened) -> list[str]:
    found = opened.client.request(
        "textDocument/inlayHint", textDocument={"uri": opened.uri}, range=place(0, 0, 0, last=99)
    )
    return [f"{each['position']['line']} {each['label']}" for each in found]


KIND = {"kind": "green"}
SAMPLE = {"samples/day.yaml": "inputs:\n  kind: green\n"}
ROWS: list[tuple[str, Callable[[Opened], Any], str, dict[str, str], Any]] = [
    # Problems
    ("a skill without problems", problems, PLAIN.format("", "Make tea.\n"), {}, []),
    ("an unquoted colon", problems, COLON.format(""), {}, ["2:21 error description-unquoted"]),
    ("units of UTF-16", problems, PLAIN.format("license: MIT 😀: x\n", ""), {},
        ["3:15 error value-unquoted"]),
    ("an unused comment is unnecessary", problems,
        PLAIN.format("# skillstudio: ignore[name-format]\n", "Make tea.\n"), {},
        ["3:0 warning ignore-unused +unnecessary"]),
    ("a duplicate key leads to the first", problems,
        PLAIN.format("name: tea\n", "Make tea.\n"), {}, ["3:0 error key-duplicate see 1"]),
    # Hover
    ("a key", hover, PLAIN.format("lic‸ense: MIT\n", ""), {},
        "**`license`** License of the skill: its name, or the name of a bundled file. (string)"),
    ("the body", hover, PLAIN.format("", "Make ‸tea.\n"), {}, None),
    # Completion; the line after each of the first three
    ("a key being typed", completion, PLAIN.format("lic‸\n", ""), {}, ["license: "]),
    ("a snippet with its cursor", completion, INPUTS.format("kind", "kind").replace(
        "outputs:", "prec‸\noutputs:"), {}, ["preconditions:"]),
    ("an input in a placeholder", completion, INPUTS.format("kind", "k‸"), {},
        ['    - pattern: "cups/{{kind}}.md"']),
    ("nothing in the body", completion, PLAIN.format("", "Make ‸\n"), {}, []),
    # Code actions; the line after each, * for the preferred one
    ("a safe fix, and a comment", actions, COLON.format("‸"), {}, [
        'Quote this value * → description: "Use when: asked"',
        "Ignore description-unquoted here → # skillstudio: ignore[description-unquoted]",
        'Apply all safe fixes of skillstudio → description: "Use when: asked"',
    ]),
    ("only safe fixes on save", fixes_all, COLON.format("‸"), {},
        ['Apply all safe fixes of skillstudio → description: "Use when: asked"']),
    ("no safe fix on save", fixes_all, PLAIN.format("vers‸ion: 1\n", ""), {}, []),
    ("a comment in the body", actions, PLAIN.format("", "See [it](a.md‸).\n"), {}, [
        "Ignore link-missing here → See [it](a.md). <!-- skillstudio: ignore[link-missing] -->"]),
    ("one more rule in a comment of the body", actions, PLAIN.format(
        "", "See [it](a.md‸). <!-- skillstudio: ignore[x] -->\n"), {}, [
        "Ignore link-missing here → "
        "See [it](a.md). <!-- skillstudio: ignore[x, link-missing] -->"]),
    ("an entry in the settings, where a comment cannot be", actions, OPERATIONS.format(
        "brew").replace('"effects": []', '"effects": [], "x‸": 1'), {}, [
        "Ignore key-unknown in this file, in the settings → create skillstudio.toml"]),
    ("nothing without a problem", actions, PLAIN.format("", "‸Make tea.\n"), {}, []),
    # The document
    ("keys and headings", symbols, INPUTS.format("kind", "kind"), {}, [
        "manifest_version", "name", "version", "description",
        ("inputs", [("required", [("kind", ["name", "description", "schema"])])]),
        ("outputs", [("files", [("cups/{{kind}}.md", ["pattern"])])]),
        ("Tea", ["Brew"]),
    ]),
    ("frontmatter, keys and sections", folds, INPUTS.format("kind", "kind"), {},
        ["0-12", "5-9", "6-9", "7-9", "10-12", "11-12", "14-17", "16-17"]),
    ("files of the skill", links, PLAIN.format(
        "", "See [it](references/a.md#b), [no](b.md), [web](https://x.y), [up](../c).\n"),
        {"references/a.md": "A.\n"}, ["4:9 references/a.md"]),
    ("costs and targets", lenses, PLAIN.format("", "Make tea.\n"), {}, [
        "0 ≈8 tokens always loaded, ≈3 on activation",
        f"0 loads in 6 of 6 targets, {len(targets()) - 6} look elsewhere"]),
    # Inputs
    ("where an input is declared", definition, INPUTS.format("kind", "k‸ind"), SAMPLE,
        ["SKILL.md 7:12-16"]),
    ("where an input is used", references, INPUTS.format("ki‸nd", "kind"), SAMPLE,
        ["SKILL.md 7:12-16", "SKILL.md 12:23-27", "samples/day.yaml 1:2-6"]),
    ("an input in all files", rename, INPUTS.format("ki‸nd", "kind"), SAMPLE,
        ["kind", "SKILL.md 2 edits", "samples/day.yaml 1 edits"]),
    ("where an operation is declared", definition, OPERATIONS.format("br‸ew"), {},
        ["SKILL.md 9:5-9"]),
    ("the samples of an operation", references, OPERATIONS.format("br‸ew"),
        {"samples/brew/green.yaml": "inputs: {}\n"},
        ["SKILL.md 9:5-9", "samples/brew/green.yaml 0:0-0"]),
    ("an operation with no usable name", references, OPERATIONS.format("br:‸ew"), {},
        ["SKILL.md 9:5-10"]),
    ("the command that dry-runs an operation", lenses, OPERATIONS.format("brew"), {}, [
        "0 ≈8 tokens always loaded, ≈75 on activation",
        f"0 loads in 6 of 6 targets, {len(targets()) - 6} look elsewhere",
        "9 ▶ dry-run brew"]),
    ("an operation and the folder of its samples", rename, OPERATIONS.format("br‸ew"),
        {"samples/brew/green.yaml": "inputs: {}\n"},
        ["brew", "SKILL.md 1 edits", "samples/brew → samples/leaf"]),
    ("an operation without samples", rename, OPERATIONS.format("br‸ew"), {},
        ["brew", "SKILL.md 1 edits"]),
    # Hints
    ("the length of a description", hints, PLAIN.format("", "Make tea.\n"), {},
        ["2 26 of 1,024 characters"]),
    ("the length of a folded description", hints,
        "---\nname: tea\ndescription: >\n  Makes tea.\n  Use it.\n---\n", {},
        ["4 19 of 1,024 characters"]),
    ("no length of a description that is missing", hints, "---\nname: tea\n---\n", {}, []),
    ("nothing else can be renamed", rename, PLAIN.format("", "Make ‸tea.\n"), {}, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("ask", "text", "files", "expected"),
    [row[1:] for row in ROWS],
    ids=[f"{row[1].__name__}: {row[0]}" for row in ROWS],
)
def test_what_is_asked_and_what_comes_back(
    opening: Callable[..., Opened],
    ask: Callable[[Opened], Any],
    text: str,
    files: dict[str, str],
    expected: Any,
) -> None:
    assert ask(opening(text, **files)) == expected


def test_a_refused_rename_says_why(opening: Callable[..., Opened]) -> None:
    opened = opening(INPUTS.format("ki‸nd", "kind"))
    with pytest.raises(LspError, match="not a valid name") as refused:
        opened.ask("textDocument/rename", newName="9 lives")
    assert refused.value.code == -32803


def test_a_renamed_folder_renames_the_skill(opening: Callable[..., Opened]) -> None:
    opened = opening(PLAIN.format("", "See [it](references/a.md).\n"), **{"references/a.md": ""})
    folder = opened.uri.removesuffix("/SKILL.md")
    files = [{"oldUri": folder, "newUri": folder.removesuffix("tea") + "green-tea"}]
    (step,) = steps(opened.client.request("workspace/willRenameFiles", files=files))
    assert shown(opened.text, step["edits"]).split("\n")[1] == "name: green-tea"


def test_a_mark_that_the_editor_hides_shifts_no_edit(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "tea" / "SKILL.md"
    path.parent.mkdir()
    text = COLON.format("")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    opened = Opened(client, client.open(path, text), text, 0, 0)
    assert problems(opened) == ["0:0 warning byte-order-mark", "2:21 error description-unquoted"]
    # The mark is not in the editor's text, so no edit can remove it.
    assert actions(opened, "quickfix") == [
        "Ignore byte-order-mark in this file, in the settings → create skillstudio.toml"
    ]
    assert actions(opened._replace(line=2), "quickfix")[0] == (
        'Quote this value * → description: "Use when: asked"'
    )
    assert fixes_all(opened._replace(line=2)) == [
        'Apply all safe fixes of skillstudio → description: "Use when: asked"'
    ]


def test_what_an_author_wrote_is_no_markdown(opening: Callable[..., Opened]) -> None:
    found = hover(opening(PLAIN.format('"<b>[x](‸y)`": 1\n', "")))
    assert found
    assert "\\<b\\>\\[x\\]\\(y\\)" in found
    assert "<b>" not in found.replace("\\<b\\>", "")


@pytest.mark.parametrize("written", ["references/a.md", "./references/a.md"])
@pytest.mark.parametrize(("old", "new"), [("references/a.md", "b.md"), ("references", "docs")])
def test_a_renamed_file_keeps_its_links(
    opening: Callable[..., Opened], old: str, new: str, written: str
) -> None:
    body = f"See [it]({written}#b).\n"
    opened = opening(PLAIN.format("", body), **{"references/a.md": ""})
    folder = opened.uri.removesuffix("/SKILL.md")
    files = [{"oldUri": f"{folder}/{old}", "newUri": f"{folder}/{new}"}]
    (step,) = steps(opened.client.request("workspace/willRenameFiles", files=files))
    target = written.removesuffix("references/a.md") + {"b.md": "b.md", "docs": "docs/a.md"}[new]
    assert shown(opened.text, step["edits"]).split("\n")[4] == f"See [it]({target}#b)."


def test_commands_show_messages_and_start_nothing(opening: Callable[..., Opened]) -> None:
    opened = opening(PLAIN.format("", "Make tea.\n"))
    command = {"command": "skillstudio.targets", "arguments": [opened.uri]}
    opened.client.request("workspace/executeCommand", **command)
    assert opened.client.log[-1] == "all 6 targets that look here load tea"
    unknown = {"command": "skillstudio.dryRun", "arguments": [opened.uri, "no\x1b"]}
    with pytest.raises(LspError, match="no operation"):
        opened.client.request("workspace/executeCommand", **unknown)


def test_a_change_on_disk_and_a_save_are_checked_again(opening: Callable[..., Opened]) -> None:
    opened = opening(PLAIN.format("", "See [it](a.md).\n"))
    client, file = opened.client, Path(opened.uri.removeprefix("file://")).parent / "a.md"
    assert problems(opened) == ["4:9 warning link-missing"]
    for exists in (True, False):
        file.write_text("A.\n") if exists else file.unlink()
        before = client.published
        if exists:
            changes = [{"uri": file.as_uri(), "type": 1}]
            client.notify("workspace/didChangeWatchedFiles", changes=changes)
        else:
            client.notify("textDocument/didSave", textDocument={"uri": opened.uri})
        client.wait(lambda before=before: client.published > before)  # type: ignore[misc]
        client.wait(
            lambda exists=exists: bool(client.diagnostics[opened.uri]["diagnostics"]) != exists  # type: ignore[misc]
        )


def test_a_closed_document_has_no_problems(opening: Callable[..., Opened]) -> None:
    opened = opening(COLON.format(""))
    assert problems(opened)
    opened.client.close(opened.uri)
    opened.client.wait(lambda: opened.uri in opened.client.diagnostics)
    assert opened.client.diagnostics[opened.uri]["diagnostics"] == []


def test_only_the_latest_text_counts(opening: Callable[..., Opened]) -> None:
    opened = opening(PLAIN.format("", "Make tea.\n"))
    client = opened.client
    assert problems(opened) == []
    before = client.published
    for version in range(2, 42):
        colon = {"range": place(2, 13, 15), "text": "M: " if version % 2 else "Ma"}
        client.change(opened.uri, version, colon)
    client.problems(opened.uri, 41)
    assert client.published - before <= 40
    number = client.ask("textDocument/hover", **at(opened.uri, 1, 1))
    client.notify("$/cancelRequest", id=number)
    with suppress(LspError):  # Cancelled, unless it was answered first.
        client.answer(number)
    assert opened.ask("textDocument/hover") is None


SETTINGS = {
    "[rules]\nname-fomat = 'off'\n": ["settings-rule-unknown"],
    "[rules]\nname-format = 'off'\n": [],
    "[rules\n": ["syntax-toml"],
}


@pytest.mark.parametrize("text", SETTINGS)
def test_settings_are_checked(client: Client, tmp_path: Path, text: str) -> None:
    file = tmp_path / "skillstudio.toml"
    file.write_text(text)
    found = client.problems(client.open(file, text))
    assert [each["code"] for each in found] == SETTINGS[text]
