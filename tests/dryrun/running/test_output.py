"""What a program prints is kept whole up to a cap, and its end always."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dryrun.running.ground import ISOLATION_LEVELS, Start, linux

from skillstudio.dryrun.running.output import RING, Channel, ProgramOutput, Pump


class Doubled:
    """A masking object that holds the last byte back until the next comes."""

    def __init__(self) -> None:
        self.held = b""

    def feed(self, data: bytes) -> bytes:
        data, self.held = (self.held + data)[:-1], data[-1:] or self.held
        return data.upper()

    def flush(self) -> bytes:
        held, self.held = self.held, b""
        return held.upper()


def test_what_is_held_back_comes_with_the_end(tmp_path: Path) -> None:
    channel = Channel(str(tmp_path / "kept"), Doubled())
    channel.feed(b"ab")
    assert channel.tail() == b"A"
    channel.feed(b"c")
    channel.close()
    assert (tmp_path / "kept").read_bytes() == channel.tail() == b"ABC"


def test_beyond_the_cap_only_the_end_is_kept(tmp_path: Path) -> None:
    channel = Channel(str(tmp_path / "kept"), cap=10)
    for number in range(100):
        channel.feed(b"%02d" % number)
    channel.close()
    assert (channel.total, channel.stored_size, channel.cut) == (200, 10, True)
    assert (tmp_path / "kept").read_bytes() == b"0001020304"
    assert channel.tail(4) == b"9899"


def test_only_its_owner_reads_what_is_kept(tmp_path: Path) -> None:
    output = ProgramOutput(str(tmp_path))
    output.close()
    if os.name == "posix":
        assert stat.S_IMODE(os.stat(output.stdout.path).st_mode) == 0o600


@given(st.lists(st.binary(min_size=1, max_size=9), max_size=20), st.data())
def test_who_looks_now_and_then_sees_all_or_is_told_how_much_not(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], data: st.DataObject
) -> None:
    channel = Channel(str(tmp_path_factory.mktemp("kept") / "kept"))
    seen, position, missed = b"", 0, 0
    for piece in pieces:
        channel.feed(piece)
        if data.draw(st.booleans()):
            news = channel.since(position, most=data.draw(st.integers(1, 12)))
            seen, position, missed = seen + news.data, news.position, missed + news.missed_size
    news = channel.since(position)
    channel.close()
    whole = b"".join(pieces)
    assert len(seen + news.data) + missed + news.missed_size == len(whole)
    assert whole.endswith(news.data)
    if not missed:
        assert seen + news.data == whole


def test_what_went_by_is_counted(tmp_path: Path) -> None:
    channel = Channel(str(tmp_path / "kept"))
    for _ in range(8):
        channel.feed(b"x" * RING)
    channel.feed(b"end")
    news = channel.since(0)
    channel.close()
    assert news.data.endswith(b"xend")
    assert (len(news.data), news.missed_size) == (RING, 7 * RING + 3)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_said_and_the_program_goes_on() -> None:
    channel = Channel("/dev/full")
    channel.feed(b"first")
    channel.feed(b"second")
    channel.close()
    assert channel.failure == "No space left on device"
    assert channel.tail() == b"firstsecond"


def test_a_pump_does_not_wait_for_who_never_closes(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    taken: list[bytes] = []
    pump = Pump(reading, taken.append, "test")
    assert pump.stop(0.05) is False
    with pytest.raises(OSError):
        os.fstat(reading)
    os.close(writing)


def test_what_goes_wrong_in_a_pump_is_not_lost() -> None:
    def take(data: bytes) -> None:
        raise ValueError(data.decode())

    reading, writing = os.pipe()
    pump = Pump(reading, take, "test")
    os.write(writing, b"oh")
    with pytest.raises(ValueError, match="oh"):
        pump.stop(60)
    os.close(writing)


LOUD = {
    "text": (b"a line of text\n", 4096, 1024),
    "no line ends": (b"x", 65536, 1024),
    "escapes": (b"\x1b[31m\x1b]0;title\x07\x1b[2J", 4096, 256),
    "binary": (bytes(range(256)), 256, 512),
}


@linux
@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
@pytest.mark.parametrize("name", LOUD)
def test_a_loud_program_is_listened_to_to_the_end(start: Start, name: str, isolation: str) -> None:
    """Tens of megabytes a run: more than any buffer on the way holds."""
    unit, times, count = LOUD[name]
    piece = unit * times
    script = (
        "import os\n"
        f"piece = {unit!r} * {times}\n"
        f"for _ in range({count}):\n"
        " left = piece\n"
        " while left: left = left[os.write(1, left):]\n"
        "os.write(1, b'{\"last\": true}')"
    )
    ran = start(isolation, sys.executable, "-I", "-S", "-c", script)
    total = len(piece) * count + 14
    assert ran.ended.exit_code == 0
    assert ran.output.stdout.total == total
    assert ran.out == (piece * (2 + (1 << 20) // len(piece)))[: 1 << 20]
    assert ran.output.stdout.tail(20) == piece[-6:] + b'{"last": true}'
    said = f"only the first {1 << 20:,} of {total:,} bytes of standard output are stored"
    assert ran.ended.limits == (said,)
