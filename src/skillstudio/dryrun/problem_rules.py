"""The explanations of the problems of runs, in `problems.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from skillstudio.dryrun.plan import Severity
from skillstudio.resources import toml_table


class ProblemRule(NamedTuple):
    """What a problem of a plan, a run or a test means."""

    id: str
    severity: Severity  # The usual one; of errors, that they prevent the run.
    what: str
    why: str
    fix: str


@cache
def problem_rules() -> Mapping[str, ProblemRule]:
    """The explanation of each problem by its code."""
    tables = toml_table(__file__, "problems.toml")
    return {id: ProblemRule(id, **fields) for id, fields in tables.items()}
