"""The variables of a run: declared ones, and nothing else of this machine."""

from __future__ import annotations

from tests.dryrun.planning.conftest import Folder, a_machine, a_plan, rules

ENV = "env: {required: [{name: NEEDED}], optional: [{name: SPARE}, {name: LEVEL}]}\n"


def test_declared_variables_are_handed_on_and_no_others(folder: Folder) -> None:
    folder.frontmatter(ENV).file("go.sh", "#!/bin/sh\n")
    machine = a_machine(NEEDED="n", SPARE="s", OTHER="o", HOME="/home/me")
    planned = a_plan(folder.path, "go.sh", machine=machine, env={"LEVEL": "5"})
    assert planned.launch is not None
    assert planned.launch.env == {"NEEDED": "n", "SPARE": "s", "LEVEL": "5"}
    assert planned.plan.env == ("LEVEL", "NEEDED", "SPARE")


def test_a_required_one_that_is_not_set_is_a_warning(folder: Folder) -> None:
    folder.frontmatter(ENV).file("go.sh", "#!/bin/sh\n")
    planned = a_plan(folder.path, "go.sh", machine=a_machine())
    (problem,) = planned.plan.problems
    assert (problem.rule, problem.pointer, problem.severity) == (
        "variable-unset",
        "/env/NEEDED",
        "warning",
    )
    assert planned.launch is not None


def test_what_looks_like_a_credential_stays_here(folder: Folder) -> None:
    folder.frontmatter(ENV).file("go.sh", "#!/bin/sh\n")
    token = "ghp_" + "aB3" * 12
    planned = a_plan(folder.path, "go.sh", machine=a_machine(NEEDED=token, SPARE=token))
    assert planned.launch is not None
    assert token not in planned.launch.env.values()


def test_a_value_that_no_program_could_be_given(folder: Folder) -> None:
    folder.frontmatter(ENV).file("go.sh", "#!/bin/sh\n")
    planned = a_plan(folder.path, "go.sh", env={"NEEDED": "a\0b"})
    assert rules(planned) == ["variable-text"]


def test_names_with_a_star_hand_on_nothing_by_themselves(folder: Folder) -> None:
    folder.recipe(
        "steps: [{id: s, command: printf x, confirmation: auto}]\n",
        '[capabilities]\nenv_read = ["AWS_*", "KUBECONFIG"]\n'
        '[capabilities.terminal_exec]\nallowed = true\ncommands = ["printf"]\n',
    )
    machine = a_machine(AWS_PROFILE="p", AWS_SECRET="s", KUBECONFIG="/k")
    planned = a_plan(folder.path, "r", machine=machine, secrets={"AWS_SECRET": "given-secret"})
    assert planned.launch is not None
    assert planned.launch.env == {"KUBECONFIG": "/k", "AWS_SECRET": "given-secret"}
    assert planned.launch.secrets == ("given-secret",)
    assert "variables AWS_* of this machine are not passed on" in planned.plan.notes


def test_two_inputs_of_one_variable(folder: Folder) -> None:
    folder.frontmatter("inputs: {required: [{name: a-b}, {name: a_b}]}\n")
    folder.file("go.sh", "#!/bin/sh\n")
    planned = a_plan(folder.path, "go.sh", {"a-b": "1", "a_b": "2"})
    assert rules(planned) == ["variable-twice"]


def test_what_is_too_long_for_a_variable_is_in_the_file(folder: Folder) -> None:
    folder.frontmatter("inputs: {required: [{name: text, schema: {type: string}}]}\n")
    folder.file("go.sh", "#!/bin/sh\n")
    planned = a_plan(folder.path, "go.sh", {"text": "x" * 131_060})
    assert planned.launch is not None
    assert "SKILL_INPUT_TEXT" not in planned.launch.env
    assert len(planned.launch.files["SKILL_INPUTS"]) > 131_060
    assert any("too long for a variable" in note for note in planned.plan.notes)


def test_a_sensitive_variable_has_no_place_in_a_command_line(folder: Folder) -> None:
    folder.frontmatter("env: {required: [{name: TOKEN, sensitive: true}]}\n")
    folder.file("go.sh", "#!/bin/sh\n")
    planned = a_plan(folder.path, "go.sh", env={"TOKEN": "hunter2-token"})
    assert rules(planned) == ["variable-secret"]
    assert "hunter2" not in str(planned.plan)
