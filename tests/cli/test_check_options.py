"""What `check` reports and prints by its options, and text from standard input."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CI_FORMATS, CLEAN, Run

from skillstudio.session import result_cache

BAD = "---\nname: Bad\ndescription: a: b\n---\n[x](no.md) [y](none.md)\n"
Check = Callable[..., list[str]]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    for name, text in (("bad", BAD), ("plain", CLEAN.format(name="plain"))):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def rules(run: Run) -> Check:
    """The rules that a check reports."""

    def check(*words: str) -> list[str]:
        found = run("check", *words, "--format", "json").json
        rows = [row for skill in found["skills"] for row in skill["diagnostics"]]
        return sorted(row["rule"] for row in (*rows, *found["workspace"]["diagnostics"]))

    return check


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | bytes], None]:
    """Give a text to standard input."""

    def give(text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ([], ["description-unquoted", "link-missing", "link-missing", "name-format"]),
        (["--ignore", "link-missing"], ["description-unquoted", "name-format"]),
        (["--ignore", "link-missing,name-format"], ["description-unquoted"]),
        (["--select", "name-format", "--select=link-missing", "--ignore", "link-missing"],
         ["name-format"]),
        (["--ignore", "security"],
         ["description-unquoted", "link-missing", "link-missing", "name-format"]),
    ],
)  # fmt: skip
def test_ignore(rules: Check, words: list[str], wanted: list[str]) -> None:
    assert rules(*words) == wanted


def test_an_ignored_rule_leaves_ignores_of_the_workspace_in_use(
    rules: Check, workspace: Path
) -> None:
    (workspace / "skillstudio.toml").write_text(
        "[[ignore]]\nrule = 'link-missing'\npath = '*'\n"
        "[[ignore]]\nrule = 'body-long'\npath = '*'\n"
    )
    assert rules("--ignore", "name-format") == ["description-unquoted", "ignore-unused"]
    assert rules("--ignore", "ignore-unused") == ["description-unquoted", "name-format"]


def test_an_ignored_rule_is_not_fixed(run: Run, workspace: Path) -> None:
    ran = run("fix", "skills/bad", "--ignore", "description-unquoted")
    assert "fixed" not in ran.err
    assert (workspace / "skills/bad/SKILL.md").read_text() == BAD


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ignore", "name-fromat"], "unknown rule or ruleset name-fromat; did you mean name-"),
        (["--ignore", "skill-missing"], "cannot be ignored: it reports what could not be checked"),
        (["--statistics", "--format", "sarif"], "needs --format text, markdown or json, not sarif"),
        (
            ["--stdin-filename", "a", "skills"],
            "--stdin-filename names the only file: omit skills",
        ),
        (["-", "--stdin-filename", "a", "--fix"], "--fix needs files on disk; omit it or --stdin"),
        (
            ["--stdin-filename", "a", "--changed-since", "HEAD"],
            "--changed-since needs files on disk",
        ),
    ],
)
def test_what_is_refused(run: Run, words: list[str], said: str) -> None:
    ran = run("check", *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_exit_zero_changes_only_the_status(run: Run) -> None:
    one, other = run("check"), run("check", "--exit-zero")
    assert (one.status, other.status) == (1, 0)
    assert one.out == other.out
    assert run("check", "nowhere", "--exit-zero").status == 2


def test_statistics(run: Run) -> None:
    ran = run("check", "--statistics")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "2  warning  link-missing",
        "1  error    description-unquoted",
        "1  error    name-format",
        "2 skills checked, 2 errors, 2 warnings",
        "1 can be fixed with: skillstudio fix",
        "1 more with --unsafe-fixes",
    ]
    found = run("check", "--statistics", "--format", "json").json
    assert found["summary"]["statistics"][0] == {
        "rule": "link-missing", "severity": "warning", "count": 2,
    }  # fmt: skip
    assert len(found["skills"][0]["diagnostics"]) == 4
    table = run("check", "--statistics", "--format", "markdown").out
    assert "| problems | severity | rule |" in table
    assert "skills/bad" not in table


def test_statistics_count_what_is_not_listed(run: Run, workspace: Path) -> None:
    links = "".join(f"[x]({number}.md)\n" for number in range(130))
    (workspace / "skills/bad/SKILL.md").write_text(CLEAN.format(name="bad") + links)
    assert run("check", "--statistics").out.startswith("130  warning  link-missing\n")


def test_quiet_prints_problems_alone(run: Run, workspace: Path) -> None:
    loud, quiet = run("check", "skills"), run("check", "skills", "-q")
    assert loud.out == (
        f"{quiet.out}2 skills checked, 2 errors, 2 warnings\n"
        "1 can be fixed with: skillstudio fix skills\n1 more with --unsafe-fixes\n"
    )
    assert (quiet.status, quiet.err) == (1, "")
    clean = run("check", "skills/plain", "--quiet")
    assert (clean.status, clean.out, clean.err) == (0, "", "")
    fixed = run("fix", "skills/bad", "-q")
    assert fixed.err == ""
    assert (workspace / "skills/bad/SKILL.md").read_text() != BAD


def test_verbose_says_what_is_read_and_why(run: Run, workspace: Path) -> None:
    (workspace / "pyproject.toml").write_text("[tool.skillstudio]\ntargets = ['codex']\n")
    ran = run("check", "skills", "-v")
    assert ran.err.splitlines() == [
        "cache: not used",
        "settings: pyproject.toml",
        "skills/bad: agent-skills; targets: codex (targets in pyproject.toml); "
        "no selected target looks here",
        "skills/plain: agent-skills; targets: codex (targets in pyproject.toml); "
        "no selected target looks here",
    ]
    assert ran.out == run("check", "skills").out


@pytest.mark.slow
def test_verbose_counts_what_the_cache_knows(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else files that changed a moment ago are checked again.
    monkeypatch.setattr(result_cache, "_SETTLING_TIME", -(10**12))
    monkeypatch.setattr(result_cache, "_SETTLED_COARSELY", -(10**12))
    for number in range(40):
        file = workspace / "many" / f"s{number}" / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(CLEAN.format(name=f"s{number}"))
    assert "cache: 0 of 40 skills unchanged" in run("check", "many", "-v").err
    assert "cache: 40 of 40 skills unchanged" in run("check", "many", "-v").err
    assert "cache: not used" in run("check", "many", "-v", "--no-cache").err


FIXED = "---\nname: bad\ndescription: Says things. Use when things are said.\nlicence: MIT\n---\n"


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("skills/bad/SKILL.md", FIXED, ["skills/bad/SKILL.md:4:1 key-unknown"]),
        ("./skills/bad/SKILL.md", FIXED, ["./skills/bad/SKILL.md:4:1 key-unknown"]),
        ("{root}/skills/bad/SKILL.md", FIXED, ["{root}/skills/bad/SKILL.md:4:1 key-unknown"]),
        ("skills/bad/SKILL.md", CLEAN.format(name="bad"), []),
        # The file, its folder, or both need not exist.
        ("skills/new/SKILL.md", "---\nname: new\n---\n", ["skills/new/SKILL.md:1:1 key-missing"]),
        ("other/deep/new/SKILL.md", FIXED,
         ["other/deep/new/SKILL.md:2:7 name-folder", "other/deep/new/SKILL.md:4:1 key-unknown"]),
        # Problems of the skill's other files are not those of this one.
        ("skills/bad/notes.md", "text\n", []),
        ("notes.md", "text\n", ["notes.md:1:1 skill-missing"]),
        ("gone/notes.md", "text\n", ["gone/notes.md:1:1 skill-missing"]),
    ],
)  # fmt: skip
def test_a_text_is_checked_as_a_file_of_its_skill(
    run: Run,
    workspace: Path,
    typed: Callable[[str], None],
    path: str,
    text: str,
    wanted: list[str],
) -> None:
    before = sorted(workspace.rglob("*"))
    path = path.format(root=workspace)
    typed(text)
    ran = run("check", "-", "--stdin-filename", path, "--format", "json")
    rows = [row for skill in ran.json["skills"] for row in skill["diagnostics"]]
    found = [*rows, *ran.json["workspace"]["diagnostics"]]
    assert [f"{row['path']}:{row['line']}:{row['column']} {row['rule']}" for row in found] == [
        each.format(root=workspace) for each in wanted
    ]
    errors = any(row["severity"] == "error" for row in found)
    assert ran.status == errors
    assert sorted(workspace.rglob("*")) == before


def test_settings_apply_to_a_text(run: Run, workspace: Path, typed: Callable[[str], None]) -> None:
    (workspace / "skillstudio.toml").write_text("[rules]\nkey-unknown = 'error'\n")
    typed(FIXED)
    ran = run("check", "--stdin-filename", "skills/bad/SKILL.md", "-q")
    assert ran.status == 1
    assert ran.out.splitlines()[0].startswith("skills/bad/SKILL.md:4:1: error key-unknown")


@pytest.mark.parametrize("format", ["markdown", *CI_FORMATS])
def test_every_format_prints_a_text(run: Run, typed: Callable[[str], None], format: str) -> None:
    typed(FIXED)
    ran = run("check", "-", "--stdin-filename", "skills/bad/SKILL.md", "--format", format)
    assert ran.status == 0
    assert "skills/bad/SKILL.md" in ran.out
    assert "description-unquoted" not in ran.out


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"---\nname: \xe9\n---\n", b"\0" * 5000])
def test_any_bytes_are_read(run: Run, typed: Callable[[bytes], None], data: bytes) -> None:
    typed(data)
    ran = run("check", "-", "--stdin-filename", "skills/bad/SKILL.md", "--format", "json")
    assert ran.status == 1
    json.dumps(ran.json)


@pytest.mark.parametrize(
    ("comment", "settings", "options"),
    [
        ("  # skillstudio: ignore[name-format]", "", ()),
        ("", '[rules]\nname-format = "off"\n', ()),
        ("", '[[ignore]]\nrule = "name-format"\npath = "tea/SKILL.md"\n', ()),
        ("", "", ("--ignore", "name-format")),
    ],
    ids=["comment", "rules", "ignore", "option"],
)
def test_a_refusal_is_reported_where_the_error_that_implies_it_is_ignored(
    run: Run, tmp_path: Path, comment: str, settings: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "tea").mkdir()
    text = f"---\nname: Tea{comment}\ndescription: Says. Use it.\n---\n# Tea\n\nSay.\n"
    (tmp_path / "tea" / "SKILL.md").write_text(text)
    (tmp_path / "skillstudio.toml").write_text(settings)
    words = (tmp_path / "tea", "--target", "claude-upload", "--format", "json")
    (row,) = run("check", *words, *options).json["skills"]
    assert [problem["rule"] for problem in row["diagnostics"]] == ["target-refused"]
