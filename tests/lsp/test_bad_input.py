"""Wrong positions and URIs, texts of 10 MB, and workspaces that want to run something."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import EVERYTHING, Client, LspError, at, place, serving

TEXT = "---\nname: tea\ndescription: Makes tea. Use when asked.\n---\nMake tea.\n"
COLON = "---\nname: tea\ndescription: Use when: asked\n---\nMake tea.\n"
FAR = 2**31 - 1
POSITIONS = ((0, FAR), (FAR, 0), (FAR, FAR), (4, 9), (5, 0), (6, 0))
REQUESTS: dict[str, dict[str, Any]] = {
    "textDocument/hover": {},
    "textDocument/completion": {},
    "textDocument/definition": {},
    "textDocument/references": {"context": {"includeDeclaration": True}},
    "textDocument/prepareRename": {},
}
OF_DOCUMENTS = (
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/documentLink",
    "textDocument/codeLens",
    "textDocument/diagnostic",
)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serving() as found:
        found.start()
        yield found
        assert found.end() == 0
        assert found.strange == []


def skill(folder: Path, text: str = TEXT) -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text)
    return folder / "SKILL.md"


def ask_everything(client: Client, uri: str) -> list[Any]:
    """The answers to all requests about a document, which must not be errors."""
    found = []
    for line, character in POSITIONS:
        for method, more in REQUESTS.items():
            found.append(client.request(method, **at(uri, line, character), **more))
        found.append(
            client.request(
                "textDocument/codeAction",
                textDocument={"uri": uri},
                range=place(line, character, 0, last=0),
                context={"diagnostics": []},
            )
        )
    document = {"uri": uri}
    return found + [client.request(each, textDocument=document) for each in OF_DOCUMENTS]


def is_empty(answer: Any) -> bool:
    return not (answer.get("items") if isinstance(answer, dict) else answer)


def test_positions_beyond_the_text_are_answered(client: Client, tmp_path: Path) -> None:
    path = skill(tmp_path / "tea")
    uri = client.open(path, TEXT)
    ask_everything(client, uri)
    with pytest.raises(LspError, match="no input or operation here"):
        client.request("textDocument/rename", **at(uri, FAR, FAR), newName="x")
    client.change(uri, 2, {"range": place(FAR, 0, FAR, last=FAR), "text": "More.\n"})
    client.change(uri, 3, {"range": place(2, FAR, 13, last=2), "text": "Use when: asked"})
    assert [each["code"] for each in client.problems(uri, 3)] == ["description-unquoted"]


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "git:/tea/SKILL.md?{}",
        "file:///no/such/folder/notes.md",
        "file://server/share/SKILL.md",
        "file:///tea/%00/SKILL.md",
        "file://[/SKILL.md",
        "",
    ],
)
def test_documents_without_a_skill_are_answered(client: Client, uri: str) -> None:
    with client.invalid() if not uri else nullcontext():
        client.open(uri, COLON)
        client.change(uri, 2, {"text": COLON})
        assert all(map(is_empty, ask_everything(client, uri)))
        client.close(uri)


def test_unopened_documents_are_answered(client: Client, tmp_path: Path) -> None:
    uri = skill(tmp_path / "tea").as_uri()
    assert all(map(is_empty, ask_everything(client, uri)))
    client.change(uri, 2, {"text": COLON})
    client.close(uri)


@pytest.mark.parametrize("folder", [".", "new/folder"])
def test_a_new_manifest_is_checked_before_it_is_saved(
    client: Client, tmp_path: Path, folder: str
) -> None:
    uri = client.open(tmp_path / folder / "SKILL.md", COLON)
    assert "description-unquoted" in [each["code"] for each in client.problems(uri)]


@pytest.mark.parametrize("name", ["my tea é#?%;@", "tea\u2028leaf"])
def test_folders_with_any_name_are_found(client: Client, tmp_path: Path, name: str) -> None:
    path = skill(tmp_path / name, COLON)
    # Editors encode other characters than Python does; the server uses the editor's own URI.
    for uri in (path.as_uri(), path.as_uri().replace("%40", "@").replace("%3B", ";")):
        client.diagnostics.clear()
        assert "description-unquoted" in [
            each["code"] for each in client.problems(client.open(uri, COLON))
        ]
        client.close(uri)


BIG = {
    "many lines": "---\nname: tea\n---\n" + "# Make tea é\n" * 800_000,
    "one line": '---\nname: tea\ndescription: "' + "é" * 5_000_000 + '"\n---\n',
}


@pytest.mark.parametrize("text", BIG.values(), ids=BIG)
def test_a_text_of_10_mb_is_reported_and_answered(
    client: Client, tmp_path: Path, text: str
) -> None:
    uri = client.open(skill(tmp_path / "tea"), text)
    assert [each["code"] for each in client.problems(uri)] == ["file-too-large"]
    client.change(uri, 2, {"range": place(1, 6, 9), "text": "cup"})
    assert [each["code"] for each in client.problems(uri, 2)] == ["file-too-large"]
    document = {"uri": uri}
    assert client.request("textDocument/documentSymbol", textDocument=document) == []
    client.close(uri)


def test_thousands_of_problems_are_counted(client: Client, tmp_path: Path) -> None:
    text = "---\nname: tea\n" + "".join(f"k{n}: v\n" for n in range(1_200)) + "---\n"
    found = client.problems(client.open(skill(tmp_path / "tea"), text))
    assert len(found) == 1_001
    assert "more problem" in found[-1]["message"]


def test_a_cancelled_request_is_not_run(client: Client, tmp_path: Path) -> None:
    # The check of this text keeps the worker busy while the request is cancelled.
    text = "---\nname: tea\n" + "".join(f"k{n}: v\n" for n in range(20_000)) + "---\n"
    uri = client.open(skill(tmp_path / "tea"), text)
    number = client.ask("textDocument/hover", **at(uri, 1, 1))
    client.notify("$/cancelRequest", id=number)
    with pytest.raises(LspError) as cancelled:
        client.answer(number)
    assert cancelled.value.code == -32800
    assert uri not in client.diagnostics, "it was answered before the check"
    client.close(uri)


def test_control_characters_of_an_author_are_shown_as_signs(client: Client, tmp_path: Path) -> None:
    text = '---\nname: tea\ndescription: Makes tea.\n"[x](y)`\\e[31m": 1\n---\n'
    uri = client.open(skill(tmp_path / "tea"), text)
    assert "\x1b" not in str(client.problems(uri))
    assert "\x1b" not in str(client.request("textDocument/hover", **at(uri, 3, 2)))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_repository_starts_no_program(client: Client, tmp_path: Path) -> None:
    path = skill(tmp_path / "tea")
    marker = tmp_path / "ran"
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    program.chmod(0o755)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "tea"], ["commit", "-qm", "tea"], ["tag", "v1"]):
        subprocess.run([*git, *command], check=True)
    for key in ("core.fsmonitor", "diff.external", "core.pager", "core.sshCommand"):
        subprocess.run([*git, "config", key, str(program)], check=True)
    (tmp_path / "skillstudio.toml").write_text(f"[run]\nprogram = '{program}'\n")
    uri = client.open(path, TEXT.replace("Makes", "Brews"))
    client.problems(uri)
    found = client.request("textDocument/codeLens", textDocument={"uri": uri})
    (bump,) = [each for each in found if "command" not in each]
    resolved = client.request("codeLens/resolve", **bump)
    assert resolved["command"]["title"].startswith("since ")
    ask_everything(client, uri)
    assert not marker.exists()
    subprocess.run([*git, "status"], check=False, capture_output=True)
    assert marker.exists(), "the trap works"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "character"), [("utf-8", 17), ("utf-16", 15), ("utf-32", 14), ("", 15)]
)
def test_the_units_of_the_editor_are_used(tmp_path: Path, encoding: str, character: int) -> None:
    text = "---\nname: tea\ndescription: Makes tea. Use when asked.\nlicense: MIT 😀: x\n---\n"
    units = {"general": {"positionEncodings": ["utf-7", encoding]} if encoding else {}}
    with serving() as client:
        capabilities = client.start(tmp_path, **EVERYTHING | units)
        assert capabilities["positionEncoding"] == (encoding or "utf-16")
        uri = client.open(skill(tmp_path / "tea"), text)
        (found,) = client.problems(uri)
        assert found["range"]["start"]["character"] == character
        assert client.end() == 0


@pytest.mark.slow
def test_an_editor_that_asks_for_problems_gets_none_published(tmp_path: Path) -> None:
    one, other = skill(tmp_path / "one" / "tea", COLON), skill(tmp_path / "two" / "tea", COLON)
    asks = {
        "textDocument": {"diagnostic": {"relatedDocumentSupport": True}},
        "workspace": {
            "didChangeWatchedFiles": {"dynamicRegistration": True},
            "diagnostics": {"refreshSupport": True},
        },
    }
    with serving() as client:
        folders = [{"uri": each.as_uri(), "name": each.name} for each in tmp_path.iterdir()]
        client.request(
            "initialize", processId=None, rootUri=None, capabilities=asks, workspaceFolders=folders
        )
        client.notify("initialized")
        for path in (one, other):
            uri = client.open(path, COLON)
            report = client.request("textDocument/diagnostic", textDocument={"uri": uri})
            assert [each["code"] for each in report["items"]] == ["description-unquoted"]
        client.wait(lambda: bool(client.asked))
        assert client.asked[0]["method"] == "client/registerCapability"
        changes = [{"uri": (tmp_path / "skillstudio.toml").as_uri(), "type": 1}]
        client.notify("workspace/didChangeWatchedFiles", changes=changes)
        client.wait(lambda: len(client.asked) == 2)
        assert client.asked[1]["method"] == "workspace/diagnostic/refresh"
        assert client.published == 0
        # Without versions, snippets or files: the plainest edits.
        (action, *_) = client.request(
            "textDocument/codeAction",
            textDocument={"uri": uri}, range=place(2, 0), context={"diagnostics": []},
        )  # fmt: skip
        assert list(action["edit"]) == ["changes"]
        assert client.end() == 0


@pytest.mark.slow
def test_an_editor_that_supports_nothing_is_answered(tmp_path: Path) -> None:
    with serving() as client:
        client.request("initialize", processId=None, rootUri=None, capabilities={})
        client.notify("initialized")
        uri = client.open(skill(tmp_path / "tea", COLON), COLON)
        assert [problem["code"] for problem in client.problems(uri)] == ["description-unquoted"]
        ask_everything(client, uri)
        (fix, *_) = client.request(
            "textDocument/codeAction",
            textDocument={"uri": uri}, range=place(2, 0), context={"diagnostics": []},
        )  # fmt: skip
        assert list(fix["edit"]) == ["changes"]
        assert client.asked == []
        assert client.end() == 0


NUL = {
    "in the name": TEXT.replace("name: tea", "name: t\0ea"),
    "in the body": TEXT + "\0",
    "everywhere": "\0" * 1_000,
}


@pytest.mark.parametrize("text", NUL.values(), ids=NUL)
def test_null_characters_are_answered(client: Client, tmp_path: Path, text: str) -> None:
    uri = client.open(skill(tmp_path / "tea", text), text)
    client.problems(uri)
    ask_everything(client, uri)


def test_a_rename_during_changes_is_of_the_text_that_it_was_requested_for(
    client: Client, tmp_path: Path
) -> None:
    inputs = 'manifest_version: "1.0"\ninputs: {required: [{name: kind, schema: {type: string}}]}\n'
    text = TEXT.replace("---\nMake", f"{inputs}---\nMake")
    uri = client.open(skill(tmp_path / "tea", text), text)
    line = text.split("\n").index(next(line for line in text.split("\n") if "kind" in line))
    numbers = []
    for version in range(2, 22):
        client.change(uri, version, {"range": place(0, 0), "text": ""})
        position = at(uri, line, text.split("\n")[line].index("kind"))
        numbers.append(client.ask("textDocument/rename", newName=f"n{version}", **position))
    client.close(uri)
    for version, number in enumerate(numbers, 2):
        (step,) = client.answer(number)["documentChanges"]
        assert step["textDocument"]["version"] == version
        assert [edit["newText"] for edit in step["edits"]] == [f"n{version}"]


HOSTILE_NAMES = ("../../evil", "..", "../..", ".", "a/../../b", "/etc")


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_rename_moves_no_folder_outside_of_the_samples(
    client: Client, tmp_path: Path, name: str
) -> None:
    text = (
        TEXT + '```skill-manifest\n{"schema_version": "2.0", "id": "tea", "operations": {\n'
        f'  "{name}": {{"description": "Brew."}}\n}}}}\n```\n'
    )
    path = skill(tmp_path / "work" / "tea", text)
    (path.parent / "samples").mkdir()
    (tmp_path / "evil").mkdir()
    uri = client.open(path, text)
    line = text.split("\n").index(next(line for line in text.split("\n") if "Brew" in line))
    edit = client.request("textDocument/rename", **at(uri, line, 4), newName="good")
    assert [step for step in edit["documentChanges"] if "kind" in step] == []


def test_a_rename_to_the_same_name_moves_nothing(client: Client, tmp_path: Path) -> None:
    text = TEXT + (
        '```skill-manifest\n{"schema_version": "2.0", "id": "tea", "operations": {\n'
        '  "brew": {"description": "Brew."}\n}}\n```\n'
    )
    path = skill(tmp_path / "tea", text)
    (path.parent / "samples/brew").mkdir(parents=True)
    uri = client.open(path, text)
    edit = client.request("textDocument/rename", **at(uri, 7, 4), newName="brew")
    assert [step for step in edit["documentChanges"] if "kind" in step] == []


def test_what_an_author_wrote_of_an_input_is_no_markdown(client: Client, tmp_path: Path) -> None:
    evil = "![x](http://evil/i.png) <img src=x> [click](command:evil)"
    text = TEXT.replace(
        "---\nMake",
        'manifest_version: "1.0"\ninputs:\n  required:\n    - name: kind\n'
        f"      description: {evil!r}\n      schema: {{enum: ['[x](y)']}}\n---\nMake",
    )
    skill(tmp_path / "tea", text)
    sample = tmp_path / "tea/samples/x.yaml"
    sample.parent.mkdir()
    sample.write_text("inputs:\n  kind: 1\n")
    uri = client.open(sample, sample.read_text())
    hover = client.request("textDocument/hover", **at(uri, 1, 3))["contents"]["value"]
    assert "click" in hover
    rest = re.sub(r"\\.", "", hover)
    assert not any(character in rest for character in "![]()<>")


def test_control_characters_of_names_reach_no_symbol_and_no_message(
    client: Client, tmp_path: Path
) -> None:
    text = TEXT + (
        '```skill-manifest\n{"schema_version": "2.0", "id": "tea", "operations": {\n'
        '  "a\\nb\\u001b[31m": {"description": "Brew."}\n}}\n```\n'
    )
    uri = client.open(skill(tmp_path / "tea", text), text)
    document = {"uri": uri}
    symbols = client.request("textDocument/documentSymbol", textDocument=document)
    assert not any(character in str(symbols) for character in ("\x1b", "\\x1b", "\\n"))
    arguments = [uri, "a\nb\x1b[31m"]
    client.request("workspace/executeCommand", command="skillstudio.dryRun", arguments=arguments)
    assert not any(character in client.log[-1] for character in "\x1b\n")


def test_commands_without_arguments_are_answered(client: Client) -> None:
    for command in ("compare", "targets", "dryRun"):
        result = client.request("workspace/executeCommand", command=f"skillstudio.{command}")
        assert result is None


@pytest.mark.slow
def test_settings_with_thousands_of_problems_are_answered(tmp_path: Path) -> None:
    text = "[rules]\n" + "".join(f"rule-{number} = 'off'\n" for number in range(3_000))
    (tmp_path / "skillstudio.toml").write_text(text)
    skill(tmp_path / "tea")
    with serving() as client:
        client.start(tmp_path, textDocument={"diagnostic": {}})
        (file,) = client.request("workspace/diagnostic", previousResultIds=[])["items"]
        assert len(file["items"]) == 1_000


@pytest.mark.slow
def test_an_editor_that_closes_only_its_reading_end_ends_the_server(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    command = [sys.executable, "-m", "skillstudio", "lsp"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=write_end, stderr=subprocess.PIPE
    ) as process:
        os.close(write_end)
        assert process.stdin
        assert process.stderr
        params: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
        for number in (1, 2):
            message = {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}
            data = json.dumps(message).encode()
            process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            process.stdin.flush()
            if number == 1:
                assert os.read(read_end, 100_000).startswith(b"Content-Length")
                os.close(read_end)
        assert process.wait(60) == 1
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_an_editor_that_renames_no_folders_gets_a_reason(tmp_path: Path) -> None:
    text = TEXT + (
        '```skill-manifest\n{"schema_version": "2.0", "id": "tea", "operations": {\n'
        '  "brew": {"description": "Brew."}\n}}\n```\n'
    )
    path = skill(tmp_path / "tea", text)
    (path.parent / "samples/brew").mkdir(parents=True)
    with serving() as client:
        client.start(tmp_path, textDocument={"rename": {}})
        uri = client.open(path, text)
        with pytest.raises(LspError, match="rename samples/brew to samples/steep first"):
            client.request("textDocument/rename", **at(uri, 7, 4), newName="steep")
