"""The card of a skill, as agents, installers and policies see it, as rows with lines."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.traces.scope import ScopedRun, newest
from skillstudio.dryrun.traces.store import RunStore
from skillstudio.manifest.dialect import Skill
from skillstudio.present.card import card_sections
from skillstudio.preview.card.skill_card import LastRun, SkillCard, Travels, UsedEffect, skill_card
from skillstudio.preview.source import MemorySource
from skillstudio.session.previewing.files import PreviewFileRow, span_lines

_SEEN = ("declared-observed", "undeclared", "blocked")


def last_run(store: RunStore, folder: str) -> ScopedRun | None:
    """The newest readable recorded run of the skill in a folder."""
    return newest(store, lambda roots: roots.skill == folder)


def make_card(skill: Skill, last: RunReport | None) -> SkillCard:
    """The card of a skill, with the effects of its last run. Raises OSError."""
    used = None
    if last is not None:
        effects = tuple(
            UsedEffect(each.effect, each.verdict in _SEEN, each.evidence) for each in last.effects
        )
        steps = last.plan.argv.get("unix", ()) or last.plan.argv.get("any", ())
        started = tuple(os.path.basename(argv[0]) for argv in steps if argv)
        used = LastRun(last.run, effects, started, last.traced)
    return skill_card(skill, _travels(skill), used)


def _travels(skill: Skill) -> Travels:
    from skillstudio.scaffold.packing.packing import selection
    from skillstudio.scaffold.packing.selecting import PackRefused

    try:
        selected, _ = selection(skill, "zip")
    except PackRefused as error:
        return Travels(refused=tuple(error.reasons))
    return Travels(selected.paths, selected.left)


def card_rows(card: SkillCard) -> Iterator[PreviewFileRow]:
    """The sections of a card."""
    for each in card_sections(card):
        if each.is_body:
            body = MemorySource(card.body_path, card.body.encode("utf-8", "replace"))
            yield PreviewFileRow("▸", each.title, each.remark, source=body)
        else:
            yield PreviewFileRow("▸", each.title, each.remark, lines=tuple(span_lines(each.parts)))
