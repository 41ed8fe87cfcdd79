"""Targets against the programs that they stand for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.conformance.real_validators import DATA, corpus, disagreements, program, verdicts
from tests.manifest.targets.test_probes import PROBES
from tests.manifest.test_targets import CASES

KNOWN: dict[str, dict[str, str]] = {"skills-ref": {}, "claude-upload": {}, "gemini-cli": {}}
"""Folder in the corpus to why target and program differ there."""
KNOWN_CASES: dict[str, dict[str, str]] = {each: {} for each in KNOWN}
"""The same of the texts below."""

TARGETS = pytest.mark.parametrize("target", sorted(KNOWN))


def real(target: str) -> Path:
    at = program(target)
    if at is None:
        variable = {
            "skills-ref": "SKILLSTUDIO_SKILLS_REF",
            "claude-upload": "SKILLSTUDIO_QUICK_VALIDATE",
            "gemini-cli": "SKILLSTUDIO_GEMINI_CORE",
        }[target]
        pytest.skip(f"the program behind {target} is not here; {variable} names it")
    return at


@TARGETS
def test_real_skills_get_the_same_verdict(target: str) -> None:
    at, folders = real(target), corpus()
    if not folders:
        pytest.skip(f"no public skills at {DATA / 'corpus'}")
    base = DATA / "corpus" / "agent-skills"
    found = disagreements(target, at, folders)
    assert len(folders) > 300
    assert {each.folder.relative_to(base).as_posix() for each in found} == set(KNOWN[target])
    assert len(found) < len(folders) / 100


@TARGETS
def test_texts_at_the_limits_get_the_same_verdict(target: str, tmp_path: Path) -> None:
    at = real(target)
    folders = []
    cases = [text for text, _ in CASES] + [each.text for each in PROBES]
    for number, text in enumerate(cases):
        folder = tmp_path / str(number) / "worklog"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(text.encode())
        folders.append(folder)
    found = disagreements(target, at, folders)
    texts = {(each.folder / "SKILL.md").read_bytes().decode() for each in found}
    assert texts == set(KNOWN_CASES[target])


@pytest.mark.slow
def test_the_command_says_what_its_process_for_many_says() -> None:
    """A few folders through `agentskills validate` itself."""
    at, folders = real("skills-ref"), corpus()[::23]
    if not folders:
        pytest.skip(f"no public skills at {DATA / 'corpus'}")
    alone = [
        subprocess.run([at, "validate", folder], capture_output=True, check=False).returncode == 0
        for folder in folders
    ]
    assert verdicts("skills-ref", at, folders) == alone
    assert {True, False} <= set(alone)
