"""The colours of the themes: what is read has a contrast of 4.5:1, as WCAG 2 level AA requires."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.color import Color
from textual.content import Content
from textual.filter import ANSIToTruecolor, LineFilter, Monochrome, NoColor

from skillstudio.session.themes import read_themes
from skillstudio.tui.app import Studio
from skillstudio.tui.indexed_colours import (
    ENTRIES,
    SIGN_CONTRAST,
    IndexedColours,
    Rgb,
    nearest_entry,
)
from skillstudio.tui.palette import DIM, SURFACES, roles, textual_theme
from skillstudio.tui.widgets.editor.scrollbar import MarkedScrollBar
from skillstudio.tui.widgets.rows import Rows

from .conftest import WidgetApp

THEMES, FAULTS = read_themes([str(Path(__file__).parents[2] / "themes")])
OWN = [name for name, theme in THEMES.items() if not theme.terminal]
GREYS = {16, 59, 102, 145, 188, 231, *range(232, 256)}
TEXTS = ("primary", "secondary", "accent", "success", "warning", "error")
AA = 4.5


def luminance(colour: Color) -> float:
    """The relative luminance of WCAG 2."""
    parts = [each / 255 for each in (colour.r, colour.g, colour.b)]
    linear = [
        each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Color, other: Color) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_of_black_and_white_is_21() -> None:
    assert contrast(Color.parse("#000"), Color.parse("#fff")) == pytest.approx(21)
    assert contrast(Color.parse("#777"), Color.parse("#fff")) == pytest.approx(4.48, abs=0.01)


def test_every_theme_can_be_read() -> None:
    assert FAULTS == []
    assert {"nord", "gruvbox", "catppuccin", "solarized", "terminal"} < set(THEMES)


@pytest.mark.parametrize("name", OWN)
def test_every_text_is_readable_on_its_ground(name: str) -> None:
    theme = textual_theme(THEMES[name])
    colours = roles(theme) | theme.to_color_system().generate() | theme.variables
    weak = {}
    for ground_name in ("background", "surface", "panel", "selection", "selection-quiet", "fault"):
        ground = Color.parse(colours[ground_name])
        texts = {f"text-{each}": Color.parse(colours[f"text-{each}"]) for each in TEXTS}
        plain = texts["foreground"] = Color.parse(colours["foreground"])
        texts["dim"] = ground.blend(plain, DIM)
        texts["key"] = Color.parse(colours["footer-key-foreground"])
        for each, colour in texts.items():
            if contrast(colour, ground) < AA:
                weak[f"{each} on {ground_name}"] = round(contrast(colour, ground), 2)
    ground = Color.parse(colours["block-cursor-background"])
    chosen = colours["block-cursor-foreground"]
    text = ground.get_contrast_text(0.87) if chosen.startswith("auto") else Color.parse(chosen)
    if contrast(ground + text, ground) < AA:
        weak["the selected row"] = round(contrast(ground + text, ground), 2)
    assert weak == {}


@pytest.mark.parametrize(
    ("term", "colorterm", "theme"),
    [("xterm-256color", "truecolor", "skillstudio-dark"), ("screen", "", "terminal"),
     ("linux", "", "terminal"), ("xterm-256color", "", "skillstudio-dark")],
)  # fmt: skip
def test_few_colours_select_the_theme_of_the_terminal(
    term: str, colorterm: str, theme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORTERM", colorterm)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(Studio, "is_headless", False)
    app = Studio(None, config=str(tmp_path), state=str(tmp_path), watch=False)
    app.start_themes()
    assert app.theme == theme
    app.remember_theme("nord")
    app.start_themes()
    assert app.theme == "nord", "a choice comes first"


@pytest.mark.parametrize(
    ("colour", "entry"),
    [
        ("#262a36", 235), ("#16181f", 234), ("#232734", 235), ("#2e3440", 236), ("#002b36", 235),
        ("#fbf8f1", 231), ("#e6e1d3", 254), ("#000000", 16), ("#ffffff", 231), ("#ff0000", 196),
        ("#cd3131", 160), ("#00ff00", 46), ("#2d6a1f", 22), ("#5b3b00", 94), ("#0000ff", 21),
    ],
)  # fmt: skip
def test_the_nearest_entry_of_256(colour: str, entry: int) -> None:
    assert nearest_entry(Color.parse(colour).rgb) == entry


def test_dark_surfaces_with_a_tint_become_grey() -> None:
    tints = [(at, at + green, at + blue)
             for at in range(0, 70, 6) for green in (0, 4) for blue in (8, 16)]  # fmt: skip
    assert [tint for tint in tints if nearest_entry(tint) not in GREYS] == []


def test_no_colour_becomes_one_that_users_change() -> None:
    parts = range(0, 256, 51)
    for rgb in ((red, green, blue) for red in parts for green in parts for blue in parts):
        assert nearest_entry(rgb) in ENTRIES
    assert min(ENTRIES) == 16
    assert max(ENTRIES) == 255


def test_the_entries_are_those_of_xterm() -> None:
    for entry, rgb in ENTRIES.items():
        assert RichColor.from_ansi(entry).get_truecolor() == rgb


def drawn(line_filter: LineFilter, style: Style) -> Style:
    """Return a style as it leaves a filter."""
    segment = line_filter.apply([Segment("x", style)], Color(0, 0, 0))[0]
    assert segment.style is not None
    return segment.style


def filter_of(name: str) -> tuple[IndexedColours, dict[str, Color]]:
    """Return the filter for a theme, and the theme's colours that have one value."""
    generated = textual_theme(THEMES[name]).to_color_system().generate()
    colours = {key: Color.parse(value) for key, value in generated.items() if value.startswith("#")}
    return IndexedColours([colours[surface].rgb for surface in SURFACES]), colours


def in_256(line_filter: IndexedColours, text: Rgb, ground: Rgb) -> tuple[Color, Color]:
    """Return a text and its background as a terminal with 256 colours shows them."""
    style = Style(color=RichColor.from_rgb(*text), bgcolor=RichColor.from_rgb(*ground))
    style = drawn(line_filter, style)
    assert style.color is not None
    assert style.color.number is not None
    assert style.bgcolor is not None
    assert style.bgcolor.number is not None
    return Color(*ENTRIES[style.color.number]), Color(*ENTRIES[style.bgcolor.number])


@pytest.mark.parametrize("name", OWN)
def test_every_text_is_readable_with_256_colours(name: str) -> None:
    line_filter, colours = filter_of(name)
    weak = {}
    for ground_name in SURFACES:
        ground = colours[ground_name]
        texts = {f"text-{key}": colours[f"text-{key}"] for key in TEXTS}
        plain = texts["foreground"] = colours["foreground"]
        texts["dim"] = ground.blend(plain, DIM)
        texts["key"] = colours["footer-key-foreground"]
        for key, colour in texts.items():
            ratio = contrast(*in_256(line_filter, colour.rgb, ground.rgb))
            if ratio < AA:
                weak[f"{key} on {ground_name}"] = round(ratio, 2)
    ground = colours["block-cursor-background"]
    selected = colours.get("block-cursor-foreground", ground.get_contrast_text(0.87))
    ratio = contrast(*in_256(line_filter, (ground + selected).rgb, ground.rgb))
    if ratio < AA:
        weak["the selected row"] = round(ratio, 2)
    bar = colours["background"] + colours["scrollbar"]
    for key in ("error", "warning", "primary"):
        sign = colours[f"text-{key}"]
        if contrast(sign, bar) >= SIGN_CONTRAST:
            ratio = contrast(*in_256(line_filter, sign.rgb, bar.rgb))
            if ratio < SIGN_CONTRAST:
                weak[f"{key} on the scrollbar"] = round(ratio, 2)
    assert weak == {}


@pytest.mark.parametrize("name", OWN)
def test_what_differs_still_differs_with_256_colours(name: str) -> None:
    line_filter, colours = filter_of(name)
    background, panel = colours["background"], colours["panel"]
    bar = colours["block-cursor-background"]
    neighbours = {
        "panel": (background, panel),
        "the cursor's line": (background, colours["surface"]),
        "a field in a dialog": (panel, colours["surface"]),
        "the selected row": (background, bar),
        "the selected row without focus": (bar, colours["surface"]),
        "the selected row of a chooser": (panel, panel + bar.with_alpha(0.3)),
        "the banner": (background, background + colours["warning"].with_alpha(0.3)),
        "selected text": (background, background + colours["input-selection-background"]),
        "the scrollbar": (panel, panel + colours["scrollbar"]),
        "a frame": (background, background + colours["foreground"].with_alpha(0.35)),
        "errors and warnings": (colours["text-error"], colours["text-warning"]),
        "errors and success": (colours["text-error"], colours["text-success"]),
        "warnings and success": (colours["text-warning"], colours["text-success"]),
        "warnings and plain text": (colours["text-warning"], colours["foreground"]),
    }
    same = [
        key
        for key, (one, other) in neighbours.items()
        if one.rgb != other.rgb and line_filter.entry(one.rgb) == line_filter.entry(other.rgb)
    ]
    assert same == []
    surfaces = sorted((colours[surface] for surface in SURFACES), key=luminance)
    mapped = [luminance(Color(*ENTRIES[line_filter.entry(each.rgb)])) for each in surfaces]
    assert mapped == sorted(mapped), "what is lighter stays lighter"


def test_colours_of_the_terminal_and_other_attributes_stay() -> None:
    line_filter = IndexedColours()
    for style in (Style(color="red", bgcolor="default", bold=True), Style(reverse=True), Style()):
        assert drawn(line_filter, style) == style
    style = Style(color="#ff0000", italic=True, meta={"at": 1})
    assert drawn(line_filter, style) == Style(color="color(196)", italic=True, meta={"at": 1})
    assert line_filter.apply([Segment("x")], Color(0, 0, 0)) == [Segment("x")]


def drawn_by(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, term: str, colorterm: str, no_color: bool
) -> list[type[LineFilter]]:
    """Return the kinds of filters that the workbench uses in a terminal."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORTERM", colorterm)
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(Studio, "is_headless", False)
    app = Studio(None, config=str(tmp_path), state=str(tmp_path), watch=False)
    app.start_themes()
    return [type(line_filter) for line_filter in app.get_line_filters()]


@pytest.mark.parametrize(
    ("term", "colorterm", "no_color", "filters"),
    [
        ("xterm-256color", "truecolor", False, [ANSIToTruecolor]),
        ("xterm-256color", "", False, [ANSIToTruecolor, IndexedColours]),
        ("screen", "", False, []),
        ("xterm-256color", "truecolor", True, [ANSIToTruecolor, Monochrome]),
        ("xterm-256color", "", True, [ANSIToTruecolor, Monochrome, IndexedColours]),
        ("screen", "", True, [NoColor]),
    ],
)
def test_the_terminal_selects_the_filters(
    term: str,
    colorterm: str,
    no_color: bool,
    filters: list[type[LineFilter]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert drawn_by(monkeypatch, tmp_path, term, colorterm, no_color) == filters


class ListApp(WidgetApp):
    """A list and a scrollbar with a sign, in a theme."""

    def __init__(self, theme: str) -> None:
        super().__init__()
        self.register_theme(textual_theme(THEMES[theme]))
        self.theme = theme
        self.rows = Rows()
        sign = Segment("✗", Style(color="red", bold=True))
        self.bar = MarkedScrollBar(lambda: {0: sign}, vertical=True, name="bar")
        self.bar.window_size, self.bar.window_virtual_size = 10, 20

    def compose(self) -> ComposeResult:
        yield self.rows
        yield self.bar

    def selected(self) -> Style:
        return next(iter(self.rows.render_line(0))).style or Style()


@pytest.mark.parametrize("no_color", [False, True])
@pytest.mark.parametrize("theme", ["terminal", "skillstudio-dark"])
async def test_the_selected_row_needs_no_colour(
    theme: str, no_color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    app = ListApp(theme)
    async with app.run_test(size=(20, 6)) as pilot:
        app.rows.show([Content("one"), Content("two")])
        app.set_focus(None)
        await pilot.pause()
        style = app.selected()
        assert bool(style.underline) == (theme == "terminal"), "seen without the focus"
        assert not style.reverse
        app.rows.focus()
        await pilot.pause()
        assert bool(app.selected().reverse) == (theme == "terminal" or no_color)
        assert app.selected().bold
        sign = next(iter(app.bar.render_line(0))).style
        if theme == "terminal":
            assert sign is not None
            assert sign.bgcolor is None, "not on the bar, which may have the same colour"
