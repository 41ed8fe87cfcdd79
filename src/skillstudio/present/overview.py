"""The overview of a folder with skills: counts, the worst skills, and skills by target."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple, Protocol

from skillstudio.present.lines import LineStyle, StyledLine, StyledTable, count, laid_out
from skillstudio.present.problems import numbers, problem_place
from skillstudio.present.targets import outcome_sign
from skillstudio.skill.workspace import WorkspaceProblem
from skillstudio.text.diagnostic import Severity

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_LONGEST = 28  # Characters of a skill's path, whose end is shown.
_MOST_OF_FOLDER = 5  # Problems of no skill.
_FEWEST = 3  # Lines that each list has on the lowest screen.
_SIGNS = "◐◓◑◒"
_LEGEND = "✓ accepts it   ! accepts it in part   ✗ rejects it   – not selected"
_NO_TARGETS = 'No targets are selected; `targets = ["codex"]` in skillstudio.toml selects one'


class SurveyedSkill(Protocol):
    """A skill and the result of its last check."""

    @property
    def path(self) -> str: ...  # Relative to the folder; empty for the folder itself.
    @property
    def name(self) -> str: ...
    @property
    def counts(self) -> Mapping[str, int]: ...  # Severity to number of problems.
    @property
    def outcomes(self) -> Mapping[str, str]: ...  # Selected target to outcome.


class SurveyProgress(NamedTuple):
    """How far the search for skills and their check are."""

    is_searching: bool = False
    found: int = 0
    checked: int = 0
    to_check: int = 0
    was_stopped: bool = False  # Whether the search ended early, so that skills may be missing.

    @property
    def text(self) -> str:
        """The active step with its counts, "" if none is; the sign changes with the counts."""
        sign = _SIGNS[(self.found + self.checked) % len(_SIGNS)]
        if self.is_searching:
            return f"{sign} looking for skills… {self.found:,} found"
        if self.checked < self.to_check:
            return f"{sign} checked {self.checked:,} of {self.to_check:,}"
        return ""

    @property
    def without_skills(self) -> str:
        """What is shown in place of skills while none is known."""
        if self.was_stopped:
            return "the search was stopped; rescan starts it again"
        return self.text or "no skill here; N creates one, O opens another folder"


class OverviewRow(NamedTuple):
    """A line, and the path of the skill that it is about."""

    line: StyledLine
    skill: str | None = None


def overview_rows(
    skills: Collection[SurveyedSkill],
    problems: Sequence[WorkspaceProblem],
    progress: SurveyProgress,
    width: int,
    height: int,
) -> list[OverviewRow]:
    """The overview in about `height` lines of `width` cells. Empty without skills.

    `problems` are those of the folder that belong to no skill.
    """
    if not skills:
        return []
    head = [OverviewRow(line) for line in _head(skills, problems, progress)]
    head += map(OverviewRow, _of_folder(problems))
    bad = [
        each
        for each in skills
        if each.counts.get("error") or each.counts.get("warning") or _rejecting(each)
    ]
    judged = [each for each in skills if each.outcomes]
    room = max(height - len(head) - 7, 2 * _FEWEST)
    most = room - min(len(judged), max(room * 2 // 3, _FEWEST)) if judged else room
    worst = list(_worst(bad, max(most, _FEWEST)))
    return [*head, *worst, *_matrix(judged, width, max(room - len(worst) + 2, _FEWEST))]


def _head(
    skills: Collection[SurveyedSkill],
    problems: Sequence[WorkspaceProblem],
    progress: SurveyProgress,
) -> Iterator[StyledLine]:
    own = [problem.diagnostic.severity for problem in problems]
    counts = {
        level: sum(one.counts.get(level, 0) for one in skills) + own.count(level)
        for level in _SEVERITIES
    }
    total = ", ".join(numbers(counts).values())
    if not total:
        total = "no problems yet" if progress.text else "no problems"
    yield StyledLine(f"{count(len(skills), 'skill')}: {total}", "title")
    if rejected := sum(bool(_rejecting(each)) for each in skills):
        verb = "is" if rejected == 1 else "are"
        text = f"{count(rejected, 'skill')} {verb} rejected by a selected target"
        yield StyledLine(text, "error")
    if progress.text:
        yield StyledLine(progress.text, "quiet")


def _of_folder(problems: Sequence[WorkspaceProblem]) -> Iterator[StyledLine]:
    """The worst problems that belong to no skill."""
    if not problems:
        return
    yield StyledLine("")
    yield StyledLine("Problems of the folder", "heading")
    ranked = sorted(problems, key=lambda one: _SEVERITIES.index(one.diagnostic.severity or "error"))
    for problem in ranked[:_MOST_OF_FOLDER]:
        severity = problem.diagnostic.severity or "error"
        style: LineStyle = "quiet" if severity == "info" else severity
        rule = problem.diagnostic.rule
        yield StyledLine(problem.diagnostic.message, style, 1, f"{problem_place(problem)} ", rule)
    if len(ranked) > _MOST_OF_FOLDER:
        number = len(ranked) - _MOST_OF_FOLDER
        yield StyledLine(f"… {number:,} more; skillstudio check prints all", "quiet", 1)


def _worst(bad: Sequence[SurveyedSkill], most: int) -> Iterator[OverviewRow]:
    from skillstudio.preview.spans import pad, width
    from skillstudio.text.safe import safe_text

    if not bad:
        return
    yield OverviewRow(StyledLine(""))
    yield OverviewRow(StyledLine("Worst skills", "heading", remark="enter opens one"))
    shown = nsmallest(most, bad, key=_weight)
    labels = [safe_text(_label(each)) for each in shown]
    widest = max(map(width, labels))
    for each, label in zip(shown, labels, strict=True):
        counts = {level: each.counts.get(level, 0) for level in _SEVERITIES}
        words = ", ".join(numbers(counts).values()) or "no problems"
        rejecting = _rejecting(each)
        remark = f"rejected by {', '.join(rejecting)}" if rejecting else ""
        style: LineStyle = "error" if rejecting or counts["error"] else "warning"
        yield OverviewRow(StyledLine(words, style, 1, pad(label, widest), remark), each.path)
    if len(bad) > len(shown):
        yield OverviewRow(StyledLine(f"… {len(bad) - len(shown):,} more", "quiet", 1))


def _matrix(judged: Sequence[SurveyedSkill], width: int, most: int) -> Iterator[OverviewRow]:
    yield OverviewRow(StyledLine(""))
    if not judged:
        yield OverviewRow(StyledLine(_NO_TARGETS, "quiet"))
        return
    yield OverviewRow(StyledLine("Selected targets", "heading"))
    shown = nsmallest(most, judged, key=_by_outcome)
    targets = list(dict.fromkeys(target for each in judged for target in each.outcomes))
    labels = [_label(each) for each in shown]
    fit = _fitting(targets, width - max(map(len, labels)) - 2)  # The indent.
    rows = [("", *targets[:fit])]
    for each, label in zip(shown, labels, strict=True):
        signs = (_sign(each.outcomes.get(target)) for target in targets[:fit])
        rows.append((label, *signs))
    table = laid_out([StyledTable(rows[0], rows, 1)])
    for line, path in zip(table, [None, *(each.path for each in shown)], strict=True):
        yield OverviewRow(line, path)
    omitted = [
        count(number, noun)
        for number, noun in (
            (len(judged) - len(shown), "more skill"),
            (len(targets) - fit, "more target"),
        )
        if number
    ]
    if omitted:
        yield OverviewRow(StyledLine(f"… {', '.join(omitted)}", "quiet", 1))
    yield OverviewRow(StyledLine(_LEGEND, "quiet", 1))


def _fitting(targets: Sequence[str], room: int) -> int:
    """How many columns fit; at least one."""
    for number, target in enumerate(targets):
        room -= len(target) + 2
        if room < 0:
            return max(number, 1)
    return len(targets)


def _label(skill: SurveyedSkill) -> str:
    """The path of a skill, without its start if it is long."""
    text = skill.path or skill.name
    return text if len(text) <= _LONGEST else f"…{text[1 - _LONGEST :]}"


def _sign(outcome: str | None) -> str:
    return "–" if outcome is None else outcome_sign(outcome)


def _rejecting(skill: SurveyedSkill) -> list[str]:
    return [target for target, outcome in skill.outcomes.items() if outcome_sign(outcome) == "✗"]


def _weight(skill: SurveyedSkill) -> tuple[int, int, int, str]:
    """A sort key, the worst skill first."""
    counts = skill.counts
    return (
        -counts.get("error", 0), -len(_rejecting(skill)), -counts.get("warning", 0), skill.path,
    )  # fmt: skip


def _by_outcome(skill: SurveyedSkill) -> tuple[int, int, str]:
    """A sort key, the skill that most targets reject first."""
    signs = [outcome_sign(outcome) for outcome in skill.outcomes.values()]
    return -signs.count("✗"), -signs.count("!"), skill.path
