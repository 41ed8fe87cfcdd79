"""The table of verbs: what each is called with, what it runs, what it prints."""

from __future__ import annotations

from math import isfinite

from skillstudio.cli.arguments import Argument, Verb
from skillstudio.cli.exit_codes import (
    CANCELLED,
    ISOLATION_MISSING,
    REQUIREMENT_MISSING,
    TIMED_OUT,
)

GROUPS = ("Author", "Review", "Run", "Ship", "Setup")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not isfinite(seconds) or seconds <= 0:
        raise ValueError("a number of seconds above 0")
    return seconds


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


_SKILL = Argument("PATH", "a skill, or a file in one")
_OPERAND = Argument(
    "PATH", "a skill, PATH@REF, PATH@1.2.0, REF:path, an archive, or the name of a skill in the "
    "workspace",
)  # fmt: skip
_ON_DISK = Argument("PATH", "a skill on disk")
_OPERATION = Argument(
    "[OPERATION]", "an operation, a recipe, or the path of a script in the skill (default: the "
    "only one)", "",
)  # fmt: skip
_RUN = Argument(
    "RUN", "a recorded run: its id, the start of its id, or last (the newest run of the current "
    "skill, else of the current workspace)",
)  # fmt: skip
_DIALECT = Argument("--dialect ID", "read the skill as this dialect (manifest format)")
_DIFF = Argument("--diff", "show the change as a diff and write nothing")
_TARGET = Argument("--target ID", "a target that must accept the skill", repeat=True)
_RULESET = Argument(
    "--ruleset NAME", "how severe each kind of change is", "default",
    ("default", "strict", "lenient", "security"),
)  # fmt: skip
_PLAIN = Argument("--plain", "use words instead of drawings, for screen readers")
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
_ELSEWHERE = "a run of another workspace; needs its full id"

_INPUTS = (
    Argument("-i, --input NAME=VALUE", "set an input; its schema gives the type",
        repeat=True, name="inputs"),
    Argument("--inputs-json JSON|@FILE", "set all inputs with one JSON value; @- reads standard "
        "input"),
    Argument("--sample NAME", "use the inputs of a sample; the other options override them"),
    _ENV,
    Argument("--secret NAME=@FILE|env:VAR", "set a sensitive input or variable from a file or a "
        "variable; it is never shown or stored", repeat=True),
)  # fmt: skip
_GROUND = (
    _WORKSPACE,
    Argument("--repo-root DIR", "the value of repo_root, if it is below the workspace"),
)
_RUNNING = (
    *_GROUND,
    _ISOLATION,
    _REQUIRE,
    Argument("--timeout S", "stop the run after this many seconds", parse=_seconds),
    _ERRORS_TOO,
)
_CHECK = (
    Argument(
        "[PATH ...]", "skills, folders of skills, or - to read a list from standard input", (".",)
    ),
    Argument("--fail-on LEVEL", "exit with 1 for a problem at this severity or above", "error",
        ("error", "warning", "info")),
    _TARGET,
    _DIALECT,
    Argument("--fix", "apply safe fixes; only the values at fault change"),
    Argument("--unsafe-fixes", "also apply unsafe fixes"),
    Argument("--diff", "show what the fixes would change and write nothing"),
    Argument("--watch", "check again whenever a file changes"),
    Argument("--changed-since REF", "check only skills with files that changed since a git ref"),
    Argument("--baseline FILE", "ignore problems recorded in this baseline"),
    Argument("--update-baseline", "record the problems in the baseline"),
    Argument("--all", "print all problems (default: at most 100 of a rule)"),
    _PLAIN,
)  # fmt: skip

_TABLE = (
    Verb(
        "new", "Author", "Create a skill from a template or from scripts",
        (
            Argument("[TEMPLATE]", "a template's name, a folder with a copier.yml, or the address "
                "of a git repository"),
            Argument("DEST", "the new folder"),
            Argument("-D, --data KEY=VALUE", "answer a question of the template", repeat=True),
            Argument("--from DIR", "draft the skill from a folder of scripts", name="scripts"),
            Argument("--defaults", "use the defaults for all other questions"),
            Argument("--ref REF", "the branch or tag of a template's git repository", ""),
            Argument("--dry-run", "show the new files and write nothing"),
            Argument("--anyway", "create the skill even if the check finds errors"),
        ),
        ("new script-tool my-tool", "new --from scripts/ my-tool"),
        "skillstudio templates lists the templates. The skill is rendered and checked before it is "
        "written; existing files are never overwritten.",
        "the new skill has errors, or it cannot be written",
    ),
    Verb(
        "templates", "Author", "List the templates and their questions", (),
        ("templates",), fails="one of your own templates has a fault",
    ),
    Verb(
        "check", "Author", "Check skills and fix problems", _CHECK,
        (
            "check",
            "check skills/ --fail-on warning --target codex",
            "check --fix --diff my-skill",
            "check --changed-since main --format sarif --output-file check.sarif",
        ),
        fails="a problem at or above --fail-on",
    ),
    Verb(
        "fix", "Author", "Fix problems in skills (check --fix)",
        tuple(each for each in _CHECK if each.spec != "--fix"),
        ("fix my-skill", "fix --diff"),
        "Only the values at fault change; every other byte of a file stays.",
        "a problem at or above --fail-on is left", module="check", preset={"fix": True},
    ),
    Verb(
        "why", "Author", "Explain which targets discover, load and accept a skill", (_SKILL,),
        ("why my-skill",),
    ),
    Verb(
        "targets", "Author", "List the targets and the manifest formats", (), ("targets",),
        module="target_list",
    ),
    Verb(
        "explain", "Author", "Explain a rule or a kind of change",
        (Argument("[ID]", "a rule of check or a kind of change of diff (default: list all)"),),
        ("explain description-unquoted", "explain"),
    ),
    Verb(
        "show", "Author", "Show a skill's interface", (_OPERAND,),
        ("show my-skill", "show my-skill@1.2.0 --format json"),
        "Print the inputs, outputs, requirements and permissions of each operation. Values of "
        "sensitive inputs are not shown.",
    ),
    Verb(
        "edit", "Author", "Change one value of a manifest",
        (
            _SKILL,
            Argument("ACTION", "what to do", choices=("set", "add", "remove", "rename")),
            Argument("POINTER", "a JSON Pointer such as /outputs/files/0/pattern"),
            Argument("[VALUE]", "JSON if it is valid JSON, else a string"),
            Argument("--string", "take the value as a string, even if it is valid JSON"),
            Argument("--dialect ID", "which manifest to edit, if the skill has several"),
            _DIFF,
        ),
        ("edit my-skill set /description 'Writes worklogs. Use at the end of a session.'",
         "edit my-skill add /outputs/files/0/pattern '\"*.md\"' --diff",
         "edit my-skill set /offset -- -x"),
        "Every other byte of the file stays. A value that starts with - follows --.",
        "the edit is refused",
    ),
    Verb(
        "rename", "Author", "Rename an input wherever it is used",
        (
            Argument("PATH", "a skill"),
            Argument("KIND", "what to rename", choices=("input",)),
            Argument("OLD", "its name"),
            Argument("NEW", "its new name"),
            Argument("--prose", "also change the name in the text of SKILL.md"),
            _DIFF,
        ),
        ("rename my-skill input query question --diff",),
        fails="there is no such input, or the new name is taken",
    ),
    Verb(
        "diff", "Review", "Compare two versions of skills and show the required bump",
        (
            Argument("[VERSION ...]", "OLD NEW, or NEW alone, or BASE..HEAD [PATH]"),
            Argument("--fail-on LEVEL", "exit with 1 for a change at this level or above; review: "
                "changes to review, and major ones; bump: only a version bump that is too small",
                "major", ("major", "minor", "patch", "review", "bump", "none")),
            _RULESET,
            Argument("--text", "also show what changed in the text of the files"),
            Argument("--staged", "compare every skill with staged changes with HEAD"),
            _PLAIN,
            Argument("--git-driver", "act as a git external diff driver"),
        ),
        ("diff my-skill", "diff my-skill@1.2.0 my-skill", "diff main..HEAD --format markdown"),
        "A version is a folder, PATH@REF, PATH@1.2.0, REF:path, an archive, or the name of a skill "
        "in the workspace. With one version, the old one is the skill's last tag, else HEAD. "
        "BASE..HEAD compares every skill that changed between two commits.\n"
        "check-compat is another name of this command.",
        "a change at or above --fail-on, or a version bump that is too small",
    ),
    Verb(
        "bump", "Review", "Print or write the version that a skill's changes require",
        (
            Argument("[PATH]", "a skill on disk", "."),
            Argument("--against VERSION", "the old version: a git ref, or any version that diff "
                "accepts (default: the last tag, else HEAD)"),
            _RULESET,
            Argument("--write", "write the version to the manifests and CHANGELOG.md"),
            Argument("--diff", "show what --write would change and write nothing"),
            Argument("--tag", "print the git command that tags the version; refused with "
                "uncommitted changes"),
        ),
        ("bump my-skill", "bump my-skill --write"),
        fails="writing or tagging is refused",
    ),
    Verb(
        "waive", "Review", "Accept a breaking change knowingly",
        (
            Argument("FINGERPRINT", "the 12 digits that diff prints for the change"),
            Argument("[PATH]", "a skill or a folder of skills", "."),
            Argument("--reason TEXT", "why the change is acceptable", required=True),
            _DIFF,
        ),
        ("waive 1f0c2d9e8b7a --reason 'nobody used this input'",),
        "The waiver is written to the skillstudio.toml that applies to PATH; every other byte of "
        "it stays.",
        "the waiver is refused",
    ),
    Verb(
        "identity", "Review", "Show which version of a skill this is",
        (
            _OPERAND,
            Argument("--share", "write LOCAL/ instead of home folders"),
            Argument("--for PURPOSE", "print only the identifier for this purpose", None,
                ("nix", "dev", "replay", "pin"), name="purpose"),
            Argument("--deployed-at TIME", "when it was deployed, such as 2025-12-23T10:00:00Z"),
        ),
        ("identity my-skill", "identity my-skill --for pin"),
        "Print the Nix store path, the source, the content hash and the version.",
        "the skill has no identifier for --for",
    ),
    Verb(
        "hash", "Review", "Print the digests of a skill",
        (
            Argument("PATH", "a folder, an archive, PATH@REF, PATH@1.2.0, REF:path, or the name of "
                "a skill in the workspace"),
            Argument("--files", "list each file with its own digest"),
        ),
        ("hash my-skill", "hash my-skill --files"),
        "Print content_hash, tree-sha256 and the digests that the skill's manifest format defines. "
        "Every byte is read; nothing is cached.",
    ),
    Verb(
        "lock", "Review", "Write or verify a lock file",
        (
            Argument("[PATH ...]", "protos (files that name skills), skills, or folders of skills "
                "(default: the lock files of this folder, else the skills below it)"),
            Argument("--check", "write nothing; exit with 1 if something differs from its lock"),
        ),
        ("lock my-skill", "lock --check"),
        "A lock file records the content hash, version and source of skills and of their "
        "dependencies: NAME.lock beside a proto, proto.lock in this folder for skills.",
        "something differs from its lock, or cannot be locked",
    ),
    Verb(
        "index", "Review", "Write or verify an index of the skills in a folder",
        (
            Argument("PATH", "a folder of skills"),
            Argument("-o, --output FILE", "the index, or - for standard output (default: "
                "skills-index.json in PATH)", ""),
            Argument("--check", "write nothing; exit with 1 if a skill differs"),
        ),
        ("index skills/", "index skills/ --check"),
        "The index has the name, version, capabilities, operations and content hash of each skill, "
        "and the skills of each capability.",
        "a skill differs from the index",
    ),
    Verb(
        "plan", "Run", "Show what a run of an operation would start",
        (_ON_DISK, _OPERATION, *_INPUTS, *_RUNNING),
        ("plan my-skill search -i query=tea",),
        "Nothing of the skill is started. Arguments of a script follow --.",
        "the run cannot start", (ISOLATION_MISSING,), takes_rest=True,
    ),
    Verb(
        "run", "Run", "Run an operation in copies and compare it with its manifest",
        (
            _ON_DISK, _OPERATION, *_INPUTS, *_RUNNING,
            Argument("--yes", "run without asking: with isolation level copy, operations that the "
                "manifest calls destructive or that use the network; steps that need a "
                "confirmation"),
            Argument("--twice", "run again on the result, and once more from the start"),
            Argument("--stage-limit SIZE", "the most to copy, such as 4GiB", parse=_size),
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
        ),
        ("run my-skill search -i query=tea", "run my-skill build --isolation confined --apply"),
        "The operation runs in copies of the workspace and the skill. The report compares its "
        "effects with those that the manifest declares. Arguments of a script follow --.",
        "the operation failed, or did something undeclared",
        (REQUIREMENT_MISSING, ISOLATION_MISSING, TIMED_OUT, CANCELLED), takes_rest=True,
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
            Argument("--update", "write the results to the samples as expected"),
        ),
        ("test my-skill", "test --format junit --output-file report.xml"),
        "Every sample runs in copies. Its result is compared with what the sample expects, else "
        "with what the manifest declares.",
        "a result differs", (ISOLATION_MISSING, CANCELLED),
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
        "preview", "Run", "Preview outputs, files, a skill's card or its discovery",
        (
            Argument("[PATH]", "a skill, a file, or with --prompt a folder of skills; with --run a "
                "file that the run changed, or a folder of them"),
            Argument("[OPERATION]", "an operation (default: the only one)", ""),
            Argument("--card", "show the skill as agents, installers and policies see it"),
            Argument("--prompt TEXT", "show which skills of PATH match this text, and why"),
            Argument("--run RUN", "show what a recorded run changed: its id, the start of its id, "
                "or last"),
            Argument("--view VIEW", "how to show a file (default: preview; diff: compare a file of "
                "a run with the current one)", None, ("preview", "diff", "raw", "hex")),
            Argument("--diff", "the same as --view diff"),
            Argument("--lines A:B", "show these lines, counted from 1 (default: 1:200)"),
            *_INPUTS, *_GROUND,
        ),
        ("preview my-skill search -i query=tea", "preview my-skill --card", "preview --run last",
         "preview skills/ --prompt 'write a worklog'"),
        "Show where an operation would write its outputs, and what exists there now; or a file, a "
        "card, the skills that a prompt matches, or the changes of a recorded run. Nothing of a "
        "skill is started.",
        "the path of an output is unknown or blocked, or no skill matches the prompt",
    ),
    Verb(
        "adopt", "Run", "Update the manifest from a run",
        (
            _RUN,
            Argument("--anyway", f"adopt from {_ELSEWHERE}"),
            Argument("--write", "write the selected changes to the manifest"),
            Argument("--pick ID", "select this change, and only those named", repeat=True),
            Argument("--all", "select every change"),
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
        "and is never overwritten; .git is never written. An interrupted apply is completed or "
        "rolled back first.",
        "there is a conflict, or the disk refuses; nothing is applied then",
    ),
    Verb(
        "trace", "Run", "List, compare, replay and export recorded runs",
        (
            Argument("ACTION", "what to do", choices=("list", "show", "diff", "replay", "export")),
            Argument("[RUN ...]", "an id, the start of an id, last (the newest run of the current "
                "skill, else of the current workspace), or the path of a trace file; diff takes "
                "two; replay takes the folder of a skill, too"),
            Argument("--anyway", "replay: run even if the skill has changed or its manifest has "
                "errors"),
            Argument("--secret NAME=@FILE|env:VAR", "replay: a value that is not in the trace",
                repeat=True),
            Argument("--env NAME=VALUE", "replay: set an environment variable", repeat=True),
            Argument("--workspace DIR", "replay: another folder to work in"),
            Argument("--isolation LEVEL", "replay: use exactly this isolation level (default: that "
                "of the run, else a stronger one)"),
            Argument("--yes", "replay: run without asking"),
            Argument("--share", "export: leave out your folders and possible credentials"),
            Argument("--reviewed", "export: confirm that you have read the trace; required for a "
                "sensitive skill"),
            Argument("-o, --output FILE", "export: write to FILE (default: standard output)"),
        ),
        ("trace list", "trace diff 20260101 last", "trace export last --share -o run.json"),
        "list shows the runs of all workspaces, show prints one, diff compares two, replay runs "
        "one again and compares, export prints one as JSON. With replay, arguments of a script "
        "follow --.",
        "two runs differ", (ISOLATION_MISSING, TIMED_OUT, CANCELLED), takes_rest=True,
    ),
    Verb(
        "migrate", "Ship", "Update a manifest to the next version of its format",
        (_SKILL, _DIFF),
        ("migrate my-skill --diff",),
        "router-manifest-1 becomes skill-manifest-2.0, legacy frontmatter becomes frontmatter-1.0, "
        "a Provenact bundle or v0 becomes v1. Every other byte of the file stays.",
        "the migration is refused",
    ),
    Verb(
        "convert", "Ship", "Convert a skill to another manifest format",
        (
            Argument("PATH", "a skill"),
            Argument("--to DIALECT", "the manifest format", None,
                ("agent-skills", "frontmatter-1.0", "skill-manifest-2.0", "provenact-bundle"),
                required=True),
            Argument("-o, --output DIR", "the new skill folder, named as the skill (default: add "
                "the new manifest to the skill itself)"),
            Argument("--diff", "without -o: show the change and write nothing"),
        ),
        ("convert my-skill --to skill-manifest-2.0 -o converted/my-skill",),
        "The report lists for each value whether it is kept, changed, lost or generated.",
        "the skill cannot be converted, or the result has errors",
    ),
    Verb(
        "export", "Ship", "Copy a skill into a form that a target accepts",
        (
            Argument("PATH", "a skill"),
            Argument("--target ID", "the target, such as claude-upload; skillstudio targets lists "
                "them", required=True),
            Argument("-o, --output DIR", "the new skill folder, named as the skill",
                required=True),
        ),
        ("export my-skill --target claude-upload -o upload/my-skill",),
        "Keys that the target does not know become text under metadata, the name becomes that of "
        "the folder, and lists of tools are separated by spaces.",
        "no copy would be accepted",
    ),
    Verb(
        "pack", "Ship", "Pack a skill into a reproducible archive",
        (
            _OPERAND,
            Argument("-o, --output FILE", "the archive: .skill, .zip, .tgz or .tar.gz, or a new "
                "folder with --oci", ""),
            Argument("--list", "list what would be packed and write nothing"),
            Argument("--oci", "write an OCI image layout, a folder for registry tools"),
            Argument("--force", "overwrite FILE"),
            Argument("--compress", "compress the files; the bytes then depend on the zlib version"),
            Argument("--no-check", "pack even if the check finds errors"),
        ),
        ("pack my-skill -o my-skill.skill", "pack my-skill --list"),
        "The bytes are the same on every machine. The list names the reason for each file that is "
        "left out.",
        "the check finds errors; nothing is written then",
    ),
    Verb(
        "unpack", "Ship", "Unpack an archive into a new skill folder",
        (
            Argument("FILE", ".skill, .zip, .tgz, .tar.gz, or an OCI image layout; FILE:SKILL for "
                "one of several skills in it"),
            Argument("-o, --output DIR", "the new skill folder", required=True),
            Argument("--all", "unpack every skill of the archive below DIR"),
        ),
        ("unpack my-skill.skill -o my-skill",),
        "Existing files are never overwritten, and nothing of the archive is run.",
    ),
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
        "schema", "Setup", "Print the JSON Schema of a manifest format",
        (
            Argument("DIALECT", "a manifest format; skillstudio targets lists them"),
            Argument("--part NAME", "another part of it, such as recipe", "manifest"),
        ),
        ("schema agent-skills",), "The schema is in draft 2020-12.", formats=("json",),
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

VERBS = {each.name: each for each in _TABLE}
ALIASES = {"check-compat": "diff"}
_INSTEAD = {
    "init": "use skillstudio new",
    "create": "use skillstudio new",
    "lint": "use skillstudio check",
    "validate": "use skillstudio check",
    "format": "skillstudio keeps your bytes; see skillstudio fix",
    "fmt": "skillstudio keeps your bytes; see skillstudio fix",
    "list": "use skillstudio show PATH, or skillstudio check for all skills",
    "ls": "use skillstudio show PATH, or skillstudio check for all skills",
    "info": "use skillstudio show",
    "rules": "use skillstudio explain",
    "profiles": "use skillstudio targets",
    "keys": "use skillstudio config keys",
    "themes": "use skillstudio config themes",
    "version": "use skillstudio --version",
}
"""What people type who know other tools, and what to type here."""


def find_verb(name: str) -> Verb | None:
    """The verb of a name or an alias; None where there is none."""
    return VERBS.get(ALIASES.get(name, name))


def hint_for(word: str) -> str:
    """What was probably meant by a word that is no verb, as the end of a message."""
    if word in _INSTEAD:
        return f"; {_INSTEAD[word]}"
    from skillstudio.text.nearest import nearest

    near = nearest(word, (*VERBS, *ALIASES))
    return f"; did you mean {near}?" if near else ""
