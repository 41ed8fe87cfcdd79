"""Protos given to `check`: their references against the skills of their workspace."""

from __future__ import annotations

import os

from skillstudio.cli.report import Finding, excerpt_at
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate, read_file
from skillstudio.manifest.rulebook import severity_of
from skillstudio.skill.discover import find_skills
from skillstudio.skill.proto import check_proto
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Source

ENDINGS = (".yaml", ".yml")


def is_proto(path: str) -> bool:
    """Whether a file of no skill's is a YAML document that names skills."""
    if not path.lower().endswith(ENDINGS):
        return False
    source = read_file(_folder(path), os.path.basename(path), [])
    return source is not None and "skill:" in source.text


def proto_findings(path: str, shown: str) -> list[Finding]:
    """What is wrong with a proto, as findings of the workspace."""
    found: list[Diagnostic] = []
    source = read_file(_folder(path), os.path.basename(path), found)
    if source is not None:
        skills = _skills(os.path.abspath(path))
        found += check_proto(source, skills.get, skills)
    return [_finding(each, shown, source) for each in found]


def _folder(path: str) -> DiskTree:
    return DiskTree(os.path.dirname(path) or ".")


def _skills(path: str) -> dict[str, Skill]:
    """The skills of the workspace by the names that protos may use: their own, their folder's."""
    tree = DiskTree(_workspace(os.path.dirname(path)))
    named: dict[str, Skill] = {}
    folders: dict[str, Skill] = {}
    for inside in find_skills(tree):
        try:
            skill = locate(DiskTree(tree.path(inside))).skill
        except OSError:
            # A skill that cannot be listed cannot be held against a reference.
            continue
        folders.setdefault(skill.name, skill)
        for manifest in skill.manifests:
            node = manifest.document.at(manifest.dialect.identity.get("name", "/"))
            name = getattr(node, "value", None)
            if isinstance(name, str):
                named.setdefault(name, skill)
    return folders | named


def _workspace(folder: str) -> str:
    """The repository that a folder lies in, else the folder itself."""
    at = folder
    while not os.path.exists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return folder
        at = above
    return at


def _finding(each: Diagnostic, shown: str, source: Source | None) -> Finding:
    start = end = (1, 1)
    if source is not None and each.span is not None:
        start, end = source.position(each.span.start), source.position(each.span.end)
    severity = each.severity or severity_of(each.rule)
    fixes = tuple((fix.title, fix.safe) for fix in each.fixes)
    excerpt = excerpt_at(source, each.span)
    return Finding(
        each.rule, severity, each.message, shown, *start, *end, each.pointer, fixes, excerpt
    )
