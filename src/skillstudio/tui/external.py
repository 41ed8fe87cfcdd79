"""Edit a text in the user's own editor, or show a file in a pager or editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from textual.app import App, SuspendNotSupported


class NotShown(Exception):
    """Another program did not run or failed; the text says why."""


def edit_outside(app: App[int], path: str, text: str) -> tuple[str | None, str]:
    """Edit a copy of a text in $VISUAL or $EDITOR: the new text, or None and why there is none."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not command.strip():
        return None, "neither $VISUAL nor $EDITOR is set"
    try:
        with _copy(os.path.basename(path), [text.encode("utf-8")]) as copy:
            _hand_over(app, command, copy, "; the text is unchanged")
            with open(copy, "rb") as file:
                return file.read().decode("utf-8"), ""
    except NotShown as error:
        return None, str(error)
    except UnicodeDecodeError:
        return None, "the edited text is not UTF-8; the text is unchanged"
    except OSError as error:
        return None, f"cannot read the edited text: {error.strerror or error}"


def pager() -> str:
    """The command of the user's pager, "" if there is none."""
    return os.environ.get("PAGER", "").strip() or shutil.which("less") or ""


def look_outside(app: App[int], command: str, name: str, pieces: Iterable[bytes]) -> str:
    """Show a read-only copy in a pager or an editor; an error, "" if it worked."""
    try:
        with _copy(name, pieces) as copy:
            os.chmod(copy, 0o400)
            _hand_over(app, command, copy)
    except NotShown as error:
        return str(error)
    except OSError as error:
        return f"cannot create a copy: {error.strerror or error}"
    return ""


def run_outside(app: App[int], argv: Sequence[str], cwd: str) -> str:
    """Give the terminal to a program until it ends; an error, "" if it ran."""
    try:
        with app.suspend():
            subprocess.call(argv, cwd=cwd)  # noqa: S603  (skillstudio itself)
    except SuspendNotSupported:
        return "other programs cannot use this terminal"
    except OSError as error:
        return f"{argv[0]}: {error.strerror or error}"
    return ""


@contextmanager
def _copy(name: str, pieces: Iterable[bytes]) -> Iterator[str]:
    """A temporary file for another program."""
    with tempfile.TemporaryDirectory(prefix="skillstudio-") as folder:
        copy = os.path.join(folder, name)
        try:
            with open(copy, "wb") as file:
                file.writelines(pieces)
        except OSError as error:
            raise NotShown(f"cannot create a copy: {error.strerror or error}") from None
        yield copy


def _hand_over(app: App[int], command: str, copy: str, after: str = "") -> None:
    """Give the terminal to a program until it ends.

    Raises NotShown; if the program itself fails, the text ends with `after`.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise NotShown(f"{command}: {error}") from None
    if not words:
        raise NotShown("no program to run")
    try:
        with app.suspend():
            status = subprocess.call([*words, copy])  # noqa: S603  (the user's own program)
    except SuspendNotSupported:
        raise NotShown("other programs cannot use this terminal") from None
    except OSError as error:
        raise NotShown(f"{words[0]}: {error.strerror or error}") from None
    if status:
        raise NotShown(f"{words[0]} ended with status {status}{after}")
