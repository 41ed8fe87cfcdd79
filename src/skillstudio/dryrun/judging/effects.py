"""Judge declared effects against observed ones."""

from __future__ import annotations

from collections.abc import Sequence

from skillstudio.dryrun.judging.declared import Declaration, has_words, table
from skillstudio.dryrun.judging.observed import ObservedEffect
from skillstudio.dryrun.report import EffectVerdict, JudgedEffect

MOST = 20
"""Lines of evidence kept per effect."""


def judge_effects(
    declared: Sequence[Declaration], found: Sequence[ObservedEffect], dialect: str, traced: bool
) -> tuple[JudgedEffect, ...]:
    """A verdict on every effect that is declared or observed, in the order of the table.

    An effect may have two verdicts: for what a declaration covers and for the rest. Neither a
    refused declared effect nor one that the dialect cannot declare is an error.
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
        # Started programs are more informative than each file they wrote.
        lines.sort(key=lambda line: not line.startswith("started "))
    return (*lines[:MOST], f"and {more} more") if more > 0 else tuple(lines)
