"""Paths and hosts that were seen, as few items of a list as say no more than what was seen."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from skillstudio.dryrun.adopting.finding import Case
from skillstudio.dryrun.adopting.generalising import stands_in
from skillstudio.dryrun.adopting.trails import Trail
from skillstudio.dryrun.planning.typed import rendered
from skillstudio.files.paths import below
from skillstudio.interface.covering import covers

MOST = 3
"""So many files of a folder are named each by itself; of more, the folder."""


def paths(case: Case, seen: Sequence[Trail]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Items for a list of paths: the item, what was done to it in words, and what it stands for.

    A folder stands for what varies with an input and for what is many, unless it is all of the
    project or of the home folder.
    """
    found = {each.about: each.line for each in seen if each.is_path}
    whole = (case.roots.workspace, case.home, "/")
    wide: dict[str, str] = {}
    for path in found:
        folder = os.path.dirname(path)
        siblings = [each for each in found if os.path.dirname(each) == folder]
        name = _input_in(case, os.path.basename(path))
        if folder in whole:
            wide[path] = f"; with other values of {name} it may be another file" if name else ""
        elif name:
            wide[folder] = f": the folder, as the names in it have the input {name}"
        elif len(siblings) > MOST:
            wide[folder] = f": the folder, for {len(siblings)} files of it"
        else:
            wide.setdefault(path, "")
    for path, about in wide.items():
        if any(other != path and covers(other, path, "path") for other in wide):
            continue
        lines = tuple(line for each, line in found.items() if covers(path, each, "path"))
        yield _spelled(case, path), about, lines


def hosts(seen: Sequence[Trail]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each host with what was seen of it, in the order in which they were spoken to."""
    named = [each for each in seen if each.host and not each.masked]
    for host in dict.fromkeys(each.host for each in named):
        yield host, tuple(each.line for each in named if each.host == host)


def _spelled(case: Case, path: str) -> str:
    """A path as `skill.toml` writes one."""
    for start, folder in ((".", case.roots.workspace), ("~", case.home)):
        inside = below(path, folder)
        if inside is not None:
            return f"{start}/{inside}" if inside or start == "." else start
    return path


def _input_in(case: Case, name: str) -> str:
    """An input whose value stands in a name."""
    for each, value in case.report.plan.inputs.items():
        if each and not isinstance(value, bool | list | dict) and stands_in(rendered(value), name):
            return each
    return ""
