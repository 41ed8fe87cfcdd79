"""`skillstudio test`: run the committed samples and compare the results."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS
from skillstudio.cli.formats.painting import parts_result
from skillstudio.cli.output import Result, UsageError
from skillstudio.cli.run import cancelled_by_signals
from skillstudio.cli.run_arguments import (
    IsolationMissing,
    LocalSkill,
    choose_isolation,
    open_skill,
    read_faults,
)
from skillstudio.cli.saving import text_diff
from skillstudio.cli.skill_paths import Notes, skill_paths
from skillstudio.dryrun.plan import IsolationChoice, NetworkChoice
from skillstudio.dryrun.sampling.expecting import SampleDifference
from skillstudio.dryrun.sampling.sample import Sample
from skillstudio.dryrun.sampling.samples import (
    all_committed,
    find_sample,
    sample_file,
    save_expectation,
    with_expectation,
)
from skillstudio.files.paths import below
from skillstudio.manifest.launching import Launching
from skillstudio.present.samples import SampleResult, diff_lines, sample_counts, sample_lines
from skillstudio.text.safe import safe_text


class _Case(NamedTuple):
    """A sample to run."""

    opened: LocalSkill
    operation: str
    sample: str
    path: str

    @property
    def result(self) -> SampleResult:
        """Its result before it is run."""
        return SampleResult(self.opened.interface.name, self.operation, self.sample, self.path)


class _Update(NamedTuple):
    """A new expectation of a sample."""

    opened: LocalSkill
    sample: Sample  # With the new expectation.
    is_failure: bool  # Whether the run fails where the old expectation is that it succeeds.


def run(options: CommandOptions) -> Result | int:
    """Run the samples. Exit status 1 if a result differs. Raises IsolationMissing."""
    results: list[SampleResult] = []
    with cancelled_by_signals() as cancel:
        cases = [
            case
            for target in list(skill_paths(options.paths, Notes()))
            for case in _cases(open_skill(target.disk))
            if _is_wanted(case, options.k)
        ]
        with ThreadPoolExecutor(options.jobs or 1) as pool:
            waiting = [pool.submit(_tested, case, options, cancel) for case in cases]
            try:
                for each in waiting:
                    result, update = each.result()
                    if update is not None and not cancel.is_set():
                        result = _updated(result, update, options)
                    results.append(result)
            finally:
                pool.shutdown(cancel_futures=True)
        if cancel.is_set():
            return CANCELLED
    shown = parts_result(
        lambda: {"samples": [_value(each) for each in results], "summary": sample_counts(results)},
        lambda: sample_lines(results),
        PROBLEMS if any(each.differs for each in results) else OK,
    )
    return shown._replace(data=results)


def _cases(opened: LocalSkill) -> Iterator[_Case]:
    # GitHub needs paths relative to the repository, where it starts commands.
    inside = below(opened.folder, os.getcwd())
    shown = opened.shown if inside is None else inside or "."
    for operation, name in all_committed(opened.skill.tree):
        path = f"{shown}/{sample_file(operation, name)}"
        yield _Case(opened, operation, name, path)


def _is_wanted(case: _Case, texts: Sequence[str]) -> bool:
    name = f"{case.result.name} {case.path}".casefold()
    return not texts or any(each.casefold() in name for each in texts)


def _tested(
    case: _Case, options: CommandOptions, cancel: threading.Event
) -> tuple[SampleResult, _Update | None]:
    """The result of a sample, and with --update the new expectation if it differs."""
    from skillstudio.dryrun.testing import Testing, tested

    opened, result = case.opened, case.result
    if cancel.is_set():
        return result._replace(skipped="cancelled"), None
    level = options.isolation

    def isolation(launching: Launching, network: NetworkChoice) -> IsolationChoice:
        is_wasm = bool(launching.module)
        if level not in (None, "plan") and (level == "wasm") != is_wasm:
            why = f"isolation level {level} {'cannot run WASM' if is_wasm else 'runs only WASM'}"
            return IsolationChoice("plan", (), {"wasm": why})
        found = choose_isolation(launching, options)
        try:
            return choose_isolation(launching, options, network) if network.needs else found
        except IsolationMissing as error:
            return IsolationChoice("plan", (), {"wasm": str(error)})

    testing = Testing(
        opened.skill, opened.folder, opened.interface, isolation, options.workspace,
        read_faults(opened, options), options.allow_net,
        options.with_deps,
    )  # fmt: skip

    def find() -> Sample:
        return find_sample(opened.skill.tree, opened.folder, case.operation, case.sample)

    try:
        found = tested(testing, find, cancel, lambda *_: options.update)
    except OSError as error:
        raise UsageError(f"{error.filename or os.getcwd()}: {error.strerror or error}") from None
    result = result.of(found)
    if found.refused:
        return result._replace(differs=found.refused), None
    if found.expect is None or found.sample is None:
        return result, None
    if found.expect == dict(found.sample.expect):
        return result._replace(differs=()), None
    new = found.sample._replace(expect=found.expect)
    return result, _Update(opened, new, found.is_failure)


def _updated(result: SampleResult, update: _Update, options: CommandOptions) -> SampleResult:
    """Write a new expectation after consent: --yes, or an answer at the terminal, which a failed
    run always needs."""
    opened, sample = update.opened, update.sample
    old = opened.skill.tree.read(sample.path).decode("utf-8")
    diff = text_diff(old, with_expectation(old, sample), result.path)
    is_asked = options.format == "text" and sys.stdin.isatty() and sys.stderr.isatty()
    if options.yes and not update.is_failure:
        is_agreed = True
    elif is_asked:
        print(safe_text(diff, keep_newlines=True), end="", file=sys.stderr)
        what = "This run failed. Expect that" if update.is_failure else "Write this expectation"
        print(f"{what} in {safe_text(result.path)}? [y/N] ", end="", file=sys.stderr, flush=True)
        is_agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    else:
        is_agreed = False
    if is_agreed:
        save_expectation(opened.folder, opened.skill.tree, sample)
        return result._replace(differs=(), updated=True)
    why = "not updated"
    if not is_asked:
        why = (
            "not updated: the run failed; --update asks at a terminal whether to expect that"
            if update.is_failure
            else "not updated: --yes is missing"
        )
    return result._replace(differs=(SampleDifference(why, diff), *result.differs))


def _value(each: SampleResult) -> dict[str, object]:
    return {
        "skill": each.skill,
        "operation": each.operation,
        "sample": each.sample,
        "path": each.path,
        "outcome": each.outcome,
        "differences": [
            {"message": one.message, "diff": "\n".join(diff_lines(one)) or None}
            for one in each.differs
        ],
        "stderr": each.stderr or None if each.differs else None,
        "reason": each.skipped or None,
        "isolation": each.isolation or None,
        "seconds": round(each.seconds, 3),
    }
