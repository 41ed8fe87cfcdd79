"""The verbs of the group Setup: the workbench, editors and the environment."""

from __future__ import annotations

from skillstudio.cli.arguments import COMMENT, Argument, Verb
from skillstudio.cli.exit_codes import REQUIREMENT_MISSING
from skillstudio.cli.table.shared import QUIET, VERBOSE


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65_535:
        raise ValueError("a port from 0 to 65535")
    return int(text)


VERBS = (
    Verb(
        "open", "Setup", "Open the workbench",
        (
            Argument("[PATH]", "a skill, a file in one, or a folder of skills"),
            Argument("--follow", "show the skill that an editor or an agent writes: its worst "
                "problem, the version bump that the change needs, and its tests (default path: the "
                "current folder)"),
            Argument("--plain", "for screen readers: print the skills, their problems and the "
                "commands that do the jobs of the workbench (default path: the current folder)"),
        ),
        ("open my-skill", "open --follow .", "open --plain my-skill"), formats=(),
    ),
    Verb(
        "serve", "Setup", "Open the workbench in a browser on this machine",
        (
            Argument("[PATH]", "a skill, a file in one, or a folder of skills"),
            Argument("--port N", "the port to listen on (default: any free one)", parse=_port),
        ),
        ("serve my-skill", "serve --port 8000"),
        "It prints the address to open and serves until ctrl+c. Only this machine can connect, "
        "and only with the random token in the address. Each window has its own workbench, "
        "which ends with the window. It needs skillstudio[web].",
        exits=(REQUIREMENT_MISSING,), formats=(),
    ),
    Verb(
        "lsp", "Setup", "Start the language server for an editor",
        (Argument("--stdio", "use standard input and output, which is the default"),), ("lsp",),
        "The editor starts it and talks to it on standard input and output; docs/editors.md has "
        "the configuration of editors. It needs skillstudio[lsp].",
        "the editor ended without asking the server to shut down", (REQUIREMENT_MISSING,),
        formats=(),
    ),
    Verb(
        "mcp", "Setup", "Start the MCP server for an agent",
        (
            Argument("--root DIR", "a folder that the agent may use (default: those that the agent "
                "names, else the working directory)", repeat=True),
            Argument("--allow-run", "let the agent run operations, in copies and with isolation "
                "level confined or higher"),
        ),
        ("mcp", "mcp --root ~/skills --allow-run"),
        "The agent starts it and talks to it on standard input and output; docs/agents.md has the "
        "configuration of agents. It needs skillstudio[mcp]. Without --allow-run it only reads.",
        exits=(REQUIREMENT_MISSING,), formats=(),
    ),
    Verb(
        "config", "Setup", "List the workbench's keys or themes, or print a JSON Schema",
        (
            Argument("SUBJECT", "what to print", choices=("keys", "themes", "schema"),
                name="action"),
            Argument("[NAME]", "a manifest format; sample or settings for these files; a command, "
                "such as check, for the JSON that it prints, sample-output for that of sample, "
                "topics for that of preview --prompt, and error for that of a refusal",
                name="dialect", actions=("schema",)),
            Argument("--part NAME", "another part of a manifest format, such as recipe", "manifest",
                actions=("schema",)),
            Argument("--keymap FILE", "a keymap file to check (default: your own)",
                actions=("keys",)),
            Argument("--sample", "print a commented keymap with every command and its keys",
                actions=("keys",)),
        ),
        ("config keys", "config themes", "config keys --sample > keymap.yaml",
         "config schema DIALECT --part recipe", "config schema settings", "config schema check"),
        "keys and themes also check your own files. A schema is in draft 2020-12.",
        "the keymap file or a theme file has problems", formats=COMMENT,
    ),
    Verb(
        "completion", "Setup", "Print a completion script for your shell",
        (Argument("SHELL", "your shell; words: the words that complete a line, which scripts ask "
            "for", choices=("bash", "zsh", "fish", "powershell", "words")),
         Argument("[WORD ...]", "words: the typed words after skillstudio, the last one started")),
        ("completion bash > ~/.local/share/bash-completion/completions/skillstudio",
         "completion zsh > ~/.zfunc/_skillstudio",
         "completion fish > ~/.config/fish/completions/skillstudio.fish",
         "completion powershell >> $PROFILE"),
        "The script completes commands, options, their values, paths, and what your skills have: "
        "names, operations, samples, inputs and runs; run the command again after an update. For "
        "zsh the folder must be in fpath before compinit is called.",
        formats=("text",),
    ),
    Verb(
        "doctor", "Setup", "Check the environment",
        (
            Argument("[PATH]", "the folder that --clean searches", "."),
            Argument("--clean", "remove leftovers of killed runs and saves, and complete "
                "interrupted saves"),
            QUIET,
            VERBOSE,
        ),
        ("doctor", "doctor --clean"),
        "Show what is missing of the libraries and tools that skillstudio uses, and how many known "
        "gaps each isolation level has on this machine; -v prints all of them.",
        "a required library is missing, or something cannot be removed",
    ),
)  # fmt: skip
