"""Limits on the work of comparing patterns and schemas."""

from __future__ import annotations


class Undecidable(Exception):
    """An unanswered question about patterns; `candidate` is a string that may be the answer."""

    def __init__(self, reason: str, candidate: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.candidate = candidate


class Work:
    """A limit on steps, not time, for the same results everywhere; `whole` is spent as well."""

    __slots__ = ("_whole", "remaining_steps")

    def __init__(self, steps: int, whole: Work | None = None) -> None:
        self.remaining_steps = steps
        self._whole = whole

    def spend(self, steps: int) -> None:
        """Raises Undecidable if nothing is left."""
        self.remaining_steps -= steps
        if self.remaining_steps < 0:
            raise Undecidable("the patterns are too large to compare")
        if self._whole is not None:
            self._whole.spend(steps)
