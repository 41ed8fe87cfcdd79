"""What the editor paints: messages beside and below their lines, and only rows that changed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from tests.tui.conftest import until
from textual.document._document_navigator import DocumentNavigator
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Region
from textual.widgets import TextArea

from skillstudio.session.buffer import Buffer
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.widgets.editor.editor import ManifestEditor
from skillstudio.tui.widgets.editor.highlight import Run
from skillstudio.tui.widgets.editor.painting import FIX_META, LineNote, RowContent, RowPainter
from skillstudio.tui.widgets.editor.shown import ShownDiagnostic

from .test_rows import TEXTS

PROSE = "description: " + "some words of a text " * 7 + "ends"


def painted(app: Any) -> list[str]:
    """The text right of the numbers, row by row."""
    editor = app.editor
    rows = [editor.render_line(y).text[editor.gutter_width :] for y in range(editor.size.height)]
    return [row.rstrip() for row in rows]


def problem(text: str, part: str, message: str, fix: str = "", brief: str = "") -> ShownDiagnostic:
    start = text.index(part)
    return ShownDiagnostic(start, start + len(part), "error", message, "r", fix, brief)


# The painter alone


def styled(kind: str) -> Style:
    return Style(bold=kind == "key", underline=kind == "error")


def test_a_row_is_painted_whole_and_once() -> None:
    painter = RowPainter(styled)
    content = RowContent(20, 6, "12", text="a\tb", tabs=(3,), cells=5, runs=(Run(2, 3, "key"),))
    strip = painter.paint(content)
    assert strip.text == "  12  a   b         "
    assert [segment.text for segment in strip if segment.style and segment.style.bold] == ["b"]
    assert painter.paint(content._replace(number="12")) is strip
    assert painter.paint(content._replace(is_changed=True)).text.startswith(" ~12")


NOTE = LineNote("error", "◂", ("use a shorter name", "rename", "name"), "f2")


@pytest.mark.parametrize(
    ("width", "text"),
    [(24, "◂ use a shorter name"), (23, "◂ rename"), (12, "◂ rename"), (11, "◂ name"), (9, None)],
)
def test_a_message_has_the_most_detailed_wording_that_fits(width: int, text: str | None) -> None:
    fitting = NOTE.fit(width)
    assert (fitting and fitting.text) == text
    assert fitting is None or fitting.cells <= width


@pytest.mark.parametrize(
    ("width", "text"),
    [(24, "◂ use a shorter name"), (20, "◂ use a shorter…"), (8, "◂ u…"), (5, "◂"), (4, None)],
)
def test_a_message_is_cut_and_its_key_never(width: int, text: str | None) -> None:
    cut = NOTE.cut(width)
    assert (cut and cut.text) == text
    assert cut is None or (cut.key == "f2" and cut.cells <= width)


def test_a_cut_counts_cells() -> None:
    cut = LineNote("info", "◂", ("日本語の名前",)).cut(8)
    assert cut is not None
    assert cut.text == "◂ 日本…"
    assert cell_len(cut.text) == 7


# Messages in the editor


async def test_a_message_without_space_is_below_its_line(opened: Any) -> None:
    text = f"{PROSE}\n- an item\n"
    async with opened(text, "x.yaml", (60, 20)) as (pilot, app):
        app.editor.set_diagnostics([problem(text, "words", "a problem " * 5, "f2", "Mend it")])
        await pilot.pause()
        assert painted(app)[3:5] == ["  words of a text ends   ◂ mend it  f2", "- an item"]
        app.editor.set_diagnostics([problem(text, "words", "a problem " * 20, "f2")])
        await pilot.pause()
        lines = painted(app)
        assert lines[3] == "  words of a text ends"
        assert lines[4].startswith("  ◂ a problem")
        assert lines[4].endswith("…  f2")
        assert lines[5] == "- an item"


async def test_a_remark_is_at_the_edge_where_there_is_room(opened: Any) -> None:
    text = "one\n" + "x" * 38 + "\nthree\n"
    async with opened(text, "x.md", (50, 12)) as (pilot, app):
        app.editor.set_remark((1, "9 tokens  3/1,024"))
        await pilot.pause()
        width = app.editor.size.width - app.editor.gutter_width
        assert painted(app)[0] == "one" + "9 tokens  3/1,024".rjust(width - 5)
        app.editor.set_diagnostics([problem(text, "one", "no")])
        await pilot.pause()
        assert painted(app)[0] == "one   ◂ no"
        await until(pilot, lambda: painted(app)[1] == "9 tokens  3/1,024".rjust(width - 2))
        app.editor.set_diagnostics([])
        app.editor.set_remark((5, "9 tokens  38/1,024"))
        await until(pilot, lambda: painted(app)[2] == "9 tokens  38/1,024".rjust(width - 2))
        assert painted(app)[:4:2] == ["one", "9 tokens  38/1,024".rjust(width - 2)]


async def test_a_break_and_a_problem_of_a_line_are_both_shown(opened: Any) -> None:
    async with opened("a: b\nc: d\n", "x.yaml") as (pilot, app):
        app.editor.set_breaking({0: "rejects x"})
        app.editor.set_diagnostics([problem("a: b", "a", "bad")])
        await pilot.pause()
        assert painted(app)[:3] == ["a: b   ◂ bad", "  ▲ rejects x", "c: d"]


async def test_the_rows_of_the_worst_problem_have_a_ground(opened: Any) -> None:
    text = f"a: b\n{PROSE}\n"
    async with opened(text, "x.yaml") as (pilot, app):
        app.editor.set_diagnostics([problem(text, "words", "bad")])

        def grounds() -> list[Any]:
            fills = [list(app.editor.render_line(y))[-1] for y in range(6)]
            return [fill.style.bgcolor for fill in fills]

        await pilot.pause()
        assert "bad" in app.screen_text  # The colours of the theme are read when it is painted.
        cursor, *problem_rows, _, below = grounds()
        assert len(set(problem_rows)) == 1
        assert len({cursor, *problem_rows, below}) == 3


async def test_rows_come_and_go_after_a_pause_in_typing(opened: Any) -> None:
    text = "a: " + "b" * 52 + "\nc: d\n"
    async with opened(text, "x.yaml") as (pilot, app):
        app.editor.set_diagnostics([problem(text, "a", "too long", "f2")])
        assert painted(app)[0].endswith("b   ◂ too long  f2")
        app.editor.go_to(text.index("\n"))
        await pilot.press(*"bbbb")
        assert app.editor.rows.height == 3
        assert painted(app)[0].endswith("b   ◂ too…  f2"), "cut until the pause"
        await until(pilot, lambda: app.editor.rows.height == 4)
        assert painted(app)[1:3] == ["  ◂ too long  f2", "c: d"]
        assert app.editor.cursor_screen_offset.y == 0
        await pilot.press("ctrl+u")
        assert painted(app)[1] == "  ◂ too long  f2" or app.editor.diagnostics == []
        await until(pilot, lambda: app.editor.rows.height == 3)


async def test_the_first_line_stays_while_rows_come(opened: Any) -> None:
    text = "".join(f"k{n}: v\n" for n in range(100))
    async with opened(text, "x.yaml") as (pilot, app):
        app.editor.go_to(text.index("k50"))
        await pilot.pause()
        first = painted(app)[0]
        app.editor.set_diagnostics([problem(text, "k1:", "long " * 40)])
        await pilot.pause()
        assert painted(app)[0] == first
        assert app.editor.cursor_screen_offset.y == painted(app).index("k50: v")
        app.editor.set_diagnostics([])
        await pilot.pause()
        assert painted(app)[0] == first


async def test_the_message_at_the_cursor_comes_into_sight(opened: Any) -> None:
    text = "".join(f"k{n}: v\n" for n in range(100))
    async with opened(text, "x.yaml") as (pilot, app):
        app.editor.go_to(text.index("k23"))
        await pilot.pause()
        assert painted(app)[23] == "k23: v"
        app.editor.set_diagnostics([problem(text, "k23:", "long " * 40)])
        await pilot.pause()
        assert painted(app)[23].startswith("  ◂ long")


async def test_a_click_on_the_key_of_a_fix_runs_it(opened: Any) -> None:
    text = f"{PROSE}\n- an item\n"
    async with opened(text, "x.yaml", (60, 20)) as (pilot, app):
        app.editor.set_diagnostics([problem(text, "words", "a problem " * 20, "f2")])
        await pilot.pause()
        strip = app.editor.render_line(4)
        assert [s.text for s in strip if s.style and s.style.meta == FIX_META] == ["f2"]
        before = app.editor.selection
        place = (strip.text.rindex("f2"), 4)
        await pilot.click(app.editor, offset=place)
        assert app.editor.selection == before
        await pilot.click(app.editor, offset=(20, 4))
        assert app.editor.cursor_location[0] == 0, "a click elsewhere is in the line above"
        assert app.editor.cursor_screen_offset.y == 3


async def test_a_line_too_long_to_wrap_scrolls_sideways(opened: Any) -> None:
    text = "a: " + "日" * 16_001 + "x\nb: c\n"
    async with opened(text, "x.yaml", (40, 10)) as (pilot, app):
        app.editor.set_diagnostics([problem(text, "a", "too long")])
        await pilot.press("end")
        await pilot.pause()
        lines = painted(app)
        assert lines[0].endswith("日x")
        assert {app.editor.render_line(y).cell_length for y in range(4)} == {39}
        assert lines[1] == "  ◂ too long"


# All that is on the screen


def cells_of(segment: Segment) -> int:
    return cell_len(segment.text)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["type", "move", "select", "elsewhere", "undo", "find", "problems", "wrap",
                         "changed", "pause", "scroll"]),
        st.integers(0, 80),
        st.integers(0, 80),
        TEXTS.map(lambda text: text[:6]),
    ),
    max_size=12,
)  # fmt: skip


@pytest.mark.slow  # Paints the whole screen twice after each of hundreds of steps.
async def test_the_screen_shows_what_a_fresh_paint_would(opened: Any) -> None:
    async with opened("", "x.md", (50, 12)) as (_, app):
        editor: ManifestEditor = app.editor

        @given(TEXTS, STEPS)
        def whatever(text: str, steps: list[tuple[str, int, int, str]]) -> None:
            buffer = Buffer("/skill/SKILL.md", text.encode("utf-8", "replace"))
            editor.load(buffer)
            editor.render_lines(Region(0, 0, *editor.size))
            for step, one, other, new in steps:
                start, end = sorted((min(one, len(buffer.text)), min(other, len(buffer.text))))
                place = editor._text_document.location_of
                if step == "type":
                    editor.replace(new, place(start), place(end), maintain_selection_offset=False)
                elif step == "elsewhere":
                    buffer.replace([Splice(start, end, new), Splice(end, end, "x")], "Fix")
                elif step == "problems":
                    editor.set_diagnostics(
                        [
                            ShownDiagnostic(start, end, "error", new * 9, "r", "f2", "Mend"),
                            ShownDiagnostic(end, end, "info", new, "r"),
                        ]
                    )
                    editor.set_breaking({one % 3: new})
                elif step == "find":
                    editor.show_found([(start, end)])
                elif step == "changed":
                    editor.mark_lines({one % 4, other % 4})
                elif step == "scroll":
                    editor.scroll_to(y=one % 9, animate=False, immediate=True, force=True)
                elif step in ("move", "select"):
                    editor.go_to(start, end if step == "select" else None)
                else:
                    {"undo": editor.undo, "wrap": editor.action_wrap, "pause": editor._end_pause}[
                        step
                    ]()
                whole = Region(0, 0, *editor.size)
                partial = editor.render_lines(whole)
                assert {strip.cell_length for strip in partial} == {editor.size.width}
                assert {sum(map(cells_of, strip)) for strip in partial} == {editor.size.width}
                editor._painter.clear()
                editor._styles_cache.clear()
                editor._read_marks()
                assert partial == editor.render_lines(whole), step

        whatever()


def test_textual_has_the_private_names_that_the_editor_replaces_or_reads() -> None:
    """A failure names what a new version of Textual calls differently or does otherwise."""
    replaced = {
        TextArea: ["_on_mouse_down", "_refresh_size", "_rewrap_and_refresh_virtual_size",
                   "_set_document", "_watch_language", "_watch_selection", "gutter_width",
                   "_draw_cursor", "notify_style_update", "render_lines", "vertical_scrollbar"],
        WrappedDocument: ["wrap", "wrap_range", "height", "location_to_offset", "get_offsets",
                          "offset_to_location", "get_target_document_column"],
        DocumentNavigator: ["get_location_above", "get_location_below", "get_location_end",
                            "get_location_left", "get_location_right", "get_location_at_y_offset"],
    }  # fmt: skip
    missing = {
        f"{owner.__name__}.{name}"
        for owner, names in replaced.items()
        for name in names
        if not hasattr(owner, name)
    }
    area = TextArea("a")
    read: list[tuple[object, list[str]]] = [
        (area, ["_cursor_offset", "_matching_bracket_location", "_theme", "_vertical_scrollbar",
                "_styles_cache", "_refresh_scrollbars"]),
        (area.wrapped_document, ["_wrap_offsets", "_width", "_tab_width"]),
        (area.navigator, ["_wrapped_document", "_document", "last_x_offset"]),
        (area._theme, ["apply_css", "base_style", "gutter_style", "cursor_style",
                       "cursor_line_style", "cursor_line_gutter_style", "bracket_matching_style",
                       "selection_style"]),
    ]  # fmt: skip
    missing |= {
        f"{type(owner).__name__}.{name}"
        for owner, names in read
        for name in names
        if not hasattr(owner, name)
    }
    assert missing == set()
