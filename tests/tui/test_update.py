"""Update a skill from its template in the workbench: the diff first, then the files."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from .conftest import Open, seen, settled

COPIER = "_subdirectory: t\nname: {type: str, default: '{{ _folder_name }}'}\n"
SKILL = "---\nname: {{ name }}\ndescription: Makes tea. Use when asked.\n---\n\nBoil.\n"


async def choose(pilot: Pilot[int]) -> None:
    """Choose the command in the palette."""
    await settled(pilot)
    await pilot.press("ctrl+p", *"update")
    await seen(pilot, "skill: Update from template…")
    await pilot.press("enter")


@pytest.mark.slow
async def test_an_update_is_shown_and_then_written(open_studio: Open, tmp_path: Path) -> None:
    from skillstudio.scaffold.new.catalogue import open_template
    from skillstudio.scaffold.new.creation import create, draft
    from skillstudio.scaffold.new.interview import Interview

    (tmp_path / ".git").mkdir()
    template = tmp_path / "template"
    (template / "t").mkdir(parents=True)
    (template / "copier.yml").write_text(COPIER)
    (template / "t" / "SKILL.md.jinja").write_text(SKILL)
    skills = tmp_path / "skills"
    skills.mkdir()
    with open_template(str(template)) as found, Interview(found, "tea") as interview:
        create(draft(interview, {"name": "tea"}), str(skills / "tea"))
    (template / "t" / "SKILL.md.jinja").write_text(SKILL.replace("Boil.", "Boil water."))

    file = skills / "tea" / "SKILL.md"
    async with open_studio(skills / "tea", (80, 24)) as pilot:
        await choose(pilot)
        await seen(pilot, "1 changed", "-Boil.", "+Boil water.")
        assert "Boil.\n" in file.read_text()
        await pilot.press("escape")
        await settled(pilot)
        assert "Boil.\n" in file.read_text()

        file.write_text(file.read_text().replace("Boil.", "Boil milk."))
        await choose(pilot)
        await seen(pilot, "1 conflict", "(conflict at line 6)", "+Boil water.")
        await pilot.press("enter")
        await seen(pilot, "There are conflicts")
        await pilot.press("y")
        await seen(pilot, "template template: 1 conflict; resolve SKILL.md:6")
        assert "=======\nBoil water.\n>>>>>>> template\n" in file.read_text()
        await seen(pilot, ">>>>>>> template")
        await choose(pilot)
        await seen(pilot, "not updated: SKILL.md has conflicts of an earlier update")


@pytest.mark.slow
async def test_a_skill_without_a_record_cannot_be_updated(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"update from")
        await seen(pilot, "Update from template…", "not now: the skill has no .copier-answers.yml")
