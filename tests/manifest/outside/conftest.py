"""A dialect of another distribution, installed for one test."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
JOB = """\
format = 1
command = ["python3", "count.py", "{word}"]
effects = ["proc.exec", "fs.read"]
listed = []
programs = ["python3", "wc"]

[job]
id = "tools.count"
name = "count"
version = "1.0.0"
description = "Counts letters. Use when letters are to be counted."
priority = "low"

[needs]
"tools.base" = "1.0.0"

[inputs.word]
about = "What is counted"
required = true
"""
PROGRAM = """\
import sys
print(len(sys.argv[1]))
open("count.txt", "w").write(sys.argv[1])
"""
BASE = 'format = 1\n\n[job]\nid = "tools.base"\nname = "base"\nversion = "1.2.0"\n'


def forget() -> None:
    """Empty every cache of skillstudio, as a new process would have them."""
    for name in [each for each in sys.modules if each.partition(".")[0] == "jobfile"]:
        del sys.modules[name]
    for name, module in list(sys.modules.items()):
        if name.startswith("skillstudio."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that the dialect is installed in; a test may change its files first."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("jobfile", "jobfile-1.0.dist-info"):
        shutil.copytree(HERE / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    importlib.invalidate_caches()
    forget()
    yield folder
    forget()


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a job and the one that it needs, in which commands run."""
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    write(folder / "count")
    (folder / "base").mkdir()
    (folder / "base" / "job.toml").write_text(BASE)
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, old: str = "", new: str = "") -> Path:
    """Write the job, with one text of its manifest in the place of another."""
    (folder / "plans").mkdir(parents=True)
    assert old in JOB
    (folder / "job.toml").write_text(JOB.replace(old, new) if old else JOB)
    (folder / "count.py").write_text(PROGRAM)
    (folder / "plans" / "day.json").write_text('{"programs": ["wc"]}\n')
    return folder
