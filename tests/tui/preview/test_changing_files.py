"""A file that changes or disappears while it is shown: this is reported, nothing else changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.tui.conftest import Open, seen

from skillstudio.session.previewing.files import PreviewFileRow

from .conftest import settled, to_preview, view

TEXT = "".join(f"line {n}\n" for n in range(100_000))


def _shorter(path: Path) -> None:
    path.write_text("line 0\n")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "shorter": (_shorter, "changed"),
    "gone": (Path.unlink, "removed after it was opened"),
    "a pipe": (_pipe, "replaced after it was opened"),
    "a link": (_link, "replaced after it was opened"),
}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are of Unix")
@pytest.mark.parametrize("how", CHANGES)
async def test_the_end_is_looked_for_in_a_file_that_is_no_more(
    open_studio: Open, kept: Path, how: str
) -> None:
    change, message = CHANGES[how]
    path = kept.parent / "shown.txt"
    path.write_text(TEXT)
    async with open_studio(kept, (100, 36)) as pilot:
        await to_preview(pilot)
        preview = view(pilot)
        assert preview.state is not None
        row = PreviewFileRow("+", "shown.txt", "text", len(TEXT), new=str(path))
        preview.show(preview.state._replace(rows=(row,)))
        assert "line 9" in await settled(pilot)
        change(path)
        await pilot.press("enter", "G")
        screen = await seen(pilot, message)
        assert "root:" not in screen
        await pilot.press("g", "v", "v")
        assert "root:" not in await settled(pilot)
