"""The inputs of scripts: by the names of options, several values, and words of a command."""

from __future__ import annotations

import pytest
from tests.dryrun.planning.conftest import Folder, a_plan, rules

from skillstudio.dryrun.planning.script_values import aliases, split_words
from skillstudio.text.scripts.model import ScriptCommand, ScriptOption

SCRIPT = """#!/usr/bin/env python3
import argparse
p = argparse.ArgumentParser()
p.add_argument("--format", dest="output_format", choices=["json", "text"])
p.add_argument("-q", dest="quiet", action="store_true")
p.add_argument("--tag", nargs="*")
p.add_argument("--level", type=int, action="append")
p.add_argument("command", nargs=argparse.REMAINDER)
p.parse_args()
"""


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([("format", "json")], ["--format", "json"]),
        ([("output_format", "json")], ["--format", "json"]),
        ([("q", "true")], ["-q"]),
        ([("command", "curl -sI URL")], ["curl", "-sI", "URL"]),
        ([("command", "grep 'a b' \"c d\"")], ["grep", "a b", "c d"]),
        ([("command", '["curl", "-sI", "a b"]')], ["curl", "-sI", "a b"]),
        ([("command", "curl\n-sI\na b")], ["curl", "-sI", "a b"]),
        ([("command", "curl"), ("command", "-sI"), ("command", "a b")], ["curl", "-sI", "a b"]),
        ([("command", "ls")], ["ls"]),
        ([("command", "-v x")], ["--", "-v", "x"]),
        ([("command", '["sleep", 5]')], ["sleep", "5"]),
        # More than words: a shell would read an operator or a variable.
        ([("command", "a | b")], ["a | b"]),
        ([("command", "echo $HOME")], ["echo $HOME"]),
        ([("command", "echo 'it")], ["echo 'it"]),
        # Only the rest of a line is split.
        ([("tag", "a b")], ["--tag", "a b"]),
        ([("tag", "a"), ("tag", "b")], ["--tag", "a", "b"]),
        ([("tag", '["a","b"]')], ["--tag", "a", "b"]),
        ([("level", "1"), ("level", "2")], ["--level", "1", "--level", "2"]),
        # The command does not become a tag.
        ([("tag", "a"), ("command", "ls")], ["--tag", "a", "--", "ls"]),
        ([("tag", "a"), ("format", "json"), ("command", "ls")],
         ["--tag", "a", "--format", "json", "ls"]),
    ],
)  # fmt: skip
def test_inputs_become_words(
    folder: Folder, texts: list[tuple[str, str]], words: list[str]
) -> None:
    folder.frontmatter("").file("x.py", SCRIPT)
    planned = a_plan(folder.path, "x.py", texts=_Pairs(texts))
    assert rules(planned) == []
    assert list(planned.plan.steps[0].argv[2:]) == words


class _Pairs(dict[str, str]):
    """Pairs of which several may have the same name."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs

    def items(self) -> list[tuple[str, str]]:  # type: ignore[override]
        return self.pairs


def test_a_note_says_how_words_were_read(folder: Folder) -> None:
    folder.frontmatter("").file("x.py", SCRIPT)
    for text, note in (
        ("curl -sI URL", "command is split into 3 arguments: curl -sI URL"),
        ("a | b", "command is one argument, because a shell would read more than words in it"),
    ):
        plan = a_plan(folder.path, "x.py", {"command": text}).plan
        assert [said for said in plan.notes if said.startswith(note)] != [], text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("one", ["one"]),
        ("a$b", ["a$b"]),
        ("a b", ["a", "b"]),
        ("a 'b $c'", ["a", "b $c"]),
        ("a  b ", ["a", "b"]),
        ("a && b", None),
        ("a > b", None),
        ("a `b`", None),
        ("a *.md", None),
        ("a 'b", None),
    ],
)
def test_words_are_split_where_a_shell_reads_only_words(text: str, words: list[str] | None) -> None:
    assert split_words(text) == words


def test_a_flag_is_another_name_where_it_is_unique() -> None:
    options = (
        ScriptOption("output_format", ("-f", "--format")),
        ScriptOption("name", ("--file",)),
        ScriptOption("file"),
        ScriptOption("dry", ("--dry-run",)),
        ScriptOption("other", ("--same",)),
        ScriptOption("another", ("--same",)),
    )
    assert aliases(ScriptCommand("", "", options)) == {
        "f": "output_format", "format": "output_format", "dry_run": "dry", "dry-run": "dry",
    }  # fmt: skip
    assert aliases(None) == {}


BY_NUMBER = """#!/bin/bash
# Usage: x.sh <cluster> [region] [--admin] [--tag=TAG]
cluster="${1:-dev}"
region="${2:-eu}"
for word in "$@"; do case "$word" in
--admin) admin=1 ;;
--tag=*) tag=${word#*=} ;;
esac; done
"""


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({}, []),
        ({"cluster": "prod"}, ["prod"]),
        ({"cluster": "prod", "admin": "true"}, ["prod", "eu", "--admin"]),
        # What comes before a flag cannot be left out, also where it is the default.
        ({"cluster": "dev", "admin": "true"}, ["dev", "eu", "--admin"]),
        ({"admin": "true", "tag": "x"}, ["dev", "eu", "--admin", "--tag=x"]),
        ({"cluster": "-x", "region": "us", "admin": "true"}, ["-x", "us", "--admin"]),
        ({"cluster": "-x"}, ["-x"]),
    ],
)
def test_places_that_a_script_reads_by_number_come_first(
    folder: Folder, texts: dict[str, str], words: list[str]
) -> None:
    folder.frontmatter("").file("x.sh", BY_NUMBER)
    planned = a_plan(folder.path, "x.sh", texts)
    assert list(planned.plan.steps[0].argv[2:]) == words


def test_a_certain_script_gets_its_places_as_they_are(folder: Folder) -> None:
    folder.frontmatter("").file("x.sh", "#!/bin/bash\ncluster=$1\n")
    planned = a_plan(folder.path, "x.sh", {"cluster": "-x"})
    assert planned.plan.steps[0].argv[2:] == ("-x",)


BY_HAND = {
    "x.py": "import sys\nout = sys.argv[1]\n",
    "x.mjs": "const [out] = process.argv.slice(2);\nif (!out) process.exit(2);\n",
    "x.sh": '#!/bin/sh\nwhile [ $# -gt 0 ]; do case "$1" in\n--out) out=$2; shift 2;;\nesac; done\n'
    ': "${out:?}"\n',
}


@pytest.mark.parametrize("path", BY_HAND)
def test_what_a_script_parses_itself_is_not_required(folder: Folder, path: str) -> None:
    folder.frontmatter("").file(path, BY_HAND[path])
    planned = a_plan(folder.path, path)
    assert planned.plan.runnable
    messages = [item.message for item in planned.plan.problems if item.rule == "input-missing"]
    assert messages == [
        "out may be required; give it with -i out=VALUE, or give all arguments after --, if this "
        "use needs it"
    ]


def test_a_parser_says_what_is_required(folder: Folder) -> None:
    lines = ("import argparse", "p = argparse.ArgumentParser()", "p.add_argument('out')")
    folder.frontmatter("").file("x.py", "\n".join((*lines, "p.parse_args()\n")))
    assert not a_plan(folder.path, "x.py").plan.runnable


@pytest.mark.parametrize(("stdin", "is_noted"), [(None, True), ("{}", False)])
def test_a_usage_that_redirects_standard_input_is_noted(
    folder: Folder, stdin: str | None, is_noted: bool
) -> None:
    text = "'''Usage: x.py <bar|line> < payload.json'''\nimport sys\nshape = sys.argv[1]\n"
    folder.frontmatter("").file("x.py", text)
    plan = a_plan(folder.path, "x.py", {"shape": "bar"}, stdin=stdin).plan
    note = "x.py can read standard input: --stdin FILE"
    assert (note in plan.notes) == is_noted
    assert plan.steps[0].argv[2:] == ("bar",)
