"""However large or hostile a file is, little of it is read and held."""

from __future__ import annotations

import gzip
import sqlite3
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from tests.preview.samples import archive_tar, archive_zip, database, wasm

from skillstudio.preview.files import HOWS, view_of
from skillstudio.preview.source import ByteSource, MemorySource, open_source
from skillstudio.preview.view import MOST_LINES, first_line
from skillstudio.preview.views.text import LONGEST

HUGE = 2 << 30
MOST_MEMORY = 50 << 20
MOST_READ = 12 << 20


class Counting:
    """A source that counts what is read of it, of any size, its bytes made up."""

    def __init__(self, name: str, size: int, make: Callable[[int, int], bytes]) -> None:
        self.name, self.size, self.mode, self.state = name, size, None, ""
        self.taken = 0
        self._make = make

    def read(self, offset: int, length: int) -> bytes:
        length = max(min(length, self.size - offset), 0)
        self.taken += length
        return self._make(offset, length)


def repeated(unit: bytes) -> Callable[[int, int], bytes]:
    def make(offset: int, length: int) -> bytes:
        start = offset % len(unit)
        return (unit * (length // len(unit) + 2))[start : start + length]

    return make


HOSTILE = {
    "lines.txt": b"a line of text\n",
    "no-end.txt": b"x",
    "no-end.json": b'{"a":[',
    "deep.json": b"[",
    "no-end.md": b"*a [b](",
    "quotes.md": b"> ",
    "long.csv": b"1,",
    "quoted.csv": b'"',
    "code.py": b'"""',
    "code.rb": b"<<A ",
    "escapes.log": b"\x1b[31m\x07",
    "characters.txt": "𝄞".encode(),
    "broken.txt": b"\xe9a",
    "zeros.bin": b"\0",
    "page.html": b"<",
    "log.jsonl": b'{"a": 1}\n',
    "data.yaml": b"a: &a [*a, ",
    "t.toml": b"[[a.",
    "x.org": b"*",
    "a.svg": b"<svg ",
}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", HOSTILE)
def test_of_two_gigabytes_little_is_read_and_held(name: str, how: str) -> None:
    source = Counting(name, HUGE, repeated(HOSTILE[name]))
    tracemalloc.start()
    try:
        view = view_of(source, how)  # type: ignore[arg-type]
        lines = view.lines(0, 100)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert lines
    assert len(lines) <= 100
    assert sum(len(span.text) for line in lines for span in line) < 2 << 20
    assert source.taken < MOST_READ
    assert peak < MOST_MEMORY


@pytest.mark.parametrize(
    ("name", "data"),
    {
        "png": (b"\x89PNG\r\n\x1a\n" + bytes(100)),
        "jpeg": b"\xff\xd8" + b"\xff\xe0\x00\x02" * 100_000,
        "filled jpeg": b"\xff\xd8" + b"\xff" * 1_000_000,
        "sqlite": b"SQLite format 3\0" + b"\xff" * 4096,
        "wasm": b"\0asm\1\0\0\0" + b"\x02\xff\xff\xff\xff\x0f" * 10,
        "zip": b"PK\3\4" + bytes(50) + b"PK\5\6" + b"\xff" * 18,
        "zip64": b"PK\3\4" + b"PK\6\7" + b"\xff" * 16 + b"PK\5\6" + b"\xff" * 18,
        "empty zip": b"PK\5\6" + bytes(18),
        "gzip": gzip.compress(b"x" * 1000)[:-30] + bytes(9),
        "tar": archive_tar({"a": b""})[:257] + b"ustar" + b"\xff" * 700,
        "webp": b"RIFF....WEBPVP8L" + bytes(3),
        "utf-16": b"\xff\xfe\x00\xd8",
    }.items(),
)
def test_a_damaged_file_says_so_or_shows_what_there_is(name: str, data: bytes) -> None:
    view = view_of(MemorySource(name, data))
    assert view.lines(0, 50)
    assert view.complete


def test_the_imports_before_a_large_section_are_listed() -> None:
    size = 3 << 19  # More than is read.
    section = b"\0" + bytes((size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14)) + bytes(size)
    texts = view_of(MemorySource("a.wasm", wasm() + section)).texts(0, 20)
    assert texts[2:] == view_of(MemorySource("a.wasm", wasm())).texts(0, 20)[2:]


def test_a_zip_bomb_is_only_listed() -> None:
    data = archive_zip({f"{n}.bin": bytes(20 << 20) for n in range(3)})
    source = Counting("a.zip", len(data), lambda at, size: data[at : at + size])
    tracemalloc.start()
    view = view_of(source)
    shown = view.texts(0, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 << 20
    assert [each.split()[-1] for each in shown[::2]] == ["0.bin", "1.bin", "2.bin"]
    assert all("times its compressed size" in each for each in shown[1::2])
    assert "3 entries, 60.0 MiB unpacked" in view.note


def test_a_bomb_of_gzip_is_unpacked_no_further_than_is_said() -> None:
    data = gzip.compress(archive_tar({"zeros": bytes(30 << 20), "after": b""}), 9)
    tracemalloc.start()
    view = view_of(MemorySource("a.tgz", data))
    shown = view.texts(0, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20
    assert shown[0].endswith("31,457,280  zeros")
    assert shown[1].startswith("the rest is not listed: only unpacked up to")


def test_of_many_entries_the_first_are_listed() -> None:
    data = archive_zip({f"{n:05}": b"" for n in range(3_000)})
    view = view_of(MemorySource("a.zip", data))
    assert len(view.lines(900, 400)) == 100
    assert "the first 1,000 are listed" in view.note
    assert "3,000 entries" in view.note


def test_a_tar_of_nothing_but_headers_ends() -> None:
    unit = archive_tar({"é" * 60: b""})[:1024].replace(b"path=", b"atad=")
    assert unit[156:157] == b"x"
    source = Counting("a.tar", HUGE, repeated(unit))
    assert view_of(source).texts(0, 9) == ["the rest is not listed: it contains little but headers"]
    assert source.taken < MOST_READ


def test_a_picture_that_would_fill_the_memory_is_told() -> None:
    head = struct.pack(">IIBBBBB", 65_000, 65_000, 8, 2, 0, 0, 0)
    view = view_of(MemorySource("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + head + bytes(4)))
    assert any("of memory" in text for text in view.texts(0, 9))


@pytest.mark.slow
def test_lines_far_down_are_found_step_by_step() -> None:
    source = Counting("a.txt", 32 << 20, repeated(b"0123456789abcde\n"))
    view = view_of(source, "raw")
    wanted = (32 << 20) // 16 - 1
    calls = 0
    before = 0
    while not view.lines(wanted, 5) and not view.complete:
        calls += 1
        assert source.taken - before <= 5 << 20
        before = source.taken
    assert calls >= 6
    assert view.texts(wanted, 5) == ["0123456789abcde"]
    assert (view.count, view.complete) == (wanted + 1, True)


def test_any_offset_of_a_huge_file_is_one_read() -> None:
    source = Counting("a.bin", HUGE, repeated(bytes(range(256))))
    view = view_of(source, "hex")
    before = source.taken
    assert view.texts(HUGE // 16 - 1, 5)[0].startswith("7ffffff0  f0 f1")
    assert source.taken - before == 16


def test_a_line_without_end_is_broken_up_between_characters() -> None:
    text = "é𝄞" * 5_000
    view = view_of(MemorySource("a.txt", text.encode()), "raw")
    found = view.texts(0, 100)
    assert "".join(found) == text
    assert all(len(each.encode()) <= LONGEST for each in found)
    assert "lines of more than 4,096 bytes are broken up" in view.note


@pytest.mark.parametrize("start", [0, 1, 63, 64, 65, 999, 1000, 4321, 9_990])
def test_a_window_of_lines_is_the_same_from_wherever_it_is_come_to(start: int) -> None:
    lines = [f"{n} " + "x" * (n * 7919 % 300) for n in range(10_000)]
    source = MemorySource("a.py", "\r\n".join(lines).encode())
    fresh = view_of(source)
    assert fresh.texts(start, 20) == lines[start : start + 20]
    assert ["".join(s.text for s in each) for each in fresh.lines(start, 20)] == lines[
        start : start + 20
    ]


def test_no_more_lines_are_given_at_once_than_a_screen_could_hold() -> None:
    view = view_of(MemorySource("a.txt", b"x\n" * 5_000))
    assert len(view.lines(0, 10**9)) == MOST_LINES
    assert view.lines(-5, 3) == view.lines(0, 3)
    assert view.lines(10, -1) == []


def test_markdown_shows_more_when_it_is_asked_to() -> None:
    text = "".join(f"word {n}\n\n" for n in range(4_000))
    view = view_of(MemorySource("a.md", text.encode()))
    counts = []
    while view is not None:
        while not view.complete:
            view.lines(view.count, MOST_LINES)
        counts.append(view.count)
        grown = view.load_more()
        assert (grown is None) == ("are shown" not in view.note)
        if grown is None:
            break
        view = grown
    assert counts == sorted(counts)
    assert counts[-1] == 7_999


def test_a_search_reads_no_more_than_is_wanted() -> None:
    source = Counting("a.txt", 64 << 20, repeated(b"one\nTwo\n"))
    assert first_line(view_of(source, "raw"), "tWO", 2, lambda: True) == 3
    answers = iter((True, False))
    assert first_line(view_of(source, "raw"), "three", 0, lambda: next(answers)) == -1
    assert source.taken < 1 << 20
    whole = view_of(MemorySource("a.txt", b"a\nb\nab\n"))
    assert first_line(whole, "B", 2, lambda: True) == 2
    assert first_line(whole, "c", 0, lambda: True) == -1
    assert first_line(whole, "", 0, lambda: True) == -1


def sqlite_file(tmp_path: Path, *statements: str) -> ByteSource:
    path = tmp_path / "a.db"
    path.write_bytes(database(*statements))
    found = open_source(str(path))
    assert not isinstance(found, tuple)
    return found


def test_a_database_runs_nothing_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    source = sqlite_file(
        tmp_path,
        'CREATE TABLE [odd "name"](a)',
        "INSERT INTO [odd \"name\"] VALUES('\x1b[2J' || char(10))",
        "CREATE VIEW v AS SELECT randomblob(1000000000)",
        "CREATE TABLE big(b)",
        "INSERT INTO big VALUES(zeroblob(1000000))",
    )
    view = view_of(source)
    shown = view.texts(0, 50)
    assert shown[:4] == ['odd "name"  1 row', "  a", "  ─────", "  ␛[2J␊"]
    assert "v  a view: it runs code, so it is not read" in shown
    assert any(each.startswith("big  cannot be read") for each in shown)
    assert [each.name for each in tmp_path.iterdir()] == ["a.db"]


def test_a_database_may_be_read_on_in_another_thread(tmp_path: Path) -> None:
    statements = [f"CREATE TABLE t{n}(a)" for n in range(20)]
    view = view_of(sqlite_file(tmp_path, *statements))
    assert view.texts(0, 1) == ["t0  0 rows"]
    found: list[str] = []
    thread = Thread(target=lambda: found.extend(view.texts(4, 400)))
    thread.start()
    thread.join()
    assert "t19  0 rows" in found


def test_the_work_on_a_database_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t(a)")
    connection.executemany("INSERT INTO t VALUES(?)", [(n,) for n in range(3_000)])
    connection.commit()
    connection.close()
    view = view_of(open_source(str(path)))
    shown = view.texts(0, 50)
    assert shown[0] == "t  more than 1,000 rows"
    assert len(shown) == 1 + 2 + 20 + 1 + 1


def test_a_schema_without_end_is_given_up(tmp_path: Path) -> None:
    # SQLite takes minutes to read it, and a hundred megabytes.
    path = tmp_path / "a.db"
    connection = sqlite3.connect(path)
    for each in ("journal_mode=off", "synchronous=off", "writable_schema=on"):
        connection.execute(f"PRAGMA {each}")
    connection.execute("CREATE TABLE t(a)")
    rows = ((f"t{n}", f"t{n}", f"CREATE TABLE t{n}(a)") for n in range(60_000))
    connection.executemany("INSERT INTO sqlite_master VALUES('table', ?, ?, 2, ?)", rows)
    connection.commit()
    connection.close()
    assert view_of(open_source(str(path))).texts(0, 9) == ["it cannot be read: it takes too long"]


def test_what_sqlite_quotes_of_a_damaged_schema_is_shown() -> None:
    data = database("CREATE TABLE t(a)").replace(b"CREATE TABLE", b"CREATE \x80ABLE")
    (shown,) = view_of(MemorySource("a.db", data)).texts(0, 9)
    assert shown.startswith("it cannot be read: malformed database schema (t)")
    assert "\ufffd" in shown


def test_of_a_long_table_the_first_rows_are_shown_and_all_are_counted() -> None:
    view = view_of(MemorySource("a.csv", b"n,m\n" + b"1,2\n" * 5_000))
    while not view.complete:
        view.lines(view.count, MOST_LINES)
    assert view.count == 502
    assert view.note == "5,000 rows, 2 columns, the first 500 are shown"
