"""Which colours of a theme are drawn on which, and the contrast that they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import floor
from typing import NamedTuple

from textual.color import Color
from textual.theme import Theme as TextualTheme

from skillstudio.session.themes import Theme
from skillstudio.tui.contrast import SIGN_CONTRAST, TEXT_CONTRAST, Rgb, contrast
from skillstudio.tui.palette import DIM, textual_theme, theme_colours

INKS = ("primary", "secondary", "accent", "success", "warning", "error")
GROUNDS = ("background", "surface", "panel", "selection", "selection-quiet", "fault")
"""The parts of the screen, the selected row with and without focus, the line of a problem."""
FAINT, STRONG = 0.1, 0.3
"""How much of a colour is in the background of examples and changed lines, which have every colour
of text; and of changed parts, banners and the matches of a search, which have plain text."""
SIGNS = {"✗": "error", "!": "warning", "i": "primary", "✓": "success", "●": "warning", "▲": "error"}
_Colours = Mapping[str, Color]
Draw = Callable[[Rgb, Rgb], tuple[Rgb, Rgb]]
"""Returns a colour and the one below it as a terminal draws them."""


class ColourPair(NamedTuple):
    """A text or a sign, and the colour below it."""

    name: str
    ink: Rgb
    ground: Rgb
    least: float
    """The contrast that WCAG 2 level AA requires."""


class WeakPair(NamedTuple):
    """A pair with too little contrast."""

    name: str
    contrast: float


class LeastContrasts(NamedTuple):
    """The least contrast of the texts of a theme, and of its signs."""

    texts: float
    signs: float


def colour_pairs(theme: TextualTheme) -> Iterator[ColourPair]:
    """Yield every text and sign of a theme on every colour that it is drawn on.

    The colours of a theme with the terminal's own are not known.
    """
    if theme.ansi:
        return
    colours = {
        name: Color.parse(value)
        for name, value in theme_colours(theme).items()
        if value.startswith("#")
    }
    yield from _texts(colours)
    yield from _iter_tinted_pairs(colours)
    yield from _iter_selection_pairs(colours)
    yield from _signs(colours)


def weak_pairs(theme: TextualTheme, draw: Draw | None = None) -> list[WeakPair]:
    """Return what has too little contrast in a theme."""
    ratios = [(pair, _contrast(pair, draw)) for pair in colour_pairs(theme)]
    return [WeakPair(pair.name, round(ratio, 2)) for pair, ratio in ratios if ratio < pair.least]


def least_contrasts(theme: TextualTheme, draw: Draw | None = None) -> LeastContrasts | None:
    """Return the least contrasts of a theme, None for the terminal's own colours."""
    ratios: dict[float, list[float]] = {TEXT_CONTRAST: [], SIGN_CONTRAST: []}
    for pair in colour_pairs(theme):
        ratios[pair.least].append(_contrast(pair, draw))
    if not ratios[TEXT_CONTRAST]:
        return None
    return LeastContrasts(min(ratios[TEXT_CONTRAST]), min(ratios[SIGN_CONTRAST]))


def describe_contrasts(theme: Theme) -> str:
    """Return the least contrasts of a theme in words."""
    least = least_contrasts(textual_theme(theme))
    if least is None:
        return "The contrast depends on the terminal."
    texts, signs = map(format_ratio, least)
    return f"Contrast: text at least {texts}, signs at least {signs}."


def format_ratio(ratio: float) -> str:
    """Return a contrast as text, rounded down, because 4.49 is not enough."""
    return f"{floor(10 * ratio) / 10:.1f}:1"


def _contrast(pair: ColourPair, draw: Draw | None) -> float:
    ink, ground = pair.ink, pair.ground
    return contrast(*(draw(ink, ground) if draw else (ink, ground)))


def _texts(colours: _Colours) -> Iterator[ColourPair]:
    for ground_name in GROUNDS:
        ground = colours[ground_name]
        for name, ink in _inks(colours, ground).items():
            yield _text(f"{name} on {ground_name}", ink, ground)
        yield _text(f"a key on {ground_name}", colours["footer-key-foreground"], ground)
    plain = colours["foreground"]
    field = colours["surface"].blend(plain, 0.05)  # Textual's tint of a focused one.
    yield _text("the text of a field", plain, field)
    yield _text("the hint in a field", field.blend(plain, DIM), field)
    background, footer = colours["background"], colours["footer-background"]
    yield _text("the title of the focused pane", colours["frame-focus"], background)
    yield _text("the last line", colours["footer-foreground"], footer)
    yield _text("a key in the last line", colours["footer-key-foreground"], footer)


def _iter_tinted_pairs(colours: _Colours) -> Iterator[ColourPair]:
    background, plain = colours["background"], colours["foreground"]
    for tint in ("error", "success"):
        ground = background.blend(colours[tint], FAINT)
        for name, ink in _inks(colours, ground).items():
            if name != "text-error" or tint == "error":  # Error is no colour of code.
                yield _text(f"{name} on {tint} {FAINT:.0%}", ink, ground)
    for tint in ("error", "success", "warning"):
        ground = background.blend(colours[tint], STRONG)
        yield _text(f"foreground on {tint} {STRONG:.0%}", plain, ground)


def _iter_selection_pairs(colours: _Colours) -> Iterator[ColourPair]:
    for ground_name in ("background", "surface", "panel"):
        for kind in ("input", "screen"):
            ground = colours[ground_name] + colours[f"{kind}-selection-background"]
            ink = colours[f"{kind}-selection-foreground"]
            yield _text(f"selected text on {ground_name} ({kind})", ink, ground)
    cursor, letter = colours["input-cursor-background"], colours["block-cursor-background"]
    yield _text("the text cursor", colours["input-cursor-foreground"], cursor)
    ink = colours.get("block-cursor-foreground", letter.get_contrast_text(0.87))
    yield _text("a letter of jump mode", letter + ink, letter)


def _signs(colours: _Colours) -> Iterator[ColourPair]:
    track = colours["background"] + colours["scrollbar-background"]
    for sign, role in SIGNS.items():
        ink = colours[f"text-{role}"]
        for ground_name in GROUNDS:
            yield _sign(f"{sign} on {ground_name}", ink, colours[ground_name])
        yield _sign(f"{sign} in the scrollbar", ink, track)
    for ground_name in ("background", "surface", "panel"):
        ground = colours[ground_name]  # The frame of a pane, an edge, the underline of a tab.
        yield _sign(f"the focus on {ground_name}", colours["frame-focus"], ground)


def _inks(colours: _Colours, ground: Color) -> dict[str, Color]:
    """Return the colours of text: of states and keys of code, plain and dim."""
    inks = {f"text-{name}": colours[f"text-{name}"] for name in INKS}
    plain = colours["foreground"]
    return {**inks, "foreground": plain, "dim": ground.blend(plain, DIM)}


def _text(name: str, ink: Color, ground: Color) -> ColourPair:
    return ColourPair(name, ink.rgb, ground.rgb, TEXT_CONTRAST)


def _sign(name: str, ink: Color, ground: Color) -> ColourPair:
    return ColourPair(name, ink.rgb, ground.rgb, SIGN_CONTRAST)
