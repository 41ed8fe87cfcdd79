"""Track the leaves of a conversion: what became of old values, and where new ones come from.

A leaf of the source without an entry is lost. A leaf of the result without an entry raises
Unexplained.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import islice, starmap
from typing import Any, NamedTuple

from skillstudio.interface.wording import SENSITIVE, cut
from skillstudio.manifest.conversion.leaves import Leaf, Paper, names_of, values_of
from skillstudio.manifest.secrets import looks_like_secret

WhyLost = Callable[[Leaf], str]


class ChangedLeaf(NamedTuple):
    """A leaf in another form or at another place."""

    pointer: str
    how: str


class LostLeaf(NamedTuple):
    """A leaf of the source without an equivalent in the result."""

    pointer: str
    why: str


class InventedLeaf(NamedTuple):
    """A leaf of the result without a source."""

    pointer: str
    what: str
    why: str


class ConversionReport(NamedTuple):
    """Every leaf of source and result, each in one list.

    A pointer with different meanings in source and result is in `changed` once. If the source's
    value was lost it is in `lost` too, and if the result's is new in `invented`, both with the
    name of the document and `#` in front.
    """

    carried_pointers: tuple[str, ...]
    changed_leaves: tuple[ChangedLeaf, ...] = ()
    lost_leaves: tuple[LostLeaf, ...] = ()
    invented_leaves: tuple[InventedLeaf, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The lists as plain values."""
        lists: dict[str, tuple[Any, ...]] = {
            "changed": self.changed_leaves,
            "lost": self.lost_leaves,
            "invented": self.invented_leaves,
        }
        leaves = {key: [leaf._asdict() for leaf in group] for key, group in lists.items()}
        return {"carried": list(self.carried_pointers), **leaves}


class UnexplainedLeaf(Exception):
    """A leaf of a result has no origin: an internal error."""


_Link = tuple[Leaf | None, Leaf | None, str]
"""Source, target and how; a plain tuple, because a skill may have 100,000."""


class LeafTracker:
    """The record of one conversion."""

    def __init__(self) -> None:
        self._links: list[_Link] = []
        self._loss_reasons: dict[Leaf, str] = {}
        self._invention_reasons: dict[Leaf, str] = {}

    def move(self, sources: Iterable[Leaf], target: Leaf, how: str = "") -> None:
        """Derive a leaf from leaves of the source; `how` describes its form or other origin."""
        unique_sources: Iterable[Leaf | None] = dict.fromkeys(sources) or (None,)
        self._links.extend([(source, target, how) for source in unique_sources])

    def keep(self, leaves: Iterable[Leaf]) -> None:
        """Leaves of the source are at the same place of the result."""
        for leaf in leaves:
            self.move([leaf], leaf)

    def imply(self, source: Leaf, how: str) -> None:
        """A leaf of the source is implied by the form of the result, not by a leaf."""
        self._links.append((source, None, how))

    def lose(self, source: Leaf, why: str) -> None:
        """A leaf of the source has no equivalent in the result."""
        self._loss_reasons.setdefault(source, why)

    def invent(self, target: Leaf, why: str) -> None:
        """A leaf of the result has no source."""
        self._invention_reasons[target] = why

    def report(
        self, old: Iterable[Paper], new: Iterable[Paper], why_lost: WhyLost
    ) -> ConversionReport:
        """The report. `why_lost` explains leaves without an entry. Raises Unexplained."""
        return _ReportBuilder(self, list(old), list(new), why_lost).report()


class _ReportBuilder:
    """The lists of a report, built from the record and the documents."""

    def __init__(
        self, ledger: LeafTracker, old: list[Paper], new: list[Paper], why_lost: WhyLost
    ) -> None:
        self.old, self.new = names_of(old), names_of(new)
        self.before, self.after = values_of(old), values_of(new)
        self.from_source: dict[Leaf, list[_Link]] = {}
        self.to_target: dict[Leaf, list[_Link]] = {}
        for link in ledger._links:
            source, target, _ = link
            starts = source is None or source in self.old
            ends = target is None or target in self.new
            if not (starts and ends):
                continue
            if source is not None:
                self.from_source.setdefault(source, []).append(link)
            if target is not None:
                self.to_target.setdefault(target, []).append(link)
        self.loss_reasons = {
            leaf: ledger._loss_reasons.get(leaf) or why_lost(leaf)
            for leaf in self.old
            if leaf not in self.from_source
        }
        self.invention_reasons: dict[Leaf, str] = {}
        for leaf in self.new:
            if leaf in self.to_target:
                continue
            if leaf not in ledger._invention_reasons:
                raise UnexplainedLeaf(f"nothing says where {leaf.pointer} comes from")
            self.invention_reasons[leaf] = ledger._invention_reasons[leaf]

    def report(self) -> ConversionReport:
        carried_pointers: list[str] = []
        changes: dict[str, str] = {}
        lost_leaves: list[LostLeaf] = []
        invented_leaves: list[InventedLeaf] = []
        new_leaves = {name: leaf for leaf, name in self.new.items()}
        whole: set[str] = set()
        for leaf, name in self.old.items():
            twin = new_leaves.get(name)
            if twin is not None and not self._is_linked(leaf, twin):
                # One pointer, two meanings: the one entry describes both.
                changes[name] = f"{self._of_source(leaf)}; {self._of_target(twin)}"
                qualified_name = f"{leaf.document}#{leaf.pointer}"
                if leaf in self.loss_reasons:
                    lost_leaves.append(LostLeaf(qualified_name, self.loss_reasons[leaf]))
            elif leaf in self.loss_reasons:
                lost_leaves.append(LostLeaf(name, self.loss_reasons[leaf]))
            elif twin is not None and self._is_carried(leaf, twin):
                carried_pointers.append(name)
                whole.add(name)
            else:
                changes[name] = self._of_source(leaf)
        for leaf, name in self.new.items():
            if leaf in self.invention_reasons:
                pointer = f"{leaf.document}#{leaf.pointer}" if name in changes else name
                what = shown_value(self.after[leaf])
                invented_leaves.append(InventedLeaf(pointer, what, self.invention_reasons[leaf]))
            elif name not in changes and name not in whole:
                changes[name] = self._of_target(leaf)
        return ConversionReport(
            tuple(carried_pointers),
            tuple(starmap(ChangedLeaf, changes.items())),
            tuple(lost_leaves),
            tuple(invented_leaves),
        )

    def _is_linked(self, source: Leaf, target: Leaf) -> bool:
        return any(there == target for _, there, _ in self.from_source.get(source, ()))

    def _is_carried(self, source: Leaf, target: Leaf) -> bool:
        links = self.from_source[source]
        whole = any(there == target and not how for _, there, how in links)
        old, new = self.before[source], self.after[target]
        return whole and type(old) is type(new) and bool(old == new)

    def _of_source(self, leaf: Leaf) -> str:
        """What became of a leaf of the source."""
        if leaf in self.loss_reasons:
            return f"the source value is lost: {self.loss_reasons[leaf]}"
        links, old_name = self.from_source[leaf], self.old[leaf]
        if len(links) == 1:
            # Most leaves: as below, without the lists.
            _, target, how = links[0]
            there = self.new[target] if target is not None else old_name
            now = "" if there == old_name else f"now {there}"
            return _join_phrases(now, how) or "stated here and elsewhere"
        places: dict[str, list[str]] = {}
        for _, target, how in links:
            there = self.new[target] if target is not None else ""
            places.setdefault(how, []).append("" if there == old_name else there)
        phrases = [_where(there, how) for how, there in places.items()]
        return "; ".join([phrase for phrase in phrases if phrase]) or "stated here and elsewhere"

    def _of_target(self, leaf: Leaf) -> str:
        """The origin of a leaf of the result."""
        if leaf in self.invention_reasons:
            return f"new here: {self.invention_reasons[leaf]}"
        links = self.to_target[leaf]
        if len(links) == 1:
            source, _, how = links[0]
            return _join_phrases(f"from {self.old[source]}" if source else "", how)
        sources = dict.fromkeys([self.old[source] for source, _, _ in links if source])
        hows = "; ".join(dict.fromkeys([how for _, _, how in links if how]))
        source_list = ", ".join(islice(sources, 3)) + (", …" if len(sources) > 3 else "")
        return _join_phrases(source_list and f"from {source_list}", hows)


def _where(there: list[str], how: str) -> str:
    """The new places of a leaf ("" for its own place) and its form."""
    new_places = ", ".join(dict.fromkeys([place for place in there if place]))
    now = f"{'here and ' if '' in there else ''}now {new_places}" if new_places else ""
    return _join_phrases(now, how)


def _join_phrases(first: str, second: str) -> str:
    return f"{first}: {second}" if first and second else first or second


def shown_value(value: Any) -> str:
    """A value on one line, truncated, without credentials."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return SENSITIVE if looks_like_secret(text) else cut(text)
