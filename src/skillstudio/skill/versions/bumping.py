"""Change the version of a skill in its manifests and its changelog."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillstudio.interface.change import Change
from skillstudio.interface.model import Place
from skillstudio.interface.wording import display_value
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.locate import TOO_LARGE
from skillstudio.manifest.values import stated_text
from skillstudio.skill.versions.comparison import Comparison
from skillstudio.skill.versions.operands import Operand
from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import in_new_mapping, set_value
from skillstudio.text.editing import EditRefused
from skillstudio.text.hunks import split_lines
from skillstudio.text.markup import markdown_text
from skillstudio.text.node import Missing, Scalar, resolve
from skillstudio.text.safe import safe_text
from skillstudio.text.source import decode
from skillstudio.text.splicing import apply
from skillstudio.text.versions import semver_key

CHANGELOG = "CHANGELOG.md"
_HEADING = re.compile(r" {0,3}##[ \t]+(\[)?([^\]\s]+)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SECTIONS = ("Added", "Changed", "Removed", "Security")
FIRST = "0.1.0"
_NO_TAG = re.compile(
    r"^-|^/|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(?:^|/)\.|(?:\.lock)(?:/|$)|/$|\.$"
)
"""Names that git does not allow for tags (git-check-ref-format)."""


class BumpRefused(Exception):
    """A version that cannot be written; the message says why."""


class NotSemver(Exception):
    """A version that cannot be bumped: the fix, and the place."""

    def __init__(self, operand: Operand, place: Place, message: str) -> None:
        super().__init__(message)
        self.operand = operand
        self.place = place


class Carrier(NamedTuple):
    """A place for the version: the manifest, a JSON Pointer into it, and the current value."""

    manifest: Manifest
    pointer: str
    version: str

    @property
    def text(self) -> str:
        """The current value as text."""
        document = self.manifest.document
        node = document.at(self.pointer)
        return self.version or (document.source.text[node.start : node.end] if node else "")

    @property
    def place(self) -> Place:
        """The place of the version; the manifest if there is none."""
        document = self.manifest.document
        node = document.at(self.pointer)
        at = document.source.position(node.start) if node is not None else (1, 1)
        return Place(self.manifest.path, *at)

    @property
    def label(self) -> str:
        """The place for people, such as `version in SKILL.md`."""
        return f"{self.pointer.lstrip('/').replace('/', '.')} in {self.manifest.path}"


def asked_for(comparison: Comparison) -> str:
    """The version that the newer side should have, its declared one if that is sufficient."""
    bump = comparison.bump
    if bump.suggested and not bump.ok:
        return bump.suggested
    old, new = comparison.old, comparison.new
    declared_version = new.version if new else ""
    return declared_version or bump.suggested or (old.version if old else "") or FIRST


def check_versions(comparison: Comparison) -> None:
    """Check that all versions on which the required version depends can be bumped.

    These are all versions of the newer side, or of the older side if the newer one has none. Raises
    NotSemver for the first that is not a semantic version.
    """
    new, old = comparison.new, comparison.old
    sides = [new] if new is not None and new.version else [new, old]
    for side in filter(None, sides):
        # The version of a plugin is a semantic one.
        for wrong in () if side.plugin else places_of(side.skill):
            if _may_follow(wrong):
                continue
            instead = comparison.bump.suggested or _complete_version(wrong.version)
            message = (
                f"the version {display_value(wrong.text)} is not MAJOR.MINOR.PATCH of Semantic "
                "Versioning, so it cannot be bumped; write "
                f"{instead or 'a version such as 1.0.0'} in its place and bump again"
            )
            raise NotSemver(side.operand, wrong.place, message)


def _may_follow(carrier: Carrier) -> bool:
    """Whether a version can be bumped: it is missing or a semantic version."""
    if not carrier.version:
        node = resolve(carrier.manifest.document.at(carrier.pointer))
        if node is None or isinstance(node, Missing):
            return True
        return isinstance(node, Scalar) and node.value in (None, "")
    try:
        return semver_key(carrier.version) is not None
    except ValueError:
        return False  # Python refuses to convert numbers of thousands of digits.


def _complete_version(version: str) -> str:
    """The semantic version that a text probably means; empty if unclear."""
    numbers = version.strip().removeprefix("v").split(".")
    plain = len(numbers) <= 3 and all(number.isascii() and number.isdigit() for number in numbers)
    if not plain or max(map(len, numbers)) > 9:
        return ""
    return ".".join(str(int(number)) for number in (*numbers, "0", "0")[:3])


def tag_of(comparison: Comparison, name: str, version: str) -> str:
    """The tag of a version: of the skill, or of its plugin as `claude plugin tag` writes it."""
    plugin = comparison.new.plugin if comparison.new is not None else ""
    return f"{plugin}--v{version}" if plugin else f"{name}@{version}"


def tag_command(name: str, version: str, tag: str = "") -> str:
    """The shell command that tags a version. Raises BumpRefused if git does not allow the name."""
    tag = tag or f"{name}@{version}"
    if _NO_TAG.search(tag) or safe_text(tag) != tag:
        raise BumpRefused(
            f"{tag} is not a git tag name; use letters, digits and hyphens in the skill's name"
        )
    return f"git tag -a -m {shlex.quote(f'{name} {version}')} -- {shlex.quote(tag)}"


def places_of(skill: Skill) -> list[Carrier]:
    """All places of the skill's manifests that can contain its version."""
    carriers: list[Carrier] = []
    seen_places: set[tuple[int, str]] = set()
    for manifest in skill.manifests:
        pointer = manifest.place_of("version")
        if pointer and (id(manifest.document), pointer) not in seen_places:
            seen_places.add((id(manifest.document), pointer))
            carriers.append(Carrier(manifest, pointer, stated_text(manifest.document, pointer)))
    return carriers or [
        Carrier(manifest, pointers[-1], "")
        for manifest in skill.manifests
        if (pointers := manifest.dialect.states.get("version")) and manifest.part == "manifest"
        # A version that is no semantic one may be that of something else.
        if manifest.document.at(pointers[-1]) is None
    ]


def plan_bump(
    skill: Skill, version: str, changes: Sequence[Change], date: str
) -> dict[str, tuple[str | None, str]]:
    """The files that a bump changes: path to old text (None for a new file) and new text.

    The version is written where one exists, else to the first manifest that can contain it; `date`
    is for the changelog. Nothing is written. Raises BumpRefused.
    """
    places = places_of(skill)
    target_places = [place for place in places if place.version] or places[:1]
    if not target_places:
        raise BumpRefused(
            f"{skill.name} has no manifest that can declare a version; tag it instead: "
            f"{tag_command(skill.name, version)}"
        )
    splices: dict[str, list[Splice]] = {}
    texts: dict[str, str] = {}
    for place in target_places:
        source = place.manifest.document.source
        texts[source.path] = source.text
        try:
            document = place.manifest.document
            edits = set_value(document, *in_new_mapping(document, place.pointer, version))
        except EditRefused as error:
            raise BumpRefused(f"{source.path}: {error}") from None
        splices.setdefault(source.path, []).extend(edits)
    changed_files: dict[str, tuple[str | None, str]] = {
        path: (texts[path], apply(texts[path], sorted(file_splices)))
        for path, file_splices in splices.items()
        if file_splices
    }
    old = _changelog(skill)
    new = with_entry(old, version, date, changes)
    if new != old:
        changed_files[CHANGELOG] = (old, new)
    return changed_files


def _changelog(skill: Skill) -> str | None:
    kind = skill.tree.kind(CHANGELOG)
    if kind is None:
        return None
    if kind != "file":
        raise BumpRefused(f"{CHANGELOG} is not a regular file, so it was not changed")
    data = skill.tree.read(CHANGELOG, TOO_LARGE + 1)
    text, wrong = decode(data)
    if wrong is not None or len(data) > TOO_LARGE:
        raise BumpRefused(f"{CHANGELOG} is not UTF-8 or larger than 1 MiB, so it was not changed")
    return text


def with_entry(text: str | None, version: str, date: str, changes: Iterable[Change]) -> str:
    """The changelog with an entry for a version; all other text stays the same.

    None is a missing changelog. An existing entry for the version is kept. The new entry is
    inserted before the previous version, after unreleased changes.
    """
    headings = _headings(text or "")
    if any(name == version for _, name, _ in headings):
        return text or ""
    brackets = all(
        has_brackets for _, name, has_brackets in headings if name.lower() != "unreleased"
    )
    entry = _entry(version, date, changes, brackets)
    if not text:
        return "# Changelog\n\n" + entry
    newline = "\r\n" if "\r\n" in text else "\n"
    entry = entry.replace("\n", newline)
    at = next((start for start, name, _ in headings if name.lower() != "unreleased"), None)
    if at is not None:
        return f"{text[:at]}{entry}{newline}{text[at:]}"
    ended_text = text if text.endswith(("\n", "\r")) else text + newline
    gap = "" if ended_text.endswith(newline * 2) else newline
    return f"{ended_text}{gap}{entry}"


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
    marker = "**Breaking:** " if change.level == "major" and not change.waived else ""
    return f"- {marker}{where}{message}"


def _headings(text: str) -> list[tuple[int, str, bool]]:
    """The offset of each second-level heading, its title, and whether it is in brackets."""
    headings = []
    at = 0
    fence = ""
    for line in split_lines(text):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.match(line):
            headings.append((at, heading[2], heading[1] is not None))
        at += len(line)
    return headings
