"""What is around a skill on disk, up to the root of its repository or plugin.

What is staged of a skill leads through its links to what is staged around it.

Nothing is opened: only names, kinds and the targets of links are read.
"""

from __future__ import annotations

import os
from functools import cached_property

from skillstudio.files.disk import AskedOutside, DiskSnapshot, DiskTree
from skillstudio.files.paths import judge_path, make_relative, normalise
from skillstudio.files.tree import FileTree, Overlay, ReplacedTree, Subtree, below_replacements

_MOST_TOPS = 50
_PLUGIN = ".claude-plugin/plugin.json"


class Surroundings:
    """The folders around a skill. `answers` records what was asked, and what the answer was."""

    def __init__(
        self, folder: str, answers: AskedOutside, replaced: ReplacedTree | None = None
    ) -> None:
        self._folder = folder
        self._answers = answers
        self._replaced = replaced

    @cached_property
    def root(self) -> str:
        """The repository's folder, else the plugin's; "" outside of both."""
        return self._above(".git") or self.plugin

    @cached_property
    def plugin(self) -> str:
        """The folder of the Claude Code plugin that contains the skill, or ""."""
        return self._above(_PLUGIN, until=".git")

    @cached_property
    def has_plugins(self) -> bool:
        """Whether the skill is in a plugin, or in a repository that may list one."""
        return bool(self._above(".claude-plugin", until=".git"))

    @property
    def is_root(self) -> bool:
        """Whether the skill's folder is the root, so that nothing around it is known."""
        return self.root == self._folder

    def place(self, base: str = "") -> str:
        """The skill's folder, relative to the root or to another folder above it."""
        inside = make_relative(self._folder, base or self.root).replace(os.sep, "/")
        return "" if inside == "." else inside

    def problem(self, path: str, base: str = "") -> str | None:
        """The rule that a path from the root (or from `base`) violates; see `judge_path`."""
        folder = base or self.root
        tree = self._replacement(path, folder)
        if tree is not None:
            return judge_path(tree, path).problem
        return _problem(folder, path, self._answers)

    def _replacement(self, path: str, base: str) -> FileTree | None:
        """The tree at `base` instead of the disk for a path in a skill that is not as on disk."""
        if self._replaced is None or self._replaced.path != self.place():
            return None
        place, inside = self.place(base), normalise(path)
        if inside is None or (place and not f"{inside}/".startswith(f"{place}/")):
            return None
        # Nobody stages what is in a submodule.
        real = make_relative(os.path.realpath(os.path.join(base, path)), self.root)
        parts = real.replace(os.sep, "/").split("/")
        around = self._replaced.around
        if any(around.kind("/".join(parts[:end])) == "other" for end in range(1, len(parts))):
            return None
        above = make_relative(base, self.root).replace(os.sep, "/")
        return Subtree(around, "" if above == "." else above)

    def is_in_plugin(self, path: str) -> bool:
        """Whether a path, relative to the skill, leads to a file of the plugin that contains it."""
        inside = self.plugin and f"{self.place(self.plugin)}/{path}"
        return bool(inside) and self.problem(inside, self.plugin) is None

    def is_in_git(self, path: str) -> bool:
        """Whether a path, relative to the skill, leads into the data of git."""
        real = os.path.realpath(os.path.join(self._folder, path))
        return ".git" in real.split(os.sep)

    def folders(self) -> list[str]:
        """The folders above the skill up to the root, relative to it; the nearest first."""
        parts = self.place().split("/")
        return ["/".join(parts[:end]) for end in range(len(parts) - 1, -1, -1)]

    @cached_property
    def tops(self) -> list[str]:
        """The folders directly in the root, without hidden ones, up to a limit."""
        try:
            with os.scandir(self.root) as entries:
                names = sorted(
                    entry.name for entry in entries if entry.is_dir(follow_symlinks=False)
                )
        except OSError:
            return []
        return [name for name in names if not name.startswith(".")][:_MOST_TOPS]

    def _above(self, mark: str, until: str = "") -> str:
        folder = self._folder
        while True:
            if _problem(folder, mark, self._answers) != "path-missing":
                return folder
            above = os.path.dirname(folder)
            if above == folder or (
                until and _problem(folder, until, self._answers) != "path-missing"
            ):
                return ""
            folder = above


def surroundings(tree: FileTree) -> Surroundings | None:
    """What is around a skill; None for a skill in an archive, a commit or memory."""
    while isinstance(tree, Overlay):
        tree = tree.below
    replaced = tree if isinstance(tree, ReplacedTree) else None
    tree = below_replacements(tree)
    if not isinstance(tree, DiskTree):
        return None
    answers = tree.outside if isinstance(tree, DiskSnapshot) else {}
    return Surroundings(os.path.realpath(tree.root), answers, replaced)


def is_unchanged(answers: AskedOutside) -> bool:
    """Whether all that was asked outside of a skill has the same answer now."""
    return all(_problem(*place, {}) == answer for place, answer in answers.items())


def _problem(folder: str, path: str, answers: AskedOutside) -> str | None:
    if (folder, path) not in answers:
        answers[folder, path] = judge_path(DiskTree(folder), path).problem
    return answers[folder, path]
