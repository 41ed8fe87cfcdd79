"""The results of unchanged skills are kept; nothing that may have changed is taken from them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run

from skillstudio.cli import check
from skillstudio.session import result_cache

TEXT = "---\nname: {}\ndescription: Says things. Use when asked.\nextra: 1\n---\nSee [x](x.md).\n"
COUNT = check.SHARING_THRESHOLD
Check = Callable[..., tuple[Any, int]]


@pytest.fixture
def skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As many skills as use the cache, with a problem of SKILL.md each."""
    for number in range(COUNT):
        folder = tmp_path / "skills" / f"skill-{number}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(TEXT.format(folder.name))
    monkeypatch.chdir(tmp_path)
    # Files are older than the check as soon as they are written, and one process checks them.
    monkeypatch.setattr(result_cache, "_SETTLING_TIME", -(10**12))
    monkeypatch.setattr(result_cache, "_SETTLED_COARSELY", -(10**12))
    monkeypatch.setattr("skillstudio.cli.workers._processors", lambda: 1)
    return tmp_path / "skills"


@pytest.fixture
def checking(run: Run, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Check, and count the skills that were checked anew."""
    anew: list[str] = []
    plain = check._analyse

    def counted(options: Any, skill_path: Any) -> Any:
        anew.append(skill_path.label)
        return plain(options, skill_path)

    monkeypatch.setattr(check, "_analyse", counted)

    def once(*words: str) -> tuple[Any, int]:
        anew.clear()
        ran = run("check", "--format", "json", *words, "skills")
        assert not ran.err
        return json.loads(ran.out), len(anew)

    return once


def files() -> list[Path]:
    return sorted((Path.home() / ".cache" / "skillstudio" / "results").iterdir())


@pytest.mark.usefixtures("skills")
def test_an_unchanged_skill_is_not_checked_again(checking: Check) -> None:
    first, anew = checking()
    assert anew == COUNT
    assert checking() == (first, 0)
    assert checking("--no-cache") == (first, COUNT)
    assert [each.stat().st_mode & 0o777 for each in files()] == [0o600]


def write(path: str, text: str) -> Callable[[Path], None]:
    return lambda skill: (skill / path).write_text(text) and None


def link(skill: Path) -> None:
    (skill / "x.md").symlink_to("SKILL.md")


def same_size_and_time(skill: Path) -> None:
    file = skill / "SKILL.md"
    state = file.stat()
    file.write_text(file.read_text().replace("extra", "other"))
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def test_a_change_around_a_skill_is_noticed(skills: Path, checking: Check) -> None:
    (skills.parent / ".git").mkdir()
    (skills.parent / "style.md").write_text("# Style\n")
    text = TEXT.format("skill-7").replace("(x.md)", "(../../style.md)")
    (skills / "skill-7" / "SKILL.md").write_text(text)
    first, _ = checking()
    assert checking() == (first, 0)
    (skills.parent / "style.md").unlink()
    second, anew = checking()
    assert anew == 1
    assert second != first
    assert checking() == (second, 0)


CHANGES: dict[str, Callable[[Path], None]] = {
    "a text": write("SKILL.md", "---\nname: x\n---\n"),
    "a new file": write("x.md", "x"),
    "a link": link,
    "a file of the same size and time": same_size_and_time,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_skill_is_checked_again(
    change: Callable[[Path], None], skills: Path, checking: Check
) -> None:
    first, _ = checking()
    change(skills / "skill-7")
    second, anew = checking()
    assert anew == 1
    assert second != first
    assert checking() == (second, 0)
    assert second == checking("--no-cache")[0]


def test_other_settings_and_options_have_other_results(skills: Path, checking: Check) -> None:
    checking()
    assert checking("--target", "codex")[1] == COUNT
    assert checking("--all")[1] == COUNT
    (skills.parent / "skillstudio.toml").write_text("[rules]\nkey-unknown = 'error'\n")
    changed, anew = checking()
    assert anew == COUNT
    assert changed["summary"]["errors"] > 0


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_another_place_of_a_skill_has_another_result(skills: Path, checking: Check) -> None:
    def outcome(value: Any) -> str:
        (row,) = [row for row in value["skills"] if row["path"] == "skills/skill-7"]
        return str(row["targets"]["codex"]["outcome"])

    (skills.parent / ".git").mkdir()
    assert outcome(checking("--target", "codex")[0]) == "not found"
    assert checking("--target", "codex")[1] == 0
    (skills.parent / ".codex/skills").mkdir(parents=True)
    (skills.parent / ".codex/skills/skill-7").symlink_to("../../skills/skill-7")
    value, anew = checking("--target", "codex")
    assert (outcome(value), anew) == ("loads", 1)
    assert checking("--target", "codex") == (value, 0)


def test_a_skill_that_just_changed_is_not_kept(
    skills: Path, checking: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_cache, "_SETTLING_TIME", 10**12)
    assert checking()[1] == checking()[1] == COUNT
    assert not (Path.home() / ".cache").exists()


@pytest.mark.usefixtures("skills")
def test_another_version_of_the_program_has_its_own_results(
    checking: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    checking()
    monkeypatch.setattr(result_cache, "__version__", "0.0.1")
    assert checking()[1] == COUNT


def damage(how: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda file: file.write_bytes(how(file.read_bytes())) and None


def linked(file: Path) -> None:
    shutil.move(file, file.parent / "elsewhere")
    file.symlink_to("elsewhere")


def fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


DAMAGED: dict[str, tuple[Callable[[Path], None], int]] = {
    "empty": (damage(lambda _: b""), COUNT),
    "of another version": (damage(lambda data: b"x" + data), COUNT),
    "no text": (damage(lambda data: data[:30] + bytes(range(256)) * 9), COUNT),
    "cut short": (damage(lambda data: data[:-40]), 1),
    "changed in one place": (damage(lambda data: data[:-40] + b"#" + data[-39:]), 1),
    "cut in the middle": (damage(lambda data: data[: len(data) // 2]), COUNT // 2),
    "writable by others": (lambda file: file.chmod(0o666), COUNT),
    "in a folder of others": (lambda file: file.parent.chmod(0o777), COUNT),
    "a link": (linked, COUNT),
    "a FIFO": (fifo, COUNT),
    "a folder": (folder, COUNT),
}


@pytest.mark.skipif(os.name == "nt", reason="files have no owner's bits")
@pytest.mark.usefixtures("skills")
@pytest.mark.parametrize(("how", "least"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_or_foreign_cache_is_ignored(
    how: Callable[[Path], None], least: int, checking: Check
) -> None:
    first, _ = checking()
    how(files()[0])
    second, anew = checking()
    assert second == first
    assert least <= anew <= least + 1


def test_a_cache_that_cannot_be_written_is_no_problem(skills: Path, checking: Check) -> None:
    (Path.home() / ".cache").write_text("a file")
    try:
        assert checking()[1] == COUNT
    finally:
        (Path.home() / ".cache").unlink()


def test_results_of_skills_that_are_gone_are_removed(skills: Path, checking: Check) -> None:
    checking()
    size = files()[0].stat().st_size
    for round in range(4):
        for number in range(COUNT):
            file = skills / f"skill-{number}" / "SKILL.md"
            file.write_text(file.read_text() + f"{round}\n")
        checking()
    assert files()[0].stat().st_size < 6 * size
    assert len(files()) == 1
