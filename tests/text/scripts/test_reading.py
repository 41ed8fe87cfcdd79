"""Which language a script is in, and what is not read at all."""

from __future__ import annotations

from time import process_time

import pytest

from skillstudio.text.scripts.model import NotRead
from skillstudio.text.scripts.reading import LARGEST, LONGEST_LINE, language_of, read_script


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("x", "#!/bin/sh\n", "bash"),
        ("x", "#!/usr/bin/env bash\n", "bash"),
        ("x", "#! /usr/bin/env -S python3 -u\n", "python"),
        ("x", "#!/usr/bin/env LC_ALL=C python3.12\n", "python"),
        ("x", "#!/opt/pypy3\n", "python"),
        ("x", "#!/usr/bin/env pwsh\n", "powershell"),
        ("x.py", "#!/usr/bin/env ruby\n", ""),
        ("x", "#!\n", ""),
        ("x", "#!/usr/bin/env\n", ""),
        ("x.py", "", "python"),
        ("a/X.PY", "", "python"),
        ("x.sh", "", "bash"),
        ("x.ps1", "", "powershell"),
        ("x.rb", "", ""),
        ("x", "", ""),
        (".py", "", "python"),
    ],
)
def test_the_language(path: str, text: str, language: str) -> None:
    assert language_of(path, text) == language


@pytest.mark.parametrize(
    ("path", "data", "said"),
    [
        ("x.py", b"x" * (LARGEST + 1), "larger than 256 KiB"),
        ("x.py", b"\x7fELF\0", "binary"),
        ("x.py", b"\xff\xfe", "not UTF-8"),
        ("x.py", b"x" * (LONGEST_LINE + 1), "a line is longer than 10000 characters"),
        ("x.rb", b"puts 1", "unsupported language"),
        ("x.pl", b"#!/usr/bin/perl\nprint 1", "unsupported language"),
        ("x", b"", "unsupported language"),
    ],
)
def test_what_is_not_read(path: str, data: bytes, said: str) -> None:
    with pytest.raises(NotRead, match=said):
        read_script(path, data)


SLOW = {
    "quotes.sh": "'\n" * 100_000,
    "open.sh": ('"$(' * 3000 + "\n") * 25,
    "blanks.sh": "getopts a:b:c:d:e:f:g: x\n" + (" " * 9000 + "-a\n") * 20,
    "lines.sh": " \n" * 100_000,
    "branch.sh": 'case "$1" in\n--a)\n' + "x\n" * 100_000,
    "branches.sh": 'case "$1" in\n' + "--a | --b) x=$2\n" * 10_000,
    "cases.sh": 'case "$1" in\n' * 1500,
    "words.sh": ("a\t" * 4000 + "\n") * 30,
    "places.sh": ("$1 ${2 " * 1000 + "\n") * 30,
    "assigned.sh": ("a=1;" * 2000 + "\n") * 10,
    "defaults.sh": ("${1:-${a:=${b" * 300 + '[ -z "$a" ] && ' * 300 + "\n") * 6,
    "comments.ps1": ("<#" * 4000 + "\n") * 25,
    "brackets.ps1": "param(" + ("[" * 5000 + "\n") * 40,
    "attributes.ps1": "param(\n" + "[a(\n" * 50_000,
    "many.ps1": "param(\n" + "$a,\n" * 50_000,
    "help.ps1": ".SYNOPSIS\n" * 25_000,
    "many.py": "import argparse\np=argparse.ArgumentParser()\n" + "p.add_argument('--x')\n" * 8000,
}


@pytest.mark.slow_cases("quotes.sh", "lines.sh", "branch.sh", "many.py", "many.ps1", "branches.sh")
@pytest.mark.parametrize("name", SLOW)
def test_no_script_takes_long(name: str) -> None:
    """Each takes less than a second here; what takes minutes is what this is to find."""
    start = process_time()
    read_script(name, SLOW[name].encode())
    assert process_time() - start < 20


def test_a_script_of_many_operations_is_read_once() -> None:
    data = b"import argparse\nargparse.ArgumentParser().parse_args()\n"
    assert read_script("a.py", data) is read_script("a.py", bytes(bytearray(data)))
