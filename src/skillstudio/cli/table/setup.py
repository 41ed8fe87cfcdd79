"""The verbs of the group Setup: the workbench, editors and the environment."""

from __future__ import annotations

from skillstudio.cli.arguments import Argument, Verb

VERBS = (
    Verb(
        "open", "Setup", "Open the workbench",
        (Argument("[PATH]", "a skill, a file in one, or a folder of skills"),),
        ("open my-skill",), formats=(),
    ),
    Verb(
        "config", "Setup", "List the workbench's keys or themes and check your own files",
        (
            Argument("SUBJECT", "what to list", choices=("keys", "themes")),
            Argument("--keymap FILE", "a keymap file to check (default: your own)"),
        ),
        ("config keys", "config themes"),
        fails="the keymap file or a theme file has problems",
    ),
    Verb(
        "schema", "Setup", "Print the JSON Schema of a manifest format, of samples or settings",
        (
            Argument("DIALECT", "a manifest format; or sample, or settings"),
            Argument("--part NAME", "another part of it, such as recipe", "manifest"),
        ),
        ("schema DIALECT --part recipe", "schema sample"), "The schema is in draft 2020-12.",
        formats=("json",),
    ),
    Verb(
        "completion", "Setup", "Print a completion script for your shell",
        (Argument("SHELL", "your shell", choices=("bash", "zsh", "fish")),),
        ("completion bash > ~/.local/share/bash-completion/completions/skillstudio",
         "completion fish > ~/.config/fish/completions/skillstudio.fish"),
        formats=("text",),
    ),
    Verb(
        "doctor", "Setup", "Check the environment",
        (
            Argument("[PATH]", "the folder that --clean searches", "."),
            Argument("--clean", "remove leftovers of killed runs and saves, and complete "
                "interrupted saves and applies"),
        ),
        ("doctor", "doctor --clean"),
        "Show the libraries and tools that skillstudio uses, and what each isolation level "
        "protects against on this machine.",
        "a required library is missing, or something cannot be removed",
    ),
)  # fmt: skip
