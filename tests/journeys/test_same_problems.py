"""The workbench and the language server have the problems that `check` prints, of skills and of no
skill."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run
from tests.lsp.client import serving
from tests.manifest.explained.made import FRONT, caro, listing, weekly

from skillstudio.lsp.documents import path_of
from skillstudio.session.workspace import Workspace

BUILT: dict[str, Any] = {
    "dependencies": {
        "cloud/aws/skill.toml": caro("cloud.aws", '[dependencies]\n"tool.kubectl" = ">=0.2"\n'),
        "tool/kubectl/skill.toml": caro(
            "tool.kubectl", '[dependencies]\n"tool.gone" = "*"\n', version="0.1.0"
        ),
    },
    "names": weekly(FRONT.format("report", "Says a thing. Use it.", "", "")),
    "listing": listing(500),
    "settings": {
        "skillstudio.toml": '[rules]\nkey-unknow = "off"\n'
        '[[ignore]]\nrule = "body-long"\npath = "*"\n',
        "a/SKILL.md": FRONT.format("a", "Says: a thing.", "", ""),
    },
    "plugin": {
        ".claude-plugin/plugin.json": '{"name": "p", "skills": ["a"], "version": "1",}',
        "skills/a/SKILL.md": FRONT.format("a", "Says a thing. Use it.", "licence: MIT\n", ""),
    },
    "nothing": {"README.md": "Nothing.\n"},
}  # fmt: skip
REPOSITORIES = ("agent-skills", "provenact", "router-manifest", "skill-manifest")
Row = tuple[str, int, int, str, str, str]


def printed(run: Run) -> tuple[list[Row], list[Row]]:
    """What `check` prints of each skill, and of no skill."""
    value = run("check", ".", "--all", "--format", "json").json

    def rows(diagnostics: list[dict[str, Any]]) -> list[Row]:
        return sorted(
            (
                each["path"].removeprefix("./"), each["line"], each["column"], each["severity"],
                each["rule"], each["message"].replace("./", ""),
            )
            for each in diagnostics
        )  # fmt: skip

    skills = [row for skill in value["skills"] for row in skill["diagnostics"]]
    beside = [each for each in value["workspace"]["diagnostics"] if each["rule"] != "skill-missing"]
    return rows(skills), rows(beside)


def shown(root: Path) -> tuple[list[Row], list[Row]]:
    """What the workbench has of each skill, and of no skill."""
    workspace = Workspace(str(root))
    entries = workspace.check()
    skills = []
    for entry in entries:
        analysis = workspace.analyse(entry.path)
        for each in analysis.diagnostics:
            start, _ = analysis.place(each)
            path = "/".join(filter(None, (entry.path, each.path)))
            row = (path or ".", *start, each.severity or "", each.rule, each.message)
            skills.append((*row[:5], row[5].replace("./", "")))
        numbers = sum(entry.numbers.values())
        assert numbers == len(analysis.diagnostics), entry.path
    beside = []
    for path, diagnostic, source in workspace.problems:
        at = source.position(diagnostic.span.start) if source and diagnostic.span else (1, 1)
        row = (*at, diagnostic.severity or "", diagnostic.rule)
        beside.append((path, *row, diagnostic.message.replace("./", "")))
    return sorted(skills), sorted(beside)


def answered(root: Path) -> list[Row]:
    """What the language server says of the workspace, in code points."""
    capabilities = {
        "general": {"positionEncodings": ["utf-32"]},
        "textDocument": {"diagnostic": {}},
    }
    with serving() as client:
        client.start(root, **capabilities)
        report = client.request("workspace/diagnostic", previousResultIds=[])
        assert client.end() == 0
    rows = []
    for file in report["items"]:
        path = os.path.relpath(path_of(file["uri"]), root)
        for problem in file["items"]:
            start = problem["range"]["start"]
            severity = ("error", "warning", "info")[problem["severity"] - 1]
            where = (path, start["line"] + 1, start["character"] + 1)
            message = problem["message"].replace("./", "").replace(f"{root}", "")
            rows.append((*where, severity, problem["code"], message))
    return sorted(rows)


@pytest.mark.parametrize("name", BUILT)
def test_of_a_workspace(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for path, text in BUILT[name].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    of_skills, beside = printed(run)
    assert of_skills or beside or name == "nothing"
    assert shown(tmp_path) == (of_skills, beside)
    assert answered(tmp_path) == sorted(of_skills + beside)


@pytest.mark.parametrize("name", REPOSITORIES)
@pytest.mark.slow_cases("agent-skills", "skill-manifest")
def test_of_public_skills(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    root = data / "corpus" / name
    monkeypatch.chdir(root)
    of_skills, beside = printed(run)
    assert shown(root) == (of_skills, beside)
    assert answered(root) == sorted(of_skills + beside)


def test_of_the_examples(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2] / "examples"
    monkeypatch.chdir(root)
    of_skills, beside = printed(run)
    assert shown(root) == (of_skills, beside)
    assert answered(root) == sorted(of_skills + beside)
