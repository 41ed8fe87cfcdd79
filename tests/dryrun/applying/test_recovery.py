"""What a killed apply leaves, after the user or the disk did something else meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.dryrun.applying.ground import Tree, changes, exactly, make, seen

from skillstudio.dryrun.applying.apply import Recovered, apply, is_cut_off, recover
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyFailed
from skillstudio.dryrun.applying.journal import JournalUnreadable, read

BEFORE: Tree = {"a": b"a", "b": b"b", "folder/c": b"c"}
AFTER: Tree = {"a": b"A", "folder": b"f", "new": b"n", "sub/new": b"n"}


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return make(tmp_path / "real", BEFORE)


@pytest.fixture
def wanted(real: Path, tmp_path: Path) -> list[ApplyChange]:
    return changes(real, make(tmp_path / "copy", AFTER))


@pytest.fixture
def journals(tmp_path: Path) -> str:
    return str(tmp_path / "journals")


def cut_at(wanted: list[ApplyChange], journals: str, step: str) -> None:
    """Apply in a process that ends without a word before a step."""
    pid = os.fork()
    if not pid:
        try:
            apply(wanted, journals, lambda name: os._exit(7) if name.endswith(step) else None)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert is_cut_off(journals)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")


def leftovers(folder: Path) -> list[str]:
    return [path for path in seen(folder) if ".skillstudio-" in path]


@needs_fork
def test_it_says_what_became_of_which_files(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    before = exactly(real)
    cut_at(wanted, journals, "commit")
    assert leftovers(real)
    [back] = recover(journals)
    assert back.outcome == "rolled back"
    assert sorted(back.paths) == sorted(each.target for each in wanted)
    assert exactly(real) == before
    cut_at(wanted, journals, "put " + str(real / "new"))
    [done] = recover(journals)
    assert done == Recovered("finished", back.paths)
    assert not leftovers(real)
    assert not is_cut_off(journals)


@needs_fork
def test_the_next_apply_recovers_first(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    cut_at(wanted, journals, "commit")
    done = apply(wanted, journals)
    assert [each.outcome for each in done.recovered] == ["rolled back"]
    assert seen(real) == seen(real.parent / "copy")


@needs_fork
def test_what_the_user_wrote_before_its_turn_came_rolls_all_back(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    cut_at(wanted, journals, "put " + str(real / "b"))
    (real / "b").write_text("mine")
    [back] = recover(journals)
    assert back.outcome == "rolled back"
    assert "it could not be finished" in back.notes[0]
    assert str(real / "b") in back.notes[0]
    assert (real / "b").read_text() == "mine"
    assert (real / "a").read_text() == "a"
    assert not leftovers(real)


@needs_fork
def test_what_the_user_wrote_over_a_change_stays_beside_what_was_there(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    cut_at(wanted, journals, "put " + str(real / "new"))
    (real / "a").write_text("mine")
    (real / "new").write_text("mine, too")
    [back] = recover(journals)
    assert back.outcome == "rolled back"
    [note] = [note for note in back.notes if "changed since, so it is kept" in note]
    [old] = leftovers(real)
    assert str(real / old) in note
    assert (real / old).read_text() == "a"
    assert (real / "a").read_text() == "mine"
    assert (real / "new").read_text() == "mine, too"
    assert (real / "folder/c").read_text() == "c"


@needs_fork
def test_a_disk_that_is_away_is_waited_for(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    cut_at(wanted, journals, "put " + str(real / "new"))
    real.rename(real.parent / "away")
    for _ in range(2):
        [stuck] = recover(journals)
        assert stuck.outcome == "stuck"
        assert "is its disk mounted?" in stuck.notes[0]
    real.mkdir()
    assert [each.outcome for each in recover(journals)] == ["stuck"]
    real.rmdir()
    (real.parent / "away").rename(real)
    assert [each.outcome for each in recover(journals)] == ["finished"]
    assert seen(real) == seen(real.parent / "copy")


@needs_fork
def test_what_is_stuck_hinders_no_other(
    real: Path, wanted: list[ApplyChange], journals: str, tmp_path: Path
) -> None:
    cut_at(wanted, journals, "commit")
    shutil.rmtree(real)
    other = make(tmp_path / "other", {"a": b"a"})
    done = apply(changes(other, make(tmp_path / "c", {"a": b"A"})), journals)
    assert [each.outcome for each in done.recovered] == ["stuck"]
    assert (other / "a").read_text() == "A"


def test_a_rollback_that_fails_is_done_by_the_next_start(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    before = exactly(real)

    def failing(step: str) -> None:
        if step == "applied" or step.startswith("undo "):
            raise OSError(5, "Input/output error")

    with pytest.raises(ApplyFailed, match=r"and so did rolling back.*the next start rolls back"):
        apply(wanted, journals, failing)
    assert [each.outcome for each in recover(journals)] == ["rolled back"]
    assert exactly(real) == before


def test_where_files_have_one_name_only(
    real: Path, wanted: list[ApplyChange], journals: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems and systems link no file under a second name."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refused)
    before = exactly(real)

    def failing(step: str) -> None:
        if step == "applied":
            raise OSError(5, "Input/output error")

    with pytest.raises(ApplyFailed):
        apply(wanted, journals, failing)
    assert exactly(real) == before
    apply(wanted, journals)
    assert seen(real) == seen(real.parent / "copy")


@needs_fork
def test_a_part_of_a_disk_that_is_away_is_waited_for(
    real: Path, wanted: list[ApplyChange], journals: str, tmp_path: Path
) -> None:
    """Two roots, and where one of them was mounted an empty folder is left."""
    skill = make(tmp_path / "skill", {"s": b"s"})
    both = [*wanted, *changes(skill, make(tmp_path / "s2", {"s": b"S"}))]
    cut_at(both, journals, "applied")
    skill.rename(tmp_path / "away")
    skill.mkdir()
    [stuck] = recover(journals)
    assert (stuck.outcome, "is its disk mounted?" in stuck.notes[0]) == ("stuck", True)
    skill.rmdir()
    (tmp_path / "away").rename(skill)
    assert [each.outcome for each in recover(journals)] == ["finished"]
    assert seen(skill) == seen(tmp_path / "s2")


@needs_fork
def test_temporary_files_that_somebody_cleared_away_roll_all_back(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    before = exactly(real)
    cut_at(wanted, journals, "put " + str(real / "b"))
    for path in leftovers(real):
        if path.endswith(".new") and path.count("/") == 0 and (real / path).is_file():
            (real / path).unlink()
    [back] = recover(journals)
    assert back.outcome == "rolled back"
    assert "it could not be finished" in back.notes[0]
    assert exactly(real) == before
    assert not leftovers(real)


@needs_fork
def test_what_is_written_to_an_open_file_while_it_is_replaced_is_kept(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    """Whoever has a file open writes to what lies aside by then."""
    with (real / "a").open("ab") as late:

        def write(step: str) -> None:
            if step == "applied":
                late.write(b", and more")
                late.flush()

        done = apply(wanted, journals, write)
    [note] = done.notes
    [old] = leftovers(real)
    assert note.endswith(f"was written to while it was replaced: that version is {real / old}")
    assert (real / old).read_text() == "a, and more"
    assert (real / "a").read_text() == "A"


@pytest.mark.parametrize("step", ["begin", "make", "commit", "put", "applied"])
def test_where_the_journal_is_taken_away_all_is_put_back(
    real: Path, wanted: list[ApplyChange], journals: str, step: str
) -> None:
    before = exactly(real)

    def take(name: str) -> None:
        if name.startswith(step) and os.path.isdir(journals):
            shutil.rmtree(journals)

    with pytest.raises(ApplyFailed, match="nothing was applied") as raised:
        apply(wanted, journals, take)
    assert "rolling back" not in str(raised.value)
    assert exactly(real) == before
    assert not leftovers(real)


MISLED = ("begin", "make", "wait", "commit", "put", "applied", "clear", "end")


@needs_fork
@pytest.mark.parametrize("step", MISLED)
def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(
    tmp_path: Path, journals: str, step: str
) -> None:
    """Nothing is written, removed or read where it leads; the next start waits for the folder."""
    before: Tree = {"way/in/edited": b"1", "way/in/gone": b"1"}
    after: Tree = {"way/in/edited": b"2", "way/in/new": b"2", "way/in/n/e/w": b"2"}
    many: Tree = {f"way/in/{n}": b"" for n in range(8)}
    real = make(tmp_path / "real", before)
    outside = make(tmp_path / "outside", {"in/edited": b"1", "in/gone": b"1"})
    untouched = exactly(outside)
    done: list[str] = []

    def mislead(name: str) -> None:
        if name.startswith(step) and not done:
            done.append(name)
            (real / "way").rename(tmp_path / "aside")
            (real / "way").symlink_to(outside)

    with suppress(ApplyFailed):
        apply(changes(real, make(tmp_path / "copy", {**after, **many})), journals, mislead)
    assert done
    assert exactly(outside) == untouched
    (real / "way").unlink()
    (tmp_path / "aside").rename(real / "way")
    recover(journals)
    assert not leftovers(real)
    assert seen(real) in (seen(make(tmp_path / "before", before)), seen(tmp_path / "copy"))


NONE_OF_OURS: dict[str, Callable[[dict[str, Any]], object]] = {
    "nothing": lambda item: item.clear(),
    "another version": lambda item: item.update(before=[]),
    "a temporary name elsewhere": lambda item: item.update(old="/etc/.skillstudio-x.old"),
    "a temporary name that is none": lambda item: item.update(
        old=os.path.join(os.path.dirname(item["target"]), "folder")
    ),
    "no state for what lay there": lambda item: item.update(before={}),
    "a state of nothing": lambda item: item.update(before={"x": ["file", 0, ""]}),
    "a mode without end": lambda item: item.update(before={"": ["file", float("inf"), ""]}),
    "a target from here": lambda item: item.update(target="a"),
}


@needs_fork
@pytest.mark.parametrize("change", NONE_OF_OURS)
def test_a_journal_that_was_changed_is_told_and_does_nothing(
    real: Path, wanted: list[ApplyChange], journals: str, change: str
) -> None:
    cut_at(wanted, journals, "put " + str(real / "new"))
    [name] = (each for each in os.listdir(journals) if each != "lock")
    path = Path(journals, name)
    value = json.loads(path.read_text())
    NONE_OF_OURS[change](value["items"][0])
    path.write_text(json.dumps(value))
    before = exactly(real)
    [stuck] = recover(journals)
    assert stuck.outcome == "stuck"
    assert f"files named .skillstudio-{name.partition('.')[0]}-" in stuck.notes[0]
    assert all(name.partition(".")[0] in each for each in leftovers(real))
    assert exactly(real) == before


@needs_fork
def test_a_journal_that_was_cut_short_anywhere_is_told(
    real: Path, wanted: list[ApplyChange], journals: str
) -> None:
    cut_at(wanted[:2], journals, "put " + wanted[0].target)
    [name] = (each for each in os.listdir(journals) if each != "lock")
    path = Path(journals, name)
    whole = path.read_bytes()
    before = exactly(real)
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        assert isinstance(read(journals, name), JournalUnreadable)
    assert [each.outcome for each in recover(journals)] == ["stuck"]
    assert exactly(real) == before
    path.write_bytes(whole)
    assert [each.outcome for each in recover(journals)] == ["finished"]


FULL = """
import os, sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from skillstudio.dryrun.applying.apply import apply, recover
from skillstudio.dryrun.applying.changes import ApplyFailed
from tests.dryrun.applying.ground import changes, exactly, make, seen
real = make(Path(sys.argv[1]), {f"f{n}": b"x" * 9000 for n in range(40)})
copy = make(Path(sys.argv[2]), {f"f{n}": b"y" * 20000 for n in range(40)})
before = exactly(real)
try:
    apply(changes(real, copy), sys.argv[2] + "-journals")
except ApplyFailed as error:
    print(error)
assert exactly(real) == before
assert recover(sys.argv[2] + "-journals") == ()
# There is room for half of them.
apply([each for each in changes(real, copy) if int(each.path[1:]) < 20], sys.argv[2] + "-journals")
print(sum(path.read_bytes() == b"y" * 20000 for path in real.iterdir()))
"""


def test_a_disk_that_is_full_in_the_middle(tmp_path: Path) -> None:
    """A real one, of a megabyte."""
    (tmp_path / "disk").mkdir()
    mounted = 'mount -t tmpfs -o size=1m tmpfs "$0/disk" && exec "$@"'
    argv = [sys.executable, "-c", FULL, f"{tmp_path}/disk/real", f"{tmp_path}/copy", os.getcwd()]
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rm", "true"], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    done = subprocess.run(
        [unshare, "-rm", "sh", "-c", mounted, str(tmp_path), *argv], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said, changed = done.stdout.splitlines()
    assert said.endswith("No space left on device")
    assert said.startswith("nothing was applied: ")
    assert changed == "20"
