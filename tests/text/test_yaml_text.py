"""YAML is written so that it reads the same."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.yaml_text import yaml_text

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
BREAKS = ("\x85", "\u2028", "\u2029", "\n", "\r", "\t", "\x1f", "\x7f", "\ufeff", "\xa0")


@pytest.mark.parametrize("character", BREAKS)
@pytest.mark.parametrize("text", ["{}", "a{}b", "{}\n", "a\n{}b\n", " {} ", "- {}"])
def test_every_line_break_is_kept(text: str, character: str) -> None:
    value = {"a": text.format(character)}
    assert yaml.safe_load(yaml_text(value)) == value


@given(st.dictionaries(st.sampled_from("ab"), st.one_of(TEXTS, st.lists(TEXTS, max_size=3))))
def test_values_are_kept(value: dict[str, object]) -> None:
    assert yaml.safe_load(yaml_text(value)) == value


def test_a_value_that_comes_twice_is_written_twice() -> None:
    part = ["x"]
    assert yaml_text({"b": part, "a": part}) == "b:\n- x\na:\n- x\n"
    assert yaml_text({"a": "one\ntwo\n"}) == "a: |\n  one\n  two\n"
