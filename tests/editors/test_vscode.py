"""The VS Code extension: its manifest agrees with the server, and its own tests pass."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from skillstudio import __version__
from skillstudio.cli.main import main
from skillstudio.cli.verbs import all_verbs
from skillstudio.lsp import lenses
from skillstudio.lsp.serve import make_server
from skillstudio.manifest.registry import carriers

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text())
SOURCE = (EXTENSION / "src" / "extension.ts").read_text()
JOBS = (EXTENSION / "src" / "jobs.ts").read_text()
CLIENT = (EXTENSION / "src" / "client.ts").read_text()
COMMAND = (EXTENSION / "src" / "command.ts").read_text()


def test_the_manifest_has_the_version_of_the_package() -> None:
    assert MANIFEST["version"] == __version__
    lock = json.loads((EXTENSION / "package-lock.json").read_text())
    assert lock["version"] == __version__


def test_the_commands_are_those_of_the_extension_and_none_of_the_server() -> None:
    own = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    assert own == set(re.findall(r'registerCommand\("([^"]+)"', SOURCE))
    # The client registers the server's commands, and VS Code rejects a second registration.
    theirs = set(make_server().protocol.fm.commands)
    assert theirs == {lenses.COMPARE, lenses.DRY_RUN, lenses.TARGETS}
    assert not own & theirs
    assert f'DRY_RUN = "{lenses.DRY_RUN}"' in JOBS
    assert f'COMPARE = "{lenses.COMPARE}"' in JOBS


def test_the_settings_are_those_that_the_extension_reads() -> None:
    settings = MANIFEST["contributes"]["configuration"]["properties"]
    (section,) = set(re.findall(r'getConfiguration\("(\w+)"\)', SOURCE))
    read = {
        f"{section}.{name}" for name in re.findall(r'settings\.get<unknown>\("(\w+)"\)', SOURCE)
    }
    assert set(settings) == read
    # A workspace that is not trusted must not choose the program.
    limits = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert (limits["supported"], set(limits["restrictedConfigurations"])) == ("limited", read)


def test_the_package_that_uvx_installs_has_the_extra() -> None:
    (extra,) = re.findall(r'PACKAGE = "skillstudio\[(\w+)\]"', COMMAND)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert extra in project["optional-dependencies"]


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((EXTENSION / "package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_the_problem_matcher_and_the_task_are_those_of_the_extension() -> None:
    contributes = MANIFEST["contributes"]
    (matcher,) = contributes["problemMatchers"]
    assert f'"${matcher["name"]}"' in JOBS
    # With another owner, a problem of an open file would be listed twice.
    assert f'diagnosticCollectionName: "{matcher["owner"]}"' in CLIENT
    (task,) = contributes["taskDefinitions"]
    assert f'TASK_TYPE = "{task["type"]}"' in JOBS
    assert set(task["properties"]["command"]["enum"]) <= set(all_verbs())


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("run", {"--require-isolation", "--no-pager", "--input"}),
        ("preview", {"--no-pager", "--input"}),
        ("diff", {"--no-pager"}),
        ("check", {"--no-pager"}),
        ("show", {"--all", "--format"}),
        ("new", {"--list", "--format"}),
    ],
)
def test_the_options_of_the_jobs_exist(
    verb: str, options: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["help", verb])
    text = capsys.readouterr().out
    for option in options:
        assert f'"{option}"' in JOBS
        assert re.search(rf"^  (-\w, )?{option}\b", text, re.MULTILINE)


def test_the_manifests_are_those_of_the_dialects() -> None:
    (names,) = re.findall(r"MANIFESTS = (\[.*\])", JOBS)
    assert tuple(json.loads(names)) == carriers()


class Extension:
    """A copy of the extension with the packages of its lock file."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "editors" / "vscode"
        built = shutil.ignore_patterns("node_modules", "dist", "out")
        shutil.copytree(EXTENSION, self.folder, ignore=built)
        shutil.copy(ROOT / "LICENSE", place)
        shutil.copytree(ROOT / "examples" / "memory", place / "examples" / "memory")
        completed = self.npm("ci")
        errors = r"E(?:NOTFOUND|CONNREFUSED|TIMEDOUT|AI_AGAIN)"
        if completed.returncode and re.search(errors, completed.stderr):
            pytest.skip("the packages of the extension cannot be downloaded")
        assert completed.returncode == 0, completed.stderr

    def npm(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = ["npm", *words, "--no-audit", "--no-fund", "--no-update-notifier"]
        server = json.dumps([sys.executable, "-m", "skillstudio"])
        environment = os.environ | {"SKILLSTUDIO_COMMAND": server} | variables
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )


needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")


@pytest.mark.slow
@needs_npm
def test_it_compiles_passes_its_tests_and_makes_a_package(tmp_path: Path) -> None:
    extension = Extension(tmp_path)
    for script in ("check", "test", "package"):
        completed = extension.npm("run", script)
        assert completed.returncode == 0, completed.stdout + completed.stderr
        if script == "test":
            assert "# skipped 0" in completed.stdout
            assert "# fail 0" in completed.stdout
    package = extension.folder / "dist" / "skillstudio.vsix"
    assert package.stat().st_size > 50_000
    steps = MANIFEST["contributes"]["walkthroughs"][0]["steps"]
    with zipfile.ZipFile(package) as archive:
        assert {f"extension/{step['media']['markdown']}" for step in steps} <= set(
            archive.namelist()
        )


@pytest.mark.slow
@needs_npm
def test_it_works_in_a_real_vscode(tmp_path: Path) -> None:
    code_server, chromium = shutil.which("code-server"), shutil.which("chromium")
    if code_server is None or chromium is None:
        pytest.skip("code-server or chromium is not on the PATH")
    completed = Extension(tmp_path).npm(
        "run", "test:real", CODE_SERVER=code_server, CHROMIUM=chromium
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert "- a server that ends" in completed.stdout
