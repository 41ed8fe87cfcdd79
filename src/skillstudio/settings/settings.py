"""The settings of one skill."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from skillstudio.text.source import Position

_NOTHING: Mapping[str, Any] = {}


class Policy(NamedTuple):
    """Limits on what skills may request. None is no limit; an empty tuple allows nothing."""

    effects: tuple[str, ...] | None = None
    capabilities: tuple[str, ...] | None = None
    commands: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    places: Mapping[str, Position] = _NOTHING
    """The position of each list in `path`."""
    path: str = ""


class IgnoredRule(NamedTuple):
    """A rule ignored in files that match `path`, for JSON, which has no comments."""

    rule: str
    path: str
    place: Position


class SkillSettings(NamedTuple):
    """The settings for one skill's folder."""

    dialect: str | None = None
    targets: tuple[str, ...] = ()
    severities: Mapping[str, Literal["error", "warning", "info", "off"]] = _NOTHING
    """Rule id to `error`, `warning`, `info` or `off`."""
    ignores: tuple[IgnoredRule, ...] = ()
    policy: Policy | None = None


NO_SETTINGS = SkillSettings()
