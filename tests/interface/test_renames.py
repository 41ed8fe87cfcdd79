"""What is called otherwise now: told where nothing else could be meant, and at a bounded cost."""

from __future__ import annotations

import pytest

from skillstudio.interface import renames
from skillstudio.interface.renames import MOST, renamed


@pytest.mark.parametrize(
    ("gone", "come", "found"),
    [
        ({}, {}, {}),
        ({"a": 1}, {}, {}),
        ({"a": 1}, {"zzz": 1}, {"a": "zzz"}),
        ({"a": 1}, {"zzz": 2}, {}),
        ({"start_date": 1, "end_date": 1}, {"since": 1, "end_dates": 1}, {"end_date": "end_dates"}),
        ({"from": 1, "until": 1}, {"from_": 1, "until_": 1}, {"from": "from_", "until": "until_"}),
        ({"ab": 1}, {"ab1": 1, "ab2": 1}, {}),
        ({"ab1": 1, "ab2": 1}, {"ab": 1}, {}),
        ({"Topic": 1, "x": 1}, {"topic": 1, "y": 1}, {"Topic": "topic"}),
        ({"topic": 1, "x": 1}, {"banana": 1, "y": 1}, {}),
        ({"a" * 65: 1, "b": 1}, {"a" * 66: 1, "c": 1}, {}),
        ({"ab": 1, "cd": 2}, {"ab_": 1, "cd_": 2}, {"ab": "ab_", "cd": "cd_"}),
    ],
)
def test_what_is_called_otherwise(
    gone: dict[str, int], come: dict[str, int], found: dict[str, str]
) -> None:
    assert renamed(gone, come) == found


def test_many_that_are_alike_are_not_told_apart() -> None:
    gone = {f"name_{n}": 1 for n in range(MOST + 1)}
    assert renamed(gone, {f"{name}x": 1 for name in gone}) == {}


def test_no_more_names_are_measured_than_there_is_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = 0
    real = renames.edit_distance

    def counting(one: str, other: str) -> int:
        nonlocal measured
        measured += len(one) * len(other)
        return real(one, other)

    monkeypatch.setattr(renames, "edit_distance", counting)
    monkeypatch.setattr(renames, "MOST_LETTERS", 100_000)
    gone = {f"n{n:07d}": n // MOST for n in range(2_400)}
    found = renamed(gone, {f"m{name[1:]}": kind for name, kind in gone.items()})
    assert 0 < measured <= 100_000
    # Those that were measured are found, whatever comes after them.
    assert len(found) % MOST == 0
    assert found["n" + "0" * 7] == "m" + "0" * 7
