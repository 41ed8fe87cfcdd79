"""Apply the picked findings to the manifest's text as one list of splices."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.adopting.finding import AdoptFinding, Case
from skillstudio.dryrun.adopting.findings import AdoptRefused, findings, make_case
from skillstudio.files.tree import Overlay
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.analysis import analyse
from skillstudio.text.diagnostic import Edit, Remove, Set, Splice
from skillstudio.text.edit import EditRefused, apply, resolve_edits
from skillstudio.text.node import Document, join_pointer, split_pointer

_ALLOWS_ALL_WHEN_EMPTY = re.compile(r"/capabilities/terminal_exec/commands")


class AdoptedManifest(NamedTuple):
    """A manifest with the picked findings applied."""

    path: str  # Relative to the skill's folder.
    old: str
    new: str
    splices: tuple[Splice, ...]
    """From `old` to `new`, for an open buffer to apply as one undo step."""


class PickUnknown(Exception):
    """An id that is unknown or cannot be adopted: a sentence."""


def pick(
    candidates: Sequence[AdoptFinding], ids: Sequence[str] = (), all_: bool = False
) -> list[AdoptFinding]:
    """The findings with these ids, all that can be adopted, or those preselected."""
    findings_by_id = {finding.id: finding for finding in candidates}
    for id in ids:
        if id not in findings_by_id:
            raise PickUnknown(f"this run has no change {id} to adopt")
        if not findings_by_id[id].edits:
            raise PickUnknown(f"{id} cannot be adopted: {findings_by_id[id].cannot}")
    if ids:
        return [finding for finding in candidates if finding.id in ids]
    return [finding for finding in candidates if finding.edits and (all_ or finding.is_preselected)]


def splices(document: Document, picked_findings: Sequence[AdoptFinding]) -> list[Splice]:
    """The splices for several findings, with missing parents created. Raises AdoptRefused."""
    edits = [edit for finding in picked_findings for edit in finding.edits]
    try:
        return resolve_edits(document, list(_with_parents(document.value, edits)))
    except EditRefused as error:
        raise AdoptRefused(f"the manifest cannot be edited automatically: {error}") from None


def adopt(
    case: Case, picked_findings: Sequence[AdoptFinding], settings: SkillSettings = NO_SETTINGS
) -> AdoptedManifest:
    """Apply the picked findings. Raises AdoptRefused when the skill would have a new error or
    warning, or a picked finding would remain."""
    document = case.manifest.document
    path, old = case.manifest.path, document.source.text
    manifest_splices = splices(document, picked_findings)
    new = apply(old, manifest_splices)
    before = analyse(case.tree, settings, None)
    tree = Overlay(case.tree, {path: new.encode("utf-8", "surrogatepass")})
    after = analyse(tree, settings, None)
    known_problems = [(diagnostic.rule, diagnostic.message) for diagnostic in before.diagnostics]
    for diagnostic in after.diagnostics:
        if (diagnostic.rule, diagnostic.message) in known_problems:
            known_problems.remove((diagnostic.rule, diagnostic.message))
        elif diagnostic.severity != "info":
            raise AdoptRefused(f"{path} would have a new problem: {diagnostic.message}")
    again = make_case(case.report, after.skill, case.home, case.look)
    remaining_ids = {finding.id for finding in findings(again) if finding.edits}
    for finding in picked_findings:
        if finding.id in remaining_ids:
            raise AdoptRefused(f"{path} would still not declare {finding.id}")
    return AdoptedManifest(path, old, new, tuple(manifest_splices))


def _with_parents(value: Any, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Order the edits and create missing parents; removals come last, from the end on."""
    value = copy.deepcopy(value) if isinstance(value, dict) else {}
    removals: list[list[str]] = []
    for edit in edits:
        if isinstance(edit, Remove):
            removals.append(split_pointer(edit.pointer))
        elif isinstance(edit, Set):
            yield from _set(value, split_pointer(edit.pointer), edit.value)
        else:
            yield edit
    for tokens in sorted(removals, key=_natural, reverse=True):
        parent = _at(value, tokens[:-1])
        is_last = isinstance(parent, list) and len(parent) == 1
        if is_last and _ALLOWS_ALL_WHEN_EMPTY.fullmatch(join_pointer(tokens[:-1])):
            raise AdoptRefused("removing the last program of the list would allow every program")
        if isinstance(parent, list):
            at = int(tokens[-1])
            del parent[at : at + 1]
        yield Remove(join_pointer(tokens))


def _set(value: Any, tokens: list[str], new: Any) -> Iterator[Set]:
    """One edit at the deepest existing place; `value` is changed to match."""
    parent = value
    for depth, token in enumerate(tokens):
        last = depth == len(tokens) - 1
        is_list = last and token == "-"  # noqa: S105
        if not isinstance(parent, list if is_list else dict | list):
            where = join_pointer(tokens[:depth])
            raise AdoptRefused(f"{where} is not a {'list' if is_list else 'mapping'}")
        if isinstance(parent, list):
            if last and new not in parent:
                parent.append(new)
                yield Set(join_pointer(tokens), new)
            if last:
                return
            if not token.isdecimal():
                raise AdoptRefused(f"{join_pointer(tokens[:depth])} is not a mapping")
            parent = parent[int(token)]
            continue
        if last or parent.get(token) is None:
            nested_value = _nest_value(tokens[depth + 1 :], new)
            parent[token] = nested_value
            yield Set(join_pointer(tokens[: depth + 1]), copy.deepcopy(nested_value))
            return
        parent = parent[token]


def _nest_value(tokens: list[str], value: Any) -> Any:
    for token in reversed(tokens):
        value = [value] if token == "-" else {token: value}  # noqa: S105
    return value


def _at(value: Any, tokens: list[str]) -> Any:
    for token in tokens:
        if isinstance(value, list):
            value = value[int(token)] if token.isdecimal() and int(token) < len(value) else None
        else:
            value = value.get(token) if isinstance(value, dict) else None
    return value


def _natural(tokens: list[str]) -> list[tuple[int, str]]:
    return [(int(token), "") if token.isdecimal() else (-1, token) for token in tokens]
