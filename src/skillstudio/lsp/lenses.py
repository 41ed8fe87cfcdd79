"""Code lenses: what a skill costs, where it loads, the bump it needs, and its operations."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from skillstudio.files.git import enclosing_repository
from skillstudio.lsp.server import RequestRefused
from skillstudio.lsp.skills import SkillPlace
from skillstudio.manifest.project import project
from skillstudio.manifest.targets import OUTCOMES, render_reason
from skillstudio.present.lines import count
from skillstudio.preview.tokens import estimate_tokens, listed_as
from skillstudio.skill.outcomes import NOT_FOUND
from skillstudio.text.safe import safe_text

TARGETS = "skillstudio.targets"
DRY_RUN = "skillstudio.dryRun"
COMPARE = "skillstudio.compare"
_BUMP = "bump"
_MOST_REASONS = 12


def lenses(place: SkillPlace) -> list[types.CodeLens]:
    """The lenses of a document; the bump is computed when the editor shows it."""
    analysis = place.check.analysis
    if analysis is None:
        return []
    uri = place.document.uri
    code_lenses = []
    main = analysis.main
    if main is not None and main.path == place.inside:
        at = place.text.range(main.document.opening_line)
        at = types.Range(at.start, at.start)
        code_lenses.append(types.CodeLens(at, types.Command(_tokens(place), "")))
        if outcomes := analysis.targets:
            answers = [answer for answer in outcomes.values() if answer.outcome in OUTCOMES]
            loads = sum(answer.outcome == "loads" for answer in answers)
            title = f"loads in {loads} of {count(len(answers), 'target')}"
            if elsewhere := sum(answer.outcome == NOT_FOUND for answer in outcomes.values()):
                title += f", {elsewhere} look{'s' * (elsewhere == 1)} elsewhere"
            code_lenses.append(types.CodeLens(at, types.Command(title, TARGETS, arguments=[uri])))
        if enclosing_repository(place.check.folder):
            code_lenses.append(types.CodeLens(at, data={"kind": _BUMP, "uri": uri}))
    return [*code_lenses, *_operations(place)]


def _tokens(place: SkillPlace) -> str:
    analysis = place.check.analysis
    if analysis is None:
        return ""
    interface, markdown = project(analysis.skill), analysis.skill.markdown
    listing = listed_as(interface.name, interface.description)
    text = f"≈{estimate_tokens(listing):,} tokens always loaded"
    if markdown is not None:
        body = markdown.source.text[markdown.body.start : markdown.body.end]
        text += f", ≈{estimate_tokens(body):,} on activation"
    return text


def _operations(place: SkillPlace) -> Iterator[types.CodeLens]:
    """A lens above each operation that this document declares."""
    analysis = place.check.analysis
    if analysis is None:
        return
    from skillstudio.interface.model import token

    interface = project(analysis.skill)
    for operation in interface.operations:
        where = interface.places.get(f"/operations/{token(operation.name)}")
        if where is None or where.path != place.inside or not operation.declared:
            continue
        start = types.Position(max(where.line - 1, 0), 0)
        title = f"▶ dry-run {safe_text(operation.name)}"
        arguments: list[Any] = [place.document.uri, operation.name]
        yield types.CodeLens(
            types.Range(start, start), types.Command(title, DRY_RUN, arguments=arguments)
        )


def target_lines(place: SkillPlace) -> list[str]:
    """The targets that do not load the whole skill, and why."""
    analysis = place.check.analysis
    if analysis is None:
        return [place.check.trouble]
    answers = analysis.targets
    lines = [
        f"{answer.title}: {render_reason(reason)}"
        for answer in answers.values()
        if answer.outcome != NOT_FOUND or answer.is_selected
        for reason in answer.reasons
        if reason.outcome != "loads"
    ]
    if not lines:
        number = sum(answer.outcome == "loads" for answer in answers.values())
        return [f"all {count(number, 'target')} that look here load {analysis.name}"]
    excess = len(lines) - _MOST_REASONS
    return [*lines[:_MOST_REASONS], *([f"… {count(excess, 'more reason')}"] if excess > 0 else [])]


def run_text(place: SkillPlace, operation: str) -> str:
    """How to dry-run an operation; an editor never starts a skill's program."""
    analysis = place.check.analysis
    names = [candidate.name for candidate in project(analysis.skill).operations] if analysis else []
    if operation not in names:
        raise RequestRefused(f"the skill has no operation {operation}")
    command = shlex.join(
        [
            "skillstudio",
            "run",
            "--require-isolation",
            "confined",
            place.check.folder,
            operation,
        ]
    )
    return f"to dry-run {operation}, run this in a terminal: {command}"
