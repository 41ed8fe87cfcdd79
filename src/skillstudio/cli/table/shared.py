"""Arguments of verbs in several groups."""

from __future__ import annotations

from skillstudio.cli.arguments import Argument

SKILL = Argument("PATH", "a skill, or a file in one")
OPERAND = Argument(
    "PATH", "a skill, PATH@REF, PATH@1.2.0, REF:path, an archive, or the name of a skill in the "
    "workspace",
)  # fmt: skip
DIFF = Argument("--diff", "show the change as a diff and write nothing")
PLAIN = Argument("--plain", "use words instead of drawings, for screen readers")
QUIET = Argument("-q, --quiet", "print only problems and results: no summary, notes or progress")
VERBOSE = Argument("-v, --verbose", "also print what is left out by default")
VERBOSE_SETTINGS = VERBOSE._replace(
    help=f"{VERBOSE.help}, and on standard error what is read and the settings used"
)
ALL = Argument(
    "--all", "print everything (default: the first 100 entries of a list, in JSON 1000, and about "
    "400 kB of a diff)",
)  # fmt: skip
