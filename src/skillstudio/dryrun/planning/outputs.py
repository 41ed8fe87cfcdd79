"""The paths of declared output files, with inputs inserted into their patterns."""

from __future__ import annotations

import os
from collections.abc import Mapping

from skillstudio.dryrun.plan import PlannedOutput, PlanProblem, Roots
from skillstudio.files.paths import is_absolute, make_relative, normalise
from skillstudio.interface.model import Operation, Output, token
from skillstudio.manifest.placeholders import DOUBLE, fill, names

_REPOSITORY = "repo_root"
_CWD = "cwd"


def plan_outputs(
    operation: Operation, texts: Mapping[str, str], roots: Roots, in_workspace: bool
) -> tuple[tuple[PlannedOutput, ...], list[PlanProblem]]:
    """The planned outputs, and problems with paths that leave their base; `cwd` is the workspace if
    `in_workspace`. Input values are taken literally, never as globs."""
    outputs: list[PlannedOutput] = []
    problems: list[PlanProblem] = []
    for output in operation.outputs:
        path, problem = _path(output, texts, f"{operation.pointer}/outputs/{token(output.pattern)}")
        if problem is not None:
            problems.append(problem)
        base = output.base or _REPOSITORY
        if base == _CWD and in_workspace:
            base = _REPOSITORY
        if path and base == _REPOSITORY and roots.repository:
            inside = make_relative(roots.repository, roots.workspace).replace(os.sep, "/")
            path = f"{_literal(inside)}/{path}"
        outputs.append(PlannedOutput(output.pattern, path, base))
    return tuple(outputs), problems


def _path(output: Output, texts: Mapping[str, str], at: str) -> tuple[str, PlanProblem | None]:
    absent = [name for name in names(output.pattern, DOUBLE) if name not in texts]
    if absent:
        message = f"{output.pattern}: {absent[0]} has no value, so the path is unknown"
        return "", PlanProblem("output-unknown", message, at, "warning")
    plain = fill(output.pattern, texts)
    literal = {name: _literal(text) for name, text in texts.items()}
    if "\0" in plain:
        why = "the path contains a NUL"
    elif is_absolute(plain):
        why = "with these inputs it would be absolute"
    # A backslash separates names on some machines, so leaving through one is refused everywhere.
    elif normalise(plain) is None or normalise(plain, windows=True) is None:
        why = "with these inputs it would leave its base folder"
    elif path := normalise(fill(output.pattern, literal)):
        return path, None
    else:
        why = "with these inputs it is the base folder itself"
    return "", PlanProblem("output-outside", f"{output.pattern}: {why}", at)


def _literal(text: str) -> str:
    """A glob that matches exactly this text."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in text)
