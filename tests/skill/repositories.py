"""Small repositories, and the skills in them that installers and plugin systems find.

`benchmarks/agreement.py` gives them to the real programs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Repository(NamedTuple):
    """Folders with a SKILL.md, further files, and which of the folders are found."""

    folders: str
    found: str
    files: Mapping[str, Any] = MappingProxyType({})  # JSON values, or texts.


MARKET = ".claude-plugin/marketplace.json"
PLUGIN = ".claude-plugin/plugin.json"
CODEX = ".codex-plugin/plugin.json"


def market(**entry: Any) -> dict[str, Any]:
    return {"name": "mm", "owner": {"name": "o"}, "plugins": [{"name": "pp", **entry}]}


AT_P = market(source="./p")

INSTALLABLE = {
    "containers": Repository(
        "one skills/two skills/a/three skills/a/b/four skills/a/b/c/five deep/er/six"
        " .claude/skills/seven .github/skills/g/eight skills/two/inner .unknown/skills/nine",
        "one skills/two skills/a/three skills/a/b/four .claude/skills/seven .github/skills/g/eight",
    ),
    "root": Repository(". one skills/two", "."),
    "broken root": Repository(
        "one skills/two", "one skills/two", {"SKILL.md": "---\nname: x\n---\n"}
    ),
    "elsewhere": Repository(
        "a/b/one a/b/one/inner 1/2/3/4/five 1/2/3/4/5/six node_modules/seven",
        "a/b/one a/b/one/inner 1/2/3/4/five",
    ),
    "skipped": Repository(
        "skills/one skills/node_modules/two skills/build skills/dist/a/three",
        "skills/one skills/build",
    ),
    "plugin": Repository(
        "p/skills/one p/skills/a/two p/other/three q/four skills/five other/six",
        "p/skills/one p/other/three skills/five",
        {MARKET: market(source="./p", skills=["./other/three", "../other/six"])},
    ),
    "own plugin": Repository(
        "far/away/one far/two skills/three", "far/away/one skills/three",
        {PLUGIN: {"name": "pp", "skills": ["./far/away/one"]}},
    ),
    "lock": Repository(
        ".agents/skills/one skills/two", "skills/two",
        {"skills-lock.json": {"version": 1, "skills": {"one": {}, "two": {}}}},
    ),
}  # fmt: skip
"""What `npx skills add` finds."""

CODEX_PLUGINS = {
    "depth": Repository(
        "p/skills/a p/skills/g/b p/skills/1/2/3/4/5/six p/skills/1/2/3/4/5/6/seven p/other/c p/d",
        "p/skills/a p/skills/g/b p/skills/1/2/3/4/5/six",
        {MARKET: AT_P, f"p/{CODEX}": {"name": "pp"}},
    ),
    "claude-manifest": Repository(
        "p/skills/a p/skills/g/b", "p/skills/a p/skills/g/b",
        {MARKET: AT_P, f"p/{PLUGIN}": {"name": "pp"}},
    ),
    "list": Repository(
        "p/skills/a p/other/c p/other/g/d", "p/other/c p/other/g/d",
        {MARKET: AT_P, f"p/{CODEX}": {"name": "pp", "skills": "./other"}},
    ),
    "lists": Repository(
        "p/skills/a p/other/c p/more/g/d", "p/other/c p/more/g/d",
        {MARKET: AT_P, f"p/{CODEX}": {"name": "pp", "skills": ["./other/c", "./more"]}},
    ),
    "no-manifest": Repository("p/skills/a", "", {MARKET: AT_P}),
    "dot": Repository(
        "x y/z skills/q", "skills/q",
        {MARKET: market(source="./"), CODEX: {"name": "pp", "skills": "./"}},
    ),
    "entry": Repository(
        "p/skills/a p/other/c", "p/skills/a",
        {MARKET: market(source="./p", skills=["./other/c"]), f"p/{PLUGIN}": {"name": "pp"}},
    ),
    "other-name": Repository("p/skills/a", "", {MARKET: AT_P, f"p/{CODEX}": {"name": "qq"}}),
    "own-marketplace": Repository(
        "p/skills/a", "p/skills/a",
        {".agents/plugins/marketplace.json": AT_P, f"p/{CODEX}": {"name": "pp"}},
    ),
    "no-dot": Repository(
        "p/skills/a p/other/c", "p/skills/a",
        {MARKET: AT_P, f"p/{CODEX}": {"name": "pp", "skills": "other"}},
    ),
    "own-folder": Repository(
        "p p/skills/a", "p/skills/a", {MARKET: AT_P, f"p/{CODEX}": {"name": "pp"}}
    ),
}  # fmt: skip
"""What Codex lists of the plugin `pp` of the marketplace `mm` after its installation."""


def files_of(repository: Repository) -> dict[str, bytes]:
    """The files of a repository. A skill has the name of its folder; at the root, `root`."""
    files = {
        path: (text if isinstance(text, str) else json.dumps(text)).encode()
        for path, text in repository.files.items()
    }
    for folder in repository.folders.split():
        name = folder.rpartition("/")[2].replace(".", "root")
        path = "SKILL.md" if folder == "." else f"{folder}/SKILL.md"
        files[path] = f"---\nname: {name}\ndescription: Makes {name}.\n---\n\nMake it.\n".encode()
    return files
