"""A version bump reviewed in a real terminal: choose, read the proof, waive, bump, save."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import SIZES, STUDIO
from tests.repositories import Repo, needs_git, plain

pytestmark = [needs_tmux, needs_git, pytest.mark.slow]
FIRST = plain("plain", "1.0.0", "^[a-z]+$")
SECOND = plain("plain", "1.1.0", "^[a-z]+$").replace(
    "  optional: []\n",
    "  optional:\n    - name: limit\n      schema: {type: integer, maximum: 50, default: 10}\n",
)
NOW = (
    plain("plain", "1.1.0", "^[a-c]+$")
    .replace(
        "  optional: []\n",
        "  optional:\n    - name: limit\n      schema: {type: integer, maximum: 20, default: 10}\n",
    )
    .replace("Say.", "Say it.")
)
Open = Callable[[int, int], Terminal]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A skill with two tagged versions, and a work tree that breaks two inputs unbumped."""
    made = Repo(tmp_path / "repo")
    made.commit({"plain/SKILL.md": FIRST}, "plain@1.0.0")
    made.commit({"plain/SKILL.md": SECOND}, "plain@1.1.0")
    made.write({"plain/SKILL.md": NOW})
    return made


@pytest.fixture
def studio(repo: Repo, tmp_path: Path) -> Iterator[Open]:
    opened: list[Terminal] = []

    def start(columns: int, rows: int) -> Terminal:
        opened.append(Terminal([STUDIO, str(repo.root)], tmp_path, columns, rows))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def to_compare(terminal: Terminal) -> str:
    terminal.to_skills("name: plain")
    terminal.press("5")
    return terminal.wait("plain@1.1.0")


def in_a_line(screen: str, *words: str) -> bool:
    """Whether a line has all the words."""
    return any(all(word in line for word in words) for line in screen.split("\n"))


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_choose_two_versions_read_a_witness_waive_bump_save(
    studio: Open, repo: Repo, columns: int, rows: int
) -> None:
    terminal = studio(columns, rows)
    to_compare(terminal)
    terminal.wait("▲ major")
    terminal.wait("✗ needs a major bump: 1.1.0 → 2.0.0")

    # Two versions from the list: the first tag, and the last commit.
    terminal.press("o")
    terminal.wait("The old version")
    terminal.type("1.0.0")
    terminal.wait(lambda screen: "plain@1.0.0" in screen and "HEAD" not in screen)
    terminal.press("Enter")
    terminal.wait("plain@1.0.0  →")
    terminal.press("n")
    terminal.wait("The new version")
    terminal.type("HEAD")
    terminal.wait(lambda screen: "last commit" in screen and "the open skill with" not in screen)
    terminal.press("Enter")
    terminal.wait("→  HEAD")
    terminal.wait("+ minor")
    terminal.wait("✓ minor bump, as required")

    # Back to what is open, against the last tag.
    terminal.press("n")
    terminal.wait("The new version")
    terminal.type("working")
    terminal.wait(lambda screen: "the open skill with" in screen and "last commit" not in screen)
    terminal.press("Enter")
    terminal.wait("→  working tree")
    terminal.press("o")
    terminal.wait("The old version")
    terminal.type("last tag")
    terminal.wait(lambda screen: "else HEAD" in screen and "last commit" not in screen)
    terminal.press("Enter")
    terminal.wait("plain@1.1.0  →")

    # A witness of each of the two: the limit's 21, and a topic with a letter that is refused now.
    terminal.press("g")
    for witness in ("21", '"d"'):
        terminal.wait(f"for example {witness}, which only the old version accepts")
        terminal.press("j")
    terminal.press("g")

    # One is waived; the other still asks for a major step.
    terminal.press("W")
    terminal.wait("Why is this acceptable?")
    terminal.type("nobody asks for more")
    terminal.press("Enter")
    terminal.wait(lambda screen: "~ waived" in screen and screen.count("▲ major  ") == 1)
    settings = (repo.root / "skillstudio.toml").read_text()
    assert settings.count("[[waive]]") == 1
    assert 'reason = "nobody asks for more"' in settings

    # The bump and its entry are made by one key, written by another.
    terminal.press("b")
    terminal.wait("✓ major bump, as required")
    assert repo.root.joinpath("plain/SKILL.md").read_text() == NOW
    terminal.press("S")
    terminal.wait(lambda screen: "●" not in screen and "→  working tree  2.0.0" in screen)
    written = repo.root.joinpath("plain/SKILL.md").read_text()
    assert written == NOW.replace("version: 1.1.0", "version: 2.0.0")
    assert "2.0.0" in repo.root.joinpath("plain/CHANGELOG.md").read_text()

    terminal.press("C-q")
    terminal.wait("EXIT-0")


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_the_texts_in_one_column_and_in_two(studio: Open, columns: int, rows: int) -> None:
    terminal = studio(columns, rows)
    to_compare(terminal)
    terminal.press("Tab", "G")
    one, two = (
        lambda screen: in_a_line(screen, "- ", "Say.") and in_a_line(screen, "+ ", "Say it."),
        lambda screen: in_a_line(screen, "Say.", "Say it."),
    )
    is_wide = columns >= 120
    for wanted in (two, one, two) if is_wide else (one, two, one):
        terminal.wait(wanted)
        terminal.press("v")


def test_the_comparison_follows_another_program_that_writes_the_file(
    studio: Open, repo: Repo
) -> None:
    terminal = studio(80, 24)
    to_compare(terminal)
    repo.write({"plain/SKILL.md": NOW.replace("version: 1.1.0", "version: 2.0.0")})
    terminal.wait("✓ major bump, as required")


def test_the_comparison_follows_the_manifest_as_it_is_edited(studio: Open, repo: Repo) -> None:
    terminal = studio(80, 24)
    to_compare(terminal)
    terminal.wait("▲ major")
    terminal.press("Enter")
    terminal.wait("[Edit")
    # Three lines above the limit: its letters become those that were allowed before.
    terminal.press("Up", "Up", "Up", "End", "Left", "Left", "Left", "Left", "Left", "BSpace")
    terminal.type("z")
    terminal.wait('"^[a-z]+$"')
    # A key right behind Escape would be alt and that key.
    terminal.press("Escape")
    terminal.wait("[1 Edit")
    terminal.press("5")
    terminal.wait(
        lambda screen: "working tree, unsaved" in screen and screen.count("▲ major  ") == 1
    )
    assert repo.root.joinpath("plain/SKILL.md").read_text() == NOW
