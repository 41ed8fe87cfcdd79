"""The colours of the themes: what is read has a contrast of 4.5:1, as WCAG 2 level AA requires."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from skillstudio.session.themes import read_themes
from skillstudio.tui.app import Studio
from skillstudio.tui.palette import DIM, textual_theme

THEMES, FAULTS = read_themes([str(Path(__file__).parents[2] / "themes")])
OWN = [name for name, theme in THEMES.items() if not theme.terminal]
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
    colours = textual_theme(THEMES[name]).to_color_system().generate()
    weak = {}
    for ground_name in ("background", "surface", "panel"):
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
