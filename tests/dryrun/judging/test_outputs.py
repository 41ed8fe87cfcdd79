"""Declared output files against what a run produced."""

from __future__ import annotations

import pytest

from skillstudio.dryrun.judging.declared import judge_outputs, output_patterns
from skillstudio.dryrun.plan import PlannedOutput, Roots
from skillstudio.dryrun.report import JudgedOutput

ROOTS = Roots("/w", "/s")
DAY = PlannedOutput("log/{{day}}.org", "log/2026.org", "repo_root")
ANY = PlannedOutput("out/**/*.md", "out/**/*.md", "repo_root")
OWN = PlannedOutput("cache.json", "cache.json", "skill_root")
STAR = PlannedOutput("{{name}}.md", "a[*]b.md", "repo_root")
UNKNOWN = PlannedOutput("{{absent}}.md", "", "repo_root")

ROWS: list[tuple[str, list[PlannedOutput], list[str], bool, list[JudgedOutput]]] = [
    ("produced", [DAY], ["/w/log/2026.org"], False,
     [JudgedOutput(DAY.pattern, "produced", ("/w/log/2026.org",))]),
    ("missing", [DAY], [], False, [JudgedOutput(DAY.pattern, "missing", (), True)]),
    ("missing after a failure", [DAY], [], True, [JudgedOutput(DAY.pattern, "missing")]),
    ("a glob may stand for nothing", [ANY], [], False, [JudgedOutput(ANY.pattern, "missing")]),
    ("a glob for several", [ANY], ["/w/out/a.md", "/w/out/x/y/b.md"], False,
     [JudgedOutput(ANY.pattern, "produced", ("/w/out/a.md", "/w/out/x/y/b.md"))]),
    ("undeclared", [DAY], ["/w/log/2026.org", "/w/log/x"], False,
     [JudgedOutput(DAY.pattern, "produced", ("/w/log/2026.org",)),
      JudgedOutput("", "undeclared", ("/w/log/x",), True)]),
    ("in the skill", [OWN], ["/s/cache.json", "/w/cache.json"], False,
     [JudgedOutput(OWN.pattern, "produced", ("/s/cache.json",)),
      JudgedOutput("", "undeclared", ("/w/cache.json",), True)]),
    ("a star of an input is no wildcard", [STAR], ["/w/a*b.md", "/w/axb.md"], False,
     [JudgedOutput(STAR.pattern, "produced", ("/w/a*b.md",)),
      JudgedOutput("", "undeclared", ("/w/axb.md",), True)]),
    ("a star of an input must be there", [STAR], [], False,
     [JudgedOutput(STAR.pattern, "missing", (), True)]),
    ("a path that is not known", [UNKNOWN], ["/w/x.md"], False,
     [JudgedOutput(UNKNOWN.pattern, "missing"),
      JudgedOutput("", "undeclared", ("/w/x.md",), True)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "outputs", "paths", "failed", "expected"), ROWS, ids=[row[0] for row in ROWS]
)
def test_files_are_held_against_the_patterns(
    what: str,
    outputs: list[PlannedOutput],
    paths: list[str],
    failed: bool,
    expected: list[JudgedOutput],
) -> None:
    produced = {path: path for path in paths}
    found = judge_outputs(output_patterns(outputs, ROOTS), produced, True, failed)
    assert list(found) == expected


def test_where_no_outputs_can_be_declared_none_is_undeclared() -> None:
    assert judge_outputs([], {"/w/x": "x"}, False, False) == ()
