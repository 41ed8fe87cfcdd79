"""Control the process that renders templates, with timeouts."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import subprocess
    from threading import Event

SECONDS = 10.0  # Seconds for all items of one request.
START_SECONDS = 60.0  # Seconds for the process to start and load the template.
_LONGEST = 64 << 20  # Bytes of one reply; the child's own limit on texts is far lower.
MARKS = {"variable_start_string": "{{", "block_start_string": "{%", "comment_start_string": "{#"}
"""The options for the start of a template expression, with their defaults."""
LINE_MARKS = ("line_statement_prefix", "line_comment_prefix")
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")

Confinement = tuple[bytes, bytes]
"""Landlock attributes and a system call filter in the kernel's format."""


def marks_of(envops: Mapping[str, Any]) -> list[str]:
    """The starts of template expressions under Jinja's options."""
    return [str(envops.get(name, usual)) for name, usual in MARKS.items()]


class RenderItem(NamedTuple):
    """Something to render: template text, or the name of a template file."""

    kind: Literal["text", "file"]
    text: str


class RenderFailure(NamedTuple):
    """Why an item was not rendered."""

    kind: str
    """`syntax`, `undefined`, `missing`, `unsafe`, `large`, `failed`, `time`, `ended`, or `options`
    if Jinja rejects those of the template."""
    message: str
    name: str | None = None  # The file with the error if it is not the item's.
    line: int | None = None  # The line in that file or in the item's text, from 1.


class RendererMissing(Exception):
    """Jinja is not installed, or no process can be started."""


class Renderer(AbstractContextManager["Renderer"]):
    """Renders one template in a process, started when first needed.

    `envops` are Jinja's options, `files` the includable templates by name. A `confinement` denies
    it sockets, and files except those of Python and Jinja.
    """

    def __init__(
        self,
        envops: Mapping[str, Any],
        files: Mapping[str, str],
        extensions: Sequence[str] = (),
        seconds: float = SECONDS,
        confinement: Confinement | None = None,
    ) -> None:
        self._open_request = {
            "op": "open",
            "confine": [part.hex() for part in confinement or ()],
            "envops": dict(envops),
            "files": dict(files),
            "extensions": list(extensions),
        }
        self._seconds = seconds
        self._marks = marks_of(envops)
        self._by_lines = any(envops.get(name) for name in LINE_MARKS)
        self._process: subprocess.Popen[bytes] | None = None

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process. The next item starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                # Unsent data is dropped.
                with suppress(OSError):
                    if stream is not None:
                        stream.close()
            process.wait()

    def end(self) -> None:
        """Cancel a rendering in another thread; the next item starts a new process."""
        process = self._process
        if process is not None:
            process.kill()

    def render(
        self, context: Mapping[str, Any], items: Sequence[RenderItem]
    ) -> list[str | RenderFailure]:
        """Render each item with `context`, or return why it failed. Raises RendererMissing."""
        template_items = [item for item in items if not self._is_plain(item)]
        answers = iter(self._ask(context, template_items) if template_items else [])
        return [item.text if self._is_plain(item) else next(answers) for item in items]

    def _is_plain(self, item: RenderItem) -> bool:
        """Whether a text contains no template expression, as in most questions."""
        return (
            item.kind == "text"
            and not self._by_lines
            and "\r" not in item.text
            and not any(mark in item.text for mark in self._marks)
        )

    def _ask(
        self, context: Mapping[str, Any], items: Sequence[RenderItem]
    ) -> list[str | RenderFailure]:
        if self._process is None:
            self._process = self._new_process()
            if failure := self._open(self._process):
                self.close()
                return [failure] * len(items)
        process = self._process
        if process is None:
            # Another thread closed it.
            return [self._lost(False)] * len(items)
        replies: list[str | RenderFailure] = []
        with _time_limit(process, self._seconds) as timeout_event:
            request = {"op": "render", "context": dict(context), "items": list(items)}
            if not _write(process, request):
                replies.append(self._explain_end(timeout_event.is_set()))
            while len(replies) < len(items) and not (replies and _is_end(replies[-1])):
                reply = _read(process)
                replies.append(
                    self._explain_end(timeout_event.is_set()) if reply is None else reply
                )
        if _is_end(replies[-1]):
            self.close()
            replies += [replies[-1]] * (len(items) - len(replies))
        return replies

    def _explain_end(self, late: bool) -> RenderFailure:
        if late:
            return RenderFailure("time", f"takes longer than {self._seconds:g} seconds to render")
        return RenderFailure("ended", "crashed the rendering process: it needs too much memory")

    def _open(self, process: subprocess.Popen[bytes]) -> RenderFailure | None:
        """Send the template. A slow start is not its fault, so it has a separate timeout."""
        with _time_limit(process, START_SECONDS):
            _write(process, self._open_request)
            reply = _read(process)
        if reply is None:
            return RenderFailure("ended", "could not be sent to the rendering process")
        return reply if isinstance(reply, RenderFailure) else None

    def _new_process(self) -> subprocess.Popen[bytes]:
        import subprocess
        from importlib.util import find_spec

        folders = []
        for name in ("jinja2", "markupsafe"):
            spec = find_spec(name)
            if spec is None or spec.origin is None:
                raise RendererMissing(f"cannot render templates: {name} is not installed")
            folders.append(os.path.dirname(os.path.dirname(spec.origin)))
        variable_names = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
        try:
            # Isolated and without site: only Jinja is on its path.
            return subprocess.Popen(  # noqa: S603  (this interpreter and a file of ours)
                [sys.executable, "-I", "-S", "-X", "utf8", _CHILD, *dict.fromkeys(folders)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.dirname(_CHILD),
                env={name: os.environ[name] for name in variable_names if name in os.environ},
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise RendererMissing(f"cannot start the template renderer: {error}") from None


@contextmanager
def _time_limit(process: subprocess.Popen[bytes], seconds: float) -> Iterator[Event]:
    """Kill a process after a timeout; the event is set then."""
    from threading import Event, Timer

    timeout_event = Event()

    def end() -> None:
        timeout_event.set()
        process.kill()

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield timeout_event
    finally:
        timer.cancel()


def _is_end(answer: str | RenderFailure) -> bool:
    return isinstance(answer, RenderFailure) and answer.kind in ("time", "ended")


def _write(process: subprocess.Popen[bytes], request: dict[str, Any]) -> bool:
    """Send a request; False if the process has ended."""
    stream = process.stdin
    try:
        if stream is not None:
            stream.write(json.dumps(request).encode("ascii") + b"\n")
            stream.flush()
    except OSError:
        return False
    return stream is not None


def _read(process: subprocess.Popen[bytes]) -> str | RenderFailure | None:
    """The next reply; None if the process has ended."""
    line = process.stdout.readline(_LONGEST) if process.stdout is not None else b""
    if not line.endswith(b"\n"):
        return None
    reply = json.loads(line)
    if "text" in reply:
        return str(reply["text"])
    return RenderFailure(reply["kind"], reply["error"], reply["name"], reply["line"])
