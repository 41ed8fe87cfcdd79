"""What only the skills of a workspace together show."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.skill.analysis import analyse
from skillstudio.skill.facts import facts_of
from skillstudio.skill.workspace import WorkspaceSearch
from skillstudio.skill.workspace_check import WorkspaceCheck, check_workspace

SKILL = "---\nname: {}\ndescription: Says a thing. Use it.\n---\nSay it.\n"
CARO = (
    '[skill]\nid = "{}"\nname = "A"\nversion = "1.0.0"\ndescription = "Lists."\n'
    'api_version = "1.0"\n[provides]\nknowledge = false\n{}'
)


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def check(root: Path) -> WorkspaceCheck:
    search = WorkspaceSearch()
    skills = [
        facts_of(path.label, analyse(path.tree, path.settings))
        for path in search.below(str(root), "")
    ]
    return check_workspace(search, skills)


def rows(checked: WorkspaceCheck) -> list[str]:
    """`path:line:column severity rule`, those of skills first."""
    of_skills = [
        f"{path}/{place.path}:{place.start.line}:{place.start.column} {severity} {rule}"
        for path, problems in checked.of_skills.items()
        for (rule, _, place, _), severity in problems
    ]
    return of_skills + [
        f"{path} {diagnostic.severity} {diagnostic.rule}"
        for path, diagnostic, _ in checked.problems
    ]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ({"a": "a", "b": "b"}, []),
        ({"a": "a", "b": "a"}, ["skills/b"]),
        ({"a": "c", "b": "c"}, ["skills/a", "skills/b"]),
        ({"a": "a", "b": "a", "c": "a"}, ["skills/b", "skills/c"]),
        # A client lists the skills of one folder.
        ({"a": "a", "../other/b": "a"}, []),
    ],
)
def test_names_that_several_skills_of_a_folder_have(
    tmp_path: Path, names: dict[str, str], found: list[str]
) -> None:
    write(tmp_path, {f"skills/{path}/SKILL.md": SKILL.format(name) for path, name in names.items()})
    assert rows(check(tmp_path)) == [
        f"{path}/SKILL.md:2:7 warning skill-name-repeated" for path in found
    ]


NEEDS = {"a/skill.toml": CARO.format("cloud.aws", '[dependencies]\n"tool.git" = "*"\n')}
REPORTED = "a/skill.toml:10:1 info dependency-unresolved"
IGNORE = '[[ignore]]\nrule = "{}"\npath = "{}"\n'


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (NEEDS, [REPORTED]),
        (
            NEEDS | {"skillstudio.toml": '[rules]\ndependency-unresolved = "error"\n'},
            [REPORTED.replace("info", "error")],
        ),
        (NEEDS | {"skillstudio.toml": '[rules]\ndependency-unresolved = "off"\n'}, []),
        (NEEDS | {"skillstudio.toml": IGNORE.format("dependency-unresolved", "a/*")}, []),
        (
            NEEDS | {"skillstudio.toml": IGNORE.format("dependency-cycle", "a/*")},
            [REPORTED, "skillstudio.toml warning ignore-unused"],
        ),
        ({"a/skill.toml": NEEDS["a/skill.toml"].replace(
            '"*"', '"*"  # skillstudio: ignore[dependency-unresolved]')}, []),
        # A skill that is there needs no ignore; only a check of the whole workspace knows.
        ({"a/skill.toml": NEEDS["a/skill.toml"].replace(
            '"*"', '"*"  # skillstudio: ignore[dependency-unresolved]'),
          "b/skill.toml": CARO.format("tool.git", "")}, []),
    ],
)  # fmt: skip
def test_settings_and_comments_apply_to_what_other_skills_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], found: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, files)
    assert rows(check(tmp_path)) == found


def test_an_ignored_comment_is_no_unused_one(tmp_path: Path) -> None:
    text = NEEDS["a/skill.toml"].replace('"*"', '"*"  # skillstudio: ignore[dependency-unresolved]')
    write(tmp_path, {"a/skill.toml": text})
    (path,) = WorkspaceSearch().below(str(tmp_path), "")
    rules = [each.rule for each in analyse(path.tree, path.settings).diagnostics]
    assert "ignore-unused" not in rules


PLUGIN = {".claude-plugin/plugin.json": '{"name": "p"}'}
BROKEN = "---\nname: Not A Name\n---\nSay it.\n"


def found_rows(root: Path, files: dict[str, str]) -> list[str]:
    """The problems of a repository: those of skills that each has alone, then all others."""
    write(root, {".git/HEAD": "", **files})
    search = WorkspaceSearch()
    analyses = [
        (path.label, analyse(path.tree, search.add_place(path.settings, path.disk)))
        for path in search.below(str(root), "")
    ]
    own = [
        f"{path} {one.severity} {one.rule}" for path, found in analyses for one in found.diagnostics
    ]
    return own + rows(check_workspace(search, [facts_of(*one) for one in analyses]))


@pytest.mark.parametrize(
    ("files", "expected", "words"),
    [
        # A plugin contains it, a client searches its folder, or its place belongs to none.
        (PLUGIN | {"skills/a/SKILL.md": SKILL.format("a")}, [], ()),
        ({".claude/skills/a/SKILL.md": SKILL.format("a")}, [], ()),
        ({"a/SKILL.md": SKILL.format("a")}, [], ()),
        # It is in the plugin, but not contained.
        (
            PLUGIN | {"skills/a/SKILL.md": SKILL.format("a"), "x/y/z/b/SKILL.md": BROKEN},
            ["x/y/z/b info key-missing", "x/y/z/b info name-format", ". warning skill-unfound"],
            ("Claude Code does not find x/y/z/b", "list the folder under skills in plugin.json"),
        ),
        # Two clients have plugins there, and each wants another list.
        (
            PLUGIN
            | {".codex-plugin/plugin.json": '{"name": "kit"}'}
            | {"skills/a/SKILL.md": SKILL.format("a"), "x/y/z/b/SKILL.md": SKILL.format("b")},
            [". warning skill-unfound"],
            ("Claude Code and Codex do not find x/y/z/b; Claude Code: the", "; Codex: the plugin"),
        ),
        # Nothing of the plugin is found by its client, but by an installer: it is judged as ever.
        (
            PLUGIN | {"b/SKILL.md": SKILL.format("B"), "c/SKILL.md": SKILL.format("c")},
            ["b error name-format", ". warning skill-unfound"],
            ("Claude Code finds none of the 2 skills here (b, c)", "npx skills finds them"),
        ),
        # In a group, where an installer finds it.
        (
            {".claude/skills/g/a/SKILL.md": SKILL.format("a")},
            [".claude/skills warning skill-unfound"],
            ("2 levels below .claude/skills", "move the folder up", "npx skills finds it"),
        ),
        (
            {".claude/skills/Synced/SKILL.md": SKILL.format("synced")},
            [".claude/skills/Synced error name-folder", ".claude/skills warning skill-unfound"],
            ("the folder name Synced is reserved", "rename the folder"),
        ),
        # What the settings say stays, and so do attacks.
        (
            {
                "skillstudio.toml": '[rules]\nskill-unfound = "off"\nname-format = "warning"\n',
                **PLUGIN,
                "skills/a/SKILL.md": SKILL.format("a"),
                "x/y/B/SKILL.md": SKILL.format("B") + "AKIAIOSFODNN7EXAMPL3\n",
            },
            ["x/y/B warning name-format"],
            (),
        ),
        # A skill without a folder.
        (
            {".claude/skills/a.md": SKILL.format("a"), ".claude/skills/README.md": "# Skills\n"},
            [".claude/skills/a.md warning skill-flat"],
            ("move it: mkdir a && mv a.md a/SKILL.md",),
        ),
        ({"docs/skills/a.md": SKILL.format("a"), "b/SKILL.md": SKILL.format("b")}, [], ()),
        ({".claude/skills/a;b.md": SKILL.format("a"), "b/SKILL.md": SKILL.format("b")}, [], ()),
    ],
)
def test_skills_that_nobody_finds(
    files: dict[str, str],
    expected: list[str],
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert found_rows(tmp_path, files) == expected
    search = WorkspaceSearch()
    skills = [
        facts_of(path.label, analyse(path.tree, search.add_place(path.settings, path.disk)))
        for path in search.below(str(tmp_path), "")
    ]
    messages = [one.diagnostic.message for one in check_workspace(search, skills).problems]
    assert all(word in "".join(messages) for word in words), messages
