"""The step between two versions: what was taken, what is asked for, and what there is to say."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from skillstudio.interface.bump import Bump, judge_bump, version_rules
from skillstudio.interface.change import Change, Level
from skillstudio.interface.model import ABSENT


class Row(NamedTuple):
    old: str
    new: str
    changes: str
    """Levels; `files` is a changed file without any change, `same` nothing at all."""
    declared: str
    required: str
    suggested: str
    findings: str = ""
    ok: bool = True
    only_tagged: bool = False


UNCHANGED, SMALL = "version-unchanged-with-changes", "version-bump-too-small"
LARGE, FILES = "version-bump-larger-than-needed", "content-changed-interface-same"
ROWS = [
    # From 1.0.0 on, the highest level is the step.
    Row("1.2.3", "2.0.0", "major minor", "major", "major", "2.0.0"),
    Row("1.2.3", "1.3.0", "minor patch", "minor", "minor", "1.3.0"),
    Row("1.2.3", "1.2.4", "patch none", "patch", "patch", "1.2.4"),
    Row("1.2.3", "1.3.0", "major", "minor", "major", "2.0.0", SMALL, ok=False),
    Row("1.2.3", "1.2.4", "minor", "patch", "minor", "1.3.0", SMALL, ok=False),
    # A number may be left out; only the first that grew counts.
    Row("1.2.3", "1.2.9", "patch", "patch", "patch", "1.2.4"),
    Row("1.9.9", "1.10.0", "minor", "minor", "minor", "1.10.0"),
    Row("1.2.3", "4.5.6", "major", "major", "major", "2.0.0"),
    # More than is asked for is allowed and said.
    Row("1.2.3", "2.0.0", "minor", "major", "minor", "1.3.0", LARGE),
    Row("1.2.3", "1.3.0", "patch", "minor", "patch", "1.2.4", LARGE),
    Row("1.2.3", "1.2.4", "same", "patch", "none", "", LARGE),
    # The same version.
    Row("1.2.3", "1.2.3", "same", "none", "none", ""),
    Row("1.2.3", "1.2.3", "none", "none", "none", ""),
    Row("1.2.3", "1.2.3", "minor", "none", "minor", "1.3.0", UNCHANGED, ok=False),
    Row("1.2.3", "1.2.3", "patch", "none", "patch", "1.2.4", UNCHANGED, ok=False),
    # Files that changed while the interface did not ask for a patch.
    Row("1.2.3", "1.2.4", "files", "patch", "patch", "1.2.4", FILES),
    Row("1.2.3", "1.2.3", "files", "none", "patch", "1.2.4", f"{UNCHANGED} {FILES}", ok=False),
    Row("1.2.3", "1.3.0", "files", "minor", "patch", "1.2.4", LARGE),
    Row("1.2.3", "1.2.4", "files none", "patch", "patch", "1.2.4"),
    # Below 1.0.0 the step is one smaller, and never smaller than a patch.
    Row("0.2.3", "0.3.0", "major", "minor", "minor", "0.3.0"),
    Row("0.2.3", "0.2.4", "minor", "patch", "patch", "0.2.4"),
    Row("0.2.3", "0.2.4", "patch", "patch", "patch", "0.2.4"),
    Row("0.2.3", "0.2.4", "major", "patch", "minor", "0.3.0", SMALL, ok=False),
    Row("0.2.3", "0.3.0", "minor", "minor", "patch", "0.2.4", LARGE),
    Row("0.0.3", "0.1.0", "major", "minor", "minor", "0.1.0"),
    Row("0.2.3", "0.2.3", "files", "none", "patch", "0.2.4", f"{UNCHANGED} {FILES}", ok=False),
    # Leaving 0 calls the interface stable, whatever changed.
    Row("0.9.0", "1.0.0", "same", "major", "none", ""),
    Row("0.9.0", "1.0.0", "major", "major", "minor", "0.10.0"),
    Row("0.9.0", "2.0.0", "patch", "major", "patch", "0.9.1"),
    # A pre-release promises nothing: whatever comes later will do.
    Row("2.0.0-rc.1", "2.0.0", "major", "major", "major", "2.0.0"),
    Row("1.3.0-rc.1", "1.3.0", "major", "minor", "major", "1.3.0"),
    Row("1.2.4-rc.1", "1.2.4", "minor", "patch", "minor", "1.2.4"),
    Row("2.0.0-rc.1", "2.0.0-rc.2", "major", "patch", "major", "2.0.0"),
    Row("2.0.0-rc.9", "2.0.0-rc.10", "major", "patch", "major", "2.0.0"),
    Row("2.0.0-rc.1", "2.0.0-rc.1", "minor", "none", "minor", "2.0.0", UNCHANGED, ok=False),
    Row("0.2.0-rc.1", "0.2.0", "major", "minor", "minor", "0.2.0"),
    # Before a release the step is the one that the release takes.
    Row("1.2.3", "2.0.0-alpha", "major", "major", "major", "2.0.0"),
    Row("1.2.3", "1.3.0-alpha", "major", "minor", "major", "2.0.0", SMALL, ok=False),
    # Build metadata orders nothing.
    Row("1.2.3+a", "1.2.3+b", "same", "none", "none", ""),
    Row("1.2.3+a", "1.2.3+b", "minor", "none", "minor", "1.3.0", "version-build-alone-changed",
        ok=False),
    Row("1.2.3+a", "1.2.3+a", "minor", "none", "minor", "1.3.0", UNCHANGED, ok=False),
    Row("1.2.3+a", "1.3.0", "minor", "minor", "minor", "1.3.0"),
    # Nobody gets a version that comes before, with or without changes.
    Row("1.2.3", "1.2.2", "same", "decreased", "none", "", "version-decreased", ok=False),
    Row("1.2.3", "1.2.2", "major", "decreased", "major", "2.0.0", "version-decreased", ok=False),
    Row("1.2.3", "1.2.3-rc.1", "patch", "decreased", "patch", "1.2.4", "version-decreased",
        ok=False),
    Row("1.10.0", "1.9.0", "minor", "decreased", "minor", "1.11.0", "version-decreased", ok=False),
    Row("2.0.0-beta", "2.0.0-alpha", "patch", "decreased", "patch", "2.0.0", "version-decreased",
        ok=False),
    # What is no semantic version is not guessed at.
    Row("1.2.3", "1.3", "minor", "unknown", "minor", "1.3.0", "version-not-semver", ok=False),
    Row("1.2.3", "v1.3.0", "minor", "unknown", "minor", "1.3.0", "version-not-semver", ok=False),
    Row("1.2.3", "01.3.0", "minor", "unknown", "minor", "1.3.0", "version-not-semver", ok=False),
    Row("1.2.3", "1.3.0-", "minor", "unknown", "minor", "1.3.0", "version-not-semver", ok=False),
    Row("v1.2.3", "v1.3.0", "minor", "unknown", "minor", "", "version-not-semver", ok=False),
    Row("today", "today", "same", "unknown", "none", "", "version-not-semver"),
    Row("today", "1.0.0", "major", "unknown", "major", "", "version-was-not-semver"),
    Row("1.2.3", "9" * 5000 + ".0.0", "minor", "unknown", "minor", "1.3.0", "version-not-semver",
        ok=False),
    # A version is optional; one that was there is missed.
    Row("", "", "major", "unknown", "major", "", "version-missing"),
    Row("", "", "same", "unknown", "none", "", "version-missing"),
    Row("", "1.0.0", "major", "unknown", "major", ""),
    Row("", "one", "major", "unknown", "major", "", "version-not-semver", ok=False),
    Row("1.2.3", "", "minor", "unknown", "minor", "1.3.0", "version-removed", ok=False),
    Row("1.2.3", "", "same", "unknown", "none", "", "version-removed"),
    # A version of a tag cannot be removed: the newer version has no tag yet.
    Row("1.2.3", "", "minor", "unknown", "minor", "1.3.0", "version-untagged", only_tagged=True),
    Row("1.2.3", "1.2.4", "minor", "patch", "minor", "1.3.0", SMALL, ok=False, only_tagged=True),
]  # fmt: skip


def change(level: Level, kind: str = "a-kind", waived: str = "") -> Change:
    return Change(kind, "", "/a", level, False, False, ABSENT, 1, "said", "here", waived=waived)


def judged(row: Row) -> Bump:
    words = row.changes.split()
    levels: list[Level] = [word for word in ("major", "minor", "patch", "none") if word in words]
    differs = row.changes not in ("same", "none")
    changes = [change(level) for level in levels]
    return judge_bump(row.old, row.new, changes, differs, row.only_tagged)


@pytest.mark.parametrize(
    ("old", "new", "is_unknown"),
    [
        ("", "", True),
        ("", "1.0.0", True),
        ("today", "1.0.0", True),
        ("1.0.0", "", False),
        ("1.0.0", "1.0.0", False),
        ("1.0.0", "today", False),
    ],
)
def test_without_a_version_the_required_bump_is_unknown(
    old: str, new: str, is_unknown: bool
) -> None:
    assert judge_bump(old, new, [change("minor")], True).is_unknown == is_unknown
    assert not judge_bump(old, new, [], False).is_unknown


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.old[:9]} {r.new[:9]} {r.changes}" for r in ROWS])
def test_each_step(row: Row) -> None:
    bump = judged(row)
    assert (bump.declared, bump.required, bump.suggested) == row[3:6]
    assert [finding.kind for finding in bump.findings] == row.findings.split()
    assert bump.ok is row.ok


def test_every_finding_is_in_the_table() -> None:
    shown = {kind for row in ROWS for kind in row.findings.split()}
    assert version_rules().keys() - shown == {"artifact-digest-changed-version-same"}


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.old[:9]} {r.new[:9]} {r.changes}" for r in ROWS])
def test_what_is_suggested_is_enough(row: Row) -> None:
    suggested = judged(row).suggested
    if suggested:
        bump = judged(row._replace(new=suggested))
        assert bump.ok
        assert {finding.severity for finding in bump.findings} <= {"info"}


@pytest.mark.parametrize(
    ("old", "new", "changes", "sentences"),
    [
        ("1.2.3", "1.2.3", "major",
         ["the version is still 1.2.3; needs a major bump: 1.2.3 → 2.0.0"]),
        ("1.2.3+a", "1.2.3+b", "minor",
         ["1.2.3+a → 1.2.3+b changes only the build metadata; needs a minor bump: "
          "1.2.3+a → 1.3.0"]),
        ("1.2.3", "1.2.4", "minor",
         ["1.2.3 → 1.2.4 is a patch bump; needs a minor bump: 1.2.3 → 1.3.0"]),
        ("1.2.3", "2.0.0", "minor",
         ["1.2.3 → 2.0.0 is a major bump; required bump: minor"]),
        ("1.2.3", "1.2.2", "same", ["1.2.2 is lower than 1.2.3"]),
        ("1.2.3", "v1.2.4", "same",
         ["v1.2.4 is not a semantic version, so the bump cannot be checked"]),
        ("v1.2.3", "1.2.4", "same",
         ["v1.2.3 was not a semantic version, so the bump to 1.2.4 cannot be checked"]),
        ("1.2.3", "", "same", ["the version was removed; it was 1.2.3"]),
        ("", "", "same", ["no version is declared, so the bump cannot be checked"]),
        ("1.2.3", "1.2.4", "files",
         ["the files changed but the interface did not; needs a patch bump"]),
    ],
)  # fmt: skip
def test_each_sentence(old: str, new: str, changes: str, sentences: list[str]) -> None:
    bump = judged(Row(old, new, changes, "", "", ""))
    assert [finding.message for finding in bump.findings] == sentences


def test_what_is_waived_asks_for_nothing() -> None:
    waived = change("major", waived="agreed")
    assert judge_bump("1.0.0", "1.1.0", [waived, change("minor")], True).ok
    alone = judge_bump("1.0.0", "1.0.1", [waived], True)
    # The file that holds what was waived is another one all the same.
    assert (alone.required, alone.ok, alone.findings) == ("patch", True, ())
    assert judge_bump("1.0.0", "1.0.0", [waived], False).required == "none"


def test_a_version_names_one_artifact() -> None:
    other = change("patch", "artifact-digest-changed")
    same = judge_bump("1.0.0", "1.0.0", [other], True)
    assert [finding.kind for finding in same.findings] == [
        UNCHANGED,
        "artifact-digest-changed-version-same",
    ]
    assert not same.ok
    assert judge_bump("1.0.0", "1.0.1", [other], True).findings == ()
    unversioned = judge_bump("", "", [other], True)
    assert "artifact-digest-changed-version-same" not in {e.kind for e in unversioned.findings}


def test_versions_are_shown_safe_and_short() -> None:
    found = judge_bump("1.0.0", "\x1b[31m" + "9" * 5000, [change("minor")], True)
    (finding,) = found.findings
    assert "\x1b" not in finding.message
    assert len(finding.message) < 200
