"""Apply fixes to the files of a skill, or show what they would change."""

from __future__ import annotations

import os
from argparse import Namespace

from skillstudio.cli.output import say
from skillstudio.cli.saving import NotSaved, save
from skillstudio.cli.targets import Target
from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.skill.analysis import analyse
from skillstudio.skill.fixing import apply_fixes
from skillstudio.text.edit import MOST_READ
from skillstudio.text.safe import safe_text

ROUNDS = 10
"""Fixes that touch one another are applied one after the other, at most so often."""


def fix(target: Target, options: Namespace) -> None:
    """Mend a skill. With `--diff` nothing is written and the change is printed."""
    disk = DiskTree(target.disk)
    texts: dict[str, str] = {}
    read: dict[str, str] = {}
    tree: FileTree = disk
    work = 0
    for number in range(ROUNDS):
        if number and work > MOST_READ:
            say(f"{safe_text(target.shown)}: very long; run the command again for further fixes")
            break
        analysis = analyse(tree, target.settings, options.dialect, tuple(options.profile))
        fixed = apply_fixes(analysis, options.unsafe_fixes)
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
    _print(target, read, texts) if options.diff else _write(disk, target, read, texts)


def _write(disk: DiskTree, target: Target, read: dict[str, str], texts: dict[str, str]) -> None:
    for path, text in texts.items():
        name = f"{safe_text(target.shown)}/{safe_text(path)}"
        os.makedirs(os.path.dirname(disk.path(path)), exist_ok=True)
        try:
            save(disk, path, read.get(path), text)
        except (NotSaved, OSError) as error:
            why = str(getattr(error, "strerror", None) or error)
            say(f"skillstudio: {name}: {safe_text(why)}")
        else:
            say(f"fixed {name}")


def _print(target: Target, read: dict[str, str], texts: dict[str, str]) -> None:
    from skillstudio.text.hunks import unified

    for path, text in texts.items():
        name = f"{target.shown}/{path}"
        shown = unified(read.get(path, ""), text, f"a/{name}", f"b/{name}")
        print(safe_text(shown, keep_newlines=True), end="")
