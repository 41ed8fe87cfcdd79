"""Bad input on the command line: a clear finding, nothing lost, nothing run, no traceback."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.journeys.bad_inputs import (
    BAD_INPUTS,
    MARKUP,
    OSC,
    Bad,
    both,
    bytes_below,
    files,
    front,
    permissions,
    secret,
    steering,
    titles,
)

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


@pytest.mark.usefixtures("permissions")
@pytest.mark.parametrize("bad", BAD_INPUTS, ids=titles())
def test_fixes_lose_nothing(bad: Bad, run: Check, tmp_path: Path) -> None:
    """The safe ones here add quotes and take byte order marks away, and nothing else."""

    def unquoted(data: bytes) -> bytes:
        return data.removeprefix(b"\xef\xbb\xbf").translate(None, b"\"'")

    folder = tmp_path / "plain"
    folder.mkdir()
    bad.build(folder)
    before = bytes_below(tmp_path)
    run("check", folder, "--fix", "--diff")
    assert bytes_below(tmp_path) == before
    run("check", folder, "--fix")
    after = bytes_below(tmp_path)
    assert {path: unquoted(data) for path, data in after.items()} == {
        path: unquoted(data) for path, data in before.items()
    }


@pytest.mark.parametrize("path", [OSC, MARKUP, "[/]", "\udcff", "a\0b"], ids=repr)
def test_a_path_that_is_not_there_exits_2(path: str, run: Check) -> None:
    assert run("check", path).status == 2
    assert run("edit", path, "remove", "/name").status == 2
    assert run(path).status == 2


@pytest.mark.usefixtures("permissions")
def test_settings_that_nobody_may_read_are_not_passed_over(run: Check, tmp_path: Path) -> None:
    """They may hold a policy: without them nothing is said to be well."""
    both(front(""), files(skillstudio_toml="[policy]\n"), secret("skillstudio.toml"))(tmp_path)
    assert run("check", tmp_path).status == 2


def test_ten_thousand_skills(run: Check, tmp_path: Path) -> None:
    for number in range(10_000):
        folder = tmp_path / f"group-{number // 100}" / f"skill-{number}"
        folder.mkdir(parents=True)
        text = f"---\nname: skill-{number}\ndescription: Says. Use it.\n---\nSay.\n"
        (folder / "SKILL.md").write_text(text)
    (tmp_path / "group-50" / "skill-5000" / "SKILL.md").write_bytes(b"\xff")
    begun = time.monotonic()
    ran = run("check", tmp_path, "--format", "json")
    assert json.loads(ran.out)["summary"]["skills"] == 10_000
    assert ran.status == 1
    assert time.monotonic() - begun < 60


FAULTS = {
    "one key again and again": ("SKILL.md", "---\n" + "k: 1\n" * 30_000 + "---\n"),
    "unknown keys": ("SKILL.md", "---\n" + "".join(f"k{n}: 1\n" for n in range(30_000)) + "---\n"),
    "open lists": ("SKILL.md", "---\n" + "k: [\n" * 30_000 + "---\n"),
    "aliases": ("SKILL.md", "---\nx: &a [1]\n" + "y: *a\n" * 20_000 + "---\n"),
    "one member again and again": ("SKILL.md", "{" + '"a": 1, ' * 30_000 + "}"),
    "members": ("SKILL.md", "{" + "".join(f'"a{n}": 1,' for n in range(30_000)) + "}"),
    "TOML pairs": ("skill.toml", "k = 1\n" * 30_000),
    "TOML junk": ("skill.toml", "=\n" * 50_000),
    "links": ("SKILL.md", "---\nname: a\n---\n" + "[a](b) " * 15_000),
}


@pytest.mark.parametrize("title", FAULTS)
def test_files_that_are_nothing_but_faults_take_time_in_proportion(
    title: str, run: Check, tmp_path: Path
) -> None:
    """Quadratic work would take minutes here; the bound is wide, for slow machines."""
    name, text = FAULTS[title]
    if text.startswith("{"):
        text = f"---\nname: a\n---\n```skill-manifest\n{text}\n```\n"
    (tmp_path / name).write_text(text)
    begun = time.monotonic()
    run("check", tmp_path, "--format", "github")
    assert time.monotonic() - begun < 20
