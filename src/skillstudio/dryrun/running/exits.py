"""How a program in bwrap ended: of its own accord, or by a signal.

bwrap tells 143 of both, an `exit 143` and a SIGTERM. The tracer writes down that a program asks to
exit before it does, so that its log tells them apart; without a tracer it stays a signal.
"""

from __future__ import annotations

import re
import signal

from skillstudio.dryrun.report import Ended
from skillstudio.dryrun.running.status import SIGNALLED

_FIRST = re.compile(rb"(\d+) ")
_EXIT = re.compile(rb"^(\d+) +exit_group\((-?\d+)\)", re.MULTILINE)
_THREAD = re.compile(rb"^\d+ +clone3?\(.*\bCLONE_THREAD\b.*\) = (\d+)\b", re.MULTILINE)


def told_apart(ended: Ended, trace_log: str) -> Ended:
    """`ended` with an exit code where the log says that the program asked for that.

    The program is what the log begins with, and any thread may ask. Where the log has no such
    call of it, it was a signal. Raises OSError where the log cannot be read.
    """
    if not ended.signal:
        return ended
    with open(trace_log, "rb") as file:
        log = file.read()
    first = _FIRST.match(log)
    own = {*_THREAD.findall(log), *((first[1],) if first else ())}
    for pid, code in _EXIT.findall(log):
        told = int(code) & 0xFF
        if pid in own and told == SIGNALLED + signal.Signals[ended.signal]:
            return ended._replace(exit_code=told, signal="")
    return ended
