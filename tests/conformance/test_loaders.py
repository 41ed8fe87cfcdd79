"""The targets that are clients against their loaders: the decisions as code, and the programs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from tests.conformance.real_validators import DATA, corpus
from tests.manifest.targets.test_probes import PROBES, Probe
from tests.oracles.loaders import ORACLES, loaded
from tests.oracles.programs import VARIABLES, ask, at_hand

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import judge, targets

PARSER = "PyYAML does not read it as the client's parser does; the program agrees with the record"
KNOWN = {
    ("null as description", "goose"): "it shows the word null, which is no description",
    ("tab after the colon", "cline"): PARSER,
    ("tab after the colon", "codex"): PARSER,
    ("tab after the colon", "goose"): PARSER,
    ("tab after the colon", "opencode"): PARSER,
}
"""A probe and a target whose record differs from the oracle, and why."""
RECORD = {
    ("long folder name, no name", "codex"): "the limit is not applied to a folder name",
    ("list as short description", "codex"): "the type of metadata.short-description is not known",
    ("no closing line", "opencode"): "gray-matter reads the text below as YAML, too",
    ("tab before a key", "opencode"): "js-yaml allows the tab, no other reader does",
    ("unknown tag", "opencode"): "no public skill has a tag",
    ("list as frontmatter", "cline"): "it uses the folder name",
    ("four dashes", "pi"): "it reads what no other client does",
    ("key of Claude Code", "copilot-cli"): "the program lists it, and hides it from the model",
    ("long folder name, no name", "copilot-cli"): "the limit is not applied to a folder name",
    ("list as frontmatter", "copilot-cli"): "it uses the folder name and the first paragraph",
}
"""The same for what the records do not tell."""
PARSED = {("tab before a key", "opencode")}
"""Where the oracle's parser refuses what the client's allows, as our record does."""
CLIENTS = pytest.mark.parametrize("target", sorted(ORACLES))
PROGRAMS = pytest.mark.parametrize("target", sorted(VARIABLES))
IN_PROJECTS = sorted(VARIABLES.keys() - {"hermes"})
"""The programs that look in projects; the others look only in the home folder."""


def skill(probe: Probe) -> Skill:
    return locate(MemoryTree({probe.file: probe.text.encode()}, probe.folder)).skill


def listed(target: str, skill: Skill) -> str:
    """Whether our record says that the skill is dropped, or listed with or without a text."""
    outcome = judge(skill, selected_ids=[target])[target].outcome
    kept = ("dropped", "listed without description")
    return outcome if outcome in kept else "loads"


def lists(target: str, description: str | None) -> str:
    """The same for what a loader found. Cline's list has names only."""
    if description is None:
        return "dropped"
    return "loads" if description or target == "cline" else "listed without description"


@pytest.mark.slow
@CLIENTS
def test_probes_have_the_outcome_of_the_sources(target: str) -> None:
    found = set()
    for probe in PROBES:
        if probe.file != "SKILL.md":
            continue
        own = loaded(target, probe.text.encode(), probe.folder)
        if listed(target, skill(probe)) != lists(target, own and own.description):
            found.add((probe.name, target))
    assert found == {each for each in KNOWN | RECORD if each[1] == target} - PARSED


@pytest.mark.slow_cases("codex", "goose")
@CLIENTS
def test_public_skills_have_the_outcome_of_the_sources(target: str) -> None:
    folders = corpus()
    if not folders:
        pytest.skip(f"no public skills at {DATA / 'corpus'}")
    found = []
    for folder in folders:
        own = loaded(target, (folder / "SKILL.md").read_bytes(), folder.name)
        ours = listed(target, locate(DiskTree(folder)).skill)
        if ours != lists(target, own and own.description):
            found.append((folder, ours, own))
    assert not found
    assert len(folders) > 300


@PROGRAMS
def test_probes_have_the_outcome_of_the_program(target: str, tmp_path: Path) -> None:
    if at_hand(target) is None:
        pytest.skip(f"the program of {target} is not here; {VARIABLES[target]} names it")
    projects = []
    for number, probe in enumerate(PROBES):
        folder = tmp_path / str(number) / ".agents" / "skills" / probe.folder
        folder.mkdir(parents=True)
        (folder / probe.file).write_bytes(probe.text.encode())
        projects.append(tmp_path / str(number))
    found = set()
    for probe, skills in zip(PROBES, ask(target, projects, tmp_path / "home"), strict=True):
        text = skills[0]["description"] if skills else None
        if listed(target, skill(probe)) != lists(target, text):
            found.add((probe.name, target))
    assert found == {each for each in RECORD if each[1] == target}


EVERYWHERE = "cline codex copilot-cli gemini-cli opencode pi qwen"


class Place(NamedTuple):
    """Where a skill lies in a project, what leads there, and the targets that find it."""

    file: str
    link: str = ""
    to: str = ""
    found: str = EVERYWHERE


PLACES = {
    "SKILL.md is a link": Place(
        "real/SKILL.md",
        ".agents/skills/probe/SKILL.md",
        "../../../real/SKILL.md",
        "cline copilot-cli gemini-cli opencode pi qwen",
    ),
    "folder is a link": Place("real/SKILL.md", ".agents/skills/probe", "../../real"),
    "root is a link": Place(
        "real/probe/SKILL.md", ".agents/skills", "../real", f"{EVERYWHERE} openclaw"
    ),
    "two deep": Place(
        ".agents/skills/a/probe/SKILL.md", found="codex copilot-cli openclaw opencode pi"
    ),
    "six deep": Place(
        ".agents/skills/1/2/3/4/5/probe/SKILL.md", found="codex copilot-cli openclaw opencode pi"
    ),
    "seven deep": Place(
        ".agents/skills/1/2/3/4/5/6/probe/SKILL.md", found="copilot-cli opencode pi"
    ),
    "lower-case file name": Place(".agents/skills/probe/skill.md", found=""),
    ".claude": Place(".claude/skills/probe/SKILL.md", found="copilot-cli opencode"),
    ".cline": Place(".cline/skills/probe/SKILL.md", found="cline"),
    ".clinerules": Place(".clinerules/skills/probe/SKILL.md", found="cline"),
    ".codex": Place(".codex/skills/probe/SKILL.md", found="codex"),
    ".gemini": Place(".gemini/skills/probe/SKILL.md", found="gemini-cli"),
    ".opencode": Place(".opencode/skills/probe/SKILL.md", found="opencode"),
    ".github": Place(".github/skills/probe/SKILL.md", found="copilot-cli"),
    ".qwen": Place(".qwen/skills/probe/SKILL.md", found="qwen"),
    ".pi": Place(".pi/skills/probe/SKILL.md", found="pi"),
    ".opencode, singular": Place(".opencode/skill/probe/SKILL.md", found="opencode"),
}


@pytest.mark.parametrize("target", IN_PROJECTS)
def test_skills_are_found_where_the_program_finds_them(target: str, tmp_path: Path) -> None:
    if at_hand(target) is None:
        pytest.skip(f"the program of {target} is not here; {VARIABLES[target]} names it")
    projects = []
    for number, place in enumerate(PLACES.values()):
        project = tmp_path / str(number)
        file = project / place.file
        file.parent.mkdir(parents=True)
        file.write_text("---\nname: probe\ndescription: Does it.\n---\n# Probe\n\nDoes it.\n")
        if place.link:
            (project / place.link).parent.mkdir(parents=True, exist_ok=True)
            (project / place.link).symlink_to(place.to)
        projects.append(project)
    answers = ask(target, projects, tmp_path / "home")
    found = {name for name, skills in zip(PLACES, answers, strict=True) if skills}
    assert found == {name for name, each in PLACES.items() if target in each.found.split()}


@pytest.mark.parametrize("name", PLACES)
def test_the_records_say_where_skills_are_found(name: str) -> None:
    place = PLACES[name]
    found = set()
    for target in IN_PROJECTS:
        discovery = targets()[target]["discovery"]
        at = (place.link or place.file).removesuffix("/SKILL.md").removesuffix("/skill.md")
        at = f"{at}/probe" if name == "root is a link" else at
        depth = discovery["depth"]["is"] or 100
        under = [each for each in discovery["roots"]["is"] if at.startswith(f"{each}/")]
        near = any(at.removeprefix(f"{each}/").count("/") < depth for each in under)
        links = name != "SKILL.md is a link" or discovery["file-links"]["is"]
        links = links and (name != "folder is a link" or discovery["folder-links"]["is"])
        if near and links and not place.file.endswith("skill.md"):
            found.add(target)
    assert found == set(place.found.split())
