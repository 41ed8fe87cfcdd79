"""`make test-near` runs the tests near the changed files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from grimp import ImportGraph
from tests import near
from tests.choice import DEFAULT
from tests.near import HOUSE, READERS, expand_folders, find_changed_files, load_graph

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def graph() -> ImportGraph:
    return load_graph()


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        # A test file runs, with the tests that import it.
        ("tests/cli/test_bump.py", "tests/cli/test_bump.py"),
        ("tests/tui/test_targets.py", "tests/tui/test_states.py tests/tui/test_targets.py"),
        # A support module of the tests: the tests that import it, also through other modules.
        ("tests/oracles/loaders.py", "tests/conformance/test_loaders.py"),
        ("tests/dryrun/truth/score.py", "tests/dryrun/truth/test_truth.py"),
        ("tests/session/kept_runs.py", "tests/tui/preview …"),
        ("tests/near.py", "tests/house/test_near.py"),
        # A conftest.py: its folder, and the tests elsewhere that import it.
        ("tests/examples/conftest.py", "tests/examples"),
        ("tests/tui/run/conftest.py", "tests/tui/run tests/tui/test_states.py …"),
        ("tests/conftest.py", HOUSE),
        # Any other file of the tests: the nearest folder with tests.
        ("tests/interface/matrix.txt", "tests/interface"),
        ("tests/scaffold/new/folders/typer/greet.py", "tests/scaffold/new"),
        ("tests/manifest/outside/jobfile/schema.json", "tests/manifest/outside"),
        # A module: the tests that import it, and those of the same name in its place.
        ("src/skillstudio/cli/bump.py", "tests/cli/test_bump.py"),
        (
            "src/skillstudio/cli/check.py",
            "tests/cli/test_check.py tests/cli/test_check_options.py …",
        ),
        (
            "src/skillstudio/text/reading/yaml.py",
            "tests/text/editing/test_yaml.py tests/text/reading/test_yaml.py "
            "tests/text/reading/test_yaml_lines.py",
        ),
        ("src/skillstudio/tui/widgets/compare/diff.py", "tests/tui/compare/test_diff.py"),
        # A module that no test imports: the tests of the modules that import it.
        ("src/skillstudio/tui/widgets/rows.py", "tests/tui/test_dialogs.py …"),
        # A module that no test is near to, and data: the tests of the room.
        ("src/skillstudio/cli/waive.py", "tests/cli"),
        ("src/skillstudio/manifest/caro/rules.toml", "tests/manifest"),
        ("src/skillstudio/web/page.html", "tests/web"),
        ("src/skillstudio/py.typed", HOUSE),
        # A deleted file: the tests of its room; a deleted test runs nothing.
        ("src/skillstudio/text/deleted.py", "tests/text"),
        ("tests/text/reading/deleted.py", "tests/text/reading"),
        ("tests/text/test_deleted.py", ""),
        # Other files: the tests that read them, by default tests/house.
        ("themes/nord.yaml", "tests/session/test_themes.py tests/tui/test_themes.py"),
        ("templates/recipe/template.toml", "tests/scaffold/new …"),
        ("examples/greeter/SKILL.md", "tests/examples …"),
        ("screenshots/draw/svg.py", "tests/journeys/test_screenshots.py"),
        ("editors/vscode/package.json", "tests/editors"),
        (".github/workflows/ci.yml", "tests/editors/test_ci.py"),
        ("docs/workflows/check.yml", "tests/editors/test_ci.py"),
        ("docs/rules.md", "tests/house tests/settings/test_schema.py"),
        ("pyproject.toml", HOUSE),
        # Several files: every test once, and no test of a folder that runs.
        ("CONTRIBUTING.md tests/near.py", HOUSE),
        ("tests/cli/test_bump.py src/skillstudio/cli/bump.py", "tests/cli/test_bump.py"),
    ],
)
def test_changed_files_lead_to_the_tests_near_them(
    graph: ImportGraph, changed: str, tests: str
) -> None:
    """`…` stands for further tests."""
    paths = near.tests_near(changed.split(), graph)
    expected = [path for path in tests.split() if path != "…"]
    assert [path for path in paths if path in expected] == sorted(expected)
    assert (len(paths) > len(expected)) == tests.endswith("…"), paths


def test_folders_are_counted_as_the_files_in_them(graph: ImportGraph) -> None:
    files = expand_folders(["tests/examples", "tests/house/test_near.py"], graph)
    examples = (ROOT / "tests/examples").rglob("test_*.py")
    expected = sorted(str(path.relative_to(ROOT)) for path in examples)
    assert files == [*expected, "tests/house/test_near.py"]


def test_every_module_leads_to_tests_that_exist(graph: ImportGraph) -> None:
    paths = {path for _, tests in READERS for path in tests}
    for module in (ROOT / "src").rglob("*.py"):
        tests = near.tests_near([str(module.relative_to(ROOT))], graph)
        assert tests, module
        paths.update(tests)
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    ("changed", "pytest_status", "status", "message"),
    [
        ([], None, 0, "no file differs from HEAD"),
        (["tests/text/test_deleted.py"], None, 0, "1 changed file leads to 0 test files"),
        (["tests/near.py", "tests/cli/test_bump.py"], 0, 0, "2 changed files lead to 2 test files"),
        (["tests/near.py"], 1, 1, "1 changed file leads to 1 test file"),
        (["tests/near.py"], 5, 0, "all of them are slow or deselected"),
        (["tests/conftest.py"], 0, 0, "tests/conftest.py concerns every test"),
    ],
)
def test_the_status_is_that_of_pytest(
    graph: ImportGraph,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    changed: list[str],
    pytest_status: int | None,
    status: int,
    message: str,
) -> None:
    def run(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        assert pytest_status is not None, "pytest is not started"
        assert command[1:6] == ["-m", "pytest", "-m", DEFAULT, "-x"]
        return subprocess.CompletedProcess(command, pytest_status)

    monkeypatch.setattr(near, "find_changed_files", lambda base: changed)
    monkeypatch.setattr(near, "load_graph", lambda: graph)
    monkeypatch.setattr(near.subprocess, "run", run)
    monkeypatch.setattr("sys.argv", ["near", "-x"])
    assert near.main() == status
    assert message in capfd.readouterr().err


def test_changed_untracked_and_deleted_files_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", tmp_path, *identity, *words], check=True, capture_output=True)

    monkeypatch.setattr(near, "ROOT", tmp_path)
    git("init")
    files = {".gitignore": "ignored\n", "changed": "", "deleted": "", "same": ""}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    git("add", ".")
    git("commit", "-m", "first")
    assert find_changed_files("HEAD") == []
    for name in ("changed", "ignored", "new é"):
        (tmp_path / name).write_text("text")
    (tmp_path / "deleted").unlink()
    assert find_changed_files("HEAD") == ["changed", "deleted", "new é"]
    git("add", ".")
    git("commit", "-m", "second")
    assert find_changed_files("HEAD") == []
    assert find_changed_files("HEAD~1") == ["changed", "deleted", "new é"]
    with pytest.raises(SystemExit, match="none"):
        find_changed_files("none")
