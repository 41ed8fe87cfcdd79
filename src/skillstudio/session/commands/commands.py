"""Every command of the workbench: the source of key line, palette, help, keymap file and docs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

Context = Literal[
    "everywhere", "outside", "tree", "editor", "run", "preview", "tests", "follow", "wizard"
]
"""Where a key works: `everywhere`, also in a text field; `outside` of text fields; with the `tree`
of skills, the `editor` or something of the `run`, `preview` or `tests` view focused, whose widgets
bind it themselves; in the `wizard` for a new skill, where only these, help and quit work."""


class Command(NamedTuple):
    """One action of the user."""

    id: str
    title: str
    help: str
    keys: tuple[str, ...] = ()
    """The defaults, the one to show first, in the spelling of keymap files."""
    context: Context = "everywhere"
    twin: str = ""  # The equivalent command line; empty for navigation.
    needs: tuple[str, ...] = ()  # The keys of `REASONS` that it requires.
    short: str = ""  # Its title in the line of keys, if that differs.
    asks: bool = False  # Whether it opens a field or a dialog, into which the user types on.

    @property
    def category(self) -> str:
        return self.id.partition(".")[0]


REASONS = {
    "skills": "no folder of skills is open",
    "file": "no file is open",
    "writable": "the file is read-only",
    "dirty": "there are no unsaved changes",
    "unsaved": "no file has unsaved changes",
    "skill-unsaved": "no file of the open skill has unsaved changes",
    "undo": "there is nothing to undo",
    "redo": "there is nothing to redo",
    "tree-file": "no file or folder of a skill is selected",
    "file-step": "no file was created, renamed or deleted",
    "template": "the skill has no .copier-answers.yml, so its template is unknown",
    "problem": "no problem is selected",
    "problems": "no skill has errors or warnings",
    "fix": "no problem here has a fix",
    "changed-on-disk": "the file has not changed on disk",
    "run": "the Run view is not open: press 3",
    "idle": "a run is active",
    "run-active": "no run is active",
    "operations": "there is no other operation",
    "own-run": "no run of this session is shown: start one",
    "tests": "the Tests view is not open: press 6",
    "following": "no skill is followed: press F",
    "tests-active": "no test is running",
    "sample": "the skill has no samples",
    "untested": "each operation has a sample",
    "hunk": "no difference is selected: run a sample that fails",
    "reason": "no run is shown that failed at a line of the skill",
    "report": "no run is shown: start one, or choose an earlier run",
    "previewing": "the Preview view is not open: press 4",
    "shown": "there is no content to search or open",
    "ways": "there is only one way to show this",
    "search-text": "no search text: find a text first",
    "bytes": "no readable file is selected",
    "pager-program": "$PAGER is not set, and less is not installed",
    "run-shown": "no run is shown: press t to show the changes of the last run",
    "applicable": "no change of this run can be applied",
    "applicable-file": "this file is applied already, or cannot be applied: its row says why",
    "compared": "there are no two versions to compare",
    "compare": "the Compare view is not open: press 5",
    "texts": "there are no texts of two versions",
    "no-note": "the selected row is a note; only changes can be waived",
    "change": "no change is selected",
    "waivable": "the selected change needs no waiver",
    "bump": "the version needs no bump",
    "new-is-open": "the new version is not the open skill",
    "wizard": "no new skill is being created: press N",
    "next-step": "this is the last step: create the skill",
    "preview": "the preview is not ready",
    "wide": "panes have a size of their own from 100 columns",
    "editor-program": "neither $VISUAL nor $EDITOR is set",
    "tour": "the tour is not open here: Tour starts it",
}
"""Why a command is disabled without the fact, to follow "not now:"."""


def why_disabled(command: Command, facts: Collection[str]) -> str:
    """Why a command cannot be run when only `facts` apply; empty if it can."""
    return next((REASONS[need] for need in command.needs if need not in facts), "")


_VIEWS: dict[str, tuple[Context, str]] = {
    "run": ("run", "run"),
    "preview": ("preview", "previewing"),
    "compare": ("outside", "compare"),
    "tests": ("tests", "tests"),
    "follow": ("follow", "following"),
}
"""The context and the fact of the commands of a view, by category."""


def _in_view(
    id_: str,
    title: str,
    help_: str,
    keys: tuple[str, ...],
    twin: str,
    *needs: str,
    asks: bool = False,
) -> Command:
    context, fact = _VIEWS[id_.partition(".")[0]]
    return Command(id_, title, help_, keys, context, twin, ("file", fact, *needs), asks=asks)


def _view(key: str, title: str, help_: str, twin: str = "") -> Command:
    keys = (key, f"alt+{key}")
    return Command(f"view.{title.lower()}", title, help_, keys, "outside", twin, ("file",))


_CHECK = "skillstudio check PATH"
_DIFF = "skillstudio diff OLD NEW"
_EDIT = "skillstudio edit PATH set POINTER VALUE"
_NEW = "skillstudio new TEMPLATE DEST"
_RUN = "skillstudio run PATH OPERATION"
_SAMPLE = "Fill the form with a sample, or with inputs generated from the schemas."
_TEST = "skillstudio test PATH"
_LINES = "skillstudio preview --lines A:B FILE"

COMMANDS: tuple[Command, ...] = (
    Command(
        "file.save", "Save", "Write the file; every byte you did not change stays.", ("ctrl+s",),
        twin=_EDIT, needs=("file", "writable", "dirty"), short="save",
    ),
    Command(
        "file.save-all", "Save all", "Write every file with unsaved changes.", ("S",), "outside",
        _EDIT, ("unsaved",),
    ),
    Command(
        "file.save-skill", "Save the skill",
        "Write every file of the open skill with unsaved changes, and no other.", ("K",), "outside",
        _EDIT, ("file", "skill-unsaved"), "save the skill",
    ),
    Command(
        "file.conflict", "Resolve conflict with disk",
        "Choose between your text and the one on disk, as a whole or hunk by hunk.", ("f3", "D"),
        twin="git merge-file MINE BASE THEIRS", needs=("file", "changed-on-disk"),
    ),
    Command(
        "file.external", "Open in $EDITOR",
        "Edit the text in $VISUAL or $EDITOR; your changes become one undo step.", ("f4", "X"),
        twin="$EDITOR PATH", needs=("file", "writable", "editor-program"),
    ),
    Command(
        "file.new", "New file…",
        "Create a file in the selected folder of a skill; a name that ends with / makes a folder.",
        ("a",), "tree", "touch PATH", ("skills",), asks=True, short="new file",
    ),
    Command(
        "file.rename", "Rename…",
        "Rename or move the selected file or folder; asks whether paths that name it follow.",
        ("r",), "tree", "git mv OLD NEW", ("tree-file",), asks=True, short="rename",
    ),
    Command(
        "file.delete", "Delete…",
        "Move the selected file or folder to a trash, after a question; it can be restored.",
        ("d",), "tree", "rm -r PATH", ("tree-file",), short="delete",
    ),
    Command(
        "file.restore", "Undo the last change of files",
        "Restore the file that was deleted last, or undo the last rename or new file.", ("u",),
        "tree", "git restore PATH", ("file-step",), short="undo",
    ),
    Command(
        "file.copy", "Copy the file's text", "Send the text to the terminal's clipboard (OSC 52).",
        ("Y",), "outside", "cat PATH", ("file",),
    ),
    Command(
        "file.copy-path", "Copy the file's path",
        "Send the path to the terminal's clipboard (OSC 52).", ("y",), "outside", "realpath PATH",
        ("file",),
    ),
    Command(
        "edit.undo", "Undo", "Undo the last change, also after saving.", ("ctrl+z",),
        twin="git diff PATH", needs=("file", "undo"),
    ),
    Command(
        "edit.redo", "Redo", "Redo the last undone change.", ("ctrl+y",), twin="git diff PATH",
        needs=("file", "redo"),
    ),
    Command(
        "problem.next", "Next problem",
        "Go to the next problem of this skill; if it has none, to the skill to fix first.",
        ("f8", "ctrl+n"), twin=_CHECK, needs=("problems",), short="next",
    ),
    Command(
        "problem.previous", "Previous problem", "Go to the previous problem of this skill.",
        ("shift+f8", "f20", "ctrl+r"), twin=_CHECK, needs=("problems",),
    ),
    Command(
        "problem.fix", "Fix this problem",
        "Apply the fix of the selected problem, as one undo step.", ("f2", "ctrl+t"),
        twin="skillstudio check --fix --unsafe-fixes PATH", needs=("fix",), short="fix",
    ),
    Command(
        "problem.copy", "Copy the problem",
        "Send the problem's text to the terminal's clipboard (OSC 52).", ("c",), "outside", _CHECK,
        ("problem",), short="copy",
    ),
    Command(
        "problem.explain", "Explain the rule",
        "Show what the rule of this problem requires, why, and an example.", ("x",), "outside",
        "skillstudio explain RULE", ("problem",), short="explain",
    ),
    Command(
        "skill.filter", "Filter the skills",
        "Show only skills with a text in their name or path; also state:error, state:warning, "
        "state:ok, state:unsaved and since:REF.", ("slash",), "outside",
        "skillstudio check --changed-since REF PATH", ("skills",), short="filter",
        asks=True,
    ),
    Command(
        "skill.rescan", "Rescan", "Read the folder again and check every skill in it.", ("R",),
        "outside", _CHECK, ("skills",),
    ),
    Command(
        "skill.cancel", "Stop checking", "Stop checking the skills that are not checked yet.",
        ("C",), "outside", "Ctrl+C", ("skills",),
    ),
    Command(
        "skill.goto", "Go to a skill", "Choose a skill by a few letters of its name.",
        ("ctrl+l",), twin=_CHECK, needs=("skills",), asks=True,
    ),
    Command(
        "skill.new", "New skill",
        "Create a skill from a template or scripts, after a preview of every file.", ("N",),
        "outside", _NEW, short="new",
    ),
    Command(
        "skill.migrate", "Migrate…",
        "Update the manifest to the next version of its dialect, after a diff; one undo step.",
        ("M",), "outside", "skillstudio migrate PATH", ("file",), asks=True,
    ),
    Command(
        "skill.export", "Export…",
        "Create a copy that a target accepts in a new folder, after a report of its changes.",
        ("E",), "outside", "skillstudio export PATH --target ID -o DIR", ("file",), asks=True,
        short="export",
    ),
    Command(
        "skill.update", "Update from template…",
        "Merge a newer version of the skill's template into its files, after a diff.",
        context="outside", twin="skillstudio update PATH", needs=("file", "template"),
    ),
    Command(
        "skill.add-operation", "Add an operation…",
        "Choose a script of the skill and add an operation for it to the manifest; one undo step.",
        context="outside", twin="skillstudio edit PATH add-operation SCRIPT", needs=("file",),
        asks=True,
    ),
    Command(
        "skill.targets", "Targets",
        "Show which targets, such as claude.ai, find and load the skill, every reason with its "
        "place, and the listing budget; select one, or export a copy for it.",
        ("t",), "outside", "skillstudio why PATH", ("skills",), short="targets",
    ),
    Command(
        "skill.select-target", "Select targets…",
        "Add targets to skillstudio.toml, at which every skill of the folder must work, or remove "
        "them.",
        context="outside", twin="$EDITOR skillstudio.toml", needs=("skills",), asks=True,
    ),
    Command(
        "new.next", "Next step",
        "Go from the templates to the questions, or from the questions to the preview.",
        ("ctrl+n",), "wizard", "skillstudio new --dry-run TEMPLATE DEST", ("wizard", "next-step"),
        short="next",
    ),
    Command(
        "new.create", "Create the skill",
        "Write the files of the preview to the new folder, and open the skill.", ("ctrl+s",),
        "wizard", _NEW, ("wizard", "preview"), short="create",
    ),
    Command(
        "new.back", "Previous step",
        "Go back a step; from the first step, close the wizard. Every answer is kept.", ("escape",),
        "wizard", "Ctrl+C", ("wizard",), short="back",
    ),
    Command(
        "editor.complete", "Complete",
        "Suggest the keys, values, inputs and files that fit at the cursor.",
        ("ctrl+space", "ctrl+@"), "editor", needs=("file", "writable"), short="complete",
    ),
    Command(
        "editor.find", "Find", "Find a text in the file.", ("ctrl+f",), "editor", "grep TEXT PATH",
        ("file",), asks=True, short="find",
    ),
    Command(
        "editor.go-to-line", "Go to line", "Go to a line by its number.", ("ctrl+g",), "editor",
        needs=("file",), asks=True,
    ),
    Command(
        "editor.outline", "Outline", "Go to a key of the manifest.", ("ctrl+e",), "editor",
        "cat PATH", ("file",), asks=True,
    ),
    Command(
        "editor.wrap", "Wrap long lines",
        "Wrap long lines or scroll sideways; kept for all files of this kind.", ("alt+z",),
        "editor", needs=("file",),
    ),
    Command(
        "editor.vim", "Vim keys on or off",
        "Switch vim keys until you quit; `keys` in [editor] of skillstudio.toml keeps them.",
        context="editor", needs=("file",),
    ),
    _view("1", "Edit", "Show the text of the manifest."),
    _view("2", "Form", "Show the manifest as fields.", _EDIT),
    _view("5", "Compare", "Show the changes between two versions and the required bump.", _DIFF),
    _view("3", "Run", "Run an operation in copies: its inputs, the plan and the result.", _RUN),
    _view(
        "4", "Preview",
        "Show the expected outputs, the changes of a run, and the skill as agents see it.",
        "skillstudio preview PATH OPERATION",
    ),
    _view(
        "6", "Tests", "Run the samples of the skill; show and accept what differs.", _TEST,
    ),
    Command(
        "skill.run", "Run again",
        "Run the last operation again, from anywhere; the only one, or the one you choose, if none "
        "was run.", ("f5",), "outside", _RUN, ("file",), short="run",
    ),
    Command(
        "run.watch", "Run on save",
        "Start or stop running the last operation again after each save, one run at a time.",
        ("alt+f5", "L"), "outside", _RUN, ("file",),
    ),
    _in_view(
        "run.start", "Run", "Run the operation with the inputs in the form, on the files on disk.",
        ("f5", "r"), _RUN, "idle",
    ),
    Command(
        "run.cancel", "End the run",
        "Ask everything that was started to end, and kill it after two seconds.",
        ("escape", "ctrl+c"), "run", "Ctrl+C", ("run", "run-active"),
    ),
    _in_view(
        "run.inputs", "Go to the inputs",
        "Focus the first input with a problem, else the first input.", ("e",),
        "skillstudio plan PATH OPERATION -i NAME=VALUE", asks=True,
    ),
    _in_view(
        "run.operation", "Choose the operation",
        "Choose what to run: an operation, a recipe or a script.", ("o",), _RUN, "idle",
        "operations", asks=True,
    ),
    _in_view("run.sample", "Load a sample", _SAMPLE, ("f",), f"{_RUN} --sample NAME", asks=True),
    _in_view(
        "run.save-sample", "Save a sample",
        "Save the inputs in the form under a name, for yourself or in the skill.", ("m",),
        "skillstudio sample PATH OPERATION --save NAME", asks=True,
    ),
    _in_view(
        "run.save-test", "Save the run as a test",
        "Save the run that is shown as a sample in the skill, with the files that it used and what "
        "to expect of it.", ("A",), f"{_RUN} --save-sample NAME", "idle", "own-run", asks=True,
    ),
    _in_view(
        "run.isolation", "Choose the isolation level",
        "Choose how strongly the run is contained; each level lists its known gaps.", ("u",),
        "skillstudio run --isolation LEVEL PATH OPERATION", "idle", asks=True,
    ),
    _in_view(
        "run.workspace", "Choose the workspace", "Choose the folder whose copy the run works in.",
        ("d",), "skillstudio run --workspace DIR PATH OPERATION", "idle", asks=True,
    ),
    _in_view(
        "run.show", "Plan, result or output", "Show the plan, the result of a run or its output.",
        ("t",), "skillstudio plan PATH OPERATION",
    ),
    _in_view(
        "run.open", "Open the line that failed",
        "Open the script at the line that the message of the failure names.", ("enter",),
        "skillstudio run", "reason",
    ),
    _in_view(
        "run.details", "Details",
        "Show or hide effects with their evidence, all changed files, known gaps and what else the "
        "plan and the report only count.", ("i",), "skillstudio trace show -v RUN",
    ),
    _in_view(
        "run.adopt", "Adopt…",
        "Update the manifest from the run: choose the effects, see the diff; one undo step.",
        ("a",), "skillstudio adopt RUN", "idle", "report",
    ),
    _in_view(
        "run.explore", "Explore the result",
        "Open a shell in a copy of the result of the run, at its isolation level; exit returns.",
        ("l",), "skillstudio trace explore RUN", "idle", "report",
    ),
    _in_view(
        "run.history", "Earlier runs", "Show the report of a recorded run.", ("H",),
        "skillstudio trace show RUN", "idle", asks=True,
    ),
    _in_view(
        "run.compare", "Compare two runs", "Show how the run that is shown and another one differ.",
        ("v",), "skillstudio trace diff RUN RUN", "idle", "report", asks=True,
    ),
    _in_view(
        "tests.run", "Run the sample", "Run the selected sample, on the files on disk.", ("r",),
        "skillstudio test -k NAME PATH", "idle", "sample",
    ),
    _in_view(
        "tests.run-all", "Run all samples", "Run every sample of the skill.", ("f5", "R"), _TEST,
        "idle", "sample",
    ),
    Command(
        "tests.cancel", "End the tests",
        "Ask everything that was started to end, and kill it after two seconds.",
        ("escape", "ctrl+c"), "tests", "Ctrl+C", ("tests", "tests-active"),
    ),
    _in_view(
        "tests.accept", "Accept the difference",
        "Write the selected difference into the sample as expected, and run it again.", ("a",),
        "skillstudio test --update PATH", "idle", "hunk",
    ),
    _in_view(
        "tests.accept-all", "Accept all differences",
        "Write every difference of the selected sample into it as expected.", ("A",),
        "skillstudio test --update -k NAME PATH", "idle", "hunk",
    ),
    _in_view(
        "tests.open", "Open the sample",
        "Open the file of the selected sample, at the selected difference.", ("e",),
        "$EDITOR PATH", "sample",
    ),
    _in_view(
        "tests.generate", "Generate a sample",
        "Write a sample with generated inputs for the selected operation, which has none.", ("n",),
        "skillstudio sample PATH OPERATION --save NAME", "idle", "untested",
    ),
    Command(
        "app.follow", "Follow other programs",
        "Show the skill that an editor or an agent writes, its worst problem and the version bump "
        "that the change needs, and rerun the tests that it touches; press again to end this.",
        ("F",), "outside", "skillstudio --follow PATH",
    ),
    _in_view(
        "follow.test", "Run the tests",
        "Run the samples of the followed skill; from then on each change runs those that it "
        "touches.", ("r",), _TEST,
    ),
    _in_view(
        "follow.problem", "Go to the problem", "Show the worst problem in the text.", ("enter",),
        "$EDITOR PATH", "problem",
    ),
    _in_view(
        "preview.subject", "Outputs, changes or card",
        "Show the expected outputs, the changes of a run, or the skill as agents see it, with what "
        "it costs in tokens.", ("t",),
        "skillstudio preview --card PATH",
    ),
    _in_view(
        "preview.inputs", "Edit the inputs",
        "Open the form of the inputs, the same as in Run; the outputs are updated as you type.",
        ("e",), "skillstudio preview PATH OPERATION -i NAME=VALUE", asks=True,
    ),
    _in_view(
        "preview.operation", "Choose the operation",
        "Choose whose outputs are shown: an operation, a recipe or a script.", ("o",),
        "skillstudio preview PATH OPERATION", "operations", asks=True,
    ),
    _in_view(
        "preview.sample", "Load a sample", _SAMPLE, ("f",),
        "skillstudio preview PATH OPERATION --sample NAME", asks=True,
    ),
    _in_view(
        "preview.start", "Run it", "Go to Run and run the operation with these inputs.",
        ("f5", "r"), _RUN,
    ),
    _in_view(
        "preview.mode", "Rendered, diff, raw or bytes",
        "Show the file rendered, as a diff with the real file, as text, or as bytes.", ("v",),
        "skillstudio preview --view hex FILE", "ways",
    ),
    _in_view(
        "preview.find", "Find", "Find a text in the file.", ("ctrl+f",), _LINES, "shown", asks=True,
    ),
    _in_view(
        "preview.next", "Next match",
        "Go to the next line with the text; after the last, to the first.", ("n",), _LINES, "shown",
        "search-text",
    ),
    _in_view(
        "preview.pager", "Open in $PAGER", "Open the view in $PAGER, else in less.", ("m",), _LINES,
        "shown", "pager-program",
    ),
    _in_view(
        "preview.editor", "Open in $EDITOR",
        "Open a copy of the file in $VISUAL or $EDITOR; changes to it are discarded.", ("x",),
        "$EDITOR FILE", "bytes", "editor-program",
    ),
    _in_view(
        "preview.run", "Choose the run",
        "Show the changes of a recorded run, or always those of the last.", ("H",),
        "skillstudio preview --run RUN", asks=True,
    ),
    _in_view(
        "preview.adopt", "Adopt…",
        "Update the manifest from the run: choose the effects, see the diff; one undo step.",
        ("a",), "skillstudio adopt RUN", "run-shown",
    ),
    _in_view(
        "preview.apply", "Apply all…",
        "Copy all changes of the run, or this file, into the real folders; asks first.", ("A",),
        "skillstudio apply RUN", "run-shown", "applicable",
    ),
    _in_view(
        "preview.apply-file", "Apply this file…",
        "Copy this file of the run, or all, into the real folders; asks first.", (),
        "skillstudio apply RUN PATH", "run-shown", "applicable-file",
    ),
    _in_view(
        "compare.old", "Choose the old version", "Choose a tag, HEAD, a folder or an archive.",
        ("o",), _DIFF, asks=True,
    ),
    _in_view(
        "compare.new", "Choose the new version",
        "Choose the new version; by default, it is the skill as it is open.", ("n",), _DIFF,
        asks=True,
    ),
    _in_view(
        "compare.text", "One column or two",
        "Show the texts of the versions side by side, or in one column.", ("v",),
        "skillstudio diff --text OLD NEW", "texts",
    ),
    _in_view(
        "compare.details", "Details",
        "Show all facts of the selected change in place of the texts, or the texts again.", ("i",),
        "skillstudio diff -v OLD NEW", "change",
    ),
    _in_view(
        "compare.copy", "Copy as Markdown",
        "Send the bump and all changes as Markdown to the terminal's clipboard.", ("m",),
        "skillstudio diff --format markdown OLD NEW", "compared",
    ),
    _in_view(
        "compare.waive", "Waive this change",
        "Accept the change, with a reason in skillstudio.toml.", ("W",),
        "skillstudio waive FINGERPRINT --reason TEXT", "no-note", "change", "waivable", asks=True,
    ),
    _in_view(
        "compare.bump", "Bump the version",
        "Write the required version to the manifest, and an entry to CHANGELOG.md.", ("b",),
        "skillstudio bump --write PATH", "bump", "new-is-open",
    ),
    Command(
        "pane.jump", "Jump",
        "Show a letter on every pane, tab, row and field; the letter goes there.",
        ("ctrl+o",), short="jump",
    ),
    Command(
        "pane.skills", "Go to the skills", "Focus the list of skills and their files.",
        ("f7", "s"), short="skills",
    ),
    Command(
        "pane.view", "Go to the text", "Focus the view of the file.", ("e",), "outside",
    ),
    Command(
        "pane.problems", "Go to the problems", "Focus the problems.", ("p",), "outside",
        needs=("file",),
    ),
    Command(
        "pane.next", "Next pane", "Focus the panes in turn.",
        ("f6", "w"),
    ),
    Command(
        "pane.larger", "Enlarge the pane",
        "Make the focused pane larger; the mouse drags its edge.", ("plus",), "outside",
        needs=("wide",),
    ),
    Command(
        "pane.smaller", "Shrink the pane", "Make the focused pane smaller.", ("minus",), "outside",
        needs=("wide",),
    ),
    Command(
        "pane.resize", "Resize the panes",
        "Move the edges of the panes with the arrows; tab goes to the next pane, esc ends it.",
        ("equals_sign",), "outside", needs=("wide",), short="resize",
    ),
    Command(
        "pane.zoom", "Zoom the pane", "Show only the focused pane, or all panes again.", ("z",),
        "outside", needs=("wide",), short="zoom",
    ),
    Command(
        "theme.choose", "Choose a theme", "Preview each theme and keep one.", ("f9", "T"),
        twin="skillstudio config themes", asks=True,
    ),
    Command(
        "help.show", "Help", "Explain the focused part, and list every command; enter runs one.",
        ("f1", "question_mark"), twin="skillstudio config keys", short="help",
    ),
    Command(
        "help.palette", "Commands",
        "Find a command, skill or recent folder by name; @ finds symbols, : lines, # rules.",
        ("ctrl+p",),
        twin="skillstudio --help", short="all", asks=True,
    ),
    Command(
        "help.tour", "Tour",
        "Learn the workbench in five steps, on a copy of the example worklog; shows the step again "
        "if it was closed.",
        ("U",), "outside", "skillstudio --help",
    ),
    Command(
        "help.tour-close", "Close the tour's step",
        "Hide the step of the tour; after the last one, go back to what was open before.",
        ("f12", "Q"), twin="skillstudio --help", needs=("tour",),
    ),
    Command(
        "help.tour-leave", "Leave the tour", "End the tour and open what was open before.",
        twin="skillstudio --help", needs=("tour",),
    ),
    Command(
        "app.back", "Back", "Leave what is focused, one level; never quit.", ("escape",), "outside",
    ),
    Command(
        "app.home", "Home",
        "Close the open skill: show all skills, what to fix first and which targets load them.",
        ("0", "alt+0"), "outside", _CHECK, ("file",), short="home",
    ),
    Command(
        "app.open", "Open a folder", "Open another skill or folder of skills.", ("O",), "outside",
        "skillstudio PATH", asks=True, short="open a folder",
    ),
    Command(
        "app.quit", "Quit", "Quit; asks first if there are unsaved changes.", ("ctrl+q",),
        twin="Ctrl+Q", short="quit",
    ),
)  # fmt: skip
KEY_LINES: dict[str, tuple[str, ...]] = {
    "skills": (
        "problem.fix", "problem.next", "file.save", "skill.filter", "skill.new", "app.quit",
        "file.restore", "app.home", "app.open", "skill.targets", "pane.zoom", "pane.resize",
    ),
    "files": (
        "problem.fix", "problem.next", "file.save", "skill.targets", "file.new", "file.rename",
        "file.delete", "file.restore", "skill.filter", "app.home", "app.quit", "pane.zoom",
        "pane.resize",
    ),
    "problems": (
        "problem.fix", "problem.next", "file.save", "problem.explain", "skill.targets",
        "skill.export", "skill.run", "problem.copy", "pane.skills", "app.quit", "pane.zoom",
        "pane.resize",
    ),
    "text": (
        "problem.fix", "problem.next", "file.save", "skill.run", "pane.skills", "editor.complete",
        "editor.find", "app.quit",
    ),
    "form": ("problem.fix", "problem.next", "file.save", "skill.run", "pane.skills"),
    "home": (
        "problem.fix", "problem.next", "app.quit", "skill.targets", "skill.filter", "pane.skills",
    ),
    "wizard": ("new.next", "new.create", "new.back"),
}  # fmt: skip
"""The commands in the line of keys while a part of the screen is focused, the first kept longest.
"""
KEY_LINE_END = ("pane.jump", "help.palette", "help.show")
"""The commands at the end of every line of keys of the workbench."""
_BY_ID = {command.id: command for command in COMMANDS}


def command(id_: str) -> Command | None:
    """The command of an id."""
    return _BY_ID.get(id_)
