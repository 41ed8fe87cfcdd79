"""The buffer: every change can be taken back, and nothing on disk is ever lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.session.buffer import LARGEST, Buffer, BufferChange, DiskChanged
from skillstudio.text.diagnostic import Splice

WORDS = st.text(alphabet="ab \n\r\u2028é", max_size=4)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "SKILL.md"
    path.write_bytes("\ufeffone\r\ntwo\nthree\rfour".encode())
    return path


@st.composite
def _edits(draw: st.DrawFn) -> tuple[str, list[tuple[list[Splice], bool]]]:
    """A text, and lists of splices each of which fits the text that the ones before leave."""
    start = draw(st.text(alphabet="xyz\r\n ", max_size=12))
    length, steps = len(start), []
    for _ in range(draw(st.integers(1, 6))):
        cuts = sorted(draw(st.lists(st.integers(0, length), min_size=2, max_size=6)))
        pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
        splices = [Splice(a, b, draw(WORDS)) for a, b in pairs]
        steps.append((splices, draw(st.booleans())))
        length += sum(len(s.text) - (s.end - s.start) for s in splices)
    return start, steps


@given(_edits())
def test_undo_goes_back_through_every_text_and_redo_forth_again(
    case: tuple[str, list[tuple[list[Splice], bool]]],
) -> None:
    start, steps = case
    buffer = Buffer("f", start.encode())
    for splices, merge in steps:
        buffer.replace(splices, "edit", merge=merge)
    end = buffer.text
    seen = [end]
    while buffer.undo() is not None:
        seen.append(buffer.text)
    assert buffer.text == start
    assert not buffer.dirty
    for text in reversed(seen[:-1]):
        assert buffer.redo() is not None
        assert buffer.text == text
    assert buffer.redo() is None
    assert buffer.text == end
    assert buffer.dirty == (end != start)


@given(_edits())
def test_a_subscriber_can_follow_the_text_by_the_splices_alone(
    case: tuple[str, list[tuple[list[Splice], bool]]],
) -> None:
    start, steps = case
    buffer = Buffer("f", start.encode())
    copy, versions = [start], [0]

    def follow(change: BufferChange) -> None:
        text = copy[0]
        for splice in reversed(change.splices):
            text = text[: splice.start] + splice.text + text[splice.end :]
        copy[0] = text
        versions.append(change.version)

    end_following = buffer.subscribe(follow)
    for splices, merge in steps:
        buffer.replace(splices, "edit", merge=merge)
        assert copy[0] == buffer.text
    while buffer.undo():
        assert copy[0] == buffer.text
    while buffer.redo():
        assert copy[0] == buffer.text
    assert versions == sorted(set(versions))
    end_following()
    buffer.replace([Splice(0, 0, "!")], "edit")
    assert copy[0] != buffer.text


@pytest.mark.parametrize(
    ("typed", "texts"),
    [
        (["c", "a", "t"], [""]),
        (["c", "a", "t", " ", "d", "o"], ["cat ", ""]),
        (["a", "\n", "b"], ["a\n", "a", ""]),
    ],
)
def test_typing_is_taken_back_by_words_and_lines(typed: list[str], texts: list[str]) -> None:
    buffer = Buffer("f", b"")
    for character in typed:
        end = len(buffer.text)
        buffer.replace([Splice(end, end, character)], "typing", merge=True)
    seen = []
    while buffer.undo():
        seen.append(buffer.text)
    assert seen == texts


def test_backspaces_are_one_step_and_not_part_of_the_typing_before() -> None:
    buffer = Buffer("f", b"abc")
    buffer.replace([Splice(3, 3, "d")], "typing", merge=True)
    buffer.replace([Splice(3, 4, "")], "deleting", merge=True)
    buffer.replace([Splice(2, 3, "")], "deleting", merge=True)
    assert buffer.text == "ab"
    buffer.undo()
    assert buffer.text == "abcd"
    buffer.undo()
    assert buffer.text == "abc"


def test_typing_elsewhere_or_after_a_seal_is_a_step_of_its_own() -> None:
    buffer = Buffer("f", b"abc")
    buffer.replace([Splice(3, 3, "d")], "typing", merge=True)
    buffer.replace([Splice(0, 0, "x")], "typing", merge=True)
    buffer.seal()
    buffer.replace([Splice(1, 1, "y")], "typing", merge=True)
    texts = []
    while buffer.undo():
        texts.append(buffer.text)
    assert texts == ["xabcd", "abcd", "abc"]


def test_saving_writes_the_text_and_not_a_byte_else(file: Path) -> None:
    before = file.read_bytes()
    buffer = Buffer.open(str(file))
    assert not buffer.dirty
    at = buffer.text.index("two")
    buffer.replace([Splice(at, at + 3, "2")], "edit")
    assert buffer.dirty
    buffer.save()
    assert not buffer.dirty
    assert file.read_bytes() == before.replace(b"two", b"2")


def test_undo_works_after_a_save_and_makes_the_buffer_dirty(file: Path) -> None:
    before = file.read_bytes()
    buffer = Buffer.open(str(file))
    buffer.replace([Splice(1, 4, "uno")], "edit")
    buffer.save()
    assert buffer.undo() is not None
    assert buffer.dirty
    buffer.save()
    assert file.read_bytes() == before


def test_typing_back_to_the_saved_text_is_not_dirty() -> None:
    buffer = Buffer("f", b"a")
    buffer.replace([Splice(0, 1, "b")], "edit")
    buffer.replace([Splice(0, 1, "a")], "edit")
    assert not buffer.dirty


def test_a_file_that_changed_on_disk_is_never_overwritten(file: Path) -> None:
    buffer = Buffer.open(str(file))
    buffer.replace([Splice(1, 4, "mine")], "edit")
    file.write_bytes(b"theirs")
    assert buffer.differs(buffer.on_disk())
    with pytest.raises(DiskChanged) as caught:
        buffer.save()
    assert caught.value.data == b"theirs"
    assert file.read_bytes() == b"theirs"
    buffer.rebase(b"theirs")
    assert buffer.dirty
    buffer.save()
    assert file.read_bytes().startswith("\ufeffmine".encode())


def test_a_file_that_is_gone_is_not_written_again_unasked(file: Path) -> None:
    buffer = Buffer.open(str(file))
    file.unlink()
    with pytest.raises(DiskChanged) as caught:
        buffer.save()
    assert caught.value.data is None
    assert not file.exists()
    buffer.save(force=True)
    assert file.exists()


def test_a_file_that_someone_else_wrote_the_same_way_is_saved_already(file: Path) -> None:
    buffer = Buffer.open(str(file))
    buffer.replace([Splice(0, len(buffer.text), "same")], "edit")
    file.write_bytes(b"same")
    buffer.save()
    assert not buffer.dirty


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"ok\n\xff", "not UTF-8 at line 2"), (b"a" * (LARGEST + 1), "larger than 1 MiB")],
)
def test_what_cannot_be_kept_whole_opens_read_only(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    path = tmp_path / "SKILL.md"
    path.write_bytes(data)
    buffer = Buffer.open(str(path))
    assert buffer.read_only.startswith(reason)
    assert not buffer.differs(buffer.on_disk())
    with pytest.raises(PermissionError):
        buffer.replace([Splice(0, 0, "x")], "edit")
    with pytest.raises(PermissionError):
        buffer.save(force=True)
    assert path.read_bytes() == data


@pytest.mark.skipif(os.name == "nt", reason="permission bits are POSIX")
def test_a_protected_file_opens_read_only(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_text("text")
    path.chmod(0o444)
    assert Buffer.open(str(path)).read_only == "read-only on disk"


def test_a_link_out_of_the_skill_opens_read_only(tmp_path: Path) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    (tmp_path / "elsewhere.md").write_text("text")
    (skill / "SKILL.md").symlink_to(tmp_path / "elsewhere.md")
    (skill / "own.md").write_text("text")
    (skill / "link.md").symlink_to("own.md")
    assert "leaves" in Buffer.open(str(skill / "SKILL.md"), within=str(skill)).read_only
    inside = Buffer.open(str(skill / "link.md"), within=str(skill))
    assert inside.read_only == ""
    inside.replace([Splice(0, 0, "my ")], "edit")
    inside.save()
    assert (skill / "link.md").is_symlink()
    assert (skill / "own.md").read_text() == "my text"


@pytest.mark.parametrize(
    "splices",
    [
        [Splice(0, 2, ""), Splice(1, 3, "")],
        [Splice(0, 9, "")],
        [Splice(2, 1, "")],
        [Splice(0, 0, "\ud800")],
    ],
    ids=["overlap", "outside", "backwards", "lone surrogate"],
)
def test_a_change_that_makes_no_sense_is_refused_and_changes_nothing(
    splices: list[Splice],
) -> None:
    buffer = Buffer("f", b"abc")
    with pytest.raises(ValueError):
        buffer.replace(splices, "edit")
    assert (buffer.text, buffer.version, buffer.dirty) == ("abc", 0, False)


def test_several_steps_become_one() -> None:
    buffer = Buffer("a", b"one two")
    buffer.replace([Splice(0, 3, "1")], "First")
    depth = buffer.undo_depth
    for splices in ([Splice(0, 0, "x"), Splice(5, 5, "z")], [Splice(0, 2, "yy")]):
        buffer.replace(splices, "More")
    buffer.combine(depth, "Typing")
    assert (buffer.text, buffer.undo_depth, buffer.undo_label) == ("yy twoz", 2, "Typing")
    buffer.undo()
    assert buffer.text == "1 two"
    buffer.redo()
    assert buffer.text == "yy twoz"
    buffer.replace([Splice(0, 0, "x")], "More")
    buffer.replace([Splice(0, 1, "")], "More")
    buffer.combine(2, "Nothing")
    assert buffer.undo_depth == 2
