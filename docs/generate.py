"""Write the pages that are made from data: `make docs`. A test holds them to it."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from skillstudio.cli.main import VERBS, main
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


def commands_page() -> str:
    """Every command's help."""
    lines = [NOTE + "# Commands\n"]
    for verb, (_, about) in VERBS.items():
        if verb == "open":
            continue
        lines.append(f"\n## {verb}\n\n{about.capitalize()}.\n\n```\n{_help(verb)}```")
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


PAGES = {"rules.md": rules_page, "commands.md": commands_page, "keys.md": keys_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
