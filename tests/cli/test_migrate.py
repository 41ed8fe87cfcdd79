"""`skillstudio migrate` as a user runs it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.scaffold.conversion.test_migrate import ROUTER


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    skill = tmp_path / "notes"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts" / "n.sh").write_text("#!/bin/sh\n")
    (skill / "SKILL.md").write_bytes(ROUTER.encode())
    return skill


def test_the_file_is_changed_and_the_report_printed(run: Run, notes: Path) -> None:
    ran = run("migrate", notes)
    assert ran.status == 0
    assert "/entrypoints/note.find/unix/* → /operations/find/entrypoints/unix/*" in ran.out
    assert "added: " in ran.out
    assert "router-manifest-1 to skill-manifest-2.0" in ran.err
    assert "5 values contain TODO" in ran.err
    assert "```skill-manifest\n" in (notes / "SKILL.md").read_text()
    again = run("migrate", notes)
    assert (again.status, again.out) == (0, "")
    assert "latest version" in again.err


def test_diff_shows_and_does_not_write(run: Run, notes: Path) -> None:
    ran = run("migrate", notes, "--diff")
    assert ran.status == 0
    assert "-```router-manifest\n+```skill-manifest\n" in ran.out
    assert (notes / "SKILL.md").read_bytes() == ROUTER.encode()


def test_json_is_the_report(run: Run, notes: Path) -> None:
    ran = run("migrate", notes, "--format", "json", "--diff")
    assert list(ran.json) == ["carried", "changed", "lost", "invented"]
    assert "/id" in ran.json["carried"]
    assert set(ran.json["changed"][0]) == {"pointer", "how"}
    assert set(ran.json["lost"][0]) == {"pointer", "why"}
    assert set(ran.json["invented"][0]) == {"pointer", "what", "why"}
    assert (notes / "SKILL.md").read_bytes() == ROUTER.encode()


def test_json_of_what_is_not_old_carries_all(run: Run, notes: Path) -> None:
    (notes / "SKILL.md").write_text("---\nname: notes\ndescription: Finds.\n---\n")
    ran = run("migrate", notes, "--format", "json")
    assert ran.json["carried"] == ["/name", "/description"]
    assert (ran.json["changed"], ran.json["lost"], ran.json["invented"]) == ([], [], [])


def test_syntax_errors_are_named_with_their_place(run: Run, notes: Path) -> None:
    (notes / "SKILL.md").write_text(ROUTER.replace('"effects":', '"effects"'))
    ran = run("migrate", notes)
    assert ran.status == 2
    assert f"{notes}/SKILL.md:12:" in ran.err
    assert "fix this before the skill can be migrated" in ran.err


def test_a_refusal_says_why(run: Run, notes: Path) -> None:
    with (notes / "SKILL.md").open("a") as file:
        file.write("\n```skill-manifest\n{}\n```\n")
    ran = run("migrate", notes)
    assert ran.status == 1
    assert "remove one of them" in ran.err


def test_on_a_full_disk_nothing_is_said_to_be_done(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(notes.rglob("*"))
    ran = run("migrate", notes, "--format", "json")
    assert (ran.status, ran.result) == (1, "")
    assert f"{notes}/SKILL.md: No space left on device" in ran.err
    assert sorted(notes.rglob("*")) == before
    assert (notes / "SKILL.md").read_bytes() == ROUTER.encode()


def test_a_path_must_be_one_skill(run: Run, notes: Path, tmp_path: Path) -> None:
    assert run("migrate", tmp_path / "nowhere").status == 2
    (tmp_path / "empty").mkdir()
    assert run("migrate", tmp_path / "empty").status == 2
