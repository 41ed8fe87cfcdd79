"""The examples and real skills moved between dialects: every leaf told, results clean."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.conformance.real_validators import ROOT, corpus, program, verdicts
from tests.scaffold.conversion.difftest import assert_the_interfaces_differ_as_told
from tests.scaffold.conversion.leaftest import assert_every_leaf_is_told

from skillstudio.files.disk import DiskTree
from skillstudio.files.placing import place
from skillstudio.files.tree import FileTree
from skillstudio.manifest.agent_skills.rules import is_name
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import judge
from skillstudio.scaffold.conversion.convert import ConversionRefused, convert
from skillstudio.scaffold.conversion.export import ExportRefused, export
from skillstudio.scaffold.conversion.result_tree import CopiedFiles
from skillstudio.scaffold.conversion.source_checks import SourceUnusable
from skillstudio.skill.analysis import analyse
from skillstudio.skill.discover import find_skills

TARGETS = ["agent-skills", "frontmatter-1.0", "skill-manifest-2.0"]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.name != "history")

STILL = {
    "path-missing": "the corpus has not every script that the blocks of some skills start",
    "placeholder-no-default": "a command refers to a value that has no default, as it did before",
    "description-length": "convert cuts no text; export does",
    "compatibility-length": "convert cuts no text, and only the author can shorten it",
    "file-large": "it is the text for agents that is long, which stays as it is",
}
"""What a check still finds in results whose source broke the same rule, and why."""
_BLOCKS = "skill-manifest/arthur0824hao+skills/skills"
_OF_BLOCKS = ["skill-manifest-2.0"]
NOT_CLEAN = [
    (f"{_BLOCKS}/skill-creator", _OF_BLOCKS, {"path-missing", "placeholder-no-default"}),
    (f"{_BLOCKS}/skill-installer", _OF_BLOCKS, {"path-missing"}),
    (f"{_BLOCKS}/skill-system-memory", _OF_BLOCKS, {"path-missing"}),
    (f"{_BLOCKS}/skill-system-router", _OF_BLOCKS, {"path-missing"}),
    (
        "agent-skills/anthropics+skills/skills/claude-api",
        TARGETS,
        {"file-large", "description-length"},
    ),
    (
        "agent-skills/dacharyc+skill-validator/testdata/invalid-skill",
        TARGETS,
        {"compatibility-length"},
    ),
]
"""All real skills whose results are not clean: where they lie, for which systems, what is found."""
RESERVED = {"anthropic", "claude"}
"""Words in the names of some skills that `claude-upload` does not allow there."""
SHARE = 0.95
"""Of the real skills that a target refuses, so many are accepted once they are exported."""


def serious(tree: FileTree) -> Counter[str]:
    """The rules that a skill breaks, but for what is left to its author."""
    found = (e.rule for e in analyse(tree).diagnostics if e.severity != "info")
    return Counter(rule for rule in found if rule != "todo-left")


def hold(folder: Path, to: str) -> None:
    """Convert one skill; raises ConversionRefused and Unsound."""
    located = locate(DiskTree(folder))
    made = convert(located, to, folder.name if is_name(folder.name) else "some-skill")
    new = locate(made.tree).skill
    assert_every_leaf_is_told(made.report, located.skill, new)
    assert_the_interfaces_differ_as_told(made.report, located.skill, new)
    # What was wrong with the files and the text is so still; nothing new is.
    left, before = serious(made.tree), serious(DiskTree(folder))
    assert left <= before, folder
    assert set(left) <= STILL.keys() if made.texts else left == before, folder


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_convert_and_are_clean(folder: Path, to: str) -> None:
    hold(folder, to)
    made = convert(locate(DiskTree(folder)), to, folder.name)
    assert serious(made.tree) == Counter()


def test_the_example_of_provenact_becomes_a_bundle() -> None:
    hold(ROOT / "examples" / "echo-json", "provenact-bundle")


@pytest.mark.parametrize("to", TARGETS)
def test_real_blocks_and_bundles_convert(data: Path, to: str) -> None:
    for kind, least in (("skill-manifest", 9), ("provenact", 18)):
        root = data / "corpus" / kind
        folders = [root / inside for inside in find_skills(DiskTree(root))]
        assert len(folders) >= least
        for folder in folders:
            hold(folder, to)


def test_real_agent_skills_convert(data: Path) -> None:
    unread = []
    for number, folder in enumerate(corpus()[::5]):
        try:
            hold(folder, TARGETS[number % len(TARGETS)])
        except (SourceUnusable, ConversionRefused) as refused:
            unread.append((folder, str(refused)))
    assert len(unread) <= 1, unread


@pytest.mark.parametrize(("folder", "to", "rules"), NOT_CLEAN)
def test_what_breaks_rules_breaks_them_still(
    data: Path, folder: str, to: list[str], rules: set[str]
) -> None:
    for each in TARGETS:
        made = convert(locate(DiskTree(data / "corpus" / folder)), each, Path(folder).name)
        assert set(serious(made.tree)) == (rules if each in to else set())
        assert rules <= STILL.keys()


def test_a_real_router_manifest_converts(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "skill-system-memory"
    folder.mkdir()
    file = data / "corpus" / "router-manifest" / "skill-system-memory.SKILL.md"
    shutil.copyfile(file, folder / "SKILL.md")
    for to in TARGETS:
        hold(folder, to)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], dict[str, str]]:
    """The real skills that `claude-upload` refuses: their copies for it, and why some have none."""
    out = tmp_path_factory.mktemp("copies")
    made: list[Path] = []
    reasons: dict[str, str] = {}
    for number, folder in enumerate(corpus()):
        located = locate(DiskTree(folder))
        if judge(located.skill)["claude-upload"].accepted:
            continue
        usable = is_name(folder.name) and not RESERVED & set(folder.name.split("-"))
        name = folder.name if usable else "some-skill"
        try:
            copy = export(located, "claude-upload", name)
        except SourceUnusable as refused:
            reasons[folder.name] = refused.faults[0]
            continue
        except ExportRefused as refused:
            reasons[folder.name] = str(refused)
            continue
        assert copy.report.lost == ()
        assert_every_leaf_is_told(copy.report, located.skill, locate(copy.tree).skill)
        made.append(out / str(number) / name)
        place(CopiedFiles(copy.tree), str(made[-1]))
    return made, reasons


@pytest.mark.slow
def test_nearly_all_that_are_refused_can_be_exported(
    data: Path, copies: tuple[list[Path], dict[str, str]]
) -> None:
    made, reasons = copies
    assert len(made) >= SHARE * (len(made) + len(reasons))
    assert reasons == {
        "broken-frontmatter": "SKILL.md:3:1: YAML does not allow tabs for indentation; use spaces",
        "invalid-skill": "the skill has no description; add one",
        "skill-gamma": "the skill has no description; add one",
    }
    for folder in made:
        verdict = judge(locate(DiskTree(folder)).skill)
        assert all(verdict[each].accepted for each in ("claude-upload", "skills-ref", "spec"))


@pytest.mark.slow_cases("skills-ref")
@pytest.mark.parametrize("target", ["skills-ref", "claude-upload"])
def test_the_real_programs_accept_the_copies(
    data: Path, copies: tuple[list[Path], dict[str, str]], target: str
) -> None:
    at = program(target)
    if at is None:
        pytest.skip(f"the program behind {target} is not here")
    made, reasons = copies
    accepted = sum(verdicts(target, at, made))
    assert accepted >= SHARE * (len(made) + len(reasons))
    assert accepted == len(made)
