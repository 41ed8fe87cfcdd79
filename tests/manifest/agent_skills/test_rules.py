"""The Agent Skills specification, one line a case; the marks enclose the finding's place."""

from __future__ import annotations

import pytest
from tests.manifest.marked import diagnose, expected, found, mended

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse

LONG = "a" * 65

CASES = [
    ("name-format", "---\nname: «Work_Log»\ndescription: d\n---\n"),
    ("name-format", "---\nname: «work--log»\ndescription: d\n---\n"),
    ("name-format", "---\nname: «-worklog»\ndescription: d\n---\n"),
    ("name-format", "---\nname: «'worklog-'»\ndescription: d\n---\n"),
    ("name-format", "---\nname: «wörklog»\ndescription: d\n---\n"),
    ("name-length", '---\nname: «""»\ndescription: d\n---\n'),
    ("name-length", f"---\nname: «{LONG}»\ndescription: d\n---\n"),
    ("name-folder", "---\nname: «work-log»\ndescription: d\n---\n"),
    ("name-folder", '---\nname: «"work-log"» # the old one\ndescription: d\n---\n'),
    ("value-type", "---\nname: worklog\ndescription: «5»\n---\n"),
    ("value-type", "---\nname: worklog\ndescription: «[a, b]»\n---\n"),
    ("key-missing", "«---»\nname: worklog\n---\n"),
    ("key-missing", "«---»\ndescription: d\n---\n"),
    ("description-length", '---\nname: worklog\ndescription: «""»\n---\n'),
    ("description-length", '---\nname: worklog\ndescription: «"  "»\n---\n'),
    ("description-length", f"---\nname: worklog\ndescription: «{'d' * 1025}»\n---\n"),
    ("description-unquoted", "---\nname: worklog\ndescription: Use when«:» files arrive\n---\n"),
    (
        "compatibility-length",
        f"---\nname: worklog\ndescription: d\ncompatibility: «{'c' * 501}»\n---\n",
    ),
    ("compatibility-length", '---\nname: worklog\ndescription: d\ncompatibility: «""»\n---\n'),
    ("metadata-value", "---\nname: worklog\ndescription: d\nmetadata:\n  version: «1.10»\n---\n"),
    ("metadata-value", "---\nname: worklog\ndescription: d\nmetadata:\n  draft: «true»\n---\n"),
    ("metadata-value", "---\nname: worklog\ndescription: d\nmetadata:\n  tags: «[a, b]»\n---\n"),
    ("metadata-value", "---\nname: worklog\ndescription: d\nmetadata:\n  «owner»:\n---\n"),
    ("value-type", "---\nname: worklog\ndescription: d\nmetadata: «text»\n---\n"),
    (
        "allowed-tools-form",
        "---\nname: worklog\ndescription: d\nallowed-tools: «Read, Write»\n---\n",
    ),
    (
        "allowed-tools-form",
        "---\nname: worklog\ndescription: d\nallowed-tools: «[Read, Write]»\n---\n",
    ),
    ("key-unknown", "---\nname: worklog\ndescription: d\n«licence»: MIT\n---\n"),
    ("key-extension", "---\nname: worklog\ndescription: d\n«x-team»: docs\n---\n"),
    ("key-duplicate", "---\nname: worklog\ndescription: d\n«name»: worklog\n---\n"),
    ("frontmatter-missing", "«»# Worklog\n"),
    ("frontmatter-unclosed", "«---»\nname: worklog\ndescription: d\n"),
    ("frontmatter-unclosed", "«---»\nname: worklog\ndescription: d\n--- # end\n\n# Worklog\n"),
    ("frontmatter-unclosed", "«---»\nname: worklog\ndescription: d\n***\n\n# Worklog\n"),
    (
        "frontmatter-unclosed",
        "«---»\nname: worklog\ndescription: d\n\n# Worklog\n\nSay it.\n\n---\n\n## More\n",
    ),
    (
        "secret-literal",
        "---\nname: worklog\ndescription: d\nmetadata:\n  token: «ghp_" + "a1B2" * 9 + "»\n---\n",
    ),
]


@pytest.mark.parametrize(("rule", "marked"), CASES)
def test_a_finding_stands_at_its_place(rule: str, marked: str) -> None:
    text, places = expected(rule, marked)
    assert found(text) == places


CLEAN = [
    "---\nname: worklog\ndescription: Does something simple\n---\n",
    "---\r\nname: worklog\r\ndescription: d\r\n---\r\n",
    "---\nname: worklog\ndescription: d\nlicense: MIT\ncompatibility: git\n---\n# Body\n",
    '---\nname: worklog\ndescription: d\nmetadata:\n  version: "1.10"\n---\n',
    "---\nname: worklog\ndescription: d\nallowed-tools: Bash(git add:*, git rm:*) Read\n---\n",
    "---\nname: worklog\ndescription: d\n---\n[a](https://a) [b](#top) [c](mailto:a) [d](/x)\n",
    "---\nname: worklog\ndescription: d\n---\n`[a](gone.md)` and\n\n```\n[b](gone.md)\n```\n",
    "---\nname: worklog\ndescription: d\n---\n[a](SKILL.md) [b](<{name}.md>) [c](../other/a.md)\n",
    f"---\nname: worklog\ndescription: {'d' * 1024}\n---\n",
]


@pytest.mark.parametrize("text", CLEAN)
def test_nothing_is_found_where_nothing_is_wrong(text: str) -> None:
    assert found(text) == []


FIXES = [
    ("name: Work_Log", "name: worklog"),
    ("name: work-log", "name: worklog"),
    ("description: Use when: files arrive", 'description: "Use when: files arrive"'),
    ("metadata:\n  version: 1.10", 'metadata:\n  version: "1.10"'),
    ("metadata:\n  version: 2.40 # ours", 'metadata:\n  version: "2.40" # ours'),
    ("allowed-tools: Read, Bash(git:*, ls)", "allowed-tools: Read Bash(git:*, ls)"),
    ("allowed-tools:\n  - Read\n  - Write", "allowed-tools: Read Write"),
    ("licence: MIT", "license: MIT"),
]


@pytest.mark.parametrize(("wrong", "right"), FIXES)
def test_a_fix_changes_its_place_only(wrong: str, right: str) -> None:
    def skill(line: str) -> str:
        lines = [line]
        lines += [] if line.startswith("name") else ["name: worklog"]
        lines += [] if line.startswith("description") else ["description: d"]
        return "---\n" + "\n".join(lines) + "\n---\n# Body\n"

    assert mended(skill(wrong)) == skill(right)


def test_a_credential_is_never_repeated() -> None:
    secret = "ghp_" + "a1B2" * 9
    text = f"---\nname: worklog\ndescription: d\nmetadata:\n  token: {secret}\n---\n"
    assert all(secret not in each.message for each in diagnose(text))


@pytest.mark.parametrize(
    ("body", "rules"),
    [("line\n" * 500, []), ("line\n" * 501, ["body-long"]), ("word " * 4001, ["body-long"])],
)
def test_a_long_body_is_told(body: str, rules: list[str]) -> None:
    text = f"---\nname: worklog\ndescription: d\n---\n{body}"
    assert [each.rule for each in diagnose(text)] == rules


FOLDERS = [
    ("nothing", {"notes.md": b""}, ["notes.md"]),
    ("Read notes.md first.", {"notes.md": b""}, []),
    ("Read notes.md first.", {"notes.md": b"then drafts/", "drafts/a.md": b""}, []),
    ("nothing", {"drafts/a.md": b"", "drafts/b.md": b""}, ["drafts/"]),
    ("Run a-script.sh.", {"bin/a-script.sh": b""}, []),
    ("nothing", {"LICENSE": b"", "README.md": b"", ".git/x": b"", "tests/a": b""}, []),
    ("nothing", {"CHANGELOG.md": b"", "samples/a": b"", "License.txt": b""}, []),
]


@pytest.mark.parametrize(("body", "files", "unmentioned"), FOLDERS)
def test_files_that_nothing_mentions(
    body: str, files: dict[str, bytes], unmentioned: list[str]
) -> None:
    text = f"---\nname: worklog\ndescription: d\n---\n{body}\n"
    told = diagnose(text, files=files)
    assert [each.rule for each in told] == ["file-unmentioned"] * len(unmentioned)
    assert all(name in each.message for name, each in zip(unmentioned, told, strict=True))


def test_collections_in_metadata_are_remarks() -> None:
    front = "name: tea\ndescription: Makes tea. Use it.\nmetadata:\n"
    front += "  openclaw:\n    emoji: x\n  tags: [a]\n  level: 1.10\n"
    tree = MemoryTree({"SKILL.md": f"---\n{front}---\nBoil.\n".encode()}, "tea")
    problems = [(one.severity, one.message) for one in analyse(tree).diagnostics]
    rule = "metadata maps strings to strings, and"
    assert problems == [
        ("info", f"{rule} openclaw is a mapping, which only OpenClaw reads"),
        ("info", f"{rule} tags is a list"),
        ("warning", f"{rule} level is a number"),
    ]


def test_a_key_that_is_no_misspelled_other_one() -> None:
    def unknown(line: str) -> list[str | None]:
        text = f"---\nname: tea\ndescription: Makes tea. Use it.\n{line}\n---\nBoil.\n"
        tree = MemoryTree({"SKILL.md": text.encode()}, "tea")
        problems = analyse(tree, targets=("claude-code",)).diagnostics
        return [one.severity for one in problems if one.rule == "key-unknown"]

    assert unknown("agents: [a, b]") == ["info"]
    assert unknown("displayName: Tea") == ["info"]
    assert unknown("agents: Explore") == ["warning"]
    assert unknown("alowed-tools: [Read]") == ["warning"]


def test_another_file_name_is_reported_once_with_its_fix() -> None:
    text = b"---\nname: tea\ndescription: Makes tea. Use it.\n---\nBoil.\n"
    tree = MemoryTree({"skill.md": text}, "tea")
    problems = analyse(tree, targets=("claude-code",)).diagnostics
    assert [(one.rule, [fix.title for fix in one.fixes]) for one in problems] == [
        ("target-refused", ["Rename it to SKILL.md"])
    ]
