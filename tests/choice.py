"""Which cases are run where: the marks `slow` and `ci`, and the processor time of the others."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]

DEFAULT = "not slow or costly"
"""The expression of marks that `make test` selects."""
MOST_SECONDS = 1.5
"""What a case that is neither slow nor in `choice.toml` may take, in processor seconds. It should
take 0.3; a busy machine needs up to three times as many for the same work."""
MOST_COSTLY = 40
"""How many cases above 0.3 processor seconds `make test` runs all the same."""


class Choice(NamedTuple):
    """The lists of `choice.toml`: ids of cases, with the reason of each."""

    costly: dict[str, str]
    """Slow cases that `make test` runs all the same."""
    ci: dict[str, str]
    """Slow cases that `.ci/run` runs, too."""

    @classmethod
    def load(cls, path: Path) -> Choice:
        lists = tomllib.loads(path.read_text(encoding="utf-8"))
        return cls(lists["costly"], lists["ci"])

    def mark(self, items: Iterable[pytest.Item]) -> list[str]:
        """Mark the cases of `slow_cases` and of both lists; return ids that name no case."""
        named: set[str] = set()
        slow: dict[str, pytest.Item] = {}
        for item in items:
            test, _, case = item.nodeid.partition("[")
            for mark in item.iter_markers("slow_cases"):
                named |= {f"{test}[{name}]" for name in mark.args}
                if case.removesuffix("]") in mark.args:
                    item.add_marker(pytest.mark.slow)
            if item.get_closest_marker("slow"):
                slow[item.nodeid] = item
        for names, mark in ((self.costly, pytest.mark.costly), (self.ci, pytest.mark.ci)):
            named |= names.keys()
            for name in names.keys() & slow.keys():
                slow[name].add_marker(mark)
        return sorted(named - slow.keys())


def is_whole_suite(config: pytest.Config) -> bool:
    """Whether all tests were collected: no file, folder or expression selects some."""
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.keyword


def processor_seconds() -> float:
    """The processor time of this process and of the children that it waited for."""
    if resource is None:  # pragma: no cover - Windows
        return 0.0
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
