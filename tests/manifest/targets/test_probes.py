"""The outcomes of small skills with one condition each at every target.

The expected outcomes were written from the sources that the records name, before the records were
run. A target that is not listed loads the skill.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import OUTCOMES, judge, judging

STRICT = "spec skills-ref skill-creator claude-upload"
JS = "cline roo npx-skills"
"""Clients that read YAML with js-yaml and need a name and a description."""
ALL = f"{STRICT} claude-code codex gemini-cli opencode goose {JS} copilot mistral-vibe lenient"


class Probe(NamedTuple):
    name: str
    text: str
    refused: str = ""
    dropped: str = ""
    unlisted: str = ""
    without: str = ""
    folder: str = "probe"
    file: str = "SKILL.md"


def of(*lines: str) -> str:
    return "---\n" + "".join(f"{line}\n" for line in lines) + "---\n# Probe\n\nDoes it.\n"


NAME, TEXT = "name: probe", "description: Does it."
LONG = "n" * 65

PROBES = [
    Probe("plain", of(NAME, TEXT)),
    Probe("unknown key", of(NAME, TEXT, "version: 1.0.0"), STRICT),
    Probe("two unknown keys", of(NAME, TEXT, "version: 1.0.0", "tags: a"), STRICT),
    Probe(
        "key of Claude Code",
        of(NAME, TEXT, "disable-model-invocation: true"),
        STRICT,
        unlisted="claude-code copilot",
    ),
    Probe("compatibility", of(NAME, TEXT, "compatibility: git"), "skill-creator"),
    Probe(
        "long compatibility", of(NAME, TEXT, f"compatibility: {'c' * 501}"), STRICT, "mistral-vibe"
    ),
    Probe(
        "no name",
        of(TEXT),
        STRICT,
        f"gemini-cli opencode goose {JS} mistral-vibe",
        without="claude-code codex copilot",
    ),
    Probe(
        "empty name",
        of('name: ""', TEXT),
        "spec skills-ref",
        f"goose {JS} mistral-vibe",
        without="codex copilot",
    ),
    Probe(
        "number as name",
        of("name: 5", TEXT),
        "spec skill-creator claude-upload",
        f"opencode {JS} mistral-vibe",
        without="copilot",
        folder="5",
    ),
    Probe("capital letter", of("name: Probe", TEXT), STRICT, "roo mistral-vibe", folder="Probe"),
    Probe("double hyphen", of("name: a--b", TEXT), STRICT, "roo mistral-vibe", folder="a--b"),
    Probe("long name", of(f"name: {LONG}", TEXT), STRICT, "codex roo mistral-vibe", folder=LONG),
    Probe(
        "name differs from the folder",
        of("name: other", TEXT),
        "spec skills-ref",
        "cline roo",
        without="copilot",
    ),
    Probe(
        "slash in the name",
        of("name: a/b", TEXT),
        STRICT,
        "goose cline roo mistral-vibe",
        without="gemini-cli copilot",
    ),
    Probe(
        "no description",
        of(NAME),
        STRICT,
        f"codex gemini-cli {JS} mistral-vibe lenient",
        "opencode goose copilot",
        "claude-code",
    ),
    Probe(
        "empty description",
        of(NAME, 'description: ""'),
        "spec skills-ref",
        f"codex {JS} mistral-vibe lenient",
        "goose copilot",
    ),
    Probe(
        "description without a value",
        of(NAME, "description:"),
        STRICT,
        f"codex opencode {JS} mistral-vibe lenient",
        "goose copilot",
    ),
    Probe(
        "list as description",
        of(NAME, "description: [a, b]"),
        STRICT,
        f"codex goose opencode {JS} mistral-vibe lenient",
        "copilot",
    ),
    Probe(
        "long description",
        of(NAME, f"description: {'d' * 1025}"),
        STRICT,
        "roo mistral-vibe",
        without="codex copilot",
    ),
    Probe(
        "very long description",
        of(NAME, f"description: {'d' * 1537}"),
        STRICT,
        "roo mistral-vibe",
        without="codex copilot claude-code",
    ),
    Probe("angle brackets", of(NAME, "description: a <b> c"), "skill-creator claude-upload"),
    Probe(
        "unquoted colon",
        of(NAME, "description: Use when: asked"),
        STRICT,
        f"goose {JS} mistral-vibe",
        "claude-code copilot",
    ),
    Probe(
        "metadata is a string",
        of(NAME, TEXT, "metadata: plain"),
        "spec",
        "codex goose mistral-vibe",
        without="claude-code",
    ),
    Probe("internal", of(NAME, TEXT, "metadata:", "  internal: true"), dropped="npx-skills"),
    Probe(
        "no frontmatter",
        "# Probe\n\nDoes it.\n",
        STRICT,
        f"codex gemini-cli opencode goose {JS} mistral-vibe lenient",
        "copilot",
        "claude-code",
    ),
    Probe(
        "broken YAML",
        of(NAME, TEXT, 'license: "MIT'),
        STRICT,
        f"codex opencode goose {JS} mistral-vibe lenient",
        "claude-code copilot",
    ),
    Probe(
        "repeated key",
        of(NAME, NAME, TEXT),
        "spec skills-ref",
        f"codex opencode goose {JS}",
    ),
    Probe(
        "lower-case file name",
        of(NAME, TEXT),
        "spec skill-creator claude-upload",
        f"claude-code codex gemini-cli opencode goose {JS} mistral-vibe lenient",
        file="skill.md",
    ),
]


@pytest.mark.parametrize("probe", PROBES, ids=[each.name for each in PROBES])
def test_outcomes(probe: Probe) -> None:
    skill = locate(MemoryTree({probe.file: probe.text.encode()}, probe.folder)).skill
    expected = dict.fromkeys(ALL.split(), "loads")
    for outcome, ids in zip(
        OUTCOMES, (probe.refused, probe.dropped, probe.unlisted, probe.without), strict=False
    ):
        expected |= dict.fromkeys(ids.split(), outcome)
    found = judge(skill)
    assert {id: each.outcome for id, each in found.items()} == expected
    for id, each in found.items():
        sources = judging()[id]["sources"]
        for reason in each.reasons:
            assert reason.evidence.split(":")[0].split("#")[0].split(";")[0] in sources


def test_all_reasons_are_given() -> None:
    text = of("name: A--b", f"description: <{'d' * 1025}", "version: 1", "tags: a")
    found = judge(locate(MemoryTree({"SKILL.md": text.encode()}, "probe")).skill)
    assert [each.text for each in found["claude-upload"].reasons] == [
        "it does not allow the key version",
        "it does not allow the key tags",
        "the name contains characters other than lowercase letters, digits and hyphens",
        "the name has a leading, trailing or double hyphen",
        "the description contains <",
        "the description is longer than 1024 characters",
    ]
    assert all(each.fix and each.span for each in found["claude-upload"].reasons)
