"""Run commands as a user does, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillstudio.cli.main import main

CLEAN = "---\nname: {name}\ndescription: Says things. Use when things are said.\n---\nSay.\n"


class Ran(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line; the words are its arguments."""

    def once(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ran(status, captured.out, captured.err)

    return once


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
