"""Python's collector of garbage: left to who calls a command, and off in a command's process."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from skillstudio.cli import workers
from skillstudio.cli.main import main

Skill = Callable[..., Path]


@pytest.fixture(autouse=True, scope="module")
def _collector() -> Iterator[None]:
    """What these tests make of the collector ends with them."""
    yield
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("enabled", [True, False])
def test_who_calls_a_command_keeps_the_collector_as_it_was(
    run: Run, skill: Skill, enabled: bool
) -> None:
    folder = skill()
    gc.unfreeze()
    (gc.enable if enabled else gc.disable)()
    assert run("check", folder).status == 0
    assert gc.isenabled() is enabled
    assert gc.get_freeze_count() == 0


def test_the_process_of_a_command_collects_nothing(
    skill: Skill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["skillstudio", "check", str(skill())])
    gc.unfreeze()
    assert main() == 0
    assert not gc.isenabled()
    assert gc.get_freeze_count() > 0


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("frozen", [True, False])
def test_checking_in_many_processes_leaves_the_collector_as_it_was(
    enabled: bool, frozen: bool
) -> None:
    (gc.freeze if frozen else gc.unfreeze)()
    (gc.enable if enabled else gc.disable)()
    with workers._existing_objects_frozen():
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    assert gc.isenabled() is enabled
    assert (gc.get_freeze_count() > 0) is frozen
