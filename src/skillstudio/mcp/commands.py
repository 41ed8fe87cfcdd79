"""Run commands of skillstudio, each in a process of its own.

A process can be ended when its request is cancelled, and neither a long check nor a crash affects
other requests.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import anyio
from anyio.abc import ByteReceiveStream, Process

from skillstudio.text.safe import safe_text

_MOST = 32 << 20
"""Bytes of a result that are read; commands print about 1 MB at most."""
_GRACE = 10.0
"""Seconds in which a command ends after it was asked to; a run removes its copies in them."""
_STRANGE = 2_000  # Characters of standard error that a message quotes.


class CommandFailed(Exception):
    """A command without a result; the message is for the user."""


class CommandOutput(NamedTuple):
    """What a command printed."""

    stdout: bytes
    stderr: str


async def run_command(
    command: Sequence[str], folder: str, stdin: bytes = b"", seconds: float = 300.0
) -> CommandOutput:
    """Run a command in a folder; end it when the caller is cancelled. Raises CommandFailed."""
    output: list[bytes] = [b"", b""]
    process = await anyio.open_process(
        command, stdin=subprocess.PIPE, cwd=folder, start_new_session=True
    )
    try:
        with anyio.fail_after(seconds):
            async with anyio.create_task_group() as tasks:
                for number, stream in enumerate((process.stdout, process.stderr)):
                    if stream is not None:
                        tasks.start_soon(_read, stream, output, number)
                if process.stdin is not None:
                    # A command that fails early does not read its input.
                    with suppress(OSError, anyio.BrokenResourceError):
                        await process.stdin.send(stdin)
                        await process.stdin.aclose()
            await process.wait()
    except TimeoutError:
        raise CommandFailed(
            f"this took longer than {seconds:.0f} s; name a smaller folder"
        ) from None
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
    return CommandOutput(output[0], safe_text(output[1].decode("utf-8", "replace")[-_STRANGE:]))


async def _read(stream: ByteReceiveStream, output: list[bytes], number: int) -> None:
    parts = []
    size = 0
    async for part in stream:
        size += len(part)
        if size <= _MOST:
            parts.append(part)
    output[number] = b"".join(parts)


async def _end(process: Process) -> None:
    """End a process with all that it started."""
    for is_forced in (False, True):
        if process.returncode is not None:
            break
        _signal(process, is_forced)
        with anyio.move_on_after(_GRACE):
            await process.wait()
    await process.aclose()


def _signal(process: Process, is_forced: bool) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL if is_forced else signal.SIGTERM)
        elif is_forced:
            process.kill()
        else:
            process.terminate()
