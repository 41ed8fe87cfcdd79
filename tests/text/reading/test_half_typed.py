"""While a line is being typed, the keys of all other lines are still there.

Every prefix of every line of two real manifests, the rest of the file below it: how many of the
keys that stand elsewhere are found at their place in the tree.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillstudio.text.node import Document, Mapping, Node, Sequence
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span


def _block(path: Path, language: str, holding: str) -> str:
    blocks = re.findall(rf"```{language}\n(.*?)```", path.read_text(), re.DOTALL)
    return next(block for block in blocks if holding in block)


def _keys(root: Node) -> set[tuple[tuple[str, ...], int]]:
    """Each key as its path, lists without their indexes, and where it stands."""
    found = set()
    stack: list[tuple[tuple[str, ...], Node]] = [((), root)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, Mapping):
            for entry in node.entries:
                found.add(((*path, entry.name), entry.key.start))
                stack.append(((*path, entry.name), entry.value))
        elif isinstance(node, Sequence):
            stack += [((*path, "*"), item) for item in node.items]
    return found


def _read(text: str, syntax: str) -> Document:
    return read(Source(text), syntax, Span(0, len(text)))


def _survival(text: str, syntax: str) -> tuple[float, float]:
    """The share of keys elsewhere that are found, and the faults for each broken state."""
    every = _keys(_read(text, syntax).root)
    wanted = found = states = faults = 0
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line.rstrip("\n"))
        for cut in range(start, end):
            document = _read(text[:cut] + text[end:], syntax)
            if document.faults:
                elsewhere = {
                    (path, place if place < start else place - (end - cut))
                    for path, place in every
                    if not start <= place < end
                }
                wanted += len(elsewhere)
                found += len(elsewhere & _keys(document.root))
                states += 1
                faults += len(document.faults)
        start += len(line)
    return found / wanted, faults / states


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "syntax", "holding", "least", "most_faults"),
    [
        ("001_*.txt", "json", '"id": "skill-system-memory"', 0.985, 2.0),
        ("004_*.txt", "toml", "Full Example", 0.99, 1.1),
    ],
)
def test_keys_elsewhere_survive(
    data: Path, seed: str, syntax: str, holding: str, least: float, most_faults: float
) -> None:
    path = next((data / "seeds").glob(seed))
    survived, faults = _survival(_block(path, syntax, holding), syntax)
    assert survived >= least
    assert faults <= most_faults
