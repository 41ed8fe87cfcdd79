"""What a killed apply leaves, after the user or the disk did something else meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.dryrun.applying.ground import Tree, changes, exactly, make, seen

from skillstudio.dryrun.applying.apply import Recovered, apply, is_cut_off, recover
from skillstudio.dryrun.applying.wanted import ApplyFailed, Wanted

BEFORE: Tree = {"a": b"a", "b": b"b", "folder/c": b"c"}
AFTER: Tree = {"a": b"A", "folder": b"f", "new": b"n", "sub/new": b"n"}


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return make(tmp_path / "real", BEFORE)


@pytest.fixture
def wanted(real: Path, tmp_path: Path) -> list[Wanted]:
    return changes(real, make(tmp_path / "copy", AFTER))


@pytest.fixture
def journals(tmp_path: Path) -> str:
    return str(tmp_path / "journals")


def cut_at(wanted: list[Wanted], journals: str, step: str) -> None:
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
    real: Path, wanted: list[Wanted], journals: str
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
def test_the_next_apply_recovers_first(real: Path, wanted: list[Wanted], journals: str) -> None:
    cut_at(wanted, journals, "commit")
    done = apply(wanted, journals)
    assert [each.outcome for each in done.recovered] == ["rolled back"]
    assert seen(real) == seen(real.parent / "copy")


@needs_fork
def test_what_the_user_wrote_before_its_turn_came_rolls_all_back(
    real: Path, wanted: list[Wanted], journals: str
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
    real: Path, wanted: list[Wanted], journals: str
) -> None:
    cut_at(wanted, journals, "put " + str(real / "new"))
    (real / "a").write_text("mine")
    (real / "new").write_text("mine, too")
    [back] = recover(journals)
    assert back.outcome == "rolled back"
    [note] = [note for note in back.notes if "changed since, so it stays" in note]
    [old] = leftovers(real)
    assert str(real / old) in note
    assert (real / old).read_text() == "a"
    assert (real / "a").read_text() == "mine"
    assert (real / "new").read_text() == "mine, too"
    assert (real / "folder/c").read_text() == "c"


@needs_fork
def test_a_disk_that_is_away_is_waited_for(real: Path, wanted: list[Wanted], journals: str) -> None:
    cut_at(wanted, journals, "put " + str(real / "new"))
    real.rename(real.parent / "away")
    for _ in range(2):
        [stuck] = recover(journals)
        assert stuck.outcome == "stuck"
        assert "is its disk?" in stuck.notes[0]
    real.mkdir()
    assert [each.outcome for each in recover(journals)] == ["stuck"]
    real.rmdir()
    (real.parent / "away").rename(real)
    assert [each.outcome for each in recover(journals)] == ["finished"]
    assert seen(real) == seen(real.parent / "copy")


@needs_fork
def test_what_is_stuck_hinders_no_other(
    real: Path, wanted: list[Wanted], journals: str, tmp_path: Path
) -> None:
    cut_at(wanted, journals, "commit")
    shutil.rmtree(real)
    other = make(tmp_path / "other", {"a": b"a"})
    done = apply(changes(other, make(tmp_path / "c", {"a": b"A"})), journals)
    assert [each.outcome for each in done.recovered] == ["stuck"]
    assert (other / "a").read_text() == "A"


def test_a_rollback_that_fails_is_done_by_the_next_start(
    real: Path, wanted: list[Wanted], journals: str
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
    real: Path, wanted: list[Wanted], journals: str, monkeypatch: pytest.MonkeyPatch
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


FULL = """
import os, sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from skillstudio.dryrun.applying.apply import apply, recover
from skillstudio.dryrun.applying.wanted import ApplyFailed
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
