"""`skillstudio preview --run`: the table of what a run changed, and each file of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import front_skill, offered
from tests.repositories import Repo, needs_git

from skillstudio.dryrun.traces.store import RunStore, default_folder

HEAD = """\
version: 1.0.0
env: {required: [], optional: [{name: KEY, description: k, sensitive: true}]}
outputs: {files: [{pattern: "docs/*.md", base: repo_root}], artifacts: []}
"""
SCRIPT = r"""#!/bin/sh
cd "$1"
mkdir -p docs
printf '# Said\n\nTea, *again*.\n' > docs/said.md
printf 'one\ntwo\n' > notes.txt
printf 'a\0b' > raw.bin
printf 'x' > "$(printf 'line\nbreak\033[31m')"
printf 'name: \377\376 \033]0;title\007\n' > broken.txt
printf 'the key is %s\n' "$KEY" > key.txt
ln -s /etc/shadow shadow
mkfifo pipe
rm old.txt
mkdir many
i=0; while [ $i -lt 300 ]; do : > "many/$i"; i=$((i + 1)); done
"""
SECRET = "open-sesame-4711"
FILES = ["broken.txt", "docs/said.md", "key.txt", "line\nbreak\x1b[31m", "pipe", "raw.bin",
         "shadow", "notes.txt", "old.txt"]  # fmt: skip

pytestmark = needs_git


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = Repo(tmp_path / "work")
    repo.commit({"notes.txt": "one\n", "old.txt": "old\n"})
    monkeypatch.chdir(repo.root)
    return repo


Kept = Callable[..., str]


@pytest.fixture
def kept(run: Run, work: Repo, tmp_path: Path) -> Kept:
    """Run the script, and say the run's id."""

    def once(*options: str) -> str:
        skill = front_skill(tmp_path / "tool", HEAD, SCRIPT)
        (tmp_path / "key").write_text(SECRET)
        ran = run("run", skill, "scripts/go.sh", "--secret", f"KEY=@{tmp_path / 'key'}",
                  "--isolation", offered("copy"), "--yes", *options, "--format", "json", "--",
                  work.root)  # fmt: skip
        assert ran.json["exit_code"] == 0, ran.json
        return RunStore(default_folder()).all()[0].run

    return once


def shown(run: Run, *words: str) -> str:
    ran = run("preview", "--run", "last", *words)
    assert ran.status == 0, ran.err
    assert "\x1b" not in ran.out + ran.err
    return ran.out


@pytest.mark.slow
def test_every_change_has_a_line(run: Run, kept: Kept) -> None:
    id = kept()
    ran = run("preview", "--run", "last")
    lines = ran.out.splitlines()
    assert lines[0].startswith("tool scripts/go.sh  exit 0, ")
    assert lines[0].endswith(f" s · {id}")
    assert lines[1:9] == [
        "+307 ~1 -1 · 305 undeclared",
        "+ broken.txt       20  binary  undeclared  workspace",
        "+ key.txt          28  text    undeclared  workspace",
        "    it contains a sensitive value, so it is not recorded",
        "+ line␊break␛[31m   1  text    undeclared  workspace",
        "+ many/0            0  text    undeclared  workspace",
        "+ many/1            0  text    undeclared  workspace",
        "+ many/10           0  text    undeclared  workspace",
    ]
    assert ran.err == "lines 1 to 200 of 309; --lines A:B shows others\n"
    last = shown(run, "--lines", "306:").splitlines()[2:]
    assert [line.split()[:2] for line in last] == [
        ["+", "docs/said.md"], ["+", "pipe"], ["a", "pipe"], ["+", "shadow"], ["-", "old.txt"]
    ]  # fmt: skip
    assert run("preview", "--run", "last", "--lines", "999:").err == (
        "there is no line 999; the last one is 309\n"
    )


@pytest.mark.slow
def test_the_changes_for_programs(run: Run, kept: Kept, work: Repo) -> None:
    id = kept()
    value: Any = run("preview", "--run", id[:-2], "--format", "json").json
    told = ("run", "skill", "operation", "ok", "verdict", "counts", "undeclared")
    assert {key: value[key] for key in told} == {
        "run": id, "skill": "tool", "operation": "scripts/go.sh", "ok": False,
        "verdict": "not as declared",
        "counts": {"added": 307, "modified": 1, "removed": 1}, "undeclared": 305,
    }  # fmt: skip
    files = {each["path"]: each for each in value["files"]}
    assert [path for path in files if not path.startswith("many/")] == FILES
    assert files["docs/said.md"] == {
        "change": "added", "path": "docs/said.md", "root": "workspace", "size": 22,
        "kind": "markdown", "pattern": "docs/*.md", "kept": True, "why": None,
        "file": os.path.realpath(work.root / "docs/said.md"),
    }  # fmt: skip
    unkept = [path for path, each in files.items() if not each["kept"]]
    assert unkept == ["key.txt", "pipe"]
    assert files["key.txt"]["why"] == "it contains a sensitive value, so it is not recorded"


VIEWS = [
    (["docs/said.md"], ["# Said", "", "Tea, again."]),
    (["docs/said.md", "--view", "raw"], ["# Said", "", "Tea, *again*."]),
    (["notes.txt", "--diff"],
     ["+1 -0", "--- notes.txt", "+++ notes.txt", "@@ -1 +1,2 @@", " one", "+two"]),
    (["notes.txt", "--view", "diff", "--lines", "6:"], ["+two"]),
    (["old.txt"], ["old"]),
    (["old.txt", "--diff"], ["+0 -1", "--- old.txt", "+++ nothing", "@@ -1 +0,0 @@", "-old"]),
    (["raw.bin", "--view", "hex"], [f"00000000  61 00 62{' ' * 42}a·b"]),
    (["key.txt"], ["it contains a sensitive value, so it is not recorded"]),
    (["key.txt", "--diff"], ["it contains a sensitive value, so it is not recorded"]),
    (["pipe"], ["a pipe (FIFO): it has no content to show and is never applied"]),
    (["pipe", "--diff"], ["a pipe (FIFO): it has no content to show and is never applied"]),
    (["shadow"], ["a link to /etc/shadow"]),
    (["shadow", "--diff"], ["- nothing", "+ a link to /etc/shadow"]),
    (["line\nbreak\x1b[31m"], ["x"]),
]  # fmt: skip


@pytest.mark.slow
def test_each_file_can_be_looked_at(run: Run, kept: Kept) -> None:
    kept()
    for words, lines in VIEWS:
        assert shown(run, *words).splitlines() == lines, words
    assert "name: " in shown(run, "broken.txt")
    value = run("preview", "--run", "last", "notes.txt", "--diff", "--format", "json").json
    assert (value["path"], value["view"], value["kind"]) == ("notes.txt", "diff", "diff")
    assert value["lines"][-1] == "+two"


@pytest.mark.slow
def test_a_difference_is_to_what_is_there_now(run: Run, kept: Kept, work: Repo) -> None:
    kept()
    (work.root / "notes.txt").write_text("mine\n")
    assert shown(run, "notes.txt", "--diff").splitlines()[-3:] == ["-mine", "+one", "+two"]
    (work.root / "notes.txt").unlink()
    assert shown(run, "notes.txt", "--diff").splitlines()[1] == "--- nothing"


@pytest.mark.slow
def test_a_path_is_told_as_the_table_does_or_from_here(
    run: Run, kept: Kept, work: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept()
    (work.root / "docs").mkdir()
    monkeypatch.chdir(work.root / "docs")
    for path in ("docs/said.md", "said.md", str(work.root / "docs" / "said.md")):
        assert shown(run, path).startswith("# Said\n")
    for path in ("docs", "docs/", str(work.root / "docs")):
        assert shown(run, path).splitlines()[1:] == [
            "1 of 309 changes", "+ docs/said.md  22  markdown  docs/*.md  workspace"
        ]  # fmt: skip


@pytest.mark.slow
def test_no_sensitive_value_is_kept_or_shown(run: Run, kept: Kept) -> None:
    kept()
    for folder, _, names in os.walk(os.path.dirname(default_folder())):
        for name in names:
            data = Path(folder, name).read_bytes()
            assert SECRET.encode() not in data, name
    texts = [shown(run, path, "--view", how) for path in FILES
             for how in ("preview", "diff", "raw", "hex")]  # fmt: skip
    assert SECRET not in "".join([*texts, shown(run), shown(run, "--format", "json")])


@pytest.mark.slow
def test_a_run_without_files_says_why(run: Run, kept: Kept, tmp_path: Path) -> None:
    kept("--trace", "aggressive")
    ran = run("preview", "--run", "last", "--lines", "1:1")
    assert ran.status == 0
    assert "no files of this run are recorded" in ran.err
    file = tmp_path / "given.json"
    assert run("trace", "export", "last", "-o", file).status == 0
    ran = run("preview", "--run", file, "--lines", "1:1")
    assert (ran.status, ran.err) == (0, "a trace file contains no files, only their descriptions\n")
    assert len(ran.out.splitlines()) >= 3


WRONG = [
    (["--run", "none"], "no run is recorded yet"),
    (["--run", "last", "nope"], "the run did not change nope"),
    (["--run", "last", "--diff"], "--diff is for a file of the run; name one PATH"),
    (["--run", "last", "docs", "--view", "raw"], "--view is for a file of the run"),
    (["--run", "last", "--card"], "--run and --card cannot be combined"),
    (["--run", "last", "a", "b"], "--run and OPERATION cannot be combined"),
    (["--run", "last", "-i", "a=b"], "--run and -i cannot be combined"),
    (["--run", "last", "--lines", "x"], "--lines needs A:B"),
    (["notes.txt", "--diff"], "--diff needs a file of a run; name the run with --run RUN"),
    ([".", "--diff"], "--diff is for a file, and . is a folder"),
    ([], "missing PATH"),
]


@pytest.mark.slow
def test_wrong_use_is_said(run: Run, kept: Kept) -> None:
    for number, (words, message) in enumerate(WRONG):
        if number == 1:
            kept()
        ran = run("preview", *words)
        assert (ran.status, ran.out) == (2, ""), words
        assert message in ran.err, words
