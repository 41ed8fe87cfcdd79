"""The options of a plain skill's scripts are a part of its interface: what a change of them is."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.versions.comparison import compare_versions, open_version
from skillstudio.skill.versions.operand import Operand

SKILL = "---\nname: plain\ndescription: Says things. Use it.\n---\nRun `tool.py`.\n"
PARSER = """\
import argparse
p = argparse.ArgumentParser()
p.add_argument("--n")
{}
args = p.parse_args()
print(args)
"""
SHELL = '#!/bin/sh\nwhile getopts "{}" o; do case $o in {}esac; done\necho "$o"\n'
LIBRARY = "def add(a, b):\n    return a + b\n"


def parser(*arguments: str) -> str:
    return PARSER.format("\n".join(f"p.add_argument({each})" for each in arguments))


def changes(old: dict[str, str], new: dict[str, str], skill: str = SKILL) -> list[str]:
    """The level, the kind and the message of each change."""
    versions = [
        open_version(
            Operand(
                MemoryTree(
                    {"SKILL.md": skill.encode(), **{p: t.encode() for p, t in files.items()}}
                ),
                "plain",
            )
        )
        for files in (old, new)
    ]
    found = compare_versions(versions[0], versions[1]).changes
    return [f"{each.level} {each.kind} {each.operation}: {each.message}" for each in found]


OUT, TARGET = '"--out"', '"--target", required=True'
REMOVED = 'major input-optional-removed tool.py: the optional input "--out VALUE" was removed'


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ([OUT], [], ["major input-optional-removed"]),
        ([], [OUT], ["minor input-optional-added"]),
        ([], [TARGET], ["major input-required-added"]),
        ([OUT], ['"--out", required=True'], ["major input-became-required"]),
        (['"--out", required=True'], [OUT], ["minor input-became-optional"]),
        ([OUT], ['"--out", type=int'], ["major input-type"]),
        (['"--out", type=int'], [OUT], ["minor input-type"]),
        (['"--out", choices=["a", "b"]'], ['"--out", choices=["a"]'], ["major input-enum"]),
        (['"--out", choices=["a"]'], ['"--out", choices=["a", "b"]'], ["minor input-enum"]),
        ([OUT], ['"--out", action="store_true"'],
         ["major input-optional-removed", "minor input-optional-added"]),
        (['"-o", "--out"'], ['"-o", "--output"'], ["major input-renamed"]),
        ([OUT], ['"--output"'], ["major input-renamed"]),
        ([OUT], ['"-o", "--out", "--output"'], []),
        (['"file"'], ['"path"'], []),
        (['"file"'], ['"file"', '"other"'], ["major input-required-added"]),
        (['"file"', '"other"'], ['"file"'], ["major input-required-removed"]),
        ([OUT, '"--b"'], ['"--b"', OUT], []),
        ([OUT], ['"--out", default="x", help="Where."'], []),
    ],
)  # fmt: skip
def test_a_change_of_the_options(old: list[str], new: list[str], kinds: list[str]) -> None:
    found = changes({"tool.py": parser(*old)}, {"tool.py": parser(*new)})
    assert len(found) == len(kinds), found
    for line, kind in zip(found, kinds, strict=True):
        assert line.startswith(kind), found


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ({"tool.py": parser()}, {}, ["major operation-removed tool.py:"]),
        ({}, {"scripts/x.py": parser()}, ["minor operation-added scripts/x.py:"]),
        ({"scripts/a.sh": SHELL.format("o:n", "o) x=$OPTARG ;; n) n=1 ;; ")},
         {"scripts/a.sh": SHELL.format("n", "n) n=1 ;; ")},
         ["major input-optional-removed scripts/a.sh:"]),
        # Neither mentioned nor where people look for programs.
        ({"lib/helper.py": parser()}, {}, []),
        ({"scripts/migrations/one.py": parser()}, {}, []),
        # What cannot be read promises nothing.
        ({"tool.py": parser(OUT)}, {"tool.py": "def ("}, []),
        ({"tool.py": "def ("}, {"tool.py": parser(TARGET)}, []),
        ({"tool.py": parser(OUT)}, {"tool.py": LIBRARY}, []),
        ({"tool.py": LIBRARY}, {}, []),
        ({"tests/test_tool.py": parser()}, {}, []),
    ],
)  # fmt: skip
def test_a_change_of_the_scripts(
    old: dict[str, str], new: dict[str, str], lines: list[str]
) -> None:
    found = changes(old, new)
    assert len(found) == len(lines), found
    for line, start in zip(found, lines, strict=True):
        assert line.startswith(start), found


def test_the_message_names_the_option_as_it_is_written() -> None:
    assert changes({"tool.py": parser(OUT)}, {"tool.py": parser()}) == [REMOVED]


def test_a_manifest_with_operations_promises_these_only() -> None:
    declared = SKILL.replace(
        "description",
        'manifest_version: "1.0"\nversion: 1.0.0\ninputs: {required: []}\ndescription',
    )
    assert changes({"tool.py": parser(OUT)}, {"tool.py": parser()}, declared) == []
