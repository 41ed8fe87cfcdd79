"""`skillstudio diff`: what it prints, in which form, and with which status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain

from .conftest import Run

Write = Callable[[str, str], Path]
CHANGE_KEYS = [
    "kind", "operation", "pointer", "level", "review", "routing", "verdict", "keyword",
    "old", "new", "witness",
    "message", "source", "fingerprint", "waived", "hits",
]  # fmt: skip


@pytest.fixture
def pair(tmp_path: Path) -> Callable[..., tuple[Path, Path]]:
    """Two folders of one skill."""

    def write(old: str, new: str) -> tuple[Path, Path]:
        for which, text in (("old", old), ("new", new)):
            folder = tmp_path / which / "plain"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "SKILL.md").write_bytes(text.encode())
        return tmp_path / "old" / "plain", tmp_path / "new" / "plain"

    return write


TIGHTER = plain(version="1.1.0", pattern="^[a-f]+$")


def test_the_json_has_one_shape(run: Run, pair: Callable[..., tuple[Path, Path]]) -> None:
    old, new = pair(plain(), TIGHTER)
    ran = run("diff", old, new, "--format", "json")
    assert ran.status == 1
    value = ran.json
    assert list(value) == ["old", "new", "changes", "bump", "no_release", "summary"]
    assert list(value["old"]) == ["path", "ref", "version", "content_hash"]
    assert (value["old"]["path"], value["old"]["ref"]) == (str(old), None)
    assert value["new"]["content_hash"].startswith("sha256:")
    (change,) = value["changes"]
    assert list(change) == CHANGE_KEYS
    assert change["kind"] == "input-pattern-tightened"
    assert change["pointer"] == "/inputs/topic/schema/pattern"
    assert change["witness"] == {"value": "g", "accepted_by": "old", "refused_by": "new"}
    assert value["bump"] == {
        "declared": "minor",
        "required": "major",
        "ok": False,
        "suggested": "2.0.0",
        "findings": [
            {
                "kind": "version-bump-too-small",
                "severity": "error",
                "message": value["bump"]["findings"][0]["message"],
            }
        ],
    }
    assert value["summary"] == {"major": 1, "minor": 0, "patch": 0, "none": 0}


def test_people_read_the_reason_the_place_the_proof_and_the_bump(
    run: Run, pair: Callable[..., tuple[Path, Path]]
) -> None:
    old, new = pair(plain(), TIGHTER)
    out = run("diff", old, new).out
    assert out.splitlines() == [
        "✗ needs a major bump: 1.0.0 → 2.0.0; minor is too small",
        f"plain: {old} (1.0.0) → {new} (1.1.0)",
        "major (1)  what works today may break",
        '  the pattern of "topic" rejects strings it used to accept: "^[a-z]+$" → "^[a-f]+$"; '
        f'counterexample: "g", which only the old version accepts  {new}/SKILL.md:9:30',
        "",
        "1 major",
        "to accept a major change: skillstudio waive FINGERPRINT; -v prints fingerprints",
    ]
    out = run("diff", "-v", old, new).out
    assert "major (1)  what works today may break\n  input-pattern-tightened: " in out
    assert f"    at {new}/SKILL.md:9:30\n" in out
    assert (
        '    counterexample: "g": the old version accepts it, the new version rejects it\n' in out
    )
    (change,) = run("diff", old, new, "--format", "json").json["changes"]
    assert f"    fingerprint {change['fingerprint']} · source {change['source']}\n" in out
    assert f"    pointer: {change['pointer']}\n" in out
    assert out.endswith("1 major\n")
    assert "\x1b" not in out
    words = run("diff", old, new, "--plain").out
    assert f"{new}/SKILL.md, line 9, column 30" in words
    assert "→" not in words


@pytest.mark.parametrize(
    ("new", "fail_on", "status"),
    [
        (plain(), "patch", 0),
        (TIGHTER, "major", 1),
        (TIGHTER, "bump", 1),
        (TIGHTER, "none", 0),
        (TIGHTER.replace("1.1.0", "2.0.0"), "major", 1),
        (TIGHTER.replace("1.1.0", "2.0.0"), "bump", 0),
        (TIGHTER.replace("1.1.0", "2.0.0"), "review", 1),
        (plain(version="1.1.0", pattern="^[a-z]*$"), "major", 0),
        (plain(version="1.1.0", pattern="^[a-z]*$"), "minor", 1),
        (plain(version="1.1.0", pattern="^[a-z]*$"), "review", 0),
        (plain(pattern="^[a-z]*$"), "major", 1),
        (plain(version="1.1.0") + "\nexecution\n", "major", 0),
        (plain(version="1.1.0").replace("inputs:", "execution: {network: true}\ninputs:"),
         "major", 0),
        (plain(version="1.1.0").replace("inputs:", "execution: {network: true}\ninputs:"),
         "review", 1),
    ],
)  # fmt: skip
def test_the_status_says_whether_the_threshold_was_reached(
    run: Run, pair: Callable[..., tuple[Path, Path]], new: str, fail_on: str, status: int
) -> None:
    old, folder = pair(plain(), new)
    assert run("diff", old, folder, "--fail-on", fail_on).status == status


def test_a_ruleset_raises_what_asks_for_review(
    run: Run, pair: Callable[..., tuple[Path, Path]]
) -> None:
    text = plain(version="1.1.0").replace("inputs:", "execution: {network: true}\ninputs:")
    old, new = pair(plain(), text)
    assert run("diff", old, new).status == 0
    assert run("diff", old, new, "--ruleset", "security").status == 1


def test_the_text_of_the_files_is_shown_on_demand(
    run: Run, pair: Callable[..., tuple[Path, Path]]
) -> None:
    old, new = pair(plain(), plain(version="1.0.1"))
    (new / "data.bin").write_bytes(b"\0\x01")
    out = run("diff", old, new, "--text").out
    assert "--- a/SKILL.md\n+++ b/SKILL.md\n" in out
    assert "-version: 1.0.0\n+version: 1.0.1\n" in out
    assert "data.bin: added" in out
    markdown = run("diff", old, new, "--text", "--format", "markdown").out
    assert "```diff\n" in markdown
    refused = run("diff", old, new, "--text", "--format", "json")
    assert refused.status == 2


HOSTILE = "<img src=x> @team [x](http://y) `a|b` \x1b]0;x\x07 \u202e"


def test_markdown_lets_no_text_of_a_manifest_be_markup(
    run: Run, pair: Callable[..., tuple[Path, Path]]
) -> None:
    text = TIGHTER.replace("name: plain", f"name: {json.dumps(HOSTILE)}")
    old, new = pair(plain(), text.replace("topic", json.dumps(HOSTILE)))
    out = run("diff", old, new, "--format", "markdown").out
    assert out.startswith("<!-- skillstudio diff -->\n")
    assert "**major (" in out
    for markup in ("<img", "@team", "](", "http://", "\x1b", "\u202e", "`a"):
        assert markup not in re.sub(r"\\.", "", out)
    known = ("<!--", "### ", "**", "- **", "  - ", "✗ ", "<details>", "</details>")
    assert all(line.startswith(known) for line in out.splitlines() if line)


def test_markdown_stays_shorter_than_a_comment_may_be(
    run: Run, pair: Callable[..., tuple[Path, Path]]
) -> None:
    many = "".join(
        f"    - name: {'input' * 20}_{n}\n      schema: {{type: string}}\n" for n in range(900)
    )
    text = plain(version="1.1.0").replace("  optional: []\n", f"  optional:\n{many}")
    old, new = pair(plain(), text)
    out = run("diff", old, new, "--format", "markdown").out
    assert len(out) < 65_536
    assert "too long for a comment" in out


def test_github_shows_each_change_beside_its_line(
    run: Run, pair: Callable[..., tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, new = pair(plain(), TIGHTER)
    monkeypatch.chdir(new.parents[1])
    lines = run("diff", "old/plain", "new/plain", "--format", "github").out.splitlines()
    place = "file=new/plain/SKILL.md,line=9,col=30"
    assert lines[0].startswith(f"::error {place},title=input-pattern-tightened::major: ")
    assert "%0A" in lines[0]
    assert lines[1].startswith(
        "::error file=new/plain/SKILL.md,line=1,title=version::plain: ✗ needs"
    )
    assert len(lines) == 2


@pytest.mark.parametrize("format", ["text", "json", "markdown", "github"])
def test_a_manifest_that_does_not_parse_is_refused_with_its_place(
    run: Run, pair: Callable[..., tuple[Path, Path]], format: str
) -> None:
    old, new = pair(plain().replace("required:\n", "required: [\n"), plain())
    ran = run("diff", old, new, "--format", format)
    assert (ran.status, ran.result) == (2, "")
    assert f"{old}/SKILL.md:7:13: " in ran.err


def conflicting(text: str, start: int, end: int) -> str:
    """A text in which two sides changed some lines, with what git leaves there."""
    lines = text.splitlines(keepends=True)
    both = ["<<<<<<< HEAD\n", *lines[start:end], "=======\n", *lines[start:end], ">>>>>>> x\n"]
    return "".join([*lines[:start], *both, *lines[end:]])


MANIFEST = json.dumps(
    {"name": "one", "version": "1.0.0", "entrypoint": "x", "artifact": "a", "signers": ["a"]},
    indent=1,
)
FENCED = "---\nname: one\ndescription: d\n---\n```skill-manifest\n{}\n```\n"


@pytest.mark.parametrize("command", ["show", "bump"])
@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("SKILL.md", conflicting(plain(), 0, 99), "SKILL.md:1:1"),
        ("SKILL.md", "\n" + conflicting(plain(), 0, 3), "SKILL.md:2:1"),
        ("SKILL.md", conflicting(plain(), 0, 0) + plain(), "SKILL.md:1:1"),
        ("SKILL.md", conflicting(plain(), 4, 5), "SKILL.md:5:1"),
        ("SKILL.md", conflicting(plain(), 9, 12), "SKILL.md:10:1"),
        ("SKILL.md", conflicting(FENCED, 4, 7), "SKILL.md:5:1"),
        ("skill.toml", conflicting('[skill]\nid = "one"\nname = "one"\n', 0, 9), "skill.toml:1:"),
        ("manifest.json", conflicting(MANIFEST, 0, 99), "manifest.json:1:1"),
        ("manifest.json", conflicting(MANIFEST, 1, 2), "manifest.json:2:1"),
    ],
)
@needs_git
def test_a_merge_that_is_not_resolved_is_no_manifest_that_is_gone(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    file: str,
    text: str,
    place: str,
) -> None:
    repo = Repo(tmp_path / "repo")
    whole = {"skill.toml": '[skill]\nid = "one"\nname = "one"\n', "manifest.json": MANIFEST}
    repo.commit({f"one/{file}": whole.get(file, plain("one"))})
    repo.commit({f"one/{file}": text})
    monkeypatch.chdir(repo.root)
    ran = run(command, "one", *(["--against", "HEAD~1"] if command == "bump" else []))
    assert (ran.status, ran.result) == (2, "")
    assert f"skillstudio: one/{place}" in ran.err
    for words in (("diff", "one@HEAD~1", "one"), ("diff", "HEAD~1..HEAD")):
        ran = run(*words)
        assert ran.status == 2
        assert f"one/{place}" in ran.err


def test_conflict_marks_in_the_text_for_agents_hide_no_manifest(
    run: Run, pair: Callable[..., tuple[Path, Path]]
) -> None:
    old, new = pair(plain(), plain(version="1.0.1") + conflicting("Say more.\n", 0, 1))
    assert run("diff", old, new).status == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a", "b", "c"], "diff takes two versions"),
        (["HEAD..main", "a", "b"], "a range takes one PATH at most"),
        (["--staged", "a", "b"], "--staged takes one PATH at most"),
        (["nowhere", "."], "nowhere"),
        (["HEAD..nothing"], "unknown git revision 'nothing'"),
        (["x@HEAD..main"], "put the range before its path: skillstudio diff HEAD..main x"),
        (["HEAD@{0}..nothing"], "unknown git revision 'nothing'\n"),
        (["HEAD..HEAD", "nowhere"], "the folder nowhere does not exist at HEAD\n"),
        (["--ruleset", "mine", "a", "b"], "unknown value for --ruleset: mine"),
        (["--git-driver", "a", "b"], "git config diff.skill.command"),
        (["--git-driver", "."], "echo 'SKILL.md diff=skill' >> .gitattributes"),
    ],
)
@needs_git
def test_wrong_use_is_refused(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"SKILL.md": plain()})
    monkeypatch.chdir(repo.root)
    ran = run("diff", *arguments)
    assert (ran.status, ran.result) == (2, "")
    assert said in ran.err


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit({"one/SKILL.md": plain("one"), "two/SKILL.md": plain("two")}, "base")
    made.commit(
        {
            "one/SKILL.md": plain("one", "2.0.0", "^[a-f]+$"),
            "two/SKILL.md": None,
            "three/SKILL.md": plain("three"),
        },
        "head",
    )
    monkeypatch.chdir(made.root)
    return made


@needs_git
def test_a_folder_of_several_skills_says_how_commits_are_compared(run: Run, repo: Repo) -> None:
    ran = run("diff", ".", "one")
    assert (ran.status, ran.result) == (2, "")
    assert (
        "contains several skills; choose one: ./one, ./three; to compare two commits of a whole"
        in ran.err
    )
    assert "BASE..HEAD" in ran.err


@needs_git
def test_a_range_is_one_report_with_one_status(run: Run, repo: Repo) -> None:
    ran = run("diff", "base..head", "--format", "json")
    assert (ran.status, list(ran.json)) == (1, ["skills"])
    skills = ran.json["skills"]
    assert [[c["kind"] for c in each["changes"]] for each in skills] == [
        ["input-pattern-tightened"], ["skill-added"], ["skill-removed"],
    ]  # fmt: skip
    assert [each["old"] is None for each in skills] == [False, True, False]
    assert [each["new"] is None for each in skills] == [False, False, True]
    assert skills[0]["old"]["ref"] == "base"
    assert run("diff", "base..head", "three", "--format", "json").status == 0
    assert run("diff", "base..head", "--fail-on", "bump").status == 0
    out = run("diff", "base..head").out
    assert "three: added in three@head" in out
    assert "3 skills: 1 removed, 1 added; 2 major, 1 minor" in out
    assert run("diff", "head..head").out == "no skill changed\n"
    assert run("diff", "head..head", "--format", "json").json == {"skills": []}


@needs_git
@pytest.mark.parametrize("format", ["text", "json", "markdown", "github"])
def test_an_idle_waiver_is_told_once_in_all(run: Run, repo: Repo, format: str) -> None:
    (change,) = run("diff", "one@base", "one@head", "--format", "json").json["changes"]
    waivers = [
        f'[[waive]]\nfingerprint = "{fingerprint}"\nreason = "idle"\n'
        for fingerprint in ("f" * 12, change["fingerprint"], "0" * 12)
    ]
    repo.commit({"more/four/SKILL.md": plain("four")}, "later")
    settings = {"skillstudio.toml": "".join(waivers), "more/skillstudio.toml": waivers[0]}
    # The settings in a skill do not count below others.
    repo.write({**settings, "three/skillstudio.toml": waivers[0]})
    ran = run("diff", "base..later", "--format", format)
    told = re.findall(r"([\w/]*skillstudio\.toml):(\d+):1: the waiver (\w+)", ran.out + ran.err)
    assert sorted(told) == [
        ("more/skillstudio.toml", "2", "f" * 12),
        ("skillstudio.toml", "2", "f" * 12),
        ("skillstudio.toml", "8", "0" * 12),
    ]


@needs_git
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"<<<<<<< HEAD\n", "skillstudio.toml:1:1: "),
        (b"a = 1\n\xff", "skillstudio.toml:2:1: not UTF-8 from here on"),
        (b"[[waive]]\n", 'skillstudio.toml:1:3: missing key "reason"'),
        (b"waive = 5\n", "skillstudio.toml:1:9: "),
    ],
)
def test_settings_that_do_not_hold_are_told_once(
    run: Run, repo: Repo, text: bytes, said: str
) -> None:
    (repo.root / "skillstudio.toml").write_bytes(text)
    ran = run("diff", "base..head", "--format", "json")
    assert ran.status == 1
    assert ran.err.count(said) == 1


@needs_git
def test_one_broken_manifest_does_not_hide_the_other_skills(run: Run, repo: Repo) -> None:
    repo.commit({"one/SKILL.md": plain("one").replace("required:", "required: [")}, "broken")
    ran = run("diff", "base..broken")
    assert ran.status == 2
    assert "broken:one/SKILL.md:7:13: " in ran.err
    assert "three: added" in ran.out


@needs_git
def test_a_skill_that_is_absent_on_one_side_is_a_change(run: Run, repo: Repo) -> None:
    assert "three: added" in run("diff", "three@base", "three").out
    assert "two: removed" in run("diff", "two@base", "two@head").out
    both = run("diff", "two@head", "HEAD:two")
    assert both.status == 2
    assert "there is no skill at two@head and none at" in both.err


@needs_git
def test_a_skill_that_moved_since_is_not_one_that_was_removed(run: Run, repo: Repo) -> None:
    repo.git("tag", "one@2.0.0")
    repo.git("mv", "one", "uno")
    repo.commit({}, "one@2.0.1")
    ran = run("diff", "uno@head", "--format", "json")
    assert ran.err.startswith("at one@2.0.1 it is in uno\n")
    assert ran.err.endswith("at head it is in one\n")
    assert (ran.status, ran.json["changes"]) == (0, [])
    assert (ran.json["old"]["path"], ran.json["new"]["path"]) == ("uno", "one")
    assert run("diff", "one@head", "--format", "json").json["old"]["path"] == "uno"


@needs_git
def test_a_skill_that_is_nowhere_on_a_side_is_said_to_be(run: Run, repo: Repo) -> None:
    ran = run("diff", "./three@base", "three")
    assert ran.out.startswith(
        "? cannot be compared: base does not have this skill\nthree: added in three\n"
    )
    assert "note: at base no skill is in three or named three\n" in ran.out


@needs_git
def test_what_is_staged_must_be_bumped(run: Run, repo: Repo) -> None:
    repo.write({"one/SKILL.md": plain("one", "2.0.0", "^[a-c]+$")})
    assert run("diff", "--staged").out == "no skill changed\n"
    repo.git("add", "-A")
    ran = run("diff", "--staged", "--fail-on", "bump")
    assert ran.status == 1
    assert "one: one@HEAD (2.0.0) → one@index (2.0.0)" in ran.out
    assert "one/SKILL.md:9:" in ran.out
    repo.write({"one/SKILL.md": plain("one", "3.0.0", "^[a-c]+$")})
    assert run("diff", "--staged", "--fail-on", "bump").status == 1
    repo.git("add", "-A")
    assert run("diff", "--staged", "--fail-on", "bump").status == 0
    assert run("diff", "--staged", "three").out == "no skill changed\n"


@needs_git
def test_before_the_first_commit_everything_staged_is_new(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Repo(tmp_path / "new")
    made.write({"SKILL.md": plain("new")})
    made.git("add", "-A")
    monkeypatch.chdir(made.root)
    assert "added in .@index" in run("diff", "--staged").out


@needs_git
def test_with_one_version_the_old_one_is_the_last_tag(run: Run, repo: Repo) -> None:
    repo.git("tag", "one@2.0.0")
    repo.write({"one/SKILL.md": plain("one", "2.0.0", "^[a-z]+$")})
    ran = run("diff", "one", "--format", "json")
    assert ran.json["old"]["ref"] == "one@2.0.0"
    assert ran.json["bump"]["required"] == "minor"


@needs_git
def test_hostile_names_start_nothing_and_steer_no_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "repo")
    name = "$(touch x)\x1b[31m"
    repo.commit({f"{name}/SKILL.md": plain("plain"), f"{name}/$(touch y)": "x"}, "base")
    repo.commit({f"{name}/SKILL.md": plain("plain", "2.0.0"), f"{name}/a\nb": "x"}, "head")
    for key in ("core.fsmonitor", "diff.external", "core.pager", "filter.x.smudge"):
        repo.git("config", key, "touch ran")
    monkeypatch.chdir(repo.root)
    for format in ("text", "markdown", "github", "json"):
        ran = run("diff", "base..head", "--format", format)
        assert "\x1b" not in ran.out + ran.err
    assert "has no content hash" in run("diff", "base..head").out
    assert sorted(os.listdir(repo.root)) == sorted([".git", name])


def test_a_pattern_that_blows_up_is_undecided_in_time(
    run: Run, pair: Callable[..., tuple[Path, Path]]
) -> None:
    text = plain(pattern="^(a|a)*b{1,900}(a|ab|abc){1,90}$")
    old, new = pair(text, text.replace("^(a|a)*", "^(a|a|aa)*").replace("1.0.0", "2.0.0"))
    ran = run("diff", old, new, "--format", "json", "--fail-on", "bump")
    assert ran.status == 0
    assert ran.json["changes"][0]["kind"].startswith("input-pattern-")


def test_an_undecided_change_is_for_a_person_and_says_what_to_do(
    run: Run, pair: Callable[..., tuple[Path, Path]]
) -> None:
    text = plain(pattern="^a$").replace('pattern: "^a$"', "format: one")
    other = text.replace("format: one", "format: other").replace("1.0.0", "1.1.0")
    old, new = pair(text, other)
    assert "format: other" in (new / "SKILL.md").read_text(encoding="utf-8")
    ran = run("diff", old, new)
    assert ran.status == 0
    assert "undecided (1)  a person must check" in ran.out
    assert (
        "because of `format`: the set of strings with this format is not exactly known" in ran.out
    )
    assert "to do: compare both versions by hand" in ran.out
    assert run("diff", old, new, "--fail-on", "review").status == 1
    assert run("diff", old, new, "--ruleset", "strict").status == 1
    (change,) = run("diff", old, new, "--format", "json").json["changes"]
    assert (change["verdict"], change["keyword"]) == ("undecided", "format")
    assert (change["level"], change["review"], change["witness"]) == ("minor", True, None)
    assert "- **to do:** compare both" in run("diff", old, new, "--format", "markdown").out


def test_diff_imports_nothing_heavy(pair: Callable[..., tuple[Path, Path]]) -> None:
    old, new = pair(plain(), TIGHTER)
    # Not in the list: jsonschema_rs, which confirms the counterexample, and loads in 18 ms.
    heavy = [
        "textual", "rich", "pygments", "watchfiles", "platformdirs", "tomlkit", "semver",
        "pathspec", "rfc8785", "importlib.metadata", "jsonschema", "asyncio", "subprocess",
        "difflib", "zipfile", "tarfile", "dataclasses", "inspect",
    ]  # fmt: skip
    code = (
        "import sys, json; from skillstudio.cli.main import main; main(['diff', *sys.argv[1:]]);"
        f"print(json.dumps([name for name in {heavy!r} if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(old), str(new)], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_a_changed_script_needs_a_review_under_the_ruleset_security(
    run: Run, tmp_path: Path
) -> None:
    for side, line in (("old", "echo 1"), ("new", "echo 2")):
        folder = tmp_path / side / "tea"
        (folder / "scripts").mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\nx\n")
        (folder / "scripts" / "a.sh").write_text(f"#!/bin/sh\n{line}\n")
        (folder / "notes.md").write_text(line)
    sides = [tmp_path / side / "tea" for side in ("old", "new")]
    strict = run("diff", *sides, "--ruleset", "security", "--format", "json")
    found = json.loads(strict.out)["changes"]
    assert [(e["kind"], e["level"], e["pointer"]) for e in found] == [
        ("script-changed", "major", "/scripts/scripts~1a.sh")
    ]
    assert strict.status == 1
    assert json.loads(run("diff", *sides, "--format", "json").out)["changes"] == []
