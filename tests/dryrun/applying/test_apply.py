"""All of the changes are made or none is, whatever the disk or another process does."""

from __future__ import annotations

import errno
import json
import os
import stat
import struct
import sys
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
    make,
    seen,
)
from tests.kills import before_each_call

from skillstudio.dryrun.applying import apply as applying
from skillstudio.dryrun.applying import steps
from skillstudio.dryrun.applying.apply import Applied, apply, is_cut_off, recover
from skillstudio.dryrun.applying.changes import ApplyBusy, ApplyChange, ApplyFailed, Conflicting
from skillstudio.dryrun.applying.steps import exchange
from skillstudio.files.saving.locks import locked


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return make(tmp_path / "real", BEFORE)


@pytest.fixture
def wanted(real: Path, tmp_path: Path) -> list[ApplyChange]:
    return changes(real, make(tmp_path / "copy", AFTER))


@pytest.fixture
def journals(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "applies")


def left_in(journals: str) -> list[str]:
    return [name for name in os.listdir(journals) if name != "lock"]


def targets(changes: Iterable[ApplyChange]) -> list[str]:
    return sorted(each.target for each in changes)


def test_everything_becomes_as_the_run_left_it(
    real: Path, wanted: list[ApplyChange], journals: str, tmp_path: Path
) -> None:
    done = apply(wanted, journals)
    assert seen(real) == seen(tmp_path / "copy")
    assert done == Applied(done.applied)
    assert targets(done.applied) == targets(wanted)
    assert left_in(journals) == []
    assert not is_cut_off(journals)


def test_a_change_of_mode_keeps_the_time_of_the_bytes(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    before = os.stat(real / "mode.sh").st_mtime_ns
    # The bytes are the file's own: what is kept of the run is not needed.
    apply([each._replace(source="") for each in wanted if each.path == "mode.sh"], journals)
    about = os.stat(real / "mode.sh")
    assert (about.st_mtime_ns, stat.S_IMODE(about.st_mode)) == (before, 0o755)


def test_only_what_is_chosen_changes(real: Path, wanted: list[ApplyChange], journals: str) -> None:
    before = exactly(real)
    apply([each for each in wanted if each.path == "new.txt"], journals)
    after = exactly(real)
    assert {path for path in after if after[path] != before.get(path)} == {"new.txt"}


def test_nothing_to_apply_is_no_fault(journals: str) -> None:
    assert apply([], journals) == Applied(())


def test_conflicts_change_nothing(real: Path, wanted: list[ApplyChange], journals: str) -> None:
    (real / "edited.txt").write_text("mine\n")
    before = exactly(real)
    with pytest.raises(Conflicting) as raised:
        apply(wanted, journals)
    assert [each.path for each in raised.value.conflicts] == ["edited.txt"]
    assert exactly(real) == before
    assert left_in(journals) == []


@pytest.mark.slow
def test_an_error_at_any_step_leaves_all_as_it_was(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    before = exactly(real)
    failed: list[str] = []
    while True:
        counted: list[str] = []

        def full(step: str, counted: list[str] = counted, at: int = len(failed)) -> None:
            counted.append(step)
            if len(counted) == at + 1:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        try:
            done = apply(wanted, journals, full)
        except ApplyFailed as error:
            told = str(error)
            failed.append(counted[len(failed)])
        else:
            break
        assert "nothing was applied: No space left" in told
        assert exactly(real) == before, failed
        assert left_in(journals) == []
    words = [step.partition(" ")[0] for step in failed]
    assert list(dict.fromkeys(words)) == ["begin", "make", "wait", "commit", "put", "applied"]
    # Once all is in place, an error in clearing away undoes nothing.
    assert "the next start tries again" in done.notes[0]
    assert [each.outcome for each in recover(journals)] == ["finished"]
    assert seen(real) == seen(real.parent / "copy")


@pytest.mark.slow
def test_an_error_of_any_call_leaves_all_as_it_was(
    quick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or all as it is to be: where there is another way, or only clearing away is left."""
    copy = make(quick / "copy", AFTER)
    journals = str(quick / "journals")
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
                apply(wanted, journals)
            except (ApplyFailed, Conflicting) as error:
                told = str(error)
            else:
                told = ""
        if told:
            failed += 1
            assert "and so did rolling back" not in told
            assert exactly(real) == before
        assert [each.outcome for each in recover(journals)] in ([], [] if told else ["finished"])
        if not told:
            assert seen(real) == seen(copy)
        if next(calls) <= number:
            break
    assert failed > 50


def test_what_is_there_already_is_left_alone(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    some = [each for each in wanted if each.path in ("edited.txt", "gone.txt", "made/link")]
    apply(some, journals)
    before = exactly(real)
    done = apply(wanted, journals)
    assert targets(done.already) == targets(some)
    assert targets(done.applied) == targets(each for each in wanted if each not in some)
    assert seen(real) == seen(real.parent / "copy")
    after = exactly(real)
    assert {path: after[path] for path in ("edited.txt", "made/link")} == {
        path: before[path] for path in ("edited.txt", "made/link")
    }
    again = apply(wanted, journals)
    assert (again.applied, len(again.already)) == ((), len(wanted))
    assert exactly(real) == after


def test_notes_on_a_file_and_whose_it_is_stay(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    try:
        os.setxattr(real / "edited.txt", "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("no notes on files here")
    before = os.stat(real / "edited.txt")
    apply(wanted, journals)
    after = os.stat(real / "edited.txt")
    assert os.getxattr(real / "edited.txt", "user.note") == b"mine"
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


def test_a_file_that_is_being_saved_is_waited_for(
    real: Path, wanted: list[ApplyChange], journals: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exactly(real)
    monkeypatch.setattr(applying, "files_locked", partial(locked, wait=0))
    with (
        locked([str(real / "edited.txt")]),
        pytest.raises(ApplyFailed, match="another skillstudio is saving here"),
    ):
        apply(wanted, journals)
    assert exactly(real) == before
    assert apply(wanted, journals).applied


def test_a_temporary_name_is_not_applied(tmp_path: Path, journals: str) -> None:
    name = ".skillstudio-0123456789abcdef.save"
    copy = make(tmp_path / "with", {name: b"hidden"})
    with pytest.raises(Conflicting, match="a name reserved for skillstudio's temporary files"):
        apply(changes(make(tmp_path / "without", {}), copy), journals)


def test_a_file_with_a_second_name_is_not_replaced(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    before = seen(real)
    os.link(real / "edited.txt", real.parent / "other")
    with pytest.raises(Conflicting, match="has another hard link"):
        apply(wanted, journals)
    assert seen(real) == before
    assert os.path.samefile(real / "edited.txt", real.parent / "other")


def test_a_file_with_a_second_name_can_be_removed(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    os.link(real / "gone.txt", real.parent / "other")
    apply(wanted, journals)
    assert not (real / "gone.txt").exists()
    assert (real.parent / "other").read_bytes() == BEFORE["gone.txt"]


_NOBODY = 2**32 - 1
_ENTRIES = ((1, 6, _NOBODY), (2, 4, 4242), (4, 4, _NOBODY), (16, 6, _NOBODY), (32, 0, _NOBODY))
ACL = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in _ENTRIES)
"""Of a file 0660 that one other user may read: version 2, then tag, permission and id of each."""


def test_an_acl_stays_and_is_there_before_a_byte_is_written(
    tmp_path: Path, journals: str, monkeypatch: pytest.MonkeyPatch
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
    apply(changes(real, copy), journals)
    assert (real / "edited.txt").read_bytes() == b"new"
    assert os.getxattr(real / "edited.txt", "system.posix_acl_access") == ACL
    assert empty
    assert set(empty) == {0}


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_an_owner_that_cannot_be_given_is_refused(
    real: Path, wanted: list[ApplyChange], journals: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    os.chown(real / "edited.txt", 4242, 4242)
    before = exactly(real)
    monkeypatch.setattr(os, "fchown", refuse)
    with pytest.raises(ApplyFailed, match=r"edited\.txt: a new file cannot get its owner"):
        apply(wanted, journals)
    assert exactly(real) == before


def test_an_interrupt_comes_too_late_where_only_clearing_away_is_left(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    interrupts = iter([KeyboardInterrupt])

    def interrupt(step: str) -> None:
        if step.startswith("clear") and (raised := next(interrupts, None)):
            raise raised

    assert len(apply(wanted, journals, interrupt).applied) == len(wanted)
    assert seen(real) == seen(real.parent / "copy")
    assert left_in(journals) == []


def test_an_interrupt_leaves_all_as_it_was(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    before = exactly(real)

    def interrupt(step: str) -> None:
        if step.startswith("put") and step.endswith("new.txt"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apply(wanted, journals, interrupt)
    assert exactly(real) == before
    assert left_in(journals) == []


def test_what_changes_while_it_is_applied_is_not_written_over(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    def other(step: str) -> None:
        if step.startswith("put") and step.endswith("/edited.txt"):
            (real / "edited.txt").write_text("mine\n")
        if step.startswith("put") and step.endswith("/new.txt"):
            raise AssertionError("it should have stopped before")

    with pytest.raises(ApplyFailed, match=r"edited\.txt: it was changed meanwhile"):
        apply([each for each in wanted if each.path in ("edited.txt", "new.txt")], journals, other)
    assert (real / "edited.txt").read_text() == "mine\n"
    assert not (real / "new.txt").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names are exchanged on Linux alone")
def test_what_is_saved_in_the_last_moment_is_not_written_over(
    real: Path, wanted: list[ApplyChange], journals: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As editors save: by a rename, between the last look and the change."""
    before = exactly(real)
    saved: list[str] = []

    def late(new: str, target: str) -> bool:
        if not saved and target.endswith("/edited.txt"):
            saved.append(target)
            (real / "mine~").write_text("mine\n")
            os.rename(real / "mine~", target)
        return exchange(new, target)

    if not exchange(str(real / "edited.txt"), str(real / "gone.txt")):
        pytest.skip("no names are exchanged on this disk")
    exchange(str(real / "edited.txt"), str(real / "gone.txt"))
    monkeypatch.setattr(steps, "exchange", late)
    with pytest.raises(ApplyFailed, match=r"edited\.txt: it was changed meanwhile") as raised:
        apply(wanted, journals)
    assert (real / "edited.txt").read_text() == "mine\n"
    now = exactly(real)
    [old] = now.keys() - before.keys()
    assert f"its previous version is {real / old}" in str(raised.value)
    assert (real / old).read_bytes() == BEFORE["edited.txt"]
    assert {path: now[path] for path in before if path != "edited.txt"} == {
        path: before[path] for path in before if path != "edited.txt"
    }
    assert left_in(journals) == []


@pytest.mark.parametrize("lacks", ["names of handles", "an exchange", "waiting for a disk"])
def test_where_the_system_can_do_less(
    real: Path,
    wanted: list[ApplyChange],
    journals: str,
    monkeypatch: pytest.MonkeyPatch,
    lacks: str,
) -> None:
    module, name, value = {
        "names of handles": (steps, "_HANDLES", "/nowhere"),
        "an exchange": (steps, "exchange", lambda *_: False),
        "waiting for a disk": (applying, "can_sync_disks", lambda: False),
    }[lacks]
    monkeypatch.setattr(module, name, value)
    done = apply(wanted, journals)
    assert (len(done.applied), done.notes) == (len(wanted), ())
    assert seen(real) == seen(real.parent / "copy")
    assert left_in(journals) == []


def test_without_names_of_handles_a_link_is_seen_before(
    real: Path, wanted: list[ApplyChange], journals: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "_HANDLES", "/nowhere")
    outside = make(real.parent / "outside", {"edited.bin": BEFORE["kept/edited.bin"]})

    def mislead(step: str) -> None:
        if step == "commit":
            (real / "kept").rename(real.parent / "aside")
            (real / "kept").symlink_to(outside)

    before = exactly(outside)
    with pytest.raises(ApplyFailed, match="it was changed meanwhile"):
        apply(wanted, journals, mislead)
    assert exactly(outside) == before


def test_what_comes_up_while_it_is_applied_is_not_written_over(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    before = exactly(real)

    def other(step: str) -> None:
        if step == "commit":
            (real / "new.txt").write_text("mine\n")

    with pytest.raises(ApplyFailed, match=r"new\.txt: it was changed meanwhile"):
        apply(wanted, journals, other)
    assert (real / "new.txt").read_text() == "mine\n"
    (real / "new.txt").unlink()
    assert exactly(real) == before


def test_kept_bytes_that_are_not_those_of_the_run_are_refused(
    real: Path, wanted: list[ApplyChange], journals: str, tmp_path: Path
) -> None:
    (tmp_path / "copy" / "new.txt").write_text("NEW")
    before = exactly(real)
    with pytest.raises(ApplyFailed, match="changed meanwhile"):
        apply(wanted, journals)
    assert exactly(real) == before


def test_two_at_once_are_refused(real: Path, wanted: list[ApplyChange], journals: str) -> None:
    refused: list[str] = []

    def again(step: str) -> None:
        if step == "commit":
            for call in (lambda: apply(wanted, journals), lambda: recover(journals)):
                with pytest.raises(
                    ApplyBusy, match="another skillstudio is applying changes"
                ) as raised:
                    call()
                refused.append(str(raised.value))

    apply(wanted, journals, again)
    assert len(refused) == 2


def test_a_journal_is_its_users_and_holds_no_contents(
    real: Path, journals: str, tmp_path: Path
) -> None:
    copy = make(tmp_path / "c", {**BEFORE, "secret": b"hunter2hunter2", "where": "kept/hidden"})
    found: list[str] = []

    def look(step: str) -> None:
        if step == "commit":
            [name] = left_in(journals)
            path = os.path.join(journals, name)
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
            found.append(Path(path).read_text())

    apply(changes(real, copy), journals, look)
    assert stat.S_IMODE(os.stat(journals).st_mode) == 0o700
    assert "hunter2" not in found[0]
    assert "kept/hidden" not in found[0]
    assert json.loads(found[0])["items"]


def test_nothing_is_recovered_where_nothing_was_begun(journals: str) -> None:
    assert recover(journals) == ()
    os.makedirs(journals)
    assert recover(journals) == ()


@pytest.mark.parametrize("content", ["", "[]", '{"version": 2}', '{"version": 1, "items": [{}]}'])
def test_a_journal_that_is_none_is_told_and_stays(journals: str, content: str) -> None:
    os.makedirs(journals)
    path = Path(journals, "0123456789abcdef.committed")
    path.write_text(content)
    [found] = recover(journals)
    assert found.outcome == "stuck"
    assert str(path) in found.notes[0]
    assert path.exists()


def test_other_files_beside_journals_are_left_alone(journals: str) -> None:
    os.makedirs(journals)
    for name in ("notes.txt", "0123456789abcdef.unknown"):
        Path(journals, name).write_text("x")
    assert recover(journals) == ()
    assert len(os.listdir(journals)) == 3
