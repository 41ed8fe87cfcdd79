"""A class name is used once in the code base, and a loop variable is a noun."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

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
    loops = re.compile(r"\bfor (?:\(?\*?\w+, )*\(?\*?each\b(?:, \w+|\))* in\b")
    assert loops.search("for number, each in enumerate(lines)")
    bad = [
        f"{path.name}: {match[0]}"
        for path in SOURCES
        for match in loops.finditer(path.read_text(encoding="utf-8"))
    ]
    assert bad == []
