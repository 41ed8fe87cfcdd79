"""Serve the workbench to browsers on this machine, through textual-serve.

Every URL starts with a random token, so that neither other users of the machine nor other pages
in the browser can reach a session. `Host` and `Origin` are checked as well: a page whose name
resolves to the loopback address (DNS rebinding) is refused even if it knew the token.
"""

from __future__ import annotations

import asyncio
import html
import logging
import os
import secrets
import shlex
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from string import Template

import textual_serve
from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from skillstudio.text.safe import safe_text

HOST = "127.0.0.1"
_NAMES = (HOST, "localhost")
_PATIENCE = 5.0  # Seconds after which the process of a closed window is killed.
_LARGEST = 1 << 20  # Bytes of a message from the browser, such as a paste.
_CELLS = 1_000  # The most columns and lines of a window.
_FONT_SIZE = 16
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; font-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' {}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_ENVIRONMENT = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
"""The browser's terminal, whatever the one that the server was started in."""

# It reports a window that is closed at once as a failure.
logging.getLogger("textual-serve").disabled = True

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class WorkbenchSession(AppService):
    """The process of one window. It ends as if its terminal was closed: drafts are kept."""

    def __init__(self, argv: Sequence[str], websocket: web.WebSocketResponse) -> None:
        super().__init__(
            shlex.join(argv),
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=self._close,
            download_manager=DownloadManager(),
        )
        self._argv = argv
        self._websocket = websocket

    async def _close(self) -> None:
        await self._websocket.close()

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width, height) | _ENVIRONMENT
        process = await asyncio.create_subprocess_exec(
            *self._argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        self._process, self._stdin = process, process.stdin
        return process

    async def run(self) -> None:
        """Pass on the process's output until it ends, then close the window."""
        await super().run()
        await self._close()

    async def stop(self) -> None:
        """End the process; kill it if it does not end."""
        task, process = self._task, self._process
        if task is None or process is None:
            return
        self._task = None
        try:
            if hasattr(signal, "SIGHUP"):
                process.send_signal(signal.SIGHUP)
            else:
                await self.send_meta({"type": "quit"})
            await asyncio.wait_for(process.wait(), _PATIENCE)
        except ProcessLookupError:
            pass
        except TimeoutError:
            process.kill()
        await task


class WorkbenchServer:
    """A server on the loopback address; each window is a workbench in its own process."""

    def __init__(self, arguments: Sequence[str], title: str, port: int = 0) -> None:
        """Listen on `port`, 0 for any free one; `arguments` are those of `skillstudio`.

        Raises OSError if the port cannot be used.
        """
        # -P: a skill's folder, which may be the current one, is not a place for modules.
        self._argv = (sys.executable, "-P", "-m", "skillstudio", *arguments)
        self._title = safe_text(title)
        self._socket = socket.create_server((HOST, port))
        self._windows: set[web.WebSocketResponse] = set()
        self.port: int = self._socket.getsockname()[1]
        self.token = secrets.token_urlsafe(32)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"

    def application(self) -> web.Application:
        """The routes, all below the token."""
        app = web.Application(middlewares=[self._guard])
        static = os.path.join(os.path.dirname(textual_serve.__file__), "static")
        app.add_routes(
            [
                web.get(f"/{self.token}/", self._page),
                web.get(f"/{self.token}/page.js", self._script),
                web.get(f"/{self.token}/ws", self._window),
                web.static(f"/{self.token}/static", static),
            ]
        )
        app.on_shutdown.append(self._end_windows)
        return app

    async def serve(self, on_start: Callable[[], None]) -> None:
        """Serve until SIGINT or SIGTERM; `on_start` is called once requests are answered."""
        runner = web.AppRunner(self.application(), access_log=None)
        await runner.setup()
        try:
            await web.SockSite(runner, self._socket).start()
            stop_event = asyncio.Event()
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                try:
                    loop.add_signal_handler(number, stop_event.set)
                except NotImplementedError:  # Windows: SIGINT raises KeyboardInterrupt.
                    break
            on_start()
            await stop_event.wait()
        finally:
            await runner.cleanup()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what does not know the token or comes from another site, without a hint."""
        if not self._is_own(request):
            raise web.HTTPForbidden
        response = await handler(request)
        if not response.prepared:
            address = f"ws://{request.host}"
            response.headers.update({name: text.format(address) for name, text in _HEADERS.items()})
        return response

    def _is_own(self, request: web.Request) -> bool:
        token = request.path.split("/")[1]
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return False
        hosts = {f"{name}:{self.port}" for name in _NAMES}
        if self.port == 80:
            hosts |= set(_NAMES)
        if request.headers.get("Host") not in hosts:
            return False
        origin = request.headers.get("Origin")
        if origin is None:
            # Browsers send none with the page and its files, but always with a websocket.
            return request.headers.get("Upgrade") is None
        return origin == f"http://{request.host}"

    async def _page(self, request: web.Request) -> web.Response:
        websocket = f"ws://{request.host}/{self.token}/ws"
        text = Template(_resource("page.html")).substitute(
            title=html.escape(self._title), websocket=websocket, font_size=_FONT_SIZE
        )
        return web.Response(text=text, content_type="text/html")

    async def _script(self, _: web.Request) -> web.Response:
        return web.Response(text=_resource("page.js"), content_type="text/javascript")

    async def _window(self, request: web.Request) -> web.WebSocketResponse:
        """Run a workbench for as long as its window is open."""
        websocket = web.WebSocketResponse(heartbeat=15, max_msg_size=_LARGEST)
        await websocket.prepare(request)
        session = WorkbenchSession(self._argv, websocket)
        self._windows.add(websocket)
        try:
            await session.start(
                _cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24)
            )
            async for message in websocket:
                if message.type is WSMsgType.TEXT:
                    await _pass_on(message.json(), session, websocket)
        except (ValueError, TypeError, LookupError, AttributeError):
            await websocket.close(code=WSCloseCode.UNSUPPORTED_DATA)
        finally:
            self._windows.discard(websocket)
            await session.stop()
        return websocket

    async def _end_windows(self, _: web.Application) -> None:
        for window in list(self._windows):
            await window.close(code=WSCloseCode.GOING_AWAY)


def _resource(name: str) -> str:
    return files("skillstudio.web").joinpath(name).read_text("utf-8")


async def _pass_on(
    message: list[object], session: AppService, websocket: web.WebSocketResponse
) -> None:
    """Send a message of the browser to the process. Raises ValueError … for another shape."""
    match message:
        case ["stdin", str(text)]:
            await session.send_bytes(text.encode("utf-8"))
        case ["resize", {"width": width, "height": height}]:
            await session.set_terminal_size(_cells(width, 80), _cells(height, 24))
        case ["ping", value]:
            await websocket.send_json(["pong", value])
        case ["blur"]:
            await session.blur()
        case ["focus"]:
            await session.focus()


def _cells(value: object, default: int) -> int:
    try:
        return min(max(int(str(value)), 1), _CELLS)
    except ValueError:
        return default
