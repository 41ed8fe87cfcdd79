"""The examples of `explain`: the bad one fires its rule in `check`, and the good one does not."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.commands import Run
from tests.journeys.bad_inputs import permissions
from tests.manifest.explained.made import MADE, QUOTED, REMARKS, Closed, Content, Fifo, Link

from skillstudio.manifest.rulebook import all_rules

__all__ = ["permissions"]

HERE = Path(__file__).parent
TABLE: dict[str, Any] = yaml.safe_load((HERE / "frames.yaml").read_text(encoding="utf-8"))
ROWS = [(rule, frame) for frame, rules in TABLE["rules"].items() for rule in rules]
EXAMPLES = HERE.parents[2] / "examples"
OF_A_TARGET = {"value-ignored", "tool-unknown", "skill-unreachable", "argument-substituted"}
"""Rules about keys and words that only a selected target reads."""
PLAIN = "---\nname: skill\ndescription: Does a thing. Use it.\n---\nRun scripts/a.sh.\n"
CARO = (
    '[skill]\nid = "cloud.aws"\nname = "AWS"\nversion = "1.0.0"\ndescription = "Lists."\n'
    'api_version = "1.0"\n[provides]\nrecipes = true\n[capabilities.terminal_exec]\n'
    "allowed = true\ncommands = []\n"
)


def framed(text: str, example: str) -> str:
    before, _, _ = text.partition("«»")
    indent = " " * (len(before) - before.rfind("\n") - 1)
    indent = indent if not before.rpartition("\n")[2].strip(" -") else ""
    # A remark follows three spaces.
    lines = [re.sub(r"(?<=\S) {3,}\S.*$", "", each) for each in example.strip("\n").split("\n")]
    return text.replace("«»", f"\n{indent}".join(lines))


@pytest.mark.parametrize(("rule", "frame"), ROWS)
def test_the_bad_example_fires_and_the_good_one_does_not(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, frame: str
) -> None:
    monkeypatch.chdir(tmp_path)
    record = all_rules()[rule]
    given = TABLE["frames"][frame]
    found = {}
    for which, example in (("bad", record.bad), ("good", record.good)):
        root = tmp_path / which
        if frame == "proto":
            shutil.copytree(EXAMPLES, root, ignore=shutil.ignore_patterns(".git"))
            checked = root / "day.yaml"
            checked.write_text(example.strip("\n") + "\n")
        else:
            checked = root / given.get("folder", "skill")
            path = checked / given.get("path", "SKILL.md")
            path.parent.mkdir(parents=True)
            path.write_text(framed(given["text"], example))
            (checked / "scripts").mkdir(exist_ok=True)
            (checked / "scripts" / "report.py").touch()
            (checked / "scripts" / "run.sh").touch()
            if given.get("path", "").startswith("recipes"):
                (checked / "skill.toml").write_text(CARO)
            if path.name.endswith(".sh"):
                (checked / "SKILL.md").write_text(PLAIN)
            if rule == "provides-undeclared":
                (checked / "recipes").mkdir()
        options = () if record.enabled else ("--select", rule)
        if rule in OF_A_TARGET:
            options = ("--target", "claude-code")
        value = run("check", checked, *options, "--format", "json").json
        rows = [*value["workspace"]["diagnostics"]]
        rows += [each for skill in value["skills"] for each in skill["diagnostics"]]
        found[which] = {each["rule"] for each in rows}
    assert rule in found["bad"]
    assert rule not in found["good"]


@pytest.mark.parametrize("rule", TABLE["cases"])
def test_what_the_examples_say_in_words(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = {}
    for which in ("bad", "good"):
        checked = tmp_path / which / "skill"
        for name, text in TABLE["cases"][rule][which].items():
            path = checked / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        value = run("check", checked, "--format", "json").json
        rows = [*value["workspace"]["diagnostics"]]
        rows += [each for skill in value["skills"] for each in skill["diagnostics"]]
        found[which] = {each["rule"] for each in rows}
    assert rule in found["bad"]
    assert rule not in found["good"]


def put(root: Path, files: Mapping[str, Content]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.to)
        elif isinstance(content, Fifo):
            os.mkfifo(path)
        elif isinstance(content, Closed):
            path.mkdir()
            path.chmod(0)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if path.parent.name == "bin":
            path.chmod(0o755)


def made_example(rule: str, which: str) -> tuple[Mapping[str, Content], tuple[str, ...], str]:
    if rule in MADE:
        made = MADE[rule]
        return made.bad if which == "bad" else made.good, made.options, made.checked
    example = getattr(all_rules()[rule], which)
    text = re.split("|".join(map(re.escape, REMARKS)), example)[0]
    keeps = rule == "recipe-command-not-allowed"
    return QUOTED[rule](example if keeps else text), (), "."


@pytest.mark.usefixtures("permissions")
@pytest.mark.parametrize("rule", [*MADE, *QUOTED])
def test_examples_that_need_more_than_a_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    found = {}
    for which in ("bad", "good"):
        files, options, checked = made_example(rule, which)
        root = tmp_path / which
        put(root, files)
        if "{}" in checked:
            checked = next(iter(files))
        monkeypatch.chdir(root)
        monkeypatch.setenv("DEPLOY_TOKEN", "x")
        monkeypatch.setenv("PATH", f"{root / 'bin'}:{os.environ['PATH']}")
        value = run("check", checked, *options, "--format", "json").json
        rows = [*value["workspace"]["diagnostics"]]
        rows += [each for skill in value["skills"] for each in skill["diagnostics"]]
        found[which] = {each["rule"] for each in rows}
        for name, content in files.items():
            if isinstance(content, Closed):
                (root / name).chmod(0o700)
    assert rule in found["bad"], found
    assert rule not in found["good"], found


def test_every_rule_has_an_example_here_or_a_test_elsewhere() -> None:
    rules = {rule for rule, _ in ROWS} | set(TABLE["cases"]) | set(MADE) | set(QUOTED)
    elsewhere = set(TABLE["elsewhere"])
    assert rules | elsewhere == set(all_rules())
    assert not rules & elsewhere
    own = [path for path in HERE.parents[1].rglob("*") if path.suffix in (".py", ".yaml")]
    texts = [path.read_text(encoding="utf-8") for path in own if path.parent != HERE]
    assert [rule for rule in elsewhere if not any(rule in text for text in texts)] == []
