"""Runs stay where they belong: from which folder a verb takes which run, and which it refuses."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run
from tests.session.kept_runs import keep_run

from skillstudio.cli import applying
from skillstudio.cli.output import say
from skillstudio.dryrun.traces.scope import find_run, scope_of
from skillstudio.dryrun.traces.store import RunStore, RunUnknown, default_folder

RUNS = {
    name: f"2026112{day}T101112-123{name}{name}{name}{name}" for day, name in enumerate("abcdef", 1)
}
"""Each run is newer than the one before it."""
SKILLS = {
    "a": "one/skills/tea",
    "b": "one/skills/pot",
    "c": "two/skills/tea",
    "d": "plain/cup",
    "e": "one/vendor/lib/can",
}
"""The skill of each run; its workspace is the folder above, which is then replaced."""
WORKSPACES = {"a": "one", "b": "one/skills", "c": "two", "d": "plain", "e": "one/vendor/lib"}
REPOSITORIES = ("one", "two", "one/vendor/lib")


@pytest.fixture
def ground(tmp_path: Path) -> Path:
    """Two repositories, a third in one of them, and a folder in none."""
    base = tmp_path / "ground"
    for name, skill in SKILLS.items():
        folder = base / skill
        (folder / "deep/er").mkdir(parents=True)
        (folder / "SKILL.md").write_text(CLEAN.format(name=folder.name))
        (base / WORKSPACES[name] / "old.txt").write_text("old\n")
    for each in REPOSITORIES:
        (base / each / ".git").mkdir()
    (base / "plain/sub").mkdir()
    (base / "elsewhere").mkdir()
    return base


def record(base: Path, name: str, workspace: str = "") -> str:
    """Keep a run of a skill that removed `old.txt` from its workspace."""
    folder = base / (workspace or WORKSPACES[name])
    stand_in = base.parent / f"stand-in-{name}"
    (stand_in / Path(SKILLS[name]).name).mkdir(parents=True)
    (stand_in / "old.txt").write_text("old\n")
    keep_run(
        Path(default_folder()), stand_in / Path(SKILLS[name]).name, {}, RUNS[name],
        roots=(folder, base / SKILLS[name]),
    )  # fmt: skip
    return RUNS[name]


SCOPES: list[tuple[str, str, str | None]] = [
    # current folder, recorded runs (oldest first), the one that `last` is
    ("one", "a", "a"),
    ("one", "ab", "b"),
    ("one/vendor", "ab", "b"),
    ("one/skills/tea", "ab", "a"),
    ("one/skills/tea/deep/er", "ab", "a"),
    ("one/skills/pot", "ab", "b"),
    ("one/skills/pot", "a", "a"),  # The skill has no run: the workspace's last one.
    ("one", "ac", "a"),
    ("one", "c", None),
    ("two", "a", None),
    ("two/skills/tea", "a", None),  # The same name in another repository is another skill.
    ("one", "ae", "a"),  # A repository in a repository is another workspace.
    ("one/vendor/lib", "ae", "e"),
    ("one/vendor/lib", "a", None),
    ("one/vendor/lib/can/deep", "aec", "e"),
    ("plain", "ad", "d"),
    ("plain/sub", "ad", "d"),
    ("plain/cup/deep", "ad", "d"),
    ("elsewhere", "abcde", None),
    ("", "abcde", None),
]


@pytest.mark.parametrize(("here", "recorded", "last"), SCOPES)
def test_last_is_the_newest_run_of_the_skill_else_of_the_workspace(
    ground: Path, here: str, recorded: str, last: str | None
) -> None:
    for name in recorded:
        record(ground, name)
    store, scope = RunStore(default_folder()), scope_of(str(ground / here))
    if last is None:
        with pytest.raises(RunUnknown) as refused:
            find_run(store, "last", scope)
        assert f"no run is recorded for the workspace {scope.workspace};" in str(refused.value)
        assert "skillstudio trace list" in str(refused.value)
    else:
        assert find_run(store, "last", scope).recorded_run.run == RUNS[last]


def test_last_follows_links_to_the_current_folder(ground: Path) -> None:
    record(ground, "a")
    record(ground, "c")
    (ground / "elsewhere/link").symlink_to(ground / "one/skills/tea")
    scope = scope_of(str(ground / "elsewhere/link"))
    assert find_run(RunStore(default_folder()), "last", scope).recorded_run.run == RUNS["a"]


def test_a_newer_run_that_cannot_be_read_is_nobodys_last(ground: Path) -> None:
    record(ground, "a")
    record(ground, "b")
    Path(default_folder(), RUNS["b"], "trace.json").write_text("{")
    scope = scope_of(str(ground / "one"))
    assert find_run(RunStore(default_folder()), "last", scope).recorded_run.run == RUNS["a"]


VERBS: Mapping[str, tuple[str, ...]] = {
    "apply": ("apply", "RUN"),
    "apply --check": ("apply", "RUN", "--check"),
    "apply --patch": ("apply", "RUN", "--patch", "p"),
    "adopt": ("adopt", "RUN"),
    "adopt --write": ("adopt", "RUN", "--write"),
    "trace show": ("trace", "show", "RUN"),
    "trace diff": ("trace", "diff", "RUN", RUNS["a"]),
    "trace replay": ("trace", "replay", "RUN"),
    "trace export": ("trace", "export", "RUN"),
    "preview --run": ("preview", "--run", "RUN"),
}
WRITING = ("apply", "apply --check", "apply --patch", "adopt", "adopt --write")


def words(verb: str, run: str) -> list[str]:
    return [run if each == "RUN" else each for each in VERBS[verb]]


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_takes_the_last_run_of_another_project(
    ground: Path, run: Run, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    record(ground, "a")
    monkeypatch.chdir(ground / "two")
    ran = run(*words(verb, "last"))
    assert ran.status == 2
    assert f"no run is recorded for the workspace {ground / 'two'}" in ran.err
    assert (ground / "one/old.txt").exists()
    assert not (ground / "two/p").exists()


@pytest.mark.parametrize("verb", [each for each in VERBS if each not in WRITING])
def test_what_only_reads_takes_any_run_by_its_id(
    ground: Path, run: Run, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    record(ground, "a")
    monkeypatch.chdir(ground / "two")
    ran = run(*words(verb, RUNS["a"]))
    assert "is recorded for the workspace" not in ran.err
    assert "--anyway\n" not in ran.err.replace("--anyway runs it", "")


@pytest.mark.parametrize("verb", WRITING)
@pytest.mark.parametrize(
    ("named", "anyway", "is_refused"),
    [
        (RUNS["a"], False, True),
        (RUNS["a"][:12], True, True),  # Only the whole id says which run is meant.
        (RUNS["a"], True, False),
    ],
)
def test_a_run_of_another_workspace_needs_its_id_and_anyway(
    ground: Path, run: Run, monkeypatch: pytest.MonkeyPatch, verb: str, named: str, anyway: bool,
    is_refused: bool,
) -> None:  # fmt: skip
    record(ground, "a")
    monkeypatch.chdir(ground / "two")
    ran = run(*words(verb, named), *(["--anyway"] if anyway else []))
    told = f"run {RUNS['a']} belongs to the workspace {ground / 'one'}, not to {ground / 'two'}"
    assert (told in ran.err) is is_refused
    if is_refused:
        assert ran.status == 2
        assert f"skillstudio {VERBS[verb][0]} {RUNS['a']} --anyway" in ran.err
    is_applied = verb == "apply" and not is_refused
    assert (ground / "one/old.txt").exists() is not is_applied


def test_the_last_run_of_a_skill_in_another_workspace_is_not_applied_unasked(
    ground: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(ground, "a", workspace="two")
    monkeypatch.chdir(ground / "one/skills/tea")
    assert run("trace", "show", "last").status == 0
    for options in ((), ("--anyway",)):
        ran = run("apply", "last", *options)
        assert ran.status == 2
        assert f"skillstudio apply {RUNS['a']} --anyway" in ran.err
        assert (ground / "two/old.txt").exists()


def test_apply_names_skill_workspace_and_files_before_it_writes(
    ground: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(ground, "a")
    monkeypatch.chdir(ground / "one")
    seen: list[bool] = []

    def say_and_look(*lines: str) -> None:
        seen.extend(os.path.exists("old.txt") for _ in lines)
        say(*lines)

    monkeypatch.setattr(applying, "say", say_and_look)
    ran = run("apply", "last")
    assert (ran.status, ran.out) == (0, "- old.txt\n1 change applied\n")
    assert ran.err == (
        f"applying run {RUNS['a']} of the skill tea ({ground}/one/skills/tea) to the workspace "
        f"{ground}/one: - old.txt\n"
    )
    assert seen == [True]
    again = run("apply", "last")
    assert (again.out, again.err) == ("1 change already applied\n", "")
    value = run("apply", "last", "--format", "json").json
    assert value["skill"] == {"name": "tea", "folder": f"{ground}/one/skills/tea"}
    assert value["workspace"] == f"{ground}/one"


def test_the_list_of_runs_names_their_workspaces(ground: Path, run: Run) -> None:
    record(ground, "a")
    record(ground, "c")
    found = run("trace", "list", "--format", "json").json["runs"]
    assert [each["workspace"] for each in found] == [f"{ground}/two", f"{ground}/one"]
    assert all(line.endswith(f"{ground}/{name}") for line, name in zip(
        run("trace", "list").out.splitlines(), ("two", "one"), strict=True))  # fmt: skip
