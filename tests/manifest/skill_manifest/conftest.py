"""A SKILL.md around a manifest, and what is found in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.check import check
from skillstudio.manifest.locate import locate
from skillstudio.text.diagnostic import Diagnostic

DIALECTS = ("skill-manifest-2.0", "router-manifest-1")

Look = Callable[..., list[Diagnostic]]


@pytest.fixture
def look() -> Look:
    """What the dialects of this folder find in a skill, given by its files."""

    def found(files: dict[str, str], name: str = "notes") -> list[Diagnostic]:
        tree = MemoryTree({path: text.encode() for path, text in files.items()}, name)
        located = locate(tree)
        return [
            each for each in check(located.skill, located.diagnostics) if each.dialect in DIALECTS
        ]

    return found


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with public manifests and the texts of the dialects."""
    here = Path(os.environ.get("SKILLSTUDIO_DATA") or Path(__file__).parents[4] / "shared")
    if not here.is_dir():
        pytest.skip("the shared data folder is not here; SKILLSTUDIO_DATA can name it")
    return here
