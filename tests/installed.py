"""An installed skillstudio: its data folder is inside the package."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from skillstudio import resources

FAULTY = "---\nname: faulty\ndescription: Says: a word. Use it.\n---\n# Faulty\n"
PLAIN = "---\nname: plain\ndescription: Says a word. Use it.\nmetadata:\n  version: 1.0.0\n---\n"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let this process be an installation in a folder; where its examples are."""
    package = folder / "site-packages" / "skillstudio"
    examples = package / "data" / "examples"
    for name in ("themes", "templates"):
        shutil.copytree(resources.folder(name), package / "data" / name)
    for name, text in (("faulty", FAULTY), ("plain", PLAIN)):
        (examples / name / "scripts" / "__pycache__").mkdir(parents=True)
        (examples / name / "SKILL.md").write_text(text)
        script = examples / name / "scripts" / "say.py"
        script.write_text("print('a word')\n")
        script.chmod(0o755)
        (examples / name / "scripts" / "__pycache__" / "say.pyc").write_bytes(b"\0")
    monkeypatch.setattr(resources, "_PACKAGE", str(package))
    return examples


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder, with its mode and bytes; folders with none."""
    return {
        os.path.relpath(path, folder): (
            path.stat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }
