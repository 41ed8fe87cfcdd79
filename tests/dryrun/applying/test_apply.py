"""All of the changes are made or none is, whatever the disk or another process does."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from tests.dryrun.applying.ground import (
    AFTER,
    BEFORE,
    changes,
    exactly,
    leftovers,
    make,
    seen,
)
from tests.kills import before_each_call

from skillstudio.dryrun.applying import apply as applying
from skillstudio.dryrun.applying import steps
from skillstudio.dryrun.applying.apply import ApplyResult, apply, find_interrupted_apply
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyConflicts, ApplyFailed
from skillstudio.files.saving.locks import hold_locks
from skillstudio.files.state import state_folder


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return make(tmp_path / "real", BEFORE)


@pytest.fixture
def wanted(real: Path, tmp_path: Path) -> list[ApplyChange]:
    return changes(real, make(tmp_path / "copy", AFTER))


def targets(changes: Iterable[ApplyChange]) -> list[str]:
    return sorted(each.target for each in changes)


def test_everything_becomes_as_the_run_left_it(
    real: Path, wanted: list[ApplyChange], tmp_path: Path
) -> None:
    done = apply(wanted)
    assert seen(real) == seen(tmp_path / "copy")
    assert done == ApplyResult(done.applied_changes)
    assert targets(done.applied_changes) == targets(wanted)


def test_a_change_of_mode_keeps_the_time_of_the_bytes(
    real: Path, wanted: list[ApplyChange]
) -> None:
    before = os.stat(real / "mode.sh").st_mtime_ns
    # The bytes are the file's own: what is kept of the run is not needed.
    apply([each._replace(source="") for each in wanted if each.path == "mode.sh"])
    about = os.stat(real / "mode.sh")
    assert (about.st_mtime_ns, stat.S_IMODE(about.st_mode)) == (before, 0o755)


def test_only_what_is_chosen_changes(real: Path, wanted: list[ApplyChange]) -> None:
    before = exactly(real)
    apply([each for each in wanted if each.path == "new.txt"])
    after = exactly(real)
    assert {path for path in after if after[path] != before.get(path)} == {"new.txt"}


def test_nothing_to_apply_is_no_fault() -> None:
    assert apply([]) == ApplyResult(())


def test_conflicts_change_nothing(real: Path, wanted: list[ApplyChange]) -> None:
    (real / "edited.txt").write_text("mine\n")
    before = exactly(real)
    with pytest.raises(ApplyConflicts) as raised:
        apply(wanted)
    assert [each.path for each in raised.value.conflicts] == ["edited.txt"]
    assert exactly(real) == before
    assert not leftovers(real)


@pytest.mark.slow
def test_an_error_at_any_step_leaves_all_as_it_was(real: Path, wanted: list[ApplyChange]) -> None:
    before = exactly(real)
    failed: list[str] = []
    while True:
        counted: list[str] = []

        def full(step: str, counted: list[str] = counted, at: int = len(failed)) -> None:
            counted.append(step)
            if len(counted) == at + 1:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        try:
            done = apply(wanted, full)
        except ApplyFailed as error:
            told = str(error)
            failed.append(counted[len(failed)])
        else:
            break
        assert "nothing was applied: No space left" in told
        assert exactly(real) == before, failed
        assert not leftovers(real)
    words = [step.partition(" ")[0] for step in failed]
    assert list(dict.fromkeys(words)) == ["begin", "make", "wait", "put", "applied"]
    # Once all is in place, an error in clearing away undoes nothing.
    assert "some temporary files could not be removed" in done.notes[0]
    assert apply(wanted).applied_changes == ()
    assert not leftovers(real)
    assert seen(real) == seen(real.parent / "copy")


@pytest.mark.slow
def test_an_error_of_any_call_leaves_all_as_it_was(
    quick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or all as it is to be: where there is another way, or only clearing away is left."""
    copy = make(quick / "copy", AFTER)
    failed = 0
    for number in count():
        real = make(quick / f"real{number}", BEFORE)
        before = exactly(real)
        calls = count()

        def fail(calls: Iterator[int] = calls, number: int = number) -> None:
            if next(calls) == number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        wanted = changes(real, copy)
        with monkeypatch.context() as patched:
            before_each_call(fail, patched.setattr)
            try:
                apply(wanted)
            except (ApplyFailed, ApplyConflicts) as error:
                told = str(error)
            else:
                told = ""
        if told:
            failed += 1
            assert "and so did restoring" not in told
            assert exactly(real) == before
        apply(wanted)
        assert seen(real) == seen(copy)
        if next(calls) <= number:
            break
    assert failed > 50


def test_what_is_there_already_is_left_alone(real: Path, wanted: list[ApplyChange]) -> None:
    some = [each for each in wanted if each.path in ("edited.txt", "gone.txt", "made/link")]
    apply(some)
    before = exactly(real)
    done = apply(wanted)
    assert targets(done.already) == targets(some)
    assert targets(done.applied_changes) == targets(each for each in wanted if each not in some)
    assert seen(real) == seen(real.parent / "copy")
    after = exactly(real)
    assert {path: after[path] for path in ("edited.txt", "made/link")} == {
        path: before[path] for path in ("edited.txt", "made/link")
    }
    again = apply(wanted)
    assert (again.applied_changes, len(again.already)) == ((), len(wanted))
    assert exactly(real) == after


def test_notes_on_a_file_and_whose_it_is_stay(real: Path, wanted: list[ApplyChange]) -> None:
    try:
        os.setxattr(real / "edited.txt", "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("no notes on files here")
    before = os.stat(real / "edited.txt")
    apply(wanted)
    after = os.stat(real / "edited.txt")
    assert os.getxattr(real / "edited.txt", "user.note") == b"mine"
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


def test_a_file_that_is_being_saved_is_waited_for(
    real: Path, wanted: list[ApplyChange], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exactly(real)
    monkeypatch.setattr(applying, "hold_locks", partial(hold_locks, wait=0))
    with (
        hold_locks([str(real / "edited.txt")]),
        pytest.raises(ApplyFailed, match="another skillstudio is saving here"),
    ):
        apply(wanted)
    assert exactly(real) == before
    assert apply(wanted).applied_changes


def test_a_temporary_name_is_not_applied(tmp_path: Path) -> None:
    name = ".skillstudio-0123456789abcdef.save"
    copy = make(tmp_path / "with", {name: b"hidden"})
    with pytest.raises(ApplyConflicts, match="a name reserved for skillstudio's temporary files"):
        apply(changes(make(tmp_path / "without", {}), copy))


def test_a_file_with_a_second_name_is_not_replaced(real: Path, wanted: list[ApplyChange]) -> None:
    before = seen(real)
    os.link(real / "edited.txt", real.parent / "other")
    with pytest.raises(ApplyConflicts, match="has another hard link"):
        apply(wanted)
    assert seen(real) == before
    assert os.path.samefile(real / "edited.txt", real.parent / "other")


def test_a_file_with_a_second_name_can_be_removed(real: Path, wanted: list[ApplyChange]) -> None:
    os.link(real / "gone.txt", real.parent / "other")
    apply(wanted)
    assert not (real / "gone.txt").exists()
    assert (real.parent / "other").read_bytes() == BEFORE["gone.txt"]


_NOBODY = 2**32 - 1
_ENTRIES = ((1, 6, _NOBODY), (2, 4, 4242), (4, 4, _NOBODY), (16, 6, _NOBODY), (32, 0, _NOBODY))
ACL = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in _ENTRIES)
"""Of a file 0660 that one other user may read: version 2, then tag, permission and id of each."""


def test_an_acl_stays_and_is_there_before_a_byte_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = make(tmp_path / "own", {"edited.txt": (b"old", 0o660)})
    copy = make(tmp_path / "own-copy", {"edited.txt": (b"new", 0o660)})
    try:
        os.setxattr(real / "edited.txt", "system.posix_acl_access", ACL)
    except (AttributeError, OSError):
        pytest.skip("no ACLs here")
    empty: list[int] = []
    set_mode = os.fchmod

    def fchmod(handle: int, mode: int) -> None:
        empty.append(os.fstat(handle).st_size)
        set_mode(handle, mode)

    monkeypatch.setattr(os, "fchmod", fchmod)
    apply(changes(real, copy))
    assert (real / "edited.txt").read_bytes() == b"new"
    assert os.getxattr(real / "edited.txt", "system.posix_acl_access") == ACL
    assert empty
    assert set(empty) == {0}


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_an_owner_that_cannot_be_given_is_refused(
    real: Path, wanted: list[ApplyChange], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    os.chown(real / "edited.txt", 4242, 4242)
    before = exactly(real)
    monkeypatch.setattr(os, "fchown", refuse)
    with pytest.raises(ApplyFailed, match=r"edited\.txt: a new file cannot get its owner"):
        apply(wanted)
    assert exactly(real) == before


def test_an_interrupt_comes_too_late_where_only_clearing_away_is_left(
    real: Path, wanted: list[ApplyChange]
) -> None:
    interrupts = iter([KeyboardInterrupt])

    def interrupt(step: str) -> None:
        if step.startswith("clear") and (raised := next(interrupts, None)):
            raise raised

    assert len(apply(wanted, interrupt).applied_changes) == len(wanted)
    assert seen(real) == seen(real.parent / "copy")
    assert not leftovers(real)


def test_an_interrupt_leaves_all_as_it_was(real: Path, wanted: list[ApplyChange]) -> None:
    before = exactly(real)

    def interrupt(step: str) -> None:
        if step.startswith("put") and step.endswith("new.txt"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apply(wanted, interrupt)
    assert exactly(real) == before
    assert not leftovers(real)


def test_what_changes_while_it_is_applied_is_not_written_over(
    real: Path, wanted: list[ApplyChange]
) -> None:
    def other(step: str) -> None:
        if step.startswith("put") and step.endswith("/edited.txt"):
            (real / "edited.txt").write_text("mine\n")
        if step.startswith("put") and step.endswith("/new.txt"):
            raise AssertionError("it should have stopped before")

    with pytest.raises(ApplyFailed, match=r"edited\.txt: it was changed meanwhile"):
        apply([each for each in wanted if each.path in ("edited.txt", "new.txt")], other)
    assert (real / "edited.txt").read_text() == "mine\n"
    assert not (real / "new.txt").exists()


@pytest.mark.parametrize("lacks", ["names of handles", "waiting for a disk"])
def test_where_the_system_can_do_less(
    real: Path,
    wanted: list[ApplyChange],
    monkeypatch: pytest.MonkeyPatch,
    lacks: str,
) -> None:
    module, name, value = {
        "names of handles": (steps, "_HANDLES", "/nowhere"),
        "waiting for a disk": (applying, "can_sync_disks", lambda: False),
    }[lacks]
    monkeypatch.setattr(module, name, value)
    done = apply(wanted)
    assert (len(done.applied_changes), done.notes) == (len(wanted), ())
    assert seen(real) == seen(real.parent / "copy")
    assert not leftovers(real)


def test_without_names_of_handles_a_link_is_seen_before(
    real: Path, wanted: list[ApplyChange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "_HANDLES", "/nowhere")
    outside = make(real.parent / "outside", {"edited.bin": BEFORE["kept/edited.bin"]})

    def mislead(step: str) -> None:
        if step == "wait":
            (real / "kept").rename(real.parent / "aside")
            (real / "kept").symlink_to(outside)

    before = exactly(outside)
    with pytest.raises(ApplyFailed, match="it was changed meanwhile"):
        apply(wanted, mislead)
    assert exactly(outside) == before


def test_what_comes_up_while_it_is_applied_is_not_written_over(
    real: Path, wanted: list[ApplyChange]
) -> None:
    before = exactly(real)

    def other(step: str) -> None:
        if step == "wait":
            (real / "new.txt").write_text("mine\n")

    with pytest.raises(ApplyFailed, match=r"new\.txt: it was changed meanwhile"):
        apply(wanted, other)
    assert (real / "new.txt").read_text() == "mine\n"
    (real / "new.txt").unlink()
    assert exactly(real) == before


def test_kept_bytes_that_are_not_those_of_the_run_are_refused(
    real: Path, wanted: list[ApplyChange], tmp_path: Path
) -> None:
    (tmp_path / "copy" / "new.txt").write_text("NEW")
    before = exactly(real)
    with pytest.raises(ApplyFailed, match="changed meanwhile"):
        apply(wanted)
    assert exactly(real) == before


@pytest.mark.parametrize("name", ["0123456789abcdef.committed", "fedcba9876543210.preparing"])
def test_an_interrupted_apply_of_an_earlier_version_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert find_interrupted_apply() == ""
    journal = Path(state_folder(), "applies", name)
    journal.parent.mkdir(parents=True)
    (journal.parent / "lock").touch()
    assert find_interrupted_apply() == ""
    journal.write_text("{}")
    told = find_interrupted_apply()
    assert str(journal) in told
    assert f".skillstudio-{name.partition('.')[0]}-….old" in told
