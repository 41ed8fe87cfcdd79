"""Programs that are hard to end or to listen to, each started as `python shapes.py NAME`.

Every process of theirs holds a lock on a file in the current folder, so that whoever waits for one
of the locks waits for that process to be gone. `ready` is printed when all of them run.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time

COUNT = 100


def hold(name: str) -> None:
    fd = os.open(f"alive-{name}", os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)


def wait() -> None:
    while True:
        signal.pause()


def deaf() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)


def child(name: str, tell: int, *, session: bool = False, quiet: bool = False) -> None:
    if os.fork():
        return
    if session:
        os.setsid()
    deaf()
    hold(name)
    os.write(tell, b".")
    if quiet:
        for fd in range(3):
            os.close(fd)
    wait()


def plain() -> None:
    hold("plain")


def ignores_term() -> None:
    deaf()
    hold("self")


def background() -> None:
    told, tell = os.pipe()
    child("background", tell)
    os.read(told, 1)


def session() -> None:
    told, tell = os.pipe()
    child("session", tell, session=True)
    os.read(told, 1)


def daemon() -> None:
    told, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        child("daemon", tell, quiet=True)
        os._exit(0)
    os.read(told, 1)


def bomb() -> None:
    told, tell = os.pipe()
    for number in range(COUNT):
        child(str(number), tell, session=number % 2 == 0)
    left = COUNT
    while left:
        left -= len(os.read(told, left))


def runners() -> None:
    """Each moves on to a new process in a new session, all the time; the lock goes along."""
    told, tell = os.pipe()
    for number in range(4):
        if os.fork() == 0:
            deaf()
            hold(f"runner-{number}")
            os.write(tell, b".")
            until = time.monotonic() + 20
            while time.monotonic() < until:
                if os.fork():
                    os._exit(0)
                os.setsid()
            os._exit(0)
    left = 4
    while left:
        left -= len(os.read(told, left))


SHAPES = {
    each.__name__.replace("_", "-"): each
    for each in (plain, ignores_term, background, session, daemon, bomb, runners)
}

if __name__ == "__main__":
    SHAPES[sys.argv[1]]()
    print("ready", flush=True)
    if "leave" not in sys.argv:
        wait()
