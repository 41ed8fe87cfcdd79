"""What views need is there before they are looked at, and no more than that."""

from __future__ import annotations

import subprocess
import sys

import pytest

from skillstudio.preview.files import kinds_of, warm
from skillstudio.preview.views.colours import tables

CHILD = """
import sys
from skillstudio.preview.files import kinds_of, warm
warm(kinds_of(sys.argv[1:]))
packages = {each.split(".")[0] for each in sys.modules}
print(*sorted(packages & {"markdown_it", "pygments", "sqlite3"}))
print(*sorted(each for each in sys.modules if each.startswith("pygments.lexers.")))
"""


@pytest.mark.parametrize(
    ("paths", "loaded", "lexer"),
    [
        (["a.txt", "b.json", "c.csv", "d.png"], "", ""),
        (["out/a.md"], "markdown_it pygments", "pygments.lexers.data"),
        (["a.rs", "b.rs"], "pygments", "pygments.lexers.rust"),
        (["a.svg"], "pygments", "pygments.lexers.html"),
    ],
)
def test_what_is_loaded_is_what_the_kinds_need(paths: list[str], loaded: str, lexer: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *paths], capture_output=True, text=True, check=True
    )
    packages, lexers = done.stdout.split("\n")[:2]
    assert packages == loaded
    assert not lexer or lexer in lexers.split()


def test_each_kind_is_told_once_and_many_do_no_harm() -> None:
    assert kinds_of(["a.py", "b.py", "Makefile", "c"]) == ("python", "make", "text")
    warm(tables()["lexer"])
    warm(["no such kind"])
