"""Where a problem is, and what its fix makes of the lines."""

from __future__ import annotations

import pytest

from skillstudio.present.problems import ProblemHere, problem_here
from skillstudio.text.diagnostic import Splice
from skillstudio.text.source import Source, Span

TEXT = "---\nname: tea\ndescription: Makes: tea.\n---\r\nBoil."
COLON = TEXT.index(": tea.")


@pytest.mark.parametrize(
    ("span", "splices", "here"),
    [
        (Span(COLON, COLON + 1), [], ProblemHere("SKILL.md:3:19", ("description: Makes: tea.",))),
        (Span(0, 12), [], ProblemHere("SKILL.md:1:1", ("---", "name: tea"))),
        (Span(0, 4), [], ProblemHere("SKILL.md:1:1", ("---",))),
        (Span(len(TEXT), len(TEXT)), [], ProblemHere("SKILL.md:5:6", ("Boil.",))),
        (
            Span(COLON, COLON + 1),
            [Splice(27, 27, '"'), Splice(COLON + 6, COLON + 6, '"')],
            ProblemHere(
                "SKILL.md:3:19",
                ("description: Makes: tea.",),
                ('description: "Makes: tea."',),
            ),
        ),
        # A fix that only adds or removes lines; the problem may be elsewhere.
        (
            Span(4, 8),
            [Splice(42, 42, "\nmore")],
            ProblemHere("SKILL.md:2:1", ("---",), ("---", "more")),
        ),
        (Span(4, 8), [Splice(4, 14, "")], ProblemHere("SKILL.md:2:1", ("name: tea",))),
    ],
)
def test_a_problem_is_shown_where_it_is(
    span: Span, splices: list[Splice], here: ProblemHere
) -> None:
    assert problem_here(Source(TEXT, "SKILL.md"), "SKILL.md", span, splices) == here
