"""Requirements of Python packages: which are refused, in each place, and how others are written."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.reading.requirements import (
    MAX_LENGTH,
    DeclaredRequirement,
    parse_requirement,
    read_requirements,
)
from skillstudio.text.source import Source

SAFE = re.compile(r"""[a-z0-9][A-Za-z0-9 ._\-\[\],()<>=!~;*+'"]*(?: --hash=sha\d+:[0-9a-f]+)*""")


def in_script(text: str) -> Source:
    lines = f"# /// script\n# dependencies = [\n#   {json.dumps(text)},\n# ]\n# ///\nprint()\n"
    return Source(f"#!/usr/bin/env python3\n{lines}", "scripts/go.py")


def in_pyproject(text: str) -> Source:
    lines = f"[project]\nname = 'x'\ndependencies = ['six', {json.dumps(text)}]\n"
    return Source(lines, "pyproject.toml")


def in_list(text: str) -> Source:
    return Source(f"# packages\nattrs>=20\n{text}\n", "requirements.txt")


def read(source: Source) -> list[str]:
    """The values, with the place and the problem of those that are refused."""
    result = []
    for item in read_requirements(source):
        line, column = source.position(item.span.start)
        result.append(item.value or f"{line}:{column}: {item.problem}")
    return result


PLACES = [in_script, in_pyproject, in_list]
HOSTILE = [
    # Lines and control characters
    "six; python_version > '3'\n${PWD}/dep/evil",
    "six; python_version > '3'\nevil @ file://${PWD}/dep/evil",
    "six\n--index-url http://127.0.0.1:18090/${MY_TOKEN}/simple",
    "six; python_version > '3'\r--index-url http://a.example",
    "six\r\n-e .", "six\x0b-e .", "six\x0c--pre", "six\x1c-e .", "six\x1d-e .", "six\x1e-e .",
    "six\x85-e .", "six\u2028-e .", "six\u2029-e .", "six\x00", "six\x1b[2K", "six\x7f",
    "six\\\n-e .", "six \\\n --index-url http://a.example",
    # Variables
    "${HOME}/evil", "$HOME", "six==${VERSION}", "six; os_name == '${HOME}'", "six[${EXTRA}]",
    "%HOME%", "`id`", "{six}", "six; os_name == '$(id)'",
    # Options
    "-e .", "--editable=.", "-r other.txt", "--requirement other.txt", "-c limits.txt",
    "-f http://a.example", "-i http://a.example", "--index-url http://a.example",
    "--extra-index-url=http://a.example", "--no-binary :all:", "--no-binary=six", "--pre",
    "--trusted-host a.example", "--use-feature=x", "six -e .", "six --config-settings=a=b",
    "six --global-option=x", "six\t--no-binary=six", "six ; os_name == 'a' --index-url=x",
    "six --hash=md5:00", "six --hash=sha256:zz", "six --hash=sha256:${HASH}",
    # Paths
    ".", "./evil", "../evil", "/tmp/evil", "~/evil", "evil/", "evil/setup.py", "C:\\evil",
    "evil\\dep", "evil.whl", "evil-1.0.tar.gz", "evil.ZIP", "evil===1.zip", ".evil",
    # URLs
    "git+https://a.example/evil.git", "evil @ git+https://a.example/evil.git",
    "evil @ file:///tmp/evil", "evil@https://a.example/evil.whl", "http://a.example/evil.whl",
    "file:evil", "file:///tmp/evil", "svn+ssh://a.example/evil", "evil[x] @ ./evil", "evil@evil",
    "evil @ evil.whl ; python_version > '3'",
    # Letters that look like others
    "\u0455ix", "\uff53ix", "six\u200b", "six\u00a0>=1", "six\uff1d\uff1d1", "six>=\u0661",
    "six\ufeff", "si\u0445", "\U000e0073six",
    # No requirements
    "six;", "six>=", "six 1.0", "six,evil", "six evil", "six[", "!six", "=1", "six=1",
    "six; nosuch > '3'", "s" * 501, "six; os_name > '3", "six:evil", "six|evil",
    "six & evil", "six^1", "six?",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", HOSTILE)
def test_refused_with_its_place(place: Callable[[str], Source], text: str) -> None:
    source = place(text)
    requirements = read_requirements(source)
    refused = [item for item in requirements if item.problem]
    assert refused
    for item in requirements:
        assert bool(item.value) != bool(item.problem)
        assert not item.value or SAFE.fullmatch(item.value)
    first = refused[0]
    assert source.text[first.span.start : first.span.end].strip() != ""
    line = source.position(first.span.start).line
    starts = {in_script: 4, in_pyproject: 3, in_list: 3}
    assert line >= starts[place]  # type: ignore[index]
    assert first.problem.isprintable()
    assert first.problem.isascii() or first.problem.count("…") == 1


HONEST = [
    ("requests[socks,security]>=2.8.1", "requests[security,socks]>=2.8.1"),
    ("tomli>=2; python_version < '3.11'", 'tomli>=2; python_version < "3.11"'),
    ("attrs~=20.1", "attrs~=20.1"),
    ("six==1.*", "six==1.*"),
    ("zope.interface", "zope-interface"),
    ("Ruamel_YAML >=0.17, <1", "ruamel-yaml<1,>=0.17"),
    ("six (>=1,<2)", "six<2,>=1"),
    ("six!=1.5,>1", "six!=1.5,>1"),
    ("six==2!1.0+local.1", "six==2!1.0+local.1"),
    ("six===1.0", "six===1.0"),
    ("six ; os_name == 'nt' and (extra == 'x' or python_version in '3.11 3.12')",
     'six; os_name == "nt" and (extra == "x" or python_version in "3.11 3.12")'),
    ("\t six ", "six"),
    ("six>=1.0rc1", "six>=1.0rc1"),
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("text", "value"), HONEST)
def test_accepted_and_normalised(place: Callable[[str], Source], text: str, value: str) -> None:
    assert read(place(text))[-1] == value
    assert parse_requirement(value) == value


LINES = f"""\
\ufeff# about
a>=1  # why

b[extra]==1 ; python_version > "3"
c==1 \\
    --hash=sha256:{"b" * 64} \\
    --hash=sha256:{"a" * 64}
#comment \\
d
  e#f
-r other.txt  # more
g \\"""


def test_lines_of_a_requirements_file() -> None:
    assert read(Source(LINES, "requirements.txt")) == [
        "a>=1",
        'b[extra]==1; python_version > "3"',
        f"c==1 --hash=sha256:{'a' * 64} --hash=sha256:{'b' * 64}",
        "d",
        "10:3: 'e#f' contains #; declare packages only by name and version, as in 'six>=1.16'",
        "11:1: '-r other.txt' is an option; declare packages only by name and version, as in "
        "'six>=1.16'",
        "g",
    ]
    for ending in ("\r\n", "\r"):
        other = Source(LINES.replace("\n", ending), "requirements.txt")
        assert read(other) == read(Source(LINES, "requirements.txt"))


def test_hashes_belong_to_requirements_files() -> None:
    text = f"six==1 --hash=sha256:{'a' * 64}"
    assert read(in_list(text))[-1] == text
    assert "3:24: " in read(in_pyproject(text))[-1]


SCRIPTS = [
    ("print()\n", []),
    ("# /// script\n# dependencies = ['six']\n", []),
    ("# /// script\n# dependencies = ['six']\nprint()\n# ///\n", []),
    ("# /// script\n# requires-python = '>=3.11'\n# ///\n", []),
    ("# /// script\n#\n# dependencies = ['six']\n# ///\n", ["six"]),
    ("# /// script\r\n# dependencies = ['six']\r\n# ///\r\n", ["six"]),
    ("# /// script\n# dependencies = ['six']\n# ///", ["six"]),
    ("# /// script\n# x\nx\n# /// script\n# dependencies = ['six']\n# ///\n", ["six"]),
    ("# /// script\n# dependencies = 'six'\n# ///\n",
     ["2:18: dependencies is not a list of strings"]),
    ("# /// script\n# dependencies = [1, 'six']\n# ///\n", ["2:19: '1' is not a string", "six"]),
    ("# /// script\n# dependencies = ['six'\n# ///\n", ["2:"]),
    ("# /// script\n# dependencies = ['''\n# six''']\n# ///\n", ["six"]),
    ("# /// script\n# dependencies = ['''six\n# -e .''']\n# ///\n", ["2:19: "]),
    ("# /// script\n# dependencies = ['six']\n# [tool.uv]\n# index-url = 'http://a.example'\n"
     "# ///\n", ["six"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SCRIPTS)
def test_blocks_of_scripts(text: str, expected: list[str]) -> None:
    values = read(Source(text, "go.py"))
    assert len(values) == len(expected), values
    assert all(value.startswith(start) for value, start in zip(values, expected, strict=True)), (
        values
    )


PROJECTS = [
    ("", []),
    ("[project]\nname = 'x'\ndynamic = ['dependencies']\n", []),
    ("[tool.x]\ndependencies = ['-e .']\n", []),
    ("project.dependencies = ['six']\n", ["six"]),
    ("project = {dependencies = ['six']}\n", ["six"]),
    ("project = 1\n", []),
    ("[project]\ndependencies = {six = '1'}\n", ["2:16: dependencies is not a list of strings"]),
    ("[project]\ndependencies = ['six']\ndependencies = ['-e .']\n", ["3:1: "]),
    ("[project]\ndependencies = ['six'] x\n", ["2:24: "]),
]


@pytest.mark.parametrize(("text", "expected"), PROJECTS)
def test_tables_of_projects(text: str, expected: list[str]) -> None:
    values = read(Source(text, "pyproject.toml"))
    assert len(values) == len(expected), values
    assert all(value.startswith(start) for value, start in zip(values, expected, strict=True)), (
        values
    )


@given(st.text("sixA1 .-_$@/\\:;='\"<>[](),~!*#\n\t\u0455", max_size=30) | st.text(max_size=20))
def test_nothing_else_is_ever_written(text: str) -> None:
    for place in PLACES:
        items: tuple[DeclaredRequirement, ...] = read_requirements(place(text))
        assert all(SAFE.fullmatch(item.value) for item in items if item.value)


def test_long_texts_take_linear_time() -> None:
    start = time.process_time()
    for text in ("# /// script\n" * 9_000, "six \\\n" * 9_000, "#\n" * 20_000, " " * 99_000):
        for path in ("go.py", "requirements.txt", "pyproject.toml"):
            read_requirements(Source(text, path))
    assert time.process_time() - start < 5
    with pytest.raises(ValueError, match=f"longer than {MAX_LENGTH}"):
        parse_requirement("s" * (MAX_LENGTH + 1))
