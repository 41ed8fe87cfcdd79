"""Which cases are run where: the marks `slow` and `ci`, and the processor time of the others."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
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
"""What a case that is neither slow nor in `choice.toml` may take, in processor seconds of a machine
that sums a million numbers in `USUAL_SECONDS`. It should take 0.3; a busy machine needs up to three
times as many for the same work."""
USUAL_SECONDS = 0.033
"""The processor time of the reference work on a usual machine: CPython 3.11 at 3 GHz."""
MOST_COSTLY = 40
"""How many cases above 0.3 processor seconds `make test` runs all the same."""


class Choice(NamedTuple):
    """The lists of `choice.toml`: ids of cases, tests or files, with the reason of each."""

    costly: dict[str, str]
    """Slow cases that `make test` runs all the same."""
    ci: dict[str, str]
    """Slow cases that `.ci/run` runs, too."""

    @classmethod
    def load(cls, path: Path) -> Choice:
        lists = tomllib.loads(path.read_text(encoding="utf-8"))
        return cls(lists["costly"], lists["ci"])

    def mark(self, items: Sequence[pytest.Item]) -> list[str]:
        """Mark the cases of `slow_cases` and of both lists; return ids that name no slow case."""
        unused = {*self.costly, *self.ci}
        for item in items:
            test, _, case = item.nodeid.partition("[")
            for mark in item.iter_markers("slow_cases"):
                unused |= {f"{test}[{name}]" for name in mark.args} - {item.nodeid}
                if case.removesuffix("]") in mark.args:
                    item.add_marker(pytest.mark.slow)
        for item in items:
            if item.get_closest_marker("slow"):
                test = item.nodeid.partition("[")[0]
                names = {item.nodeid, test, test.partition("::")[0]}
                unused -= names
                if names & self.costly.keys():
                    item.add_marker(pytest.mark.costly)
                elif names & self.ci.keys():
                    item.add_marker(pytest.mark.ci)
        return sorted(unused)


def complain_about_cost(
    item: pytest.Item, seconds: float, slowness: Callable[[], float] | None = None
) -> str | None:
    """Return what is wrong with the processor time of a case; None if nothing is. `slowness` is
    only measured for a case that takes long, because it takes a tenth of a second."""
    if seconds <= MOST_SECONDS or item.get_closest_marker("slow"):
        return None
    seconds /= (slowness or measure_slowness)()
    if seconds <= MOST_SECONDS:
        return None
    return (
        f"{item.nodeid} took {seconds:.1f} processor seconds, more than {MOST_SECONDS}: make it "
        "cheaper, mark it slow, or list it in tests/choice.toml with what only it would notice"
    )


def measure_slowness() -> float:
    """How many times as long as a usual machine this one takes for the same work now, at least 1:
    a virtual machine may be slowed down at any time."""

    def work() -> float:
        begin = processor_seconds()
        sum(number for number in range(1_000_000))
        return processor_seconds() - begin

    # The others of the machine come and go: what slowed down the case may be away for a moment.
    return max(1.0, max(work() for _ in range(3)) / USUAL_SECONDS)


def is_whole_suite(config: pytest.Config) -> bool:
    """Whether all tests were collected: no file or folder and no earlier failure selects some."""
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.lf


def processor_seconds() -> float:
    """The processor time of this process and of the children that it waited for."""
    if resource is None:  # pragma: no cover - Windows
        return 0.0
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
