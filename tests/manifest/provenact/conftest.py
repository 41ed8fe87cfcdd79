"""A manifest.json, and what is found in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.check import check
from skillstudio.manifest.locate import locate
from skillstudio.text.diagnostic import Diagnostic

Look = Callable[..., list[Diagnostic]]
NAMED = dict.fromkeys(
    ("fetch.wasm", "sbom.json", "bundle.json", "b.json", "bin/echo.wasm", "a.wasm", "a"), b""
)
"""The files that the manifests of the tests name."""


@pytest.fixture
def look() -> Look:
    """Everything that is found in a skill with this manifest.json and these files beside it."""

    def found(text: str, files: dict[str, bytes] | None = None) -> list[Diagnostic]:
        held = NAMED if files is None else files
        located = locate(MemoryTree({"manifest.json": text.encode(), **held}, "echo"))
        return list(check(located.skill, located.diagnostics))

    return found


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with public manifests and test vectors."""
    here = Path(os.environ.get("SKILLSTUDIO_DATA") or Path(__file__).parents[4] / "shared")
    if not here.is_dir():
        pytest.skip("the shared data folder is not here; SKILLSTUDIO_DATA can name it")
    return here
