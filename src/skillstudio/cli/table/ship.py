"""The verbs of the group Ship: migrate, export and pack skills."""

from __future__ import annotations

from skillstudio.cli.arguments import Argument, Verb
from skillstudio.cli.table.shared import ALL, DIFF, OPERAND, QUIET, SKILL, VERBOSE

VERBS = (
    Verb(
        "migrate", "Ship", "Update a manifest to the next version of its format",
        (
            SKILL,
            Argument("--to DIALECT", "an earlier manifest format (default: the next version)", ""),
            DIFF, ALL, QUIET, VERBOSE,
        ),
        ("migrate my-skill --diff",),
        "Every other byte of the file stays.",
        "the migration is refused", module="conversion", preset={"verb": "migrate"},
    ),
    Verb(
        "export", "Ship", "Copy a skill into a form that a target accepts",
        (
            Argument("PATH", "a skill"),
            Argument("--target ID", "the target by its id or title, such as claude-upload; "
                "skillstudio targets lists them", required=True),
            Argument("-o, --output DIR", "the new skill folder, named as the skill",
                required=True),
            ALL,
            QUIET,
            VERBOSE,
        ),
        ("export my-skill --target claude-upload -o upload/my-skill",),
        "Keys that the target does not know become text under metadata, the name becomes that of "
        "the folder, and lists of tools are separated by spaces.",
        "no copy would be accepted", module="conversion", preset={"verb": "export"},
    ),
    Verb(
        "pack", "Ship", "Pack a skill into a reproducible archive",
        (
            OPERAND,
            Argument("-o, --output FILE", "the archive: .skill, .zip, .tgz or .tar.gz, or a new "
                "folder with --oci", ""),
            Argument("--list", "list what would be packed and write nothing"),
            Argument("--oci", "write an OCI image layout, a folder for registry tools"),
            Argument("--force", "overwrite FILE"),
            Argument("--compress", "compress the files; the bytes then depend on the zlib version"),
            Argument("--no-check", "pack even if the check finds errors"),
            QUIET,
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
)  # fmt: skip
