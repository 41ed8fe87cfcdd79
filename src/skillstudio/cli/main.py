"""The command line: find the verb, run its action, print the result or the refusal.

Nothing of a verb is imported before it is chosen: a check must start in a tenth of a second.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from itertools import zip_longest

from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS, USAGE

# The import of typing would take as long as all of `--version`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillstudio.cli.arguments import CommandOptions, Verb

_ADVICE = "This is a bug in skillstudio; please report it."
_GONE = "the current folder no longer exists; change to another one"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. No traceback reaches the user.

    Without `argv` the process ends with the command, so its garbage is not collected.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from skillstudio.cli.streams import open_closed_streams

        open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # Python names it so by default, and whatever a terminal or a pipe on Windows has.
        if stream is not None and stream.encoding not in ("utf-8", "UTF-8", "utf8", None):
            from skillstudio.cli.encoding import replace_unknown

            replace_unknown(stream)
    words = list(sys.argv[1:] if argv is None else argv)
    first = words[0] if words else ""
    if first in ("--version", "-V"):
        from skillstudio import __version__

        return _print(f"skillstudio {__version__}")
    from skillstudio.cli.verbs import find_verb

    verb = find_verb(first)
    if verb is not None:
        return _run(verb, words[1:], alone=argv is None)
    if first in ("--help", "-h", "help"):
        topic = words[1] if first == "help" and words[1:] else ""
        return _help("" if topic in ("--help", "-h") else topic)
    in_json = _wants_json(words)
    opens = ("--plain", "--follow")
    if first.startswith("-") and first not in ("-", "--", *opens):
        is_command_option = first.partition("=")[0] in (
            "--color",
            "--config",
            "-q",
            "-v",
            "--quiet",
            "--verbose",
        )
        advice = "; options follow the command" if is_command_option else ""
        return _refuse(f"unknown option {first}{advice}", in_json)
    if first not in ("", *opens) and not os.path.exists(first):
        from skillstudio.cli.verbs import hint_for

        return _refuse(f"{first} is not a command, a file or a folder{hint_for(first)}", in_json)
    open_verb = find_verb("open")
    return _run(open_verb, words, alone=argv is None) if open_verb else USAGE


def _run(verb: Verb, words: list[str], alone: bool) -> int:
    from skillstudio.cli.arguments import BadArguments, parse
    from skillstudio.cli.output import CommandRefused, fail, say

    option_words = words[: words.index("--")] if "--" in words else words
    if "--help" in option_words or "-h" in option_words:
        return _help(verb.name)
    if alone and verb.name != "open":
        # Collecting what a command imports is a tenth of its time.
        gc.disable()
    in_json = _wants_json(option_words)
    status = OK
    try:
        status = _carried_out(verb, parse(verb, words))
        sys.stdout.flush()
    except BadArguments as error:
        hint = f"skillstudio {verb.name} --help lists its arguments"
        return fail(str(error), USAGE, in_json, hint)
    except CommandRefused as error:
        return fail(str(error) if _has_current_folder() else _GONE, error.status, in_json)
    except KeyboardInterrupt:
        return CANCELLED
    except BrokenPipeError:
        _discard_output()
        return status
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{error.strerror or error}"
        if isinstance(error, FileNotFoundError) and not _has_current_folder():
            message = _GONE
        try:
            return fail(message, USAGE, in_json)
        except OSError:  # There is no space for standard output.
            _discard_output()
            return USAGE
    except Exception as error:
        from skillstudio.manifest.installed import DialectFailed

        if isinstance(error, DialectFailed):
            return fail(str(error), PROBLEMS, in_json)
        from skillstudio.files.state import state_folder
        from skillstudio.session.crash import report_crash

        folder = os.path.join(state_folder(), "reports")
        return fail(report_crash(error, folder, [verb.name, *words], _ADVICE), PROBLEMS, in_json)
    finally:
        # Only at the end: a command that names no skill reads no dialect.
        registry = sys.modules.get("skillstudio.manifest.registry")
        if registry is not None:
            say(*registry.unusable_found())
    if alone:
        # Python collects once more before it ends, whatever is set above.
        gc.freeze()
    return status


def _carried_out(verb: Verb, options: CommandOptions) -> int:
    if options.config and "config" not in options.from_environment:
        from skillstudio.cli.environment import settings_from

        with settings_from(options.config):
            return _run_and_print(verb, options)
    return _run_and_print(verb, options)


def _run_and_print(verb: Verb, options: CommandOptions) -> int:
    from importlib import import_module

    from skillstudio.cli.output import Result

    module = import_module(f"skillstudio.cli.{verb.file}")
    # Verbs without results use the terminal or the streams in their own way.
    if not verb.formats or getattr(options, "quiet", False) or not _is_watched():
        result = module.run(options)
    else:
        from skillstudio.cli.progress_line import progress_line

        with progress_line(verb.name):
            result = module.run(options)
    if isinstance(result, Result):
        from skillstudio.cli.results import print_result

        try:
            print_result(result, verb, options)
        except BrokenPipeError:
            # Whoever reads only the first lines still gets the right status.
            _discard_output()
        return result.status
    return int(result)


def _is_watched() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def _help(name: str) -> int:
    from skillstudio.cli.help import overview, page
    from skillstudio.cli.verbs import find_verb, hint_for

    verb = find_verb(name)
    if name == "environment":
        from skillstudio.cli.environment import environment_lines
        from skillstudio.cli.help import page_width

        return _print("\n".join(environment_lines(page_width())))
    if name and verb is None:
        return _refuse(f"{name} is not a command{hint_for(name)}")
    return _print("\n".join(page(verb) if verb else overview()))


def _print(text: str) -> int:
    """Print a text as the whole output."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        from skillstudio.cli.output import warn

        _discard_output()
        warn(f"standard output: {error.strerror or error}")
        return USAGE
    return OK


def _discard_output() -> None:
    from skillstudio.cli.streams import discard_output

    discard_output()


def _has_current_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _refuse(message: str, in_json: bool = False) -> int:
    from skillstudio.cli.output import fail

    return fail(message, in_json=in_json, hint="skillstudio --help lists the commands")


def _wants_json(words: list[str]) -> bool:
    """Whether JSON is requested; the last `--format` counts."""
    format_name = ""
    for word, next_word in zip_longest(words, words[1:], fillvalue=""):
        if word == "--format":
            format_name = next_word
        elif word.startswith("--format="):
            format_name = word.partition("=")[2]
    return format_name == "json"
