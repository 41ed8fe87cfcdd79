"""Every line of evidence that judging writes is read back as what it was."""

from __future__ import annotations

import pytest
from tests.dryrun.adopting.skills import HOME, ROOTS, undeclared

from skillstudio.dryrun.adopting.finding import is_cut, trails
from skillstudio.dryrun.judging.effects import (
    RunScope,
    WrittenFile,
    judge_effects,
    observed_effects,
)
from skillstudio.dryrun.report import Event, Observation
from skillstudio.interface.wording import SENSITIVE

OWN = RunScope("/w/skills/doer", "/w", HOME, "/run/tmp", refuses_network=False)
EVENTS = [
    Event("exec", "git commit -m 'a b'", argv=("git", "commit", "-m", "a b")),
    Event("exec", "'/opt/my tool' x", "EACCES", argv=("/opt/my tool", "x")),
    Event("read", "/data/a (1).txt"),
    Event("read", "~/.netrc", "EACCES"),
    Event("write", "/etc/x", "EROFS"),
    Event("remove", "/etc/y"),
    Event("connect", "10.1.2.3:443", "ENETUNREACH"),
    Event("send", "[::1]:99"),
    Event("resolve", "api.example.test"),
    Event("socket", "network socket (AF_INET)", "EACCES"),
    Event("connect", "unix:/run/docker.sock"),
    Event("other", "ptrace", "EPERM"),
]
WRITTEN = [
    WrittenFile("/w/out.md", "out.md", "added", "markdown"),
    WrittenFile("/w/skills/doer/x", "x (in the skill)", "modified", "text"),
    WrittenFile("~/.cache/x", "~/.cache/x", "removed", "text"),
]


def test_what_was_seen_is_read_back_from_a_report() -> None:
    found = observed_effects(WRITTEN, Observation(tuple(EVENTS), True), OWN)
    judged = judge_effects((), found, "skill-manifest-2.0", is_traced=True)
    read = {each.line: each for effect in judged for each in trails(effect, ROOTS, HOME)}
    assert {each.evidence: each.about for each in found} == {
        line: each.about for line, each in read.items()
    }
    assert {each.program for each in read.values()} - {""} == {"git", "/opt/my tool"}
    assert {each.host for each in read.values()} - {""} == {
        "10.1.2.3", "[::1]", "api.example.test"
    }  # fmt: skip
    assert sum(each.is_path for each in read.values()) == 7


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("read /data/x", [False]),
        (f"read /data/{SENSITIVE}", [True]),
        ("hmac-sha256:" + "0" * 64, [True]),
        ("nothing of the kind", []),
    ],
)
def test_what_was_masked_is_known(line: str, masked: list[bool]) -> None:
    found = list(trails(undeclared("fs.read", line), ROOTS, HOME))
    assert [each.is_masked for each in found] == masked


def test_that_more_was_seen_is_known() -> None:
    assert is_cut(undeclared("fs.read", "read /x", "and 3 more"))
    assert not is_cut(undeclared("fs.read", "read /x"))
