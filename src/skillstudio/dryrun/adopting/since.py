"""Whether the skill changed since the run, and what that means for each finding."""

from __future__ import annotations

import os
from calendar import timegm
from collections.abc import Iterable
from itertools import islice
from time import strptime
from typing import NamedTuple

from skillstudio.dryrun.adopting.finding import AdoptFinding, Case
from skillstudio.dryrun.report import RunReport
from skillstudio.files.paths import make_relative
from skillstudio.files.temporary import is_temporary

_UNOBSERVED_PREFIX = "unobserved:"
_FIELD = "field:"
_MOST = 10_000  # Files of a skill whose times are read.
_MAX_NAMED = 3
_PASSED_OVER = (".git", "__pycache__", "node_modules", ".venv")


class Since(NamedTuple):
    """What changed in a skill since a run."""

    newer: tuple[str, ...]  # Unsaved files and files newer than the run; removed files are unknown.
    only_manifest: bool
    then: str  # What the manifest declared during the run, a word per line.

    @property
    def summary(self) -> str:
        """What it means for all findings, to follow the skill's name."""
        names = ", ".join(self.newer[:_MAX_NAMED])
        remainder = (
            f" and {len(self.newer) - _MAX_NAMED} more" if len(self.newer) > _MAX_NAMED else ""
        )
        what = f" ({names}{remainder})" if names else ""
        return (
            f"has changed since this run{what}; what it declares now is left out, and only a new "
            "run shows what it does now"
        )


def since(case: Case, folder: str, unsaved_files: Iterable[str] = ()) -> Since | None:
    """What changed since the run, else None; `unsaved_files` are files whose open text the case
    has."""
    from skillstudio.skill.hashing.content_hash import HashRefused, hash_tree

    report = case.report
    then = (report.identity or {}).get("content_hash")
    try:
        if not then or hash_tree(case.tree).content_hash == then:
            return None
    except (HashRefused, OSError):
        return None
    newer = tuple(dict.fromkeys((*sorted(unsaved_files), *_newer(folder, report.started_at))))
    manifests = {case.manifest.path, "SKILL.md"}
    return Since(newer, bool(newer) and manifests.issuperset(newer), _join_declared(report))


def explain_change(finding: AdoptFinding, of: Since) -> str:
    """What the change means for one finding."""
    about = finding.id.removeprefix(_UNOBSERVED_PREFIX)
    if finding.id.startswith(_UNOBSERVED_PREFIX) and not about.startswith(_FIELD):
        subject = about.partition(":")[2]
        if subject and subject not in of.then:
            return "declared after the run, so the run proves nothing about it"
    if of.only_manifest:
        return "only the manifest is newer than the run, so this still applies"
    if finding.id.startswith(_UNOBSERVED_PREFIX):
        return "the run used other files; the current ones may use it"
    return "the run used other files; the current ones may behave differently"


def _newer(folder: str, started_at: str) -> list[str]:
    try:
        start_time = timegm(strptime(started_at, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return []
    newer_files: list[str] = []
    for path in islice(_files(folder), _MOST):
        try:
            # The time of the run has whole seconds.
            if os.lstat(path).st_mtime >= start_time + 1:
                newer_files.append(make_relative(path, folder).replace(os.sep, "/"))
        except OSError:
            continue
    return sorted(newer_files)


def _files(folder: str) -> Iterable[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [
            name for name in folders if name not in _PASSED_OVER and not is_temporary(name)
        ]
        yield from (os.path.join(place, name) for name in names if not is_temporary(name))


def _join_declared(report: RunReport) -> str:
    plan = report.plan
    words = [*plan.effects, *(output.pattern for output in plan.outputs)]
    words += [requirement.name for requirement in plan.requirements]
    words += [effect.effect for effect in report.effects if effect.declared]
    return "\n".join(words)
