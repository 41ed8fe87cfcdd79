"""What the checks of a workspace need to know of each of its skills: small values without trees."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.files.disk import DiskSnapshot
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.suppress import commented_ignores
from skillstudio.settings.settings import NO_SETTINGS, IgnoredRule, SkillSettings
from skillstudio.skill.analysis import Analysis
from skillstudio.text.source import Position, Span

if TYPE_CHECKING:
    from skillstudio.manifest.hook_values import Need
    from skillstudio.skill.listing import ListedSkill

EXCERPT = 120  # Characters of a line that are kept.


class TextPlace(NamedTuple):
    """A place in a file of a skill, with a part of its line."""

    path: str  # The file, relative to the skill's folder.
    pointer: str = ""
    span: Span = Span(0, 0)
    start: Position = Position(1, 1)
    end: Position = Position(1, 1)
    line: str | None = None  # The part of the first line around the place; None without a span.
    skipped: int = 0  # Characters of the line before that part.


class PlacedProblem(NamedTuple):
    """A problem that follows from other skills, at a place in one."""

    rule: str
    message: str
    place: TextPlace
    dialect: str = ""


class PlacedNeed(NamedTuple):
    """A required or suggested skill, and where the manifest names it, its range and features."""

    need: "Need"
    at: TextPlace
    range_at: TextPlace
    features_at: tuple[TextPlace, ...]


class DependentSkill(NamedTuple):
    """A manifest of a format with dependencies, as other skills see it."""

    dialect: str
    id: str
    version: str
    features: frozenset[str]
    needs: tuple[PlacedNeed, ...]


class SkillFacts(NamedTuple):
    """A skill in its workspace; `path` is how messages name its folder."""

    path: str
    folder: str  # The name of its folder.
    settings: SkillSettings = NO_SETTINGS
    used_ignores: frozenset[IgnoredRule] = frozenset()
    listed_skills: tuple["ListedSkill", ...] = ()
    dependent: tuple[DependentSkill, ...] = ()
    name: str = ""
    """The declared name."""
    name_at: TextPlace | None = None
    """The place of a name that differs from the folder's."""
    ignores: frozenset[tuple[str, str, int]] = frozenset()
    """File, rule and line of the comments that ignore a rule of the workspace."""
    outside: tuple[tuple[str, str, str | None], ...] = ()
    """What the problems depend on outside of the skill's folder: see `AskedOutside`."""

    @property
    def may_have_between(self) -> bool:
        """Whether it can have problems that follow from other skills."""
        return bool(self.dependent) or self.name_at is not None

    @property
    def seen_by_others(self) -> object:
        """What the problems of other skills may depend on: equal where none of them changes."""
        needs = [
            (skill.id, skill.version, skill.features, [placed.need for placed in skill.needs])
            for skill in self.dependent
        ]
        return self.name, self.settings.listed_in, self.name_at is None, needs

    def concerns(self, other: "SkillFacts") -> bool:
        """Whether a problem of another skill, or of the same one, may follow from it."""
        is_near = self.settings.listed_in == other.settings.listed_in
        return bool(self.dependent and other.dependent) or (is_near and self.name == other.name)


def facts_of(path: str, analysis: Analysis) -> SkillFacts:
    """What a workspace needs to know of an analysed skill."""
    skill = analysis.skill
    settings = skill.settings
    listed_skills: list[ListedSkill] = []
    if analysis.target_outcomes and settings.listed_in:
        from skillstudio.skill.listing import list_skill

        listed_skills = list_skill(skill, settings.listed_in, analysis.target_outcomes)
    name = analysis.name
    folder = skill.name or os.path.basename(path)
    return SkillFacts(
        path,
        folder,
        settings,
        analysis.used_ignores,
        tuple(listed_skills),
        tuple(_dependents(analysis.manifests)),
        name,
        None if name == folder else _name_place(analysis.manifests, name),
        frozenset(commented_ignores(skill)),
        _outside(skill.tree),
    )


def pack_facts(facts: SkillFacts) -> list[Any] | None:
    """The facts as JSON, without the skill's path, its settings and what is outside of it.

    None for a skill that other skills concern, of which there are few.
    """
    if facts.dependent or facts.ignores:
        return None
    return [list(facts.used_ignores), facts.listed_skills, facts.name, facts.name_at]


def unpack_facts(path: str, folder: str, settings: SkillSettings, values: Any) -> SkillFacts:
    """The facts of a packed value; `folder` is the skill's on disk."""
    from skillstudio.skill.listing import ListedSkill

    used, listed_skills, name, name_at = values
    place = None
    if name_at is not None:
        at_path, pointer, span, start, end, line, skipped = name_at
        place = TextPlace(
            at_path, pointer, Span(*span), Position(*start), Position(*end), line, skipped
        )
    return SkillFacts(
        path,
        os.path.basename(folder),
        settings,
        frozenset(
            IgnoredRule(rule, ignored_path, Position(*at)) for rule, ignored_path, at in used
        ),
        tuple(ListedSkill(*entry) for entry in listed_skills),
        (),
        name,
        place,
    )


def _outside(tree: FileTree) -> tuple[tuple[str, str, str | None], ...]:
    outside_answers = tree.outside if isinstance(tree, DiskSnapshot) else {}
    return tuple((folder, path, answer) for (folder, path), answer in outside_answers.items())


def _name_place(manifests: tuple[Manifest, ...], name: str) -> TextPlace | None:
    for manifest in manifests:
        if manifest.text_of("name") == name and (pointer := manifest.place_of("name")):
            return _place(manifest, pointer, value=True)
    return None


def _dependents(manifests: tuple[Manifest, ...]) -> Iterator[DependentSkill]:
    for manifest in manifests:
        if not manifest.dialect.depends or manifest.part != "manifest":
            continue
        from skillstudio.manifest.hooks import hook

        if (hooks := hook(manifest.dialect, "dependencies")) is not None:
            needs = tuple(
                PlacedNeed(
                    need,
                    _place(manifest, need.pointer),
                    _place(manifest, need.range_pointer, value=True),
                    tuple(_place(manifest, pointer, value=True) for pointer, _ in need.features),
                )
                for need in hooks.needs(manifest)
            )
            yield DependentSkill(
                manifest.dialect.id,
                manifest.text_of("id"),
                manifest.text_of("version"),
                frozenset(hooks.features(manifest)),
                needs,
            )


def _place(manifest: Manifest, pointer: str, value: bool = False) -> TextPlace:
    """The place of a key of the manifest, or of its value."""
    document = manifest.document
    node = document.at(pointer) if value else None
    span = (node.span if node else None) if value else document.key_span(pointer)
    if span is None:
        return TextPlace(manifest.path, pointer)
    source = document.source
    return TextPlace(
        manifest.path, pointer, Span(*span), source.position(span.start),
        source.position(span.end), *source.around(span.start, EXCERPT),
    )  # fmt: skip
