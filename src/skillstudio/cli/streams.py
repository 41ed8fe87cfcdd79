"""Standard streams that are closed, as in services, or that cannot be written."""

from __future__ import annotations

import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_closed_streams() -> None:
    """Read nothing and write nowhere in place of closed streams.

    Without it the next file that is opened would be taken for one of them.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def discard_output() -> None:
    """Write nowhere from now on, because nobody reads it or there is no space."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
