"""Write the pages that are made from data: `make docs`. A test holds them to it."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from skillstudio.cli.main import VERBS, main
from skillstudio.interface.bump import version_rules
from skillstudio.interface.kinds import ChangeKind, read_kinds
from skillstudio.manifest.changes import kind_texts
from skillstudio.manifest.registry import dialects
from skillstudio.manifest.rulebook import Rule, all_rules

HERE = Path(__file__).parent
NOTE = "<!-- Made by `make docs` from the program's own data; edit that instead. -->\n\n"


def rules_page() -> str:
    """Every rule, by the manifest system it belongs to."""
    titles = {"": "All manifest systems"}
    for dialect in dialects():
        titles.setdefault(dialect.folder, dialect.title)
    groups: dict[str, list[Rule]] = {folder: [] for folder in titles}
    for rule in all_rules().values():
        groups[rule.folder].append(rule)
    lines = [NOTE + "# Rules\n", "`skillstudio explain RULE` says the same with examples.\n"]
    for folder, found in groups.items():
        lines.append(f"\n## {titles[folder]}\n")
        lines.append("| rule | level | what | why |\n|---|---|---|---|")
        lines += [
            f"| `{rule.id}` | {rule.severity} | {_cell(rule.what)} | {_cell(rule.why)} |"
            for rule in found
        ]
    return "\n".join(lines) + "\n"


def changes_page() -> str:
    """Every kind of change by the manifest system it belongs to, and what a step may break."""
    titles = {dialect.folder: dialect.title for dialect in reversed(dialects())}
    lines = [
        NOTE + "# Kinds of changes\n",
        "What `skillstudio diff` tells. review: it lets the skill do more, so someone should look.",
        "routing: agents choose by it. In the ruleset security every review is major.",
        "`skillstudio explain KIND` says the same of one.\n",
    ]
    for name, text in kind_texts():
        folder = Path(name).parent.name
        lines.append(f"\n## {titles.get(folder, 'All manifest systems')}\n")
        lines.append("| kind | level | says | why | source |\n|---|---|---|---|---|")
        lines += [_kind_row(kind) for kind in read_kinds([(name, text)])]
    lines.append("\n## The step between two versions\n")
    lines.append("| finding | severity | says | why | source |\n|---|---|---|---|---|")
    for id, rule in version_rules().items():
        cells = (f"`{id}`", rule.severity, rule.message, rule.why, rule.source)
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def _kind_row(kind: ChangeKind) -> str:
    words = [kind.level, *(mark for mark in ("review", "routing") if getattr(kind, mark))]
    words += [f"{level} in {ruleset}" for ruleset, level in kind.levels.items()]
    cells = (f"`{kind.id}`", ", ".join(words), kind.message, kind.why, kind.source)
    return f"| {' | '.join(map(_cell, cells))} |"


def commands_page() -> str:
    """Every command's help."""
    lines = [NOTE + "# Commands\n"]
    for verb, (_, about) in VERBS.items():
        if verb == "open":
            continue
        lines.append(f"\n## {verb}\n\n{about}.\n\n```\n{_help(verb)}```")
    return "\n".join(lines) + "\n"


def keys_page() -> str:
    """Every command of the workbench with its keys."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(["keys", "--format", "markdown"])
    return f"{NOTE}# Keys of the workbench\n\n{out.getvalue()}"


def _help(verb: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main([verb, "--help"])
    return out.getvalue()


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


PAGES = {
    "rules.md": rules_page,
    "changes.md": changes_page,
    "commands.md": commands_page,
    "keys.md": keys_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
