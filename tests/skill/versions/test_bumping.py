"""The version is written wherever one stands, and nowhere else."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.interface.change import Change, Level
from skillstudio.interface.model import ABSENT
from skillstudio.manifest.locate import locate
from skillstudio.skill.versions.bumping import BumpRefused, places_of, plan_bump, with_entry

DATE = "2025-01-31"
FENCE = """\
---
name: both
description: Finds things. Use when things are lost.
metadata:
  version: "8"
---
```skill-manifest
{
  "schema_version": "2.0", "id": "both", "version": "1.0.0",   "effects": [],
  "operations": {}
}
```
"""
VERSIONED = """\
---
manifest_version: "1.0"
name: plain
description: Says things.
version: '1.0.0'   # of the skill
# no inputs
---
Version 1.0.0 of the text.
"""
UNVERSIONED = """\
---
name: plain
description: Says things.
manifest_version: "1.0"
inputs: {required: [], optional: []}
---
"""
CARO = """\
[skill]
id = "cloud.aws"
name = "AWS"
version = "1.0.0"  # semver
description = "Clouds"

[metadata]
min_caro_version = "1.0.0"
"""
BARE = "---\nname: plain\ndescription: Says things.\n---\n"


def write(files: dict[str, str], version: str = "2.0.0") -> dict[str, tuple[str | None, str]]:
    tree = MemoryTree({path: text.encode() for path, text in files.items()}, "plain")
    return plan_bump(locate(tree).skill, version, [], DATE)


@pytest.mark.parametrize(
    ("file", "text", "old", "new"),
    [
        ("SKILL.md", VERSIONED, "version: '1.0.0'", "version: '2.0.0'"),
        ("SKILL.md", VERSIONED.replace("\n", "\r\n"), "version: '1.0.0'", "version: '2.0.0'"),
        ("SKILL.md", FENCE, '"version": "1.0.0",   "eff', '"version": "2.0.0",   "eff'),
        ("skill.toml", CARO, 'version = "1.0.0"  # s', 'version = "2.0.0"  # s'),
    ],
)
def test_only_the_version_changes(file: str, text: str, old: str, new: str) -> None:
    assert text.count(old) == 1
    assert write({file: text})[file] == (text, text.replace(old, new))


def test_every_manifest_that_carries_the_version_gets_it() -> None:
    text = FENCE.replace("metadata:", "version: 1.0.0\nmetadata:")
    made = write({"SKILL.md": text, "skill.toml": CARO})
    assert made["SKILL.md"][1] == text.replace("1.0.0", "2.0.0")
    assert 'version = "2.0.0"  # semver' in made["skill.toml"][1]


def test_a_version_is_added_where_the_dialect_has_a_place() -> None:
    made = write({"SKILL.md": UNVERSIONED})["SKILL.md"][1]
    assert "version: 2.0.0\n" in made
    assert made.replace("version: 2.0.0\n", "") == UNVERSIONED
    (place,) = places_of(locate(MemoryTree({"SKILL.md": UNVERSIONED.encode()})).skill)
    assert (place.label, place.version) == ("version in SKILL.md", "")


def test_without_a_place_it_says_what_to_do() -> None:
    with pytest.raises(BumpRefused, match=r"no manifest that can declare a version; tag it"):
        write({"SKILL.md": BARE.replace("\n---", '\nmetadata:\n  version: "1"\n---')})


def test_a_plain_skill_gets_its_version_as_metadata() -> None:
    assert "\nmetadata:\n  version: 2.0.0\n---" in write({"SKILL.md": BARE})["SKILL.md"][1]


def test_the_changelog_gets_an_entry() -> None:
    made = write({"SKILL.md": VERSIONED})
    assert made["CHANGELOG.md"][0] is None
    assert made["CHANGELOG.md"][1].startswith("# Changelog\n\n## [2.0.0] - 2025-01-31\n")


def test_a_changelog_that_is_not_text_is_left_alone() -> None:
    tree = MemoryTree({"SKILL.md": VERSIONED.encode(), "CHANGELOG.md": b"\xff\xfe"}, "plain")
    with pytest.raises(BumpRefused, match="not UTF-8"):
        plan_bump(locate(tree).skill, "2.0.0", [], DATE)


def test_a_second_time_nothing_is_left_to_write() -> None:
    files = {"SKILL.md": VERSIONED}
    made = {path: new for path, (_, new) in write(files).items()}
    assert write({**files, **made}) == {}


def change(
    kind: str, message: str, level: Level = "minor", operation: str = "", **more: object
) -> Change:
    fields = {"review": False, "routing": False, "waived": "", **more}
    return Change(
        kind, operation, "/x", level, old=ABSENT, new=ABSENT, message=message, source="", **fields
    )  # type: ignore[arg-type]


CHANGES = [
    change("input-required-added", "topic is new", "major"),
    change("input-optional-removed", "title is gone", "major", waived="nobody gave it"),
    change("operation-added", "the operation is new", operation="find"),
    change("description-changed", "the\nwords   changed", "patch"),
    change("execution-network-on", "it reaches the network", review=True),
]
ENTRY = """\
## [1.1.0] - 2025-01-31

### Added

- **Breaking:** topic is new
- find: the operation is new

### Changed

- the words changed

### Removed

- title is gone

### Security

- it reaches the network
"""


def test_a_new_changelog_has_a_title_and_the_entry() -> None:
    assert with_entry(None, "1.1.0", DATE, CHANGES) == f"# Changelog\n\n{ENTRY}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Changelog\n\nAll of it.\n\n", "## [1.0.0] - 2024-01-01\n\n- first\n"),
        ("# Changelog\n\n## [Unreleased]\n\n- soon\n\n", "## [1.0.0]\n"),
        ("", "## [1.0.0] - 2024-01-01\n"),
        ("# Changes\n\n```\n## [0.9.0] is no heading\n```\n\n", "## [1.0.0]\nrest without end"),
    ],
)
def test_the_entry_goes_before_that_of_the_version_before(before: str, after: str) -> None:
    assert with_entry(before + after, "1.1.0", DATE, CHANGES) == f"{before}{ENTRY}\n{after}"


@pytest.mark.parametrize(
    ("text", "gap"), [("# Changelog\n", "\n"), ("# Changelog\n\n", ""), ("words", "\n\n")]
)
def test_where_no_version_is_listed_the_entry_goes_last(text: str, gap: str) -> None:
    assert with_entry(text, "1.1.0", DATE, CHANGES) == f"{text}{gap}{ENTRY}"


def test_the_entry_takes_the_line_ends_and_the_brackets_of_the_file() -> None:
    made = with_entry("# Log\r\n\r\n## 1.0.0\r\n", "1.1.0", DATE, CHANGES)
    entry = ENTRY.replace("[1.1.0]", "1.1.0").replace("\n", "\r\n")
    assert made == f"# Log\r\n\r\n{entry}\r\n## 1.0.0\r\n"


def test_a_version_that_has_an_entry_gets_no_second_one() -> None:
    text = "# Changelog\n\n## [1.1.0] - 2025-01-01\n\n- written by hand\n"
    assert with_entry(text, "1.1.0", DATE, CHANGES) == text


def test_without_changes_of_the_interface_the_entry_says_so() -> None:
    assert "- Changed files; the interface is unchanged." in with_entry(None, "1", DATE, [])


def test_what_a_manifest_says_makes_no_heading() -> None:
    made = with_entry(None, "1.0.0", DATE, [change("x-changed", "a\n## b\x1b[31m")])
    assert "- a ## b␛\\[31m\n" in made
