"""The server as agents start it: a client of the SDK on standard input and output."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from skillstudio.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = ["-m", "skillstudio", "mcp"]


@asynccontextmanager
async def connected(root: Path, mode: str, *options: str) -> AsyncIterator[Client]:
    """A client with one root. The SDK raises for results that do not satisfy their schema."""

    async def roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=root.as_uri())])

    started = StdioServerParameters(
        command=sys.executable, args=[*COMMAND, *options], cwd=os.sep, env=dict(os.environ)
    )
    async with Client(stdio_client(started), mode=mode, list_roots_callback=roots) as client:
        yield client


async def value(client: Client, tool: str, **arguments: Any) -> Any:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    return found.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    found = await client.call_tool(tool, arguments)
    assert found.is_error
    assert isinstance(found.content[0], types.TextContent)
    return found.content[0].text


@pytest.mark.slow
async def test_an_agent_checks_explains_plans_and_compares() -> None:
    async with connected(EXAMPLES, "legacy") as client:
        report = await value(client, "check_skill", path="greeter", targets=["codex"])
        assert [each["path"] for each in report["skills"]] == ["greeter"]
        rule = await value(client, "explain_rule", id="description-unquoted")
        assert rule["bad"] != rule["good"]
        answers = await value(client, "which_targets", skill="greeter")
        assert {"codex", "claude-code"} <= {each["target"] for each in answers["targets"]}
        plan = await value(client, "plan_operation", skill="greeter", inputs={"username": "Ada"})
        assert plan["inputs"] == {"username": "Ada"}
        assert plan["roots"]["workspace"] == str(EXAMPLES)
        made = await value(
            client, "diff_versions", skill="memory", old_skill="history/0.1.0/memory"
        )
        assert made["bump"]["required"] == "minor"

        assert "did you mean greeter?" in await refusal(client, "check_skill", path="greter")
        assert "unknown target codx" in await refusal(client, "check_skill", targets=["codx"])
        assert "unknown operation brew" in await refusal(
            client, "plan_operation", skill="memory", operation="brew"
        )

        page = await client.list_resources()
        uris = [str(each.uri) for each in page.resources]
        assert page.next_cursor
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == ["rule://{id}", "schema://{dialect}"]
        for uri, text in {uris[0]: '"$schema"', "rule://description-unquoted": "Good:"}.items():
            content = (await client.read_resource(uri)).contents[0]
            assert isinstance(content, types.TextResourceContents)
            assert text in content.text
        for uri, message in {
            "rule://description-unquotd": "did you mean description-unquoted?",
            "schema://nothing": "unknown dialect nothing",
            "file:///etc/passwd": "there is no resource file:///etc/passwd",
        }.items():
            with pytest.raises(MCPError, match=message):
                await client.read_resource(uri)
        reference = types.ResourceTemplateReference(uri="rule://{id}")
        listed = await client.complete(reference, {"name": "id", "value": "description-u"})
        assert "description-unquoted" in listed.completion.values


@pytest.mark.slow
async def test_two_clients_one_of_them_with_the_protocol_of_2026(tmp_path: Path) -> None:
    """A client that is asked for its roots by the result of its call; a huge file; a link out."""
    (tmp_path / "tea").mkdir()
    text = "---\nname: tea\ndescription: Makes tea. Use when asked.\n---\n"
    (tmp_path / "tea" / "SKILL.md").write_text(text + "tea " * 400_000)
    (tmp_path / "out").symlink_to(EXAMPLES)
    async with connected(tmp_path, "auto") as new, connected(EXAMPLES, "legacy") as old:
        found: dict[str, Any] = {}

        async def check(name: str, client: Client, path: str) -> None:
            found[name] = await value(client, "check_skill", path=path)

        with anyio.fail_after(120):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(check, "new", new, "tea")
                tasks.start_soon(check, "old", old, "aws")
        rules = [each["rule"] for each in found["new"]["skills"][0]["diagnostics"]]
        assert rules == ["file-too-large"]
        assert found["old"]["skills"][0]["name"] == "aws"
        for client, path in ((new, "out/aws"), (new, str(EXAMPLES)), (old, str(tmp_path))):
            message = await refusal(client, "check_skill", path=path)
            assert "is outside of the folders that this server may use" in message


@pytest.mark.slow
async def test_a_run_leaves_the_real_files_as_they_are(tmp_path: Path) -> None:
    from skillstudio.dryrun.isolation.levels import probe_isolation

    if not probe_isolation().level("confined").available:
        pytest.skip("isolation level confined is not available")
    skill = tmp_path / "tea"
    (skill / "scripts").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\n")
    (skill / "scripts" / "brew.sh").write_text("#!/bin/sh\necho green > tea.txt\n")
    async with connected(tmp_path, "legacy", "--allow-run") as client:
        report = await value(
            client, "run_operation", skill="tea", operation="scripts/brew.sh",
            isolation="confined", timeout=60,
        )  # fmt: skip
        assert report["isolation"]["id"] == "confined"
        assert report["exit_code"] == 0
        assert [each["path"] for each in report["changes"]["added"]] == ["tea.txt"]
    assert [each.name for each in tmp_path.iterdir()] == ["tea"]


@pytest.mark.slow
def test_standard_output_has_only_messages_and_the_end_of_input_ends_it() -> None:
    initialize = (
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": '
        b'"2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}\n'
    )
    broken = b'not JSON\n[]\n{"jsonrpc": "2.0", "id": 2, "method": "tea/make"}\n\xff\xfe\n'
    done = subprocess.run(
        [sys.executable, *COMMAND], input=initialize + broken, capture_output=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0
    assert all(line.startswith(b'{"jsonrpc":"2.0"') for line in done.stdout.splitlines())
    assert b'"serverInfo":{"name":"skillstudio"' in done.stdout
    assert done.stderr == b""


def test_a_terminal_a_missing_package_and_a_missing_folder_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert main(["mcp"]) == 2
    assert "an agent starts this command" in capsys.readouterr().err
    assert main(["mcp", "--root", "/nothing"]) == 2
    assert "--root /nothing: no such folder" in capsys.readouterr().err
    assert importlib.util.find_spec("mcp")
    monkeypatch.setattr("skillstudio.cli.mcp.find_spec", lambda _: None)
    assert main(["mcp"]) == 3
    assert capsys.readouterr().err == (
        "skillstudio: mcp is not installed: `pip install 'skillstudio[mcp]'`\n"
    )


def test_other_commands_do_not_load_the_protocol() -> None:
    code = (
        "import sys; from skillstudio.cli.main import main; main(['config', 'keys']);"
        "print([name for name in ('mcp', 'anyio', 'pydantic') if name in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert done.stdout.splitlines()[-1] == "[]"
