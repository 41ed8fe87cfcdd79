"""toml-test: the lists for TOML 1.0, and what 1.1 adds reported as just that."""

from __future__ import annotations

import datetime
import math
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from skillstudio.text.node import Document, Mapping, Node, Scalar, Sequence
from skillstudio.text.reading.toml import read_toml
from skillstudio.text.source import BOM, Source, Span, decode

TOMLLIB_IS_1_0 = sys.version_info < (3, 15)


def _listed(data: Path, version: str, kind: str) -> list[Path]:
    folder = data / "vectors/toml/tests"
    lines = (folder / f"files-toml-{version}").read_text().split()
    return [folder / line for line in lines if line.startswith(kind) and line.endswith(".toml")]


def _read(path: Path) -> tuple[str, bool, Document]:
    text, broken = decode(path.read_bytes())
    return text, broken is None, read_toml(Source(text), Span(0, len(text)))


def comparable(value: Any) -> Any:
    """A value of tomllib so that 1, 1.0 and true differ, and dates are only dates."""
    if isinstance(value, dict):
        return {key: comparable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    if isinstance(value, datetime.date | datetime.time):
        return "a date"
    return (type(value).__name__, "nan" if value != value else value)


def comparable_node(node: Node) -> Any:
    if isinstance(node, Mapping):
        return {entry.name: comparable_node(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [comparable_node(item) for item in node.items]
    assert isinstance(node, Scalar)
    if node.style == "date":
        return "a date"
    is_nan = isinstance(node.value, float) and math.isnan(node.value)
    return (type(node.value).__name__, "nan" if is_nan else node.value)


@pytest.mark.skipif(not TOMLLIB_IS_1_0, reason="this Python's tomllib reads TOML 1.1")
def test_valid_toml_is_accepted_and_has_the_value_that_python_reads(data: Path) -> None:
    files = _listed(data, "1.0.0", "valid")
    assert len(files) == 210
    for path in files:
        text, utf8, document = _read(path)
        assert utf8
        assert document.faults == [], path
        expected = comparable(tomllib.loads(text.removeprefix(BOM)))
        assert comparable_node(document.root) == expected, path


def test_invalid_toml_is_refused(data: Path) -> None:
    files = _listed(data, "1.0.0", "invalid")
    assert len(files) == 499
    accepted = []
    for path in files:
        _, utf8, document = _read(path)
        if utf8 and not document.faults:
            accepted.append(path.name)
    assert accepted == []


def test_what_is_new_in_1_1_is_read_and_reported_as_new(data: Path) -> None:
    older = set(_listed(data, "1.0.0", "valid"))
    newer = [path for path in _listed(data, "1.1.0", "valid") if path not in older]
    faults = [fault for path in newer for fault in _read(path)[2].faults]
    assert faults
    assert {fault.rule for fault in faults} == {"syntax-toml-1.1"}
