"""What `skillstudio.toml` says, for one skill."""

# Annotations are values here, not strings: NamedTuple would compile each string at every start.

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from skillstudio.text.source import Position

_NOTHING: Mapping[str, Any] = {}


class Policy(NamedTuple):
    """What the skills of a workspace may ask for. None is no limit; an empty tuple is nothing."""

    effects: tuple[str, ...] | None = None
    capabilities: tuple[str, ...] | None = None
    commands: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    places: Mapping[str, Position] = _NOTHING
    """Where each list stands in `path`."""
    path: str = ""


class IgnoredRule(NamedTuple):
    """A rule silenced in JSON, where comments cannot: `rule` for files that match `path`."""

    rule: str
    path: str
    place: Position


class SkillSettings(NamedTuple):
    """The settings that hold for one skill's folder."""

    dialect: str | None = None
    targets: tuple[str, ...] = ()
    severities: Mapping[str, Literal["error", "warning", "info", "off"]] = _NOTHING
    """Rule id to `error`, `warning`, `info` or `off`."""
    ignores: tuple[IgnoredRule, ...] = ()
    policy: Policy | None = None


NO_SETTINGS = SkillSettings()
