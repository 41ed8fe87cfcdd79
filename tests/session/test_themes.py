"""Themes: the ones that come along can be read and used; what is wrong is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.resources import folder
from skillstudio.session.themes import REQUIRED_COLOURS, Theme, read_theme, read_themes
from skillstudio.text.source import Source

GOOD = """name: mine
dark: true
colours:
  primary: "#fff"
  foreground: "#c8d0e8"
  background: ansi_default
  error: "#f00"
  warning: "#ff0"
  success: "#0f0"
"""
VARIABLE = GOOD + 'variables:\n  {}: "{}"\n'


def test_at_least_four_themes_come_along_and_none_is_wrong() -> None:
    themes, faults = read_themes([folder("themes")])
    assert faults == []
    assert len(themes) >= 4
    assert {theme.dark for theme in themes.values()} == {True, False}
    assert any(theme.terminal for theme in themes.values())
    assert "high-contrast" in themes


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("name", "ratio"),
    [("high-contrast", 7.0), ("skillstudio-dark", 4.5), ("skillstudio-light", 4.5)],
)
def test_text_and_signs_stand_out_from_the_ground(name: str, ratio: float) -> None:
    theme: Theme = read_themes([folder("themes")])[0][name]
    ground = _luminance(theme.colours["background"])
    for colour in REQUIRED_COLOURS:
        if colour != "background":
            light, dark = sorted((_luminance(theme.colours[colour]), ground), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= ratio, colour


def test_a_good_theme_is_read() -> None:
    theme, faults = read_theme(Source(GOOD, "mine.yaml"))
    assert faults == []
    assert theme is not None
    assert (theme.name, theme.title, theme.dark) == ("mine", "mine", True)


@pytest.mark.parametrize(
    ("old", "new", "place", "part"),
    [
        ('"#fff"', "nocolour", (4, 12), "'nocolour' is not a colour"),
        ('"#fff"', "#fff", (4, 3), ""),
        ('"#fff"', "12", (4, 12), "a colour must be a string"),
        ("  primary:", "  primry:", (4, 3), "colours has no 'primry'"),
        ('  error: "#f00"\n', "", (3, 1), "colours has no 'error'"),
        ("dark: true", "dark: maybe", (2, 7), "dark must be true or false"),
        ("dark: true", "drak: true", (2, 1), "unknown key 'drak'"),
        ("name: mine", "name: My Theme", (1, 7), "lowercase letters"),
        ("name: mine\n", "", (1, 1), "name is missing"),
        ("  primary:", "  primry:", (4, 3), "; did you mean primary?"),
        ("name: mine", "name: [mine", (1, 7), "unclosed list"),
        ("dark: true", "dark: *other", (2, 7), "quote this text"),
        ("dark: true", "name: other", (2, 1), 'the key "name" is duplicated'),
        ('  error: "#f00"\n  warning: "#ff0"\n', "", (3, 1), "colours has no 'error', 'warning'"),
        (GOOD, VARIABLE.format("selecton", "#123456"), (11, 3), "; did you mean selection?"),
        (GOOD, VARIABLE.format("primari-darken-1", "#123456"), (11, 3), "variables has no"),
        (GOOD, VARIABLE.format("selection", "dark blue"), (11, 14), "'dark blue' is not a colour"),
        (GOOD, VARIABLE.format("selection", "#12345"), (11, 14), "'#12345' is not a colour"),
        (GOOD, VARIABLE.format("link-style", "loud"), (11, 15), "'loud' is not a style"),
        (GOOD, "- a\n", (1, 1), "a theme must be a mapping"),
        (GOOD, "", (1, 1), "name is missing"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    old: str, new: str, place: tuple[int, int], part: str
) -> None:
    theme, faults = read_theme(Source(GOOD.replace(old, new), "mine.yaml"))
    assert theme is None
    assert any(part in fault.message for fault in faults)
    if part:
        fault = next(fault for fault in faults if part in fault.message)
        assert (fault.line, fault.column) == place
        assert str(fault).startswith(f"mine.yaml:{place[0]}:{place[1]}: ")


def test_a_bad_file_hides_no_other_and_the_users_folder_comes_last(tmp_path: Path) -> None:
    own, users = tmp_path / "own", tmp_path / "users"
    own.mkdir()
    users.mkdir()
    (own / "mine.yaml").write_text(GOOD)
    (users / "mine.yml").write_text(GOOD.replace('"#fff"', '"#000"'))
    (users / "bad.yaml").write_bytes(b"\xff")
    (users / "cut.yaml").write_bytes(GOOD.encode() + b"title: M\xc3\xa4rz \xc3\n")
    (users / "large.yaml").write_text(GOOD + "#" * 65536)
    (users / "folder.yaml").mkdir()
    (users / "notes.txt").write_text("not a theme")
    themes, faults = read_themes([str(own), str(users), str(tmp_path / "nowhere")])
    assert themes["mine"].colours["primary"] == "#000"
    assert [f"{Path(fault.path).name}{str(fault)[len(fault.path) :]}" for fault in faults] == [
        "bad.yaml:1:1: not UTF-8",
        "cut.yaml:10:13: not UTF-8",
        "folder.yaml:1:1: cannot be read: Is a directory",
        "large.yaml:1:1: larger than 64 KiB",
    ]


def test_two_themes_of_a_folder_have_different_names(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    (tmp_path / "b.yaml").write_text(f"# Another\n{GOOD}")
    themes, faults = read_themes([str(tmp_path)])
    assert [Path(theme.path).name for theme in themes.values()] == ["a.yaml"]
    assert [str(fault) for fault in faults] == [
        f"{tmp_path / 'b.yaml'}:2:7: a.yaml has the name 'mine', too"
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("selection", "#123456"), ("selection", "#fff 40%"), ("text", "auto 87%"),
        ("input-selection-background", "#12345680"), ("frame", "ansi_bright_blue"),
        ("primary-darken-2", "#fff"), ("link-background", "initial"),
        ("link-style-hover", "bold not underline"), ("input-cursor-text-style", "none"),
    ],
)  # fmt: skip
def test_variables_have_colours_or_styles(name: str, value: str) -> None:
    theme, faults = read_theme(Source(VARIABLE.format(name, value), "mine.yaml"))
    assert faults == []
    assert theme is not None
    assert theme.variables == {name: value}
