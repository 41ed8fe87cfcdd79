"""What `allowed-tools` asks of a policy."""

from __future__ import annotations

import pytest
from tests.manifest.marked import document_of

from skillstudio.manifest.agent_skills.rules import asks
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.front_values import split_tools, tool_uses
from skillstudio.manifest.registry import dialect


@pytest.mark.parametrize(
    ("tools", "wanted"),
    [
        ("Read Write", []),
        ("Bash", [("command", "*")]),
        ("Bash(git:*) Read", [("command", "git")]),
        ("Bash(git add:*, git rm:*, ls)", [("command", "git"), ("command", "ls")]),
        ("Bash(*)", [("command", "*")]),
        ("WebFetch", [("host", "*")]),
        ("WebFetch(domain:example.org)", [("host", "example.org")]),
        ('["Bash(jq:*)", Read]', [("command", "jq")]),
        ("5", []),
    ],
)
def test_asks(tools: str, wanted: list[tuple[str, str]]) -> None:
    known = dialect("agent-skills")
    assert known is not None
    text = f"---\nname: worklog\ndescription: d\nallowed-tools: {tools}\n---\n"
    manifest = Manifest(known, document_of(text), "SKILL.md")
    assert [(ask.kind, ask.value) for ask in asks(manifest)] == wanted


@pytest.mark.parametrize(
    ("value", "tools"),
    [
        ("Read Write", None),
        ("Bash(a, b)", None),
        ("Read,Write", ["Read", "Write"]),
        ("Bash(a, b), Read", ["Bash(a, b)", "Read"]),
        ("a), b", ["a)", "b"]),
        ("", None),
    ],
)
def test_tools_separated_by_commas(value: str, tools: list[str] | None) -> None:
    assert split_tools(value) == tools


def test_uses() -> None:
    assert tool_uses("Bash(git add:*) Read") == [("Bash", "git add:*"), ("Read", "")]
