"""Colours for the lines of a text diff and of the programs of a skill."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String
from rich.cells import cell_len
from textual.content import Content, Span

from skillstudio.preview.views.colours import lexer, tables
from skillstudio.session.comparing.text import FileDiff, TextDiff, TextRow
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.editor.highlight import Highlighter, Run, language_of

MOST_COLOURED = 20_000  # The most lines of both sides together that have colours.
LONGEST = 5000  # The most characters of a line that are drawn.
STYLES = {
    "key": "$text-primary",
    "string": "$text-success",
    "number": "$text-warning",
    "word": "$text-accent",
    "comment": "$foreground 75%",
    "punctuation": "$foreground 80%",
    "heading": "bold $text-primary",
    "strong": "bold",
    "emphasis": "italic",
    "code": "$text-secondary",
    "link": "$text-accent",
    "marker": "$text-warning",
}
"""The editor's styles, as a style of `Content`."""
_ENDINGS = {
    "py": "python", "pyi": "python", "sh": "shell", "bash": "shell", "zsh": "shell",
    "ps1": "powershell", "psm1": "powershell", "js": "javascript", "mjs": "javascript",
    "cjs": "javascript", "ts": "typescript",
}  # fmt: skip
_SHEBANG = re.compile(r"#!.*?\b(python|bash|sh|zsh|pwsh|node)[0-9.]*(?:\s|$)")
_SHELLS = {"bash": "shell", "sh": "shell", "zsh": "shell", "pwsh": "powershell"}
_SHELLS |= {"python": "python", "node": "javascript"}
_KINDS: tuple[tuple[Any, str], ...] = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword.Constant, "word"),
    (Keyword, "marker"),
    (Operator.Word, "marker"),
    (Operator, "punctuation"),
    (Punctuation, "punctuation"),
    (Name.Function, "key"),
    (Name.Class, "key"),
    (Name.Decorator, "link"),
    (Name.Builtin, "code"),
    (Name.Variable, "code"),
)
"""The kind of each token; the first that matches."""
_LONGEST_IN_PROGRAM = 1000  # The most characters of a line in a file that is coloured as a program.
Reader = Callable[[int], tuple[Run, ...]]  # Returns the runs of a row.


class Coloured(NamedTuple):
    """A text diff with a reader for each file of both sides."""

    diff: TextDiff
    old: tuple[Reader | None, ...]
    new: tuple[Reader | None, ...]


def colour_diff(diff: TextDiff) -> Coloured:
    """Lex the visible lines and those above them; meant for a thread."""
    room = MOST_COLOURED
    sides: tuple[list[Reader | None], list[Reader | None]] = ([], [])
    for file in diff.files:
        for side, lines in zip(sides, (file.old, file.new), strict=True):
            last = min(_last(file, side is sides[0]), len(lines) - 1)
            fits = bool(file.hunks) and 0 <= last < room
            reader = reader_of(file.path, lines, last) if fits else None
            if reader is not None:
                reader(last)
            side.append(reader)
            room -= last + 1 if fits else 0
    return Coloured(diff, tuple(sides[0]), tuple(sides[1]))


def _last(file: FileDiff, old: bool) -> int:
    if not file.hunks:
        return -1
    last = file.hunks[-1]
    end = last.old_start + len(last.old_lines) if old else last.new_start + len(last.new_lines)
    return end + 3


def reader_of(path: str, lines: Sequence[str], last: int) -> Reader:
    """A reader of a text that is not empty; a program is read up to the row `last`."""
    if language := language_of_script(path, lines[0]):
        return read_script(lines[: last + 1], language)
    return Highlighter(lambda: lines, language_of(path)).runs


def line_of(diff: TextDiff, row: TextRow, old: bool) -> str:
    """The line of one side of a row; "" if it has none."""
    at = row.old if old else row.new
    lines = diff.files[row.file].old if old else diff.files[row.file].new
    return lines[at] if 0 <= at < len(lines) else ""


def shown_line(line: str) -> str:
    """A line as it is drawn: safe for the terminal and of limited length."""
    if len(line) > LONGEST:
        line = f"{line[:LONGEST]}… ({len(line)} characters)"
    return line if line.isprintable() else safe_text(line.expandtabs(4))


def runs_of(texts: Coloured, row: TextRow, old: bool) -> tuple[Run, ...]:
    """The colours of one side of a row; none if the drawn line differs from the text."""
    reader = (texts.old if old else texts.new)[row.file]
    line = line_of(texts.diff, row, old)
    if reader is None or len(line) > LONGEST or not line.isprintable():
        return ()
    return reader(row.old if old else row.new)


def part(
    text: str,
    runs: tuple[Run, ...],
    start: int,
    end: int,
    changed_span: tuple[int, int] = (0, 0),
    emphasis: str = "",
) -> Content:
    """Columns `start` to `end` of a line; the columns `changed_span` have the style `emphasis`."""
    spans = [
        Span(max(run.start, start) - start, min(run.end, end) - start, STYLES[run.kind])
        for run in runs
        if run.end > start and run.start < end and run.kind in STYLES
    ]
    first, last = max(changed_span[0], start), min(changed_span[1], end)
    if emphasis and first < last:
        spans.append(Span(first - start, last - start, emphasis))
    return Content(text[start:end], spans)


def language_of_script(path: str, first: str) -> str:
    """The language of a program, by its file name, else its `first` line; "" for none."""
    name = path.rpartition("/")[2]
    if "." in name:
        return _ENDINGS.get(name.rpartition(".")[2].lower(), "")
    match = _SHEBANG.match(first[:200])
    return _SHELLS[match.group(1)] if match else ""


def read_script(lines: Sequence[str], language: str) -> Reader:
    """Lex the lines of a program as a whole, in a language of `language_of_script`."""
    if any(len(line) > _LONGEST_IN_PROGRAM for line in lines):
        return lambda _: ()
    rows: list[list[Run]] = [[] for _ in lines]
    row = column = 0
    script_lexer = lexer(tables()["lexer"][language])
    for _, token, text in script_lexer.get_tokens_unprocessed("\n".join(lines) + "\n"):
        kind = next((kind for above, kind in _KINDS if token in above), "")
        for index, piece in enumerate(text.split("\n")):
            if index:
                row, column = row + 1, 0
            if kind and piece and row < len(rows):
                rows[row].append(Run(column, column + len(piece), kind))
            column += len(piece)
    # Rows below the read lines have no colours.
    return lambda row: tuple(rows[row]) if row < len(rows) else ()


def pieces(text: str, room: int) -> list[tuple[int, int]]:
    """The start and end of the pieces of a line that fit; an empty line is one piece.

    A piece ends at a blank; only a word that is longer than a line is broken.
    """
    is_narrow = text.isascii()
    if is_narrow and len(text) <= room:
        return [(0, len(text))]
    places: list[tuple[int, int]] = []
    start = at = used = blank = 0
    while at < len(text):
        cells = 1 if is_narrow else cell_len(text[at])
        if used + cells > room and at > start:
            if text[at] == " " and at + 1 < len(text):
                end, after = at, at + 1
            else:
                word = text[blank:].partition(" ")[0]
                end = after = blank if blank > start and cell_len(word) <= room else at
            places.append((start, end))
            start = at = after
            used = 0
            continue
        used += cells
        at += 1
        if text[at - 1] == " ":
            blank = at
    return [*places, (start, len(text))]
