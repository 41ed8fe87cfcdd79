"""The settings of one skill, and the file that has them."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import os
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from skillstudio.text.source import Position

FILE = "skillstudio.toml"
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


NO_SETTINGS = SkillSettings()


def find_settings(start: str | os.PathLike[str]) -> str | None:
    """The nearest `skillstudio.toml`, from a folder up to the root of its repository."""
    folder = os.path.abspath(start)
    while True:
        file = os.path.join(folder, FILE)
        if os.path.isfile(file):
            return file
        above = os.path.dirname(folder)
        # In a worktree or submodule, `.git` is a file.
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = above
