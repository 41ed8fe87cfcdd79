"""The verbs of the group Author: write and check skills."""

from __future__ import annotations

from skillstudio.cli.arguments import COMMENT, Argument, Verb
from skillstudio.cli.table.shared import (
    ALL,
    DIFF,
    OPERAND,
    PLAIN,
    QUIET,
    SKILL,
    VERBOSE,
    VERBOSE_SETTINGS,
)

_DIALECT = Argument("--dialect ID", "read the skill as this dialect (manifest format)")
_TARGET = Argument("--target ID", "a target that must accept the skill", repeat=True, split=True,
    env="SKILLSTUDIO_TARGETS")  # fmt: skip
_CHECK = (
    Argument(
        "[PATH ...]", "skills by path or name, folders of skills, or - to read a list from "
        "standard input, with --stdin-filename a text", (".",)
    ),
    Argument("--stdin-filename PATH", "check the text on standard input as this file of a skill, "
        "and print only the problems of this file"),
    Argument("--fail-on LEVEL", "exit with 1 for a problem at this severity or above (default: "
        "error); empty: also if a folder has no skill",
        choices=("error", "warning", "info", "empty"), repeat=True, split=True),
    _TARGET,
    _DIALECT,
    Argument("--select RULE", "check only this rule or ruleset, even if it is off by default; "
        "security is the ruleset for supply chains", repeat=True, split=True),
    Argument("--ignore RULE", "do not report this rule or ruleset; takes precedence over --select; "
        "skillstudio explain RULE shows the comment and the setting that ignore a rule in a file",
        repeat=True, split=True),
    Argument("--exit-zero", "exit with 0 even if there are problems"),
    Argument("--statistics", "print the number of problems of each rule, not each problem"),
    Argument("--strict", "also report what is accepted although the specification of the dialect "
        "does not describe it"),
    Argument("--here", "for a proto, also check what its skills need of this machine: commands and "
        "their versions, files, environment variables"),
    Argument("--fix", "apply safe fixes; only the values at fault change"),
    Argument("--unsafe-fixes", "also apply unsafe fixes"),
    Argument("--diff", "show what the fixes would change and write nothing"),
    Argument("--watch", "check again whenever a file changes"),
    Argument("--changed-since REF", "check only skills with files that changed since a git ref"),
    Argument("--hook", "for git hooks: check the skills of the given files and of all staged "
        "files, also deleted ones, as they are staged; ignore files that belong to no skill"),
    Argument("--baseline FILE", "ignore problems recorded in this baseline"),
    Argument("--update-baseline", "record the problems in the baseline"),
    Argument("--no-cache", "check unchanged skills again, and keep no results",
        env="SKILLSTUDIO_NO_CACHE"),
    Argument("--all", "print all problems (default: at most 100 of a rule) and the whole diff"),
    PLAIN,
    QUIET,
    VERBOSE_SETTINGS,
)  # fmt: skip
_FIX = tuple(
    argument._replace(help=argument.help.removesuffix(", with --stdin-filename a text"))
    for argument in _CHECK
    if argument.dest not in ("fix", "stdin_filename")
)

VERBS = (
    Verb(
        "new", "Author", "Create a skill from a template or from scripts",
        (
            Argument("[TEMPLATE]", "a template's name, a folder with a copier.yml, or the address "
                "of a git repository"),
            Argument("DEST", "the new folder", unless="list"),
            Argument("--list", "list the templates, or only TEMPLATE, with their questions, and "
                "create nothing"),
            Argument("-D, --data KEY=VALUE", "answer a question of the template", repeat=True),
            Argument("--from DIR", "draft the skill from a folder of scripts", name="scripts"),
            Argument("--defaults", "use the defaults for all other questions"),
            Argument("--ref REF", "the branch or tag of a template's git repository, or HEAD "
                "(default: the newest tag that is a version, else HEAD)", ""),
            Argument("--dry-run", "show the new files and write nothing"),
            Argument("--anyway", "create the skill even if the check finds errors"),
        ),
        ("new --list", "new script-tool my-tool", "new --from scripts/ my-tool"),
        "The skill is rendered and checked before it is written; existing files are never "
        "overwritten.",
        "the skill has errors or cannot be written; --list: one of your own templates has a fault",
    ),
    Verb(
        "update", "Author", "Update a skill to a newer version of its template",
        (
            SKILL,
            Argument("-D, --data KEY=VALUE", "change the answer to a question of the template, or "
                "answer a new one", repeat=True),
            Argument("--defaults", "use the defaults for all other new questions"),
            Argument("--ref REF", "the branch or tag of a template's git repository, or HEAD "
                "(default: the branch of the last update, else the newest version)", ""),
            Argument("--template TEMPLATE", "use this template instead of the recorded one: a "
                "name, a folder or an address"),
            Argument("--check", "only tell whether the template has changes for the skill: exit "
                "with 1 if it has"),
            Argument("--yes", "write without asking at a terminal; elsewhere nothing is asked"),
            Argument("--dry-run", "list the files that would change and write nothing"),
            DIFF,
            ALL,
        ),
        (
            "update my-skill --diff",
            "update my-skill --check",
            "update my-skill --ref v2.0.0 --defaults --yes",
        ),
        "At a terminal, the diff is shown and nothing is written without consent. Each file is "
        "merged three-way: the file that the old version of the template rendered, "
        "yours, and that of the new version. All files are written, or none. A conflict keeps both "
        "sides in the file, between git's conflict markers.",
        "there are conflicts, or nothing could be written; --check: the template has changes",
    ),
    Verb(
        "check", "Author", "Check skills and fix problems", _CHECK,
        (
            "check",
            "check skills/ --fail-on warning --target codex",
            "check --fix --diff my-skill",
            "check --changed-since main --format sarif --output-file check.sarif",
            "check - --stdin-filename skills/tea/SKILL.md < draft.md",
        ),
        fails="a problem at or above --fail-on, or with --fail-on empty no skill", formats=COMMENT,
        is_annotated=True,
    ),
    Verb(
        "fix", "Author", "Fix problems in skills (check --fix)",
        _FIX,
        ("fix my-skill", "fix --diff"),
        "Only the values at fault change; every other byte of a file stays.",
        "a problem at or above --fail-on is left", formats=COMMENT, is_annotated=True,
        module="check", preset={"fix": True, "stdin_filename": None},
    ),
    Verb(
        "why", "Author", "Explain which targets discover, load and accept a skill",
        (
            Argument("[PATH]", "a skill, a file or folder in one, a folder of skills, or the name "
                "of a skill in the workspace", "."),
            _TARGET._replace(help="explain only this target, by its id or title", env=""),
            QUIET,
            VERBOSE,
        ),
        ("why my-skill", "why my-skill --target codex", "why skills/"), formats=COMMENT,
        is_annotated=True,
    ),
    Verb(
        "targets", "Author", "List the targets and the manifest formats, or show one target",
        (Argument("[TARGET]", "a target by its id or title: its record with the evidence (default: "
            "list all)"),
         QUIET._replace(help="print only the ids, or the record without the evidence"),
         VERBOSE._replace(help=f"{VERBOSE.help}: what is known of each")),
        ("targets", "targets -v", "targets codex"),
    ),
    Verb(
        "explain", "Author", "Explain a rule, a change or a problem of a run",
        (Argument("[ID]", "a rule of check, a kind of change of diff, or a problem of "
            "plan, run and test (default: list all)"),
         VERBOSE),
        ("explain description-unquoted", "explain input-missing", "explain -v"),
    ),
    Verb(
        "show", "Author", "Show a skill's interface", (OPERAND, ALL, QUIET),
        ("show my-skill", "show my-skill@1.2.0 --format json"),
        "Print the inputs, outputs, requirements and permissions of each operation. Values of "
        "sensitive inputs are not shown.",
    ),
    Verb(
        "edit", "Author", "Change values, rename inputs and add operations in a manifest",
        (
            SKILL,
            Argument("ACTION", "what to do", choices=("set", "add", "remove", "rename",
                "rename-input", "add-operation")),
            Argument("WHAT", "a JSON Pointer such as /outputs/files/0/pattern; rename-input: an "
                "input; add-operation: the path of a script in the skill, and after a space one of "
                "its commands"),
            Argument("[VALUE]", "JSON if it is valid JSON, else a string; rename, rename-input: "
                "the new name"),
            Argument("--string", "take the value as a string, even if it is valid JSON"),
            Argument("--dialect ID", "which manifest to edit, if the skill has several"),
            Argument("--prose", "also change the name in the text of SKILL.md",
                actions=("rename-input",)),
            Argument("--name NAME", "the name of the operation (default: that of the script)",
                actions=("add-operation",)),
            DIFF,
            ALL,
        ),
        ("edit my-skill set /description 'Writes worklogs. Use at the end of a session.'",
         "edit my-skill add /outputs/files/0/pattern '\"*.md\"' --diff",
         "edit my-skill set /offset -- -x",
         "edit my-skill rename-input query question --diff",
         "edit my-skill add-operation scripts/report.py --diff",
         "edit my-skill add-operation 'scripts/notes.py add' --name add-note"),
        "Every other byte of a file stays. A value that starts with - follows --.\n"
        "rename-input renames an input wherever the skill uses it.\n"
        "add-operation reads the script and does not run it. Its required arguments and those with "
        "a default become inputs; the others are listed, because a manifest passes every argument "
        "that it names. A skill without a manifest gets one at the end of its SKILL.md.",
        "the edit is refused",
    ),
)  # fmt: skip
