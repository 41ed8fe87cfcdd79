"""Test a block of commands: run it by a shell in copies, and compare what it prints."""

from __future__ import annotations

import os
import re
import threading
import time
from typing import NamedTuple

from skillstudio.dryrun.isolation.levels import IsolationUnavailable
from skillstudio.dryrun.plan import ANY_NETWORK
from skillstudio.dryrun.planning.run_inputs import WorkspaceRefused, find_roots
from skillstudio.dryrun.run import CompletedRun, OutOfTime, dry_run
from skillstudio.dryrun.sampling.blocks import ConsoleBlock, block_differences
from skillstudio.dryrun.sampling.expecting import ANY_PART, SampleDifference, text_of_both
from skillstudio.dryrun.sampling.moments import Clock
from skillstudio.dryrun.sampling.sample import Sample
from skillstudio.dryrun.shell import CONTAINED, outputs, shell_commands, shell_request
from skillstudio.dryrun.staging.staged import StagingRefused
from skillstudio.dryrun.testing import Testing, printed_text, sample_folder
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.files.folders import remove
from skillstudio.manifest.launching import Launching

TIMEOUT = 30.0  # Seconds for all commands of a block.


class TestedBlock(NamedTuple):
    """What a test of a block found."""

    differs: tuple[SampleDifference, ...] = ()
    skipped: str = ""  # Why it was not run, where that is no failure.
    seconds: float = 0.0
    isolation: str = ""
    printed: tuple[str, ...] = ()
    """The output to show for each command instead; empty if it was not asked for or a command did
    not run."""


class _Ran(NamedTuple):
    printed: tuple[str | None, ...]
    problems: tuple[str, ...]
    seconds: float = 0.0
    isolation: str = ""
    skipped: str = ""
    folders: tuple[str, ...] = ()


def try_block(
    testing: Testing,
    block: ConsoleBlock,
    cancel: threading.Event,
    may_copy: bool = False,
    is_asked: bool = False,
) -> TestedBlock:
    """Test a block in an empty workspace; its commands start in the copy of the skill. With
    `may_copy` also without containment. If `is_asked`, find what to show instead by a second run.
    Raises OSError when the copies cannot be written."""
    start = time.time()
    ran = _run(testing, block, cancel, may_copy)
    if ran.skipped:
        return TestedBlock(skipped=ran.skipped)
    found = [*map(SampleDifference, ran.problems)]
    if not ran.problems or any(text is not None for text in ran.printed):
        found += [
            SampleDifference(difference.message, difference.diff)
            for difference in block_differences(block, ran.printed)
        ]
    tested = TestedBlock(tuple(found), "", ran.seconds, ran.isolation)
    if not is_asked or not found or ran.problems or None in ran.printed:
        return tested
    again = _run(testing, block, cancel, may_copy)
    pairs = list(zip(ran.printed, again.printed, strict=True))
    clock = Clock(start, time.time(), "\n".join(command.text for command in block.commands))
    made = tuple(
        text_of_both(clock.elide_all(one), clock.elide_all(other))
        for one, other in pairs
        if one is not None and other is not None
    )
    return tested._replace(printed=made if len(made) == len(pairs) else ())


def _run(testing: Testing, block: ConsoleBlock, cancel: threading.Event, may_copy: bool) -> _Ran:
    nothing = (None,) * len(block.commands)
    try:
        isolation = testing.isolation(Launching(""), ANY_NETWORK)
    except IsolationUnavailable as error:
        return _Ran(nothing, (str(error),))
    if isolation.id not in CONTAINED and not (may_copy and isolation.id == "copy"):
        return _Ran(nothing, (), skipped="a shell needs the isolation level confined or isolated")
    shell = shell_commands([command.text for command in block.commands])
    try:
        with sample_folder(Sample("", ""), testing.folder, copies_folder()) as folder:
            workspace = testing.workspace or folder
            home = os.path.expanduser("~")
            roots = find_roots(testing.folder, workspace, None, testing.folder, home)
            name = f"{block.path}:{block.line}"
            request = shell_request(name, roots, isolation, shell.argv, roots.skill, TIMEOUT)
            finished = dry_run(request, cancel)
            try:
                return _ran(finished, block, shell.mark)
            finally:
                remove(finished.folder)
    except (WorkspaceRefused, StagingRefused, OutOfTime) as error:
        return _Ran(nothing, (str(error),))
    except InterruptedError:
        return _Ran(nothing, ("cancelled",))


def _ran(finished: CompletedRun, block: ConsoleBlock, mark: str) -> _Ran:
    report = finished.report
    ended = report.ended
    text = printed_text(os.path.join(finished.folder, "stdout"), finished.staged)
    problems = [] if text is not None else ["the output is not UTF-8, or is too long to compare"]
    if ended.timed_out:
        problems.append(f"the commands took longer than {TIMEOUT:g} s")
    elif ended.error:
        problems.append(ended.error)
    folders = [path for copy in finished.staged.copies for path in (copy.folder, copy.original)]
    own = "|".join(map(re.escape, sorted(folders, key=len, reverse=True)))
    found, _ = outputs(
        re.sub(rf"(?:{own})(?![\w.-])", ANY_PART, text or ""), mark, len(block.commands)
    )
    level = report.plan.isolation.id
    return _Ran(tuple(found), tuple(problems), ended.duration_ms / 1000, level)
