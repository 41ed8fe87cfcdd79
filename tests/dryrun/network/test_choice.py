"""What `--net` and the key `net` of a sample mean."""

from __future__ import annotations

import pytest

from skillstudio.dryrun.network.choice import NetworkRefused, host_pattern, read_network

CHOICES = [
    # words, mode, hosts, what it needs
    ([], "", (), ""),
    (["none"], "none", (), "confined"),
    (["loopback"], "loopback", (), "isolated"),
    (["record"], "record", (), "isolated"),
    (["replay"], "replay", (), "isolated"),
    (["api.example.org"], "hosts", ("api.example.org",), "isolated"),
    (["record", "b.org", "b.org"], "record", ("b.org",), "isolated"),
]


@pytest.mark.parametrize(("words", "mode", "hosts", "needs"), CHOICES)
def test_a_choice(words: list[str], mode: str, hosts: tuple[str, ...], needs: str) -> None:
    choice = read_network(words)
    assert (choice.mode, choice.hosts, choice.needs) == (mode, hosts, needs)
    assert read_network(choice.words) == choice


REFUSED = [
    (["none", "replay"], "none and replay exclude each other"),
    (["none", "a.org"], "none cannot be combined with hosts"),
    (["replay", "a.org"], "replay cannot be combined with hosts"),
    (["https://a.org/"], "is not a host"),
    (["a.org:0"], "is not a host"),
    (["a.org:65536"], "is not a host"),
    (["a.org:٣"], "is not a host"),
    (["a b"], "is not a host"),
    ([""], "is not a host"),
    (["bücher.example"], "is not a host"),
    (["*"], "is not a host"),
    (["localhost"], "name the port of the service"),
    (["127.0.0.1:80"], "1024 or higher"),
    ([f"h{n}.org" for n in range(65)], "at most 64 hosts"),
]


@pytest.mark.parametrize(("words", "why"), REFUSED)
def test_a_refused_choice(words: list[str], why: str) -> None:
    with pytest.raises(NetworkRefused, match=why):
        read_network(words)


MATCHES = [
    # pattern, host, port, whether it is covered
    ("a.org", "a.org", 443, True),
    ("a.org", "A.ORG", 80, True),
    ("a.org", "a.org", 22, False),
    ("a.org", "b.a.org", 443, False),
    ("a.org", "a.org.evil.org", 443, False),
    ("a.org:8080", "a.org", 8080, True),
    ("a.org:8080", "a.org", 443, False),
    ("*.a.org", "b.a.org", 443, True),
    ("*.a.org", "a.org", 443, False),
    ("*.a.org", "ba.org", 443, False),
    ("127.0.0.1:8000", "localhost", 8000, True),
    ("localhost:8000", "127.0.0.1", 8000, True),
    ("localhost:8000", "127.0.0.1", 8001, False),
    ("[2001:db8::1]:443", "2001:db8::1", 443, True),
]


@pytest.mark.parametrize(("pattern", "host", "port", "is_covered"), MATCHES)
def test_a_pattern(pattern: str, host: str, port: int, is_covered: bool) -> None:
    assert host_pattern(pattern).matches(host, port) is is_covered
