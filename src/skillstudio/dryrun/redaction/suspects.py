"""What nobody marked as sensitive and looks like a credential all the same."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from skillstudio.dryrun.report import RunReport
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.secrets import looks_like_secret

MOST = 20
"""How many places are told; a dump of keys needs no list."""
MAX_READ = 1 << 20
"""Bytes of one file or stream that are looked at, the first ones."""
_FILES = 100
_PIECE = 1 << 16
_WORD = re.compile(r"""[^\s"'`,;<>()\[\]{}]+""")
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_UNFOLLOWED = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


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


def holds_suspect(data: bytes) -> bool:
    """Whether a text holds one, as far as it is looked at; what is no text is not looked at."""
    if b"\0" in data[:_PIECE]:
        return False
    return looks_like_secret(data[:MAX_READ].decode("utf-8", "replace"))


def mask_suspects(text: str) -> str:
    """The text without what looks like a credential: for what is kept or leaves this machine."""
    if not looks_like_secret(text):
        return text
    return "\n".join(map(_line, _KEY_BLOCK.sub(SENSITIVE, text).split("\n")))


def mask_suspects_in(value: Any) -> Any:
    """A JSON value without what looks like a credential, in its keys too."""
    if isinstance(value, str):
        return mask_suspects(value)
    if isinstance(value, dict):
        return {mask_suspects(key): mask_suspects_in(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [mask_suspects_in(each) for each in value]
    return value


def flag(report: RunReport, folder: str, files: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Where a run shows what looks like a credential, a place each, never with what stands there.

    `folder` holds what was printed; `files` are those that were written, as they are told and
    where they lie.
    """
    found: list[str] = []
    for place in _places(report, folder, files):
        found.append(place)
        if len(found) == MOST:
            break
    return tuple(found)


def _places(report: RunReport, folder: str, files: Iterable[tuple[str, str]]) -> Iterator[str]:
    plan = report.plan
    yield from (f"the input {name}" for name, value in plan.inputs.items() if _holds(value))
    for step in plan.steps:
        named = f" of the step {step.name}" if step.name else ""
        for number, word in enumerate(step.argv):
            if number and looks_like_secret(word):
                yield f"argument {number}{named}"
    for stream, title in (("stdout", "standard output"), ("stderr", "standard error")):
        yield from (f"{title}, {where}" for where in _in_file(os.path.join(folder, stream)))
    for number, (told, path) in enumerate(files):
        if number == _FILES:
            return
        name = mask_suspects(told)
        if name != told:
            yield f"the name of a file, {name}"
        yield from (f"{name}, {where}" for where in _in_file(path))
    for effect in report.effects:
        if any(looks_like_secret(line) for line in effect.evidence):
            yield f"what shows the effect {effect.effect}"


def _holds(value: Any) -> bool:
    return bool(mask_suspects_in(value) != value)


def _in_file(path: str) -> Iterator[str]:
    try:
        with open(os.open(path, _UNFOLLOWED), "rb") as file:
            data = file.read(MAX_READ)
    except OSError:
        # Gone, a link or not to be read: its name is all that there is.
        return
    if holds_suspect(data):
        text = data.decode("utf-8", "replace")
        yield from (f"line {each.line}" for each in suspects(text))


def _line(line: str) -> str:
    if not looks_like_secret(line):
        return line
    return _WORD.sub(
        lambda word: SENSITIVE if looks_like_secret(word.group()) else word.group(), line
    )
