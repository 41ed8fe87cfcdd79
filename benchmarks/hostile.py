"""Files that are large, damaged or made to harm a program that shows them."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

HUGE = 2 << 30
Make = Callable[[Path], None]


def sparse(begin: bytes) -> Make:
    """A file of two gigabytes that takes no room."""

    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.write(begin)
            file.truncate(HUGE)

    return make


def dense(unit: bytes) -> Make:
    """A file of two gigabytes that takes as much room."""

    def make(path: Path) -> None:
        piece = unit * ((4 << 20) // len(unit))
        with path.open("wb") as file:
            for _ in range(HUGE // len(piece) + 1):
                file.write(piece)

    return make


def bytes_of(data: bytes) -> Make:
    return lambda path: path.write_bytes(data) and None


def repeated(unit: bytes, size: int = 10 << 20, begin: bytes = b"") -> Make:
    return lambda path: path.write_bytes(begin + (unit * (size // len(unit) + 1))[:size]) and None


def holes(path: Path) -> None:
    """Some bytes, and between them nothing."""
    with path.open("wb") as file:
        for at in range(0, HUGE, HUGE // 16):
            file.seek(at)
            file.write(b"here are some words\n")


# Archives.


def zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for number in range(5_000):
            made.writestr(f"folder/{number}.bin", b"")
        made.writestr("zeros", bytes(200 << 20))


def _listed(name: bytes, size: int, packed: int, at: int) -> bytes:
    head = struct.pack("<4sBBHHHHHIIIHHHHHII", b"PK\1\2", 20, 3, 20, 0, 8, 0, 0, 0, packed, size,
                       len(name), 0, 0, 0, 0, 0o100644 << 16, at)  # fmt: skip
    return head + name


def _ended(count: int, size: int, at: int) -> bytes:
    return struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, size, at, 0)


def zip_overlapping(path: Path) -> None:
    """All entries are one and the same piece of the file, of which each says that it is 4 GB."""
    piece = b"PK\3\4" + bytes(26) + zlib.compress(bytes(1 << 20))
    entries = b"".join(_listed(b"%d" % n, 0xFFFFFFF0, len(piece), 0) for n in range(60_000))
    path.write_bytes(piece + entries + _ended(60_000, len(entries), len(piece)))


def zip_of_a_million(path: Path) -> None:
    """A list of a million entries, as zip64 has them."""
    count = 1_000_000
    entries = b"".join(_listed(b"%07d" % n, 0, 0, 0) for n in range(count))
    record = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(entries), 4)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, 4 + len(entries), 1)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(b"PK\3\4" + entries + record + locator + end)


def zip64_lies(path: Path) -> None:
    """A list that says to be larger than any disk."""
    most = (1 << 64) - 1
    record = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, most, most, most, most)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, 4, 1)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(b"PK\3\4" + record + locator + end)


def tar(*entries: tuple[str, bytes, int]) -> bytes:
    """Headers of these names, types and sizes, with no bytes behind them."""
    out = io.BytesIO()
    for name, type, size in entries:
        entry = tarfile.TarInfo(name)
        entry.type, entry.size = type, size
        out.write(entry.tobuf(tarfile.GNU_FORMAT))
    return out.getvalue()


def tar_of_pax(path: Path) -> None:
    """Headers that say more of the next one, each a megabyte, and of one a gigabyte."""
    body = b"1048576 path=" + b"a" * (1048576 - 14) + b"\n"
    path.write_bytes((tar(("x", b"x", len(body))) + body) * 8 + tar(("x", b"x", 1 << 30)))


def tar_sparse(path: Path) -> None:
    path.write_bytes(tar(*((f"s{n}", tarfile.GNUTYPE_SPARSE, 1 << 33) for n in range(1_000))))


def gzip_bomb(path: Path) -> None:
    zeros = tar(("zeros", b"0", 200 << 20)) + bytes(200 << 20) + tar(("after", b"0", 0))
    path.write_bytes(gzip.compress(zeros, 6))


def gzip_of_members(path: Path) -> None:
    """A hundred thousand empty gzip files behind one another."""
    path.write_bytes(gzip.compress(b"") * 100_000)


# Databases.


def database(*statements: str, rows: tuple[str, int] = ("", 0)) -> Make:
    def make(path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode=off")
        connection.execute("PRAGMA synchronous=off")
        for each in statements:
            connection.execute(each)
        if rows[0]:
            connection.executemany(rows[0], ((n,) for n in range(rows[1])))
        connection.commit()
        connection.close()

    return make


def tables(count: int) -> Make:
    return database(*(f"CREATE TABLE t{n}(a, b, c)" for n in range(count)))


def corrupt(path: Path) -> None:
    database("CREATE TABLE t(a)", rows=("INSERT INTO t VALUES(?)", 20_000))(path)
    data = bytearray(path.read_bytes())
    data[4096 : 4096 + 8192] = os.urandom(8192)
    path.write_bytes(data)


def with_log(path: Path) -> None:
    """A database of which the newest lies in its -wal file."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=wal")
    connection.execute("CREATE TABLE t(a)")
    connection.commit()
    logged = Path(f"{path}-wal").read_bytes()
    connection.close()
    Path(f"{path}-wal").write_bytes(logged)


def png(width: int, height: int) -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n\0\0\0\r" + head + struct.pack(">I", zlib.crc32(head))


LINES = b"name,12,3.5,some words\n"
FILES: dict[str, Make] = {
    "sparse.txt": sparse(b"a line\n" * 10_000),
    "sparse.bin": sparse(b"\0\1\2"),
    "sparse.json": sparse(b'{"a": 1, ' * 10_000),
    "sparse.md": sparse(b"# Title\n\nword [link](x)\n\n" * 10_000),
    "sparse.csv": sparse(b"a,b,c\n1,2,3\n" * 10_000),
    "dense.log": dense(b"2026-01-02 10:00:00 a line of a log that goes on and on\n"),
    "holes.txt": holes,
    "plain.md": repeated(b"# A title\n\nSome *words* and `code`.\n\n- one\n- two\n\n"),
    "one-line.md": repeated(b"word "),
    "lists.md": lambda path: path.write_text(
        "".join("  " * (n % 2_000) + f"- item {n}\n" for n in range(10_000))[: 10 << 20]) and None,
    "quotes.md": repeated(b"> ", 10 << 20),
    "nested.md": repeated(b"> - > 1. ", 10 << 20),
    "links.md": repeated(b"[a link](http://example.org/page) "),
    "references.md": repeated(b"[a][b]\n\n[b]: http://example.org\n"),
    "fence.md": repeated(b"x = [1, 2, 3]\n", begin=b"```python\n"),
    "brackets.md": repeated(b"["),
    "stars.md": repeated(b"*a **b "),
    "lines_.md": repeated(b"_a __b "),
    "ticks.md": lambda path: path.write_text(
        "".join("`" * (n % 3_000) + "a" for n in range(8_000))) and None,
    "pictures.md": repeated(b"![a]("),
    "angles.md": repeated(b"<a "),
    "entities.md": repeated(b"&amp;&#x41;"),
    "cells.md": repeated(b"| a ", begin=b"| a | b |\n|---|---|\n"),
    "rows.md": repeated(b"| a | b |\n", begin=b"| a | b |\n|---|---|\n"),
    "columns.md": lambda path: path.write_text(
        "|a" * 5_000 + "|\n" + "|-" * 5_000 + "|\n" + ("|b" * 5_000 + "|\n") * 100) and None,
    "tabs.md": repeated(b"\t- "),
    "deep.json": bytes_of(b"[" * 100_000 + b"]" * 100_000),
    "open.json": repeated(b"[", 1 << 20),
    "numbers.json": bytes_of(b"[" + b"9" * (1 << 19) + b", " + b"1" * (1 << 18) + b"]"),
    "strings.json": bytes_of(b'["' + b"\\u00e9" * 150_000 + b'"]'),
    "objects.json": bytes_of(b"[" + b'{"a": {"b": [1, 2]}},' * 45_000 + b"1]"),
    "plain.py": repeated(b'def f(x):\n    """Say."""\n    return x + 1\n\n'),
    "open.py": repeated(b'"""'),
    "here.rb": repeated(b"<<A "),
    "angles.html": repeated(b"<"),
    "plain.yaml": repeated(b"key:\n  - a: 1\n    b: [x, y]\n"),
    "aliases.yaml": repeated(b"a: &a [*a, *a]\n"),
    "one-line.yaml": repeated(b"a: {b: [c, "),
    "plain.toml": repeated(b"[[a.b]]\nc = 1\nd = ['x', 2026-01-02]\n"),
    "plain.org": repeated(b"* TODO a\n:PROPERTIES:\n:ID: 1\n:END:\n- [X] b *c* /d/ [[e][f]]\n"),
    "stars.org": repeated(b"*a /b =c ~d "),
    "plain.jsonl": repeated(b'{"a": 1, "b": [true, null]}\n'),
    "escapes.log": repeated(b"\x1b[31m\x07\xe2\x80\xae"),
    "broken.txt": repeated(b"caf\xe9 \xff\xfe\n"),
    "plain.csv": repeated(LINES),
    "cell.csv": bytes_of(b"a,b\n1," + b"x" * (1 << 20) + b"\n" + LINES * 1_000),
    "columns.csv": bytes_of((b",".join([b"a"] * 100_000) + b"\n") * 5),
    "open.csv": bytes_of(b'a,b\n"' + LINES * 40_000),
    "quotes.csv": repeated(b'"'),
    "wide.csv": lambda path: path.write_text("緑茶,Zoë\n" * 200_000) and None,
    "bomb.zip": zip_bomb,
    "overlapping.zip": zip_overlapping,
    "million.zip": zip_of_a_million,
    "lies.zip": zip64_lies,
    "bomb.tar.gz": gzip_bomb,
    "members.tar.gz": gzip_of_members,
    "pax.tar": tar_of_pax,
    "sparse.tar": tar_sparse,
    "bomb.png": bytes_of(png(100_000, 100_000)),
    "frame.jpg": bytes_of(b"\xff\xd8" + b"\xff\xe0\x00\x02" * (1 << 18)),
    "filled.jpg": bytes_of(b"\xff\xd8" + b"\xff" * (2 << 20)),
    "bomb.gif": bytes_of(b"GIF89a\xff\xff\xff\xff" + bytes(20)),
    "cut.webp": bytes_of(b"RIFF\xff\xff\xff\xffWEBPVP8L"),
    "bomb.svg": repeated(b'<svg a="', begin=b"<svg "),
    "bomb.wasm": bytes_of(b"\0asm\1\0\0\0" + b"\x02\xff\xff\xff\xff\x07" + b"\xff" * (1 << 20)),
    "tables.db": tables(10_000),
    "rows.db": database("CREATE TABLE t(a)", rows=("INSERT INTO t VALUES(?)", 1_000_000)),
    "blobs.db": database(
        "CREATE TABLE t(a)", rows=("INSERT INTO t VALUES(zeroblob(9000000 + ?))", 8)
    ),
    "views.db": database(
        "CREATE TABLE t(a)",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO t VALUES(new.a); END",
        *(f"CREATE VIEW v{n} AS SELECT * FROM v{n + 1}, v{n + 1}" for n in range(200)),
        "CREATE TABLE w(a, b AS (hex(zeroblob(400000000))))",
        "INSERT INTO w(a) VALUES(1)",
    ),
    "corrupt.db": corrupt,
    "log.db": with_log,
    "noise.db": bytes_of(b"SQLite format 3\0" + b"\xff" * (1 << 20)),
}  # fmt: skip
