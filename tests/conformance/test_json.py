"""JSONTestSuite: what must be accepted is, what must be refused is, and nothing crashes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillstudio.text.reading.json import read_json
from skillstudio.text.source import Source, Span, decode


def _files(data: Path, kind: str) -> list[Path]:
    return sorted((data / "vectors/json/test_parsing").glob(f"{kind}_*.json"))


def _read(path: Path) -> tuple[str, bool, list[str], object]:
    text, broken = decode(path.read_bytes())
    document = read_json(Source(text), Span(0, len(text)))
    return text, broken is None, [fault.rule for fault in document.faults], document.value


def test_valid_json_is_accepted_and_has_the_value_that_python_reads(data: Path) -> None:
    files = _files(data, "y")
    assert len(files) == 95
    for path in files:
        text, utf8, rules, value = _read(path)
        assert utf8
        assert set(rules) <= {"key-duplicate"}, path.name
        assert ("key-duplicate" in rules) == ("duplicated_key" in path.name), path.name
        assert value == json.loads(text), path.name


def test_invalid_json_is_refused(data: Path) -> None:
    files = _files(data, "n")
    assert len(files) == 188
    accepted = [path.name for path in files if _read(path)[1] and not _read(path)[2]]
    assert accepted == []


def test_what_readers_may_do_as_they_like_does_not_crash(data: Path) -> None:
    for path in _files(data, "i"):
        _read(path)


@pytest.mark.parametrize(("depth", "rules"), [(100, []), (101, ["nesting-too-deep"])])
def test_the_depth_is_bounded(depth: int, rules: list[str]) -> None:
    text = "[" * depth + "]" * depth
    document = read_json(Source(text), Span(0, len(text)))
    assert [fault.rule for fault in document.faults] == rules
