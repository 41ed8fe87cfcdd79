"""Which declared pattern of output files a path matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.dryrun.plan import PlannedOutput, Roots
from skillstudio.files.ignore_glob import Glob, GlobError
from skillstudio.files.paths import below


class OutputPattern(NamedTuple):
    """A declared pattern, ready to be matched."""

    pattern: str
    """As the manifest writes it."""
    folder: str
    """What it is relative to, absolute."""
    glob: Glob | None
    """None of a pattern that nothing matches."""
    is_glob: bool
    """Whether it stands for any number of files."""

    def matches(self, path: str) -> bool:
        """Whether it stands for an absolute path. `*` ends at a `/`, `**` does not."""
        inside = below(path, self.folder)
        if not inside or self.glob is None:
            return False
        return self.glob.matches(inside.replace("\\", "/").encode("utf-8", "surrogateescape"))


def output_patterns(outputs: Sequence[PlannedOutput], roots: Roots) -> list[OutputPattern]:
    """The declared patterns, in order; one whose path is not known matches nothing."""
    return [_ready(each, roots.of(each.base)) for each in outputs]


def _ready(output: PlannedOutput, folder: str) -> OutputPattern:
    glob = None
    if output.path:
        try:
            glob = Glob(output.path.encode("utf-8", "surrogateescape"))
        except GlobError:
            glob = None
    return OutputPattern(output.pattern, folder, glob, _is_glob(output.path))


def _is_glob(path: str) -> bool:
    """Whether it has a wildcard that no brackets take at its word."""
    plain = path.replace("[*]", "").replace("[?]", "").replace("[[]", "")
    return any(sign in plain for sign in "*?[")
