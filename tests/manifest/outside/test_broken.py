"""An installed dialect that does not work breaks nothing, and one sentence names its package."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run
from tests.manifest.outside.conftest import forget, write

from skillstudio.manifest import registry as registry_module
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.installed import table_fault
from skillstudio.manifest.registry import dialects, folders, registry

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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"jobfile/dialect.json": None}, "there is no package jobfile with a dialect.json"),
        ({"jobfile/dialect.json": b"["}, "dialect.json: Expecting value"),
        ({"jobfile/dialect.json": b"[1]"}, "dialect.json: must be a mapping"),
        ({"jobfile/dialect.json": b"3"}, "dialect.json: must be a mapping"),
        ({"jobfile/dialect.json": b"\xff"}, "dialect.json: 'utf-8' codec can't decode"),
        (fields(id="caro-1.0"), "another dialect has the id caro-1.0"),
        (fields(speed=3), 'dialect.json: unknown key "speed"'),
        (fields(path="/"), 'dialect.json: unknown key "path"'),
        (fields(syntax="xml"), '/syntax: must be one of "json", "toml", "yaml"'),
        (fields(carrier="wall"), '/carrier: must be one of "frontmatter", "fence", "file"'),
        (fields(carrier="frontmatter"), "jobfile-1 must extend agent-skills or frontmatter-1.0"),
        (fields(carrier="fence", fence="skill-manifest"), "another dialect has the fence"),
        (fields(title=None), 'dialect.json: missing key "title"'),
        (fields(title=""), "dialect.json: /title: must have at least 1 character"),
        (fields(carrier="fence"), 'dialect.json: missing key "fence"'),
        (fields(versions="1"), "dialect.json: /versions: must be a list"),
        ({"jobfile/schema.json": b"{}"}, "the schema of jobfile-1 must have properties"),
        ({"jobfile/rules.py": None}, "rules.py is missing"),
        (fields(when=3), "dialect.json: /when: must be a mapping"),
        (fields(recognise={"keys": ["job"]}), "dialect.json: /recognise: "),
        (fields(parts={"plan": "x"}), "dialect.json: /parts/plan: must be a mapping"),
        (fields(parts={"plan": {"syntax": "json"}}), "dialect.json: /parts/plan: missing key"),
        (fields(identity={"name": 3}), "dialect.json: /identity/name: must be a string"),
        (fields(depends="yes"), "dialect.json: /depends: must be a boolean"),
        ({"jobfile/rules.toml": b"["}, "rules.toml: "),
        ({"jobfile/rules.toml": b"a = 3"}, "rules.toml: /a: must be a mapping"),
        ({"jobfile/rules.toml": b"[a]\nwhat = 'x'"}, "rules.toml: /a: missing key "),
        ({"jobfile/effects.toml": b"\xff"}, "effects.toml: "),
        ({"jobfile/effects.toml": b"words = 3"}, "effects.toml: /words: must be a list"),
        ({"jobfile/effects.toml": b"[[words]]\ndialects = 3"}, "effects.toml: /words/0/dialects: "),
        ({"jobfile/effects.toml": b"[[words]]\npermission = 'a'"}, "effects.toml: /words/0: "),
        (
            {"jobfile/effects.toml": b"[[words]]\neffect = 'fs.read'\nexecution = 'speed'"},
            "execution",
        ),
        ({"jobfile/effects.toml": b"[places]\nhome = 3"}, "effects.toml: /places/home: "),
        (
            {"jobfile/adopt.toml": b"[[say]]\nform = 'word'"},
            'adopt.toml: /say/0: missing key "findings"',
        ),
        ({"jobfile/adopt.toml": b"["}, "adopt.toml: "),
        (
            {"jobfile/adopt.toml": b"[[say]]\nfindings = ['fs.read']\nform = 'a'"},
            "/say/0/form: must",
        ),
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
        ("project.py", "def project(m, s):\n    raise KeyError('x')\n", "show", "KeyError: 'x'"),
        ("project.py", "def project(m, s):\n    raise KeyError('x')\n", "diff", "KeyError: 'x'"),
        ("rules.py", "def check(m, s):\n    return ['no diagnostic']\n", "check", ""),
        ("project.py", "def project(m, s):\n    return {}\n", "show", "returned no Interface"),
        ("launch.py", "def launch(m, s, o):\n    return m.no\n", "plan", "AttributeError"),
        (
            "hashing.py",
            "def digests(m, s):\n    yield open('/nowhere')\n",
            "identity --digests",
            "FileNotFound",
        ),
        ("changes.toml", "[", "diff", "no kind of change for term"),
    ],
)
def test_code_that_fails_is_blamed_and_the_rest_works(
    site: Path, work: Path, run: Run, file: str, text: str, verb: str, why: str
) -> None:
    (site / "jobfile" / file).write_text(text)
    words = ["count", "base"] if verb == "diff" else ["count"]
    ran = run(*verb.split(), *words)
    assert "report" not in ran.err, "no report of a crash is written"
    assert ran.status == 1
    assert why in ran.out + ran.err
    assert "dialect package jobfile failed" in ran.out + ran.err
    assert "update or uninstall it" in ran.out + ran.err
    (work / "plain").mkdir()
    (work / "plain" / "SKILL.md").write_text(PLAIN)
    assert run("check", "plain").status == 0
    assert run("explain").status == 0


def test_the_examples_of_dialect_failed(site: Path, work: Path, run: Run) -> None:
    """A broken package is reported, and an upgrade that mends it ends that."""
    rules = site / "jobfile" / "rules.py"
    upgraded = rules.read_text()
    found = {}
    for version, text in (("a-broken-dialect", "import nowhere\n"), ("upgraded", upgraded)):
        rules.write_text(text)
        forget()
        [skill] = run("check", "count", "--no-cache", "--format", "json").json["skills"]
        found[version] = "dialect-failed" in {each["rule"] for each in skill["diagnostics"]}
    assert found == {"a-broken-dialect": True, "upgraded": False}


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


def test_the_forms_of_adopt_toml_are_those_that_exist() -> None:
    from skillstudio.dryrun.adopting import effects, unobserved

    tables = json.loads((Path(registry_module.HERE) / "tables.json").read_text())
    branches = tables["adopt.toml"]["properties"]["say"]["items"]["allOf"]
    named = [set(each["then"]["properties"]["form"]["enum"]) for each in branches]
    of_effects = {"item-unobserved", *unobserved.FORMS}
    assert named == [set(effects.FORMS), of_effects, set(unobserved.COMMANDS)]


@pytest.mark.parametrize("each", folders(), ids=lambda each: each.folder)
def test_the_tables_of_our_own_dialects_are_as_documented(each: Dialect) -> None:
    registry_module._check_tables(each.path)
    for fields in json.loads((Path(each.path) / "dialect.json").read_text()):
        assert table_fault("dialect.json", fields) == ""


def test_a_dialect_may_state_every_field_that_is_not_derived() -> None:
    tables = json.loads((Path(registry_module.HERE) / "tables.json").read_text())
    derived = {"folder", "package", "path", "distribution"}
    assert set(tables["dialect.json"]["properties"]) == set(Dialect._fields) - derived
