"""The generated pages are up to date; links, anchors and commands of all pages exist."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
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
    str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pictures_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = []
    for match in re.finditer(r"\]\(([^)\s]+)|(?:src|srcset)=\"([^\"]+)\"", text):
        link = match[1] or match[2]
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        if "://" not in link and not (
            target.exists() and (not anchor or anchor in anchors(target))
        ):
            missing.append(link)
    assert missing == []


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
