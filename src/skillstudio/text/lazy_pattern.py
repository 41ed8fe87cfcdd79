"""Regular expressions that are compiled when they are first used.

A command uses few of those in the modules that it loads, and to compile them all takes longer than
many a command.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast

_METHODS = (
    *("findall", "finditer", "flags", "fullmatch", "groupindex", "groups"),
    *("match", "pattern", "search", "split", "sub", "subn"),
)


class LazyPattern(Generic[AnyStr]):
    """Has the methods of a `re.Pattern`, once one of them is looked up."""

    def __init__(self, text: AnyStr, flags: int) -> None:
        self._source: tuple[AnyStr, int] = (text, flags)

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        pattern = re.compile(*self._source)
        # From now on they are found without this method.
        self.__dict__.update({method: getattr(pattern, method) for method in _METHODS})
        return getattr(pattern, name)


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern of which only the methods may be used, not the functions of `re`."""
    return cast("re.Pattern[AnyStr]", LazyPattern(text, flags))
