"""The overview of a folder with skills, as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from skillstudio.present.overview import SurveyProgress, overview_rows
from skillstudio.skill.workspace import WorkspaceProblem
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Source, Span

DONE = SurveyProgress()


@dataclass(frozen=True)
class Surveyed:
    path: str
    counts: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    name: str = "here"


def lines(
    *skills: Surveyed,
    problems: Sequence[WorkspaceProblem] = (),
    progress: SurveyProgress = DONE,
    width: int = 80,
    height: int = 20,
) -> list[str]:
    """The text of each line, with `> PATH` where enter opens a skill."""
    found = []
    for row in overview_rows(skills, problems, progress, width, height):
        parts = (row.line.lead, row.line.text, row.line.remark)
        text = "  " * row.line.indent + " ".join(filter(None, parts))
        found.append(text + (f" > {row.skill}" if row.skill is not None else ""))
    return found


def test_counts_the_worst_skills_and_the_matrix() -> None:
    assert lines(
        Surveyed("good", {}, {"codex": "loads", "cline": "loads"}),
        Surveyed("bad", {"error": 2, "info": 1}, {"codex": "loads without", "cline": "dropped"}),
        Surveyed("", {"warning": 1}, {"codex": "listed without description"}),
        Surveyed("notes/a\x1b[1m", {"info": 3}),
    ) == [
        "4 skills: 2 errors, 1 warning, 4 info",
        "1 skill is rejected by a selected target",
        "",
        "Worst skills enter opens one",
        "  bad  2 errors, 1 info rejected by cline > bad",
        "  here 1 warning > ",
        "",
        "Selected targets",
        "        codex  cline",
        "  bad   !      ✗ > bad",
        "  here  !      – > ",
        "  good  ✓      ✓ > good",
        "  ✓ accepts it   ! accepts it in part   ✗ rejects it   – not selected",
    ]


def test_problems_of_no_skill_are_counted_and_listed_the_worst_first() -> None:
    source = Source("a\nbc\n", "skillstudio.toml")
    shown = lines(
        Surveyed("a", {"info": 1}),
        problems=[
            WorkspaceProblem("skills", Diagnostic("listing-budget", "too long", severity="info")),
            WorkspaceProblem(
                "skillstudio.toml",
                Diagnostic("ignore-unused", "remove it", Span(3, 4), severity="warning"),
                source,
            ),
            *[WorkspaceProblem("x", Diagnostic("r", "m", severity="info"))] * 5,
        ],
    )
    assert shown[:8] == [
        "1 skill: 1 warning, 7 info",
        "",
        "Problems of the folder",
        "  skillstudio.toml:2:2  remove it ignore-unused",
        "  skills  too long listing-budget",
        "  x  m r",
        "  x  m r",
        "  x  m r",
    ]
    assert shown[8] == "  … 2 more; skillstudio check prints all"


def test_without_targets_and_problems() -> None:
    assert lines(Surveyed("a"))[0] == "1 skill: no problems"
    assert lines(Surveyed("a"))[-1].startswith("No targets are selected; `targets = ")


def test_what_does_not_fit_is_counted() -> None:
    targets = dict.fromkeys(("first-target", "second-target", "third-target"), "refused")
    many = [Surveyed(f"{'deep/' * 9}skill-{n:03}", {"error": 1}, targets) for n in range(50)]
    found = lines(*many, width=60, height=20)
    assert len(found) <= 20
    header = next(line for line in found if line.split()[:1] == ["first-target"])
    assert len(header) == 59
    omitted = [line.strip() for line in found if line.strip().startswith("…")]
    assert [line for line in omitted if "more" in line] == [
        "… 46 more",
        "… 44 more skills, 1 more target",
    ]
    assert "third-target" not in header


@pytest.mark.parametrize(
    ("progress", "text", "without"),
    [
        (SurveyProgress(True, 120), "◐ looking for skills… 120 found", ""),
        (SurveyProgress(False, 120, 80, 120), "◐ checked 80 of 120", ""),
        (SurveyProgress(False, 120, 120, 120), "", "no skill here"),
        (SurveyProgress(was_stopped=True), "", "the search was stopped"),
    ],
)
def test_progress(progress: SurveyProgress, text: str, without: str) -> None:
    assert progress.text == text
    assert progress.without_skills.startswith(without or text)
    assert ("no skill" in progress.without_skills) == (without == "no skill here")
    assert "".join(lines(Surveyed("a"), progress=progress)[1:3]).startswith(text)
