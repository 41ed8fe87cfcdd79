"""A skill whose run leaves a file of every kind that Preview shows in a way of its own.

The files are the same, byte by byte, on every machine, so that pictures of them are.
"""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import struct
import tarfile
import zipfile
import zlib

SKILL = "gallery"
SCRIPT = "scripts/make.sh"
_MANIFEST = """---
manifest_version: "1.0"
name: gallery
description: Makes a file of every kind. Use when all kinds of files are to be seen.
outputs:
  files:
    - pattern: "out/*"
      base: repo_root
---

# Gallery

Run `scripts/make.sh`.
"""
_PROGRAM = """#!/bin/sh
set -e
cp -R "$(dirname "$0")/../made/." .
mkfifo out/pipe
ln -s /etc/shadow out/link
rm docs/gone.txt
dd if=/dev/zero of=out/huge.bin bs=1 count=0 seek=80000000 2>/dev/null
"""
_BEFORE = {
    "docs/notes.txt": "Tea is green.\nWater has to be hot.\nThree minutes.\n",
    "docs/gone.txt": "Nobody reads this.\n",
}
_TEXTS = {
    "docs/notes.txt": "Tea is green.\nWater has to be at 80 °C.\nThree minutes.\nNo sugar.\n",
    "out/report.md": """---
title: Tea
tags: [green, hot]
---

# How to make tea

Water of **80 °C**, *not* hotter; see [the table](tea.csv) and `tea.py`.

1. Warm the pot
2. Put in leaves
   - green: 3 g
   - black: 2 g

> Patience is part of it.

| kind | °C | minutes |
|---|---|---|
| green | 80 | 2 |
| 緑茶 | 70 | 1½ |

```python
def wait(minutes: int) -> float:
    return minutes * 60.0  # seconds
```

---

![a pot](pot.png) and <b>raw</b> HTML
""",
    "out/tea.json": '{"name": "tea", "hot": true, "sugar": null, "degrees": [70, 80.0, 1e2],'
    ' "pot": {"size": 0.5, "size": 1}, "empty": []}\n',
    "out/broken.json": '{"name": "tea", "hot": yes}\n',
    "out/cups.jsonl": '{"cup": 1, "kind": "green"}\n{"cup": 2, "kind": "black", "milk": true}\n',
    "out/tea.yaml": "# Every morning\ntea: &tea\n  kind: green\n  degrees: 80\n  again: [1, 2, 3]\n"
    "also:\n  <<: *tea\n  kind: 'white'\n  why: |\n    It is light.\n",
    "out/tea.toml": '# Every morning\n[tea]\nkind = "green"\ndegrees = 80\nsince = 2026-01-02\n\n'
    "[[cup]]\nfull = true\n",
    "out/tea.py": '"""How long it takes."""\n\nfrom time import sleep\n\nKINDS = {"green": 2.0}'
    "\n\n\ndef wait(kind: str) -> None:\n    # In minutes.\n    sleep(KINDS[kind] * 60)\n",
    "out/worklog.org": "#+TITLE: Tea\n#+DATE: [2026-01-02 Fri]\n\n"
    "* TODO Buy leaves :shop:\n:PROPERTIES:\n:ID: 1f2e\n:END:\n- [X] green\n- [ ] black\n"
    "* DONE Warm the *pot*\n"
    "#+BEGIN_SRC sh\necho hot\n#+END_SRC\n",
    "out/tea.csv": "kind,degrees,minutes,from\ngreen,80,2,China\nblack,100,3.5,\"Assam, India\"\n"
    "緑茶,70,1.5,Japan\nwhite,75,,China\n"
    + "".join(f"blend {n},{70 + n % 30},{n % 5},somewhere far away and hard to find\n"
              for n in range(1, 40)),
    "out/pot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="32">\n'
    "  <!-- a pot -->\n  <circle cx='16' cy='16' r='12' fill='#7aa2f7'/>\n</svg>\n",
    "out/escapes.log": "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m\tand \u202egnp.exe\n"
    "a line\r\nand " + "a very long line " * 30 + "\n",
    "out/empty.txt": "",
}  # fmt: skip


def put_gallery(workspace: str) -> None:
    """Put the skill into a workspace, and beside it what its run changes. Raises OSError."""
    for name, text in _BEFORE.items():
        _put(os.path.join(workspace, name), text.encode())
    skill = os.path.join(workspace, SKILL)
    _put(os.path.join(skill, "SKILL.md"), _MANIFEST.encode())
    _put(os.path.join(skill, SCRIPT), _PROGRAM.encode())
    os.chmod(os.path.join(skill, SCRIPT), 0o700)
    for name, data in _made().items():
        _put(os.path.join(skill, "made", name), data)


def _put(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def _made() -> dict[str, bytes]:
    return {
        **{name: text.encode() for name, text in _TEXTS.items()},
        "out/latin.txt": "Ein Käse für Zoë\nund nichts weiter\n".encode("latin-1"),
        "out/wide.txt": "Tee für Zoë\n".encode("utf-16"),
        "out/tea.db": _database(),
        "out/tea.zip": _zip(),
        "out/tea.tar.gz": _tar(),
        "out/pot.png": _png(2_400, 1_600),
        "out/bomb.png": _png(100_000, 100_000),
        "out/tea.wasm": _wasm(),
        "out/data.bin": bytes(range(256)) * 8,
        "out/tool": b"\x7fELF" + bytes(range(60)) * 8,
    }


def _png(width: int, height: int) -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n\0\0\0\r" + head + struct.pack(">I", zlib.crc32(head))


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in {"tea/SKILL.md": b"---\nname: tea\n---\n", "tea/scripts/": b"",
                           "tea/scripts/make.sh": b"#!/bin/sh\n"}.items():  # fmt: skip
            entry = zipfile.ZipInfo(name)
            entry.create_system = 3
            entry.external_attr = (0o40755 if name.endswith("/") else 0o100644) << 16
            made.writestr(entry, data)
    # What unpacks to far more than it is: the sizes that an entry states are all that is shown.
    packed = bytearray(out.getvalue())
    at = packed.rindex(b"PK\1\2")
    packed[at + 24 : at + 28] = (3 << 30).to_bytes(4, "little")
    return bytes(packed)


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made:
        for name, type, size, link in (
            ("tea", tarfile.DIRTYPE, 0, ""),
            ("tea/SKILL.md", tarfile.REGTYPE, 18, ""),
            ("tea/緑茶.md", tarfile.REGTYPE, 5, ""),
            ("tea/current", tarfile.SYMTYPE, 0, "../../etc/shadow"),
        ):
            entry = tarfile.TarInfo(name)
            entry.type, entry.size, entry.linkname = type, size, link
            entry.mode = 0o755 if type == tarfile.DIRTYPE else 0o644
            made.addfile(entry, io.BytesIO(bytes(size)))
    # Nothing is packed, for versions of zlib pack differently.
    return gzip.compress(out.getvalue(), 0, mtime=0)


def _database() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript("""
        CREATE TABLE cups(id INTEGER PRIMARY KEY, kind TEXT, degrees REAL, note, picture BLOB);
        INSERT INTO cups(kind, degrees, note, picture) VALUES
            ('green', 80.0, 'light', x'89504e470d0a1a0a'), ('black', 100.0, NULL, NULL),
            ('緑茶', 70.5, 'from' || char(10) || 'Japan', zeroblob(40));
        CREATE TABLE pots(name, litres);
        INSERT INTO pots VALUES ('small', 0.5), ('large', 1.25);
        CREATE VIEW hot AS SELECT * FROM cups WHERE degrees > 90;
    """)
    data = bytes(connection.serialize())
    connection.close()
    return data


def _wasm() -> bytes:
    """Imports `env.log`, exports `run`."""
    sections = {
        1: b"\x01\x60\x01\x7f\x00",
        2: b"\x01\x03env\x03log\x00\x00",
        3: b"\x01\x00",
        7: b"\x01\x03run\x00\x01",
    }
    return b"\0asm\1\0\0\0" + b"".join(bytes([n, len(each)]) + each for n, each in sections.items())
