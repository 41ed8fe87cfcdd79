"""The number that random searches start from: the same everywhere, unless one is named."""

from __future__ import annotations

import os

SEED = int(os.environ.get("SKILLSTUDIO_TEST_SEED", "0"))
"""`make test-all SEED=n` names another; the nightly run does, and prints it."""
