"""What `check` and `fix` say last: which problems have a fix, and the command that applies it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.report import CheckReport
from skillstudio.present.lines import count
from skillstudio.text.safe import safe_text

_UNSAFE = "--unsafe-fixes"
_FLAGS = ("strict", "here")
_LISTS = ("target", "select", "ignore")
_VALUES = ("config", "dialect", "changed_since", "baseline")


def fix_advice(
    report: CheckReport, options: CommandOptions, is_fixed: bool, is_refused: bool
) -> Iterator[str]:
    """How to fix what a report lists, or why `fix` fixed nothing.

    `is_fixed`: it did something; `is_refused`: a file could not be written, and the reason is
    printed.
    """
    fixable = [problem for problem in report.diagnostics() if problem.fixes]
    if not report.diagnostics() or options.stdin_filename:
        return
    if options.hook and is_fixed and not options.diff:
        return  # What is staged is not fixed yet.
    safe = sum(any(fix.safe for fix in problem.fixes) for problem in fixable)
    unsafe = len(fixable) - safe
    if options.fix or options.unsafe_fixes:
        left = safe + unsafe * options.unsafe_fixes
        if options.hook and safe and not (is_refused or options.diff):
            yield "the files are fixed, but what is staged is not: stage them and commit again"
        elif is_refused and left:
            yield f"{count(left, 'fix', 'fixes')} could not be written, for the reasons above"
            if not options.unsafe_fixes:
                yield from _after_fix(unsafe, options, is_fixed=True)
        else:
            yield from _after_fix(unsafe, options, is_fixed)
        return
    at_least = "at least " if any(skill.unlisted_counts for skill in report.skills) else ""
    if safe:
        yield f"{at_least}{safe:,} can be fixed with: {_command(options)}"
        if unsafe:
            yield f"{at_least}{unsafe:,} more with {_UNSAFE}"
    elif unsafe:
        yield f"{at_least}{unsafe:,} can be fixed with: {_command(options, _UNSAFE)}"


def _after_fix(unsafe_count: int, options: CommandOptions, is_fixed: bool) -> Iterator[str]:
    if options.diff and is_fixed:
        yield f"to apply this diff: {_command(options, *[_UNSAFE] * options.unsafe_fixes)}"
        return
    nothing = "" if is_fixed else "nothing fixed; "
    if unsafe_count and not options.unsafe_fixes:
        verb = "is" if unsafe_count == 1 else "are"
        yield (
            f"{nothing}{count(unsafe_count, 'fix', 'fixes')} {verb} unsafe: "
            f"{_command(options, _UNSAFE)}"
        )
    elif not is_fixed:
        yield "nothing can be fixed automatically"


def _command(options: CommandOptions, *flags: str) -> str:
    """The command that fixes what the options check."""
    import shlex

    words = ["skillstudio", "fix", *flags]
    words += [f"--{name}" for name in _FLAGS if getattr(options, name)]
    option_names = [name for name in (*_LISTS, *_VALUES) if name not in options.from_environment]
    for name in option_names:
        value = getattr(options, name)
        for text in value if isinstance(value, list) else [value] if value else []:
            words += [f"--{name.replace('_', '-')}", text]
    if options.hook:
        words.append("--hook")
    paths = options.paths if options.paths != [os.curdir] else []
    words += ["--"] if any(path.startswith("-") for path in paths) else []
    words += paths
    return safe_text(shlex.join(words))
