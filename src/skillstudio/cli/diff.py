"""`skillstudio diff`: compare two versions of skills and show the required bump."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.compared import (
    ComparedVersions,
    Comparisons,
    compare_operands,
    comparison_annotations,
    comparison_parts,
    comparison_value,
    notes,
)
from skillstudio.cli.exit_codes import OK, PROBLEMS, USAGE
from skillstudio.cli.lists import cut_json
from skillstudio.cli.operands import SettingsReader
from skillstudio.cli.output import Paint, Result, UsageError, colours_wanted, say, warn
from skillstudio.cli.painting import paint_lines, parts_result
from skillstudio.cli.progress import count_items
from skillstudio.cli.saving import text_diff
from skillstudio.files.disk import DiskTree
from skillstudio.files.git import GitError
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.interface.change import LEVELS
from skillstudio.manifest.locate import TOO_LARGE
from skillstudio.present.lines import Part, StyledLine
from skillstudio.skill.discover import is_skill
from skillstudio.skill.versions.comparison import compare_versions, open_version
from skillstudio.skill.versions.operand import SeveralSkills
from skillstudio.skill.versions.operands import Operand, OperandError, before, resolve
from skillstudio.skill.versions.reading import UnreadableManifest
from skillstudio.text.safe import safe_text
from skillstudio.text.source import decode

if TYPE_CHECKING:
    from skillstudio.files.repository import Repository
    from skillstudio.skill.versions.between import Pair


GIT_SETUP = """\
    git config diff.skill.command 'skillstudio diff --git-driver'
    echo 'SKILL.md diff=skill' >> .gitattributes"""
"""The commands after which git starts the driver."""


def run(options: CommandOptions) -> Result | int:
    """Compare. Exit status 1 if the threshold is reached."""
    if options.git_driver:
        return _drive(options)
    if options.text and options.format not in ("text", "markdown"):
        raise UsageError(f"--text needs --format text or markdown, not {options.format}")
    several = True
    extra_notes: list[str] = []
    try:
        pairs = _several(options, extra_notes)
        if pairs is None:
            several = False
            pairs = [_two(options.versions)]
    except SeveralSkills as error:
        advice = "to compare two commits of a whole repository, use BASE..HEAD"
        raise UsageError(f"{error}; {advice}") from None
    except (OperandError, GitError) as error:
        raise UsageError(str(error)) from None
    settings_reader = SettingsReader()
    rows: list[ComparedVersions] = []
    status = OK
    version_pairs = list(pairs)
    for old, new in count_items(version_pairs, len(version_pairs), "skills"):
        try:
            rows.append(compare_operands(old, new, settings_reader, options.ruleset))
        except UsageError as error:
            if not several:
                raise
            warn(str(error))
            status = USAGE
    if options.format not in ("text", "markdown") and not options.quiet:
        say(*notes(rows), *extra_notes)
    for row in rows if options.verbose else ():
        settings = (
            settings_reader.of(row.new)[2] or settings_reader.of(row.old)[2] or "no file found"
        )
        say(f"{row.name}: {row.old.label} to {row.new.label}; settings: {settings}")
    if status == OK and any(reaches(row, options.fail_on) for row in rows):
        status = PROBLEMS

    def value() -> Any:
        values = [comparison_value(row) for row in rows]
        return cut_json({"skills": values} if several else values[0], options.all)

    comparisons = Comparisons(
        rows,
        options.plain,
        options.text,
        options.all,
        options.quiet,
        options.verbose,
        tuple(extra_notes),
    )
    result = parts_result(value, lambda: comparison_parts(comparisons), status)
    return result._replace(
        parts=lambda: comparison_parts(comparisons, is_comment=True),
        annotations=partial(comparison_annotations, comparisons),
    )


def reaches(row: ComparedVersions, fail_on: str) -> bool:
    """Whether a comparison reaches a threshold; waived changes do not count."""
    if fail_on == "none":
        return False
    bump = row.comparison.bump
    if not bump.ok or (fail_on == "bump" and bump.no_release):
        return True
    unwaived_changes = [change for change in row.comparison.changes if not change.waived]
    if fail_on == "bump":
        return False
    if fail_on == "review":
        return any(change.review or change.level == "major" for change in unwaived_changes)
    failing_levels = LEVELS[: LEVELS.index(fail_on) + 1]
    return any(change.level in failing_levels for change in unwaived_changes)


def _two(versions: list[str]) -> tuple[Operand, Operand]:
    if len(versions) > 2:
        raise UsageError("diff takes two versions, or a range and one path")
    new = resolve(versions[-1] if versions else ".")
    return (resolve(versions[0]) if len(versions) == 2 else before(new)), new


def _several(
    options: CommandOptions, extra_notes: list[str]
) -> Iterable[tuple[Operand, Operand]] | None:
    """The pairs of a range or of what is staged; None if two versions are compared.

    `extra_notes` gets notes on what could not be compared.
    """
    words = options.versions
    if options.staged:
        if len(words) > 1:
            raise UsageError("--staged takes one PATH at most")
        return _find_staged_pairs(words[0] if words else "", extra_notes)
    if not words or ".." not in words[0] or os.path.lexists(words[0]):
        return None
    from skillstudio.skill.versions.between import read_range

    range_ = read_range(words[0])
    if range_ is None:
        return None
    if len(words) > 2:
        raise UsageError("a range takes one PATH at most")
    return _between(range_, words[1] if len(words) == 2 else "", extra_notes)


def _between(range_: tuple[str, str, bool], path: str, extra_notes: list[str]) -> list[Pair]:
    from skillstudio.skill.versions.between import ends_of, pairs, pairs_in_submodules

    repository, within = _place(path)
    try:
        old, new = ends_of(repository, *range_)
    except GitError as error:
        base, head, three = range_
        skill, mark, revision = base.partition("@")
        if not (skill and mark) or repository.has(base):
            raise
        dots = "..." if three else ".."
        raise UsageError(
            f"{error}; put the range before its path: skillstudio diff {revision}{dots}{head} "
            f"{skill}"
        ) from None
    changed_files = repository.files_changed(old.commit, new.commit)
    version_pairs = pairs(repository, old, new, changed_files, within)
    # Git lists a submodule as one path, which is no file at either end.
    if any(end.tree.kind(path) == "other" for end in (old, new) for path in changed_files):
        changed_submodules = repository.submodules_changed(old.commit, new.commit)
        version_pairs += pairs_in_submodules(
            repository, old, new, changed_submodules, within, extra_notes
        )
    return version_pairs


def _find_staged_pairs(path: str, extra_notes: list[str]) -> list[Pair]:
    from skillstudio.files.git_tree import staged_files, staged_tree
    from skillstudio.files.listed import MemoryTree
    from skillstudio.skill.versions.between import RangeEnd, pairs, pairs_in_submodules
    from skillstudio.skill.versions.operands import INDEX

    repository, within = _place(path)
    name = os.path.basename(repository.root)
    index = os.environ.get("GIT_INDEX_FILE", "")
    if index:
        index = os.path.abspath(index)
    if repository.has("HEAD"):
        old = RangeEnd(repository.commit("HEAD"), "HEAD", repository.tree("HEAD"))
    else:
        old = RangeEnd("", "nothing", MemoryTree({}, name))
    new = RangeEnd("", INDEX, staged_tree(repository.root, name, index))
    staged_paths = staged_files(repository.root, old.commit, index)
    version_pairs = pairs(repository, old, new, staged_paths, within)
    if old.commit:
        staged_submodules = repository.submodules_staged(old.commit, index)
        version_pairs += pairs_in_submodules(
            repository, old, new, staged_submodules, within, extra_notes
        )
    return version_pairs


def _place(path: str) -> tuple[Repository, str]:
    from skillstudio.files.repository import open_repository

    if not path:
        repository = open_repository(os.curdir)
        return repository, ""
    folder = path if os.path.isdir(path) else os.path.dirname(path) if os.path.isfile(path) else ""
    repository = open_repository(folder or os.curdir)
    within = repository.prefix(folder or path)
    if ".." in within.split("/"):
        raise UsageError(f"{path} is outside of the repository")
    return repository, within


def _drive(options: CommandOptions) -> int:
    """Act as a git external diff driver: print the changes of the interface above the diff.

    The status is always 0, as git requires.

    The arguments are the path and, for each version, a file with the bytes, their id and the
    mode; after a rename also the new path and a line about it. Of an unmerged file only the path.
    """
    arguments = options.versions
    if len(arguments) == 1 and not os.path.isdir(arguments[0]):
        print(f"* Unmerged path {safe_text(arguments[0])}")
        return 0
    if len(arguments) not in (7, 9):
        raise UsageError(f"--git-driver is only for git, which starts it after\n{GIT_SETUP}")
    path, old_file, old_id, _, new_file, new_id, _ = arguments[:7]
    new_path = arguments[7] if len(arguments) == 9 else path
    old, new = _bytes(old_file), _bytes(new_file)
    print(safe_text(f"skill a/{path} b/{new_path}"))
    paint = Paint(colours_wanted(sys.stdout, options.color))
    for line in paint_lines(_changes_of_file(path, new_path, old, new, options), paint):
        print(line)
    before, after = (None if data is None else decode(data)[0] for data in (old, new))
    print(safe_text(f"index {old_id[:10]}..{new_id[:10]}"))
    print(safe_text(text_diff(before, after, path, new_path), keep_newlines=True), end="")
    return 0


def _bytes(file: str) -> bytes | None:
    if file in (os.devnull, "/dev/null", "nul"):
        return None
    with open(file, "rb") as stream:
        return stream.read(TOO_LARGE + 1)


def _changes_of_file(
    path: str, new_path: str, old: bytes | None, new: bytes | None, options: CommandOptions
) -> Iterable[Part]:
    sides = _operand_of_file(path, old, "old"), _operand_of_file(new_path, new, "new")
    if sides[0].tree is None and sides[1].tree is None:
        return []
    try:
        versions = open_version(sides[0]), open_version(sides[1])
    except UnreadableManifest as error:
        return [StyledLine(line) for line in error.sentences()]
    comparison = compare_versions(*versions, ruleset=options.ruleset)
    row = ComparedVersions(*sides, comparison)
    return comparison_parts(Comparisons([row], options.plain))


def _operand_of_file(path: str, data: bytes | None, which: str) -> Operand:
    """The skill with one file of that version; the other files are the current ones."""
    folder, _, file = path.rpartition("/")
    name = folder.rpartition("/")[2] or os.path.basename(os.getcwd())
    tree: FileTree | None = None
    if data is not None:
        from skillstudio.files.listed import MemoryTree

        current = os.path.join(*folder.split("/")) if folder else os.curdir
        tree = MemoryTree({file: data}, name)
        if os.path.isdir(current):
            tree = Overlay(DiskTree(current), {file: data})
        if not is_skill(tree):
            tree = None
    return Operand(tree, folder or ".", which, f"{path} ({which})")
