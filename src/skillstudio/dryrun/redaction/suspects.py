"""Find and mask what looks like a credential although nobody marked it as sensitive."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from skillstudio.dryrun.report import RunReport, map_texts
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.text.lazy_pattern import lazy_pattern

MOST = 20  # Places that are reported at most.
MAX_READ = 1 << 20  # Bytes at the start of a file or stream that are searched.
_FILES = 100
_PIECE = 1 << 16
_WORD = lazy_pattern(r"""[^\s"'`,;<>()\[\]{}]+""")
_KEY_BLOCK = lazy_pattern(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


def suspects(text: str) -> list[int]:
    """The lines of the first places, in order, counted from 1."""
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if looks_like_secret(line):
            numbers += [number] * max(sum(map(looks_like_secret, _WORD.findall(line))), 1)
        if len(numbers) >= MOST:
            break
    return numbers[:MOST]


def holds_suspect(data: bytes) -> bool:
    """Whether the start of a text contains one; binary content is not searched."""
    if b"\0" in data[:_PIECE]:
        return False
    return looks_like_secret(data[:MAX_READ].decode("utf-8", "replace"))


def mask_suspects(text: str) -> str:
    """Mask what looks like a credential, in text that is recorded or shared."""
    if not looks_like_secret(text):
        return text
    return "\n".join(map(_line, _KEY_BLOCK.sub(SENSITIVE, text).split("\n")))


def mask_suspects_in(value: Any) -> Any:
    """Mask what looks like a credential in a JSON value, including keys."""
    return map_texts(value, mask_suspects)


def flag(report: RunReport, folder: str, files: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The places that show something like a credential, without repeating it. `folder` contains the
    output; `files` are the written files: display name and path."""
    return tuple(islice(_places(report, folder, files), MOST))


def _places(report: RunReport, folder: str, files: Iterable[tuple[str, str]]) -> Iterator[str]:
    plan = report.plan
    yield from (
        f"the input {name}"
        for name, value in plan.inputs.items()
        if mask_suspects_in(value) != value
    )
    for step in plan.steps:
        suffix = f" of the step {step.name}" if step.name else ""
        for number, word in enumerate(step.argv):
            if number and looks_like_secret(word):
                yield f"argument {number}{suffix}"
    for stream, title in (("stdout", "standard output"), ("stderr", "standard error")):
        yield from (f"{title}, {where}" for where in _in_file(os.path.join(folder, stream)))
    for number, (display_path, path) in enumerate(files):
        if number == _FILES:
            return
        name = mask_suspects(display_path)
        if name != display_path:
            yield f"the name of a file, {name}"
        yield from (f"{name}, {where}" for where in _in_file(path))
    for effect in report.effects:
        if any(looks_like_secret(line) for line in effect.evidence):
            yield f"the evidence of the effect {effect.effect}"


def _in_file(path: str) -> Iterator[str]:
    try:
        with open(os.open(path, _READ_FLAGS), "rb") as file:
            data = file.read(MAX_READ)
    except OSError:
        # Gone, a link or unreadable: there is only its name.
        return
    if holds_suspect(data):
        text = data.decode("utf-8", "replace")
        yield from (f"line {number}" for number in suspects(text))


def _line(line: str) -> str:
    if not looks_like_secret(line):
        return line
    return _WORD.sub(
        lambda word: SENSITIVE if looks_like_secret(word.group()) else word.group(), line
    )
