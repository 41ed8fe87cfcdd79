"""A survey reads `core.worktree` as git reads it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.repositories import needs_git

from skillstudio.dryrun.staging.survey import work_tree_setting

TEXTS = [
    ("", ""),
    ("[core]\n\tworktree = /a/b\n", "/a/b"),
    ("[core]\n\tbare = false\n[user]\n\tworktree = /a\n", ""),
    ('[core "x"]\nworktree = /a\n', ""),
    ("[CORE]\nWorkTree=/a\n", "/a"),
    ("[core] worktree = /a", "/a"),
    ("[user] [core] worktree = /a", "/a"),
    ('[core]\nworktree = "/a b # c" ; d\n', "/a b # c"),
    ("[core]\nworktree = /a b   # c\n", "/a b"),
    ("[core]\nworktree = /a\\\n/b\n", "/a/b"),
    ('[core]\nworktree = "/a\\\\b\\t"\n', "/a\\b\t"),
    ("[core]\nworktree = /a\nworktree = ../b\n", "../b"),
    ("[core]\r\nworktree = /a\r\n", "/a"),
    ("# [core]\n; worktree = /a\n", ""),
    ("[core]\n# worktree = /a\n", ""),
    ("\ufeff[core]\nworktree = /a\n", "/a"),
    ("[core]\nworktrees = /a\n", ""),
]


@pytest.mark.parametrize(("text", "value"), TEXTS)
def test_the_setting(tmp_path: Path, text: str, value: str) -> None:
    (tmp_path / "config").write_bytes(text.encode())
    assert work_tree_setting(str(tmp_path / "config")) == value


@needs_git
@pytest.mark.parametrize(("text", "value"), TEXTS)
def test_git_reads_the_same(tmp_path: Path, text: str, value: str) -> None:
    (tmp_path / "config").write_bytes(text.encode())
    said = subprocess.run(
        ["git", "config", "--file", "config", "--get", "core.worktree"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.stdout.removesuffix("\n") == value


def test_what_is_no_file_has_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "gone", "pipe/x"):
        assert work_tree_setting(str(tmp_path / name)) == ""
