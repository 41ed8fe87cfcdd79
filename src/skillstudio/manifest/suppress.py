"""Suppress problems: `# skillstudio: ignore[rule]`, and `[[ignore]]` for JSON.

A comment applies to its own line or, alone on a line, to the next line. An unused comment is a
problem itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.settings.settings import IgnoredRule
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Source, Span

_COMMENT = re.compile(r"(?:^|(?<=\s))#\s*skillstudio:\s*ignore\[([^\]\n]*)\]", re.MULTILINE)


class _Ignore(NamedTuple):
    """One rule that one comment ignores on one line."""

    path: str
    rule: str
    line: int
    span: Span


def suppress(found: Sequence[Diagnostic], skill: Skill, used: set[IgnoredRule]) -> list[Diagnostic]:
    """The problems that are not ignored, and unused comments; effective entries go to `used`."""
    sources = {manifest.path: manifest.document.source for manifest in skill.manifests}
    ignores = [ignore for manifest in _commented(skill) for ignore in _comments(manifest)]
    left = list(found)
    effective: set[_Ignore] = set()
    if ignores:
        left = [each for each in left if not _silenced(each, sources, ignores, effective)]
    if skill.settings.ignores:
        left = [each for each in left if not _by_settings(each, skill, used)]
    for ignore in ignores:
        if ignore not in effective:
            message = f"unused ignore: no {ignore.rule} problem here; remove it"
            left.append(Diagnostic("ignore-unused", message, ignore.span, path=ignore.path))
    return left


def _commented(skill: Skill) -> list[tuple[Source, Span]]:
    spans: dict[tuple[str, Span], tuple[Source, Span]] = {}
    for manifest in skill.manifests:
        document = manifest.document
        if document.syntax != "json":
            spans[manifest.path, document.span] = (document.source, document.span)
    return list(spans.values())


def _comments(where: tuple[Source, Span]) -> list[_Ignore]:
    source, span = where
    if "skillstudio:" not in source.text:
        return []
    made = []
    for comment in _COMMENT.finditer(source.text, span.start, span.end):
        line = source.position(comment.start()).line
        alone = source.line(line).strip().startswith("#")
        at = Span(comment.start(), comment.end())
        made += [
            _Ignore(source.path, rule.strip(), line + alone, at)
            for rule in comment.group(1).split(",")
        ]
    return made


def _silenced(
    each: Diagnostic, sources: dict[str, Source], ignores: list[_Ignore], effective: set[_Ignore]
) -> bool:
    source = sources.get(each.path)
    if source is None:
        return False
    line = source.position(each.span.start).line if each.span else 1
    wanted = (each.path, each.rule, line)
    silencing = [ignore for ignore in ignores if ignore[:3] == wanted]
    effective.update(silencing)
    return bool(silencing)


def _by_settings(each: Diagnostic, skill: Skill, used: set[IgnoredRule]) -> bool:
    names = (each.path, f"{skill.name}/{each.path}")
    silencing = [
        ignore
        for ignore in skill.settings.ignores
        if ignore.rule == each.rule and any(fnmatchcase(name, ignore.path) for name in names)
    ]
    used.update(silencing)
    return bool(silencing)
