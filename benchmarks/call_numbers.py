"""Write the numbers of the system calls from the kernel's own headers: `python -m
benchmarks.call_numbers VERSION X86_64_HEADER AARCH64_HEADER`, each the `asm/unistd_64.h` that `make
headers_install` of that kernel, or a distribution's package of its headers, installs for the
processor.

Prints the calls that `calls.toml` has no class for: until each has one, a program that makes it is
refused and named."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from skillstudio.dryrun.isolation import seccomp

_DEFINITION = re.compile(r"^#define __NR_(\w+)\s+(\d+)$", re.MULTILINE)
_FILE = Path(seccomp.__file__).with_name("call_numbers.json")


def read_numbers(header: str) -> dict[str, int]:
    """The number of each system call that a header defines. Raises OSError."""
    return {name: int(number) for name, number in _DEFINITION.findall(Path(header).read_text())}


def main(arguments: Sequence[str]) -> int:
    """Write the file."""
    version, *headers = arguments
    columns = [read_numbers(header) for header in headers]
    names = sorted({name for numbers in columns for name in numbers})
    rows = {name: [numbers.get(name, -1) for numbers in columns] for name in names}
    lines = ",\n".join(f"  {json.dumps(name)}: {row}" for name, row in rows.items())
    _FILE.write_text(f'{{\n"linux": {json.dumps(version)},\n"numbers": {{\n{lines}\n}}\n}}\n')
    unclassed = sorted(set(names) - seccomp.classed_calls())
    print(f"{len(names)} calls; without a class: {', '.join(unclassed) or 'none'}")
    return 1 if unclassed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
