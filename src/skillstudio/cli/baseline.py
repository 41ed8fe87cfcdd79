"""Baselines: the known problems of a repository, of which a check reports only new ones."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from skillstudio.cli.output import UsageError, warn
from skillstudio.cli.report import CheckReport, ReportedDiagnostic
from skillstudio.files.paths import make_relative
from skillstudio.present.lines import count

_VERSION = 2
_FIRST = 1  # The version with the paths of the command line, from its folder.


class KnownProblem(NamedTuple):
    """What makes a problem the same: also who minds it, since another target may be selected."""

    path: str  # Absolute, without links: a skill can be reached by several ways.
    rule: str
    pointer: str
    message: str
    targets: tuple[str, ...]


def leave_new(file: str, report: CheckReport) -> None:
    """Remove the problems of a baseline from a report, each as often as it was recorded.

    Raises UsageError for a file that is not a baseline.
    """
    known_counts = Counter(_read(file))
    _warn_of_former_rules(file, {problem.rule for problem in known_counts})

    def is_new(diagnostic: ReportedDiagnostic) -> bool:
        problem = _known(diagnostic)
        known_counts[problem] -= 1
        return known_counts[problem] < 0

    report.workspace = list(filter(is_new, report.workspace))
    report.skills = [
        skill._replace(diagnostics=list(filter(is_new, skill.diagnostics)))
        for skill in report.skills
    ]


def record(file: str, report: CheckReport, is_checked: Callable[[KnownProblem], bool]) -> str:
    """Write the problems of a report, and keep those recorded ones that this run did not check.

    Returns a sentence about it. Raises UsageError for another file, which is left as it is.
    """
    from skillstudio.files.saving.writer import write_file

    folder = os.path.dirname(os.path.realpath(file))
    if not os.path.isdir(folder):
        raise UsageError(f"{file} cannot be written: there is no folder {os.path.dirname(file)}")
    old_problems = _read(file) if os.path.lexists(file) else []
    kept_problems = [problem for problem in old_problems if not is_checked(problem)]
    problems = [*kept_problems, *map(_known, report.diagnostics())]
    rows = sorted(
        problem._replace(path=make_relative(problem.path, folder).replace(os.sep, "/"))
        for problem in problems
    )
    value = {"format_version": _VERSION, "diagnostics": [row._asdict() for row in rows]}
    write_file(file, (json.dumps(value, indent=2) + "\n").encode())
    kept = f", {len(kept_problems)} of them from before" if kept_problems else ""
    return f"recorded {count(len(rows), 'problem')} in {file}{kept}"


def _read(file: str) -> list[KnownProblem]:
    again = f"delete it and record it again with --baseline {file} --update-baseline"
    folder = os.path.dirname(os.path.realpath(file))
    try:
        with open(file, encoding="utf-8") as stream:
            value = json.load(stream)
        # The first baselines had no version.
        version = value.get("format_version", _FIRST)
        if version not in (_FIRST, _VERSION):
            raise UsageError(f"{file} is a baseline of another version of skillstudio; {again}")
        base = folder if version == _VERSION else os.getcwd()
        return [_problem(row, base) for row in value["diagnostics"]]
    except FileNotFoundError:
        raise UsageError(f"{file} does not exist; create it with --update-baseline") from None
    except json.JSONDecodeError as error:
        place = f"{file}:{error.lineno}:{error.colno}"
        raise UsageError(f"{place}: this is not valid JSON; {again}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8; {again}") from None
    except (AttributeError, KeyError, TypeError):
        raise UsageError(f"{file} is not a baseline; {again}") from None


def _problem(row: Any, base: str) -> KnownProblem:
    """A recorded problem, whose path is relative to a folder. Raises KeyError and TypeError."""
    path = os.path.realpath(os.path.join(base, row["path"]))
    problem = KnownProblem(
        path, row["rule"], row["pointer"], row["message"], tuple(row.get("targets", ()))
    )
    hash(problem)
    return problem


def _known(diagnostic: ReportedDiagnostic) -> KnownProblem:
    path = os.path.realpath(diagnostic.path)
    return KnownProblem(
        path, diagnostic.rule, diagnostic.pointer, diagnostic.message, diagnostic.minded_by
    )


def _warn_of_former_rules(file: str, rules: Iterable[str]) -> None:
    from skillstudio.manifest.rulebook import all_rules, former_rule

    for rule in sorted(set(rules) - all_rules().keys()):
        if former := former_rule(rule):
            warn(f"{file} names the rule {rule}; {former.text}; record it with --update-baseline")
