"""Kinds of changes as data: `changes.toml` here and in the folders of dialects."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product
from typing import Any, Literal, NamedTuple, get_args

from skillstudio.interface.change import LEVELS, Level

Ruleset = Literal["default", "strict", "lenient", "security"]
RULESETS: tuple[Ruleset, ...] = get_args(Ruleset)
Direction = Literal["in", "out", "none"]
Coordinate = tuple[str, str, str]  # Surface, facet and action.

SURFACES = frozenset(
    (
        *("input", "output", "field", "artifact", "stdout", "env", "command", "file"),
        *("execution", "skill", "operation", "entrypoint", "effect", "promise", "term", "version"),
    )
)
PLAINER = {
    "opened": "widened",
    "closed": "narrowed",
    "floor-major-raised": "narrowed",
    "reference-changed": "undecided",
}
"""The action to look up if no kind matches the action itself."""
FIELDS = frozenset(("name", "old", "new", "detail"))  # Placeholders of messages.
_NOUNS = {"input": "an input", "artifact": "an output", "command": "a command"}
"""How a `{name}` is called where no value is known."""


class KindsInvalid(ValueError):
    """The data is invalid; the text names the file, the kind and the problem."""


class KindUnknown(LookupError):
    """No kind matches the coordinate of a difference."""


_NOTHING: Mapping[str, Any] = {}


class ChangeKind(NamedTuple):
    """The name, level and message of a change."""

    id: str
    coordinates: tuple[Coordinate, ...]
    direction: Direction
    """`in`: old calls must still work; `out`: readers must not receive unexpected output."""
    level: Level
    message: str  # With {name}, {old}, {new} and {detail}.
    why: str
    source: str
    review: bool = False
    """Whether a person should review the change at any level, because the skill may do more."""
    routing: bool = False  # Whether agents choose skills by what changed.
    levels: Mapping[str, Level] = _NOTHING  # The levels in rulesets where they differ.

    @property
    def summary(self) -> str:
        """The message without the values of one change: with `…` in their places."""
        text = re.sub(
            r"(, because of \{detail\}|(:( version)?| from)? (\{detail\} )?\{old\} (→|to) \{new\}"
            r"( \(\{detail\}\))?|(; before)?: (\{\w+\} ?)+| \(\{\w+\}\))(?=$|[;,:])",
            "",
            self.message,
        )
        if noun := _NOUNS.get(self.coordinates[0][0]):
            text = re.sub(r"(^|\bof |\bwhether )\{name\}", rf"\1{noun}", text)
        return re.sub(r"\{\w+\}", "…", text)

    def level_in(self, ruleset: str) -> Level:
        """The level in a ruleset; in `security` every review is major."""
        if ruleset == "security" and self.review:
            return "major"
        return self.levels.get(ruleset, self.level)


class ChangeKinds:
    """All kinds of some files. Parsing is slow, so only tables that may match are parsed."""

    def __init__(self, texts: Iterable[tuple[str, bytes]]) -> None:
        self._texts = tuple(texts)
        self._cached_kinds: dict[Coordinate, ChangeKind | None] = {}

    @cached_property
    def by_id(self) -> Mapping[str, ChangeKind]:
        """Every kind, from all tables. Raises KindsInvalid."""
        return _read_all(self._texts)

    @cached_property
    def by_coordinate(self) -> Mapping[Coordinate, ChangeKind]:
        return {coordinate: kind for kind in self.by_id.values() for coordinate in kind.coordinates}

    def find(self, surface: str, facet: str, action: str) -> ChangeKind:
        """The kind of a coordinate. Raises KindUnknown."""
        while True:
            coordinate = (surface, facet, action)
            if coordinate not in self._cached_kinds:
                self._cached_kinds[coordinate] = self._read(coordinate)
            kind = self._cached_kinds[coordinate]
            if kind is not None:
                return kind
            if action not in PLAINER:
                raise KindUnknown(f"no kind of change for {surface}, {facet}, {action}")
            action = PLAINER[action]

    def _read(self, coordinate: Coordinate) -> ChangeKind | None:
        """Parse the tables that contain all words of a coordinate."""
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
            (file, ["[" + table for table in f"\n{_decode_text(file, text)}".split("\n[")[1:]])
            for file, text in self._texts
        ]


def _read_all(texts: Iterable[tuple[str, bytes]]) -> dict[str, ChangeKind]:
    kinds: dict[str, ChangeKind] = {}
    owners: dict[Coordinate, str] = {}
    for file, text in texts:
        for kind in _kinds(file, _decode_text(file, text)):
            if kind.id in kinds:
                raise KindsInvalid(f"{file}: duplicate kind {kind.id}")
            for coordinate in kind.coordinates:
                if coordinate in owners:
                    both = f"{owners[coordinate]} and {kind.id}"
                    where = ", ".join(coordinate)
                    raise KindsInvalid(f"{file}: the kinds {both} both match {where}")
                owners[coordinate] = kind.id
            kinds[kind.id] = kind
    return kinds


def _decode_text(file: str, text: bytes) -> str:
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
    """Name and content of the file with the kinds that all dialects share."""
    path = os.path.join(os.path.dirname(__file__), "changes.toml")
    with open(path, "rb") as file:
        return "interface/changes.toml", file.read()


_TEXTS = ("direction", "level", "message", "why", "source")
_SEVERAL = ("surface", "facet", "action")
_SWITCHES = ("review", "routing")
_REQUIRED_KEYS = frozenset((*_SEVERAL, *_TEXTS))
_OPTIONAL = frozenset((*_SWITCHES, "levels", "also"))


def _kind(file: str, id: str, table: Any) -> ChangeKind:
    complaint = _misshapen(table) or _unknown(table)
    if complaint:
        raise KindsInvalid(f"{file}: the kind {id} {complaint}")
    pairs = [*product(_several(table["facet"]), _several(table["action"])), *table.get("also", [])]
    surfaces = _several(table["surface"])
    fields = {key: value for key, value in table.items() if key in ChangeKind._fields}
    coordinates = tuple((surface, *pair) for surface, pair in product(surfaces, pairs))
    return ChangeKind(id=id, coordinates=coordinates, **fields)


def _misshapen(table: Any) -> str:
    """Describe invalid keys or types of a table; "" if there are none."""
    if not isinstance(table, dict):
        return "is not a table"
    if missing := _REQUIRED_KEYS - table.keys():
        return f"is missing {', '.join(sorted(missing))}"
    if unknown := table.keys() - _REQUIRED_KEYS - _OPTIONAL:
        return f"has the unknown key {', '.join(sorted(unknown))}"
    for key in _TEXTS:
        if not _is_text(table[key]):
            return f"needs a string for {key}"
    for key in _SEVERAL:
        values = _several(table[key])
        if not (isinstance(values, list) and values and all(map(_is_text, values))):
            return f"needs a string or a list of strings for {key}"
    for key in _SWITCHES:
        if not isinstance(table.get(key, False), bool):
            return f"needs true or false for {key}"
    levels = table.get("levels", {})
    if not (isinstance(levels, dict) and all(map(_is_text, levels.values()))):
        return "needs a table of rulesets and levels for levels"
    also = table.get("also", [])
    if not (isinstance(also, list) and all(map(_is_pair, also))):
        return "needs a list of pairs of facet and action for also"
    return ""


def _unknown(table: Mapping[str, Any]) -> str:
    """Describe unknown values of a table; "" if there are none."""
    levels = table.get("levels", {})
    surfaces = _several(table["surface"])
    for what, names, choices in (
        ("level", [table["level"], *levels.values()], LEVELS),
        ("ruleset", levels, RULESETS),
        ("direction", [table["direction"]], get_args(Direction)),
        ("surface", surfaces, sorted(SURFACES)),
    ):
        if wrong := [name for name in names if name not in choices]:
            return f"has the unknown {what} {', '.join(wrong)}; use one of {', '.join(choices)}"
    try:
        table["message"].format_map(dict.fromkeys(FIELDS, ""))
    except (KeyError, IndexError, AttributeError, ValueError, TypeError) as error:
        return f"has an invalid placeholder in its message: {error}"
    return ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_text, value))


def _several(value: Any) -> Any:
    return [value] if isinstance(value, str) else value
