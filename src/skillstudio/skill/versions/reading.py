"""Read the skill of one version, if its manifests can be parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Place
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.versions.operand import Operand
from skillstudio.text.conflict import begins_in_conflict, conflicts
from skillstudio.text.diagnostic import Diagnostic

UNREADABLE = (
    "syntax-yaml", "syntax-json", "syntax-toml", "nesting-too-deep", "frontmatter-unclosed",
    "file-not-utf8", "file-unreadable", "file-too-large", "path-link-outside",
)  # fmt: skip
"""Rules whose violation makes a manifest wholly or partly unreadable."""


CONFLICT = "unresolved merge conflict: resolve it to compare the manifest"


class UnreadableManifest(Exception):
    """A manifest of one version cannot be parsed."""

    def __init__(self, operand: Operand, faults: list[tuple[Place, str]]) -> None:
        super().__init__(f"{operand.label} cannot be compared")
        self.operand = operand
        self.faults = faults
        """Each place in the skill's folder, with its problem."""

    def sentences(self) -> list[str]:
        """One line for each problem: `ref:path:line:column: message`."""
        return [
            f"{shown_path(self.operand, place.path)}:{place.line}:{place.column}: {message}"
            for place, message in self.faults
        ]


def read_skill(operand: Operand, tree: FileTree, settings: SkillSettings = NO_SETTINGS) -> Skill:
    """The skill in the tree of an operand. Raises UnreadableManifest, OSError."""
    location = locate(tree, settings)
    faults = sorted(set(_faults(location.skill, location.diagnostics)))
    if faults:
        raise UnreadableManifest(operand, faults)
    return location.skill


def shown_path(operand: Operand, file: str = "") -> str:
    """The path of a version's file for people; in a commit `REF:path`, as in git."""
    path = "/".join(part for part in (operand.path, file) if part and part != ".") or "."
    return f"{operand.ref}:{path}" if operand.commit else path


def _faults(skill: Skill, diagnostics: Iterable[Diagnostic]) -> Iterator[tuple[Place, str]]:
    yield from _conflicts(skill)
    for diagnostic in diagnostics:
        if diagnostic.rule in UNREADABLE:
            source = skill.source(diagnostic.path)
            at = source.position(diagnostic.span.start) if source and diagnostic.span else (1, 1)
            yield Place(diagnostic.path, *at), diagnostic.message
    for manifest in skill.manifests:
        for fault in manifest.document.faults:
            if fault.rule in UNREADABLE:
                at = manifest.document.source.position(fault.start)
                yield Place(manifest.path, *at), fault.message


def _conflicts(skill: Skill) -> Iterator[tuple[Place, str]]:
    """Places of merge conflicts that hide or split a manifest in SKILL.md."""
    if skill.markdown is None:
        return
    source, frontmatter = skill.markdown.source, skill.markdown.frontmatter
    spans = [
        manifest.document.span for manifest in skill.manifests if manifest.document.source is source
    ]
    first = begins_in_conflict(source.text)
    starts = set() if first is None else {first}
    for start, end in conflicts(source.text):
        above = frontmatter is not None and start < frontmatter.end
        if above or any(start <= span.start and span.end <= end for span in spans):
            starts.add(start)
    for start in sorted(starts):
        yield Place(source.path, *source.position(start)), CONFLICT
