"""Values that shells, templates and programs trip over: they arrive to the byte, or are refused."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dryrun.planning.conftest import Folder, a_plan, operation, rules

from skillstudio.dryrun.planning.processes import Texts, fill_process
from skillstudio.manifest.launching import LaunchedProcess
from skillstudio.manifest.placeholders import DOUBLE, SINGLE

ARRIVE = [
    "$(id)",
    "`id`",
    "; rm -rf /",
    "a && b | c > d",
    'it\'s "quoted"',
    "two\nlines\r\n",
    "\ttab",
    "{limit}",
    "{{limit}}",
    "{query}",
    "%PATH% ^& !x!",
    "*",
    "~",
    "-rf",
    "--",
    "",
    " ",
    "\\",
    "ünï\u0301 🙂 \u202e",
    "\x1b[31m",
    "true",
    "null",
    "0x10",
    "x" * 131_000,
]


@pytest.mark.parametrize("value", ARRIVE, ids=lambda text: repr(text[:20]))
def test_a_value_arrives_as_it_is_beside_its_neighbour(folder: Folder, value: str) -> None:
    folder.block(operation(["printf", "--", "{query}", "{limit}"], query="string", limit="integer"))
    planned = a_plan(folder.path, "go", {"query": value, "limit": "5"})
    assert planned.launch is not None
    assert planned.launch.steps[0].argv == ("printf", "--", value, "5")
    assert planned.plan.argv["unix"] == (("printf", "--", value, "5"),)
    assert rules(planned) == []


@pytest.mark.parametrize("value", ARRIVE, ids=lambda text: repr(text[:20]))
def test_a_value_arrives_in_a_step_of_a_recipe(folder: Folder, value: str) -> None:
    folder.recipe(
        "parameters: [{name: query, type: string, required: true}]\n"
        "steps: [{id: s, command: \"printf -- '{{query}}' x{{query}}\", confirmation: auto}]\n"
    )
    planned = a_plan(folder.path, "r", {"query": value})
    assert planned.launch is not None
    assert planned.launch.steps[0].argv == ("printf", "--", value, "x" + value)


@pytest.mark.parametrize("value", ARRIVE, ids=lambda text: repr(text[:20]))
def test_a_value_arrives_in_the_variables_and_the_file_of_a_script(
    folder: Folder, value: str
) -> None:
    folder.frontmatter("inputs: {required: [{name: the-query, schema: {type: string}}]}\n")
    folder.file("scripts/go.sh", "#!/bin/sh\n", 0o755)
    planned = a_plan(folder.path, "scripts/go.sh", {"the-query": value})
    assert planned.launch is not None
    assert planned.launch.env["SKILL_INPUT_THE_QUERY"] == value
    assert json.loads(planned.launch.files["SKILL_INPUTS"]) == {"the-query": value}


@pytest.mark.parametrize("value", ARRIVE, ids=lambda text: repr(text[:20]))
def test_a_value_arrives_behind_a_script(folder: Folder, value: str) -> None:
    folder.frontmatter("").file("scripts/go.sh", "#!/bin/sh\n", 0o755)
    planned = a_plan(folder.path, "scripts/go.sh", arguments=(value, "end"))
    assert planned.launch is not None
    assert planned.launch.steps[0].argv[2:] == (value, "end")


def test_what_is_planned_is_what_a_process_gets(folder: Folder) -> None:
    show = "import sys, json; print(json.dumps(sys.argv[1:]))"
    folder.file("scripts/show.py", show)
    values = [each for each in ARRIVE if len(each) < 1000]
    names = [f"a{index}" for index in range(len(values))]
    argv = [sys.executable, "scripts/show.py", *(f"{{{name}}}" for name in names)]
    folder.block(operation(argv, **dict.fromkeys(names, "string")))
    planned = a_plan(folder.path, "go", dict(zip(names, values, strict=True)))
    assert planned.launch is not None
    done = subprocess.run(
        planned.launch.steps[0].argv, cwd=planned.launch.cwd, capture_output=True, check=True
    )
    assert json.loads(done.stdout) == values


REFUSED = [
    ("a\0b", "input-text", "query contains a NUL character"),
    ("\ud800", "input-text", "query contains a lone surrogate"),
    (
        "x" * 200_000,
        "input-text",
        "200,000 bytes, more than the 131,071 of an argument; pass the path",
    ),
    ("é" * 66_000, "input-text", "132,000 bytes"),
]


@pytest.mark.parametrize(("value", "rule", "said"), REFUSED, ids=["NUL", "half", "200 KB", "é"])
def test_what_cannot_arrive_is_refused_with_the_reason(
    folder: Folder, value: str, rule: str, said: str
) -> None:
    folder.block(operation(["printf", "--", "{query}"], query="string"))
    planned = a_plan(folder.path, "go", {"query": value})
    assert planned.launch is None
    (problem,) = [each for each in planned.plan.problems if each.rule == rule][:1]
    assert said in problem.message
    assert problem.pointer == "/operations/go/inputs/query"


def test_what_no_system_takes_is_told_once(folder: Folder) -> None:
    windows = ["printf.exe", "--", "{query}"]
    folder.block(operation(["printf", "--", "{query}"], windows, query="string"))
    found = a_plan(folder.path, "go", {"query": "a\0b"}).plan.problems
    assert [(e.rule, e.severity) for e in found if "NUL" in e.message] == [("input-text", "error")]


def test_all_arguments_together_have_a_limit(folder: Folder) -> None:
    names = [f"a{index}" for index in range(20)]
    argv = ["printf", "--", *(f"{{{name}}}" for name in names)]
    folder.block(operation(argv, **dict.fromkeys(names, "string")))
    planned = a_plan(folder.path, "go", dict.fromkeys(names, "x" * 110_000))
    assert rules(planned) == ["arguments-too-long"]


OPTIONS = [
    (["grep", "{query}", "f"], "-rf", True),
    (["grep", "--", "{query}", "f"], "-rf", False),
    (["grep", "{query}", "--", "f"], "-rf", True),
    (["grep", "--word={query}", "f"], "-rf", False),
    (["grep", "{query}", "f"], "rf", False),
    (["grep", "{query}x", "f"], "-rf", True),
]


@pytest.mark.parametrize(("argv", "value", "warned"), OPTIONS)
def test_a_value_that_may_be_taken_for_an_option(
    folder: Folder, argv: list[str], value: str, warned: bool
) -> None:
    folder.block(operation(argv, query="string"))
    planned = a_plan(folder.path, "go", {"query": value})
    assert rules(planned) == (["input-option"] if warned else [])
    assert planned.plan.runnable


SCRIPTS = [
    (["bash", "-c", "echo {query}"], "placeholder-in-script"),
    (["sh", "-ec", "echo {query}"], "placeholder-in-script"),
    (["env", "A=b", "bash", "-c", "echo {query}"], "placeholder-in-script"),
    (["python3", "-c", "print('{query}')"], "placeholder-in-script"),
    (["node", "-e", "log('{query}')"], "placeholder-in-script"),
    (["node", "--eval={query}"], "placeholder-in-script"),
    (["perl", "-e", "{query}"], "placeholder-in-script"),
    (["powershell", "-Command", "Write {query}"], "placeholder-in-script"),
    (["cmd", "/c", "echo {query}"], "placeholder-in-script"),
    (["scripts/go.bat", "{query}"], "placeholder-in-script"),
    (["scripts/go.CMD", "{query}"], "placeholder-in-script"),
    (["{query}", "x"], "placeholder-in-program"),
    (["env", "{query}"], "placeholder-in-program"),
]


@pytest.mark.parametrize(("argv", "rule"), SCRIPTS)
def test_a_value_is_never_program_text(folder: Folder, argv: list[str], rule: str) -> None:
    folder.block(operation(argv, query="string"))
    for name in ("scripts/go.bat", "scripts/go.CMD"):
        folder.file(name, "@echo off\r\n", 0o755)
    planned = a_plan(folder.path, "go", {"query": "x"})
    assert rule in rules(planned)
    assert planned.launch is None


def test_a_value_behind_program_text_is_an_argument_of_it(folder: Folder) -> None:
    folder.block(operation(["bash", "-c", 'echo "$1"', "name", "{query}"], query="string"))
    planned = a_plan(folder.path, "go", {"query": "$(id)"})
    assert planned.launch is not None
    assert planned.launch.steps[0].argv[-1] == "$(id)"


def test_program_text_of_another_system_keeps_nothing_from_running_here(folder: Folder) -> None:
    windows = ["powershell", "-Command", "Write {query}"]
    folder.block(operation(["printf", "{query}"], windows, query="string"))
    planned = a_plan(folder.path, "go", {"query": "x"})
    (problem,) = planned.plan.problems
    assert (problem.rule, problem.severity) == ("placeholder-in-script", "warning")
    assert problem.message.startswith("windows: ")
    assert planned.launch is not None


names = st.text("abcdef_", min_size=1, max_size=4)
texts = st.text(st.sampled_from("ab{}$ '\"\\-*\n") | st.characters(codec="utf-8"), max_size=20)


@given(st.dictionaries(names, texts.filter(lambda t: "\0" not in t), min_size=1, max_size=4))
def test_one_pass_whatever_the_values_hold(values: dict[str, str]) -> None:
    for style, wrap in ((SINGLE, "{%s}"), (DOUBLE, "{{%s}}")):
        argv = ("p", *(f"<{wrap % name}|{wrap % name}>" for name in values))
        filled = fill_process(
            LaunchedProcess(argv, "/x"), Texts(values, values, "", style, "/skill")
        )
        assert filled.step.argv == ("p", *(f"<{text}|{text}>" for text in values.values()))


@given(st.lists(st.text(st.characters(codec="ascii", exclude_characters="{}\0"), max_size=8)))
def test_words_are_those_of_a_shell_where_no_shell_is_needed(words: list[str]) -> None:
    from skillstudio.manifest.caro.words import split

    command = ["prog", *words]
    assert split(shlex.join(command)) == tuple(command)


@pytest.mark.parametrize(
    ("command", "number"),
    [("{" * 20_000 + "}", 1), ("{b,c " * 5_000, 5_000), ("a " * 20_000, 20_000), ("a" * 50_000, 1)],
)
def test_a_long_command_is_split_in_one_pass(command: str, number: int) -> None:
    from skillstudio.manifest.caro.words import split

    assert len(split(command)) == number
