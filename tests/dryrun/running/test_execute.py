"""How a program is started, what it gets, and how its end is told."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
from tests.dryrun.running.ground import ISOLATION_LEVELS, Start, linux

from skillstudio.dryrun.isolation.gate import GateRefused
from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.prepared import Options, UsageLimits

pytestmark = [linux, pytest.mark.parametrize("isolation", ISOLATION_LEVELS)]
SH = ("/bin/sh", "-c")


@pytest.mark.parametrize(
    ("script", "code", "name"),
    [
        ("exit 0", 0, ""),
        ("exit 3", 3, ""),
        ("exit 255", 255, ""),
        ("kill -KILL $$", None, "SIGKILL"),
        ("kill -TERM $$", None, "SIGTERM"),
        ("kill -SEGV $$", None, "SIGSEGV"),
    ],
)
def test_exit_codes_and_signals(
    start: Start, isolation: str, script: str, code: int | None, name: str
) -> None:
    ended = start(isolation, *SH, script).ended
    assert (ended.exit_code, ended.signal, ended.error) == (code, name, "")


def test_the_streams_are_kept_apart(start: Start, isolation: str) -> None:
    ran = start(isolation, *SH, "echo out; echo err >&2")
    assert (ran.out, ran.err) == (b"out\n", b"err\n")


@pytest.mark.parametrize("traced", [False, True])
def test_a_program_that_is_not_there(start: Start, isolation: str, traced: bool) -> None:
    options = Options(trace=traced, trace_log=str(start.folder / "log"))
    # A folder that cannot be entered would be the reason, where there is one among these.
    env = {"PATH": "/usr/bin:/bin"}
    ended = start(isolation, "no-such-program", options=options, env=env).ended
    assert (ended.exit_code, ended.signal) == (None, "")
    assert "did not start" in ended.error
    assert "No such file" in ended.error


def test_a_program_that_may_not_be_started(start: Start, isolation: str) -> None:
    (start.copy / "script").write_text("#!/bin/sh\n")
    ended = start(isolation, "./script").ended
    assert "did not start" in ended.error
    assert "Permission denied" in ended.error


def test_nothing_comes_from_standard_input(start: Start, isolation: str) -> None:
    assert start(isolation, *SH, "cat; echo end").out == b"end\n"


def test_what_is_given_comes_from_standard_input(start: Start, isolation: str) -> None:
    given = os.urandom(200_000)
    assert start(isolation, "/bin/cat", options=Options(stdin=given)).out == given


def test_there_is_no_terminal_to_ask_at(start: Start, isolation: str) -> None:
    script = """
try: open("/dev/tty")
except OSError: print("refused")
"""
    assert start(isolation, sys.executable, "-I", "-S", "-c", script).out == b"refused\n"


HOSTILE = ("", "$(id)", "'\"", "a\nb", "{limit}", "-rf", "*", "ünïcode ☃", "\udcff", "x" * 100_000)


def test_arguments_and_variables_arrive_as_they_are(start: Start, isolation: str) -> None:
    """Whatever a person or an agent may give."""
    script = """
import os, sys
values = [os.environb[b"V%d" % number] for number in range(len(sys.argv) - 1)]
os.write(1, b"\\0".join([*map(os.fsencode, sys.argv[1:]), *values]))
"""
    env = {f"V{number}": value for number, value in enumerate(HOSTILE)}
    ran = start(isolation, sys.executable, "-I", "-S", "-c", script, *HOSTILE, env=env)
    assert ran.out.split(b"\0") == [os.fsencode(value) for value in HOSTILE] * 2


def test_the_environment_is_what_is_declared_and_a_small_base(
    start: Start, isolation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST_TOKEN", "s3cret")
    monkeypatch.delenv("TZ", raising=False)
    ran = start(isolation, "/usr/bin/env", env={"DECLARED": "yes", "HOME": "/elsewhere"})
    found = dict(line.split("=", 1) for line in ran.out.decode().splitlines())
    found.pop("PWD", None)
    assert set(found) == {"DECLARED", "HOME", "LANG", "PATH", "TERM", "TMPDIR"}
    assert (found["HOME"], found["TMPDIR"]) == (start.ground.home, start.ground.temporary)


def test_paths_of_the_original_mean_the_copy(start: Start, isolation: str) -> None:
    original = start.ground.copies[0].original
    script = 'echo changed > "$1"; echo changed > "$V"; pwd'
    ran = start(isolation, *SH, script, "sh", f"{original}/a", env={"V": f"{original}/b"})
    assert ran.out.decode().strip() == (original if isolation == "isolated" else str(start.copy))
    assert sorted(os.listdir(start.copy)) == ["a", "b"]
    assert os.listdir(original) == []


@pytest.mark.parametrize("place", ["home", "temporary"])
def test_home_and_temporary_files_are_its_own(start: Start, isolation: str, place: str) -> None:
    variable = {"home": "HOME", "temporary": "TMPDIR"}[place]
    assert start(isolation, *SH, f'echo here > "${variable}/file"').ended.exit_code == 0
    assert (Path(getattr(start.ground, place)) / "file").read_text() == "here\n"


def test_a_file_that_grows_too_large(start: Start, isolation: str) -> None:
    options = Options(limits=UsageLimits(file_size=1 << 20))
    ended = start(isolation, *SH, "exec head -c 3000000 /dev/zero > big", options=options).ended
    assert ended.signal == "SIGXFSZ"
    assert "1,048,576 bytes" in ended.limits[0]
    assert (start.copy / "big").stat().st_size == 1 << 20


def test_a_limit_that_a_shell_tells_of(start: Start, isolation: str) -> None:
    options = Options(limits=UsageLimits(file_size=1 << 20))
    ended = start(isolation, *SH, "head -c 3000000 /dev/zero > big; exit $?", options=options).ended
    assert "1,048,576 bytes" in ended.limits[0]


OF_A_THREAD = (
    "import os, threading; threading.Thread(target=lambda: os._exit(143)).start(); "
    "threading.Event().wait()"
)
ENDS = [
    ("exit 143", 143, ""),
    ("exit 200", 200, ""),
    ("kill -TERM $$", None, "SIGTERM"),
    ("sh -c 'exit 143'; kill -TERM $$", None, "SIGTERM"),
    ("sh -c 'exit 3'; kill -KILL $$", None, "SIGKILL"),
    ("sh -c 'kill -KILL $$'; exit $?", 137, ""),
    ("(exit 143); kill -TERM $$", None, "SIGTERM"),
    (f"exec {shlex.quote(sys.executable)} -c '{OF_A_THREAD}'", 143, ""),
]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(("script", "code", "signal"), ENDS)
def test_an_exit_is_told_from_a_signal(
    start: Start, isolation: str, script: str, code: int | None, signal: str, traced: bool
) -> None:
    options = Options(trace=traced, trace_log=str(start.folder / "log"))
    ended = start(isolation, *SH, script, options=options).ended
    assert (ended.exit_code, ended.signal) == (code, signal)


def test_limits_are_set(start: Start, isolation: str) -> None:
    limits = UsageLimits(file_size=1 << 20, open_files=99, processes=1234, cpu=55)
    out = start(
        isolation, "/bin/cat", "/proc/self/limits", options=Options(limits=limits)
    ).out.decode()
    found = {line[:25].strip(): tuple(line[26:68].split()) for line in out.splitlines()}
    assert found["Max file size"] == ("1048576", "1048576")
    assert found["Max open files"] == ("99", "99")
    assert found["Max processes"] == ("1234", "1234")
    assert found["Max cpu time"] == ("55", "56")
    assert found["Max core file size"] == ("0", "0")


def test_signals_are_as_new(start: Start, isolation: str) -> None:
    """None ignored or blocked: a program in a pipe relies on SIGPIPE.

    The two that the C library keeps for itself no program can set; make hands them on ignored.
    """
    ran = start(isolation, "/bin/grep", "-E", "Sig(Ign|Blk)", "/proc/self/status")
    own = 1 << (32 - 1) | 1 << (33 - 1)
    assert {int(line.split()[1], 16) & ~own for line in ran.out.splitlines()} == {0}


@pytest.mark.parametrize("traced", [False, True])
def test_its_end_cannot_be_forged(start: Start, isolation: str, traced: bool) -> None:
    script = (
        "for fd in 3 4 5 6 7 8 9; do\n"
        ' printf "exit 0\\n{ \\"exit-code\\": 0 }\\n" > /proc/self/fd/$fd; done 2>/dev/null; exit 7'
    )
    options = Options(trace=traced, trace_log=str(start.folder / "log"))
    assert start(isolation, *SH, script, options=options).ended.exit_code == 7


@pytest.mark.parametrize("traced", [False, True])
def test_it_inherits_no_other_descriptor(start: Start, isolation: str, traced: bool) -> None:
    options = Options(trace=traced, trace_log=str(start.folder / "log"))
    assert start(isolation, *SH, "ls /proc/$$/fd; :", options=options).out == b"0\n1\n2\n"


@pytest.mark.parametrize("traced", [False, True])
def test_it_may_not_trace(start: Start, isolation: str, traced: bool) -> None:
    """Our own tracer may, and what it traces may not."""
    if isolation == "copy":
        pytest.skip("a known gap of this level")
    script = "import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, None, None))"
    options = Options(trace=traced, trace_log=str(start.folder / "log"))
    out = start(isolation, sys.executable, "-I", "-S", "-c", script, options=options).out
    assert out == b"-1\n"


def test_descriptors_are_closed_again(start: Start, isolation: str) -> None:
    probe_isolation()
    before = len(os.listdir("/proc/self/fd"))
    start(isolation, "/bin/true", options=Options(trace=True, trace_log=str(start.folder / "log")))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_folder_that_is_not_there(start: Start, isolation: str) -> None:
    start.copy.rmdir()
    with pytest.raises(GateRefused, match="cannot be opened in its copy"):
        start(isolation, "/bin/true")
