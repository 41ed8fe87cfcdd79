"""The verbs of the group Run: run operations and use recorded runs."""

from __future__ import annotations

from math import isfinite

from skillstudio.cli.arguments import COMMENT, Argument, Verb
from skillstudio.cli.exit_codes import CANCELLED, ISOLATION_MISSING, REQUIREMENT_MISSING, TIMED_OUT
from skillstudio.cli.table.shared import QUIET, VERBOSE


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not isfinite(seconds) or seconds <= 0:
        raise ValueError("a number of seconds above 0")
    return seconds


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:9]) <= 64:
        raise ValueError("a number from 1 to 64")
    return int(text)


def _size(text: str) -> int:
    number = text.removesuffix("iB").removesuffix("B")
    power = {"K": 10, "M": 20, "G": 30, "T": 40}.get(number[-1:].upper())
    try:
        size = float(number[:-1] if power else number) * (1 << (power or 0))
    except ValueError:
        size = 0.0
    if not 0 < size < 1 << 60:
        raise ValueError("a size such as 500MiB or 4GiB")
    return int(size)


_ON_DISK = Argument("PATH", "a skill on disk")
_OPERATION = Argument(
    "[OPERATION]", "an operation, a recipe, or the path of a script in the skill (default: the "
    "only one)", "",
)  # fmt: skip
_RUN = Argument(
    "RUN", "a recorded run: its id, the start of its id, or last (the newest run of the current "
    "skill, else of the current workspace)",
)  # fmt: skip
_ENV = Argument("--env NAME=VALUE", "set an environment variable", repeat=True)
_WORKSPACE = Argument("--workspace DIR", "the folder to work in (default: the repository)")
_ISOLATION = Argument("--isolation LEVEL", "use exactly this isolation level: plan, copy, "
    "confined, isolated or wasm (default: the strongest one available)")  # fmt: skip
_REQUIRE = Argument("--require-isolation LEVEL", "use this isolation level or a stronger one, "
    "else exit with 4")  # fmt: skip
_ERRORS_TOO = Argument("--anyway", "run a skill whose manifest has errors")
_PATCH = Argument(
    "--patch FILE", "write the changes as a patch for git apply, relative to the root of the "
    "repository; with several roots, one FILE-NAME for each",
)  # fmt: skip
_SKIP_SENSITIVE = Argument(
    "--skip-sensitive", "leave files that contain a sensitive value out of the patch"
)
_WITH_DEPS = Argument(
    "--with-deps", "prepare an environment with the packages that the script or the skill declares "
    "(requirements.txt and the like), or use the earlier one",
)  # fmt: skip
_WITH = Argument(
    "--with PACKAGE", "prepare this Python package, too, which nothing declares, by name and "
    "version; as with --with-deps, with the declared packages", repeat=True, name="packages",
)  # fmt: skip
_ALLOW_BUILDS = Argument(
    "--allow-builds", "with --with-deps: build packages that have no wheel, at the isolation level "
    "isolated, with only the package index reachable",
)  # fmt: skip
_ELSEWHERE = "a run of another workspace; needs its full id"

_INPUTS = (
    Argument("-i, --input NAME=VALUE", "set an input; its schema gives the type",
        repeat=True, name="inputs"),
    Argument("--inputs-json JSON|@FILE", "set all inputs with one JSON value; @- reads standard "
        "input"),
    Argument("--sample NAME", "use the inputs of a sample, and with run the folder that it "
        "describes; the other options override them"),
    _ENV,
    Argument("--stdin FILE", "give the content of a file, or with - of our standard input, to "
        "standard input"),
    Argument("--secret NAME=@FILE|env:VAR", "set a sensitive input or variable from a file or a "
        "variable; it is never shown or stored", repeat=True),
)  # fmt: skip
_GROUND = (
    _WORKSPACE,
    Argument("--repo-root DIR", "the value of repo_root, if it is below the workspace"),
)
_RUN_ARGUMENTS = (
    *_GROUND,
    _ISOLATION,
    _REQUIRE,
    Argument(
        "--net HOST",
        "what the program reaches: none, loopback (its own servers), hosts such "
        "as api.example.org or 127.0.0.1:8000, record or replay (the responses of the sample) "
        "(default: that of the sample, else what the isolation level allows)",
        repeat=True,
    ),
    Argument("--timeout S", "stop the run after this many seconds", parse=_seconds),
    _ERRORS_TOO,
)

VERBS = (
    Verb(
        "plan", "Run", "Show what a run of an operation would start",
        (
            _ON_DISK, _OPERATION, *_INPUTS, *_RUN_ARGUMENTS, _WITH,
            Argument("--all", "in JSON, print whole lists (default: the first 1000 entries)"),
            VERBOSE._replace(help="show everything: known gaps, other systems, variables, limits"),
        ),
        ("plan my-skill search -i query=tea",),
        "Nothing of the skill is started. Arguments of a script follow --.",
        "the run cannot start", (ISOLATION_MISSING,), COMMENT, takes_rest=True,
    ),
    Verb(
        "run", "Run", "Run an operation in copies and compare it with its manifest",
        (
            _ON_DISK, _OPERATION, *_INPUTS, *_RUN_ARGUMENTS,
            Argument("--yes", "run without asking: with isolation level copy, operations that the "
                "manifest calls destructive or that use the network; steps that need a "
                "confirmation"),
            _WITH_DEPS,
            _WITH,
            _ALLOW_BUILDS,
            Argument("--injected", "run each command that Claude Code runs when it starts the "
                "skill (!`command` and ```! blocks in SKILL.md); the skill's arguments follow --"),
            Argument("--on RUN", "start on the result of a recorded run: its id, the start of its "
                "id, or last; --anyway accepts a result of which parts are not recorded"),
            Argument("--twice", "run again on the result, and once more from the start"),
            Argument("--stage-limit SIZE", "the most to copy (default: 1GiB)", parse=_size),
            Argument("--memory-limit SIZE", "the most memory of all processes of the run "
                "(default: 4GiB)", parse=_size),
            Argument("--disk-limit SIZE", "the most that the run may write to disk (default: "
                "4GiB)", parse=_size),
            Argument("--trace MODE", "record all but sensitive values (standard), no values "
                "(aggressive) or nothing (off) (default: standard; aggressive for a sensitive "
                "skill)", None, ("off", "standard", "aggressive")),
            Argument("--keep SIZE", "the most disk space of all recorded runs; the oldest are "
                "removed (default: 256MiB)", parse=_size),
            Argument("--apply", "apply the changes to the real folders if the run succeeds"),
            _PATCH,
            _SKIP_SENSITIVE,
            VERBOSE._replace(help="show everything: all effects with their evidence, all changed "
                "files, known gaps, how the run differed from a real one"),
            Argument("--save-sample NAME", "save the run as a sample with what to expect of it; "
                "asks before it replaces a sample or expects a failure"),
        ),
        ("run my-skill search -i query=tea", "run my-skill search -i query=tea --save-sample tea",
         "run my-skill build --isolation confined --apply", "run my-skill --injected -- tea"),
        "The operation runs in copies of the workspace and the skill. The report compares its "
        "effects with those that the manifest declares. Arguments of a script follow --.",
        "the operation failed, or did something undeclared",
        (REQUIREMENT_MISSING, ISOLATION_MISSING, TIMED_OUT, CANCELLED), COMMENT, takes_rest=True,
    ),
    Verb(
        "test", "Run", "Run the committed samples and compare the results",
        (
            Argument("[PATH ...]", "skills, and folders of skills", (".",)),
            Argument("--workspace DIR", "the folder that all samples work in (default: the one "
                "that the sample names, else an empty one)"),
            _ISOLATION,
            _REQUIRE,
            _ERRORS_TOO,
            Argument("-k TEXT", "run the samples whose name or path contains this text",
                repeat=True),
            Argument("-j, --jobs N", "run so many samples at once (default: 1)", parse=_jobs),
            _WITH_DEPS,
            _WITH,
            _ALLOW_BUILDS,
            Argument("--blocks", "also run the console blocks of SKILL.md and README.md: lines "
                "that start with $ are commands for a shell, the lines below their output"),
            Argument("--allow-net", "let samples use the hosts that they name"),
            Argument("--update", "write what the runs do to the samples as expected; shows each "
                "change and asks"),
            Argument("--yes", "with --update: write without asking, except for failed runs"),
            QUIET._replace(help="print only samples that failed, and no summary"),
            VERBOSE._replace(help=f"{VERBOSE.help}: each sample that passed"),
        ),
        ("test my-skill", "test my-skill --blocks", "test -k store -j 4",
         "test --format junit --output-file report.xml"),
        "Every sample runs in copies. Its result is compared with what the sample expects, else "
        "with what the manifest declares.",
        "a result differs", (ISOLATION_MISSING, CANCELLED), COMMENT, is_annotated=True,
    ),
    Verb(
        "sample", "Run", "Generate inputs for an operation and save them",
        (
            _ON_DISK, _OPERATION, *_INPUTS,
            Argument("--all", "also generate optional inputs"),
            Argument("--save NAME", "write samples/OPERATION/NAME.yaml in the skill"),
            Argument("--private", "with --save: store it for yourself, not in the skill"),
            Argument("--list", "list the samples of the operation"),
        ),
        ("sample my-skill search", "sample my-skill search -i query=tea --save tea"),
        "Required inputs that are not given are generated from their schemas. Sensitive inputs are "
        "left out. Arguments of a script follow --.",
        "the sample would be invalid or must not be saved", takes_rest=True,
    ),
    Verb(
        "preview", "Run", "Preview outputs, files, a skill's card or topics",
        (
            Argument("[PATH]", "a skill, a file, or with --prompt a folder of skills; with --run a "
                "file that the run changed, or a folder of them"),
            Argument("[OPERATION]", "an operation (default: the only one)", ""),
            Argument("--card", "show the skill as agents, installers and policies see it"),
            Argument("--prompt TEXT", "show which topics of skills for caro match this text"),
            Argument("--run RUN", "show what a recorded run changed: its id, the start of its id, "
                "or last"),
            Argument("--view VIEW", "how to show a file (default: preview; diff: compare a file of "
                "a run with the current one)", None, ("preview", "diff", "raw", "hex")),
            Argument("--diff", "the same as --view diff"),
            Argument("--lines A:B", "show these lines, counted from 1 (default: 1:200)"),
            *_INPUTS, *_GROUND,
            Argument("--all", "with --card: print everything"),
        ),
        ("preview my-skill search -i query=tea", "preview my-skill --card", "preview --run last",
         "preview skills/ --prompt 'list my s3 buckets'"),
        "Show where an operation would write its outputs, and what exists there now; or a file, a "
        "card, the topics that a prompt matches, or the changes of a recorded run. Nothing of a "
        "skill is started.",
        "the path of an output is unknown or blocked, or no topic matches the prompt",
        formats=COMMENT,
    ),
    Verb(
        "adopt", "Run", "Update the manifest from a run",
        (
            _RUN,
            Argument("--anyway", f"adopt from {_ELSEWHERE}"),
            Argument("--write", "write the selected changes to the manifest"),
            Argument("--pick ID", "select this change, and only those named", repeat=True),
            Argument("--all", "select every change"),
            QUIET._replace(help="print only the selected changes, without observations and notes"),
            VERBOSE._replace(help=f"{VERBOSE.help}: every observation of a change"),
        ),
        ("adopt last", "adopt last --write"),
        "Changes that correct a fault of the run are selected by default. All others are only "
        "offered, because one run does not prove anything about other runs.",
        "changes are selected and not written, or writing is refused",
    ),
    Verb(
        "apply", "Run", "Apply a run's changes to the real folders",
        (
            _RUN,
            Argument("[PATH ...]", "a file that the run changed, or a folder of them (default: "
                "all)"),
            Argument("--anyway", f"apply {_ELSEWHERE}"),
            Argument("--check", "show the changes and conflicts and write nothing"),
            _PATCH,
            _SKIP_SENSITIVE,
        ),
        ("apply last --check", "apply last", "apply last --patch run.patch"),
        "All changes are applied, or none. A file that changed since the run started is a conflict "
        "and is never overwritten; .git is never written. After a kill, apply the run again: that "
        "finishes it.",
        "there is a conflict, or a write fails; nothing is applied then",
    ),
    Verb(
        "trace", "Run", "List, compare, replay, explore and export recorded runs",
        (
            Argument("ACTION", "what to do", choices=("list", "show", "diff", "replay", "explore",
                "export")),
            Argument("[RUN ...]", "an id, the start of an id, last (the newest run of the current "
                "skill, else of the current workspace), or the path of a trace file, except for "
                "explore; diff needs two; replay also accepts the folder of a skill"),
            Argument("--anyway", "replay a skill that has changed or whose manifest has errors; "
                "explore a run of another workspace, which needs its full id, or a result of which "
                "parts are not recorded", actions=("replay", "explore")),
            Argument("--secret NAME=@FILE|env:VAR", "a value that is not in the trace",
                repeat=True, actions=("replay",)),
            Argument("--env NAME=VALUE", "set an environment variable", repeat=True,
                actions=("replay",)),
            Argument("--workspace DIR", "another folder to work in", actions=("replay",)),
            Argument("--isolation LEVEL", "use exactly this isolation level (default: that of the "
                "run; replay uses a stronger one if it is not available). explore accepts copy, "
                "confined or isolated, and uses copy only if you name it",
                actions=("replay", "explore")),
            Argument("--yes", "run without asking", actions=("replay",)),
            Argument("-c COMMAND", "run this command instead of opening a shell", repeat=True,
                actions=("explore",)),
            Argument("--timeout S", "stop a command after this many seconds (default: 60)",
                parse=_seconds, actions=("explore",)),
            VERBOSE._replace(help="show everything", actions=("show",)),
            Argument("--share", "leave out your folders and possible credentials",
                actions=("export",)),
            Argument("--reviewed", "confirm that you have read the trace; required for a sensitive "
                "skill", actions=("export",)),
            Argument("-o, --output FILE", "write to FILE (default: standard output)",
                actions=("export",)),
        ),
        ("trace list", "trace diff 20260101 last", "trace explore last -c 'git status'",
         "trace export last --share -o run.json"),
        "list shows the runs of all workspaces, show prints one, diff compares two, replay runs "
        "one again and compares, export prints one as JSON. With replay, arguments of a script "
        "follow --.\n"
        "explore opens a shell in copies with the result of a run. Each line runs in a new shell, "
        "at the isolation level of the run; only the current folder is kept from line to line. "
        "Nothing changes outside the copies, which are removed at the end. Without a terminal, it "
        "reads standard input.",
        "two runs differ, or the last command of explore failed",
        (ISOLATION_MISSING, TIMED_OUT, CANCELLED), takes_rest=True,
    ),
)  # fmt: skip
