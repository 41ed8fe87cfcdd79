"""The canary's program, run as `python -I -S -c TEXT FILE UNIX TCP UDP`. It prints each attempt
that succeeded, a word a line, and `tried` at the end. It imports nothing of skillstudio."""

from __future__ import annotations

import socket
import sys


def main(file: str, unix: str, tcp: str, udp: str) -> None:
    try:
        with open(file, "w", encoding="ascii") as stream:
            stream.write("out\n")
        print("write")
    except OSError:
        pass
    attempts = (
        ("unix", getattr(socket, "AF_UNIX", None), socket.SOCK_STREAM, unix),
        ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", int(tcp))),
    )
    for name, family, kind, address in attempts:
        try:
            with socket.socket(family or socket.AF_INET, kind) as client:
                client.settimeout(2)
                client.connect(address)
            print(name)
        except OSError:
            pass
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp_client:
            udp_client.sendto(b"out", ("127.0.0.1", int(udp)))
    except OSError:
        pass  # The receiver knows whether it arrived.
    print("tried")


if __name__ == "__main__":
    main(*sys.argv[1:5])
