"""A difference before it is named: its location and what happened."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from skillstudio.interface.change import Witness
from skillstudio.interface.model import ABSENT, token


class Difference(NamedTuple):
    """One difference; surface, facet and action are the coordinate of its kind."""

    surface: str
    facet: str
    action: str
    pointer: str
    name: str  # The subject of the message.
    old: Any = ABSENT
    new: Any = ABSENT
    detail: str = ""
    """Further details: the keyword within a schema, or why the difference is undecided."""
    witness: Witness | None = None
    operation: str = ""
    old_pointer: str = ""  # The pointer into the old interface, if it differs.
    undecided_keyword: str = ""  # The keyword because of which the effect is not known.


def one_sided(
    surface: str, facet: str, action: str, pointer: str, name: str, value: Any, detail: str = ""
) -> Difference:
    """An element that was `added` or `removed`."""
    sides: tuple[Any, Any] = (ABSENT, value) if action == "added" else (value, ABSENT)
    return Difference(surface, facet, action, pointer, name, *sides, detail)


def compare_values(
    surface: str, facet: str, pointer: str, name: str, old: Any, new: Any
) -> Iterator[Difference]:
    """A difference if two values differ: a flag is `on` or `off`, another value is `changed`."""
    if old != new:
        action = "changed" if not isinstance(new, bool) else "on" if new else "off"
        yield Difference(surface, facet, action, pointer, name, old, new)


def changed_fields(
    surface: str, above: str, name: str, old: object, new: object, *fields: str
) -> Iterator[Difference]:
    """The differing fields of two elements, each with its own facet."""
    for field in fields:
        sides = (getattr(old, field), getattr(new, field))
        yield from compare_values(surface, field, f"{above}/{field}", name, *sides)


def below(at: str, was_at: str, differences: Iterable[Difference]) -> Iterator[Difference]:
    """Differences with pointers from a new and an old parent, with its own pointers prefixed."""
    for difference in differences:
        old_pointer = was_at + (difference.old_pointer or difference.pointer)
        yield difference._replace(pointer=at + difference.pointer, old_pointer=old_pointer)


def moved_names(
    surface: str, facet: str, above: str, olds: Iterable[str], news: Iterable[str], detail: str = ""
) -> Iterator[Difference]:
    """The names that only one of two lists has, below the pointer `above`."""
    before, after = dict.fromkeys(olds), dict.fromkeys(news)
    for action, some, other_names in (("removed", before, after), ("added", after, before)):
        for name in some:
            if name not in other_names:
                at = f"{above}/{token(name)}"
                yield one_sided(surface, facet, action, at, name, name, detail)
