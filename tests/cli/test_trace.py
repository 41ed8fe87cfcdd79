"""`skillstudio trace`: recorded runs listed, shown, compared, run again and given away."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.commands import Ran
from tests.dryrun.skills import block_skill, front_skill, offered

from skillstudio.dryrun.traces.store import default_folder

SCRIPT = """\
printf %s "$1" > said.txt
echo "$1"
[ "$1" != bad ] || exit 3
"""
SECRET = "correct-horse-battery"
Go = Callable[..., Ran]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    offered("copy")
    return block_skill(
        tmp_path / "tool",
        SCRIPT,
        inputs={"word": {"type": "string", "required": True}, "more": {"type": "string"}},
    )


@pytest.fixture
def go(run: Run, tool: Path, work: Path) -> Go:
    def once(word: str = "tea", *options: str | Path) -> Ran:
        return run("run", tool, "go", "-i", f"word={word}", "--isolation", "copy", *options)

    return once


def kept(run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run("trace", "list", "--format", "json").json["runs"]
    return found


def test_nothing_is_kept_at_first_nor_with_off(run: Run, go: Go) -> None:
    ran = run("trace", "list")
    assert (ran.status, ran.out) == (0, "")
    assert "no run is recorded yet" in ran.err
    go("tea", "--trace", "off")
    assert kept(run) == []
    assert run("trace", "show", "last").status == 2


def test_a_run_is_kept_listed_and_shown(run: Run, go: Go) -> None:
    go("bad")
    go("tea")
    newest, oldest = kept(run)
    assert newest["run"] > oldest["run"]
    assert (newest["skill"], newest["operation"], newest["isolation"]) == ("tool", "go", "copy")
    assert (newest["ended"], oldest["ended"]) == ("exit status 0", "exit status 3")
    assert newest["mode"] == "standard"
    shown = run("trace", "show", oldest["run"][:20])
    assert shown.status == 0
    assert f"run: {oldest['run']}" in shown.out
    assert "content_hash: sha256:" in shown.out
    assert "exit 3" in shown.out
    assert "  bad\n" in shown.out  # What it printed.
    value = run("trace", "show", "last", "--format", "json").json
    assert value["run"] == newest["run"]
    assert value["execution"]["skill_version"]["content_hash"].startswith("sha256:")


def test_two_runs_are_compared(run: Run, go: Go) -> None:
    go("tea")
    go("bad")
    after, before = (each["run"] for each in kept(run))
    ran = run("trace", "diff", before, "last")
    assert ran.status == 1
    assert "Run with: inputs\n  word: tea before, bad now\n" in ran.out
    assert "Result: exit\n  how it ended: exit status 0 before, exit status 3 now\n" in ran.out
    told = run("trace", "diff", before, after, "--format", "json").json
    assert (told["before"], told["after"]) == (before, after)
    assert {each["area"] for each in told["differences"]} >= {"inputs", "exit"}
    assert run("trace", "diff", "last", "last").out.endswith("same inputs, same results\n")


def test_a_run_is_run_again(run: Run, go: Go) -> None:
    go("tea")
    first = kept(run)[0]["run"]
    ran = run("trace", "replay", "last", "--format", "json")
    assert ran.status == 0
    told = ran.json
    assert (told["of"], told["same"]) == (first, True)
    assert told["run"] == kept(run)[0]["run"] != first


def test_a_run_is_compared_byte_by_byte(run: Run, work: Path, tmp_path: Path) -> None:
    offered("copy")
    count = tmp_path / "count"
    count.write_text("17")
    script = f'printf %sx "$(cat {count})" > n.txt\necho "$(cat {count}) in $PWD"\npwd > where\n'
    tool = block_skill(tmp_path / "tool", script)
    run("run", tool, "go", "--isolation", "copy")
    assert run("trace", "replay", "last", "--format", "json").json["same"] is True
    count.write_text("47")
    ran = run("trace", "replay", "last")
    assert ran.status == 1
    assert "  skill: n.txt: the content differs\n    --- before\n    +++ now\n" in ran.out
    assert "    -17x\n" in ran.out
    assert "  standard output differs\n" in ran.out
    assert f"    -17 in {tool}\n" in ran.out
    assert ran.out.endswith("different results\n")
    before, after = (row["run"] for row in kept(run)[:2])
    rows = run("trace", "diff", before, after, "--format", "json").json["differences"]
    assert [(row["area"], row["name"]) for row in rows] == [
        ("files", "skill: n.txt"),
        ("streams", "stdout"),
    ]
    assert all(row["diff"].startswith("--- before\n+++ now\n") for row in rows)


def test_an_old_recording_has_no_content_to_compare(run: Run, go: Go) -> None:
    go("tea")
    file = Path(default_folder()) / kept(run)[0]["run"] / "trace.json"
    trace = json.loads(file.read_text())
    del trace["printed"]
    for change in trace["changes"]["added"]:
        del change["content"], change["mode"]
    file.write_text(json.dumps(trace))
    ran = run("trace", "replay", "last")
    assert ran.status == 1
    assert ran.out.count("was not recorded in the first run, so it cannot be compared") == 1
    assert "same results" not in ran.out


def test_what_is_not_recorded_is_not_called_recorded(run: Run, go: Go) -> None:
    assert "recorded as" in go("tea").out
    assert "recorded as" not in go("tea", "--trace", "off").out


def test_a_run_of_another_version_is_refused(run: Run, go: Go, tool: Path) -> None:
    go("tea")
    (tool / "go.script").write_text(SCRIPT + "exit 4\n")
    ran = run("trace", "replay", "last")
    assert ran.status == 2
    assert "the skill has changed since the run: content_hash was sha256:" in ran.err
    assert len(kept(run)) == 1
    ran = run("trace", "replay", "last", "--anyway")
    assert ran.status == 1
    assert "Result: exit\n  how it ended: exit status 0 before, exit status 4 now\n" in ran.out
    assert "Run with: version\n  content_hash: sha256:" in ran.out
    assert "different results" in ran.out


def test_what_was_secret_is_given_again(run: Run, go: Go, tmp_path: Path) -> None:
    file, other = tmp_path / "secret", tmp_path / "other"
    file.write_text(SECRET)
    other.write_text("another-one")
    go("tea", "--secret", f"more=@{file}")
    ran = run("trace", "replay", "last")
    assert ran.status == 2
    assert "more is not in the trace: give it again with --secret more=@FILE" in ran.err
    ran = run("trace", "replay", "last", "--secret", f"more=@{file}")
    assert (ran.status, ran.out.splitlines()[-1][-12:]) == (0, "same results")
    ran = run("trace", "replay", "last", "--secret", f"more=@{other}")
    assert "Run with: inputs\n  more: the value changed\n" in ran.out
    files = [each for each in Path(default_folder()).parent.rglob("*") if each.is_file()]
    assert len(files) > 4
    assert not [each for each in files if SECRET in each.read_text()]


def test_a_sensitive_skill_is_kept_without_any_value(run: Run, work: Path, tmp_path: Path) -> None:
    offered("copy")
    who = "{name: who, description: d, schema: {type: string}}"
    head = f"inputs:\n  required:\n    - {who}\nsensitive: true\n"
    tool = front_skill(tmp_path / "vault", head, '#!/bin/sh\nprintf x > "$1.txt"\necho "$1"\n')
    file = tmp_path / "who"
    file.write_text("somebody-or-other")
    run(
        "run",
        tool,
        "scripts/go.sh",
        "--secret",
        f"who=@{file}",
        "--isolation",
        "copy",
        "--",
        "a-name",
    )
    [row] = kept(run)
    assert row["mode"] == "aggressive"
    everything = b"".join(e.read_bytes() for e in Path(row["folder"]).rglob("*") if e.is_file())
    assert b"a-name" not in everything
    assert b"somebody" not in everything
    ran = run("trace", "replay", "last")
    assert ran.status == 2
    assert "who is not in the trace" in ran.err
    assert "the 1 arguments are not in the trace" in ran.err
    ran = run("trace", "replay", "last", "--secret", f"who=@{file}", "--", "a-name")
    assert (ran.status, ran.out.splitlines()[-1][-12:]) == (0, "same results")
    assert run("trace", "export", "--share", "last").status == 2
    shared = run("trace", "export", "--share", "--reviewed", "last")
    assert shared.status == 0
    assert str(tmp_path) not in shared.out


def test_a_run_is_given_away_and_read_by_another(
    run: Run, go: Go, tool: Path, tmp_path: Path
) -> None:
    go("tea")
    file = tmp_path / "shared.json"
    ran = run("trace", "export", "last", "--share", "-o", file)
    assert (ran.status, ran.out) == (0, "")
    text = file.read_text()
    assert str(tmp_path) not in text
    assert json.loads(text)["shared"] is True
    assert run("trace", "show", file).status == 0
    assert run("trace", "diff", "last", file).status in (0, 1)
    refused = run("trace", "replay", file)
    assert refused.status == 2
    assert "name the skill: skillstudio trace replay FILE SKILL" in refused.err
    assert run("trace", "replay", file, tool).status == 0


ESCAPES = "\x1b]0;owned\x07\x1b[31m\u202e"


def test_a_hostile_trace_steers_no_terminal(run: Run, go: Go, tmp_path: Path) -> None:
    go("tea")
    value = run("trace", "show", "last", "--format", "json").json

    def hostile(each: Any) -> Any:
        if isinstance(each, str):
            return each + ESCAPES
        if isinstance(each, dict):
            return {key: hostile(inner) for key, inner in each.items()}
        return [hostile(inner) for inner in each] if isinstance(each, list) else each

    fixed = {name: value[name] for name in ("trace", "mode", "isolation", "requirements", "steps")}
    words = {"changes": value["changes"], "effects": value["effects"], "outputs": value["outputs"]}
    for name in ("changes", "effects", "outputs"):
        rows = words[name].values() if name == "changes" else [words[name]]
        for each in (row for found in rows for row in found):
            for key in ("path", "effect", "kind", "pattern"):
                if isinstance(each.get(key), str):
                    each[key] += ESCAPES
            each["evidence"] = hostile(each.get("evidence", []))
            each["paths"] = hostile(each.get("paths", []))
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps({**hostile(value), **fixed, **words}))
    for ran in (
        run("trace", "show", file),
        run("trace", "diff", "last", file),
        run("trace", "diff", file, "last"),
        run("trace", "replay", file, tmp_path / "tool"),
        run("trace", "export", file, "--share"),
    ):
        assert not [each for each in ("\x1b", "\x07", "\u202e") if each in ran.out + ran.err]
        assert len(ran.out + ran.err) > 20


WRONG_USE = [
    (("trace",), "ACTION"),
    (("trace", "dance"), "unknown value for ACTION: dance"),
    (("trace", "show"), "trace show needs one RUN"),
    (("trace", "list", "x"), "trace list needs no RUN"),
    (("trace", "diff", "last"), "trace diff needs two RUNs"),
    (("trace", "explore"), "trace explore needs one RUN"),
    (("trace", "explore", "last", "--", "ls"), "unexpected argument ls"),
    (("trace", "replay", "last", "--timeout", "5"), "--timeout is an option of trace explore"),
    (("trace", "list", "--share"), "--share is an option of trace export"),
    (("trace", "show", "nothing-like-it"), "no run is recorded yet"),
    (("trace", "show", "./none.json"), "none.json: No such file or directory"),
]


@pytest.mark.parametrize(("words", "said"), WRONG_USE, ids=[" ".join(r[0]) for r in WRONG_USE])
def test_wrong_use_is_told(run: Run, words: tuple[str, ...], said: str) -> None:
    ran = run(*words)
    assert ran.status == 2
    assert said in ran.err


def test_broken_runs_are_listed_as_such(run: Run, go: Go) -> None:
    go("tea")
    folder = Path(default_folder())
    (folder / "20250101T000000-000aaaa").mkdir()
    (folder / "20250102T000000-000aaaa").mkdir()
    (folder / "20250102T000000-000aaaa" / "trace.json").write_text('{"trace": "1"}')
    rows = kept(run)
    assert [bool(each["broken"]) for each in rows] == [False, True, True]
    assert "has no key environment" in rows[1]["broken"]
    lines = run("trace", "list").out.splitlines()
    assert len(lines) == 3
    assert "unreadable" in lines[1]
    assert run("trace", "show", "20250102").status == 2


def test_the_oldest_runs_go_first(run: Run, go: Go) -> None:
    for word in ("one", "two", "three"):
        go(word)
    newest = kept(run)[0]
    go("four", "--keep", str(newest["size"] * 2 + 2000))
    words = [run("trace", "show", each["run"], "--format", "json").json["inputs"]["word"]
             for each in kept(run)]  # fmt: skip
    assert words == ["four", "three"]
