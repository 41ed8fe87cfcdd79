"""Declared patterns of output files, and what a run produced of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.dryrun.plan import PlannedOutput, Roots
from skillstudio.dryrun.report import JudgedOutput
from skillstudio.files.ignore_glob import Glob, GlobError
from skillstudio.files.paths import below


class OutputPattern(NamedTuple):
    """A declared pattern, ready for matching."""

    pattern: str
    folder: str
    """The folder it is relative to, absolute."""
    glob: Glob | None
    """None when nothing can match."""
    is_glob: bool
    """Whether it matches any number of files."""

    def matches(self, path: str) -> bool:
        """Whether it matches an absolute path. `*` ends at a `/`, `**` does not."""
        inside = below(path, self.folder)
        if not inside or self.glob is None:
            return False
        return self.glob.matches(inside.replace("\\", "/").encode("utf-8", "surrogateescape"))


def output_patterns(outputs: Sequence[PlannedOutput], roots: Roots) -> list[OutputPattern]:
    """The declared patterns, in order; one with an unknown path matches nothing."""
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
    """Whether a path has a wildcard that is not in brackets."""
    plain = path.replace("[*]", "").replace("[?]", "").replace("[[]", "")
    return any(sign in plain for sign in "*?[")


class Produced(NamedTuple):
    """A file that exists after a run."""

    original: str
    """Absolute, in the original folder."""
    shown: str


def judge_outputs(
    patterns: Sequence[OutputPattern], produced: Sequence[Produced], declares: bool, partial: bool
) -> tuple[JudgedOutput, ...]:
    """Judge added and modified files; none is undeclared unless the dialect `declares` output
    files. A glob may match nothing; after a `partial` run nothing is missing."""
    found: list[JudgedOutput] = []
    taken: set[str] = set()
    for pattern in patterns:
        mine = [each for each in produced if pattern.matches(each.original)]
        taken |= {each.original for each in mine}
        paths = tuple(each.shown for each in mine)
        if mine:
            found.append(JudgedOutput(pattern.pattern, "produced", paths))
        else:
            wrong = not pattern.is_glob and pattern.glob is not None and not partial
            found.append(JudgedOutput(pattern.pattern, "missing", is_error=wrong))
    if declares:
        found += [
            JudgedOutput("", "undeclared", (each.shown,), True)
            for each in produced
            if each.original not in taken
        ]
    return tuple(found)
