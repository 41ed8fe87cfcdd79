"""Drafts: unsaved text that outlives the program."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.session import drafts as drafts_module
from skillstudio.session.drafts import BufferDraft, Drafts
from skillstudio.session.session import Session
from skillstudio.session.workspace import Workspace
from skillstudio.text.diagnostic import Splice


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    return Drafts(str(tmp_path / "drafts"))


def test_a_draft_comes_back_as_it_was_and_the_newest_first(drafts: Drafts) -> None:
    old = BufferDraft("/a/SKILL.md", "\ufeffone\r\n\u2028", "base", 1.0)
    new = BufferDraft("/b/SKILL.md", "two", None, 2.0)
    drafts.keep(old)
    drafts.keep(new)
    assert drafts.all() == [new, old]


def test_a_later_draft_of_a_file_takes_the_place_of_the_earlier(drafts: Drafts) -> None:
    drafts.keep(BufferDraft("/a", "one", "", 1.0))
    drafts.keep(BufferDraft("/a", "two", "", 2.0))
    assert [draft.text for draft in drafts.all()] == ["two"]


def test_dropping_twice_or_what_was_never_kept_is_no_error(drafts: Drafts) -> None:
    drafts.drop("/a")
    drafts.keep(BufferDraft("/a", "one", "", 1.0))
    drafts.drop("/a")
    drafts.drop("/a")
    assert drafts.all() == []


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"path": 1}', b"\xff", b"null"])
def test_a_broken_file_among_them_hides_no_other(drafts: Drafts, data: bytes) -> None:
    drafts.keep(BufferDraft("/a", "one", "", 1.0))
    broken = Path(drafts.folder) / "x.json"
    broken.write_bytes(data)
    found = drafts.all()
    assert [draft.path for draft in found] == ["/a"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permission bits")
def test_only_the_user_can_read_a_draft(drafts: Drafts) -> None:
    drafts.keep(BufferDraft("/a", "secret", "", 1.0))
    files = list(Path(drafts.folder).iterdir())
    assert [file.suffix for file in sorted(files)].count(".json") == 1
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def abandon(folder: str, *drafts: BufferDraft) -> None:
    """Keep some drafts as a process that ended since."""
    other = Drafts(folder)
    for draft in drafts:
        other.keep(draft)
    other.close()


def test_two_processes_have_a_draft_each_of_one_file(drafts: Drafts) -> None:
    other = Drafts(drafts.folder)
    mine, theirs = BufferDraft("/a", "mine", "", 1.0), BufferDraft("/a", "theirs", "", 2.0)
    drafts.keep(mine)
    other.keep(theirs)
    assert (drafts.all(), drafts.find_abandoned()) == ([mine], [])
    drafts.discard(theirs)
    drafts.drop("/a")
    assert other.all() == [theirs]
    drafts.keep(mine)
    other.close()
    assert (drafts.all(), drafts.find_abandoned()) == ([theirs, mine], [theirs])
    drafts.discard(theirs)
    assert drafts.all() == [mine]


_OTHER = """
import sys, time
from skillstudio.session.drafts import BufferDraft, Drafts
drafts = Drafts(sys.argv[1])
drafts.keep(BufferDraft("/a", "theirs", "", 2.0))
print("kept", flush=True)
sys.stdin.read()
"""


def test_a_draft_is_abandoned_when_its_process_is_killed(drafts: Drafts) -> None:
    drafts.keep(BufferDraft("/a", "mine", "", 1.0))
    command = [sys.executable, "-c", _OTHER, drafts.folder]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept\n"
        assert drafts.find_abandoned() == []
        process.kill()
    assert [draft.text for draft in drafts.find_abandoned()] == ["theirs"]
    assert [draft.text for draft in drafts.all()] == ["theirs", "mine"]


def test_several_abandoned_drafts_of_a_file_are_kept_apart(drafts: Drafts) -> None:
    old, new = BufferDraft("/a", "old", "", 1.0), BufferDraft("/a", "new", "", 2.0)
    abandon(drafts.folder, old)
    abandon(drafts.folder, new)
    assert drafts.find_abandoned() == [new, old]
    drafts.discard(new)
    assert drafts.find_abandoned() == [old]


def test_a_draft_of_an_earlier_version_is_abandoned(drafts: Drafts) -> None:
    folder = Path(drafts.folder)
    folder.mkdir()
    values = {"path": "/a", "text": "one", "base": None, "when": 1.0}
    (folder / f"{'0a' * 16}.json").write_text(json.dumps(values))
    assert drafts.find_abandoned() == [BufferDraft("/a", "one", None, 1.0)]
    drafts.keep(BufferDraft("/a", "two", None, 2.0))
    assert [draft.text for draft in drafts.all()] == ["two", "one"]
    drafts.discard(drafts.find_abandoned()[0])
    assert [draft.text for draft in drafts.all()] == ["two"]


def test_no_lock_file_is_left_without_a_draft(drafts: Drafts) -> None:
    abandon(drafts.folder, BufferDraft("/a", "one", "", 1.0))
    drafts.discard(drafts.find_abandoned()[0])
    drafts.keep(BufferDraft("/a", "two", "", 1.0))
    assert len(list(Path(drafts.folder).glob("*.lock"))) == 1
    drafts.drop("/a")
    drafts.close()
    assert list(Path(drafts.folder).iterdir()) == []


def test_without_locks_a_process_is_known_by_its_id(
    drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take(handle: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(drafts_module, "take", take)
    for pid in (os.getpid(), 0x7FFFFFFF):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        Drafts(drafts.folder).keep(BufferDraft("/a", f"by {pid}", "", 1.0))
    assert [draft.text for draft in drafts.find_abandoned()] == ["by 2147483647"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_text_survives(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        drafts = Drafts(folder)
        drafts.keep(BufferDraft("/a", text, text, 1.0))
        assert drafts.all()[0].text == text
        drafts.close()


@pytest.fixture
def session(tmp_path: Path, drafts: Drafts) -> Session:
    skill = tmp_path / "work" / "alpha"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("one\ntwo\nthree\n")
    workspace = Workspace(str(tmp_path / "work"))
    workspace.take(workspace.find())
    return Session(workspace, drafts)


def test_only_what_is_unsaved_and_new_is_written(session: Session) -> None:
    buffer = session.open("alpha", "SKILL.md")
    session.keep_drafts(1.0)
    assert session.drafts.all() == []
    buffer.replace([Splice(0, 3, "1")], "edit")
    session.keep_drafts(2.0)
    session.keep_drafts(3.0)
    assert [draft.when for draft in session.drafts.all()] == [2.0]
    buffer.undo()
    session.keep_drafts(4.0)
    assert session.drafts.all() == []


def test_saving_and_discarding_forget_the_draft(session: Session) -> None:
    for finish in (session.save, session.discard):
        buffer = session.open("alpha", "SKILL.md")
        buffer.replace([Splice(0, 0, "x")], "edit")
        session.keep_drafts(1.0)
        assert session.drafts.all()
        finish(buffer)
        session.keep_drafts(2.0)
        assert session.drafts.all() == []


def test_a_draft_is_recovered_as_one_step_of_undo(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    abandon(session.drafts.folder, BufferDraft(path, "1\ntwo\n3\n", "one\ntwo\nthree\n", 1.0))
    (draft,) = session.found_drafts()
    buffer, sides = session.recover(draft)
    assert sides is None
    assert buffer.text == "1\ntwo\n3\n"
    assert buffer.dirty
    buffer.undo()
    assert not buffer.dirty


def test_a_draft_of_another_base_comes_with_the_disagreement(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    abandon(session.drafts.folder, BufferDraft(path, "mine\n", "base\n", 1.0))
    _, sides = session.recover(session.found_drafts()[0])
    assert sides is not None
    assert (sides.base, sides.mine, sides.theirs) == ("base\n", "mine\n", "one\ntwo\nthree\n")


def test_a_draft_of_a_file_that_is_gone_can_be_written_again(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    abandon(session.drafts.folder, BufferDraft(path, "mine\n", "base\n", 1.0))
    Path(path).unlink()
    buffer, sides = session.recover(session.found_drafts()[0])
    assert sides is not None
    assert sides.theirs is None
    session.save(buffer)
    assert Path(path).read_text() == "mine\n"


def test_drafts_that_the_disk_has_already_or_of_elsewhere_are_not_offered(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    abandon(session.drafts.folder, BufferDraft(path, "one\ntwo\nthree\n", "base", 1.0))
    abandon(session.drafts.folder, BufferDraft("/elsewhere/SKILL.md", "text", "base", 1.0))
    assert session.found_drafts() == []
    assert [draft.path for draft in session.drafts.all()] == ["/elsewhere/SKILL.md"]


def test_a_recovered_draft_is_stored_as_the_own_one(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    abandon(session.drafts.folder, BufferDraft(path, "new", "one\ntwo\nthree\n", 2.0))
    abandon(session.drafts.folder, BufferDraft(path, "old", "one\ntwo\nthree\n", 1.0))
    session.recover(session.found_drafts()[0])
    assert [draft.text for draft in session.found_drafts()] == ["old"]
    assert [draft.text for draft in session.drafts.all()] == ["new", "old"]
    assert session.found_drafts("/elsewhere") == []


def test_saving_leaves_the_drafts_of_others(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    abandon(session.drafts.folder, BufferDraft(path, "theirs", "", 1.0))
    buffer = session.open("alpha", "SKILL.md")
    buffer.replace([Splice(0, 0, "x")], "edit")
    session.keep_drafts(1.0)
    session.save(buffer)
    assert [draft.text for draft in session.found_drafts()] == ["theirs"]
