"""The kinds of changes as data: `changes.toml` beside this file and one in the folder of a dialect.

A comparer says where something changed and what happened (surface, facet, action); what that is
called, how much it breaks and why is in the data alone.
"""

from __future__ import annotations

import os
import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any, Literal, get_args

from skillstudio.interface.change import LEVELS, Level

Ruleset = Literal["default", "strict", "lenient", "security"]
RULESETS: tuple[Ruleset, ...] = get_args(Ruleset)
Direction = Literal["in", "out", "none"]
Coordinate = tuple[str, str, str]
"""Surface, facet and action."""

SURFACES = frozenset(
    [
        "input",
        "output",
        "field",
        "artifact",
        "stdout",
        "env",
        "command",
        "file",
        "execution",
        "skill",
        "operation",
        "entrypoint",
        "effect",
        "promise",
        "term",
        "version",
    ]
)
PLAINER = {
    "opened": "widened",
    "closed": "narrowed",
    "floor-major-raised": "narrowed",
    "reference-changed": "undecided",
}
"""What an action is taken for where no kind knows it by its own word."""
FIELDS = frozenset(("name", "old", "new", "detail"))
"""What a message can speak of."""


class KindsInvalid(ValueError):
    """The data about kinds is wrong; the text says which file, which kind and why."""


class KindUnknown(LookupError):
    """No kind has the coordinate of a difference: the data lacks one."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a change is called and what it asks for."""

    id: str
    coordinates: tuple[Coordinate, ...]
    direction: Direction
    """`in`: a caller must still get through; `out`: a consumer must not be surprised."""
    level: Level
    message: str
    """With {name}, {old}, {new} and {detail}."""
    why: str
    source: str
    review: bool = False
    """Whether someone should look at it whatever its level: it lets the skill do more."""
    routing: bool = False
    """Whether agents choose skills by what changed."""
    levels: Mapping[str, Level] = field(default_factory=dict)
    """The level in a ruleset, where it is another one."""

    def level_in(self, ruleset: str) -> Level:
        """The level in a ruleset; in `security` every review is major."""
        if ruleset == "security" and self.review:
            return "major"
        return self.levels.get(ruleset, self.level)


class Kinds:
    """Every kind that is known, by id and by coordinate."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self.by_id = {kind.id: kind for kind in kinds}
        self.by_coordinate = {
            coordinate: kind for kind in self.by_id.values() for coordinate in kind.coordinates
        }

    def __iter__(self) -> Iterator[Kind]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    def find(self, surface: str, facet: str, action: str) -> Kind:
        """The kind of a coordinate. Raises KindUnknown."""
        while True:
            kind = self.by_coordinate.get((surface, facet, action))
            if kind is not None:
                return kind
            if action not in PLAINER:
                raise KindUnknown(f"no kind of change for {surface}, {facet}, {action}")
            action = PLAINER[action]


def read_kinds(texts: Iterable[tuple[str, bytes]]) -> Kinds:
    """Read the tables of some files, each given by its name and bytes. Raises KindsInvalid."""
    import tomllib

    kinds: dict[str, Kind] = {}
    taken: dict[Coordinate, str] = {}
    for file, text in texts:
        try:
            tables = tomllib.loads(text.decode())
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise KindsInvalid(f"{file}: {error}") from None
        for id, table in tables.items():
            kind = _kind(file, id, table)
            if id in kinds:
                raise KindsInvalid(f"{file}: {id} is there twice")
            for coordinate in kind.coordinates:
                if coordinate in taken:
                    both = f"{taken[coordinate]} and {id}"
                    raise KindsInvalid(f"{file}: {both} have the coordinate {coordinate}")
                taken[coordinate] = id
            kinds[id] = kind
    return Kinds(kinds.values())


def core_text() -> tuple[str, bytes]:
    """The file with the kinds that every system shares: its name and bytes."""
    path = os.path.join(os.path.dirname(__file__), "changes.toml")
    with open(path, "rb") as file:
        return "interface/changes.toml", file.read()


@cache
def core_kinds() -> Kinds:
    """The kinds that every system shares."""
    return read_kinds([core_text()])


_NEEDED = frozenset(
    ("surface", "facet", "action", "direction", "level", "message", "why", "source")
)
_OPTIONAL = frozenset(("review", "routing", "levels", "also"))


def _kind(file: str, id: str, table: Any) -> Kind:
    def refuse(complaint: str) -> KindsInvalid:
        return KindsInvalid(f"{file}: {id}: {complaint}")

    if not isinstance(table, dict):
        raise refuse("not a table")
    if missing := _NEEDED - table.keys():
        raise refuse(f"lacks {', '.join(sorted(missing))}")
    if unknown := table.keys() - _NEEDED - _OPTIONAL:
        raise refuse(f"has the unknown {', '.join(sorted(unknown))}")
    levels = table.get("levels", {})
    if wrong := {table["level"], *levels.values()} - set(LEVELS):
        raise refuse(f"has the unknown level {', '.join(sorted(map(str, wrong)))}")
    if wrong := levels.keys() - set(RULESETS):
        raise refuse(f"has the unknown ruleset {', '.join(sorted(wrong))}")
    if table["direction"] not in get_args(Direction):
        raise refuse(f"has the unknown direction {table['direction']}")
    also = table.get("also", [])
    if not all(isinstance(each, list) and len(each) == 2 for each in also):
        raise refuse("has an also that is no list of facet and action")
    pairs = [*product(_several(table["facet"]), _several(table["action"])), *also]
    coordinates = tuple(
        (surface, facet, action)
        for surface in _several(table["surface"])
        for facet, action in pairs
    )
    if wrong := {surface for surface, _, _ in coordinates} - SURFACES:
        raise refuse(f"has the unknown surface {', '.join(sorted(wrong))}")
    try:
        named = {name for _, name, _, _ in string.Formatter().parse(table["message"]) if name}
    except ValueError as error:
        raise refuse(f"has a message that cannot be filled in: {error}") from None
    if named - FIELDS:
        raise refuse(f"has a message with the unknown {', '.join(sorted(named - FIELDS))}")
    return Kind(
        id=id,
        coordinates=coordinates,
        direction=table["direction"],
        level=table["level"],
        message=table["message"],
        why=table["why"],
        source=table["source"],
        review=bool(table.get("review", False)),
        routing=bool(table.get("routing", False)),
        levels=levels,
    )


def _several(given: str | list[str]) -> list[str]:
    return [given] if isinstance(given, str) else given
