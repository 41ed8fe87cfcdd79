"""The pictures beside the documentation show the program as it is, and nothing of a machine."""

from __future__ import annotations

import json
import re
import tempfile
from html import unescape
from pathlib import Path

import pytest
from screenshots.draw import recording, screens, views
from screenshots.draw.__main__ import main
from screenshots.draw.recording import draw_recordings
from screenshots.draw.screens import PICTURES, draw
from screenshots.draw.svg import tidy
from screenshots.draw.views import VIEWS, draw_views

FOLDER = Path(__file__).parents[2] / "screenshots"
TEXT = re.compile(r'<text class="[\w-]+-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')


def words(svg: str) -> list[str]:
    """What a picture says, line by line and without its colours."""
    found = [(float(y), float(x), unescape(text)) for x, y, text in TEXT.findall(svg)]
    lines: dict[float, str] = {}
    for y, _, text in sorted(found):
        lines[y] = f"{lines[y]}|{text}" if y in lines else text
    return [line.replace("\xa0", " ") for line in lines.values()]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["edit-120x36", "form-80x24", "compare-120x36"])
def test_a_picture_shows_what_the_program_shows(name: str) -> None:
    ((file, svg),) = draw([name])
    assert len(words(svg)) > 20
    assert words((FOLDER / file).read_text(encoding="utf-8")) == words(svg), (
        "the screen is another: run make screenshots, and look at the pictures"
    )


@pytest.mark.slow
def test_every_view_of_a_file_is_shown_as_it_is() -> None:
    others = [
        file
        for file, svg in draw_views()
        if words((FOLDER / file).read_text(encoding="utf-8")) != words(svg)
    ]
    assert others == [], "these are others now: run make screenshots, and look at them"


def test_every_picture_is_there_and_no_other() -> None:
    assert {path.stem for path in FOLDER.glob("*.svg")} == {*PICTURES, "five-jobs"}
    assert {path.stem for path in (FOLDER / "views").iterdir()} == set(VIEWS)
    assert {path.name for path in FOLDER.iterdir() if path.suffix != ".svg"} == {
        "views",
        "draw",
        "five-jobs.cast",
    }


@pytest.mark.slow
def test_the_recording_is_what_the_program_shows() -> None:
    for file, text in draw_recordings():
        assert (FOLDER / file).read_text(encoding="utf-8") == text, "run make screenshots"


def test_the_recording_is_small_and_plays() -> None:
    cast = (FOLDER / "five-jobs.cast").read_text(encoding="utf-8")
    svg = (FOLDER / "five-jobs.svg").read_text(encoding="utf-8")
    assert max(len(cast.encode()), len(svg.encode())) < 800_000
    head, *events = map(json.loads, cast.splitlines())
    assert head["version"] == 2
    assert [kind for _, kind, _ in events] == ["o"] * len(events)
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    assert 20 < times[-1] < 60
    assert [each for each in ("/tmp", "/home/", "/root", str(Path.home())) if each in cast] == []
    frames = re.findall(r'<g id="f\d+" class="f">', svg)
    assert len(frames) == len(events) - 1
    assert set(re.findall(r'href="#(r\d+)"', svg)) == set(re.findall(r'<g id="(r\d+)"', svg))
    assert "prefers-reduced-motion" in svg


def test_every_view_is_in_the_documentation() -> None:
    text = (FOLDER.parent / "docs" / "preview.md").read_text(encoding="utf-8")
    assert [name for name in VIEWS if f"(../screenshots/views/{name}.svg)" not in text] == []


@pytest.mark.parametrize("name", [*PICTURES, *(f"views/{each}" for each in VIEWS)])
def test_nothing_of_a_machine_is_in_a_picture(name: str) -> None:
    svg = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    home = str(Path.home())
    places = ["/tmp", "/home/", "/Users/", "/root", "/private/", tempfile.gettempdir()]
    places += [home] if len(home) > 1 else []
    assert [place for place in places if place in svg] == []
    assert "@font-face" not in svg, "a picture fetches nothing"
    assert re.search(r"terminal-\d", svg) is None, "ids are the same in every run"


def test_the_broken_manifest_is_seen_underlined_marked_and_told() -> None:
    svg = (FOLDER / "edit-120x36.svg").read_text(encoding="utf-8")
    underlined = re.findall(r"\.(\S+) \{[^}]*text-decoration: underline", svg)
    text = unescape(svg)
    assert any(f'class="{style}"' in text for style in underlined)
    assert any("|✗|4|description: " in line for line in words(svg))
    assert "unquoted `: ` starts a nested value in YAML" in text.replace("\xa0", " ")


def test_a_picture_without_colours_has_greys_alone_and_says_the_same() -> None:
    grey, coloured = (
        (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        for name in ("no-color-80x24", "edit-80x24")
    )
    fills = {bytes.fromhex(fill) for fill in re.findall(r"(?:fill: |<rect fill=\")#(\w{6})", grey)}
    assert len(fills) > 3
    # A terminal's own text is drawn as #c5c8c6.
    assert [fill.hex() for fill in fills if max(fill) - min(fill) > 3] == []
    # The frame of the focused pane is heavy; every sign and word is the same.
    frames = str.maketrans("┏━┓┃┗┛", "╭─╮│╰╯")
    assert "┏" in grey
    assert [line.translate(frames) for line in words(grey)] == [
        line.translate(frames) for line in words(coloured)
    ]


def test_columns_stay_where_spaces_are_dropped() -> None:
    text = (
        '<text class="terminal-12-r1" x="12.2" y="20" textLength="97.6"'
        ' clip-path="url(#terminal-12-line-0)">&#160;a&#160;b&#160;&#160;c&lt;&#160;</text>'
    )
    assert tidy(text, "here") == (
        '<text class="here-r1" x="24.4" y="20" textLength="36.6">a&#160;b</text>'
        '\n<text class="here-r1" x="85.4" y="20" textLength="24.4">c&lt;</text>\n'
    )


def test_cells_of_one_colour_beside_each_other_are_one() -> None:
    def rect(fill: str, x: str, y: str, width: str) -> str:
        return (
            f'<rect fill="{fill}" x="{x}" y="{y}" width="{width}" height="24.65"'
            ' shape-rendering="crispEdges"/>'
        )

    cells = [("#111", "0", "1.5", "12.2"), ("#111", "12.2", "1.5", "24.4"),
             ("#222", "36.6", "1.5", "12.2"), ("#111", "48.8", "1.5", "12.2"),
             ("#111", "0", "25.9", "61")]  # fmt: skip
    assert tidy("".join(rect(*each) for each in cells), "here").splitlines() == [
        rect("#111", "0", "1.5", "36.6"),
        rect("#222", "36.6", "1.5", "12.2"),
        rect("#111", "48.8", "1.5", "12.2"),
        rect("#111", "0", "25.9", "61"),
    ]


@pytest.mark.slow
def test_the_command_writes_files_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(screens, "PICTURES", {"one": PICTURES["welcome-80x24"]})
    monkeypatch.setattr(views, "VIEWS", ("outputs",))
    monkeypatch.setattr(recording, "SCENES", recording.SCENES[4:])
    assert main(["-o", str(tmp_path / "new" / "folder")]) == 0
    written = tmp_path / "new" / "folder" / "one.svg"
    view = tmp_path / "new" / "folder" / "views" / "outputs.svg"
    films = [tmp_path / "new" / "folder" / f"five-jobs.{each}" for each in ("cast", "svg")]
    printed = capsys.readouterr().out.splitlines()
    assert printed == [str(each) for each in (written, view, *films)]
    assert "2025-01-01-parser.org" in view.read_text(encoding="utf-8")
    assert "Open the examples" in written.read_text(encoding="utf-8").replace("&#160;", " ")
