"""What each target is expected to do, written from the sources that its record names.

`expected/ID.toml` has the places of `PLACES` at which a client looks (`looks`), and the probes of
`test_probes.py` that the target does not load as they are (`outcomes`). A new target needs a file
of its own there and no change of the tests.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "expected"
PLACES = (
    ".claude/skills/worklog",
    "~/.claude/skills/worklog",
    "packages/a/.claude/skills/worklog",
    ".claude/skills/deep/worklog",
    ".agents/skills/worklog",
    ".codex/skills/worklog",
    ".github/skills/worklog",
    ".opencode/skill/a/b/worklog",
    "~/.codex/skills/worklog",
    ".codex/skills/1/2/3/4/5/worklog",
    ".codex/skills/1/2/3/4/5/6/worklog",
    ".kiro/skills/worklog",
    ".factory/skills/worklog",
    "~/.hermes/skills/worklog",
    "examples/worklog",
    "worklog",
    # Those that walk their roots also read a SKILL.md directly in one.
    ".claude/skills",
    ".agents/skills",
    ".claude\\skills\\worklog",
)


class Expectation(NamedTuple):
    """What a target is expected to do."""

    looks: frozenset[str]
    outcomes: Mapping[str, str]
    """Name of a probe to its outcome; the others load."""


@cache
def expectation(target: str) -> Expectation:
    path = FOLDER / f"{target}.toml"
    assert path.is_file(), f"write where {target} looks and what it does not load to {path}"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    assert table.keys() <= {"looks", "outcomes"}
    outcomes = {name: key for key, names in table.get("outcomes", {}).items() for name in names}
    return Expectation(frozenset(table.get("looks", ())), outcomes)


def lookers(place: str) -> frozenset[str]:
    """The targets that look at one of `PLACES`."""
    assert place in PLACES
    targets = (path.stem for path in FOLDER.iterdir())
    return frozenset(target for target in targets if place in expectation(target).looks)
