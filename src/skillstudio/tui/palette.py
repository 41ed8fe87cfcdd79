"""Themes from YAML files, and an application that reloads them when the files change."""

from __future__ import annotations

import json
import os
from typing import Any

from textual.app import App
from textual.color import Color
from textual.filter import DimFilter, LineFilter, Monochrome, NoColor
from textual.theme import Theme as TextualTheme

from skillstudio.files.saving.writer import write_file
from skillstudio.session.themes import Theme, ThemeFault, read_theme_file, read_themes
from skillstudio.text.safe import safe_text

FIRST = "skillstudio-dark"
TERMINAL = "terminal"
"""The theme of terminals with few colours, in which all pastels are white."""
SURFACES = ("background", "surface", "panel")
"""The colours of adjacent parts of the screen, which must stay different."""
DIM = 0.75
"""How much of its contrast dim text keeps; Textual's half is hard to read."""


def textual_theme(theme: Theme) -> TextualTheme:
    """Textual's form of a theme."""
    return TextualTheme(
        name=theme.name,
        dark=theme.dark,
        ansi=theme.terminal,
        variables=theme.variables,
        **theme.colours,  # type: ignore[arg-type]
    )


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


class Themed(App[int], inherit_bindings=False):
    """Reads themes from folders, reloads them when they change, remembers the choice."""

    def __init__(self, theme_folders: list[str], state: str, watch: bool = True) -> None:
        super().__init__()
        self._theme_folders = theme_folders
        self._choice = os.path.join(state, "theme.json")
        self._watch_themes = watch
        self.known_themes: dict[str, Theme] = {}
        for each in self._filters:
            if isinstance(each, DimFilter):
                each.dim_factor = DIM

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
                    faults.append(ThemeFault(theme.path, 1, 1, str(error)))
                    continue
                self.known_themes[theme.name] = theme
                if theme.name == self.theme:
                    self._adapt_filters()
                    self.refresh_css(animate=False)
        return faults

    def start_themes(self) -> None:
        """Read the remembered theme and use it; read the others after the first frame."""
        few = not self.is_headless and self.console.color_system in (None, "standard", "windows")
        wanted = self._remembered() or (TERMINAL if few else FIRST)
        shipped, *own = self._theme_folders
        path = os.path.join(shipped, f"{wanted}.yaml")
        if any(map(os.path.isdir, own)) or not os.path.isfile(path):
            faults = self.load_themes()
        else:
            theme, faults = read_theme_file(path)
            self._use_themes({wanted: theme} if theme is not None else {}, faults)
            self.call_after_refresh(self.load_themes)
        self.theme = wanted if wanted in self.known_themes else FIRST
        self.show_faults(faults)
        folders = [folder for folder in self._theme_folders[1:] if os.path.isdir(folder)]
        if folders and self._watch_themes:
            self.run_worker(self._follow(folders), exclusive=True, group="themes")

    def watch_theme(self) -> None:
        """Draw with the colours that the terminal has."""
        self._adapt_filters()

    def _adapt_filters(self) -> None:
        if self.no_color:
            # Textual chooses before it knows the theme; it draws terminal colours black on black.
            wanted = NoColor if self.native_ansi_color else Monochrome
            if not any(isinstance(line_filter, wanted) for line_filter in self._filters):
                self._replace_filter(NoColor | Monochrome, wanted())
        if self.console.color_system == "256" and not self.is_headless:
            from skillstudio.tui.indexed_colours import IndexedColours

            self._replace_filter(IndexedColours, IndexedColours(self._surfaces()))

    def _replace_filter(self, kind: Any, line_filter: LineFilter) -> None:
        others = [other for other in self._filters if not isinstance(other, kind)]
        self._filters = [*others, line_filter]

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

    def _remembered(self) -> str:
        try:
            with open(self._choice, encoding="utf-8") as file:
                found: Any = json.load(file)
        except (OSError, ValueError):
            return ""
        return str(found.get("theme", "")) if isinstance(found, dict) else ""
