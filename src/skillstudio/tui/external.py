"""A round trip through the user's own editor, and a look into what pager or editor can show."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable

from textual.app import App, SuspendNotSupported


def edit_outside(app: App[int], path: str, text: str) -> tuple[str | None, str]:
    """Let $VISUAL or $EDITOR change a text: the new text, or None and why there is none.

    The editor gets a file of its own, so that nothing is saved before the user saves.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(command)
    except ValueError as error:
        return None, f"$EDITOR cannot be read: {error}"
    if not words:
        return None, "neither $VISUAL nor $EDITOR is set"
    with tempfile.TemporaryDirectory(prefix="skillstudio-") as folder:
        copy = os.path.join(folder, os.path.basename(path))
        with open(copy, "wb") as file:
            file.write(text.encode("utf-8"))
        try:
            with app.suspend():
                status = subprocess.call([*words, copy])  # noqa: S603  (the user's own editor)
        except SuspendNotSupported:
            return None, "this terminal cannot be handed to another program"
        except OSError as error:
            return None, f"{words[0]}: {error.strerror}"
        if status:
            return None, f"{words[0]} ended with status {status}; the text is as it was"
        try:
            with open(copy, "rb") as file:
                return file.read().decode("utf-8"), ""
        except UnicodeDecodeError:
            return None, "what came back is not UTF-8; the text is as it was"
        except OSError as error:
            return None, f"the edited text cannot be read: {error.strerror}"


def pager() -> str:
    """The command of the user's pager; "" where there is none."""
    return os.environ.get("PAGER", "").strip() or shutil.which("less") or ""


def look_outside(app: App[int], command: str, name: str, pieces: Iterable[bytes]) -> str:
    """Let a pager or an editor show a copy; why it could not, "" where it did.

    Nothing comes back: the copy is protected from writing and goes when the program ends.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"{command}: {error}"
    if not words:
        return "no program is named"
    with tempfile.TemporaryDirectory(prefix="skillstudio-") as folder:
        copy = os.path.join(folder, name)
        try:
            with open(copy, "wb") as file:
                file.writelines(pieces)
            os.chmod(copy, 0o400)
            with app.suspend():
                status = subprocess.call([*words, copy])  # noqa: S603  (the user's own program)
        except SuspendNotSupported:
            return "this terminal cannot be handed to another program"
        except OSError as error:
            return f"{words[0]}: {error.strerror or error}"
    return f"{words[0]} ended with status {status}" if status else ""
