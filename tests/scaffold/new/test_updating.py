"""An update merges the old version, the new version and the author's files, file by file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scaffold.new.building import interview

from skillstudio.files.disk import DiskTree
from skillstudio.scaffold.new.creation import create, draft
from skillstudio.scaffold.new.record import (
    FILE,
    RecordRefused,
    TemplateRecord,
    read_record,
    write_record,
)
from skillstudio.scaffold.new.updating import (
    ConflictsLeft,
    TemplateUpdate,
    answers_of,
    known_answers,
    merged_files,
    plan_update,
)
from skillstudio.session.updating import NotUpdated, write_update
from skillstudio.skill.hashing.content_hash import hash_tree

SKILL = "---\nname: {{ name }}\ndescription: Makes tea. Use when asked.\n---\n"
ASK = "name: {type: str, default: tea}\n"
FIVE = "one\ntwo\nthree\nfour\nfive\n"
Files = dict[str, str | bytes | None]


def make(folder: Path, files: Files, ask: str = ASK, **answers: str) -> Path:
    """Create a skill in a new folder; `made` is the file of the tests' names."""
    skill = folder / "tea"
    with interview(ask, "tea", **_template(files)) as opened:
        answered = answers_of(opened.walk(answers))
        create(draft(opened, answered), str(skill))
    return skill


def update(skill: Path, files: Files, ask: str = ASK, **answers: str) -> TemplateUpdate:
    record = read_record(DiskTree(skill))
    with interview(ask, record.folder, **_template(files)) as opened:
        asked = opened.walk({**known_answers(opened, record), **answers})
        return plan_update(opened, asked, record, DiskTree(skill))


def _template(files: Files) -> dict[str, str | bytes]:
    found = {path: each for path, each in files.items() if each is not None}
    return {"SKILL.md.jinja": SKILL, **found}


class Case(NamedTuple):
    """One file: in the old version, on disk, in the new version; None where there is none."""

    old: str | bytes | None
    mine: str | bytes | None
    new: str | bytes | None
    outcome: str  # "" if there is nothing to report.
    result: str | bytes | None


def conflict(mine: str, theirs: str) -> str:
    return f"<<<<<<< yours\n{mine}=======\n{theirs}>>>>>>> template\n"


CASES = {
    "unchanged": Case(FIVE, FIVE, FIVE, "", FIVE),
    "changed by the author": Case(FIVE, FIVE + "six\n", FIVE, "", FIVE + "six\n"),
    "changed by the template": Case(FIVE, FIVE, FIVE + "six\n", "changed", FIVE + "six\n"),
    "both the same": Case(FIVE, FIVE + "six\n", FIVE + "six\n", "", FIVE + "six\n"),
    "both at different places": Case(
        FIVE, "zero\n" + FIVE, FIVE + "six\n", "merged", "zero\n" + FIVE + "six\n"
    ),
    "both at the same place": Case(
        FIVE,
        FIVE.replace("three", "mine"),
        FIVE.replace("three", "theirs"),
        "conflict",
        "one\ntwo\n" + conflict("mine\n", "theirs\n") + "four\nfive\n",
    ),
    "a conflict in a last line without an end": Case(
        "a", "b", "c", "conflict", conflict("b\n", "c\n")
    ),
    "added by the template": Case(None, None, FIVE, "added", FIVE),
    "added by both, the same": Case(None, FIVE, FIVE, "", FIVE),
    "added by both, differently": Case(None, "a\n", "b\n", "conflict", conflict("a\n", "b\n")),
    "added by the author": Case(None, FIVE, None, "", FIVE),
    "removed by the template": Case(FIVE, FIVE, None, "removed", None),
    "removed by the template, changed by the author": Case(FIVE, "mine\n", None, "kept", "mine\n"),
    "deleted by the author": Case(FIVE, None, FIVE, "", None),
    "deleted by the author, changed by the template": Case(FIVE, None, "new\n", "kept", None),
    "removed by both": Case(FIVE, None, None, "", None),
    "line ends of Windows": Case(
        FIVE, FIVE.replace("\n", "\r\n"), FIVE + "six\n", "changed",
        (FIVE + "six\n").replace("\n", "\r\n"),
    ),
    "not a text, changed by the template": Case(b"\0a", b"\0a", b"\0b", "changed", b"\0b"),
    "not a text, changed by the author": Case(b"\0a", b"\0b", b"\0a", "", b"\0b"),
    "not a text, changed by both": Case(b"\0a", b"\0b", b"\0c", "conflict", b"\0b"),
    "not UTF-8, changed by both": Case(b"\xff\n", b"\xfe\n", b"\xfd\n", "conflict", b"\xfe\n"),
}  # fmt: skip


def _bytes(data: str | bytes | None) -> bytes | None:
    return data.encode() if isinstance(data, str) else data


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_each_file_is_merged_in_three_ways(tmp_path: Path, case: Case) -> None:
    skill = make(tmp_path, {"made": case.old})
    made = skill / "made"
    if case.mine is None:
        made.unlink(missing_ok=True)
    else:
        made.write_bytes(_bytes(case.mine) or b"")
    planned = update(skill, {"made": case.new})
    found = {each.path: each for each in planned.files}
    assert (found["made"].outcome if "made" in found else "") == case.outcome
    assert bool(planned.conflicts) == (case.outcome == "conflict")
    write_update(planned, str(skill))
    assert (made.read_bytes() if made.exists() else None) == _bytes(case.result)
    if case.outcome == "conflict" and isinstance(case.new, bytes):
        # Nothing is lost: the template's version is beside it.
        assert (skill / "made.new").read_bytes() == case.new
        assert "the template's version is in made.new" in found["made"].note
    # What is resolved is not asked again.
    if case.outcome == "conflict" and not isinstance(case.new, bytes):
        with pytest.raises(ConflictsLeft, match="made has conflicts of an earlier update"):
            update(skill, {"made": case.new})
        made.write_text("resolved\n")
    assert update(skill, {"made": case.new}).is_current


def test_a_record_changes_no_digest(tmp_path: Path) -> None:
    skill = make(tmp_path, {"made": FIVE})
    with_record = hash_tree(DiskTree(skill))
    (skill / FILE).unlink()
    (skill / ".skillignore").unlink()
    assert hash_tree(DiskTree(skill)) == with_record


def test_sensitive_answers_are_not_recorded_and_not_needed_again(tmp_path: Path) -> None:
    ask = ASK + "token: {type: str, secret: true, default: default-token}\n"
    old, new = "{{ token }}\ntwo\nthree\n", "{{ token }}\ntwo\nTHREE\n"
    skill = make(tmp_path, {"made.jinja": old}, ask, token="hunter22")
    assert (skill / "made").read_text() == "hunter22\ntwo\nthree\n"
    record = read_record(DiskTree(skill))
    assert record.answers == {"name": "tea"}
    assert (record.files or {})["made"] == b"<token is not recorded>\ntwo\nthree\n"
    assert update(skill, {"made.jinja": old}, ask).is_current
    planned = update(skill, {"made.jinja": new, "more.jinja": "{{ token }}"}, ask)
    assert b"not recorded" not in b"".join(each.new or b"" for each in planned.files)
    write_update(planned, str(skill))
    assert (skill / "made").read_text() == "hunter22\ntwo\nTHREE\n"
    assert (skill / "more").read_text() == "default-token"


def test_answers_are_used_again_and_renamed_questions_have_their_default(tmp_path: Path) -> None:
    old = ASK + "kind: {type: str, default: green}\n"
    new = ASK + "sort: {type: str, default: black}\nsugar: {type: bool, default: false}\n"
    skill = make(tmp_path, {"made.jinja": "{{ kind }}\n"}, old, name="chai", kind="white")
    planned = update(skill, {"made.jinja": "{{ sort }} {{ sugar }}\n"}, new)
    assert planned.answers == {"name": "chai", "sort": "black", "sugar": False}
    assert planned.dropped_names == ("kind",)
    write_update(planned, str(skill))
    assert (skill / "made").read_text() == "black False\n"
    assert "name: chai" in (skill / "SKILL.md").read_text()
    answered = update(skill, {"made.jinja": "{{ sort }} {{ sugar }}\n"}, new, sugar="yes")
    assert [each.path for each in answered.files] == ["made"]


def test_a_folder_that_was_renamed_is_not_a_change_of_the_template(tmp_path: Path) -> None:
    files: Files = {"made.jinja": "{{ _folder_name }}\n"}
    moved = make(tmp_path, files).rename(tmp_path / "chai")
    assert update(moved, files).is_current


def test_a_link_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    skill = make(tmp_path, {"made": FIVE})
    outside = tmp_path / "outside"
    outside.write_text("secret\n")
    (skill / "made").unlink()
    (skill / "made").symlink_to(outside)
    write_update(update(skill, {"made": "new\n"}), str(skill))
    assert (skill / "made").is_symlink()
    assert outside.read_text() == "secret\n"
    assert (skill / "made.new").read_text() == "new\n"


def test_nothing_is_written_if_a_file_changed_since_it_was_read(tmp_path: Path) -> None:
    skill = make(tmp_path, {"made": FIVE, "other": FIVE})
    planned = update(skill, {"made": FIVE + "six\n", "other": "new\n"})
    (skill / "other").write_text("changed meanwhile\n")
    with pytest.raises(NotUpdated, match="other"):
        write_update(planned, str(skill))
    assert (skill / "made").read_text() == FIVE
    assert read_record(DiskTree(skill)).files == {
        "SKILL.md": (skill / "SKILL.md").read_bytes(), "made": FIVE.encode(),
        "other": FIVE.encode(),
    }  # fmt: skip


DAMAGED = {
    "no record": (None, "has no .copier-answers.yml"),
    "not YAML": ("a: 1\nb: [", ".copier-answers.yml:2: "),
    "a conflict of git": (
        "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n",
        ".copier-answers.yml:2 has a conflict of a merge; keep one side",
    ),
    "not UTF-8": ("a: 1\nb: \udce4\n", ".copier-answers.yml:2 is not UTF-8"),
    "not a mapping": ("- a\n", "is not a mapping"),
    "damaged files": ("_skillstudio: {folder: tea, rendered: eNo}\n", "is damaged"),
    "too many values": ("a: &a [x]\nb: [" + "*a, " * 20_000 + "x]\n", ".copier-answers.yml:"),
}


@pytest.mark.slow_cases("too many values")
@pytest.mark.parametrize(("text", "message"), DAMAGED.values(), ids=list(DAMAGED))
def test_a_damaged_record_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecordRefused, match=message):
        read_record(DiskTree(tmp_path))


names = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=8)
answers = st.one_of(st.booleans(), st.integers(), st.text(max_size=40), st.lists(st.text()))


@pytest.mark.slow
@given(
    st.dictionaries(st.from_regex(r"\A[a-z]{1,8}\Z"), answers),
    st.dictionaries(names, st.binary(max_size=60)),
)
def test_a_record_is_read_as_it_was_written(
    answered: dict[str, object], files: dict[str, bytes]
) -> None:
    from skillstudio.files.listed import MemoryTree

    record = TemplateRecord("skillstudio:tea", "0.1.0", answered, "tea", files, frozenset(files))
    assert read_record(MemoryTree({FILE: write_record(record)}, "tea")) == record


def test_updating_to_the_same_version_changes_nothing(tmp_path: Path) -> None:
    """Whatever the author did to the files."""
    skill = make(tmp_path, {"made": FIVE, "other": b"\0"})
    assert update(skill, {"made": FIVE, "other": b"\0"}).is_current
    record = read_record(DiskTree(skill))
    lines = st.lists(st.sampled_from(["one\n", "two\n", "six\r\n", "\0", "<<<\n"]), max_size=6)

    @given(lines.map("".join), st.none() | lines.map("".join))
    def changes_nothing(made: str, other: str | None) -> None:
        (skill / "made").write_bytes(made.encode())
        (skill / "other").unlink(missing_ok=True)
        if other is not None:
            (skill / "other").write_bytes(other.encode())
        assert list(merged_files(record, record, DiskTree(skill))) == []

    changes_nothing()


@pytest.mark.skipif(os.name == "nt", reason="modes of Unix")
def test_the_template_may_make_a_file_executable(tmp_path: Path) -> None:
    skill = make(tmp_path, {"made": FIVE})
    record = read_record(DiskTree(skill))
    with interview(ASK, "tea", **_template({"made": FIVE})) as opened:
        opened.contents = opened.contents._replace(executable=frozenset({"made"}))
        planned = plan_update(opened, opened.walk({}), record, DiskTree(skill))
    write_update(planned, str(skill))
    assert (skill / "made").stat().st_mode & 0o111
    assert read_record(DiskTree(skill)).executable == {"made"}


def test_a_template_that_replaces_a_file_with_a_link_removes_nothing(tmp_path: Path) -> None:
    skill = make(tmp_path, {"made": FIVE})
    ask = ASK + "_preserve_symlinks: true\n"
    record = read_record(DiskTree(skill))
    with interview(ask, "tea", **_template({})) as opened:
        opened.contents = opened.contents._replace(links={"made": "SKILL.md"})
        planned = plan_update(opened, opened.walk({}), record, DiskTree(skill))
    assert planned.notes == (
        "made is a link to SKILL.md in the template; update leaves links alone",
    )
    write_update(planned, str(skill))
    assert (skill / "made").read_text() == FIVE
