"""A YAML text with broken lines, read all the same."""

from __future__ import annotations

from skillstudio.text.node import Fault
from skillstudio.text.reading.yaml_composer import Composer, Problem


def recover(composer: Composer, problem: Problem) -> Composer:
    """The best reading of a text that `composer` could not read to its end."""
    at = min(problem.index, max(len(composer.original) - 1, 0)) + composer.base
    composer.faults.append(Fault(problem.rule, problem.message, at, at + 1))
    return composer
