"""Whether one pattern includes another: how long the answer takes, and whether it is right."""

from __future__ import annotations

import time
from statistics import median
from typing import NamedTuple

from skillstudio.schema.regex.inclusion import find_witness
from skillstudio.schema.regex.parser import parse
from skillstudio.schema.work import Undecidable

LIMIT = 200.0
"""Milliseconds that no pair may take, the first time included."""
_WORDS = "|".join(f"word{number}" for number in range(400))


class Pair(NamedTuple):
    """Two patterns, and whether every text of the narrow one is one of the wide one."""

    narrow: str
    wide: str
    truth: bool


PAIRS = (
    Pair(r"^\d{4}-\d{1,2}-\d{1,2}$", r"^\d{4}-\d{2}-\d{2}$", False),
    Pair(r"^\d{4}-\d{2}-\d{2}$", r"^\d{4}-\d{1,2}-\d{1,2}$", True),
    Pair(r"^[a-z][a-z0-9-]*$", r"^[a-z0-9]+(-[a-z0-9]+)*$", False),
    Pair(r"^.{1,64}$", r"^.{1,1024}$", True),
    Pair(r"^.{1,1024}$", r"^.{1,64}$", False),
    Pair(r"^(a|b)*a(a|b){12}$", r"^(a|b)*$", True),
    Pair(r"^(a|b)*$", r"^(a|b)*a(a|b){12}$", False),
    Pair(r"^(a|b)*a(a|b){12}$", r"^(a|b)*b(a|b){12}$", False),
    Pair(r"^(a|b)*a(a|b){18}$", r"^(a|b)*a(a|b){17}$", False),
    Pair(r"(a+)+$", r"^(a*)*b?$", False),
    Pair(r"^(([a-z]+)*)*$", r"^[a-z]*$", True),
    Pair(r"^(x{1,100}){1,100}$", r"^x*$", True),
    Pair(r"^((x{1,30}){1,30}){1,30}$", r"^x+$", True),
    Pair(r"^a{60000}$", r"^a+$", True),
    Pair(r"^a|b$", r"^(a|b)$", False),
    Pair(r"^[^/]+$", r"^.+$", False),
    Pair(r"^\p{L}+$", r"^\w+$", False),
    Pair(r"^(?=.*\d).{8,}$", r"^.{8,}$", True),
    Pair(r"^(a)\1$", r"^aa$", True),
    Pair(r"^[\u0000-\uffff]{1,255}$", r"^[^\u0000]*$", False),
    Pair(f"^({_WORDS})$", r"^word\d+$", True),
    Pair(r"^word\d{1,3}$", f"^({_WORDS})$", False),
)
"""Ordinary ones, and each way in which an engine is known to take for ever or to be wrong."""


def patterns(rounds: int) -> None:
    """Each pair decided and timed from its two texts on; the slowest round of all counts."""
    print(f"\nwhether one pattern includes another ({len(PAIRS)} pairs)")
    slowest = 0.0
    decided = wrong = 0
    for pair in PAIRS:
        times = []
        for _ in range(rounds):
            begin = time.perf_counter()
            answer, said = _answer(pair)
            times.append((time.perf_counter() - begin) * 1000)
        slowest = max(slowest, *times)
        decided += answer is not None
        wrong += answer is not None and answer != pair.truth
        shown = f"{pair.narrow[:28]:<28}  {pair.wide[:28]:<28}"
        mark = "WRONG " if answer not in (None, pair.truth) else ""
        print(f"  {median(times):8.2f} ms  ≤ {max(times):7.2f}   {shown}  {mark}{said[:60]}")
    print(f"  {decided} decided, {wrong} of them wrong, {len(PAIRS) - decided} undecided")
    within = "yes" if slowest <= LIMIT else "NO"
    print(f"  slowest round {slowest:.1f} ms (wanted ≤ {LIMIT:.0f}: {within})")


def _answer(pair: Pair) -> tuple[bool | None, str]:
    """Whether the one includes the other, None where that is left open, and the words for it."""
    try:
        witness = find_witness(parse(pair.narrow), parse(pair.wide))
    except Undecidable as reason:
        return None, f"undecided: {reason}"
    return witness is None, "included" if witness is None else f"not: {witness[:20]!r}"
