"""Where outputs would lie, and what stands there before a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.preview.ahead import ExistingFile, ExpectedOutput, look_ahead


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out" / "deep").mkdir(parents=True)
    (tmp_path / "out" / "a.txt").write_text("four")
    (tmp_path / "out" / "b.txt").write_text("")
    (tmp_path / "out" / "deep" / "c.txt").write_text("c")
    (tmp_path / "out" / "a*[x].txt").write_text("odd")
    (tmp_path / "out" / "link").symlink_to("/etc/shadow")
    return tmp_path


CASES = [
    ("out/new.txt", "new", "out/new.txt", [], ""),
    ("none/at/all.txt", "new", "none/at/all.txt", [], ""),
    ("out/a.txt", "exists", "out/a.txt", [("out/a.txt", 4)], ""),
    ("out/a[*][[]x].txt", "exists", "out/a*[x].txt", [("out/a*[x].txt", 3)], ""),
    ("out/link", "link", "out/link", [], "a link to /etc/shadow"),
    ("out/deep", "taken", "out/deep", [], "a folder"),
    ("out/*.txt", "pattern", "out/*.txt",
     [("out/a*[x].txt", 3), ("out/a.txt", 4), ("out/b.txt", 0)], ""),
    ("out/**/c.txt", "pattern", "out/**/c.txt", [("out/deep/c.txt", 1)], ""),
    ("nowhere/*.txt", "pattern", "nowhere/*.txt", [], ""),
    ("", "unknown", "", [], "no value"),
]  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not have")
@pytest.mark.parametrize(("path", "state", "shown", "existing", "why"), CASES)
def test_an_output_before_a_run(
    folder: Path, path: str, state: str, shown: str, existing: list[tuple[str, int]], why: str
) -> None:
    wanted = ExpectedOutput(
        "{{p}}", path, str(folder), "repo_root", why="no value" if not path else ""
    )
    (found,) = look_ahead([wanted])
    assert (found.state, found.path, found.why) == (state, shown, why)
    assert sorted(found.existing) == [ExistingFile(*each) for each in existing]
    assert (found.pattern, found.base, found.folder) == ("{{p}}", "repo_root", str(folder))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    outputs = [ExpectedOutput("a", path, str(tmp_path / "none"), "cwd") for path in ("a", "*.txt")]
    assert [each.state for each in look_ahead(outputs)] == ["new", "pattern"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without FIFOs")
def test_a_pipe_in_the_place_of_an_output_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    (found,) = look_ahead([ExpectedOutput("a", "a.txt", str(tmp_path), "repo_root")])
    assert (found.state, found.why) == ("taken", "a pipe (FIFO)")
