"""What a failed run lacked: standard input, the network, a temporary folder, a file."""

from __future__ import annotations

import pytest

from skillstudio.dryrun.judging.advice import FailedRun, failure_advice
from skillstudio.dryrun.plan import NetworkChoice, Roots
from skillstudio.dryrun.report import Event

RUN = FailedRun(
    errors="boom",
    script="",
    isolation="isolated",
    network=NetworkChoice(),
    is_closed=True,
    events=(),
    has_input=False,
    words=(),
    cwd="/work",
    roots=Roots("/work", "/work/skills/report"),
)
DISK = {"/work/skills/report/numbers.txt", "/work/data/day.csv", "/work/here.txt"}


def rules(run: FailedRun) -> dict[str, str]:
    return {problem.rule: problem.message for problem in failure_advice(run, DISK.__contains__)}


def test_nothing_lacked() -> None:
    assert rules(RUN) == {}


@pytest.mark.parametrize(
    ("errors", "script", "has_input", "expected"),
    [
        ("EOFError: EOF when reading a line", "", False, True),
        ("r.rb:1:in `readline': end of file reached (EOFError)", "", False, True),
        ("no answer", "read -r x || exit 3", False, True),
        ("no answer", 'read -rp "Name? " name', False, True),
        ("no answer", "while read line; do", False, True),
        ("no answer", "data = json.load(sys.stdin)", False, True),
        ("no answer", "process.stdin.on('data', f)", False, True),
        ("no answer", "my $line = <STDIN>;", False, True),
        ("EOFError: EOF when reading a line", "", True, False),
        ("boom", "# already read it", False, False),
        ("boom", "spread the word", False, False),
    ],
)
def test_closed_standard_input(errors: str, script: str, has_input: bool, expected: bool) -> None:
    run = RUN._replace(errors=errors, script=script, has_input=has_input)
    assert ("stdin-closed" in rules(run)) is expected
    if expected:
        assert "--stdin FILE" in rules(run)["stdin-closed"]


@pytest.mark.parametrize(
    ("events", "network", "is_closed", "expected"),
    [
        ([Event("resolve", "example.com")], NetworkChoice(), True, "--net example.com"),
        (
            [Event("connect", "127.0.0.1:8000", "ECONNREFUSED")],
            NetworkChoice("none"),
            True,
            "--net 127.0.0.1:8000",
        ),
        (
            [Event("connect", "b.org:443", "refused", is_proxied=True)],
            NetworkChoice("hosts", ("a.org",)),
            True,
            "--net a.org --net b.org",
        ),
        ([Event("resolve", "a.org")], NetworkChoice("hosts", ("a.org",)), True, ""),
        ([Event("resolve", "a.org")], NetworkChoice("replay"), True, ""),
        ([Event("resolve", "a.org")], NetworkChoice(), False, ""),
        ([Event("connect", "unix:/run/docker.sock", "EACCES")], NetworkChoice(), True, ""),
    ],
)
def test_closed_network(
    events: list[Event], network: NetworkChoice, is_closed: bool, expected: str
) -> None:
    run = RUN._replace(events=events, network=network, is_closed=is_closed)
    message = rules(run).get("network-closed", "")
    assert message.endswith(expected)
    assert bool(message) is bool(expected)


@pytest.mark.parametrize(
    ("isolation", "event", "expected"),
    [
        ("confined", Event("write", "/tmp/x", "EACCES"), True),
        ("confined", Event("write", "/tmp/x"), False),
        ("confined", Event("write", "/etc/x", "EACCES"), False),
        ("isolated", Event("write", "/tmp/x", "EACCES"), False),
    ],
)
def test_temporary_folder_at_confined(isolation: str, event: Event, expected: bool) -> None:
    run = RUN._replace(isolation=isolation, events=[event])
    assert ("temporary-refused" in rules(run)) is expected


@pytest.mark.parametrize(
    ("cwd", "word", "expected"),
    [
        ("/work", "numbers.txt", "pass skills/report/numbers.txt"),
        ("/work/skills/report", "data/day.csv", "pass ../../data/day.csv"),
        ("/work", "here.txt", ""),
        ("/work", "nowhere.txt", ""),
        ("/work", "--numbers.txt", ""),
    ],
)
def test_file_relative_to_another_folder(cwd: str, word: str, expected: str) -> None:
    run = RUN._replace(cwd=cwd, words=[word], errors=f"cannot open {word}: No such file")
    message = rules(run).get("file-elsewhere", "")
    assert message.endswith(expected)
    assert bool(message) is bool(expected)
    assert rules(run._replace(errors=f"{word} is too long")) == {}
