"""The kinds of changes as data: `changes.toml` beside this file and one in the folder of a dialect.

A comparer says where something changed and what happened (surface, facet, action); what that is
called, how much it breaks and why is in the data alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import product
from typing import Any, Literal, NamedTuple, get_args

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


_NOTHING: Mapping[str, Any] = {}


class ChangeKind(NamedTuple):
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
    levels: Mapping[str, Level] = _NOTHING
    """The level in a ruleset, where it is another one."""

    def level_in(self, ruleset: str) -> Level:
        """The level in a ruleset; in `security` every review is major."""
        if ruleset == "security" and self.review:
            return "major"
        return self.levels.get(ruleset, self.level)


class ChangeKinds:
    """Every kind in some files, each given by its name and bytes.

    One comparison asks for a few of some hundreds, and reading TOML takes long: so a table is
    read when it may be the one that is asked for, and all only when all are. What is wrong in the
    files is then raised as KindsInvalid.
    """

    def __init__(self, texts: Iterable[tuple[str, bytes]]) -> None:
        self._texts = tuple(texts)
        self._asked: dict[Coordinate, ChangeKind | None] = {}

    @cached_property
    def by_id(self) -> Mapping[str, ChangeKind]:
        """Every kind."""
        return _read_all(self._texts)

    @cached_property
    def by_coordinate(self) -> Mapping[Coordinate, ChangeKind]:
        """Every kind by each of its coordinates."""
        return {each: kind for kind in self.by_id.values() for each in kind.coordinates}

    def __iter__(self) -> Iterator[ChangeKind]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    def find(self, surface: str, facet: str, action: str) -> ChangeKind:
        """The kind of a coordinate. Raises KindUnknown."""
        while True:
            coordinate = (surface, facet, action)
            if coordinate not in self._asked:
                self._asked[coordinate] = self._read(coordinate)
            kind = self._asked[coordinate]
            if kind is not None:
                return kind
            if action not in PLAINER:
                raise KindUnknown(f"no kind of change for {surface}, {facet}, {action}")
            action = PLAINER[action]

    def _read(self, coordinate: Coordinate) -> ChangeKind | None:
        """The kind of a coordinate, out of the tables in which all its words stand."""
        words = [f'"{word}"' for word in reversed(coordinate)]
        for file, tables in self._tables:
            for table in tables:
                if all(word in table for word in words):
                    for kind in _kinds(file, table):
                        if coordinate in kind.coordinates:
                            return kind
        return None

    @cached_property
    def _tables(self) -> list[tuple[str, list[str]]]:
        """The text of each table, file by file."""
        return [
            (file, ["[" + table for table in f"\n{_decoded(file, text)}".split("\n[")[1:]])
            for file, text in self._texts
        ]


def read_kinds(texts: Iterable[tuple[str, bytes]]) -> ChangeKinds:
    """Read all tables of some files, each given by its name and bytes. Raises KindsInvalid."""
    kinds = ChangeKinds(texts)
    kinds.by_id  # noqa: B018 - what is wrong is raised here and not at some look-up
    return kinds


def _read_all(texts: Iterable[tuple[str, bytes]]) -> dict[str, ChangeKind]:
    kinds: dict[str, ChangeKind] = {}
    taken: dict[Coordinate, str] = {}
    for file, text in texts:
        for kind in _kinds(file, _decoded(file, text)):
            if kind.id in kinds:
                raise KindsInvalid(f"{file}: the kind {kind.id} is there twice")
            for coordinate in kind.coordinates:
                if coordinate in taken:
                    both = f"{taken[coordinate]} and {kind.id}"
                    where = ", ".join(coordinate)
                    raise KindsInvalid(f"{file}: the kinds {both} are both for {where}")
                taken[coordinate] = kind.id
            kinds[kind.id] = kind
    return kinds


def _decoded(file: str, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise KindsInvalid(f"{file}: {error}") from None


def _kinds(file: str, text: str) -> Iterator[ChangeKind]:
    import tomllib

    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise KindsInvalid(f"{file}: {error}") from None
    for id, table in tables.items():
        yield _kind(file, id, table)


def core_text() -> tuple[str, bytes]:
    """The file with the kinds that every system shares: its name and bytes."""
    path = os.path.join(os.path.dirname(__file__), "changes.toml")
    with open(path, "rb") as file:
        return "interface/changes.toml", file.read()


@cache
def core_kinds() -> ChangeKinds:
    """The kinds that every system shares."""
    return read_kinds([core_text()])


_TEXTS = ("direction", "level", "message", "why", "source")
_SEVERAL = ("surface", "facet", "action")
_SWITCHES = ("review", "routing")
_NEEDED = frozenset((*_SEVERAL, *_TEXTS))
_OPTIONAL = frozenset((*_SWITCHES, "levels", "also"))


def _kind(file: str, id: str, table: Any) -> ChangeKind:
    complaint = _misshapen(table) or _unknown(table)
    if complaint:
        raise KindsInvalid(f"{file}: the kind {id} {complaint}")
    pairs = [*product(_several(table["facet"]), _several(table["action"])), *table.get("also", [])]
    return ChangeKind(
        id=id,
        coordinates=tuple(
            (surface, facet, action)
            for surface in _several(table["surface"])
            for facet, action in pairs
        ),
        direction=table["direction"],
        level=table["level"],
        message=table["message"],
        why=table["why"],
        source=table["source"],
        review=table.get("review", False),
        routing=table.get("routing", False),
        levels=table.get("levels", _NOTHING),
    )


def _misshapen(table: Any) -> str:
    """What is wrong with the keys of a table and the types of their values; "" for nothing."""
    if not isinstance(table, dict):
        return "is no table"
    if missing := _NEEDED - table.keys():
        return f"lacks {', '.join(sorted(missing))}"
    if unknown := table.keys() - _NEEDED - _OPTIONAL:
        return f"has the unknown key {', '.join(sorted(unknown))}"
    for key in _TEXTS:
        if not _is_text(table[key]):
            return f"has no text as its {key}"
    for key in _SEVERAL:
        given = _several(table[key])
        if not (isinstance(given, list) and given and all(map(_is_text, given))):
            return f"has neither a text nor a list of texts as its {key}"
    for key in _SWITCHES:
        if not isinstance(table.get(key, False), bool):
            return f"has something else than true or false as its {key}"
    levels = table.get("levels", {})
    if not (isinstance(levels, dict) and all(map(_is_text, levels.values()))):
        return "has no table of rulesets and levels as its levels"
    also = table.get("also", [])
    if not (isinstance(also, list) and all(map(_is_pair, also))):
        return "has no list of pairs of facet and action as its also"
    return ""


def _unknown(table: Mapping[str, Any]) -> str:
    """What a table says that means nothing; "" for nothing."""
    levels = table.get("levels", {})
    surfaces = _several(table["surface"])
    for what, given, known in (
        ("level", [table["level"], *levels.values()], LEVELS),
        ("ruleset", levels, RULESETS),
        ("direction", [table["direction"]], get_args(Direction)),
        ("surface", surfaces, sorted(SURFACES)),
    ):
        if wrong := [each for each in given if each not in known]:
            return f"has the unknown {what} {', '.join(wrong)}; there are {', '.join(known)}"
    try:
        table["message"].format_map(dict.fromkeys(FIELDS, ""))
    except (KeyError, IndexError, AttributeError, ValueError, TypeError) as error:
        return f"has a message that cannot be filled in: {error}"
    return ""


def _is_text(given: Any) -> bool:
    return isinstance(given, str) and bool(given)


def _is_pair(given: Any) -> bool:
    return isinstance(given, list) and len(given) == 2 and all(map(_is_text, given))


def _several(given: Any) -> Any:
    return [given] if isinstance(given, str) else given
