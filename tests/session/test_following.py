"""Which skill changed on disk, and which samples a change touches."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.dryrun.skills import front_skill, offered

from skillstudio.dryrun.isolation.levels import IsolationLevels, probe_isolation
from skillstudio.session.following import (
    SkillChange,
    find_touched_samples,
    new_skill,
    skill_changes,
    used_files,
)
from skillstudio.session.running.running import Runner
from skillstudio.session.testing import SampleTester
from skillstudio.session.workspace import Workspace

SKILLS = {"tea", "tools/milk", "tools/milk/inner", "plugins"}
CHANGES: list[tuple[str, list[str], dict[str, list[str]], list[str]]] = [
    ("a file of a skill", ["tea/SKILL.md"], {"tea": ["SKILL.md"]}, []),
    ("the innermost skill", ["tools/milk/inner/a.py"], {"tools/milk/inner": ["a.py"]}, []),
    ("a file beside skills", ["README.md"], {}, ["README.md"]),
    ("a new folder with a file", ["tea/scripts"], {"tea": ["scripts/new.py"]}, []),
    ("a new folder of no skill", ["tools/other"], {}, []),
    ("a folder of no skill", ["tools/other/SKILL.md"], {}, ["tools/other/SKILL.md"]),
    ("the folder of a skill", ["tea"], {"tea": ["scripts/new.py"]}, []),
    ("what git writes", ["tea/.git/index", "tea/scripts/__pycache__/a.cpython-311.pyc"], {}, []),
    ("what editors write", ["tea/a.py~", "tea/.a.py.swp", "tea/4913", "tea/.#a.py"], {}, []),
    ("our own temporary file", ["tea/.skillstudio-0123456789abcdef.save"], {}, []),
    ("a name that only looks like that", ["tea/swp.py"], {"tea": ["swp.py"]}, []),
    ("a path outside", ["../elsewhere/SKILL.md"], {}, []),
]


@pytest.mark.parametrize(
    ("paths", "changes", "others"),
    [case[1:] for case in CHANGES],
    ids=[case[0] for case in CHANGES],
)
def test_a_changed_path_belongs_to_the_skill_around_it(
    tmp_path: Path, paths: list[str], changes: dict[str, list[str]], others: list[str]
) -> None:
    for path in ("tea/scripts", "tools/milk/inner", "tools/other"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "tea/scripts/new.py").touch()
    absolute = [os.path.join(tmp_path, path) for path in paths]
    found, rest = skill_changes(absolute, str(tmp_path), SKILLS)
    assert {change.skill: list(change.files) for change in found} == changes
    assert rest == {os.path.join(tmp_path, path) for path in others}


def test_a_new_skill_has_the_files_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "SKILL.md").touch()
    assert new_skill("tea", str(tmp_path)) == SkillChange("tea", ("SKILL.md",))
    assert new_skill("tea", str(tmp_path / "missing")) == SkillChange("tea", ())


def test_the_folder_itself_may_be_the_skill(tmp_path: Path) -> None:
    path = str(tmp_path / "scripts" / "a.py")
    assert skill_changes([path], str(tmp_path), {""})[0] == [SkillChange("", ("scripts/a.py",))]


def test_what_was_written_last_is_shown_last_and_its_newest_file_first(tmp_path: Path) -> None:
    times = {"tea/SKILL.md": 30, "tea/a.py": 40, "plugins/b.py": 20, "tools/milk/c.py": 50}
    for path, time in times.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
        os.utime(tmp_path / path, (time, time))
    paths = [os.path.join(tmp_path, path) for path in (*times, "tea/deleted.py")]
    assert skill_changes(paths, str(tmp_path), SKILLS)[0] == [
        SkillChange("plugins", ("b.py",)),
        SkillChange("tea", ("a.py", "SKILL.md", "deleted.py")),
        SkillChange("tools/milk", ("c.py",)),
    ]


SAMPLES = [
    ("one", "samples/one/a.yaml"),
    ("one", "samples/one/b.yaml"),
    ("two", "samples/two/c.yaml"),
]
USES = {"one": frozenset({"one.py", "lib.py"}), "two": frozenset({"two.py", "lib.py"})}
TOUCHED: list[tuple[str, list[str], str]] = [
    ("nothing", [], ""),
    ("the program of an operation", ["one.py"], "ab"),
    ("a module of both", ["lib.py"], "abc"),
    ("a sample", ["samples/one/b.yaml"], "b"),
    ("a sample and a program", ["samples/one/b.yaml", "two.py"], "bc"),
    ("the manifest", ["SKILL.md"], "abc"),
    ("a file that no operation is known to use", ["data.json"], "abc"),
    ("what a sample may read", ["samples/memory.db"], "abc"),
]


@pytest.mark.parametrize(
    ("files", "samples"), [case[1:] for case in TOUCHED], ids=[case[0] for case in TOUCHED]
)
def test_a_change_touches_samples(files: list[str], samples: str) -> None:
    found = find_touched_samples(files, SAMPLES, USES)
    assert "".join(sorted(path[-6] for path in found)) == samples


SCRIPTS: Mapping[str, str] = {
    "scripts/one.sh": "#!/bin/sh\n. ./scripts/common.sh\npython3 scripts/report.py\n",
    "scripts/two.sh": "#!/bin/sh\necho two\n",
    "scripts/common.sh": "echo common\n",
    "scripts/report.py": "import tables\n",
    "scripts/tables.py": "import report\n",
    "scripts/unused.py": "",
    "references/notes.md": "See two.sh.\n",
}


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill with two scripts and what they use, and a sample of each."""
    folder = tmp_path / "workspace" / "tea"
    for path, text in SCRIPTS.items():
        front_skill(folder, "", text, path)
    for script in ("one.sh", "two.sh"):
        sample = folder / "samples" / "scripts" / script / "plain.yaml"
        sample.parent.mkdir(parents=True)
        sample.write_text(json.dumps({"inputs": {}, "expect": {"exit": 0}}))
    return folder


@pytest.fixture
def tester(skill: Path) -> SampleTester:
    return SampleTester(Runner(Workspace(str(skill.parent)), "tea", str(skill.parent)))


def test_an_operation_uses_its_script_and_what_that_names_in_turn(tester: SampleTester) -> None:
    uses = used_files(tester.runner.skill_on_disk(), ["scripts/one.sh", "scripts/two.sh", "no.sh"])
    assert uses == {
        "scripts/one.sh": {
            "scripts/one.sh",
            "scripts/common.sh",
            "scripts/report.py",
            "scripts/tables.py",
        },
        "scripts/two.sh": {"scripts/two.sh"},
        "no.sh": set(),
    }


@pytest.mark.parametrize(
    ("file", "operations"),
    [
        ("scripts/tables.py", ["scripts/one.sh"]),
        ("scripts/two.sh", ["scripts/two.sh"]),
        ("scripts/unused.py", ["scripts/one.sh", "scripts/two.sh"]),
    ],
)
def test_samples_of_a_skill_are_touched(
    tester: SampleTester, file: str, operations: list[str]
) -> None:
    assert [row.result.operation for row in tester.find_touched_rows({file})] == operations


def test_a_sample_may_run_again_once_its_operation_was_allowed_and_is_isolated(
    tester: SampleTester,
) -> None:
    offered("confined")
    one, two = tester.look()
    assert not tester.is_allowed(one)
    tester.allow([one])
    assert tester.is_allowed(one)
    assert not tester.is_allowed(two), "it is of another operation"
    tester.runner.isolation = "copy"
    assert not tester.is_allowed(one), "the user chose a level without isolation since"


def test_without_isolation_nothing_runs_again(tester: SampleTester) -> None:
    known = probe_isolation()
    levels = [
        level._replace(available=level.id == "copy", reason="not here") for level in known.all
    ]
    tester.runner.probe = lambda: IsolationLevels(levels, known.host)
    one, _ = tester.look()
    tester.allow([one])
    assert not tester.is_allowed(one)


def test_a_test_allows_its_operation_to_run_again(tester: SampleTester) -> None:
    _, two = tester.look()
    tester.test(two, threading.Event(), is_quick=True)
    assert tester.runner.allowed_operations == {"scripts/two.sh"}
    assert tester.outcome(two.result.path) == "passed"
