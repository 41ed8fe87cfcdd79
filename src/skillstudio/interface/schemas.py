"""Compare two schemas of one value keyword by keyword, with counterexamples.

A schema is the conjunction of its statements. So the new schema accepts everything that the old one
accepted if and only if each of its statements does. Each new statement is compared separately with
the whole old schema; a value that escapes it is a counterexample for the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NamedTuple

from skillstudio.interface.change import Witness
from skillstudio.interface.model import ABSENT, token
from skillstudio.interface.statements import (
    Key,
    Path,
    Statements,
    canonical,
    is_object,
    statements,
    wrap,
)
from skillstudio.schema.inclusion import Escape, Undecided, include
from skillstudio.schema.outcome import InclusionVerdict
from skillstudio.schema.sample import MAX_WORK
from skillstudio.schema.shape import same
from skillstudio.schema.work import Undecidable, Work

MOST_STEPS = 10_000_000
"""Maximum number of steps of one comparison of interfaces, whose manifest may ask thousands of
questions: about four seconds. They are not time, so that the result is always the same. 200 inputs
of which 40 changed take a few thousand."""
SPENT = "the schemas of this skill take too long to compare"
_work: ContextVar[Work | None] = ContextVar("work", default=None)
work_left = _work.get
"""The remaining work of the comparison; None outside one."""

MOST = 200  # Maximum number of differing statements reported per input.

_WORK = 50_000
"""Limit of differing statements times all statements, because each is compared with the whole."""
_REMEMBERED = 2_000  # Longer schemas are not cached.
Verdict = InclusionVerdict | None
"""Why one set of values is not included in another; None if it is."""


class Effect(NamedTuple):
    """How the set of accepted values changed: the action, a counterexample, and why not decided."""

    action: str
    witness: Witness | None
    reason: str
    undecided: str = ""  # The keyword that could not be decided.


def effect(lost: Verdict, gained: Verdict, is_output: bool = False) -> Effect:
    """The effect of changed values. Lost inputs and gained outputs are breaking, so they decide."""
    ways = [("narrowed", lost, "old", "new"), ("widened", gained, "new", "old")]
    (action, breaking, *sides), (other, safe, *others) = reversed(ways) if is_output else ways
    if isinstance(breaking, Undecided):
        place = breaking.pointer.rpartition("/")[0]
        return undecided(breaking.keyword, breaking.reason, f" at {place}" if place else "")
    if isinstance(breaking, Escape):
        action = "changed" if isinstance(safe, Escape) else action
        return Effect(action, Witness(breaking.value, *sides), "")
    witness = Witness(safe.value, *others) if isinstance(safe, Escape) else None
    return Effect(other if safe else "equivalent", witness, "")


def undecided(keyword: str, reason: str, at: str = "") -> Effect:
    """The effect if no answer was found because of a keyword; "" is the schema as a whole."""
    keyword = keyword or "schema"
    return Effect("undecided", None, f"`{keyword}`{at}: {reason}", keyword)


class Delta(NamedTuple):
    """One differing statement."""

    path: Path
    facet: str
    keyword: str
    old: Any  # The old statement; ABSENT if there was none.
    new: Any
    lost: Verdict  # A value that was accepted and is now rejected.
    gained: Verdict  # A value that was rejected and is now accepted.
    was: str = ""  # The old keyword of the same statement, if it differs.

    @property
    def pointer(self) -> str:
        """JSON Pointer within the new schema."""
        return self._pointer(self.keyword)

    @property
    def old_pointer(self) -> str:
        """JSON Pointer within the old schema."""
        return self._pointer(self.was or self.keyword)

    def _pointer(self, keyword: str) -> str:
        keys = [key for step in self.path for key in step]
        return "".join(f"/{token(key)}" for key in keys + [keyword] * bool(keyword))


def relate(old: Any, new: Any, strict: bool) -> tuple[Verdict, Verdict]:
    """Why the old values are not included in the new ones, and the reverse."""
    if same(old, new):
        return None, None
    return verdict(old, new, strict), verdict(new, old, strict)


def verdict(narrow: Any, wide: Any, strict: bool) -> Verdict:
    """A value that only the first schema accepts, or why none can be found."""
    work = work_left()
    if work is not None and work.left <= 0:
        return Undecided("schema", "", SPENT)
    written = (_Written(narrow), _Written(wide))
    long = max(len(schema.text) for schema in written) > _REMEMBERED
    found, steps = (_ask if long else _known)(*written, strict)
    if work is not None:
        # Cached answers cost the same work, so that results do not depend on earlier comparisons.
        with suppress(Undecidable):
            work.spend(steps)
    return found


@contextmanager
def bounded() -> Iterator[None]:
    """Limit all comparisons in this context to `MOST_STEPS` together."""
    token = _work.set(Work(MOST_STEPS))
    try:
        yield
    finally:
        _work.reset(token)


class _Written:
    """A schema that compares equal if it is written the same."""

    __slots__ = ("schema", "text")

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.text = canonical(schema)

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Written) and self.text == other.text


def _ask(one: _Written, other: _Written, strict: bool) -> tuple[Verdict, int]:
    """The verdict, and the number of steps."""
    narrow, wide = one.schema, other.schema
    if not (isinstance(narrow, dict | bool) and isinstance(wide, dict | bool)):
        return Undecided("schema", "", "it is not a schema"), 0
    work = Work(MAX_WORK)
    try:
        found = include(narrow, wide, strict=strict, work=work)
    except RecursionError:
        return Undecided("schema", "", "it is nested too deeply"), MAX_WORK - work.left
    return found, MAX_WORK - work.left


_known = lru_cache(maxsize=1024)(_ask)
"""Many inputs have equal schemas, and live comparisons ask again at each keystroke."""


def differences(old: Any, new: Any, strict: bool = False) -> list[Delta]:
    """All differing statements, with their effect on the accepted values."""
    if same(old, new):
        return []
    before, after = statements(old), statements(new)
    if before is None or after is None:
        return [_whole(old, new, strict)]
    keys = [key for key in before.found if _differs(before, after, key)]
    keys += [key for key in after.found if key not in before.found]
    properties = list(_properties(before, after))
    differing = len(keys) + len(properties)
    if differing > MOST or differing * max(len(before.found), len(after.found)) > _WORK:
        return [_whole(old, new, strict)]
    deltas: list[Delta] = []
    explained: set[Path] = set()
    for path, name, is_new in properties:
        explained.add((*path, ("properties", name)))
        deltas.append((_added if is_new else _removed)(old, before, after, path, name, strict))
    for key in keys:
        path, slot, _ = key
        if any(path[:depth] in explained for depth in range(1, len(path) + 1)):
            continue
        if slot == "additionalProperties" and _same_rest(before, after, key):
            continue
        deltas.append(_delta(old, new, key, before, after, strict))
    moving = [delta for delta in deltas if delta.lost or delta.gained or _is_reported(delta)]
    if not moving and len(deltas) > 1:
        return [Delta((), "schema", "", old, new, None, None)]
    # A statement that was added or removed without effect only mirrors one that has an effect.
    return moving or deltas


def _differs(before: Statements, after: Statements, key: Key) -> bool:
    other = after.found.get(key)
    return other is None or not same(before.found[key].local, other.local)


def _whole(old: Any, new: Any, strict: bool) -> Delta:
    lost, gained = relate(old, new, strict)
    return Delta((), "schema", "", old, new, lost, gained)


def _delta(
    old: Any, new: Any, key: Key, before: Statements, after: Statements, strict: bool
) -> Delta:
    was, now = before.found.get(key), after.found.get(key)
    one = now or before.found[key]
    return Delta(
        one.path,
        one.facet,
        one.keyword,
        was.shown if was else ABSENT,
        now.shown if now else ABSENT,
        verdict(old, wrap(now.path, now.local), strict) if now else None,
        verdict(new, wrap(was.path, was.local), strict) if was else None,
        was.keyword if was else "",
    )


def _is_reported(delta: Delta) -> bool:
    return delta.facet.startswith("property") or (
        delta.old is not ABSENT and delta.new is not ABSENT
    )


def _properties(before: Statements, after: Statements) -> Iterator[tuple[Path, str, bool]]:
    """Properties described by only one side, in objects described by both."""
    for path, olds in before.properties.items():
        news = after.properties.get(path)
        if news is None or not (is_object(before.nodes[path]) and is_object(after.nodes[path])):
            continue
        yield from ((path, name, False) for name in olds if name not in news)
        yield from ((path, name, True) for name in news if name not in olds)


def _added(
    old: Any, before: Statements, after: Statements, path: Path, name: str, strict: bool
) -> Delta:
    schema = after.properties[path][name]
    lost = verdict(old, wrap(path, {"properties": {name: schema}}), strict)
    is_open = before.nodes[path].get("additionalProperties", True) is True
    if lost is not None and (schema is False or not is_open):
        facet = "schema" if isinstance(lost, Undecided) else "property"
        return Delta((*path, ("properties", name)), facet, "", True, schema, lost, None)
    facet = "property-safe" if not is_open or (strict and lost is None) else "property"
    return Delta((*path, ("properties", name)), facet, "", ABSENT, schema, lost, None)


def _removed(
    old: Any, before: Statements, after: Statements, path: Path, name: str, strict: bool
) -> Delta:
    schema = before.properties[path][name]
    rest = after.nodes[path].get("additionalProperties", True)
    lost: Verdict = None
    if rest is not True and same(rest, before.nodes[path].get("additionalProperties", True)):
        known = {*before.properties[path], *after.properties[path]} - {name}
        closed = {"properties": dict.fromkeys(known, True), "additionalProperties": rest}
        patterns = after.nodes[path].get("patternProperties")
        if isinstance(patterns, dict):
            closed["patternProperties"] = dict.fromkeys(patterns, True)
        lost = verdict(old, wrap(path, closed), strict)
    facet = "property-closed" if lost is not None else "property"
    return Delta((*path, ("properties", name)), facet, "", schema, ABSENT, lost, None)


def _same_rest(before: Statements, after: Statements, key: Key) -> bool:
    """Whether only the described properties differ, which are already reported."""
    one, other = before.found.get(key), after.found.get(key)
    if one is None or other is None or key[0] not in before.properties:
        return False
    return key[0] in after.properties and same(one.shown, other.shown)
