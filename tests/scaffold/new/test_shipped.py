"""Every template that comes along: what a fresh skill of it holds, and that it is true.

What it is by commands, its own tests and its dry runs, is in journeys/test_templates.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.scaffold.new.building import kept

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.targets import recorded_targets
from skillstudio.manifest.wasm import Export, Signature, read_exports
from skillstudio.scaffold.new.catalogue import list_templates, open_template
from skillstudio.scaffold.new.creation import create, draft
from skillstudio.scaffold.new.interview import Interview
from skillstudio.skill.analysis import analyse

NO_TARGET: set[str] = set()
ALL = set(recorded_targets())
CLIENTS = {id for id, each in recorded_targets().items() if each["kind"] == "client"}
TEMPLATES = {
    "agent-skills": (["agent-skills"], ALL),
    "caro-1.0": (["caro-1.0"], NO_TARGET),
    "data-report": (["agent-skills", "frontmatter-1.0"], CLIENTS),
    "frontmatter-1.0": (["agent-skills", "frontmatter-1.0"], CLIENTS),
    "knowledge": (["agent-skills"], ALL),
    "provenact-1": (["provenact-1"], NO_TARGET),
    "recipe": (["caro-1.0"], NO_TARGET),
    "script-tool": (["agent-skills", "skill-manifest-2.0"], ALL),
    "skill-manifest-2.0": (["agent-skills", "skill-manifest-2.0"], ALL),
}
"""The systems of a template's skill, and the targets that such a skill can meet: those of caro and
provenact have no SKILL.md, and validators allow none of the keys of frontmatter-1.0."""

HARD = 'Says "it\'s so": with \\ a backslash, ümläuts # and {{x}} [[y]] [% z %]. Use it when asked.'
"""A description with what YAML, JSON, TOML and templates each have to be kept from reading."""

Make = Callable[..., Path]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Make a skill of a template, every other question answered by its default.

    The tests only read what is made, so what was made once serves them all.
    """
    known: dict[tuple[str, str], Path] = {}

    def once(name: str, **given: str) -> Path:
        key = (name, str(given))
        if key not in known:
            target = tmp_path_factory.mktemp(name) / "a-skill"
            with open_template(name) as template, kept(Interview(template, "a-skill")) as interview:
                asked = interview.walk(given)
                assert [each.sentences for each in asked if each.problems] == []
                made = draft(interview, {each.name: each.answer for each in asked})
                create(made, str(target))
            known[key] = target
        return known[key]

    return once


def test_these_are_the_templates() -> None:
    listing = list_templates()
    assert listing.faults == []
    assert set(listing.templates) == set(TEMPLATES)
    for each in listing.templates.values():
        assert each.description.endswith(".")
        assert each.dialect in TEMPLATES[each.name][0]
        assert all(question.help for question in each.questions)
        assert "example" in each.next or "TODO" in each.next


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("description", ["", HARD])
def test_a_fresh_skill_is_clean(make: Make, name: str, description: str) -> None:
    asks = [each.name for each in list_templates().templates[name].questions]
    given = {"description": description} if description and "description" in asks else {}
    skill = make(name, **given)
    found = analyse(DiskTree(skill))
    dialects, targets = TEMPLATES[name]
    assert found.dialects == dialects
    assert {id for id, each in found.targets.items() if each.is_accepted} == targets
    said = [each.rule for each in found.diagnostics if each.severity != "info"]
    # Nobody but the author knows what a plain skill is for.
    assert said == (["todo-left"] if name == "agent-skills" and not given else [])
    if given:
        texts = [
            manifest.document.value for manifest in found.manifests if manifest.part == "manifest"
        ]
        assert any(
            HARD in (value.get("description"), value.get("skill", {}).get("description"))
            for value in texts
        )


FORM = "Fills in PDF forms"
ASKED = "the user asks for a form"


@pytest.mark.parametrize(
    ("given", "description"),
    [
        ({}, "TODO: what the skill does and when to use it"),
        ({"purpose": f"{FORM}."}, f"TODO: add when to use it: {FORM}."),
        ({"use_when": ASKED}, f"TODO: add what it does. Use when {ASKED}."),
        ({"purpose": FORM, "use_when": f"{ASKED}."}, f"{FORM}. Use when {ASKED}."),
        ({"purpose": f" {FORM}. ", "use_when": f"Use when {ASKED}"}, f"{FORM}. Use when {ASKED}."),
        ({"purpose": FORM, "description": "Mine. Use for forms."}, "Mine. Use for forms."),
    ],
)
def test_a_plain_skill_is_described_by_the_answers(
    make: Make, given: dict[str, str], description: str
) -> None:
    text = (make("agent-skills", **given) / "SKILL.md").read_text(encoding="utf-8")
    assert f'description: "{description}"\n' in text
    assert ("\n\nTODO: what the skill is for" in text) is ("purpose" not in given)
    assert (f"\n\n{FORM}.\n\n## Requirements\n\nTODO: " in text) is ("purpose" in given)
    assert "\n\n## Result\n\nTODO: " in text
    assert "\n\n## Limits\n\nTODO: " in text


@pytest.mark.parametrize(
    ("steps", "lines"),
    [
        ("", ["1. TODO: the first step", "2. TODO: how to verify"]),
        ("Read it; Fill it;", ["1. Read it", "2. Fill it"]),
        ("1. Read; it\n\n2) Fill it\n- Show it\n", ["1. Read; it", "2. Fill it", "3. Show it"]),
        ("3 times: run it", ["1. 3 times: run it"]),
    ],
)
def test_a_plain_skill_lists_its_steps(make: Make, steps: str, lines: list[str]) -> None:
    text = (make("agent-skills", steps=steps) / "SKILL.md").read_text(encoding="utf-8")
    written = text.partition("## Steps\n\n")[2].partition("\n\n## Result")[0].split("\n")
    assert len(written) == len(lines)
    assert all(map(str.startswith, written, lines)), written


NAMES = ("123", "null", "1e5", "on", "true", "0x1f", "0o7", "1-30", "2026-01-01", "no", "y")
"""Legal names that some YAML reader takes for another type."""
UNDERSCORED = ("1_000", "0b1_0")
"""The same with a character that only names outside of SKILL.md may contain."""


@pytest.mark.parametrize(
    ("template", "word"),
    [
        *(("agent-skills", word) for word in NAMES),
        *((template, word) for template in sorted(TEMPLATES) for word in ("null", "2026-01-01")),
        *((template, word) for template in ("caro-1.0", "provenact-1") for word in UNDERSCORED),
    ],
)
def test_a_name_stays_a_string(tmp_path: Path, template: str, word: str) -> None:
    target = tmp_path / word
    with open_template(template) as opened, kept(Interview(opened, word)) as interview:
        asked = interview.walk({})
        create(draft(interview, {each.name: each.answer for each in asked}), str(target))
    found = analyse(DiskTree(target))
    expected = {"todo-left"} if template == "agent-skills" else set()
    assert {each.rule for each in found.diagnostics if each.severity != "info"} == expected
    for manifest in found.manifests:
        if manifest.part == "manifest" and manifest.text_of("name"):
            assert word in (manifest.text_of("name"), manifest.text_of("name").lower())


@pytest.mark.parametrize("name", TEMPLATES)
def test_nothing_of_this_machine_is_in_it(make: Make, name: str) -> None:
    skill = make(name)
    for path in skill.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert str(skill.parent).encode() not in data
            assert b"[[" not in data
            assert b"[%" not in data
            assert path.suffix != ".jinja"


@pytest.mark.parametrize("name", ["caro-1.0", "recipe"])
@pytest.mark.parametrize("word", ["my.skill", "My", "-a", "a b"])
def test_a_name_that_is_no_part_of_an_id(name: str, word: str) -> None:
    with open_template(name) as template, kept(Interview(template, "a-skill")) as interview:
        asked = {each.name: each for each in interview.walk({"name": word})}
    (sentence,) = asked["name"].sentences
    assert "the name is part of the id" in sentence


@pytest.mark.parametrize("name", ["data-report", "script-tool"])
def test_its_scripts_are_in_order(make: Make, name: str) -> None:
    """Linted as they are in the new skill, where no template is left in them."""
    ruff = Path(sys.executable).parent / "ruff"
    rules = ["--isolated", "--select", "E,F,W,I,B,UP,SIM,RUF", "--line-length", "100"]
    done = subprocess.run(
        [str(ruff), "check", *rules, str(make(name))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("df")), reason="needs bash and df")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["/"], "ok"), ([], "error"), ([""], "error"), (["/no/such"], "error")],
)
def test_the_operation_of_skill_manifest(make: Make, arguments: list[str], status: str) -> None:
    skill = make("skill-manifest-2.0")
    done = subprocess.run(
        ["bash", "scripts/free.sh", *arguments],
        cwd=skill,
        capture_output=True,
        text=True,
        check=False,
    )
    answer = json.loads(done.stdout.splitlines()[-1])
    assert (answer["status"], done.returncode, done.stderr) == (status, int(status != "ok"), "")
    assert answer["bytes"] > 0 if status == "ok" else answer["error"]


def test_the_module_of_provenact_is_the_one_that_the_manifest_pins(make: Make) -> None:
    skill = make("provenact-1")
    manifest = json.loads((skill / "manifest.json").read_text(encoding="utf-8"))
    module = (skill / manifest["entrypoint"]["path"]).read_bytes()
    assert manifest["artifact"] == f"sha256:{hashlib.sha256(module).hexdigest()}"
    assert manifest["id"] == "local.a_skill"
    assert read_exports(module) == {
        "memory": Export("memory", None),
        "_start": Export("function", Signature((), ())),
    }


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_steps_of_the_recipes_do_what_they_say(make: Make, tmp_path: Path) -> None:
    import yaml

    skill = make("recipe")
    work = tmp_path / "work"
    work.mkdir()
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }

    def run(command: str) -> str:
        done = subprocess.run(
            command.split(), cwd=work, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    run("git init --quiet")
    commit = "git -c user.name=a -c user.email=a@example.org commit --quiet -m"
    for name in ("one", "two"):
        (work / name).write_text(name)
        run(f"git add {name}")
        run(f"{commit} {name}")
    show = yaml.safe_load((skill / "recipes" / "recent-commits.yaml").read_text())
    assert "two" in run(show["steps"][0]["command"].replace("{{count}}", "1"))
    undo = yaml.safe_load((skill / "recipes" / "undo-commit.yaml").read_text())
    run(undo["preconditions"][1]["script"])
    for step in undo["steps"]:
        run(step["command"])
    assert run(undo["verification"][0]["check"]) == "A  two\n"
    run(undo["rollback"][0]["command"])
    assert run("git log --format=%s") == "two\none\n"


@pytest.mark.skipif(os.name == "nt", reason="modes of Unix")
def test_scripts_may_be_run(make: Make) -> None:
    for name, script in [
        ("script-tool", "scripts/count.py"),
        ("data-report", "scripts/report.py"),
        ("skill-manifest-2.0", "scripts/free.sh"),
    ]:
        assert (make(name) / script).stat().st_mode & 0o100
