"""Intervals of numbers with exact bounds: integers or all numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

Number = int | float
_DIGITS = 18  # Maximum number of decimals to try for a number between two others.
_WHOLE_FROM = 2**53  # From here on every float is an integer.


class Interval(NamedTuple):
    """The numbers between two bounds; None is unbounded."""

    low: Number | None = None
    low_open: bool = False
    high: Number | None = None
    high_open: bool = False
    integer: bool = False  # Only integers; 1.0 is one.
    step: int = 1  # Only multiples of this integer.

    def at_least(self, low: Number, is_open: bool = False) -> Interval:
        """The part from a number on; with `is_open`, without that number."""
        if self.low is not None and (self.low > low or (self.low == low and self.low_open)):
            return self
        return self._replace(low=low, low_open=is_open)

    def at_most(self, high: Number, is_open: bool = False) -> Interval:
        """The part up to a number; with `is_open`, without that number."""
        if self.high is not None and (self.high < high or (self.high == high and self.high_open)):
            return self
        return self._replace(high=high, high_open=is_open)

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int | float):
            return False
        if self.integer and not (is_whole(number) and int(number) % self.step == 0):
            return False
        if self.low is not None and (number < self.low or (self.low_open and number == self.low)):
            return False
        return self.high is None or not (
            number > self.high or (self.high_open and number == self.high)
        )

    @property
    def lowest_whole(self) -> int | None:
        """The lowest integer that the lower bound and step allow; None without a lower bound."""
        if self.low is None:
            return None
        whole = math.ceil(self.low)
        whole += self.low_open and whole == self.low
        return whole + -whole % self.step

    @property
    def highest_whole(self) -> int | None:
        if self.high is None:
            return None
        whole = math.floor(self.high)
        whole -= self.high_open and whole == self.high
        return whole - whole % self.step

    @property
    def is_empty(self) -> bool:
        """Whether the interval contains no number, not even one that a float cannot represent."""
        if self.low is None or self.high is None:
            return False
        if self.integer:
            low, high = self.lowest_whole, self.highest_whole
            return low is not None and high is not None and low > high
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    @property
    def is_point(self) -> bool:
        """Whether the interval contains exactly one number."""
        if self.integer:
            return self.low is not None and self.lowest_whole == self.highest_whole
        return self.low is not None and self.low == self.high and not self.is_empty

    def near_high(self) -> Number | None:
        """A simple number near the upper bound; None if none exists or can be represented."""
        whole = self.highest_whole
        if whole is None:
            whole = max(self.lowest_whole or 0, 0)
        return whole if whole in self else self._between(downward=True)

    def near_low(self) -> Number | None:
        """A simple number near the lower bound."""
        whole = self.lowest_whole
        if whole is None:
            whole = min(self.highest_whole or 0, 0)
        return whole if whole in self else self._between(downward=False)

    def fraction(self) -> float | None:
        """A number that is not an integer; None if none exists or can be represented."""
        if self.integer:
            return None
        whole = self.near_low()
        if whole is None:
            return None
        if not is_whole(whole):
            return float(whole)
        ends = (end for end in (self.low, self.high) if end is not None and not is_whole(end))
        for number in (*_beside(whole), *ends):
            if number in self and not is_whole(number):
                return float(number)
        return None

    @property
    def is_finite(self) -> bool:
        """Whether the interval contains finitely many numbers."""
        is_bounded = self.low is not None and self.high is not None
        return self.is_empty or self.is_point or (self.integer and is_bounded)

    @property
    def _is_beyond(self) -> bool:
        """Whether a bound is so large that every float near it is an integer."""
        return any(abs(end) >= _WHOLE_FROM for end in (self.low, self.high) if end is not None)

    def _between(self, downward: bool) -> Number | None:
        """The number with the fewest decimals, if no integer is between the bounds."""
        if self.integer or self.low is None or self.high is None:
            return None
        if self.is_empty or self._is_beyond:
            return None
        up, down = self.low.as_integer_ratio(), self.high.as_integer_ratio()
        for digits in range(1, _DIGITS):
            scale: int = 10**digits
            first = -(-up[0] * scale // up[1])
            last = down[0] * scale // down[1]
            order = range(last, first - 1, -1) if downward else range(first, last + 1)
            for numerator in order[:3]:
                if numerator / scale in self:
                    return numerator / scale
        middle = self.low / 2 + self.high / 2
        for number in (middle, self.low, self.high):
            if number in self:
                return number
        return None

    def values(self) -> Iterator[Number]:
        """Different numbers: all of a finite interval, otherwise as many as can be represented."""
        low, high = self.lowest_whole, self.highest_whole
        if low is not None and high is not None:
            yield from range(low, high + 1, self.step)
        elif low is not None:
            yield from count(low, self.step)
        elif high is not None:
            yield from count(high, -self.step)
        else:
            yield 0
            for number in count(self.step, self.step):
                yield number
                yield -number
        if not self.integer and not self.is_empty:
            yield from self._parts()

    def _parts(self) -> Iterator[float]:
        """Fractions between two bounds, with ever finer steps."""
        if self.low is None or self.high is None or self._is_beyond:
            return
        seen_numbers: set[Number] = set()
        last_count = -1
        parts = 1
        while len(seen_numbers) > last_count:
            last_count = len(seen_numbers)
            for part in range(parts + 1):
                number = self.low + (self.high - self.low) * (part / parts)
                if number not in seen_numbers and not is_whole(number) and number in self:
                    seen_numbers.add(number)
                    yield float(number)
            parts *= 2 if last_count else 8


def is_whole(number: Number) -> bool:
    return isinstance(number, int) or number.is_integer()


def _beside(whole: Number) -> Iterator[float]:
    """Fractions on both sides of a number."""
    if abs(whole) >= _WHOLE_FROM:
        return
    step = 0.5
    for _ in range(60):
        yield whole + step
        yield whole - step
        step /= 2 if step < 0.01 else 5
