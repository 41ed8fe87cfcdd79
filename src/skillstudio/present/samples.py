"""The results of samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from skillstudio.dryrun.sampling.expecting import SampleDifference
from skillstudio.dryrun.sampling.sample import REPO_ROOT, Sample
from skillstudio.present.lines import LineStyle, Part, StyledLine, count, shorten

if TYPE_CHECKING:
    from skillstudio.dryrun.sampling.accepting import ExpectationHunk
    from skillstudio.dryrun.testing import TestedSample

Outcome = Literal["not run", "outdated", "passed", "failed", "skipped", "updated"]
_STYLES: dict[Outcome, LineStyle] = {
    "failed": "error",
    "passed": "good",
    "updated": "good",
    "skipped": "quiet",
    "not run": "quiet",
    "outdated": "warning",
}
_GLYPHS: dict[Outcome, str] = {
    "failed": "✗",
    "passed": "✓",
    "updated": "✓",
    "skipped": "–",
    "not run": "○",
    "outdated": "!",
}
_MOST_LINES = 40  # Lines of one diff.
_LONGEST = 200  # Characters of a line of a diff.
_MOST_NAMES = 3
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
    state: Literal["run", "not run", "outdated"] = "run"
    """Whether it was run, and on the files as they are."""

    def of(self, tested_sample: TestedSample) -> SampleResult:
        """The result that a test found."""
        return self._replace(
            differs=tested_sample.differs,
            stderr=tested_sample.stderr,
            skipped=tested_sample.skipped,
            seconds=tested_sample.seconds,
            isolation=tested_sample.isolation,
            state="run",
        )

    @property
    def name(self) -> str:
        return " ".join(part for part in (self.skill, self.operation, self.sample) if part)

    @property
    def outcome(self) -> Outcome:
        """The state of the sample in one word."""
        if self.state != "run":
            return self.state
        if self.differs:
            return "failed"
        if self.skipped:
            return "skipped"
        return "updated" if self.updated else "passed"


def sample_lines(
    results: Sequence[SampleResult], verbose: bool = False, quiet: bool = False
) -> Iterator[Part]:
    """Samples that passed in one line, the others, and last those that failed with how; then how
    many there are of each outcome. `verbose` prints each that passed, `quiet` only failures."""
    passed_results = [result for result in results if result.outcome == "passed"]
    failed_results = [result for result in results if result.differs]
    other_results = [result for result in results if result.outcome not in ("passed", "failed")]
    if not quiet:
        yield from map(outcome_line, passed_results) if verbose else _fold_passed(passed_results)
        yield from map(outcome_line, other_results)
    for result in failed_results:
        yield outcome_line(result)
        yield from result_lines(result)
    if not quiet:
        yield StyledLine(counts_text(results) if results else NO_SAMPLES)


def _fold_passed(passed_results: Sequence[SampleResult]) -> Iterator[StyledLine]:
    """One line for the samples that passed."""
    if len(passed_results) > 1:
        seconds = sum(result.seconds for result in passed_results)
        yield outcome_line(
            SampleResult("", "", f"{len(passed_results)} samples", "", seconds=seconds)
        )
    else:
        yield from map(outcome_line, passed_results)


NO_SAMPLES = "no committed samples; skillstudio sample PATH OPERATION --save NAME adds one"


def outcome_line(result: SampleResult) -> StyledLine:
    """A sample with its outcome."""
    took = f"{result.seconds:.1f} s" if result.seconds else ""
    remark = "  ".join(part for part in (took, result.skipped) if part)
    outcome = result.outcome
    return StyledLine(result.name, _STYLES[outcome], 0, f"{outcome:<7}", remark)


def outcome_sign(result: SampleResult) -> tuple[str, LineStyle]:
    """The sign of an outcome, and its style."""
    return _GLYPHS[result.outcome], _STYLES[result.outcome]


def outcome_reason(result: SampleResult, changed_files: Sequence[str] = ()) -> str:
    """Why a sample has not passed, in a few words; `changed_files` are the files that changed
    since."""
    if result.outcome == "outdated":
        return f"{names_text(changed_files) or 'the sample'} changed since it was run"
    if result.outcome == "not run":
        return "not run"
    if not result.differs:
        return result.skipped
    first, *other_messages = (difference.message for difference in result.differs)
    return f"{first}, and {len(other_messages)} more" if other_messages else first


def inputs_text(inputs: Any) -> str:
    """The inputs of a sample in one line, shortened."""
    from skillstudio.interface.model import ABSENT
    from skillstudio.present.comparison import value_text

    if not isinstance(inputs, Mapping):
        return "" if inputs is ABSENT else value_text(inputs, _LONGEST)
    texts = (f"{name}={value_text(value, _LONGEST)}" for name, value in inputs.items())
    return shorten("  ".join(texts), _LONGEST)


def arguments_text(sample: Sample) -> str:
    """The arguments of a sample that are no value of its inputs."""
    values = sample.inputs.values() if isinstance(sample.inputs, Mapping) else ()
    input_texts = {value if isinstance(value, str) else str(value) for value in values}
    return shorten(" ".join(text for text in sample.arguments if text not in input_texts), _LONGEST)


def folder_text(sample: Sample) -> str:
    """The content of a sample's folder in a few words, such as `git · 2 files`."""
    workspace = sample.workspace
    parts = (
        "the skill's repository" if workspace.folder == REPO_ROOT else workspace.folder,
        "git" if workspace.git else "",
        count(len(sample.fixtures), "file") if sample.fixtures else "",
    )
    return " · ".join(filter(None, parts))


def names_text(names: Sequence[str]) -> str:
    """The first of some names, and how many others there are."""
    text = ", ".join(names[:_MOST_NAMES])
    return f"{text} and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else text


def result_lines(result: SampleResult) -> Iterator[StyledLine]:
    """How a sample failed."""
    for difference in result.differs:
        yield StyledLine(difference.message, "", 4)
        yield from (StyledLine(line, "code", 6) for line in diff_lines(difference))
    yield from (StyledLine(line, "code", 4) for line in error_lines(result))


def sample_details(
    result: SampleResult, changed_files: Sequence[str] = (), about: str = ""
) -> Iterator[StyledLine]:
    """What a list of samples has no space for: why a sample failed, the last line of standard error
    first; each message in full; its inputs, `about`; the end of standard error."""
    errors = result.stderr.strip().splitlines() if result.differs else []
    if errors:
        yield StyledLine(errors[-1][:_LONGEST])
    sign, style = outcome_sign(result)
    facts = [f"{result.seconds:.1f} s"] if result.seconds else []
    facts += [result.isolation] if result.isolation else []
    yield StyledLine(result.outcome, style, 0, sign, " · ".join(facts))
    reasons = [difference.message for difference in result.differs]
    if not reasons and result.outcome != "not run":
        reasons = [outcome_reason(result, changed_files)]
    yield from (StyledLine(reason, "", 2) for reason in reasons if reason)
    if about:
        yield StyledLine("Inputs", "heading")
        yield StyledLine(about, "", 2)
    if len(errors) > 1:
        yield StyledLine("Standard error", "heading")
        yield from (StyledLine(line[:_LONGEST], "code", 2) for line in errors[-_MOST_ERRORS:])


def hunk_sides(hunk: ExpectationHunk) -> Iterator[tuple[str, Sequence[str], str]]:
    """The expected lines of a difference and those of the run: the sign, the lines, shortened, and
    what they are."""
    is_first = True
    for sign, lines, what in (("-", hunk.removed, "expected"), ("+", hunk.added, "this run")):
        if not lines:
            continue
        cut = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines]
        hidden_count = len(lines) - _MOST_LINES
        rest = [f"… {hidden_count:,} more lines"] if hidden_count > 0 else []
        about = f"{hunk.title}: {what}" if is_first else what
        yield sign, [*cut[:_MOST_LINES], *rest], about
        is_first = False


def counts_text(results: Sequence[SampleResult]) -> str:
    """How many samples have each outcome, in words."""
    counts = {**sample_counts(results), **_other_counts(results)}
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number)


def _other_counts(results: Sequence[SampleResult]) -> dict[str, int]:
    words: tuple[Outcome, ...] = ("outdated", "not run")
    return {word: sum(result.outcome == word for result in results) for word in words}


def not_captured_lines(sample: Sample, differs: Sequence[SampleDifference]) -> Iterator[StyledLine]:
    """Why a run cannot be saved as a sample."""
    if not sample.expect:
        yield StyledLine("a sample cannot expect what this run did", "error")
    else:
        files = ", ".join(sample.fixtures) or "no files"
        yield StyledLine(
            f"alone in a new folder, with {files}, it does not do the same; save a sample of the "
            "inputs, and add what it needs as fixtures or workspace (- alone, + this run)",
            "error",
        )
    for difference in differs:
        yield StyledLine(difference.message, "", 1)
        yield from (StyledLine(line, "code", 2) for line in diff_lines(difference))


def fixtures_text(sample: Sample) -> str:
    """Which files of the workspace a captured sample contains."""
    names = ", ".join(sample.fixtures)
    return f"with copies of {names} as fixtures" if names else "without fixtures"


def passwords_text(places: Sequence[str]) -> str:
    """What to look at before a sample is saved."""
    return f"it may contain a password: {', '.join(places)}"


def diff_lines(difference: SampleDifference) -> list[str]:
    """The lines of a diff without its header, shortened."""
    lines = difference.diff.splitlines()[2:]
    cut = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines]
    rest = [f"… {len(cut) - _MOST_LINES:,} more lines"] if len(cut) > _MOST_LINES else []
    return cut[:_MOST_LINES] + rest


def error_lines(result: SampleResult) -> Iterator[str]:
    """The end of a failed sample's standard error, unless a diff shows it."""
    is_shown = any(difference.message.startswith("standard error") for difference in result.differs)
    lines = [] if is_shown or not result.differs else result.stderr.splitlines()
    if lines:
        yield "standard error:"
        yield from (f"  {line[:_LONGEST]}" for line in lines[-_MOST_ERRORS:])


def sample_counts(results: Sequence[SampleResult]) -> dict[str, int]:
    """How many of the samples that were run have each outcome."""
    words: tuple[Outcome, ...] = ("passed", "updated", "failed", "skipped")
    return {word: sum(result.outcome == word for result in results) for word in words}
