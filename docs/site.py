"""The site of the documentation: `make site`. MkDocs calls `on_files` and `on_page_markdown`.

The site adds a page for each target, rule and kind of change (SARIF and editors link to the last
two), starts with the README, and has the pictures and pages that are outside of docs/.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from target_pages import target_page

from skillstudio.interface.bump import version_rules
from skillstudio.interface.kinds import ChangeKind
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.rulebook import UNCHECKED_RULES, Rule, all_rules
from skillstudio.manifest.targets import targets

ROOT = Path(__file__).parents[1]
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "editors/vscode/README.md": "vscode.md",
}
"""Pages outside of docs/, and where they are in the site."""
_SOURCE = re.compile(r'(\b(?:src|srcset)=")([^":]+)"')
"""The picture of an HTML element."""
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages, and what is outside of docs/."""
    from mkdocs.structure.files import File

    for path, text in pages():
        files.append(File.generated(config, path, content=text))
    for name, path in OUTSIDE.items():
        files.append(File.generated(config, path, content=(ROOT / name).read_text("utf-8")))
    pictures = (ROOT / "screenshots").rglob("*")
    for picture in sorted(path for path in pictures if path.suffix in (".svg", ".cast")):
        path = picture.relative_to(ROOT).as_posix()
        files.append(File.generated(config, path, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links at the site's own files; one to any other file becomes text."""
    here = page.file.src_uri
    names = {path: name for name, path in OUTSIDE.items()}
    folder = posixpath.dirname(names.get(here, f"docs/{here}"))

    def changed(link: re.Match[str]) -> str:
        mark, text, target, anchor = link[1], link[2], link[3], link[4] or ""
        if "://" in target:
            return link[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        if path.startswith("docs/"):
            path = path.removeprefix("docs/")
        elif path in OUTSIDE:
            path = OUTSIDE[path]
        elif not path.startswith("screenshots/"):
            return text
        relative = posixpath.relpath(path, posixpath.dirname(here) or ".")
        return f"{mark}[{text}]({relative}{anchor})"

    def placed(source: re.Match[str]) -> str:
        """A path relative to the address of the page, which only Markdown's links are not."""
        path = posixpath.normpath(posixpath.join(folder, source[2]))
        url = page.url if page.url.endswith("/") else posixpath.dirname(page.url)
        return f'{source[1]}{posixpath.relpath(path, url or ".")}"'

    markdown = _SOURCE.sub(placed, _LINK.sub(changed, markdown))
    lists = {f"{name}.md": name for name in ("rules", "changes", "targets")}
    return _link_rows(markdown, lists[here]) if here in lists else markdown


def _link_rows(markdown: str, name: str) -> str:
    """Link the ids in the first column of a table to their pages."""
    known_paths = {path for path, _ in pages()}

    def link(row: re.Match[str]) -> str:
        path = f"{name}/{row[1]}.md"
        return f"| [`{row[1]}`]({path}) |" if path in known_paths else row[0]

    return re.sub(r"^\| `([^`]+)` \|", link, markdown, flags=re.MULTILINE)


def pages() -> Iterator[tuple[str, str]]:
    """The path and the Markdown of each page."""
    for rule in all_rules().values():
        yield f"rules/{rule.id}.md", rule_page(rule)
    for kind in all_kinds().by_id.values():
        yield f"changes/{kind.id}.md", kind_page(kind)
    for id, version in version_rules().items():
        lines = [f"# {id}", _plain(version.message), f"**{version.severity}**", _plain(version.why)]
        yield f"changes/{id}.md", _page(lines)
    for id in targets():
        yield f"targets/{id}.md", target_page(id)


def rule_page(rule: Rule) -> str:
    """What a rule reports and why, with its examples."""
    lines = [f"# {rule.id}", _plain(rule.what), f"**{rule.severity}**", _plain(rule.why)]
    for title, text in (("Wrong", rule.bad), ("Right", rule.good)):
        if text:
            lines += [f"## {title}", f"````\n{text.rstrip()}\n````"]
    lines += [f"Source: {_plain(rule.source)}"] if rule.source else []
    if not rule.enabled:
        lines.append("This rule is off by default; `--select` or `[rules]` turns it on.")
    return _page([*lines, _ignoring(rule.id), "[All rules](../rules.md)"])


def _ignoring(id: str) -> str:
    if id in UNCHECKED_RULES:
        return "It cannot be ignored, because it reports what could not be checked."
    return (
        f"To ignore it: `--ignore {id}` once, the [settings](../settings.md) everywhere or in some "
        "files, or [a comment](../checking.md#settings) at one place."
    )


def kind_page(kind: ChangeKind) -> str:
    """What a kind of change is and which level it has."""
    marks = [name for name in ("review", "routing") if getattr(kind, name)]
    lines = [
        f"# {kind.id}",
        _plain(kind.message),
        f"**{', '.join([kind.level, *marks])}**",
        _plain(kind.why),
        *(f"In the ruleset `{ruleset}`: {level}." for ruleset, level in kind.levels.items()),
    ]
    lines += [f"Source: {_plain(kind.source)}"] if kind.source else []
    return _page([*lines, "[All kinds of changes](../changes.md)"])


def _page(paragraphs: list[str]) -> str:
    return "\n\n".join(paragraphs) + "\n"


def _plain(text: str) -> str:
    """A text in which only code spans are Markdown."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # A backtick without a second one.
        return escape(text).translate(_ESCAPED)
    return "`".join(
        part if number % 2 else escape(part, quote=False).translate(_ESCAPED)
        for number, part in enumerate(parts)
    )


_ESCAPED = {ord(sign): f"\\{sign}" for sign in "\\*_[]#`"}
