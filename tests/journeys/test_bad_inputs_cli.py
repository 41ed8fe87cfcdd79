"""Bad input on the command line: a clear finding, nothing lost, nothing run, no traceback."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Ran, Run
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

__all__ = ["permissions"]

LEVELS = ("errors", "warnings", "infos")
FORMATS = ("text", "json", "sarif", "github")


@pytest.fixture
def run(run: Run) -> Run:
    """Run a command; whatever it prints may steer no terminal."""

    def once(*arguments: str | Path) -> Ran:
        ran = run(*arguments)
        # The diff of a file with CRLF keeps its line ends, which return to no line.
        assert steering((ran.out + ran.err).replace("\r\n", "\n")) == set()
        return ran

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


@pytest.mark.slow_cases("a manifest.json of 3 MB")
@pytest.mark.usefixtures("permissions")
@pytest.mark.parametrize("bad", BAD_INPUTS, ids=titles())
def test_check_says_what_is_wrong(bad: Bad, run: Run, tmp_path: Path) -> None:
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
def test_fixes_lose_nothing(bad: Bad, run: Run, tmp_path: Path) -> None:
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
def test_a_path_that_is_not_there_exits_2(path: str, run: Run) -> None:
    assert run("check", path).status == 2
    assert run("edit", path, "remove", "/name").status == 2
    assert run(path).status == 2


@pytest.mark.usefixtures("permissions")
def test_settings_that_nobody_may_read_are_not_passed_over(run: Run, tmp_path: Path) -> None:
    """They may hold a policy: without them nothing is said to be well."""
    both(front(""), files(skillstudio_toml="[policy]\n"), secret("skillstudio.toml"))(tmp_path)
    assert run("check", tmp_path).status == 2


@pytest.mark.slow
def test_ten_thousand_skills(run: Run, tmp_path: Path) -> None:
    for number in range(10_000):
        folder = tmp_path / f"group-{number // 100}" / f"skill-{number}"
        folder.mkdir(parents=True)
        text = f"---\nname: skill-{number}\ndescription: Says. Use it.\n---\nSay.\n"
        (folder / "SKILL.md").write_text(text)
    (tmp_path / "group-50" / "skill-5000" / "SKILL.md").write_bytes(b"\xff")
    ran = run("check", tmp_path, "--format", "json")
    assert json.loads(ran.out)["summary"]["skills"] == 10_000
    assert ran.status == 1


FAULTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "one key again and again": ("SKILL.md", lambda n: "---\n" + "k: 1\n" * n + "---\n"),
    "unknown keys": (
        "SKILL.md",
        lambda n: "---\n" + "".join(f"k{each}: 1\n" for each in range(n)) + "---\n",
    ),
    "open lists": ("SKILL.md", lambda n: "---\n" + "k: [\n" * n + "---\n"),
    "aliases": ("SKILL.md", lambda n: "---\nx: &a [1]\n" + "y: *a\n" * n + "---\n"),
    "one member again and again": ("SKILL.md", lambda n: "{" + '"a": 1, ' * n + "}"),
    "members": (
        "SKILL.md",
        lambda n: "{" + "".join(f'"a{each}": 1,' for each in range(n)) + "}",
    ),
    "TOML pairs": ("skill.toml", lambda n: "k = 1\n" * n),
    "TOML junk": ("skill.toml", lambda n: "=\n" * n),
    "links": ("SKILL.md", lambda n: "---\nname: a\n---\n" + "[a](b) " * n),
}


def work(run: Run, folder: Path, title: str, number: int) -> int:
    """How many Python functions a check of so many faults calls."""
    name, text = FAULTS[title]
    written = text(number)
    if written.startswith("{"):
        written = f"---\nname: a\n---\n```skill-manifest\n{written}\n```\n"
    (folder / name).write_text(written)
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        run("check", folder, "--format", "github")
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("title", FAULTS)
def test_work_grows_with_the_number_of_faults_and_no_faster(
    title: str, run: Run, tmp_path: Path
) -> None:
    work(run, tmp_path, title, 10)  # what is made once is made here
    assert work(run, tmp_path, title, 2000) < 2.6 * work(run, tmp_path, title, 1000)
