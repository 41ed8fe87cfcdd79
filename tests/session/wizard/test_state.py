"""A folder of scripts in the wizard: what is told of each, and what is made of the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.scaffold.new.scripts.gathering import gather
from skillstudio.session.wizard.state import (
    OperationSummary,
    ScriptSummary,
    WizardInput,
    script_summaries,
)
from skillstudio.session.wizard.wizard import Wizard

FOLDERS = Path(__file__).parents[2] / "scaffold" / "new" / "folders"


def test_what_is_told_of_each_file() -> None:
    files = {
        "b.ps1": b"param([Parameter(Mandatory)]$Name)\n",
        "b.sh": b'#!/bin/sh\nname="${1:?}"\ncat x\n',
        "count.py": b"import argparse\np = argparse.ArgumentParser(description='Count.')\n"
        b"p.add_argument('--top', default=3)\np.add_argument('-v', action='store_true')\n",
        "data.csv": b"a,b",
        "old.rb": b"puts 1",
        "shared.py": b"X = 1\n",
    }
    both = (OperationSummary("b", "TODO: describe what it does and when to call it", ("name",)),)
    count = (OperationSummary("count", "Count.", ("top=3",)),)
    switch = (
        "-v is not in the operation: a switch",
        "an entrypoint passes the same arguments in every call, so it cannot leave out an option; "
        "skillstudio run SKILL SCRIPT -i NAME=VALUE takes all arguments of a script",
    )
    assert script_summaries(gather(MemoryTree(files), "folder")) == [
        ScriptSummary("b.ps1", "powershell", (), both, ()),
        ScriptSummary("b.sh", "bash", ("fs.read", "proc.exec"), both, ()),
        ScriptSummary("count.py", "python", (), count, switch),
        ScriptSummary("old.rb", "", (), (), ("was not read: unsupported language",)),
    ]


def test_a_skill_by_way_of_the_wizard(tmp_path: Path) -> None:
    wizard = Wizard(str(tmp_path))
    begun = wizard.begin_with_scripts(str(FOLDERS / "argparse"))
    assert begun.interview is not None
    assert [each.path for each in begun.scripts] == ["links.py", "notes.py"]
    wizard.take(begun.interview)
    state = wizard.look(WizardInput("Note Keeper"))
    assert [each.name for each in state.visible_questions] == ["name", "description"]
    assert state.problem_fields == ["name"]
    state = wizard.look(WizardInput("note-keeper", {"description": "Keeps notes. Use when asked."}))
    assert state.ready
    preview = wizard.draw(state)
    assert preview.draft is not None
    assert preview.draft.errors == 0
    assert wizard.create(preview) == ""
    made = tmp_path / "note-keeper"
    assert 'description: "Keeps notes. Use when asked."' in (made / "SKILL.md").read_text()
    assert (made / "scripts" / "links.py").is_file()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere", "nowhere: no such folder"),
        ("file", "file is a file; choose its folder"),
        ("empty", "empty contains no program; the folder is empty"),
        (
            "skill",
            "skill is already a skill; skillstudio edit PATH add-operation SCRIPT adds its scripts",
        ),
    ],
)
def test_folders_of_which_nothing_is_made(tmp_path: Path, path: str, said: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill" / "SKILL.md").write_text("")
    begun = Wizard(str(tmp_path)).begin_with_scripts(str(tmp_path / path))
    assert begun.interview is None
    assert begun.trouble == f"{tmp_path / said}"
