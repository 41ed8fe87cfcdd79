"""When one item of an allow-list lets through what another one does."""

from __future__ import annotations

import pytest

from skillstudio.interface.covering import covers
from skillstudio.interface.model import Covering


@pytest.mark.parametrize(
    ("how", "wide", "narrow", "expected"),
    [
        ("path", "./data", "./data/a", True),
        ("path", "./data/", "./data", True),
        ("path", "./data/**", "./data/a/b", True),
        ("path", "/", "/etc", True),
        ("path", "./data", "./database", False),
        ("path", "./data/a", "./data", False),
        ("path", "./data", "./data/../secret", False),
        ("path", "./data", "./data/a/..", False),
        ("host", "*.example.org", "a.example.org", True),
        ("host", "*.example.org", "a.b.example.org", True),
        ("host", "*.example.org", "example.org", False),
        ("host", "*.example.org", "badexample.org", False),
        ("host", "example.org", "https://example.org:8443/a", True),
        ("host", "HTTPS://Example.org", "https://example.ORG", True),
        ("host", "https://example.org", "http://example.org", False),
        ("host", "https://example.org", "example.org", False),
        ("host", "example.org:443", "example.org:80", False),
        ("host", "example.org/a", "example.org/b", False),
        ("variable", "APP_*", "APP_KEY", True),
        ("variable", "APP_*", "OTHER", False),
        ("variable", "APP_", "APP_KEY", False),
    ],
)
def test_one_item_covers_another(how: Covering, wide: str, narrow: str, expected: bool) -> None:
    assert covers(wide, narrow, how) is expected


@pytest.mark.parametrize("how", ["path", "host", "variable"])
def test_an_item_covers_itself_and_everything_covers_it(how: Covering) -> None:
    assert covers("a/../b", "a/../b", how)
    assert covers("*", "a/../b", how)
