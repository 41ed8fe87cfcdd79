"""The results of samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.dryrun.sampling.expecting import SampleDifference
from skillstudio.present.lines import LineStyle, Part, StyledLine

if TYPE_CHECKING:
    from skillstudio.dryrun.testing import TestedSample

_STYLES: dict[str, LineStyle] = {
    "failed": "error",
    "passed": "good",
    "updated": "good",
    "skipped": "quiet",
}
_MOST_LINES = 40  # Lines of one diff.
_LONGEST = 200  # Characters of a line of a diff.
_MOST_ERRORS = 10  # Last lines of standard error.


class SampleResult(NamedTuple):
    """The result of one sample."""

    skill: str
    operation: str
    sample: str
    path: str  # Of its file, relative to the working directory.
    differs: tuple[SampleDifference, ...] = ()  # Differences from what is expected.
    stderr: str = ""  # What a failed run printed on standard error.
    skipped: str = ""
    updated: bool = False
    seconds: float = 0.0
    isolation: str = ""

    def of(self, found: TestedSample) -> SampleResult:
        """The result that a test found."""
        return self._replace(
            differs=found.differs,
            stderr=found.stderr,
            skipped=found.skipped,
            seconds=found.seconds,
            isolation=found.isolation,
        )

    @property
    def name(self) -> str:
        return " ".join(each for each in (self.skill, self.operation, self.sample) if each)

    @property
    def outcome(self) -> str:
        """`passed`, `failed`, `skipped` or `updated`."""
        if self.differs:
            return "failed"
        if self.skipped:
            return "skipped"
        return "updated" if self.updated else "passed"


def sample_lines(results: Sequence[SampleResult]) -> Iterator[Part]:
    """Each sample with its outcome, then how many there are of each."""
    for each in results:
        took = f"{each.seconds:.1f} s" if each.seconds else ""
        remark = "  ".join(part for part in (took, each.skipped) if part)
        yield StyledLine(each.name, _STYLES[each.outcome], 0, f"{each.outcome:<7}", remark)
        for difference in each.differs:
            yield StyledLine(difference.message, "", 4)
            yield from (StyledLine(line, "code", 6) for line in diff_lines(difference))
        yield from (StyledLine(line, "code", 4) for line in error_lines(each))
    if not results:
        yield StyledLine(
            "no committed samples; skillstudio sample PATH OPERATION --save NAME adds one"
        )
    else:
        counts = sample_counts(results).items()
        yield StyledLine(", ".join(f"{number} {word}" for word, number in counts if number))


def difference_lines(difference: SampleDifference) -> Iterator[str]:
    """The difference in words, then its diff."""
    yield f"  {difference.message}"
    yield from (f"    {line}" for line in diff_lines(difference))


def diff_lines(difference: SampleDifference) -> list[str]:
    """The lines of a diff without its header, shortened."""
    lines = difference.diff.splitlines()[2:]
    cut = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines]
    more = [f"… {len(cut) - _MOST_LINES:,} more lines"] if len(cut) > _MOST_LINES else []
    return cut[:_MOST_LINES] + more


def error_lines(result: SampleResult) -> Iterator[str]:
    """The end of a failed sample's standard error, unless a diff shows it."""
    shown = any(each.message.startswith("standard error") for each in result.differs)
    lines = [] if shown or not result.differs else result.stderr.splitlines()
    if lines:
        yield "standard error:"
        yield from (f"  {line[:_LONGEST]}" for line in lines[-_MOST_ERRORS:])


def sample_counts(results: Sequence[SampleResult]) -> dict[str, int]:
    """How many samples have each outcome."""
    words = ("passed", "updated", "failed", "skipped")
    return {word: sum(each.outcome == word for each in results) for word in words}
