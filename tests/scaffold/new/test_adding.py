"""An operation for a script of a skill: in a manifest that is there, or in a first one."""

from __future__ import annotations

import json

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.scaffold.new.scripts.adding import AddedOperation, AddRefused, add_operation
from skillstudio.skill.analysis import analyse

FRONT = "---\nname: notes\ndescription: Keeps notes. Use it.\n---\nRun scripts/note.py."
SCRIPT = (
    "'''Write a note.'''\nimport argparse\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('title')\nopen('notes', 'w').write(parser.parse_args().title)\n"
)


def add(text: str, name: str | None = None, dialect: str | None = None) -> AddedOperation:
    tree = MemoryTree({"SKILL.md": text.encode(), "scripts/note.py": SCRIPT.encode()}, "notes")
    return add_operation(locate(tree).skill, "scripts/note.py", name, dialect)


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_plain_skill_gets_a_manifest_at_the_end(end: str) -> None:
    added = add(FRONT + end)
    assert added.new.startswith(f"{FRONT}\n\n```skill-manifest\n")
    value = json.loads(added.new.partition("```skill-manifest\n")[2].partition("```")[0])
    assert (value["id"], value["effects"]) == ("notes", ["fs.read", "fs.write"])
    assert list(value["operations"]) == ["note"]
    assert value["operations"]["note"]["entrypoints"]["unix"] == [
        "python3", "scripts/note.py", "{title}",
    ]  # fmt: skip
    files = {"SKILL.md": added.new.encode(), "scripts/note.py": SCRIPT.encode()}
    problems = analyse(MemoryTree(files, "notes")).diagnostics
    assert {each.rule for each in problems} == {"todo-left"}


def test_the_line_ends_of_the_file_are_used() -> None:
    added = add(FRONT.replace("\n", "\r\n"))
    assert added.new.count("\n") == added.new.count("\r\n") > FRONT.count("\n")


@pytest.mark.parametrize("end", ["\n\n```bash\nls\n", "\n<!-- to do\n"])
def test_a_manifest_that_would_not_be_read_is_refused(end: str) -> None:
    with pytest.raises(AddRefused, match=r"a code block or comment is open there; close it first"):
        add(FRONT + end)


def test_a_file_in_lower_case_keeps_its_name() -> None:
    files = {"skill.md": FRONT.encode(), "scripts/note.py": SCRIPT.encode()}
    skill = locate(MemoryTree(files, "notes")).skill
    assert add_operation(skill, "scripts/note.py").path == "skill.md"


def test_the_next_operation_goes_into_the_same_manifest() -> None:
    again = add(add(FRONT).new, "again")
    assert again.new.count("```skill-manifest") == 1
    assert '"again"' in again.new
    with pytest.raises(AddRefused, match="already an operation again"):
        add(again.new, "again")


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (FRONT, "caro-1.0"),
        (FRONT.replace("name:", 'manifest_version: "1.0"\nname:'), None),
    ],
)
def test_a_skill_with_another_manifest_gets_none(text: str, dialect: str | None) -> None:
    with pytest.raises(AddRefused, match="no manifest of the skill has operations"):
        add(text, None, dialect)
