"""Drafts: unsaved text that outlives the program."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    (file,) = Path(drafts.folder).iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_text_survives(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        drafts = Drafts(folder)
        drafts.keep(BufferDraft("/a", text, text, 1.0))
        assert drafts.all()[0].text == text


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
    session.drafts.keep(BufferDraft(path, "1\ntwo\n3\n", "one\ntwo\nthree\n", 1.0))
    (draft,) = session.found_drafts()
    buffer, sides = session.recover(draft)
    assert sides is None
    assert buffer.text == "1\ntwo\n3\n"
    assert buffer.dirty
    buffer.undo()
    assert not buffer.dirty


def test_a_draft_of_another_base_comes_with_the_disagreement(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    session.drafts.keep(BufferDraft(path, "mine\n", "base\n", 1.0))
    _, sides = session.recover(session.found_drafts()[0])
    assert sides is not None
    assert (sides.base, sides.mine, sides.theirs) == ("base\n", "mine\n", "one\ntwo\nthree\n")


def test_a_draft_of_a_file_that_is_gone_can_be_written_again(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    session.drafts.keep(BufferDraft(path, "mine\n", "base\n", 1.0))
    Path(path).unlink()
    buffer, sides = session.recover(session.found_drafts()[0])
    assert sides is not None
    assert sides.theirs is None
    session.save(buffer)
    assert Path(path).read_text() == "mine\n"


def test_drafts_that_the_disk_has_already_or_of_elsewhere_are_not_offered(session: Session) -> None:
    path = session.workspace.path("alpha", "SKILL.md")
    session.drafts.keep(BufferDraft(path, "one\ntwo\nthree\n", "base", 1.0))
    session.drafts.keep(BufferDraft("/elsewhere/SKILL.md", "text", "base", 1.0))
    assert session.found_drafts() == []
    assert [draft.path for draft in session.drafts.all()] == ["/elsewhere/SKILL.md"]
