"""Parse the evidence lines of a report: what was done to which path, host or program."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillstudio.dryrun.judging.declared import program_in
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import JudgedEffect
from skillstudio.dryrun.traces.key import SCHEME, holds_mask
from skillstudio.files.paths import below
from skillstudio.manifest.secrets import looks_like_secret

_CHANGES = ("added", "modified", "removed")
_LINE = re.compile(
    r"(added|modified|removed|started|read|wrote|connected to|sent to|looked up"
    r"|requested a|called) (.*?)( \(refused: [^()]*\))?",
    re.DOTALL,
)
_MORE = re.compile(r"and [0-9]+ more")
_IN_SKILL = " (in the skill)"
_PATHS = frozenset((*_CHANGES, "read", "wrote"))


class Trail(NamedTuple):
    """One line of evidence."""

    line: str
    verb: str
    about: str
    """An absolute path, a host or a command line, as declarations are matched against."""
    masked: bool
    """Whether it contains a mask or something that looks like a credential."""

    @property
    def is_path(self) -> bool:
        return self.verb in _PATHS

    @property
    def program(self) -> str:
        """The started program, as it was called, else ""."""
        return program_in(self.about) if self.verb == "started" else ""

    @property
    def host(self) -> str:
        """The contacted host without its port, else ""."""
        if self.verb == "looked up":
            return self.about
        if self.verb in ("connected to", "sent to") and not self.about.startswith("unix:"):
            return self.about.rpartition(":")[0]
        return ""


def trails(effect: JudgedEffect, roots: Roots, home: str) -> list[Trail]:
    """The parsed evidence of an effect, without lines that only count others."""
    return list(_trails(effect.evidence, roots, home))


def is_cut(effect: JudgedEffect) -> bool:
    """Whether the report does not list all that was observed."""
    return any(_MORE.fullmatch(line) for line in effect.evidence)


def _trails(lines: Sequence[str], roots: Roots, home: str) -> Iterator[Trail]:
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is not None:
            verb, about = found[1], found[2]
            if verb in _CHANGES:
                about = absolute_path(about, roots)
            if verb in _PATHS and (about == "~" or about.startswith("~/")):
                about = home + about[1:]
            trail = Trail(line, verb, about, False)
            name = trail.program or _within(about, roots, home)
            masked = holds_mask(name) or SCHEME in name or looks_like_secret(name)
            yield trail._replace(masked=masked)
        elif line.startswith(SCHEME):
            yield Trail(line, "", line, True)


def _within(about: str, roots: Roots, home: str) -> str:
    """A path relative to one of the run's folders, whose own names do not matter."""
    inside = (below(about, each) for each in (roots.skill, roots.workspace, home))
    return next((each for each in inside if each is not None), about)


def absolute_path(path: str, roots: Roots) -> str:
    """The absolute path of a changed file as the report names it."""
    if path.startswith("~/") or os.path.isabs(path):
        return path
    inside = path.removesuffix(_IN_SKILL)
    return f"{roots.skill if inside != path else roots.workspace}/{inside}"
