"""The outcomes of small skills with one condition each at every target.

`expectations.py` has the outcomes that are expected of each target.
"""

from __future__ import annotations

import re
from functools import cache
from time import process_time
from typing import NamedTuple

import pytest
from tests.manifest.targets.expectations import FOLDER, expectation

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import OUTCOMES, TargetOutcome, judge, recorded_targets, targets


class Probe(NamedTuple):
    name: str
    text: str
    folder: str = "probe"
    file: str = "SKILL.md"


def of(*lines: str) -> str:
    return "---\n" + "".join(f"{line}\n" for line in lines) + "---\n# Probe\n\nDoes it.\n"


NAME, TEXT = "name: probe", "description: Does it."
LONG = "n" * 65

PROBES = [
    Probe("plain", of(NAME, TEXT)),
    Probe("unknown key", of(NAME, TEXT, "version: 1.0.0")),
    Probe("two unknown keys", of(NAME, TEXT, "version: 1.0.0", "tags: a")),
    Probe("key of Claude Code", of(NAME, TEXT, "disable-model-invocation: true")),
    Probe("compatibility", of(NAME, TEXT, "compatibility: git")),
    Probe("long compatibility", of(NAME, TEXT, f"compatibility: {'c' * 501}")),
    Probe("no name", of(TEXT)),
    Probe("empty name", of('name: ""', TEXT)),
    Probe("number as name", of("name: 5", TEXT), folder="5"),
    Probe("capital letter", of("name: Probe", TEXT), folder="Probe"),
    Probe("double hyphen", of("name: a--b", TEXT), folder="a--b"),
    Probe("long name", of(f"name: {LONG}", TEXT), folder=LONG),
    Probe("name differs from the folder", of("name: other", TEXT)),
    Probe("slash in the name", of("name: a/b", TEXT)),
    Probe("no description", of(NAME)),
    Probe("empty description", of(NAME, 'description: ""')),
    Probe("description without a value", of(NAME, "description:")),
    Probe("list as description", of(NAME, "description: [a, b]")),
    Probe("list as a hint", of(NAME, TEXT, "argument-hint: [file]")),
    Probe("mapping as a hint", of(NAME, TEXT, "argument-hint: {file: x}")),
    Probe("mapping as when_to_use", of(NAME, TEXT, "when_to_use: {a: b}")),
    Probe("long description", of(NAME, f"description: {'d' * 1025}")),
    Probe("very long description", of(NAME, f"description: {'d' * 1537}")),
    Probe("angle brackets", of(NAME, "description: a <b> c")),
    Probe("unquoted colon", of(NAME, "description: Use when: asked")),
    Probe("metadata is a string", of(NAME, TEXT, "metadata: plain")),
    Probe("internal", of(NAME, TEXT, "metadata:", "  internal: true")),
    Probe("no frontmatter", "# Probe\n\nDoes it.\n"),
    Probe("broken YAML", of(NAME, TEXT, 'license: "MIT')),
    Probe("repeated key", of(NAME, NAME, TEXT)),
    Probe("lower-case file name", of(NAME, TEXT), file="skill.md"),
    Probe("byte order mark", "\ufeff" + of(NAME, TEXT)),
    Probe("CR LF", of(NAME, TEXT).replace("\n", "\r\n")),
    Probe("no closing line", f"---\n{NAME}\n{TEXT}\n\n# Probe\n"),
    Probe("space after the opening", f"--- \n{NAME}\n{TEXT}\n---\n# Probe\n"),
    Probe("four dashes", f"----\n{NAME}\n{TEXT}\n----\n# Probe\n"),
    Probe("description of 1 MB", of(NAME, f"description: {'d' * 1_000_000}")),
    Probe("tab before a key", of(NAME, TEXT, "metadata:", "\ta: b")),
    Probe("tab after the colon", of(NAME, "description:\tDoes it.")),
    Probe("date as description", of(NAME, "description: 2025-01-01")),
    Probe("null as description", of(NAME, "description: null")),
    Probe("metadata is a list", of(NAME, TEXT, "metadata: [a]")),
    Probe("repeated unknown key", of(NAME, TEXT, "x: 1", "x: 2")),
    Probe("unquoted colon in an unknown key", of(NAME, TEXT, "argument-hint: a: b")),
    Probe("unquoted colon in a summary", of(NAME, TEXT, "summary: a: b")),
    Probe("two lists as one value", of(NAME, TEXT, "argument-hint: [a] [b]")),
    Probe("alias without its anchor", of(NAME, "description: *name")),
    Probe("mapping as description", of(NAME, "description: {a: b}")),
    Probe("bracketed name with a colon", of("name: [TODO: x]", TEXT)),
    Probe("backtick", of(NAME, "description: `x` does")),
    Probe("colon at the end", of(NAME, "description: Does it:")),
    Probe(
        "unquoted colon in the second line", of(NAME, "description: Does it.", "  Use when: asked")
    ),
    Probe("text after a quoted word", of(NAME, 'description: "Does" it')),
    Probe("no instructions", f"---\n{NAME}\n{TEXT}\n---\n"),
    Probe("disabled", of(NAME, TEXT, "disabled: true")),
    Probe("long folder name, no name", of(TEXT), folder=LONG),
    Probe("list as short description", of(NAME, TEXT, "metadata:", "  short-description: [a]")),
    Probe("text as paths", of(NAME, TEXT, 'paths: "src/**"')),
    Probe("text as a boolean", of(NAME, TEXT, 'user-invocable: "false"')),
    Probe("space in the name", of("name: my probe", TEXT)),
    Probe("underscore at the start", of("name: _probe", TEXT), folder="_probe"),
    Probe("space after the closing", f"---\n{NAME}\n{TEXT}\n--- \n# Probe\n\nDoes it.\n"),
    Probe("unknown tag", of(NAME, TEXT, "x: !foo bar")),
    Probe("list as frontmatter", "---\n- name\n---\n# Probe\n"),
]


@cache
def outcomes_of_probes() -> dict[str, dict[str, TargetOutcome]]:
    """The outcomes at every target, by the name of the probe."""
    return {
        probe.name: judge(locate(MemoryTree({probe.file: probe.text.encode()}, probe.folder)).skill)
        for probe in PROBES
    }


@pytest.mark.parametrize("target", recorded_targets())
def test_outcomes(target: str) -> None:
    expected = expectation(target).outcomes
    assert set(expected.values()) <= set(OUTCOMES)
    assert expected.keys() <= {probe.name for probe in PROBES}
    outcomes = {name: outcomes[target] for name, outcomes in outcomes_of_probes().items()}
    assert {
        name: outcome.outcome for name, outcome in outcomes.items() if outcome.outcome != "loads"
    } == expected
    sources = recorded_targets()[target]["sources"]
    for outcome in outcomes.values():
        for reason in outcome.reasons:
            assert re.split("[:#;]", reason.evidence)[0] in sources


def test_expectations_are_of_targets() -> None:
    assert {path.stem for path in FOLDER.iterdir()} <= set(targets())


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
