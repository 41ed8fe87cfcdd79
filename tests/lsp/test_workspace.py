"""The folders of the editor: settings, skills that nobody opened, and what they have together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import EVERYTHING, Client, at, place, serving
from tests.repositories import Repo, needs_git

TEXT = "---\nname: {}\ndescription: Makes tea. Use when asked.\n---\nMake tea.\n"
COLON = "---\nname: {}\ndescription: Use when: asked\n---\nMake tea.\n"
PULLS = {
    "textDocument": {"diagnostic": {"relatedDocumentSupport": True}},
    "workspace": {"diagnostics": {"refreshSupport": True}, "symbol": {}},
}


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@contextmanager
def opened(root: Path, *more_roots: Path, **capabilities: Any) -> Iterator[Client]:
    """A client with some folders open."""
    with serving() as client:
        folders = [{"uri": folder.as_uri(), "name": folder.name} for folder in (root, *more_roots)]
        client.request(
            "initialize", processId=None, rootUri=root.as_uri(), workspaceFolders=folders,
            capabilities=capabilities or EVERYTHING,
        )  # fmt: skip
        client.notify("initialized")
        yield client
        assert client.end() == 0


def workspace_problems(client: Client, root: Path, **known: str) -> dict[str, list[str]]:
    """The rules by file of all problems of the workspace."""
    previous = [{"uri": uri, "value": value} for uri, value in known.items()]
    report = client.request("workspace/diagnostic", previousResultIds=previous)
    return {
        file["uri"].removeprefix(root.as_uri()): [item["code"] for item in file["items"]]
        for file in report["items"]
        if file["kind"] == "full"
    }


def rules(client: Client, uri: str, version: int = 1) -> list[str]:
    return [problem["code"] for problem in client.problems(uri, version)]


@pytest.mark.slow
def test_skills_that_nobody_opened_are_checked(tmp_path: Path) -> None:
    write(tmp_path / "a/SKILL.md", COLON.format("a"))
    write(tmp_path / "b/SKILL.md", TEXT.format("b"))
    write(tmp_path / "skillstudio.toml", "[rules]\nname-fomat = 'off'\n")
    with opened(tmp_path, **PULLS) as client:
        expected = {
            "/a/SKILL.md": ["description-unquoted"],
            "/skillstudio.toml": ["settings-rule-unknown"],
        }
        assert workspace_problems(client, tmp_path) == expected
        # What the editor has already is not sent again; what is solved is sent without problems.
        report = client.request("workspace/diagnostic", previousResultIds=[])
        known = {file["uri"]: file["resultId"] for file in report["items"]}
        assert workspace_problems(client, tmp_path, **known) == {}
        write(tmp_path / "a/SKILL.md", TEXT.format("a"))
        changes = [{"uri": (tmp_path / "a/SKILL.md").as_uri(), "type": 2}]
        client.notify("workspace/didChangeWatchedFiles", changes=changes)
        assert workspace_problems(client, tmp_path, **known) == {"/a/SKILL.md": []}
        # An open skill counts as the editor has it.
        client.open(tmp_path / "b/SKILL.md", COLON.format("b"))
        assert workspace_problems(client, tmp_path)["/b/SKILL.md"] == ["description-unquoted"]


@pytest.mark.slow
def test_the_same_result_is_not_sent_twice(tmp_path: Path) -> None:
    with opened(tmp_path, **PULLS) as client:
        document = {"uri": client.open(write(tmp_path / "a/SKILL.md", ""), COLON.format("a"))}
        first = client.request("textDocument/diagnostic", textDocument=document)
        assert [item["code"] for item in first["items"]] == ["description-unquoted"]
        again = client.request(
            "textDocument/diagnostic", textDocument=document, previousResultId=first["resultId"]
        )
        assert again["kind"] == "unchanged"


@pytest.mark.slow
def test_symbols_of_the_workspace_are_found_by_some_letters(tmp_path: Path) -> None:
    fence = {
        "schema_version": "2.0", "id": "a", "version": "1.0.0", "capabilities": [], "effects": [],
        "operations": {"brew": {"description": "Brew.", "input": {"leaf": {"type": "string"}}}},
    }  # fmt: skip
    manifest = TEXT.format("a") + f"```skill-manifest\n{json.dumps(fence, indent=1)}\n```\n"
    write(tmp_path / "a/SKILL.md", manifest)
    write(tmp_path / "b/SKILL.md", TEXT.format("b"))
    with opened(tmp_path) as client:

        def symbols(query: str) -> list[str]:
            return [
                f"{symbol.get('containerName', '')}/{symbol['name']} "
                f"{symbol['location']['range']['start']['line']}"
                for symbol in client.request("workspace/symbol", query=query)
            ]

        assert symbols("") == ["/a 0", "a/brew 13", "a/leaf 16", "/b 0"]
        assert symbols("bw") == ["a/brew 13"]
        assert symbols("[.*") == []


@pytest.mark.slow
def test_problems_between_skills_are_published(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/skills"
    write(folder / "a/SKILL.md", TEXT.format("tea"))
    second = write(folder / "b/SKILL.md", TEXT.format("tea"))
    with opened(tmp_path) as client:
        uri = client.open(second, second.read_text())
        client.wait(
            lambda: any(
                problem["code"] == "skill-name-repeated"
                for problem in client.diagnostics.get(uri, {"diagnostics": []})["diagnostics"]
            )
        )
        client.change(uri, 2, {"range": place(1, 6, 9), "text": "b"})
        assert rules(client, uri, 2) == []
        # What is changed in one changes the problems of the other.
        first = client.open(folder / "a/SKILL.md", TEXT.format("tea"))
        assert rules(client, first) == ["name-folder"]
        client.change(uri, 3, {"range": place(1, 6, 7), "text": "tea"})
        client.wait(lambda: len(client.diagnostics[first]["diagnostics"]) == 2)
        client.change(uri, 4, {"range": place(1, 6, 9), "text": "b"})
        client.wait(lambda: len(client.diagnostics[first]["diagnostics"]) == 1)


def test_settings_apply_before_they_are_saved(tmp_path: Path) -> None:
    skill = write(tmp_path / "work/a/SKILL.md", COLON.format("a"))
    with opened(tmp_path / "work") as client:
        uri = client.open(skill, COLON.format("a"))
        assert rules(client, uri) == ["description-unquoted"]
        off = "[rules]\ndescription-unquoted = 'off'\n"
        settings = client.open(tmp_path / "work/skillstudio.toml", off)
        client.wait(lambda: client.diagnostics[uri]["diagnostics"] == [])
        client.change(settings, 2, {"text": off.replace("off", "info")})
        client.wait(lambda: client.diagnostics[uri]["diagnostics"] != [])
        assert client.diagnostics[uri]["diagnostics"][0]["severity"] == 3
        client.close(settings)
        client.wait(lambda: client.diagnostics[uri]["diagnostics"][0]["severity"] == 1)
        assert not (tmp_path / "work/skillstudio.toml").exists()


@pytest.mark.slow
def test_unsaved_files_that_the_manifest_names_count(tmp_path: Path) -> None:
    skill = write(tmp_path / "a/SKILL.md", TEXT.format("a") + "See [it](references/b.md).\n")
    with opened(tmp_path) as client:
        uri = client.open(skill, skill.read_text())
        assert rules(client, uri) == ["link-missing"]
        reference = client.open(tmp_path / "a/references/b.md", "B.\n")
        client.wait(lambda: client.diagnostics[uri]["diagnostics"] == [])
        client.close(reference)
        client.wait(lambda: client.diagnostics[uri]["diagnostics"] != [])


@pytest.mark.slow
def test_a_skill_in_a_skill_and_a_root_in_a_root_keep_their_problems(tmp_path: Path) -> None:
    outer = write(tmp_path / "a/SKILL.md", COLON.format("a"))
    inner = write(tmp_path / "a/nested/b/SKILL.md", COLON.format("b"))
    # Nearer settings apply to the inner skill alone.
    write(tmp_path / "a/nested/skillstudio.toml", "[rules]\ndescription-unquoted = 'info'\n")
    with opened(tmp_path, tmp_path / "a/nested") as client:
        uris = [client.open(file, file.read_text()) for file in (outer, inner)]
        for uri in uris:
            assert "description-unquoted" in rules(client, uri)
        for version in (2, 3):
            client.change(uris[0], version, {"range": place(1, 6, 6), "text": "b"})
            client.problems(uris[0], version)
        severities = [
            problem["severity"]
            for uri in uris
            for problem in client.diagnostics[uri]["diagnostics"]
            if problem["code"] == "description-unquoted"
        ]
        assert severities == [1, 3]


@pytest.mark.slow
@pytest.mark.parametrize("is_saved", [True, False])
def test_the_nearest_settings_apply(tmp_path: Path, is_saved: bool) -> None:
    file, text = tmp_path / "part/skillstudio.toml", "[rules]\ndescription-unquoted = 'info'\n"
    skills = [
        write(tmp_path / folder / "SKILL.md", COLON.format("a")) for folder in ("part/a", "a")
    ]
    with opened(tmp_path) as client:
        client.open(write(file, text if is_saved else ""), text)
        severities = []
        for skill in skills:
            (problem,) = client.problems(client.open(skill, skill.read_text()))
            severities.append(problem["severity"])
        assert severities == [3, 1]


@pytest.mark.slow
def test_a_root_that_vanishes_and_comes_back(tmp_path: Path) -> None:
    root = tmp_path / "root"
    skill = write(root / "a/SKILL.md", COLON.format("a"))
    with opened(root, **EVERYTHING) as client:
        uri = client.open(skill, COLON.format("a"))
        assert rules(client, uri) == ["description-unquoted"]
        shutil.rmtree(root)
        gone = [{"uri": skill.as_uri(), "type": 3}]
        client.notify("workspace/didChangeWatchedFiles", changes=gone)
        client.change(uri, 2, {"text": TEXT.format("a")})
        assert rules(client, uri, 2) == []  # The editor still has its text.
        assert client.request("workspace/symbol", query="") == []
        write(skill, COLON.format("a"))
        client.notify("workspace/didChangeWatchedFiles", changes=[{**gone[0], "type": 1}])
        assert [symbol["name"] for symbol in client.request("workspace/symbol", query="")] == ["a"]
        folders = {"added": [], "removed": [{"uri": root.as_uri(), "name": "root"}]}
        client.notify("workspace/didChangeWorkspaceFolders", event=folders)
        assert client.request("workspace/symbol", query="") == []
        client.change(uri, 3, {"text": COLON.format("a")})
        assert rules(client, uri, 3) == ["description-unquoted"]


SETTINGS = "[ru]\n\n[rules]\n{}\n"
ROWS: list[tuple[str, str, list[str]]] = [
    ("a rule", "[rules]\nname-form‸\n", ["name-format"]),
    ("a severity", "[rules]\nname-format = ‸\n", ["error", "warning", "info", "off"]),
    ("a target", 'targets = ["cod‸"]\n', ["codex"]),
    ("a dialect", "dialect = ‸\n", ["agent-skills", "caro-1.0"]),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with serving() as shared_client:
        shared_client.start(tmp_path_factory.mktemp("workspace"))
        yield shared_client


@pytest.mark.parametrize(
    ("text", "labels"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_settings_are_completed(
    client: Client, tmp_path: Path, text: str, labels: list[str]
) -> None:
    uri = client.open(tmp_path / "skillstudio.toml", text.replace("‸", ""))
    line = text[: text.index("‸")].count("\n")
    character = len(text[: text.index("‸")].rpartition("\n")[2])
    items = client.request("textDocument/completion", **at(uri, line, character))["items"]
    assert [item["label"] for item in items][: len(labels)] == labels


def test_settings_are_described_and_fixed(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "skillstudio.toml", "[rules]\nname-fomat = 'off'\n")
    actions = client.request(
        "textDocument/codeAction",
        textDocument={"uri": uri}, range=place(1, 2), context={"diagnostics": []},
    )  # fmt: skip
    assert [action["title"] for action in actions] == ["Change to name-format"]
    (step,) = actions[0]["edit"]["documentChanges"]
    assert step["edits"] == [{"range": place(1, 7), "newText": "r"}]
    client.change(uri, 2, {"range": place(1, 0, 10), "text": "name-format"})
    hover = client.request("textDocument/hover", **at(uri, 1, 2))
    assert hover["contents"]["value"].startswith("**`rules.name-format`** ")


def test_the_table_of_a_pyproject_counts_and_others_do_not(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "pyproject.toml", "[tool.skillstudio.rules]\nx-y = 'off'\n")
    assert rules(client, uri) == ["settings-rule-unknown"]
    client.change(uri, 2, {"text": "[tool.other.rules]\nx-y = 'off'\n"})
    assert rules(client, uri, 2) == []


def test_samples_are_completed_with_the_inputs(client: Client, tmp_path: Path) -> None:
    manifest = """---
manifest_version: "1.0"
name: tea
version: "1.0.0"
description: Makes tea. Use when asked.
inputs:
  required:
    - {name: kind, description: The kind., schema: {enum: [green, black]}}
---
"""
    write(tmp_path / "tea/SKILL.md", manifest)
    sample = write(tmp_path / "tea/samples/day.yaml", "inputs:\n  \n")
    uri = client.open(sample, "inputs:\n  \n")

    def labels(line: int, character: int) -> list[str]:
        answer = client.request("textDocument/completion", **at(uri, line, character))
        return [item["label"] for item in answer["items"]]

    assert labels(1, 2) == ["kind"]
    client.change(uri, 2, {"text": "inputs:\n  kind: \n"})
    assert labels(1, 8) == ["green", "black"]
    hover = client.request("textDocument/hover", **at(uri, 1, 3))
    assert "The kind." in hover["contents"]["value"]


@pytest.mark.slow
@needs_git
@pytest.mark.parametrize("has_settings", [False, True])
def test_a_breaking_change_is_shown_and_waived(tmp_path: Path, has_settings: bool) -> None:
    def manifest(version: str, optional: str) -> str:
        return (
            f'---\nmanifest_version: "1.0"\nname: tea\nversion: "{version}"\n'
            "description: Makes tea. Use when asked.\n"
            f"inputs:\n  {optional}:\n    - {{name: kind, schema: {{type: string}}}}\n---\n"
        )

    repo = Repo(tmp_path / "repo")
    files = {"tea/SKILL.md": manifest("1.0.0", "optional")}
    if has_settings:
        files["skillstudio.toml"] = "[rules]\nname-format = 'off'\n"
    repo.commit(files)
    text = manifest("1.0.1", "required")
    root = Path(repo.root)
    with opened(root) as client:
        uri = client.open(root / "tea/SKILL.md", text)
        document = {"uri": uri}
        lenses = client.request("textDocument/codeLens", textDocument=document)
        (bump,) = [lens for lens in lenses if "command" not in lens]
        command = client.request("codeLens/resolve", **bump)["command"]
        assert (
            command["title"] == "since HEAD: needs a major bump: 1.0.0 → 2.0.0; patch is too small"
        )
        assert command["command"] == "skillstudio.compare"
        client.request(
            "workspace/executeCommand",
            command="skillstudio.compare",
            arguments=command["arguments"],
        )
        assert "required" in client.log[-1]

        def waivers() -> list[Any]:
            return [
                action
                for line in range(10)
                for action in client.request(
                    "textDocument/codeAction",
                    textDocument=document, range=place(line, 0), context={"diagnostics": []},
                )
                if action["title"].startswith("Waive this breaking change")
            ]  # fmt: skip

        (waiver,) = waivers()
        steps = waiver["edit"]["documentChanges"]
        assert ("kind" in steps[0]) is not has_settings
        before = files.get("skillstudio.toml", "")
        waived = before + steps[-1]["edits"][0]["newText"]
        assert "[[waive]]" in waived
        assert "TODO: why is this acceptable?" in waived
        client.open(root / "skillstudio.toml", waived)
        assert waivers() == []


@pytest.mark.slow
def test_an_ignore_in_the_settings_is_of_one_file(tmp_path: Path) -> None:
    text = TEXT.format("tea") + '```skill-manifest\n{"schema_version": "2.0", "x": 1}\n```\n'
    skills = [write(tmp_path / folder / "tea/SKILL.md", text) for folder in ("one", "two")]
    line = text.split("\n").index('{"schema_version": "2.0", "x": 1}')
    with opened(tmp_path) as client:
        uris = [client.open(skill, text) for skill in skills]
        assert all("key-unknown" in rules(client, uri) for uri in uris)
        actions = client.request(
            "textDocument/codeAction",
            textDocument={"uri": uris[0]}, range=place(line, 0), context={"diagnostics": []},
        )  # fmt: skip
        title = "Ignore key-unknown in this file, in the settings"
        (ignore,) = [action for action in actions if action["title"] == title]
        created, edit = ignore["edit"]["documentChanges"]
        # There is no repository, so the folder that is open in the editor has the settings.
        assert created["uri"] == (tmp_path / "skillstudio.toml").as_uri()
        client.open(tmp_path / "skillstudio.toml", edit["edits"][0]["newText"])

        def problems(uri: str) -> list[str]:
            return [problem["code"] for problem in client.diagnostics[uri]["diagnostics"]]

        client.wait(lambda: "key-unknown" not in problems(uris[0]))
        client.request("workspace/symbol", query="")
        assert "key-unknown" in problems(uris[1])


def test_ten_thousand_open_files_are_answered_at_once(client: Client, tmp_path: Path) -> None:
    folder = tmp_path / "tea"
    uri = client.open(write(folder / "SKILL.md", ""), COLON.format("tea"))
    for number in range(10_000):
        client.open(folder / f"references/{number}.md", "A.\n")
    before = client.published
    assert client.request("textDocument/hover", **at(uri, 1, 1)) is not None
    client.change(uri, 2, {"text": TEXT.format("tea")})
    assert "description-unquoted" not in rules(client, uri, 2)
    # Each file is published once for its text, not once for each check of the skill.
    client.wait(lambda: len(client.diagnostics) >= 10_001)
    assert client.published - before < 10_200
