"""The formats of CI systems: paths, columns, fingerprints, fixes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.cli.conftest import CI_FORMATS, Run
from tests.conftest import DATA
from tests.dryrun.skills import block_skill, offered
from tests.repositories import Repo, needs_git, plain

pytestmark = needs_git
BAD = """---
name: Bad
description: one: two
é: x
---
See [x](nope.md).
"""
CLEAN = "---\nname: clean\ndescription: Makes tea. Use when tea is wanted.\n---\nMake tea.\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit({"skills/bad/SKILL.md": BAD, "one/SKILL.md": plain("one")}, "base")
    made.commit({"one/SKILL.md": plain("one", "1.1.0", "^[a-f]+$")}, "head")
    monkeypatch.chdir(made.root)
    return made


def paths_of_sarif(value: dict[str, Any]) -> set[str]:
    return {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in value["runs"][0]["results"]
        for place in result["locations"]
    }


PATHS: dict[str, Callable[[str], set[str | None]]] = {
    "github": lambda out: {line.split("file=")[1].split(",")[0] for line in out.splitlines()},
    "gitlab": lambda out: {issue["location"]["path"] for issue in json.loads(out)},
    "junit": lambda out: {
        case.get("file") for case in ElementTree.fromstring(out).iter("testcase")
    },
    "rdjson": lambda out: {
        diagnostic["location"]["path"] for diagnostic in json.loads(out)["diagnostics"]
    },
    "sarif": lambda out: paths_of_sarif(json.loads(out)),
}
"""The paths that an output names, by format."""


def paths(format: str, out: str) -> set[str | None]:
    return PATHS[format](out)


@pytest.mark.parametrize(
    ("folder", "argument"),
    [
        (".", "."), (".", "./skills"), (".", "skills/bad/"), ("skills", "bad"), ("skills", "./bad"),
        ("skills/bad", "."), ("one", "../skills"), ("one", "{root}/skills"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("format", CI_FORMATS)
def test_paths_are_those_of_the_repository(
    run: Run,
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
    format: str,
    folder: str,
    argument: str,
) -> None:
    monkeypatch.chdir(repo.root / folder)
    ran = run("check", argument.format(root=repo.root), "--format", format)
    found = paths(format, ran.out)
    if format == "rdjson":  # reviewdog reads paths relative to the working directory.
        found = {(Path.cwd() / path).resolve().relative_to(repo.root).as_posix() for path in found}
    assert found - {"one/SKILL.md", "one"} == {"skills/bad/SKILL.md"}


@pytest.mark.parametrize(
    ("folder", "argument", "path"),
    [
        (".", ".", "skills/bad/SKILL.md"), (".", "./skills/", "skills/bad/SKILL.md"),
        ("skills", ".", "bad/SKILL.md"), ("skills/bad", ".", "SKILL.md"),
        ("other", "../skills", "{root}/skills/bad/SKILL.md"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("format", ["github", "junit", "sarif"])
def test_paths_without_a_repository_are_those_of_the_working_directory(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    format: str,
    folder: str,
    argument: str,
    path: str,
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "skills" / "bad").mkdir(parents=True)
    (tmp_path / "skills" / "bad" / "SKILL.md").write_text(BAD)
    monkeypatch.chdir(tmp_path / folder)
    expected = path.format(root=tmp_path.resolve().as_posix())
    found = paths(format, run("check", argument, "--format", format).out)
    assert {each.removeprefix("file://") for each in found} == {expected}


def test_why_annotates_the_reasons_of_targets(run: Run, repo: Repo) -> None:
    """The selected targets' reasons by severity; without selected targets each is a note."""
    words = ("why", "skills/bad", "--format", "github")
    lines = run(*words, "--target", "codex", "--target", "claude-upload").out.splitlines()
    starts = [line.partition(" the front")[0].partition(" it only looks")[0] for line in lines]
    assert starts == [
        "::error file=skills/bad/SKILL.md,line=3,col=17,endLine=3,endColumn=18,"
        "title=target-refused::claude.ai:",
        "::notice file=skills/bad/SKILL.md,line=1,title=skill-unfound::Codex:",
    ]
    (repo.root / "skills/bad/SKILL.md").write_text(
        CLEAN.replace("name: clean", "name: bad\nkey: 1")
    )
    lines = run(*words).out.splitlines()
    assert lines
    assert all(line.startswith("::notice file=skills/bad/SKILL.md,") for line in lines)
    assert any(",line=3," in line and "the key key" in line for line in lines)


@pytest.mark.parametrize("format", CI_FORMATS)
def test_diff_and_test_have_each_format(
    run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.chdir(repo.root / "skills")
    ran = run("diff", "HEAD~1..HEAD", "--format", format)
    assert ran.status == 1
    expected = {"../one/SKILL.md" if format == "rdjson" else "one/SKILL.md"}
    assert paths(format, ran.out) == expected
    offered("copy")
    tool = block_skill(repo.root / "skills" / "tool", "exit 1")
    sample = tool / "samples" / "go" / "bad.yaml"
    sample.parent.mkdir(parents=True)
    sample.write_text("inputs: {}\nexpect: {exit: 0}\n")
    ran = run("test", "tool", "--isolation", "copy", "--format", format)
    assert ran.status == 1
    inside = "tool/samples/go/bad.yaml"
    assert paths(format, ran.out) == {inside if format == "rdjson" else f"skills/{inside}"}


def test_rdjson_counts_bytes_and_suggests_what_one_edit_fixes(run: Run, repo: Repo) -> None:
    text = "---\nname: Bad\ndescription: [é, é, {é: é}]\n---\nText.\n"
    (repo.root / "skills" / "bad" / "SKILL.md").write_text(text)
    ran = run("check", "skills", "--format", "rdjson")
    found = {each["code"]["value"]: each for each in ran.json["diagnostics"]}
    name = found["name-format"]
    assert name["severity"] == "ERROR"
    assert name["suggestions"] == [
        {
            "range": {"start": {"line": 2, "column": 7}, "end": {"line": 2, "column": 8}},
            "text": "b",
        }
    ]
    ends = [each["location"]["range"]["end"] for each in ran.json["diagnostics"]]
    line = text.splitlines()[2]
    assert {"line": 3, "column": len(line.encode()) + 1} in ends
    assert len(line.encode()) > len(line)


def test_a_byte_order_mark_has_no_edit(run: Run, repo: Repo) -> None:
    """Lines and columns count no byte order mark, so an edit there would change nothing."""
    file = repo.root / "skills" / "bad" / "SKILL.md"
    file.write_text("\ufeff" + file.read_text())
    rows = run("check", "skills", "--format", "rdjson").json["diagnostics"]
    (row,) = [row for row in rows if row["code"]["value"] == "byte-order-mark"]
    assert "suggestions" not in row
    (log,) = run("check", "skills", "--format", "sarif").json["runs"]
    (result,) = [row for row in log["results"] if row["ruleId"] == "byte-order-mark"]
    assert "fixes" not in result


def test_fingerprints_are_different_and_survive_moved_lines(run: Run, repo: Repo) -> None:
    def marks() -> list[str]:
        return [each["fingerprint"] for each in run("check", ".", "--format", "gitlab").json]

    first = marks()
    assert len(first) == len(set(first)) > 3
    file = repo.root / "skills" / "bad" / "SKILL.md"
    file.write_text(file.read_text().replace("See ", "More.\n\nSee "))
    assert marks() == first
    file.write_text(file.read_text().replace("See ", "Look at "))
    assert len(set(first) - set(marks())) == 1


def test_sarif_has_what_github_requires(run: Run, repo: Repo) -> None:
    (log,) = run("check", "skills", "--format", "sarif").json["runs"]
    for rule in log["tool"]["driver"]["rules"]:
        assert rule["help"]["text"]
        assert "skillstudio explain" in rule["help"]["markdown"]
    assert "%SRCROOT%" in log["originalUriBaseIds"]
    for result in log["results"]:
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        assert result["partialFingerprints"]
    (quoting,) = [each for each in log["results"] if each["ruleId"] == "description-unquoted"]
    (change,) = quoting["fixes"][0]["artifactChanges"]
    lines = BAD.splitlines(keepends=True)
    for each in reversed(change["replacements"]):
        region = each["deletedRegion"]
        at, line = region["startLine"] - 1, lines[region["startLine"] - 1]
        start, end = region["startColumn"] - 1, region["endColumn"] - 1
        lines[at] = line[:start] + each["insertedContent"]["text"] + line[end:]
    assert 'description: "one: two"\n' in lines


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text")
def test_a_name_that_is_not_utf_8_is_a_uri_in_sarif(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    (folder / "SKILL.md").write_text(BAD)
    results = run("check", folder, "--format", "sarif").json["runs"][0]["results"]
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    assert [uri.rpartition("/caf")[2] for uri in uris] == ["%E9/SKILL.md"]


ADDRESS = "https://docs.example.org/skillstudio"
COMMANDS = (
    ("check", "skills"),
    ("check", "skills", "--all"),
    ("diff", "HEAD~1..HEAD"),
    ("check", "clean"),
    ("why", "skills", "--target", "codex", "--target", "claude-upload"),
    ("why", "clean"),
)


def test_problems_link_to_the_pages_of_their_rules(
    run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillstudio.cli.formats.rdjson.docs_address", lambda: ADDRESS)
    for words, folder in ((("check", "skills"), "rules"), (("diff", "HEAD~1..HEAD"), "changes")):
        for each in run(*words, "--format", "rdjson").json["diagnostics"]:
            code = each["code"]
            if code["value"] != "version":
                assert code["url"] == f"{ADDRESS}/{folder}/{code['value']}/"


@pytest.mark.slow
@pytest.mark.parametrize("address", ["", ADDRESS], ids=["no documentation", "documentation"])
def test_sarif_passes_the_validator_of_its_makers(
    run: Run, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    validator = shutil.which("sarif-multitool") or shutil.which("Sarif.Multitool")
    if validator is None:
        pytest.skip("sarif-multitool is not installed (npm install -g @microsoft/sarif-multitool)")
    monkeypatch.setattr("skillstudio.cli.formats.sarif.docs_address", lambda: address)
    repo.write({"clean/SKILL.md": CLEAN})
    for words in COMMANDS[::2]:
        file, out = tmp_path / "log.sarif", tmp_path / "out.sarif"
        run(*words, "--format", "sarif", "--output-file", file)
        # One kind at a time: the npm package starts the validator with a shell, which ends at ";".
        for kind in ("Sarif", "Ghas"):
            command = [validator, "validate", str(file), "--rule-kind", kind]
            subprocess.run([*command, "-o", str(out), "--log", "ForceOverwrite"], check=True)
            (log,) = json.loads(out.read_text(encoding="utf-8-sig"))["runs"]
            assert log["invocations"][0]["executionSuccessful"]
            found = log.get("results", ())
            levels = {each["ruleId"]: each.get("level", "warning") for each in found}
            assert "error" not in levels.values(), levels
        if address:
            rules = json.loads(file.read_text())["runs"][0]["tool"]["driver"]["rules"]
            assert all(each["helpUri"].startswith(f"{ADDRESS}/") for each in rules)


@pytest.mark.parametrize(
    ("format", "schema"),
    [
        ("sarif", "sarif-2.1.0.json"),
        ("rdjson", "reviewdog-DiagnosticResult.json"),
        ("gitlab", "gitlab-codeclimate.json"),
    ],
)
def test_each_format_is_valid_by_the_schema_of_its_reader(
    run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch, format: str, schema: str
) -> None:
    from jsonschema.validators import validator_for

    file = DATA / "vectors" / "formats" / schema
    if not file.exists():
        pytest.skip(f"{schema} is not in vectors/formats of SKILLSTUDIO_DATA")
    value = json.loads(file.read_text(encoding="utf-8-sig"))
    validator = validator_for(value)(value)
    repo.write({"clean/SKILL.md": CLEAN})
    for words in COMMANDS:
        found = run(*words, "--format", format).json
        # The schema of GitLab is that of one problem.
        for each in found if format == "gitlab" else [found]:
            validator.validate(each)


def test_junit_is_read_by_a_library_for_it(run: Run, repo: Repo) -> None:
    junitparser = pytest.importorskip("junitparser")
    repo.write({"clean/SKILL.md": CLEAN})
    for words in COMMANDS:
        out = run(*words, "--format", "junit").out
        found = list(junitparser.JUnitXml.fromstring(out.encode()))
        cases = [case for suite in found for case in suite]
        assert sum(suite.tests for suite in found) == len(cases) > 0
        failed = [case for case in cases for each in case.result if each.message]
        assert sum(suite.failures for suite in found) == len(failed)
        assert bool(failed) == ("clean" not in words)
