"""Only the skills that differ from a git revision."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillstudio.cli.output import UsageError
from skillstudio.cli.skill_paths import SkillPath
from skillstudio.files.git import GitError, changed_files


def changed_since(found: Iterable[SkillPath], ref: str) -> list[SkillPath]:
    """The skills with a file that is new, changed or gone since `ref`. Raises UsageError."""
    kept = []
    known: dict[str, set[str]] = {}
    for skill_path in found:
        folder = os.path.realpath(skill_path.disk)
        if not any(folder.startswith(root) for root in known):
            try:
                root, changed = changed_files(folder, ref)
            except GitError as error:
                raise UsageError(str(error)) from None
            known[root] = {os.path.join(root, path) for path in changed}
        changed_paths = next(paths for root, paths in known.items() if folder.startswith(root))
        if any(path.startswith(folder + os.sep) for path in changed_paths):
            kept.append(skill_path)
    return kept
