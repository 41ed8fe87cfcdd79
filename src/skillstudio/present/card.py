"""A skill as agents, installers and policies see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.present.lines import (
    LineStyle,
    Part,
    StyledLine,
    count,
    omission_line,
    section,
    table,
)
from skillstudio.preview.card.skill_card import PermissionCard, SkillCard

BODY = 12  # Lines of the body that are shown on one page.
_USES = {"used": ", used", "not seen": ", not observed", "not known": ""}
_STYLES: dict[str, LineStyle] = {"granted": "good", "refused": "error", "no limit": "quiet"}


class CardSection(NamedTuple):
    """One part of a card."""

    title: str
    remark: str
    parts: tuple[Part, ...]
    is_body: bool = False  # Whether the parts are the whole text that an agent loads.


def card_lines(card: SkillCard, most: int | None = None) -> Iterator[Part]:
    """The card on one page, the body shortened, and at most so many entries of each list."""
    title = f"{card.name} {card.version}".strip()
    yield StyledLine(title, "title", remark=", ".join(card.dialects))
    for card_section in card_sections(card):
        parts = card_section.parts
        if card_section.is_body and len(parts) > BODY:
            parts = (*parts[:BODY], omission_line(len(parts) - BODY))
        yield from section(
            card_section.title, parts, card_section.remark, most, "use --all to show everything"
        )


def card_sections(card: SkillCard) -> Iterator[CardSection]:
    """The sections of a card that are not empty."""
    fields = table(("field", "value"), card.fields)
    yield CardSection("In a marketplace", count(len(card.fields), "field"), tuple(fields))
    tokens = f"about {count(card.listing_tokens, 'token')}"
    how = StyledLine(f"tokens are {card.how_tokens}", "quiet")
    listing = " ".join(card.listing.split())
    yield CardSection("Always in context", tokens, (StyledLine(listing), how))
    if card.body_path:
        body = tuple(StyledLine(line, "code") for line in card.body.strip("\n").split("\n"))
        tokens = f"{card.body_path}, about {count(card.body_tokens, 'token')}"
        yield CardSection("Loaded on activation", tokens, body, is_body=True)
    files = ((file.path, f"{file.size:,}", file.kind, _tokens(file.tokens)) for file in card.files)
    file_table = tuple(table(("file", "bytes", "kind", "tokens"), files))
    yield CardSection("Packed files", count(len(card.files), "file"), file_table)
    if card.left:
        excluded_table = tuple(table(("file", "why"), card.left))
        yield CardSection("Not packed", f"{len(card.left):,}", excluded_table)
    if card.refused:
        errors = tuple(StyledLine(f"✗ {reason}", "error") for reason in card.refused)
        yield CardSection("Cannot be packed", count(len(errors), "reason"), errors)
    if installer := tuple(_installer(card)):
        yield CardSection("For installers", "features, other skills", installer)
    permission_card = card.permissions
    remark = f"({permission_card.policy or 'no policy set'})"
    remark += f" · used in {permission_card.run}" if permission_card.run else " · not run yet"
    remark += (
        f" · {len(permission_card.beyond):,} used, not requested" if permission_card.beyond else ""
    )
    title = f"Permissions requested: {len(permission_card.permissions):,}"
    yield CardSection(title, remark, tuple(_permissions(permission_card)))


def _tokens(number: int | None) -> str:
    return "" if number is None else f"about {count(number, 'token')}"


def _installer(card: SkillCard) -> Iterator[StyledLine]:
    for feature in card.features:
        mark = f"[{'x' if feature.default else ' '}]"
        yield StyledLine(feature.name, lead=mark, remark=feature.description)
    for need in card.dependencies:
        optional = ", optional" if need.optional else ""
        yield StyledLine(need.skill, lead="requires", remark=f"{need.versions}{optional}")
    for hint in card.suggestions:
        yield StyledLine(hint.skill, lead="suggests", remark=hint.why)


def _permissions(card: PermissionCard) -> Iterator[Part]:
    if not card.permissions:
        yield StyledLine("none", "quiet")
    for permission in card.permissions:
        by = f" by {permission.by}" if permission.by else ""
        remark = f"{permission.verdict}{by}{_USES[permission.use]}"
        yield StyledLine(
            permission.value, _STYLES[permission.verdict], lead=permission.kind, remark=remark
        )
        yield from (StyledLine(line, "quiet", 1) for line in permission.evidence)
    if card.blocked:
        yield StyledLine(", ".join(card.blocked), "quiet", lead="never starts")
    for beyond in card.beyond:
        style: LineStyle = "error" if beyond.is_fault else "quiet"
        yield StyledLine(beyond.effect, style, lead="used, not requested:")
        yield from (StyledLine(line, "quiet", 1) for line in beyond.evidence)
