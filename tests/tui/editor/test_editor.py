"""Typing, undo, changes from elsewhere, marks: the editor at work on a buffer."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tui.conftest import until
from textual import events
from textual.widgets import Input

from skillstudio.session.buffer import Buffer
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.widgets.editor.bars import Bar
from skillstudio.tui.widgets.editor.editor import ManifestEditor
from skillstudio.tui.widgets.editor.popup import CompletionPopup
from skillstudio.tui.widgets.editor.shown import ShownDiagnostic

FRONT = "---\nname: worklog\ndescription: Keeps a worklog.\n"


def put_cursor(app: Any, marked: str) -> None:
    app.editor.go_to(marked.index("‸"))


def marked(app: Any) -> str:
    """The buffer's text with the cursor in it; the editor shows the same."""
    text, at = app.buffer.text, app.editor.cursor_offset
    assert app.editor.text == text
    return text[:at] + "‸" + text[at:]


async def test_typing_reaches_the_buffer_as_one_step_of_undo(opened: Any) -> None:
    async with opened("name: x\n") as (pilot, app):
        app.editor.go_to(7)
        await pilot.press("y", "z")
        assert marked(app) == "name: xyz‸\n"
        assert app.buffer.undo_label == "Typing"
        await pilot.press("ctrl+z")
        assert marked(app) == "name: x‸\n"
        await pilot.press("ctrl+y")
        assert marked(app) == "name: xyz‸\n"


async def test_keys_that_arrive_at_once_keep_their_order(opened: Any) -> None:
    async with opened("ab\n") as (pilot, app):
        for key in ("end", "x", "left", "y", "ctrl+u", "delete", "z", "ctrl+f"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert marked(app) == "z‸\n"
        await pilot.press("q")
        assert app.query_one(Input).value == "q"


async def test_the_edges_of_the_text_are_a_key_away(opened: Any) -> None:
    async with opened("ab\ncd") as (pilot, app):
        await pilot.press("right", "ctrl+end", "x", "ctrl+home", "y")
        assert marked(app) == "y‸ab\ncdx"
        await pilot.press("ctrl+shift+end", "z")
        assert marked(app) == "yz‸"


@pytest.mark.parametrize("left", ["", "a", "a\n\nb"])
async def test_a_text_may_shrink_from_under_the_cursor(opened: Any, left: str) -> None:
    text = "line\n" * 200
    async with opened(text) as (pilot, app):
        await pilot.press("ctrl+end", "shift+up", "shift+up")
        app.buffer.replace([Splice(0, len(text), left)], "elsewhere")
        await pilot.pause()
        assert marked(app).replace("‸", "") == left
        await pilot.press("ctrl+z", "ctrl+home", "x", "ctrl+z")
        assert marked(app) == "‸" + text


async def test_a_moved_cursor_ends_the_typing(opened: Any) -> None:
    async with opened("ab\n") as (pilot, app):
        await pilot.press("1", "right", "2", "ctrl+z")
        assert marked(app) == "1a‸b\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
async def test_a_new_line_ends_as_the_others(opened: Any, newline: str) -> None:
    async with opened(f"a: 1{newline}b: 2{newline}", "x.toml") as (pilot, app):
        app.editor.go_to(4)
        await pilot.press("enter", "c")
        assert marked(app) == f"a: 1{newline}c‸{newline}b: 2{newline}"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("SKILL.md", "---\ninputs:‸\n---\n", "---\ninputs:\n  ‸\n---\n"),
        ("SKILL.md", "---\na:\n  - b: 1‸\n---\n", "---\na:\n  - b: 1\n    ‸\n---\n"),
        ("SKILL.md", "---\na:\n  - b:‸\n---\n", "---\na:\n  - b:\n      ‸\n---\n"),
        ("SKILL.md", "---\na:\n  - b‸\n---\n", "---\na:\n  - b\n  ‸\n---\n"),
        ("SKILL.md", "---\ntext: |‸\n---\n", "---\ntext: |\n  ‸\n---\n"),
        ("SKILL.md", "---\nurl: http:‸//x\n---\n", "---\nurl: http:\n  ‸//x\n---\n"),
        ("x.json", '{"a": {‸}}', '{"a": {\n  ‸\n}}'),
        ("x.json", '{\n    "a": [‸\n}', '{\n    "a": [\n        ‸\n}'),
        ("x.json", '{\n  "a": 1,‸\n}', '{\n  "a": 1,\n  ‸\n}'),
        ("x.toml", "a = [‸]", "a = [\n  ‸\n]"),
        ("x.md", "  text:‸", "  text:\n  ‸"),
    ],
)
async def test_enter_indents(opened: Any, name: str, before: str, after: str) -> None:
    async with opened(before.replace("‸", ""), name) as (pilot, app):
        put_cursor(app, before)
        await pilot.press("enter")
        assert marked(app) == after


async def test_a_paste_takes_the_line_ends_of_the_file(opened: Any) -> None:
    async with opened("a\r\nb\r\n") as (pilot, app):
        app.post_message(events.Paste("1\n2\r3"))
        await pilot.pause()
        assert marked(app) == "1\r\n2\r\n3‸a\r\nb\r\n"


async def test_all_bytes_stay_while_one_is_typed(opened: Any) -> None:
    text = "\ufeffa\r\nb\x0cc\u2028d\x85\ne\rf\x0b\x1c\n\n"
    async with opened(text) as (pilot, app):
        app.editor.go_to(text.index("e"))
        await pilot.press("x")
        assert app.buffer.text == text.replace("e", "xe")
        assert app.editor.text == app.buffer.text


async def test_a_change_from_elsewhere_keeps_the_cursor_in_its_text(opened: Any) -> None:
    async with opened("one: 1\ntwo: 2\n") as (pilot, app):
        put_cursor(app, "one: 1\ntwo‸: 2\n")
        app.buffer.replace([Splice(0, 3, "first:\r\nand"), Splice(12, 13, "22")], "Form")
        assert marked(app) == "first:\r\nand: 1\ntwo‸: 22\n"
        await pilot.press("ctrl+z")
        assert app.buffer.text == "one: 1\ntwo: 2\n"


async def test_deletions_of_every_kind(opened: Any) -> None:
    async with opened("one two\r\nthree\r\n") as (pilot, app):
        app.editor.go_to(9)
        await pilot.press("backspace")
        assert marked(app) == "one two‸three\r\n"
        await pilot.press("ctrl+w", "delete", "ctrl+u")
        assert marked(app) == "‸hree\r\n"
        app.editor.action_select_all()
        await pilot.press("q")
        assert marked(app) == "q‸"


async def test_a_read_only_buffer_is_not_typed_into(opened: Any) -> None:
    async with opened("a") as (pilot, app):
        app.buffer.read_only = "a link that leaves the skill"
        app.editor.load(app.buffer)
        await pilot.press("b", "enter", "delete", "ctrl+space", "ctrl+z")
        assert app.editor.read_only
        assert app.buffer.text == "a"


async def test_messages(opened: Any) -> None:
    async with opened("ab") as (pilot, app):
        app.said.clear()
        await pilot.press("right")
        assert [type(m) for m in app.said] == [ManifestEditor.CursorMoved]
        assert app.editor.cursor_offset == 1
        await pilot.press("c")
        await pilot.press("escape")
        assert isinstance(app.said[-1], ManifestEditor.LeaveRequested)


# Marks


def styles_at(app: Any, row: int) -> list[tuple[str, Any]]:
    return [(s.text, s.style) for s in app.editor.render_line(row)]


async def test_a_diagnostic_is_underlined_and_marked(opened: Any) -> None:
    async with opened(FRONT + "---\n") as (pilot, app):
        start = FRONT.index("worklog")
        app.editor.set_diagnostics([ShownDiagnostic(start, start + 7, "error", "bad", "name")])
        await pilot.pause()
        underlined = [text for text, style in styles_at(app, 1) if style and style.underline]
        assert "".join(underlined) == "worklog"
        assert app.editor.render_line(1).text.startswith("✗ ")
        assert app.editor.render_line(2).text.startswith("  ")
        svg = app.export_screenshot()
        assert re.search(r"text-decoration: ?underline", svg)


@pytest.mark.parametrize(("severity", "glyph"), [("error", "✗"), ("warning", "!"), ("info", "i")])
async def test_each_severity_has_its_letter(opened: Any, severity: Any, glyph: str) -> None:
    async with opened("a: b\n", "x.yaml") as (_, app):
        app.editor.set_diagnostics([ShownDiagnostic(0, 0, severity, "bad", "r")])
        assert app.editor.render_line(0).text.startswith(glyph)
        assert styles_at(app, 0)[0][1].bold


async def test_the_worst_of_a_line_is_the_one_that_shows(opened: Any) -> None:
    async with opened("a: b\n", "x.yaml") as (_, app):
        app.editor.set_diagnostics(
            [ShownDiagnostic(3, 4, "error", "x", "r"), ShownDiagnostic(0, 4, "info", "y", "s")]
        )
        assert app.editor.render_line(0).text.startswith("✗")
        assert "◂ x" in app.editor.render_line(0).text


async def test_marks_move_with_the_text(opened: Any) -> None:
    async with opened("a: 1\nb: 2\n", "x.yaml") as (pilot, app):
        app.editor.set_diagnostics([ShownDiagnostic(8, 9, "warning", "x", "r")])
        app.editor.mark_lines({2})
        app.buffer.replace([Splice(0, 0, "# new\n")], "Elsewhere")
        await pilot.pause()
        assert [app.editor.render_line(y).text[:2] for y in range(3)] == ["  ", "  ", "!~"]
        assert app.editor.diagnostics[0].start == 14


async def test_text_has_the_colours_of_the_theme_on_the_cursor_line_too(opened: Any) -> None:
    async with opened("a: b\nc: d\n", "x.yaml") as (pilot, app):
        for theme in ("textual-light", "textual-dark", "nord"):
            app.theme = theme
            await pilot.pause()
            key = next(s.color for t, s in styles_at(app, 1) if t.strip() == "c")
            value = next(s.color for t, s in styles_at(app, 1) if t.strip() == "d")
            assert key != value
            app.editor.go_to(6)
            await pilot.pause()
            assert next(s.color for t, s in styles_at(app, 1) if t.strip() == "d") == value
            app.editor.go_to(0)


async def test_hostile_characters_are_drawn_and_not_obeyed(opened: Any) -> None:
    text = "name: \x1b]0;owned\x07\x1b[31m\nb: \u202eevil\u2066\x9b5m\x00\x7f\ufeff\u2028\n"
    async with opened(text, "x.yaml") as (pilot, app):
        app.editor.set_diagnostics([ShownDiagnostic(0, 9, "error", "\x1b[2J", "r")])
        await pilot.press("down", "end", "left")
        shown = app.screen_text
        assert not re.search(
            r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]", shown
        )
        assert "\u241b]0;owned\u2407\u241b[31m" in shown
        assert app.editor.text == text
        assert app.editor.cursor_screen_offset.x == 5 + len(
            "b: \u202eevil\u2066\x9b5m\x00\x7f\ufeff"
        )


# Completion, find, outline


async def test_completion_by_key_and_enter(opened: Any) -> None:
    async with opened(FRONT + "\n---\n") as (pilot, app):
        app.editor.go_to(len(FRONT))
        await pilot.press("ctrl+space")
        await pilot.pause()
        popup = app.screen.query_one(CompletionPopup)
        assert popup.is_open
        assert "license" in app.screen_text
        await pilot.press("escape")
        assert not popup.is_open
        await pilot.press("s", "e", "n")
        await pilot.pause()
        assert popup.is_open
        await pilot.press("enter")
        assert marked(app) == FRONT + "sensitive: ‸\n---\n"
        await pilot.pause()
        assert popup.is_open
        await pilot.press("down", "tab")
        assert marked(app) == FRONT + "sensitive: false‸\n---\n"
        await pilot.press("ctrl+z")
        assert marked(app) == FRONT + "sensitive: ‸\n---\n"


@pytest.mark.parametrize("key", ["ctrl+@", "ctrl+space"])
async def test_completion_waits_for_the_keys_before_it(opened: Any, key: str) -> None:
    async with opened(FRONT + "\n---\n") as (pilot, app):
        for each in ("down", "down", "down", key):
            app.post_message(events.Key(each, None))
        await until(pilot, lambda: "license" in app.screen_text)
        assert "nothing to complete here" not in [getattr(each, "text", "") for each in app.said]


async def test_completion_goes_away(opened: Any) -> None:
    async with opened(FRONT + "\n---\n") as (pilot, app):
        app.editor.go_to(len(FRONT))
        for key in ("left", "space", "home"):
            await pilot.press("l")
            await pilot.pause()
            popup = app.screen.query_one(CompletionPopup)
            assert popup.is_open
            await pilot.press(key)
            await pilot.pause()
            assert not popup.is_open
            await pilot.press("ctrl+z")
            app.editor.go_to(len(FRONT))


async def test_a_completion_takes_the_line_ends_of_the_file(opened: Any) -> None:
    async with opened("---\r\nenv:\r\n  \r\n---\r\n") as (pilot, app):
        app.editor.go_to(13)
        await pilot.press("r", "e", "q")
        await pilot.pause()
        await pilot.press("enter")
        assert marked(app) == "---\r\nenv:\r\n  required:\r\n    - name: ‸\r\n---\r\n"


@pytest.mark.parametrize("size", [(40, 12), (60, 16), (120, 36)])
async def test_the_list_fits_on_every_screen(opened: Any, size: tuple[int, int]) -> None:
    text = FRONT + "\n" * 30 + "l\n---\n"
    async with opened(text, size=size) as (pilot, app):
        app.editor.go_to(text.index("l\n---") + 1)
        await pilot.press("i")
        await pilot.pause()
        region = app.screen.query_one(CompletionPopup).region
        assert region.width >= 20
        assert app.screen.region.contains_region(region)


async def test_find(opened: Any) -> None:
    async with opened("one Two\ntwo\ntwo\n", "x.md") as (pilot, app):
        await pilot.press("ctrl+f", "t", "w", "o")
        await pilot.pause()
        bar = app.query_one(Bar)
        assert "1 of 3" in app.screen_text
        assert app.editor.selection_offsets == (4, 7)
        await pilot.press("enter", "down")
        assert app.editor.selection_offsets == (12, 15)
        assert "3 of 3" in app.screen_text
        await pilot.press("down")
        assert app.editor.selection_offsets == (4, 7)
        await pilot.press("up")
        assert app.editor.selection_offsets == (12, 15)
        await pilot.press("escape")
        await pilot.pause()
        assert not bar.is_attached
        assert app.editor.has_focus
        await pilot.press("ctrl+f")
        assert app.query_one(Input).value == "two"
        await pilot.press("x")
        assert "not found" in app.screen_text


async def test_go_to_line(opened: Any) -> None:
    async with opened("\n".join(f"line {n}" for n in range(1, 200)), "x.md") as (pilot, app):
        await pilot.press("ctrl+g", *"120:6", "enter")
        assert marked(app).count("\n") == 198
        assert "line ‸120" in marked(app)
        assert "line 120" in app.screen_text
        await pilot.press("ctrl+g", "z", "enter")
        assert "enter a line or line:column" in app.screen_text


async def test_what_is_here(opened: Any) -> None:
    async with opened(FRONT + "sensitive: true\n---\n") as (pilot, app):
        app.editor.go_to(len(FRONT) + 2)

        def hints() -> list[str]:
            return [m.text for m in app.said if isinstance(m, ManifestEditor.HoverChanged)]

        await until(pilot, lambda: bool(hints()))
        assert hints()[-1].startswith("sensitive: Whether the skill handles")


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["type", "cut", "elsewhere", "undo", "redo", "enter", "backspace", "line"]),
        st.integers(0, 40),
        st.integers(0, 40),
        st.text("a{:\n\r\t\x0c\u2028\u00e9\U0001f600", max_size=5),
    ),
    max_size=15,
)


@pytest.mark.slow
async def test_the_editor_shows_the_buffer_whatever_is_done(opened: Any) -> None:
    async with opened("") as (_, app):
        editor = app.editor

        @given(st.text("ab:{}\n\r\t\x0c\u2028 -", max_size=30), STEPS)
        def whatever(text: str, steps: list[tuple[str, int, int, str]]) -> None:
            buffer = Buffer("/skill/SKILL.md", text.encode())
            editor.load(buffer)
            for step, one, other, new in steps:
                place = editor._text_document.location_of
                start, end = sorted((min(one, len(buffer.text)), min(other, len(buffer.text))))
                if step == "type":
                    editor.replace(new, place(start), place(end), maintain_selection_offset=False)
                elif step == "elsewhere":
                    buffer.replace([Splice(start, end, new), Splice(end, end, "x")], "Fix")
                elif step in ("undo", "redo"):
                    (editor.undo if step == "undo" else editor.redo)()
                else:
                    editor.go_to(start, end if step == "cut" else None)
                    {
                        "cut": editor.action_delete_right,
                        "enter": editor._break_line,
                        "backspace": editor.action_delete_left,
                        "line": editor.action_delete_line,
                    }[step]()
                assert editor.document.text == buffer.text
                assert editor.wrapped_document.height == editor.document.line_count
                painted = [editor.render_line(y) for y in range(editor.size.height)]
                editor._painter.clear()
                assert painted == [editor.render_line(y) for y in range(editor.size.height)]
            while buffer.undo_label:
                editor.undo()
            assert editor.document.text == buffer.text == text

        whatever()


LONG = "description: " + "words that tell when to use it " * 8


async def test_a_long_line_is_wrapped_and_stays_one_line(opened: Any) -> None:
    async with opened(f"---\n{LONG}\nname: a\n---\n", "SKILL.md") as (pilot, app):
        await pilot.pause()
        assert " ".join(app.screen_text.split()).count("when to use it") == 8
        assert "3  name: a" in app.screen_text, "line numbers count lines, not rows"
        app.editor.go_to_line(2, 100)
        assert app.editor.cursor_screen_offset.y == 2, "the second row of the line"
        await pilot.press("down", "down", "down", "home", "X")
        assert "\nXname: a\n" in app.buffer.text


async def test_a_click_in_a_wrapped_line_goes_to_its_character(opened: Any) -> None:
    async with opened(f"---\n{LONG}\nname: a\n---\n", "SKILL.md") as (pilot, app):
        await pilot.pause()
        gutter = app.editor.gutter_width
        indent = app.editor.rows.indent(1, 1)
        await pilot.click(app.editor, offset=(gutter + indent + 3, 2))
        first = app.editor.wrapped_document.get_offsets(1)[0]
        assert app.editor.cursor_location == (1, first + 3)


async def test_wrapping_is_turned_off_and_kept_for_the_kind(opened: Any) -> None:
    async with opened(f"---\n{LONG}\n---\n", "SKILL.md") as (pilot, app):
        await pilot.pause()
        assert app.editor.wrapped_document.height > app.editor.document.line_count
        await pilot.press("alt+z")
        assert app.editor.wrapped_document.height == app.editor.document.line_count
        app.editor.load(app.buffer)
        assert not app.editor.soft_wrap
        await pilot.press("alt+z")
        assert app.editor.soft_wrap


async def test_a_huge_text_is_not_wrapped(opened: Any) -> None:
    async with opened("a: " + "b" * 400_001 + "\n", "x.yaml") as (_, app):
        assert not app.editor.soft_wrap


async def test_the_message_of_a_problem_is_shown_after_its_line_or_below_it(opened: Any) -> None:
    async with opened(f"a: b\nc: d\n{LONG}\n", "x.yaml") as (pilot, app):
        app.editor.set_diagnostics(
            [
                ShownDiagnostic(0, 1, "error", "no\n\x1b[31m such key", "r", "f2"),
                ShownDiagnostic(5, 6, "info", "long " * 80, "s"),
                ShownDiagnostic(12, 20, "warning", "last row", "s"),
            ]
        )
        await pilot.pause()
        lines = app.screen_text.splitlines()
        assert "a: b" in lines[0]
        assert "◂ no ␛[31m such key  f2" in lines[0]
        assert "◂" not in lines[1]
        assert "◂ long" in lines[2]
        assert "…" in lines[2]
        assert {len(line) for line in lines} == {80}
        assert "◂" not in lines[3]
        assert "◂ last row" in "\n".join(lines[4:])


async def test_the_scrollbar_has_the_signs_of_the_problems(opened: Any) -> None:
    text = "".join(f"k{n}: v\n" for n in range(240))
    async with opened(text, "x.yaml") as (pilot, app):
        at = text.index("k120:")
        app.editor.set_diagnostics([ShownDiagnostic(at, at + 4, "error", "x", "r")])
        await pilot.pause()
        bar = [line[-1] for line in app.screen_text.splitlines()]
        assert bar.index("✗") in (11, 12), "line 120 of 241 is in the middle"
