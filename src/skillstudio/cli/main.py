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
    "open": ("open", "open the workbench on a skill or a folder of skills"),
    "check": ("check", "say what is wrong with skills, and mend it"),
    "why": ("why", "say who finds, reads and accepts a skill, client by client"),
    "explain": ("explain", "explain a rule or a kind of change: what, why and who says so"),
    "show": ("show", "print what a skill takes, does and gives"),
    "edit": ("edit", "change one value of a manifest and no other byte"),
    "rename": ("rename", "rename an input everywhere it is used"),
    "hash": ("hash", "print the digests of a skill, and of each file of it"),
    "identity": ("identity", "say which version of a skill this is"),
    "lock": ("lock", "write down the versions of skills that something is made with"),
    "new": ("new", "begin a skill with a template"),
    "templates": ("templates", "list the templates and what each asks"),
    "diff": ("diff", "say what changed between two versions of skills, and the bump it asks for"),
    "check-compat": ("diff", "the same as diff"),
    "bump": ("bump", "give a skill the version that its changes ask for"),
    "migrate": ("migrate", "bring a manifest to the next version of its dialect, in place"),
    "convert": ("convert", "make a skill of another dialect, with a report"),
    "export": ("export", "make a copy of a skill that a target accepts"),
    "waive": ("waive", "accept one change of an interface, with a reason"),
    "pack": ("pack", "pack a skill into an archive, the same bytes wherever it is made"),
    "unpack": ("unpack", "make a new skill folder of an archive"),
    "index": ("index", "write down which skill of a folder has which capability"),
    "plan": ("plan", "say what a dry run of an operation would start, and start nothing"),
    "preview": ("preview", "show outputs before a run, a file, a skill's card, who finds a skill"),
    "run": ("run", "run an operation in copies and say what it really did"),
    "adopt": ("adopt", "bring what a run showed into the manifest, as the author picks"),
    "apply": ("apply", "bring what a run changed into the real folders, all of it or nothing"),
    "test": ("test", "run the committed samples, and say which do otherwise"),
    "sample": ("sample", "make inputs that an operation takes, and keep them by a name"),
    "trace": ("trace", "list, show and compare recorded runs, run them again, give them away"),
    "targets": ("targets", "list the targets' limits and the manifest versions supported"),
    "schema": ("schema", "print the JSON Schema of a dialect"),
    "keys": ("keys", "list the workbench's commands and keys"),
    "themes": ("themes", "list the workbench's themes"),
    "screenshots": ("screenshots", "draw the workbench's screens as SVG files"),
    "doctor": ("doctor", "say what this machine has of what skillstudio can use"),
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
