"""Dialects (manifest formats), one folder each, and the values that their rules receive."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.text.node import Document, Scalar, resolve
from skillstudio.text.reading.markdown import Markdown
from skillstudio.text.source import Source
from skillstudio.text.versions import is_semver

_NOTHING: Mapping[str, Any] = {}


class Dialect(NamedTuple):
    """One dialect, as described in its `dialect.json`."""

    id: str  # The id for users, such as `frontmatter-1.0`.
    title: str
    folder: str  # The name of its folder below `manifest`, or of an installed package.
    package: str
    path: str
    versions: tuple[str, ...]
    carrier: str  # `frontmatter`, `fence` or `file`.
    file: str  # The file that contains it, or for further parts a glob.
    syntax: str
    fence: str = ""  # The info string of its fence.
    schema: str = "schema.json"
    when: Mapping[str, Any] = _NOTHING
    """What distinguishes it from other dialects with the same carrier: `any_key`, `any_shape` (a
    key whose value is a mapping of lists, and a key of each list item), `equals`, `present`,
    `else`; empty always matches."""
    recognise: Mapping[str, Any] = _NOTHING
    """What identifies a file as this dialect: `at_least` so many of `keys`."""
    extends: str = ""  # The dialect that it extends and is detected with.
    parts: Mapping[str, dict[str, Any]] = _NOTHING
    """Further files that belong to it: name to `glob_from`, `default`, `syntax`, `schema`."""
    identity: Mapping[str, str] = _NOTHING
    """JSON Pointers to `name`, `version`, `description`, and the `id` that other skills use."""
    states: Mapping[str, Sequence[str]] = _NOTHING
    """The same for keys that many authors use although the format lacks them: only read. The first
    one with a semantic version counts, else the first one of the list."""
    depends: bool = False  # Whether its skills depend on each other; see hooks.DependenciesHook.
    digests: bool = False  # Whether it defines digests; see hooks.HashingHook.
    drafts: bool = False
    """`new --from` drafts its operations from scripts; the first such dialect counts."""
    ignorable: bool = False  # Whether `.skillignore` may exclude its file from a content hash.
    hint: str = ""
    """Text in a SKILL.md that calls `locate_checks` of its rules, even if it was not detected."""
    distribution: str = ""  # The distribution that installed it; empty for built-in dialects.


class Manifest(NamedTuple):
    """One manifest of a skill; `part` is `manifest`, or the name of a further part."""

    dialect: Dialect
    document: Document
    path: str
    part: str = "manifest"
    reason: str = ""

    def place_of(self, what: str) -> str:
        """The JSON Pointer to the `name`, `version`, `description` or `id`, or ""."""
        dialect = self.dialect
        pointer = dialect.identity.get(what, "") if self.part == "manifest" else ""
        if not pointer and self.part == "manifest" and what in dialect.states:
            values = {
                place: node.value if isinstance(node := resolve(value), Scalar) else None
                for place in dialect.states[what]
                if (value := self.document.at(place)) is not None
            }
            # Metadata may contain anything: 1.0 may be the version of something else.
            sure = (
                place for place, text in values.items() if isinstance(text, str) and is_semver(text)
            )
            first = dialect.states[what][0]
            return next(sure, first if first in values else "")
        return pointer

    def text_of(self, what: str) -> str:
        """The string at the place of the `name`, `version`, `description` or `id`, else ""."""
        pointer = self.place_of(what)
        node = resolve(self.document.at(pointer)) if pointer else None
        return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else ""


class Skill(NamedTuple):
    """A skill as its rules see it: the files, the manifests and the settings."""

    tree: FileTree
    name: str  # The folder's name.
    manifests: tuple[Manifest, ...] = ()
    markdown: Markdown | None = None
    settings: SkillSettings = NO_SETTINGS
    texts: Mapping[str, Source] = _NOTHING  # Other files that have a problem, by path.

    @property
    def front(self) -> Manifest | None:
        """The frontmatter of SKILL.md as the dialect that every SKILL.md has."""
        for manifest in self.manifests:
            if manifest.dialect.carrier == "frontmatter" and not manifest.dialect.extends:
                return manifest
        return None

    def source(self, path: str) -> Source | None:
        """The text of SKILL.md, of another file with a manifest, or of one in `texts`."""
        if self.markdown is not None and self.markdown.source.path == path:
            return self.markdown.source
        manifest_source = next((m.document.source for m in self.manifests if m.path == path), None)
        return manifest_source or self.texts.get(path)

    def of(self, dialect: str, part: str = "manifest") -> Manifest | None:
        """The first manifest of a dialect."""
        for manifest in self.manifests:
            if manifest.dialect.id == dialect and manifest.part == part:
                return manifest
        return None


class Ask(NamedTuple):
    """A requested `effect`, `capability`, `command`, `host` or `path`, for the policy."""

    kind: str
    value: str
    pointer: str
