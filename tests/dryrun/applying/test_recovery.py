"""What a killed apply leaves, after the user or the disk did something else meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.dryrun.applying.ground import Tree, changes, exactly, leftovers, make, seen

from skillstudio.dryrun.applying import apply as applying
from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyChange, ApplyConflicts, ApplyFailed
from skillstudio.dryrun.applying.items import ApplyItem

BEFORE: Tree = {"a": b"a", "b": b"b", "folder/c": b"c"}
AFTER: Tree = {"a": b"A", "folder": b"f", "new": b"n", "sub/new": b"n"}


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return make(tmp_path / "real", BEFORE)


@pytest.fixture
def wanted(real: Path, tmp_path: Path) -> list[ApplyChange]:
    return changes(real, make(tmp_path / "copy", AFTER))


def cut_at(wanted: list[ApplyChange], step: str) -> None:
    """Apply in a process that ends without a word before a step."""
    pid = os.fork()
    if not pid:
        try:
            apply(wanted, lambda name: os._exit(7) if name.startswith(step) else None)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")


@needs_fork
@pytest.mark.parametrize("step", ["make", "wait", "put", "applied", "clear"])
def test_the_next_apply_finishes(real: Path, wanted: list[ApplyChange], step: str) -> None:
    cut_at(wanted, step)
    done = apply(wanted)
    assert len((*done.applied_changes, *done.already)) == len(wanted)
    assert seen(real) == seen(real.parent / "copy")


@needs_fork
def test_what_the_user_wrote_before_its_turn_came_is_a_conflict(
    real: Path, wanted: list[ApplyChange]
) -> None:
    cut_at(wanted, "put " + str(real / "b"))
    (real / "b").write_text("mine")
    with pytest.raises(ApplyConflicts) as raised:
        apply(wanted)
    assert [each.path for each in raised.value.conflicts] == ["b"]
    assert (real / "b").read_text() == "mine"
    assert not leftovers(real)


@needs_fork
def test_what_the_user_wrote_over_a_change_stays_beside_what_was_there(
    real: Path, wanted: list[ApplyChange]
) -> None:
    cut_at(wanted, "put " + str(real / "new"))
    (real / "a").write_text("mine")
    (real / "new").write_text("mine, too")
    with pytest.raises(ApplyConflicts) as raised:
        apply(wanted)
    messages = {each.path: each.message for each in raised.value.conflicts}
    assert messages.keys() == {"a", "new"}
    [old] = leftovers(real)
    assert messages["a"].endswith(f"an interrupted apply kept its old content: {real / old}")
    assert (real / old).read_text() == "a"
    assert (real / "a").read_text() == "mine"
    assert (real / "new").read_text() == "mine, too"


@needs_fork
def test_what_has_the_name_of_an_old_version_and_is_none_stays(
    real: Path, wanted: list[ApplyChange]
) -> None:
    """A repository may contain files with such names: only the content of the run is restored."""
    cut_at(wanted, "put " + str(real / "new"))
    files = [path for path in leftovers(real) if (real / path).is_file()]
    [old] = [path for path in files if (real / path).read_bytes() == b"a"]
    (real / old).write_text("planted")
    (real / "a").unlink()
    with pytest.raises(ApplyConflicts, match="no longer exists"):
        apply(wanted)
    assert not (real / "a").exists()
    assert (real / old).read_text() == "planted"


def test_what_cannot_be_restored_is_finished_by_the_next_apply(
    real: Path, wanted: list[ApplyChange], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(step: str) -> None:
        if step == "applied":
            raise OSError(5, "Input/output error")

    def refused(item: ApplyItem) -> str:
        raise OSError(5, "Input/output error", item.target)

    with monkeypatch.context() as patched:
        patched.setattr(applying, "undo", refused)
        with pytest.raises(ApplyFailed, match=r"and so did restoring.*applying them again"):
            apply(wanted, failing)
    apply(wanted)
    assert seen(real) == seen(real.parent / "copy")


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_an_error_after_all_is_in_place_restores_all(
    real: Path, wanted: list[ApplyChange], monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Some file systems and systems link no file under a second name."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(95, "Operation not supported")

    if not links:
        monkeypatch.setattr(os, "link", refused)
    before = exactly(real)

    def failing(step: str) -> None:
        if step == "applied":
            raise OSError(5, "Input/output error")

    with pytest.raises(ApplyFailed) as raised:
        apply(wanted, failing)
    assert str(raised.value) == "nothing was applied: Input/output error"
    assert exactly(real) == before
    apply(wanted)
    assert seen(real) == seen(real.parent / "copy")


@needs_fork
def test_what_is_written_to_an_open_file_while_it_is_replaced_is_kept(
    real: Path, wanted: list[ApplyChange]
) -> None:
    """Whoever has a file open writes to what lies aside by then."""
    with (real / "a").open("ab") as late:

        def write(step: str) -> None:
            if step == "applied":
                late.write(b", and more")
                late.flush()

        done = apply(wanted, write)
    [note] = done.notes
    [old] = leftovers(real)
    assert note.endswith(f"was written to while it was replaced: that version is {real / old}")
    assert (real / old).read_text() == "a, and more"
    assert (real / "a").read_text() == "A"


MISLED = ("begin", "make", "wait", "put", "applied", "clear")


@needs_fork
@pytest.mark.parametrize("step", MISLED)
def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(tmp_path: Path, step: str) -> None:
    """Nothing is written, removed or read where it leads; the next apply needs the folder."""
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

    wanted = changes(real, make(tmp_path / "copy", {**after, **many}))
    with suppress(ApplyFailed):
        apply(wanted, mislead)
    assert done
    assert exactly(outside) == untouched
    (real / "way").unlink()
    (tmp_path / "aside").rename(real / "way")
    apply(wanted)
    assert not leftovers(real)
    assert seen(real) == seen(tmp_path / "copy")


FULL = """
import os, sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyFailed
from tests.dryrun.applying.ground import changes, exactly, make, seen
real = make(Path(sys.argv[1]), {f"f{n}": b"x" * 9000 for n in range(40)})
copy = make(Path(sys.argv[2]), {f"f{n}": b"y" * 20000 for n in range(40)})
before = exactly(real)
try:
    apply(changes(real, copy))
except ApplyFailed as error:
    print(error)
assert exactly(real) == before
# There is room for half of them.
apply([each for each in changes(real, copy) if int(each.path[1:]) < 20])
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
