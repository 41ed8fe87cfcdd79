"""SPDX license expressions of the ids in the packaged list, such as `Apache-2.0 OR MIT`."""

from __future__ import annotations

import os
import re
from functools import cache

from skillstudio.text.nearest import nearest

_TOKEN = re.compile(r"\s*([()]|[^\s()]+)")
_REFERENCE = re.compile(
    r"(?:DocumentRef-[A-Za-z0-9.\-]+:)?(?:LicenseRef|AdditionRef)-[A-Za-z0-9.\-]+"
)
_MAX_TOKENS = 200


class LicenceFault(ValueError):
    """The problem of an expression. `instead` is the probably intended id, or empty."""

    def __init__(self, message: str, instead: str = "") -> None:
        super().__init__(message)
        self.instead = instead


def check_expression(text: str) -> None:
    """Raise LicenceFault unless the text is an expression of known licenses."""
    tokens = _TOKEN.findall(text)
    if not tokens:
        raise LicenceFault("the license must not be empty")
    if len(tokens) > _MAX_TOKENS:
        raise LicenceFault("this license expression is too long")
    if _expression(tokens, 0) < len(tokens):
        raise LicenceFault("not a valid SPDX expression; join licenses with AND, OR or WITH")


def _expression(tokens: list[str], at: int) -> int:
    """Read operands joined by operators; return the index of the next token."""
    at = _operand(tokens, at)
    while at < len(tokens) and tokens[at].upper() in ("AND", "OR"):
        at = _operand(tokens, at + 1)
    return at


def _operand(tokens: list[str], at: int) -> int:
    if at == len(tokens):
        raise LicenceFault("this license expression is incomplete")
    if tokens[at] == "(":
        end = _expression(tokens, at + 1)
        if tokens[end : end + 1] != [")"]:
            raise LicenceFault("unclosed parenthesis in the license expression")
        return end + 1
    licences, exceptions = _ids()
    _known(tokens[at].removesuffix("+"), licences, "license")
    if tokens[at + 1 : at + 2] and tokens[at + 1].upper() == "WITH":
        if at + 2 == len(tokens):
            raise LicenceFault("expected an exception after WITH")
        _known(tokens[at + 2], exceptions, "license exception")
        return at + 3
    return at + 1


def _known(id: str, known: dict[str, str], what: str) -> None:
    if id.lower() in known or _REFERENCE.fullmatch(id):
        return
    near = known.get(nearest(id.lower(), known) or "", "")
    advice = f"; did you mean {near}?" if near else ""
    raise LicenceFault(f"{id} is not a {what} of the SPDX list{advice}", near)


@cache
def _ids() -> tuple[dict[str, str], dict[str, str]]:
    """Licenses and exceptions, each by its lowercase id: SPDX ids are case-insensitive."""
    with open(os.path.join(os.path.dirname(__file__), "licences.txt"), encoding="utf-8") as file:
        lines = [line.strip() for line in file if not line.startswith("#")]
    middle = lines.index("exceptions:")
    licences, exceptions = lines[:middle], lines[middle + 1 :]
    return {id.lower(): id for id in licences}, {id.lower(): id for id in exceptions}
