"""A killed update loses nothing, and another one finishes it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kills import KILLED, forked, kill_before_call
from tests.scaffold.new.building import interview

from skillstudio.files.disk import DiskTree
from skillstudio.files.temporary import PREFIX
from skillstudio.scaffold.new.creation import create, draft
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.record import FILE, read_record
from skillstudio.scaffold.new.updating import (
    ConflictsLeft,
    TemplateUpdate,
    answers_of,
    known_answers,
    plan_update,
)
from skillstudio.session.updating import write_update

SKILL = "---\nname: tea\ndescription: Makes tea. Use when asked.\n---\n"
TEN = "".join(f"step {number}\n" for number in range(10))
OLD = {"SKILL.md": SKILL, "a.md": TEN, "gone.md": "gone\n", "old.md": TEN[::-1]}
NEW = {"SKILL.md": SKILL, "a.md": TEN + "theirs\n", "b.md": "b\n", "new.md": TEN[::-1] + "end\n"}
RESULT = {
    "SKILL.md": SKILL, "a.md": "mine\n" + TEN + "theirs\n", "b.md": "b\n",
    "new.md": "mine\n" + TEN[::-1] + "end\n",
}  # fmt: skip


def _plan(skill: Path, new: dict[str, str] = NEW) -> TemplateUpdate:
    tree = DiskTree(str(skill))
    record = read_record(tree)
    with interview("name: {default: tea}\n", "tea", **new) as opened:
        return plan_update(opened, _asked(opened, known_answers(opened, record)), record, tree)


def _asked(opened: Interview, answers: dict[str, object]) -> list[AskedQuestion]:
    return opened.walk(answers)


def _texts(skill: Path) -> dict[str, str]:
    names = sorted(set(os.listdir(skill)) - {FILE, ".skillignore"})
    return {name: (skill / name).read_text() for name in names}


def killed_updates(start: Path, planned: TemplateUpdate) -> Iterator[tuple[int, Path]]:
    """Copies of a skill, each with an update that was killed at a later call; the last one ends."""
    number, ended = 0, KILLED
    while ended == KILLED:
        skill = start.parent / str(number) / "tea"
        shutil.copytree(start, skill)

        def work(skill: Path = skill, number: int = number) -> None:
            kill_before_call(number)
            write_update(planned, str(skill))

        ended = forked(work)
        number += 1
        yield number, skill


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_an_update_is_killed_before_each_call(tmp_path: Path) -> None:
    start = tmp_path / "start"
    with interview("name: {default: tea}\n", "tea", **OLD) as opened:
        create(draft(opened, answers_of(opened.walk({}))), str(start))
    for name in ("a.md", "old.md"):
        (start / name).write_text("mine\n" + (start / name).read_text())
    before = _texts(start)
    planned = _plan(start)
    number = conflicts = 0
    for number, skill in killed_updates(start, planned):
        killed = _texts(skill)
        for name, text in killed.items():
            if not name.startswith(PREFIX):
                assert text in (before.get(name), RESULT.get(name)), (number, name)
        is_finished = (skill / FILE).read_bytes() == planned.record.new
        if is_finished:
            assert {n: t for n, t in killed.items() if not n.startswith(PREFIX)} == RESULT
        again = _plan(skill)
        write_update(again, str(skill))
        after = {n: t for n, t in _texts(skill).items() if not n.startswith(PREFIX)}
        assert not list(skill.glob(f"{PREFIX}*")), number
        if again.conflicts:
            # It was killed between the removal of the old name and the new record.
            conflicts += 1
            assert after.keys() == RESULT.keys()
            assert "mine\n" in after["new.md"]
        else:
            assert after == RESULT, number
    assert number > 20
    assert conflicts < number / 4


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_update_with_conflicts_and_a_moved_file_is_finished(tmp_path: Path) -> None:
    start = tmp_path / "start"
    with interview("name: {default: tea}\n", "tea", **OLD) as opened:
        create(draft(opened, answers_of(opened.walk({}))), str(start))
    (start / "a.md").write_text(TEN + "mine\n")  # Where the template adds a line, too.
    (start / "moved.md").write_text(TEN[::-1] + "mine\n")
    (start / "old.md").unlink()
    new = NEW | {"old.md": "theirs\n" + TEN[::-1]}
    del new["new.md"]
    planned = _plan(start, new)
    conflict = f"{TEN}<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> template\n"
    result = {
        "SKILL.md": SKILL, "a.md": conflict, "b.md": "b\n",
        "moved.md": "theirs\n" + TEN[::-1] + "mine\n",
    }  # fmt: skip
    number = 0
    for number, skill in killed_updates(start, planned):
        try:
            again = _plan(skill, new)
        except ConflictsLeft:
            # All is written; once the author has resolved it, the rest is tidied.
            assert (skill / FILE).read_bytes() == planned.record.new
            assert _texts(skill).items() >= result.items(), number
            (skill / "a.md").write_text("resolved\n")
            write_update(_plan(skill, new), str(skill))
            assert _texts(skill) == result | {"a.md": "resolved\n"}, number
            continue
        assert again.conflict_places == ["a.md:11"], number
        write_update(again, str(skill))
        assert _texts(skill) == result, number
    assert number > 20
