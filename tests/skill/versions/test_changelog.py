"""An entry is put on top of a changelog, and every other character stays."""

from __future__ import annotations

import pytest

from skillstudio.interface.change import Change, Level
from skillstudio.interface.model import ABSENT
from skillstudio.skill.versions.changelog import with_entry

DATE = "2025-01-31"


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
