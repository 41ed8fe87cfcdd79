"""The commands that list things: explain, targets, schema, config and doctor."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from skillstudio.cli.lists import MOST_OF_DIFF, MOST_PRINTED, cut_json, cut_lines
from skillstudio.cli.targets import age
from skillstudio.cli.verbs import ALIASES, all_verbs
from skillstudio.dryrun.problem_rules import problem_rules
from skillstudio.interface.bump import version_rules
from skillstudio.interface.change import LEVELS
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.registry import dialects
from skillstudio.manifest.rulebook import UNCHECKED_RULES, all_rules
from skillstudio.manifest.targets import targets
from skillstudio.schema.engine import check_schema, compile_schema

RULES = sorted(all_rules())
IGNORE = '[[ignore]]\nrule = "key-unknown"\npath = "tea/SKILL.md"\n'
KINDS = sorted(all_kinds().by_id)
STEPS = sorted(version_rules().keys() - all_rules().keys())
PROBLEMS = sorted(problem_rules().keys() - all_rules().keys())
ALL = [*RULES, *KINDS, *STEPS, *PROBLEMS]
PARTS = [(each.id, part) for each in dialects() for part in ("manifest", *each.parts)]
TARGETS = set(targets())


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_explained_in_full(run: Run, rule: str) -> None:
    told = run("explain", rule, "--format", "json").json
    fields = {"id", "severity", "what", "why", "source", "bad", "good", "folder"}
    assert set(told) == fields | {"ruleset", "enabled"}
    assert told["severity"] in ("error", "warning", "info")
    for key in ("what", "why", "source", "bad", "good"):
        assert told[key].strip(), key
    assert told["what"].endswith(".")
    assert told["bad"] != told["good"]
    out = run("explain", rule).out
    assert out.startswith(f"{rule}  {told['severity']}\n")
    assert told["what"] in out
    assert ("off by default" in out) == (not told["enabled"])
    assert (f"ruleset: {told['ruleset']}\n" in out) == bool(told["ruleset"])
    assert (f"skillstudio check --ignore {rule}\n" in out) == (rule not in UNCHECKED_RULES)
    assert ("cannot be ignored" in out) == (rule in UNCHECKED_RULES)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_change_is_explained_in_full(run: Run, kind: str) -> None:
    told = run("explain", kind, "--format", "json").json
    known = all_kinds().by_id[kind]
    assert told["level"] == known.level
    assert told["level"] in LEVELS
    for key in ("message", "why", "source"):
        assert told[key].strip(), key
    assert told["why"].endswith(".")
    assert not told["message"].endswith(".")
    out = run("explain", kind).out
    assert out.startswith(f"{kind}  {told['level']}")
    assert (", review" in out.splitlines()[0]) is known.review
    assert ("major in the ruleset security" in out) is (known.review and known.level != "major")
    assert "{" not in out
    assert ("[routing] agents choose the skill by this text" in out) is known.routing
    assert ("skillstudio waive FINGERPRINT" in out) is (known.review or known.level == "major")


@pytest.mark.parametrize("finding", STEPS)
def test_every_finding_about_versions_is_explained(run: Run, finding: str) -> None:
    told = run("explain", finding, "--format", "json").json
    assert set(told) == {"id", "severity", "message", "why", "source"}
    out = run("explain", finding).out
    assert out.startswith(f"{finding}  {told['severity']}\n")
    assert "{" not in out


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_problem_of_a_run_is_explained(run: Run, problem: str) -> None:
    value = run("explain", problem, "--format", "json").json
    assert set(value) == {"id", "severity", "what", "why", "fix", "source"}
    out = run("explain", problem).out
    assert out.startswith(f"{problem}  {value['severity']}\n\n{value['what']}\n{value['why']}\n")
    assert out.endswith(f"\nto fix it:\n    {value['fix']}\n")


@pytest.mark.parametrize(
    ("kind", "summary"),
    [
        ("input-pattern-tightened", "the pattern of an input rejects strings it used to accept"),
        ("input-pattern-undecided", "cannot determine whether the pattern of an input rejects "
            "strings it used to accept"),
        ("input-became-required", "an input is now required"),
        ("env-required-added", "the environment variable … is now required"),
        ("skill-renamed", "the skill … was renamed to …"),
        ("entrypoint-can-start", "the … command can be started now"),
        ("dependency-added", "the skill now depends on …"),
        ("license-changed", "the license changed"),
    ],
)  # fmt: skip
def test_a_kind_of_change_is_explained_without_values(run: Run, kind: str, summary: str) -> None:
    assert run("explain", kind).out.splitlines()[2] == summary


def test_all_rules_and_kinds_at_once(run: Run) -> None:
    lines = run("explain", "-v").out.splitlines()
    rows = [line.split() for line in lines if line.startswith("    ")]
    ids = [row[0] for row in rows]
    assert sorted(ids) == sorted(ALL)
    assert all(len(row) > 2 for row in rows)
    told = run("explain", "--format", "json").json
    assert [each["id"] for each in told] == ALL


def test_the_list_is_in_groups_with_their_numbers(run: Run) -> None:
    out = run("explain").out
    lines = out.splitlines()
    assert len(ALL) / len(lines) > 2.8
    assert max(map(len, lines)) <= 80
    words = out.replace(",", " ").split()
    assert all(words.count(id) == 1 for id in ALL)
    assert lines[0] == f"Rules of check ({len(RULES)})"
    assert f"Kinds of changes of diff ({len(KINDS)})" in lines
    assert f"Problems of plan, run and test ({len(PROBLEMS)})" in lines
    numbers = [int(re.findall(r"\((\d+)\)$", line)[0]) for line in lines if line.endswith(")")]
    # An only group has no title.
    versions = int(next(line for line in lines if "versions of diff" in line).split("(")[1][:-1])
    assert sum(numbers) == 2 * len(ALL) - versions
    assert lines[-1].startswith("-v prints")


@pytest.mark.parametrize("settings", ["", '[rules]\nkey-unknown = "off"\n', IGNORE])
@pytest.mark.parametrize("comment", ["", "  # skillstudio: ignore[key-unknown]"])
@pytest.mark.parametrize("options", [(), ("--ignore", "key-unknown")])
def test_each_way_to_ignore_a_rule_that_explain_names_works(
    run: Run, tmp_path: Path, settings: str, comment: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "skillstudio.toml").write_text(settings)
    (tmp_path / "tea").mkdir()
    text = f"---\nname: tea\ndescription: Says. Use it.\nlicence: MIT{comment}\n---\nSay.\n"
    (tmp_path / "tea" / "SKILL.md").write_text(text)
    skills = run("check", tmp_path / "tea", *options, "--format", "json").json["skills"]
    rules = [problem["rule"] for problem in skills[0]["diagnostics"]]
    assert ("key-unknown" in rules) is not bool(settings or comment or options)


def test_no_kind_is_called_as_a_rule_is() -> None:
    assert set(RULES) & set(KINDS) == set()


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [("name-fromat", "name-format"), ("input-patern-tightened", "input-pattern-tightened")],
)
def test_a_mistyped_id_is_guessed(run: Run, mistyped: str, meant: str) -> None:
    ran = run("explain", mistyped)
    assert ran.status == 2
    assert f"did you mean {meant}" in ran.err


def test_targets_name_limits_and_versions(run: Run) -> None:
    told = run("targets", "--format", "json").json
    assert {each["id"] for each in told["targets"]} == TARGETS
    assert all(each["title"] and each["about"] for each in told["targets"])
    versions = {each["id"]: each["versions"] for each in told["dialects"]}
    assert versions["provenact-1"] == ["1.0.0-draft"]
    assert versions["caro-1.0"] == ["1.0"]
    out = run("targets").out
    assert all(id in out for id in TARGETS | set(versions))


@pytest.mark.parametrize(("dialect", "part"), PARTS)
def test_a_schema_is_valid_2020_12_and_describes_every_field(
    run: Run, dialect: str, part: str
) -> None:
    schema = run("config", "schema", dialect, "--part", part).json
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert check_schema(schema) == []
    compile_schema(schema)
    stack = [("", schema)]
    while stack:
        where, each = stack.pop()
        assert "description" in each or "$ref" in each, where
        assert not {"anyOf", "oneOf"} & set(each), where
        stack += [(f"{where}/{name}", inner) for name, inner in each.get("properties", {}).items()]
        stack += [(f"{where}/$defs/{name}", inner) for name, inner in each.get("$defs", {}).items()]


def test_a_part_that_is_not_there_is_named_with_those_that_are(run: Run) -> None:
    ran = run("config", "schema", "caro-1.0", "--part", "nope")
    assert ran.status == 2
    assert "manifest, recipe" in ran.err


def test_keys_lists_every_command_with_its_twin(run: Run) -> None:
    commands = run("config", "keys", "--format", "json").json["commands"]
    assert all(each["title"] and each["help"] for each in commands)
    assert len({each["id"] for each in commands}) == len(commands)
    twins = [each["twin"].split() for each in commands if each["twin"].startswith("skillstudio ")]
    assert {twin[1] for twin in twins} <= {*all_verbs(), *ALIASES, "PATH", "--follow", "--help"}
    assert {"check", "edit", "explain", "config"} <= {twin[1] for twin in twins}
    out = run("config", "keys").out
    markdown = run("config", "keys", "--format", "markdown").out
    assert all(each["id"] in out and each["id"] in markdown for each in commands)


def test_a_keymap_with_problems_exits_1_with_their_place(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "keymap.yaml"
    file.write_text("no-such-command: f2\n")
    ran = run("config", "keys", "--keymap", file)
    assert ran.status == 1
    assert ran.err.startswith(f"{file}:1:1: ")
    file.write_bytes(b"\xff\n")
    assert run("config", "keys", "--keymap", file).status == 1
    assert run("config", "keys", "--keymap", tmp_path / "gone").status == 2


def test_at_least_four_themes(run: Run) -> None:
    told = run("config", "themes", "--format", "json").json
    names = {each["name"] for each in told["themes"]}
    assert len(names) >= 4
    assert {each["dark"] for each in told["themes"]} == {True, False}
    out = run("config", "themes").out
    assert all(name in out for name in names)
    assert out.splitlines()[-1] == f"your own themes: {told['folder']}"


def test_a_broken_theme_of_ones_own_is_told_and_the_rest_listed(run: Run) -> None:
    own = Path(run("config", "themes", "--format", "json").json["folder"])
    own.mkdir(parents=True)
    (own / "mine.yaml").write_text("name: [\n")
    ran = run("config", "themes")
    assert ran.status == 1
    assert "mine.yaml" in ran.err
    assert len(ran.out.splitlines()) >= 5


def test_doctor_knows_the_machine(run: Run) -> None:
    ran = run("doctor", "--format", "json")
    rows = {row["name"]: row for row in ran.json["rows"]}
    assert rows["libyaml"]["found"] in ("present", "absent")
    assert rows["textual"]["state"] == "ok"
    assert {"skillstudio", "python", "terminal", "git", "bd"} <= set(rows)
    assert rows["bd"]["state"] in ("ok", "optional")
    assert ran.status == 0
    lines = run("doctor", "-v").out.splitlines()
    assert len([line for line in lines if not line.startswith(" ")]) == len(rows)


def test_doctor_lists_every_library_that_is_installed_with_it(run: Run) -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    needed = {
        re.split(r"[<>=;]", each)[0].lower()
        for each in tomllib.loads(text)["project"]["dependencies"]
    }
    rows = {row["name"].lower() for row in run("doctor", "--format", "json").json["rows"]}
    assert needed <= rows


@pytest.mark.parametrize(
    ("value", "total", "omitted"),
    [
        ({"a": list(range(1_000))}, None, None),
        ({"a": list(range(1_200))}, {"/a": 1_200}, {"/a": 200}),
        ({"a": {"b/c": dict.fromkeys(map(str, range(1_001)))}}, {"/a/b~1c": 1_001}, {"/a/b~1c": 1}),
        ({"a": "x" * 1_100_000}, {"/a": 1_100_000}, {"/a": 1_000_000}),
        ({"a": lambda: list(range(1_001))}, {"/a": 1_001}, {"/a": 1}),
    ],
)
def test_json_is_cut_and_says_so(
    value: dict[str, Any], total: dict[str, int] | None, omitted: dict[str, int] | None
) -> None:
    shown = cut_json(value, whole=False)
    assert (shown.get("total"), shown.get("omitted")) == (total, omitted)
    assert len(json.dumps(shown)) <= MOST_PRINTED
    whole = cut_json(value, whole=True)
    assert set(whole) == {"a"}
    assert len(json.dumps(whole)) >= len(json.dumps(shown["a"]))


def test_a_diff_is_cut_and_says_so() -> None:
    lines = [f"+{'x' * 999}"] * 1_000
    shown = cut_lines(lines, whole=False)
    assert sum(map(len, shown)) <= MOST_OF_DIFF
    assert shown[-1] == f"… {1_001 - len(shown)} more lines; use --all to show everything"
    assert cut_lines(lines, whole=True) == lines
    assert cut_lines(lines[:300], whole=False) == lines[:300]


def test_a_target_with_its_evidence(run: Run) -> None:
    out = run("targets", "codex").out
    evidence = "loader: MAX_NAME_LEN; older: validate_len (run)"
    assert f"  name long (max 64): dropped  [{evidence}]\n" in out
    assert "[docs#where-skills-live (documented)]\n" in run("targets", "claude-code").out
    assert "  loader: openai/codex@" in out
    value = run("targets", "codex", "--format", "json").json
    assert (value["id"], value["kind"]) == ("codex", "client")
    assert all(run("targets", id).status == 0 for id in targets())
    for mistyped, meant in (("codeks", "codex"), ("claude", "claude-upload or claude-code")):
        ran = run("targets", mistyped)
        assert (ran.status, f"did you mean {meant}?" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("described", "today", "line"),
    [
        ("Client 2.1", date(2026, 11, 28), "Describes Client 2.1; checked on 2026-11-28, today."),
        ("2026", date(2026, 11, 29), "Describes it as of 2026; checked on 2026-11-28, yesterday."),
        ("2026", date(2027, 3, 8), "Describes it as of 2026; checked on 2026-11-28, 100 days ago."),
        ("2026", date(2026, 11, 27), "Describes it as of 2026; checked on 2026-11-28, today."),
    ],
)  # fmt: skip
def test_the_age_of_a_record(described: str, today: date, line: str) -> None:
    assert age({"described": described, "checked": "2026-11-28"}, today) == line


def test_the_selected_targets_are_listed_first(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "skillstudio.toml").write_text('targets = ["codex", "no-such-target", "spec"]\n')
    monkeypatch.chdir(tmp_path)
    lines = run("targets").out.splitlines()
    assert lines[0] == "Selected here by targets in skillstudio.toml"
    assert [line.split()[0] for line in lines[1:3]] == ["codex", "spec"]
    assert len(lines) < 16
    assert lines[-1].startswith("-v describes each")
    words = "\n".join(lines).replace(",", " ").split()
    assert all(words.count(id) == 1 for id in TARGETS)
    ids = run("targets", "-q").out.splitlines()
    assert (ids[:2], set(ids), len(ids)) == (["codex", "spec"], TARGETS, len(TARGETS))
    full = run("targets", "-v").out
    assert all(f"  {target['about']}\n" in full for target in targets().values())
    assert full.splitlines()[:3] == lines[:3]


def test_the_folder_of_a_client_selects_its_targets(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".codex" / "skills" / "tea"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert run("targets", "-q").out.splitlines()[0] == "codex"


def test_a_quiet_record_of_a_target_has_no_evidence(run: Run) -> None:
    out = run("targets", "codex", "-q").out
    assert "  name long (max 64): dropped\n" in out
    assert "Sources" not in out


def test_a_target_whose_reading_is_not_recorded_cannot_be_selected(run: Run) -> None:
    assert run("check", ".", "--target", "cursor").status == 2
