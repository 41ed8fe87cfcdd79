"""Discovery: the skills of the workspace that match a prompt, with unsaved texts.

`read` and `find` must be called in a thread; both stop when `is_wanted` returns false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from skillstudio.manifest.locate import locate
from skillstudio.present.discovery import (
    NOWHERE,
    match_text,
    reason_lines,
    rivals_of,
    summary_text,
)
from skillstudio.present.lines import LineStyle
from skillstudio.preview.discovery.find import Discovery, Library
from skillstudio.preview.discovery.known import Known, know
from skillstudio.preview.spans import Line, line
from skillstudio.session.previewing.files import span_lines
from skillstudio.session.workspace import Workspace

Wanted = Callable[[], bool]
Progress = Callable[[int, int], None]  # Called with the number of read skills and of all.
ROOT = "."  # The path of a skill that is the workspace itself.


class Hit(NamedTuple):
    """The result of a prompt for one skill. Its texts may be unsafe for a terminal."""

    skill: str  # Its folder in the workspace; "" for the workspace itself.
    place: str  # Its rank; "·" if it does not match.
    name: str
    about: str
    lines: tuple[Line, ...]
    style: LineStyle = ""


class Prompted(NamedTuple):
    """The result of a prompt."""

    prompt: str
    summary: str  # The number of matching and of competing skills, in a sentence.
    hits: tuple[Hit, ...] = ()  # The matches by rank, then the other skills by path.
    notes: tuple[str, ...] = ()


class Discovering:
    """The last prompt, and the skills as they were read last."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._library = Library(())
        self._known: Mapping[str, Known] = {}
        self._unread: tuple[str, ...] = ()
        self.prompt = ""

    def read(self, unsaved: Mapping[str, str], is_wanted: Wanted, progress: Progress) -> bool:
        """Read the skills of the workspace with unsaved texts; return whether all were read."""
        skills = sorted(self._workspace.skills)
        known: dict[str, Known] = {}
        unread: list[str] = []
        for number, skill in enumerate(skills, 1):
            if not is_wanted():
                return False
            path = skill or ROOT
            try:
                tree = self._workspace.files(skill, unsaved)
                known[path] = know(locate(tree, self._workspace.settings(skill)).skill, path)
            except OSError as error:
                unread.append(f"{path} cannot be read: {error.strerror or error}")
            progress(number, len(skills))
        self._library, self._known = Library(known.values()), known
        self._unread = tuple(unread)
        return True

    def find(self, prompt: str, is_wanted: Wanted) -> Prompted | None:
        """The result of a prompt for the skills that were read; None if it is not wanted."""
        if not prompt.strip():
            return Prompted(prompt, "enter a prompt for an agent", notes=self._unread)
        found = self._library.find(prompt, is_wanted)
        if found is None:
            return None
        hits = tuple(_hits(found, self._known)) if found.words else ()
        return Prompted(prompt, summary_text(found), hits, (*self._unread, *found.notes))


def _hits(found: Discovery, known: Mapping[str, Known]) -> Iterator[Hit]:
    names = {path: each.name for path, each in known.items()}
    several = {name for name, number in Counter(names.values()).items() if number > 1}
    shown = {path: f"{name} ({path})" if name in several else name for path, name in names.items()}
    for number, each in enumerate(found.found, 1):
        rivals = rivals_of(each, found)
        about = " · ".join(match_text(match) for match in each.matches)
        lines = (
            *span_lines(reason_lines(each, rivals, names)),
            *_about(known[each.path], each.priority),
        )
        style: LineStyle = "warning" if rivals else "good"
        skill = "" if each.path == ROOT else each.path
        yield Hit(skill, str(number), shown[each.path], about, lines, style)
    for path in found.missed:
        lines = (line((NOWHERE, "quiet")), *_about(known[path]))
        yield Hit("" if path == ROOT else path, "·", shown[path], "no match", lines, "quiet")


def _about(known: Known, priority: int | None = None) -> Iterator[Line]:
    yield from (line((note, "warning")) for note in known.notes)
    yield ()
    yield line((known.path, "place"))
    if known.topics:
        of = f" (priority {priority})" if priority is not None else ""
        yield line(("topics", "key"), f"{of}  {', '.join(known.topics)}")
    for topic, words in known.synonyms.items():
        yield line(("synonyms", "key"), f"  {topic}: {', '.join(words)}")
    if known.tags:
        yield line(("capabilities", "key"), f"  {', '.join(known.tags)}")
    yield line(("description", "key"), f"  {' '.join(known.description.split()) or 'none'}")
