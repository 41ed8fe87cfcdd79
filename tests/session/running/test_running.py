"""The operation that is run: looked at as it lies on disk, with samples, and run for real."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill, front_skill, offered

from skillstudio.dryrun.isolation.levels import IsolationLevel, IsolationLevels, probe_isolation
from skillstudio.dryrun.run import SILENT, Listener
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.dryrun.staging.leftovers import leftovers
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.interface.model import ABSENT
from skillstudio.present.lines import laid_out
from skillstudio.present.plan import isolation_text, plan_lines
from skillstudio.present.run_report import report_lines, verdict_line
from skillstudio.present.samples import folder_text
from skillstudio.session.previewing.previewing import Previewer
from skillstudio.session.running.running import GENERATED_NAME, Runner
from skillstudio.session.running.state import RunRefused, RunState
from skillstudio.session.workspace import Workspace

SCRIPT = 'echo "$1" >> notes.txt\necho "said $1"\necho oops >&2\n'
INPUTS = {
    "text": {"type": "string", "required": True, "description": "What to say"},
    "times": {"type": "integer", "required": False, "default": 1},
}


@pytest.fixture
def skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "skills"
    block_skill(folder / "say", SCRIPT, inputs=INPUTS)
    monkeypatch.chdir(folder)
    return folder


def runner(folder: Path, skill: str = "say", isolation: str | None = "copy") -> Runner:
    made = Runner(Workspace(str(folder)), skill, os.getcwd())
    made.isolation = isolation
    return made


def look(of: Runner) -> RunState:
    state = of.look(of.selection())
    of.took(state)
    return state


def plan_text(state: RunState) -> str:
    assert state.plan is not None
    parts = laid_out(plan_lines(state.plan, os.getcwd(), state.problems))
    return "\n".join(f"{each.lead} {each.text}".strip() for each in parts)


def test_a_plan_follows_what_is_typed_and_each_problem_is_at_its_field(skills: Path) -> None:
    of = runner(skills)
    state = look(of)
    assert state.why_not == "`text` is required"
    assert [each.state.status for each in state.fields[:2]] == ["missing", "default"]
    of.answer("input:text", "hello")
    of.answer("input:times", "often")
    state = look(of)
    assert state.fields[1].state.status == "error"
    assert state.why_not == "`times` is invalid"
    of.answer("input:times", "2")
    state = look(of)
    assert state.why_not == ""
    assert "sh go.script hello 2" in plan_text(state)
    assert "the current folder (the run changes a copy)" in plan_text(state)


@pytest.mark.parametrize("missing", ["", "bwrap is not installed"])
def test_the_badge_says_what_is_not_held(skills: Path, missing: str) -> None:
    found = probe_isolation()
    isolated = IsolationLevel("isolated", not missing, missing, ())
    others = [each for each in found.all if each.id != "isolated"]
    of = runner(skills)
    of.probe = lambda: IsolationLevels([*others, isolated], found.host)
    state = look(of)
    assert state.plan is not None
    assert isolation_text(state.plan.isolation).startswith("Isolation: copy · ")
    for gap in state.plan.isolation.known_gaps:
        assert f"known gap: {gap}" in plan_text(state)
    assert (f"not isolated: {missing}" in plan_text(state)) is bool(missing)


def test_what_is_on_disk_is_looked_at_once_it_is_said_to_have_changed(skills: Path) -> None:
    of = runner(skills)
    look(of)
    block_skill(skills / "say", SCRIPT, inputs={"other": {"type": "string", "required": True}})
    assert (look(of).fields[0].label, look(of).fields[0].required) == ("text", True)
    of.forget()
    assert look(of).fields[0].label == "other"


def test_what_was_read_before_a_change_does_not_stay(
    skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = runner(skills)
    opened = of._open()

    def slowly() -> object:
        of.forget()
        return opened

    with monkeypatch.context() as patch:
        patch.setattr(of, "_open", slowly)
        look(of)
    block_skill(skills / "say", SCRIPT)
    assert [each.label for each in look(of).fields] == [
        "standard input",
        "network",
        "timeout",
        "repeat",
    ]


def test_a_broken_manifest_is_told_with_its_place(skills: Path) -> None:
    path = skills / "say" / "SKILL.md"
    path.write_text(path.read_text().replace('"schema_version"', '"schema_version'))
    state = look(runner(skills))
    assert state.plan is None
    assert state.why_not.startswith("the manifest on disk cannot be read: SKILL.md:")


def test_a_skill_that_is_gone_is_told(skills: Path) -> None:
    (skills / "say" / "SKILL.md").unlink()
    (skills / "say" / "go.script").unlink()
    (skills / "say").rmdir()
    assert look(runner(skills)).why_not


def test_the_home_folder_is_never_copied_what_is_open_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    block_skill(home / "skills" / "say", SCRIPT)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    state = look(runner(home / "skills"))
    assert state.plan is not None
    assert state.plan.roots.workspace == str(home / "skills")
    of = runner(home / "skills")
    of.folder = str(home)
    assert "your home folder" in look(of).why_not


def test_an_isolation_level_that_is_not_to_be_had_is_not_lowered(skills: Path) -> None:
    state = look(runner(skills, isolation="wasm"))
    assert state.plan is None
    assert "cannot run" in state.why_not or "not available" in state.why_not
    assert state.fields, "the inputs can be filled in all the same"


def test_scripts_are_the_operations_of_a_manifest_that_names_none(skills: Path) -> None:
    front_skill(skills / "front", "", "#!/bin/sh\necho $#\n")
    state = look(runner(skills, "front"))
    assert state.disk_skill is not None
    assert state.disk_skill.operations == ("scripts/go.sh",)
    assert "arguments" in [each.name for each in state.fields]


def test_each_operation_keeps_what_was_typed(skills: Path) -> None:
    of = runner(skills)
    look(of)
    of.answer("input:text", "hello")
    of.choose("elsewhere")
    assert look(of).why_not.startswith("unknown operation elsewhere")
    assert not of.drafts
    of.choose("go")
    assert of.drafts["input:text"] == "hello"


def test_inputs_that_are_declared_once_are_typed_once(skills: Path) -> None:
    head = (
        "inputs:\n  required:\n    - {name: day, description: d, schema: {type: string}}\n"
        "env:\n  required:\n    - name: TEA\n      description: d\n"
    )
    front_skill(skills / "front", head, "#!/bin/sh\n")
    (skills / "front" / "scripts" / "to.sh").write_text("#!/bin/sh\n")
    of = runner(skills, "front")
    look(of)
    assert of.operation == "scripts/go.sh"
    for key, text in (("input:day", "monday"), ("arguments", "-v"), ("variable:TEA", "green")):
        of.answer(key, text)
    of.choose("scripts/to.sh")
    assert look(of).why_not == ""
    assert of.drafts == {"input:day": "monday", "variable:TEA": "green"}
    of.answer("input:day", "friday")
    of.choose("scripts/go.sh")
    assert of.drafts == {"arguments": "-v", "input:day": "friday", "variable:TEA": "green"}


def test_inputs_of_one_name_that_are_declared_apart_stay_apart(skills: Path) -> None:
    unix = ["sh", "go.script", "{text}"]
    output: dict[str, object] = {"description": "said", "fields": {}}
    each = {
        "description": "Goes", "input": INPUTS, "output": output, "entrypoints": {"unix": unix},
    }  # fmt: skip
    block_skill(skills / "two", SCRIPT, operations={"go": each, "stop": each})
    of = runner(skills, "two")
    look(of)
    of.answer("input:text", "hello")
    of.choose("stop")
    assert look(of).why_not == "`text` is required"
    of.answer("input:text", "bye")
    of.choose("go")
    assert of.drafts["input:text"] == "hello"


# Samples.


def test_a_sample_is_saved_for_oneself_or_in_the_skill_and_taken_again(skills: Path) -> None:
    of = runner(skills)
    of.answer("input:text", "hello")
    of.answer("timeout", "3")
    state = look(of)
    own = of.save(state, "mine", in_skill=False)
    assert not own.startswith(str(skills))
    shared = of.save(state, "ours", in_skill=True)
    assert shared == str(skills / "say" / "samples" / "go" / "ours.yaml")
    of.forget()
    of.answer("input:text", "other")
    state = look(of)
    assert [(each.value, each.description) for each in of.samples(state)] == [
        ("ours", 'text="hello"'),
        ("mine", 'text="hello" · your own'),
        (GENERATED_NAME, "the first values that fit the schemas"),
    ]
    assert of.load(state, "mine") == ()
    assert of.drafts["input:text"] == "hello"
    assert of.drafts["timeout"] == "3", "how it is run is no part of a sample"
    of.answer("stdin", ABSENT)
    assert of.sample_name == "mine", "a form adds its empty fields"
    of.answer("input:text", "other")
    assert of.sample_name == "mine, edited"
    of.load(state, GENERATED_NAME)
    assert look(of).why_not == ""


def test_a_skill_without_an_operation_does_not_ask_for_its_inputs(skills: Path) -> None:
    (skills / "guide").mkdir()
    text = "---\nname: guide\ndescription: Guides. Use when lost.\ninputs:\n  required:\n"
    text += "    - name: username\n      description: A name\n---\nGuide.\n"
    (skills / "guide" / "SKILL.md").write_text(text)
    state = look(runner(skills, "guide"))
    assert [field.label for field in state.problem_fields] == ["username"]
    assert state.why_not == "the skill has no operation"


SEES_FOLDER = '#!/bin/sh\ncat notes.md "$HOME/.said"; git log --format=%s; echo "$1" >> notes.md\n'
OWN_FOLDER = """\
inputs: {}
arguments: [hello]
workspace:
  git: true
  commits: [{author: Ada, files: {more.md: "more\\n"}}]
fixtures:
  notes.md: {from: notes.txt}
  home:.said: "at home\\n"
"""


@pytest.fixture
def sees(skills: Path) -> Path:
    """A skill that prints what is in its folders, and a sample that says what is there."""
    front_skill(skills / "sees", "", SEES_FOLDER)
    place = skills / "sees" / "samples" / "scripts" / "go.sh"
    place.mkdir(parents=True)
    (place / "own.yaml").write_text(OWN_FOLDER)
    (place / "notes.txt").write_text("one\n")
    return skills


def load(of: Runner, name: str) -> RunState:
    of.load(look(of), name)
    return look(of)


def test_a_loaded_sample_runs_in_its_own_folder_as_its_test_does(sees: Path) -> None:
    offered("copy")
    of = runner(sees, "sees")
    state = load(of, "own")
    assert state.why_not == ""
    ran = of.run(state, threading.Event(), SILENT)
    assert dict(ran.last_lines)["stdout"] == ["one", "at home", "Commit 1", "Begin"]
    assert [(c.root, c.path) for c in ran.report.changes] == [("workspace", "notes.md")]
    assert "in the folder of a sample" in of.history()[0].about
    assert "nothing to apply" in Previewer(of).elsewhere(ran.report)
    (sees / "sees" / "samples" / "scripts" / "go.sh" / "notes.txt").write_text("two\n")
    of.forget()
    again = of.run(look(of), threading.Event(), SILENT)
    assert dict(again.last_lines)["stdout"][0] == "two"
    of.close()
    assert os.listdir(copies_folder()) == []


def test_a_run_of_a_sample_that_expects_to_fail_is_judged_as_its_test(skills: Path) -> None:
    offered("copy")
    block_skill(skills / "fails", "exit 2\n", inputs=INPUTS, effects=[])
    place = skills / "fails" / "samples" / "go"
    place.mkdir(parents=True)
    for name, code in (("two", 2), ("one", 1)):
        (place / f"{name}.yaml").write_text(f"inputs: {{text: a}}\nexpect: {{exit: {code}}}\n")
    of = runner(skills, "fails")

    def verdict() -> str:
        return verdict_line(of.run(look(of), threading.Event(), SILENT).report).text

    load(of, "two")
    text = verdict()  # Whether it is observed depends on the machine.
    assert "exit 2, as the sample expects, " in text
    assert text[0] in "✓!"
    of.answer("input:text", "b")
    assert verdict().startswith("✗ failed · exit 2, 0")
    load(of, "one")
    assert verdict().startswith("✗ failed · exit 2, the sample expects 1, ")
    load(of, GENERATED_NAME)
    assert verdict().startswith("✗ failed · exit 2, 0")


def test_the_folder_of_a_sample_stays_while_its_inputs_are_edited(sees: Path) -> None:
    of = runner(sees, "sees")
    sample = load(of, "own").selection.sample
    assert sample is not None
    assert folder_text(sample) == "git · 2 files"
    of.answer("arguments", "other")
    assert look(of).selection.sample == sample
    assert of.sample_name == "own, edited"
    of.choose_folder(str(sees))
    assert look(of).selection.sample is None
    load(of, "own")
    assert load(of, GENERATED_NAME).selection.sample is None
    of.close()


def test_a_saved_form_has_the_folder_of_its_sample(sees: Path) -> None:
    of = runner(sees, "sees")
    state = load(of, "own")
    with pytest.raises(RunRefused, match="save it in the skill"):
        of.save(state, "mine", in_skill=False)
    of.save(state, "ours", in_skill=True)
    of.forget()
    state = load(of, "ours")
    assert state.selection.sample is not None
    assert state.selection.sample.fixtures.keys() == {"notes.md", "home:.said"}
    of.close()


def test_a_run_in_the_folder_of_a_sample_is_saved_with_it(sees: Path) -> None:
    offered("copy")
    of = runner(sees, "sees")
    state = load(of, "own")
    captured = of.capture(state, "again", threading.Event()).sample
    assert state.selection.sample is not None
    assert captured.workspace == state.selection.sample.workspace
    assert captured.fixtures == state.selection.sample.fixtures
    of.close()


def test_the_plan_names_the_sample_in_place_of_its_folder(sees: Path) -> None:
    of = runner(sees, "sees")
    plan = load(of, "own").plan
    assert plan is not None
    parts = laid_out(plan_lines(plan, os.getcwd(), details=True, workspace="the folder of own"))
    texts = [part.text for part in parts]
    assert texts.count("the folder of own") == 1
    assert not any(plan.roots.workspace in text for text in texts)
    of.close()


def test_a_sample_whose_files_are_gone_says_so(sees: Path) -> None:
    of = runner(sees, "sees")
    (sees / "sees" / "samples" / "scripts" / "go.sh" / "notes.txt").unlink()
    assert "notes.txt cannot be read" in load(of, "own").why_not


def test_a_sample_says_what_it_gives_unless_that_is_sensitive(sees: Path) -> None:
    place = sees / "sees" / "samples" / "scripts" / "go.sh"
    (place / "none.yaml").write_text("inputs: {}\n")
    of = runner(sees, "sees")
    listed = {choice.label: choice.description for choice in of.samples(look(of))}
    assert listed["own"] == "hello · git · 2 files"
    assert listed["none"] == "no inputs"
    front_skill(sees / "sees", "sensitive: true\n", SEES_FOLDER)
    of.forget()
    listed = {choice.label: choice.description for choice in of.samples(look(of))}
    assert listed["own"] == "git · 2 files"


def test_a_manifest_with_errors_says_so_without_a_command(skills: Path) -> None:
    front_skill(skills / "front", "version: one\n", "#!/bin/sh\n")
    state = look(runner(skills, "front"))
    assert state.why_not == "the manifest has errors"
    text = plan_text(state)
    assert "version-not-semver" in text
    assert "skillstudio run" not in text
    assert "manifest-error" not in text


@pytest.mark.parametrize("name", ["../x", "", "a/b", ".x"])
def test_a_sample_with_no_good_name_is_refused(skills: Path, name: str) -> None:
    of = runner(skills)
    with pytest.raises(RunRefused, match="invalid sample name"):
        of.save(look(of), name, in_skill=True)
    assert not (skills / "say" / "samples").exists()


def test_nothing_of_a_sensitive_skill_is_saved(skills: Path) -> None:
    front_skill(skills / "front", "sensitive: true\n", "#!/bin/sh\necho $#\n")
    of = runner(skills, "front")
    look(of)
    of.answer("arguments", "hunter2secret")
    with pytest.raises(RunRefused, match="arguments: sensitive"):
        of.save(look(of), "s", in_skill=False)


def test_a_broken_sample_is_told_with_its_place(skills: Path) -> None:
    folder = skills / "say" / "samples" / "go"
    folder.mkdir(parents=True)
    (folder / "bad.yaml").write_text("inputz: {}\n")
    of = runner(skills)
    with pytest.raises(RunRefused, match=r'samples/go/bad.yaml:1:1: .*did you mean "inputs"'):
        of.load(look(of), "bad")


# Runs.


def filled(folder: Path) -> tuple[Runner, RunState]:
    of = runner(folder)
    of.answer("input:text", "hello")
    return of, look(of)


def test_a_run_tells_what_it_did_and_leaves_nothing_but_its_report(skills: Path) -> None:
    offered("copy")
    of, state = filled(skills)
    printed: list[ProgramOutput] = []
    ran = of.run(state, threading.Event(), Listener(output=printed.append))
    assert ran.report.ending.exit_code == 0
    assert ran.notes == ()
    assert printed[0].stdout.tail() == b"said hello\n"
    text = "\n".join(each.text for each in laid_out(report_lines(ran.report, details="all")))
    assert "+ skill: notes.txt  text, 6 bytes" in text
    assert "exit 0" in verdict_line(ran.report).text
    assert not (skills / "say" / "notes.txt").exists()
    assert os.listdir(copies_folder()) == []
    assert leftovers(copies_folder()) == []
    kept = of.history()
    assert [each.run for each in kept] == [ran.report.run]
    assert kept[0].title == "say go"


def test_a_run_that_is_cancelled_before_it_begins_is_told(skills: Path) -> None:
    offered("copy")
    of, state = filled(skills)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(RunRefused, match="cancelled before anything started"):
        of.run(state, cancel, SILENT)
    assert os.listdir(copies_folder()) == []


def test_what_cannot_be_copied_is_told(skills: Path) -> None:
    offered("copy")
    (skills / "link").symlink_to(skills / "say")
    of, state = filled(skills)
    with pytest.raises(RunRefused, match="link"):
        of.run(state, threading.Event(), SILENT)
    assert os.listdir(copies_folder()) == []


def test_a_plan_with_something_in_the_way_is_not_run(skills: Path) -> None:
    of = runner(skills)
    with pytest.raises(RunRefused, match="`text` is required"):
        of.run(look(of), threading.Event(), SILENT)


def test_a_run_that_cannot_be_kept_is_told_and_has_its_report(
    skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered("copy")
    of, state = filled(skills)
    place = skills.parent / "no-folder"
    place.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    ran = of.run(state, threading.Event(), SILENT)
    assert ran.report.ending.exit_code == 0
    assert ran.notes[0].startswith("the run was not recorded: ")


def test_a_secret_is_in_nothing_that_is_shown_or_kept(skills: Path) -> None:
    offered("copy")
    head = (
        "inputs:\n  required:\n    - name: token\n      description: d\n      sensitive: true\n"
        "      schema: {type: string}\n"
    )
    script = '#!/bin/sh\necho "said $SKILL_INPUT_TOKEN"; echo "$SKILL_INPUT_TOKEN" > leaked\n'
    front_skill(skills / "front", head, script)
    of = runner(skills, "front")
    look(of)
    of.answer("input:token", "hunter2secret")
    state = look(of)
    assert (state.fields[0].kind, state.why_not) == ("secret", "")
    ran = of.run(state, threading.Event(), SILENT)
    told = plan_text(state) + "\n".join(
        each.text for each in laid_out(report_lines(ran.report, details="all"))
    )
    assert "added leaked" in told or "+ skill: leaked" in told
    assert "hunter2secret" not in told
    state = Path(os.environ["HOME"])
    for path in state.rglob("*"):
        assert not path.is_file() or b"hunter2secret" not in path.read_bytes()
