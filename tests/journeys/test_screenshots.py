"""The pictures beside the documentation show the program as it is, and nothing of a machine."""

from __future__ import annotations

import re
import tempfile
from html import unescape
from pathlib import Path

import pytest

from skillstudio.cli.main import main
from skillstudio.tui.screenshots import PICTURES, draw
from skillstudio.tui.svg import tidy

FOLDER = Path(__file__).parents[2] / "screenshots"
TEXT = re.compile(r'<text class="[\w-]+-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')


def words(svg: str) -> list[str]:
    """What a picture says, line by line and without its colours."""
    found = [(float(y), float(x), unescape(text)) for x, y, text in TEXT.findall(svg)]
    lines: dict[float, str] = {}
    for y, _, text in sorted(found):
        lines[y] = f"{lines[y]}|{text}" if y in lines else text
    return [line.replace("\xa0", " ") for line in lines.values()]


@pytest.mark.parametrize("name", ["edit-120x36", "form-80x24", "compare-120x36"])
def test_a_picture_shows_what_the_program_shows(name: str) -> None:
    ((file, svg),) = draw([name])
    assert len(words(svg)) > 20
    assert words((FOLDER / file).read_text(encoding="utf-8")) == words(svg), (
        "the screen is another: run make screenshots, and look at the pictures"
    )


def test_every_picture_is_there_and_no_other() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
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
    assert any("|E|4|description: " in line for line in words(svg))
    assert "description-unquoted" in text


def test_columns_stay_where_spaces_are_dropped() -> None:
    text = (
        '<text class="terminal-12-r1" x="12.2" y="20" textLength="97.6"'
        ' clip-path="url(#terminal-12-line-0)">&#160;a&#160;b&#160;&#160;c&lt;&#160;</text>'
    )
    assert tidy(text, "here") == (
        '<text class="here-r1" x="24.4" y="20" textLength="36.6"'
        ' clip-path="url(#here-line-0)">a&#160;b</text>'
        '\n<text class="here-r1" x="85.4" y="20" textLength="24.4"'
        ' clip-path="url(#here-line-0)">c&lt;</text>\n'
    )


def test_the_command_writes_files_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("skillstudio.tui.screenshots.PICTURES", {"one": PICTURES["welcome-80x24"]})
    assert main(["screenshots", "-o", str(tmp_path / "new" / "folder")]) == 0
    written = tmp_path / "new" / "folder" / "one.svg"
    assert capsys.readouterr().out == f"{written}\n"
    assert "Open the examples" in written.read_text(encoding="utf-8").replace("&#160;", " ")
