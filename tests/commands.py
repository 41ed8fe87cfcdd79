"""Commands run as a user does, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.published import assert_published

from skillstudio.cli.main import main


class Ran(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The result without its format version."""
        value = json.loads(self.out)
        if isinstance(value, dict):
            value.pop("format_version", None)
        return value

    @property
    def result(self) -> str:
        """What is on standard output, a refusal as JSON left out."""
        is_refusal = self.out.startswith('{"error": ') and self.json.keys() == {"error"}
        return "" if is_refusal else self.out


Run = Callable[..., Ran]
"""Runs a command line; the words are its arguments."""


def running(capsys: pytest.CaptureFixture[str]) -> Run:
    """A way to run commands that show no one a traceback, and print JSON of the published shape."""

    def once(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        words = [str(argument) for argument in arguments]
        status = main(words)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert_published(words, out)
        return Ran(status, out, err)

    return once
