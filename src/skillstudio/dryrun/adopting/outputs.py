"""Undeclared output files as patterns, and declared patterns without a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.dryrun.adopting.finding import (
    AdoptFinding,
    Case,
    absolute_path,
    below,
    not_declarable,
    suggestion,
    unproven,
)
from skillstudio.dryrun.adopting.generalising import PathPattern, Value, generalise, literal
from skillstudio.dryrun.judging.declared import output_patterns
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.planning.outputs import plan_outputs
from skillstudio.dryrun.planning.typed import render_value
from skillstudio.dryrun.traces.key import holds_mask
from skillstudio.files import paths
from skillstudio.interface.model import ABSENT, Output
from skillstudio.interface.wording import display_value
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.placeholders import names
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.manifest.values import mappings, text
from skillstudio.text.diagnostic import Edit, Remove, Set

MOST = 40  # Patterns of one folder to declare at most.
_BASES = {"repo_root": "the repository", "skill_root": "the skill's folder"}
_SENSITIVE_PATH = "a path contains a sensitive value; edit the manifest by hand"
_WROTE = "The run wrote files"


def undeclared_outputs(case: Case) -> Iterator[AdoptFinding]:
    """A finding for each pattern generalised from undeclared files."""
    how = suggestion(case.dialect, "output")
    undeclared_paths = case.undeclared_files
    sensitive_paths = [
        path for path in undeclared_paths if holds_mask(path) or looks_like_secret(path)
    ]
    if sensitive_paths:
        yield not_declarable("output:sensitive", _WROTE, sensitive_paths, _SENSITIVE_PATH)
    plain = [
        absolute_path(path, case.roots) for path in undeclared_paths if path not in sensitive_paths
    ]
    new = [path for path in plain if not case.is_declared("fs.write", path)]
    for base in _BASES:
        folder = _folder(case.roots, base)
        in_skill = [path for path in new if paths.below(path, case.roots.skill)]
        mine = in_skill if base == "skill_root" else [path for path in new if path not in in_skill]
        inner_paths = [inside for path in mine if (inside := paths.below(path, folder))]
        outside = [path for path in mine if not paths.below(path, folder)]
        if how.form and outside:
            yield not_declarable("output:outside", _WROTE, outside, how.cannot)
        if not how.form and inner_paths:
            yield not_declarable("output", _WROTE, inner_paths, how.cannot)
            continue
        patterns = _patterns(case, base, inner_paths)
        if len(patterns) > MOST:
            reason = f"{len(patterns)} patterns are too many; write one for all of them by hand"
            yield not_declarable(f"output:{base}", _WROTE, inner_paths, reason)
            continue
        for pattern in patterns:
            yield _pattern(case, base, pattern, how.at)


def unobserved_outputs(case: Case) -> Iterator[AdoptFinding]:
    """Offer to remove each pattern that no file matched."""
    how = suggestion(case.dialect, "output-unobserved")
    if not how.form or not case.is_whole:
        return
    outputs = case.report.outputs
    # Two bases may use the same pattern.
    produced_patterns = {output.pattern for output in outputs if output.verdict == "produced"}
    missing = {
        output.pattern for output in outputs if output.verdict == "missing"
    } - produced_patterns
    adopting_hook = hook(case.manifest.dialect, "adopting")
    for at, item in mappings(case.value, *how.keys):
        pattern = text(item, "pattern")
        if pattern in missing:
            also = adopting_hook.removed(case.value, pattern) if adopting_hook is not None else ()
            reason = f"this run wrote no such file, {unproven(case)}"
            sentence = f"Remove the output {display_value(pattern)}: {reason}"
            yield AdoptFinding(f"unobserved:output:{pattern}", sentence, (), (Remove(at), *also))


def _pattern(case: Case, base: str, pattern: PathPattern, at: str) -> AdoptFinding:
    item: dict[str, Any] = {"pattern": pattern.text}
    if base != "repo_root":
        item["base"] = base
    edits: list[Edit] = [Set(below(at, "-"), item)]
    notes = list(pattern.notes)
    adopting_hook = hook(case.manifest.dialect, "adopting")
    if adopting_hook is not None and (also := list(adopting_hook.added(case.value, pattern.text))):
        edits += also
        notes.append("it is listed in the interface, too")
    notes_text = f": {'; '.join(notes)}" if notes else ""
    sentence = f"Declare the output {display_value(pattern.text)} in {_BASES[base]}{notes_text}"
    return AdoptFinding(f"output:{pattern.text}", sentence, pattern.files, tuple(edits), True)


def _patterns(case: Case, base: str, files: list[str]) -> list[PathPattern]:
    """Patterns that match their files; where generalising failed, literal paths."""
    patterns: list[PathPattern] = []
    for pattern in generalise(files, _values(case)):
        if all(_matches(case, base, pattern.text, file) for file in pattern.files):
            patterns.append(pattern)
        else:
            patterns += [PathPattern(literal(file), (file,)) for file in pattern.files]
    return patterns


def _values(case: Case) -> list[Value]:
    """The declared inputs of the run that are not sensitive."""
    always_by_name = {
        input_.name: input_.required or input_.default is not ABSENT
        for input_ in case.operation.inputs
        if not input_.sensitive and not case.interface.sensitive
    }
    return [
        Value(name, value, always_by_name[name])
        for name, value in case.report.plan.inputs.items()
        if name in always_by_name and not holds_mask(value)
    ]


def _matches(case: Case, base: str, pattern: str, file: str) -> bool:
    operation = case.operation._replace(outputs=(Output(pattern, base),))
    texts = {
        name: render_value(value)
        for name, value in case.report.plan.inputs.items()
        if name in names(pattern)
    }
    planned_outputs, problems = plan_outputs(operation, texts, case.roots, in_workspace=True)
    path = f"{_folder(case.roots, base)}/{file}"
    patterns = output_patterns(planned_outputs, case.roots)
    return not problems and all(output_pattern.matches(path) for output_pattern in patterns)


def _folder(roots: Roots, base: str) -> str:
    return (roots.repository if base == "repo_root" else "") or roots.of(base)
