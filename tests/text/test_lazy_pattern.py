"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import importlib
import pickle
import re
from pathlib import Path

import pytest

import skillstudio
from skillstudio.text.lazy_pattern import LazyPattern, lazy_pattern

ROOT = Path(skillstudio.__file__).parent
SOURCES = [
    ".".join(("skillstudio", *file.relative_to(ROOT).with_suffix("").parts))
    for file in sorted(ROOT.rglob("*.py"))
    if " lazy_pattern(" in file.read_text()
]


def test_it_does_what_the_pattern_does() -> None:
    pattern = lazy_pattern(r"(?P<key>\w+)=(\d+)", re.I)
    whole = re.compile(r"(?P<key>\w+)=(\d+)", re.I)
    text = "a=1, B=22"
    assert pattern.findall(text) == whole.findall(text)
    assert pattern.sub(r"\2", text) == whole.sub(r"\2", text)
    assert pattern.split(text) == whole.split(text)
    assert pattern.fullmatch("a=1")
    assert not pattern.fullmatch(text)
    assert (pattern.flags, pattern.groups) == (whole.flags, whole.groups)
    assert (pattern.pattern, dict(pattern.groupindex)) == (whole.pattern, dict(whole.groupindex))
    assert lazy_pattern(rb"\d").search(b"a1")


def test_it_is_compiled_by_its_first_use_alone() -> None:
    pattern = lazy_pattern("(")
    assert not hasattr(pattern, "__deepcopy__")
    assert isinstance(pickle.loads(pickle.dumps(pattern)), LazyPattern)
    with pytest.raises(re.error):
        pattern.match("")


def test_every_pattern_of_the_sources_compiles() -> None:
    """A fault shows here, and not when somebody first uses it."""
    for name in SOURCES:
        for value in vars(importlib.import_module(name)).values():
            for pattern in value if isinstance(value, tuple | list) else (value,):
                if isinstance(pattern, LazyPattern):
                    assert pattern.groups >= 0, name
