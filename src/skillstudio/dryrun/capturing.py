"""Make a sample of a run: what it was given, the files it used, and what is expected of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.dryrun.credentials import is_credential
from skillstudio.dryrun.passes import Request
from skillstudio.dryrun.redaction.guard import password_lines, refusal
from skillstudio.dryrun.redaction.suspects import holds_suspect
from skillstudio.dryrun.run import CompletedRun
from skillstudio.dryrun.sampling.expecting import SampleDifference
from skillstudio.dryrun.sampling.sample import FOLDER, Sample, SampleRefused, SampleWorkspace
from skillstudio.dryrun.sampling.sample import path_of as path_of_sample
from skillstudio.dryrun.sampling.samples import (
    MAX_BYTES,
    read_sample,
    refuse_sensitive,
    write_sample,
)
from skillstudio.dryrun.testing import (
    NotRun,
    SampleTestContext,
    differences,
    expectation,
    sample_run,
    used_effects,
    what_it_did,
)
from skillstudio.files.beneath import open_beneath
from skillstudio.files.paths import below
from skillstudio.interface.model import ABSENT
from skillstudio.interface.wording import SENSITIVE

_MOST_FILES = 100
_LONGEST_PATH = 1024
_ON_FILES = ("read", "write", "remove")
_OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class CapturedRun(NamedTuple):
    """A run as a sample; `differs` is why it would not pass as a test."""

    sample: Sample
    differs: tuple[SampleDifference, ...] = ()


def possible_passwords(sample: Sample) -> tuple[str, ...]:
    """The places that may contain a password although its form is that of any text: `path:line` of
    a fixture, `path` for one that usually contains credentials, and keys of the sample."""
    places = []
    for path, text in sample.fixtures.items():
        if is_credential(f"read /{path}"):
            places.append(path)
        elif isinstance(text, str):
            places += [f"{path}:{line}" for line in password_lines(text)]
    given_values = {
        "inputs": sample.inputs,
        "arguments": list(sample.arguments),
        "env": dict(sample.env),
    }
    rest = {**given_values, "stdin": sample.stdin, "expect": dict(sample.expect)}
    for key, value in rest.items():
        places += dict.fromkeys(_password_keys(value, key))
    return tuple(places)


def _password_keys(value: Any, place: str) -> Iterator[str]:
    """The keys below a place whose text, or name and text, may be a password."""
    if isinstance(value, dict):
        for name, inner in value.items():
            is_text = isinstance(inner, str) and "\n" not in inner
            if is_text and password_lines(f"{name}: {inner}"):
                yield f"{place}/{name}"
            yield from _password_keys(inner, f"{place}/{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from _password_keys(inner, place)
    elif isinstance(value, str) and password_lines(value):
        yield place


def capture(
    completed_run: CompletedRun,
    request: Request,
    testing: SampleTestContext,
    name: str,
    cancel: threading.Event,
    origin: Sample | None = None,
) -> CapturedRun:
    """The run as a sample with expectations, as `skillstudio test --update` writes them. The sample
    is run twice in a folder of its own, and must do there what this run did; it is the folder of
    the sample `origin` if the run had that. Raises SampleRefused for what a sample cannot contain,
    InterruptedError, OSError, and IsolationUnavailable."""
    sample = _sample_of(completed_run, request, name, origin)
    refuse_sensitive(sample, request.interface, request.operation)
    original = what_it_did(completed_run, sample, testing.folder)
    code = original.report.ending.exit_code
    exit_expectation = {"exit": code} if code else {}
    # What the manifest does not allow, and a run that was ended, can never be expected.
    if wrong := differences(exit_expectation, original):
        return CapturedRun(sample, wrong)
    with sample_run(testing, sample, cancel) as ran:
        if cancel.is_set():
            raise InterruptedError
        if isinstance(ran, NotRun):
            return CapturedRun(sample, tuple(map(SampleDifference, ran.reasons)))
        # A file that the sample lacks shows as a difference between its run and this one.
        alone = expectation(testing, sample, ran, cancel, original)
        if cancel.is_set():
            raise InterruptedError
    if not isinstance(alone, dict):
        return CapturedRun(sample, alone)
    captured_sample = sample._replace(expect=alone)
    text = write_sample(captured_sample)
    if why := refusal(text):
        raise SampleRefused(f"the sample {why}")
    read_sample(
        text.encode(), captured_sample.operation, captured_sample.name, captured_sample.path
    )
    return CapturedRun(captured_sample, differences(alone, original))


def _sample_of(
    completed_run: CompletedRun, request: Request, name: str, origin: Sample | None = None
) -> Sample:
    """What the run was given, without expectations. Raises SampleRefused."""
    plan, launch = request.plan, request.launch
    private = launch.private
    path = f"{FOLDER}/{path_of_sample(plan.operation, name)}"
    sensitive_names = (
        *private.secrets,
        *(key for key in private.sensitive_inputs if key in private.inputs),
    )
    if sensitive_names:
        names = ", ".join(dict.fromkeys(sensitive_names))
        raise SampleRefused(f"{names} is sensitive, and samples never contain sensitive values")
    inputs: Any = {key: value for key, value in plan.inputs.items() if key in private.inputs}
    if list(inputs) == [""]:
        inputs = inputs[""]
    sample = Sample(
        name,
        plan.operation,
        inputs or ABSENT,
        private.arguments,
        private.env,
        path=path,
        workspace=origin.workspace if origin else SampleWorkspace(git=_uses_git(completed_run)),
        stdin=private.stdin,
        fixtures=origin.fixtures if origin else dict(_fixtures(completed_run, request)),
    )
    text = write_sample(sample)
    if completed_run.redactor.text(text) != text or SENSITIVE in text:
        raise SampleRefused("the inputs or files contain a sensitive value")
    return sample


def _uses_git(completed_run: CompletedRun) -> bool:
    root = completed_run.staged_copies.original.workspace
    effects = used_effects(completed_run.report)
    by_git = any(effect.startswith("git.") for effect in effects) or any(
        event.program == "git" for event in completed_run.result.observation.events
    )
    return by_git and os.path.lexists(os.path.join(root, ".git"))


def _fixtures(completed_run: CompletedRun, request: Request) -> Iterator[tuple[str, str]]:
    """The files of the workspace that the run used and that existed before, by path."""
    staging = completed_run.staged_copies
    paths = sorted(set(_used(completed_run, request)))
    if len(paths) > _MOST_FILES:
        raise SampleRefused(
            f"the run used {len(paths):,} files of the workspace, more than the {_MOST_FILES} that "
            "a sample contains; put them into a folder of the skill and name it as workspace"
        )
    budget = MAX_BYTES
    for path in paths:
        data = _content(staging.original.workspace, path, budget)
        if data is None:
            continue
        budget -= len(data)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise SampleRefused(
                f"the run used {path}, which is no text; put a copy beside the sample, and name it "
                "with {from: FILE} in its fixtures"
            )
        if completed_run.redactor.finds(data) or holds_suspect(data):
            raise SampleRefused(
                f"the run used {path}, which contains what looks like a credential; samples never "
                "contain sensitive values"
            )
        yield path, text


def _used(completed_run: CompletedRun, request: Request) -> Iterator[str]:
    """The paths in the workspace that were read, written or removed, or are named by a value.
    Without a tracer, reads are not known."""
    for event in completed_run.result.observation.events:
        if event.kind in _ON_FILES and not event.error and event.program != "git":
            yield from _in_workspace(completed_run, event.subject)
    for change in completed_run.result.changes:
        if change.entry_change.before is not None and change.root == "workspace":
            yield from _in_workspace(completed_run, change.original)
    plan, private = request.plan, request.launch.private
    values = (*private.arguments, *private.env.values(), *plan.inputs.values())
    for word in values:
        if isinstance(word, str) and word and "\0" not in word and len(word) < _LONGEST_PATH:
            yield from _in_workspace(completed_run, os.path.normpath(os.path.join(plan.cwd, word)))


def _in_workspace(completed_run: CompletedRun, path: str) -> Iterator[str]:
    root = completed_run.staged_copies.root_of(path)
    if root is not None and root[0] == "workspace" and root[1]:
        inside = root[1].replace(os.sep, "/")
        if ".git" not in inside.split("/"):
            yield inside


def _content(folder: str, path: str, most: int) -> bytes | None:
    """The content of a file of the workspace; None if it is none, or a link that leads out."""
    real = os.path.realpath(os.path.join(folder, path))
    if below(real, os.path.realpath(folder)) is None or not os.path.isfile(real):
        return None
    try:
        with os.fdopen(open_beneath(folder, path, os.O_RDONLY | _OPEN_FLAGS), "rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise SampleRefused(f"{path} cannot be read: {error.strerror or error}") from None
    if len(data) > most:
        raise SampleRefused(
            f"the run used {path}; with it, the sample would have more than {MAX_BYTES:,} bytes"
        )
    return data
