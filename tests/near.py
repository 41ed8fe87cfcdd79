"""Run the tests near the changed files: python -m tests.near [--base REV] [--list] [options]

The options are pytest's. A file that git neither tracks nor ignores counts as changed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from grimp import ImportGraph, build_graph
from tests.choice import DEFAULT

ROOT = Path(__file__).parents[1]
HOUSE = "tests/house"
READERS = (
    ("themes/", ("tests/session/test_themes.py", "tests/tui/test_themes.py")),
    ("templates/", ("tests/scaffold/new", "tests/examples/test_examples_are_clean.py")),
    ("examples/", ("tests/examples", "tests/manifest/explained", "tests/manifest/test_project.py")),
    ("screenshots/", ("tests/journeys/test_screenshots.py",)),
    ("editors/", ("tests/editors",)),
    (".ci/", ("tests/editors/test_ci.py",)),
    (".github/", ("tests/editors/test_ci.py",)),
    (".pre-commit-hooks.yaml", ("tests/journeys/test_pre_commit.py",)),
    ("action.yml", ("tests/editors/test_ci.py",)),
    ("ci/", ("tests/editors/test_ci.py",)),
    ("docs/workflows/", ("tests/editors/test_ci.py",)),
    ("docs/", (HOUSE, "tests/settings/test_schema.py")),
    ("README.md", (HOUSE, "tests/settings/test_schema.py")),
    ("benchmarks/", ("tests/cli/test_giants.py", "tests/journeys/test_parallel_saves.py")),
    ("", (HOUSE,)),
)
"""Tests that read files outside src and tests, by the start of the path; the first match counts."""
NO_TESTS_COLLECTED = 5


def load_graph() -> ImportGraph:
    """Read the imports of the sources and the tests, those inside functions included."""
    return build_graph("skillstudio", "tests", cache_dir=None)


def tests_near(changed: Iterable[str], graph: ImportGraph) -> list[str]:
    """Return the test files and folders near changed files, sorted; none is inside another.

    Paths are relative to the root of the repository. A file that the graph lacks was deleted.
    """
    paths = {path for file in changed for path in _near_file(PurePosixPath(file), graph)}
    return sorted(path for path in paths if paths.isdisjoint(map(str, PurePosixPath(path).parents)))


def expand_folders(paths: Iterable[str], graph: ImportGraph) -> list[str]:
    """Return the test files that the paths name or contain."""
    files = list(map(_path_of, filter(_is_test, graph.modules)))
    return sorted({file for path in paths for file in files if f"{file}/".startswith(f"{path}/")})


def _near_file(path: PurePosixPath, graph: ImportGraph) -> set[str]:
    if path.parts[0] == "tests":
        return _near_test_code(path, graph)
    if path.parts[:2] == ("src", "skillstudio"):
        return _near_source(path, graph)
    return set(next(tests for start, tests in READERS if str(path).startswith(start)))


def _near_test_code(path: PurePosixPath, graph: ImportGraph) -> set[str]:
    module = _module_of(path)
    if str(path) == "tests/conftest.py":
        return {HOUSE}
    if path.suffix != ".py" or (module not in graph.modules and not _is_test(module)):
        return {_nearest_folder(path, graph)}
    if module not in graph.modules:
        return set()
    if _is_test(module):
        return {str(path), *_users(module, graph)}
    if path.name == "conftest.py":
        return {str(path.parent), *_users(module, graph)}
    return set(_users(module, graph)) or {_nearest_folder(path, graph)}


def _users(module: str, graph: ImportGraph) -> Iterator[str]:
    """Yield the tests that import a module of the tests, directly or through support modules."""
    known_modules = {module, "tests.conftest"}
    pending = [module]
    while pending:
        for importer in graph.find_modules_that_directly_import(pending.pop()) - known_modules:
            known_modules.add(importer)
            if _is_test(importer):
                yield _path_of(importer)
                continue
            pending.append(importer)
            if importer.endswith(".conftest"):
                yield str(PurePosixPath(_path_of(importer)).parent)


def _near_source(path: PurePosixPath, graph: ImportGraph) -> set[str]:
    module = _module_of(PurePosixPath(*path.parts[1:]))
    if path.suffix == ".py" and module in graph.modules:
        importers = graph.find_modules_that_directly_import(module)
        tests = _tests_of(module, graph) or {
            test
            for importer in importers
            if importer.startswith("skillstudio.")
            for test in _tests_of(importer, graph)
        }
        if tests:
            return tests
    return {_nearest_folder(PurePosixPath("tests", *path.parts[2:4]), graph)}


def _tests_of(module: str, graph: ImportGraph) -> set[str]:
    """Return the tests that import a module of src, and those of the same name in its place."""
    *folders, name = module.split(".")
    place = ".".join(["tests", *(folder for folder in folders[1:] if folder != "widgets")])
    start = f"{place}.test_{name}"
    namesakes = {
        test
        for test in graph.modules
        if test.startswith(start) and (test == start or test[len(start)] == "_")
    }
    importers = graph.find_modules_that_directly_import(module)
    return {_path_of(test) for test in importers | namesakes if _is_test(test)}


def _nearest_folder(path: PurePosixPath, graph: ImportGraph) -> str:
    """Return the nearest folder above a path that has tests; tests/house for tests/ itself."""
    tests = list(map(_path_of, filter(_is_test, graph.modules)))
    for folder in path.parents:
        if len(folder.parts) > 1 and any(test.startswith(f"{folder}/") for test in tests):
            return str(folder)
    return HOUSE


def _is_test(module: str) -> bool:
    return module.startswith("tests.") and module.rpartition(".")[2].startswith("test_")


def _module_of(path: PurePosixPath) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _path_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def find_changed_files(base: str) -> list[str]:
    """Return the files that differ from a revision, and those git does not track."""
    commands = (
        ("diff", "--name-only", "--no-renames", "-z", base, "--"),
        ("ls-files", "--others", "--exclude-standard", "-z"),
    )
    files: set[str] = set()
    for command in commands:
        result = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
        if result.returncode:
            sys.exit(result.stderr.strip())
        files.update(filter(None, result.stdout.split("\0")))
    return sorted(files)


def main() -> int:
    """Run the tests, or list them; return pytest's exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.near",
        description="Run the tests near the changed files. Further options are passed to pytest.",
        allow_abbrev=False,
    )
    parser.add_argument("--base", default="HEAD", help="compare with this revision, not HEAD")
    parser.add_argument("--list", action="store_true", help="print the tests, run none")
    options, pytest_options = parser.parse_known_args()
    changed = find_changed_files(options.base)
    if not changed:
        return _report(f"no file differs from {options.base}; no tests to run")
    graph = load_graph()
    paths = tests_near(changed, graph)
    files = expand_folders(paths, graph)
    _report(
        f"{_count(len(changed), 'changed file')} {'leads' if len(changed) == 1 else 'lead'} to "
        f"{_count(len(files), 'test file')}"
    )
    if "tests/conftest.py" in changed:
        _report("tests/conftest.py concerns every test: run make test, too")
    if options.list:
        print(*paths, sep="\n")
        return 0
    if not paths:
        return 0
    command = [sys.executable, "-m", "pytest", "-m", DEFAULT, *pytest_options, *paths]
    status = subprocess.run(command, cwd=ROOT).returncode
    if status == NO_TESTS_COLLECTED:
        return _report("no tests to run: all of them are slow or deselected")
    return status


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _report(line: str) -> int:
    print(f"test-near: {line}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
