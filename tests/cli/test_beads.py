"""The version of `bd`: asked for within bounds, and of no program that a workspace brings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.cli import beads
from skillstudio.cli.beads import beads_version

pytestmark = pytest.mark.skipif(os.name == "nt", reason="scripts with a #! line")


def install(folder: Path, script: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "bd"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ('test "$1" = --version && echo "bd version 0.35.0 (abc1234)"', "0.35.0"),
        ("echo 1.0.0-rc.1", "1.0.0-rc.1"),
        ("echo hello", ""),
        ("echo 0.35.0; exit 3", ""),
        ("printf '\\377\\000 0.35.0'", "0.35.0"),
        ("head -c 9999 /dev/zero; echo 0.35.0", ""),
        ("cat; echo 0.35.0", "0.35.0"),
    ],
)
def test_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, version: str
) -> None:
    tools = install(tmp_path / "tools", script)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert beads_version([str(tmp_path / "work")]) == version


def test_one_that_does_not_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its child keeps the output open after it was ended itself.
    tools = install(tmp_path / "tools", "sleep 3 & sleep 3")
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(beads, "TIMEOUT", 0.2)
    assert beads_version([]) == ""


def test_one_of_the_workspace_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, here, mark = tmp_path / "work", tmp_path / "here", tmp_path / "started"
    install(work / "bin", f"touch {mark}")
    install(here, f"touch {mark}")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "bd").symlink_to(work / "bin" / "bd")
    own = install(tmp_path / "tools", "echo 0.35.0")
    monkeypatch.chdir(here)
    before = [".", "", "bin", here, work / "bin", tmp_path / "links"]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, [*before, own, "/usr/bin", "/bin"])))
    assert beads_version([str(work)]) == "0.35.0"
    assert not mark.exists()
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, before)))
    assert beads_version([str(work)]) == ""
    assert not mark.exists()
