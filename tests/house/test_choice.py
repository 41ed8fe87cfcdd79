"""Which cases run where, and that failed cases of CI are run once more."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.choice import DEFAULT, MOST_COSTLY, MOST_SECONDS, Choice, complain_about_cost

ROOT = Path(__file__).parents[2]
CHOICE = Choice.load(ROOT / "tests" / "choice.toml")


class FakeItem:
    """A case with marks."""

    def __init__(self, nodeid: str, *marks: pytest.MarkDecorator) -> None:
        self.nodeid = nodeid
        self.marks = list(marks)

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks.append(mark)

    def iter_markers(self, name: str) -> Iterator[pytest.Mark]:
        return (mark.mark for mark in self.marks if mark.name == name)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next(self.iter_markers(name), None)

    def names(self) -> set[str]:
        return {mark.name for mark in self.marks}


def test_at_most_40_costly_cases_each_with_a_reason(request: pytest.FixtureRequest) -> None:
    assert 0 < len(CHOICE.costly) <= MOST_COSTLY
    assert all({**CHOICE.costly, **CHOICE.ci}.values())
    costly = [item for item in request.session.items if item.get_closest_marker("costly")]
    assert len(costly) <= MOST_COSTLY


def test_make_runs_what_is_not_slow_or_is_costly() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert re.findall(r'-m "(.*)"', makefile) == [DEFAULT]


@pytest.mark.parametrize(
    ("name", "marks", "expected"),
    [
        ("a.py::test_x", [], set()),
        ("a.py::test_x", [pytest.mark.slow], {"slow", "costly"}),
        ("a.py::test_y[1]", [pytest.mark.slow], {"slow", "ci"}),
        ("a.py::test_z[1-2]", [pytest.mark.slow], {"slow", "ci"}),
        ("b.py::test_x", [pytest.mark.slow], {"slow"}),
        ("b.py::test_x[[1]]", [pytest.mark.slow_cases("[1]")], {"slow_cases", "slow"}),
        ("b.py::test_x[2]", [pytest.mark.slow_cases("1")], {"slow_cases"}),
        ("a.py::test_y[1]", [], set()),
    ],
)
def test_a_slow_case_is_chosen_by_its_name_its_test_or_its_file(
    name: str, marks: list[pytest.MarkDecorator], expected: set[str]
) -> None:
    choice = Choice({"a.py::test_x": "why"}, {"a.py::test_y[1]": "why", "a.py": "why"})
    item: Any = FakeItem(name, *marks)
    choice.mark([item])
    assert item.names() == expected


def test_names_of_no_slow_case_are_returned() -> None:
    items: list[Any] = [
        FakeItem("a.py::test_x"),
        FakeItem("a.py::test_y[1]", pytest.mark.slow_cases("1", "2")),
    ]
    unknown = Choice({"a.py::test_x": "not slow"}, {"b.py": "deleted"}).mark(items)
    assert unknown == ["a.py::test_x", "a.py::test_y[2]", "b.py"]


def test_an_expensive_case_fails_by_name_unless_it_is_slow() -> None:
    cheap: Any = FakeItem("a.py::test_x")
    assert complain_about_cost(cheap, MOST_SECONDS) is None
    assert str(complain_about_cost(cheap, 1.6, lambda: 1.0)).startswith(
        "a.py::test_x took 1.6 processor seconds"
    )
    slow: Any = FakeItem("a.py::test_x", pytest.mark.slow)
    assert complain_about_cost(slow, 9.0) is None


@pytest.fixture
def retry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script that CI puts in the place of pytest, in a folder of its own."""
    spec = importlib.util.spec_from_file_location("retry", ROOT / ".ci" / "retry.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    return module


@pytest.mark.parametrize(
    ("runs", "status", "flaky"),
    [
        # Each run: its exit status, and the cases that failed.
        ([(0, "")], 0, ""),
        ([(1, "a b"), (0, "")], 0, "a b"),
        ([(1, "a b"), (1, "b")], 1, "a"),
        ([(1, "a"), (1, "a")], 1, ""),
        ([(1, "a"), (3, "a")], 3, ""),
        ([(1, " ".join(f"c{n}" for n in range(26)))], 1, ""),
        ([(1, "")], 1, ""),
        ([(2, "a")], 2, ""),
        ([(4, "")], 4, ""),
        ([(5, "")], 5, ""),
    ],
)
def test_failed_cases_are_run_once_more(
    retry: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    runs: list[tuple[int, str]],
    status: int,
    flaky: str,
) -> None:
    pending = list(runs)

    def run(options: list[str]) -> int:
        assert ("--lf" in options) == (len(pending) < len(runs))
        cache = Path(options[options.index("-o") + 1].removeprefix("cache_dir="), "v", "cache")
        cache.mkdir(parents=True, exist_ok=True)
        ended, failed = pending.pop(0)
        (cache / "lastfailed").write_text(json.dumps(dict.fromkeys(failed.split(), True)))
        return ended

    monkeypatch.setattr(retry, "_run", run)
    assert retry.main(["-m", "not slow"]) == status
    assert pending == []
    listed = retry.FLAKY.read_text().split() if retry.FLAKY.exists() else []
    assert " ".join(listed) == flaky


TESTS = """
from pathlib import Path

def test_passes(): pass
def test_fails(): assert not {fails}
def test_fails_once():
    file = Path("once")
    known = file.exists()
    file.touch()
    assert known
"""


@pytest.mark.slow
@pytest.mark.parametrize(("fails", "status"), [(False, 0), (True, 1)])
def test_pytest_runs_failed_cases_once_more(
    retry: ModuleType, tmp_path: Path, fails: bool, status: int
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_a.py").write_text(TESTS.format(fails=fails))
    assert retry.main(["-q"]) == status
    assert retry.FLAKY.read_text() == "test_a.py::test_fails_once\n"
