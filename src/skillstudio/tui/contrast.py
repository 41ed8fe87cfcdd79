"""The contrast of two colours, as WCAG 2 defines it."""

from __future__ import annotations

from functools import cache

Rgb = tuple[int, int, int]

TEXT_CONTRAST, SIGN_CONTRAST = 4.5, 3.0
"""What WCAG 2 level AA requires of text, and of signs."""


@cache
def linear(part: int) -> float:
    """Return the intensity of a channel in sRGB, from 0 to 1."""
    share = part / 255
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)


def luminance(rgb: Rgb) -> float:
    """Return the relative luminance, from 0 to 1."""
    red, green, blue = map(linear, rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: Rgb, second: Rgb) -> float:
    """Return the contrast, from 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
