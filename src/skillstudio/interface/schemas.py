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
from skillstudio.schema.inclusion import Escape, UndecidedVerdict, include
from skillstudio.schema.outcome import InclusionVerdict
from skillstudio.schema.sample import MAX_WORK
from skillstudio.schema.shape import same
from skillstudio.schema.work import Undecidable, Work

MOST_STEPS = 10_000_000
"""Maximum number of steps of one comparison of interfaces, whose manifest may ask thousands of
questions: about four seconds. They are not time, so that the result is always the same. 200 inputs
of which 40 changed take a few thousand."""
BUDGET_REASON = "the schemas of this skill take too long to compare"
_work: ContextVar[Work | None] = ContextVar("work", default=None)
work_left = _work.get
"""The remaining work of the comparison; None outside one."""

MOST = 200  # Maximum number of differing statements reported per input.

_WORK = 50_000
"""Limit of differing statements times all statements, because each is compared with the whole."""
_MAX_CACHED_LENGTH = 2_000  # Longer schemas are not cached.
Verdict = InclusionVerdict | None
"""Why one set of values is not included in another; None if it is."""


class Effect(NamedTuple):
    """How the set of accepted values changed: the action, a counterexample, and why not decided."""

    action: str
    witness: Witness | None
    reason: str
    undecided_keyword: str = ""  # The keyword that could not be decided.


def effect(loss: Verdict, gain: Verdict, is_output: bool = False) -> Effect:
    """The effect of changed values. Lost inputs and gained outputs are breaking, so they decide."""
    ways = [("narrowed", loss, "old", "new"), ("widened", gain, "new", "old")]
    (action, breaking_verdict, *sides), (other, safe, *other_sides) = (
        reversed(ways) if is_output else ways
    )
    if isinstance(breaking_verdict, UndecidedVerdict):
        place = breaking_verdict.pointer.rpartition("/")[0]
        return make_undecided(
            breaking_verdict.keyword, breaking_verdict.reason, f" at {place}" if place else ""
        )
    if isinstance(breaking_verdict, Escape):
        action = "changed" if isinstance(safe, Escape) else action
        return Effect(action, Witness(breaking_verdict.value, *sides), "")
    witness = Witness(safe.value, *other_sides) if isinstance(safe, Escape) else None
    return Effect(other if safe else "equivalent", witness, "")


def make_undecided(keyword: str, reason: str, at: str = "") -> Effect:
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
    loss: Verdict  # A value that was accepted and is now rejected.
    gain: Verdict  # A value that was rejected and is now accepted.
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
    if work is not None and work.remaining_steps <= 0:
        return UndecidedVerdict("schema", "", BUDGET_REASON)
    schemas = (_SchemaText(narrow), _SchemaText(wide))
    long = max(len(schema.text) for schema in schemas) > _MAX_CACHED_LENGTH
    answer, steps = (_ask if long else _ask_cached)(*schemas, strict)
    if work is not None:
        # Cached answers cost the same work, so that results do not depend on earlier comparisons.
        with suppress(Undecidable):
            work.spend(steps)
    return answer


@contextmanager
def limit_work() -> Iterator[None]:
    """Limit all comparisons in this context to `MOST_STEPS` together."""
    token = _work.set(Work(MOST_STEPS))
    try:
        yield
    finally:
        _work.reset(token)


class _SchemaText:
    """A schema that compares equal if it is written the same."""

    __slots__ = ("schema", "text")

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.text = canonical(schema)

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SchemaText) and self.text == other.text


def _ask(first: _SchemaText, other: _SchemaText, strict: bool) -> tuple[Verdict, int]:
    """The verdict, and the number of steps."""
    narrow, wide = first.schema, other.schema
    if not (isinstance(narrow, dict | bool) and isinstance(wide, dict | bool)):
        return UndecidedVerdict("schema", "", "it is not a schema"), 0
    work = Work(MAX_WORK)
    try:
        answer = include(narrow, wide, strict=strict, work=work)
    except RecursionError:
        return UndecidedVerdict(
            "schema", "", "it is nested too deeply"
        ), MAX_WORK - work.remaining_steps
    return answer, MAX_WORK - work.remaining_steps


_ask_cached = lru_cache(maxsize=1024)(_ask)
"""Many inputs have equal schemas, and live comparisons ask again at each keystroke."""


def differences(old: Any, new: Any, strict: bool = False) -> list[Delta]:
    """All differing statements, with their effect on the accepted values."""
    if same(old, new):
        return []
    before, after = statements(old), statements(new)
    if before is None or after is None:
        return [_whole(old, new, strict)]
    keys = [key for key in before.by_key if _differs(before, after, key)]
    keys += [key for key in after.by_key if key not in before.by_key]
    properties = list(_properties(before, after))
    difference_count = len(keys) + len(properties)
    if (
        difference_count > MOST
        or difference_count * max(len(before.by_key), len(after.by_key)) > _WORK
    ):
        return [_whole(old, new, strict)]
    deltas: list[Delta] = []
    explained_paths: set[Path] = set()
    for path, name, is_new in properties:
        explained_paths.add((*path, ("properties", name)))
        deltas.append(
            (_make_addition if is_new else _make_removal)(old, before, after, path, name, strict)
        )
    for key in keys:
        path, slot, _ = key
        if any(path[:depth] in explained_paths for depth in range(1, len(path) + 1)):
            continue
        if slot == "additionalProperties" and _same_rest(before, after, key):
            continue
        deltas.append(_delta(old, new, key, before, after, strict))
    effective_deltas = [
        delta for delta in deltas if delta.loss or delta.gain or _is_reported(delta)
    ]
    if not effective_deltas and len(deltas) > 1:
        return [Delta((), "schema", "", old, new, None, None)]
    # A statement that was added or removed without effect only mirrors one that has an effect.
    return effective_deltas or deltas


def _differs(before: Statements, after: Statements, key: Key) -> bool:
    other = after.by_key.get(key)
    return other is None or not same(before.by_key[key].local, other.local)


def _whole(old: Any, new: Any, strict: bool) -> Delta:
    loss, gain = relate(old, new, strict)
    return Delta((), "schema", "", old, new, loss, gain)


def _delta(
    old: Any, new: Any, key: Key, before: Statements, after: Statements, strict: bool
) -> Delta:
    was, now = before.by_key.get(key), after.by_key.get(key)
    statement = now or before.by_key[key]
    return Delta(
        statement.path,
        statement.facet,
        statement.keyword,
        was.display_value if was else ABSENT,
        now.display_value if now else ABSENT,
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


def _make_addition(
    old: Any, before: Statements, after: Statements, path: Path, name: str, strict: bool
) -> Delta:
    schema = after.properties[path][name]
    loss = verdict(old, wrap(path, {"properties": {name: schema}}), strict)
    is_open = before.nodes[path].get("additionalProperties", True) is True
    if loss is not None and (schema is False or not is_open):
        facet = "schema" if isinstance(loss, UndecidedVerdict) else "property"
        return Delta((*path, ("properties", name)), facet, "", True, schema, loss, None)
    facet = "property-safe" if not is_open or (strict and loss is None) else "property"
    return Delta((*path, ("properties", name)), facet, "", ABSENT, schema, loss, None)


def _make_removal(
    old: Any, before: Statements, after: Statements, path: Path, name: str, strict: bool
) -> Delta:
    schema = before.properties[path][name]
    rest = after.nodes[path].get("additionalProperties", True)
    loss: Verdict = None
    if rest is not True and same(rest, before.nodes[path].get("additionalProperties", True)):
        known_names = {*before.properties[path], *after.properties[path]} - {name}
        closed_schema = {
            "properties": dict.fromkeys(known_names, True),
            "additionalProperties": rest,
        }
        patterns = after.nodes[path].get("patternProperties")
        if isinstance(patterns, dict):
            closed_schema["patternProperties"] = dict.fromkeys(patterns, True)
        loss = verdict(old, wrap(path, closed_schema), strict)
    facet = "property-closed" if loss is not None else "property"
    return Delta((*path, ("properties", name)), facet, "", schema, ABSENT, loss, None)


def _same_rest(before: Statements, after: Statements, key: Key) -> bool:
    """Whether only the described properties differ, which are already reported."""
    statement, other = before.by_key.get(key), after.by_key.get(key)
    if statement is None or other is None or key[0] not in before.properties:
        return False
    return key[0] in after.properties and same(statement.display_value, other.display_value)
