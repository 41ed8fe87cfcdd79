"""Class names are unique; loop variables, other values and functions have names of their kind."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parents[2] / "src").rglob("*.py"))


def test_class_names_are_unique() -> None:
    count = Counter(
        name
        for path in SOURCES
        for name in re.findall(r"^ *class (\w+)[(:]", path.read_text(encoding="utf-8"), re.M)
    )
    assert len(count) > 500
    assert {name for name, times in count.items() if times > 1} == set()


def test_loop_variables_are_nouns() -> None:
    loops = re.compile(r"\bfor (?:\(?\*?\w+, )*\(?\*?(?:each|one|this)\b(?:, \w+|\))* in\b")
    assert loops.search("for number, each in enumerate(lines)")
    bad = [
        f"{path.name}: {match[0]}"
        for path in SOURCES
        for match in loops.finditer(path.read_text(encoding="utf-8"))
    ]
    assert bad == []


IRREGULAR = """
begun bought bound broken brought built caught chosen done drawn felt found given goes gone
grown heard held hidden kept known laid led left lent lost made meant met more own paid said seen
sent shed shown sold spent stood swept taken taught thought thrown told understood won written
"""
"""Participles, and words that say as little, that end in neither -ed nor -ing."""
NOUNS = """
binding ceiling docstring encoding ending everything finding heading indexing listing mapping
missing nothing opening padding pending rating reading recording rendering seed setting sibling
something spacing speed spelling staging string testing thing warning
"""
"""Nouns that end as participles do."""


def is_participle(name: str) -> bool:
    word = name.strip("_").lower()
    if "_" in word or word in NOUNS.split():
        return False
    return word in IRREGULAR.split() or (len(word) > 4 and word.endswith(("ed", "ing")))


@pytest.mark.parametrize(
    ("what", "pattern", "most"),
    [
        ("functions", r"\bdef (\w+)", 0.005),
        ("variables", r"^ *(\w+)(?:: [^=\n]+)? = ", 0.005),
        ("parameters", r"[(,] *(\w+): [\w\"]|^    +(\w+): [^=\n]+(?: = .+)?,$", 0.005),
    ],
)
def test_bare_participles_are_rare(what: str, pattern: str, most: float) -> None:
    names = [
        match[1] or match[2] if match.lastindex == 2 else match[1]
        for path in SOURCES
        for match in re.finditer(pattern, path.read_text(encoding="utf-8"), re.M)
    ]
    bad = Counter(filter(is_participle, names))
    assert len(names) > 7_000, what
    assert bad.total() <= most * len(names), bad
