"""A skill as agents, installers and policies see it, as rows that each have lines to read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.traces.scope import newest
from skillstudio.dryrun.traces.store import RecordedRun, RunStore
from skillstudio.manifest.dialect import Skill
from skillstudio.preview.card.permissions import LastRun, Permission, UsedEffect
from skillstudio.preview.card.skill_card import LeftBehind, SkillCard, Travels, skill_card
from skillstudio.preview.source import MemorySource
from skillstudio.preview.spans import Line, line
from skillstudio.session.previewing.files import PreviewFileRow

_SEEN = ("declared-observed", "undeclared", "blocked")
_STYLES = {"granted": "added", "refused": "removed", "no limit": "quiet"}


class LoadedRun(NamedTuple):
    """A recorded run that was read."""

    kept: RecordedRun
    report: RunReport


def last_run(store: RunStore, folder: str) -> LoadedRun | None:
    """The newest recorded run of the skill in a folder; one that cannot be read is passed over."""
    found = newest(store, lambda roots: roots.skill == folder)
    return LoadedRun(found.kept, found.trace.report) if found else None


def make_card(skill: Skill, last: RunReport | None) -> SkillCard:
    """The card of a skill, with what its last run used. Raises OSError."""
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
    left = tuple(LeftBehind(each.path, each.reason) for each in selected.left)
    return Travels(selected.paths, left)


def card_rows(card: SkillCard) -> Iterator[PreviewFileRow]:
    """The parts of a card, those with nothing in them left out."""
    yield _part("a marketplace shows", f"{len(card.fields)} fields", _fields(card))
    tokens = f"about {card.listing_tokens:,} tokens"
    yield _part("an agent always sees", tokens, [line(card.listing), (), _how(card)])
    if card.body_path:
        body = MemorySource(card.body_path, card.body.encode("utf-8", "replace"))
        tokens = f"{card.body_path}, about {card.body_tokens:,} tokens"
        yield PreviewFileRow("▸", "it reads when it takes the skill up", tokens, source=body)
    files = [_row(each.path, f"{each.size:>11,}  {each.kind}{_tokens(each.tokens)}")
             for each in card.files]  # fmt: skip
    yield _part("travels with it", f"{len(files):,} files", _padded(files))
    if card.left:
        rows = _padded([_row(each.path, each.reason) for each in card.left])
        yield _part("stays behind", f"{len(card.left):,}, each with why", rows)
    if card.refused:
        refused = [line((each, "error")) for each in card.refused]
        yield _part("cannot be packed", f"{len(refused)} reasons", refused)
    installer = list(_installer(card))
    if installer:
        yield _part("an installer asks", "features, other skills", installer)
    asked = card.permissions
    about = f"{len(asked.permissions)}, by {asked.policy or 'no policy'}"
    about += f", used in {asked.run}" if asked.run else ", not run yet"
    about += f", {len(asked.beyond)} beyond them" if asked.beyond else ""
    yield _part("asks for", about, list(_permissions(card)))


def _part(title: str, about: str, lines: Iterable[Line]) -> PreviewFileRow:
    return PreviewFileRow("▸", title, about, lines=tuple(lines))


def _how(card: SkillCard) -> Line:
    return line((f"tokens are {card.how_tokens}", "quiet"))


def _tokens(number: int | None) -> str:
    return "" if number is None else f", about {number:,} tokens"


def _row(name: str, value: str) -> tuple[str, str]:
    return name, value


def _padded(rows: Sequence[tuple[str, str]]) -> list[Line]:
    room = min(max((len(name) for name, _ in rows), default=0), 48)
    return [line((f"{name:<{room}}", "key"), "  ", (value, "quiet")) for name, value in rows]


def _fields(card: SkillCard) -> Iterator[Line]:
    yield line((f"{card.name} {card.version}".strip(), "heading"))
    yield line(card.description)
    yield ()
    yield from (line((f"{name}  ", "key"), value) for name, value in card.fields)


def _installer(card: SkillCard) -> Iterator[Line]:
    for feature in card.features:
        mark = "[x]" if feature.default else "[ ]"
        yield line((f"{mark} {feature.name}  ", "strong"), feature.description)
    for need in card.dependencies:
        optional = ", optional" if need.optional else ""
        yield line(("needs ", "quiet"), (need.skill, "strong"), f"  {need.versions}{optional}")
    for hint in card.suggestions:
        yield line(("suggests ", "quiet"), (hint.skill, "strong"), f"  {hint.why}")


def _permissions(card: SkillCard) -> Iterator[Line]:
    asked = card.permissions
    if not asked.permissions:
        yield line(("it asks for nothing", "quiet"))
    rooms = [max((len(str(each[at])) for each in asked.permissions), default=0) for at in (0, 1)]
    for each in asked.permissions:
        yield _permission(each, rooms)
        yield from (line(("      " + one, "quiet")) for one in each.evidence)
    if asked.blocked:
        yield line(("never starts ", "quiet"), ", ".join(asked.blocked))
    for beyond in asked.beyond:
        yield line((f"used and not asked for: {beyond.effect}", "error"))
        yield from (line(("      " + one, "quiet")) for one in beyond.evidence)


def _permission(each: Permission, rooms: Sequence[int]) -> Line:
    verdict = f"{each.verdict} by {each.by}" if each.by else each.verdict
    use = "" if each.use == "not known" else f"  {each.use}"
    kind = f"{each.kind:<{rooms[0]}}  "
    value = f"{each.value:<{min(rooms[1], 48)}}  "
    return line((kind, "quiet"), value, (verdict, _STYLES[each.verdict]), use)
