"""The workbench in a real browser: headless Chromium, driven by its debugging protocol."""

from __future__ import annotations

import asyncio
import base64
import json
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
from rich.cells import cell_len
from tests.dryrun.skills import offered
from tests.journeys.five_jobs import BY_MOUSE, assert_done, prepare

aiohttp = pytest.importorskip("aiohttp", reason="textual-serve is not installed")
pytest.importorskip("textual_serve", reason="textual-serve is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 90.0
STILL = 0.3  # Seconds without output after which what is on the screen stays where it is.
_CODES = {"Enter": ("\r", 13), "ArrowDown": ("", 40), "End": ("", 35)}


class Page:
    """A page of the browser: what the workbench sent to it, keys and pictures."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._ids = count(1)
        self.painted = ""
        """What the workbench sent, without escape sequences."""
        self.screen: dict[tuple[int, int], str] = {}
        """The characters of the terminal in the page, by line and column from 0."""
        self.columns, self.lines = 0, 0
        self.faults: list[str] = []
        """Errors of the page, such as refused resources."""

    async def _next(self) -> dict[str, Any]:
        found: dict[str, Any] = await asyncio.wait_for(self._socket.receive_json(), PATIENCE)
        parameters = found.get("params", {})
        response = parameters.get("response", {})
        if found.get("method") == "Network.webSocketFrameReceived" and response["opcode"] == 2:
            data = base64.b64decode(response["payloadData"])
            text = data.decode("utf-8", "replace")
            self.painted += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
            self._paint(text)
        elif found.get("method") == "Network.webSocketFrameSent" and response["opcode"] == 1:
            kind, *values = json.loads(response["payloadData"])
            if kind == "resize":
                self.columns, self.lines = values[0]["width"], values[0]["height"]
        elif found.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.faults.append(parameters["entry"]["text"])
        elif found.get("method") == "Runtime.exceptionThrown":
            self.faults.append(str(parameters))
        return found

    def _paint(self, text: str) -> None:
        """Put a text on the screen, which starts with its place."""
        line = column = 0
        for place, character in re.findall(r"\x1b\[([0-9;?]*[A-Za-z])|([^\x1b\n\r])", text):
            if place.endswith("H"):
                line, column = (int(part or 1) - 1 for part in (place[:-1] or "1;1").split(";"))
            elif character:
                self.screen[line, column] = character
                column += cell_len(character)

    def row(self, line: int) -> str:
        """A line of the screen; a wide character has a blank after it."""
        return "".join(self.screen.get((line, column), " ") for column in range(self.columns))

    async def see(self, text: str, is_there: bool = True) -> tuple[int, int]:
        """Wait until a text is on the screen, or is not; its line and column."""
        while True:
            rows = map(self.row, range(self.lines))
            at = next(((y, row.find(text)) for y, row in enumerate(rows) if text in row), None)
            if (at is not None) is is_there:
                return at or (0, 0)
            await self._next()

    async def mouse(self, kind: str, line: int, column: int) -> None:
        """Send an event of the left button at a cell."""
        size = await self.ask(
            "Runtime.evaluate",
            expression="[...document.querySelectorAll('.xterm-screen')].map(screen => "
            "[screen.clientWidth, screen.clientHeight])[0]",
            returnByValue=True,
        )
        width, height = size["result"]["value"]
        await self.ask(
            "Input.dispatchMouseEvent",
            type=kind,
            x=(column + 0.5) * width / self.columns,
            y=(line + 0.5) * height / self.lines,
            button="left",
            buttons=int(kind != "mouseReleased"),
            clickCount=1,
        )

    async def click(self, text: str) -> None:
        """Click on the start of a text, once it is on the screen."""
        await self.see(text)
        with suppress(TimeoutError):
            while True:  # What is clicked must not move meanwhile.
                await asyncio.wait_for(self._next(), STILL)
        place = await self.see(text)
        await self.mouse("mousePressed", *place)
        await self.mouse("mouseReleased", *place)

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
    places = ["--remote-debugging-port=0", f"--user-data-dir={folder}", "--window-size=1200,800"]
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


@asynccontextmanager
async def serving(path: Path, home: Path) -> AsyncIterator[str]:
    """Serve a path; the address."""
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "skillstudio", "serve", str(path)),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(home)},
    )
    try:
        assert server.stdout is not None
        yield (await asyncio.wait_for(server.stdout.readline(), PATIENCE)).decode().strip()
    finally:
        server.kill()
        await server.wait()


async def keep(page: Page, name: str) -> bytes:
    """A picture of the page, also in the folder for pictures if one is wanted."""
    data = await page.picture()
    assert data.startswith(b"\x89PNG")
    if folder := os.environ.get("SKILLSTUDIO_TEST_PICTURES"):
        Path(folder, f"browser-{name}.png").write_bytes(data)
    return data


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.mark.slow
@needs_chromium
async def test_a_skill_is_edited_in_the_browser(tmp_path: Path) -> None:
    skill = tmp_path / "greeter"
    shutil.copytree(EXAMPLES / "greeter", skill)
    async with (
        serving(skill, tmp_path / "home") as url,
        browsing(url, tmp_path / "browser") as page,
    ):
        await page.until("description")
        await page.until("enter to the text")
        await page.press("e")
        await page.until("esc 1…6")
        before = await keep(page, "before")
        await page.press("ArrowDown", "End", *"xyz")
        await page.until("unsaved")
        assert before != await keep(page, "after")
        # What is dragged is in the clipboard of the browser.
        permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        await page.ask("Browser.grantPermissions", permissions=permissions)
        line, column = await page.see("name: greeter")
        await page.mouse("mousePressed", line, column)
        await page.mouse("mouseMoved", line, column + 4)
        await page.mouse("mouseReleased", line, column + 4)
        await page.see("sent “name”")
        read = await page.ask(
            "Runtime.evaluate",
            expression="navigator.clipboard.readText()",
            awaitPromise=True,
            returnByValue=True,
        )
        assert read["result"]["value"] == "name"
        assert page.faults == []
        # The window becomes narrower, and the workbench with it.
        size = {"width": 420, "height": 500, "deviceScaleFactor": 1, "mobile": False}
        page.painted = ""
        await page.ask("Emulation.setDeviceMetricsOverride", **size)
        await page.until("needs 60")


@pytest.mark.slow
@needs_chromium
async def test_the_five_jobs_in_the_browser_need_no_key(tmp_path: Path) -> None:
    offered("confined")
    prepare(tmp_path / "skills")
    served = serving(tmp_path / "skills", tmp_path / "home")
    async with served as url, browsing(url, tmp_path / "browser") as page:
        for job, steps in BY_MOUSE.items():
            for action, text in steps:
                if action == "click":
                    await page.click(text)
                else:
                    await page.see(text, action == "see")
            await keep(page, job)
        assert page.faults == []
    assert_done(tmp_path / "skills")


@pytest.mark.slow
@needs_chromium
async def test_two_windows_are_two_sessions(tmp_path: Path) -> None:
    skill = tmp_path / "greeter"
    shutil.copytree(EXAMPLES / "greeter", skill)
    async with (
        serving(skill, tmp_path / "home") as url,
        browsing(url, tmp_path / "one") as page,
        browsing(url, tmp_path / "other") as other,
    ):
        await page.see("enter to the text")
        await page.press("e")
        await page.see("esc 1…6")
        await page.press("End", *"xyz")
        await page.see("---xyz")
        await other.see("enter to the text")
        assert not any("---xyz" in other.row(line) for line in range(other.lines))
        await other.click("Form")
        await other.see("allowed-tools")
        await page.see("---xyz")


@pytest.mark.slow
@needs_chromium
async def test_a_wrong_token_opens_nothing(tmp_path: Path) -> None:
    async with serving(EXAMPLES / "greeter", tmp_path / "home") as url:
        base, _, token = url.rstrip("/").rpartition("/")
        for wrong in (f"{base}/", f"{base}/{token[:-1]}/", f"{base}/{token[::-1]}/"):
            async with browsing(wrong, tmp_path / "browser") as page:
                while not page.faults:
                    await page._next()
                assert "403 (Forbidden)" in page.faults[0]
                assert page.painted == ""
