"""Edits of TOML: the text before, what is asked, the text after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import EditRefused, apply, insert, move, remove, rename, set_value
from skillstudio.text.node import Document
from skillstudio.text.reading.toml import read_toml
from skillstudio.text.source import Source, Span

Change = Callable[..., list[Splice]]


def edited(text: str, change: Change, *asked: Any) -> str:
    return apply(text, change(read(text), *asked))


def read(text: str) -> Document:
    return read_toml(Source(text), Span(0, len(text)))


TABLE = "# top\n\n[t]   # of t\na = 1 # one\n\n# about u\n[u]\nb = 2\n"
SUPER = "[c.exec]\nok = true\n\n[c]\nx = 1\n\n[d]\ny = 2\n"
LIST = "a = [\n  1, # one\n  2 # two\n] # end\n"
ITEMS = "[[i]]\nn = 1\n\n[[i]]\nn = 2\n\n[z]\n"

CHANGES = [
    # values keep the kind of string, and comments their place
    (TABLE, (set_value, "/t/a", 2), TABLE.replace("1", "2", 1)),
    ("a = 'x' # c", (set_value, "/a", r"\d"), r"a = '\d' # c"),
    ("a = 'x'", (set_value, "/a", "it's"), 'a = "it\'s"'),
    ('a = "x"', (set_value, "/a", 'q"\\\n'), 'a = "q\\"\\\\\\n"'),
    ('a = """\nx\n"""', (set_value, "/a", "y\nz\n"), 'a = """\ny\nz\n"""'),
    ("a = '''\r\nx'''\r\n", (set_value, "/a", "y\nz"), "a = '''\r\ny\r\nz'''\r\n"),
    ("a = 2024-01-01", (set_value, "/a", "2025-02-03"), "a = 2025-02-03"),
    ("a = 2024-01-01", (set_value, "/a", "soon"), 'a = "soon"'),
    ("a = 1", (set_value, "/a", 1.0), "a = 1.0"),
    ("a = [ 1, 2 ]", (set_value, "/a", [1, 3]), "a = [ 1, 3 ]"),
    ("a =", (set_value, "/a", 1), "a = 1"),
    ("a", (set_value, "/a", 1), "a = 1"),
    # new keys
    (TABLE, (insert, "/t/n", "v"), TABLE.replace("# one\n", '# one\nn = "v"\n')),
    (TABLE, (insert, "/u/n", 1), TABLE + "n = 1\n"),
    (TABLE, (insert, "/top", 1), TABLE.replace("# top\n\n", "# top\n\ntop = 1\n\n")),
    (SUPER, (insert, "/c/n", 1), SUPER.replace("x = 1\n", "x = 1\nn = 1\n")),
    ("a   = 1\nbcd = 2", (insert, "/ef", 3), "a   = 1\nbcd = 2\nef  = 3"),
    ("a=1\r\n", (insert, "/b c", 2), 'a=1\r\n"b c"=2\r\n'),
    ("a.b = 1\nz = 1\n", (insert, "/a/c", 2), "a.b = 1\na.c = 2\nz = 1\n"),
    ("a = { b = 1 }", (insert, "/a/c", 2), "a = { b = 1, c = 2 }"),
    ("a = {}", (insert, "/a/c", 2), "a = { c = 2 }"),
    ("[a.b]\nx = 1\n", (insert, "/a/y", 2), "[a]\ny = 2\n\n[a.b]\nx = 1\n"),
    ("", (insert, "/a", 1), "a = 1\n"),
    # new tables
    (TABLE, (insert, "/n", {"k": 1}), TABLE + "\n[n]\nk = 1\n"),
    (
        SUPER,
        (insert, "/c/n", {"k": {"l": 1}}),
        SUPER.replace("x = 1\n", "x = 1\n\n[c.n]\n\n[c.n.k]\nl = 1\n"),
    ),
    ("[f]\na = { k = 1 }\n", (insert, "/f/b", {"k": 2}), "[f]\na = { k = 1 }\nb = { k = 2 }\n"),
    (ITEMS, (insert, "/i/-", {"n": 3}), ITEMS.replace("[z]", "[[i]]\nn = 3\n\n[z]")),
    (ITEMS, (insert, "/i/0", {"n": 0}), "[[i]]\nn = 0\n\n" + ITEMS),
    # lists
    ("a = [1, 2]", (insert, "/a/-", 3), "a = [1, 2, 3]"),
    ("a = [1, 2,]", (insert, "/a/-", 3), "a = [1, 2, 3,]"),
    ("a = []", (insert, "/a/-", 3), "a = [3]"),
    (LIST, (insert, "/a/-", 3), LIST.replace("2 # two\n", "2, # two\n  3\n")),
    (LIST, (insert, "/a/1", 3), LIST.replace("  2 #", "  3,\n  2 #")),
    (LIST, (remove, "/a/1"), "a = [\n  1 # one\n] # end\n"),
    (LIST, (remove, "/a/0"), "a = [\n  2 # two\n] # end\n"),
    ("a = [1, 2, 3]", (remove, "/a/1"), "a = [1, 3]"),
    ("a = [1]", (remove, "/a/0"), "a = []"),
    ("a = [1,]", (remove, "/a/0"), "a = []"),
    ("a = [ # c\n  1,\n]", (remove, "/a/0"), "a = [ # c\n]"),
    ("a = [ # c\n  1 ]", (remove, "/a/0"), "a = [ # c\n   ]"),
    ("a = [1, 2,]", (remove, "/a/0"), "a = [2,]"),
    ("a = [1, 2,]", (remove, "/a/1"), "a = [1,]"),
    ("a = [1, # one\n 2]", (remove, "/a/0"), "a = [ # one\n 2]"),
    ("a = [1, # one\n 2]", (remove, "/a/1"), "a = [1 # one\n ]"),
    ("a = [\n 1, 2, # two\n 3]", (remove, "/a/2"), "a = [\n 1, 2 # two\n ]"),
    # removal
    (TABLE, (remove, "/t/a"), TABLE.replace("a = 1 # one\n", "")),
    (TABLE, (remove, "/u"), "# top\n\n[t]   # of t\na = 1 # one\n\n# about u\n"),
    (SUPER, (remove, "/c"), "[d]\ny = 2\n"),
    (SUPER, (remove, "/c/exec"), "[c]\nx = 1\n\n[d]\ny = 2\n"),
    ("a.b = 1\na.c = 2\n", (remove, "/a/b"), "a.c = 2\n"),
    ("a.b = 1\n", (remove, "/a/b"), "a = {}\n"),
    ("[a.b]\nx = 1\n", (remove, "/a/b"), "[a]\n"),
    ("a = { b = 1, c = 2 }", (remove, "/a/c"), "a = { b = 1 }"),
    (ITEMS, (remove, "/i/0"), "[[i]]\nn = 2\n\n[z]\n"),
    # names
    (SUPER, (rename, "/c", "cap"), SUPER.replace("[c", "[cap")),
    (SUPER, (rename, "/c/exec", "a b"), SUPER.replace(".exec", '."a b"')),
    ("'a' = 1", (rename, "/a", "b"), "'b' = 1"),
    ("a.b = 1\na.c = 2", (rename, "/a", "z"), "z.b = 1\nz.c = 2"),
    # moves
    ("d = 2024-01-01\n[t]\n", (move, "/d", "/t/d"), "[t]\nd = 2024-01-01\n"),
    ("a = [1, 2]", (move, "/a/0", "/a/1"), "a = [2, 1]"),
    # another kind of value
    ("[a]\nb = 1\n\n[z]\n", (set_value, "/a", 1), "a = 1\n\n[z]\n"),
    (SUPER, (set_value, "/c", {"x": 2}), "[c]\nx = 2\n\n[d]\ny = 2\n"),
]


@pytest.mark.parametrize(("before", "asked", "after"), CHANGES)
def test_an_edit_is_written_as_its_neighbours_are(
    before: str, asked: tuple[Any, ...], after: str
) -> None:
    assert edited(before, *asked) == after


REFUSED = [
    ("a = 1", (set_value, "/a", None)),
    ("a = 1", (set_value, "/a", 2**63)),
    ("a = 1", (set_value, "/a", "\ud800")),
    ("a = 1", (set_value, "", [1])),
    ("a = 1\nb = 2", (rename, "/a", "b")),
    ("a = 1", (insert, "/a/b", 1)),
    ("[[a]]\nb = 1", (insert, "/a/-", 1)),
    ("a = 1\na = 2", (remove, "/a")),
]


@pytest.mark.parametrize(("text", "asked"), REFUSED)
def test_what_cannot_be_done_alone_is_refused(text: str, asked: tuple[Any, ...]) -> None:
    with pytest.raises(EditRefused) as refused:
        edited(text, *asked)
    assert str(refused.value)
