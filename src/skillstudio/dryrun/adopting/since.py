"""Whether the skill is another one than that which ran, and what that means for each finding.

Findings are always those of what is declared now. What was seen was seen of the files as they
were: only another run tells what they do by now.
"""

from __future__ import annotations

import os
from calendar import timegm
from collections.abc import Iterable
from itertools import islice
from time import strptime
from typing import NamedTuple

from skillstudio.dryrun.adopting.finding import AdoptFinding, Case
from skillstudio.dryrun.report import RunReport
from skillstudio.files.temporary import is_temporary

_UNOBSERVED = "unobserved:"
_FIELD = "field:"
_MOST = 10_000
"""Files of a skill whose times are looked at."""
_NAMED = 3
_PASSED_OVER = (".git", "__pycache__", "node_modules", ".venv")


class Since(NamedTuple):
    """What of a skill changed since a run of it."""

    newer: tuple[str, ...]
    """Files that are newer than the run, by their times, and those that are unsaved; a file that
    went leaves no trace."""
    only_manifest: bool
    """Whether nothing but the manifest is among them."""
    then: str
    """What the manifest declared when it ran, a word a line."""

    @property
    def told(self) -> str:
        """What it means for all of the findings, as the end of a sentence about the skill."""
        named = ", ".join(self.newer[:_NAMED])
        more = f" and {len(self.newer) - _NAMED} more" if len(self.newer) > _NAMED else ""
        what = f" ({named}{more})" if named else ""
        return (
            f"has changed since this run{what}; what it declares by now is left out, and what it "
            "does by now only another run tells"
        )


def since(case: Case, folder: str, unsaved: Iterable[str] = ()) -> Since | None:
    """What changed of the skill in a folder; None where nothing did, or nobody knows.

    `unsaved` are files of it whose open text is what the case is of.
    """
    from skillstudio.skill.hashing.content_hash import HashRefused, hash_tree

    report = case.report
    then = (report.identity or {}).get("content_hash")
    try:
        if not then or hash_tree(case.tree).content_hash == then:
            return None
    except (HashRefused, OSError):
        return None
    newer = tuple(dict.fromkeys((*sorted(unsaved), *_newer(folder, report.started_at))))
    manifests = {case.manifest.path, "SKILL.md"}
    return Since(newer, bool(newer) and manifests.issuperset(newer), _declared(report))


def meaning(finding: AdoptFinding, of: Since) -> str:
    """What the change means for one finding."""
    about = finding.id.removeprefix(_UNOBSERVED)
    if finding.id.startswith(_UNOBSERVED) and not about.startswith(_FIELD):
        subject = about.partition(":")[2]
        if subject and subject not in of.then:
            return "it is declared only since the run: that this run saw none of it says nothing"
    if of.only_manifest:
        return "by the times of the files only the manifest is newer than the run: this holds"
    if finding.id.startswith(_UNOBSERVED):
        return "the run was of other files: these may use it by now"
    return "this was seen of other files: these may do otherwise by now"


def _newer(folder: str, started_at: str) -> list[str]:
    """Files that were written after a run began, by path."""
    try:
        started = timegm(strptime(started_at, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return []
    found: list[str] = []
    for path in islice(_files(folder), _MOST):
        try:
            # The time of the run has no parts of a second.
            if os.lstat(path).st_mtime >= started + 1:
                found.append(os.path.relpath(path, folder).replace(os.sep, "/"))
        except OSError:
            continue
    return sorted(found)


def _files(folder: str) -> Iterable[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [
            each for each in folders if each not in _PASSED_OVER and not is_temporary(each)
        ]
        yield from (os.path.join(place, name) for name in names if not is_temporary(name))


def _declared(report: RunReport) -> str:
    plan = report.plan
    words = [*plan.effects, *(each.pattern for each in plan.outputs)]
    words += [each.name for each in plan.requirements]
    words += [each.effect for each in report.effects if each.declared]
    return "\n".join(words)
