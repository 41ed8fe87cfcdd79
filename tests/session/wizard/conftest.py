"""End the processes that wizards of tests render with; nothing else closes most of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from skillstudio.scaffold.new.renderer import Renderer


@pytest.fixture(autouse=True)
def _no_renderer_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    begun: list[Renderer] = []
    init = Renderer.__init__

    def begin(self: Renderer, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        begun.append(self)

    monkeypatch.setattr(Renderer, "__init__", begin)
    yield
    for each in begun:
        each.close()
