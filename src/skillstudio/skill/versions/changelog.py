"""Add the changes of an interface to a CHANGELOG.md in the format of keepachangelog.com."""

from __future__ import annotations

import re
from collections.abc import Iterable

from skillstudio.interface.change import Change
from skillstudio.text.hunks import split_lines
from skillstudio.text.markup import markdown_text

FILE = "CHANGELOG.md"
_HEADING = re.compile(r" {0,3}##[ \t]+(\[)?([^\]\s]+)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SECTIONS = ("Added", "Changed", "Removed", "Security")


def with_entry(text: str | None, version: str, date: str, changes: Iterable[Change]) -> str:
    """The changelog with an entry for a version; all other text stays the same.

    None is a missing changelog. An existing entry for the version is kept. The new entry is
    inserted before the previous version, after unreleased changes.
    """
    headings = _headings(text or "")
    if any(name == version for _, name, _ in headings):
        return text or ""
    brackets = all(bracketed for _, name, bracketed in headings if name.lower() != "unreleased")
    entry = _entry(version, date, changes, brackets)
    if not text:
        return "# Changelog\n\n" + entry
    newline = "\r\n" if "\r\n" in text else "\n"
    entry = entry.replace("\n", newline)
    at = next((start for start, name, _ in headings if name.lower() != "unreleased"), None)
    if at is not None:
        return f"{text[:at]}{entry}{newline}{text[at:]}"
    ended = text if text.endswith(("\n", "\r")) else text + newline
    gap = "" if ended.endswith(newline * 2) else newline
    return f"{ended}{gap}{entry}"


def _entry(version: str, date: str, changes: Iterable[Change], brackets: bool) -> str:
    lines = [f"## [{version}] - {date}" if brackets else f"## {version} - {date}", ""]
    groups: dict[str, list[str]] = {section: [] for section in _SECTIONS}
    for change in changes:
        groups[_section(change)].append(_item(change))
    if not any(groups.values()):
        groups["Changed"].append("- Changed files; the interface is unchanged.")
    for section, items in groups.items():
        if items:
            lines += [f"### {section}", "", *dict.fromkeys(items), ""]
    return "\n".join(lines[:-1]) + "\n"


def _section(change: Change) -> str:
    if change.review:
        return "Security"
    for ending, section in (("-added", "Added"), ("-removed", "Removed")):
        if change.kind.endswith(ending):
            return section
    return "Changed"


def _item(change: Change) -> str:
    message = markdown_text(" ".join(change.message.split()))
    where = f"{markdown_text(change.operation)}: " if change.operation else ""
    breaking = "**Breaking:** " if change.level == "major" and not change.waived else ""
    return f"- {breaking}{where}{message}"


def _headings(text: str) -> list[tuple[int, str, bool]]:
    """The offset of each second-level heading, its title, and whether it is in brackets."""
    found = []
    at = 0
    fence = ""
    for line in split_lines(text):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.match(line):
            found.append((at, heading[2], heading[1] is not None))
        at += len(line)
    return found
