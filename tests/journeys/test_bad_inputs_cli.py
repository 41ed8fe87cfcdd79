"""Bad input on the command line: a clear finding, nothing lost, nothing run, no traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.journeys.bad_inputs import BAD_INPUTS, Bad, bytes_below, permissions, steering, titles

from skillstudio.cli.main import main

__all__ = ["permissions"]

LEVELS = ("errors", "warnings", "infos")
FORMATS = ("text", "json", "sarif", "github")


class Ran(NamedTuple):
    status: int
    out: str


Check = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Check:
    """Run a command; whatever it prints may steer no terminal."""

    def once(*arguments: str | Path) -> Ran:
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert steering(out + err) == set()
        return Ran(status, out)

    return once


def found_in(report: Any) -> str:
    rows = [*report["workspace"]["diagnostics"]]
    rows += [each for skill in report["skills"] for each in skill["diagnostics"]]
    places: dict[tuple[str, int], list[int]] = {}
    for row in rows:
        places.setdefault((row["rule"], row["line"]), []).append(row["column"])
    return ", ".join(
        f"{rule} {line}:{columns[0]}" + (f" ({len(columns)})" if len(columns) > 1 else "")
        for (rule, line), columns in places.items()
    )


@pytest.mark.usefixtures("permissions")
@pytest.mark.parametrize("bad", BAD_INPUTS, ids=titles())
def test_check_says_what_is_wrong(bad: Bad, run: Check, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    bad.build(folder)
    before = bytes_below(tmp_path)
    ran = {format: run("check", folder, "--format", format) for format in FORMATS}
    assert found_in(json.loads(ran["json"].out)) == bad.found
    assert {each.status for each in ran.values()} == {bad.status}
    assert bytes_below(tmp_path) == before
    count = sum(json.loads(ran["json"].out)["summary"][each] for each in LEVELS)
    assert len(json.loads(ran["sarif"].out)["runs"][0]["results"]) == count
    assert len(ran["github"].out.splitlines()) == count
