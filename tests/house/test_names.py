"""A class name is used once in the code base."""

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
