"""Where targets look for a skill on disk."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from skillstudio.settings.settings import ClientPlace, PluginPlace
from skillstudio.skill.client_places import KnownPlaces, place_of

PLUGIN = ".claude-plugin/plugin.json"
MARKET = ".claude-plugin/marketplace.json"
FOLDERS = (".claude-plugin", ".codex-plugin", ".cursor-plugin")
LISTED = json.dumps({"name": "m", "plugins": [{"name": "e", "source": "./x"}]})


def plugins(
    name: str, listed: str, where: str, claude: bool, codex: bool
) -> tuple[PluginPlace, ...]:
    """The plugin of a skill, and whether Claude Code and Codex find the skill in it."""
    own = {"claude-code": claude, "codex": codex}
    return tuple(PluginPlace(id, name, listed, where, contains) for id, contains in own.items())


LINK, POT = ".claude/skills/tea", "~/.codex/skills/pot"


@pytest.mark.parametrize(
    ("files", "links", "folder", "place"),
    [
        ([".git/HEAD"], {}, "skills/tea", ClientPlace("skills/tea")),
        ([], {}, "skills/tea", ClientPlace("tea")),
        ([], {}, "a/.claude/skills/tea", ClientPlace(".claude/skills/tea")),
        ([".git/HEAD"], {}, "a/.claude/skills/tea", ClientPlace("a/.claude/skills/tea")),
        ([".git/HEAD"], {}, ".claude/skills/tea", ClientPlace(".claude/skills/tea")),
        (["tea/.git/HEAD"], {}, "tea", ClientPlace(".")),
        ([], {}, "home/.claude/skills/tea", ClientPlace("~/.claude/skills/tea")),
        ([], {}, "home/work/tea", ClientPlace("~/work/tea")),
        # Links from the folders that clients search.
        (
            [".git/HEAD"],
            {".claude/skills/tea": "skills/tea"},
            "skills/tea",
            ClientPlace("skills/tea", (LINK,), linked_places=frozenset([LINK])),
        ),
        (
            [".git/HEAD"],
            {".claude/skills": "skills", "home/.codex/skills/pot": "skills/tea"},
            "skills/tea",
            ClientPlace("skills/tea", (LINK, POT), linked_places=frozenset([POT])),
        ),
        (
            [".git/HEAD"],
            {".claude/skills/tea": ".agents/skills/tea"},
            ".claude/skills/tea",
            ClientPlace(LINK, (".agents/skills/tea",), linked_places=frozenset([LINK])),
        ),
        ([".git/HEAD"], {"skills/tea": "other/tea"}, "skills/tea", ClientPlace("skills/tea")),
        # Plugins.
        (
            [".git/HEAD", f"p/{PLUGIN}"],
            {},
            "p/skills/tea",
            ClientPlace("p/skills/tea", (), plugins("p", "", "p", True, True)),
        ),
        (
            [".git/HEAD", f"p/{PLUGIN}"],
            {},
            "p/other/tea",
            ClientPlace("p/other/tea", (), plugins("p", "", "p", False, False)),
        ),
        (
            [".git/HEAD", MARKET],
            {},
            "x/skills/tea",
            # Codex installs no plugin without a manifest.
            ClientPlace("x/skills/tea", (), plugins("e", "e@m", "x", True, False)),
        ),
        ([".git/HEAD", MARKET], {}, "y/skills/tea", ClientPlace("y/skills/tea")),
        ([f"{PLUGIN}", "r/.git/HEAD"], {}, "r/skills/tea", ClientPlace("skills/tea")),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_the_place_of_a_skill(
    files: list[str],
    links: dict[str, str],
    folder: str,
    place: ClientPlace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / links.get(folder, folder)).mkdir(parents=True)
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(LISTED if file.endswith(MARKET) else '{"name": "p"}')
    for link, target in links.items():
        (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / link).symlink_to(tmp_path / target)
    known = KnownPlaces()
    for _ in range(2):
        made = place_of(str(tmp_path / folder), known)
        assert made._replace(oversights=()) == place


def test_folders_above_skills_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".claude/skills").mkdir(parents=True)
    for number in range(3):
        (tmp_path / f"a/b/c/skills/{number}").mkdir(parents=True)
    known = KnownPlaces()
    place_of(str(tmp_path / "a/b/c/skills/0"), known)
    questions: list[str] = []
    for name in ("exists", "isdir", "isfile", "islink", "realpath"):
        plain = getattr(os.path, name)

        def counted(path: str, name: str = name, plain: object = plain) -> object:
            questions.append(f"{name} {os.path.relpath(path, tmp_path)}")
            return plain(path)  # type: ignore[operator]

        monkeypatch.setattr(os.path, name, counted)
    for number in (1, 2):
        place_of(str(tmp_path / f"a/b/c/skills/{number}"), known)
    assert questions == [
        f"{name} a/b/c/skills/{number}{inside}"
        for number in (1, 2)
        for name, inside in (
            ("exists", "/.git"),
            *(("isdir", f"/{folder}") for folder in FOLDERS),
            ("isfile", "/.agents/plugins/marketplace.json"),
            ("islink", ""),
        )
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_the_skills_of_one_folder_have_the_places_that_each_has_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    names = ("a", "git", "linked", "plugin", "link", "z")
    for name in names[:4] + names[5:]:
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / ".claude/skills" / name).mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "other").mkdir()
    for above in ("skills", ".claude/skills"):
        (tmp_path / above / "git/.git").mkdir()
        (tmp_path / above / "plugin/.claude-plugin").mkdir()
        (tmp_path / above / "plugin/.claude-plugin/plugin.json").write_text("{}")
        (tmp_path / above / "link").symlink_to(tmp_path / "other")
    (tmp_path / ".agents/skills").mkdir(parents=True)
    for folders in (("skills", "home/skills", ".claude/skills"), (".claude/skills", "skills")):
        known = KnownPlaces()
        for above in folders:
            for name in names:
                folder = str(tmp_path / above / name)
                assert place_of(folder, known) == place_of(folder)
    (tmp_path / ".agents/skills/linked").symlink_to(tmp_path / "skills/linked")
    known = KnownPlaces()
    places = [place_of(str(tmp_path / "skills" / name), known) for name in names]
    assert places[2].links == (".agents/skills/linked",)
