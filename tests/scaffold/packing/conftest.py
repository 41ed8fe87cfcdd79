"""Skills to pack, made of a table of files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree

Make = Callable[..., DiskTree]
MANIFEST = "---\nname: {name}\ndescription: Says things. Use when things are said.\n---\nSay.\n"
CARO = """[skill]
id = "text.plain"
name = "plain"
version = "1.0.0"
description = "Says things"
"""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a skill: `path=bytes`, a path with `/` at its end is a folder, `->` a link."""

    def write(files: dict[str, str | bytes] | None = None, name: str = "plain") -> DiskTree:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "SKILL.md").write_text(MANIFEST.format(name=name))
        for path, data in (files or {}).items():
            where = folder / path
            where.parent.mkdir(parents=True, exist_ok=True)
            if path.endswith("/"):
                where.mkdir(exist_ok=True)
            elif isinstance(data, str) and data.startswith("-> "):
                where.symlink_to(data.removeprefix("-> "))
            else:
                where.write_bytes(data if isinstance(data, bytes) else data.encode())
                if data[:2] in ("#!", b"#!"):
                    where.chmod(0o755)
        return DiskTree(folder)

    return write
