"""What a workspace's policy grants."""

from __future__ import annotations

import pytest

from skillstudio.manifest.dialect import Ask, Manifest
from skillstudio.manifest.policy import check_policy, host_within, path_within
from skillstudio.manifest.registry import dialect
from skillstudio.settings.settings import Policy
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.reading import read
from skillstudio.text.source import Position, Source, Span

TEXT = """\
[capabilities]
network = ["a.com", "b.com"]
"""


def judged(policy: Policy, *asks: Ask) -> list[Diagnostic]:
    known = dialect("caro-1.0")
    assert known is not None
    document = read(Source(TEXT), "toml", Span(0, len(TEXT)))
    return list(check_policy(asks, policy, Manifest(known, document, "skill.toml")))


def test_an_ask_beyond_the_policy_names_its_line() -> None:
    policy = Policy(
        hosts=("a.com",), places={"hosts": Position(7, 1)}, path="team/skillstudio.toml"
    )
    asks = [
        Ask("host", "a.com", "/capabilities/network/0"),
        Ask("host", "b.com", "/capabilities/network/1"),
    ]
    (finding,) = judged(policy, *asks)
    assert finding.rule == "policy-exceeded"
    assert "b.com" in finding.message
    assert "team/skillstudio.toml:7" in finding.message
    assert finding.span is not None
    assert TEXT[finding.span.start : finding.span.end] == '"b.com"'


def test_a_capability_is_shown_at_its_key() -> None:
    (finding,) = judged(
        Policy(capabilities=()), Ask("capability", "network", "/capabilities/network")
    )
    assert finding.span is not None
    assert TEXT[finding.span.start : finding.span.end] == "network"


@pytest.mark.parametrize(
    ("policy", "kind", "value", "granted"),
    [
        (Policy(), "effect", "fs.write", True),
        (Policy(effects=()), "effect", "fs.write", False),
        (Policy(effects=("fs.read",)), "effect", "fs.write", False),
        (Policy(effects=("fs.read", "fs.write")), "effect", "fs.write", True),
        (Policy(effects=("*",)), "effect", "anything", True),
        (Policy(effects=("fs.read",)), "command", "rm", True),
        (Policy(commands=("git",)), "command", "git", True),
        (Policy(commands=("git",)), "command", "gitk", False),
        (Policy(commands=("git",)), "command", "*", False),
        (Policy(commands=("*",)), "command", "*", True),
        (Policy(capabilities=("network",)), "capability", "secrets_access", False),
        (Policy(hosts=("*.a.com",)), "host", "s3.a.com", True),
        (Policy(paths=("~/.aws",)), "path", "~/.aws/config", True),
    ],
)
def test_what_a_policy_grants(policy: Policy, kind: str, value: str, granted: bool) -> None:
    assert (judged(policy, Ask(kind, value, "/capabilities")) == []) is granted


@pytest.mark.parametrize(
    ("entry", "host", "within"),
    [
        ("a.com", "a.com", True),
        ("a.com", "A.COM", True),
        ("a.com", "s3.a.com", False),
        ("a.com", "*.a.com", False),
        ("*.a.com", "s3.a.com", True),
        ("*.a.com", "*.a.com", True),
        ("*.a.com", "*.eu.a.com", True),
        ("*.a.com", "a.com", False),
        ("*.a.com", "evila.com", False),
        ("a.com", "https://a.com/v1", True),
        ("a.com", "http://a.com:8080", True),
        ("https://a.com", "https://a.com/v1", True),
        ("https://a.com", "https://a.com:443/v1", True),
        ("https://a.com", "http://a.com/v1", False),
        ("https://a.com", "https://a.com:8443", False),
        ("https://a.com:8443", "https://a.com:8443", True),
        ("a.com:8443", "https://a.com:8443", True),
        ("a.com:8443", "a.com", False),
        ("a.com", "https://a.com@evil.com/", False),
        ("a.com", "https://evil.com/a.com", False),
        ("a.com", "", False),
        ("[::1]", "http://[::1]:80", True),
    ],
)
def test_hosts(entry: str, host: str, within: bool) -> None:
    assert host_within(entry, host) is within


@pytest.mark.parametrize(
    ("entry", "path", "within"),
    [
        ("~/.aws", "~/.aws", True),
        ("~/.aws", "~/.aws/config", True),
        ("~/.aws", "~/.awsome", False),
        ("~/.aws", "~", False),
        ("~/.aws", "~/.aws/../.ssh", False),
        ("./", "./out", True),
        ("./", "out", True),
        (".", "./", True),
        ("./", "../x", False),
        ("./", "~/x", False),
        ("./", "/x", False),
        ("out", "./out/a", True),
        ("/", "/etc", True),
        ("/etc", "/etc/", True),
        ("/etc", "//etc/passwd", True),
        ("/", "./x", False),
        ("$CARO_CACHE", "$CARO_CACHE/x", True),
        ("$CARO_CACHE", "$CARO_CACHES", False),
    ],
)
def test_paths(entry: str, path: str, within: bool) -> None:
    assert path_within(entry, path) is within
