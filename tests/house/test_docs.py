"""The generated pages are up to date; links, anchors and commands of all pages exist."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.cli.conftest import CI_FORMATS

from skillstudio.cli.main import main
from skillstudio.manifest.targets import targets

ROOT = Path(__file__).parents[2]


def test_the_made_pages_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec
    assert spec.loader
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, page in generate.PAGES.items():
        written = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert written == page(), f"docs/{name} is out of date: run make docs"


PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "editors").glob("*/README.md"),
    )
)
LINK = re.compile(
    r"\]\(<?([^)>\s]+)"  # [text](path), ![text](path)
    r"|(?:src|srcset|href)=\"([^\"]+)\""
    r"|^\[[^\]]+\]: +<?([^>\s]+)"  # [name]: path
    r"|<((?:https?|mailto):[^>\s]*)>",
    re.MULTILINE,
)
ADDRESS = re.compile(
    r"https://[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(:\d+)?(/[\w./~%@+=&?-]*)?(#[\w./-]+)?(?<![.,])"
)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = without_code(page.read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    names = set()
    for heading in re.findall(r"^#{1,6} +(.+?)(?: +#+)?$", text, re.MULTILINE):
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        names.add(f"{name}-{counts[name]}" if counts[name] else name)
        counts[name] += 1
    return names


def without_code(text: str) -> str:
    """Return a page without its fenced blocks."""
    return re.sub(r"(?ms)^ *(`{3,})[^\n]*\n.*?^ *\1`*$", "", text)


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pictures_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [link for link in links(text) if not is_right(link, ROOT / page)] == []


def links(text: str) -> list[str]:
    """Return the links and pictures of a page, in whatever way they are written."""
    plain = re.sub(r"(?<!`)`[^`\n]+`(?!`)", "", without_code(text))
    return [next(filter(None, match.groups())) for match in LINK.finditer(plain)]


def is_right(link: str, page: Path) -> bool:
    """Whether a link of a page leads to a file of the repository and a heading of it."""
    if re.match(r"[a-z]+:", link):
        return ADDRESS.fullmatch(link) is not None
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or (target.suffix == ".md" and anchor in anchors(target))


@pytest.mark.parametrize(
    ("link", "right"),
    [
        ("library.md", True),
        ("../README.md#install", True),
        ("../src/skillstudio/files/left_out.toml", True),
        ("checking.md#continuous-integration", False),
        ("../src/skillstudio/files/left_out.toml#names", False),
        ("../../elsewhere.md", False),
        ("https://example.org/a#b", True),
        ("https://example.org/a.", False),
        ("http://example.org", False),
        ("https://localhost/", False),
    ],
)
def test_a_link_is_right_if_it_leads_somewhere(link: str, right: bool) -> None:
    assert is_right(link, ROOT / "docs" / "checking.md") == right


def test_all_ways_to_write_a_link_are_read() -> None:
    text = (
        "[a](a.md) ![b](b.svg) [c\nd](c.md#x) <https://e.org> `[no](no.md)`\n"
        '<img src="f.svg"> <a href="g.md">\n[h]: h.md\n```\n[no](no.md)\n```\n'
    )
    assert links(text) == [
        "a.md", "b.svg", "c.md#x", "https://e.org", "f.svg", "g.md", "h.md",
    ]  # fmt: skip


def test_anchors_are_those_of_github(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b`, c\n## [D](e.md)\n## D\n```\n# no\n```\n")
    assert anchors(page) == {"a-b-c", "d", "d-1"}


@pytest.mark.parametrize(
    ("page", "quote", "names"),
    [
        ("README.md", "`{}`", targets()),
        ("docs/checking.md", "| `{}` |", CI_FORMATS),
        ("action.yml", "{}", CI_FORMATS),
    ],
)
def test_pages_list_all_of_a_kind(page: str, quote: str, names: Iterable[str]) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in names if quote.format(name) not in text] == []


def commands(text: str) -> Iterator[str]:
    """Each command line with skillstudio in the blocks and in the inline code of a page."""
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"(?<!`)`([^`]+)`(?!`)", re.sub(r"(?ms)^```.*?^```", "", text))
    for piece in (*blocks, *inline):
        yield from re.findall(r"^ *(?:\$ |- run: )?(skillstudio [^#|\n]+)", piece, re.MULTILINE)


@cache
def options(verb: str) -> set[str] | None:
    """Return the options in a command's help; None without such a command."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            status: object = main([verb, "--help"])
        except SystemExit as end:
            status = end.code
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", out.getvalue())) if not status else None


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_only_commands_and_options_that_exist(page: str) -> None:
    wrong = []
    for command in commands((ROOT / page).read_text(encoding="utf-8")):
        _, *words = command.partition(" -- ")[0].split()
        if not words:
            continue
        verb, *words = words
        known = options(verb)
        if known is not None:
            given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
            wrong += [f"{command}: {option}" for option in given - known]
        elif words and not verb.isupper():
            wrong.append(command)
    assert wrong == []
