"""Test a sample: the folder it runs in, and its expectation, recorded from one run and compared
with the next."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.sampling.sample import REPO_ROOT, SampleRefused, SampleWorkspace
from skillstudio.dryrun.staging.leftovers import claim
from skillstudio.files.folders import remove
from skillstudio.files.git import GitError, ask_git
from skillstudio.files.paths import below
from skillstudio.files.temporary import is_temporary
from skillstudio.manifest.values import mapping, sequence

_MOMENT = "2025-01-01T12:00:00Z"
_AUTHOR = ("-c", "user.name=skillstudio", "-c", "user.email=skillstudio@localhost",
           "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false")  # fmt: skip


@contextmanager
def sample_folder(
    workspace: SampleWorkspace, skill_folder: str, parent: str
) -> Iterator[str | None]:
    """A new folder with copies as the sample requests; None for the skill's repository. Raises
    SampleRefused, and OSError when it cannot be created."""
    if workspace.folder == REPO_ROOT and not workspace.git:
        yield None
        return
    own = claim(parent)
    try:
        made = os.path.join(own, "workspace")
        _fill(workspace, skill_folder, made)
        if workspace.git:
            _commit(made)
        yield made
    finally:
        remove(own)


def _fill(workspace: SampleWorkspace, skill_folder: str, made: str) -> None:
    if not workspace.folder:
        os.mkdir(made)
        return
    source = os.path.realpath(os.path.join(skill_folder, workspace.folder))
    if below(source, os.path.realpath(skill_folder)) is None or not os.path.isdir(source):
        raise SampleRefused(f"the workspace {workspace.folder} is not a folder of the skill")
    shutil.copytree(
        source, made, symlinks=True, ignore=lambda _, names: list(filter(is_temporary, names))
    )


def _commit(folder: str) -> None:
    try:
        ask_git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
        ask_git(folder, "add", "--all", "--force")
        ask_git(folder, *_AUTHOR, "commit", "--quiet", "--allow-empty", "--message=Begin",
                f"--date={_MOMENT}")  # fmt: skip
    except GitError as error:
        raise SampleRefused(f"the workspace cannot be made a repository: {error}") from None


_NOT_OBSERVABLE = "not-observable"
_IN_FILES = frozenset({"fs.write", "db.write", "git.write"})
"""Effects visible in changed files, without a tracer."""
_WORDS = ("added", "modified", "removed")
_OBSERVED = frozenset({"effects", "outputs", "changes"})
"""Parts of an expectation that need a complete observation."""
_TIMED_OUT = "the run timed out"


def expected_of(report: RunReport) -> dict[str, Any]:
    """What a run did, as the expectation of a sample, without sizes, times and contents."""
    return {
        "exit_code": report.ended.exit_code,
        "contract": report.contract.ok,
        "effects": _effects(report),
        "outputs": sorted(path for each in report.outputs for path in each.paths),
        "changes": _changes(report),
    }


def unmet(expect: Mapping[str, Any], report: RunReport) -> tuple[str, ...]:
    """How a run differs from an expectation, else from its declarations, a sentence each."""
    if not expect:
        return () if report.ok else tuple(_faults(report))
    return tuple(_unmet(expect, report))


def _unmet(expect: Mapping[str, Any], report: RunReport) -> Iterator[str]:
    found = expected_of(report)
    if "exit_code" in expect and expect["exit_code"] != found["exit_code"]:
        said = report.ended.error or report.ended.signal or found["exit_code"]
        yield f"exit status: expected {expect['exit_code']}, got {said}"
    elif expect.get("exit_code") is not None and report.ended.timed_out:
        yield f"exit status: expected {expect['exit_code']}, but {_TIMED_OUT}"
    if "contract" in expect and bool(expect["contract"]) != found["contract"]:
        problems = "; ".join(report.contract.problems)
        yield f"standard output: {problems or 'the contract is satisfied, which is not expected'}"
    if "effects" in expect:
        yield from _unmet_effects(mapping(expect, "effects"), found["effects"], report.traced)
    if "outputs" in expect:
        yield from _unmet_lists("output files", sequence(expect, "outputs"), found["outputs"])
    if "changes" in expect:
        for word in _WORDS:
            listed = sequence(expect, "changes", word)
            yield from _unmet_lists(word, listed, found["changes"][word])
    if not _OBSERVED.isdisjoint(expect):
        yield from _incomplete(report)


def _unmet_effects(
    expected: Mapping[str, Any], found: Mapping[str, str], traced: bool
) -> Iterator[str]:
    for effect in dict.fromkeys((*expected, *found)):
        wanted, seen = expected.get(effect), found.get(effect)
        # Without a tracer this effect cannot be observed.
        silent = seen is None and not traced and effect not in _IN_FILES
        if wanted != seen and _NOT_OBSERVABLE not in (wanted, seen) and not silent:
            yield f"effect {effect}: expected {wanted or 'none'}, got {seen or 'none'}"


def _unmet_lists(what: str, listed: list[Any], found: list[str]) -> Iterator[str]:
    expected = list(map(str, listed))
    for each in expected:
        if each not in found:
            yield f"{what}: expected {each}, which is missing"
    for each in found:
        if each not in expected:
            yield f"{what}: unexpected {each}"


def _faults(report: RunReport) -> Iterator[str]:
    ended = report.ended
    if ended.timed_out:
        yield _TIMED_OUT
    elif ended.exit_code != 0:
        yield f"failed: {ended.error or ended.signal or f'exit status {ended.exit_code}'}"
    yield from (f"standard output: {each}" for each in report.contract.problems)
    for effect in report.effects:
        if effect.is_error:
            yield f"effect {effect.effect} is {effect.verdict}: {'; '.join(effect.evidence[:1])}"
    for output in report.outputs:
        if output.is_error:
            yield f"output file {output.verdict}: {output.pattern or ', '.join(output.paths)}"
    yield from _incomplete(report)
    if report.repeated:
        yield f"not idempotent: a second run {report.repeated[0]}"


def _incomplete(report: RunReport) -> Iterator[str]:
    """Why unobserved things may have happened."""
    yield from (f"observation incomplete: {each}" for each in report.incomplete)


def _effects(report: RunReport) -> dict[str, str]:
    """Each effect with its worst verdict."""
    found: dict[str, str] = {}
    for each in report.effects:
        if each.effect not in found or not each.declared:
            found[each.effect] = each.verdict
    return found


def _changes(report: RunReport) -> dict[str, list[str]]:
    return {
        word: sorted(f"{each.root}:{each.path}" for each in report.changes if each.change == word)
        for word in _WORDS
    }
