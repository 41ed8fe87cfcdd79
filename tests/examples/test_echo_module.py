"""The module of echo-json really is a WASI command, and is the one that its manifest names."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from skillstudio.manifest.wasm import Export, Signature, read_exports

ROOT = Path(__file__).parents[2]
FOLDERS = ["examples/echo-json"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_digest_is_that_of_the_module(folder: str) -> None:
    manifest = json.loads((ROOT / folder / "manifest.json").read_text(encoding="utf-8"))
    module = (ROOT / folder / manifest["entrypoint"]["path"]).read_bytes()
    assert manifest["artifact"] == f"sha256:{hashlib.sha256(module).hexdigest()}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_module_exports_what_a_command_must(folder: str) -> None:
    exports = read_exports((ROOT / folder / "skill.wasm").read_bytes())
    assert exports == {
        "memory": Export("memory", None),
        "_start": Export("function", Signature((), ())),
    }
