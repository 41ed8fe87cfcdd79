"""Everything the workbench can do, told once.

Footer, palette, help, keymap file and documentation are all made from this table.
"""

from __future__ import annotations

from skillstudio.session.commands.command import REASONS, Command, Context, why_disabled
from skillstudio.session.commands.of_runs import PREVIEW, RUN

__all__ = ["COMMANDS", "REASONS", "Command", "Context", "command", "why_disabled"]

_CHECK = "skillstudio check PATH"

COMMANDS: tuple[Command, ...] = (
    Command(
        "file.save", "Save", "file", "Write the file; every byte you did not change stays.",
        ("ctrl+s",), twin="skillstudio edit PATH set POINTER VALUE",
        needs=("file", "writable", "dirty"), footer=1,
    ),
    Command(
        "file.save-all", "Save all", "file", "Write every file with unsaved changes.",
        ("S",), "outside", twin="skillstudio edit PATH set POINTER VALUE", needs=("unsaved",),
    ),
    Command(
        "file.conflict", "Settle with the file on disk", "file",
        "Choose between your text and the one on disk, as a whole or hunk by hunk.",
        ("f3", "D"), twin="git merge-file MINE BASE THEIRS",
        needs=("file", "changed-on-disk"),
    ),
    Command(
        "file.external", "Open in $EDITOR", "file",
        "Edit the text in $VISUAL or $EDITOR; what comes back is one step of undo.",
        ("f4", "ctrl+o"), twin="$EDITOR PATH", needs=("file", "writable", "editor-program"),
    ),
    Command(
        "file.copy", "Copy the file's text", "file",
        "Send the text to the terminal's clipboard (OSC 52).",
        ("Y",), "outside", twin="cat PATH", needs=("file",),
    ),
    Command(
        "file.copy-path", "Copy the file's path", "file",
        "Send the path to the terminal's clipboard (OSC 52).",
        ("y",), "outside", twin="realpath PATH", needs=("file",),
    ),
    Command(
        "edit.undo", "Undo", "edit", "Take back the last change, also after saving.",
        ("ctrl+z",), twin="git diff PATH", needs=("file", "undo"),
    ),
    Command(
        "edit.redo", "Redo", "edit", "Do again what was undone.",
        ("ctrl+y",), twin="git diff PATH", needs=("file", "redo"),
    ),
    Command(
        "problem.next", "Next problem", "problem", "Go to the next problem of this skill.",
        ("f8", "ctrl+n"), twin=_CHECK, needs=("problem",), footer=2,
    ),
    Command(
        "problem.previous", "Previous problem", "problem",
        "Go to the problem before this one.",
        ("shift+f8", "f20", "ctrl+r"), twin=_CHECK, needs=("problem",),
    ),
    Command(
        "problem.fix", "Fix this problem", "problem",
        "Apply the fix of the selected problem, as one step of undo.",
        ("f2", "ctrl+t"), twin="skillstudio check --fix --unsafe-fixes PATH",
        needs=("fix",), footer=3, short="Fix",
    ),
    Command(
        "problem.copy", "Copy the problem", "problem",
        "Send the problem's text to the terminal's clipboard (OSC 52).",
        ("c",), "outside", twin=_CHECK, needs=("problem",),
    ),
    Command(
        "problem.explain", "Explain the rule", "problem",
        "Show what the rule of this problem asks, why, and an example.",
        ("x",), "outside", twin="skillstudio explain RULE", needs=("problem",),
    ),
    Command(
        "skill.filter", "Filter the skills", "skill",
        "Show only skills with a text in their name or path; also state:error, state:warning, "
        "state:ok, state:unsaved and since:REF.",
        ("slash",), "outside", twin="skillstudio check --changed-since REF PATH",
        needs=("skills",), footer=5, short="Filter",
    ),
    Command(
        "skill.rescan", "Look for skills again", "skill",
        "Read the folder again and check every skill in it.",
        ("R",), "outside", twin=_CHECK, needs=("skills",),
    ),
    Command(
        "skill.cancel", "Stop checking", "skill", "Stop checking the skills not yet read.",
        ("C",), "outside", twin="Ctrl+C", needs=("skills",),
    ),
    Command(
        "skill.goto", "Go to a skill", "skill", "Choose a skill by a few letters of its name.",
        ("f7", "ctrl+l"), twin=_CHECK, needs=("skills",),
    ),
    Command(
        "skill.new", "New skill", "skill",
        "Begin a skill with a template or scripts: a preview of every file, then it is made.",
        ("N",), "outside", twin="skillstudio new TEMPLATE DEST",
    ),
    Command(
        "skill.migrate", "Migrate…", "skill",
        "Bring the manifest to the next version of its dialect: the diff first, one step of undo.",
        ("M",), "outside", twin="skillstudio migrate PATH", needs=("file",),
    ),
    Command(
        "skill.convert", "Convert…", "skill",
        "Make a skill of another dialect in a new folder: first what is lost, changed, invented.",
        ("V",), "outside", twin="skillstudio convert PATH --to DIALECT -o DIR", needs=("file",),
    ),
    Command(
        "skill.export", "Export…", "skill",
        "Make a copy that a target accepts, in a new folder: first what is changed for it.",
        ("E",), "outside", twin="skillstudio export PATH --target ID -o DIR", needs=("file",),
    ),
    Command(
        "skill.pack", "Pack…", "skill",
        "Make an archive of the skill; what is in and what is out is listed before, with why.",
        ("P",), "outside", twin="skillstudio pack PATH -o FILE", needs=("file",),
    ),
    Command(
        "new.next", "Next step", "new",
        "From the templates to the questions, from the questions to the preview.",
        ("ctrl+n",), "wizard", twin="skillstudio new --dry-run TEMPLATE DEST",
        needs=("wizard", "next-step"), footer=1, short="Next",
    ),
    Command(
        "new.create", "Make the skill", "new",
        "Write the files of the preview where nothing is yet, and open the skill.",
        ("ctrl+s",), "wizard", twin="skillstudio new TEMPLATE DEST",
        needs=("wizard", "preview"), footer=2, short="Create",
    ),
    Command(
        "new.back", "Step back", "new",
        "Go back a step, out of the wizard at last; every answer is kept.",
        ("escape",), "wizard", twin="Ctrl+C", needs=("wizard",), footer=3, short="Back",
    ),
    Command(
        "editor.complete", "Complete", "editor",
        "Offer the keys, values, inputs and files that fit at the cursor.",
        ("ctrl+space", "ctrl+@", "f5"), "editor", needs=("file", "writable"),
    ),
    Command(
        "editor.find", "Find", "editor", "Find a text in the file.", ("ctrl+f",), "editor",
        twin="grep TEXT PATH", needs=("file",),
    ),
    Command(
        "editor.go-to-line", "Go to line", "editor", "Go to a line by its number.", ("ctrl+g",),
        "editor", needs=("file",),
    ),
    Command(
        "editor.outline", "Outline", "editor", "Go to a key of the manifest.", ("ctrl+e",),
        "editor", twin="cat PATH", needs=("file",),
    ),
    Command(
        "view.edit", "Edit", "view", "Show the text of the manifest.", ("1", "alt+1"), "outside",
        needs=("file",),
    ),
    Command(
        "view.form", "Form", "view", "Show the manifest as fields.", ("2", "alt+2"), "outside",
        twin="skillstudio edit PATH set POINTER VALUE", needs=("file",),
    ),
    Command(
        "view.compare", "Compare", "view",
        "Show what changed between two versions, and the bump it asks for.", ("5", "alt+5"),
        "outside", twin="skillstudio diff OLD NEW", needs=("file",),
    ),
    Command(
        "view.run", "Run", "view",
        "Run an operation in copies: its inputs, the plan, what it did.", ("3", "alt+3"), "outside",
        twin="skillstudio run PATH OPERATION", needs=("file",),
    ),
    Command(
        "view.preview", "Preview", "view",
        "Show where outputs would lie, what a run left, and the skill as others see it.",
        ("4", "alt+4"), "outside", twin="skillstudio preview PATH OPERATION", needs=("file",),
    ),
    *RUN,
    *PREVIEW,
    Command(
        "compare.old", "Choose the old version", "compare",
        "Choose what the skill is held against: a tag, HEAD, a folder, an archive.", ("o",),
        "outside", twin="skillstudio diff OLD NEW", needs=("file", "compare"),
    ),
    Command(
        "compare.new", "Choose the new version", "compare",
        "Choose the version to look at; at first it is the skill as it is open.", ("n",),
        "outside", twin="skillstudio diff OLD NEW", needs=("file", "compare"),
    ),
    Command(
        "compare.text", "Changes or texts", "compare",
        "Show the changes, the texts in one column, or the texts side by side.", ("t",),
        "outside", twin="skillstudio diff --text OLD NEW", needs=("file", "compare"),
    ),
    Command(
        "compare.waive", "Waive this change", "compare",
        "Take the change on, with a reason that is kept in skillstudio.toml.", ("W",), "outside",
        twin="skillstudio waive OLD NEW FINGERPRINT",
        needs=("file", "compare", "change", "waivable"),
    ),
    Command(
        "compare.bump", "Make the bump", "compare",
        "Put the version that is asked for into the manifest, and an entry into CHANGELOG.md.",
        ("b",), "outside", twin="skillstudio bump --write PATH",
        needs=("file", "compare", "bump", "new-is-open"),
    ),
    Command(
        "pane.skills", "Go to the skills", "pane", "Focus the list of skills.", ("s",), "outside"
    ),
    Command(
        "pane.view", "Go to the text", "pane", "Focus the view of the file.",
        ("e",), "outside", needs=("file",),
    ),
    Command(
        "pane.problems", "Go to the problems", "pane", "Focus the problems.", ("p",), "outside",
        needs=("file",),
    ),
    Command(
        "pane.next", "Next pane", "pane", "Focus the skills, the view or the problems in turn.",
        ("f6", "w"),
    ),
    Command(
        "theme.choose", "Choose a theme", "theme", "Preview each theme and keep one.",
        ("f9", "T"), twin="skillstudio config themes",
    ),
    Command(
        "help.show", "Help", "help",
        "Explain what is focused, and list every command; enter runs one.",
        ("f1", "question_mark"), twin="skillstudio config keys", footer=4,
    ),
    Command(
        "help.palette", "Commands", "help", "Find a command by its name.", ("ctrl+p",),
        twin="skillstudio --help", footer=4, short="Palette",
    ),
    Command(
        "app.back", "Back", "app", "Leave what is focused, one level; never the program.",
        ("escape",), "outside",
    ),
    Command(
        "app.open", "Open a folder", "app", "Open another skill or folder of skills.",
        ("O",), "outside", twin="skillstudio PATH",
    ),
    Command(
        "app.quit", "Quit", "app", "Leave; asks first when something is unsaved.",
        ("ctrl+q",), twin="Ctrl+Q", footer=6,
    ),
)  # fmt: skip


def command(id_: str) -> Command | None:
    """The command of an id."""
    return _BY_ID.get(id_)


_BY_ID = {each.id: each for each in COMMANDS}
