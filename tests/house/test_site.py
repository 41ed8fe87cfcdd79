"""The site of the documentation: a page for each rule. `make site` checks the links."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from lsprotocol import types
from tests.manifest.targets.test_records import PARTS

from skillstudio.cli.compared import change_rules
from skillstudio.lsp import reports
from skillstudio.lsp.documents import EditorText
from skillstudio.manifest.rulebook import UNCHECKED_RULES, all_rules
from skillstudio.manifest.targets import targets
from skillstudio.resources import rule_page
from skillstudio.text.diagnostic import Diagnostic

ROOT = Path(__file__).parents[2]
ADDRESS = "https://docs.example.org/skillstudio"


@pytest.fixture(scope="module")
def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs" / "site.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    folder = str(ROOT / "docs")
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module


def test_each_rule_and_kind_of_change_has_the_page_that_formats_link_to(site: ModuleType) -> None:
    made = {path.removesuffix(".md") + "/" for path, _ in site.pages()}
    linked = {rule_page(id) for id in all_rules()}
    linked |= {rule.page for rule in change_rules().values()} - {"versioning/"}
    assert linked - made == set()


def test_each_target_has_a_page_that_words_its_whole_record(site: ModuleType) -> None:
    pages = dict(site.pages())
    for id, target in targets().items():
        page = pages[f"targets/{id}.md"]
        count = sum(
            len(value) if isinstance(value, list) else 1
            for part in PARTS
            for value in target.get(part, {}).values()
        )
        rows = re.findall(r"^\| .+ \((?:run|read|documented|quoted)\) \|$", page, re.MULTILINE)
        assert len(rows) == count
        assert all(name in page for name in target["sources"])
        assert target["checked"] in page


def test_pages_of_rules_say_how_to_ignore_them(site: ModuleType) -> None:
    pages = dict(site.pages())
    assert "`--ignore todo-left`" in pages["rules/todo-left.md"]
    assert "cannot be ignored" in pages[f"rules/{min(UNCHECKED_RULES & set(all_rules()))}.md"]


def test_tables_link_to_the_pages(site: ModuleType) -> None:
    table = "| `codex` | Codex |\n| `nothing` | x |\n"
    assert site._link_rows(table, "targets") == (
        "| [`codex`](targets/codex.md) | Codex |\n| `nothing` | x |\n"
    )


def test_texts_of_rules_are_not_markdown(site: ModuleType) -> None:
    pages = dict(site.pages())
    assert "`check --strict`" in pages["rules/extension-used.md"]
    assert site._plain("a_b <c> `d_e` [f](g)") == "a\\_b &lt;c&gt; `d_e` \\[f\\](g)"
    assert site._plain("one ` sign_") == "one \\` sign\\_"


def test_the_navigation_names_each_page() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = {path for each in nav for path in paths(each)}
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} - {"README.md"}
    assert pages - named == set()


def paths(entry: object) -> list[str]:
    """The pages below an entry of the navigation."""
    if isinstance(entry, str):
        return [entry]
    below = entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
    return [path for each in below for path in paths(each)]


def test_editors_link_to_the_page_of_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    text = EditorText("name: x\n", "utf-16")
    problem = Diagnostic("name-format", "wrong")
    assert reports.report(problem, text).code_description is None
    monkeypatch.setattr(reports, "docs_address", lambda: ADDRESS)
    found = reports.report(problem, text).code_description
    assert found == types.CodeDescription(f"{ADDRESS}/rules/name-format/")
