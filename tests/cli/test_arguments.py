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
        Argument("--level LEVEL", "one of several", "low", ("low", "high")),
        Argument("--size N", "a number", parse=int),
        Argument("--force", "a flag"),
    ),
)
LISTED = Verb("try", "Author", "Try", (Argument("[PATH ...]", "paths", (".",)),))
RUN = VERB._replace(takes_rest=True)


def read(verb: Verb, *words: str) -> dict[str, Any]:
    found = vars(parse(verb, words))
    return {name: value for name, value in found.items() if value not in (None, False, [], "")}


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
def test_a_wrong_option_prints_at_most_three_lines(run: Run, verb: str) -> None:
    ran = run(verb, "--no-such-option")
    assert ran.status == 2
    assert len(ran.err.splitlines()) <= 3
    assert f"skillstudio {verb} --help" in ran.err
