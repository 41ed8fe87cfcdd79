"""The settings of one skill, and the files that can have them."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import os
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from skillstudio.files.paths import make_relative
from skillstudio.text.source import Position

FILE = "skillstudio.toml"
PYPROJECT = "pyproject.toml"
CONFIG = "SKILLSTUDIO_CONFIG"
"""The environment variable that names a settings file."""
_NOTHING: Mapping[str, Any] = {}


class Policy(NamedTuple):
    """Limits on what skills may request. None is no limit; an empty tuple allows nothing."""

    effects: tuple[str, ...] | None = None
    capabilities: tuple[str, ...] | None = None
    commands: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    places: Mapping[str, Position] = _NOTHING  # The position of each list in `path`.
    path: str = ""


class IgnoredRule(NamedTuple):
    """A rule ignored in files that match `path`, for JSON, which has no comments."""

    rule: str
    path: str
    place: Position


class PluginPlace(NamedTuple):
    """The plugin in whose folder a skill is, as a target sees it."""

    target: str
    name: str
    marketplace_name: str  # Its name in a marketplace, as NAME@MARKETPLACE; "" if none lists it.
    where: str  # Its folder, as that of a skill.
    contains_skill: bool


class Overlooked(NamedTuple):
    """Why an installer does not find a skill in its repository, and the fix."""

    target: str
    text: str
    fix: str
    evidence: str


class ClientPlace(NamedTuple):
    """Where targets look for a skill on disk."""

    where: str
    """Its folder: relative to the project with `/`, or starting with `~/`."""
    links: tuple[str, ...] = ()
    """Its other places, which lead to it through symbolic links."""
    plugins: tuple[PluginPlace, ...] = ()
    """The plugin that it is in, for each target with plugins that reads one there."""
    oversights: tuple[Overlooked, ...] = ()
    """The installers that do not find it in its repository."""
    linked_places: frozenset[str] = frozenset()
    """Those of its places at which its folder is itself a symbolic link."""

    def plugin(self, target: str) -> PluginPlace | None:
        """The plugin in whose folder a target sees the skill."""
        return next((plugin for plugin in self.plugins if plugin.target == target), None)


class SkillSettings(NamedTuple):
    """The settings for one skill's folder."""

    dialect: str | None = None
    targets: tuple[str, ...] = ()
    severities: Mapping[str, Literal["error", "warning", "info", "off"]] = _NOTHING
    """Rule id to `error`, `warning`, `info` or `off`."""
    ignores: tuple[IgnoredRule, ...] = ()
    policy: Policy | None = None
    selected_by: str = ""
    """How the targets were selected, in words; empty for all targets."""
    place: str = ""
    """The folder relative to the file of the settings; empty for its own folder."""
    listed_in: str = ""
    """The folder on disk whose skills targets list together; empty if it is not known."""
    file: str = ""
    """The file of the settings, as messages name it; empty for none."""
    by_place: bool = False
    """Whether the skill's place selected the targets, not settings or an option."""
    missed_by: tuple[str, ...] = ()
    """The targets to which the place belongs, but which do not find the skill there."""
    home: str = ""
    """The folder on disk of the root or plugin that selected the targets; "" for none."""
    client_place: ClientPlace | None = None
    """Where targets look for the skill; None if that is not known, or it is not on disk."""


NO_SETTINGS = SkillSettings()


class EditorSettings(NamedTuple):
    """The settings of the workbench's editor."""

    keys: Literal["standard", "vim"] = "standard"
    mouse: bool = True


class SettingsFile(NamedTuple):
    """A file with settings: `skillstudio.toml`, or `pyproject.toml` with a table of ours."""

    path: str
    base: str  # The folder that its globs are relative to.
    origin: Literal["workspace", "chosen", "user"] = "workspace"
    """Whether it was found above the skills, or named, or is this user's own."""

    @property
    def display_path(self) -> str:
        """Its path relative to the working directory; that of the user's own file as it is."""
        if self.origin == "user":
            return self.path
        return make_relative(self.path).replace(os.sep, "/")


def table_of(path: str) -> str:
    """The JSON Pointer of the settings in a file: that of a table in `pyproject.toml`."""
    return "/tool/skillstudio" if os.path.basename(path) == PYPROJECT else ""


def has_settings(path: str, text: str) -> bool:
    """Whether a file with this text is one with settings."""
    name = os.path.basename(path)
    is_own = name == FILE or path in settings_from_elsewhere()
    return is_own or (name == PYPROJECT and has_table(path, text))


def may_have_settings(path: str) -> bool:
    """Whether a file may be one with settings, according to its path."""
    return os.path.basename(path) in (FILE, PYPROJECT) or path in settings_from_elsewhere()


def settings_from_elsewhere() -> frozenset[str]:
    """The files with settings that apply wherever a skill is: the chosen one, the user's own."""
    from skillstudio.files.state import config_folder

    chosen_path = os.environ.get(CONFIG, "")
    user_path = os.path.join(config_folder(), FILE)
    return frozenset((user_path, *([os.path.abspath(chosen_path)] if chosen_path else ())))


def has_table(file: str, text: str | None = None) -> bool:
    """Whether a `pyproject.toml` has settings; without `text`, as on disk."""
    from skillstudio.text.source import Source, Span, decode

    if text is None:
        try:
            with open(file, "rb") as stream:
                text, _ = decode(stream.read())
        except OSError:
            return False
    if "skillstudio" not in text:
        return False
    from skillstudio.text.reading import read

    return read(Source(text), "toml", Span(0, len(text))).at(table_of(file)) is not None
