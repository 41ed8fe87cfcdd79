"""A trace for others: without the person's folders, and without what looks like a credential."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from skillstudio.dryrun.traces.reading import Trace
from skillstudio.skill.hashing.sanitise import sanitise


class NotShared(Exception):
    """A trace that does not leave the machine like this: a sentence."""


def share(
    trace: Trace, mask: Callable[[str], str], home: str = "", is_reviewed: bool = False
) -> dict[str, Any]:
    """The trace as it can be given away, as a JSON value.

    `mask` takes out what looks like a credential; `home` is this user's own folder, wherever it
    lies. Raises NotShared for a sensitive skill that nobody reviewed.
    """
    if (trace.sensitive or trace.mode == "aggressive") and not is_reviewed:
        raise NotShared(
            "the skill is sensitive, and so is what its runs did: read what trace show prints of "
            "it, then say --reviewed"
        )
    roots = trace.report.plan.roots
    own = [(folder, "LOCAL") for folder in dict.fromkeys((os.path.realpath(home), home)) if home]
    both = [(roots.skill, "SKILL"), (roots.workspace, "WORKSPACE")]

    def clean(text: str, folders: Sequence[tuple[str, str]] = (*both, *own)) -> str:
        for folder, name in folders:
            text = _without(text, folder, name)
        return mask(sanitise(text))

    # Of where a version comes from the path below the home folder stays, as ADR-003 has it.
    execution = _cleaned(trace.value["execution"], partial(clean, folders=own))
    return {**_cleaned(dict(trace.value), clean), "execution": execution, "shared": True}


def _without(text: str, folder: str, name: str) -> str:
    if len(folder) < 2 or folder not in text:
        return text
    return re.sub(rf"{re.escape(folder)}(?=$|[/\\\s\"'#:,)])", lambda _: name, text)


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _cleaned(each, clean) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(each, clean) for each in value]
    return value
