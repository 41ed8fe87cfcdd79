"""Real manifests of others: none makes us fail, and only what their authors got wrong is told."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from skillstudio.cli.formats import github, gitlab, rdjson, sarif
from skillstudio.cli.output import Paint
from skillstudio.cli.report import CheckReport, make_skill_row, report_annotations, report_lines
from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import FileTree
from skillstudio.skill.analysis import Analysis, analyse

DATA = Path(os.environ.get("SKILLSTUDIO_DATA") or Path(__file__).parents[2].parent / "shared")
CORPUS = DATA / "corpus"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no public manifests at {CORPUS}")

AUTHORS_FAULTS = {
    # Its operation `init` passes {output_dir}, which is optional and has no default.
    "skill-creator": {"placeholder-no-default"},
    # Its metadata gives the version as a number.
    "skill-system-insight": {"metadata-value"},
}
"""What public skill manifests really get wrong, warnings included."""

NOT_IN_CORPUS = {"file-missing", "script-not-executable"}
"""What the corpus cannot show, for it has neither all files nor their permissions."""

MADE_TO_BE_WRONG = (
    "anthropics+skills/template",
    "avifenesh+agnix/tests/fixtures/",
    "dacharyc+skill-validator/testdata/",
)
"""A template, and what other checkers are tested with."""

AGENT_SKILLS_FAULTS = {
    # Its description has more than 1024 characters.
    "anthropics+skills/skills/claude-api": {"description-length"},
    # Its name is postgresql-table-design.
    "wshobson+agents/plugins/database-design/skills/postgresql": {"name-folder"},
}
"""What public agent skills break of the specification."""

ROUTER_FILES = {
    "skill-system-memory.SKILL.md": ("skill-system-memory", ["agent-skills", "router-manifest-1"]),
    "illustration-only.SKILL.md": ("skill-system-router", ["agent-skills"]),
}
"""File to the folder that it stands in and the dialects of it; the second only shows a block."""


def files(pattern: str) -> list[Path]:
    return sorted(CORPUS.glob(pattern))


def with_scripts(path: Path, folder: str = "") -> MemoryTree:
    """A SKILL.md with empty files for the scripts that it names, as they are not in the corpus."""
    data = path.read_bytes()
    named = re.findall(r'"(scripts(?:/|\\\\)[^"]+)"', data.decode())
    scripts = {name.replace("\\\\", "/"): b"" for name in named}
    return MemoryTree({"SKILL.md": data, **scripts}, folder or path.parent.name)


def serious(analysis: Analysis) -> set[str]:
    rules = {each.rule for each in analysis.diagnostics if each.severity != "info"}
    return rules - NOT_IN_CORPUS


def trees() -> list[tuple[str, FileTree]]:
    """Every file of the corpus as a skill."""
    folders: list[tuple[str, FileTree]] = [
        (path.relative_to(CORPUS).as_posix(), DiskTree(path.parent))
        for path in [*files("**/SKILL.md"), *files("**/manifest.json")]
    ]
    single = [
        (name, with_scripts(CORPUS / "router-manifest" / name, folder))
        for name, (folder, _) in ROUTER_FILES.items()
    ]
    return [*folders, *single]


@pytest.mark.slow
def test_every_file_goes_through_every_format() -> None:
    report = CheckReport(uncut=True)
    for name, tree in trees():
        analysis = analyse(tree)
        for each in analysis.diagnostics:
            source = analysis.source(each.path)
            if each.span is not None:
                assert source is not None
                assert 0 <= each.span.start <= each.span.end <= len(source.text)
        report.skills.append(make_skill_row(name, analysis))
    assert len(report.skills) > 370
    findings = report.diagnostics()
    assert len(json.loads(json.dumps(report.as_json()))["skills"]) == len(report.skills)
    log = report_annotations(report, len(findings))
    assert len(json.loads(json.dumps(sarif.value(log)))["runs"][0]["results"]) == len(findings)
    assert len(json.loads(json.dumps(rdjson.value(log)))["diagnostics"]) == len(findings)
    assert len({each["fingerprint"] for each in gitlab.value(log)}) == len(findings)
    assert len(list(github.lines(log))) == len(findings)
    for plain in (False, True):
        shown = list(report_lines(report, Paint(False), plain))
        assert len(shown) > len(findings)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "".join(shown))


def test_skill_manifests_are_clean_but_for_their_authors_faults() -> None:
    paths = files("skill-manifest/**/SKILL.md")
    assert len(paths) == 9
    found = {}
    for path in paths:
        analysis = analyse(with_scripts(path))
        assert "skill-manifest-2.0" in analysis.dialects
        found[path.parent.name] = serious(analysis)
    assert {name: rules for name, rules in found.items() if rules} == AUTHORS_FAULTS


def test_provenact_manifests_are_clean() -> None:
    paths = files("provenact/**/manifest.json")
    assert len(paths) == 18
    for path in paths:
        analysis = analyse(DiskTree(path.parent))
        assert analysis.dialects == ["provenact-bundle"], path
        assert analysis.diagnostics == (), path


@pytest.mark.parametrize("name", ROUTER_FILES)
def test_router_manifests_are_clean(name: str) -> None:
    folder, dialects = ROUTER_FILES[name]
    analysis = analyse(with_scripts(CORPUS / "router-manifest" / name, folder))
    assert analysis.dialects == dialects
    assert serious(analysis) == set()


def test_agent_skills_have_the_errors_of_their_authors_alone() -> None:
    found = {}
    for path in files("agent-skills/**/SKILL.md"):
        name = path.parent.relative_to(CORPUS / "agent-skills").as_posix()
        if not name.startswith(MADE_TO_BE_WRONG):
            analysis = analyse(DiskTree(path.parent))
            found[name] = {each.rule for each in analysis.diagnostics if each.severity == "error"}
    assert len(found) > 250
    assert {name: rules for name, rules in found.items() if rules} == AGENT_SKILLS_FAULTS
