"""A command line read by the table of verbs, and what is refused in it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.cli.conftest import Run

from skillstudio.cli.arguments import Argument, BadArguments, Verb, parse
from skillstudio.cli.verbs import all_verbs

VERBS = all_verbs()
VERB = Verb(
    "try",
    "Author",
    "Try",
    (
        Argument("[FIRST]", "optional", ""),
        Argument("SECOND", "required"),
        Argument("-D, --data KEY=VALUE", "several", repeat=True),
        Argument("--level LEVEL", "one of several", "low", ("low", "high"), env="TRY_LEVEL"),
        Argument("--size N", "a number", parse=int),
        Argument("--force", "a flag", env="TRY_FORCE"),
        Argument("--rule RULE", "names", repeat=True, split=True, env="TRY_RULES"),
    ),
)
ACTIONS = Verb(
    "try",
    "Author",
    "Try",
    (
        Argument("ACTION", "what to do", choices=("list", "show", "drop")),
        Argument("[NAME]", "a name", unless="list_all"),
        Argument("--list-all", "everything"),
        Argument("--size N", "a number", actions=("show", "drop")),
    ),
)
LISTED = Verb("try", "Author", "Try", (Argument("[PATH ...]", "paths", (".",)),))
RUN = VERB._replace(takes_rest=True)


def read(verb: Verb, *words: str) -> dict[str, Any]:
    found = vars(parse(verb, words))
    assert found.pop("color") == "auto"
    return {
        name: value
        for name, value in found.items()
        if value not in (None, False, [], "", frozenset())
    }


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["a"], {"second": "a"}),
        (["a", "b"], {"first": "a", "second": "b"}),
        (["--force", "a"], {"second": "a", "force": True}),
        (["a", "--force", "b"], {"first": "a", "second": "b", "force": True}),
        (["a", "-D", "k=v", "-Dx=y", "--data=z="], {"second": "a", "data": ["k=v", "x=y", "z="]}),
        (["a", "--level", "high"], {"second": "a", "level": "high"}),
        (["a", "--level=high"], {"second": "a", "level": "high"}),
        (["a", "--rule", "x,y", "--rule= z"], {"second": "a", "rule": ["x", "y", "z"]}),
        (["a", "-D", "k=v,w"], {"second": "a", "data": ["k=v,w"]}),
        (["a", "--size", "7"], {"second": "a", "size": 7}),
        (["a", "--size", "-7"], {"second": "a", "size": -7}),
        (["-"], {"second": "-"}),
        (["-5"], {"second": "-5"}),
        (["--", "--force"], {"second": "--force"}),
    ],
)
def test_words_become_options(words: list[str], wanted: dict[str, Any]) -> None:
    assert read(VERB, *words) == {"format": "text", "level": "low", **wanted}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "missing SECOND"),
        (["a", "b", "c"], "unexpected argument c"),
        (["a", "--forse"], "unknown option --forse; did you mean --force?"),
        (["a", "-x"], "unknown option -x"),
        (["a", "--force=yes"], "--force does not take a value"),
        (["a", "--level"], "--level needs a value: --level LEVEL"),
        (["a", "--level", "--force"], "--level needs a value: --level LEVEL"),
        (["a", "--level", "hihg"], "unknown value for --level: hihg; did you mean high?"),
        (["a", "--level", "x"], "unknown value for --level: x; choose from low, high"),
        (["a", "--format", "yaml"], "unknown format yaml; choose from text, json"),
        (["a", "--f", "x"], "unknown option --f; did you mean --force or --format?"),
        (["a", "--lev=high"], "unknown option --lev; did you mean --level?"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(BadArguments) as refused:
        parse(VERB, words)
    assert str(refused.value) == said


def test_an_option_of_some_actions_is_refused_with_the_others() -> None:
    assert read(ACTIONS, "show", "--size", "7")["size"] == "7"
    with pytest.raises(BadArguments, match="--size is an option of try show or drop"):
        parse(ACTIONS, ["--size", "7", "list"])
    assert {each.help for each in ACTIONS.all_arguments()} >= {"a name", "show, drop: a number"}


def test_a_flag_takes_the_place_of_an_argument() -> None:
    assert read(ACTIONS, "show", "tea")["name"] == "tea"
    assert "name" not in read(ACTIONS, "list", "--list-all")
    with pytest.raises(BadArguments, match="unexpected argument tea"):
        parse(ACTIONS, ["list", "tea", "--list-all"])


@pytest.mark.parametrize(
    ("variables", "words", "wanted"),
    [
        ({"LEVEL": "high"}, [], {"level": "high"}),
        ({"LEVEL": "high"}, ["--level", "low"], {"level": "low"}),
        ({"LEVEL": " "}, [], {"level": "low"}),
        ({"RULES": "x, y"}, [], {"rule": ["x", "y"]}),
        ({"RULES": "x"}, ["--rule", "y"], {"rule": ["y"]}),
        ({"FORCE": "1"}, [], {"force": True}),
        ({"FORCE": "0"}, [], {}),
        ({"FORCE": ""}, [], {}),
    ],
)
def test_environment_variables_set_options_that_are_not_given(
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    words: list[str],
    wanted: dict[str, Any],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"TRY_{name}", value)
    found = read(VERB, "a", *words)
    taken = found.pop("from_environment", frozenset())
    assert found == {"format": "text", "level": "low", "second": "a", **wanted}
    used = not words and any(value.strip() for value in variables.values())
    assert bool(taken) == used


def test_a_wrong_value_names_its_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRY_LEVEL", "hihg")
    with pytest.raises(BadArguments) as refused:
        parse(VERB, ["a"])
    assert str(refused.value) == ("TRY_LEVEL: unknown value for --level: hihg; did you mean high?")


def test_quiet_and_verbose_exclude_each_other() -> None:
    with pytest.raises(BadArguments, match="--quiet and --verbose exclude each other"):
        parse(VERBS["check"], ["-q", "--verbose"])


def test_every_environment_variable_is_listed() -> None:
    from skillstudio.cli.environment import VARIABLES

    named = {each.env for verb in VERBS.values() for each in verb.all_arguments() if each.env}
    assert named < set(VARIABLES)


@pytest.mark.parametrize("option", ["--color", "--color=never", "--config", "-q"])
def test_an_option_before_the_command_says_where_it_belongs(run: Run, option: str) -> None:
    ran = run(option, "never", "check")
    assert ran.status == 2
    assert "options follow the command" in ran.err
    assert len(ran.err.splitlines()) == 2


def test_a_list_of_arguments_has_a_default_and_may_be_mixed_with_options() -> None:
    assert read(LISTED)["paths"] == ["."]
    assert read(LISTED, "a", "--no-pager", "b")["paths"] == ["a", "b"]


def test_words_after_two_dashes_are_for_the_script() -> None:
    assert read(RUN, "a", "--", "--force", "--")["rest"] == ("--force", "--")


def test_defaults_are_not_shared() -> None:
    parse(VERB, ["a", "-D", "k=v"])
    assert "data" not in read(VERB, "a")


@pytest.mark.parametrize("verb", VERBS)
def test_every_attribute_is_named_once(verb: str) -> None:
    names = [each.dest for each in VERBS[verb].all_arguments()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_option_prints_the_problem_and_a_hint(run: Run, verb: str) -> None:
    ran = run(verb, "--no-such-option")
    assert ran.status == 2
    first, hint = ran.err.splitlines()
    assert "unknown option --no-such-option" in first
    assert f"skillstudio {verb} --help" in hint
