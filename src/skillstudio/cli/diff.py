"""`skillstudio diff`: what changed between two versions of a skill, and the bump it asks for."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable

from skillstudio.cli.compared import ComparedVersions, Governing, compared, comparison_parts, notes
from skillstudio.cli.exit_codes import OK, PROBLEMS, USAGE
from skillstudio.cli.output import Parser, UsageError, fail, print_json, say
from skillstudio.files.git import GitError
from skillstudio.interface.change import LEVELS
from skillstudio.skill.versions.operand import SeveralSkills
from skillstudio.skill.versions.operands import Operand, OperandError, before, resolve
from skillstudio.text.safe import safe_text

RULESETS = ("default", "strict", "lenient", "security")
FAIL_ON = ("major", "minor", "patch", "review", "bump", "none")


def parser() -> Parser:
    made = Parser(
        "diff",
        "Say what changed between two versions of a skill, and which bump that asks for. "
        "A version is a folder, PATH@REF, PATH@1.2.0, REF:path, an archive, or the name of a "
        "skill of the workspace. With one version the old one is the skill's last tag, else "
        "HEAD. BASE..HEAD compares every skill that changed between two commits. Exit status 1 "
        "when something reaches --fail-on or the version was bumped too little.",
    )
    add = made.add_argument
    add("versions", nargs="*", metavar="VERSION", help="OLD NEW, or NEW, or BASE..HEAD [PATH]")
    add("--format", choices=("text", "json", "markdown", "github"), default="text")
    add(
        "--fail-on",
        choices=FAIL_ON,
        default="major",
        help="the threshold; review: what asks for review, and what is major; "
        "bump: only a version bumped too little",
    )
    add("--ruleset", choices=RULESETS, default="default", help="which levels changes have")
    add("--text", action="store_true", help="show what changed in the texts of the files, too")
    add("--staged", action="store_true", help="every skill with staged changes, against HEAD")
    add("--plain", action="store_true", help="words instead of drawings, for screen readers")
    add("--git-driver", action="store_true", help="be the program of git's diff.NAME.command")
    return made


def run(arguments: list[str]) -> int:
    """Compare, print, and say by the exit status whether the threshold was reached."""
    options = parser().parse_args(arguments)
    if options.git_driver:
        from skillstudio.cli.git_driver import drive

        return drive(options.versions, options.ruleset, options.plain)
    if options.text and options.format not in ("text", "markdown"):
        raise UsageError(f"--text goes with --format text or markdown, not {options.format}")
    several = True
    try:
        found = _several(options)
        if found is None:
            several = False
            found = [_two(options.versions)]
    except SeveralSkills as error:
        advice = "two commits of a whole repository compare as BASE..HEAD"
        raise UsageError(f"{error}; {advice}") from None
    except (OperandError, GitError) as error:
        raise UsageError(str(error)) from None
    governing = Governing()
    rows: list[ComparedVersions] = []
    status = OK
    for old, new in found:
        try:
            rows.append(compared(old, new, governing, options.ruleset))
        except UsageError as error:
            if not several:
                raise
            status = fail(str(error))
    _print(rows, options, several)
    if status == USAGE:
        return USAGE
    return PROBLEMS if any(reaches(row, options.fail_on) for row in rows) else OK


def reaches(row: ComparedVersions, fail_on: str) -> bool:
    """Whether a comparison holds something that fails at a threshold. What is waived does not."""
    if fail_on == "none":
        return False
    if not row.comparison.bump.ok:
        return True
    counted = [change for change in row.comparison.changes if not change.waived]
    if fail_on == "bump":
        return False
    if fail_on == "review":
        return any(change.review or change.level == "major" for change in counted)
    failing = LEVELS[: LEVELS.index(fail_on) + 1]
    return any(change.level in failing for change in counted)


def _two(versions: list[str]) -> tuple[Operand, Operand]:
    if len(versions) > 2:
        raise UsageError("diff takes two versions, or a range and one path")
    new = resolve(versions[-1] if versions else ".")
    return (resolve(versions[0]) if len(versions) == 2 else before(new)), new


def _several(options: Namespace) -> Iterable[tuple[Operand, Operand]] | None:
    """The pairs of a range or of what is staged; None where two versions are compared."""
    words = options.versions
    if options.staged:
        if len(words) > 1:
            raise UsageError("--staged takes one PATH at most")
        from skillstudio.cli.ranges import staged

        return staged(words[0] if words else "")
    if not words or ".." not in words[0] or os.path.lexists(words[0]):
        return None
    from skillstudio.skill.versions.between import read_range

    range_ = read_range(words[0])
    if range_ is None:
        return None
    if len(words) > 2:
        raise UsageError("a range takes one PATH at most")
    from skillstudio.cli.ranges import between

    return between(range_, words[1] if len(words) == 2 else "")


def _print(rows: list[ComparedVersions], options: Namespace, several: bool) -> None:
    if options.format == "json":
        from skillstudio.cli.formats.changes_json import as_json

        values = [as_json(row) for row in rows]
        print_json({"skills": values} if several else values[0])
        _say_notes(rows)
        return
    if options.format == "github":
        from skillstudio.cli.formats import changes_github

        sys.stdout.write("".join(f"{line}\n" for line in changes_github.lines(rows)))
        _say_notes(rows)
        return
    from skillstudio.cli.formats.painting import print_parts

    is_comment = options.format == "markdown"
    parts = comparison_parts(rows, options.plain, options.text, is_comment)
    print_parts(parts, "diff", options.format)


def _say_notes(rows: list[ComparedVersions]) -> None:
    for note in notes(rows):
        say(safe_text(note))
