"""What an update makes of each history of a template and of a skill."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.scaffold.new.building import kept
from tests.scaffold.new.histories import HISTORIES, SKILL, Content, Files, History, Link, Program

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.scaffold.new.creation import create, draft
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.record import FILE, read_record
from skillstudio.scaffold.new.template import read_template
from skillstudio.scaffold.new.updating import (
    ConflictsLeft,
    TemplateUpdate,
    answers_of,
    known_answers,
    plan_update,
)
from skillstudio.session.updating import file_diff, write_update


def _bytes(content: Content) -> bytes:
    return content.encode() if isinstance(content, str) else content or b""


def _open(history: History, version: int) -> Interview:
    """The first or second version of the template."""
    files = history.old if version == 1 else {**history.old, **history.new}
    ask = history.ask if version == 1 else history.new_ask or history.ask
    data = {f"t/{path}": _bytes(text) for path, text in files.items() if text is not None}
    executable = [f"t/{path}" for path, text in files.items() if isinstance(text, Program)]
    tree = MemoryTree(
        {"copier.yml": ask.encode(), "t/SKILL.md.jinja": SKILL.encode(), **data}, "t", executable
    )
    return kept(Interview(read_template(tree, "t", "path", "t"), "tea"))


def _write(files: Files, folder: Path) -> None:
    for path, content in files.items():
        file = folder / path
        file.unlink(missing_ok=True)
        if content is None:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            file.symlink_to(content)
        else:
            file.write_bytes(_bytes(content))
            file.chmod(0o755 if isinstance(content, Program) else 0o644)


def _update(history: History, version: int, skill: Path) -> TemplateUpdate:
    tree = DiskTree(str(skill))
    record = read_record(tree)
    with _open(history, version) as opened:
        questions = opened.walk({**known_answers(opened, record), **history.new_answers})
        return plan_update(opened, questions, record, tree)


def _created(history: History, folder: Path, version: int) -> Path:
    skill = folder / "tea"
    with _open(history, version) as opened:
        create(draft(opened, answers_of(opened.walk(history.answers))), str(skill))
    _write(history.edits, skill)
    return skill


@pytest.mark.skipif(os.name == "nt", reason="modes and links of Unix")
@pytest.mark.parametrize("history", HISTORIES.values(), ids=list(HISTORIES))
def test_a_history(tmp_path: Path, history: History) -> None:
    first, second = (2, 1) if history.setting == "downgrade" else (1, 2)
    second = first if history.setting == "same" else second
    skill = _created(history, tmp_path, first)
    planned = _update(history, second, skill)
    before = {path: path.read_bytes() for path in skill.rglob("*") if path.is_file()}
    assert all(map(file_diff, planned.written_files))
    assert {path: path.read_bytes() for path in skill.rglob("*") if path.is_file()} == before

    assert tuple(planned.conflict_places) == history.conflicts
    assert bool(planned.conflicts) == (history.verdict == "conflict")
    write_update(planned, str(skill))
    for path, content in history.result.items():
        file = skill / path
        if content is None:
            assert not os.path.lexists(file), path
        elif isinstance(content, Link):
            assert str(file.readlink()) == content
        else:
            text = file.read_bytes().replace(b">>>>>>> template\n", b">>>>>>> template v2\n")
            assert text == _bytes(content), path
            assert bool(file.stat().st_mode & 0o100) == isinstance(content, Program)
    everything = b"\n".join(
        path.read_bytes() for path in skill.rglob("*") if path.is_file() and path.name != FILE
    )
    if history.verdict != "kept":
        assert [text for text in history.theirs if text not in everything] == []
    assert [text for text in history.mine if text not in everything] == []
    try:
        assert _update(history, second, skill).is_current
    except ConflictsLeft:
        assert history.verdict == "conflict"
