"""Names of rules that were renamed or removed, wherever they may be written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from skillstudio.manifest.rulebook import _former_rules, all_rules, former_rule
from skillstudio.settings.read import read_settings
from skillstudio.text.source import Source

NOW = "it is now target-refused"


def test_the_table_names_rules_as_they_are() -> None:
    known = all_rules()
    for id, rule in _former_rules().items():
        assert id not in known
        assert bool(rule.new) != bool(rule.why), id
        assert not rule.new or rule.new in known


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ('[rules]\nprofile-refused = "off"\n', True),
        ('[[ignore]]\nrule = "profile-refused"\npath = "*"\n', True),
        ('[rules]\npattern-expensive = "off"\n', False),
    ],
)
def test_settings(text: str, fix: bool) -> None:
    unknown = read_settings(Source(text, "skillstudio.toml")).unknown_names(
        all_rules(), set, set, former_rule
    )
    (problem,) = unknown
    assert bool(problem.fixes) == fix
    assert problem.message.endswith(NOW if fix else "matches every pattern in linear time")


def test_commands(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tea").mkdir()
    skill = tmp_path / "tea" / "SKILL.md"
    skill.write_text(
        "---\nname: tea\ndescription: Makes tea. Use it for tea.\n---\n"
        "<!-- skillstudio: ignore[profile-refused] -->\nMake tea.\n"
    )
    ran = run("check", tmp_path, "--format", "json")
    (problem,) = ran.json["skills"][0]["diagnostics"]
    assert problem["message"] == f"unused ignore: profile-refused is no rule; {NOW}"
    for words in (
        ("explain", "profile-refused"),
        ("check", "--ignore", "profile-refused", tmp_path),
    ):
        assert NOW in run(*words).err
    baseline = tmp_path / "baseline.json"
    row = {"path": "SKILL.md", "rule": "profile-refused", "pointer": "", "message": "m"}
    baseline.write_text(json.dumps({"diagnostics": [row]}))
    err = run("check", tmp_path, "--baseline", baseline).err
    assert f"names the rule profile-refused; {NOW}; record it with --update-baseline" in err
