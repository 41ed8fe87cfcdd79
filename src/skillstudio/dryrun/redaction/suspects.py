"""What nobody marked as sensitive and looks like a credential all the same."""

from __future__ import annotations

import re
from typing import NamedTuple

from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.secrets import looks_like_secret

MOST = 20
"""How many places are told; a dump of keys needs no list."""
_WORD = re.compile(r"""[^\s"'`,;<>()\[\]{}]+""")
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)


class Suspect(NamedTuple):
    """Where something stands that looks like a credential; it is never repeated."""

    line: int
    column: int


def suspects(text: str) -> tuple[Suspect, ...]:
    """The first places, in order, both numbers from 1."""
    found: list[Suspect] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not looks_like_secret(line):
            continue
        columns = [each.start() for each in _WORD.finditer(line) if looks_like_secret(each.group())]
        found += [Suspect(number, column + 1) for column in columns or [0]]
        if len(found) >= MOST:
            break
    return tuple(found[:MOST])


def mask_suspects(text: str) -> str:
    """The text without what looks like a credential: for what leaves this machine."""
    if not looks_like_secret(text):
        return text
    clean = _KEY_BLOCK.sub(SENSITIVE, text)
    return _WORD.sub(
        lambda word: SENSITIVE if looks_like_secret(word.group()) else word.group(), clean
    )
