"""The configurations for editors: they are as the docs show them, and as the editors read them.

Neovim and Emacs use theirs in tests; there is no package of Helix, Zed, Sublime Text or an IDE of
JetBrains to test with, so the keys are compared with those of the editors' documentation and
source: Helix's `helix-core/src/syntax/config.rs`, Zed's `crates/extension`, the schema of LSP for
Sublime Text (`sublime-package.json`) and LSP4IJ's `ServerTemplateJsonDeserializer`.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.editors.workspaces import RECORD, environment, write_program

from skillstudio import __version__

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "editors"
PAGES = {
    "neovim/skillstudio.lua": "editors/neovim.md",
    "emacs/skillstudio.el": "editors/emacs.md",
    "helix/languages.toml": "editors.md",
    "sublime/LanguageServers.sublime-settings": "editors.md",
    "jetbrains/template.json": "editors.md",
}
LANGUAGES = {"markdown", "json", "toml", "yaml"}


def read(name: str) -> str:
    return (EDITORS / name).read_text(encoding="utf-8")


def read_json(name: str) -> Any:
    """A JSON file whose comments have their own lines."""
    return json.loads(re.sub(r"^ *//.*$", "", read(name), flags=re.MULTILINE))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_shows_the_file(name: str) -> None:
    page = (ROOT / "docs" / PAGES[name]).read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert read(name) in blocks


def test_helix_starts_the_server_for_languages_that_it_has() -> None:
    configuration = tomllib.loads(read("helix/languages.toml"))
    assert set(configuration) == {"language-server", "language"}
    (server,) = configuration["language-server"].values()
    assert set(server) == {"command", "args"}
    assert {language["name"] for language in configuration["language"]} == LANGUAGES
    for language in configuration["language"]:
        assert set(language) == {"name", "language-servers"}
        assert language["language-servers"][-1:] == [*configuration["language-server"]]


def test_sublime_text_starts_the_server_for_selectors() -> None:
    ((name, server),) = read_json("sublime/LanguageServers.sublime-settings").items()
    assert (name, server["enabled"]) == ("skillstudio", True)
    assert set(server) == {"enabled", "command", "selector"}
    selectors = server["selector"].split(" | ")
    assert {selector.rpartition(".")[2] for selector in selectors} == LANGUAGES


def test_jetbrains_imports_the_template() -> None:
    template = read_json("jetbrains/template.json")
    assert set(template) == {"id", "name", "programArgs", "fileTypeMappings"}
    assert set(template["programArgs"]) == {"default", "windows"}
    files = {
        pattern: mapping["languageId"]
        for mapping in template["fileTypeMappings"]
        for pattern in mapping["fileType"]["patterns"]
    }
    assert files == {
        "SKILL.md": "markdown", "manifest.json": "json",
        "skill.toml": "toml", "skillstudio.toml": "toml",
    }  # fmt: skip
    for name in ("settings", "initializationOptions", "clientSettings"):
        assert read_json(f"jetbrains/{name}.json") == {}


def test_the_extension_of_zed_names_its_server_and_languages() -> None:
    extension = tomllib.loads(read("zed/extension.toml"))
    package = tomllib.loads(read("zed/Cargo.toml"))
    assert (extension["id"], extension["schema_version"]) == ("skillstudio", 1)
    assert extension["version"] == package["package"]["version"] == __version__
    ((name, server),) = extension["language_servers"].items()
    assert (name, server["name"]) == ("skillstudio", "skillstudio")
    assert set(server["languages"]) == set(server["language_ids"])
    assert set(server["language_ids"].values()) == LANGUAGES
    assert (EDITORS / "zed" / package["lib"]["path"]).exists()
    assert package["lib"]["crate-type"] == ["cdylib"]


def shell_commands() -> dict[str, list[str]]:
    (helix,) = tomllib.loads(read("helix/languages.toml"))["language-server"].values()
    (sublime,) = read_json("sublime/LanguageServers.sublime-settings").values()
    return {
        "Helix": [helix["command"], *helix["args"]],
        "Sublime Text": sublime["command"],
        "JetBrains": shlex.split(read_json("jetbrains/template.json")["programArgs"]["default"]),
    }


@pytest.mark.parametrize("editor", shell_commands())
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["skillstudio", "uvx"], "bin/skillstudio lsp"),
        (["uvx"], "bin/uvx --from skillstudio[lsp] skillstudio lsp"),
    ],
)
def test_a_command_starts_the_program_or_uvx(
    editor: str, names: list[str], expected: str, tmp_path: Path
) -> None:
    for name in names:
        write_program(tmp_path / "bin" / name, RECORD)
    started = tmp_path / "started"
    variables = environment(tmp_path / "home", tmp_path / "bin", STARTED=str(started))
    subprocess.run(shell_commands()[editor], env=variables, check=True)
    assert started.read_text() == f"{tmp_path}/{expected}\n"


def test_uvx_installs_the_package_with_the_extra_of_the_server() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = ["zed/src/skillstudio.rs", *PAGES]
    for name in names:
        assert set(re.findall(r"skillstudio\[(\w+)\]", read(name))) == {"lsp"}, name
    assert "lsp" in project["optional-dependencies"]
