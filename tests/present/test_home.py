"""Home, as lines: what to fix first, which targets load which skills, what to start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from skillstudio.present.home import (
    HomeRow,
    SurveyProgress,
    WorstProblem,
    first_to_fix,
    home_rows,
)
from skillstudio.skill.workspace import WorkspaceProblem
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Source, Span

DONE = SurveyProgress()
QUOTE = WorstProblem("error", "3:34", "quote this text", True)
LINK = WorstProblem("warning", "9:1", "the link leads nowhere")
NOTE = WorstProblem("info", "1:1", "a note")


@dataclass(frozen=True)
class Surveyed:
    path: str
    worst: WorstProblem | None = None
    outcomes: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    name: str = "here"

    @property
    def status(self) -> str:
        return self.worst.severity if self.worst is not None else "ok"


def rows(
    *skills: Surveyed,
    problems: Sequence[WorkspaceProblem] = (),
    progress: SurveyProgress = DONE,
    offers: Sequence[tuple[str, str]] = (),
    recent: Sequence[str] = (),
    width: int = 80,
    height: int = 30,
) -> list[HomeRow]:
    return home_rows(skills, problems, progress, offers, recent, width, height)


def lines(*skills: Surveyed, **more: object) -> list[str]:
    """The text of each line, with `> WHAT` where enter opens or runs something."""
    texts = []
    for row in rows(*skills, **more):  # type: ignore[arg-type]
        text = "".join(piece for piece, _ in row.pieces).rstrip()
        what = row.skill if row.skill is not None else row.command or row.folder
        texts.append(f"{text} > {what}{' (fix)' * row.has_fix}" if row.is_choice else text)
    return texts


def test_the_worst_skills_come_first_and_the_matrix_has_what_does_not_load_whole() -> None:
    assert lines(
        Surveyed("good", None, {"codex": "loads", "cline": "loads"}),
        Surveyed("bad", QUOTE, {"codex": "loads without", "cline": "dropped"}, {"error": 2}),
        Surveyed("", LINK, {"codex": "listed without description"}),
        Surveyed("notes/a\x1b[1m", NOTE),
        Surveyed("lost", None, {"codex": "not found"}),
    ) == [
        "5 skills   ✗ 1 with errors   ! 1 with warnings   i 1 with notes   ✓ 2 in order",
        "",
        "Fix first",
        "✗ bad   3:34  quote this text > bad (fix)",
        "! here  9:1   the link leads nowhere > ",
        "",
        "Where they load",
        "        codex  cline",
        "  bad     !      ✗ > bad",
        "  here    !      – > ",
        "  good    ✓      ✓ > good",
        "  lost    ○      – > lost",
        "",
        "Notes",
        "i notes/a␛[1m  1:1  a note > notes/a\x1b[1m",
    ]


@pytest.mark.parametrize(("height", "number"), [(6, 0), (10, 0), (11, 3), (12, 4), (30, 5)])
def test_notes_are_listed_where_lines_are_left(height: int, number: int) -> None:
    skills = [Surveyed(name, NOTE) for name in "abcde"]
    listed = [line for line in lines(*skills, height=height) if line.startswith("i ")]
    assert len(listed) == number


def test_skills_that_load_everywhere_are_one_line() -> None:
    loads = {"codex": "loads", "cline": "loads"}
    assert lines(Surveyed("a", None, loads), Surveyed("b", None, loads))[1:] == [
        "",
        "✓ no errors and no warnings",
        "",
        "Where they load",
        "            codex  cline",
        "  2 skills    ✓      ✓",
    ]


def test_skills_that_are_alike_are_one_line() -> None:
    somewhere = {"codex": "not found", "cline": "loads"}
    texts = lines(
        Surveyed("bad", QUOTE, {"codex": "dropped", "cline": "loads"}),
        *(Surveyed(name, None, somewhere) for name in "abc"),
        *(Surveyed(name, None, {"codex": "loads", "cline": "loads"}) for name in "de"),
    )
    assert texts[-4:] == [
        "          codex  cline",
        "  bad       ✗      ✓ > bad",
        "  3 more    ○      ✓",
        "  2 more    ✓      ✓",
    ]


def test_the_signs_have_the_styles_of_the_outcomes() -> None:
    row = rows(Surveyed("bad", QUOTE, {"codex": "loads", "cline": "dropped", "amp": "loads"}))[-1]
    assert [style for _, style in row.pieces] == ["", "good", "error", "good"]


def test_problems_of_no_skill_are_listed_the_worst_first() -> None:
    source = Source("a\nbc\n", "skillstudio.toml")
    texts = lines(
        Surveyed("a", NOTE),
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
    assert texts[:6] == [
        "1 skill   i 1 with notes",
        "",
        "Problems of the folder",
        "! skillstudio.toml:2:2  remove it",
        "i skills  too long",
        "i x  m",
    ]
    assert texts[8] == "… 2 more; skillstudio check prints all"


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (SurveyProgress(is_searching=True), "◐ looking for skills… 0 found"),
        (SurveyProgress(is_searching=True, skill_count=1234), "◑ looking for skills… 1,234 found"),
        (SurveyProgress(skill_count=4, checked_count=1, to_check=4), "◓ checked 1 of 4"),
        (SurveyProgress(skill_count=4, checked_count=4, to_check=4), ""),
        (DONE, ""),
    ],
)
def test_an_active_step_is_counted(progress: SurveyProgress, text: str) -> None:
    assert progress.text == text
    first = lines(Surveyed("a"), progress=progress)[0]
    assert first == f"1 skill   ✓ 1 in order{'   ' if text else ''}{text}"


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (SurveyProgress(is_searching=True, skill_count=5), "◓ looking for skills… 5 found"),
        (SurveyProgress(was_stopped=True), "the search was stopped; rescan starts it again"),
        (DONE, "no skill here; N creates one, O opens another folder"),
    ],
)
def test_without_skills_the_state_stands_alone(progress: SurveyProgress, text: str) -> None:
    assert lines(progress=progress) == [text]


def test_starts_and_recent_folders_come_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    offers = [("skill.new", "new skill"), ("help.tour", "a tour")]
    assert lines(offers=offers, recent=[f"{tmp_path}/work", "/srv/skills"])[1:] == [
        "",
        "Start",
        "new skill > skill.new",
        "a tour > help.tour",
        "",
        "Recent folders",
        f"  ~/work > {tmp_path}/work",
        "  /srv/skills > /srv/skills",
    ]


def test_long_lists_and_many_targets_are_cut() -> None:
    outcomes = {f"target-{number}": "dropped" for number in range(9)}
    bad = [Surveyed(f"skills/{number:03}", QUOTE, outcomes) for number in range(50)]
    texts = lines(*bad, width=60, height=24)
    assert len(texts) <= 24 + 2
    assert "… 42 more skills" in texts
    assert texts[-1] == "  44 more        ✗         ✗         ✗"
    assert any(text.endswith("target-2  … 6 more") for text in texts)


def test_a_low_screen_has_some_lines_of_each_list() -> None:
    bad = [Surveyed(f"{number}", QUOTE, {"codex": "dropped"}) for number in range(9)]
    texts = lines(*bad, height=5)
    assert texts.count("") == 2
    assert sum(text.endswith("(fix)") for text in texts) == 3


def test_without_selected_targets_it_says_how_to_select_one() -> None:
    assert lines(Surveyed("a"))[-1] == (
        "no targets are selected: select where your skills must load > skill.targets"
    )


def test_the_first_to_fix_is_the_worst_with_more_than_notes() -> None:
    assert first_to_fix([]) is None
    assert first_to_fix([Surveyed("a", NOTE), Surveyed("b", None)]) is None
    assert first_to_fix([Surveyed("a", NOTE), Surveyed("b", LINK), Surveyed("c", QUOTE)]) == "c"
