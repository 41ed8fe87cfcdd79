"""Declared effects held against what was seen."""

from __future__ import annotations

from collections.abc import Sequence

from skillstudio.dryrun.judging.declared import Declaration, has_words, table
from skillstudio.dryrun.judging.observed import ObservedEffect
from skillstudio.dryrun.report import EffectVerdict, JudgedEffect

MOST = 20
"""How many lines of evidence an effect keeps."""


def judge_effects(
    declared: Sequence[Declaration], found: Sequence[ObservedEffect], dialect: str, traced: bool
) -> tuple[JudgedEffect, ...]:
    """A verdict on every effect that is declared or was seen, in the order of the table.

    What a declaration covers and what it does not are two verdicts on one effect. What was
    refused and is declared is no fault of the skill. An effect that the dialect has no
    words for is told, and is no fault either.
    """
    judged: list[JudgedEffect] = []
    words = {each.effect for each in declared}
    found = [
        each._replace(effect=each.instead)
        if each.instead in words and each.effect not in words
        else each
        for each in found
    ]
    for effect, about in table()["effect"].items():
        mine = [each for each in declared if each.effect == effect]
        seen = [each for each in found if each.effect == effect]
        covered, rest = _parted(mine, seen)
        if covered:
            judged.append(
                JudgedEffect(
                    effect, True, _verdict(covered, "declared-observed"), _evidence(covered)
                )
            )
        if rest:
            fault = has_words(dialect, effect)
            judged.append(
                JudgedEffect(effect, False, _verdict(rest, "undeclared"), _evidence(rest), fault)
            )
        if not seen and any(not each.silent for each in mine):
            visible = traced or about["seen_by"] == "files"
            judged.append(
                JudgedEffect(effect, True, "declared-not-observed" if visible else "not-observable")
            )
    return tuple(judged)


def _parted(
    declared: Sequence[Declaration], seen: Sequence[ObservedEffect]
) -> tuple[list[ObservedEffect], list[ObservedEffect]]:
    """What a declaration covers, and the rest."""
    covered: list[ObservedEffect] = []
    rest: list[ObservedEffect] = []
    for each in seen:
        allowed = any(one.allows(each.about) for one in declared)
        (covered if allowed else rest).append(each)
    return covered, rest


def _verdict(seen: Sequence[ObservedEffect], done: EffectVerdict) -> EffectVerdict:
    return "blocked" if all(each.refused for each in seen) else done


def _evidence(seen: Sequence[ObservedEffect]) -> tuple[str, ...]:
    lines = [each.evidence for each in seen]
    more = len(lines) - MOST
    if more > 0:
        # Programs tell more than each of the files that they made.
        lines.sort(key=lambda line: not line.startswith("started "))
    return (*lines[:MOST], f"and {more} more") if more > 0 else tuple(lines)
