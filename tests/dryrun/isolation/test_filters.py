"""A program's own filters of system calls change nothing that a level refuses or observes."""

from __future__ import annotations

import functools
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

if sys.platform != "linux":
    pytest.skip("system calls are filtered on Linux alone", allow_module_level=True)

from tests.dryrun.skills import PROCESSES, offered

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.observing.events import observe
from skillstudio.dryrun.prepared import CopiedFolder, Options, RunFolders, StepStart
from skillstudio.dryrun.report import Observation
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import ProgramOutput

PROGRAM = Path(__file__).with_name("own_filters.py").read_text()
OVERRULING = [
    *("harmless", "trace-0-by-prctl", "trace-0-by-seccomp", "trace-other-error", "trace-highest"),
    *("trace-stacked", "trace-under-allow", "trace-in-thread", "trace-from-thread"),
    *("trace-with-tsync", "trace-in-child"),
]
LISTENERS = [
    *("listener", "listener-with-tsync", "listener-killable", "listener-in-thread"),
    *("listener-overruled", "listener-with-high-bits"),
]
OTHERS = ["nobody-listens", "own-calls"]
REFUSED = {
    # call: at confined, at isolated
    "udp": ("EACCES", None),  # The network of the level has no way out.
    "unix": ("EACCES", "EACCES"),
    "add_key": ("ENOSYS", "ENOSYS"),
    "io_uring_setup": ("ENOSYS", "ENOSYS"),
    "unshare": ("EPERM", "EPERM"),
    "ptrace": ("EPERM", "EPERM"),
}


class Tried(NamedTuple):
    """One run of all attempts at a level."""

    results: dict[str, dict[str, Any]]
    observation: Observation
    arrived: int
    """Messages that somebody outside got."""


@functools.cache
def tried(isolation: str) -> Tried:
    with ExitStack() as stack:
        folder = tempfile.mkdtemp(prefix="skillstudio-filters-", dir="/var/tmp")
        stack.callback(shutil.rmtree, folder)
        names = ("original", "copy", "home", "tmp", "log")
        original, copy, home, temporary, log = (os.path.join(folder, name) for name in names)
        for path in (original, copy, home, temporary, log):
            os.mkdir(path)
        receivers = []
        for family, address in (
            (socket.AF_INET, ("127.0.0.1", 0)),
            (socket.AF_UNIX, os.path.join(folder, "socket")),
        ):
            receiver = stack.enter_context(socket.socket(family, socket.SOCK_DGRAM))
            receiver.bind(address)
            receiver.setblocking(False)
            receivers.append(receiver)
        facts = {
            "port": receivers[0].getsockname()[1],
            "socket": receivers[1].getsockname(),
            "read": "/etc/hostname",
        }
        argv = [sys.executable, "-I", "-S", "-c", PROGRAM, json.dumps(facts)]
        folders = RunFolders(folder, (CopiedFolder(original, copy),), home, temporary)
        options = Options(trace=True, trace_log=os.path.join(log, "trace"))
        start = StepStart(argv, {}, original, folders, options)
        prepared = probe_isolation().prepare(isolation, start)
        output = ProgramOutput(log)
        ended = execute(prepared, 60, threading.Event(), output)
        output.close()
        assert ended.exit_code == 0, (ended, output.stderr.tail())
        lines = map(json.loads, Path(output.stdout.path).read_text().splitlines())
        return Tried(
            {line.pop("name"): line for line in lines},
            observe(options.trace_log, str),
            sum(map(messages, receivers)),
        )


def messages(receiver: socket.socket) -> int:
    number = 0
    while True:
        try:
            receiver.recv(16)
        except BlockingIOError:
            return number
        number += 1


def traced(isolation: str) -> Tried:
    if not probe_isolation().level(offered(isolation)).traced:
        pytest.skip("this system does not let programs be observed")
    return tried(isolation)


@pytest.fixture(params=PROCESSES)
def isolation(request: pytest.FixtureRequest) -> str:
    traced(request.param)  # All at once, before the first case that looks at it.
    return str(request.param)


def test_without_a_filter_a_copy_run_reaches_everything() -> None:
    """Otherwise the rest would prove nothing."""
    results = traced("copy").results["no-filter"]
    assert results["udp"] == results["unix"] == 0
    assert traced("copy").arrived > 0


@pytest.mark.parametrize("name", ["no-filter", *OVERRULING, *LISTENERS, *OTHERS])
def test_refused_calls_stay_refused(isolation: str, name: str) -> None:
    results = tried(isolation).results
    if isolation == "copy":
        assert results[name]["io_uring_setup"] == "ENOSYS"
        return
    at = PROCESSES.index(isolation) - 1
    refused = {call: errors[at] for call, errors in REFUSED.items() if errors[at] is not None}
    assert {call: results[name][call] for call in refused} == refused
    assert tried(isolation).arrived == 0


@pytest.mark.parametrize("name", OVERRULING)
def test_a_filter_is_no_offence(isolation: str, name: str) -> None:
    assert set(tried(isolation).results[name]["installed"]) == {0}


@pytest.mark.parametrize("name", LISTENERS)
def test_a_listener_is_refused(isolation: str, name: str) -> None:
    assert tried(isolation).results[name]["listener"] == "EPERM"


@pytest.mark.parametrize("name", OTHERS)
def test_without_a_listener_or_a_tracer_of_its_own_a_call_fails(isolation: str, name: str) -> None:
    """As the kernel has it."""
    assert tried(isolation).results[name]["getpid"] == "ENOSYS"


@pytest.mark.parametrize("name", ["no-filter", *OVERRULING, *LISTENERS, *OTHERS])
def test_what_is_allowed_is_observed(isolation: str, name: str) -> None:
    result, observation = tried(isolation).results[name], tried(isolation).observation
    assert (result["read"], result["started"]) == (0, 0)
    assert ("true", name) in [event.argv for event in observation.events]
    assert observation.incomplete == ()


def test_filters_are_named(isolation: str) -> None:
    events = [event for event in tried(isolation).observation.events if event.kind == "filter"]
    program = f"{os.path.basename(sys.executable)} -I"
    assert [(event.subject, event.error) for event in events] == [
        (program, ""),
        (program, "EPERM"),
    ]
