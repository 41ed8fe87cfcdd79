"""A save that is killed before any of its calls: nothing is torn, lost or left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.kills import KILLED, forked, kill_before_call

from skillstudio.files.saving.in_place import finish_all
from skillstudio.files.saving.locks import key_of
from skillstudio.files.saving.writer import prepare_save, write_file
from skillstudio.files.state import state_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")

OLD = b"".join(b"old line %d\n" % number for number in range(40))
NEW = b"".join(b"a new line %d\n" % number for number in range(60))
SHORT = b"short\n"


def journals() -> list[str]:
    folder = os.path.join(state_folder(), "saves")
    return os.listdir(folder) if os.path.isdir(folder) else []


def write_in_pieces() -> None:
    """Let each write take few bytes, so that a kill finds the file in the middle of it."""
    write = os.write
    os.write = lambda handle, data: write(handle, data[:300])  # type: ignore[assignment]


def killed_save(file: Path, data: bytes, number: int) -> int:
    def work() -> None:
        write_in_pieces()
        kill_before_call(number)
        write_file(file, data)

    return forked(work)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("is_linked", "old", "recover"),
    [
        pytest.param(False, OLD, "save", id="one name"),
        pytest.param(False, None, "save", id="new"),
        pytest.param(True, OLD, "save", id="two names, longer"),
        pytest.param(True, NEW, "start", id="two names, shorter"),
        pytest.param(True, b"", "start", id="two names, empty before"),
    ],
)
def test_a_kill_before_each_call(
    is_linked: bool, old: bytes | None, recover: str, tmp_path: Path
) -> None:
    new = NEW if old == OLD else SHORT
    number = torn = 0
    ended = KILLED
    while ended == KILLED:
        skill = tmp_path / f"skill{number}"
        skill.mkdir()
        file = skill / "SKILL.md"
        if old is not None:
            file.write_bytes(old)
        if is_linked:
            os.link(file, tmp_path / f"second{number}")
        ended = killed_save(file, new, number)
        now = file.read_bytes() if file.exists() else None
        torn += now not in (old, new)
        if recover == "start":
            finish_all()
            assert (file.read_bytes() if file.exists() else None) in (old, new)
        else:
            with prepare_save([str(file)], str(skill)):
                assert (file.read_bytes() if file.exists() else None) in (old, new)
        assert journals() == []
        write_file(file, b"last")
        assert (file.read_bytes(), os.listdir(skill)) == (b"last", ["SKILL.md"])
        if is_linked:
            assert os.path.samefile(file, tmp_path / f"second{number}")
        number += 1
    assert ended == 0
    assert number > 7
    # A file that is written in place is torn for a moment; the others never are.
    assert (torn > 0) == (is_linked and old != b"")


@pytest.mark.slow
def test_what_was_written_after_a_kill_stays(tmp_path: Path) -> None:
    """Whoever wrote it; what the killed save knew is kept beside the journals."""
    for number in range(100):
        file = tmp_path / f"file{number}"
        file.write_bytes(OLD)
        os.link(file, tmp_path / f"second{number}")
        if killed_save(file, NEW, number) != KILLED:
            pytest.fail("no kill left a torn file")
        if file.read_bytes() not in (OLD, NEW):
            break
        finish_all()
    file.write_bytes(b"mine, after the kill\n")
    (note,) = finish_all()
    assert f"{file} was changed or removed after a save of it was interrupted" in note
    assert file.read_bytes() == b"mine, after the kill\n"
    (kept,) = journals()
    assert OLD + NEW in Path(state_folder(), "saves", kept).read_bytes()
    assert finish_all() == ()


def test_a_failed_write_in_place_leaves_the_old_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(OLD)
    os.link(file, tmp_path / "second")
    truncate = os.ftruncate
    rounds = iter([True])

    def fail(handle: int, size: int) -> None:
        if next(rounds, False):
            raise OSError(28, "No space left on device")
        truncate(handle, size)

    monkeypatch.setattr(os, "ftruncate", fail)
    with pytest.raises(OSError, match="No space left"):
        write_file(file, SHORT)
    assert (file.read_bytes(), journals()) == (OLD, [])


def test_a_journal_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = Path(state_folder(), "saves")
    folder.mkdir(parents=True)
    broken = folder / f"{'0' * 32}.journal"
    broken.write_bytes(b"{")
    (note,) = finish_all()
    assert str(broken) in note
    write_file(tmp_path / "file", b"saved all the same")


def test_a_broken_journal_of_the_file_itself_is_kept_aside(tmp_path: Path) -> None:
    file = tmp_path / "file"
    folder = Path(state_folder(), "saves")
    folder.mkdir(parents=True)
    (folder / f"{key_of(str(file))}.journal").write_bytes(b"{")
    write_file(file, b"saved all the same")
    assert [Path(name).suffix for name in journals()] == [".kept"]


def test_a_disk_that_is_away_is_waited_for(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "file").write_bytes(OLD)
    os.link(disk / "file", disk / "second")

    def work() -> None:
        os.ftruncate = lambda *_: os.kill(os.getpid(), 9)  # type: ignore[assignment]
        write_file(disk / "file", SHORT)

    assert forked(work) == KILLED
    disk.rename(tmp_path / "away")
    (note,) = finish_all()
    assert "cannot finish an interrupted save" in note
    (tmp_path / "away").rename(disk)
    assert finish_all() == (f"{disk / 'file'}: finished an interrupted save",)
    assert (disk / "file").read_bytes() == SHORT
