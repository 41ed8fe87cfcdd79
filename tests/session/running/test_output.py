"""What a program prints, as lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.running.output import NewOutput
from skillstudio.session.running.output import LONGEST, PER_LOOK, Tail


class PrintedOutput:
    """A stream that holds all that was printed so far."""

    def __init__(self) -> None:
        self.data = b""

    def since(self, position: int, most: int = 1 << 19) -> NewOutput:
        new = self.data[position:]
        return NewOutput(new[-most:], len(self.data), max(len(new) - most, 0))


def lines(*chunks: bytes, mark: str = "") -> list[str]:
    stream, tail, found = PrintedOutput(), Tail(mark), []
    for chunk in chunks:
        stream.data += chunk
        found += tail.look(stream)
    return found + tail.end()


@pytest.mark.parametrize(
    ("chunks", "wanted"),
    [
        ((b"one\ntwo\n",), ["one", "two"]),
        ((b"on", b"e\ntw", b"o"), ["one", "two"]),
        ((b"one\r\ntwo\r", b"\n"), ["one", "two"]),
        ((b"10%\r50%\r100%\n",), ["100%"]),
        ((b"\xc3", b"\xa4\n"), ["ä"]),
        ((b"\xff\n",), ["\ufffd"]),
        ((b"[red]x[/] [@click=app.quit]y\n",), ["[red]x[/] [@click=app.quit]y"]),
        ((b"\x1b[31mred\x1b[0m\n",), ["red"]),
        ((b"\x1b[3", b"1mred\n"), ["red"]),
        ((b"\x1b]0;title\x07x\n",), ["x"]),
        ((b"\x1b]52;c;aGk=\x1b\\x\n",), ["x"]),
        ((b"\x1bPq#0\x1b\\x\n",), ["x"]),
        ((b"a\x00b\x07c\n",), ["a␀b␇c"]),
        (("\u202eabc\u200b\n".encode(),), ["<U+202E>abc<U+200B>"]),
        ((b"\x1b",), ["␛"]),
        ((b"\x1b]0;no end\nnext\n",), ["", "next"]),
        ((b"\n\n",), ["", ""]),
        ((), []),
    ],
)
def test_lines_are_what_was_printed_and_steer_nothing(
    chunks: tuple[bytes, ...], wanted: list[str]
) -> None:
    assert lines(*chunks) == wanted


def test_lines_of_one_stream_are_marked() -> None:
    assert lines(b"bad\nworse", mark="! ") == ["! bad", "! worse"]


def test_what_came_too_fast_is_told_and_its_end_is_shown() -> None:
    found = lines(b"begin\n", b"x" * 100 + b"\n" + b"y" * 9 + b"\n" * PER_LOOK)
    assert found[0] == "begin"
    assert found[1] == "… 110 bytes not shown; the recorded run has them"
    assert len(found) == 2 + PER_LOOK


def test_a_line_without_end_takes_no_room() -> None:
    stream, tail = PrintedOutput(), Tail()
    for _ in range(20):
        stream.data += b"z" * PER_LOOK
        (line,) = tail.look(stream)
        assert len(line) < LONGEST + 40
        assert line.endswith("… (32,768 characters)")


@given(st.binary(max_size=60), st.integers(0, 60))
def test_where_the_chunks_end_changes_nothing(data: bytes, at: int) -> None:
    assert lines(data[:at], data[at:]) == lines(data)


@given(st.text(alphabet="\x1b[]PX;0mK\x07\\a\r\nü\x9b", max_size=40))
def test_no_line_holds_what_steers_a_terminal(text: str) -> None:
    for line in lines(text.encode()):
        assert line.isprintable()
