"""The command line: which verb, and the one module that does it.

Nothing of a verb is imported before it is chosen: a check must start in a tenth of a second.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import zip_longest

from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS, USAGE

VERBS: dict[str, tuple[str, str]] = {
    "open": ("open", "Open the workbench on a skill or a folder of skills"),
    "check": ("check", "Check skills and fix problems"),
    "why": ("why", "Explain which targets discover, load and accept a skill"),
    "explain": ("explain", "Explain a rule or a kind of change"),
    "show": ("show", "Show a skill's interface"),
    "edit": ("edit", "Change one value of a manifest"),
    "rename": ("rename", "Rename an input wherever it is used"),
    "hash": ("hash", "Print the digests of a skill"),
    "identity": ("identity", "Show which version of a skill this is"),
    "lock": ("lock", "Write or verify a lock file"),
    "new": ("new", "Create a skill from a template or from scripts"),
    "templates": ("templates", "List the templates and their questions"),
    "diff": ("diff", "Compare two versions of skills and show the required bump"),
    "check-compat": ("diff", "Same as diff"),
    "bump": ("bump", "Print or write the version that a skill's changes require"),
    "migrate": ("migrate", "Update a manifest to the next version of its format"),
    "convert": ("convert", "Convert a skill to another manifest format"),
    "export": ("export", "Copy a skill into a form that a target accepts"),
    "waive": ("waive", "Accept a breaking change knowingly"),
    "pack": ("pack", "Pack a skill into a reproducible archive"),
    "unpack": ("unpack", "Unpack an archive into a new skill folder"),
    "index": ("index", "Write or verify an index of the skills in a folder"),
    "plan": ("plan", "Show what a run of an operation would start"),
    "preview": ("preview", "Preview outputs, files, a skill's card or its discovery"),
    "run": ("run", "Run an operation in copies and compare it with its manifest"),
    "adopt": ("adopt", "Update the manifest from a run"),
    "apply": ("apply", "Apply a run's changes to the real folders"),
    "test": ("test", "Run the committed samples and compare the results"),
    "sample": ("sample", "Generate inputs for an operation and save them"),
    "trace": ("trace", "List, compare, replay and export recorded runs"),
    "targets": ("targets", "List the targets and the manifest formats"),
    "schema": ("schema", "Print the JSON Schema of a manifest format"),
    "keys": ("keys", "List the workbench's commands and keys"),
    "themes": ("themes", "List the workbench's themes"),
    "screenshots": ("screenshots", "Draw the workbench's screens as SVG files"),
    "doctor": ("doctor", "Check the environment"),
}
"""Verb to the module in this package that does it, and what it does."""

_ADVICE = "This is a bug in skillstudio; please report it."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. No traceback reaches the user.

    Without `argv` the process is the command's own and lives for a moment: nothing is collected.
    Who gives `argv` lives on, and their collector stays as it is.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    first = arguments[0] if arguments else ""
    if first in ("--version", "-V"):
        from skillstudio import __version__

        print(f"skillstudio {__version__}")
        return OK
    if first in ("--help", "-h", "help"):
        print(_help())
        return OK
    verb, rest = ("open", arguments) if first not in VERBS else (first, arguments[1:])
    if verb == "open" and first.startswith("-") and first not in ("-", "--"):
        return _usage(f"unknown option {first}")
    if first and first not in VERBS and not os.path.exists(first):
        return _usage(f"{first} is neither a command nor a folder{_nearest(first)}")
    return _run(verb, rest, alone=argv is None)


def _run(verb: str, arguments: list[str], alone: bool) -> int:
    from skillstudio.cli.output import (
        CommandRefused,
        UsageError,
        fail,
        say,
        values_printed,
    )
    from skillstudio.text.safe import safe_text

    if alone and verb != "open":
        # Collecting what a command imports is a tenth of its time.
        gc.disable()
    printed = values_printed()

    def refuse(message: str, status: int, usage: str = "") -> int:
        in_json = _wants_json(arguments) and values_printed() == printed
        return fail(message, status, in_json, usage)

    try:
        module = import_module(f"skillstudio.cli.{VERBS[verb][0]}")
        status = int(module.run(arguments))
        sys.stdout.flush()
    except UsageError as error:
        return refuse(str(error), USAGE, error.usage)
    except CommandRefused as error:
        return refuse(str(error), PROBLEMS)
    except KeyboardInterrupt:
        return CANCELLED
    except BrokenPipeError:
        # The reader of a pipe has gone; what is left of the output has no one to go to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return refuse(f"{where}{error.strerror or error}", USAGE)
    except Exception as error:
        from skillstudio.manifest.installed import DialectFailed

        if isinstance(error, DialectFailed):
            return refuse(str(error), PROBLEMS)
        from skillstudio.files.state import state_folder
        from skillstudio.session.crash import report_crash

        folder = os.path.join(state_folder(), "reports")
        return refuse(report_crash(error, folder, [verb, *arguments], _ADVICE), PROBLEMS)
    finally:
        # Not before: who names no skill reads no dialect.
        registry = sys.modules.get("skillstudio.manifest.registry")
        if registry is not None:
            for sentence in registry.unusable_found():
                say(safe_text(sentence))
    if alone:
        # Python collects once more before it ends, whatever is said above.
        gc.freeze()
    return status


def _wants_json(arguments: list[str]) -> bool:
    """Whether results are asked for as JSON; the last `--format` counts."""
    wanted = ""
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        if word == "--":
            break
        if word == "--format":
            wanted = following
        elif word.startswith("--format="):
            wanted = word.partition("=")[2]
    return wanted == "json"


def _usage(message: str) -> int:
    from skillstudio.cli.output import fail

    return fail(f"{message}\nskillstudio --help lists the commands")


def _nearest(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, VERBS, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _help() -> str:
    width = max(map(len, VERBS))
    lines = [f"  {verb:<{width}}  {about}" for verb, (_, about) in VERBS.items()]
    return "\n".join(
        [
            "skillstudio: a terminal workbench for people who write agent skills",
            "",
            "usage: skillstudio [PATH]            open the workbench",
            "       skillstudio VERB [OPTIONS]    do one thing and exit",
            "",
            *lines,
            "",
            "skillstudio VERB --help says more. A folder called like a verb opens as ./check.",
        ]
    )
