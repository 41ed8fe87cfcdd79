"""An installed dialect that does not work breaks nothing, and one sentence names its package."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run
from tests.manifest.outside.conftest import write

from skillstudio.manifest.registry import dialects, registry

PLAIN = "---\nname: plain\ndescription: Says things. Use when things are said.\n---\nSay.\n"


def blamed(ran: Any) -> list[str]:
    return [line for line in ran.err.splitlines() if "dialect package jobfile failed: " in line]


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "skills" / "plain"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(PLAIN)
    monkeypatch.chdir(folder.parent)
    return folder


def fields(**changed: Any) -> dict[str, bytes | None]:
    file = Path(__file__).parent / "jobfile" / "dialect.json"
    [known] = json.loads(file.read_text())
    made = {key: value for key, value in {**known, **changed}.items() if value is not None}
    return {"jobfile/dialect.json": json.dumps([made]).encode()}


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"jobfile/dialect.json": None}, "there is no package jobfile with a dialect.json"),
        ({"jobfile/dialect.json": b"["}, "Expecting value"),
        ({"jobfile/dialect.json": b"[1]"}, "dialect.json: a dialect must be an object"),
        ({"jobfile/dialect.json": b"\xff"}, "can't decode"),
        (fields(id="caro-1.0"), "another dialect has the id caro-1.0"),
        (fields(speed=3), "dialect.json: unknown field speed"),
        (fields(path="/"), "dialect.json: unknown field path"),
        (fields(syntax="xml"), "syntax must be one of json, toml, yaml"),
        (fields(carrier="wall"), "carrier must be frontmatter, fence or file"),
        (fields(carrier="frontmatter"), "jobfile-1 must extend agent-skills or frontmatter-1.0"),
        (fields(carrier="fence", fence="skill-manifest"), "another dialect has the fence"),
        (fields(title=None), "title must be a string"),
        ({"jobfile/schema.json": b"{}"}, "the schema of jobfile-1 must have properties"),
        ({"jobfile/rules.py": None}, "rules.py is missing"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_named_once_and_left_out(
    site: Path, plain: Path, run: Run, files: dict[str, bytes | None], why: str
) -> None:
    for name, data in files.items():
        if data is None:
            (site / name).unlink()
        else:
            (site / name).write_bytes(data)
    ran = run("check", plain)
    assert ran.status == 0
    [line] = blamed(ran)
    assert why in line
    assert line.endswith("; update or uninstall it")
    assert run("doctor").out.count("dialect package jobfile failed") == 1
    assert "jobfile-1" not in {each.id for each in dialects()}


@pytest.mark.parametrize(
    ("file", "text", "verb", "why"),
    [
        ("rules.py", "1 +", "check", "SyntaxError"),
        ("rules.py", "import nowhere", "check", "ModuleNotFoundError: No module named 'nowhere'"),
        ("rules.py", "def check(m, s):\n    yield 1 / 0\n", "check", "ZeroDivisionError"),
        ("rules.py", "def check(m, s):\n    check(m, s)\n", "check", "RecursionError"),
        ("schema.json", '{"properties": {"job": {"type": 3}}}', "check", ""),
        ("rules.toml", "[", "check", None),
        ("project.py", "def project(m, s):\n    raise KeyError('x')\n", "show", "KeyError: 'x'"),
        ("project.py", "def project(m, s):\n    raise KeyError('x')\n", "diff", "KeyError: 'x'"),
        ("rules.py", "def check(m, s):\n    return ['no diagnostic']\n", "check", ""),
        ("project.py", "def project(m, s):\n    return {}\n", "show", "returned no Interface"),
        ("launch.py", "def launch(m, s, o):\n    return m.no\n", "plan", "AttributeError"),
        ("hashing.py", "def digests(m, s):\n    yield open('/nowhere')\n", "hash", "FileNotFound"),
        ("changes.toml", "[", "diff", "no kind of change for term"),
        ("adopt.toml", "[", "show", None),
        ("effects.toml", "[", "plan", None),
    ],
)
def test_code_that_fails_is_blamed_and_the_rest_works(
    site: Path, work: Path, run: Run, file: str, text: str, verb: str, why: str | None
) -> None:
    (site / "jobfile" / file).write_text(text)
    words = ["count", "base"] if verb == "diff" else ["count"]
    ran = run(verb, *words)
    assert "report" not in ran.err, "no report of a crash is written"
    if why is not None:
        assert ran.status == 1
        assert why in ran.out + ran.err
        assert "dialect package jobfile failed" in ran.out + ran.err
        assert "update or uninstall it" in ran.out + ran.err
    (work / "plain").mkdir()
    (work / "plain" / "SKILL.md").write_text(PLAIN)
    assert run("check", "plain").status == 0
    assert run("explain").status == 0


def test_a_workspace_installs_nothing(
    site: Path, plain: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `python -m skillstudio` has the working directory on its path.
    monkeypatch.chdir(site)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert run("check", plain).status == 0
    assert registry().unusable == ()
    assert "jobfile-1" not in {each.id for each in dialects()}
    assert "jobfile" not in sys.modules


def test_a_check_of_another_dialect_runs_none_of_its_code(
    site: Path, plain: Path, run: Run
) -> None:
    (site / "jobfile" / "__init__.py").write_text("raise SystemExit('it was run')\n")
    assert run("check", plain).status == 0
    assert not [name for name in sys.modules if name.startswith("jobfile")]


def test_no_dialect_is_found_without_it(work: Path, run: Run) -> None:
    write(work / "again")
    assert "jobfile-1" not in {each.id for each in dialects()}
    assert "found no SKILL.md, skill.toml or manifest.json of" in run("check", "count").err
