"""A killed update loses nothing, and another one finishes it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.kills import KILLED, forked, kill_before_call
from tests.scaffold.new.building import interview

from skillstudio.files.disk import DiskTree
from skillstudio.files.temporary import PREFIX
from skillstudio.scaffold.new.creation import create, draft
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.record import FILE, read_record
from skillstudio.scaffold.new.updating import TemplateUpdate, answers_of, known_answers, plan_update
from skillstudio.session.updating import write_update

SKILL = "---\nname: tea\ndescription: Makes tea. Use when asked.\n---\n"
TEN = "".join(f"step {number}\n" for number in range(10))
OLD = {"SKILL.md": SKILL, "a.md": TEN, "gone.md": "gone\n", "old.md": TEN[::-1]}
NEW = {"SKILL.md": SKILL, "a.md": TEN + "theirs\n", "b.md": "b\n", "new.md": TEN[::-1] + "end\n"}
RESULT = {
    "SKILL.md": SKILL, "a.md": "mine\n" + TEN + "theirs\n", "b.md": "b\n",
    "new.md": "mine\n" + TEN[::-1] + "end\n",
}  # fmt: skip


def _plan(skill: Path) -> TemplateUpdate:
    tree = DiskTree(str(skill))
    record = read_record(tree)
    with interview("name: {default: tea}\n", "tea", **NEW) as opened:
        return plan_update(opened, _asked(opened, known_answers(opened, record)), record, tree)


def _asked(opened: Interview, answers: dict[str, object]) -> list[AskedQuestion]:
    return opened.walk(answers)


def _texts(skill: Path) -> dict[str, str]:
    names = sorted(set(os.listdir(skill)) - {FILE, ".skillignore"})
    return {name: (skill / name).read_text() for name in names}


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
    number, ended = 0, KILLED
    conflicts = 0
    while ended == KILLED:
        skill = tmp_path / str(number) / "tea"
        shutil.copytree(start, skill)

        def work(skill: Path = skill, number: int = number) -> None:
            kill_before_call(number)
            write_update(planned, str(skill))

        ended = forked(work)
        number += 1
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
        kept = [path.read_text() for path in skill.glob(f"{PREFIX}*")]
        # Only the author's file that the template renamed stays, which no merge explains.
        assert set(kept) <= {before["old.md"]}, (number, kept)
        if again.conflicts:
            # It was killed between the removal of the old name and the new record.
            conflicts += 1
            assert after.keys() == RESULT.keys()
            assert "mine\n" in after["new.md"]
        else:
            assert after == RESULT, number
    assert number > 20
    assert conflicts < number / 4
