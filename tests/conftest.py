"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings
from tests.commands import Run, running

# One commit gives one verdict; HYPOTHESIS_PROFILE=search looks for examples not tried before.
settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

DATA = Path(os.environ.get("SKILLSTUDIO_DATA", Path(__file__).parents[1].parent / "shared"))


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, drafts and themes of the person who runs the tests stay out of them."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("NO_COLOR", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line; the words are its arguments."""
    return running(capsys)


@pytest.fixture
def data() -> Path:
    """The folder with public vectors and real manifests; the test is skipped without it."""
    if not DATA.is_dir():
        pytest.skip(f"no shared data at {DATA}; SKILLSTUDIO_DATA names another place")
    return DATA
