"""The plan and the result, to be read."""

from __future__ import annotations

from skillstudio.present.lines import Part
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.line_styles import lines_content


class StyledDetails(Details):
    """Lines about a run, laid out anew when there is more or less room."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Part] | None = None

    def tell(self, lines: list[Part]) -> None:
        """Tell something else; the same again changes nothing, so that one can go on reading."""
        if lines != self._lines:
            self._lines = lines
            self.show(lines_content(lines, self._room))

    def on_resize(self) -> None:
        if self._lines is not None:
            self.show(lines_content(self._lines, self._room))

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width - 1


class PlanDetails(StyledDetails):
    """What would be started."""

    HELP = """The plan: what is in the way, what would be started with which values, where, what it
may write, and the isolation level with its known gaps here and why no higher one is taken.
Nothing is started for it. A run works on copies of the files on disk. f5 or r runs it, i goes to
the inputs, o chooses another operation, u another isolation level, f a sample; t shows the
last result."""


class ResultDetails(StyledDetails):
    """What a run did."""

    HELP = """What the run did beside what the manifest declares: effects with what showed them, the
promise of standard output, files, limits, and in what it differed from a real run. It says what was
seen, not that all is well. r runs it again with the same inputs, H shows earlier runs, v holds two
against each other, t shows what was printed and the plan."""
