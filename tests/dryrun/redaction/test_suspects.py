"""Credentials that nobody marked are seen, and told without being repeated."""

from __future__ import annotations

import pytest

from skillstudio.dryrun.redaction.suspects import MOST, mask_suspects, suspects
from skillstudio.interface.wording import SENSITIVE

TOKEN = "ghp_" + "Zk3" * 12
RANDOM = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8v"

TEXTS: list[tuple[str, list[tuple[int, int]], str]] = [
    ("nothing to see\nhere", [], "nothing to see\nhere"),
    (f"token: {TOKEN}\n", [(1, 8)], f"token: {SENSITIVE}\n"),
    (f'one\n{{"key": "{RANDOM}"}}', [(2, 10)], f'one\n{{"key": "{SENSITIVE}"}}'),
    ("sha256 " + "0123456789abcdef" * 4, [], "sha256 " + "0123456789abcdef" * 4),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest",
        [(1, 1)],
        f"{SENSITIVE}\nrest",
    ),
]


@pytest.mark.parametrize(("text", "places", "masked"), TEXTS)
def test_a_credential_is_told_by_its_place(
    text: str, places: list[tuple[int, int]], masked: str
) -> None:
    assert list(suspects(text)) == places
    assert mask_suspects(text) == masked


def test_a_dump_of_keys_is_told_by_its_first_ones() -> None:
    assert len(suspects("\n".join([TOKEN] * 100))) == MOST
