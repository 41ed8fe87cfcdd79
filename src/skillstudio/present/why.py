"""The answer of `why`: which targets find and load a skill, refuse it, and look elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.targets import OUTCOMES, Reason, render_reason
from skillstudio.present.lines import StyledLine, count
from skillstudio.present.targets import (
    OUTCOME_STYLES,
    OUTCOME_VERBS,
    outcome_sign,
    reason_place,
    short_name,
)
from skillstudio.skill.listing import listing_text
from skillstudio.skill.outcomes import NOT_FOUND, NOT_RECORDED, TargetAnswer
from skillstudio.skill.visibility import Visibility
from skillstudio.text.source import Span

_FEW = 5  # Names of targets in a line of the short answer.
_SameReason = tuple[str, str, Span | None]
InstallCommand = Callable[[str], str]
"""The command that writes a copy where a target looks, by its id."""


class _SharedAnswer(NamedTuple):
    """Targets that do the same for the same reasons."""

    answers: tuple[TargetAnswer, ...]
    reasons: list[Reason]


def why_lines(
    path: str,
    skill: Skill,
    visibility: Visibility,
    install: InstallCommand,
    verbose: bool = False,
    quiet: bool = False,
) -> Iterator[StyledLine]:
    """Three groups: targets that load a skill, that refuse or change it, and that look elsewhere;
    selected ones first. `verbose` explains every target; `quiet` leaves out those that load the
    skill or look elsewhere."""
    answers = visibility.answers
    loading_answers = [a for a in answers if a.looks and a.outcome in ("loads", NOT_RECORDED)]
    elsewhere = [a for a in answers if a.outcome == NOT_FOUND]
    other_answers = [a for a in answers if a not in loading_answers and a not in elsewhere]
    if quiet and not other_answers:
        return
    yield from _heading(path, skill, visibility, verbose)
    if not quiet:
        yield from _shared_lines(loading_answers, skill)
    yield from _shared_lines(other_answers, skill)
    for answer in (*loading_answers, *other_answers):
        listing = visibility.listings.get(answer.target)
        if listing and (verbose or listing.is_exceeded):
            yield StyledLine(listing_text(answer.target, listing), "quiet")
    if not quiet:
        yield from _elsewhere_lines(elsewhere, install, verbose)


def _heading(
    path: str, skill: Skill, visibility: Visibility, verbose: bool
) -> Iterator[StyledLine]:
    settings = skill.settings
    titles = [answer.title for answer in visibility.answers if answer.is_selected]
    selection = f"selected: {', '.join(titles)} ({settings.selected_by})"
    yield StyledLine(path, "title", remark=selection if titles else "no targets are selected")
    if verbose and visibility.where != path:
        yield StyledLine(f"clients see it as {visibility.where}", "", 1)
    for manifest in skill.manifests if verbose else ():
        part = "" if manifest.part == "manifest" else f" ({manifest.part})"
        yield StyledLine(f"{manifest.dialect.id}{part}: {manifest.reason}", "", 1)
    if not skill.manifests:
        yield StyledLine("no manifest found", "", 1)


def _selected_first(answers: Iterable[TargetAnswer]) -> list[TargetAnswer]:
    return sorted(answers, key=lambda answer: not answer.is_selected)


def _shared_lines(answers: Sequence[TargetAnswer], skill: Skill) -> Iterator[StyledLine]:
    """The targets with the same reasons, then these reasons, each once."""
    for group in _group_answers(answers):
        worst = _worst(group.answers)
        text = "; ".join(_deeds(group.answers))
        style = OUTCOME_STYLES.get(worst, "")
        yield StyledLine(f"{outcome_sign(worst)} {text}", style)
        for reason in group.reasons:
            yield StyledLine(render_reason(reason), "", 1, "", reason_place(skill, reason))


def _group_answers(answers: Sequence[TargetAnswer]) -> list[_SharedAnswer]:
    """The answers by their reasons: selected targets first, then the worst ones."""
    sorted_answers = _selected_first(answers)
    targets_of: dict[_SameReason, list[TargetAnswer]] = {}
    reasons_of: dict[_SameReason, Reason] = {}
    for answer in sorted_answers:
        for reason in answer.reasons:
            same = (reason.text, reason.fix, reason.span)
            reasons_of.setdefault(same, reason)
            if answer not in (holders := targets_of.setdefault(same, [])):
                holders.append(answer)
    groups: dict[tuple[str, ...], _SharedAnswer] = {}
    plain = [answer for answer in sorted_answers if not answer.reasons]
    for outcome in dict.fromkeys(answer.outcome for answer in plain):
        alike = tuple(answer for answer in plain if answer.outcome == outcome)
        groups[("", outcome)] = _SharedAnswer(alike, [])
    for same, holders in targets_of.items():
        ids = tuple(answer.target for answer in holders)
        group = groups.setdefault(ids, _SharedAnswer(tuple(holders), []))
        group.reasons.append(reasons_of[same])
    return sorted(
        groups.values(),
        key=lambda group: (
            not any(answer.is_selected for answer in group.answers),
            _rank(_worst(group.answers)),
        ),
    )


def _rank(outcome: str) -> int:
    order = (*OUTCOMES, NOT_FOUND, NOT_RECORDED)
    return order.index(outcome)


def _worst(answers: Iterable[TargetAnswer]) -> str:
    return min((answer.outcome for answer in answers), key=_rank)


def _deeds(answers: Sequence[TargetAnswer]) -> Iterator[str]:
    """What targets do, those that do the same in one phrase."""
    titles: dict[tuple[str, str], list[str]] = {}
    for answer in answers:
        away = answer.is_selected and not answer.looks
        singular, several = OUTCOME_VERBS[answer.outcome]
        if away:
            singular = f"looks elsewhere, and would {several} there"
            several = f"look elsewhere, and would {several} there"
        titles.setdefault((singular, several), []).append(answer.title)
    for verbs, names in titles.items():
        yield f"{', '.join(names)} {verbs[len(names) > 1]}"


def _elsewhere_lines(
    answers: Sequence[TargetAnswer], install: InstallCommand, verbose: bool
) -> Iterator[StyledLine]:
    """Where selected targets look and how to copy the skill there; the names of the others."""
    for answer in answers:
        if answer.is_selected or answer.is_missed:
            would = OUTCOME_VERBS[answer.installed][1] if answer.installed in OUTCOMES else ""
            deed = f", and would {would} there" if would else ""
            yield StyledLine(f"○ {answer.title} {OUTCOME_VERBS[NOT_FOUND][0]}{deed}", "quiet")
            yield from (StyledLine(render_reason(reason), "", 1) for reason in answer.reasons)
            yield StyledLine(f"copy it there with: {install(answer.target)}", "", 1)
    rest = [answer for answer in answers if not (answer.is_selected or answer.is_missed)]
    if verbose:
        for answer in rest:
            places = "; ".join(render_reason(r) for r in answer.reasons if r.outcome == NOT_FOUND)
            yield StyledLine(f"○ {answer.title} {OUTCOME_VERBS[NOT_FOUND][0]}; {places}", "quiet")
    if rest:
        names = ", ".join(short_name(answer.target) for answer in rest)
        text = f"○ {OUTCOME_VERBS[NOT_FOUND][len(rest) > 1]}: {names}; "
        advice = f"copy it for one of them with: {install('')}"
        yield StyledLine(advice if verbose else text + advice, "quiet")


def why_summary(
    path: str, answers: Collection[TargetAnswer], verbose: bool = False, quiet: bool = False
) -> Iterator[StyledLine]:
    """One line for each outcome of a skill of several; `verbose` names every target."""
    load_outcomes = ("loads", NOT_RECORDED)
    if quiet and all(answer.outcome in (*load_outcomes, NOT_FOUND) for answer in answers):
        return
    yield StyledLine(path, "title")
    for outcome in (*load_outcomes, *OUTCOMES[:-1], NOT_FOUND):
        alike = _selected_first(answer for answer in answers if answer.outcome == outcome)
        if not alike or (quiet and outcome in (*load_outcomes, NOT_FOUND)):
            continue
        names = ", ".join(short_name(answer.target) for answer in alike)
        if len(alike) > _FEW and not verbose:
            selected_names = [short_name(answer.target) for answer in alike if answer.is_selected]
            hidden_count = len(alike) - len(selected_names)
            rest = count(hidden_count, "target") if not selected_names else f"{hidden_count} more"
            names = ", ".join([*selected_names, rest] if hidden_count else selected_names)
        verb = OUTCOME_VERBS[outcome][len(alike) > 1].partition(";")[0]
        line = f"{outcome_sign(outcome)} {verb}: {names}"
        yield StyledLine(line, OUTCOME_STYLES.get(outcome, ""), 1)
