"""Paint styled lines and tables as Markdown for a comment on GitHub.

Every text is escaped: it makes no heading, link, picture, mention or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillstudio.present.lines import Part, StyledLine, StyledTable, shorten
from skillstudio.text.markup import github_text, html_text
from skillstudio.text.safe import safe_text

LONGEST = 60_000  # Characters at most; a comment on GitHub has room for 65,536.
_FENCE = re.compile("( *`{3,})(?:diff)?")
_HEADINGS = frozenset(("title", "heading", "folded"))


def markdown(parts: Iterable[Part], verb: str) -> Iterator[str]:
    """The lines of a comment, cut at the size limit. The first one names the `verb`, by which an
    earlier comment is found again."""
    budget = LONGEST
    ends: list[str] = []
    for line in _lines(parts, verb):
        budget -= len(line) + 1
        if budget < 0:
            yield from reversed(ends)
            yield ""
            yield f"The report is too long for a comment; `skillstudio {verb}` prints all of it."
            return
        yield line
        if ends and line == ends[-1]:
            ends.pop()
        elif ends and ends[-1].endswith("`"):
            continue
        elif line.startswith("<details>"):
            ends.append("</details>")
        elif fence := _FENCE.fullmatch(line):
            ends.append(fence[1])


def _lines(parts: Iterable[Part], verb: str) -> Iterator[str]:
    yield f"<!-- skillstudio {verb} -->"
    is_folded = False
    kind = ""
    code: list[StyledLine] = []
    for part in parts:
        if isinstance(part, StyledLine) and part.style == "code":
            code.append(part)
            continue
        yield from _code(code, verb)
        code = []
        if isinstance(part, StyledLine) and is_folded and not part.indent:
            yield from ("", "</details>")
            is_folded = False
        before, kind = kind, _kind(part)
        if kind != "item" or before != "item":
            yield ""
        if isinstance(part, StyledTable):
            yield from _table(part)
        elif part.style == "folded":
            is_folded = True
            yield f"<details><summary>{html_text(_text(part))}</summary>"
        else:
            yield _line(part)
    yield from _code(code, verb)
    if is_folded:
        yield from ("", "</details>")


def _kind(part: Part) -> str:
    if isinstance(part, StyledTable):
        return "table"
    return "item" if part.indent and part.style not in _HEADINGS else "paragraph"


def _text(line: StyledLine) -> str:
    return " ".join(shorten(text) for text in (line.lead, line.text, line.remark) if text)


def _line(line: StyledLine) -> str:
    remark = f" {github_text(shorten(line.remark))}" if line.remark else ""
    text = github_text(shorten(line.text))
    if line.style == "title":
        return f"### {text}{remark}"
    if line.style == "heading":
        text = f"**{text}**"
    elif line.lead:
        text = f"**{github_text(shorten(line.lead))}** {text}"
    mark = f"{'  ' * (line.indent - 1)}- " if line.indent else ""
    return f"{mark}{text}{remark}"


def _table(part: StyledTable) -> Iterator[str]:
    yield f"| {' | '.join(map(github_text, part.header))} |"
    yield f"|{'---|' * len(part.header)}"
    for row in part.rows:
        yield f"| {' | '.join(github_text(shorten(cell)) for cell in row)} |"


def _code(lines: list[StyledLine], verb: str) -> Iterator[str]:
    """A block that none of its lines can end."""
    if not lines:
        return
    texts = [safe_text(shorten(line.text)) for line in lines]
    longest = max((len(run) for text in texts for run in re.findall("`+", text)), default=0)
    indent = "  " * max(lines[0].indent - 1, 0)
    fence = indent + "`" * max(longest + 1, 3)
    yield from ("", fence + "diff" * (verb == "diff"))
    yield from (indent + text for text in texts)
    yield fence
