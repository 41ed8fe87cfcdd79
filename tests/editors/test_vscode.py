"""The VS Code extension: its manifest agrees with the server, and its own tests pass."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from skillstudio import __version__
from skillstudio.lsp import lenses
from skillstudio.lsp.serve import make_server

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text())
SOURCE = (EXTENSION / "src" / "extension.ts").read_text()
JOBS = (EXTENSION / "src" / "jobs.ts").read_text()
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
    assert theirs >= {lenses.DRY_RUN, lenses.TARGETS}
    assert not own & theirs
    assert f'DRY_RUN = "{lenses.DRY_RUN}"' in JOBS


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


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_it_compiles_passes_its_tests_and_makes_a_package(tmp_path: Path) -> None:
    folder = tmp_path / "editors" / "vscode"
    built = shutil.ignore_patterns("node_modules", "dist", "out")
    shutil.copytree(EXTENSION, folder, ignore=built)
    shutil.copy(ROOT / "LICENSE", tmp_path)
    shutil.copytree(ROOT / "examples" / "memory", tmp_path / "examples" / "memory")
    server = json.dumps([sys.executable, "-m", "skillstudio"])
    environment = os.environ | {"SKILLSTUDIO_COMMAND": server}

    def npm(*words: str) -> subprocess.CompletedProcess[str]:
        command = ["npm", *words, "--no-audit", "--no-fund", "--no-update-notifier"]
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    done = npm("ci")
    if done.returncode and re.search(r"E(?:NOTFOUND|CONNREFUSED|TIMEDOUT|AI_AGAIN)", done.stderr):
        pytest.skip("the packages of the extension cannot be downloaded")
    assert done.returncode == 0, done.stderr
    for script in ("check", "test", "package"):
        done = npm("run", script)
        assert done.returncode == 0, done.stdout + done.stderr
        if script == "test":
            assert "# skipped 0" in done.stdout
            assert "# fail 0" in done.stdout
    assert (folder / "dist" / "skillstudio.vsix").stat().st_size > 50_000
