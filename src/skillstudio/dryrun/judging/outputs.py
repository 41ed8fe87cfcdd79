"""Which declared output files a run produced, which are missing, and what none declares."""

from __future__ import annotations

from collections.abc import Sequence

from skillstudio.dryrun.judging.patterns import OutputPattern
from skillstudio.dryrun.report import JudgedOutput


class Produced:
    """A file that is there after a run: where, and how it is told."""

    __slots__ = ("original", "told")

    def __init__(self, original: str, told: str) -> None:
        self.original = original
        """Absolute, as the manifest would have it."""
        self.told = told
        """As a person reads it."""


def judge_outputs(
    patterns: Sequence[OutputPattern], produced: Sequence[Produced], declares: bool, partial: bool
) -> tuple[JudgedOutput, ...]:
    """Hold what was added or modified against the declared patterns.

    `declares` says whether this dialect declares output files at all: where it does not,
    no file is undeclared. What a glob stands for may be nothing; after a `partial` run, that failed
    or was a part of the skill, nothing is missing, nor is a path that is not known.
    """
    found: list[JudgedOutput] = []
    taken: set[str] = set()
    for pattern in patterns:
        mine = [each for each in produced if pattern.matches(each.original)]
        taken |= {each.original for each in mine}
        paths = tuple(each.told for each in mine)
        if mine:
            found.append(JudgedOutput(pattern.pattern, "produced", paths))
        else:
            wrong = not pattern.is_glob and pattern.glob is not None and not partial
            found.append(JudgedOutput(pattern.pattern, "missing", is_error=wrong))
    if declares:
        found += [
            JudgedOutput("", "undeclared", (each.told,), True)
            for each in produced
            if each.original not in taken
        ]
    return tuple(found)
