"""Which skills of the workspace a prompt finds, as they are open: what a screen shows of it.

`read` and `find` belong into a thread; both give up as soon as they are not wanted any more.
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
Progress = Callable[[int, int], None]
"""Told how many skills of how many are read."""
ROOT = "."
"""The path of a skill that is the workspace itself."""


class Hit(NamedTuple):
    """A skill beside a prompt. Texts may hold anything: whoever shows them makes them safe."""

    skill: str
    """Its folder in the workspace; "" for the workspace itself."""
    place: str
    """Which of those that are found it is; "·" where it is not."""
    name: str
    """With its folder, where two have the same."""
    about: str
    """Why, in a line."""
    lines: tuple[Line, ...]
    """All that is to be said of it."""
    style: LineStyle = ""


class Prompted(NamedTuple):
    """What a prompt comes to."""

    prompt: str
    told: str
    """How many are found, and how many compete, in a sentence."""
    hits: tuple[Hit, ...] = ()
    """Those that are found in their order, then the others by path."""
    notes: tuple[str, ...] = ()
    """What could not be read, a sentence each."""


class Discovering:
    """The prompt that is looked at, and the skills as they were read last."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._library = Library(())
        self._known: Mapping[str, Known] = {}
        self._unread: tuple[str, ...] = ()
        self.prompt = ""
        """What was asked last."""

    def read(self, unsaved: Mapping[str, str], is_wanted: Wanted, progress: Progress) -> bool:
        """Read the skills of the workspace with the unsaved texts; whether it came to the end."""
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
        """What a prompt finds among the skills that were read; None once it is not wanted."""
        if not prompt.strip():
            return Prompted(prompt, "type a prompt for an agent", notes=self._unread)
        found = self._library.find(prompt, is_wanted)
        if found is None:
            return None
        hits = tuple(_hits(found, self._known)) if found.words else ()
        return Prompted(prompt, summary_text(found), hits, (*self._unread, *found.notes))


def _hits(found: Discovery, known: Mapping[str, Known]) -> Iterator[Hit]:
    names = {path: each.name for path, each in known.items()}
    several = {name for name, number in Counter(names.values()).items() if number > 1}
    for number, each in enumerate(found.found, 1):
        rivals = rivals_of(each, found)
        about = " · ".join(match_text(match) for match in each.matches)
        lines = (
            *span_lines(reason_lines(each, rivals, names)),
            *_about(known[each.path], each.priority),
        )
        style: LineStyle = "warning" if rivals else "good"
        name = f"{each.name} ({each.path})" if each.name in several else each.name
        yield Hit(_skill(each.path), str(number), name, about, lines, style)
    for path in found.missed:
        lines = (line((NOWHERE, "quiet")), *_about(known[path]))
        name = f"{names[path]} ({path})" if names[path] in several else names[path]
        yield Hit(_skill(path), "·", name, "no match", lines, "quiet")


def _skill(path: str) -> str:
    return "" if path == ROOT else path


def _about(known: Known, priority: int | None = None) -> Iterator[Line]:
    """What discovery looks at in a skill, and what of it could not be read."""
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
