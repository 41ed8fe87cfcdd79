"""The umask is read, also without /proc, and stays as it is."""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterator
from typing import Any

import pytest

from skillstudio.files.saving.umask import current_umask

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there is no umask")


@pytest.fixture(params=[0o022, 0o077, 0])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_the_umask_is_read(umask: int) -> None:
    assert current_umask() == umask


def test_the_umask_is_read_without_proc(umask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any, **_named: Any) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(builtins, "open", refuse)
    value = current_umask()
    monkeypatch.undo()
    assert (value, current_umask()) == (umask, umask)
