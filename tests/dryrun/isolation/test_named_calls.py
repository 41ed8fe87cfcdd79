"""What a program asks of the system is named at every level, whether it is refused or not.

These go through the filter, the tracer and its log: a part of them that is silent shows here.
"""

from __future__ import annotations

import functools
import os
import platform
import re
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

if sys.platform != "linux":
    pytest.skip("runs are observed on Linux alone", allow_module_level=True)

from tests.dryrun.running.ground import Start
from tests.dryrun.skills import PROCESSES, offered

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.observing.events import events
from skillstudio.dryrun.observing.log import Gaps, calls
from skillstudio.dryrun.prepared import Options
from skillstudio.dryrun.report import Event

PROGRAM = Path(__file__).with_name("named_calls.py").read_text()


class Named(NamedTuple):
    """What is named of an attempt: the kind and subject of each event, in any order."""

    attempt: str
    events: list[tuple[str, str]]
    error: str = ""  # At confined and isolated; "" where that differs.


NAMED = [
    Named("list-folder", [("list", "/etc")]),
    Named("list-own-folder", [("list", "COPY")]),  # No effect, by what is judged later.
    Named("watch-folder", [("list", "/etc")]),
    Named("connected-datagram", [("connect", "127.0.0.1:9")]),
    Named("datagram-to-port-53", [("connect", "127.0.0.1:53")]),
    Named("words-to-port-53", [("send", "127.0.0.1:53"), ("connect", "127.0.0.1:53")]),
    Named("stream-to-port-53", [("connect", "127.0.0.1:53")]),
    Named("question", [("resolve", "api.example.test")]),
    Named("reopened-descriptor", [("read", "COPY/in.txt"), ("write", "COPY/in.txt")]),
    Named("own-state", []),
    Named("times-by-descriptor", [("read", "COPY/in.txt"), ("write", "COPY/in.txt")]),
    Named("new-attribute-call", [("write", "COPY/in.txt")]),
    Named("flags-of-a-file", [("read", "COPY/in.txt"), ("write", "COPY/in.txt")]),
    Named("local-service", [("connect", "unix:/run/truth-none.sock")], "EACCES"),
    Named("abstract-service", [("connect", "unix:@truth-none")], "EACCES"),
    Named("datagram-to-a-service", [("connect", "unix:/run/truth-none.sock")], "EACCES"),
    Named("own-pair", []),
    Named("raw-socket", [("socket", "raw network socket (AF_INET)")]),
    Named("packet-socket", [("socket", "raw network socket (AF_PACKET)")], "EACCES"),
    Named("addresses-of-the-machine", []),
    Named("unknown-call", [("other", "system call 5000")], "ENOSYS"),
    Named("tracing", [("other", "ptrace")], "EPERM"),
    Named("namespaces-by-pointer", [("other", "clone3")], "ENOSYS"),
    Named("namespaces", [("other", "clone")], "EPERM"),
    Named("route-change", [("other", "a change of the network settings")]),
    Named("mode-through-a-link", [("write", "COPY/link"), ("write", "COPY/in.txt")]),
    Named("mode-through-proc", [("write", "COPY/in.txt")]),
    Named("opened-folder", []),
    Named("own-server", [("listen", "127.0.0.1:18111")]),
    Named("unnamed-server", [("listen", "0.0.0.0:PORT")]),
    Named("relative-service", [("connect", "unix:COPY/none.sock")], "EACCES"),
    Named("signal-to-others", [("signal", "process 4194000")]),
    Named("signal-to-its-own", []),
    Named(
        "signals-by-descriptor",
        [
            ("signal", "process 4194000"),
            ("signal", "process 4194002"),
            ("signal", "process group 4194001"),
        ],
    ),
    Named("priority-of-its-own", []),
    Named("priority-of-all", [("other", "setpriority")]),
    Named("watched-folder", [("list", "COPY")]),
    Named("datagram-without-a-family", [("send", "192.0.2.1:9997")]),
    Named("datagram-to-no-port", [("send", "127.0.0.1:0")]),
    Named(
        "file-under-another-name",
        [
            *(("write", f"COPY/{name}.txt") for name in ("moved", "other", "linked")),
            ("read", "COPY/moved.txt"),
        ],
    ),
    Named("existing-file-is-not-made", [("read", "COPY/in.txt")]),
    Named("local-server-without-a-name", []),
    Named("multicast-group", [("listen", "a multicast group")]),
    Named("memory-of-others", [("other", "shmget")]),
    Named("memory-of-its-own", []),
    Named("missing-program", [("exec", "truth-none")]),
]


class Tried(NamedTuple):
    """One run of all attempts at a level."""

    events: dict[str, list[Event]]
    printed: list[str]


@functools.cache
def tried(isolation: str) -> Tried:
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="skillstudio-named-", dir="/var/tmp"))
        stack.callback(shutil.rmtree, folder)
        start = Start(folder)
        for copy in (start.copy, folder / "original"):
            (copy / "in.txt").write_text("x")
            (copy / "moved.txt").write_text("x")
            (copy / "race").mkdir()
            for number in range(60):
                (copy / "race" / str(number)).write_text("x")
        log = folder / "log"
        outside = "/opt/truth-none"
        options = Options(trace=True, trace_log=str(log))
        ran = start(isolation, sys.executable, "-I", "-S", "-c", PROGRAM, outside, options=options)
        assert (ran.ended.exit_code, ran.err) == (0, b""), ran
        gaps = Gaps()
        seen = list(events(calls(log.read_bytes(), gaps), home=str(folder / "home")))
        assert (gaps.has_end, gaps.unread, gaps.cut) == (True, False, False)
        is_foreign = isolation == "copy" and platform.machine() == "x86_64"
        assert gaps.missing == ["a program made system calls of another processor"] * is_foreign
        copy = start.copy if isolation != "isolated" else folder / "original"
    numbers = {
        os.path.basename(event.subject): event.pid
        for event in seen
        if event.subject.startswith(f"{outside}/none/")
    }
    named = {
        name: [
            event._replace(subject=_worded(event.subject, str(copy)))
            for event in seen
            if event.pid == pid and not event.subject.startswith(outside)
        ]
        for name, pid in numbers.items()
    }
    return Tried(named, ran.out.decode().split())


def _worded(subject: str, copy: str) -> str:
    return re.sub(r"^0\.0\.0\.0:\d+$", "0.0.0.0:PORT", subject.replace(copy, "COPY"))


@pytest.fixture(params=PROCESSES)
def isolation(request: pytest.FixtureRequest) -> str:
    level = offered(request.param)
    if not probe_isolation().level(level).traced:
        pytest.skip("this system does not let programs be observed")
    tried(level)  # All at once, before the first case that looks at it.
    return level


@pytest.mark.parametrize("row", NAMED, ids=[row.attempt for row in NAMED])
def test_an_attempt_is_named(isolation: str, row: Named) -> None:
    named = tried(isolation).events[row.attempt]
    # At `confined` memory that others may share is refused, under a key or none.
    if (row.attempt, isolation) == ("memory-of-its-own", "confined"):
        assert {event.error for event in named} == {"EACCES"}
        return
    assert {(event.kind, event.subject) for event in named} == set(row.events)
    if row.error and isolation != "copy":
        assert {event.error for event in named} == {row.error}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 has calls of another kind")
def test_calls_of_the_other_kind_are_refused_and_named(isolation: str) -> None:
    """At `copy` they are made, which makes the observation incomplete."""
    named = tried(isolation).events["call-of-the-other-kind"]
    expected = [("a system call of another processor", "ENOSYS")]
    assert [(event.subject, event.error) for event in named] == (
        [] if isolation == "copy" else expected
    )


def test_every_attempt_has_a_row(isolation: str) -> None:
    own = {"call-of-the-other-kind", "flags-that-change", "signals-to-who-observes"}
    assert set(tried(isolation).events) == {*own, *(row.attempt for row in NAMED)}


def test_nothing_is_sent_where_a_socket_asks_for_a_route(isolation: str) -> None:
    assert "sent" not in tried(isolation).printed


def test_a_signal_does_not_reach_who_observes(isolation: str) -> None:
    named = tried(isolation).events["signals-to-who-observes"]
    assert {(event.kind, event.error) for event in named} == {("signal", "EPERM")}
    # The tracer, the launcher and their group.
    assert len({event.subject for event in named}) == 3


def test_flags_that_change_hide_no_write(isolation: str) -> None:
    events = tried(isolation).events["flags-that-change"]
    written = {os.path.basename(event.subject) for event in events if event.kind == "write"}
    assert tried(isolation).printed
    assert written >= set(tried(isolation).printed)
