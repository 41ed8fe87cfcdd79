"""What is started for an operation of each dialect, and what never is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.dryrun.planning.conftest import (
    EXAMPLES,
    Folder,
    a_machine,
    a_plan,
    operation,
    rules,
)

from skillstudio.dryrun.plan import IsolationChoice
from skillstudio.dryrun.planning.run_inputs import OperationUnknown
from skillstudio.dryrun.sampling.samples import all_committed, find_sample
from skillstudio.files.disk import DiskTree

COMMITTED = [
    (name, operation, sample)
    for name in sorted(os.listdir(EXAMPLES))
    if name != "history"
    for operation, sample in all_committed(DiskTree(EXAMPLES / name))
]


@pytest.mark.parametrize(("name", "operation", "sample"), COMMITTED)
def test_every_sample_of_the_examples_plans(name: str, operation: str, sample: str) -> None:
    folder = EXAMPLES / name
    found = find_sample(DiskTree(folder), str(folder), operation, sample)
    planned = a_plan(
        folder,
        operation,
        sample=found.inputs,
        arguments=found.arguments,
        env=found.env,
        workspace=EXAMPLES.parent,
    )
    # Which programs this machine has is not what is held here.
    errors = [
        each
        for each in planned.plan.problems
        if each.severity == "error" and not each.rule.startswith("requirement-")
    ]
    assert errors == []


def test_every_runnable_example_has_a_sample() -> None:
    assert {(name, operation) for name, operation, _ in COMMITTED} >= {
        *(("memory", each) for each in ("search", "store", "health", "types")),
        ("worklog", "scripts/extract-metrics.sh"),
        ("worklog", "scripts/new-worklog.sh"),
        ("analyze-git", "scripts/analyze.py"),
        ("deploy", "scripts/deploy.sh"),
        ("aws", "deploy-app"),
        ("aws", "list-buckets"),
        ("echo-json", ""),
    }


def test_an_entrypoint_of_a_block_starts_in_the_skills_folder(folder: Folder) -> None:
    folder.block(operation(["bash", "{skill_dir}/go.sh", "{q}"], ["cmd", "x"], q="string"))
    folder.file("go.sh", "#!/bin/bash\n")
    planned = a_plan(folder.path, "go", {"q": "x"})
    assert planned.launch is not None
    assert planned.launch.cwd == str(folder.path)
    assert planned.launch.steps[0].argv == ("bash", f"{folder.path}/go.sh", "x")
    assert planned.plan.argv["windows"] == (("cmd", "x"),)
    assert planned.plan.requirements[-1].name == "bash"


def test_on_another_system_its_own_entrypoint_is_the_one(folder: Folder) -> None:
    folder.block(operation(["bash", "x"], ["nowhere.exe", "{q}"], q="string"))
    planned = a_plan(folder.path, "go", {"q": "x"}, machine=a_machine("windows"))
    assert [step.argv for step in planned.plan.steps] == [("nowhere.exe", "x")]
    assert "requirement-missing" in rules(planned)


def test_without_an_entrypoint_for_this_system(folder: Folder) -> None:
    block = {"go": {"description": "x", "input": {}, "entrypoints": {"windows": ["cmd", "x"]}}}
    folder.block(block)
    planned = a_plan(folder.path, "go")
    (problem,) = planned.plan.problems
    assert problem.rule == "platform-missing"
    assert "the manifest has: windows" in problem.message


def test_a_procedure_is_shown_and_nothing_is_started(folder: Folder) -> None:
    folder.block(
        {"go": {"description": "x", "input": {}, "entrypoints": {"agent": "Read the page."}}}
    )
    planned = a_plan(folder.path, "go")
    assert planned.launch is None
    assert planned.plan.runnable
    assert planned.plan.argv == {"agent": (("Read the page.",),)}
    assert rules(planned) == ["nothing-to-start"]


def test_the_operations_of_the_router_take_what_their_commands_speak_of() -> None:
    planned = a_plan(EXAMPLES / "history/0.1.0/memory", "mem.search", {"query": "a", "limit": "5"})
    assert planned.plan.dialect == "router-manifest-1"
    assert planned.plan.steps[0].argv[-2:] == ("a", "5")


UNKNOWN = [
    ("memory", "", "memory has 4 operations; name one of search, store, health, types"),
    ("memory", "serch", "unknown operation serch; did you mean search?"),
    ("memory", "zzz", "unknown operation zzz; use one of search, store, health, types"),
    ("worklog", "zzz", "use one of scripts/extract-metrics.sh, scripts/new-worklog.sh"),
    ("aws", "", "cloud.aws has 2 operations; name one of deploy-app, list-buckets"),
    ("echo-json", "run", "unknown operation run"),
]


@pytest.mark.parametrize(("name", "operation", "said"), UNKNOWN)
def test_an_operation_that_is_not_there(name: str, operation: str, said: str) -> None:
    with pytest.raises(OperationUnknown) as error:
        a_plan(EXAMPLES / name, operation)
    assert said in str(error.value)


def test_the_skill_itself_is_planned_where_it_names_no_entrypoint() -> None:
    planned = a_plan(EXAMPLES / "greeter", "", {"username": "Ada"})
    assert (planned.plan.operation, planned.plan.argv) == ("", {})
    assert planned.plan.runnable
    assert planned.launch is None


def test_a_script_starts_in_the_workspace_with_its_own_program(folder: Folder) -> None:
    folder.frontmatter("").file("scripts/go.sh", "#!/usr/bin/env -S bash -e\n")
    workspace = folder.path.parent / "work"
    workspace.mkdir()
    planned = a_plan(folder.path, "scripts/go.sh", arguments=("a",), workspace=workspace)
    assert planned.launch is not None
    assert planned.launch.cwd == str(workspace)
    assert planned.launch.steps[0].argv == ("bash", "-e", f"{folder.path}/scripts/go.sh", "a")
    below = workspace / "sub"
    below.mkdir()
    other = a_plan(folder.path, "scripts/go.sh", workspace=workspace, repository=str(below))
    assert other.plan.cwd == str(below)


SCRIPTS = [
    ("#!/bin/sh\n", "a.sh", ("/bin/sh",), ("bash",)),
    ("#!/bin/sh -eu\n", "a.sh", ("/bin/sh", "-eu"), ("bash",)),
    ("#! /usr/bin/env  sh\n", "a.sh", ("sh",), ("bash",)),
    ("#!/usr/bin/env -S VAR=1 sh -e\n", "a.sh", ("sh", "-e"), ("bash",)),
    ("import sys\n", "a.py", ("python3",), ("python",)),
    ("#!/usr/bin/env python3\n", "tool", ("python3",), ("python3",)),
    ("Write-Output 1\n", "a.ps1", ("pwsh", "-NoProfile", "-File"), None),
]


@pytest.mark.parametrize(("text", "name", "unix", "windows"), SCRIPTS)
def test_what_runs_a_script(
    folder: Folder, text: str, name: str, unix: tuple[str, ...], windows: tuple[str, ...] | None
) -> None:
    folder.frontmatter("").file(f"scripts/{name}", text)
    argv = a_plan(folder.path, f"scripts/{name}").plan.argv
    assert argv["unix"][0][:-1] == unix
    if windows:
        assert argv["windows"][0][:-1] == windows


@pytest.mark.parametrize("path", ["split.py", "scripts/splt.py"])
def test_a_misspelt_script_is_guessed(folder: Folder, path: str) -> None:
    folder.frontmatter("").file("scripts/split.py", "#!/usr/bin/env python3\nprint(1)\n")
    (problem,) = a_plan(folder.path, path).plan.problems
    message = f"{path} is not in the skill's folder; did you mean scripts/split.py?"
    assert (problem.rule, problem.message) == ("script-missing", message)


BROKEN = [
    ("scripts/none.sh", "script-missing"),
    ("scripts", "script-no-file"),
    ("../outside.sh", "script-outside"),
    ("/bin/sh", "script-absolute"),
    ("scripts/link.sh", "script-link-outside"),
    ("scripts/crlf.sh", "script-crlf"),
    ("scripts/gone.sh", "script-program-missing"),
    ("scripts/gone-env.sh", "script-program-missing"),
    ("scripts/data.bin", "script-no-program"),
]


@pytest.mark.parametrize(("path", "rule"), BROKEN)
def test_a_script_that_cannot_be_started(folder: Folder, path: str, rule: str) -> None:
    folder.frontmatter("")
    folder.file("scripts/crlf.sh", "#!/bin/sh\r\necho\r\n", 0o755)
    folder.file("scripts/gone.sh", "#!/nowhere/sh\n", 0o755)
    folder.file("scripts/gone-env.sh", "#!/usr/bin/env nowhere-at-all\n", 0o755)
    folder.file("scripts/data.bin", b"\0\1\2", 0o755)
    (folder.path / "scripts/link.sh").symlink_to("/bin/sh")
    planned = a_plan(folder.path, path)
    assert rule in rules(planned)
    assert planned.launch is None
    (problem,) = [each for each in planned.plan.problems if each.rule == rule]
    assert path in problem.message


def test_a_program_of_the_skill_must_be_executable_itself(folder: Folder) -> None:
    folder.block(operation(["scripts/go.sh"])).file("scripts/go.sh", "#!/bin/sh\n", 0o644)
    assert rules(a_plan(folder.path, "go")) == ["script-not-executable"]
    (folder.path / "scripts/go.sh").chmod(0o755)
    assert rules(a_plan(folder.path, "go")) == []
    folder.file("scripts/go.sh", "#!/bin/sh\r\n", 0o755)
    assert rules(a_plan(folder.path, "go")) == ["script-crlf"]
    for text in ("echo\n", ""):
        folder.file("scripts/go.sh", text, 0o755)
        assert rules(a_plan(folder.path, "go")) == ["script-no-program"]
    folder.file("scripts/go.sh", b"\x7fELF\2\1\1\0", 0o755)
    assert rules(a_plan(folder.path, "go")) == []


def test_a_script_of_an_operation_is_better_run_by_its_name(folder: Folder) -> None:
    folder.block(operation(["sh", "scripts/go.sh"]))
    folder.file("scripts/go.sh", "#!/bin/sh\n", 0o755).file(
        "scripts/other.sh", "#!/bin/sh\n", 0o755
    )
    (problem,) = a_plan(folder.path, "scripts/go.sh").plan.problems
    assert (problem.rule, problem.severity) == ("operation-instead", "warning")
    assert "operation go starts this script; run that" in problem.message
    assert rules(a_plan(folder.path, "go")) == rules(a_plan(folder.path, "scripts/other.sh")) == []


def test_a_script_that_is_not_executable_is_started_by_its_program(folder: Folder) -> None:
    folder.frontmatter("").file("scripts/go.sh", "#!/bin/sh\n", 0o644)
    planned = a_plan(folder.path, "scripts/go.sh")
    (problem,) = planned.plan.problems
    assert (problem.rule, problem.severity) == ("script-not-executable", "warning")
    assert planned.launch is not None
    folder.file("scripts/go.py", "import sys\n", 0o644)
    assert rules(a_plan(folder.path, "scripts/go.py")) == []


@pytest.mark.parametrize(
    ("body", "first", "words"),
    [
        ("Run `./scripts/go.sh`.", "#!/bin/sh\n", "SKILL.md starts scripts/go.sh directly"),
        ("Run `./scripts/go.sh`.", "#!/usr/bin/env bash\n", "is started with bash here"),
        ("Run `./scripts/go.sh`.", "echo\n", "has no execute bit"),
        ("Run `bash scripts/go.sh`.", "#!/bin/sh\n", "because its interpreter is named"),
        ("Run `bash scripts/go.sh`.", "echo\n", ""),
    ],
)
def test_a_plain_script_is_started_otherwise_than_the_text_says(
    folder: Folder, body: str, first: str, words: str
) -> None:
    folder.frontmatter("").file("scripts/go.sh", first, 0o644)
    text = (folder.path / "SKILL.md").read_text()
    folder.file("SKILL.md", f"{text}\n{body}\n")
    planned = a_plan(folder.path, "scripts/go.sh")
    problems = [(each.rule, each.severity) for each in planned.plan.problems]
    assert problems == [("script-not-executable", "warning")] * bool(words)
    assert all(words in each.message for each in planned.plan.problems)
    assert planned.launch is not None


def test_a_script_with_its_program_before_it_may_be_plain(folder: Folder) -> None:
    folder.block(operation(["sh", "scripts/go.sh"])).file("scripts/go.sh", "#!/bin/sh\r\n", 0o644)
    (problem,) = a_plan(folder.path, "go").plan.problems
    assert (problem.rule, problem.severity) == ("script-crlf", "warning")
    folder.block(operation(["sh", "scripts/none.sh"]))
    assert rules(a_plan(folder.path, "go")) == ["script-missing"]


def test_interactive_is_refused_with_the_reason(folder: Folder) -> None:
    folder.frontmatter("execution: {interactive: true}\n").file("go.sh", "#!/bin/sh\n")
    planned = a_plan(folder.path, "go.sh")
    (problem,) = planned.plan.problems
    assert problem.pointer == "/execution/interactive"
    assert "a dry run has no terminal" in problem.message
    assert planned.launch is None


SHELL = [
    ("a | b", "a pipe"),
    ("a && b", "a command list"),
    ("a; b", "a command list"),
    ("a > b", "a redirection"),
    ("a $HOME", "a variable"),
    ('a "${HOME}"', "a variable"),
    ("a $(id)", "a variable or a command"),
    ("a `id`", "a command substitution"),
    ("a *.txt", "a file name pattern"),
    ("a ~/x", "it expands ~"),
    ("a {b,c}", "it has a brace expansion"),
    ("A=b c", "it sets a variable"),
    ("cd /tmp", "cd is a shell builtin, not a program"),
    ("a # b", "a comment"),
    ("a 'b", "it has an unclosed quote"),
    ("a\\nb", "multiple lines"),
]


@pytest.mark.parametrize(("command", "why"), SHELL)
def test_a_step_that_needs_a_shell_is_refused(folder: Folder, command: str, why: str) -> None:
    text = command.replace("\\n", "\n")
    folder.recipe(f"steps: [{{id: s, command: {yaml_text(text)}, confirmation: auto}}]\n")
    planned = a_plan(folder.path, "r")
    (problem,) = [each for each in planned.plan.problems if each.rule == "step-needs-shell"]
    assert why in problem.message
    assert planned.launch is None
    assert not [each for each in rules(planned) if each.startswith("requirement-")]


def yaml_text(text: str) -> str:
    import json

    return json.dumps(text)


PLAIN = [
    ("a b  c", ("a", "b", "c")),
    ("a 'b c' \"d e\"", ("a", "b c", "d e")),
    ("a b\\ c", ("a", "b c")),
    ("a ''", ("a", "")),
    ("a x'y'\"z\"", ("a", "xyz")),
    ("a '$HOME *'", ("a", "$HOME *")),
    ('a "*; |"', ("a", "*; |")),
    ('a "\\$x"', ("a", "$x")),
    ("a b#c 5%", ("a", "b#c", "5%")),
    ("a $", ("a", "$")),
    ("a --x={{n}} {{n}}y", ("a", "--x=5", "5y")),
    ("a '{{n}}'", ("a", "5")),
    ("a -o jsonpath={.items}", ("a", "-o", "jsonpath={.items}")),
]


@pytest.mark.parametrize(("command", "argv"), PLAIN)
def test_a_step_is_split_without_a_shell(
    folder: Folder, command: str, argv: tuple[str, ...]
) -> None:
    folder.recipe(
        "parameters: [{name: n, type: integer, required: true}]\n"
        f"steps: [{{id: s, command: {yaml_text(command)}, confirmation: auto}}]\n"
    )
    assert a_plan(folder.path, "r", {"n": "5"}).plan.steps[0].argv == argv


ALLOWED = [
    ("[capabilities.terminal_exec]\nallowed = false\n", "terminal_exec.allowed = false"),
    ('[capabilities.terminal_exec]\nallowed = true\nblocked = ["printf"]\n', "blocked"),
    ('[capabilities.terminal_exec]\nallowed = true\ncommands = ["ls"]\n', "not in terminal_exec"),
    ('[capabilities.terminal_exec]\nallowed = true\ncommands = ["printf"]\n', ""),
]


@pytest.mark.parametrize(("toml", "why"), ALLOWED)
def test_the_lists_of_a_skill_hold_for_its_steps(folder: Folder, toml: str, why: str) -> None:
    folder.recipe("steps: [{id: s, command: printf x, confirmation: auto}]\n", toml)
    planned = a_plan(folder.path, "r")
    refused = [each.message for each in planned.plan.problems if each.rule == "step-refused"]
    assert (planned.launch is None) is bool(why)
    assert [why in message for message in refused] == ([True] if why else [])


def test_what_the_tests_of_a_recipe_mock_is_not_started(folder: Folder) -> None:
    folder.recipe(
        "parameters: [{name: n, required: true}]\n"
        "preconditions: [{check: command_exists, args: [nowhere-1, nowhere-2]}]\n"
        "steps:\n"
        "  - {id: one, command: 'nowhere-1 go {{n}}', confirmation: auto}\n"
        "  - {id: two, command: 'nowhere-2 | cat', confirmation: always}\n"
    )
    folder.file(
        "tests/r.yaml",
        "tests:\n"
        "  - recipe: other\n    mock_commands: [{command: '*', stdout: wrong}]\n"
        "  - recipe: r\n    mock_commands:\n"
        "      - {command: 'nowhere-1 go five', exit_code: 3, stdout: done}\n"
        "      - {command: 'nowhere-2*'}\n",
    )
    planned = a_plan(folder.path, "r", {"n": "five"})
    assert planned.launch is not None
    assert [(s.mocked, s.exit_code) for s in planned.launch.steps] == [("done", 3), ("", 0)]
    assert planned.plan.confirm == ()
    other = a_plan(folder.path, "r", {"n": "six"})
    assert other.plan.steps[0].mocked is None
    assert "requirement-missing" in rules(other)


SCRIPTS = [
    ("sh leave.sh", [], "as a shell's script"),
    ("./leave.sh now", [], "as a program"),
    ("sh none.sh", [("script-missing", "error")], "in neither folder"),
    ("sh own.sh", [("script-missing", "error")], "in the skill alone"),
    ("./plain.sh", [("script-not-executable", "error")], "not executable"),
    ("sh ../out.sh", [("script-outside", "error")], "out of the workspace"),
]


@pytest.mark.parametrize(
    ("command", "found"), [each[:2] for each in SCRIPTS], ids=[each[2] for each in SCRIPTS]
)
def test_a_step_looks_for_its_script_where_it_runs(
    folder: Folder, tmp_path: Path, command: str, found: list[tuple[str, str]]
) -> None:
    folder.recipe(f"steps: [{{id: s, command: {command}, confirmation: auto}}]\n")
    folder.file("own.sh", "#!/bin/sh\n")
    workspace = Folder(tmp_path / "work").file("leave.sh", "#!/bin/sh\n")
    workspace.file("plain.sh", "#!/bin/sh\n", 0o644)
    planned = a_plan(folder.path, "r", workspace=workspace.path)
    assert [(each.rule, each.severity) for each in planned.plan.problems] == found
    below = a_plan(folder.path, "r", workspace=tmp_path, repository=str(workspace.path))
    assert rules(below) == [rule for rule, _ in found]


def test_an_earlier_step_or_a_stand_in_may_be_the_script(folder: Folder, tmp_path: Path) -> None:
    folder.recipe(
        "steps:\n"
        "  - {id: a, command: sh mocked.sh, confirmation: auto}\n"
        "  - {id: b, command: sh made.sh, confirmation: auto}\n"
    )
    folder.file("tests/r.yaml", "mock_commands: [{command: 'sh mocked.sh'}]\nrecipe: r\n")
    planned = a_plan(folder.path, "r", workspace=tmp_path)
    (problem,) = planned.plan.problems
    assert (problem.rule, problem.severity) == ("script-missing", "warning")
    assert problem.message == "made.sh is not in the workspace"
    assert planned.launch is not None


def test_a_module_of_a_skill_toml_is_planned_only(folder: Folder) -> None:
    folder.file(
        "skill.toml",
        '[skill]\nid = "custom.tool"\nname = "T"\nversion = "1.0.0"\ndescription = "x"\n'
        'api_version = "1.0"\n[provides]\nexecutable = true\n'
        '[executable]\nmodule = "a.wasm"\nexports = ["plan_workflow"]\n',
    )
    for name in ("", "plan_workflow"):
        planned = a_plan(folder.path, name)
        assert planned.launch is None
        (problem,) = planned.plan.problems
        assert (problem.rule, problem.severity) == ("nothing-to-start", "info")
        assert "gives memory" in problem.message.replace("\n", " ")


def test_a_library_of_provenact_is_planned_only(folder: Folder) -> None:
    folder.file(
        "manifest.json",
        '{"name": "x", "version": "1", "entrypoint": "run", "artifact": "sha256:0",'
        ' "capabilities": [], "signers": [], "inputs_schema": true, "outputs_schema": true}',
    )
    planned = a_plan(folder.path)
    assert planned.launch is None
    assert "the function run" in planned.plan.problems[0].message


def test_consent_is_asked_for_on_the_isolation_level_that_holds_nothing(folder: Folder) -> None:
    folder.frontmatter("execution: {destructive: true, network: true}\n")
    folder.file("go.sh", "#!/bin/sh\n")
    assert a_plan(folder.path, "go.sh").plan.confirm == ()
    copy = a_plan(folder.path, "go.sh", isolation=IsolationChoice("copy", (), {}))
    assert len(copy.plan.confirm) == 2
    assert copy.plan.effects == ("destructive", "network")


def test_the_confirmation_of_a_step_asks_on_every_isolation_level(folder: Folder) -> None:
    folder.recipe("steps: [{id: s, command: printf x, confirmation: always}]\n")
    assert a_plan(folder.path, "r").plan.confirm == ("the step s asks for confirmation (always)",)


@pytest.mark.parametrize(
    ("given", "text", "seconds"),
    [
        (None, "", 30.0),
        (None, "execution: {timeout: 7}\n", 7.0),
        (2.5, "", 2.5),
        (None, "execution: {timeout: 0}\n", 30.0),
        (None, "execution: {timeout: .inf}\n", 30.0),
    ],
)
def test_how_long_a_run_may_take(
    folder: Folder, given: float | None, text: str, seconds: float
) -> None:
    folder.frontmatter(text).file("go.sh", "#!/bin/sh\n")
    assert a_plan(folder.path, "go.sh", timeout=given).plan.timeout == seconds


def test_what_follows_goes_to_scripts_alone(folder: Folder) -> None:
    folder.block(operation(["printf", "x"]))
    assert rules(a_plan(folder.path, "go", arguments=("x",))) == ["arguments-unused"]


def test_credentials_that_stand_in_a_manifest_are_not_shown(folder: Folder) -> None:
    token = "ghp_" + "aB3" * 12
    folder.block(operation(["printf", f"--token={token}"]))
    planned = a_plan(folder.path, "go")
    assert token not in str(planned.plan)
    assert planned.launch is not None
    assert token in planned.launch.steps[0].argv[1]
