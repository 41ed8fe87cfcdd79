"""Paths that lead out of a folder where no folder can be opened, as on Windows."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

if sys.platform != "linux":
    pytest.skip("the links are those of Linux", allow_module_level=True)

from tests.dryrun.isolation.test_gate import ESCAPES, escaping
from tests.dryrun.running.ground import Start

from skillstudio.dryrun.isolation import gate
from skillstudio.dryrun.isolation.gate import GateRefused
from skillstudio.files import beneath

LEXICAL = ".. behind a link"
"""Windows removes `..` with the name before it, whatever that is: this path stays inside there."""


@pytest.fixture(autouse=True)
def _no_handles(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (beneath, gate):
        monkeypatch.setattr(module, "has_folder_handles", lambda: False)


@pytest.fixture
def start(tmp_path: Path) -> Start:
    (tmp_path / "outside" / "inner").mkdir(parents=True)
    return Start(tmp_path)


@pytest.mark.parametrize("name", [name for name in ESCAPES if name != LEXICAL])
def test_a_path_that_leads_out_of_its_copy_is_refused(start: Start, name: str) -> None:
    path = escaping(start, name)
    with pytest.raises(GateRefused, match="leads out of its copy") as refusal:
        gate.check_path(path, start.ground)
    assert refusal.value.leaves
    with pytest.raises(GateRefused, match="leads out of its copy"):
        gate.check_process(["true", path], path, start.ground)


@pytest.mark.parametrize("folder", ["copy", "home", "tmp"])
def test_a_folder_of_the_run_that_became_a_link_is_refused(start: Start, folder: str) -> None:
    (start.folder / folder).rmdir()
    (start.folder / folder).symlink_to(start.folder / "outside")
    with pytest.raises(GateRefused, match="leads out of its copy"):
        gate.check_folders(start.ground)


def test_what_stays_inside_is_accepted(start: Start) -> None:
    (start.copy / "real").mkdir()
    (start.copy / "real" / "go").write_text("x")
    (start.copy / "link").symlink_to("real")
    original = start.ground.copies[0].original
    gate.check_process([f"{original}/link/go"], original, start.ground)
    handle = beneath.open_beneath(str(start.copy), "link/go", os.O_RDONLY)
    assert os.read(handle, 1) == b"x"
    os.close(handle)
    with pytest.raises(OSError, match="Too many levels") as refusal:
        beneath.open_beneath(str(start.copy), "link/go", os.O_RDONLY, links=False)
    assert beneath.leaves(refusal.value)
    with pytest.raises(FileNotFoundError):
        beneath.check_beneath(str(start.copy), "missing")


def test_a_folder_that_is_a_link_or_junction_is_refused(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    (start.folder / "alias").symlink_to(start.copy)
    with pytest.raises(OSError, match="Too many levels"):
        beneath.check_beneath(str(start.folder / "alias"), "")
    about = os.stat(start.copy)
    junction = SimpleNamespace(st_mode=about.st_mode, st_reparse_tag=0xA0000003)
    monkeypatch.setattr(beneath.os, "lstat", lambda _: junction)
    with pytest.raises(OSError, match="Too many levels") as refusal:
        beneath.check_beneath(str(start.copy), "")
    assert refusal.value.errno == errno.ELOOP
