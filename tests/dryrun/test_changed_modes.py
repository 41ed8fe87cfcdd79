"""Permissions of changed files, as samples name them whatever the umask is."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.dryrun.traces.conftest import REPORT

from skillstudio.dryrun.report import RunFileChange
from skillstudio.dryrun.testing import changed_modes

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there are no permission bits")
FILE = RunFileChange("workspace", "a", "added", 1, "text")
ROWS = [
    (0o022, FILE, "644", ""),
    (0o022, FILE, "755", "755"),
    (0o022, FILE, "664", "664"),
    (0o022, FILE, "777", "777"),
    (0o002, FILE, "664", ""),
    (0o002, FILE, "775", "755"),
    (0o002, FILE, "644", "644"),
    (0o077, FILE, "600", ""),
    (0o077, FILE, "700", "755"),
    (0o022, FILE._replace(change="modified"), "700", ""),
    (0o022, FILE._replace(change="modified", about="permissions 700, were 644"), "700", "700"),
    (0o022, FILE._replace(kind="folder"), "755", ""),
    (0o022, FILE._replace(kind="folder"), "700", "700"),
]


@pytest.fixture
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.parametrize(("umask", "change", "mode", "name"), ROWS, indirect=["umask"])
@pytest.mark.usefixtures("umask")
def test_permissions_are_relative_to_the_umask(change: RunFileChange, mode: str, name: str) -> None:
    assert changed_modes(REPORT._replace(changes=(change._replace(mode=mode),))) == {"a": name}


def test_files_without_permissions_are_left_out() -> None:
    changes = (FILE._replace(kind="link"), FILE._replace(path=".git/config", mode="644"))
    assert changed_modes(REPORT._replace(changes=changes)) == {}
