"""The required bump and one change in words."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.interface.bump import Bump
from skillstudio.interface.change import Change, Witness
from skillstudio.interface.model import ABSENT
from skillstudio.present.comparison import bump_line, proof_text, value_text
from skillstudio.present.lines import LONGEST

CHANGE = Change("k", "", "/a", "major", False, False, 1, 2, "it changed", "a source")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (ABSENT, "none"),
        (None, "null"),
        ("ü\n", '"ü\\n"'),
        ({"b": 1, "a": [True]}, '{"a": [true], "b": 1}'),
        ("x" * 5000, '"' + "x" * (LONGEST - 1) + "… (5,002 characters)"),
    ],
    ids=["absent", "null is a value", "text", "mapping", "long"],
)
def test_values(value: Any, text: str) -> None:
    assert value_text(value) == text


def test_a_witness_says_who_accepts_it() -> None:
    proven = CHANGE._replace(witness=Witness(None, "old", "new"))
    assert proof_text(proven) == "null: the old version accepts it, the new version rejects it"
    assert proof_text(CHANGE) == ""


@pytest.mark.parametrize(
    ("bump", "words"),
    [
        (Bump("none", "none", True, "", ()), "✓ no bump needed"),
        (Bump("major", "none", True, "", ()), "✓ no bump needed (major bump made)"),
        (Bump("decreased", "none", False, "", ()), "✗ no bump needed; the version decreased"),
        (Bump("major", "major", True, "", ()), "✓ major bump, as required"),
        (Bump("major", "minor", True, "", ()), "✓ major bump, minor is required"),
        (Bump("none", "major", False, "2.0.0", ()), "✗ needs a major bump: 1.0.0 → 2.0.0"),
        (
            Bump("minor", "major", False, "2.0.0", ()),
            "✗ needs a major bump: 1.0.0 → 2.0.0; minor is too small",
        ),
        (
            Bump("unknown", "major", False, "", ()),
            "✗ needs a major bump; the versions cannot be compared",
        ),
        (
            Bump("unknown", "major", True, "", ()),
            "? required bump unknown: the older version is not a semantic version; from 1.0.0 on "
            "it would be a major bump",
        ),
        (
            Bump("unknown", "minor", True, "1.1.0", ()),
            "i needs a minor bump: 1.0.0 → 1.1.0",
        ),
        (
            Bump("unknown", "none", True, "", ()),
            "? nothing changed; the versions cannot be compared",
        ),
        (
            Bump("none", "minor", True, "", ()),
            "? cannot be compared: only one version has the skill",
        ),
    ],
)
def test_the_bump_in_words(bump: Bump, words: str) -> None:
    assert bump_line(bump, "1.0.0", [CHANGE]).text == words


def test_why_a_step_is_not_that_of_the_changes_is_said() -> None:
    bump = Bump("none", "minor", False, "0.2.0", ())
    assert bump_line(bump, "0.1.0", [CHANGE]).text.endswith(
        "0.1.0 → 0.2.0 (enough for a major change below 1.0.0)"
    )
    smaller = CHANGE._replace(level="minor")
    assert bump_line(bump, "0.1.0", [smaller, CHANGE]).text.endswith("change below 1.0.0)")
    waived = CHANGE._replace(waived="agreed")
    assert bump_line(bump, "0.1.0", [smaller, waived]).text.endswith("0.1.0 → 0.2.0")
    bump = bump._replace(required="patch", suggested="1.0.1")
    assert bump_line(bump, "1.0.0", []).text.endswith(
        "1.0.0 → 1.0.1 (files changed, the interface did not)"
    )
