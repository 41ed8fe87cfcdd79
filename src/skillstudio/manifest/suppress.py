"""Suppress problems: `# skillstudio: ignore[rule]`, and `[[ignore]]` of the settings.

A comment applies to its own line or, alone on a line, to the next line. An unused comment is a
problem itself, unless only a check of the whole workspace could use it. `markdown_ignores` reads
the comments in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from typing import NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.settings.settings import IgnoredRule, SkillSettings
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.source import Span

_COMMENT = lazy_pattern(
    r"(?:^|(?<=\s))#\s{0,9}skillstudio:\s{0,9}ignore\[([^\]\n]{0,500})\]", re.MULTILINE
)


WHOLE_FILE = 0
"""The line of a comment that applies to the whole file."""
MARKDOWN = (".md", ".mdx")
WORKSPACE_RULES = frozenset(
    {
        "dependency-cycle",
        "dependency-feature-missing",
        "dependency-out-of-range",
        "dependency-unresolved",
        "skill-name-repeated",
    }
)
"""The rules about a skill whose problems follow from other skills."""


class _Ignore(NamedTuple):
    """One rule that one comment ignores on one line."""

    path: str
    rule: str
    line: int
    span: Span
    is_refused: bool = False
    """Whether a text cannot ignore the rule: whoever attacks a reader would ignore it."""


def suppress(
    diagnostics: Sequence[Diagnostic], skill: Skill, used: set[IgnoredRule]
) -> list[Diagnostic]:
    """The problems that are not ignored, and unused comments; effective entries go to `used`."""
    ignores: dict[tuple[str, str, int], list[_Ignore]] = {}
    for ignore in _comments(skill):
        ignores.setdefault(ignore[:3], []).append(ignore)
    rest = list(diagnostics)
    effective: set[_Ignore] = set()
    if ignores:
        rest = [
            diagnostic
            for diagnostic in rest
            if not _is_silenced(diagnostic, skill, ignores, effective)
        ]
    if skill.settings.ignores:
        rest = [
            diagnostic
            for diagnostic in rest
            if not is_ignored(diagnostic, diagnostic.path, skill.name, skill.settings, used)
        ]
    if not ignores:
        return rest
    from skillstudio.manifest.rulebook import former_rule

    for ignore in chain.from_iterable(ignores.values()):
        if ignore not in effective and ignore.rule not in WORKSPACE_RULES:
            message = f"unused ignore: no {ignore.rule} problem here; remove it"
            if former := former_rule(ignore.rule):
                message = f"unused ignore: {ignore.rule} is no rule; {former.text}"
            elif ignore.is_refused:
                message = (
                    f"a comment in Markdown cannot ignore {ignore.rule}, a rule of security; use "
                    "[[ignore]] in skillstudio.toml"
                )
            rest.append(Diagnostic("ignore-unused", message, ignore.span, path=ignore.path))
    return rest


def commented_ignores(skill: Skill) -> Iterator[tuple[str, str, int]]:
    """File, rule and line of the comments of a skill that ignore a rule of the workspace."""
    for path, rule, line, *_ in _comments(skill):
        if rule in WORKSPACE_RULES:
            yield path, rule, line


def _comments(skill: Skill) -> Iterator[_Ignore]:
    """The comments of a skill, once for dialects that share a document."""
    spans = {
        (manifest.path, manifest.document.span): manifest.document.source
        for manifest in skill.manifests
        if manifest.document.syntax != "json" and "skillstudio:" in manifest.document.source.text
    }
    for (path, span), source in spans.items():
        for comment in _COMMENT.finditer(source.text, span.start, span.end):
            line = source.position(comment.start()).line
            alone = source.line(line).strip().startswith("#")
            for rule in comment.group(1).split(","):
                yield _Ignore(path, rule.strip(), line + alone, Span(*comment.span()))
    markdown = skill.markdown
    texts = [(text, 0) for text in skill.texts.values() if text.path.endswith(MARKDOWN)]
    if markdown is not None:
        texts.append((markdown.source, markdown.body.start))
    for source, body in texts:
        if "skillstudio:" not in source.text or "<!--" not in source.text:
            continue
        from skillstudio.manifest.markdown_ignores import markdown_ignores
        from skillstudio.manifest.rulebook import is_secure

        for rule, line, span in markdown_ignores(source, body):
            yield _Ignore(source.path, rule, line, span, is_secure(rule))


def _is_silenced(
    diagnostic: Diagnostic,
    skill: Skill,
    ignores: Mapping[tuple[str, str, int], list[_Ignore]],
    effective: set[_Ignore],
) -> bool:
    source = skill.source(diagnostic.path)
    if source is None:
        return False
    line = source.position(diagnostic.span.start).line if diagnostic.span else 1
    matches = [
        ignore
        for place in (line, WHOLE_FILE)
        for ignore in ignores.get((diagnostic.path, diagnostic.rule, place), ())
        if not ignore.is_refused
    ]
    effective.update(matches)
    return bool(matches)


def is_ignored(
    diagnostic: Diagnostic, path: str, folder: str, settings: SkillSettings, used: set[IgnoredRule]
) -> bool:
    """Whether the settings ignore a problem in a file, given with the name of its folder."""
    names = (path, f"{folder}/{path}", f"{settings.place}/{path}".lstrip("/"))
    matches = [
        ignore
        for ignore in settings.ignores
        if ignore.rule == diagnostic.rule and any(fnmatchcase(name, ignore.path) for name in names)
    ]
    used.update(matches)
    return bool(matches)
