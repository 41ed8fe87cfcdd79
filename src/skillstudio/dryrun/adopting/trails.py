"""The evidence of a report read back: what was done, and to which path, host or program."""

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
    r"(added|modified|removed|started|read|wrote|connected to|sent to|asked for the address of"
    r"|wanted a|asked for) (.*?)( \(refused: [^()]*\))?",
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
    """An absolute path, a host, or the words of a command: what declarations are held against."""
    masked: bool
    """Whether something sensitive stood in it, or seems to stand in it still."""

    @property
    def is_path(self) -> bool:
        return self.verb in _PATHS

    @property
    def program(self) -> str:
        """What was started, as it was called; "" where nothing was."""
        return program_in(self.about) if self.verb == "started" else ""

    @property
    def host(self) -> str:
        """The host that was spoken to, without its port; "" where none shows."""
        if self.verb == "asked for the address of":
            return self.about
        if self.verb in ("connected to", "sent to") and not self.about.startswith("unix:"):
            return self.about.rpartition(":")[0]
        return ""


def trails(effect: JudgedEffect, roots: Roots, home: str) -> list[Trail]:
    """The lines of an effect that can be read; those that only count others cannot."""
    return list(_trails(effect.evidence, roots, home))


def is_cut(effect: JudgedEffect) -> bool:
    """Whether more was seen than stands in the report."""
    return any(_MORE.fullmatch(line) for line in effect.evidence)


def _trails(lines: Sequence[str], roots: Roots, home: str) -> Iterator[Trail]:
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is not None:
            verb, about = found[1], found[2]
            if verb in _CHANGES:
                about = _placed(about, roots)
            if verb in _PATHS and (about == "~" or about.startswith("~/")):
                about = home + about[1:]
            trail = Trail(line, verb, about, False)
            yield trail._replace(masked=_is_sensitive(trail.program or _within(about, roots, home)))
        elif line.startswith(SCHEME):
            yield Trail(line, "", line, True)


def _is_sensitive(about: str) -> bool:
    return holds_mask(about) or SCHEME in about or looks_like_secret(about)


def _within(about: str, roots: Roots, home: str) -> str:
    """A path below one of the folders, which have any names that their machine gave them."""
    inside = (below(about, each) for each in (roots.skill, roots.workspace, home))
    return next((each for each in inside if each is not None), about)


def _placed(told: str, roots: Roots) -> str:
    """Where a file that changed lies; a path that begins with `~` or `/` says so itself."""
    if told.startswith("~/") or os.path.isabs(told):
        return told
    inside = told.removesuffix(_IN_SKILL)
    return f"{roots.skill if inside != told else roots.workspace}/{inside}"
