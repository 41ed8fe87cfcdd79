"""Comparisons as Markdown for a pull request.

Whatever a manifest says stands as text: it makes no heading, link, picture or mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillstudio.cli.compared import ComparedVersions, notes
from skillstudio.cli.formats.changes_words import flags, proof, summary, title, verdict, where
from skillstudio.interface.change import Change
from skillstudio.text.markup import github_text, html_text
from skillstudio.text.safe import safe_text

MARKER = "<!-- skillstudio diff -->"
"""The first line, by which an earlier comment is found again."""
LONGEST = 60_000
"""Characters at most; a comment on GitHub holds 65,536."""


def lines(rows: list[ComparedVersions], texts: bool = False) -> Iterator[str]:
    """The report line by line, cut where a comment could not hold it."""
    left = LONGEST
    ends: list[str] = []
    for line in _lines(rows, texts):
        left -= len(line) + 1
        if left < 0:
            yield from reversed(ends)
            yield ""
            yield "The report is longer than a comment can be; `skillstudio diff` prints all of it."
            return
        yield line
        if ends and line == ends[-1]:
            ends.pop()
        elif line.startswith("<details>"):
            ends.append("</details>")
        elif line.startswith("```") and line.endswith("diff"):
            ends.append(line.removesuffix("diff"))


def _lines(rows: list[ComparedVersions], texts: bool) -> Iterator[str]:
    yield MARKER
    yield f"**Skill changes:** {summary(rows) if rows else 'no skill changed'}"
    for row in rows:
        yield ""
        yield f"### {github_text(title(row))}"
        told = verdict(row)
        if told:
            yield ""
            yield f"{'✅' if row.comparison.bump.ok else '❌'} {github_text(told)}"
        yield from _tables(row)
    told_beside = notes(rows)
    if told_beside:
        yield ""
        yield from (f"- {github_text(note)}" for note in told_beside)
    if texts:
        for row in rows:
            yield from _files(row)


def _tables(row: ComparedVersions) -> Iterator[str]:
    changes = row.comparison.changes
    first = [c for c in changes if not c.waived and (c.level == "major" or c.review)]
    rest = [c for c in changes if not c.waived and not (c.level == "major" or c.review)]
    waived = [c for c in changes if c.waived]
    if first:
        yield from _table(row, first)
    for name, found in (("more changes", rest), ("waived", waived)):
        if found:
            yield ""
            yield f"<details><summary>{len(found)} {name}</summary>"
            yield from _table(row, found)
            yield ""
            yield "</details>"


def _table(row: ComparedVersions, changes: list[Change]) -> Iterator[str]:
    yield ""
    yield "| level | change | where | fingerprint |"
    yield "|---|---|---|---|"
    for change in changes:
        level = f"**{change.level}**" if change.level == "major" else change.level
        level += f" ({flags(change)})" if flags(change) else ""
        operation = f"{github_text(change.operation)}: " if change.operation else ""
        said = [f"{operation}{github_text(change.message)}"]
        said += [f"witness {github_text(proof(change))}"] if change.witness else []
        said += [f"hits {github_text(', '.join(change.hits))}"] if change.hits else []
        said += [f"waived: {github_text(change.waived)}"] if change.waived else []
        place = github_text(where(row, change))
        yield f"| {level} | {'<br>'.join(said)} | {place} | `{change.fingerprint}` |"


def _files(row: ComparedVersions) -> Iterator[str]:
    from skillstudio.cli.formats.changes_files import unified_lines

    found = [safe_text(line) for line in unified_lines(row)]
    if found:
        longest = max((len(run) for line in found for run in re.findall("`+", line)), default=0)
        fence = "`" * max(longest + 1, 3)
        yield ""
        yield f"<details><summary>files of {html_text(row.name)}</summary>"
        yield ""
        yield from (f"{fence}diff", *found, fence)
        yield ""
        yield "</details>"
