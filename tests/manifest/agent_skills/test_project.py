"""What the frontmatter of Agent Skills says to callers: tools, invocation, texts."""

from __future__ import annotations

import pytest
from tests.manifest.projected import changes, interface, kinds, spot, term

from skillstudio.interface.model import Interface, Term

BASE = "name: skill\ndescription: Does things.\n"


def of(text: str = "") -> Interface:
    return interface(SKILL_md=f"---\n{BASE}{text}---\n")


def test_a_plain_skill_declares_nothing() -> None:
    found = of("license: MIT\nmetadata: {author: me, version: 1.10, deep: {a: [1]}}\n")
    assert (found.name, found.description, found.license) == ("skill", "Does things.", "MIT")
    assert found.metadata == {"author": "me", "version": "1.10", "deep": '{"a": [1]}'}
    assert found.version == ""
    assert not found.declared
    assert found.operations == ()
    assert found.place("/metadata/author") == spot(
        f"---\n{BASE}license: MIT\nmetadata: {{author", "author"
    )


@pytest.mark.parametrize(
    ("text", "version", "metadata"),
    [
        ("metadata: {version: 1.2.1}\n", "1.2.1", {}),
        ("version: 1.2.1\n", "1.2.1", {}),
        # Told twice it is still one version; another one is the version of something else.
        ("metadata: {version: 1.2.1}\nversion: 1.2.1\n", "1.2.1", {}),
        ("metadata: {version: 1.2.0}\nversion: 1.2.1\n", "1.2.1", {"version": "1.2.0"}),
        ("metadata: {since: 1.2.1}\nversion: 1.2.1\n", "1.2.1", {"since": "1.2.1"}),
    ],
)
def test_the_version_is_no_metadata(text: str, version: str, metadata: dict[str, str]) -> None:
    found = of(text)
    assert (found.version, found.metadata) == (version, metadata)


@pytest.mark.parametrize(
    ("said", "tools"),
    [
        ("Read Write", {"Read": ("*",), "Write": ("*",)}),
        ("Bash(git add:*) Bash(git rm) Read", {"Bash": ("git add *", "git rm"), "Read": ("*",)}),
        ("Bash(git add:*, git rm:*), Read", {"Bash": ("git add *", "git rm *"), "Read": ("*",)}),
        ("[Read, 'Bash(ls)', 5]", {"Read": ("*",), "Bash": ("ls",)}),
        ("Bash Bash(ls)", {"Bash": ("*",)}),
        ("Bash()", {"Bash": ("*",)}),
        ("5", {}),
    ],
)
def test_tools_with_what_they_may_be_used_for(said: str, tools: dict[str, tuple[str, ...]]) -> None:
    found = of(f"allowed-tools: {said}\n").permissions
    assert {each.key: each.value for each in found} == tools
    assert {(each.name, each.comparer, each.covers) for each in found} <= {
        ("allowed-tools", "allow-list", "variable")
    }


CASES = [
    ("", "allowed-tools: Read\n", ["allowed-tools-added"], ["allowed-tools-removed"]),
    (
        "allowed-tools: Bash(git:*)\n",
        "allowed-tools: Bash\n",
        ["allowed-tools-opened"],
        ["allowed-tools-closed"],
    ),
    (
        "allowed-tools: Bash(git add:*)\n",
        "allowed-tools: Bash(git:*)\n",
        ["allowed-tools-widened"],
        ["allowed-tools-narrowed"],
    ),
    ("allowed-tools: Read, Bash(a:*)\n", "allowed-tools: Bash(a:*) Read\n", [], []),
    (
        "disallowed-tools: Write\n",
        "",
        ["disallowed-tools-removed"],
        ["disallowed-tools-added"],
    ),
    ("", "compatibility: Needs git\n", ["compatibility-changed"], ["compatibility-changed"]),
    ("", "when_to_use: Often\n", ["when-to-use-changed"], ["when-to-use-changed"]),
    ("", "paths: ['*.md']\n", ["paths-changed"], ["paths-changed"]),
    ("", "arguments: [a]\n", ["arguments-changed"], ["arguments-changed"]),
    ("", "argument-hint: '[x]'\n", ["argument-hint-changed"], ["argument-hint-changed"]),
    ("", "hooks: {Stop: [x]}\n", ["hooks-changed"], ["hooks-changed"]),
    (
        "",
        "disable-model-invocation: true\n",
        ["model-invocation-disabled"],
        ["model-invocation-enabled"],
    ),
    ("", "user-invocable: false\n", ["user-invocation-disabled"], ["user-invocation-enabled"]),
    ("user-invocable: true\n", "disable-model-invocation: false\n", [], []),
    ("", "model: small\n", ["invocation-setting-added"], ["invocation-setting-removed"]),
    (
        "context: fork\n",
        "context: here\n",
        ["invocation-setting-changed"],
        ["invocation-setting-changed"],
    ),
]


@pytest.mark.parametrize(("old", "new", "there", "back"), CASES)
def test_each_kind_of_this_system_in_both_directions(
    old: str, new: str, there: list[str], back: list[str]
) -> None:
    assert kinds(of(old), of(new)) == there
    assert kinds(of(new), of(old)) == back


def test_more_without_asking_is_for_review_and_less_is_not() -> None:
    (grown,) = changes(of("allowed-tools: Bash(ls)\n"), of("allowed-tools: Bash(*)\n"))
    assert (grown.level, grown.review) == ("minor", True)
    assert grown.pointer == "/permissions/allowed-tools/Bash"
    assert grown.new_place is not None
    assert grown.new_place.line == 4
    (shrunk,) = changes(of("allowed-tools: Bash(*)\n"), of("allowed-tools: Bash(ls)\n"))
    assert (shrunk.level, shrunk.review) == ("minor", False)


def test_a_credential_is_masked_wherever_it_stands() -> None:
    key = "ghp_" + "a1B2" * 9
    found = of(f"license: {key}\nmetadata: {{k: {key}}}\nallowed-tools: Bash({key})\n")
    assert key not in repr(found)
    assert "‹sensitive" in found.license
    assert term(found, "allowed-tools", "Bash") != Term("allowed-tools", (key,), "allow-list")
