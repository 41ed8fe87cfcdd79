"""`skillstudio apply`, `run --apply`, `run --patch`: what a run changed comes into real folders."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.commands import Ran
from tests.dryrun.skills import block_skill, offered
from tests.repositories import Repo, needs_git

from skillstudio.dryrun.traces.store import default_folder as runs_folder
from skillstudio.files.state import state_folder

SCRIPT = """\
cd "$2"
mkdir -p docs/new
printf '%s\\n' "$1" > docs/new/said.txt
printf 'more\\r\\n' >> notes.md
printf 'a\\0b' > raw.bin
rm old.txt
chmod 755 tool.sh
ln -s notes.md latest
[ "$1" != bad ] || exit 3
"""
Go = Callable[..., Ran]
CHANGED = {"docs/new/said.txt", "notes.md", "raw.bin", "old.txt", "tool.sh", "latest"}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = Repo(tmp_path / "work")
    repo.commit({"notes.md": "one\n", "old.txt": "old\n", "tool.sh": "#!/bin/sh\n"})
    for name in ("notes.md", "old.txt", "tool.sh"):
        (repo.root / name).chmod(0o644)
    monkeypatch.chdir(repo.root)
    return repo


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    offered("copy")
    return block_skill(
        tmp_path / "tool",
        SCRIPT,
        inputs={
            "word": {"type": "string", "required": True},
            "where": {"type": "string", "required": True},
        },
    )


@pytest.fixture
def go(run: Run, tool: Path, work: Repo, tmp_path: Path) -> Go:
    def once(word: str = "tea", *options: str | Path) -> Ran:
        inputs = ("-i", f"word={word}", "-i", f"where={work.root}")
        return run("run", tool, "go", *inputs, "--isolation", offered("isolated"), *options)

    return once


pytestmark = needs_git


def test_a_kept_run_is_applied(run: Run, go: Go, work: Repo) -> None:
    ran = go()
    assert ran.status == 0, ran.out
    assert work.git("status", "--porcelain") == ""
    ran = run("apply", "last", "--check")
    assert (ran.status, ran.out.splitlines()[-1]) == (0, "6 changes would be applied")
    assert work.git("status", "--porcelain") == ""
    ran = run("apply", "last")
    assert ran.status == 0
    assert set(ran.out.splitlines()) == {
        "+ docs/new/said.txt", "~ notes.md", "+ raw.bin", "- old.txt", "~ tool.sh", "+ latest",
        "6 changes applied",
    }  # fmt: skip
    assert (work.root / "notes.md").read_bytes() == b"one\nmore\r\n"
    assert (work.root / "docs/new/said.txt").read_text() == "tea\n"
    assert os.readlink(work.root / "latest") == "notes.md"
    assert stat.S_IMODE((work.root / "tool.sh").stat().st_mode) == 0o755
    assert not (work.root / "old.txt").exists()
    changed = work.git("status", "--porcelain", "--untracked-files=all").splitlines()
    assert {line.split()[-1] for line in changed} == CHANGED


def test_what_changed_since_is_a_conflict_and_stays(run: Run, go: Go, work: Repo) -> None:
    go()
    (work.root / "notes.md").write_text("mine\n")
    before = work.seen()
    ran = run("apply", "last")
    assert ran.status == 1
    assert "conflict notes.md has changed since the run began" in ran.out
    assert ran.out.endswith("nothing is applied\n")
    assert work.seen() == before
    value = run("apply", "last", "--format", "json").json
    assert [each["path"] for each in value["conflicts"]] == ["notes.md"]
    assert value["applied"] == []
    # What is not in conflict can be chosen.
    value = run("apply", "last", "docs", "old.txt", "--format", "json").json
    assert [(each["path"], each["change"]) for each in value["applied"]] == [
        ("docs/new/said.txt", "added"), ("old.txt", "removed")
    ]  # fmt: skip
    assert (work.root / "notes.md").read_text() == "mine\n"


def test_what_was_applied_is_not_applied_again(run: Run, go: Go, work: Repo) -> None:
    go()
    run("apply", "last", "docs", "tool.sh")
    ran = run("apply", "last", "--check")
    assert ran.out.splitlines()[-2:] == ["4 changes would be applied", "2 changes already applied"]
    value = run("apply", "last", "--format", "json").json
    assert [each["path"] for each in value["already"]] == ["docs/new/said.txt", "tool.sh"]
    assert {each["path"] for each in value["applied"]} == CHANGED - {"docs/new/said.txt", "tool.sh"}
    before = work.seen()
    ran = run("apply", "last")
    assert (ran.status, ran.out) == (0, "6 changes already applied\n")
    assert work.seen() == before


JSON = {
    "run": str, "skill": dict, "workspace": str, "applied": list, "already": list,
    "checked_only": bool, "conflicts": list, "left": list,
    "error": type(None), "patch": type(None), "patches": list, "notes": list,
}  # fmt: skip


def test_json_has_all_that_the_page_tells_of(run: Run, go: Go, work: Repo) -> None:
    go()
    page = (Path(__file__).parents[2] / "docs/apply.md").read_text()
    told = page[page.index("`--format json`: `run`, `skill`, `workspace`, `applied`") :]
    for options in (("--check",), (), ()):
        value = run("apply", "last", *options, "--format", "json").json
        assert {name: type(each) for name, each in value.items()} == JSON
        assert all(f"`{name}`" in told for name in value)
        for each in (*value["applied"], *value["already"]):
            assert each.keys() == {"root", "path", "change", "file"}


def test_conflicts_without_end_are_counted(run: Run, tmp_path: Path, work: Repo) -> None:
    tool = block_skill(
        tmp_path / "tool",
        'cd "$1" && for n in $(seq 50); do echo x > $n; done\n',
        inputs={"where": {"type": "string", "required": True}},
    )
    run("run", tool, "go", "-i", f"where={work.root}", "--isolation", offered("isolated"))
    for number in range(1, 51):
        (work.root / str(number)).write_text("mine")
    lines = run("apply", "last").out.splitlines()
    assert len(lines) == 42
    assert lines[-2:] == ["and 10 more conflicts", "nothing is applied"]
    assert len(run("apply", "last", "--format", "json").json["conflicts"]) == 50


def test_a_path_is_told_as_reports_do_or_from_here(
    run: Run, go: Go, work: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    go()
    (work.root / "sub").mkdir()
    monkeypatch.chdir(work.root / "sub")
    for path in ("raw.bin", "../raw.bin", str(work.root / "raw.bin")):
        assert run("apply", "last", "--check", path).out.splitlines() == [
            "+ ../raw.bin", "1 change would be applied"
        ]  # fmt: skip
    ran = run("apply", "last", "raw.bim")
    assert (ran.status, ran.out) == (2, "")
    assert "raw.bim: the run did not change it" in ran.err


def test_a_run_that_went_well_is_applied_at_once(go: Go, work: Repo) -> None:
    ran = go("tea", "--apply", "--format", "json", "--trace", "off")
    assert ran.status == 0
    assert {each["path"] for each in ran.json["apply"]["applied"]} == CHANGED
    assert (work.root / "raw.bin").read_bytes() == b"a\0b"


def test_a_run_that_failed_is_not(run: Run, go: Go, work: Repo) -> None:
    before = work.seen()
    ran = go("bad", "--apply")
    assert ran.status == 1
    assert "nothing is applied, because the run did not succeed" in ran.out
    assert work.seen() == before
    assert run("apply", "last").status == 0
    assert (work.root / "docs/new/said.txt").read_text() == "bad\n"


def test_the_patch_makes_the_same_tree(go: Go, run: Run, work: Repo, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", work.root, clone], check=True)
    patch = tmp_path / "run.patch"
    ran = go("tea", "--patch", patch, "--apply")
    assert ran.status == 0
    assert f"wrote {patch}" in ran.out
    subprocess.run(["git", "-C", clone, "apply", str(patch)], check=True)
    work.git("add", "-A")
    wanted = work.git("write-tree")
    subprocess.run(["git", "-C", clone, "add", "-A"], check=True)
    made = subprocess.run(
        ["git", "-C", clone, "write-tree"], check=True, capture_output=True, text=True
    )
    assert made.stdout.strip() == wanted


def test_a_patch_alone_changes_nothing(go: Go, work: Repo, tmp_path: Path) -> None:
    ran = go("tea", "--patch", tmp_path / "p")
    assert ran.status == 0
    assert work.git("status", "--porcelain") == ""
    first, second, third, *_ = (tmp_path / "p").read_bytes().splitlines()
    assert first.startswith(b"# skillstudio patch of run ")
    assert b"# Paths are relative to the root of the git repository " in second
    assert third.startswith(b"diff --git a/docs/new/said.txt ")
    assert stat.S_IMODE((tmp_path / "p").stat().st_mode) == 0o600
    ran = go("tea", "--patch", tmp_path / "none" / "p", "--apply")
    assert ran.status == 1
    assert "cannot write the patch" in ran.out
    assert work.git("status", "--porcelain") == ""


def test_a_patch_of_a_kept_run(run: Run, go: Go, work: Repo, tmp_path: Path) -> None:
    (tmp_path / "later").write_text("older")
    (tmp_path / "later").chmod(0o644)
    go("tea", "--patch", tmp_path / "at-once")
    ran = run("apply", "last", "--patch", tmp_path / "later")
    assert (ran.status, ran.out) == (0, f"wrote {tmp_path}/later\n")
    assert (tmp_path / "later").read_bytes() == (tmp_path / "at-once").read_bytes()
    assert stat.S_IMODE((tmp_path / "later").stat().st_mode) == 0o600
    assert f"later: paths are relative to the git root {work.root}\n" in ran.err
    assert work.git("status", "--porcelain") == ""
    run("apply", "last", "docs", "--patch", tmp_path / "docs")
    assert (tmp_path / "docs").read_bytes().count(b"diff --git") == 1
    assert run("apply", "last", "--check", "--patch", tmp_path / "none").status == 2


def test_each_root_has_a_patch_of_its_own(run: Run, tmp_path: Path, work: Repo) -> None:
    tool = block_skill(
        tmp_path / "tool",
        'echo x > seen && echo x > "$1/made"\n',
        inputs={"where": {"type": "string", "required": True}},
    )
    isolation = ("--isolation", offered("isolated"))
    options = ("-i", f"where={work.root}", *isolation, "--patch", tmp_path / "p.diff")
    ran = run("run", tool, "go", *options)
    assert ran.status == 0
    assert not (tmp_path / "p.diff").exists()
    for root, path in (("work", b"made"), ("tool", b"seen")):
        file = tmp_path / f"p-{root}.diff"
        assert f"wrote {file}" in ran.out
        assert b"+++ b/%s\n" % path in file.read_bytes()
        assert file.read_bytes().count(b"diff --git") == 1
    value = run("apply", "last", "--patch", tmp_path / "p.diff", "--format", "json").json
    assert value["patches"] == [
        {"file": str(tmp_path / f"p-{name}.diff"), "root": str(tmp_path / name)}
        for name in ("tool", "work")
    ]
    # A file that nobody named and that is no patch of ours stays.
    (tmp_path / "p-tool.diff").write_text("mine\n")
    ran = run("run", tool, "go", *options)
    assert ran.status == 1
    assert f"{tmp_path}/tool and {tmp_path}/work" in ran.out
    assert (tmp_path / "p-tool.diff").read_text() == "mine\n"
    assert run("apply", "last", "seen", "--patch", tmp_path / "p").status == 0
    assert b"+++ b/seen\n" in (tmp_path / "p").read_bytes()
    ran = run("apply", "last")
    assert ran.out.endswith("2 changes applied\n")
    assert (tool / "seen").exists()
    assert (work.root / "made").exists()


def test_a_patch_of_a_skill_in_a_folder_leaves_its_namesake(run: Run, work: Repo) -> None:
    offered("copy")
    tool = block_skill(work.root / "skills/gamma", "echo 'mode: new' > config.yml\n")
    (tool / "config.yml").write_text("mode: old\n")
    work.commit({"config.yml": "mode: old\n"})
    ran = run("run", tool, "go", "--isolation", "copy", "--patch", work.root / "g.patch")
    assert ran.status == 0, ran.out
    work.git("apply", "g.patch")
    assert work.git("status", "--porcelain", "-uno").split() == ["M", "skills/gamma/config.yml"]


def test_a_patch_with_a_sensitive_value_is_refused(run: Run, tmp_path: Path, work: Repo) -> None:
    tool = block_skill(
        tmp_path / "tool",
        'cd "$2" && printf %s "$1" > key.txt && echo fine > fine.txt\n'
        'printf "nothing\\n" > old.key\n',
        inputs={
            "key": {"type": "string", "required": True, "sensitive": True},
            "where": {"type": "string", "required": True},
        },
    )
    work.commit({"old.key": "correct-horse-battery\n"})
    (tmp_path / "secret").write_text("correct-horse-battery")
    file = tmp_path / "p"
    options = (
        tool, "go", "--secret", f"key=@{tmp_path}/secret", "-i", f"where={work.root}",
        "--isolation", offered("isolated"), "--trace", "standard", "--patch", file, "--anyway",
    )  # fmt: skip
    for first in (("run", *options), ("apply", "last", "--patch", file)):
        ran = run(*first)
        assert ran.status == 1
        assert "key.txt contains a sensitive value" in ran.out
        assert not file.exists()
        ran = run(*first, "--skip-sensitive")
        assert ran.status == 0
        assert b"correct-horse" not in file.read_bytes()
        assert file.read_bytes().count(b"diff --git") == 1
        assert "left out: key.txt contains a sensitive value" in ran.err
        assert "left out: old.key" in ran.err
        file.unlink()
    assert "old.key held a sensitive value" in run("apply", "last", "old.key", "--patch", file).out


def test_what_git_did_in_a_run_is_left_to_git(run: Run, tmp_path: Path, work: Repo) -> None:
    tool = block_skill(
        tmp_path / "tool",
        'cd "$1" && echo x > made && mkdir -p .git/hooks && echo evil > .git/hooks/post-commit\n',
        inputs={"where": {"type": "string", "required": True}},
    )
    isolation = ("--isolation", offered("isolated"))
    ran = run("run", tool, "go", "-i", f"where={work.root}", *isolation, "--patch", tmp_path / "p")
    assert "files in .git" in ran.err
    assert b"evil" not in (tmp_path / "p").read_bytes()
    ran = run("apply", "last")
    assert ran.out == "+ made\n1 change applied\n"
    assert "not applied: files in .git (" in ran.err
    assert not (work.root / ".git/hooks/post-commit").exists()


def test_what_a_run_leaves_at_home_is_told(run: Run, tmp_path: Path, work: Repo) -> None:
    tool = block_skill(tmp_path / "tool", 'echo x > "$HOME/made"\n')
    ran = run("run", tool, "go", "--isolation", offered("isolated"), "--apply")
    told = "not applied: files in the home folder (1 changed)"
    assert ran.out.splitlines()[-1] == "0 changes applied"
    assert told in ran.err
    assert told in run("apply", "last").err
    assert not (Path.home() / "made").exists()


def test_compressed_files_are_searched_or_not_kept(run: Run, tmp_path: Path, work: Repo) -> None:
    script = (
        "import gzip, os, sys\n"
        "key, where = sys.argv[1:]\n"
        "os.chdir(where)\n"
        "open('key.gz', 'wb').write(gzip.compress(key.encode()))\n"
        "open('key.bin', 'wb').write(key.encode('utf-16'))\n"
        "open('fine.gz', 'wb').write(gzip.compress(b'fine'))\n"
        "open('odd.7z', 'wb').write(bytes.fromhex('377abcaf271c0004') + bytes(20))\n"
    )
    tool = block_skill(
        tmp_path / "tool", script, interpreter="python3",
        inputs={
            "key": {"type": "string", "required": True, "sensitive": True},
            "where": {"type": "string", "required": True},
        },
    )  # fmt: skip
    (tmp_path / "secret").write_text("correct-horse-battery")
    told = {
        "key.gz": "contains a sensitive value, so it is not recorded",
        "key.bin": "contains a sensitive value, so it is not recorded",
        "odd.7z": "cannot be searched for sensitive values (7z), so it is not recorded",
    }
    ran = run(
        "run", tool, "go", "--secret", f"key=@{tmp_path}/secret", "-i", f"where={work.root}",
        "--isolation", offered("isolated"), "--trace", "standard", "--anyway",
    )  # fmt: skip
    for path, why in told.items():
        why = why.removesuffix(", so it is not recorded")
        assert f"not recorded: {path} {why}\n" in ran.err
    value = run("apply", "last", "--format", "json").json
    assert [each["path"] for each in value["applied"]] == ["fine.gz"]
    assert {each["path"]: each["why"] for each in value["left"]} == told


def test_sensitive_values_are_not_kept(run: Run, tmp_path: Path, work: Repo) -> None:
    tool = block_skill(
        tmp_path / "tool",
        'cd "$2" && printf %s "$1" > key.txt && echo fine > fine.txt && touch "x$1"\n',
        inputs={
            "key": {"type": "string", "required": True, "sensitive": True},
            "where": {"type": "string", "required": True},
        },
    )
    (tmp_path / "secret").write_text("correct-horse-battery")
    run(
        "run", tool, "go", "--secret", f"key=@{tmp_path}/secret", "-i", f"where={work.root}",
        "--isolation", offered("isolated"), "--trace", "standard", "--anyway",
    )  # fmt: skip
    stored = b"".join(p.read_bytes() for p in Path(runs_folder()).rglob("*") if p.is_file())
    assert b"correct-horse" not in stored
    assert not [p for p in Path(runs_folder()).rglob("*") if "correct-horse" in str(p)]
    ran = run("apply", "last", "--format", "json")
    assert [each["path"] for each in ran.json["applied"]] == ["fine.txt"]
    assert {each["path"]: each["why"] for each in ran.json["left"]} == {
        "key.txt": "contains a sensitive value, so it is not recorded",
        "": "paths that contain a sensitive value (1)",
    }
    assert "key.txt: it contains a sensitive value" in run("apply", "last", "key.txt").err


def test_a_run_without_files_says_how_else(run: Run, go: Go) -> None:
    assert run("apply", "last").status == 2
    go("tea", "--trace", "aggressive")
    ran = run("apply", "last")
    assert ran.status == 2
    assert "no files of this run are recorded" in ran.err


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 2}', '{"version": 1}'])
def test_a_list_of_changes_that_is_none(run: Run, go: Go, content: str) -> None:
    go()
    [folder] = Path(runs_folder()).iterdir()
    (folder / "changes.json").write_text(content)
    ran = run("apply", "last")
    assert (ran.status, ran.out) == (2, "")


def test_kept_bytes_that_were_changed_are_not_applied(run: Run, go: Go, work: Repo) -> None:
    go()
    [folder] = Path(runs_folder()).iterdir()
    (folder / "files/workspace/raw.bin").write_bytes(b"A\0B")
    before = work.seen()
    ran = run("apply", "last")
    assert ran.status == 1
    assert "nothing was applied" in ran.out
    assert work.seen() == before


def test_an_interrupted_apply_of_an_earlier_version_is_refused(
    run: Run, go: Go, work: Repo
) -> None:
    go()
    journal = Path(state_folder(), "applies", "0123456789abcdef.committed")
    journal.parent.mkdir(parents=True)
    journal.write_text("{}")
    before = work.seen()
    ran = run("apply", "last", "raw.bin")
    assert ran.status == 1
    assert "an earlier version of skillstudio was interrupted" in ran.out
    assert str(journal) in ran.out
    assert work.seen() == before
    journal.unlink()
    assert run("apply", "last", "raw.bin").status == 0
