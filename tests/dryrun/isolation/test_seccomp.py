"""What the filter decides, on both processors: the program is run by a small machine of our own."""

from __future__ import annotations

import errno
import itertools
import struct

import pytest

from skillstudio.dryrun.isolation import tracer
from skillstudio.dryrun.isolation.seccomp import (
    FilteredLevel,
    NoFilter,
    call_numbers,
    classed_calls,
    make_tracer_policy,
    program,
    table,
)

ARCHES = ("x86_64", "aarch64")
LEVELS: tuple[FilteredLevel, ...] = ("copy", "confined", "isolated")
ISOLATION_LEVELS: tuple[FilteredLevel, ...] = ("confined", "isolated")


def decide(
    isolation: FilteredLevel,
    machine: str,
    number: int,
    *arguments: int,
    traced: bool = False,
    token: int | None = None,
) -> str:
    """`allow`, `kill`, `stop`, or the name of the error."""
    lines = program(isolation, traced, machine)
    token = table()["arch"][machine]["token"] if token is None else token
    padded = (*arguments, *([0] * (6 - len(arguments))))
    call = struct.pack("=iIQ6Q", number, token, 0, *(each & (1 << 64) - 1 for each in padded))
    value, at = 0, 0
    while True:
        operation, yes, no, operand = struct.unpack_from("=HBBI", lines, at * 8)
        at += 1
        if operation == 0x20:
            value = struct.unpack_from("=I", call, operand)[0]
        elif operation == 0x05:
            at += operand
        elif operation == 0x54:
            value &= operand
        elif operation == 0x06:
            kind = operand & 0xFFFF0000
            known = {0x7FFF0000: "allow", 0x80000000: "kill"}
            error = errno.errorcode.get(operand & 0xFFFF, "")
            return known.get(kind) or f"{'stop ' * (kind == 0x7FF00000)}{error}".strip()
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}
            at += yes if holds[operation] else no


def number(name: str, machine: str) -> int:
    return int(call_numbers()[name][ARCHES.index(machine)])


DECISIONS = [
    # call, arguments: confined, isolated
    ("io_uring_setup", (), "ENOSYS", "ENOSYS"),
    ("keyctl", (), "ENOSYS", "ENOSYS"),
    ("bpf", (), "EPERM", "EPERM"),
    ("ptrace", (), "EPERM", "EPERM"),
    ("clone3", (), "ENOSYS", "ENOSYS"),
    ("clone", (0x01200011,), "allow", "allow"),
    ("clone", (0x00800011,), "EPERM", "EPERM"),
    ("clone", (0x10000000,), "EPERM", "EPERM"),
    ("clone", (0x00020000,), "EPERM", "EPERM"),
    ("clone", (0x02000000,), "EPERM", "EPERM"),
    ("unshare", (0x400,), "allow", "allow"),
    ("unshare", (0x40000000,), "EPERM", "EPERM"),
    ("ioctl", (1, 0x5401), "allow", "allow"),
    ("ioctl", (1, 0x5412), "EPERM", "EPERM"),
    ("ioctl", (1, 0x100005412), "EPERM", "EPERM"),
    ("ioctl", (1, 0x541C), "EPERM", "EPERM"),
    ("prlimit64", (0,), "allow", "allow"),
    ("prlimit64", (1,), "EPERM", "EPERM"),
    ("socket", (1, 1), "EACCES", "EACCES"),
    ("socket", (2, 1), "EACCES", "allow"),
    ("socket", (10, 2), "EACCES", "allow"),
    ("socket", (16, 3), "EACCES", "allow"),
    ("socket", (17, 3), "EACCES", "EACCES"),
    ("socket", (40, 1), "EACCES", "EACCES"),
    ("socketpair", (1, 1), "allow", "allow"),
    ("socketpair", (1, 0o2004001), "allow", "allow"),
    ("socketpair", (1, 5), "allow", "allow"),
    ("socketpair", (1, 2), "EACCES", "EACCES"),
    ("socketpair", (1, 0o2000003), "EACCES", "EACCES"),
    ("kill", (-1, 9), "EPERM", "allow"),
    ("kill", (1234, 9), "allow", "allow"),
    ("shmget", (), "EACCES", "allow"),
]


@pytest.mark.parametrize("machine", ARCHES)
@pytest.mark.parametrize(("call", "arguments", "confined", "isolated"), DECISIONS)
def test_decisions(
    call: str, arguments: tuple[int, ...], confined: str, isolated: str, machine: str
) -> None:
    found = tuple(
        decide(isolation, machine, number(call, machine), *arguments)
        for isolation in ISOLATION_LEVELS
    )
    assert found == (confined, isolated)


@pytest.mark.parametrize("machine", ARCHES)
@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_observed_calls_stop_for_the_tracer(isolation: FilteredLevel, machine: str) -> None:
    assert decide(isolation, machine, number("openat", machine), traced=True) == "stop"
    assert decide(isolation, machine, number("openat", machine)) == "allow"
    # Refused ones too, so that they are named.
    assert decide(isolation, machine, number("ptrace", machine), traced=True) == "stop"
    assert decide(isolation, machine, number("reboot", machine), traced=True) == "stop"
    assert decide(isolation, machine, number("read", machine), traced=True) == "allow"


@pytest.mark.parametrize(
    ("call", "arguments", "error"),
    [("kill", (0xFFFFFFFF, 9), "EPERM"), ("kill", (1234, 9), ""), ("ptrace", (16, 1234), "EPERM")],
)
@pytest.mark.parametrize("machine", ARCHES)
def test_at_copy_too_nothing_ends_the_tracer(
    call: str, arguments: tuple[int, ...], error: str, machine: str
) -> None:
    rule = tracer.rule_of(
        make_tracer_policy("copy", machine)["calls"][number(call, machine)], arguments
    )
    assert rule is not None
    assert rule["error"] == (getattr(errno, error) if error else 0)


@pytest.mark.parametrize("machine", ARCHES)
@pytest.mark.parametrize("isolation", LEVELS)
@pytest.mark.parametrize("unknown", [245, 336, 337, 402, 472, 473, 1000, 5000, 0x3FFFFFFF])
def test_a_call_above_or_outside_the_table_is_refused_and_stops(
    unknown: int, isolation: FilteredLevel, machine: str
) -> None:
    if unknown in {numbers[ARCHES.index(machine)] for numbers in call_numbers().values()}:
        pytest.skip("this processor has the call")
    assert decide(isolation, machine, unknown) == "ENOSYS"
    assert decide(isolation, machine, unknown, traced=True) == "stop"


CLASSES = [
    # call, arguments: whether it stops for the tracer at copy, confined, isolated
    ("mount", (), "stop", "stop", "stop"),
    ("clone", (0x01200011,), "allow", "allow", "allow"),
    ("clone", (0x00800011,), "stop", "stop", "stop"),
    ("clone", (0x10000000,), "stop", "stop", "stop"),
    ("clone3", (), "stop", "stop", "stop"),
    ("socket", (2, 1), "stop", "stop", "stop"),
    ("socketpair", (1, 2), "allow", "stop", "stop"),
    ("ioctl", (1, 0x5401), "allow", "allow", "allow"),
    ("ioctl", (1, 0x40086602), "stop", "stop", "stop"),
    ("ioctl", (1, 0x8914), "stop", "stop", "stop"),
    ("prlimit64", (0,), "allow", "allow", "allow"),
    ("prlimit64", (1,), "stop", "stop", "stop"),
    ("shmget", (0,), "stop", "stop", "stop"),
    ("shmat", (1,), "stop", "stop", "stop"),
    ("mq_open", (), "stop", "stop", "stop"),
    ("setxattrat", (), "stop", "stop", "stop"),
    ("file_setattr", (), "stop", "stop", "stop"),
    ("getdents64", (), "stop", "stop", "stop"),
    ("sched_setaffinity", (1,), "stop", "stop", "stop"),
    ("pidfd_send_signal", (), "stop", "stop", "stop"),
    ("statx", (), "allow", "allow", "allow"),
]


@pytest.mark.parametrize("machine", ARCHES)
@pytest.mark.parametrize(("call", "arguments", "copy", "confined", "isolated"), CLASSES)
def test_what_stops_for_the_tracer(
    call: str, arguments: tuple[int, ...], copy: str, confined: str, isolated: str, machine: str
) -> None:
    decisions = tuple(
        decide(isolation, machine, number(call, machine), *arguments, traced=True)
        for isolation in LEVELS
    )
    assert decisions == (copy, confined, isolated)


ARGUMENTS = (0, 1, 2, 5, 8, 9, 10, 16, 17, 22, 0x5412, 0x10000000, 0xFFFFFFFF, 1 << 32 | 8)


@pytest.mark.parametrize("machine", ARCHES)
@pytest.mark.parametrize("isolation", LEVELS)
def test_the_tracer_decides_as_the_filter_does(isolation: FilteredLevel, machine: str) -> None:
    """A program's own filter can overrule what the filter hands over, but not the tracer."""
    calls = make_tracer_policy(isolation, machine)["calls"]
    for call, about in calls.items():
        is_conditional = any("argument" in rule for rule in about["rules"])
        for first, second in itertools.product(ARGUMENTS if is_conditional else (0,), repeat=2):
            arguments = (first, second, 0, 0, 0, 0)
            rule = tracer.rule_of(about, arguments)
            error = rule["error"] if rule else 0
            alone = decide(isolation, machine, call, *arguments)
            assert alone == (errno.errorcode[error] if error else "allow"), about
            beside = decide(isolation, machine, call, *arguments, traced=True)
            assert beside == ("stop" if rule else "allow"), about


@pytest.mark.parametrize("isolation", LEVELS)
def test_listeners_are_refused_and_filters_observed(isolation: FilteredLevel) -> None:
    seccomp, prctl = number("seccomp", "x86_64"), number("prctl", "x86_64")
    for arguments, decision in {
        (seccomp, 1, 8): "EPERM",
        (seccomp, 1, 0x1F): "EPERM",
        (seccomp, 1, 1): "allow",
        (seccomp, 2, 0): "allow",
        (prctl, 22, 2): "allow",
    }.items():
        assert decide(isolation, "x86_64", *arguments) == decision
    assert decide(isolation, "x86_64", seccomp, 1, 0, traced=True) == "stop"
    assert decide(isolation, "x86_64", prctl, 22, 2, traced=True) == "stop"
    assert decide(isolation, "x86_64", prctl, 15, 2, traced=True) == "allow"


@pytest.mark.parametrize(("machine", "other"), [ARCHES, ARCHES[::-1]])
def test_calls_of_another_processor_kill(machine: str, other: str) -> None:
    assert decide("confined", machine, 0, token=table()["arch"][other]["token"]) == "kill"
    assert decide("confined", machine, 0, token=0x40000003) == "kill"


def test_calls_of_another_processor_stop_where_nothing_is_refused() -> None:
    assert decide("copy", "x86_64", 0, token=0x40000003, traced=True) == "stop"
    assert decide("copy", "x86_64", 0x40000000 | 41, traced=True) == "stop"


def test_calls_of_the_other_kind_on_x86_kill() -> None:
    assert decide("isolated", "x86_64", 0x40000000 | 41) == "kill"


@pytest.mark.parametrize("machine", ARCHES)
def test_no_number_is_in_the_table_twice(machine: str) -> None:
    numbers = [pair[ARCHES.index(machine)] for pair in call_numbers().values()]
    known = [each for each in numbers if each >= 0]
    assert len(known) == len(set(known))


def test_every_call_has_its_numbers_and_exactly_one_class() -> None:
    """A new call of the kernel has to be given a class before its number is of any use."""
    assert classed_calls() == set(call_numbers())
    own = [call for calls in table()["own"].values() for call in calls]
    assert len(own) == len(set(own))
    rules = (*table()["deny"], *table()["observe"])
    assert not set(own) & {call for rule in rules for call in rule["calls"]}


def test_an_unknown_processor() -> None:
    with pytest.raises(NoFilter, match="processor vax"):
        program("confined", False, "vax")
