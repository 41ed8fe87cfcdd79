"""Every default key of every command, pressed in a real terminal where its command belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.dryrun.skills import front_skill
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import STUDIO
from tests.repositories import Repo, needs_git, plain

from skillstudio.session.commands.commands import COMMANDS, Command

pytestmark = [needs_tmux, needs_git, pytest.mark.slow]

ALPHA = """---
name: alpha
description: Use when: asked

license: MIT
---
# Alpha

See [gone](gone.md).
"""
BETA = "---\nname: beta\ndescription: Does it.\n---\n# Beta\n"
GUTTER = 6
"""Columns before the text: the sign of a problem and the number of the line."""
SKILLS = ("alpha", "beta", "gamma", "runs")
TMUX = {
    "escape": "Escape", "slash": "/", "question_mark": "?",
    "ctrl+space": "C-Space", "ctrl+@": "C-Space", "shift+f8": "S-F8", "f20": "S-F8",
}  # fmt: skip
"""The names that tmux has for keys, where they do not follow from ours. Two of ours may be one
key: as a terminal sends it of old, and as one says that tells every key apart."""


class Desk:
    """A workbench in a terminal, with its two panes of text and skills as the resting places."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "skills" / "alpha" / "SKILL.md"
        repo = Repo(folder / "skills")
        repo.commit({"gamma/SKILL.md": plain("gamma")}, "gamma@1.0.0")
        now = {"alpha": ALPHA, "beta": BETA, "gamma": plain("gamma", pattern="^[a-c]+$")}
        repo.write({f"{name}/SKILL.md": text for name, text in now.items()})
        front_skill(folder / "skills" / "runs", "", "#!/bin/sh\necho done\n", "scripts/one.sh")
        slow = "#!/bin/sh\necho begun\nsleep 60\n"
        front_skill(folder / "skills" / "runs", "", slow, "scripts/two.sh")
        count = "#!/bin/sh\nseq 1 199 > counted.txt\n"
        front_skill(folder / "skills" / "runs", "", count, "scripts/three.sh")
        programs = ["EDITOR=sed -i s/asked/called/", "PAGER=false"]
        command = ["env", *programs, STUDIO, str(folder / "skills")]
        self.terminal = Terminal(command, folder, 80, 24)
        self.wait, self.press = self.terminal.wait, self.terminal.press
        self.wait("✗ alpha  1E")
        self.press("Enter")
        self.wait(lambda screen: "[e Text]" in screen and "description: Use" in screen)

    def to_text(self) -> None:
        if "[e Text]" not in self.terminal.screen:
            self.press("e")
            self.wait("[e Text]")
        self.press("C-Home")
        self.wait(self.is_at_the_start)

    def is_at_the_start(self, screen: str) -> bool:
        """Whether the cursor is at the first character of line 1, after the line's number."""
        column, row = self.terminal.cursor
        number = screen.split("\n")[row][:column]
        return column == GUTTER and number.lstrip(" EWi").rstrip() == "1"

    def to_skills(self) -> None:
        if "[s Skills]" not in self.terminal.screen:
            self.press("Escape")
            self.wait("[s Skills]")

    def to_problems(self) -> None:
        self.to_skills()
        self.press("p")
        self.wait("[p Problems]")

    def change(self) -> None:
        """Type a letter at the start of the text."""
        self.to_text()
        self.terminal.type("Z")
        self.wait("Z---")
        self.wait("✎ unsaved")

    def unchange(self) -> None:
        """Bring the text and the file back to what they were."""
        self.to_text()
        self.press("C-z")
        self.wait(clean)

    def open(self, skill: str, wanted: str) -> None:
        self.press("C-l")
        self.wait("Go to a skill")
        self.terminal.type(skill)
        self.wait(lambda screen: sum(f"{n}  {n}" in screen for n in SKILLS) == 1)
        self.press("Enter")
        self.wait(wanted)

    def close_dialog(self, title: str) -> None:
        self.press("Escape")
        self.wait(lambda screen: title not in screen)


def clean(screen: str) -> bool:
    return "description: Use when: asked" in screen and "✎" not in screen and "Z---" not in screen


class Case(NamedTuple):
    """How a command is shown to have run: what is before, on the screen then, and after."""

    before: Callable[[Desk], None]
    wanted: str | Callable[[str], bool]
    after: Callable[[Desk], None]


def dialog(title: str, before: Callable[[Desk], None] = Desk.to_text) -> Case:
    return Case(before, title, lambda desk: desk.close_dialog(title))


def nothing(_desk: Desk) -> None:
    """There is nothing to bring back."""


def changed_twice(desk: Desk) -> None:
    """Change the text and the file so that they disagree."""
    desk.change()
    desk.file.write_text(ALPHA.replace("MIT", "ISC"))
    desk.wait("changed on disk under your changes")


def settled(desk: Desk) -> None:
    desk.close_dialog("m keep all mine")
    desk.file.write_text(ALPHA)
    desk.wait(lambda screen: "changed on disk under" not in screen)
    if "[e Text]" not in desk.terminal.screen:
        desk.press("e")
        desk.wait("[e Text]")
    desk.press("C-z")
    desk.wait(clean)


def undone(desk: Desk) -> None:
    desk.change()
    desk.press("C-z")
    desk.wait(clean)


def saved(desk: Desk) -> None:
    assert desk.file.read_text() == "Z" + ALPHA
    desk.press("C-z")
    desk.wait("✎ unsaved")
    desk.press("C-s")
    desk.wait(clean)
    assert desk.file.read_text() == ALPHA


def in_form(desk: Desk) -> None:
    desk.to_skills()
    desk.press("2")
    desk.wait("[e Form]")
    desk.press("Escape")
    desk.wait("[s Skills]")


def out_of_form(desk: Desk) -> None:
    desk.press("Escape")
    desk.wait("[s Skills]")
    desk.press("1")
    desk.wait("[e Text]")


def in_compare(desk: Desk) -> None:
    desk.open("gamma", "name: gamma")
    desk.to_skills()
    desk.press("5")
    desk.wait(lambda screen: "[e Compare]" in screen and "major is asked for" in screen)


def out_of_compare(desk: Desk) -> None:
    desk.to_skills()
    desk.press("1")
    desk.wait("[e Text]")
    desk.open("alpha", "description: Use")


def out_of_compare_texts(desk: Desk) -> None:
    desk.press("t", "t")
    desk.wait("major 1")
    out_of_compare(desk)


def compared(title: str) -> Case:
    """A dialog of the comparison."""
    return Case(
        in_compare, title, lambda desk: (desk.close_dialog(title), out_of_compare(desk), None)[-1]
    )


def in_run(desk: Desk) -> None:
    desk.open("runs", "name: runs")
    desk.to_skills()
    desk.press("3")
    desk.wait(lambda screen: "[e Run]" in screen and "ready: f5 runs it" in screen)
    desk.press("i")
    desk.wait("▌arguments")
    desk.press("Escape")
    desk.wait(lambda screen: "[Plan]" in screen and "▌arguments" not in screen)


def ran(desk: Desk) -> None:
    in_run(desk)
    desk.press("F5")
    desk.wait("[Result ✓]")


def ran_twice(desk: Desk) -> None:
    ran(desk)
    desk.press("t")
    desk.wait("[Output]")
    desk.press("F5")
    desk.wait("[Result ✓]")


def with_two(desk: Desk) -> None:
    in_run(desk)
    desk.press("o")
    desk.wait("What is to be run")
    desk.terminal.type("two")
    desk.wait(lambda screen: "scripts/one" not in screen.partition("What is to be run")[2])
    desk.press("Enter")
    desk.wait("runs scripts/two.sh")


def running(desk: Desk) -> None:
    with_two(desk)
    desk.press("F5")
    desk.wait("begun")


def before_two(desk: Desk) -> None:
    with_two(desk)
    desk.press("4")
    desk.wait("[e Preview]")


def ended(desk: Desk) -> None:
    desk.press("Escape")
    desk.wait("ended by you")
    first_again(desk)


def first_again(desk: Desk) -> None:
    desk.press("o")
    desk.wait("What is to be run")
    desk.terminal.type("one")
    desk.wait(lambda screen: "scripts/two" not in screen.partition("What is to be run")[2])
    desk.press("Enter")
    desk.wait("runs scripts/one.sh")
    out_of_run(desk)


def out_of_run(desk: Desk) -> None:
    desk.to_skills()
    desk.press("1")
    desk.wait("[e Text]")
    desk.open("alpha", "description: Use")


def out_of_inputs(desk: Desk) -> None:
    desk.press("Escape")
    desk.wait(lambda screen: "▌arguments" not in screen)
    out_of_run(desk)


def asked_in_run(title: str, before: Callable[[Desk], None] = in_run) -> Case:
    """A dialog of the run view."""
    return Case(before, title, lambda desk: (desk.close_dialog(title), out_of_run(desk), None)[-1])


def in_changes(desk: Desk) -> None:
    """The preview of what a run changed."""
    in_run(desk)
    desk.press("o")
    desk.wait("What is to be run")
    desk.terminal.type("three")
    desk.wait(lambda screen: "scripts/one" not in screen.partition("What is to be run")[2])
    desk.press("Enter")
    desk.wait("runs scripts/three.sh")
    desk.press("F5")
    desk.wait("[Result")
    desk.press("4")
    desk.wait(lambda screen: "[Changes]" in screen and "counted.txt" in screen)


def out_of_changes(desk: Desk) -> None:
    desk.press("3")
    desk.wait("[e Run]")
    first_again(desk)


def out_of_the_form(desk: Desk) -> None:
    desk.press("Escape")
    desk.wait(lambda screen: "arguments" not in screen)
    out_of_changes(desk)


def out_of_diff(desk: Desk) -> None:
    desk.press("v", "v", "v")
    desk.wait("[Preview]")
    out_of_changes(desk)


def found(desk: Desk) -> None:
    in_changes(desk)
    desk.press("C-f")
    desk.wait("text to look for")
    desk.terminal.type("77")
    desk.press("Enter")
    desk.wait("▌77")


def asked_in_changes(title: str) -> Case:
    """A dialog, or a field, of the preview."""
    return Case(
        in_changes,
        title,
        lambda desk: (desk.close_dialog(title), out_of_changes(desk), None)[-1],
    )


def unbumped(desk: Desk) -> None:
    desk.press("C-z")
    desk.wait("none was made")
    out_of_compare(desk)


def changed_in_skills(desk: Desk) -> None:
    desk.change()
    desk.to_skills()


def all_saved(desk: Desk) -> None:
    desk.to_text()
    saved(desk)


def below_the_description(desk: Desk) -> None:
    desk.to_text()
    desk.press("Down", "Down", "Down")


def typed(desk: Desk) -> None:
    desk.to_text()
    desk.press("End")


def unfiltered(desk: Desk) -> None:
    desk.press("Escape")
    desk.wait(lambda screen: "state:error" not in screen)


def in_wizard(desk: Desk) -> None:
    desk.to_skills()
    desk.press("N")
    desk.wait(lambda screen: "[1 Template]" in screen and "agent-skills" in screen)


def in_preview(desk: Desk) -> None:
    in_wizard(desk)
    desk.press("Enter")
    desk.wait("shows what would be made")
    desk.press("C-n")
    desk.wait("makes skills/new-skill; nothing is written yet")


def out_of_wizard(desk: Desk) -> None:
    desk.press("Escape")
    desk.wait("[s Skills]")


def out_of_questions(desk: Desk) -> None:
    desk.press("Escape")
    desk.wait("[1 Template]")
    out_of_wizard(desk)


def unmade(desk: Desk) -> None:
    assert (desk.file.parents[1] / "new-skill" / "SKILL.md").is_file()
    desk.open("alpha", "description: Use")


CASES = {
    "file.save": Case(Desk.change, lambda screen: "saved SKILL.md" in screen, saved),
    "file.save-all": Case(changed_in_skills, lambda screen: "✎" not in screen, all_saved),
    "file.conflict": Case(changed_twice, "m keep all mine", settled),
    "file.external": Case(Desk.to_text, "Use when: called", Desk.unchange),
    "file.copy": Case(Desk.to_skills, "characters to the", nothing),
    "file.copy-path": Case(Desk.to_skills, "sent the path", nothing),
    "edit.undo": Case(Desk.change, clean, nothing),
    "edit.redo": Case(undone, "Z---", Desk.unchange),
    "problem.next": Case(Desk.to_text, "error: a colon and a space", nothing),
    "problem.previous": Case(Desk.to_text, "info: this link leads to no file", nothing),
    "problem.fix": Case(
        lambda desk: (typed(desk), desk.press("Down", "Down"), None)[-1],
        'description: "Use when: asked"',
        Desk.unchange,
    ),
    "problem.copy": Case(Desk.to_problems, "sent the problem", nothing),
    "problem.explain": dialog("Why: ", Desk.to_problems),
    "skill.filter": Case(Desk.to_skills, "text, state:error", unfiltered),
    "skill.reload": Case(Desk.to_skills, "looking for skills again", nothing),
    "skill.cancel": Case(Desk.to_skills, "nothing is being checked", nothing),
    "skill.goto": dialog("Go to a skill"),
    "skill.new": Case(Desk.to_skills, "[1 Template]", out_of_wizard),
    "skill.migrate": Case(Desk.to_skills, "not migrated: SKILL.md:3", nothing),
    "skill.convert": dialog("Convert", Desk.to_skills),
    "skill.export": dialog("Export", Desk.to_skills),
    "skill.pack": dialog("Pack", Desk.to_skills),
    "new.next": Case(in_wizard, "[2 Questions]", out_of_questions),
    "new.create": Case(in_preview, "name: new-skill", unmade),
    "new.back": Case(in_wizard, "[s Skills]", nothing),
    "editor.complete": Case(
        below_the_description, "k compatibility", lambda desk: desk.close_dialog("k compat")
    ),
    "editor.find": dialog("\n Find"),
    "editor.go-to-line": dialog("\n Go to line"),
    "editor.outline": dialog("─ Outline"),
    "view.edit": Case(in_form, "[e Text]", nothing),
    "view.form": Case(Desk.to_skills, "[e Form]", out_of_form),
    "view.run": Case(
        lambda desk: (desk.open("runs", "name: runs"), desk.to_skills(), None)[-1],
        "[e Run]",
        out_of_run,
    ),
    "run.start": Case(in_run, "✓ as declared · exit 0", out_of_run),
    "run.cancel": Case(running, "ended by you", first_again),
    "run.inputs": Case(in_run, "▌arguments", out_of_inputs),
    "run.operation": asked_in_run("What is to be run"),
    "run.sample": asked_in_run("Inputs of a sample"),
    "run.save-sample": asked_in_run("The name of the sample"),
    "run.isolation": asked_in_run("How it is confined"),
    "run.workspace": asked_in_run("The workspace: a copy"),
    "run.show": Case(in_run, "[Result", out_of_run),
    "run.history": asked_in_run("Earlier runs", ran),
    "run.difference": asked_in_run("The run to hold against this one", ran_twice),
    "view.compare": Case(
        lambda desk: (desk.open("gamma", "name: gamma"), desk.to_skills(), None)[-1],
        "[e Compare]",
        out_of_compare,
    ),
    "view.preview": Case(in_run, "[e Preview]", out_of_run),
    "preview.subject": Case(in_changes, "[Card]", out_of_changes),
    "preview.inputs": Case(in_changes, "▌arguments", out_of_the_form),
    "preview.start": Case(before_two, "begun", ended),
    "preview.operation": asked_in_changes("What is to be run"),
    "preview.sample": asked_in_changes("Inputs of a sample"),
    "preview.how": Case(in_changes, "[Diff]", out_of_diff),
    "preview.find": asked_in_changes("text to look for"),
    "preview.next": Case(found, "▌177", out_of_changes),
    "preview.pager": Case(in_changes, "false ended with status 1", out_of_changes),
    "preview.editor": Case(in_changes, "that was a copy", out_of_changes),
    "preview.run": asked_in_changes("Whose changes are shown"),
    "preview.adopt": asked_in_changes("Adopt what run"),
    "preview.apply": asked_in_changes("Apply to the real folders"),
    "preview.prompt": dialog("Which skills a prompt finds", Desk.to_skills),
    "compare.old": compared("The old version"),
    "compare.new": compared("The new version"),
    "compare.text": Case(in_compare, "SKILL.md  changed", out_of_compare_texts),
    "compare.waive": compared("Why take it on?"),
    "compare.bump": Case(in_compare, "2.0.0 is in", unbumped),
    "pane.skills": Case(Desk.to_problems, "[s Skills]", nothing),
    "pane.view": Case(Desk.to_problems, "[e Text]", nothing),
    "pane.problems": Case(Desk.to_skills, "[p Problems]", nothing),
    "pane.next": Case(Desk.to_text, "[p Problems]", nothing),
    "pane.next w": Case(Desk.to_skills, "[e Text]", nothing),
    "theme.choose": dialog("│ Themes"),
    "help.show": dialog("│ Help"),
    "help.palette": dialog("│ Commands"),
    "app.back": Case(Desk.to_problems, "[s Skills]", nothing),
    "app.open": dialog("Open a skill or a folder", Desk.to_skills),
    "app.quit": Case(
        Desk.change,
        "Unsaved changes",
        lambda desk: (desk.close_dialog("Unsaved changes"), desk.unchange())[-1],
    ),
}
KEYS = [(command, key) for command in COMMANDS for key in command.keys]


@pytest.fixture(scope="module")
def desks() -> Iterator[list[Desk]]:
    """The workbench in which the keys are pressed; none where it is to be opened."""
    opened: list[Desk] = []
    yield opened
    for each in opened:
        each.terminal.close()


@pytest.mark.parametrize(("command", "key"), KEYS, ids=[f"{c.id} {key}" for c, key in KEYS])
def test_a_key_runs_its_command(
    command: Command, key: str, desks: list[Desk], tmp_path_factory: pytest.TempPathFactory
) -> None:
    before, wanted, after = CASES.get(f"{command.id} {key}") or CASES[command.id]
    if not desks:
        desks.append(Desk(tmp_path_factory.mktemp("desk")))
    desk = desks.pop()
    try:
        before(desk)
        if command.context == "everywhere" and types(key):
            desk.to_skills()
        desk.press(name_in_tmux(key))
        desk.wait(wanted)
        after(desk)
    except BaseException:
        desk.terminal.close()
        raise
    desks.append(desk)


def types(key: str) -> bool:
    """Whether a key types a character in a text, so that its command waits outside."""
    return len(key) == 1 or key in ("slash", "question_mark")


def name_in_tmux(key: str) -> str:
    return TMUX.get(key) or key.replace("ctrl+", "C-").replace("alt+", "M-").replace(
        "f", "F", key[1:].isdigit()
    )
