"""Find the dialects of other distributions, and contain their errors.

Their code is trusted as that of any installed plugin. Entry points are read from their files,
because importing `importlib.metadata` takes longer than reading all dialects.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from types import ModuleType

GROUP = "skillstudio.dialects"
_STANDARD_LIBRARY = os.path.dirname(os.__file__)


class EntryPoint(NamedTuple):
    """A package of the group, and the distribution that provides it."""

    package: str
    distribution: str


class DialectFailed(Exception):
    """An installed dialect does not work: a sentence with the reason and the fix."""


def entry_points() -> list[EntryPoint]:
    """The entry points of the group, sorted, without those in the working directory."""
    points: dict[str, EntryPoint] = {}
    # `python -m` puts the working directory on the path, as it is or as an empty string.
    passed_over = {"", os.curdir, _STANDARD_LIBRARY}
    with suppress(OSError):
        passed_over.add(os.getcwd())
    for folder in dict.fromkeys(sys.path):
        if folder in passed_over:
            continue
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                for entry_point in _entry_points(
                    os.path.join(folder, name, "entry_points.txt"), name
                ):
                    points.setdefault(entry_point.package, entry_point)
    return [points[package] for package in sorted(points)]


def _entry_points(path: str, metadata: str) -> Iterator[EntryPoint]:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return
    if GROUP.encode() not in data:
        return
    inside = False
    for line in data.decode("utf-8", "replace").splitlines():
        name, equals, package = line.partition("#")[0].strip().partition("=")
        if name.startswith("["):
            inside = name == f"[{GROUP}]"
        elif inside and equals:
            yield EntryPoint(package.strip(), metadata.partition("-")[0])


def folder_of(package: str) -> str:
    """The folder of a package, without running it. Raises ValueError if there is none."""
    from importlib.util import find_spec

    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders or not os.path.isfile(os.path.join(folders[0], "dialect.json")):
        raise ValueError(f"there is no package {package} with a dialect.json")
    return os.path.abspath(folders[0])


def table_fault(file: str, value: Any) -> str:
    """The first error of a dialect's file by its schema in `tables.json`; "" if there is none."""
    import json

    from skillstudio.schema.engine import compile_schema

    with open(os.path.join(os.path.dirname(__file__), "tables.json"), encoding="utf-8") as stream:
        schema = json.load(stream)[file]
    for error in compile_schema(schema).errors(value, most=1):
        pointer = "".join(f"/{key}" for key in error.instance)
        return f"{file}: {pointer}: {error.message}" if pointer else f"{file}: {error.message}"
    return ""


@contextmanager
def attribute_errors(distribution: str, refusals: bool = False) -> Iterator[None]:
    """Raise errors of an installed dialect as DialectFailed; `refusals` lets our own pass."""
    try:
        yield
    except Exception as error:
        is_refusal = refusals and type(error).__module__.startswith("skillstudio.")
        if not distribution or is_refusal:
            raise
        raise DialectFailed(sentence(distribution, error)) from error


def sentence(distribution: str, error: Exception) -> str:
    """The failed package, the reason and the fix."""
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    reason = " ".join(str(error).split())[:300]
    return f"dialect package {distribution} failed: {kind}{reason}; update or uninstall it"


class GuardedModule:
    """A module of an installed dialect whose functions raise nothing but DialectFailed."""

    def __init__(self, module: ModuleType, distribution: str) -> None:
        self._module = module
        self._distribution = distribution

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if not callable(value) or isinstance(value, type):
            return value

        def call(*values: Any, **options: Any) -> Any:
            with attribute_errors(self._distribution, refusals=True):
                result = value(*values, **options)
                return list(result) if isinstance(result, Iterator) else result

        return call
