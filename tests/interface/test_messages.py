"""What is said of each kind of change reads as a sentence, whatever the names and values are."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.interface.build import pairs
from tests.manifest.changes import test_pairs as manifests

from skillstudio.interface.compare import compare
from skillstudio.interface.kinds import ChangeKind
from skillstudio.interface.model import ABSENT
from skillstudio.interface.wording import became, display_value, sentence
from skillstudio.manifest.changes import all_kinds

KINDS = [pytest.param(kind, id=kind.id) for kind in all_kinds().by_id.values()]
LONG = "x" * 5_000
LONGEST = 500


def messages() -> list[str]:
    """Every message that the pairs of the tables give."""
    sides: list[tuple[Any, Any]] = [(pair.old, pair.new) for pair in pairs()]
    sides += [
        (manifests.interface(pair.skill, pair.old), manifests.interface(pair.skill, pair.new))
        for pair in manifests.pairs()
    ]
    return [
        change.message
        for old, new in sides
        for change in (*compare(old, new, all_kinds()), *compare(new, old, all_kinds()))
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_one_clause_that_a_colon_or_a_prefix_can_precede(kind: ChangeKind) -> None:
    text = kind.message
    assert text == text.strip()
    assert "  " not in text
    assert text[0] == "{" or text[0].islower() or text.startswith("WebAssembly")
    assert text[-1] not in ".,;:!"
    assert text.isprintable()
    # The article depends on what follows, which is not known.
    assert not re.search(r"\ban? \{", text)
    # Names and values are quoted when they are filled in.
    assert '"{' not in text
    assert "'{" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_a_reason_is_one_sentence_and_has_a_source(kind: ChangeKind) -> None:
    assert kind.why.endswith(".")
    assert kind.why[0].isupper() or kind.why.startswith("caro ")
    assert len(kind.why.split()) <= 30
    assert kind.source
    assert not kind.source.endswith(".")


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_stays_short_whatever_stands_in_it(kind: ChangeKind) -> None:
    for value in (LONG, [LONG], {"a": LONG}, 10**400, "\n" * 5_000, "\u202e" * 5_000):
        text = sentence(kind.message, LONG, value, value, LONG)
        assert len(text) <= LONGEST
        assert text.isprintable()


@pytest.mark.slow
def test_what_the_pairs_say_reads_well() -> None:
    for message in messages():
        assert not re.search(r"\bnothing (→|is)|→ nothing|ABSENT|None", message), message
        assert not re.search(r'\[\]|""|\(\)', message), message
        assert "  " not in message
        assert message == message.strip()
        assert message.count('"') % 2 == 0 or "'" in message, message


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("one", '"one"'),
        (r"^\d+$", r'"^\d+$"'),
        ('["day"]', "'[\"day\"]'"),
        ('it\'s "so"', '"it\'s "so""'),
        ("a\nb", r'"a\nb"'),
        ("\x1b[31m", r'"\u001b[31m"'),
        ("", '""'),
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        ([1, "a"], '[1, "a"]'),
        (["*"], "everything"),
        (["*", "a"], '["*", "a"]'),
        ("*", '"*"'),
        (ABSENT, "nothing"),
        ("‹sensitive 1f2e›", "‹sensitive›"),
        ("y" * 100, f'"{"y" * 69}…"'),
        ({"a": "y" * 100}, '{"a": "' + "y" * 64 + "…"),
    ],
)
def test_how_a_value_is_shown(value: Any, text: str) -> None:
    assert display_value(value) == text
    assert len(text) <= 72


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (1, 2, "1 → 2"),
        (0, False, "0 → false"),
        (ABSENT, 2, "added 2"),
        (2, ABSENT, "removed 2"),
        ("", "MIT", 'added "MIT"'),
        (["a"], [], 'removed ["a"]'),
        (ABSENT, None, "added null"),
    ],
)
def test_how_a_change_of_value_reads(old: Any, new: Any, text: str) -> None:
    assert became(old, new) == text
    assert sentence("of {name}: {old} → {new}", "a", old, new) == f'of "a": {text}'


def test_braces_in_a_name_are_a_name() -> None:
    assert sentence("{name} is {new}", "{old}", "x", "{detail}") == '"{old}" is "{detail}"'
