"""The bump that the changes require, and whether the new version satisfies it.

Below 1.0.0 the required bump (not the level of a change) is one smaller: a breaking change requires
0.(y+1).0. After a pre-release any later version is accepted, because a pre-release promises nothing
(Semantic Versioning 2.0.0, 9).
"""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from skillstudio.interface.change import LEVELS, Change, Level
from skillstudio.interface.wording import cut
from skillstudio.text.versions import SemverKey, semver_key

Declared = Literal["none", "patch", "minor", "major", "decreased", "unknown"]
Severity = Literal["error", "warning", "info"]
_RANK = {level: rank for rank, level in enumerate(reversed(LEVELS))}
_LOWER: dict[Level, Level] = {"major": "minor", "minor": "patch", "patch": "patch", "none": "none"}


class VersionFinding(NamedTuple):
    """A problem with the version itself."""

    kind: str
    severity: Severity
    message: str


class Bump(NamedTuple):
    """The declared bump and the required bump."""

    declared: Declared
    required: Level
    ok: bool
    """Whether the declared bump is large enough. Without a valid version it is not, as soon as a
    bump is required."""
    suggested: str
    """The next version after the old one; "" if no bump is required or the old version is invalid.
    """
    findings: tuple[VersionFinding, ...]
    no_release: str = ""
    """Why nothing was compared with a release; then the bump is not known."""

    @property
    def is_unknown(self) -> bool:
        """Whether nobody can judge the bump: a version is missing or invalid, or no release is
        known."""
        if self.no_release:
            return True
        is_judged = self.suggested or self.required == "none"
        return self.ok and self.declared == "unknown" and not is_judged


class VersionRule(NamedTuple):
    """The record of a version problem in `findings.toml`."""

    severity: Severity
    what: str
    message: str
    why: str
    source: str
    after: str = ""  # The kind of change that triggers this problem.


@cache
def version_rules() -> Mapping[str, VersionRule]:
    """All version problems, by id."""
    import tomllib

    path = os.path.join(os.path.dirname(__file__), "findings.toml")
    with open(path, "rb") as file:
        return {id: VersionRule(**table) for id, table in tomllib.load(file).items()}


def judge_bump(
    old_version: str,
    new_version: str,
    changes: Sequence[Change],
    content_differs: bool,
    only_tagged: bool = False,
) -> Bump:
    """Check the bump between two versions, "" for none; `content_differs` if a file changed.

    `only_tagged` if only a tag has the old version, so that a missing new one may follow.
    """
    old, new = _key(old_version), _key(new_version)
    counted_changes = [change for change in changes if not change.waived]
    level: Level = max(
        (change.level for change in counted_changes), key=_RANK.__getitem__, default="none"
    )
    if level == "none" and content_differs:
        level = "patch"
    required_bump = _LOWER[level] if old is not None and old[0] == 0 else level
    declared_bump = _classify_bump(old, new)
    suggested_version = _next(old, required_bump) if old is not None else ""
    kinds = list(_kinds(old_version, new_version, old, declared_bump, required_bump, new))
    if only_tagged:
        kinds = ["version-untagged" if kind == "version-removed" else kind for kind in kinds]
    if required_bump == "patch" and not changes and declared_bump in ("none", "patch"):
        kinds.append("content-changed-interface-same")
    if old_version and old_version == new_version:
        present = {change.kind for change in counted_changes}
        kinds += [id for id, rule in version_rules().items() if rule.after in present]
    words = {"old": cut(old_version), "new": cut(new_version), "declared": declared_bump}
    rules = [(kind, version_rules()[kind]) for kind in kinds]
    findings = tuple(
        VersionFinding(
            kind,
            rule.severity,
            rule.message.format(**words, required=required_bump, suggested=suggested_version),
        )
        for kind, rule in rules
    )
    # A warning makes the bump wrong only if a bump is required.
    wrong = {"error"} if required_bump == "none" else {"error", "warning"}
    ok = not any(finding.severity in wrong for finding in findings)
    return Bump(declared_bump, required_bump, ok, suggested_version, findings)


def _key(version: str) -> SemverKey | None:
    try:
        return semver_key(version)
    except ValueError:
        return None  # Python refuses to convert numbers of thousands of digits.


def _classify_bump(old: SemverKey | None, new: SemverKey | None) -> Declared:
    """The first number that increased; from a pre-release, the bump that it prepared."""
    if old is None or new is None:
        return "unknown"
    if new == old:
        return "none"
    if new < old:
        return "decreased"
    if new[:3] == old[:3]:
        return "patch" if not new[3] or new[2] else "minor" if new[1] else "major"
    if new[0] != old[0]:
        return "major"
    return "minor" if new[1] != old[1] else "patch"


def _kinds(
    old_version: str,
    new_version: str,
    old: SemverKey | None,
    declared_bump: Declared,
    required_bump: Level,
    new: SemverKey | None,
) -> Iterator[str]:
    if declared_bump == "unknown":
        if new_version and new is None:
            yield "version-not-semver"
        elif not new_version:
            yield "version-removed" if old_version else "version-missing"
        elif old_version and old is None:
            yield "version-was-not-semver"
    elif declared_bump == "decreased":
        yield "version-decreased"
    elif declared_bump == "none":
        if required_bump != "none":
            same = old_version == new_version
            yield "version-unchanged-with-changes" if same else "version-build-alone-changed"
    elif old is not None and not old[3]:
        return
    elif _RANK[declared_bump] < _RANK[required_bump]:
        yield "version-bump-too-small"
    elif _RANK[declared_bump] > _RANK[required_bump] and not _leaves_zero(old, new):
        yield "version-bump-larger-than-needed"


def _leaves_zero(old: SemverKey | None, new: SemverKey | None) -> bool:
    """Whether the bump only declares the interface stable, which no change requires."""
    return old is not None and new is not None and old[0] == 0 and new[0] > 0


def _next(old: SemverKey, required_bump: Level) -> str:
    major, minor, patch, is_release, _ = old
    if required_bump == "none":
        return ""
    if not is_release:
        return f"{major}.{minor}.{patch}"
    if required_bump == "major":
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if required_bump == "minor" else f"{major}.{minor}.{patch + 1}"
