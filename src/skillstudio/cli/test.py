"""`skillstudio test`: run the committed samples and compare the results."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.cli.annotations import (
    AnnotatedCase,
    AnnotatedRule,
    Annotation,
    AnnotationLog,
    read_text,
)
from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError, ask_consent, refuse_on, warn
from skillstudio.cli.painting import parts_result
from skillstudio.cli.progress import count_items
from skillstudio.cli.run import cancelled_by_signals, cannot_copy
from skillstudio.cli.run_arguments import (
    IsolationMissing,
    LocalSkill,
    check_builds,
    choose_isolation,
    open_skill,
    read_faults,
    read_packages,
)
from skillstudio.cli.saving import text_diff
from skillstudio.cli.skill_paths import skill_paths
from skillstudio.dryrun.plan import IsolationChoice, NetworkChoice
from skillstudio.dryrun.problem_rules import problem_rules
from skillstudio.dryrun.redaction.guard import password_lines, refusal
from skillstudio.dryrun.sampling.blocks import (
    BLOCK_FILES,
    BlockRefused,
    ConsoleBlock,
    read_blocks,
    with_output,
)
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
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.present.samples import (
    SampleResult,
    diff_lines,
    passwords_text,
    sample_counts,
    sample_lines,
)
from skillstudio.skill.workspace import WorkspaceSearch
from skillstudio.text.nearest import nearest
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.dryrun.testing import SampleTestContext

_LARGEST = 4 << 20  # Bytes of a Markdown file.
_MAX_NAMED = 10  # Samples that the message about a wrong filter names.


class _Case(NamedTuple):
    """A sample to run."""

    local_skill: LocalSkill
    operation: str
    sample: str
    path: str

    @property
    def result(self) -> SampleResult:
        """Its result before it is run."""
        return SampleResult(self.local_skill.interface.name, self.operation, self.sample, self.path)


class _BlockCase(NamedTuple):
    """A block of commands to run."""

    local_skill: LocalSkill
    block: ConsoleBlock
    path: str

    @property
    def result(self) -> SampleResult:
        """Its result before it is run."""
        name = self.local_skill.interface.name or self.local_skill.skill.name
        return SampleResult(name, self.block.path, f"line {self.block.line}", self.path)


class _Update(NamedTuple):
    """A new expectation in a file of a skill."""

    texts: Callable[[], tuple[str, str]]
    """The text of the file and the new one. Raises BlockRefused, OSError."""
    write: Callable[[str], object]
    is_failure: bool  # Whether the run fails where the old expectation is that it succeeds.


def run(options: CommandOptions) -> Result | int:
    """Run the samples. Exit status 1 if a result differs. Raises IsolationMissing, UsageError."""
    check_builds(options)
    if options.allow_builds:
        from skillstudio.dryrun.builds import build_levels
        from skillstudio.dryrun.isolation.levels import IsolationUnavailable

        with refuse_on(IsolationUnavailable, kind=IsolationMissing):
            build_levels("", ())
    results: list[SampleResult] = []
    with cancelled_by_signals() as cancel:
        all_cases = [
            case
            for target in list(skill_paths(options.paths, WorkspaceSearch()))
            for case in _cases(open_skill(target.disk), options.blocks)
        ]
        cases = [case for case in all_cases if _is_wanted(case, options.k)]
        if all_cases and not cases:
            raise UsageError(_no_match(all_cases, options.k))
        with ThreadPoolExecutor(options.jobs or 1) as pool:
            futures = [pool.submit(_run_case, case, options, cancel) for case in cases]
            try:
                for future in count_items(futures, len(futures), "samples"):
                    result, update = future.result()
                    if update is not None and not cancel.is_set():
                        result = _update_expectation(result, update, options)
                    results.append(result)
            finally:
                pool.shutdown(cancel_futures=True)
        if cancel.is_set():
            return CANCELLED
    command_result = parts_result(
        lambda: {
            "samples": [_value(result) for result in results],
            "summary": sample_counts(results),
        },
        lambda: sample_lines(results, options.verbose, options.quiet),
        PROBLEMS if any(result.differs for result in results) else OK,
    )
    return command_result._replace(
        parts=lambda: sample_lines(results, options.verbose),
        annotations=lambda _: _annotations(results),
    )


def _annotations(results: Sequence[SampleResult]) -> AnnotationLog:
    """The differences for CI systems."""
    annotations = [
        Annotation(
            "sample-differs",
            "error",
            "\n".join((difference.message, *diff_lines(difference))),
            result.path,
            title=result.name,
        )
        for result in results
        for difference in result.differs
    ]
    return AnnotationLog(annotations, _rules, read_text, cases=lambda: map(_case, results))


def _rules() -> dict[str, AnnotatedRule]:
    rule = problem_rules()["sample-differs"]
    return {rule.id: AnnotatedRule(rule.what, rule.why, rule.severity, rule.fix, "samples.html")}


def _case(result: SampleResult) -> AnnotatedCase:
    texts = [
        line
        for difference in result.differs
        for line in (difference.message, *diff_lines(difference))
    ]
    return AnnotatedCase(
        ".".join(part for part in (result.skill, result.operation) if part),
        result.sample,
        result.path,
        failure=texts[0] if texts else "",
        text="\n".join(texts),
        skipped=result.skipped,
        errors=result.stderr,
        seconds=result.seconds,
    )


def _cases(local_skill: LocalSkill, with_blocks: bool) -> Iterator[_Case | _BlockCase]:
    # GitHub needs paths relative to the repository, where it starts commands.
    inside = below(local_skill.folder, os.getcwd())
    label = local_skill.label if inside is None else inside or "."
    for operation, name in all_committed(local_skill.skill.tree):
        path = f"{label}/{sample_file(operation, name)}"
        yield _Case(local_skill, operation, name, path)
    for name in BLOCK_FILES if with_blocks else ():
        if local_skill.skill.tree.kind(name) == "file":
            for block in read_blocks(_markdown(local_skill, name), name):
                yield _BlockCase(local_skill, block, f"{label}/{name}")


def _markdown(local_skill: LocalSkill, name: str) -> str:
    """The text of a Markdown file of a skill. Raises UsageError."""
    try:
        data = local_skill.skill.tree.read(name, _LARGEST + 1)
        if len(data) > _LARGEST:
            raise UsageError(f"{local_skill.label}/{name} has more than {_LARGEST:,} bytes")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{local_skill.label}/{name} is not UTF-8: byte {error.start}") from None


def _is_wanted(case: _Case | _BlockCase, texts: Sequence[str]) -> bool:
    name = f"{case.result.name} {case.path}".casefold()
    return not texts or any(text.casefold() in name for text in texts)


def _no_match(cases: Sequence[_Case | _BlockCase], texts: Sequence[str]) -> str:
    """Why a filter that matches nothing is wrong, with the names that there are."""
    names = list(dict.fromkeys(case.result.name for case in cases))
    words = {name.rpartition(" ")[2]: name for name in names}
    near = next((words[word] for text in texts if (word := nearest(text, words))), "")
    names_text = ", ".join(names[:_MAX_NAMED]) + (
        f" and {len(names) - _MAX_NAMED} more" * (len(names) > _MAX_NAMED)
    )
    has = "there is 1 sample" if len(cases) == 1 else f"there are {len(cases)} samples"
    filters = " or ".join(f"-k {text}" for text in texts)
    hint = f"did you mean {near}? " if near else ""
    return f"no sample matches {filters}; {hint}{has}: {names_text}"


def _run_case(
    case: _Case | _BlockCase, options: CommandOptions, cancel: threading.Event
) -> tuple[SampleResult, _Update | None]:
    """The result of a sample or block, and with --update the new expectation if it differs."""
    if cancel.is_set():
        return case.result._replace(skipped="cancelled"), None
    try:
        if isinstance(case, _BlockCase):
            return _tested_block(case, options, cancel)
        return _tested_sample(case, options, cancel)
    except OSError as error:
        from skillstudio.dryrun.traces.store import copies_folder

        path, copies = str(error.filename or os.getcwd()), copies_folder()
        if below(path, copies) is not None or below(copies, path) is not None:
            raise UsageError(cannot_copy(error)) from None
        raise UsageError(f"{path}: {error.strerror or error}") from None


def _make_context(local_skill: LocalSkill, options: CommandOptions) -> SampleTestContext:
    """How the samples and blocks of a skill are run."""
    from skillstudio.dryrun.testing import SampleTestContext

    level = options.isolation

    def isolation(launch_spec: LaunchSpec, network: NetworkChoice) -> IsolationChoice:
        is_wasm = bool(launch_spec.module)
        if level not in (None, "plan") and (level == "wasm") != is_wasm:
            why = f"isolation level {level} {'cannot run WASM' if is_wasm else 'runs only WASM'}"
            return IsolationChoice("plan", (), {"wasm": why})
        isolation_choice = choose_isolation(launch_spec, options)
        try:
            return (
                choose_isolation(launch_spec, options, network)
                if network.needs
                else isolation_choice
            )
        except IsolationMissing as error:
            return IsolationChoice("plan", (), {"wasm": str(error)})

    return SampleTestContext(
        local_skill.skill, local_skill.folder, local_skill.interface, isolation, options.workspace,
        read_faults(local_skill, options), options.allow_net,
        options.with_deps or bool(options.packages), options.allow_builds,
        read_packages(options.packages),
    )  # fmt: skip


def _tested_block(
    case: _BlockCase, options: CommandOptions, cancel: threading.Event
) -> tuple[SampleResult, _Update | None]:
    from skillstudio.dryrun.testing_blocks import try_block

    local_skill, block = case.local_skill, case.block
    may_copy = options.isolation == "copy"
    context = _make_context(local_skill, options)
    test_result = try_block(context, block, cancel, may_copy, options.update)
    result = case.result._replace(
        differs=test_result.differs,
        skipped=test_result.skipped,
        seconds=test_result.seconds,
        isolation=test_result.isolation,
    )
    if not test_result.printed_outputs:
        return result, None
    place = os.path.join(local_skill.folder, block.path)

    def texts() -> tuple[str, str]:
        if os.path.realpath(place) != os.path.join(
            os.path.realpath(local_skill.folder), block.path
        ):
            raise BlockRefused(f"{case.path} is a link, so it is not written")
        with open(place, encoding="utf-8", newline="") as file:
            text = file.read()
        return text, with_output(text, block, test_result.printed_outputs)

    def write(text: str) -> None:
        from skillstudio.files.saving.writer import write_file

        write_file(place, text.encode("utf-8"))

    return result, _Update(texts, write, False)


def _tested_sample(
    case: _Case, options: CommandOptions, cancel: threading.Event
) -> tuple[SampleResult, _Update | None]:
    from skillstudio.dryrun.testing import try_sample

    local_skill = case.local_skill

    def find() -> Sample:
        return find_sample(local_skill.skill.tree, local_skill.folder, case.operation, case.sample)

    test_result = try_sample(
        _make_context(local_skill, options), find, cancel, lambda *_: options.update
    )
    result = case.result.of(test_result)
    if test_result.refusals:
        return result._replace(differs=test_result.refusals), None
    if test_result.expect is None or test_result.sample is None:
        return result, None
    if test_result.expect == dict(test_result.sample.expect):
        return result._replace(differs=()), None
    new = test_result.sample._replace(expect=test_result.expect)
    tree = local_skill.skill.tree

    def texts() -> tuple[str, str]:
        old = tree.read(new.path).decode("utf-8")
        return old, with_expectation(old, new)

    def write(_: str) -> None:
        save_expectation(local_skill.folder, tree, new)

    return result, _Update(texts, write, test_result.is_failure)


def _update_expectation(
    result: SampleResult, update: _Update, options: CommandOptions
) -> SampleResult:
    """Write a new expectation after consent: --yes, or an answer at the terminal, which a failed
    run and a possible password always need."""
    try:
        old, new = update.texts()
    except BlockRefused as error:
        difference = SampleDifference(f"not updated: {error}")
        return result._replace(differs=(difference, *result.differs))
    if why := refusal(new, old):
        difference = SampleDifference(f"not updated: {result.path} {why}")
        return result._replace(differs=(difference, *result.differs))
    places = tuple(f"{result.path}:{line}" for line in password_lines(new, old))
    diff = text_diff(old, new, result.path)
    is_asked = options.format == "text" and sys.stdin.isatty() and sys.stderr.isatty()
    if options.yes and not update.is_failure and not places:
        is_agreed = True
    elif is_asked:
        print(safe_text(diff, keep_newlines=True), end="", file=sys.stderr)
        if places:
            warn(passwords_text(places))
        what = "This run failed. Expect that" if update.is_failure else "Write this expectation"
        is_agreed = ask_consent(f"{what} in {result.path}?")
    else:
        is_agreed = False
    if is_agreed:
        update.write(new)
        return result._replace(differs=(), updated=True)
    why = "not updated"
    if not is_asked and update.is_failure:
        why = "not updated: the run failed; --update asks at a terminal whether to expect that"
    elif not is_asked and places:
        why = f"not updated: {passwords_text(places)}; --update asks at a terminal"
    elif not is_asked:
        why = "not updated: --yes is missing"
    return result._replace(differs=(SampleDifference(why, diff), *result.differs))


def _value(result: SampleResult) -> dict[str, object]:
    return {
        "skill": result.skill,
        "operation": result.operation,
        "sample": result.sample,
        "path": result.path,
        "outcome": result.outcome,
        "differences": [
            {"message": difference.message, "diff": "\n".join(diff_lines(difference)) or None}
            for difference in result.differs
        ],
        "stderr": result.stderr or None if result.differs else None,
        "reason": result.skipped or None,
        "isolation": result.isolation or None,
        "seconds": round(result.seconds, 3),
    }
