"""Apply fixes to the files of a skill, or show what they would change."""

from __future__ import annotations

import os
from argparse import Namespace

from skillstudio.cli.output import say
from skillstudio.cli.saving import NotSaved, Texts, refusal, save_made
from skillstudio.cli.skill_paths import SkillPath
from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.fixing import apply_fixes
from skillstudio.text.edit import MOST_READ
from skillstudio.text.safe import safe_text

ROUNDS = 10
"""Fixes that touch one another are applied one after the other, at most so often."""


def fix(skill_path: SkillPath, options: Namespace) -> Analysis | None:
    """Fix a skill. With `--diff` nothing is written and the change is printed.

    Returns the analysis of the skill as its files are now, where it was made on the way.
    """
    disk = DiskTree(skill_path.disk)
    if options.diff:
        made, analysis = _fixed(disk, skill_path, options)
        _print(skill_path, made)
        return analysis
    refused: dict[str, str] = {}
    first: list[Analysis | None] = []

    def make() -> Texts:
        made, analysis = _fixed(disk, skill_path, options)
        first.append(None if made else analysis)
        refused.update({path: why for path, (_, new) in made.items()
                        if (why := refusal(disk, path, new))})  # fmt: skip
        return {path: each for path, each in made.items() if path not in refused}

    try:
        saved = save_made(disk, make)
    except NotSaved as error:
        saved = {}
        refused[error.path] = str(error)
    for path, why in refused.items():
        say(f"skillstudio: {safe_text(f'{skill_path.shown}/{path}: {why}')}")
    for path in saved:
        say(safe_text(f"fixed {skill_path.shown}/{path}"))
    return first[-1] if first else None


def _fixed(
    disk: DiskTree, skill_path: SkillPath, options: Namespace
) -> tuple[Texts, Analysis | None]:
    """What the fixes make of the files; files are renamed here already, without `--diff`.

    With it the analysis of the files on disk, None where one of them was renamed.
    """
    first: Analysis | None = None
    texts: dict[str, str] = {}
    read: dict[str, str] = {}
    tree: FileTree = disk
    work = 0
    moved = False
    for number in range(ROUNDS):
        if number and work > MOST_READ:
            shown = safe_text(skill_path.shown)
            say(f"{shown}: very long; run the command again to apply the remaining fixes")
            break
        analysis = analyse(tree, skill_path.settings, options.dialect, tuple(options.target))
        fixed = apply_fixes(analysis, options.unsafe_fixes, options.dialect)
        first = first or analysis
        work += sum(len(each.document.source.text) for each in analysis.manifests)
        if not (fixed.texts or fixed.created or fixed.renamed):
            break
        for path in fixed.texts:
            source = analysis.source(path)
            if source is not None and path not in texts:
                read[path] = source.text
        texts |= fixed.texts
        texts |= {made.path: made.text for made in fixed.created if disk.kind(made.path) is None}
        if fixed.renamed and not options.diff:
            moved = True
            for move in fixed.renamed:
                if disk.kind(move.new) is None or move.new.lower() == move.old.lower():
                    os.rename(disk.path(move.old), disk.path(move.new))
                    texts = {(move.new if p == move.old else p): t for p, t in texts.items()}
                    read = {(move.new if p == move.old else p): t for p, t in read.items()}
        tree = Overlay(
            disk, {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
        )
        if options.diff and not (fixed.texts or fixed.created):
            break
    made = {path: (read.get(path), text) for path, text in texts.items()}
    return made, None if moved else first


def _print(skill_path: SkillPath, made: Texts) -> None:
    from skillstudio.text.hunks import unified

    for path, (old, new) in made.items():
        name = f"{skill_path.shown}/{path}"
        shown = unified(old or "", new, f"a/{name}", f"b/{name}")
        print(safe_text(shown, keep_newlines=True), end="")
