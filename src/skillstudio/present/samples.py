"""The results of samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillstudio.present.lines import LineStyle, Part, StyledLine

_STYLES: dict[str, LineStyle] = {
    "differs": "error",
    "same": "good",
    "updated": "good",
    "skipped": "quiet",
}


class SampleResult(NamedTuple):
    """The result of one sample."""

    skill: str
    operation: str
    sample: str
    path: str  # Of its file, relative to the working directory.
    differs: tuple[str, ...] = ()  # What differs from what is expected, a sentence each.
    skipped: str = ""
    updated: bool = False
    seconds: float = 0.0
    isolation: str = ""

    @property
    def name(self) -> str:
        return " ".join(each for each in (self.skill, self.operation, self.sample) if each)

    @property
    def outcome(self) -> str:
        """`same`, `differs`, `skipped` or `updated`."""
        if self.differs:
            return "differs"
        if self.skipped:
            return "skipped"
        return "updated" if self.updated else "same"


def sample_lines(results: Sequence[SampleResult]) -> Iterator[Part]:
    """Each sample with its outcome, then how many there are of each."""
    for each in results:
        took = f"{each.seconds:.1f} s" if each.seconds else ""
        remark = "  ".join(part for part in (took, each.skipped) if part)
        yield StyledLine(each.name, _STYLES[each.outcome], 0, f"{each.outcome:<7}", remark)
        yield from (StyledLine(line, "", 4) for line in each.differs)
    if not results:
        yield StyledLine(
            "no committed samples; skillstudio sample PATH OPERATION --save NAME adds one"
        )
    else:
        counts = sample_counts(results).items()
        yield StyledLine(", ".join(f"{number} {word}" for word, number in counts if number))


def sample_counts(results: Sequence[SampleResult]) -> dict[str, int]:
    """How many samples have each outcome."""
    words = ("same", "updated", "differs", "skipped")
    return {word: sum(each.outcome == word for each in results) for word in words}
