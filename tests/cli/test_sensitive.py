"""No value of a sensitive input leaves a command: no default, no choice, nothing that proves.

A pattern and a description are text for callers and may be shown; `--text` shows the files as
they are.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git

from skillstudio.present.comparison import value_text
from skillstudio.session.comparing.comparing import BEFORE, WORKING_TREE, Sides, SkillComparer
from skillstudio.session.comparing.rows import rows_of
from skillstudio.session.workspace import Workspace

pytestmark = needs_git
SECRETS = tuple(f"tulip{number:02}" for number in range(40))
"""Words that stand nowhere but in values, each of them once."""

FRONT = """\
---
manifest_version: "1.0"
name: one
description: Says things. Use when things are said.
version: 1.0.0
{flag}
inputs:
  required:
    - name: choice
      sensitive: {own}
      description: said to callers
      schema: {{type: string, enum: [{a}, {b}], examples: [{c}]}}
    - name: fixed
      sensitive: {own}
      schema: {{const: {d}}}
    - name: nested
      sensitive: {own}
      schema:
        type: object
        properties:
          inner: {{type: array, items: {{enum: [{e}]}}}}
          either: {{anyOf: [{{const: {f}}}, {{enum: [{g}]}}]}}
          never: {{not: {{const: {h}}}}}
    - name: text
      sensitive: {own}
      schema: {{type: string, pattern: "{pattern}"}}
{more}  optional:
    - name: given
      sensitive: {own}
      schema: {{type: string, default: {i}, x-hint: {{default: {j}}}}}
    - name: long
      sensitive: {own}
      schema: {{type: string, maxLength: {length}, examples: {{deep: {k}}}}}
outputs:
  files: [{{pattern: "out/{{{{choice}}}}-{{{{text}}}}{ending}", base: repo_root}}]
---
Say.
"""
MORE = """\
    - name: added
      sensitive: {own}
      schema: {{type: string, enum: [{l}], default: {m}}}
"""
LETTERS = "abcdefghijk"


def front(first: int, own: str, flag: str, **more: object) -> str:
    values = dict(zip(LETTERS, SECRETS[first:], strict=False))
    rest = {"pattern": "^[a-z]+$", "more": "", "length": 9, "ending": ".md", **more}
    return FRONT.format(own=own, flag=flag, **values, **rest)


def pair(own: str, flag: str) -> tuple[str, str]:
    """Two versions in which every value is another one."""
    more = MORE.format(own=own, l=SECRETS[30], m=SECRETS[31])
    new = front(12, own, flag, pattern="^tulip[0-9]$", more=more, length=5, ending=".txt")
    return front(0, own, flag), new


SENSITIVE = {
    "each input": pair("true", ""),
    "the skill": pair("false", "sensitive: true"),
    "from now on": (pair("false", "")[0], pair("true", "")[1]),
    "no more": (pair("true", "")[0], pair("false", "")[1]),
    "the skill no more": (pair("false", "sensitive: true")[0], pair("false", "")[1]),
}
OPEN = {"no more": (SECRETS[30], SECRETS[31])}
"""Values of an input that was never sensitive on either side."""
BOTH = ("each input", "the skill")
COMMANDS = {
    "diff": ("diff", "one"),
    "diff strict": ("diff", "one", "--ruleset", "strict"),
    "diff back": ("diff", "one", "one@HEAD"),
    "diff json": ("diff", "one", "--format", "json"),
    "diff markdown": ("diff", "one", "--format", "markdown"),
    "diff github": ("diff", "one", "--format", "github"),
    "range": ("diff", "HEAD~1..HEAD", "--format", "json"),
    "bump json": ("bump", "one", "--format", "json"),
}
ALONE = {
    "show": ("show", "one"),
    "show json": ("show", "one", "--format", "json"),
    "identity": ("identity", "one", "--format", "json"),
    "lock": ("lock", "one", "--format", "json"),
    "digests": ("identity", "one", "--files"),
}


def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> Repo:
    repo = Repo(tmp_path / "repo")
    repo.commit({"one/SKILL.md": old.replace('pattern: "^[a-z]+$"', 'pattern: "^[a-y]+$"')})
    repo.commit({"one/SKILL.md": old})
    repo.write({"one/SKILL.md": new})
    monkeypatch.chdir(repo.root)
    return repo


def leaked(*texts: str, but: tuple[str, ...] = ()) -> list[str]:
    return [word for word in SECRETS for text in texts if word in text and word not in but]


def test_where_nothing_is_sensitive_the_values_are_shown(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, monkeypatch, *pair("false", ""))
    shown = ("diff json", "diff", "show json", "show")
    assert all(leaked(run(*{**COMMANDS, **ALONE}[each]).out) for each in shown)


@pytest.mark.parametrize("which", SENSITIVE)
def test_no_command_that_compares_shows_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    made(tmp_path, monkeypatch, *SENSITIVE[which])
    for name, command in COMMANDS.items():
        ran = run(*command)
        assert ran.status in (0, 1)
        assert (name, leaked(ran.out, ran.err, but=OPEN.get(which, ()))) == (name, [])
        if "diff" in name:
            assert "‹sensitive" in ran.out or "\\u2039sensitive" in ran.out, name


@pytest.mark.parametrize("which", BOTH)
def test_no_command_that_shows_a_version_shows_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    repo = made(tmp_path, monkeypatch, *SENSITIVE[which])
    for name, command in ALONE.items():
        ran = run(*command)
        assert ran.status == 0
        assert (name, leaked(ran.out, ran.err)) == (name, [])
        if name.startswith("show"):
            assert "said to callers" in ran.out
            assert "^tulip[0-9]$" in ran.out
    assert leaked((repo.root / "proto.lock").read_text()) == []


@pytest.mark.parametrize("which", SENSITIVE)
def test_no_changelog_holds_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    repo = made(tmp_path, monkeypatch, *SENSITIVE[which])
    ran = run("bump", "one", "--against", "HEAD", "--write")
    assert ran.status == 0
    text = (repo.root / "one/CHANGELOG.md").read_text()
    assert "choice" in text
    assert leaked(text, ran.out, ran.err, but=OPEN.get(which, ())) == []


@pytest.mark.parametrize("which", SENSITIVE)
def test_no_row_of_the_workbench_holds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    repo = made(tmp_path, monkeypatch, *SENSITIVE[which])
    comparing = SkillComparer(Workspace(str(repo.root)), "one")
    outcome = comparing.compare(Sides(BEFORE, WORKING_TREE), {})
    assert outcome.changes
    told = [
        f"{each.pointer} {each.message} {value_text(each.old)} {value_text(each.new)} "
        + json.dumps(each.witness.value if each.witness else None)
        for each in (row.change for row in rows_of(outcome))
        if each is not None
    ]
    assert len(told) == len(outcome.changes)
    assert leaked(*told, but=OPEN.get(which, ())) == []


@pytest.mark.parametrize("which", SENSITIVE)
def test_a_sensitive_value_that_changed_is_still_a_change(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    made(tmp_path, monkeypatch, *SENSITIVE[which])
    changes = run("diff", "one", "--format", "json").json["changes"]
    told = {change["pointer"] for change in changes}
    assert {"/inputs/choice/schema/enum", "/inputs/given/default", "/inputs/added"} <= told
    for change in changes:
        if change["witness"] is not None and change["pointer"] != "/inputs/added":
            assert change["witness"]["value"] == "‹sensitive›"


def test_the_texts_of_the_files_are_shown_as_they_are(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, monkeypatch, *SENSITIVE["each input"])
    assert SECRETS[12] in run("diff", "one", "--text").out
