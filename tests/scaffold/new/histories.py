"""Histories of a template and of a skill created from it, and what an update must make of them.

`python -m benchmarks.update_histories COPIER` compares them with Copier.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

COPIER = "_subdirectory: t\nname: {type: str, default: tea}\n"
SKILL = "---\nname: {{ name }}\ndescription: Makes tea. Use when asked.\n---\n\n# Tea\n\nBoil.\n"
SKILL_TEA = SKILL.replace("{{ name }}", "tea")
FIVE = "one\ntwo\nthree\nfour\nfive\n"
LONG = "".join(f"step {number}\n" for number in range(1, 21))
MANIFEST = '{\n  "name": "tea",\n  "version": "1.0.0",\n  "kind": "drink"\n}\n'


class Program(bytes):
    """The bytes of an executable file."""


class Link(str):
    """The target of a symbolic link."""

    __slots__ = ()


Content = str | bytes | Link | None
Files = Mapping[str, Content]
Answer = str | bool
Verdict = Literal["updated", "kept", "conflict"]


class History(NamedTuple):
    """A template in two versions, what its author changed between, and the result."""

    verdict: Verdict
    old: Files
    """The files of the first version, below its subdirectory; None removes one."""
    new: Files
    """What the second version changes."""
    edits: Files
    """What the author changes in the skill."""
    result: Files
    """Files of the skill after the update; None: there is none. Labels of markers are LABELS."""
    conflicts: tuple[str, ...] = ()  # As path:line.
    mine: tuple[bytes, ...] = ()  # Texts of the author that must be somewhere in the skill.
    theirs: tuple[bytes, ...] = ()  # Texts of the new version.
    answers: Mapping[str, Answer] = {}
    new_answers: Mapping[str, Answer] = {}
    ask: str = COPIER
    new_ask: str = ""
    setting: Literal["", "dirty", "no git", "downgrade", "same"] = ""


def markers(mine: str, theirs: str) -> str:
    return f"<<<<<<< yours\n{mine}=======\n{theirs}>>>>>>> template v2\n"


def _swap(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


HISTORIES: dict[str, History] = {
    "clean update": History(
        "updated",
        {"a.md": FIVE}, {"a.md": FIVE + "six\n"}, {}, {"a.md": FIVE + "six\n"},
        theirs=(b"six",),
    ),
    "edit in another part of the file": History(
        "updated",
        {"a.md": FIVE}, {"a.md": FIVE + "six\n"}, {"a.md": "mine\n" + FIVE},
        {"a.md": "mine\n" + FIVE + "six\n"},
        mine=(b"mine",), theirs=(b"six",),
    ),
    "same line edited on both sides": History(
        "conflict",
        {"a.md": FIVE},
        {"a.md": _swap(FIVE, "three", "theirs")},
        {"a.md": _swap(FIVE, "three", "mine")},
        {"a.md": "one\ntwo\n" + markers("mine\n", "theirs\n") + "four\nfive\n"},
        ("a.md:3",),
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "same line of a manifest": History(
        "conflict",
        {"skill.json": MANIFEST},
        {"skill.json": _swap(MANIFEST, "1.0.0", "2.0.0")},
        {"skill.json": _swap(MANIFEST, "1.0.0", "1.1.0")},
        {"skill.json": _swap(
            MANIFEST, '  "version": "1.0.0",\n',
            markers('  "version": "1.1.0",\n', '  "version": "2.0.0",\n'),
        )},
        ("skill.json:3",),
        mine=(b"1.1.0",), theirs=(b"2.0.0",),
    ),
    "two conflicts in one file": History(
        "conflict",
        {"a.md": LONG},
        {"a.md": _swap(_swap(LONG, "step 3\n", "their 3\n"), "step 15\n", "their 15\n")},
        {"a.md": _swap(_swap(LONG, "step 3\n", "my 3\n"), "step 15\n", "my 15\n")},
        {"a.md": _swap(_swap(LONG, "step 3\n", markers("my 3\n", "their 3\n")),
                       "step 15\n", markers("my 15\n", "their 15\n"))},
        ("a.md:3", "a.md:19"),
        mine=(b"my 3", b"my 15"), theirs=(b"their 3", b"their 15"),
    ),
    "deleted by the author, changed by the template": History(
        "kept",
        {"a.md": FIVE}, {"a.md": FIVE + "six\n"}, {"a.md": None}, {"a.md": None},
    ),
    "deleted by the template, changed by the author": History(
        "kept",
        {"a.md": FIVE}, {"a.md": None}, {"a.md": FIVE + "mine\n"}, {"a.md": FIVE + "mine\n"},
        mine=(b"mine",),
    ),
    "renamed by the template, edited by the author": History(
        "updated",
        {"a.md": LONG},
        {"a.md": None, "docs/b.md": LONG + "theirs\n"},
        {"a.md": "mine\n" + LONG},
        {"a.md": None, "docs/b.md": "mine\n" + LONG + "theirs\n"},
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "renamed by the template, same line edited": History(
        "conflict",
        {"a.md": LONG},
        {"a.md": None, "b.md": _swap(LONG, "step 9\n", "theirs\n")},
        {"a.md": _swap(LONG, "step 9\n", "mine\n")},
        {"a.md": None, "b.md": _swap(LONG, "step 9\n", markers("mine\n", "theirs\n"))},
        ("b.md:9",),
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "renamed by the author, changed by the template": History(
        "updated",
        {"a.md": LONG},
        {"a.md": LONG + "theirs\n"},
        {"a.md": None, "mine/b.md": "mine\n" + LONG},
        {"a.md": None, "mine/b.md": "mine\n" + LONG + "theirs\n"},
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "renamed by both": History(
        "kept",
        {"a.md": LONG},
        {"a.md": None, "b.md": LONG + "theirs\n"},
        {"a.md": None, "c.md": "mine\n" + LONG},
        {"a.md": None, "b.md": LONG + "theirs\n", "c.md": "mine\n" + LONG},
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "a question added, another removed": History(
        "updated",
        {"a.md.jinja": "{{ kind }}\n"},
        {"a.md.jinja": "{{ sort }}\n"},
        {},
        {"a.md": "black\n"},
        theirs=(b"black",),
        answers={"kind": "white"},
        ask=COPIER + "kind: {type: str, default: green}\n",
        new_ask=COPIER + "sort: {type: str, default: black}\n",
    ),
    "a changed default keeps the recorded answer": History(
        "updated",
        {"a.md.jinja": "{{ kind }}\n"},
        {"a.md.jinja": "kind: {{ kind }}\n"},
        {},
        {"a.md": "kind: green\n"},
        theirs=(b"kind: green",),
        ask=COPIER + "kind: {type: str, default: green}\n",
        new_ask=COPIER + "kind: {type: str, default: black}\n",
    ),
    "an answer changed with the update": History(
        "updated",
        {"a.md.jinja": "kind: {{ kind }}\n" + FIVE}, {},
        {"a.md": "kind: green\n" + FIVE + "mine\n"},
        {"a.md": "kind: black\n" + FIVE + "mine\n"},
        mine=(b"mine",), theirs=(b"kind: black",),
        ask=COPIER + "kind: {type: str, default: green}\n",
        new_answers={"kind": "black"},
    ),
    "added on both sides": History(
        "conflict",
        {}, {"a.md": "theirs\n"}, {"a.md": "mine\n"}, {"a.md": markers("mine\n", "theirs\n")},
        ("a.md:1",),
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "made executable by the template": History(
        "updated",
        {"run.sh": "#!/bin/sh\n" + FIVE},
        {"run.sh": Program(b"#!/bin/sh\n" + FIVE.encode())},
        {"run.sh": "#!/bin/sh\n" + FIVE + "mine\n"},
        {"run.sh": Program(b"#!/bin/sh\n" + FIVE.encode() + b"mine\n")},
        mine=(b"mine",),
    ),
    "made executable by the author": History(
        "updated",
        {"run.sh": "#!/bin/sh\n" + FIVE},
        {"run.sh": "#!/bin/sh\n" + FIVE + "theirs\n"},
        {"run.sh": Program(b"#!/bin/sh\n" + FIVE.encode())},
        {"run.sh": Program(b"#!/bin/sh\n" + FIVE.encode() + b"theirs\n")},
        theirs=(b"theirs",),
    ),
    "binary file changed on both sides": History(
        "conflict",
        {"a.bin": b"\0old\n"}, {"a.bin": b"\0theirs\n"}, {"a.bin": b"\0mine\n"},
        {"a.bin": b"\0mine\n", "a.bin.new": b"\0theirs\n"},
        ("a.bin",),
        mine=(b"\0mine",), theirs=(b"\0theirs",),
    ),
    "CRLF text of the author": History(
        "updated",
        {"a.md": FIVE}, {"a.md": FIVE + "theirs\n"},
        {"a.md": _swap("mine\n" + FIVE, "\n", "\r\n")},
        {"a.md": _swap("mine\n" + FIVE + "theirs\n", "\n", "\r\n")},
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "symbolic link of the author": History(
        "conflict",
        {"a.md": FIVE, "b.md": LONG}, {"a.md": FIVE + "theirs\n"}, {"a.md": Link("b.md")},
        {"a.md": Link("b.md"), "a.md.new": FIVE + "theirs\n"},
        ("a.md",),
        theirs=(b"theirs",),
    ),
    "folder of the author where the template adds a file": History(
        "conflict",
        {}, {"a": "theirs\n"}, {"a/b.md": "mine\n"}, {"a/b.md": "mine\n", "a.new": "theirs\n"},
        ("a",),
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "file of the author where the template adds a folder": History(
        "conflict",
        {}, {"a/b.md": "theirs\n"}, {"a": "mine\n"}, {"a": "mine\n", "a.new/b.md": "theirs\n"},
        ("a",),
        mine=(b"mine",), theirs=(b"theirs",),
    ),
    "file names that depend on an answer": History(
        "updated",
        {"{{ kind }}.md.jinja": "kind: {{ kind }}\n" + LONG},
        {"{{ kind }}-tea.md.jinja": "kind: {{ kind }}\n" + LONG, "{{ kind }}.md.jinja": None},
        {"green.md": "kind: green\n" + LONG + "mine\n"},
        {"green.md": None, "green-tea.md": "kind: green\n" + LONG + "mine\n"},
        mine=(b"mine",),
        ask=COPIER + "kind: {type: str, default: green}\n",
    ),
    "a file of _skip_if_exists": History(
        "kept",
        {"a.md": FIVE},
        {"a.md": FIVE + "theirs\n"},
        {"a.md": "mine\n" + FIVE},
        {"a.md": "mine\n" + FIVE},
        mine=(b"mine",),
        ask=COPIER + "_skip_if_exists: [a.md]\n",
    ),
    "a file excluded by the new version": History(
        "kept",
        {"a.md": FIVE, "b.md": FIVE}, {},
        {"a.md": FIVE + "mine\n"},
        {"a.md": FIVE + "mine\n", "b.md": None},
        mine=(b"mine",),
        new_ask=COPIER + "_exclude: [a.md, b.md]\n",
    ),
    "_migrations are not run": History(
        "updated",
        {"a.md": FIVE}, {"a.md": FIVE + "theirs\n"}, {},
        {"a.md": FIVE + "theirs\n", "migrated": None},
        theirs=(b"theirs",),
        new_ask=COPIER + "_migrations: [{version: v2, command: touch migrated}]\n",
    ),
    "changes that are not committed": History(
        "updated",
        {"a.md": FIVE}, {"a.md": FIVE + "theirs\n"}, {"a.md": "mine\n" + FIVE},
        {"a.md": "mine\n" + FIVE + "theirs\n"},
        mine=(b"mine",), theirs=(b"theirs",),
        setting="dirty",
    ),
    "a skill outside of git": History(
        "updated",
        {"a.md": FIVE}, {"a.md": FIVE + "theirs\n"}, {"a.md": "mine\n" + FIVE},
        {"a.md": "mine\n" + FIVE + "theirs\n"},
        mine=(b"mine",), theirs=(b"theirs",),
        setting="no git",
    ),
    "update to the same version": History(
        "kept",
        {"a.md": FIVE}, {"a.md": FIVE + "theirs\n"}, {"a.md": "mine\n" + FIVE},
        {"a.md": "mine\n" + FIVE},
        mine=(b"mine",),
        setting="same",
    ),
    "downgrade": History(
        "updated",
        {"a.md": FIVE}, {"a.md": FIVE + "theirs\n"}, {"a.md": "mine\n" + FIVE + "theirs\n"},
        {"a.md": "mine\n" + FIVE},
        mine=(b"mine",),
        setting="downgrade",
    ),
}  # fmt: skip
