"""Dialects (manifest formats), and the values that their rules receive.

A dialect is one folder next to this file: `dialect.json` describes how it is detected,
`schema.json` what it accepts, `rules.toml` its rules, and `rules.py` checks what a schema cannot
express.
"""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.text.node import Document
from skillstudio.text.reading.markdown import Markdown

_NOTHING: Mapping[str, Any] = {}


class Dialect(NamedTuple):
    """One dialect, as described in its `dialect.json`."""

    id: str
    """The id for users, such as `frontmatter-1.0`."""
    title: str
    folder: str
    """The Python package below `manifest` with its data and rules."""
    versions: tuple[str, ...]
    """The supported manifest versions."""
    carrier: str
    """`frontmatter`, `fence` or `file`."""
    file: str
    """The file that contains it, or for further parts a glob."""
    syntax: str
    """`yaml`, `json` or `toml`."""
    fence: str = ""
    """The info string of its fence."""
    schema: str = "schema.json"
    when: Mapping[str, Any] = _NOTHING
    """What distinguishes it from other dialects with the same carrier: `any_key`, `any_shape` (a
    key whose value is a mapping of lists, and a key of each list item), `equals`, `present`,
    `else`; empty always matches."""
    recognise: Mapping[str, Any] = _NOTHING
    """What identifies a file as this dialect: `at_least` so many of `keys`."""
    extends: str = ""
    """The dialect that it extends and is detected with."""
    parts: Mapping[str, dict[str, Any]] = _NOTHING
    """Further files that belong to it: name to `glob_from`, `default`, `syntax`, `schema`."""
    identity: Mapping[str, str] = _NOTHING
    """JSON Pointers to `name`, `version` and `description`."""
    states: Mapping[str, str] = _NOTHING
    """Where many authors write one of these although the format does not define it: read, never
    written."""
    depends: bool = False
    """Whether its skills have dependencies, which are checked across a workspace."""
    digests: bool = False
    """Whether its rules define digests of its manifests."""
    hint: str = ""
    """A text in SKILL.md that makes its rules run even if the dialect was not detected."""


class Manifest(NamedTuple):
    """One manifest of a skill: its dialect, its document and its file.

    `part` is `manifest`, or the name of a further part such as `recipe`.
    """

    dialect: Dialect
    document: Document
    path: str
    part: str = "manifest"
    reason: str = ""
    """Why this dialect was detected, for people."""

    def place_of(self, what: str) -> str:
        """The JSON Pointer to the `name`, `version` or `description`; empty if not supported."""
        dialect = self.dialect
        pointer = dialect.identity.get(what, "") if self.part == "manifest" else ""
        if not pointer and self.part == "manifest" and what in dialect.states:
            stated = dialect.states[what]
            return stated if self.document.at(stated) is not None else ""
        return pointer


class Skill(NamedTuple):
    """A skill as its rules see it: the files, the manifests and the settings."""

    tree: FileTree
    name: str
    """The folder's name."""
    manifests: tuple[Manifest, ...] = ()
    markdown: Markdown | None = None
    """The parsed SKILL.md, if there is one."""
    settings: SkillSettings = NO_SETTINGS

    def of(self, dialect: str, part: str = "manifest") -> Manifest | None:
        """The first manifest of a dialect."""
        for manifest in self.manifests:
            if manifest.dialect.id == dialect and manifest.part == part:
                return manifest
        return None


class Ask(NamedTuple):
    """A permission that a manifest requests, for the policy.

    `kind` is `effect`, `capability`, `command`, `host` or `path`.
    """

    kind: str
    value: str
    pointer: str
