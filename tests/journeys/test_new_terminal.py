"""A skill begun in a real terminal: a wrong name seen at once, preview, created, opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import SIZES, STUDIO

from skillstudio.scaffold.new.catalogue import user_folder

pytestmark = [needs_tmux, pytest.mark.slow]
Open = Callable[[int, int], Terminal]
ALPHA = "---\nname: alpha\ndescription: Does it. Use when asked.\n---\n# Alpha\n"
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    (folder / "alpha").mkdir(parents=True)
    (folder / "alpha" / "SKILL.md").write_text(ALPHA)
    return folder


@pytest.fixture
def studio(skills: Path, tmp_path: Path) -> Iterator[Open]:
    opened: list[Terminal] = []

    def start(columns: int, rows: int) -> Terminal:
        opened.append(Terminal([STUDIO, str(skills)], tmp_path, columns, rows))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def to_templates(terminal: Terminal) -> None:
    """Leave the only skill, and begin another."""
    terminal.to_skills("name: alpha")
    terminal.press("N")
    terminal.wait(lambda screen: "[Template" in screen and "agent-skills" in screen)


def take(terminal: Terminal, template: str) -> None:
    """Go down the list to a template, whose questions stand below, and take it."""
    while template not in cursor_line(terminal):
        before = terminal.cursor
        terminal.press("Down")
        terminal.wait(lambda _, before=before: terminal.cursor != before)
    terminal.press("Enter")
    terminal.wait("creates skills/new-skill")


def cursor_line(terminal: Terminal) -> str:
    return terminal.screen.split("\n")[terminal.cursor[1]]


def row_of(screen: str, text: str) -> int:
    return next((row for row, line in enumerate(screen.split("\n")) if text in line), -1)


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_wrong_name_seen_at_once_preview_created_opened(
    studio: Open, skills: Path, columns: int, rows: int
) -> None:
    terminal = studio(columns, rows)
    to_templates(terminal)
    take(terminal, "script-tool")

    # The free name is marked, so what is typed takes its place.
    terminal.type("Word Count")
    screen = terminal.wait("creates skills/Word Count")
    screen = terminal.wait("rejected by skill-creator, skills-ref, spec")
    assert "✗" in screen
    terminal.press("C-n")
    terminal.wait("no preview yet; invalid: name")
    row = terminal.cursor[1]
    terminal.press("Up")
    terminal.wait(lambda _: terminal.cursor[1] < row)
    terminal.press("C-u")
    terminal.wait("enter a name for a new folder")
    terminal.type("alpha")
    terminal.wait("it already exists; skillstudio never overwrites files")
    terminal.press("C-u")
    terminal.wait("enter a name for a new folder")
    terminal.type("word-count")
    terminal.wait(lambda screen: "creates skills/word-count" in screen and "✗" not in screen)

    terminal.press("C-n")
    terminal.wait("✓ no problems · creates")
    wanted = {"creates skills/word-count; nothing is written yet", "count.py"}
    terminal.wait(lambda screen: all(each in screen for each in wanted))
    assert files(skills) == ["alpha/SKILL.md"]
    terminal.wait("name: word-count")
    terminal.press("Tab")
    terminal.wait(lambda screen: terminal.cursor[1] != row_of(screen, "SKILL.md  "))
    terminal.press("G")
    terminal.wait(lambda screen: "name: word-count" not in screen)

    terminal.press("C-s")
    terminal.wait(
        lambda screen: "word-count 0.1.0 · SKILL.md" in screen and "name: word-count" in screen
    )
    assert "word-count/scripts/count.py" in files(skills)
    assert (skills / "alpha" / "SKILL.md").read_text() == ALPHA
    terminal.to_skills("word-count 0.1.0 · SKILL.md")
    terminal.wait("✓ word-count")
    terminal.press("C-q")
    terminal.wait("EXIT-0")


def test_escape_leads_back_through_every_step_and_nothing_is_lost(
    studio: Open, skills: Path
) -> None:
    terminal = studio(80, 24)
    to_templates(terminal)
    take(terminal, "recipe")
    terminal.type("kept")
    terminal.wait("creates skills/kept")
    for _ in range(2):
        row = terminal.cursor[1]
        terminal.press("Tab")
        terminal.wait(lambda _, row=row: terminal.cursor[1] > row)
    terminal.press("Down")
    terminal.wait("● lang")
    terminal.press("C-n")
    terminal.wait("[Preview")
    terminal.press("Escape")
    terminal.wait(lambda screen: "[Questions" in screen and "● lang" in screen)
    terminal.press("Escape")
    terminal.wait("[Template")
    terminal.press("Enter")
    terminal.wait(lambda screen: "creates skills/kept" in screen and "● lang" in screen)
    terminal.press("Escape")
    terminal.wait("[Template")
    terminal.press("Escape")
    terminal.wait("s Skills ")
    assert files(skills) == ["alpha/SKILL.md"]


def test_an_endless_template_holds_nobody_up(studio: Open) -> None:
    folder = Path(user_folder()) / "aa-endless"
    folder.mkdir(parents=True)
    (folder / "copier.yml").write_text(f'a: {{type: str, default: "{ENDLESS}"}}\n')
    (folder / "out").write_text("x")
    terminal = studio(80, 24)
    to_templates(terminal)
    terminal.press("Enter")
    terminal.wait("checking the answers…")
    terminal.press("Escape")
    terminal.wait("[Template")
    terminal.press("Down")
    terminal.wait("A plain Agent Skill")
    terminal.press("Enter")
    terminal.wait("creates skills/new-skill")


def test_without_colours_every_state_is_a_word(skills: Path, tmp_path: Path) -> None:
    terminal = Terminal(["env", "NO_COLOR=1", STUDIO, str(skills)], tmp_path, 80, 24)
    try:
        to_templates(terminal)
        take(terminal, "agent-skills")
        terminal.type("Bad Name")
        terminal.wait("✗ rejected by skill-creator")
        screen = terminal.wait("✗ invalid: name")
        assert "▌folder" in screen
        assert "the default" not in screen
    finally:
        terminal.close()
