"""The server with commands of a test: many requests, cancelled ones, long results."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

mcp = pytest.importorskip("mcp", reason="mcp is not installed")

import mcp_types as types  # noqa: E402
from mcp.client.client import Client  # noqa: E402

from skillstudio.cli.config import OUTPUTS  # noqa: E402
from skillstudio.mcp.server import ServerOptions, make_server  # noqa: E402
from skillstudio.schema.engine import check_schema  # noqa: E402
from skillstudio.schema.references import bad_references  # noqa: E402

PLAN = {"skill": "."}
PROGRAM = """
import json, os, sys, time
words = " ".join(sys.argv[1:])
sample = words.partition("--sample=")[2]
if "wait" in sample:
    open(f"pid-{os.getpid()}", "w").close()
    time.sleep(600)
elif "crash" in sample:
    sys.exit("it broke \\x1b[31m")
elif "flood" in sample:
    sys.stdout.write("x" * (40 << 20))
else:
    lists = ("env", "requirements", "outputs", "effects", "problems", "steps", "empty", "defaults",
        "notes", "confirm", "network")
    plan = {"format_version": 1, "skill": "tea", "operation": words, "dialect": "", "cwd": ".",
        "argv": {"unix": [], "windows": []}, "inputs": {}, "timeout": 30,
        "isolation": {"id": "copy", "known_gaps": [], "reasons": {}},
        "roots": {"workspace": "w", "skill": "s"}, **{name: [] for name in lists}}
    if "many" in sample:
        problem = {"rule": "tea", "message": "x" * 50, "pointer": "", "severity": "info"}
        plan |= {"total": {"/problems": 90_000}, "omitted": {"/problems": 80_000},
            "problems": [problem] * 10_000}
    print(json.dumps(plan))
"""


@asynccontextmanager
async def connected(given: list[str] | None, **options: Any) -> AsyncIterator[Client]:
    """A client in this process; `given` are its roots, None if it has none."""

    async def list_roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=each) for each in given or []])

    command = (sys.executable, "-c", PROGRAM)
    server = make_server(ServerOptions(command, OUTPUTS, **options))
    callback = None if given is None else list_roots
    async with Client(server, mode="legacy", list_roots_callback=callback) as client:
        yield client


def text_of(result: Any) -> str:
    content = result.content[0]
    assert isinstance(content, types.TextContent)
    return content.text


async def started(folder: Path) -> int:
    """The process of a command that waits."""
    while not (found := list(folder.glob("pid-*"))):
        await anyio.sleep(0.01)
    number = int(found[0].name.removeprefix("pid-"))
    found[0].unlink()
    return number


async def ended(process: int) -> None:
    """Wait for the end of a process."""
    while Path(f"/proc/{process}").exists():
        await anyio.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked for in /proc")
async def test_a_request_that_waits_holds_no_other_up_and_can_be_cancelled(tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with connected([tmp_path.as_uri()]) as client:
            scope = anyio.CancelScope()

            async def wait() -> None:
                with scope:
                    await client.call_tool("plan_operation", PLAN | {"sample": "wait"})

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                process = await started(tmp_path)
                others: list[Any] = []

                async def other(number: int) -> None:
                    arguments = PLAN | {"sample": f"{number}"}
                    others.append(await client.call_tool("plan_operation", arguments))

                async with anyio.create_task_group() as more:
                    for number in range(4):
                        more.start_soon(other, number)
                assert sorted(each.structured_content["operation"][-3:] for each in others) == [
                    f"{number} ." for number in range(4)
                ]
                scope.cancel()
            await ended(process)
            assert (await client.list_tools()).tools


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked for in /proc")
async def test_a_client_that_leaves_ends_its_commands(tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:

            async def leave() -> None:
                async with connected([tmp_path.as_uri()]) as client:
                    await client.call_tool("plan_operation", PLAN | {"sample": "wait"})

            tasks.start_soon(leave)
            process = await started(tmp_path)
            tasks.cancel_scope.cancel()
        await ended(process)


async def test_long_results_are_cut_with_totals(tmp_path: Path) -> None:
    async with connected([tmp_path.as_uri()]) as client:
        found = await client.call_tool("plan_operation", PLAN | {"sample": "many"})
        value = found.structured_content
        shown = len(value["problems"])
        assert len(text_of(found)) <= 60_000
        assert json.loads(text_of(found)) == value
        # Those that the command left out itself are counted, too.
        assert value["total"] == {"/problems": 90_000}
        assert value["omitted"] == {"/problems": 90_000 - shown}


@pytest.mark.parametrize("word", ["crash", "flood"])
async def test_a_command_without_a_result_is_an_error(tmp_path: Path, word: str) -> None:
    async with connected([tmp_path.as_uri()]) as client:
        found = await client.call_tool("plan_operation", PLAN | {"sample": word})
        assert found.is_error
        assert "\x1b" not in text_of(found)
        assert text_of(found).startswith("it broke" if word == "crash" else "the command ended")


async def test_the_folders_of_a_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of --root, else those that it gives, else the working directory unless that is /."""
    given, here, own = (tmp_path / name for name in ("given", "here", "own"))
    for each in (given, here, own):
        each.mkdir()
    monkeypatch.chdir(here)

    async def allowed(client: Client) -> list[str]:
        found = []
        for each in (given, here, own):
            result = await client.call_tool("plan_operation", {"skill": str(each)})
            found += [] if "is outside" in text_of(result) else [each.name]
        return found

    async with connected([given.as_uri(), "file:///nothing/here"]) as client:
        assert await allowed(client) == ["given"]
    async with connected([given.as_uri()], roots=(str(own),)) as client:
        assert await allowed(client) == ["own"]
    for roots in (None, []):
        async with connected(roots) as client:
            assert await allowed(client) == ["here"]
    monkeypatch.chdir(os.sep)
    async with connected(None) as client:
        result = await client.call_tool("plan_operation", PLAN)
        assert "start the server with --root DIR" in text_of(result)
    async with connected(["file:///nothing/here"]) as client:
        assert "there is no folder" in text_of(await client.call_tool("plan_operation", PLAN))


async def test_only_allow_run_offers_runs(tmp_path: Path) -> None:
    run = {"skill": ".", "operation": "make", "isolation": "copy"}
    async with connected([tmp_path.as_uri()]) as client:
        tools = (await client.list_tools()).tools
        assert all(each.annotations and each.annotations.read_only_hint for each in tools)
        refused = await client.call_tool("run_operation", run)
        assert text_of(refused) == (
            "run_operation is off; start the server with --allow-run to allow runs"
        )
    async with connected([tmp_path.as_uri()], allow_run=True) as client:
        tools = (await client.list_tools()).tools
        writing = [each.name for each in tools if not each.annotations.read_only_hint]  # type: ignore[union-attr]
        assert writing == ["run_operation"]
        lower = await client.call_tool("run_operation", run)
        assert lower.is_error
        assert "/isolation" in text_of(lower)


OPTIONS: dict[str, tuple[str, dict[str, Any], str]] = {
    "an operation": ("plan_operation", {"operation": "--apply"}, "--apply starts with -"),
    "a rule": ("explain_rule", {"id": "--help"}, "--help starts with -"),
    "a revision": ("diff_versions", {"old": "--output-file=x"}, "is not a git tag"),
    "a path in a revision": ("diff_versions", {"old": "HEAD:../secret"}, "is not a git tag"),
    "a range": ("diff_versions", {"new": "main..x"}, "is not a git tag"),
    "an unknown argument": ("check_skill", {"fix": True}, 'check_skill: unknown key "fix"'),
    "a wrong type": ("explain_rule", {"id": 3}, "explain_rule: /id: "),
    "a missing one": ("explain_rule", {}, "id"),
    "an unknown tool": ("chek_skill", {}, "unknown tool chek_skill; did you mean check_skill?"),
}


async def test_arguments_are_never_options(tmp_path: Path) -> None:
    async with connected([tmp_path.as_uri()]) as client:
        for name, (tool, arguments, message) in OPTIONS.items():
            skill = {"skill": "."} if tool in ("plan_operation", "diff_versions") else {}
            found = await client.call_tool(tool, skill | arguments)
            assert found.is_error, name
            assert message in text_of(found), name


async def test_every_tool_states_the_whole_schema_of_its_result(tmp_path: Path) -> None:
    async with connected([tmp_path.as_uri()], allow_run=True) as client:
        schemas = [tool.output_schema for tool in (await client.list_tools()).tools]
    assert len(schemas) == 6
    for schema in schemas:
        assert schema is not None
        assert schema["type"] == "object"
        assert not check_schema(schema)
        assert not bad_references(schema)
