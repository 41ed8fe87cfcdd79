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
from skillstudio.dryrun.shell import CONTAINED_LEVELS, outputs, shell_commands, shell_request
from skillstudio.dryrun.staging.staged import StagingRefused
from skillstudio.dryrun.testing import SampleTestContext, printed_text, sample_folder
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.files.folders import remove
from skillstudio.manifest.launching import LaunchSpec

TIMEOUT = 30.0  # Seconds for all commands of a block.


class TestedBlock(NamedTuple):
    """What a test of a block found."""

    differs: tuple[SampleDifference, ...] = ()
    skipped: str = ""  # Why it was not run, where that is no failure.
    seconds: float = 0.0
    isolation: str = ""
    printed_outputs: tuple[str, ...] = ()
    """The output to show for each command instead; empty if it was not asked for or a command did
    not run."""


class _Ran(NamedTuple):
    printed_texts: tuple[str | None, ...]
    problems: tuple[str, ...]
    seconds: float = 0.0
    isolation: str = ""
    skipped: str = ""
    folders: tuple[str, ...] = ()


def try_block(
    testing: SampleTestContext,
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
    differences = [*map(SampleDifference, ran.problems)]
    if not ran.problems or any(text is not None for text in ran.printed_texts):
        differences += [
            SampleDifference(difference.message, difference.diff)
            for difference in block_differences(block, ran.printed_texts)
        ]
    result = TestedBlock(tuple(differences), "", ran.seconds, ran.isolation)
    if not is_asked or not differences or ran.problems or None in ran.printed_texts:
        return result
    again = _run(testing, block, cancel, may_copy)
    pairs = list(zip(ran.printed_texts, again.printed_texts, strict=True))
    clock = Clock(start, time.time(), "\n".join(command.text for command in block.commands))
    texts = tuple(
        text_of_both(clock.elide_all(text), clock.elide_all(other))
        for text, other in pairs
        if text is not None and other is not None
    )
    return result._replace(printed_outputs=texts if len(texts) == len(pairs) else ())


def _run(
    testing: SampleTestContext, block: ConsoleBlock, cancel: threading.Event, may_copy: bool
) -> _Ran:
    nothing = (None,) * len(block.commands)
    try:
        isolation = testing.isolation(LaunchSpec(""), ANY_NETWORK)
    except IsolationUnavailable as error:
        return _Ran(nothing, (str(error),))
    if isolation.id not in CONTAINED_LEVELS and not (may_copy and isolation.id == "copy"):
        return _Ran(nothing, (), skipped="a shell needs the isolation level confined or isolated")
    shell = shell_commands([command.text for command in block.commands])
    try:
        with sample_folder(Sample("", ""), testing.folder, copies_folder()) as folder:
            workspace = testing.workspace or folder
            home = os.path.expanduser("~")
            roots = find_roots(testing.folder, workspace, None, testing.folder, home)
            name = f"{block.path}:{block.line}"
            request = shell_request(name, roots, isolation, shell.argv, roots.skill, TIMEOUT)
            completed_run = dry_run(request, cancel)
            try:
                return _ran(completed_run, block, shell.mark)
            finally:
                remove(completed_run.folder)
    except (WorkspaceRefused, StagingRefused, OutOfTime) as error:
        return _Ran(nothing, (str(error),))
    except InterruptedError:
        return _Ran(nothing, ("cancelled",))


def _ran(completed_run: CompletedRun, block: ConsoleBlock, mark: str) -> _Ran:
    report = completed_run.report
    ending = report.ending
    text = printed_text(os.path.join(completed_run.folder, "stdout"), completed_run.staged_copies)
    problems = [] if text is not None else ["the output is not UTF-8, or is too long to compare"]
    if ending.timed_out:
        problems.append(f"the commands took longer than {TIMEOUT:g} s")
    elif ending.error:
        problems.append(ending.error)
    folders = [
        path for copy in completed_run.staged_copies.copies for path in (copy.folder, copy.original)
    ]
    folder_pattern = "|".join(map(re.escape, sorted(folders, key=len, reverse=True)))
    printed_texts, _ = outputs(
        re.sub(rf"(?:{folder_pattern})(?![\w.-])", ANY_PART, text or ""), mark, len(block.commands)
    )
    level = report.plan.isolation.id
    return _Ran(tuple(printed_texts), tuple(problems), ending.duration_ms / 1000, level)
