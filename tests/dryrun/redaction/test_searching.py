"""Compressed files are searched, or are not kept: what holds a value, and what cannot be known."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.redaction.redactor import Redactor
from skillstudio.dryrun.redaction.searching import HOLDS, MAX_DEPTH, why_sensitive

SECRET = "correct-horse-battery"
LOOKING = Redactor([SECRET])
NOISE = random.Random(7).randbytes(4000)
Pack = Callable[[bytes], bytes]


def zipped(data: bytes, method: int = zipfile.ZIP_DEFLATED, before: bytes = b"") -> bytes:
    made = io.BytesIO()
    made.write(before)
    with zipfile.ZipFile(made, "a", method) as archive:
        archive.writestr("first.txt", b"first\n" * 9)
        archive.writestr("a/b.txt", data)
    return made.getvalue()


def tarred(data: bytes, mode: str = "w") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in (("first.txt", b"first\n"), ("a/b.txt", data)):
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return made.getvalue()


def pdf(data: bytes) -> bytes:
    packed = zlib.compress(b"BT (" + data + b") Tj ET")
    return b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\nstream\n" + packed + b"\nendstream\n%%EOF\n"


def two_members(data: bytes) -> bytes:
    half = data.index(SECRET.encode()) + 9 if SECRET.encode() in data else len(data) // 2
    return gzip.compress(data[:half]) + gzip.compress(data[half:])


def deep(levels: int) -> Pack:
    def pack(data: bytes) -> bytes:
        for _ in range(levels):
            data = gzip.compress(data)
        return data

    return pack


PACKS: dict[str, Pack] = {
    "gzip": gzip.compress,
    "two gzips, one text": two_members,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "LZMA": lambda data: lzma.compress(data, lzma.FORMAT_ALONE),
    "zlib": zlib.compress,
    "zip": zipped,
    "zip, stored": lambda data: zipped(data, zipfile.ZIP_STORED),
    "zip, bzip2": lambda data: zipped(data, zipfile.ZIP_BZIP2),
    "zip behind a program": lambda data: zipped(data, before=b"#!/usr/bin/env python3\n"),
    "tar": tarred,
    "tar.gz": lambda data: tarred(data, "w:gz"),
    "tar.bz2": lambda data: tarred(data, "w:bz2"),
    "tar.xz": lambda data: tarred(data, "w:xz"),
    "gzip in tar": lambda data: tarred(gzip.compress(data)),
    "zip in tar.gz": lambda data: tarred(zipped(data), "w:gz"),
    "tar.gz in zip, stored": lambda data: zipped(tarred(data, "w:gz"), zipfile.ZIP_STORED),
    "PDF": pdf,
    "behind other bytes": lambda data: NOISE + gzip.compress(data) + NOISE,
    "UTF-16 in gzip": lambda data: gzip.compress(data.decode("latin-1").encode("utf-16")),
    "nested as deep as is searched": deep(MAX_DEPTH),
    "cut off": lambda data: gzip.compress(data + NOISE)[:-900],
}


@pytest.mark.parametrize("name", PACKS)
def test_what_is_compressed_is_searched(name: str) -> None:
    pack = PACKS[name]
    text = b"some text before\n" * 20 + b"key=%s\n" + b"and after\n"
    assert why_sensitive(pack(text % SECRET.encode()), LOOKING) == HOLDS
    assert why_sensitive(pack(text % b"another"), LOOKING) == ""


def encrypted(data: bytes) -> bytes:
    made = bytearray(zipped(data))
    made[6] |= 1
    return bytes(made)


def zeros(size: int) -> bytes:
    """So many MiB of zero bytes in gzip."""
    pack = zlib.compressobj(1, wbits=31)
    return b"".join(pack.compress(bytes(1 << 20)) for _ in range(size)) + pack.flush()


UNSEARCHED: dict[str, tuple[bytes, str]] = {
    "encrypted zip": (encrypted(b"x"), "an encrypted zip"),
    "zip with LZMA": (zipped(b"x" * 99, zipfile.ZIP_LZMA), "a zip packed in way 14"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + NOISE, "7z"),
    "RAR": (b"Rar!\x1a\x07\x01" + NOISE, "RAR"),
    "LZ4": (b"\x04\x22\x4d\x18" + NOISE, "LZ4"),
    "compress": (b"\x1f\x9d" + NOISE, "compress"),
    "7z in tar": (tarred(b"7z\xbc\xaf\x27\x1c" + NOISE), "7z"),
    "7z in gzip": (gzip.compress(b"7z\xbc\xaf\x27\x1c" + NOISE), "7z"),
    "RAR in zip": (zipped(b"Rar!\x1a\x07\x01" + NOISE, zipfile.ZIP_STORED), "RAR"),
    "too deep": (deep(MAX_DEPTH + 1)(b"x" * 99), "more than 4 archives in each other"),
    "too large": (zeros(33), "more than 32 MiB inside"),
    "too large in parts": (
        tarred(zeros(20) + b"-" + zeros(20)),
        "more than 32 MiB inside",
    ),
    "damaged": (b"\x1f\x8b\x08" + NOISE, "damaged"),
}


@pytest.mark.parametrize("name", UNSEARCHED)
def test_what_cannot_be_searched_is_not_kept(name: str) -> None:
    data, why = UNSEARCHED[name]
    assert why_sensitive(data, LOOKING) == f"cannot be searched for sensitive values ({why})"
    # Where there is no value to look for, nothing can be in it.
    assert why_sensitive(data) == ""


def test_what_looks_like_a_credential_is_found_inside() -> None:
    token = b"token: ghp_" + b"a1B2" * 9
    assert why_sensitive(zipped(token)) == HOLDS
    assert why_sensitive(zipped(b"token: none")) == ""


@given(st.binary(max_size=2000), st.sampled_from([b"", b"PK\x03\x04", b"x\x9c", b"\x1f\x8b\x08"]))
def test_any_bytes_have_an_answer(data: bytes, begin: bytes) -> None:
    found = why_sensitive(b"." + begin + data, LOOKING)
    assert found == "" or found.startswith("cannot be searched")


def test_bytes_without_streams_are_kept() -> None:
    assert why_sensitive(NOISE * 20 + random.Random(8).randbytes(10_000), LOOKING) == ""
