"""A manifest under construction, which records the origin of each value."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, leaves
from skillstudio.manifest.values import dig, pointer

Keys = tuple[str | int, ...]  # Keys and list indices that lead to a value.


class DocumentDraft:
    """The value of one document of the result."""

    def __init__(self, label: str, ledger: LeafTracker) -> None:
        self.label = label
        self.ledger = ledger
        self.value: dict[str, Any] = {}

    def carry(self, keys: Keys, value: Any, *sources: Leaf, how: str = "") -> None:
        """Add a value from leaves of the source; `how` describes a changed form or other origin."""
        self._put(keys, value)
        above = pointer(*keys)
        if not isinstance(value, dict | list):
            self.ledger.move(sources, Leaf(self.label, above), how)
            return
        for below, _ in leaves(value, above):
            self.ledger.move(sources, Leaf(self.label, below), how)

    def copy(self, keys: Keys, value: Any, source: Leaf) -> None:
        """Copy a value from `source`, leaf by leaf."""
        self._put(keys, value)
        above = pointer(*keys)
        for below, _ in leaves(value):
            whence = Leaf(source.document, source.pointer + below)
            self.ledger.move([whence], Leaf(self.label, above + below))

    def invent(self, keys: Keys, value: Any, why: str) -> None:
        """Add a value that no source states."""
        self._put(keys, value)
        for below, _ in leaves(value, pointer(*keys)):
            self.ledger.invent(Leaf(self.label, below), why)

    def holds(self, *keys: str | int) -> bool:
        """Whether a value was added below some keys."""
        above = dig(self.value, *keys[:-1])
        return isinstance(above, dict) and keys[-1] in above

    def _put(self, keys: Keys, value: Any) -> None:
        holder: Any = self.value
        for key, next_key in pairwise(keys):
            empty: Any = [] if isinstance(next_key, int) else {}
            if isinstance(holder, list):
                if key == len(holder):
                    holder.append(empty)
                holder = holder[int(key)]
            else:
                holder = holder.setdefault(key, empty)
        if isinstance(holder, list):
            holder.insert(int(keys[-1]), value)
        else:
            holder[keys[-1]] = value
