"""Every change of every pair, written out: what fires where it should not is seen in the diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.interface.build import Pair, pairs

from skillstudio.interface.change import LEVELS, Change
from skillstudio.interface.compare import compare
from skillstudio.interface.kinds import RULESETS
from skillstudio.interface.model import Interface
from skillstudio.manifest.changes import all_kinds


def direct(pair: Pair) -> tuple[Interface | None, Interface | None]:
    """The two sides, the old one first."""
    return pair.old, pair.new


def bump(changes: Sequence[Change]) -> str:
    """The bump that some changes ask for."""
    levels = {change.level for change in changes}
    return next((level for level in LEVELS if level in levels), "none")


def matrix() -> str:
    """The whole matrix as a text."""
    return "".join(f"{line}\n" for pair in pairs() for line in _lines(pair))


def _lines(pair: Pair) -> Iterator[str]:
    for direction, (old, new) in (("->", direct(pair)), ("<-", direct(pair)[::-1])):
        yield f"{direction} {pair.name}"
        default = [_line(change) for change in compare(old, new, all_kinds())]
        yield from (f"   {line}" for line in default)
        for ruleset in RULESETS[1:]:
            lines = [_line(change) for change in compare(old, new, all_kinds(), ruleset)]
            yield from (f"   {ruleset}: {line}" for line in lines if line not in default)


def _line(change: Change) -> str:
    flags = [name for name in ("review", "routing") if getattr(change, name)]
    told = [change.level, change.kind, *flags, change.pointer or "/", "|", change.message]
    if change.witness is not None:
        told += ["| witness", repr(change.witness.value), "accepted by", change.witness.accepted_by]
    return " ".join(told)


if __name__ == "__main__":
    Path(__file__).with_name("matrix.txt").write_text(matrix(), encoding="utf-8")
