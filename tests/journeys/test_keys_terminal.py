"""Every default key of every command, pressed in a real terminal where its command belongs."""

from __future__ import annotations

import re
import time
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
GUTTER = 8
"""Columns before the text: the sign of a problem and the number of the line."""
SKILLS = ("alpha", "beta", "gamma", "runs")
TMUX = {
    "escape": "Escape", "slash": "/", "question_mark": "?", "plus": "+",
    "minus": "-", "equals_sign": "=",
    "ctrl+space": "C-Space", "ctrl+@": "C-Space", "shift+f8": "S-F8", "f20": "S-F8",
}  # fmt: skip
"""The names that tmux has for keys, where they do not follow from ours. Two of ours may be one
key: as a terminal sends it of old, and as one says that tells every key apart."""


class TerminalSession:
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
        fails = "#!/bin/sh\nset -u\necho $NOT_SET_HERE\n"
        front_skill(folder / "skills" / "runs", "", fails, "scripts/wrong.sh")
        for name, stdout in (("right", "done"), ("wrong", "dune")):
            path = folder / "skills" / "runs" / "samples" / "scripts" / "one.sh" / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"inputs: {{}}\nexpect: {{stdout: {stdout}}}\n")
        slow_sample = folder / "skills/runs/samples/scripts/two.sh/slow.yaml"
        slow_sample.parent.mkdir(parents=True)
        slow_sample.write_text("inputs: {}\n")
        programs = ["EDITOR=sed -i s/asked/called/", "PAGER=false"]
        command = ["env", *programs, STUDIO, str(folder / "skills")]
        self.terminal = Terminal(command, folder, 80, 24)
        self.wait, self.press = self.terminal.wait, self.terminal.press
        self.wait("✗ alpha")
        self.press("Enter")
        self.wait(lambda screen: "[1 Edit" in screen and "description: Use" in screen)

    def to_text(self) -> None:
        if "[Edit" not in self.terminal.screen:
            self.press("e")
            self.wait("[Edit")
        self.press("C-Home")
        self.wait(self.is_at_the_start)

    def is_at_the_start(self, screen: str) -> bool:
        """Whether the cursor is at the first character of line 1, after the line's number."""
        column, row = self.terminal.cursor
        number = screen.split("\n")[row][:column]
        return column == GUTTER and number.lstrip(" │✗!i").rstrip() == "1"

    def to_skills(self) -> None:
        if "s Skills " not in self.terminal.screen:
            self.press("F7")
            self.wait("s Skills ")

    def to_problems(self) -> None:
        self.to_skills()
        self.press("p")
        self.wait("p Problems")

    def change(self) -> None:
        """Type a letter at the start of the text."""
        self.to_text()
        self.terminal.type("Z")
        self.wait("Z---")
        self.wait("● unsaved")

    def unchange(self) -> None:
        """Bring the text and the file back to what they were."""
        self.to_text()
        self.press("C-z")
        self.wait(clean)

    def open(self, skill: str, wanted: str) -> None:
        self.press("C-l")
        self.wait("Go to a skill")
        self.terminal.type(skill)
        # A row of the dialog has only the name; home below the dialog shows problems, too.
        row = re.compile(rf"│ [✗✓!i○] ({'|'.join(SKILLS)}) +│")
        self.wait(lambda screen: row.findall(screen) == [skill])
        self.press("Enter")
        self.wait(wanted)

    def close_dialog(self, title: str) -> None:
        self.press("Escape")
        self.wait(lambda screen: title not in screen)


def clean(screen: str) -> bool:
    return "description: Use when: asked" in screen and "●" not in screen and "Z---" not in screen


class Case(NamedTuple):
    """How a command is shown to have run: what is before, on the screen then, and after."""

    before: Callable[[TerminalSession], None]
    wanted: str | Callable[[str], bool]
    after: Callable[[TerminalSession], None]


def dialog(title: str, before: Callable[[TerminalSession], None] = TerminalSession.to_text) -> Case:
    return Case(before, title, lambda session: session.close_dialog(title))


def nothing(_session: TerminalSession) -> None:
    """There is nothing to bring back."""


def noticed(session: TerminalSession) -> None:
    """A dialog did not open, so letters are ignored for half a second, or until another key."""
    session.press("F1")
    session.wait("─ Help ─")
    session.close_dialog("─ Help ─")


def changed_twice(session: TerminalSession) -> None:
    """Change the text and the file so that they disagree."""
    session.change()
    session.file.write_text(ALPHA.replace("MIT", "ISC"))
    session.wait("changed on disk under your changes")
    # A notice would cover the keys of the dialog.
    notices = ("saved SKILL.md", "saved alpha/SKILL.md")
    session.wait(lambda screen: not any(notice in screen for notice in notices))


def settled(session: TerminalSession) -> None:
    session.close_dialog("m keep all mine")
    session.file.write_text(ALPHA)
    session.wait(lambda screen: "changed on disk under" not in screen)
    if "[Edit" not in session.terminal.screen:
        session.press("e")
        session.wait("[Edit")
    session.press("C-z")
    session.wait(clean)


def undone(session: TerminalSession) -> None:
    session.change()
    session.press("C-z")
    session.wait(clean)


def saved(session: TerminalSession) -> None:
    assert session.file.read_text() == "Z" + ALPHA
    session.press("C-z")
    session.wait("● unsaved")
    session.press("C-s")
    session.wait(clean)
    assert session.file.read_text() == ALPHA


def in_form(session: TerminalSession) -> None:
    session.to_skills()
    session.press("2")
    session.wait("[2 Form")
    session.press("Escape")
    session.wait("s Skills ")


def out_of_form(session: TerminalSession) -> None:
    session.press("Escape")
    session.wait("s Skills ")
    session.press("1")
    session.wait("[1 Edit")


def in_compare(session: TerminalSession) -> None:
    session.open("gamma", "name: gamma")
    session.to_skills()
    session.press("5")
    session.wait(lambda screen: "[5 Compare" in screen and "needs a major bump" in screen)


def out_of_compare(session: TerminalSession) -> None:
    session.to_skills()
    session.press("1")
    session.wait("[1 Edit")
    session.open("alpha", "description: Use")


def out_of_compare_texts(session: TerminalSession) -> None:
    session.press("v")
    session.wait("▲ major")
    out_of_compare(session)


def compared(title: str) -> Case:
    """A dialog of the comparison."""
    return Case(
        in_compare,
        title,
        lambda session: (session.close_dialog(title), out_of_compare(session), None)[-1],
    )


def in_run(session: TerminalSession) -> None:
    session.open("runs", "name: runs")
    session.to_skills()
    session.press("3")
    session.wait(lambda screen: "[3 Run" in screen and " arguments " in screen)
    session.press("e")
    session.wait("▌arguments")
    session.press("Escape")
    session.wait(lambda screen: "▌arguments" not in screen)


def ran(session: TerminalSession) -> None:
    in_run(session)
    session.press("F5")
    session.wait("[Output]")  # While it runs: the result of an earlier case may be there.
    session.wait("[Result] ✓")


def at_the_end_of_a_report(session: TerminalSession) -> None:
    ran(session)
    session.press("G")
    session.wait("i details")


def ran_twice(session: TerminalSession) -> None:
    ran(session)
    session.press("t")
    session.wait("[Output]")
    session.press("F5")
    session.wait("[Result] ✓")


def with_two(session: TerminalSession) -> None:
    in_run(session)
    session.press("o")
    session.wait("Which operation?")
    session.terminal.type("two")
    session.wait(lambda screen: "scripts/one" not in screen.partition("Which operation?")[2])
    session.press("Enter")
    session.wait("runs · scripts/two.sh")


def running(session: TerminalSession) -> None:
    with_two(session)
    session.press("F5")
    session.wait("begun")


def before_two(session: TerminalSession) -> None:
    with_two(session)
    session.press("4")
    session.wait("[4 Preview")


def ended(session: TerminalSession) -> None:
    session.press("Escape")
    session.wait("cancelled after")
    first_again(session)


def first_again(session: TerminalSession) -> None:
    session.press("o")
    session.wait("Which operation?")
    session.terminal.type("one")
    session.wait(lambda screen: "scripts/two" not in screen.partition("Which operation?")[2])
    session.press("Enter")
    session.wait("runs · scripts/one.sh")
    out_of_run(session)


def out_of_run(session: TerminalSession) -> None:
    session.to_skills()
    session.press("1")
    session.wait("[1 Edit")
    session.open("alpha", "description: Use")


def out_of_inputs(session: TerminalSession) -> None:
    session.press("Escape")
    session.wait(lambda screen: "▌arguments" not in screen)
    out_of_run(session)


def out_of_shell(session: TerminalSession) -> None:
    session.terminal.type("exit")
    session.press("Enter")
    session.wait("[3 Run")
    out_of_run(session)


def out_of_watch(session: TerminalSession) -> None:
    session.press("L")
    session.wait("run on save is off")
    out_of_run(session)


def from_home(session: TerminalSession) -> None:
    session.open("alpha", "[1 Edit")


def to_file(session: TerminalSession) -> None:
    """Select the SKILL.md of alpha in the tree."""
    session.to_skills()
    session.press("g", "j")
    session.wait("t targets")


def with_new_file(session: TerminalSession) -> None:
    to_file(session)
    session.press("a")
    session.wait("Path in the skill")
    session.terminal.type("note.md")
    session.press("Enter")
    session.wait("alpha · note.md")
    session.to_skills()


def failed_run(session: TerminalSession) -> None:
    in_run(session)
    session.press("o")
    session.wait("Which operation?")
    session.terminal.type("wrong")
    session.wait(lambda screen: "scripts/one" not in screen.partition("Which operation?")[2])
    session.press("Enter")
    session.wait("runs · scripts/wrong.sh")
    session.wait("✓ ready")
    session.press("F5")
    session.wait("scripts/wrong.sh:3")


def out_of_line(session: TerminalSession) -> None:
    session.to_skills()
    session.press("3")
    session.wait("[3 Run")
    first_again(session)


def asked_in_run(title: str, before: Callable[[TerminalSession], None] = in_run) -> Case:
    """A dialog of the run view."""
    return Case(
        before, title, lambda session: (session.close_dialog(title), out_of_run(session), None)[-1]
    )


def in_changes(session: TerminalSession) -> None:
    """The preview of what a run changed."""
    in_run(session)
    session.press("o")
    session.wait("Which operation?")
    session.terminal.type("three")
    session.wait(lambda screen: "scripts/one" not in screen.partition("Which operation?")[2])
    session.press("Enter")
    session.wait("runs · scripts/three.sh")
    session.press("F5")
    session.wait("[Result")
    session.press("4")
    session.wait(lambda screen: "[Changes]" in screen and "counted.txt" in screen)


def out_of_changes(session: TerminalSession) -> None:
    session.press("3")
    session.wait("[3 Run")
    first_again(session)


def out_of_the_form(session: TerminalSession) -> None:
    session.press("Escape")
    session.wait(lambda screen: "arguments" not in screen)
    out_of_changes(session)


def out_of_diff(session: TerminalSession) -> None:
    session.press("v", "v", "v")
    session.wait("[Rendered]")
    out_of_changes(session)


def found(session: TerminalSession) -> None:
    in_changes(session)
    session.press("C-f")
    session.wait("text to look for")
    session.terminal.type("77")
    session.press("Enter")
    session.wait("▌77")


def asked_in_changes(title: str) -> Case:
    """A dialog, or a field, of the preview."""
    return Case(
        in_changes,
        title,
        lambda session: (session.close_dialog(title), out_of_changes(session), None)[-1],
    )


def wrong_is(*signs: str) -> Callable[[str], bool]:
    """Whether the sample that is not as expected has one of these signs."""
    row = re.compile(rf"(?:{'|'.join(signs)}) scripts/one.sh +wrong.yaml")
    return lambda screen: row.search(screen) is not None


def in_tests(session: TerminalSession) -> None:
    """The samples, with the one selected that is not as expected."""
    path = session.file.parents[1] / "runs/samples/scripts/one.sh/wrong.yaml"
    # Other text each time, so that no result of an earlier case is current.
    path.write_text(f"inputs: {{}}\nexpect: {{stdout: dune}}\n# {time.monotonic()}\n")
    session.open("runs", "name: runs")
    session.to_skills()
    session.press("6")
    session.wait(wrong_is("○", "!"))
    session.press("g", "j")


def failed(session: TerminalSession) -> None:
    in_tests(session)
    session.press("r")
    session.wait("▌ - dune")


def without_sample(session: TerminalSession) -> None:
    in_tests(session)
    session.wait("· scripts/three.sh")


def with_sample_removed(session: TerminalSession) -> None:
    for path in (session.file.parents[1] / "runs/samples").rglob("generated.yaml"):
        path.unlink()
    session.wait(lambda screen: "generated.yaml" not in screen)
    out_of_run(session)


def while_tests_run(session: TerminalSession) -> None:
    in_tests(session)
    session.press("j", "r")
    session.wait("running 1 of 1")


def when_tests_end(session: TerminalSession) -> None:
    session.press("Escape")
    session.wait(lambda screen: "running" not in screen and "ending" not in screen)
    out_of_run(session)


def accepted(session: TerminalSession) -> None:
    session.wait(wrong_is("✓"))
    out_of_run(session)


def unbumped(session: TerminalSession) -> None:
    session.press("C-z")
    session.wait("✗ needs a major bump")
    out_of_compare(session)


def changed_in_skills(session: TerminalSession) -> None:
    session.change()
    session.to_skills()


def all_saved(session: TerminalSession) -> None:
    session.to_text()
    saved(session)


def below_the_description(session: TerminalSession) -> None:
    session.to_text()
    session.press("Down", "Down", "Down")


def typed(session: TerminalSession) -> None:
    session.to_text()
    session.press("End")


def unfiltered(session: TerminalSession) -> None:
    session.press("Escape")
    session.wait(lambda screen: "state:error" not in screen)


def in_wizard(session: TerminalSession) -> None:
    session.to_skills()
    session.press("N")
    session.wait(lambda screen: "[Template" in screen and "agent-skills" in screen)


def in_preview(session: TerminalSession) -> None:
    in_wizard(session)
    session.press("Enter")
    session.wait("ready for the preview")
    session.press("C-n")
    session.wait("creates skills/new-skill; nothing is written yet")


def out_of_wizard(session: TerminalSession) -> None:
    session.press("Escape")
    session.wait("s Skills ")


def out_of_questions(session: TerminalSession) -> None:
    session.press("Escape")
    session.wait("[Template")
    out_of_wizard(session)


def unmade(session: TerminalSession) -> None:
    assert (session.file.parents[1] / "new-skill" / "SKILL.md").is_file()
    session.open("alpha", "description: Use")


def in_tour(session: TerminalSession) -> None:
    session.to_skills()
    session.press("U")
    session.wait("1/5  Break it: type")
    session.press("Escape")
    session.wait("1/5  Break it: e goes")


def out_of_tour(session: TerminalSession) -> None:
    session.press("C-p")
    session.wait("─ Commands ─")
    session.terminal.type("leave the tour")
    session.wait("Leave the tour  ")
    session.press("Enter")
    session.wait(lambda screen: "alpha · SKILL.md" in screen and "description: Use" in screen)
    session.to_skills()


def following(session: TerminalSession) -> None:
    """Follow other programs, one of which writes alpha."""
    session.to_skills()
    session.press("F")
    session.wait("F unfollow")
    session.file.write_text(ALPHA + "\n")
    session.wait(lambda screen: "SKILL.md changed" in screen and "✗ SKILL.md:3:22" in screen)


def following_runs(session: TerminalSession) -> None:
    in_tests(session)
    session.to_skills()
    session.press("F")
    session.wait("F unfollow")
    path = session.file.parents[1] / "runs" / "SKILL.md"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    session.wait("SKILL.md changed")


def unfollowed(session: TerminalSession) -> None:
    session.press("F")
    session.wait(lambda screen: "F unfollow" not in screen)


def back_to_alpha(session: TerminalSession) -> None:
    """Go where the program goes that is followed, and end following."""
    session.file.write_text(ALPHA + "\n\n")
    session.wait(lambda screen: "─ alpha " in screen.partition("\n")[0])
    session.to_skills()
    unfollowed(session)
    session.file.write_text(ALPHA)
    session.press("1")
    session.wait("description: Use")


def without_note(session: TerminalSession) -> None:
    session.close_dialog("Delete note.md?")
    (session.file.parent / "note.md").unlink()
    session.wait(lambda screen: "note.md" not in screen)
    to_file(session)
    session.press("Enter")
    session.wait("description: Use")


def without_notice(session: TerminalSession) -> None:
    """The skills without the notice of an earlier case, which would be taken for the next one."""
    session.to_skills()
    session.wait(lambda screen: "from 100 columns" not in screen)


def has_labels(screen: str) -> bool:
    return "a Edit" in screen and "h Tests" in screen


def without_labels(session: TerminalSession) -> None:
    # A key that is pressed while they are shown is taken for one of them.
    session.press("Escape")
    session.wait(lambda screen: not has_labels(screen))


CASES = {
    "file.save": Case(TerminalSession.change, lambda screen: "saved SKILL.md" in screen, saved),
    "file.save-all": Case(changed_in_skills, lambda screen: "●" not in screen, all_saved),
    "file.save-skill": Case(changed_in_skills, lambda screen: "●" not in screen, all_saved),
    "file.conflict": Case(changed_twice, "m keep all mine", settled),
    "file.external": Case(TerminalSession.to_text, "Use when: called", TerminalSession.unchange),
    "file.external X": Case(TerminalSession.to_text, "✗ alpha ●", TerminalSession.unchange),
    "file.new": dialog("Path in the skill", to_file),
    "file.rename": dialog("Rename SKILL.md to", to_file),
    "file.delete": Case(with_new_file, "Delete note.md?", without_note),
    "file.restore": Case(with_new_file, "removed note.md", out_of_run),
    "file.copy": Case(TerminalSession.to_skills, "characters to the", nothing),
    "file.copy-path": Case(TerminalSession.to_skills, "sent the path", nothing),
    "edit.undo": Case(TerminalSession.change, clean, nothing),
    "edit.redo": Case(undone, "Z---", TerminalSession.unchange),
    "problem.next": Case(TerminalSession.to_text, "  3:22 ─╯", nothing),
    "problem.previous": Case(TerminalSession.to_text, "  9:12 ─╯", nothing),
    "problem.fix": Case(
        lambda session: (typed(session), session.press("Down", "Down"), None)[-1],
        'description: "Use when: asked"',
        TerminalSession.unchange,
    ),
    "problem.copy": Case(TerminalSession.to_problems, "sent the problem", nothing),
    "problem.explain": dialog("Here  SKILL.md", TerminalSession.to_problems),
    "skill.filter": Case(TerminalSession.to_skills, "text, state:error", unfiltered),
    "skill.rescan": Case(TerminalSession.to_skills, "rescanning the skills", nothing),
    "skill.cancel": Case(TerminalSession.to_skills, "nothing is being checked", nothing),
    "skill.goto": dialog("Go to a skill"),
    "skill.new": Case(TerminalSession.to_skills, "[Template", out_of_wizard),
    "skill.migrate": Case(TerminalSession.to_skills, "not migrated: SKILL.md:3", noticed),
    "skill.export": dialog("Export", TerminalSession.to_skills),
    "skill.targets": dialog("─ Targets of ", TerminalSession.to_skills),
    "new.next": Case(in_wizard, "[Questions", out_of_questions),
    "new.create": Case(
        in_preview, lambda screen: "[1 Edit" in screen and "name: new-skill" in screen, unmade
    ),
    "new.back": Case(in_wizard, "s Skills ", nothing),
    "editor.complete": Case(
        below_the_description, "k compatibility", lambda session: session.close_dialog("k compat")
    ),
    "editor.find": dialog("\n│  Find"),
    "editor.go-to-line": dialog("\n│  Go to line"),
    "editor.outline": dialog("Outline"),
    "editor.wrap": Case(
        TerminalSession.to_text, "long lines scroll sideways", lambda s: s.press("M-z")
    ),
    "view.edit": Case(in_form, "[1 Edit", nothing),
    "view.form": Case(TerminalSession.to_skills, "[2 Form", out_of_form),
    "view.run": Case(
        lambda session: (session.open("runs", "name: runs"), session.to_skills(), None)[-1],
        "[3 Run",
        out_of_run,
    ),
    "skill.run": Case(in_run, "✓ as declared · exit 0", out_of_run),
    "run.start": Case(in_run, "✓ as declared · exit 0", out_of_run),
    "run.watch": Case(ran, "run on save is on", out_of_watch),
    "run.cancel": Case(running, "cancelled after", first_again),
    "run.inputs": Case(in_run, "▌arguments", out_of_inputs),
    "run.operation": asked_in_run("Which operation?"),
    "run.sample": asked_in_run("Inputs of a sample"),
    "run.save-sample": asked_in_run("The name of the sample"),
    "run.isolation": asked_in_run("Isolation level"),
    "run.workspace": asked_in_run("The workspace: the run changes"),
    "run.show": Case(ran, "[Output]", out_of_run),
    "run.open": Case(failed_run, "echo $NOT_SET_HERE", out_of_line),
    "run.details": Case(at_the_end_of_a_report, "How this differs", out_of_run),
    "run.adopt": asked_in_run("Adopt what run", ran),
    "run.explore": Case(ran, "changes are discarded", out_of_shell),
    "run.history": asked_in_run("Earlier runs", ran),
    "run.compare": asked_in_run("Compare with which run?", ran_twice),
    "view.compare": Case(
        lambda session: (session.open("gamma", "name: gamma"), session.to_skills(), None)[-1],
        "[5 Compare",
        out_of_compare,
    ),
    "view.preview": Case(in_run, "[4 Preview", out_of_run),
    "preview.subject": Case(in_changes, "[Card]", out_of_changes),
    "preview.inputs": Case(in_changes, "▌arguments", out_of_the_form),
    "preview.start": Case(before_two, "begun", ended),
    "preview.operation": asked_in_changes("Which operation?"),
    "preview.sample": asked_in_changes("Inputs of a sample"),
    "preview.mode": Case(in_changes, "[Diff]", out_of_diff),
    "preview.find": asked_in_changes("text to look for"),
    "preview.next": Case(found, "▌177", out_of_changes),
    "preview.pager": Case(in_changes, "false ended with status 1", out_of_changes),
    "preview.editor": Case(in_changes, "that was a copy", out_of_changes),
    "preview.run": asked_in_changes("Show the changes of which run"),
    "preview.adopt": asked_in_changes("Adopt what run"),
    "preview.apply": asked_in_changes("Apply to the real folders"),
    "run.save-test": asked_in_run("The name of the test", ran),
    "view.tests": Case(
        lambda session: (session.open("runs", "name: runs"), session.to_skills(), None)[-1],
        "[6 Tests",
        out_of_run,
    ),
    "tests.run": Case(in_tests, wrong_is("✗"), out_of_run),
    "tests.run-all": Case(in_tests, "running 1 of 3", when_tests_end),
    "tests.cancel": Case(while_tests_run, lambda screen: "running" not in screen, out_of_run),
    "tests.generate": Case(without_sample, "wrote samples/", with_sample_removed),
    "tests.accept": Case(failed, "accepted 1 difference in", accepted),
    "tests.accept-all": Case(failed, "accepted 1 difference in", accepted),
    "tests.open": Case(in_tests, "expect: {stdout: dune}", out_of_run),
    "compare.old": compared("The old version"),
    "compare.new": compared("The new version"),
    "compare.text": Case(
        in_compare,
        lambda screen: any(line.count("schema:") == 2 for line in screen.split("\n")),
        out_of_compare_texts,
    ),
    "compare.details": Case(
        in_compare,
        "fingerprint",
        lambda session: (session.press("i"), out_of_compare(session), None)[-1],
    ),
    "compare.copy": Case(in_compare, "characters of Markdown", out_of_compare),
    "compare.waive": compared("Why is this acceptable?"),
    "compare.bump": Case(in_compare, "2.0.0 written to", unbumped),
    "pane.skills": Case(TerminalSession.to_problems, "s Skills ", nothing),
    "pane.view": Case(TerminalSession.to_problems, "[Edit", nothing),
    "pane.problems": Case(TerminalSession.to_skills, "p Problems", nothing),
    "pane.next": Case(TerminalSession.to_text, "p Problems", nothing),
    "pane.next w": Case(TerminalSession.to_skills, "[Edit", nothing),
    "pane.jump": Case(TerminalSession.to_text, has_labels, without_labels),
    "pane.larger": Case(without_notice, "from 100 columns", nothing),
    "pane.smaller": Case(without_notice, "from 100 columns", nothing),
    "pane.resize": Case(without_notice, "from 100 columns", nothing),
    "pane.zoom": Case(without_notice, "from 100 columns", nothing),
    "theme.choose": dialog("─ Themes ─"),
    "help.show": dialog("─ Help ─"),
    "help.palette": dialog("─ Commands ─"),
    "help.tour": Case(TerminalSession.to_skills, "1/5  Break it: type", out_of_tour),
    "help.tour-close": Case(in_tour, "Leave the tour ends it", out_of_tour),
    "app.follow": Case(TerminalSession.to_skills, "F unfollow", unfollowed),
    "follow.problem": Case(following, "[Edit", back_to_alpha),
    "follow.test": Case(following_runs, "wrong.yaml", back_to_alpha),
    "app.back": Case(TerminalSession.to_problems, "s Skills ", nothing),
    "app.home": Case(TerminalSession.to_skills, "open another folder", from_home),
    "app.open": dialog("Open a skill or a folder", TerminalSession.to_skills),
    "app.quit": Case(
        TerminalSession.change,
        "Unsaved changes",
        lambda session: (session.close_dialog("Unsaved changes"), session.unchange())[-1],
    ),
}
KEYS = [(command, key) for command in COMMANDS for key in command.keys]


@pytest.fixture(scope="module")
def sessions() -> Iterator[list[TerminalSession]]:
    """The workbench in which the keys are pressed; none where it is to be opened."""
    opened: list[TerminalSession] = []
    yield opened
    for each in opened:
        each.terminal.close()


@pytest.mark.parametrize(("command", "key"), KEYS, ids=[f"{c.id} {key}" for c, key in KEYS])
def test_a_key_runs_its_command(
    command: Command,
    key: str,
    sessions: list[TerminalSession],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    before, wanted, after = CASES.get(f"{command.id} {key}") or CASES[command.id]
    if not sessions:
        sessions.append(TerminalSession(tmp_path_factory.mktemp("session")))
    session = sessions.pop()
    try:
        before(session)
        if command.context == "everywhere" and types(key):
            session.to_skills()
        session.press(name_in_tmux(key))
        session.wait(wanted)
        after(session)
    except BaseException:
        session.terminal.close()
        raise
    sessions.append(session)


def types(key: str) -> bool:
    """Whether a key types a character in a text, so that its command waits outside."""
    return len(key) == 1 or key in ("slash", "question_mark", "plus", "minus")


def name_in_tmux(key: str) -> str:
    return TMUX.get(key) or key.replace("ctrl+", "C-").replace("alt+", "M-").replace(
        "f", "F", key[1:].isdigit()
    )
