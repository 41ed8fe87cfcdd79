from __future__ import annotations

from pathlib import Path

import pytest
from tests.dryrun.running.ground import Start

from skillstudio.dryrun.running import execute


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Starts programs; those that do not end when asked are given a moment only."""
    monkeypatch.setattr(execute, "GRACE", 0.1)
    return Start(tmp_path)
