"""Repositories made for a test, by the git that is installed."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))
}
PLAIN = """\
---
manifest_version: "1.0"
name: {name}
description: Says things. Use when things are said.
version: {version}
inputs:
  required:
    - name: topic
      schema: {{type: string, pattern: "{pattern}"}}
  optional: []
---
Say.
"""


def plain(name: str = "plain", version: str = "1.0.0", pattern: str = "^[a-z]+$") -> str:
    """The text of a SKILL.md with one input."""
    return PLAIN.format(name=name, version=version, pattern=pattern)


class Repo:
    """A repository with a work tree; each commit is a minute after the one before."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._minutes = 0
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, **more: str) -> str:
        when = f"{1_700_000_000 + 60 * self._minutes} +0000"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run(
            ["git", "-C", str(self.root), "-c", "core.autocrlf=false", *arguments],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **IDENTITY, **dates, **more},
        )
        return done.stdout.strip()

    def copied(self, root: Path) -> Repo:
        """The same at another place: what several tests begin with is committed once."""
        shutil.copytree(self.root, root, symlinks=True)
        made = copy.copy(self)
        made.root = root
        return made

    def write(self, files: dict[str, str | None]) -> None:
        """Write files; those whose text is None are taken away."""
        for name, text in files.items():
            path = self.root / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())

    def commit(self, files: dict[str, str | None], *tags: str) -> str:
        """Commit all that is there after writing some files; the commit's id."""
        self.write(files)
        self._minutes += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"commit {self._minutes}")
        for tag in tags:
            self.git("tag", tag)
        return self.git("rev-parse", "HEAD")

    def seen(self) -> dict[str, tuple[bytes, int]]:
        """Every file of the work tree with its bytes and when it was changed."""
        return {
            path.relative_to(self.root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.root).parts
        }
