"""How much of a target's listing of skills the skills of one folder take, and what it leaves out.

A target gives agents the names and descriptions of all skills, up to a budget in its record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter_readings import FrontmatterReading, Readings, read_as
from skillstudio.manifest.targets import TOGETHER, TargetOutcome, targets

_NEAR = 0.9  # The part of the budget from which on it is nearly used up.
_BYTES_PER_TOKEN = 4
_MOST_NAMES = 5  # Skills that a message names.
_LISTED_OUTCOMES = ("loads", "loads without")


class ListedSkill(NamedTuple):
    """A skill in the listing of a target."""

    target: str
    folder: str  # The root, plugin or folder that contains the skill.
    place: str  # The name of the skill's own folder.
    name: str
    text: str  # Its description, and what is listed with it.

    def size(self, length: int | None = None) -> int:
        """What its line takes of the budget, with so many characters of its text."""
        budget = targets()[self.target]["limits"]["listing"]
        text = self.text if length is None else self.text[:length]
        line = budget["line"].format(name=self.name, text=text, folder=self.place)
        if budget["unit"] == "tokens":
            return -(-(len(line.encode("utf-8", "replace")) + 1) // _BYTES_PER_TOKEN)
        return len(line) + 1


class Listing(NamedTuple):
    """What skills take of the listing of a target."""

    used: int
    limit: int
    unit: str  # `characters` or `tokens`.
    window: int  # The context window, in tokens, for which the limit is this.
    skills: int
    cut: Mapping[str, int]
    """The folder names of skills with a shortened text, and by how many characters it is."""
    dropped: int = 0
    """At least so many descriptions are left out."""

    @property
    def is_exceeded(self) -> bool:
        return self.used > self.limit

    @property
    def is_near(self) -> bool:
        return self.used > self.limit * _NEAR


def list_skill(
    skill: Skill, folder: str, verdicts: Mapping[str, TargetOutcome]
) -> list[ListedSkill]:
    """A skill of a folder in the listings of targets that load it and have a budget."""
    readings: Readings = {}
    listed_skills = []
    for id, verdict in verdicts.items():
        target = targets()[id]
        if "listing" not in target.get("limits", ()) or verdict.outcome not in _LISTED_OUTCOMES:
            continue
        how = target["reading"]
        reading = read_as(skill, how["opening"]["is"], how["yaml"]["is"], readings)
        if isinstance(reading, FrontmatterReading):
            keys = target["limits"]["entry"]["keys"]
            texts = [" ".join((reading.text(key) or "").split()) for key in keys]
            name = (reading.text("name") or "").strip() or skill.name
            text = TOGETHER.join(filter(None, texts))
            listed_skills.append(ListedSkill(id, folder, skill.name, name, text))
    return listed_skills


def listings(skills: Iterable[ListedSkill]) -> dict[tuple[str, str], Listing]:
    """What the skills take of each listing, by folder and target."""
    groups: dict[tuple[str, str], list[ListedSkill]] = {}
    for skill in skills:
        groups.setdefault((skill.folder, skill.target), []).append(skill)
    return {key: _listing(targets()[key[1]]["limits"], group) for key, group in groups.items()}


def _listing(limits: dict[str, Any], skills: list[ListedSkill]) -> Listing:
    most, budget = limits["entry"]["is"], limits["listing"]
    length, dropped_count = most, 0
    limit = budget["is"]
    used = sum(skill.size(most) for skill in skills)
    if used > limit and budget["over"] == "shortens":
        low, length = 0, most
        while low < length:
            middle = (low + length + 1) // 2
            fits = sum(skill.size(middle) for skill in skills) <= limit
            low, length = (middle, length) if fits else (low, middle - 1)
    elif used > limit:
        remaining_size = used
        texts = sorted((skill.size(most) - skill.size(0) for skill in skills), reverse=True)
        while remaining_size > limit and dropped_count < len(texts):
            remaining_size -= texts[dropped_count]
            dropped_count += 1
    cut = {skill.place: len(skill.text) - length for skill in skills if len(skill.text) > length}
    return Listing(used, limit, budget["unit"], budget["window"], len(skills), cut, dropped_count)


def listing_text(target: str, listing: Listing) -> str:
    """What skills take of a target's list of skills, what it leaves out, and the fix."""
    title, unit = targets()[target]["title"], listing.unit
    take = "1 skill here takes" if listing.skills == 1 else f"these {listing.skills:,} skills take"
    text = (
        f"{take} {listing.used:,} of {listing.limit:,} {unit} that {title} lists at a context "
        f"window of {listing.window:,} tokens"
    )
    if not listing.is_exceeded:
        return text
    if listing.dropped:
        several = f"{listing.dropped:,} description{'s' * (listing.dropped > 1)}"
        text += f", so it leaves out at least {several}, of the skills used least"
    else:
        cut = sorted(listing.cut.items(), key=lambda item: -item[1])
        named_cuts = ", ".join(f"{name} by {number:,}" for name, number in cut[:_MOST_NAMES])
        suffix = f" and {len(cut) - _MOST_NAMES} more" if len(cut) > _MOST_NAMES else ""
        text += f", so it cuts descriptions, in characters: {named_cuts}{suffix}"
    return f"{text}; shorten the descriptions by {listing.used - listing.limit:,} {unit}"
