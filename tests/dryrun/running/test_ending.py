"""Nothing of a program is left, whatever it is like and however it ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.dryrun.running.ground import ISOLATION_LEVELS, SHAPES, Start, Watching, free, linux
from tests.dryrun.running.shapes import COUNT
from tests.dryrun.running.shapes import SHAPES as NAMES

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.prepared import Options, PreparedProcess, StepStart, UsageLimits
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import ProgramOutput

pytestmark = linux


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
@pytest.mark.parametrize("shape", NAMES)
def test_nothing_is_left_after_cancel(start: Start, shape: str, isolation: str) -> None:
    ran = start.shape(isolation, shape, cancel_at=b"ready")
    assert (ran.ended.cancelled, ran.ended.timed_out) == (True, False)
    assert ran.ended.signal in ("SIGTERM", "SIGKILL")
    assert len(start.locks()) == {"bomb": COUNT, "runners": 4}.get(shape, 1)
    assert start.alive() == []


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
@pytest.mark.parametrize("shape", ["background", "session", "daemon", "bomb"])
def test_nothing_is_left_when_it_ends_by_itself(start: Start, shape: str, isolation: str) -> None:
    ran = start.shape(isolation, shape, "leave")
    assert (ran.ended.exit_code, ran.out) == (0, b"ready\n")
    assert len(start.locks()) == (COUNT if shape == "bomb" else 1)
    assert start.alive() == []
    count = "100 processes were" if shape == "bomb" else "1 process was"
    assert ran.ended.limits == (f"{count} still running at the end and had to be ended",)


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_a_tracer_does_not_keep_a_run_from_ending(start: Start, isolation: str) -> None:
    if not probe_isolation().level(isolation).traced:
        pytest.skip("this system does not let programs be observed")
    log = start.folder / "log"
    ran = start.shape(isolation, "daemon", "leave", options=Options(trace=True, trace_log=str(log)))
    assert ran.ended.exit_code == 0
    assert start.alive() == []
    assert log.read_bytes().endswith(b"4\0end\x000\x000\x000\0")


def processes_that_write(path: Path) -> set[int]:
    processes = set()
    for fd in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.readlink(fd) == str(path):
                processes.add(int(fd.parts[2]))
    return processes


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_a_tracer_that_somebody_stops_goes_on(start: Start, isolation: str) -> None:
    if not probe_isolation().level(isolation).traced:
        pytest.skip("this system does not let programs be observed")
    log = start.folder / "log"
    options = Options(trace=True, trace_log=str(log))
    # The tracer has to pass on what opens a file, after the stop too.
    script = "echo ready; while [ ! -e stopped ]; do :; done; read x < in; echo on"
    (start.copy / "in").write_text("x\n")

    def stop() -> None:
        if not (start.copy / "stopped").exists():
            (tracer,) = processes_that_write(log)
            os.kill(tracer, signal.SIGSTOP)
            (start.copy / "stopped").touch()

    watching = Watching(b"ready", stop)
    ran = start(isolation, "/bin/sh", "-c", script, options=options, watching=watching, timeout=30)
    assert (ran.ended.exit_code, ran.out) == (0, b"ready\non\n")
    assert log.read_bytes().endswith(b"4\0end\x000\x000\x000\0")


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_a_tracer_that_somebody_ends_takes_the_program_with_it(
    start: Start, isolation: str
) -> None:
    if not probe_isolation().level(isolation).traced:
        pytest.skip("this system does not let programs be observed")
    log = start.folder / "log"
    options = Options(trace=True, trace_log=str(log))

    def end() -> None:
        for tracer in processes_that_write(log):
            os.kill(tracer, signal.SIGKILL)

    watching = Watching(b"ready", end)
    ran = start.shape(isolation, "daemon", options=options, watching=watching)
    assert (ran.ended.signal, ran.ended.timed_out) == ("SIGKILL", False)
    assert start.alive() == []
    # A report says of such a log that the tracer was ended before the program.
    assert not log.read_bytes().endswith(b"4\0end\x000\x000\x000\0")


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_the_disk_runs_full(start: Start, isolation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    probe_isolation().level(isolation)
    free = [10 << 30, 1 << 30, 255 << 20]
    looks = iter((*free, *free[-1:] * 1000))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=next(looks)))
    ran = start(isolation, "/bin/sleep", "600")
    assert (ran.ended.timed_out, ran.ended.cancelled, ran.ended.error) == (False, False, "")
    assert ran.ended.exit_code != 0
    assert ran.ended.limits == ("ended: the disk with its copies was almost full",)


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_time_runs_out(start: Start, isolation: str) -> None:
    ran = start(isolation, "/bin/sleep", "600", timeout=1)
    assert (ran.ended.timed_out, ran.ended.cancelled) == (True, False)
    assert (ran.ended.exit_code, ran.ended.signal) == (None, "SIGTERM")
    assert 1000 <= ran.ended.duration_ms < 10_000


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_who_is_asked_to_end_may_say_goodbye(start: Start, isolation: str) -> None:
    script = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done"
    ran = start(isolation, "/bin/sh", "-c", script, cancel_at=b"ready")
    assert (ran.ended.exit_code, ran.ended.cancelled) == (5, True)
    assert ran.out == b"ready\nbye\n"


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_cancelled_before_it_starts_nothing_starts(start: Start, isolation: str) -> None:
    cancel = threading.Event()
    cancel.set()
    ran = start.shape(isolation, "plain", cancel=cancel)
    assert (ran.ended.cancelled, ran.ended.exit_code) == (True, None)
    assert start.locks() == []


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_it_ends_with_skillstudio(start: Start, isolation: str) -> None:
    """Killed outright, it can do nothing any more; the program is ended all the same."""
    if not probe_isolation().level(isolation).available:
        pytest.skip(probe_isolation().level(isolation).reason)
    script = (
        "import sys; from pathlib import Path; from tests.dryrun.running.ground import Start\n"
        "start = Start(Path(sys.argv[1])); start.shape(sys.argv[2], 'daemon', cancel_at=b'never')"
    )
    folder = start.folder / "other"
    folder.mkdir()
    # The lock is there before: waiting for it is waiting for whoever takes it.
    root = str(Path(__file__).parents[3])
    other = subprocess.Popen([sys.executable, "-c", script, str(folder), isolation], cwd=root)
    kept = folder / "kept" / "stdout"
    while not (kept.exists() and b"ready" in kept.read_bytes()):
        assert other.poll() is None
        threading.Event().wait(0.01)
    other.kill()
    other.wait()
    assert free(folder / "copy" / "alive-daemon", wait=True)


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["confined", "isolated"])
def test_a_program_that_computes_too_long(start: Start, isolation: str) -> None:
    ended = start(
        isolation,
        "/bin/sh",
        "-c",
        "while :; do :; done",
        options=Options(limits=UsageLimits(cpu=1)),
    ).ended
    assert ended.signal == "SIGXCPU"
    assert "1 seconds" in "".join(ended.limits)


def test_who_ends_the_supervisor_is_told(start: Start) -> None:
    ran = start("copy", "/bin/sh", "-c", "kill -9 $PPID; sleep 3")
    assert ran.ended.error == "the process that supervises the program was killed"
    assert not ran.ended.timed_out


def test_what_holds_the_output_open_is_left_and_said(tmp_path: Path) -> None:
    """Where there is only a group, a session of its own is out of reach."""
    wanted = tmp_path / "wanted"
    wanted.touch()
    script = (
        "import os, time\nr, w = os.pipe()\n"
        "if os.fork() == 0:\n os.setsid()\n os.write(w, b'x')\n"
        " while os.path.exists('wanted'): time.sleep(0.05)\n os._exit(0)\n"
        "os.read(r, 1)"
    )
    argv = (sys.executable, "-I", "-S", "-c", script)
    output = ProgramOutput(str(tmp_path))
    try:
        ended = execute(PreparedProcess(argv, {}, str(tmp_path)), 60, threading.Event(), output)
    finally:
        wanted.unlink()
        output.close()
    assert ended.exit_code == 0
    assert "holds the output open" in ended.limits[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_group_is_ended_where_there_is_no_launcher(start: Start, name: str) -> None:
    if name in ("session", "daemon", "bomb", "runners"):
        pytest.skip("a session of its own is out of reach: a known gap")
    cancel = threading.Event()
    watching = (Watching(b"ready", cancel.set), Watching(b"never", cancel.set))
    output = ProgramOutput(str(start.folder / "kept"), watching)
    argv = (sys.executable, "-I", "-S", *SHAPES, name)
    ended = execute(PreparedProcess(argv, {}, str(start.copy)), 60, cancel, output)
    output.close()
    assert ended.cancelled
    assert start.alive() == []


@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_a_fault_in_masking_ends_nothing_by_halves(start: Start, isolation: str) -> None:
    """It is raised when all is over: nothing is left, of processes and of descriptors."""

    class Broken:
        def feed(self, data: bytes) -> bytes:
            raise ValueError("broken")

        def flush(self) -> bytes:
            return b""

    levels = probe_isolation()
    if not levels.level(isolation).available:
        pytest.skip(levels.level(isolation).reason)
    before = len(os.listdir("/proc/self/fd"))
    argv = (sys.executable, "-I", "-S", *SHAPES, "daemon", "leave")
    cwd = start.ground.copies[0].original
    prepared = levels.prepare(isolation, StepStart(argv, {}, cwd, start.ground, Options()))
    output = ProgramOutput(str(start.folder / "kept"), (Broken(), Broken()))
    with pytest.raises(ValueError, match="broken"):
        execute(prepared, 60, threading.Event(), output)
    output.close()
    assert start.alive() == []
    assert len(os.listdir("/proc/self/fd")) == before
