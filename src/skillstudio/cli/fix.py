"""Apply fixes to the files of a skill, or show what they would change."""

from __future__ import annotations

import os
from typing import NamedTuple

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import say, warn
from skillstudio.cli.saving import NotSaved, Texts, diff_lines, refusal, save_made
from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.fixing import apply_fixes
from skillstudio.skill.workspace import SkillPath
from skillstudio.text.edit import MOST_READ

ROUNDS = 10
"""Fixes that touch one another are applied one after the other, in at most so many rounds."""


class FixOutcome(NamedTuple):
    """What fixing one skill did."""

    diff: list[str]  # With `--diff`.
    is_changed: bool  # Whether a file was written or renamed.
    is_refused: bool  # Whether a file could not be written; the reason is printed.
    analysis: Analysis | None  # Of the skill as its files are now, if there is one.


def fix(skill_path: SkillPath, options: CommandOptions) -> FixOutcome:
    """Fix a skill; with `--diff` only return the diff."""
    disk = DiskTree(skill_path.disk)
    if options.diff:
        texts, analysis = _fix_texts(disk, skill_path, options)
        return FixOutcome(diff_lines(skill_path.label, texts), False, False, analysis)
    refusals: dict[str, str] = {}
    first: list[Analysis | None] = []

    def make() -> Texts:
        fixed_texts, analysis = _fix_texts(disk, skill_path, options)
        first.append(analysis)
        refusals.update({path: why for path, (_, new) in fixed_texts.items()
                        if (why := refusal(disk, path, new))})  # fmt: skip
        return {path: pair for path, pair in fixed_texts.items() if path not in refusals}

    try:
        saved_texts = save_made(disk, make)
    except NotSaved as error:
        saved_texts = {}
        refusals[error.path] = str(error)
    for path, why in refusals.items():
        warn(f"{skill_path.label}/{path}: {why}")
    for path in saved_texts:
        if not options.quiet:
            say(f"fixed {skill_path.label}/{path}")
    analysis = first[-1] if first and not saved_texts else None
    is_renamed = bool(first) and first[-1] is None
    return FixOutcome([], is_renamed or bool(saved_texts), bool(refusals), analysis)


def _fix_texts(
    disk: DiskTree, skill_path: SkillPath, options: CommandOptions
) -> tuple[Texts, Analysis | None]:
    """The fixed texts of the files; without `--diff` files are renamed here already.

    Also the analysis of the files on disk, None if one of them was renamed.
    """
    first: Analysis | None = None
    was_renamed = False
    texts: dict[str, str] = {}
    read: dict[str, str] = {}
    tree: FileTree = disk
    work = 0
    for number in range(ROUNDS):
        if number and work > MOST_READ:
            say(
                f"{skill_path.label}: very long; run the command again to apply the remaining fixes"
            )
            break
        analysis = analyse(tree, skill_path.settings, options.dialect)
        fix_result = apply_fixes(analysis, options.unsafe_fixes, options.dialect)
        first = first or analysis
        work += sum(len(manifest.document.source.text) for manifest in analysis.manifests)
        work += fix_result.read // 2  # Reading alone costs half of an analysis.
        if not (fix_result.texts or fix_result.created_files or fix_result.renamed_files):
            break
        for path in fix_result.texts:
            source = analysis.source(path)
            if source is not None and path not in texts:
                read[path] = source.text
        texts |= fix_result.texts
        texts |= {
            file.path: file.text
            for file in fix_result.created_files
            if disk.kind(file.path) is None
        }
        if fix_result.renamed_files and not options.diff:
            was_renamed = True
            for move in fix_result.renamed_files:
                if disk.kind(move.new) is None or move.new.lower() == move.old.lower():
                    os.rename(disk.path(move.old), disk.path(move.new))
                    texts = {(move.new if p == move.old else p): t for p, t in texts.items()}
                    read = {(move.new if p == move.old else p): t for p, t in read.items()}
        tree = Overlay(
            disk, {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
        )
        if options.diff and not (fix_result.texts or fix_result.created_files):
            break
    text_pairs = {path: (read.get(path), text) for path, text in texts.items()}
    return text_pairs, None if was_renamed else first
