"""Outputs before a run, a skill's card and discovery, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

from skillstudio.cli.lists import left_out
from skillstudio.cli.output import Colour, Paint
from skillstudio.dryrun.plan import Plan
from skillstudio.preview.ahead import ExpectedOutput
from skillstudio.preview.card.permissions import Permission, PermissionCard
from skillstudio.preview.card.skill_card import SkillCard
from skillstudio.preview.discovery.find import Discovery, FoundSkill
from skillstudio.preview.discovery.telling import competing_text, injected_text, match_text
from skillstudio.preview.discovery.topics import Match
from skillstudio.text.safe import safe_text

_STATES: dict[str, tuple[str, Colour, str]] = {
    "new": ("+", "good", "new"),
    "exists": ("~", "warning", "would be overwritten"),
    "link": ("!", "warning", "a link stands there"),
    "taken": ("!", "error", "something else stands there"),
    "pattern": ("*", "info", "any number of files"),
    "unknown": ("?", "error", "not known"),
}
_SHOWN = 10
_BODY = 12


def ahead_value(plan: Plan, found: Sequence[ExpectedOutput]) -> dict[str, Any]:
    """The outputs of a plan as JSON."""
    return {
        "skill": plan.skill,
        "operation": plan.operation,
        "workspace": plan.roots.workspace,
        "outputs": [
            {
                "pattern": each.pattern,
                "path": each.path or None,
                "folder": each.folder,
                "base": each.base,
                "state": each.state,
                "existing": [{"path": e.path, "size": e.size} for e in each.existing],
                "why": each.why or None,
            }
            for each in found
        ],
        "problems": [
            {"rule": each.rule, "message": each.message, "severity": each.severity}
            for each in plan.problems
        ],
    }


def ahead_lines(plan: Plan, found: Sequence[ExpectedOutput], paint: Paint) -> Iterator[str]:
    """Each output with its sign, its path, and what stands there."""
    name = " ".join(each for each in (plan.skill, plan.operation) if each)
    yield f"{paint(safe_text(name), 'place')}  ({plan.dialect})"
    yield f"{paint('workspace', 'quiet')}  {safe_text(plan.roots.workspace)}"
    if not found:
        yield "no output files are declared"
    for each in found:
        sign, colour, words = _STATES[each.state]
        shown = safe_text(each.path or each.pattern)
        where = f" in {each.base}" if each.base not in ("", "repo_root") else ""
        told = f"{words}: {safe_text(each.why)}" if each.why else words
        if each.state == "exists" and not each.why:
            told += f" ({each.existing[0].size:,} bytes)"
        if each.state == "pattern":
            told += f", {len(each.existing):,} there now"
        yield f"{paint(sign, colour)} {shown}{where}  {paint(told, 'quiet')}"
        if each.path and each.path != each.pattern:
            yield f"    {paint(f'from {safe_text(each.pattern)}', 'quiet')}"
        if each.state == "pattern":
            yield from (f"    {safe_text(e.path)}  {e.size:,}" for e in each.existing[:_SHOWN])
            if len(each.existing) > _SHOWN:
                yield f"    and {len(each.existing) - _SHOWN:,} more"


def card_lines(card: SkillCard, width: int, paint: Paint, most: int | None = None) -> Iterator[str]:
    """The card: what an agent sees, what travels, what an installer asks, what is permitted.

    `most` limits the entries of each list.
    """
    yield paint(safe_text(f"{card.name} {card.version}".strip()), "place")
    fields = ((key, _short(value, width)) for key, value in card.fields[:most])
    yield from _rows(fields, paint)
    yield from _left_out(card.fields, most, paint)
    yield _title("an agent always sees", f"about {card.listing_tokens:,} tokens", paint)
    yield f"  {_short(card.listing, width)}"
    if card.body_path:
        about = f"{card.body_path}, about {card.body_tokens:,} tokens"
        yield _title("it reads when it takes the skill up", about, paint)
        rows = card.body.strip("\n").split("\n")
        yield from (f"  {_short(row, width)}".rstrip() for row in rows[:_BODY])
        if len(rows) > _BODY:
            yield f"  {paint(f'… {len(rows) - _BODY:,} more lines', 'quiet')}"
    yield _title("travels with it", f"{len(card.files):,} files", paint)
    room = min(max((len(safe_text(file.path)) for file in card.files[:most]), default=0), 60)
    for file in card.files[:most]:
        tokens = f"  about {file.tokens:,} tokens" if file.tokens is not None else ""
        about = f"{file.size:>11,}  {file.kind}{tokens}"
        yield f"  {safe_text(file.path):<{room}}  {paint(about, 'quiet')}"
    yield from _left_out(card.files, most, paint)
    yield from (f"  {paint('refused', 'error')}: {safe_text(each)}" for each in card.refused)
    if card.left:
        yield _title("stays behind", "", paint)
        yield from _rows(((each.path, each.reason) for each in card.left[:most]), paint)
        yield from _left_out(card.left, most, paint)
    yield from _installer(card, paint, most)
    yield from _permissions(card.permissions, paint, most)
    yield paint(f"tokens are {card.how_tokens}", "quiet")


def _installer(card: SkillCard, paint: Paint, most: int | None) -> Iterator[str]:
    if card.features:
        yield _title("features", "an installer asks", paint)
        for each in card.features[:most]:
            yield f"  [{'x' if each.default else ' '}] {safe_text(each.name)}  " + paint(
                safe_text(each.description), "quiet"
            )
        yield from _left_out(card.features, most, paint)
    if card.dependencies:
        yield _title("needs", "other skills", paint)
        needs = (
            (each.skill, f"{each.versions}{', optional' if each.optional else ''}")
            for each in card.dependencies[:most]
        )
        yield from _rows(needs, paint)
        yield from _left_out(card.dependencies, most, paint)
    if card.suggestions:
        yield _title("suggests", "other skills", paint)
        yield from _rows(((each.skill, each.why) for each in card.suggestions[:most]), paint)
        yield from _left_out(card.suggestions, most, paint)


def _permissions(card: PermissionCard, paint: Paint, most: int | None) -> Iterator[str]:
    about = f"by {safe_text(card.policy)}" if card.policy else "the workspace has no policy"
    if card.run:
        about += f"; used in run {safe_text(card.run)}"
    yield _title("asks for", about, paint)
    if not card.permissions:
        yield "  nothing"
    rooms = [
        max((len(safe_text(str(each[at]))) for each in card.permissions[:most]), default=0)
        for at in (0, 1)
    ]
    for each in card.permissions[:most]:
        yield f"  {_permission(each, rooms, paint)}".rstrip()
        yield from (f"      {paint(safe_text(line), 'quiet')}" for line in each.evidence)
    yield from _left_out(card.permissions, most, paint)
    if card.blocked:
        blocked = ", ".join(card.blocked[:most])
        yield f"  {paint('never starts', 'quiet')} {safe_text(blocked)}"
        yield from _left_out(card.blocked, most, paint)
    for beyond in card.beyond:
        yield f"  {paint('used and not asked for', 'error')}: {safe_text(beyond.effect)}"
        yield from (f"      {paint(safe_text(line), 'quiet')}" for line in beyond.evidence)


def _permission(each: Permission, rooms: list[int], paint: Paint) -> str:
    colours: dict[str, Colour] = {"granted": "good", "refused": "error", "no limit": "quiet"}
    by = f" by {safe_text(each.by)}" if each.by else ""
    use = "" if each.use == "not known" else f"  {each.use}"
    kind, value = safe_text(each.kind), safe_text(each.value)
    verdict = paint(each.verdict + by, colours[each.verdict])
    return f"{kind:<{rooms[0]}}  {value:<{rooms[1]}}  {verdict}{use}"


def discovery_lines(found: Discovery, paint: Paint) -> Iterator[str]:
    """Each skill that is found with its reasons, then who competes with whom."""
    for each in found.found:
        priority = f"  priority {each.priority}" if each.priority is not None else ""
        about = f"({safe_text(each.path)}){priority}"
        yield f"{paint(safe_text(each.name), 'place')}  {paint(about, 'quiet')}"
        yield from (f"  {_match(match, paint)}" for match in each.matches)
        yield from _injected(each, paint)
    if not found.found:
        yield "no skill is found"
    if found.competing:
        yield paint("compete for this prompt", "quiet")
    for pair in found.competing:
        told = safe_text(competing_text(pair))
        yield f"  {safe_text(pair.one)} and {safe_text(pair.other)}  {paint(told, 'quiet')}"
    if found.missed:
        yield f"{paint('not found', 'quiet')}  {safe_text(', '.join(found.missed))}"
    yield from (f"{paint('note', 'quiet')}  {safe_text(each)}" for each in found.notes)


def _match(match: Match, paint: Paint) -> str:
    note = f"  {paint(safe_text(match.note), 'quiet')}" if match.note else ""
    return safe_text(match_text(match)) + note


def _injected(each: FoundSkill, paint: Paint) -> Iterator[str]:
    for file in each.injected:
        how = paint(injected_text(file), "quiet")
        yield f"  {paint('knowledge', 'quiet')} {safe_text(file.path)}  {how}"


def _title(title: str, about: str, paint: Paint) -> str:
    return paint(title, "info") + (f"  {paint(about, 'quiet')}" if about else "")


def _rows(given: Iterable[tuple[str, str]], paint: Paint) -> Iterator[str]:
    rows = [(safe_text(name), safe_text(value)) for name, value in given]
    room = min(max((len(name) for name, _ in rows), default=0), 40)
    for name, value in rows:
        yield f"  {paint(f'{name:<{room}}', 'quiet')}  {value}".rstrip()


def _left_out(entries: Sized, most: int | None, paint: Paint) -> Iterator[str]:
    """The line that counts the entries not shown."""
    if left := left_out(len(entries), most):
        yield f"  {paint(left, 'quiet')}"


def _short(text: str, width: int) -> str:
    from skillstudio.preview.spans import cut

    return cut(safe_text(" ".join(text.split()) if "\n" in text else text), max(width - 4, 40))
