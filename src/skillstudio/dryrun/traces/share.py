"""Prepare a trace for others: without personal folders and what looks like a credential."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from skillstudio.dryrun.report import map_texts
from skillstudio.dryrun.traces.reading import Trace
from skillstudio.skill.hashing.sanitise import sanitise


class NotShared(Exception):
    """A trace that must not be shared like this: a sentence."""


def share(
    trace: Trace, mask: Callable[[str], str], home: str = "", is_reviewed: bool = False
) -> dict[str, Any]:
    """The trace to share, as JSON; `mask` masks what looks like a credential. Raises NotShared for
    a sensitive skill that was not reviewed."""
    if (trace.sensitive or trace.mode == "aggressive") and not is_reviewed:
        raise NotShared(
            "the skill is sensitive, and so may its trace be; read the output of trace show, then "
            "add --reviewed"
        )
    roots = trace.report.plan.roots
    home_folders = [
        (folder, "LOCAL") for folder in dict.fromkeys((os.path.realpath(home), home)) if home
    ]
    both = [(roots.skill, "SKILL"), (roots.workspace, "WORKSPACE")]

    def clean(text: str, folders: Sequence[tuple[str, str]] = (*both, *home_folders)) -> str:
        for folder, name in folders:
            text = _without(text, folder, name)
        return mask(sanitise(text))

    # For the source of a version, ADR-003 keeps paths below the home folder.
    execution = map_texts(trace.value["execution"], partial(clean, folders=home_folders))
    return {**map_texts(dict(trace.value), clean), "execution": execution, "shared": True}


def _without(text: str, folder: str, name: str) -> str:
    if len(folder) < 2 or folder not in text:
        return text
    return re.sub(rf"{re.escape(folder)}(?=$|[/\\\s\"'#:,)])", lambda _: name, text)
