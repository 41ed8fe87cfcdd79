"""The guard before everything that is written to be committed: samples, expectations, recorded
responses. What looks like a credential is refused, what may be a password needs an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from skillstudio.dryrun.redaction.suspects import MOST, mask_suspects
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.text.lazy_pattern import lazy_pattern

_PASSWORD = lazy_pattern(
    r"(?i)(?:pass(?:wor[dt]|wd|phrase)|secret|token|api[_-]?key|credentials?)[\w.-]*[\"']?\s*[:=]"
    r"\s*[\"']?[^\s\"'$<{%]"
)
"""A name that is usual for a secret, and a value that is no placeholder."""


def credential_lines(text: str, previous_text: str = "") -> tuple[int, ...]:
    """The lines that show what looks like a credential, from 1, but for the lines of
    `previous_text`."""
    return _lines(text, previous_text, looks_like_secret)


def password_lines(text: str, previous_text: str = "") -> tuple[int, ...]:
    """The lines that may show a password, although its form is that of any text."""
    return _lines(text, previous_text, lambda line: _PASSWORD.search(line) is not None)


def refusal(text: str, previous_text: str = "") -> str:
    """Why a text must not be committed, as the end of a sentence; "" when it may be. Lines of
    `previous_text`, the text before, were committed already."""
    lines = credential_lines(text, previous_text)
    if not lines:
        return ""
    excerpt = mask_suspects(text.split("\n")[lines[0] - 1].strip())
    return (
        f"would contain what looks like a credential in line {lines[0]}: {excerpt}; what is "
        "committed never contains sensitive values"
    )


def _lines(text: str, previous_text: str, is_one: Callable[[str], bool]) -> tuple[int, ...]:
    before = set(previous_text.split("\n"))

    def numbers() -> Iterator[int]:
        for number, line in enumerate(text.split("\n"), 1):
            if line not in before and is_one(line):
                yield number

    return tuple(islice(numbers(), MOST))
