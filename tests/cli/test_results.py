"""Results in a format from a file of its own, in a file, and in the user's pager."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CI_FORMATS, Run

import skillstudio.cli.formats
from skillstudio.cli.pager import PagedOutput

CHECKSTYLE = '''
"""`--format checkstyle`."""

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr


def lines(log) -> Iterator[str]:
    yield "<testsuite>"
    for each in log.annotations:
        yield f"  <testcase name={quoteattr(each.rule)}/>"
    yield "</testsuite>"
'''
BROKEN = "---\nname: broken\ndescription: Use when: a colon is found.\n---\nText.\n"


def test_a_file_is_all_that_a_format_needs(
    run: Run, skill: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = skill("broken", BROKEN)
    assert (
        "unknown format checkstyle; choose from"
        in run("check", folder, "--format", "checkstyle").err
    )
    extra = tmp_path / "formats"
    extra.mkdir()
    (extra / "checkstyle.py").write_text(CHECKSTYLE)
    package = skillstudio.cli.formats
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(extra)])
    ran = run("check", folder, "--format", "checkstyle")
    assert ran.status == 1
    assert ran.out.startswith("<testsuite>\n  <testcase name=")
    assert "checkstyle" in run("check", "--help").out
    assert "checkstyle" in run("completion", "bash").out
    for verb in ("fix", "diff", "test"):
        assert "checkstyle" in run(verb, "--help").out


@pytest.mark.parametrize("format", ["text", "json", "markdown", *CI_FORMATS])
def test_results_go_to_a_file(
    run: Run, skill: Callable[..., Path], tmp_path: Path, format: str
) -> None:
    folder = skill("broken", BROKEN)
    file = tmp_path / "out"
    printed = run("check", folder, "--format", format)
    ran = run("check", folder, "--format", format, "--output-file", file)
    assert (ran.status, ran.out) == (1, "")
    assert file.read_text() == printed.out


def test_a_file_that_cannot_be_written_is_named(
    run: Run, skill: Callable[..., Path], tmp_path: Path
) -> None:
    ran = run("check", skill(), "--format", "json", "--output-file", tmp_path / "no" / "out")
    assert ran.status == 2
    assert str(tmp_path / "no" / "out") in json.loads(ran.out)["error"]


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 0


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((80, 10)))
    monkeypatch.setenv("NO_COLOR", "1")
    return Screen()


@pytest.mark.parametrize(("lines", "is_paged"), [(9, False), (10, True), (1_000, True)])
def test_only_a_long_text_goes_to_the_pager(
    screen: Screen, tmp_path: Path, lines: int, is_paged: bool
) -> None:
    text = "".join(f"{number}\n" for number in range(lines))
    with PagedOutput(screen, f"tee {tmp_path / 'paged'}") as paged:
        for line in text.splitlines(keepends=True):
            paged.write(line)
    assert screen.getvalue() == ("" if is_paged else text)
    if is_paged:
        assert (tmp_path / "paged").read_text() == text


def test_a_pager_that_is_left_early_or_missing_is_no_fault(screen: Screen) -> None:
    with PagedOutput(screen, "true") as paged:
        for _ in range(100_000):
            paged.write("a line\n")
    with PagedOutput(screen, "no-such-pager") as paged:
        paged.write("a line\n" * 20)
    assert screen.getvalue() == "a line\n" * 20


@pytest.mark.parametrize("words", [("--no-pager",), ("--output-file", "out")])
def test_the_pager_can_be_avoided(
    run: Run,
    screen: Screen,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAGER", f"tee {tmp_path / 'paged'}")
    monkeypatch.setattr("sys.stdout", screen)
    run("explain", *words)
    assert not (tmp_path / "paged").exists()
    assert (tmp_path / "out").exists() == (words[0] == "--output-file")
