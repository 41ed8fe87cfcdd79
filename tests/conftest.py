"""What all tests share."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal import charmap
from tests.choice import Choice, complain_about_cost, is_whole_suite, processor_seconds
from tests.commands import Run, running

# The same examples on every machine, however busy it is: no limit in seconds.
# HYPOTHESIS_PROFILE=many is that of make test-all; search tries the examples of --hypothesis-seed.
same = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
many = settings(same, max_examples=300)
settings.register_profile("same", same)
settings.register_profile("many", many)
settings.register_profile("search", many, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

CHOICE = pytest.StashKey[Choice]()
DATA = Path(os.environ.get("SKILLSTUDIO_DATA", Path(__file__).parents[1].parent / "shared"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker a processor: what else is started waits for the worker, not beside it."""
    return os.cpu_count() or 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shard", metavar="K/N", help="run the K-th of N equal parts of the cases")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[CHOICE] = Choice.load(Path(__file__).with_name("choice.toml"))


@pytest.hookimpl(trylast=True)
def pytest_sessionstart() -> None:
    """Make the tables of characters of Hypothesis now, not in the first case that draws a text."""
    charmap.charmap()
    charmap.intervals_from_codec("utf-8")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases that `choice.toml` and `slow_cases` name, before marks select some."""
    unknown = config.stash[CHOICE].mark(items)
    if unknown and is_whole_suite(config):
        raise pytest.UsageError(
            "tests/choice.toml or a mark slow_cases names no slow case: " + ", ".join(unknown)
        )
    if shard := config.getoption("--shard"):
        part, parts = map(int, shard.split("/"))
        others = [item for number, item in enumerate(items) if number % parts != part - 1]
        config.hook.pytest_deselected(items=others)
        items[:] = items[part - 1 :: parts]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a case that takes more processor time than a case of `make test` may."""
    begin = processor_seconds()
    result = yield
    if complaint := complain_about_cost(item, processor_seconds() - begin):
        pytest.fail(complaint, pytrace=False)
    return result


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of tests stay to the end; the collector need not go through them each time, nor
    look as often as Python does by default: a fifth of a workbench test's time went there."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True)
def _nothing_drawn_is_kept() -> Iterator[None]:
    """Textual keeps, in a cache of all widgets, what those of the tests before have drawn."""
    yield
    if drawing := sys.modules.get("textual._styles_cache"):
        drawing.StylesCache.get_inner_outer.cache_clear()


@pytest.fixture(autouse=True, scope="session")
def _stylesheets_are_parsed_once() -> Iterator[None]:
    """Hundreds of workbenches start with the same stylesheets; what comes of parsing them, for
    each set of the theme's variables, is only read."""
    if "textual.css.stylesheet" not in sys.modules:
        yield
        return
    from textual.css.stylesheet import Stylesheet

    parse = Stylesheet.parse
    parsed: dict[frozenset[tuple[str, str]], Any] = {}

    def once(self: Stylesheet) -> None:
        own = self._parse_cache
        self._parse_cache = parsed.setdefault(frozenset(self._variables.items()), {})
        try:
            parse(self)
        finally:
            self._parse_cache = own

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "parse", once)
        yield


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Places for homes: for those that are a test's own, and what tests have left in others."""
    below = tmp_path_factory.mktemp("homes")
    return (below / str(number) for number in count())


@pytest.fixture(scope="session")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home at one place: what an isolation level holds is tried once for each home that
    there is."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _own_folders(
    request: pytest.FixtureRequest,
    _home: Path,
    _homes: Iterator[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Settings, drafts and themes of the person who runs the tests stay out of them.

    A program in a terminal may write in its home when its test is over: the home is its own.
    """
    home = _home
    if "journeys" in request.path.parts:
        home = next(_homes)
        home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CONFIG", "TARGETS", "NO_CACHE", "CACHE_DIR"):
        name = f"SKILLSTUDIO_{name}"
        monkeypatch.delenv(name, raising=False)
    yield
    if os.listdir(_home):
        _home.rename(next(_homes))
        _home.mkdir()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line; the words are its arguments."""
    return running(capsys)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files in which no other test has any; its path is short."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def data() -> Path:
    """The folder with public vectors and real manifests; the test is skipped without it."""
    if not DATA.is_dir():
        pytest.skip(f"no shared data at {DATA}; SKILLSTUDIO_DATA names another place")
    return DATA
