"""Paths of one run as patterns for every run: a table that reads like the rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.adopting.generalising import Value, generalise, literal, stands_in
from skillstudio.files.ignore import Glob
from skillstudio.manifest.placeholders import fill

Inputs = dict[str, Any]

TABLE: list[tuple[str, list[str], Inputs, dict[str, str]]] = [
    ("no input", ["out/report.md"], {}, {"out/report.md": ""}),
    ("an input", ["out/tea.md"], {"topic": "tea"},
     {"out/{{topic}}.md": '"tea" is the input topic'}),
    ("two inputs", ["docs/2025-12-31-tea.org"], {"date": "2025-12-31", "topic": "tea"},
     {"docs/{{date}}-{{topic}}.org": '"2025-12-31" is the input date; "tea" is the input topic'}),
    ("the longest first", ["docs/logs/logs.md"], {"dir": "docs/logs", "topic": "logs"},
     {"{{dir}}/{{topic}}.md": '"docs/logs" is the input dir; "logs" is the input topic'}),
    ("a folder with ./", ["docs/logs/a.md"], {"dir": "./docs/logs/"},
     {"{{dir}}/a.md": '"docs/logs" is the input dir'}),
    ("an input twice", ["tea/tea.md"], {"topic": "tea"},
     {"{{topic}}/{{topic}}.md": '"tea" is the input topic'}),
    ("part of a longer word", ["teapot/steam.md"], {"topic": "tea"}, {"teapot/steam.md": ""}),
    ("too short", ["out/5.md"], {"n": 5, "s": "ou"},
     {"out/5.md": 'kept "5": it may equal the input n by chance'}),
    ("in other letters", ["out/tea-cup.md"], {"t": "Tea-Cup"},
     {"out/tea-cup.md": 'kept the input t where it is spelled in another case than "Tea-Cup"'}),
    ("in these and in other letters", ["Tea/tea.md"], {"t": "Tea"},
     {"{{t}}/tea.md": '"Tea" is the input t; kept the input t where it is spelled in another '
      'case than "Tea"'}),
    ("a number", ["out/1234.md"], {"n": 1234}, {"out/{{n}}.md": '"1234" is the input n'}),
    ("true is no name", ["out/true.md"], {"flag": True}, {"out/true.md": ""}),
    ("two inputs of one value", ["out/tea.md"], {"a": "tea", "b": "tea"},
     {"out/tea.md": 'kept "tea": it is the value of a and b'}),
    ("one that may have none", ["out/tea.md"], {"maybe": "tea"},
     {"out/*.md": '"tea" is the input maybe, replaced by * because it may have no value'}),
    ("a folder that may have none", ["a/b/c.md"], {"maybe": "a/b"},
     {"a/b/c.md": 'kept "a/b": maybe may have no value'}),
    ("a date of no input", ["logs/2025-11-21.md"], {},
     {"logs/????-??-??.md": "? replaces a date that is not an input"}),
    ("a date without hyphens", ["logs/x20251121.md"], {},
     {"logs/x????????.md": "? replaces a date that is not an input"}),
    ("a date in folders", ["logs/2025/11/21.md"], {},
     {"logs/????/??/??.md": "? replaces a date that is not an input"}),
    ("the year of an input", ["logs/2025/2025-11-21.md"], {"date": "2025-11-21"},
     {"logs/????/{{date}}.md": '"2025-11-21" is the input date; ? replaces the year of the '
      "input date"}),
    ("the month of an input", ["logs/2025-11.md", "logs/2025/11/x.md"], {"date": "2025-11-21"},
     {"logs/????-??.md": "? replaces the year of the input date",
      "logs/????/??/x.md": "? replaces the year of the input date"}),
    ("a year and another number", ["logs/2025-12.md"], {"date": "2025-11-21"},
     {"logs/????-12.md": "? replaces the year of the input date"}),
    ("a year of no input", ["logs/2025/x.md"], {"date": "2024-11-21"}, {"logs/2025/x.md": ""}),
    ("a date with a time", ["l/20251121-101112.md", "l/2025-11-21T10:11:12.345.log"], {},
     {"l/????????-??????.md": "? replaces a date that is not an input",
      "l/????-??-??T??:??:??.???.log": "? replaces a date that is not an input"}),
    ("a date with a number", ["l/2025-11-21-999.md"], {},
     {"l/????-??-??-999.md": "? replaces a date that is not an input"}),
    ("a UUID", ["l/383735df-0e10-4f3f-b002-aa71391be5a6.md"], {},
     {"l/????????-????-????-????-????????????.md": "? replaces a UUID or timestamp"}),
    ("seconds and milliseconds", ["l/x-1763762828.md", "m/1763762828123"], {},
     {"l/x-??????????.md": "? replaces a UUID or timestamp",
      "m/?????????????": "? replaces a UUID or timestamp"}),
    ("a long number that is no time", ["l/2763762828.md", "m/a1763762828"], {},
     {"l/2763762828.md": "", "m/a1763762828": ""}),
    ("an input that is a time", ["l/2025-11.md"], {"at": "2025-11-21T10:11:12"},
     {"l/????-??.md": "? replaces the year of the input at"}),
    ("a number that is no date", ["logs/2025-13-41.md", "v/20250"], {},
     {"logs/2025-13-41.md": "", "v/20250": ""}),
    ("files that are numbered", ["out/part-1.txt", "out/part-2.txt", "out/part-12.txt"], {},
     {"out/part-*.txt": "* replaces what differs between 3 files"}),
    ("no number is cut", ["out/part-11.txt", "out/part-12.txt"], {},
     {"out/part-*.txt": "* replaces what differs between 2 files"}),
    ("names in a folder", ["out/a.txt", "out/b.txt"], {},
     {"out/*.txt": "* replaces what differs between 2 files"}),
    ("other endings", ["out/a.txt", "out/a.md"], {}, {"out/a.txt": "", "out/a.md": ""}),
    ("names at the top", ["one.txt", "two.txt"], {}, {"one.txt": "", "two.txt": ""}),
    ("names at the top that begin alike", ["log-a.txt", "log-b.txt"], {},
     {"log-*.txt": "* replaces what differs between 2 files"}),
    ("items of a list", ["en.txt", "fr.txt"], {"names": ["en", "fr", "de"]},
     {"*.txt": "* replaces what differs between 2 files: the items of names"}),
    ("folders that differ", ["site/en/i.html", "site/fr/i.html"], {},
     {"site/*/i.html": "* replaces what differs between 2 files"}),
    ("inputs tell them apart", ["out/tea-x.txt", "out/cup-x.txt"], {"a": "tea", "b": "cup"},
     {"out/{{a}}-x.txt": '"tea" is the input a', "out/{{b}}-x.txt": '"cup" is the input b'}),
    ("an input in each of them", ["out/tea-1.txt", "out/tea-2.txt"], {"topic": "tea"},
     {"out/{{topic}}-*.txt": '"tea" is the input topic; * replaces what differs between 2 files'}),
    ("what no pattern can hold", ["out/a[1]*.md"], {},
     {"out/a?1]?.md": "? and * replace characters that a pattern cannot contain"}),
    ("braces", ["out/{{x}}.md"], {},
     {"out/?{x?}.md": "? and * replace characters that a pattern cannot contain"}),
    ("what cannot be seen", ["out/a\u202eb.md"], {},
     {"out/a*b.md": "? and * replace characters that a pattern cannot contain"}),
    ("a name that begins at home", ["~x"], {}, {"?x": ""}),
    ("an input with a sign of patterns", ["out/a*b.md"], {"topic": "a*b"},
     {"out/{{topic}}.md": '"a*b" is the input topic'}),
]  # fmt: skip
MANY = [f"site/{a}/{b * 3}-{a * 2}.{a}{b}" for a in "abcd" for b in "wxyz"]


def values(inputs: Inputs) -> list[Value]:
    return [Value(name, value, name != "maybe") for name, value in inputs.items()]


@pytest.mark.parametrize(("what", "files", "inputs", "expected"), TABLE, ids=[r[0] for r in TABLE])
def test_a_pattern_of_files(
    what: str, files: list[str], inputs: Inputs, expected: dict[str, str]
) -> None:
    made = generalise(files, values(inputs))
    assert {each.text: "; ".join(each.notes) for each in made} == expected
    assert sorted(file for each in made for file in each.files) == sorted(files)


def test_very_many_patterns_below_a_folder_are_one() -> None:
    (made,) = generalise(MANY, ())
    assert made.text == "site/**"
    assert made.notes == ('** replaces the 16 files below "site"',)
    assert made.files == tuple(MANY)


names = st.text("ab1-. [*{}~é\n\u202e", min_size=1, max_size=5).filter(
    lambda n: n not in (".", "..")
)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)


@pytest.mark.slow
@given(
    st.lists(paths, min_size=1, max_size=6, unique=True),
    st.dictionaries(st.sampled_from(("one", "two")), st.text("ab1-", min_size=1, max_size=4)),
)
def test_each_file_matches_its_pattern_with_the_inputs_in(
    files: list[str], inputs: dict[str, str]
) -> None:
    def escaped(text: str) -> str:
        return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)

    for pattern in generalise(files, values(inputs)):
        text = fill(pattern.text, {name: escaped(value) for name, value in inputs.items()})
        for file in pattern.files:
            assert Glob(text.encode()).matches(file.encode())


@given(paths)
def test_a_path_taken_at_its_word_matches_itself(path: str) -> None:
    assert Glob(literal(path).encode()).matches(path.encode())


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [("tea", "x-tea-y", True), ("tea", "teas", False), ("te", "te", False), ("-x-", "a-x-b", True)],
)
def test_a_value_stands_in_a_path_as_a_word(text: str, path: str, expected: bool) -> None:
    assert stands_in(text, path) is expected
