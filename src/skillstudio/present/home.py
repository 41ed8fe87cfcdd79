"""Home: what to fix first in a folder of skills, where they load, and what to start."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple, Protocol

from skillstudio.present.lines import LineStyle, count
from skillstudio.present.problems import SIGNS, problem_place
from skillstudio.text.diagnostic import Severity

if TYPE_CHECKING:
    from skillstudio.skill.workspace import WorkspaceProblem

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_LONGEST = 28  # Characters of a skill's path, whose end is shown.
_WIDEST_PLACE = 24  # Cells of a place.
_MOST_OF_FOLDER = 5  # Problems of no skill.
_FEWEST = 3  # Lines that each list has on the lowest screen.
_SPINNER = "◐◓◑◒"
_NO_TARGETS = "no targets are selected: select where your skills must load"
_WORDS: Mapping[str, str] = {
    "error": "with errors",
    "warning": "with warnings",
    "info": "with notes",
    "elsewhere": "where no selected target looks",
    "ok": "in order",
}
"""How skills of a state are counted."""
_STYLES: Mapping[str, LineStyle] = {
    "error": "error",
    "warning": "warning",
    "info": "quiet",
    "elsewhere": "quiet",
    "ok": "good",
}


class WorstProblem(NamedTuple):
    """The problem of a skill to fix first: where it is, what it says, whether it has a fix."""

    severity: Severity
    place: str
    message: str
    has_fix: bool = False
    is_refusal: bool = False  # Whether it is one for selected targets only.


class SurveyedSkill(Protocol):
    """A skill and the result of its last check."""

    @property
    def path(self) -> str: ...  # Relative to the folder; empty for the folder itself.
    @property
    def name(self) -> str: ...
    @property
    def status(self) -> str: ...  # A severity, `ok`, or another word.
    @property
    def counts(self) -> Mapping[str, int]: ...  # Severity to number of problems.
    @property
    def worst(self) -> WorstProblem | None: ...
    @property
    def outcomes(self) -> Mapping[str, str]: ...  # Selected target to outcome.


class SurveyProgress(NamedTuple):
    """How far the search for skills and their check are."""

    is_searching: bool = False
    skill_count: int = 0
    checked_count: int = 0
    to_check: int = 0
    was_stopped: bool = False  # Whether the search ended early, so that skills may be missing.

    @property
    def text(self) -> str:
        """The active step with its counts, "" if none is; the sign changes with the counts."""
        sign = _SPINNER[(self.skill_count + self.checked_count) % len(_SPINNER)]
        if self.is_searching:
            return f"{sign} looking for skills… {self.skill_count:,} found"
        if self.checked_count < self.to_check:
            return f"{sign} checked {self.checked_count:,} of {self.to_check:,}"
        return ""

    @property
    def without_skills(self) -> str:
        """What is shown in place of skills while none is known."""
        if self.was_stopped:
            return "the search was stopped; rescan starts it again"
        return self.text or "no skill here; N creates one, O opens another folder"


Pieces = tuple[tuple[str, LineStyle], ...]
"""A line as texts with their styles; a text may contain anything."""


class HomeRow(NamedTuple):
    """A line, and what enter opens or runs there."""

    pieces: Pieces = ()
    skill: str | None = None
    has_fix: bool = False
    """Whether the line is a problem with a fix."""
    command: str = ""
    folder: str = ""

    @property
    def is_choice(self) -> bool:
        """Whether enter does something."""
        return self.skill is not None or bool(self.command or self.folder)


def home_rows(
    skills: Collection[SurveyedSkill],
    problems: Sequence[WorkspaceProblem],
    progress: SurveyProgress,
    offers: Sequence[tuple[str, str]],
    recent: Sequence[str],
    width: int,
    height: int,
) -> list[HomeRow]:
    """Home in about `height` lines of `width` cells.

    `problems` are those of the folder that belong to no skill; `offers` are commands that start
    something, and what they do; `recent` are folders.
    """
    last = [*_offers(offers), *_recent(recent)]
    if not skills:
        return [HomeRow(((progress.without_skills, "title"),)), *last]
    head = [*_head(skills, progress), *_of_folder(problems)]
    bad = [skill for skill in skills if skill.worst is not None and skill.worst.severity != "info"]
    judged_skills = [skill for skill in skills if skill.outcomes]
    room = max(height - len(head) - len(last) - 8, 2 * _FEWEST)
    most = room - min(sum(map(_is_bad, judged_skills)), max(room // 2, _FEWEST))
    first = list(_fix_first(bad, max(most, _FEWEST), bool(progress.text)))
    matrix = list(_matrix(judged_skills, width, max(room - len(first) + 2, _FEWEST)))
    noted_skills = [
        skill for skill in skills if skill.worst is not None and skill.worst.severity == "info"
    ]
    free_lines = height - sum(map(len, (head, first, matrix, last)))
    return [*head, *first, *matrix, *_note_rows(noted_skills, free_lines), *last]


def first_to_fix(skills: Iterable[SurveyedSkill]) -> str | None:
    """The skill with the worst problem that is more than a note."""
    bad = (skill for skill in skills if skill.worst is not None and skill.worst.severity != "info")
    worst = min(bad, key=_weight, default=None)
    return worst.path if worst is not None else None


def _title(text: str) -> Iterator[HomeRow]:
    yield HomeRow()
    yield HomeRow(((text, "heading"),))


def _head(skills: Collection[SurveyedSkill], progress: SurveyProgress) -> Iterator[HomeRow]:
    pieces: list[tuple[str, LineStyle]] = [(count(len(skills), "skill"), "title")]
    states = Counter(skill.status for skill in skills)
    pieces += [
        (f"   {SIGNS[state]} {states[state]:,} {_WORDS[state]}", _STYLES[state])
        for state in _WORDS
        if states[state]
    ]
    if progress.text:
        pieces.append((f"   {progress.text}", "quiet"))
    yield HomeRow(tuple(pieces))


def _of_folder(problems: Sequence[WorkspaceProblem]) -> Iterator[HomeRow]:
    """The worst problems that belong to no skill."""
    if not problems:
        return
    yield from _title("Problems of the folder")
    sorted_problems = sorted(
        problems, key=lambda fault: _SEVERITIES.index(fault.diagnostic.severity or "error")
    )
    for problem in sorted_problems[:_MOST_OF_FOLDER]:
        severity = problem.diagnostic.severity or "error"
        sign, place = f"{SIGNS[severity]} ", f"{problem_place(problem)}  "
        message = problem.diagnostic.message
        yield HomeRow(((sign, _STYLES[severity]), (place, "quiet"), (message, "")))
    if len(sorted_problems) > _MOST_OF_FOLDER:
        number = len(sorted_problems) - _MOST_OF_FOLDER
        yield HomeRow(((f"… {number:,} more; skillstudio check prints all", "quiet"),))


def _fix_first(bad: Sequence[SurveyedSkill], most: int, is_active: bool) -> Iterator[HomeRow]:
    """The skills with errors and warnings, the worst first, each with its worst problem."""
    if not bad:
        if not is_active:
            yield HomeRow()
            yield HomeRow((("✓ no errors and no warnings", "good"),))
        return
    yield from _title("Fix first")
    yield from _worst(bad, most)


def _note_rows(skills: Sequence[SurveyedSkill], room: int) -> Iterator[HomeRow]:
    """The skills with no more than notes, where lines are left."""
    if skills and room >= _FEWEST + 3:
        yield from _title("Notes")
        yield from _worst(skills, room - 3)


def _worst(bad: Sequence[SurveyedSkill], most: int) -> Iterator[HomeRow]:
    """The worst skills, each with its worst problem."""
    worst = nsmallest(most, bad, key=_weight)
    labels = _column([_label(skill) for skill in worst], _LONGEST)
    places = _column([skill.worst.place if skill.worst else "" for skill in worst], _WIDEST_PLACE)
    for skill, label, place in zip(worst, labels, places, strict=True):
        if (problem := skill.worst) is not None:
            sign, style = f"{SIGNS[problem.severity]} ", _STYLES[problem.severity]
            pieces: Pieces = (
                (sign, style), (f"{label}  ", ""), (f"{place}  ", "quiet"), (problem.message, ""),
            )  # fmt: skip
            yield HomeRow(pieces, skill.path, problem.has_fix)
    if len(bad) > len(worst):
        yield HomeRow(((f"… {count(len(bad) - len(worst), 'more skill')}", "quiet"),))


def _matrix(judged_skills: Sequence[SurveyedSkill], width: int, most: int) -> Iterator[HomeRow]:
    """The outcome of each skill at each selected target, the worst first.

    Skills that no target refuses, or loads only in part, are a line together if they are alike.
    """
    if not judged_skills:
        yield HomeRow()
        yield HomeRow(((_NO_TARGETS, ""),), command="skill.targets")
        return
    from skillstudio.present.targets import short_name

    yield from _title("Where they load")
    bad = nsmallest(most, filter(_is_bad, judged_skills), key=_by_outcome)
    bad_paths = {skill.path for skill in bad}
    alike: dict[str, list[SurveyedSkill]] = {}
    for skill in judged_skills:
        if skill.path not in bad_paths:
            kind = "" if _is_bad(skill) else "".join(_signs_of(skill))
            alike.setdefault(kind, []).append(skill)
    groups = [*([skill] for skill in bad), *alike.values()]
    if len(groups) > most + 2:
        groups = [*groups[: len(bad)], [skill for group in alike.values() for skill in group]]
    names = [_label(group[0]) if len(group) == 1 else "" for group in groups]
    numbers = (
        count(len(group), "more" if bad else "skill", "more" * bool(bad)) for group in groups
    )
    labels = _column(
        [name or number for name, number in zip(names, numbers, strict=True)], _LONGEST
    )
    targets = list(dict.fromkeys(target for skill in judged_skills for target in skill.outcomes))
    fit = _count_fitting(targets, width - 2 - _cells(labels[0]))
    titles = [short_name(target) for target in targets[:fit]]
    head = "  ".join(titles) + (f"  … {len(targets) - fit} more" if fit < len(targets) else "")
    yield HomeRow(((" " * (_cells(labels[0]) + 4) + head, "quiet"),))
    for group, label in zip(groups, labels, strict=True):
        is_one = len(group) == 1
        signs = _signs([_worst_outcome(group, target) for target in targets[:fit]], titles)
        pieces: Pieces = ((f"  {label}  ", "" if is_one else "quiet"), *signs)
        yield HomeRow(pieces, group[0].path if is_one else None)


def _group_label(group: Sequence[SurveyedSkill], is_below: bool) -> str:
    """The name of a skill, or how many there are; `is_below` tells that others are above."""
    if len(group) == 1:
        return _label(group[0])
    return f"{len(group):,} more" if is_below else count(len(group), "skill")


def _signs(outcomes: Sequence[str | None], names: Sequence[str]) -> Iterator[tuple[str, LineStyle]]:
    """The signs of outcomes, each in the middle below its target."""
    from skillstudio.present.targets import OUTCOME_STYLES, outcome_sign

    for outcome, name in zip(outcomes, names, strict=True):
        if outcome is None:
            yield f"{'–':^{len(name)}}  ", "quiet"
        else:
            yield f"{outcome_sign(outcome):^{len(name)}}  ", OUTCOME_STYLES[outcome]


def _worst_outcome(skills: Sequence[SurveyedSkill], target: str) -> str | None:
    from skillstudio.present.targets import OUTCOME_STYLES

    outcomes = {skill.outcomes[target] for skill in skills if target in skill.outcomes}
    return next((outcome for outcome in OUTCOME_STYLES if outcome in outcomes), None)


def _is_bad(skill: SurveyedSkill) -> bool:
    """Whether a target refuses the skill, or loads only a part of it."""
    return not {"✗", "!"}.isdisjoint(_signs_of(skill))


def _signs_of(skill: SurveyedSkill) -> list[str]:
    # Reading the targets takes long, and the first frame needs none.
    from skillstudio.present.targets import outcome_sign

    return [outcome_sign(outcome) for outcome in skill.outcomes.values()]


def _offers(offers: Sequence[tuple[str, str]]) -> Iterator[HomeRow]:
    if offers:
        yield from _title("Start")
    for command, does in offers:
        yield HomeRow(((does, ""),), command=command)


def _recent(folders: Sequence[str]) -> Iterator[HomeRow]:
    if folders:
        yield from _title("Recent folders")
    home = os.path.expanduser("~")
    for folder in folders:
        inside = folder.startswith(home + os.sep)
        text = f"~{folder[len(home) :]}" if inside else folder
        yield HomeRow(((f"  {text}", ""),), folder=folder)


def _count_fitting(targets: Sequence[str], room: int) -> int:
    """How many columns fit; at least one."""
    for number, target in enumerate(targets):
        room -= len(target) + 2
        if room < (10 if number < len(targets) - 1 else 0):  # The number of the others.
            return max(number, 1)
    return len(targets)


def _column(texts: Sequence[str], most: int) -> list[str]:
    """Texts of the same width in cells, of at most `most`."""
    from skillstudio.preview.spans import pad, width
    from skillstudio.text.safe import safe_text

    safe = [safe_text(text) for text in texts]
    wide = min(max(map(width, safe), default=0), most)
    return [pad(text, wide) for text in safe]


def _cells(text: str) -> int:
    from skillstudio.preview.spans import width

    return width(text)


def _label(skill: SurveyedSkill) -> str:
    """The path of a skill, without its start if it is long."""
    text = skill.path or skill.name
    return text if len(text) <= _LONGEST else f"…{text[1 - _LONGEST :]}"


def _weight(skill: SurveyedSkill) -> tuple[int, bool, int, int, str]:
    """A sort key, the worst skill first: what no agent loads before what a target refuses."""
    counts = skill.counts
    rank = _SEVERITIES.index(skill.worst.severity) if skill.worst else len(_SEVERITIES)
    return (
        rank,
        skill.worst is not None and skill.worst.is_refusal,
        -counts.get("error", 0),
        -counts.get("warning", 0),
        skill.path,
    )


def _by_outcome(skill: SurveyedSkill) -> tuple[int, int, str]:
    """A sort key, the skill that most targets reject first."""
    signs = _signs_of(skill)
    return -signs.count("✗"), -signs.count("!"), skill.path
