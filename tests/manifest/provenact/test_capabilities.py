"""The forms that a capability's value may have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.manifest.provenact.rules import host_of, value_problem

RIGHT = [
    ("fs.read", "/"),
    ("fs.read", "/data/in.txt"),
    ("fs.write", "/data/..a/.b"),
    ("net.http", "https://api.example"),
    ("net.http", "https://api.example/v1/forecast?days=3"),
    ("net.http", "http://localhost:8080/"),
    ("net.http", "https://[2001:db8::1]:443/v1"),
    ("env", "HOME"),
    ("env", "_X1"),
    ("exec", "true"),
    ("exec.safe", "git"),
    ("time.now", "utc"),
    ("kv.read", "*"),
    ("queue.publish", "jobs"),
    ("something.else", "anything"),
]
WRONG = [
    ("fs.read", "data"),
    ("fs.read", "~/data"),
    ("fs.read", "/data/./in"),
    ("fs.read", "/data/../in"),
    ("fs.read", "/data/.."),
    ("fs.write", "/data//in"),
    ("fs.write", "/data/"),
    ("fs.write", "//data"),
    ("fs.write", "/a\\b"),
    ("net.http", "api.example/v1"),
    ("net.http", "/v1"),
    ("net.http", "data:text/plain,ok"),
    ("net.http", "ftp://api.example"),
    ("net.http", "https://"),
    ("net.http", "https:///v1"),
    ("net.http", "https://*.example/"),
    ("net.http", "https://user@api.example/"),
    ("net.http", "https://api.example:0/"),
    ("net.http", "https://api.example:99999/"),
    ("net.http", "https://api.example:/"),
    ("net.http", "https://api.example/v1/%2f..%2fadmin"),
    ("net.http", "https://api.example/v1\\admin"),
    ("net.http", "https://api.example/a b"),
    ("env", "home"),
    ("env", "1X"),
    ("env", "A B"),
    ("exec", "false"),
    ("exec", "ls"),
    ("exec.safe", " "),
    ("random.bytes", ""),
]


@pytest.mark.parametrize(("kind", "value"), RIGHT)
def test_right(kind: str, value: str) -> None:
    assert value_problem(kind, value) is None


@pytest.mark.parametrize(("kind", "value"), WRONG)
def test_wrong(kind: str, value: str) -> None:
    assert value_problem(kind, value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://API.example:443/v1", "api.example"),
        ("http://[::1]/", "[::1]"),
        ("https://user@api.example", None),
        ("data:text/plain", None),
        ("api.example", None),
    ],
)
def test_hosts(url: str, host: str | None) -> None:
    assert host_of(url) == host


@pytest.mark.slow
@given(st.sampled_from(["fs.read", "net.http", "env", "exec"]), st.text(max_size=30))
def test_any_value_is_judged(kind: str, value: str) -> None:
    problem = value_problem(kind, value)
    assert problem or value.strip()
    assert not problem or problem.isprintable()


@given(st.text(alphabet="0123456789", min_size=1, max_size=6))
def test_ports(port: str) -> None:
    problem = value_problem("net.http", f"https://api.example:{port}/")
    assert (problem is None) == (0 < int(port) < 65536)
