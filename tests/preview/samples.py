"""Small files of many kinds, each made here byte by byte or by its own library."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from typing import NamedTuple


class Sample(NamedTuple):
    """A file, the kind that it is taken for, and the first lines that are shown of it."""

    name: str
    data: bytes
    kind: str
    first: tuple[str, ...]
    note: str = ""
    """A part of the note."""


def png(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunk = b"IHDR" + head
    return b"\x89PNG\r\n\x1a\n\0\0\0\r" + chunk + struct.pack(">I", zlib.crc32(chunk))


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def jpeg(width: int, height: int) -> bytes:
    thumbnail = b"\xff\xe1\x00\x08" + b"\xff\xc0\0\0\0\0"
    frame = b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width) + bytes(10)
    return b"\xff\xd8" + thumbnail + frame + b"\xff\xd9"


def webp(form: bytes, body: bytes) -> bytes:
    chunk = form + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk + bytes(8)


def archive_zip(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def archive_tar(files: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            made.addfile(entry, io.BytesIO(data))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, target, 0o777
            made.addfile(entry)
    return out.getvalue()


def database(*statements: str) -> bytes:
    connection = sqlite3.connect(":memory:")
    for each in statements:
        connection.execute(each)
    connection.commit()
    return bytes(connection.serialize())


def wasm() -> bytes:
    """Imports env.log, exports run."""

    def section(id: int, body: bytes) -> bytes:
        return bytes([id, len(body)]) + body

    types = section(1, b"\x01\x60\x01\x7f\x00")
    imports = section(2, b"\x01\x03env\x03log\x00\x00")
    functions = section(3, b"\x01\x00")
    exports = section(7, b"\x01\x03run\x00\x01")
    return b"\0asm\1\0\0\0" + types + imports + functions + exports


def _text(name: str, kind: str, text: str, *first: str, note: str = "") -> Sample:
    return Sample(name, text.encode(), kind, first or tuple(text.splitlines()[:3]), note)


def samples() -> list[Sample]:
    """All of them."""
    hex_note = "shown as hexadecimal"
    return [
        _text("a.md", "markdown", "# Title\n\nSome *words* in `code`.\n\n- one\n- two\n",
              "# Title", "", "Some words in code.", "", "• one", "• two"),
        _text("front.md", "markdown", "---\nname: x\n---\n# Body\n",
              "frontmatter", "  name: x", "", "# Body"),
        _text("grid.markdown", "markdown", "| a | b |\n|---|---|\n| 1 | two |\n",
              "a │ b", "──┼────", "1 │ two"),
        _text("a.json", "json", '{"b": [1, 2.50], "b": null}',
              "{", '  "b": [', "    1,", "    2.50", "  ],", '  "b": null', "}"),
        _text("broken.json", "json", '{"a": 1, oops}',
              "{", '  "a": 1,', "‹invalid JSON from here on›", "oops}"),
        _text("a.jsonl", "json-lines", '{"a": 1}\n{"a":2}\n', '{"a": 1}', '{"a":2}'),
        _text("a.ipynb", "json", "{}", "{}"),
        _text("a.yaml", "yaml", "a: 1\nb:\n  - x\n"),
        _text("a.toml", "toml", "[a]\nb = 1\n"),
        _text("a.ini", "ini", "[a]\nb = 1\n"),
        _text("a.org", "org", "* TODO Title\n:PROPERTIES:\n:END:\n"),
        _text("a.rst", "rst", "Title\n=====\n"),
        _text("a.txt", "text", "plain\n", "plain"),
        _text("a.log", "text", "10:00 began\n"),
        _text("empty", "text", "", *(), note="it is empty"),
        _text("a.csv", "csv", 'name,qty\nx,12\n"y,z",3.5\n',
              "name │ qty", "─────┼────", "x    │  12", "y,z  │ 3.5", note="2 rows, 2 columns"),
        _text("a.tsv", "csv", "a\tb\n1\t2\n", "a │ b", "──┼──", "1 │ 2"),
        _text("semicolons.csv", "csv", "a;b\n1,5;2\n", "  a │ b", "────┼──", "1,5 │ 2"),
        _text("a.xml", "xml", "<a>\n</a>\n"),
        _text("a.svg", "svg", '<svg width="20" height="10">\n</svg>\n', note="image of 20 × 10"),
        _text("a.html", "html", "<script>alert(1)</script>\n"),
        _text("a.css", "css", "a { color: red }\n"),
        _text("a.py", "python", 'def f():\n    """x\n    y"""\n'),
        _text("run", "shell", "#!/bin/sh\necho hi\n"),
        _text("tool", "python", "#!/usr/bin/env python3\nprint()\n"),
        _text("a.ps1", "powershell", "Write-Host hi\n"),
        _text("a.bat", "batch", "@echo off\n"),
        _text("a.js", "javascript", "let a = `x`\n"),
        _text("a.tsx", "typescript", "let a: number = 1\n"),
        _text("a.rb", "ruby", "puts 1\n"),
        _text("a.go", "go", "package a\n"),
        _text("a.rs", "rust", "fn main() {}\n"),
        _text("a.c", "c", "int main(void) { return 0; }\n"),
        _text("a.java", "java", "class A {}\n"),
        _text("a.sql", "sql", "SELECT 1;\n"),
        _text("a.patch", "diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"),
        _text("Makefile", "make", "all:\n\ttrue\n", "all:", "        true"),
        _text("Dockerfile", "docker", "FROM scratch\n"),
        Sample("latin.txt", "caf\xe9 au lait\n".encode("latin-1"), "text",
               ("caf\ufffd au lait",), "invalid UTF-8"),
        Sample("wide.txt", "h\xe9llo\n".encode("utf-16"), "text", ("h\xe9llo",), "UTF-16"),
        Sample("escapes.txt", b"\x1b]0;owned\x07\x1b[2Jhi\r\n", "text", ("␛]0;owned␇␛[2Jhi",)),
        Sample("a.png", png(640, 480), "png",
               ("kind    png", "pixels  640 × 480", "about   8 bits, color with transparency")),
        Sample("bomb.png", png(100_000, 100_000), "png", ("kind    png",
               "pixels  100,000 × 100,000")),
        Sample("a.gif", gif(3, 2), "gif", ("kind    gif", "pixels  3 × 2")),
        Sample("a.jpg", jpeg(7, 5), "jpeg", ("kind    jpeg", "pixels  7 × 5")),
        Sample("x.webp", webp(b"VP8X", b"\0\0\0\0" + b"\x63\0\0" + b"\x31\0\0"), "webp",
               ("kind    webp", "pixels  100 × 50")),
        Sample("l.webp", webp(b"VP8L", b"\x2f" + (99 | 49 << 14).to_bytes(4, "little")), "webp",
               ("kind    webp", "pixels  100 × 50")),
        Sample("y.webp", webp(b"VP8 ", bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 9, 8)),
               "webp", ("kind    webp", "pixels  9 × 8")),
        Sample("short.png", png(1, 1)[:20], "png",
               ("kind  png", "file  20 bytes", "the header is damaged or cut short; the image size "
                "is unknown")),
        Sample("a.zip", archive_zip({"a.txt": b"hi", "d/b.txt": b""}), "zip",
               ("0600            2  a.txt", "0600            0  d/b.txt"), "2 entries"),
        Sample("a.skill", archive_zip({"s/SKILL.md": b"---\n"}), "zip",
               ("0600            4  s/SKILL.md",), "1 entry"),
        Sample("a.tar", archive_tar({"a.txt": b"hi"}, {"l": "/etc/shadow"}), "tar",
               ("0644            2  a.txt", "0777            0  l → /etc/shadow"),
               "2 entries"),
        Sample("a.tar.gz", gzip.compress(archive_tar({"a.txt": b"hi"})), "gzip",
               ("0644            2  a.txt",), "1 entry"),
        Sample("a.gz", gzip.compress(b"x" * 100), "gzip",
               ("holds      one file, not an archive",)),
        Sample("a.db", database("CREATE TABLE t(a, b)", "INSERT INTO t VALUES(1, 'x'), (2, NULL)"),
               "sqlite", ("t  2 rows", "  a │ b", "  ──┼─────", "  1 │ x", "  2 │ NULL")),
        Sample("a.wasm", wasm(), "wasm",
               ("kind  WebAssembly module", f"file  {len(wasm())} bytes", "", "imports  1",
                "  function env.log", "", "exports  1", "  function run (i32) -> ()")),
        Sample("a.pdf", b"%PDF-1.7\n\0", "pdf", ("kind  pdf", "file  10 bytes", "")),
        Sample("a.out", b"\x7fELF" + bytes(12), "program",
               ("kind  program", "file  16 bytes", "",
                "00000000  7f 45 4c 46 00 00 00 00  00 00 00 00 00 00 00 00  ·ELF············")),
        Sample("zeros", bytes(17), "binary",
               (f"00000000  {'00 ' * 8} {'00 ' * 8} {'·' * 16}",
                f"00000010  00{' ' * 48}·"), hex_note),
        Sample("odd.json", json.dumps("\u202egnp.exe", ensure_ascii=False).encode(),
               "json", ('"<U+202E>gnp.exe"',)),
    ]  # fmt: skip
