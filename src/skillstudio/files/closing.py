"""What holds on to something until it is closed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Closed at the end of the `with` that it stands in."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what is held. Closing twice does no harm."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
