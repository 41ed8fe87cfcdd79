"""The colours of the themes: what is read has a contrast of 4.5:1, as WCAG 2 level AA requires."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.color import Color
from textual.content import Content
from textual.filter import ANSIToTruecolor, LineFilter, Monochrome, NoColor

from skillstudio import tui
from skillstudio.session.themes import COLOURS, VARIABLES, Theme, read_themes
from skillstudio.tui.app import Studio
from skillstudio.tui.contrast import TEXT_CONTRAST, Rgb, contrast, luminance
from skillstudio.tui.indexed_colours import ENTRIES, IndexedColours, nearest_entry
from skillstudio.tui.legibility import (
    FAINT,
    STRONG,
    colour_pairs,
    describe_contrasts,
    least_contrasts,
    weak_pairs,
)
from skillstudio.tui.palette import (
    DIM,
    FIRST,
    FOLLOW,
    LIGHT,
    SURFACES,
    DimText,
    roles,
    textual_theme,
    theme_colours,
)
from skillstudio.tui.terminal_background import QUESTION, BackgroundReported
from skillstudio.tui.widgets.editor.scrollbar import MarkedScrollBar
from skillstudio.tui.widgets.rows import Rows

from .conftest import Open, WidgetApp, settled
from .conftest import shown as read_screen

THEMES, FAULTS = read_themes([str(Path(__file__).parents[2] / "themes")])
OWN = [name for name, theme in THEMES.items() if not theme.terminal]
GREYS = {16, 59, 102, 145, 188, 231, *range(232, 256)}


PALETTES = {
    "nord": """2e3440 3b4252 434c5e 4c566a d8dee9 e5e9f0 eceff4 8fbcbb 88c0d0 81a1c1 5e81ac
        bf616a d08770 ebcb8b a3be8c b48ead""",
    "gruvbox": """1d2021 282828 32302f 3c3836 504945 665c54 7c6f64 928374 a89984 bdae93 d5c4a1
        ebdbb2 fbf1c7 f2e5bc f9f5d7 fb4934 b8bb26 fabd2f 83a598 d3869b 8ec07c fe8019 9d0006 79740e
        b57614 076678 8f3f71 427b58 af3a03""",
    "catppuccin": """89b4fa 94e2d5 cba6f7 cdd6f4 1e1e2e 313244 181825 f38ba8 f9e2af a6e3a1""",
    "catppuccin-latte": """1e66f5 179299 8839ef 4c4f69 eff1f5 e6e9ef dce0e8 d20f39 df8e1d 40a02b""",
    "solarized": """002b36 073642 586e75 657b83 839496 93a1a1 eee8d5 fdf6e3 b58900 cb4b16 dc322f
        d33682 6c71c4 268bd2 2aa198 859900""",
}
"""The published colours of palettes."""
PALETTES |= {f"{name}-light": PALETTES[name] for name in ("nord", "gruvbox", "solarized")}
SHADE = re.compile(r'^  ([a-z-]+): "(#\w{6})"  # [\w ]+ (#\w{6}), ([\d.]+):1$', re.MULTILINE)
OF_VARIABLE = {"foreground": ("foreground", "dim", "selected text", "the hint", "the last"),
               "footer-key-foreground": ("a key",),
               "frame-focus": ("the title of", "the focus")}  # fmt: skip
"""How the pairs of a colour start; those of the others with its name."""


def test_every_theme_can_be_read() -> None:
    assert FAULTS == []
    assert {"nord", "gruvbox", "catppuccin", "solarized", "terminal"} < set(THEMES)


def test_every_light_theme_has_a_dark_sibling() -> None:
    assert {THEMES[name].dark for name in OWN} == {True, False}
    siblings = {"nord": "nord-light", "gruvbox": "gruvbox-light", "solarized": "solarized-light",
                "catppuccin": "catppuccin-latte", FIRST: LIGHT}  # fmt: skip
    assert all(THEMES[name].dark for name in siblings)
    assert not any(THEMES[name].dark for name in siblings.values())


@pytest.mark.parametrize("name", OWN)
def test_every_text_and_sign_is_readable_where_it_is_drawn(name: str) -> None:
    assert weak_pairs(textual_theme(THEMES[name])) == []


def test_weak_colours_are_noticed() -> None:
    theme = THEMES[FIRST]
    for role, part in (
        ("foreground", "dim on surface"),
        ("error", "✗ on selection"),
        ("warning", "text-warning on success 10%"),
        ("primary", "the focus on background"),
    ):
        colours = {**theme.colours, role: theme.colours["background"]}
        variables = {f"text-{role}": colours[role]}
        weak = weak_pairs(textual_theme(theme._replace(colours=colours, variables=variables)))
        assert part in [pair.name for pair in weak]
    assert weak_pairs(textual_theme(THEMES["terminal"])) == []
    assert least_contrasts(textual_theme(THEMES["terminal"])) is None


def test_the_shares_of_style_sheets_are_those_that_are_tested() -> None:
    """Text is blended with its background, and a background with a colour."""
    source = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted(Path(tui.__file__).parent.rglob("*"))
        if path.suffix in (".py", ".tcss")
    )
    texts = {int(share) for share in re.findall(r"\$foreground (\d+)%", source)}
    assert min(texts) >= 100 * DIM
    tints = re.findall(r"\$(?:error|success|warning) (\d+)%", source)
    assert {int(share) for share in tints} == {int(100 * share) for share in (FAINT, STRONG)}
    assert "$text-muted" not in source
    assert "$text-disabled" not in source


@pytest.mark.parametrize("name", sorted(PALETTES))
def test_the_colours_are_published_or_the_nearest_shade_that_can_be_read(name: str) -> None:
    theme = THEMES[name]
    text = Path(theme.path).read_text(encoding="utf-8")
    shades = {match[1]: match.groups() for match in SHADE.finditer(text)}
    for key, value in [*theme.colours.items(), *theme.variables.items()]:
        if key in shades:
            value = shades[key][2]
        elif value == theme.colours["foreground"]:
            continue  # The text, which has its own line.
        assert value.removeprefix("#") in PALETTES[name].split(), key
    for key, shade, published, ratio in shades.values():
        nearer = Color.parse(published).blend(Color.parse(shade), 0.7).hex.lower()
        assert least_of(theme, key, shade) >= TEXT_CONTRAST, key
        assert round(least_of(theme, key, published), 2) == float(ratio) < TEXT_CONTRAST, key
        if nearer != shade:  # A small step is rounded away.
            assert least_of(theme, key, nearer) < TEXT_CONTRAST, f"{key} is too far away"
        hues = [Color.parse(colour).hsl.h for colour in (shade, published)]
        turn = abs(hues[0] - hues[1])
        assert min(turn, 1 - turn) < 0.08, f"{key} has another hue"


def least_of(theme: Theme, key: str, colour: str) -> float:
    """Return the least contrast of the texts in a colour, if it had another value."""
    if key in theme.colours:
        changed = theme._replace(colours={**theme.colours, key: colour})
    else:
        changed = theme._replace(variables={**theme.variables, key: colour})
    starts = OF_VARIABLE.get(key, (f"{key} on",))
    pairs = colour_pairs(textual_theme(changed))
    return min(
        contrast(pair.ink, pair.ground) * TEXT_CONTRAST / pair.least
        for pair in pairs
        if pair.name.startswith(starts)
    )


def test_variables_are_those_of_textual_and_our_roles() -> None:
    names: set[str] = set()
    for theme in (textual_theme(THEMES[FIRST]), textual_theme(THEMES["terminal"])):
        names |= {*theme.to_color_system().generate(), *roles(theme)}
    names = {name for name in names if not re.search(r"-(lighten|darken)-\d$", name)}
    assert names - {*COLOURS, "surface-actrive"} == VARIABLES


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
    generated = theme_colours(textual_theme(THEMES[name]))
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
def test_every_text_and_sign_is_readable_with_256_colours(name: str) -> None:
    line_filter, _ = filter_of(name)

    def draw(ink: Rgb, ground: Rgb) -> tuple[Rgb, Rgb]:
        shown_ink, shown_ground = in_256(line_filter, ink, ground)
        return shown_ink.rgb, shown_ground.rgb

    assert weak_pairs(textual_theme(THEMES[name]), draw) == []


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
    surfaces = sorted(
        (colours[surface] for surface in SURFACES), key=lambda colour: luminance(colour.rgb)
    )
    mapped = [luminance(ENTRIES[line_filter.entry(one.rgb)]) for one in surfaces]
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
        ("xterm-256color", "truecolor", False, [DimText, ANSIToTruecolor]),
        ("xterm-256color", "", False, [DimText, ANSIToTruecolor, IndexedColours]),
        ("screen", "", False, []),
        ("xterm-256color", "truecolor", True, [DimText, ANSIToTruecolor, Monochrome]),
        ("xterm-256color", "", True, [DimText, ANSIToTruecolor, Monochrome, IndexedColours]),
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


def weak_cells(app: Studio) -> dict[str, float]:
    """Return the texts of the screen with too little contrast; of a dialog only its own."""
    strips = app.screen._compositor.render_strips()
    for dialog in app.screen.query("#dialog"):
        region = dialog.region
        strips = [strip.crop(region.x, region.right) for strip in strips[region.y : region.bottom]]
    weak = {}
    for text, style, _ in (segment for strip in strips for segment in strip):
        if style is None or style.color is None or style.bgcolor is None or DRAWN.fullmatch(text):
            continue
        ratio = contrast(style.color.get_truecolor(), style.bgcolor.get_truecolor())
        if ratio < TEXT_CONTRAST:
            weak[text.strip()] = round(ratio, 2)
    return weak


DRAWN = re.compile(r"[\s\u2500-\u259f]*")
"""Lines of frames, and bars."""


@pytest.mark.slow
@pytest.mark.parametrize("name", OWN)
async def test_every_text_on_the_screen_is_readable(
    open_studio: Open, skills: Path, name: str
) -> None:
    """What no list of pairs knows: a dim text in a title that is blended already."""
    async with open_studio(skills, (160, 40)) as pilot:
        app = pilot.app
        assert isinstance(app, Studio)
        app.load_themes()
        app.use_theme(name)
        await settled(pilot)
        weak: dict[str, float] = {}
        steps = "", "down enter", "2", "3", "4", "5", "6", "1", "f1", "escape ctrl+p", "escape t"
        for keys in steps:
            await pilot.press(*keys.split())
            await settled(pilot)
            weak |= {f"{text} after {keys}": ratio for text, ratio in weak_cells(app).items()}
        assert weak == {}


def test_dim_text_keeps_its_contrast() -> None:
    dimmer = DimText()
    style = Style(color="#ffffff", bgcolor="#000000", dim=True)
    assert drawn(dimmer, style) == Style(color="#bfbfbf", bgcolor="#000000", dim=False)
    style = Style(color="#ffffff", dim=True)
    assert drawn(dimmer, style) == Style(color="#bfbfbf", dim=False), "on the widget's ground"
    for other in (Style(color="red", dim=True), Style(dim=True), Style(color="#ffffff")):
        assert drawn(dimmer, other) == other
    assert dimmer.apply([Segment("x")], Color(0, 0, 0)) == [Segment("x")]


@pytest.fixture
def terminal_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Studio:
    """The workbench in a terminal with all colours."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for name in ("NO_COLOR", "COLORFGBG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Studio, "is_headless", False)
    return Studio(None, config=str(tmp_path), state=str(tmp_path), watch=False)


def report(app: Studio, colour: str) -> str:
    """Let the terminal report its background; the theme after it."""
    app.on_background_reported(BackgroundReported(Color.parse(colour).rgb))
    return app.theme


def test_the_theme_follows_the_background_until_one_is_chosen(terminal_app: Studio) -> None:
    app = terminal_app
    app.start_themes()
    assert app.theme == FIRST
    assert report(app, "#fdf6e3") == LIGHT, "also before all themes are read"
    assert report(app, "#002b36") == FIRST
    app.load_themes()
    app.use_theme("nord")
    assert report(app, "#ffffff") == "nord"
    assert app.chosen_theme == "nord"
    app.use_theme(FOLLOW)
    assert app.theme == LIGHT
    assert app.chosen_theme == FOLLOW


@pytest.mark.parametrize(("choice", "theme"), [("nord", "nord"), (FOLLOW, LIGHT)])
def test_the_choice_is_remembered(terminal_app: Studio, choice: str, theme: str) -> None:
    terminal_app.remember_theme(choice)
    terminal_app.start_themes()
    assert report(terminal_app, "#ffffff") == theme


@pytest.mark.parametrize(
    ("colorfgbg", "theme"), [("0;15", LIGHT), ("15;0", FIRST), ("0;default", FIRST)]
)
def test_colorfgbg_decides_where_the_terminal_does_not_answer(
    terminal_app: Studio, monkeypatch: pytest.MonkeyPatch, colorfgbg: str, theme: str
) -> None:
    monkeypatch.setenv("COLORFGBG", colorfgbg)
    terminal_app.start_themes()
    assert terminal_app.theme == theme
    assert report(terminal_app, "#000000") == FIRST, "the answer counts more"


def test_few_colours_stay_those_of_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal_app: Studio
) -> None:
    monkeypatch.setenv("TERM", "screen")
    monkeypatch.setenv("COLORTERM", "")
    monkeypatch.setenv("COLORFGBG", "0;15")
    app = Studio(None, config=str(tmp_path), state=str(tmp_path), watch=False)
    app.start_themes()
    assert report(app, "#ffffff") == "terminal"


class Asked:
    """A driver that keeps what is written."""

    is_headless = is_web = False

    def __init__(self, input_tty: bool | None) -> None:
        self.written = ""
        if input_tty is not None:  # Only the driver of terminals has it.
            self.input_tty = input_tty

    def write(self, text: str) -> None:
        self.written += text

    def flush(self) -> None:
        """Nothing is kept back."""


@pytest.mark.parametrize(
    ("input_tty", "term", "choice", "is_asked"),
    [
        (True, "xterm-256color", FOLLOW, True),
        (True, "xterm-256color", "nord", False),
        (True, "screen", FOLLOW, False),
        (False, "xterm-256color", FOLLOW, False),
        (None, "xterm-256color", FOLLOW, False),
    ],
)
def test_only_a_terminal_that_is_followed_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal_app: Studio,
    input_tty: bool | None, term: str, choice: str, is_asked: bool,
) -> None:  # fmt: skip
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORTERM", "")
    app = Studio(None, config=str(tmp_path), state=str(tmp_path), watch=False)
    driver = Asked(input_tty)
    monkeypatch.setattr(app, "_driver", driver)
    app.remember_theme(choice)
    app.start_themes()
    assert driver.written == QUESTION * is_asked


def test_a_browser_has_the_dark_theme(
    terminal_app: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    monkeypatch.setattr(Studio, "is_web", True)
    terminal_app.start_themes()
    assert terminal_app.theme == FIRST


@pytest.mark.slow
@pytest.mark.parametrize("before", [FOLLOW, "terminal", "nord-light"])
async def test_esc_restores_the_theme_before_the_preview(
    open_studio: Open, skills: Path, before: str
) -> None:
    async with open_studio(skills) as pilot:
        app = pilot.app
        assert isinstance(app, Studio)
        app.load_themes()
        app.use_theme(before)
        await settled(pilot)
        screen = app.export_screenshot()
        await pilot.press("f9")
        await settled(pilot)
        await pilot.press(*"gruvbox light")
        await settled(pilot)
        assert app.chosen_theme == "gruvbox-light"
        assert app.screen.background_colors[1] == Color.parse(
            theme_colours(app.current_theme)["background"]
        ), "it is on the screen"
        await pilot.press("escape")
        await settled(pilot)
        assert app.chosen_theme == before
        assert LABELS.sub("", app.export_screenshot()) == LABELS.sub("", screen)
        await pilot.press("f9")
        await settled(pilot)
        await pilot.press(*"nord light")
        await settled(pilot)
        assert describe_contrasts(THEMES["nord-light"]) in read_screen(pilot)
        for key in [*["backspace"] * len("nord light"), *"follow", "enter"]:
            await pilot.press(key)
        await settled(pilot)
        assert app.chosen_theme == FOLLOW
        assert app._read_choice() == FOLLOW


LABELS = re.compile(r"terminal-\d+-")
"""A picture's number."""
