"""Observed paths and hosts as the fewest list items that cover no more than was observed."""

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
"""Files of one folder that are listed one by one; more become the folder."""


def paths(case: Case, seen: Sequence[Trail]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Items for a list of paths: the item, an explanation, and the evidence lines it covers.

    A folder replaces names that contain an input and groups of many files, unless it is the whole
    workspace or home folder.
    """
    found = {each.about: each.line for each in seen if each.is_path}
    whole = (case.roots.workspace, case.home, "/")
    wide: dict[str, str] = {}
    for path in found:
        folder = os.path.dirname(path)
        siblings = [each for each in found if os.path.dirname(each) == folder]
        name = _input_in(case, os.path.basename(path))
        if folder in whole:
            wide[path] = f"; other values of {name} may use another file" if name else ""
        elif name:
            wide[folder] = f": the folder, because file names contain the input {name}"
        elif len(siblings) > MOST:
            wide[folder] = f": the folder, because of {len(siblings)} files in it"
        else:
            wide.setdefault(path, "")
    for path, about in wide.items():
        if any(other != path and covers(other, path, "path") for other in wide):
            continue
        lines = tuple(line for each, line in found.items() if covers(path, each, "path"))
        yield _spelled(case, path), about, lines


def hosts(seen: Sequence[Trail]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each host with its evidence, in order of first contact."""
    named = [each for each in seen if each.host and not each.masked]
    for host in dict.fromkeys(each.host for each in named):
        yield host, tuple(each.line for each in named if each.host == host)


def _spelled(case: Case, path: str) -> str:
    """A path as written in `skill.toml`."""
    for start, folder in ((".", case.roots.workspace), ("~", case.home)):
        inside = below(path, folder)
        if inside is not None:
            return f"{start}/{inside}" if inside or start == "." else start
    return path


def _input_in(case: Case, name: str) -> str:
    """An input whose value occurs in a name, else ""."""
    for each, value in case.report.plan.inputs.items():
        if each and not isinstance(value, bool | list | dict) and stands_in(rendered(value), name):
            return each
    return ""
