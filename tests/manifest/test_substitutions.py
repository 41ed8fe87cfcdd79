"""What Claude Code replaces in a skill against its meaning, and variables without a value."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskSnapshot
from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import apply

HEAD = "---\nname: worklog\ndescription: Logs work. Use for logs.\n---\n"
HINTED = HEAD.replace("description", "argument-hint: file\ndescription")
FENCE = "```{}\n{}\n```\n"
RULES = ("argument-substituted", "variable-unset")


def look(body: str, *targets: str, head: str = HEAD) -> list[str]:
    """The places of the two rules' problems."""
    return places(
        analyse(MemoryTree({"SKILL.md": (head + body).encode()}, "worklog"), targets=targets)
    )


def places(analysis: Analysis) -> list[str]:
    assert analysis.skill.markdown is not None
    whole = analysis.skill.markdown.source.text
    problems = [one for one in analysis.diagnostics if one.rule in RULES]
    return [whole[slice(*one.span)] for one in problems if one.span]


SCRIPTS = [
    ("`git log | awk -F: '{print $2}'`", "$2"),
    (FENCE.format("bash", "perl -pe 's/(a)/$1/'"), "$1"),
    (FENCE.format("sh", 'cat <<EOF > x\n#!/bin/sh\necho "$1" "$2"\nEOF'), "$1"),
    (FENCE.format("", 'greet() {\n  echo "$1"\n}'), "$1"),
    (FENCE.format("sql", "SELECT * FROM a WHERE b = $1 AND c = $2"), "$1"),
    (FENCE.format("js", 's.replace(/a/, "$1")'), "$1"),
    (FENCE.format("python", "#!/usr/bin/python\nre.sub('a', '$1')"), "$1"),
]
SUMS = [
    ("It costs $0.10 or $2.70.", "$0.10"),
    ("It costs $5,000 a year.", "$5,000"),
    ("| $2.4M |", "$2.4M"),
    ("Plans from $5/month.", "$5"),
    ("$3 million, and 1 of $2–4", "$3"),
    (FENCE.format("json", '{"answer": "$2.4M"}'), "$2.4M"),
    (FENCE.format("", "Revenue: $6.5M"), "$6.5M"),
]
OTHER_MEANING = [
    (FENCE.format("ts", "await run('a', ['$1'])"), "$1"),
    ("Use `$1` as a placeholder in SQL.", "$1"),
]
QUIET = [
    "Compare $0 and $1; it costs $20.",
    "It costs $10.50 or $25,000, or $1st.",
    r"It costs \$0.10.",
    FENCE.format("bash", "deploy $1 $ARGUMENTS"),
    FENCE.format("bash", 'pay "$1.50"'),
    FENCE.format("console", "$ deploy $1"),
    r"`awk '{print \$2}'` and `awk '{print $NF}'` and `awk '{print $(2)}'`",
    FENCE.format("bash", "#!/bin/sh\necho $@ ${1} $1st"),
    FENCE.format("md", "Read $1."),
]


@pytest.mark.parametrize(("text", "place"), [*SCRIPTS, *SUMS, *OTHER_MEANING])
def test_what_claude_code_replaces_by_mistake(text: str, place: str) -> None:
    assert look(text, "claude-code") == [place]
    assert look(text, "codex") == []


@pytest.mark.parametrize(("text", "place"), [*SCRIPTS, *SUMS])
def test_it_is_reported_for_a_skill_with_its_keys(text: str, place: str) -> None:
    assert look(text, head=HINTED) == [place]


@pytest.mark.parametrize(("text", "place"), OTHER_MEANING)
def test_a_skill_that_takes_arguments_may_name_them(text: str, place: str) -> None:
    assert look(text, head=HINTED) == []
    assert look(f"Given $ARGUMENTS:\n\n{text}", "claude-code") == []


@pytest.mark.parametrize("text", QUIET)
def test_arguments_on_purpose(text: str) -> None:
    assert look(text, "claude-code") == []


@pytest.mark.parametrize("body", ["Brew.\n", "Brew for `$HOME`.\n"])
def test_the_frontmatter_is_as_the_author_wrote_it(body: str) -> None:
    words = "awk '{print $1}' and $SKILL_DIR/a cost $5 million"
    head = HEAD.replace("name:", f"compatibility: {words}\nname:")
    assert look(body, "claude-code", head=head) == []


def test_sums_are_reported_once_with_one_fix() -> None:
    body = "a $0.10, b $5,000\n\nc $2.70\n"
    analysis = analyse(
        MemoryTree({"SKILL.md": (HEAD + body).encode()}, "worklog"), targets=("claude-code",)
    )
    (problem,) = [one for one in analysis.diagnostics if one.rule in RULES]
    assert problem.message == (
        "Claude Code replaces $0 in $0.10 with the skill's first argument, if any, and so on for "
        "2 more sums; write \\$0 for Claude Code"
    )
    (fix,) = problem.fixes
    assert not fix.safe
    assert analysis.skill.markdown is not None
    splices = [edit for edit in fix.edits if isinstance(edit, Splice)]
    mended = apply(analysis.skill.markdown.source.text, splices)
    assert mended == HEAD + "a \\$0.10, b \\$5,000\n\nc \\$2.70\n"
    assert look(mended.removeprefix(HEAD), "claude-code") == []


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("## Requirements\n\n$ARGUMENTS\n", ["info"]),
        ("Given $ARGUMENTS, do it.\n", []),
        ("```\n$ARGUMENTS\n```\n", []),
    ],
)
def test_arguments_in_a_reference_are_not_replaced(reference: str, found: list[str]) -> None:
    files = {"SKILL.md": f"{HEAD}[more](more.md) on $ARGUMENTS\n", "more.md": reference}
    tree = MemoryTree({path: text.encode() for path, text in files.items()}, "worklog")
    problems = analyse(tree).diagnostics
    assert [one.severity for one in problems if one.rule == "variable-unset"] == found


UNSET = [
    ("Run `python3 $SKILL_DIR/scripts/x.py`.", "$SKILL_DIR"),
    (FENCE.format("bash", 'node "${SKILL_ROOT}/x.js"\nnode $SKILL_ROOT/y.js'), "${SKILL_ROOT}"),
    (FENCE.format("bash", "cat $CLAUDE_SKILL_DIR/a.txt"), "$CLAUDE_SKILL_DIR"),
    (FENCE.format("bash", "cat ${CLAUDE_SKILLS_DIR}/a.txt"), "${CLAUDE_SKILLS_DIR}"),
]
SET = [
    "Run `python3 ${CLAUDE_SKILL_DIR}/scripts/x.py`.",
    FENCE.format("bash", "SKILL_DIR=$(pwd)\nnode $SKILL_DIR/x.js"),
    FENCE.format("bash", "node $SKILL_DIR/x.js") + "\nHere `$SKILL_DIR` is the skill's folder.",
    FENCE.format("bash", "node $SKILL_DIR/x.js") + "\nSKILL_DIR: the skill's folder.",
    FENCE.format("json", '{"command": "${CLAUDE_PLUGIN_ROOT}/x.sh"}'),
    "The variable `$SKILL_DIR`.",
    r"Run `cat \$SKILL_DIR/a`.",
]


@pytest.mark.parametrize(("text", "place"), UNSET)
def test_a_variable_that_nobody_sets(text: str, place: str) -> None:
    assert look(text) == [place]


@pytest.mark.parametrize("text", SET)
def test_a_variable_with_a_value(text: str) -> None:
    assert look(text) == []


@pytest.mark.parametrize(
    ("manifest", "place"),
    [("", ["${CLAUDE_PLUGIN_ROOT}"]), ("plugin.json", []), ("marketplace.json", [])],
)
def test_the_folder_of_a_plugin(tmp_path: Path, manifest: str, place: list[str]) -> None:
    (tmp_path / ".git").mkdir()
    if manifest:
        (tmp_path / ".claude-plugin").mkdir()
        (tmp_path / ".claude-plugin" / manifest).write_text('{"name": "kit"}')
    folder = tmp_path / "skills/worklog"
    folder.mkdir(parents=True)
    body = FENCE.format("bash", "bash ${CLAUDE_PLUGIN_ROOT}/x.sh")
    (folder / "SKILL.md").write_text(HEAD + body)
    assert places(analyse(DiskSnapshot(folder))) == place


@pytest.mark.parametrize(
    "part", ["$1 ", "```sh\n$1\n", "$0.1 ", "`x $SKILL_DIR` ", "awk '$1", "`a $CLAUDE_SKILL_DIR/ "]
)
def test_hostile_texts_take_linear_time(part: str) -> None:
    start = time.process_time()
    look(part * (200_000 // len(part)), "claude-code")
    assert time.process_time() - start < 3
