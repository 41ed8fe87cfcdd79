"""The server of the workbench: who is refused, and what a window gets."""

from __future__ import annotations

import asyncio
import os
import re
import select
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

aiohttp = pytest.importorskip("aiohttp", reason="textual-serve is not installed")
pytest.importorskip("textual_serve", reason="textual-serve is not installed")

from aiohttp import web  # noqa: E402

from skillstudio.web.server import HOST, WorkbenchServer  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"
PATIENCE = 60.0

Opened = Callable[[Sequence[str]], Awaitable[WorkbenchServer]]


@pytest.fixture
async def serve() -> AsyncIterator[Opened]:
    """Start servers that end with the test."""
    runners = []

    async def started(arguments: Sequence[str]) -> WorkbenchServer:
        server = WorkbenchServer(arguments, "<skill> & co")
        runner = web.AppRunner(server.application(), access_log=None)
        runners.append(runner)
        await runner.setup()
        await web.SockSite(runner, server._socket).start()
        return server

    yield started
    for each in runners:
        await each.cleanup()


async def status(url: str, **headers: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as client, client.get(url, headers=headers) as found:
        return found.status, (await found.read()).decode("utf-8", "replace")


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


async def test_only_the_own_page_with_the_token_is_answered(serve: Opened) -> None:
    server = await serve(["--version"])
    base, token = f"http://{HOST}:{server.port}", server.token
    elsewhere = f"evil.example:{server.port}"
    refused: list[tuple[str, dict[str, str]]] = [
        ("/", {}),
        ("/ws", UPGRADE),
        ("/static/js/textual.js", {}),
        (f"/{token[:-1]}/", {}),
        (f"/{token}x/static/js/textual.js", {}),
        (f"/{token[::-1]}/ws", {**UPGRADE, "Origin": base}),
        ("/%ff%fe/", {}),
        # The token is known, but the page is that of another site.
        (f"/{token}/", {"Host": elsewhere}),
        (f"/{token}/", {"Host": HOST}),
        (f"/{token}/static/js/textual.js", {"Host": elsewhere}),
        (f"/{token}/ws", {**UPGRADE, "Host": elsewhere, "Origin": f"http://{elsewhere}"}),
        (f"/{token}/ws", {**UPGRADE, "Origin": "http://evil.example"}),
        (f"/{token}/ws", {**UPGRADE, "Origin": f"https://{HOST}:{server.port}"}),
        (f"/{token}/ws", {**UPGRADE, "Origin": "null"}),
        (f"/{token}/ws", UPGRADE),
        (f"/{token}/", {"Origin": "http://evil.example"}),
    ]
    for path, headers in refused:
        assert await status(base + path, **headers) == (403, "403: Forbidden"), (path, headers)

    code, page = await status(server.url)
    assert code == 200
    assert "<title>&lt;skill&gt; &amp; co</title>" in page
    for path in re.findall(r'(?:href|src)="((?:static/|page)[^"]+)"', page):
        assert (await status(server.url + path))[0] == 200, path
    assert not re.findall(r'(?:href|src)="https?:', page), "the page works offline"
    local = f"localhost:{server.port}"
    assert f"ws://{local}/{token}/ws" in (await status(server.url, Host=local))[1]
    assert (await status(server.url + "static/../../../../etc/passwd"))[0] in (403, 404)
    assert (await status(server.url + "static/"))[0] == 403, "folders are not listed"


async def test_the_token_differs_each_time_and_only_loopback_is_bound(serve: Opened) -> None:
    one, other = await serve(["--version"]), await serve(["--version"])
    assert one.token != other.token
    assert len(one.token) > 40
    assert one._socket.getsockname()[0] == "127.0.0.1"


class Window:
    """A websocket that is read all the time, as a browser does: it answers the server's pings."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.text = ""
        self._new = asyncio.Event()
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self.socket:
            self.text += message.data.decode("utf-8", "replace")
            self._new.set()

    async def until(self, text: str) -> None:
        """Wait until the process of the window has printed a text."""
        while text not in self.text:
            self._new.clear()
            await asyncio.wait_for(self._new.wait(), PATIENCE)

    async def closed(self) -> None:
        await asyncio.wait_for(self.reading, PATIENCE)


def processes(argument: str) -> set[int]:
    found = set()
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                words = (each / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if argument.encode() in words:
                found.add(int(each.name))
    return found


async def ended(process: int) -> None:
    """Wait until a process has ended, by its file descriptor."""
    assert await asyncio.to_thread(wait_for_end, process), "it still runs"


def wait_for_end(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(PATIENCE * 1000))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="there are no process descriptors")
async def test_each_window_has_a_workbench_that_ends_with_it(
    serve: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = tmp_path / "greeter"
    shutil.copytree(EXAMPLES / "greeter", skill)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TERM", "dumb")
    # A module beside the skill is not imported by the workbench.
    (skill / "yaml.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(skill)
    server = await serve(["open", "--", str(skill)])
    place = f"{server.url}ws?width=100&height=30"
    origin = server.url.rsplit("/", 2)[0]
    async with aiohttp.ClientSession() as client:
        async with client.ws_connect(place, origin=origin) as socket:
            window = Window(socket)
            await window.until("greeter")
            assert len(processes(str(skill))) == 1
            async with client.ws_connect(place, origin=origin) as other:
                second = Window(other)
                await second.until("greeter")
                assert len(processes(str(skill))) == 2
                descriptors = [os.pidfd_open(each) for each in processes(str(skill))]
                # The size follows the window: a small one is refused by the workbench itself.
                await other.send_json(["resize", {"width": 40, "height": 10}])
                await second.until("needs 60")
                await other.send_str("not JSON")
                await second.closed()
            await socket.send_json(["stdin", "\x11"])
            await window.closed()
        for each in descriptors:
            await ended(each)
            os.close(each)
    assert not processes(str(skill))


@pytest.mark.slow
async def test_serve_prints_the_address_and_ends_on_a_signal(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "skillstudio", "serve"),
        str(EXAMPLES / "greeter"),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            url = (await process.stdout.readline()).decode().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{40,}/", url)
            assert (await status(url))[0] == 200
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
