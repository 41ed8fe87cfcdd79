"""Colours for terminals with a palette of 256, chosen as the eye sees them.

Rich rounds in RGB, which turns dark, slightly blue surfaces into navy.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise, product

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from skillstudio.tui.contrast import (
    SIGN_CONTRAST,
    TEXT_CONTRAST,
    Rgb,
    contrast,
    linear,
    luminance,
)

_STEPS = (0, 95, 135, 175, 215, 255)
ENTRIES: dict[int, Rgb] = {
    **{16 + at: rgb for at, rgb in enumerate(product(_STEPS, _STEPS, _STEPS))},
    **{232 + at: (8 + 10 * at,) * 3 for at in range(24)},
}
"""The entries that are the same everywhere; users choose the first 16 themselves."""
_CANDIDATES = 6  # Entries that are tried for each of a few surfaces.
_STYLES = 4096


def _to_oklab(rgb: Rgb) -> tuple[float, float, float]:
    """Return lightness and hue in OKLab, whose author doubles the hue to measure distances."""
    red, green, blue = map(linear, rgb)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        2 * (1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short),
        2 * (0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short),
    )


_BY_LIGHTNESS = sorted((*_to_oklab(rgb), entry) for entry, rgb in ENTRIES.items())


def _distances(rgb: Rgb) -> list[tuple[float, int]]:
    """Return the square of the distance of each entry, nearest first."""
    light, red, blue = _to_oklab(rgb)
    return sorted(
        ((light - at[0]) ** 2 + (red - at[1]) ** 2 + (blue - at[2]) ** 2, at[3])
        for at in _BY_LIGHTNESS
    )


@lru_cache(_STYLES)
def nearest_entry(rgb: Rgb) -> int:
    """Return the fixed entry that looks most like a colour."""
    light, red, blue = _to_oklab(rgb)
    start = bisect_left(_BY_LIGHTNESS, (light,))
    best, entry = 9.0, 0
    for side in (range(start, len(_BY_LIGHTNESS)), range(start - 1, -1, -1)):
        for at in side:
            other_light, other_red, other_blue, number = _BY_LIGHTNESS[at]
            distance = (light - other_light) ** 2
            if distance >= best:
                break
            distance += (red - other_red) ** 2 + (blue - other_blue) ** 2
            if distance < best:
                best, entry = distance, number
    return entry


def separate_entries(surfaces: Iterable[Rgb]) -> dict[Rgb, int]:
    """Return an entry for each surface: different ones, light above dark, as near as possible."""
    ordered_surfaces = sorted(set(surfaces), key=luminance)
    choices = [_distances(rgb)[:_CANDIDATES] for rgb in ordered_surfaces]
    best, entries = float("inf"), [nearest_entry(rgb) for rgb in ordered_surfaces]
    for choice in product(*choices):
        cost = sum(distance for distance, _ in choice)
        levels = [luminance(ENTRIES[entry]) for _, entry in choice]
        if cost < best and all(low < high for low, high in pairwise(levels)):
            best, entries = cost, [entry for _, entry in choice]
    return dict(zip(ordered_surfaces, entries, strict=True))


class IndexedColours(LineFilter):
    """Replaces colours by entries of the palette.

    The surfaces of a theme stay different, and text that had enough contrast keeps it.
    """

    def __init__(self, surfaces: Iterable[Rgb] = ()) -> None:
        super().__init__()
        self._entries = separate_entries(surfaces)
        self.map_style = lru_cache(_STYLES)(self._map_style)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        map_style = self.map_style
        return [
            Segment(text, None if style is None else map_style(style), control)
            for text, style, control in segments
        ]

    def entry(self, rgb: Rgb) -> int:
        """Return the entry of a surface, else the nearest."""
        entry = self._entries.get(rgb)
        return nearest_entry(rgb) if entry is None else entry

    def text_entry(self, rgb: Rgb, ground: Rgb) -> int:
        """Return the nearest entry with the contrast that a colour has on its background."""
        entry = self.entry(rgb)
        needed_contrast = contrast(rgb, ground)
        if needed_contrast < SIGN_CONTRAST:
            return entry
        needed_contrast = TEXT_CONTRAST if needed_contrast >= TEXT_CONTRAST else SIGN_CONTRAST
        below = ENTRIES[self.entry(ground)]
        for candidate in self._candidates(entry, rgb):
            if contrast(ENTRIES[candidate], below) >= needed_contrast:
                return candidate
        return entry

    @staticmethod
    def _candidates(entry: int, rgb: Rgb) -> Iterator[int]:
        yield entry
        for _, other in _distances(rgb):
            yield other

    def _map_style(self, style: Style) -> Style:
        ink, ground = _rgb(style.color), _rgb(style.bgcolor)
        if ink is None and ground is None:
            return style
        text = None
        if ink is not None:
            text = self.entry(ink) if ground is None else self.text_entry(ink, ground)
        return style + Style.from_color(
            None if text is None else RichColor.from_ansi(text),
            None if ground is None else RichColor.from_ansi(self.entry(ground)),
        )


def _rgb(colour: RichColor | None) -> Rgb | None:
    if colour is None or colour.triplet is None:
        return None
    red, green, blue = colour.triplet
    return red, green, blue
