"""`skillstudio run --save-sample`: write a run as a sample with expectations."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import UsageError, ask_consent, refuse_on, say, warn
from skillstudio.cli.run_arguments import LocalSkill, read_faults
from skillstudio.cli.saving import text_diff
from skillstudio.dryrun.sampling.sample import FOLDER, Sample, SampleRefused, path_of
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.dryrun.passes import Request
    from skillstudio.dryrun.run import CompletedRun


def check_name(local_skill: LocalSkill, operation: str, options: CommandOptions) -> None:
    """Raise UsageError for a name that no sample can have, or that one has and nobody is asked."""
    with refuse_on(SampleRefused):
        path = f"{FOLDER}/{path_of(operation, options.save_sample)}"
    if local_skill.skill.tree.kind(path) is not None and not _is_asked(options):
        raise UsageError(
            f"{local_skill.label}/{path} already exists; choose another name, or update it with "
            f"skillstudio test -k {options.save_sample} --update"
        )


def save_run(
    completed_run: CompletedRun,
    request: Request,
    local_skill: LocalSkill,
    options: CommandOptions,
    cancel: threading.Event,
    origin: Sample | None,
) -> bool:
    """Write the run as a sample after consent where it is needed; `origin` is the sample in whose
    folder it ran. Whether it was written."""
    from skillstudio.dryrun.capturing import capture, possible_passwords
    from skillstudio.dryrun.isolation.levels import IsolationUnavailable
    from skillstudio.dryrun.sampling.samples import save_committed, write_sample
    from skillstudio.dryrun.testing import SampleTestContext
    from skillstudio.present.samples import fixtures_text, not_captured_lines, passwords_text

    context = SampleTestContext(
        local_skill.skill,
        local_skill.folder,
        local_skill.interface,
        lambda *_: request.plan.isolation,
        faults=read_faults(local_skill, options),
    )
    code = completed_run.report.ending.exit_code
    if code and not _is_asked(options):
        warn("no sample was saved: the run failed; run it at a terminal to confirm that this is "
             "expected")  # fmt: skip
        return False
    say("running the sample twice to see what can be expected")
    try:
        capture_result = capture(
            completed_run, request, context, options.save_sample, cancel, origin
        )
        sample = capture_result.sample
        if capture_result.differs:
            why, *lines = not_captured_lines(sample, capture_result.differs)
            warn(f"no sample was saved: {why.text}")
            say(*("  " * line.indent + line.text for line in lines))
            return False
        sample_path = f"{local_skill.label}/{sample.path}"
        places = possible_passwords(sample)
        if places and not _is_asked(options):
            warn(f"no sample was saved: {passwords_text(places)}; run it at a terminal to confirm")
            return False
        if not _has_consent(local_skill, sample, sample_path, bool(code), places):
            warn(f"no sample was saved: {sample_path} is not changed")
            return False
        save_committed(local_skill.folder, sample, write_sample(sample))
    except (SampleRefused, IsolationUnavailable) as error:
        warn(f"no sample was saved: {error}")
        return False
    except InterruptedError:
        warn("no sample was saved: cancelled")
        return False
    except OSError as error:
        warn(f"no sample was saved: {error.filename or ''}: {error.strerror or error}")
        return False
    say(
        f"saved {sample_path} {fixtures_text(sample)}; skillstudio test {local_skill.label} runs it"
    )
    return True


def _is_asked(options: CommandOptions) -> bool:
    return bool(options.format == "text" and sys.stdin.isatty() and sys.stderr.isatty())


def _has_consent(
    local_skill: LocalSkill,
    sample: Sample,
    sample_path: str,
    is_failure: bool,
    passwords: Sequence[str],
) -> bool:
    """Whether to write the sample; asks for a failed run, before replacing a sample, and for what
    may be passwords."""
    from skillstudio.dryrun.sampling.samples import write_sample
    from skillstudio.present.samples import passwords_text

    tree = local_skill.skill.tree
    exists = tree.kind(sample.path) is not None
    if not exists and not is_failure and not passwords:
        return True
    old = tree.read(sample.path).decode("utf-8", "replace") if exists else None
    diff = text_diff(old, write_sample(sample), sample_path)
    print(safe_text(diff, keep_newlines=True), end="", file=sys.stderr)
    if passwords:
        warn(passwords_text(passwords))
    what = "Save the sample" if passwords else "Replace the sample"
    what = "This run failed. Expect that" if is_failure else what
    return ask_consent(f"{what} in {sample_path}?")
