"""Themes from YAML files, and an application that reloads them when the files change."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter, Monochrome, NoColor
from textual.theme import Theme as TextualTheme

from skillstudio.files.saving.writer import write_file
from skillstudio.session.themes import Theme, ThemeFault, read_theme_file, read_themes
from skillstudio.text.safe import safe_text
from skillstudio.tui.contrast import Rgb
from skillstudio.tui.terminal_background import QUESTION, BackgroundReported, is_light

FIRST, LIGHT = "skillstudio-dark", "skillstudio-light"
"""The themes of dark and of light terminals."""
FOLLOW = ""
"""The choice to follow the terminal."""
TERMINAL = "terminal"
"""The theme of terminals with few colours, in which all pastels are white."""
SURFACES = ("background", "surface", "panel")
"""The colours of adjacent parts of the screen, which must stay different."""
DIM = 0.75
"""How much of its contrast dim text keeps; Textual's two thirds are hard to read."""


def textual_theme(theme: Theme) -> TextualTheme:
    """Textual's form of a theme."""
    return TextualTheme(
        name=theme.name,
        dark=theme.dark,
        ansi=theme.terminal,
        variables={**selections(theme), **theme.variables},
        **theme.colours,  # type: ignore[arg-type]
    )


def selections(theme: Theme) -> dict[str, str]:
    """Return the colours of selected text, which Textual makes too strong to read it."""
    primary, text = theme.colours["primary"], theme.colours["foreground"]
    if not primary.startswith("#"):
        return {}  # It is the terminal's.
    ground = Color.parse(primary).with_alpha(0.3).hex
    return {
        f"{kind}-selection-{name}": colour
        for kind in ("input", "screen")
        for name, colour in (("background", ground), ("foreground", text))
    }


def roles(theme: TextualTheme) -> dict[str, str]:
    """The colours of frames, selections and faults in a theme, by the names of style sheets.

    The ground of a selection or a fault is a tint that leaves the colours of its text readable.
    """
    if theme.ansi:
        return {
            "frame": "ansi_bright_black",
            "frame-focus": "ansi_bright_blue",
            "selection": "ansi_blue",
            "selection-quiet": "ansi_default",
            "fault": "ansi_default",
        }
    colours = theme.to_color_system().generate()
    ground, text, accent, error = (
        Color.parse(colours[name]) for name in ("background", "foreground", "primary", "error")
    )
    return {
        "frame": ground.blend(text, 0.3).hex,
        "frame-focus": accent.hex,
        "selection": ground.blend(accent, 0.17).hex,
        "selection-quiet": ground.blend(text, 0.09).hex,
        "fault": ground.blend(error, 0.1).hex,
    }


def theme_colours(theme: TextualTheme) -> dict[str, str]:
    """Return every colour of a theme by its name in style sheets."""
    return roles(theme) | theme.to_color_system().generate() | theme.variables


class DimText(LineFilter):
    """Blends dim text with its background, before Textual's filters do so with less contrast."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style and self.map_style(style, background.rgb), control)
            for text, style, control in segments
        ]

    @staticmethod
    @lru_cache(1024)
    def map_style(style: Style, background: Rgb) -> Style:
        """Return the style of text on a background of its own, or else on the one below."""
        ink, ground = style.color, style.bgcolor
        if not style.dim or ink is None or ink.triplet is None:
            return style
        if ground is not None and ground.triplet is not None:
            background = Color.from_rich_color(ground).rgb
        dim_ink = Color(*background).blend(Color.from_rich_color(ink), DIM)
        return style + Style(color=dim_ink.rich_color, dim=False)


class ThemedApp(App[int], inherit_bindings=False):
    """Reads themes from folders, reloads them when they change, remembers the choice."""

    def __init__(self, theme_folders: list[str], state: str, watch: bool = True) -> None:
        super().__init__()
        self._theme_folders = theme_folders
        self._choice = os.path.join(state, "theme.json")
        self._watch_themes = watch
        self.known_themes: dict[str, Theme] = {}
        self._follows_terminal = False
        self._background: Rgb | None = None
        """The background that the terminal reported last."""
        self._dimmer = DimText()
        self._filters.insert(0, self._dimmer)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The colours of roles that Textual does not know, unless the theme sets them."""
        return roles(self.current_theme)

    def load_themes(self) -> list[ThemeFault]:
        """Read every theme; a file with an error changes nothing. The errors."""
        return self._use_themes(*read_themes(self._theme_folders))

    def _use_themes(self, themes: dict[str, Theme], faults: list[ThemeFault]) -> list[ThemeFault]:
        for theme in themes.values():
            if self.known_themes.get(theme.name) != theme:
                try:
                    self.register_theme(textual_theme(theme))
                    textual_theme(theme).to_color_system().generate()
                except Exception as error:  # Textual parses colours of variables only when used.
                    faults.append(ThemeFault(theme.path, *theme.place, str(error)))
                    continue
                self.known_themes[theme.name] = theme
                if theme.name == self.theme:
                    self._adapt_filters()
                    self.refresh_css(animate=False)
        return faults

    def start_themes(self) -> None:
        """Use the remembered theme, else follow the terminal; read the other themes after the first
        frame."""
        # In which the tint of a selected row would be that of the others.
        self.set_class(self._has_few_colours() and not self.is_headless, "-few-colours")
        choice = self._read_choice()
        theme_name = choice or self._followed_theme()
        self._follows_terminal = not choice
        if self._follows_terminal:
            self._ask_for_background()  # It answers while the rest is read.
        shipped_folder, *user_folders = self._theme_folders
        path = os.path.join(shipped_folder, f"{theme_name}.yaml")
        if any(map(os.path.isdir, user_folders)) or not os.path.isfile(path):
            faults = self.load_themes()
        else:
            faults = self._load_theme(theme_name)
            self.call_after_refresh(self.load_themes)
        self.theme = theme_name if theme_name in self.known_themes else FIRST
        self.show_faults(faults)
        folders = [folder for folder in self._theme_folders[1:] if os.path.isdir(folder)]
        if folders and self._watch_themes:
            self.run_worker(self._follow(folders), exclusive=True, group="themes")

    def _load_theme(self, name: str) -> list[ThemeFault]:
        """Read one theme that comes with the program. The errors."""
        theme, faults = read_theme_file(os.path.join(self._theme_folders[0], f"{name}.yaml"))
        return self._use_themes({name: theme} if theme is not None else {}, faults)

    # The terminal

    @property
    def chosen_theme(self) -> str:
        """The theme that is used, or `FOLLOW`."""
        return FOLLOW if self._follows_terminal else self.theme

    def use_theme(self, choice: str) -> None:
        """Use a theme, or `FOLLOW` the terminal."""
        self._follows_terminal = choice == FOLLOW
        if self._follows_terminal:
            self._ask_for_background()
        self.theme = choice or self._followed_theme()

    def on_background_reported(self, message: BackgroundReported) -> None:
        """Follow the terminal, unless the user has chosen a theme."""
        self._background = message.rgb
        theme_name = self._followed_theme()
        if not self._follows_terminal or theme_name == self.theme:
            return
        if theme_name not in self.known_themes:
            self.show_faults(self._load_theme(theme_name))
        if theme_name in self.known_themes:
            self.theme = theme_name

    def _followed_theme(self) -> str:
        """The theme for the colours and the background of the terminal."""
        if self.is_headless or self.is_web:
            return FIRST
        if self._has_few_colours():
            return TERMINAL
        return LIGHT if is_light(self._background) else FIRST

    def _has_few_colours(self) -> bool:
        return self.console.color_system in (None, "standard", "windows")

    def _ask_for_background(self) -> None:
        """Ask the terminal for its background; `BackgroundReported` comes if it answers.

        Browsers and programs that read the output do not.
        """
        driver: Any = self._driver
        if getattr(driver, "input_tty", False) and not self._has_few_colours():
            driver.write(QUESTION)
            driver.flush()

    def watch_theme(self) -> None:
        """Draw with the colours that the terminal has."""
        self._adapt_filters()

    def _adapt_filters(self) -> None:
        self._dimmer.enabled = not self.native_ansi_color
        if self.no_color:
            # Textual chooses before it knows the theme; it draws terminal colours black on black.
            filter_class = NoColor if self.native_ansi_color else Monochrome
            if not any(isinstance(line_filter, filter_class) for line_filter in self._filters):
                self._replace_filter(NoColor | Monochrome, filter_class())
        if self.console.color_system == "256" and not self.is_headless:
            from skillstudio.tui.indexed_colours import IndexedColours

            self._replace_filter(IndexedColours, IndexedColours(self._surfaces()))

    def _replace_filter(self, kind: Any, line_filter: LineFilter) -> None:
        other_filters = [other for other in self._filters if not isinstance(other, kind)]
        self._filters = [*other_filters, line_filter]

    def _surfaces(self) -> list[tuple[int, int, int]]:
        """The surfaces of the theme as they are drawn; none with the terminal's own colours."""
        if self.native_ansi_color:
            return []
        colours = self.current_theme.to_color_system().generate()
        surfaces = [Color.parse(colours[name]) for name in SURFACES]
        return [(surface.monochrome if self.no_color else surface).rgb for surface in surfaces]

    async def _follow(self, folders: list[str]) -> None:
        from watchfiles import awatch

        async for _ in awatch(*folders, step=50, debounce=200):
            self.show_faults(self.load_themes())

    def show_faults(self, faults: list[ThemeFault]) -> None:
        """Show what is wrong with themes, each with its place."""
        for fault in faults:
            self.notify(safe_text(str(fault)), title="Theme", severity="error", markup=False)

    def remember_theme(self, name: str) -> None:
        """Start with this theme from now on."""
        try:
            os.makedirs(os.path.dirname(self._choice), exist_ok=True)
            write_file(self._choice, json.dumps({"theme": name}).encode())
        except OSError as error:
            message = f"cannot remember the theme: {error.strerror}"
            self.notify(message, severity="warning", markup=False)

    def _read_choice(self) -> str:
        try:
            with open(self._choice, encoding="utf-8") as file:
                document: Any = json.load(file)
        except (OSError, ValueError):
            return ""
        return str(document.get("theme", "")) if isinstance(document, dict) else ""
