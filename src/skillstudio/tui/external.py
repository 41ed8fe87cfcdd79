"""A round trip through the user's own editor, and a look into what pager or editor can show."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from textual.app import App, SuspendNotSupported


class NotShown(Exception):
    """Why another program did not do what it was asked: a sentence."""


def edit_outside(app: App[int], path: str, text: str) -> tuple[str | None, str]:
    """Let $VISUAL or $EDITOR change a text: the new text, or None and why there is none.

    The editor gets a file of its own, so that nothing is saved before the user saves.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not command.strip():
        return None, "neither $VISUAL nor $EDITOR is set"
    try:
        with _copy(os.path.basename(path), [text.encode("utf-8")]) as copy:
            _hand_over(app, command, copy, "; the text is as it was")
            with open(copy, "rb") as file:
                return file.read().decode("utf-8"), ""
    except NotShown as error:
        return None, str(error)
    except UnicodeDecodeError:
        return None, "what came back is not UTF-8; the text is as it was"
    except OSError as error:
        return None, f"the edited text cannot be read: {error.strerror or error}"


def pager() -> str:
    """The command of the user's pager; "" where there is none."""
    return os.environ.get("PAGER", "").strip() or shutil.which("less") or ""


def look_outside(app: App[int], command: str, name: str, pieces: Iterable[bytes]) -> str:
    """Let a pager or an editor show a copy; why it could not, "" where it did.

    The copy is read-only and deleted when the program ends.
    """
    try:
        with _copy(name, pieces) as copy:
            os.chmod(copy, 0o400)
            _hand_over(app, command, copy)
    except NotShown as error:
        return str(error)
    except OSError as error:
        return f"no copy can be made: {error.strerror or error}"
    return ""


@contextmanager
def _copy(name: str, pieces: Iterable[bytes]) -> Iterator[str]:
    """A file for another program, gone when that ends. Raises NotShown."""
    with tempfile.TemporaryDirectory(prefix="skillstudio-") as folder:
        copy = os.path.join(folder, name)
        try:
            with open(copy, "wb") as file:
                file.writelines(pieces)
        except OSError as error:
            raise NotShown(f"no copy can be made: {error.strerror or error}") from None
        yield copy


def _hand_over(app: App[int], command: str, copy: str, after: str = "") -> None:
    """Give the terminal to a program until it ends.

    Raises NotShown; where the program says that it failed, its sentence ends in `after`.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise NotShown(f"{command}: {error}") from None
    if not words:
        raise NotShown("no program is named")
    try:
        with app.suspend():
            status = subprocess.call([*words, copy])  # noqa: S603  (the user's own program)
    except SuspendNotSupported:
        raise NotShown("this terminal cannot be handed to another program") from None
    except OSError as error:
        raise NotShown(f"{words[0]}: {error.strerror or error}") from None
    if status:
        raise NotShown(f"{words[0]} ended with status {status}{after}")
