"""Preview without a screen: outputs before a run, files after it, the card, adopt and apply."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from tests.dryrun.applying.ground import Tree, make
from tests.dryrun.skills import block_skill
from tests.dryrun.traces.conftest import REPORT
from tests.session.kept_runs import RUN, keep_run

from skillstudio.dryrun.adopting.findings import AdoptRefused
from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.checking import judge
from skillstudio.dryrun.applying.recorded_changes import CHANGES, ExcludedChange, RecordedChanges
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import JudgedEffect, RunFileChange
from skillstudio.files.changeset import FileState
from skillstudio.files.disk import DiskTree
from skillstudio.present.outputs import UNDECLARED_LABEL
from skillstudio.preview.source import DiskSource, MemorySource
from skillstudio.preview.spans import plain
from skillstudio.preview.view import FileView
from skillstudio.preview.views.text import TextView
from skillstudio.session.previewing.adopt import (
    AdoptOffer,
    adopt_findings,
    diff_lines,
    finding_lines,
    make_offer,
    since_text,
)
from skillstudio.session.previewing.apply import apply_changes
from skillstudio.session.previewing.files import (
    APPLIED_STATUS,
    HOWS,
    How,
    PreviewFileRow,
    bytes_of,
    find_line,
    rows_of_run,
    undeclared_first,
    view_of_row,
    ways_of_row,
)
from skillstudio.session.previewing.previewing import Previewer, PreviewState, Subject
from skillstudio.session.running.running import Runner
from skillstudio.session.workspace import Workspace
from skillstudio.skill.hashing.content_hash import hash_tree

INPUTS = {"topic": {"type": "string", "required": True, "description": "What about"}}
BEFORE: Tree = {
    "notes.txt": b"one\n",
    "old.md": b"# Old\n",
    "run.sh": b"echo\n",
    "same.txt": b"same\n",
}
AFTER: Tree = {
    "notes.txt": b"one\ntwo\n",
    "run.sh": (b"echo\n", 0o755),
    "same.txt": b"same\n",
    "out/log.org": b"* Tea\n",
    "out/\x1b[31mbad\nname": b"\x1b]0;evil\x07hi\n",
    "out/shadow": "/etc/shadow",
    "out/blob": bytes(range(256)),
}


@pytest.fixture
def skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The skill `say` in a workspace with files of its own."""
    workspace = make(tmp_path / "workspace", BEFORE)
    made = block_skill(workspace / "say", "echo\n", inputs=INPUTS)
    monkeypatch.chdir(workspace)
    return made


def previewer(skill: Path) -> Previewer:
    runs = str(skill.parents[1] / "state" / "runs")
    made = Runner(Workspace(str(skill.parent)), "say", str(skill.parent), runs)
    made.isolation = "copy"
    return Previewer(made)


def runs_of(skill: Path) -> Path:
    return skill.parents[1] / "state" / "runs"


def look(of: Previewer, subject: Subject, run: str = "") -> PreviewState:
    of.subject, of.run = subject, run
    return of.look(of.request({}))


def row(state: PreviewState, path: str) -> PreviewFileRow:
    return next(each for each in state.rows if each.path == path)


def text(of: PreviewFileRow, how: How = "preview", width: int = 80) -> str:
    view = view_of_row(of, how, width)
    return "\n".join(view.texts(0, 400))


# Before a run.


def outputs(skill: Path, *patterns: str) -> None:
    files = [{"pattern": each, "base": "repo_root"} for each in patterns]
    (skill / "SKILL.md").write_text(
        '---\nmanifest_version: "1.0"\nname: say\ndescription: Says.\n'
        f"inputs: {json.dumps({'required': [{'name': 'topic', 'schema': {'type': 'string'}}]})}\n"
        f"outputs: {json.dumps({'files': files})}\n---\n"
    )
    script = skill / "scripts" / "go.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)


def test_each_output_has_a_row_that_says_what_would_become_of_it(skill: Path) -> None:
    (skill.parent / "link.txt").symlink_to("/etc/shadow")
    outputs(skill, "{{topic}}.org", "notes.txt", "*.md", "link.txt", "say")
    of = previewer(skill)
    of.runner.answer("input:topic", "tea")
    state = look(of, "ahead")
    assert state.about == "5 outputs, 1 would be overwritten"
    assert [(each.glyph, each.path, each.about) for each in state.rows] == [
        ("+", "tea.org", "new"),
        ("~", "notes.txt", "would be overwritten"),
        ("*", "*.md", "any number of files, 1 exist now"),
        ("·", "old.md", "exists now"),
        ("!", "link.txt", "a link exists here"),
        ("!", "say", "blocked: not a file"),
    ]
    assert text(row(state, "notes.txt")) == "one"
    assert "Old" in text(row(state, "old.md"))
    assert text(row(state, "link.txt")) == "a link to /etc/shadow"
    assert text(row(state, "notes.txt"), "diff") == "there is no file to compare with"


def test_the_paths_follow_the_inputs_and_say_why_they_are_not_known(skill: Path) -> None:
    outputs(skill, "logs/{{topic}}.org")
    of = previewer(skill)
    state = look(of, "ahead")
    [unknown] = state.rows
    assert (unknown.glyph, unknown.path) == ("?", "logs/{{topic}}.org")
    assert state.notes == ("Can't run yet: `topic` is required, the manifest has errors",)
    assert (unknown.about, unknown.notes) == ("", ()), "the note says why, once"
    for topic in ("tea", "milk"):
        of.runner.answer("input:topic", topic)
        assert [each.path for each in look(of, "ahead").rows] == [f"logs/{topic}.org"]


def test_the_folder_of_a_sample_is_named_and_not_its_path(skill: Path) -> None:
    outputs(skill, "logs/{{topic}}.org")
    of = previewer(skill)
    operation = of.runner.look(of.runner.selection()).selection.operation
    place = skill / "samples" / operation
    place.mkdir(parents=True)
    (place / "own.yaml").write_text("inputs: {topic: tea}\nfixtures: {a.md: ''}\n")
    of.runner.forget()
    of.runner.load(of.runner.look(of.runner.selection()), "own")
    [row] = look(of, "ahead").rows
    assert "in the folder of the sample own: 1 file" in row.notes
    assert "copies" not in str(row.notes)
    of.runner.close()


def test_a_row_has_the_ways_in_which_there_is_something_to_see(skill: Path) -> None:
    outputs(skill, "{{topic}}.org", "notes.txt", "say")
    of = previewer(skill)
    of.runner.answer("input:topic", "tea")
    ways = {row.path: ways_of_row(row) for row in look(of, "ahead").rows}
    assert ways == {"tea.org": (), "notes.txt": ("preview", "raw", "hex"), "say": ()}
    card = {row.path: ways_of_row(row) for row in look(of, "card").rows}
    assert card["Packed files"] == ()
    assert [way for way in card.values() if way] == [("preview", "raw", "hex")], "the body"


def test_a_manifest_that_cannot_be_read_is_told(skill: Path) -> None:
    (skill / "SKILL.md").write_text("---\nname: [\n---\n")
    assert "cannot be read" in look(previewer(skill), "ahead").trouble


# After a run.


def test_the_changes_of_the_last_run_are_counted_and_each_has_its_view(skill: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER, patterns={"out/log.org": "out/{{topic}}.org"})
    state = look(previewer(skill), "run")
    assert state.counts == "+4 ~2 -1"
    assert re.fullmatch(r"exit 0, 0\.0 s · 2026-11-2[012] \d\d:11", state.about), "local time"
    assert state.notes == ()
    assert {each.path: (each.glyph, each.about, each.declared) for each in state.rows} == {
        "notes.txt": ("~", "text", ""),
        "run.sh": ("~", "shell", ""),
        "old.md": ("-", "text", ""),
        "out/log.org": ("+", "org", "out/{{topic}}.org"),
        "out/\x1b[31mbad\nname": ("+", "text", ""),
        "out/shadow": ("+", "link", ""),
        "out/blob": ("+", "binary", ""),
    }


@pytest.mark.parametrize(
    ("path", "how", "wanted"),
    [
        ("notes.txt", "preview", ["one", "two"]),
        ("notes.txt", "diff", ["+1 -0", "+two"]),
        ("run.sh", "diff", ["mode 0644 → 0755", "the same bytes"]),
        ("old.md", "preview", ["Old"]),
        ("old.md", "diff", ["+0 -1", "-# Old"]),
        ("out/log.org", "diff", ["--- nothing", "+* Tea"]),
        ("out/log.org", "hex", ["2a 20 54 65 61 0a"]),
        ("out/blob", "raw", ["00000000  00 01 02"]),
        ("out/shadow", "preview", ["a link to /etc/shadow"]),
        ("out/shadow", "diff", ["- nothing", "+ a link to /etc/shadow"]),
        ("out/\x1b[31mbad\nname", "raw", ["␛]0;evil␇hi"]),
    ],
)
def test_what_is_under_the_cursor_is_shown_in_each_way(
    skill: Path, path: str, how: How, wanted: list[str]
) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    view = view_of_row(row(look(previewer(skill), "run"), path), how, 80)
    shown = "\n".join([*view.texts(0, 400), view.note])
    assert [each for each in wanted if each not in shown] == []
    assert "\x1b" not in shown + view.title


def test_a_diff_is_against_what_is_there_now(skill: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    (skill.parent / "notes.txt").write_text("three\n")
    shown = text(row(look(previewer(skill), "run"), "notes.txt"), "diff")
    assert "-three" in shown
    os.unlink(skill.parent / "notes.txt")
    os.mkfifo(skill.parent / "notes.txt")
    shown = text(row(look(previewer(skill), "run"), "notes.txt"), "diff")
    assert "a pipe (FIFO)" in shown


def test_what_is_not_kept_says_why(skill: Path) -> None:
    why = "is too large to record (99 bytes)"
    report = keep_run(
        runs_of(skill), skill, AFTER, left=(ExcludedChange("workspace", "out/blob", why),)
    )
    assert len(report.changes) == 7
    state = look(previewer(skill), "run")
    assert "1 file not recorded: see the rows for the reasons" in state.notes
    blob = row(state, "out/blob")
    assert text(blob) == text(blob, "diff") == f"it {why}"
    assert bytes_of(blob) is None
    assert blob.change is None


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("pipe", "a pipe (FIFO): it has no content to show and is never applied"),
        ("socket", "a socket: it has no content to show and is never applied"),
        ("device", "a device: it has no content to show and is never applied"),
        ("special", "not a file, folder or link: it has no content to show and is never applied"),
    ],
)
def test_what_is_no_file_says_what_it_is_and_why_there_is_no_view(
    skill: Path, kind: str, told: str
) -> None:
    roots = Roots(str(skill.parent), str(skill))
    change = RunFileChange("workspace", "out/it", "added", 0, kind)
    report = REPORT._replace(plan=REPORT.plan._replace(roots=roots), changes=(change,))
    wanted = ApplyChange("workspace", str(skill.parent), "out/it", None, FileState("other", 0o600))
    [found] = rows_of_run(report, RecordedChanges((wanted,), ()))
    assert found.about == kind
    assert bytes_of(found) is None
    for how in HOWS:
        assert text(found, how) == told


def test_changes_have_their_state_in_the_real_folders_and_their_lines(skill: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    workspace, of = skill.parent, previewer(skill)
    state = look(of, "run")
    assert {change.path for change in state.rows if change.status} == {"out/shadow"}, "refused"
    assert row(state, "notes.txt").lines_changed == (1, 0)
    assert row(state, "run.sh").lines_changed == (0, 0)
    assert row(state, "out/log.org").lines_changed is None, "its size says as much"
    (workspace / "notes.txt").write_bytes(b"one\ntwo\n")
    (workspace / "old.md").write_text("mine\n")
    state = look(of, "run")
    assert (row(state, "notes.txt").status, row(state, "notes.txt").lines_changed) == (
        APPLIED_STATUS,
        None,
    )
    assert row(state, "old.md").status.startswith("has changed since the run")
    assert row(state, "out/log.org").status == ""


def test_what_was_not_recorded_says_why_as_its_state(skill: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    (runs_of(skill) / RUN / CHANGES).unlink()
    state = look(previewer(skill), "run")
    assert row(state, "out/log.org").status == "the content of this file was not recorded"


def test_of_very_many_changes_the_state_and_lines_are_not_read(skill: Path) -> None:
    after = AFTER | {f"many/{number}": b"" for number in range(200)}
    keep_run(runs_of(skill), skill, after)
    (skill.parent / "notes.txt").write_bytes(b"one\ntwo\n")
    assert row(look(previewer(skill), "run"), "notes.txt").status == ""


def test_files_that_are_not_declared_come_first() -> None:
    rows = [
        PreviewFileRow("+", path, "text", declared=declared)
        for path, declared in (
            ("a", "a"),
            ("b", UNDECLARED_LABEL),
            ("c", ""),
            ("d", UNDECLARED_LABEL),
        )
    ]
    assert [change.path for change in undeclared_first(rows)] == ["b", "d", "a", "c"]


def test_first_the_last_run_is_shown_or_without_one_the_outputs(skill: Path) -> None:
    of = previewer(skill)
    state = of.look(of.request({}))
    assert (state.request.subject, state.report) == ("ahead", None)
    keep_run(runs_of(skill), skill, AFTER)
    state = of.look(of.request({}))
    assert state.request.subject == "run"
    assert state.report is not None


def test_a_run_without_its_files_shows_what_the_report_says(skill: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    (runs_of(skill) / RUN / CHANGES).unlink()
    state = look(previewer(skill), "run")
    assert "no files of this run are recorded" in state.notes[0]
    assert text(row(state, "out/log.org")) == "the content of this file was not recorded"
    assert "Old" in text(row(state, "old.md"))


@pytest.mark.parametrize("path", ["../../../secret", "/etc/passwd", "a/../../secret"])
def test_a_list_of_changes_leads_nowhere_else(skill: Path, path: str) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    folder = runs_of(skill) / RUN
    for name in (CHANGES, "trace.json"):
        told = (folder / name).read_text()
        (folder / name).write_text(told.replace("out/log.org", path))
    found = row(look(previewer(skill), "run"), path)
    assert (found.new, found.old) == ("", "")
    assert bytes_of(found) is None


def test_the_last_run_is_of_this_skill_and_another_can_be_chosen(skill: Path) -> None:
    other = block_skill(skill.parent / "other", "echo\n")
    older = "20261120T000000-1"
    keep_run(runs_of(skill), skill, AFTER, run=older)
    keep_run(runs_of(skill), other, AFTER)
    of = previewer(skill)
    state = look(of, "run")
    assert state.report is not None
    assert state.report.run == older
    assert look(of, "run", RUN).title == "other go"
    assert "there is no run 2020" in look(of, "run", "2020").trouble
    of.show_run(state.report._replace(run=RUN))
    assert (of.subject, of.run) == ("run", RUN)
    of.run = ""
    of.show_run(state.report._replace(run=RUN))
    assert of.run == "", "what is chosen here stays until there is another run"
    of.subject = "ahead"
    roots = state.report.plan.roots._replace(skill=str(other))
    of.show_run(state.report._replace(run="2026", plan=state.report.plan._replace(roots=roots)))
    assert of.subject == "ahead", "a run of another skill is none of this one's"


def test_without_a_run_and_with_one_that_cannot_be_read(skill: Path) -> None:
    of = previewer(skill)
    assert look(of, "run").trouble == "this skill has no recorded run yet"
    keep_run(runs_of(skill), skill, AFTER)
    (runs_of(skill) / RUN / "trace.json").write_text("{")
    assert look(of, "run").trouble == "this skill has no recorded run yet"
    assert "trace.json" in look(of, "run", RUN).trouble


# The card.


def test_the_card_has_a_row_for_each_part_and_is_of_what_is_unsaved(skill: Path) -> None:
    of = previewer(skill)
    of.subject = "card"
    unsaved = {str(skill / "SKILL.md"): (skill / "SKILL.md").read_text() + "\nMore of it.\n"}
    state = of.look(of.request(unsaved))
    assert state.title == "say 1.0.0"
    assert [each.path for each in state.rows] == [
        "In a marketplace",
        "Always in context",
        "Loaded on activation",
        "Packed files",
        "Permissions requested: 4",
    ]
    assert "say: Goes. Use when it is to go." in text(row(state, "Always in context"))
    assert "More of it." in text(row(state, "Loaded on activation"))
    assert "go.script" in text(row(state, "Packed files"))
    assert "fs.write" in text(row(state, "Permissions requested: 4"))
    narrow = view_of_row(row(state, "Always in context"), "preview", 24)
    assert max(len(each) for each in narrow.texts(0, 50)) <= 24


def test_the_card_says_what_the_last_run_used(skill: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    found = row(look(previewer(skill), "card"), "Permissions requested: 4")
    assert f"used in {RUN} · 1 used, not requested" in found.about
    assert "used, not requested: net.fetch" in text(found)


# Searching.


@pytest.mark.parametrize(
    ("wanted", "start", "line"),
    [("7 tea", 0, 7), ("TEA", 8, 8), ("7 tea", 10, 17), ("0 tea", 2999, 0), ("milk", 5, -1)],
)
def test_a_text_is_found_from_a_line_on_and_then_from_the_beginning(
    wanted: str, start: int, line: int
) -> None:
    source = MemorySource("a", b"".join(b"%d tea\n" % n for n in range(3000)))
    assert find_line(TextView(source, "text"), wanted, start, lambda: True) == line


@pytest.mark.slow
def test_a_text_is_found_in_the_part_that_is_not_shown_yet(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("\n\n".join(f"Part {n}." for n in range(9000)))
    view: FileView = view_of_row(PreviewFileRow("+", "a.md", "", new=str(path)), "preview", 80)
    assert find_line(view, "Part 8000.", 0, lambda: True) == 16000
    assert find_line(view, "Part 8000.", 0, lambda: False) == -1


# Adopting and applying.


def test_what_a_run_showed_becomes_splices_in_the_text_that_is_open(skill: Path) -> None:
    run_state = JudgedEffect("db.write", False, "undeclared", ("added x.db",), True)
    report = keep_run(runs_of(skill), skill, AFTER)._replace(effects=(run_state,))
    workspace = Workspace(str(skill.parent))
    tree, settings = workspace.files("say"), workspace.settings("say")
    offer = make_offer(report, os.path.realpath(skill), tree, settings)
    assert "effect:db.write" in offer.default_ids
    made = adopt_findings(offer, {"effect:db.write"})
    assert made.old == (skill / "SKILL.md").read_text()
    assert '"db.write"' in made.new
    styles = [each[0].style for each in diff_lines(made) if each]
    assert {"added", "marker"} <= set(styles)
    with pytest.raises(AdoptRefused, match="this run is of the skill in"):
        make_offer(report, "/elsewhere", tree, settings)


def test_all_is_applied_or_nothing(skill: Path, tmp_path: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    state = look(previewer(skill), "run")
    wanted = [each.change for each in state.rows if each.change and each.about != "link"]
    (skill.parent / "old.md").write_text("changed\n")
    stands = judge(wanted)
    [conflict] = stands.conflicts
    assert conflict.path == "old.md"
    assert stands.already == ()
    assert stands.free == tuple(each for each in wanted if each.path != "old.md")
    done = apply_changes(wanted)
    assert done.changed_paths == ()
    assert done.conflicts == (conflict,)
    assert (skill.parent / "notes.txt").read_text() == "one\n"
    rest = [each for each in wanted if each.path != "old.md"]
    done = apply_changes(rest)
    assert len(done.changed_paths) == len(rest)
    assert (skill.parent / "notes.txt").read_text() == "one\ntwo\n"
    assert os.access(skill.parent / "run.sh", os.X_OK)
    assert (skill.parent / "old.md").read_text() == "changed\n"


def test_what_is_applied_already_is_no_conflict(skill: Path, tmp_path: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    state = look(previewer(skill), "run")
    wanted = [each.change for each in state.rows if each.change and each.about != "link"]
    some = [each for each in wanted if each.path in ("notes.txt", "old.md", "run.sh")]
    assert apply_changes(some).error == ""
    stands = judge(wanted)
    assert set(stands.already) == set(some), "changed, removed, another mode"
    assert stands.conflicts == ()
    assert set(stands.free) == set(wanted) - set(some)
    (skill.parent / "notes.txt").write_text("three\n")
    (skill.parent / "run.sh").chmod(0o700)
    (skill.parent / "old.md").write_text("back\n")
    stands = judge(wanted)
    assert {each.path for each in stands.conflicts} == {"notes.txt", "run.sh", "old.md"}
    assert stands.already == ()


def test_a_skill_that_is_another_by_now_is_told_with_what_it_means(skill: Path) -> None:
    effects = (
        JudgedEffect("db.write", False, "undeclared", ("added x.db",), True),
        JudgedEffect("fs.read", True, "declared-not-observed"),
    )
    identity = {"content_hash": hash_tree(DiskTree(str(skill))).content_hash}
    report = REPORT._replace(effects=effects, started_at="2020-01-01T00:00:00Z", identity=identity)
    report = keep_run(runs_of(skill), skill, AFTER, report=report)
    workspace = Workspace(str(skill.parent))
    folder = os.path.realpath(skill)

    def offer(unsaved: dict[str, str]) -> AdoptOffer:
        names = [os.path.relpath(each, skill) for each in unsaved]
        tree = workspace.files("say", unsaved)
        return make_offer(report, folder, tree, workspace.settings("say"), names)

    same = offer({})
    assert same.since is None
    assert since_text(same) == ""
    manifest = skill / "SKILL.md"
    now = manifest.read_text() + "\nMore.\n"
    for path in skill.rglob("*"):
        os.utime(path, (0, 0))
    unsaved = offer({str(manifest): now})
    assert "the skill has changed since this run (SKILL.md);" in since_text(unsaved)
    [first, *_] = unsaved.findings
    told = "\n".join(plain(each) for each in finding_lines(first, unsaved.since))
    assert "only the manifest is newer than the run, so this still applies" in told
    (skill / "go.script").write_text("echo other\n")
    other = offer({})
    assert "(go.script)" in since_text(other)
    told = "\n".join(plain(each) for each in finding_lines(first, other.since))
    assert "the current ones may behave differently" in told


def test_the_bytes_of_a_row_are_the_kept_ones_with_the_mode_that_the_run_left(skill: Path) -> None:
    keep_run(runs_of(skill), skill, AFTER)
    state = look(previewer(skill), "run")
    found = bytes_of(row(state, "run.sh"))
    assert isinstance(found, DiskSource)
    assert found.mode == 0o755
    assert found.path.startswith(os.path.realpath(runs_of(skill)))
    assert bytes_of(row(state, "out/shadow")) is None
    removed = bytes_of(row(state, "old.md"))
    assert removed is not None
    assert removed.read(0, 9) == b"# Old\n"
