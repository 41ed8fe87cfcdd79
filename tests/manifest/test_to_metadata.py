"""A key of the frontmatter is moved to `metadata`, or stays where that would lose something."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.edit import resolve_edits
from skillstudio.text.splicing import apply

HEAD = "---\nname: tea\ndescription: Makes tea. Use it.\n"
TAIL = "---\nBoil water.\n"


def analysis_of(keys: str, *targets: str) -> Analysis:
    tree = MemoryTree({"SKILL.md": f"{HEAD}{keys}{TAIL}".encode()}, "tea")
    return analyse(tree, targets=targets)


def moved(analysis: Analysis, problem: Diagnostic) -> str:
    """The keys after those of `HEAD`, once the only fix of a problem is applied."""
    (fix,) = problem.fixes
    assert not fix.safe
    (document,) = {one.document for one in analysis.manifests if one.dialect.id == problem.dialect}
    text = apply(document.source.text, resolve_edits(document, fix.edits))
    return text.removeprefix(HEAD).removesuffix(TAIL)


@pytest.mark.parametrize(
    ("keys", "after"),
    [
        ("version: 1.2.3\n", "metadata:\n  version: 1.2.3\n"),
        ("version: 1.10\n", 'metadata:\n  version: "1.10"\n'),
        ("version: '2'\n", 'metadata:\n  version: "2"\n'),
        ("version: 1.2.3\nlicense: MIT\n", "license: MIT\nmetadata:\n  version: 1.2.3\n"),
        ("metadata:\n  a: b\nversion: 1.2.3\n", "metadata:\n  a: b\n  version: 1.2.3\n"),
        ("metadata: {a: b}\nversion: 1.2.3\n", "metadata: {a: b, version: 1.2.3}\n"),
    ],
)
def test_the_version_is_moved_as_it_is_written(keys: str, after: str) -> None:
    analysis = analysis_of(keys)
    (problem,) = [one for one in analysis.diagnostics if one.rule == "version-top-level"]
    assert moved(analysis, problem) == after
    assert "version-top-level" not in {one.rule for one in analysis_of(after).diagnostics}


@pytest.mark.parametrize(
    "keys",
    [
        "version: 1.2.3  # of the tea\n",
        "version: [1, 2]\n",
        "version: >\n  1.2\n",
        "version: 1.2.3\nmetadata:\n  version: 1.2.2\n",
        "version: 1.2.3\nmetadata: none\n",
        "version: 1.2.3\nversion: 1.2.4\n",
    ],
)
def test_there_is_no_fix_that_would_lose_something(keys: str) -> None:
    problems = [one for one in analysis_of(keys).diagnostics if one.rule == "version-top-level"]
    assert [one.fixes for one in problems] == [()]


def test_a_key_of_another_format_in_the_same_text_stays() -> None:
    analysis = analysis_of('manifest_version: "1.0"\nversion: 1.2.3\n', "claude-upload")
    refused = [one for one in analysis.diagnostics if one.rule == "target-refused"]
    assert len(refused) == 2
    assert [one.fixes for one in refused] == [(), ()]


def test_a_target_that_refuses_a_key_offers_to_move_it() -> None:
    analysis = analysis_of('version: 1.2.3\nargument-hint: "[x]"\n', "claude-upload")
    refused = [one for one in analysis.diagnostics if one.rule == "target-refused"]
    assert [bool(one.fixes) for one in refused] == [True, False]
    assert moved(analysis, refused[0]) == 'argument-hint: "[x]"\nmetadata:\n  version: 1.2.3\n'
