"""What is not to be seen is not seen, wherever a file is cut to be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.preview.samples import database

from skillstudio.preview.files import HOWS, How, view_of
from skillstudio.preview.masked import MaskedSource
from skillstudio.preview.source import MemorySource

LETTERS = st.text("ab", max_size=30).map(str.encode)


@given(LETTERS, st.lists(st.text("ab", min_size=1, max_size=5).map(str.encode), max_size=3))
def test_any_piece_is_that_of_the_whole(data: bytes, hidden: list[bytes]) -> None:
    source = MaskedSource(MemorySource("a", data), hidden)
    whole = source.read(0, len(data))
    assert len(whole) == len(data)
    assert all(each not in whole for each in hidden)
    assert all(new in (old, ord("*")) for old, new in zip(data, whole, strict=True))
    for at in range(len(data)):
        assert source.read(at, 3) == whole[at : at + 3]


SECRET = b"hunter2hunter2"
FILES = {
    "a.txt": b"x" * 65_530 + SECRET + b"\n",
    "a.md": b"# Key\n\nIt is **" + SECRET + b"**.\n",
    "a.json": b'{"key": "' + SECRET + b'"}',
    "a.csv": b"a,b\n1," + SECRET + b"\n",
    "a.bin": bytes(9) + SECRET,
    "a.db": database("CREATE TABLE t(a)", f"INSERT INTO t VALUES('{SECRET.decode()}')"),
}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", FILES)
def test_no_view_shows_it(name: str, how: How) -> None:
    source = MaskedSource(MemorySource(name, FILES[name]), [SECRET, SECRET[:7]])
    view = view_of(source, how)
    shown: list[str] = []
    while batch := view.texts(len(shown), 400):
        shown += batch
    text = "\n".join(shown)
    assert "hunter" not in text
    assert SECRET.hex(" ")[:20] not in text
    assert "****" in text or "2a 2a 2a" in text


def test_nothing_hidden_is_nothing_changed() -> None:
    source = MaskedSource(MemorySource("a", b"abc", 0o644), [b""])
    assert (source.read(0, 9), source.size, source.mode, source.state) == (b"abc", 3, 0o644, "")
