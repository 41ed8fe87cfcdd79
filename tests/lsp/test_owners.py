"""No problem stays at a file that belongs to another skill now, to none, or is closed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import Client, place, serving

TEXT = "---\nname: {}\ndescription: Makes tea. Use when asked.\n---\n{}"
BAD = "See [x](missing.md).\n"
LINK = "link-missing"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with serving() as shared_client:
        shared_client.start(tmp_path_factory.mktemp("workspace"))
        yield shared_client
        assert not [message for message in shared_client.log if "had to stop" in message]


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def rules(client: Client, uri: str) -> list[str]:
    """The rules of the published problems of a file."""
    return [problem["code"] for problem in client.diagnostics[uri]["diagnostics"]]


def wait(client: Client, uri: str, *expected: str) -> None:
    """Wait for these problems; then ask for something, so that nothing else is on its way."""
    client.wait(lambda: uri in client.diagnostics and rules(client, uri) == list(expected))
    client.request("workspace/symbol", query="")
    assert rules(client, uri) == list(expected)


def changed(client: Client, *changes: tuple[Path, int]) -> None:
    items = [{"uri": path.as_uri(), "type": kind} for path, kind in changes]
    client.notify("workspace/didChangeWatchedFiles", changes=items)


def test_a_skill_that_is_deleted_while_it_is_open(client: Client, tmp_path: Path) -> None:
    skill = write(tmp_path / "tea/SKILL.md", TEXT.format("tea", BAD))
    uri = client.open(skill, skill.read_text())
    wait(client, uri, LINK)
    shutil.rmtree(skill.parent)
    changed(client, (skill, 3))
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    wait(client, uri)


def test_a_manifest_that_is_deleted_while_another_file_is_open(
    client: Client, tmp_path: Path
) -> None:
    skill = write(tmp_path / "tea/SKILL.md", TEXT.format("tea", "See references/r.md.\n"))
    reference = write(tmp_path / "tea/references/r.md", BAD)
    uri = client.open(reference, BAD)
    wait(client, uri, LINK)
    skill.unlink()
    changed(client, (skill, 3))
    wait(client, uri)


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_skill_that_appears_around_an_open_file(
    client: Client, tmp_path: Path, is_saved: bool
) -> None:
    write(tmp_path / "a/SKILL.md", TEXT.format("a", "See sub/x.md.\n"))
    text = "# X\n\n" + BAD
    uri = client.open(write(tmp_path / "a/sub/x.md", text), text)
    wait(client, uri, LINK)
    inner = tmp_path / "a/sub/SKILL.md"
    manifest = TEXT.format("sub", "See x.md.\n")
    if is_saved:
        changed(client, (write(inner, manifest), 1))
    else:
        client.open(inner, manifest)
    wait(client, uri, LINK)
    client.change(uri, 2, {"text": "# X\n"})
    wait(client, uri)


@pytest.mark.parametrize("name", ["skillstudio.toml", "pyproject.toml"])
@pytest.mark.parametrize("folder", [".", "tea"])
def test_settings_that_are_closed_or_are_no_settings_any_more(
    client: Client, tmp_path: Path, name: str, folder: str
) -> None:
    write(tmp_path / "tea/SKILL.md", TEXT.format("tea", "Make tea.\n"))
    table = "tool.skillstudio.rules" if name == "pyproject.toml" else "rules"
    text = f"[{table}]\nx-y = 'off'\n"
    uri = client.open(write(tmp_path / folder / name, text), text)
    wait(client, uri, "settings-rule-unknown")
    if name == "pyproject.toml":
        client.change(uri, 2, {"text": "[tool.other]\n"})
    else:
        client.notify("textDocument/didClose", textDocument={"uri": uri})
    wait(client, uri)


def test_two_addresses_of_one_file(client: Client, tmp_path: Path) -> None:
    skill = write(tmp_path / "tea/SKILL.md", TEXT.format("tea", BAD))
    first = client.open(skill, skill.read_text())
    wait(client, first, LINK)
    second = client.open(skill.as_uri().replace("SKILL", "%53KILL"), skill.read_text())
    wait(client, second, LINK)
    client.change(first, 2, {"text": TEXT.format("tea", "Make tea.\n")})
    wait(client, first)
    for uri in (second, first):
        client.notify("textDocument/didClose", textDocument={"uri": uri})
    for uri in (second, first):
        wait(client, uri)


def test_settings_from_elsewhere_apply_and_change(tmp_path: Path) -> None:
    skill = write(tmp_path / "skills/tea/SKILL.md", TEXT.format("tea", BAD))
    settings = write(tmp_path / "conf/my.toml", "")
    with serving(SKILLSTUDIO_CONFIG=str(settings)) as client:
        client.start(tmp_path / "skills")
        uri = client.open(skill, skill.read_text())
        wait(client, uri, LINK)
        settings.write_text(f"[rules]\n{LINK} = 'off'\n")
        changed(client, (settings, 2))
        wait(client, uri)
        client.open(settings, f"[rules]\n{LINK} = 'info'\n")
        wait(client, uri, LINK)


@pytest.mark.slow
def test_what_others_said_of_an_unsaved_text_ends_with_it(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/skills"
    skills = [
        write(folder / name / "SKILL.md", TEXT.format(name, "Make tea.\n")) for name in ("a", "z")
    ]
    with serving() as client:
        client.start(tmp_path)
        first, second = [client.open(skill, skill.read_text()) for skill in skills]
        wait(client, second)
        client.request("workspace/symbol", query="")
        for uri in (first, second):
            client.change(uri, 2, {"range": place(1, 6, 7), "text": "q"})
        client.wait(lambda: "skill-name-repeated" in rules(client, second))
        client.notify("textDocument/didClose", textDocument={"uri": first})
        wait(client, second, "name-folder")


@pytest.mark.slow
def test_an_unsaved_text_that_is_closed_counts_no_more(tmp_path: Path) -> None:
    skill = write(tmp_path / "tea/SKILL.md", TEXT.format("tea", "Make tea.\n"))
    with serving() as client:
        client.start(tmp_path, textDocument={"diagnostic": {}})
        uri = client.open(skill, TEXT.format("tea", BAD))

        def problems() -> list[Any]:
            return list(client.request("workspace/diagnostic", previousResultIds=[])["items"])

        assert len(problems()) == 1
        client.notify("textDocument/didClose", textDocument={"uri": uri})
        assert problems() == []


@pytest.mark.slow
def test_events_without_end_do_not_delay_an_answer(tmp_path: Path) -> None:
    log = write(tmp_path / "logs/app.log", "")
    write(tmp_path / "tea/SKILL.md", TEXT.format("tea", BAD))
    refreshes = {"workspace": {"diagnostics": {"refreshSupport": True}}}
    with serving() as client:
        client.start(tmp_path, textDocument={"diagnostic": {}}, **refreshes)
        client.request("workspace/diagnostic", previousResultIds=[])
        before = len(client.asked)
        for number in range(500):
            changed(client, (log, 2), (tmp_path / f"logs/{number}.log", 1))
        answer = client.ask("workspace/diagnostic", previousResultIds=[])
        for _ in range(500):
            changed(client, (log, 2))
        assert len(client.answer(answer)["items"]) == 1
        assert len(client.asked) == before  # None of these changes a skill.
