"""Which canaries are remembered, and when they run again."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from skillstudio.dryrun.isolation import remembered
from skillstudio.dryrun.isolation.host import CanaryResult, Host, this_host


@pytest.fixture
def host() -> Host:
    return this_host()._replace(python=os.path.realpath("/bin/sh"))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SKILLSTUDIO_CACHE_DIR", str(tmp_path))
    return tmp_path / "skillstudio" / "canaries.json"


def test_a_success_is_remembered_for_its_level(host: Host, file: Path) -> None:
    assert remembered.recall("isolated", host) is None
    remembered.remember("isolated", host, is_traced=True)
    remembered.remember("copy", host, is_traced=False)
    assert remembered.recall("isolated", host) == CanaryResult("", True)
    assert remembered.recall("copy", host) == CanaryResult("", False)
    assert remembered.recall("confined", host) is None
    assert os.listdir(file.parent) == [file.name]


def test_shells_with_other_search_paths_are_remembered_side_by_side(host: Host, file: Path) -> None:
    hosts = [host._replace(path=f"/bin:/{number}") for number in range(9)]
    for one in hosts:
        remembered.remember("isolated", one, is_traced=True)
    assert [remembered.recall("isolated", one) is not None for one in hosts] == [False, *[True] * 8]


def test_doctor_lets_them_run_again(host: Host, file: Path) -> None:
    remembered.remember("isolated", host, is_traced=True)
    remembered.forget()
    remembered.forget()
    assert remembered.recall("isolated", host) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"path": "/elsewhere"},
        {"landlock": 0},
        {"root": None},
        {"bwrap": "/bin/sh"},
        {"own_folders": ()},
    ],
    ids=str,
)
def test_another_machine_or_user_is_tried_anew(
    changed: dict[str, object], host: Host, file: Path
) -> None:
    remembered.remember("isolated", host, is_traced=True)
    assert remembered.recall("isolated", host._replace(**changed)) is None  # type: ignore[arg-type]


def test_another_program_of_the_same_name_is_tried_anew(
    host: Host, file: Path, tmp_path: Path
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("one")
    host = host._replace(bwrap=str(program))
    remembered.remember("isolated", host, is_traced=True)
    program.write_text("another")
    assert remembered.recall("isolated", host) is None


def test_other_rights_and_settings_are_tried_anew(
    host: Host, file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    setting = tmp_path / "ptrace_scope"
    setting.write_text("0")
    monkeypatch.setattr(remembered, "_SETTINGS", (str(setting),))
    remembered.remember("isolated", host, is_traced=True)
    assert remembered.recall("isolated", host) is not None
    setting.write_text("3")
    assert remembered.recall("isolated", host) is None


@pytest.mark.parametrize("age", [-60.0, 2 * 86_400.0])
def test_a_day_later_it_is_tried_anew(
    age: float, host: Host, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered.remember("isolated", host, is_traced=True)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + age)
    assert remembered.recall("isolated", host) is None


@pytest.mark.parametrize(
    "content", ["", "[]", '{"isolated": 1}', "\0", '{"isolated": {}}', '{"isolated": {"a": 1}}']
)
def test_a_file_that_makes_no_sense_is_ignored(content: str, host: Host, file: Path) -> None:
    file.parent.mkdir()
    file.write_text(content)
    assert remembered.recall("isolated", host) is None
    remembered.remember("isolated", host, is_traced=True)
    assert remembered.recall("isolated", host) is not None
    json.loads(file.read_text())


def test_without_a_place_nothing_is_remembered(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SKILLSTUDIO_CACHE_DIR", str(tmp_path / "file"))
    remembered.remember("isolated", host, is_traced=True)
    assert remembered.recall("isolated", host) is None
