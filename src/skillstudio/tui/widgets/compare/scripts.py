"""Colours for the programs of a skill: Pygments reads a side of a diff as a whole, once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String

from skillstudio.tui.widgets.editor.highlight import Run

_LEXERS = {
    "python": ("pygments.lexers.python", "PythonLexer"),
    "shell": ("pygments.lexers.shell", "BashLexer"),
    "powershell": ("pygments.lexers.shell", "PowerShellLexer"),
    "javascript": ("pygments.lexers.javascript", "JavascriptLexer"),
    "typescript": ("pygments.lexers.javascript", "TypeScriptLexer"),
}
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
"""What each token is shown as; the first that it belongs to."""
LONGEST = 1000
"""Characters of a line: a file with a longer one is no program that somebody wrote."""


class ScriptHighlighter:
    """The runs of the lines of a program."""

    def __init__(self, rows: Sequence[tuple[Run, ...]]) -> None:
        self._rows = rows

    def runs(self, row: int) -> tuple[Run, ...]:
        """The runs of a row; none for one beyond what was read."""
        return self._rows[row] if row < len(self._rows) else ()


def language_of_script(path: str, first: str) -> str:
    """The language of a program, by the end of its name, else its `first` line; "" for none."""
    name = path.rpartition("/")[2]
    if "." in name:
        return _ENDINGS.get(name.rpartition(".")[2].lower(), "")
    found = _SHEBANG.match(first[:200])
    return _SHELLS[found.group(1)] if found else ""


def read_script(lines: Sequence[str], language: str) -> ScriptHighlighter:
    """Read the lines of a program in one of the languages of `language_of_script`."""
    if any(len(line) > LONGEST for line in lines):
        return ScriptHighlighter(())
    module, name = _LEXERS[language]
    lexer: Callable[[], Any] = getattr(import_module(module), name)
    rows: list[list[Run]] = [[] for _ in lines]
    row = column = 0
    for _, token, text in lexer().get_tokens_unprocessed("\n".join(lines) + "\n"):
        kind = next((kind for above, kind in _KINDS if token in above), "")
        for index, piece in enumerate(text.split("\n")):
            if index:
                row, column = row + 1, 0
            if kind and piece and row < len(rows):
                rows[row].append(Run(column, column + len(piece), kind))
            column += len(piece)
    return ScriptHighlighter([tuple(runs) for runs in rows])
