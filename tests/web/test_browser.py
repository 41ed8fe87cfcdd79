"""The workbench in a real browser: headless Chromium, driven by its debugging protocol."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

aiohttp = pytest.importorskip("aiohttp", reason="textual-serve is not installed")
pytest.importorskip("textual_serve", reason="textual-serve is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 90.0
_CODES = {"Enter": ("\r", 13), "ArrowDown": ("", 40), "End": ("", 35)}


class Page:
    """A page of the browser: what the workbench sent to it, keys and pictures."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._ids = count(1)
        self.painted = ""
        """What the workbench sent, without escape sequences."""
        self.faults: list[str] = []
        """Errors of the page, such as refused resources."""

    async def _next(self) -> dict[str, Any]:
        found: dict[str, Any] = await asyncio.wait_for(self._socket.receive_json(), PATIENCE)
        parameters = found.get("params", {})
        response = parameters.get("response", {})
        if found.get("method") == "Network.webSocketFrameReceived" and response["opcode"] == 2:
            data = base64.b64decode(response["payloadData"])
            self.painted += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode("utf-8", "replace"))
        elif found.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.faults.append(parameters["entry"]["text"])
        elif found.get("method") == "Runtime.exceptionThrown":
            self.faults.append(str(parameters))
        return found

    async def ask(self, method: str, **parameters: Any) -> Any:
        number = next(self._ids)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while (found := await self._next()).get("id") != number:
            pass
        assert "error" not in found, found
        return found["result"]

    async def until(self, text: str) -> None:
        """Wait until the workbench has painted a text."""
        while text not in self.painted:
            await self._next()

    async def press(self, *keys: str) -> None:
        for key in keys:
            text, code = _CODES.get(key, (key, ord(key[0].upper())))
            sent = {"key": key, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
            await self.ask("Input.dispatchKeyEvent", type="keyDown", **sent)
            await self.ask("Input.dispatchKeyEvent", type="keyUp", **sent)

    async def picture(self) -> bytes:
        return base64.b64decode((await self.ask("Page.captureScreenshot"))["data"])


@asynccontextmanager
async def browsing(url: str, folder: Path) -> AsyncIterator[Page]:
    """Open a page in a headless browser."""
    assert CHROMIUM
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    places = ["--remote-debugging-port=0", f"--user-data-dir={folder}", "--window-size=1100,700"]
    process = await asyncio.create_subprocess_exec(
        CHROMIUM, *flags, *places, "about:blank", stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(PATIENCE):
            line = ""
            while not line.startswith("DevTools listening on"):
                raw = await process.stderr.readline()
                assert raw, "the browser did not start"
                line = raw.decode()
        port = line.split("/")[2].rpartition(":")[2]
        async with aiohttp.ClientSession() as client:
            async with client.get(f"http://127.0.0.1:{port}/json/list") as listed:
                pages = [each for each in await listed.json() if each["type"] == "page"]
            place = pages[0]["webSocketDebuggerUrl"]
            async with client.ws_connect(place, max_msg_size=0) as socket:
                page = Page(socket)
                for domain in ("Network", "Log", "Runtime", "Page"):
                    await page.ask(f"{domain}.enable")
                await page.ask("Emulation.setFocusEmulationEnabled", enabled=True)
                await page.ask("Page.navigate", url=url)
                yield page
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
async def test_a_skill_is_edited_in_the_browser(tmp_path: Path) -> None:
    skill = tmp_path / "greeter"
    shutil.copytree(EXAMPLES / "greeter", skill)
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "skillstudio", "serve", str(skill)),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(tmp_path / "home")},
    )
    try:
        assert server.stdout is not None
        url = (await asyncio.wait_for(server.stdout.readline(), PATIENCE)).decode().strip()
        async with browsing(url, tmp_path / "browser") as page:
            await page.until("description")
            await page.until("enter to the text")
            await page.press("e")
            await page.until("esc 1…6")
            before = await page.picture()
            await page.press("ArrowDown", "End", *"xyz")
            await page.until("unsaved")
            after = await page.picture()
            kept = os.environ.get("SKILLSTUDIO_TEST_PICTURES")
            for name, data in (("before", before), ("after", after)):
                assert data.startswith(b"\x89PNG")
                if kept:
                    Path(kept, f"browser-{name}.png").write_bytes(data)
            assert before != after
            assert page.faults == []
            # The window becomes narrower, and the workbench with it.
            size = {"width": 420, "height": 500, "deviceScaleFactor": 1, "mobile": False}
            page.painted = ""
            await page.ask("Emulation.setDeviceMetricsOverride", **size)
            await page.until("needs 60")
    finally:
        server.kill()
        await server.wait()
