"""Any bytes under any name are shown in every way, at any width, safely and soon."""

from __future__ import annotations

import gzip
import sqlite3
import struct
import tarfile
from pathlib import Path
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.preview.samples import samples

from skillstudio.files.kind import kind_of
from skillstudio.preview.files import HOWS, How, view_of
from skillstudio.preview.source import ByteSource, MemorySource, Special, open_source
from skillstudio.preview.view import FileView
from skillstudio.preview.views.colours import tables
from skillstudio.text.safe import safe_text

SECONDS = 1.0
"""Of the processor, for a view: ten times what it may take, so that no busy machine fails."""
SAMPLES = samples()
SUFFIXES = sorted({Path(each.name).suffix for each in SAMPLES} | {".org", ".nix", ".r", ".proto"})
BEGINNINGS = sorted({each.data[:size] for each in SAMPLES for size in (4, 16, 64, 512)})


def shown(source: ByteSource | Special, how: How = "preview", width: int = 80) -> FileView:
    """A view whose first lines, and some further down, are safe and were there soon."""
    began = thread_time()
    view = view_of(source, how, width)
    for start in (0, 90, view.count):
        for line in view.lines(start, 100):
            for span in line:
                assert span.text == safe_text(span.text)
    assert safe_text(view.note) == view.note
    assert safe_text(view.title) == view.title
    assert thread_time() - began < SECONDS
    return view


@pytest.mark.slow_cases("preview")
@pytest.mark.parametrize("how", HOWS)
def test_every_file_of_real_skills_is_shown(data: Path, how: How) -> None:
    files = sorted(path for path in (data / "corpus").rglob("*") if path.is_file())
    assert len(files) > 300
    for path in files[:: 1 if how == "preview" else 5]:
        view = shown(open_source(str(path)), how, 47)
        assert view.count or not path.stat().st_size


@given(
    st.one_of(st.just(b""), st.sampled_from(BEGINNINGS)),
    st.one_of(st.binary(max_size=600), st.text(max_size=200).map(str.encode)),
    st.sampled_from(SUFFIXES),
    st.sampled_from(HOWS),
    st.integers(1, 200),
)
def test_any_bytes_are_shown(begin: bytes, rest: bytes, suffix: str, how: How, width: int) -> None:
    view = shown(MemorySource(f"name{suffix}", begin + rest), how, width)
    assert view.count or not begin + rest or view.note


@given(st.binary(max_size=64), st.text(max_size=12))
def test_any_head_has_a_kind(head: bytes, name: str) -> None:
    kind, is_text = kind_of(name, head)
    assert kind
    assert is_text or head
    assert not is_text or kind not in {
        "zip", "tar", "gzip", "sqlite", "png", "jpeg", "gif", "webp", "wasm"
    }  # fmt: skip


def test_every_kind_that_has_a_view_or_a_lexer_is_one() -> None:
    import tomllib

    table = Path(kind_of.__code__.co_filename).with_name("kinds.toml")
    kinds = tomllib.loads(table.read_text(encoding="utf-8"))
    named = {each["kind"] for each in (*kinds["magic"], *kinds["bytes"])}
    for part in ("name", "suffix", "shebang", "begins", "no_text"):
        named |= set(kinds[part].values())
    assert len(named) > 90
    assert {*tables()["view"], *tables()["lexer"]} <= named


# Archives.


def test_a_list_of_contents_that_lies_of_its_size_is_not_believed() -> None:
    most = (1 << 64) - 1
    for start in (0, 4, most):
        record = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, most, most, most, start)
        locator = struct.pack("<4sIQI", b"PK\6\7", 0, 4, 1)
        end = b"PK\5\6" + bytes(4) + b"\xff" * 12 + bytes(2)
        view = shown(MemorySource("a.zip", b"PK\3\4" + record + locator + end))
        assert view.texts(0, 9) == ["the rest of the directory is damaged"]


def test_of_entries_that_are_the_same_bytes_each_is_listed() -> None:
    head = struct.pack("<4sBBHHHHHIIIHHHHHII", b"PK\1\2", 20, 3, 20, 0, 8, 0, 0, 0, 9, 0xFFFFFFF0,
                       1, 0, 0, 0, 0, 0o100644 << 16, 0) + b"a"  # fmt: skip
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 500, 500, len(head) * 500, 4, 0)
    view = shown(MemorySource("a.zip", b"PK\3\4" + head * 500 + end))
    assert view.texts(0, 2)[0] == "0644  4,294,967,280  a"
    assert "500 entries, 2.0 TiB unpacked" in view.note


def test_packed_pieces_behind_one_another_end() -> None:
    view = shown(MemorySource("a.gz", gzip.compress(b"") * 50_000))
    assert view.texts(0, 1) == ["it cannot be listed: it consists of more than 1,000 gzip members"]


@pytest.mark.parametrize("size", [1 << 20, 1 << 33])
def test_headers_that_are_far_too_long_are_passed_over(size: int) -> None:
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = b"x", size
    header = entry.tobuf(tarfile.GNU_FORMAT)
    sparse = tarfile.TarInfo("s")
    sparse.type, sparse.size = tarfile.GNUTYPE_SPARSE, 1 << 40
    for data in (header, header + bytes(1 << 20) + header, sparse.tobuf(tarfile.GNU_FORMAT) * 9):
        assert shown(MemorySource("a.tar", data)).complete


# Databases.


def database(path: Path, *statements: str) -> ByteSource | Special:
    connection = sqlite3.connect(path, isolation_level=None)
    for each in ("PRAGMA synchronous=off", "PRAGMA journal_mode=off", "BEGIN", *statements):
        connection.execute(each)
    connection.commit()
    connection.close()
    return open_source(str(path))


def test_what_a_database_would_compute_is_not_computed(tmp_path: Path) -> None:
    view = shown(database(
        tmp_path / "a.db",
        "CREATE TABLE t(a)",
        "INSERT INTO t VALUES(1)",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO t VALUES(new.a); END",
        "CREATE TABLE w(a)",
        f"INSERT INTO w VALUES('{'ab' * 100_000}')",
        "PRAGMA writable_schema=on",
        # Each a of the text is held against twenty thousand signs, in one step of the database.
        f"""UPDATE sqlite_schema SET sql = 'CREATE TABLE w(a, "o "" dd",
            b AS (a LIKE ''%a{"_" * 20_000}c''), c AS (1))' WHERE name = 'w'""",
        *(f"CREATE VIEW v{n} AS SELECT * FROM v{n + 1}, v{n + 1}" for n in range(30)),
    ))  # fmt: skip
    texts = view.texts(0, 100)
    assert texts[0] == "t  1 row"
    at = texts.index("w  1 row, 2 computed columns not read")
    assert texts[at + 1].split() == ["a", "│", "o", '"', "dd"]
    assert "v0  a view: it runs code, so it is not read" in texts


def test_what_stands_in_a_log_beside_a_database_is_said_to_be_missing(tmp_path: Path) -> None:
    source = database(tmp_path / "a.db", "CREATE TABLE t(a)")
    (tmp_path / "a.db-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(100))
    assert "-wal file are not shown" in shown(source).note
    assert (tmp_path / "a.db-wal").stat().st_size == 104


def test_many_tables_are_cut_and_damaged_pages_are_told(tmp_path: Path) -> None:
    many = database(tmp_path / "many.db", *(f"CREATE TABLE t{n}(a)" for n in range(300)))
    view = shown(many)
    assert view.texts(200, 100)[-1] == "more than 50 tables; the first are shown"
    path = tmp_path / "bad.db"
    database(path, "CREATE TABLE t(a)", "INSERT INTO t VALUES(zeroblob(30000))")
    data = bytearray(path.read_bytes())
    data[4096:8192] = b"\xee" * 4096
    path.write_bytes(data)
    assert "cannot be read" in shown(open_source(str(path))).texts(0, 1)[0]


# Text.


@pytest.mark.parametrize(
    ("name", "data"),
    {
        "deep.json": b"[" * 100_000 + b"]" * 100_000,
        "numbers.json": b"[" + b"9" * 1_000_000 + b"]",
        "cell.csv": b"a,b\n1," + b"x" * (1 << 20) + b"\n2,3\n",
        "columns.csv": (b",".join([b"a"] * 100_000) + b"\n") * 3,
        "open.csv": b'a,b\n"' + b"x,y\n" * 60_000,
        "lists.md": "".join("  " * n + "- a\n" for n in range(1_500)).encode(),
        "quotes.md": b"> " * 100_000,
        "fence.md": b"```python\n" + b"x = 1\n" * 50_000,
        "brackets.md": b"[" * 200_000,
        "stars.md": b"*a **b " * 50_000,
        "ticks.md": b"".join(b"`" * n + b"a" for n in range(500)),
        "columns.md": b"|a" * 3_000 + b"|\n" + b"|-" * 3_000 + b"|\n" + b"|b" * 3_000 + b"|\n",
        "aliases.yaml": b"a: &a [*a, *a]\n" * 20_000,
        "stars.org": b"*a /b =c ~d " * 50_000,
        "tables.toml": b"[[a.b]]\nc = 1\n" * 50_000,
    }.items(),
)
def test_what_is_made_to_take_long_does_not(name: str, data: bytes) -> None:
    for how in HOWS:
        assert shown(MemorySource(name, data), how, 47).count


def test_a_file_of_no_bytes_is_not_read(tmp_path: Path) -> None:
    path = Path("/proc/self/status")
    source = open_source(str(path)) if path.exists() else MemorySource("status", b"")
    assert not isinstance(source, Special)
    assert source.read(0, 100) == b""
    assert shown(source).note == "it is empty"


def test_what_comes_to_a_file_is_not_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    source = open_source(str(path))
    with path.open("a") as file:
        file.write("two\n" * 100_000)
    view = shown(source)
    assert view.texts(0, 9) == ["one"]
    assert "changed while it was shown" in view.note
