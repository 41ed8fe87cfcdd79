"""When skillstudio itself fails: a report in a file, a sentence that names it, no traceback."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from skillstudio.cli import edit, identity, sample
from skillstudio.cli.output import Result
from skillstudio.files import state as state_of_user
from skillstudio.session.crash import report_crash, shape

SECRET = "hunter2-hunter2"
Fail = Callable[[BaseException], None]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(state_of_user, "state_folder", lambda: str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Fail:
    def make(error: BaseException) -> None:
        def run(_: object) -> int:
            raise error

        for verb in (edit, identity, sample):
            monkeypatch.setattr(verb, "run", run)

    return make


FAILURES = [KeyError("x"), MemoryError(), RecursionError("too deep"), ValueError("9" * 9_000)]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_a_failure_is_one_sentence_and_a_report(
    run: Run, state: Path, fail: Fail, error: Exception
) -> None:
    fail(error)
    ran = run("identity", "skill")
    (report,) = state.rglob("*.txt")
    assert (ran.status, ran.out) == (1, "")
    assert len(ran.err.splitlines()) == 1
    assert len(ran.err) < 1_000
    assert str(report) in ran.err
    assert f"({type(error).__name__}" in ran.err
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700
    text = report.read_text()
    assert "in run" in text
    assert "Python 3." in text
    assert max(map(len, text.splitlines())) <= 2_000


def test_json_says_the_same(run: Run, state: Path, fail: Fail) -> None:
    fail(KeyError("x"))
    ran = run("identity", "skill", "--format", "json")
    assert ran.status == 1
    assert f"skillstudio: {json.loads(ran.out)['error']}\n" == ran.err


def test_a_result_is_not_followed_by_another(
    run: Run, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_make() -> object:
        raise KeyError

    result = Result(fail_to_make, lambda _: ())
    monkeypatch.setattr(identity, "run", lambda _: result)
    ran = run("identity", "skill", "--format", "json")
    assert (ran.status, list(json.loads(ran.out))) == (1, ["error"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["sample", "skill", "-i", f"key={SECRET}"],
        ["sample", "skill", "--secret", f"key={SECRET}"],
        ["sample", "skill", f"--env=KEY={SECRET}"],
        ["sample", "skill", "--inputs-json", json.dumps({"key": SECRET})],
        ["edit", "skill", "set", "/key", SECRET],
        ["sample", "skill", "--secret", "key=env:HELD"],
    ],
)
def test_no_value_of_the_command_line_is_in_it(
    run: Run, state: Path, fail: Fail, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv("HELD", SECRET)
    fail(ValueError(f"cannot use {SECRET}"))
    ran = run(*arguments)
    (report,) = state.rglob("*.txt")
    assert SECRET not in report.read_text() + ran.err
    assert SECRET not in "\n".join(shape(arguments))


def test_the_command_line_keeps_its_shape(tmp_path: Path) -> None:
    words = ["edit", str(tmp_path), "set", "--string", "/a", "long value", "--env=A=b", "\0"]
    assert shape(words) == [
        "edit", str(tmp_path), "<3 characters>", "--string", "<2 characters>", "<10 characters>",
        "--env=…", "<1 characters>",
    ]  # fmt: skip


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = report_crash(KeyError("x"), str(tmp_path / "file" / "reports"))
    assert "No report could be written to" in said


def test_an_interrupt_is_no_failure(run: Run, state: Path, fail: Fail) -> None:
    fail(KeyboardInterrupt())
    assert run("identity", "skill").status == 130
    assert not state.exists()
