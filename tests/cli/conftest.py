"""The command line: what each command prints and writes, its exit status and its errors.

test_<command>.py tests one command. For all commands: test_help.py, test_colours.py,
test_shapes.py (keys of the JSON outputs), test_refusals.py and test_links.py (hostile skills),
test_sensitive.py, test_formats.py (output for CI), test_giants.py (work grows with the size).
"""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from pkgutil import iter_modules

import pytest
from tests.commands import Run

from skillstudio.cli import formats

__all__ = ["CI_FORMATS", "CLEAN", "Run"]

CI_FORMATS = sorted(module.name for module in iter_modules(formats.__path__))

CLEAN = "---\nname: {name}\ndescription: Says things. Use when things are said.\n---\nSay.\n"


@pytest.fixture
def skill(tmp_path: Path) -> Callable[..., Path]:
    """Write a skill and say where it is."""

    def write(name: str = "plain", text: str | bytes | None = None, **files: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True, exist_ok=True)
        content = CLEAN.format(name=name) if text is None else text
        data = content if isinstance(content, bytes) else content.encode()
        (folder / "SKILL.md").write_bytes(data)
        for path, inside in files.items():
            (folder / path).write_text(inside)
        return folder

    return write


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Answer questions as at a terminal."""

    def answers(text: str) -> None:
        stream = StringIO(text)
        monkeypatch.setattr(stream, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", stream)
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)

    return answers
