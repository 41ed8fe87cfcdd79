"""A skill through five releases: what each changed, which bump it asked for, and by git alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.commands import Run
from tests.repositories import Repo, needs_git

EXAMPLES = Path(__file__).parents[2] / "examples"
AUTHOR = """\
    - name: author
      description: Who writes the worklog
      schema:
        type: string
"""
MOTTO = '"{{output_dir}}/{{session_date}}-{{topic}}.org"'


def replaced(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Six tags of worklog; each version changes one thing and says so by its number."""
    repo = Repo(tmp_path / "repo")
    files: dict[str, str | None] = {
        f"skills/worklog/{path.relative_to(EXAMPLES / 'worklog').as_posix()}": path.read_text()
        for path in sorted((EXAMPLES / "worklog").rglob("*"))
        if path.is_file()
    }
    text = replaced(
        str(files["skills/worklog/SKILL.md"]),
        ("  required: []\n  optional:\n    - name: PROJECT", "  required:\n    - name: PROJECT"),
        ("    - name: API_TOKEN", "  optional:\n    - name: API_TOKEN"),
    )
    steps: list[tuple[str, tuple[tuple[str, str], ...]]] = [
        ("1.0.0", ()),
        ("2.0.0", (("  optional:\n    - name: topic", f"{AUTHOR}  optional:\n    - name: topic"),)),
        ("3.0.0", ((r"^\\d{4}-\\d{2}-\\d{2}$", r"^20\\d{2}-\\d{2}-\\d{2}$"),)),
        ("4.0.0", ((MOTTO, MOTTO.replace("org", "md")),)),
        ("5.0.0", (("  required:\n    - name: PROJECT\n", "  required: []\n"),
                   ("      description: Project name for context\n", ""),
                   ("    - PROJECT\n", ""))),
        ("5.0.1", (("Document a work session", "Document, in order, a work session"),)),
    ]  # fmt: skip
    before = "1.0.0"
    for version, changes in steps:
        text = replaced(text, *changes, (f"version: {before}\n", f"version: {version}\n"))
        before = version
        repo.commit({**files, "skills/worklog/SKILL.md": text}, f"worklog@{version}")
    monkeypatch.chdir(repo.root)
    return repo


STEPS = [
    # from, to, required and declared, the kinds that ask for it
    ("1.0.0", "2.0.0", "major", ["input-required-added"]),
    ("2.0.0", "3.0.0", "major", ["input-pattern-tightened"]),
    ("3.0.0", "4.0.0", "major", ["output-pattern-changed", "interface-entry-removed"]),
    ("4.0.0", "5.0.0", "major", ["env-required-removed", "interface-entry-removed"]),
    ("5.0.0", "5.0.1", "patch", []),
]


MEMORY = [
    ("major", "schema-version-changed", "/manifest_versions/skill-manifest-2.0"),
    # The operations lost their prefix, so whoever calls mem.search finds nothing.
    ("major", "operation-renamed", "health"),
    ("major", "operation-renamed", "search"),
    ("major", "operation-renamed", "store"),
    ("minor", "operation-declared", "/operations"),
    ("minor", "input-became-optional", "search"),
    ("minor", "input-optional-added", "store"),
    ("minor", "operation-added", "types"),
    ("patch", "description-changed", "/description"),
]


@needs_git
@pytest.mark.parametrize(("old", "new", "bump", "kinds"), STEPS, ids=[step[1] for step in STEPS])
def test_each_release_asks_for_its_bump(
    releases: Repo, run: Run, old: str, new: str, bump: str, kinds: list[str]
) -> None:
    seen = releases.seen()
    ran = run("diff", f"worklog@{old}", f"worklog@{new}", "--format", "json")
    value = ran.json
    assert [change["kind"] for change in value["changes"] if change["level"] == bump] == kinds
    assert (value["bump"]["required"], value["bump"]["declared"]) == (bump, bump)
    assert value["bump"]["ok"]
    assert (value["old"]["version"], value["new"]["version"]) == (old, new)
    assert ran.status == (1 if kinds else 0)
    assert run("diff", f"worklog@{old}", f"worklog@{new}", "--fail-on", "bump").status == 0
    assert releases.seen() == seen
    assert releases.git("status", "--porcelain") == ""


@needs_git
def test_all_releases_together_ask_for_the_highest(releases: Repo, run: Run) -> None:
    value = run("diff", "worklog@1.0.0", "worklog@5.0.1", "--format", "json").json
    assert value["bump"]["declared"] == value["bump"]["required"] == "major"
    assert value["bump"]["suggested"] == "2.0.0"
    kinds = {change["kind"] for change in value["changes"] if change["level"] == "major"}
    assert kinds == {kind for step in STEPS for kind in step[3]}
    witness = next(c["witness"] for c in value["changes"] if c["kind"] == "input-pattern-tightened")
    assert (witness["accepted_by"], witness["refused_by"]) == ("old", "new")
    assert not witness["value"].startswith("20")
    assert len(witness["value"]) == len("2025-01-01")


@needs_git
def test_the_releases_are_read_from_git_where_the_folder_is_gone(releases: Repo, run: Run) -> None:
    shutil.rmtree(releases.root / "skills")
    ran = run("diff", "worklog@1.0.0", "worklog@2.0.0", "--format", "json")
    assert ran.json["bump"]["required"] == "major"
    assert list(releases.seen()) == []


@needs_git
def test_the_whole_history_is_one_report(releases: Repo, run: Run) -> None:
    ran = run("diff", "worklog@1.0.0..worklog@5.0.1", "--format", "json")
    assert ran.status == 1
    assert [each["new"]["path"] for each in ran.json["skills"]] == ["skills/worklog"]
    assert run("check-compat", "worklog@5.0.0..worklog@5.0.1").status == 0


@pytest.mark.slow
@needs_git
def test_a_change_is_bumped_written_committed_and_tagged(releases: Repo, run: Run) -> None:
    manifest = releases.root / "skills/worklog/SKILL.md"
    text = replaced(manifest.read_text(), ("    - name: output_dir\n", "    - name: folder\n"))
    manifest.write_text(replaced(text, ("    - output_dir\n", "    - folder\n")))
    refused = run("diff", "worklog", "--fail-on", "bump")
    assert refused.status == 1
    assert "needs a major bump: 5.0.1 → 6.0.0" in refused.out
    assert run("bump", "skills/worklog").out == "6.0.0\n"
    before = manifest.read_text()
    assert run("bump", "worklog", "--write").status == 0
    assert manifest.read_text() == before.replace("version: 5.0.1", "version: 6.0.0")
    assert run("diff", "worklog", "--fail-on", "bump").status == 0
    dirty = run("bump", "worklog", "--tag")
    assert dirty.status == 1
    assert "uncommitted changes (skills/worklog/CHANGELOG.md, skills/worklog/SKILL.md)" in dirty.err
    releases.commit({})
    assert run("bump", "worklog", "--tag").out == "git tag -a -m 'worklog 6.0.0' -- worklog@6.0.0\n"
    assert releases.git("tag", "--list", "worklog@6*") == ""


@needs_git
def test_a_waiver_takes_one_change_out_and_says_why(releases: Repo, run: Run) -> None:
    value = run("diff", "worklog@1.0.0", "worklog@2.0.0", "--format", "json").json
    fingerprint = value["changes"][0]["fingerprint"]
    assert run("waive", fingerprint, "--reason", "nobody calls it yet").status == 0
    ran = run("diff", "worklog@1.0.0", "worklog@2.0.0", "--format", "json")
    assert ran.status == 0
    assert ran.json["changes"][-1]["waived"] == "nobody calls it yet"
    assert ran.json["summary"]["major"] == 0
    idle = run("diff", "worklog@5.0.0", "worklog@5.0.1")
    assert f"the waiver {fingerprint} (nobody calls it yet) matches no change here" in idle.out


def test_memory_before_and_now(run: Run) -> None:
    old, new = EXAMPLES / "history" / "0.1.0" / "memory", EXAMPLES / "memory"
    ran = run("diff", old, new, "--format", "json")
    found = [(c["level"], c["kind"], c["operation"] or c["pointer"]) for c in ran.json["changes"]]
    assert found == MEMORY
    assert ran.json["bump"] == {
        "declared": "minor",
        "required": "minor",
        "ok": True,
        "suggested": "0.2.0",
        "findings": [],
    }
    assert "the dialect changed from agent-skills, router-manifest-1 to" in ran.err
