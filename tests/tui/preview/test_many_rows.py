"""Only the visible rows of a run that changed very many files are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.conftest import Open

from skillstudio.session.previewing.files import PreviewFileRow
from skillstudio.tui.widgets.preview.table import FileTable

from .conftest import settled, to_preview, view

MANY = 200_000


class Counted(tuple[PreviewFileRow, ...]):
    """Rows that count how often all of them were gone through."""

    walks = 0

    def __iter__(self) -> Iterator[PreviewFileRow]:
        Counted.walks += 1
        return super().__iter__()


@pytest.mark.slow
async def test_no_key_costs_more_for_more_rows(
    open_studio: Open, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_studio(kept, (120, 36)) as pilot:
        await to_preview(pilot)
        assert view(pilot).state is not None
        made: list[int] = []
        line = FileTable._line
        monkeypatch.setattr(
            FileTable, "_line", lambda self, index: made.append(index) or line(self, index)
        )
        rows = Counted(PreviewFileRow("+", f"out/{n:07}.txt", "text", n) for n in range(MANY))
        view(pilot).show(view(pilot).state._replace(rows=rows))  # type: ignore[union-attr]
        assert "out/0000003.txt" in await settled(pilot)
        Counted.walks = 0
        await pilot.press("down", "down", "G")
        assert f"out/{MANY - 1:07}.txt" in await settled(pilot)
        assert Counted.walks == 0
        assert len(set(made)) < 200
