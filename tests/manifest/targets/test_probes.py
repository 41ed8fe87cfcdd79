"""The outcomes of small skills with one condition each at every target.

The expected outcomes were written from the sources that the records name, before the records were
run. A target that is not listed loads the skill.
"""

from __future__ import annotations

from time import process_time
from typing import NamedTuple

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import OUTCOMES, judge, recorded_targets

STRICT = "spec skills-ref skill-creator claude-upload"
PROGRAMS = "skills-ref skill-creator claude-upload"
JS = "roo npx-skills"
"""Clients in JavaScript that need a name and a description."""
ALL = (
    f"{STRICT} claude-code codex gemini-cli opencode goose cline {JS} copilot mistral-vibe lenient "
    "pi qwen copilot-cli hermes openclaw"
)


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
        unlisted="claude-code copilot pi qwen copilot-cli openclaw",
    ),
    Probe("compatibility", of(NAME, TEXT, "compatibility: git"), "skill-creator"),
    Probe(
        "long compatibility", of(NAME, TEXT, f"compatibility: {'c' * 501}"), STRICT, "mistral-vibe"
    ),
    Probe(
        "no name",
        of(TEXT),
        STRICT,
        f"gemini-cli opencode goose {JS} mistral-vibe qwen",
        without="claude-code codex copilot cline pi copilot-cli hermes openclaw",
    ),
    Probe(
        "empty name",
        of('name: ""', TEXT),
        "spec skills-ref",
        f"goose {JS} mistral-vibe qwen copilot-cli",
        without="codex copilot cline pi openclaw",
    ),
    Probe(
        "number as name",
        of("name: 5", TEXT),
        "spec skill-creator claude-upload",
        f"opencode cline {JS} mistral-vibe pi copilot-cli",
        without="copilot",
        folder="5",
    ),
    Probe("capital letter", of("name: Probe", TEXT), STRICT, "roo mistral-vibe", folder="Probe"),
    Probe("double hyphen", of("name: a--b", TEXT), STRICT, "roo mistral-vibe", folder="a--b"),
    Probe(
        "long name",
        of(f"name: {LONG}", TEXT),
        STRICT,
        "codex roo mistral-vibe copilot-cli",
        folder=LONG,
    ),
    Probe(
        "name differs from the folder",
        of("name: other", TEXT),
        "spec skills-ref",
        "roo",
        without="copilot",
    ),
    Probe(
        "slash in the name",
        of("name: a/b", TEXT),
        STRICT,
        "goose roo mistral-vibe qwen copilot-cli",
        without="gemini-cli copilot",
    ),
    Probe(
        "no description",
        of(NAME),
        STRICT,
        f"codex gemini-cli {JS} mistral-vibe lenient pi openclaw qwen",
        "opencode goose copilot hermes",
        "claude-code copilot-cli",
    ),
    Probe(
        "empty description",
        of(NAME, 'description: ""'),
        "spec skills-ref",
        f"codex {JS} mistral-vibe lenient pi openclaw qwen",
        "goose copilot gemini-cli opencode copilot-cli hermes",
    ),
    Probe(
        "description without a value",
        of(NAME, "description:"),
        STRICT,
        f"codex opencode {JS} mistral-vibe lenient pi openclaw qwen copilot-cli",
        "goose copilot gemini-cli hermes",
    ),
    Probe(
        "list as description",
        of(NAME, "description: [a, b]"),
        STRICT,
        f"codex goose opencode cline {JS} mistral-vibe lenient pi copilot-cli",
        "copilot",
        "claude-code",
    ),
    Probe("list as a hint", of(NAME, TEXT, "argument-hint: [file]"), STRICT, "copilot-cli"),
    Probe(
        "mapping as a hint",
        of(NAME, TEXT, "argument-hint: {file: x}"),
        STRICT,
        "copilot-cli",
        without="claude-code",
    ),
    Probe(
        "mapping as when_to_use",
        of(NAME, TEXT, "when_to_use: {a: b}"),
        STRICT,
        without="claude-code",
    ),
    Probe(
        "long description",
        of(NAME, f"description: {'d' * 1025}"),
        STRICT,
        "roo mistral-vibe copilot-cli",
        without="codex copilot",
    ),
    Probe(
        "very long description",
        of(NAME, f"description: {'d' * 1537}"),
        STRICT,
        "roo mistral-vibe copilot-cli",
        without="codex copilot claude-code",
    ),
    Probe("angle brackets", of(NAME, "description: a <b> c"), "skill-creator claude-upload"),
    Probe(
        "unquoted colon",
        of(NAME, "description: Use when: asked"),
        STRICT,
        f"goose cline {JS} mistral-vibe pi copilot-cli",
        "copilot",
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
        f"codex gemini-cli opencode goose {JS} mistral-vibe lenient pi openclaw qwen copilot-cli",
        "copilot hermes",
        "claude-code cline",
    ),
    Probe(
        "broken YAML",
        of(NAME, TEXT, 'license: "MIT'),
        STRICT,
        f"codex opencode goose cline {JS} mistral-vibe lenient pi openclaw copilot-cli",
        "claude-code copilot",
    ),
    Probe(
        "repeated key",
        of(NAME, NAME, TEXT),
        "spec skills-ref",
        f"codex opencode goose cline {JS} pi openclaw copilot-cli",
    ),
    Probe(
        "lower-case file name",
        of(NAME, TEXT),
        "spec skill-creator claude-upload",
        f"claude-code codex gemini-cli opencode goose cline {JS} mistral-vibe lenient pi qwen "
        "copilot-cli hermes openclaw",
        file="skill.md",
    ),
    Probe(
        "byte order mark", "\ufeff" + of(NAME, TEXT), PROGRAMS, "codex gemini-cli mistral-vibe pi"
    ),
    Probe("CR LF", of(NAME, TEXT).replace("\n", "\r\n")),
    Probe(
        "no closing line",
        f"---\n{NAME}\n{TEXT}\n\n# Probe\n",
        STRICT,
        f"codex gemini-cli opencode goose {JS} mistral-vibe lenient pi openclaw qwen copilot-cli",
        "copilot hermes",
        "claude-code cline",
    ),
    Probe(
        "space after the opening",
        f"--- \n{NAME}\n{TEXT}\n---\n# Probe\n",
        "skill-creator claude-upload",
        "gemini-cli npx-skills qwen",
        without="cline",
    ),
    Probe(
        "four dashes",
        f"----\n{NAME}\n{TEXT}\n----\n# Probe\n",
        STRICT,
        f"codex gemini-cli opencode goose {JS} lenient pi openclaw qwen copilot-cli",
        "copilot hermes",
        "claude-code cline",
    ),
    Probe(
        "description of 1 MB",
        of(NAME, f"description: {'d' * 1_000_000}"),
        STRICT,
        "roo mistral-vibe copilot-cli openclaw",
        without="claude-code codex copilot",
    ),
    Probe(
        "tab before a key",
        of(NAME, TEXT, "metadata:", "\ta: b"),
        STRICT,
        f"codex opencode goose cline {JS} mistral-vibe lenient pi openclaw copilot-cli",
        "copilot",
    ),
    Probe("tab after the colon", of(NAME, "description:\tDoes it."), PROGRAMS, "mistral-vibe"),
    Probe(
        "date as description",
        of(NAME, "description: 2025-01-01"),
        "skill-creator claude-upload",
        "opencode roo mistral-vibe",
    ),
    Probe(
        "null as description",
        of(NAME, "description: null"),
        "spec skill-creator claude-upload",
        f"codex opencode {JS} mistral-vibe lenient pi qwen copilot-cli",
        "goose copilot hermes",
    ),
    Probe(
        "metadata is a list",
        of(NAME, TEXT, "metadata: [a]"),
        "spec skills-ref",
        "codex goose mistral-vibe",
        without="claude-code",
    ),
    Probe(
        "repeated unknown key",
        of(NAME, TEXT, "x: 1", "x: 2"),
        STRICT,
        f"opencode cline {JS} pi openclaw copilot-cli",
    ),
    Probe(
        "unquoted colon in an unknown key",
        of(NAME, TEXT, "argument-hint: a: b"),
        STRICT,
        f"opencode goose cline {JS} mistral-vibe pi openclaw copilot-cli",
        "copilot",
    ),
    Probe(
        "unquoted colon in a summary",
        of(NAME, TEXT, "summary: a: b"),
        STRICT,
        f"goose cline {JS} mistral-vibe pi copilot-cli",
        "copilot",
    ),
    Probe(
        "two lists as one value",
        of(NAME, TEXT, "argument-hint: [a] [b]"),
        STRICT,
        f"opencode goose cline {JS} mistral-vibe pi openclaw copilot-cli",
        "copilot",
    ),
    Probe(
        "alias without its anchor",
        of(NAME, "description: *name"),
        STRICT,
        f"codex opencode goose cline {JS} mistral-vibe pi copilot-cli",
        "copilot",
    ),
    Probe(
        "mapping as description",
        of(NAME, "description: {a: b}"),
        STRICT,
        f"goose opencode cline {JS} mistral-vibe lenient pi qwen copilot-cli",
        "copilot",
        "claude-code",
    ),
    Probe(
        "bracketed name with a colon",
        of("name: [TODO: x]", TEXT),
        STRICT,
        f"opencode goose cline {JS} mistral-vibe pi qwen copilot-cli",
        without="gemini-cli copilot",
    ),
    Probe(
        "backtick",
        of(NAME, "description: `x` does"),
        STRICT,
        f"opencode goose cline {JS} mistral-vibe pi copilot-cli",
        "copilot",
    ),
    Probe(
        "colon at the end",
        of(NAME, "description: Does it:"),
        STRICT,
        f"codex goose cline {JS} mistral-vibe pi copilot-cli",
        "claude-code copilot",
    ),
    Probe(
        "unquoted colon in the second line",
        of(NAME, "description: Does it.", "  Use when: asked"),
        STRICT,
        f"codex opencode goose cline {JS} mistral-vibe pi openclaw copilot-cli",
        "claude-code copilot",
    ),
    Probe(
        "text after a quoted word",
        of(NAME, 'description: "Does" it'),
        STRICT,
        f"codex opencode goose cline {JS} mistral-vibe pi copilot-cli",
        "claude-code copilot",
    ),
    Probe("no instructions", f"---\n{NAME}\n{TEXT}\n---\n", dropped="cline"),
    Probe("disabled", of(NAME, TEXT, "disabled: true"), STRICT, "cline"),
    Probe(
        "long folder name, no name",
        of(TEXT),
        STRICT,
        f"gemini-cli opencode goose {JS} mistral-vibe qwen",
        without="claude-code codex cline copilot pi copilot-cli hermes openclaw",
        folder=LONG,
    ),
    Probe(
        "list as short description",
        of(NAME, TEXT, "metadata:", "  short-description: [a]"),
        "skills-ref",
    ),
    Probe("text as paths", of(NAME, TEXT, 'paths: "src/**"'), STRICT, "qwen"),
    Probe("text as a boolean", of(NAME, TEXT, 'user-invocable: "false"'), STRICT, "copilot-cli"),
    Probe(
        "space in the name",
        of("name: my probe", TEXT),
        STRICT,
        "roo mistral-vibe qwen",
        without="copilot",
    ),
    Probe(
        "underscore at the start",
        of("name: _probe", TEXT),
        STRICT,
        "roo mistral-vibe copilot-cli",
        folder="_probe",
    ),
    Probe(
        "space after the closing",
        f"---\n{NAME}\n{TEXT}\n--- \n# Probe\n\nDoes it.\n",
        dropped="qwen",
    ),
    Probe("unknown tag", of(NAME, TEXT, "x: !foo bar"), STRICT, "mistral-vibe"),
    Probe(
        "list as frontmatter",
        "---\n- name\n---\n# Probe\n",
        STRICT,
        f"codex gemini-cli opencode goose cline {JS} mistral-vibe lenient pi openclaw qwen "
        "copilot-cli",
        "claude-code copilot hermes",
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
        sources = recorded_targets()[id]["sources"]
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


@pytest.mark.parametrize(
    "text",
    [
        of(NAME, TEXT, "x: " + "[" * 50_000),
        of(NAME, TEXT, *["x: [a: `b"] * 5_000),
        of(NAME, TEXT, *["x: a: b"] * 15_000),
        " ---\n" + " --- \n" * 100_000,
        "---\n" + "a\n" * 100_000,
    ],
    ids=["deep", "broken flows", "repeated colons", "openings", "unclosed"],
)
def test_hostile_texts_are_judged_in_linear_time(text: str) -> None:
    start = process_time()
    judge(locate(MemoryTree({"SKILL.md": text.encode()}, "probe")).skill)
    assert process_time() - start < 10
