"""What is read line by line is what libyaml's events give, and most manifests are read so."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillstudio.text.node import Mapping, Node, Scalar, Sequence
from skillstudio.text.reading.yaml import read_yaml
from skillstudio.text.reading.yaml_composer import Composer, Repairs
from skillstudio.text.reading.yaml_lines import read_lines
from skillstudio.text.source import Source, Span

BASE = 7
PIECES = [
    *("a", "key", "name", "yes", "n", "null", "1", "1.5", "01", "true", "x: y", "a:b", "a#b"),
    *("a #b", "- ", "-", " ", "  ", ":", ": ", "\n", "\n  ", "'", '"', "\\", "|", "~", "=", "<<"),
    *("é", "\u2028", "[a]", "{a: b}", "--- ", "...", "?", "!x", "&a", "*a", "@", "%", "\t"),
    *("# c\n", '"\\\\d\\""\n'),
]  # fmt: skip
LINES = [
    *("a: 1\n", "b: x  \n", "c:\n", "  d: 1\n", "  e:\n", "  - e\n", "- f\n", "  - g: 1\n", "\n"),
    *("    h: 2\n", "- i: 1\n", "  j: q\n", "    - l\n", "   m: 2\n", "# z\n", "  # z\n"),
    *("    n:\n", "      - o\n", "-   p: 1\n", "s: ''\n", "- ''\n", 't: "y"\n', "- \n", "-\n"),
    *("u:   \n", "  - v:\n", "      w: 1\n", "description: x # y\n", "k: yes\n", "12: a\n"),
    "a: 0o7\n",
]  # fmt: skip


def tree(node: Node | None) -> Any:
    """All of a node, as plain values."""
    if isinstance(node, Scalar):
        return node.span, node.value, type(node.value), node.style
    if isinstance(node, Mapping):
        entries = [(tree(each.key), each.name, tree(each.value)) for each in node.entries]
        return node.span, node.flow, node.incomplete, entries
    if isinstance(node, Sequence):
        return node.span, node.flow, node.incomplete, [tree(each) for each in node.items]
    return type(node)


TEXTS = st.lists(st.sampled_from(LINES), max_size=8) | st.lists(
    st.sampled_from(PIECES) | st.sampled_from(LINES), max_size=12
)


@given(TEXTS.map("".join))
@example("  a: 1\nb: 2\n")
@example("a:\n- b: 1\n  c:\n  - d\n- e: 2\nf: 3")
@example('a: "\\\\d \\""\n')
def test_lines_give_the_tree_of_the_composer(text: str) -> None:
    found = read_lines(text, BASE)
    if found is not None:
        composer = Composer(Repairs(text), text, BASE)
        assert composer.run() is None
        assert composer.faults == []
        assert tree(found) == tree(composer.root)


def test_a_plain_manifest_needs_no_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'name: tea\ninputs:\n  required:\n    - name: cups\n      default: 2\nversion: "1.0"\n'
    monkeypatch.delattr("skillstudio.text.reading.yaml_composer.Composer")
    document = read_yaml(Source(text), Span(0, len(text)))
    inputs = {"required": [{"name": "cups", "default": 2}]}
    assert document.value == {"name": "tea", "inputs": inputs, "version": "1.0"}
    assert not document.faults
