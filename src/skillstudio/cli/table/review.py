"""The verbs of the group Review: compare, identify and pin versions."""

from __future__ import annotations

from skillstudio.cli.arguments import COMMENT, Argument, Verb
from skillstudio.cli.table.shared import ALL, DIFF, OPERAND, PLAIN, QUIET, VERBOSE, VERBOSE_SETTINGS

_RULESET = Argument(
    "--ruleset NAME", "how severe each kind of change is", "default",
    ("default", "strict", "lenient", "security"),
)  # fmt: skip

VERBS = (
    Verb(
        "diff", "Review", "Compare two versions of skills and show the required bump",
        (
            Argument("[VERSION ...]", "OLD NEW, or NEW alone, or BASE..HEAD [PATH]"),
            Argument("--fail-on LEVEL", "exit with 1 for a change at this level or above; review: "
                "changes to review, and major ones; bump: only a version bump that is too small, "
                "or that is unknown because there is no release to compare with",
                "major", ("major", "minor", "patch", "review", "bump", "none")),
            _RULESET,
            Argument("--text", "also show what changed in the text of the files"),
            Argument("--staged", "compare every skill with staged changes with HEAD"),
            Argument("--all", "print everything (default: the first 500 changes of a skill, in "
                "JSON 1000, and about 400 kB of --text)"),
            PLAIN,
            QUIET,
            VERBOSE_SETTINGS,
            Argument("--git-driver", "act as git's external diff driver; without VERSION: how to "
                "set it up"),
        ),
        ("diff my-skill", "diff my-skill@1.2.0 my-skill", "diff main..HEAD --format markdown"),
        "A version is a folder, PATH@REF, PATH@1.2.0, REF:path, an archive, or the name of a skill "
        "in the workspace. With one version, the old one is the skill's last tag, else HEAD. "
        "BASE..HEAD compares every skill that changed between two commits.",
        "a change at or above --fail-on, or a version bump that is too small",
        formats=COMMENT, is_annotated=True,
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
            ALL,
            Argument("--tag", "print the git command that tags the version; refused with "
                "uncommitted changes"),
            QUIET,
            VERBOSE._replace(help="also print on standard error the changes that require the bump"),
        ),
        ("bump my-skill", "bump my-skill --write"),
        fails="writing or tagging is refused",
    ),
    Verb(
        "waive", "Review", "Accept a breaking change knowingly",
        (
            Argument("FINGERPRINT", "the 12 digits that diff -v prints for the change"),
            Argument("[PATH]", "a skill or a folder of skills", "."),
            Argument("--reason TEXT", "why the change is acceptable", required=True),
            DIFF,
            ALL,
        ),
        ("waive 1f0c2d9e8b7a --reason 'nobody used this input'",),
        "The waiver is written to the skillstudio.toml that applies to PATH; every other byte of "
        "it stays.",
        "the waiver is refused",
    ),
    Verb(
        "identity", "Review", "Show which version of a skill this is, or its digests",
        (
            OPERAND,
            Argument("--share", "write LOCAL/ instead of home folders"),
            Argument("--for PURPOSE", "print only the identifier for this purpose", None,
                ("nix", "dev", "replay", "pin"), name="purpose"),
            Argument("--deployed-at TIME", "when it was deployed, such as 2025-12-23T10:00:00Z"),
            Argument("--digests", "print content_hash, tree-sha256 and the digests that the "
                "skill's manifest format defines; also of a folder that is not a skill"),
            Argument("--files", "print the digests, and each file with its own"),
        ),
        ("identity my-skill", "identity my-skill --for pin", "identity my-skill --digests"),
        "Print the Nix store path, the source, the content hash and the version. With --digests "
        "and --files every byte is read; nothing is cached.",
        "the skill has no identifier for --for",
    ),
    Verb(
        "lock", "Review", "Write or verify a lock file",
        (
            Argument("[PATH ...]", "protos (files that name skills), skills, or folders of skills "
                "(default: the lock files of this folder, else the skills below it)"),
            Argument("--check", "write nothing; exit with 1 if something differs from its lock"),
            QUIET,
        ),
        ("lock my-skill", "lock --check"),
        "A lock file records the content hash, version and source of skills and of their "
        "dependencies: NAME.lock beside a proto, proto.lock in this folder for skills. --check "
        "also verifies the skills-lock.json of npx skills.",
        "something differs from its lock, or cannot be locked",
    ),
    Verb(
        "index", "Review", "Write or verify an index of the skills in a folder",
        (
            Argument("PATH", "a folder of skills"),
            Argument("-o, --output FILE", "the index, or - for standard output (default: "
                "skills-index.json in PATH)", ""),
            Argument("--check", "write nothing; exit with 1 if a skill differs"),
            QUIET,
        ),
        ("index skills/", "index skills/ --check"),
        "The index has the name, version, capabilities, operations and content hash of each skill, "
        "and the skills of each capability.",
        "a skill differs from the index",
    ),
)  # fmt: skip
