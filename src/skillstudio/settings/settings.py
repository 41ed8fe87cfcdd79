"""What `skillstudio.toml` says, for one skill."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from skillstudio.text.source import Position


@dataclass(frozen=True)
class Policy:
    """What the skills of a workspace may ask for. None is no limit; an empty tuple is nothing."""

    effects: tuple[str, ...] | None = None
    capabilities: tuple[str, ...] | None = None
    commands: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    places: dict[str, Position] = field(default_factory=dict)
    """Where each list stands in `path`."""
    path: str = ""


@dataclass(frozen=True)
class Ignore:
    """A rule silenced in JSON, where comments cannot: `rule` for files that match `path`."""

    rule: str
    path: str
    place: Position


@dataclass(frozen=True)
class SkillSettings:
    """The settings that hold for one skill's folder."""

    dialect: str | None = None
    profiles: tuple[str, ...] = ()
    severities: dict[str, Literal["error", "warning", "info", "off"]] = field(default_factory=dict)
    """Rule id to `error`, `warning`, `info` or `off`."""
    ignores: tuple[Ignore, ...] = ()
    policy: Policy | None = None


NO_SETTINGS = SkillSettings()
