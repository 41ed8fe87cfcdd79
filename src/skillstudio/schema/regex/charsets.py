"""Sets of characters as sorted, inclusive intervals of code points."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import groupby

CharSet = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
ANY: CharSet = ((0, LAST),)
NONE: CharSet = ()


def charset(*ranges: tuple[int, int]) -> CharSet:
    """The set of some ranges, in any order."""
    merged_ranges: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged_ranges and low <= merged_ranges[-1][1] + 1:
            merged_ranges[-1] = (merged_ranges[-1][0], max(merged_ranges[-1][1], high))
        else:
            merged_ranges.append((low, high))
    return tuple(merged_ranges)


def union(*sets: CharSet) -> CharSet:
    return charset(*(range_ for chars in sets for range_ in chars))


def negate(chars: CharSet) -> CharSet:
    gaps, start = [], 0
    for low, high in chars:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return tuple(gaps)


def of(text: str) -> CharSet:
    """The set of the characters of a string."""
    if len(text) == 1:
        return ((ord(text), ord(text)),)
    return charset(*((ord(character), ord(character)) for character in text))


DIGIT = of("0123456789")
WORD = union(DIGIT, charset((0x41, 0x5A), (0x61, 0x7A)), of("_"))
LINE_END = of("\n\r\u2028\u2029")
SPACE = union(of("\t\v\f \u00a0\u1680\u202f\u205f\u3000\ufeff"), LINE_END, ((0x2000, 0x200A),))
"""White space and line terminators of ECMA-262, which differ from Python's."""

_GENERAL_CATEGORIES = {
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M",
    "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
    "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl",
    "Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe",
    "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
    "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk",
    "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf",
    "Surrogate": "Cs", "Private_Use": "Co", "Unassigned": "Cn",
}  # fmt: skip
_CASED_CATEGORIES = frozenset(("Lu", "Ll", "Lt"))


@lru_cache(maxsize=256)
def general_category(name: str, is_negated: bool = False) -> CharSet | None:
    """The characters of a general category, or all others; None for an unknown name."""
    if is_negated:
        chars = general_category(name)
        return None if chars is None else negate(chars)
    if name in ("Any", "ASCII", "Assigned"):
        return {"Any": ANY, "ASCII": ((0, 0x7F),)}.get(name) or negate(_categories()["Cn"])
    short = _GENERAL_CATEGORIES.get(name, name)
    sets = [
        chars
        for category, chars in _categories().items()
        if category == short
        or category[0] == short
        or (short == "LC" and category in _CASED_CATEGORIES)
    ]
    return union(*sets) if sets else None


@lru_cache(maxsize=1)
def _categories() -> dict[str, CharSet]:
    """All two-letter categories, computed once from all characters."""
    ranges_by_category: dict[str, list[tuple[int, int]]] = {}
    start = 0
    for category, run in groupby(map(unicodedata.category, map(chr, range(LAST + 1)))):
        end = start + sum(1 for _ in run)
        ranges_by_category.setdefault(category, []).append((start, end - 1))
        start = end
    return {category: tuple(ranges) for category, ranges in ranges_by_category.items()}
