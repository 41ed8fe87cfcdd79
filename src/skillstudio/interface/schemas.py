"""Two schemas of one value: which keywords differ, and what each difference does, with proof.

A schema is the conjunction of what its keywords state, each at its place. So the new schema
accepts all that the old one did exactly when every statement of the new one accepts it: each
statement that is not in the old schema is put alone against the whole old one, and the value that
escapes it is a witness for the whole. Nothing has to be reconciled afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from skillstudio.interface.budget import SPENT, is_spent, work_left
from skillstudio.interface.model import ABSENT, token
from skillstudio.interface.statements import (
    Key,
    Path,
    Statements,
    canonical,
    is_object,
    same,
    statements,
    wrap,
)
from skillstudio.schema.inclusion import Escape, Undecided, include
from skillstudio.schema.regex.inclusion import Undecidable, Work
from skillstudio.schema.values import MAX_WORK

MOST = 200
"""How many statements of one input may differ and still be told one by one."""

_WORK = 50_000
"""How much those that differ times all of them may come to: each is held against the whole."""
_REMEMBERED = 2_000
"""Schemas of more characters are not kept."""
Verdict = Escape | Undecided | None
"""What keeps one set of values from lying within another; None where nothing does."""


class Delta(NamedTuple):
    """One statement that differs."""

    path: Path
    """The steps that lead to the schema within the schema."""
    facet: str
    keyword: str
    old: Any
    """What is stated, ABSENT where nothing is."""
    new: Any
    lost: Verdict
    """A value that was accepted and is refused."""
    gained: Verdict
    """A value that was refused and is accepted."""
    was: str = ""
    """The keyword in the old schema, where it is another one that states the same."""

    @property
    def pointer(self) -> str:
        """The place within the new schema as a JSON Pointer."""
        return self._pointer(self.keyword)

    @property
    def old_pointer(self) -> str:
        """The place within the old schema."""
        return self._pointer(self.was or self.keyword)

    def _pointer(self, keyword: str) -> str:
        keys = [key for step in self.path for key in step]
        return "".join(f"/{token(key)}" for key in keys + [keyword] * bool(keyword))


def relate(old: Any, new: Any, strict: bool) -> tuple[Verdict, Verdict]:
    """What keeps the old values from lying within the new ones, and the other way about."""
    if same(old, new):
        return None, None
    return verdict(old, new, strict), verdict(new, old, strict)


def verdict(narrow: Any, wide: Any, strict: bool) -> Verdict:
    """A value of the first schema that the second refuses, or why none can be found."""
    if is_spent():
        return Undecided("schema", "", SPENT)
    written = (_Written(narrow), _Written(wide))
    long = max(len(each.text) for each in written) > _REMEMBERED
    found, steps = (_ask if long else _known)(*written, strict)
    work = work_left()
    if work is not None:
        # What is remembered costs what it did, or the answers would depend on what came before.
        with suppress(Undecidable):
            work.spend(steps)
    return found


class _Written:
    """A schema that is the same as another one when it is written the same."""

    __slots__ = ("schema", "text")

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.text = canonical(schema)

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Written) and self.text == other.text


def _ask(one: _Written, other: _Written, strict: bool) -> tuple[Verdict, int]:
    """The verdict, and the steps that it took."""
    narrow, wide = one.schema, other.schema
    if not (isinstance(narrow, dict | bool) and isinstance(wide, dict | bool)):
        return Undecided("schema", "", "it is not a schema"), 0
    work = Work(MAX_WORK)
    try:
        found = include(narrow, wide, strict=strict, work=work)
    except RecursionError:
        return Undecided("schema", "", "it is nested too deeply"), MAX_WORK - work.left
    return found if isinstance(found, Escape | Undecided) else None, MAX_WORK - work.left


_known = lru_cache(maxsize=1024)(_ask)
"""Manifests say the same of many inputs, and a live comparison asks again at every key."""


def differences(old: Any, new: Any, strict: bool = False) -> list[Delta]:
    """Every statement that differs, with what it does to the values that are accepted."""
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
    told: list[Delta] = []
    explained: set[Path] = set()
    for path, name, is_new in properties:
        explained.add((*path, ("properties", name)))
        told.append((_added if is_new else _removed)(old, before, after, path, name, strict))
    for key in keys:
        path, slot, _ = key
        if any(path[:depth] in explained for depth in range(1, len(path) + 1)):
            continue
        if slot == "additionalProperties" and _same_rest(before, after, key):
            continue
        told.append(_delta(old, new, key, before, after, strict))
    moving = [delta for delta in told if delta.lost or delta.gained or _is_told(delta)]
    if not moving and len(told) > 1:
        return [Delta((), "schema", "", old, new, None, None)]
    # What came or went without doing anything is an echo of what did it all.
    return moving or told


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


def _is_told(delta: Delta) -> bool:
    return delta.facet.startswith("property") or (
        delta.old is not ABSENT and delta.new is not ABSENT
    )


def _properties(before: Statements, after: Statements) -> Iterator[tuple[Path, str, bool]]:
    """The properties that only one side describes, of the objects that both describe."""
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
    if lost is not None and not is_open:
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
    """Whether only the described properties differ, of which there is word already."""
    one, other = before.found.get(key), after.found.get(key)
    if one is None or other is None or key[0] not in before.properties:
        return False
    return key[0] in after.properties and same(one.shown, other.shown)
