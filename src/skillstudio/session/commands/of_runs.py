"""The commands of the views Run and Preview."""

from __future__ import annotations

from skillstudio.session.commands.command import Command

RUN: tuple[Command, ...] = (
    Command(
        "run.start", "Run", "run",
        "Run the operation with the inputs in the form, as the files are on disk; again, too.",
        ("f5", "r"), "run", twin="skillstudio run PATH OPERATION",
        needs=("file", "run", "idle"),
    ),
    Command(
        "run.cancel", "End the run", "run",
        "Ask everything that was started to end; what does not within two seconds is killed.",
        ("escape", "ctrl+c"), "run", twin="Ctrl+C", needs=("run", "run-active"),
    ),
    Command(
        "run.inputs", "Go to the inputs", "run",
        "Focus the first input that something stands against, else the first.", ("i",), "run",
        twin="skillstudio plan PATH OPERATION -i NAME=VALUE", needs=("file", "run"),
    ),
    Command(
        "run.operation", "Choose the operation", "run",
        "Choose what to run: an operation, a recipe, a script.", ("o",), "run",
        twin="skillstudio run PATH OPERATION", needs=("file", "run", "idle", "operations"),
    ),
    Command(
        "run.sample", "Take a sample", "run",
        "Put the inputs of a sample into the form, or inputs generated from the schemas.", ("f",),
        "run", twin="skillstudio run PATH OPERATION --sample NAME", needs=("file", "run"),
    ),
    Command(
        "run.save-sample", "Save a sample", "run",
        "Save the inputs in the form under a name, for yourself or in the skill.", ("a",), "run",
        twin="skillstudio sample PATH OPERATION --save NAME", needs=("file", "run"),
    ),
    Command(
        "run.isolation", "Choose the isolation level", "run",
        "Choose how strongly the run is contained; each level lists its known gaps.",
        ("u",), "run", twin="skillstudio run --isolation LEVEL PATH OPERATION",
        needs=("file", "run", "idle"),
    ),
    Command(
        "run.workspace", "Choose the workspace", "run",
        "Choose the folder that a copy is made of for the run to work in.", ("d",), "run",
        twin="skillstudio run --workspace DIR PATH OPERATION", needs=("file", "run", "idle"),
    ),
    Command(
        "run.show", "Plan, result or output", "run",
        "Show the plan, what the last run did, or what it printed.", ("t",), "run",
        twin="skillstudio plan PATH OPERATION", needs=("file", "run"),
    ),
    Command(
        "run.history", "Earlier runs", "run",
        "Show what an earlier run did, as it was kept.", ("H",), "run",
        twin="skillstudio trace show RUN", needs=("file", "run", "idle"),
    ),
    Command(
        "run.compare", "Hold two runs against each other", "run",
        "Show in what the run that is shown and another differ.", ("v",), "run",
        twin="skillstudio trace diff RUN RUN", needs=("file", "run", "idle", "report"),
    ),
)  # fmt: skip
PREVIEW: tuple[Command, ...] = (
    Command(
        "preview.subject", "Outputs, changes or card", "preview",
        "Show the outputs before a run, what a run changed, or the skill as others see it.",
        ("t",), "preview", twin="skillstudio preview --card PATH", needs=("file", "previewing"),
    ),
    Command(
        "preview.inputs", "Give the inputs", "preview",
        "Open the form of the inputs, the same as in Run; the outputs follow what is typed.",
        ("i",), "preview", twin="skillstudio preview PATH OPERATION -i NAME=VALUE",
        needs=("file", "previewing"),
    ),
    Command(
        "preview.operation", "Choose the operation", "preview",
        "Choose whose outputs are shown: an operation, a recipe, a script.", ("o",), "preview",
        twin="skillstudio preview PATH OPERATION", needs=("file", "previewing", "operations"),
    ),
    Command(
        "preview.sample", "Take a sample", "preview",
        "Put the inputs of a sample into the form, or inputs generated from the schemas.", ("f",),
        "preview", twin="skillstudio preview PATH OPERATION --sample NAME",
        needs=("file", "previewing"),
    ),
    Command(
        "preview.start", "Run it", "preview",
        "Go to Run and run the operation with the inputs that are given.", ("f5", "r"),
        "preview", twin="skillstudio run PATH OPERATION", needs=("file", "previewing"),
    ),
    Command(
        "preview.mode", "Preview, diff, raw or bytes", "preview",
        "Show the file set out, against what is there, as text, or as bytes.", ("v",), "preview",
        twin="skillstudio preview --view hex FILE", needs=("file", "previewing"),
    ),
    Command(
        "preview.find", "Find", "preview", "Look for a text in what is shown.", ("ctrl+f",),
        "preview", twin="skillstudio preview --lines A:B FILE",
        needs=("file", "previewing", "shown"),
    ),
    Command(
        "preview.next", "Next place", "preview",
        "Go to the next line with the text, from the last to the first.", ("n",), "preview",
        twin="skillstudio preview --lines A:B FILE",
        needs=("file", "previewing", "shown", "search-text"),
    ),
    Command(
        "preview.pager", "Open in $PAGER", "preview",
        "Hand what is shown, as it is shown, to $PAGER, else to less.", ("m",), "preview",
        twin="skillstudio preview --lines A:B FILE",
        needs=("file", "previewing", "shown", "pager-program"),
    ),
    Command(
        "preview.editor", "Open in $EDITOR", "preview",
        "Look at a copy of the file in $VISUAL or $EDITOR; nothing comes back of it.", ("z",),
        "preview", twin="$EDITOR FILE", needs=("file", "previewing", "bytes", "editor-program"),
    ),
    Command(
        "preview.run", "Choose the run", "preview",
        "Show what an earlier run changed, or always the last one.", ("H",), "preview",
        twin="skillstudio preview --run RUN", needs=("file", "previewing"),
    ),
    Command(
        "preview.adopt", "Adopt what was seen", "preview",
        "Pick what the run showed and the manifest does not say: a diff, then one step of undo.",
        ("a",), "preview", twin="skillstudio adopt RUN",
        needs=("file", "previewing", "run-shown"),
    ),
    Command(
        "preview.apply", "Apply", "preview",
        "Bring this file, or all that the run changed, into the real folders; asks first.",
        ("A",), "preview", twin="skillstudio apply RUN PATH",
        needs=("file", "previewing", "run-shown", "applicable"),
    ),
    Command(
        "preview.prompt", "Find skills by a prompt", "preview",
        "Type what somebody would ask an agent: which skills it finds, why, and which compete.",
        ("F",), "outside", twin="skillstudio preview PATH --prompt TEXT", needs=("skills",),
    ),
)  # fmt: skip
