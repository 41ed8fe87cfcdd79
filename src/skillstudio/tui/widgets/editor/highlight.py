"""Colours for the lines of a file, lexed by Pygments one line at a time.

Each line starts in a state: its region (frontmatter, fence, body) and the open constructs of that
region's lexer. An edit only lexes lines again whose start state or text changed, and none below
the requested line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

from pygments.lexer import ExtendedRegexLexer, Lexer, RegexLexer
from pygments.lexers.configs import TOMLLexer
from pygments.lexers.data import JsonLexer, YamlLexer, YamlLexerContext
from pygments.lexers.markup import MarkdownLexer
from pygments.token import Comment, Error, Generic, Keyword, Literal, Name, Operator, Punctuation

_KIND_OF: dict[Any, str] = {
    Comment: "comment",
    Error: "",
    Generic.Heading: "heading",
    Generic.Subheading: "heading",
    Generic.Strong: "strong",
    Generic.EmphStrong: "strong",
    Generic.Emph: "emphasis",
    Keyword: "marker",
    Keyword.Constant: "word",
    Keyword.Type: "marker",
    Literal: "string",
    Literal.Date: "number",
    Name: "key",
    Name.Attribute: "link",
    Name.Constant: "string",
    Name.Entity: "",
    Name.Namespace: "marker",
    Name.Variable: "string",
    Literal.Number: "number",
    Operator: "punctuation",
    Punctuation: "punctuation",
    Literal.String: "string",
    Literal.String.Backtick: "code",
}
KINDS = frozenset(_KIND_OF.values()) - {""}
"""The kinds of a piece of text; the editor's style for each is `editor--key` and so on."""
_MARKDOWN_KIND_OF = {Name.Tag: "link", Name.Label: "link"}
_PROGRAM_KIND_OF = {
    Name: "",
    Name.Attribute: "link",
    Name.Builtin: "code",
    Name.Class: "key",
    Name.Constant: "",
    Name.Decorator: "link",
    Name.Exception: "code",
    Name.Function: "key",
    Name.Function.Magic: "key",
    Name.Namespace: "",
    Name.Tag: "key",
    Name.Variable: "",
    Operator.Word: "marker",
    Literal.String.Doc: "comment",
}
"""The kinds in programs, where most names have no colour."""
_PLAIN_NUMBER = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[\da-fA-F]+"
)
_PLAIN_WORD = re.compile(r"true|True|TRUE|false|False|FALSE|null|Null|NULL|~")
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$")
_LANGUAGES = {
    "skill-manifest": "json",
    "router-manifest": "json",
    "json": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "md": "markdown",
    "markdown": "markdown",
}

_PROGRAMS = {
    **{language: language for language in ("css", "go", "java", "sql", "xml")},
    **dict.fromkeys(("sh", "bash", "zsh", "ksh"), "bash"),
    **dict.fromkeys(("py", "pyi", "python", "python3"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "node"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    **dict.fromkeys(("html", "htm"), "html"),
    **dict.fromkeys(("ini", "cfg", "env"), "ini"),
    **dict.fromkeys(("rb", "ruby"), "ruby"),
    **dict.fromkeys(("pl", "perl"), "perl"),
    "ps1": "powershell",
    "rs": "rust",
}
"""Endings and interpreters to Pygments' names of languages."""


class Run(NamedTuple):
    """Columns `start` to `end` of a line are of one kind."""

    start: int
    end: int
    kind: str


class LineState(NamedTuple):
    """The state at the start of a line; `region` is `first`, `front`, `body`, `fence` or `file`."""

    region: str
    language: str = ""
    fence: str = ""
    open: Any = None  # The lexer's open constructs, in a form that can be compared.


class Highlighter:
    """The runs of a document's lines, cached while they are valid."""

    def __init__(self, lines: Callable[[], Sequence[str]], language: str) -> None:
        """`language` is `markdown`, `yaml`, `json`, `toml`, or another for no colours."""
        self._lines = lines
        self._first = LineState("first" if language == "markdown" else "file", language)
        self._starts: list[LineState | None] = [None] * len(lines())
        self._ends: list[LineState | None] = list(self._starts)
        self._runs: list[tuple[Run, ...] | None] = [None] * len(lines())
        self._valid = 0
        self.read = 0
        """The number of lines lexed so far, for tests and measurements."""

    def note_edit(self, top: int, old: int, new: int) -> None:
        """Note that rows `top` to `old` became `top` to `new`."""
        fresh: list[Any] = [None] * (new - top + 1)
        for rows in (self._starts, self._ends, self._runs):
            rows[top : old + 1] = fresh
        self._valid = min(self._valid, top)

    def runs(self, row: int) -> tuple[Run, ...]:
        """Return the runs of a row; lex the lines above it as needed."""
        if row >= self._valid:
            self._read_to(row)
        return self._runs[row] or ()

    def settle(self, last: int) -> set[int]:
        """Lex up to a row; return the rows that had to be lexed."""
        last = min(last, len(self._runs) - 1)
        return self._read_to(last) if last >= self._valid else set()

    def language(self, row: int) -> str:
        """Return the language of a row: that of its fence, the frontmatter or the file."""
        self.runs(row)
        state = self._starts[row]
        return state.language if state else ""

    def _read_to(self, last: int) -> set[int]:
        lines = self._lines()
        at = self._valid
        state = (self._ends[at - 1] if at else None) or self._first
        lexed_rows = set()
        for row in range(at, last + 1):
            if self._starts[row] != state or self._runs[row] is None:
                self._starts[row] = state
                self._runs[row], self._ends[row] = read_line(lines[row], state)
                lexed_rows.add(row)
            state = self._ends[row] or state
        self._valid = last + 1
        self.read += len(lexed_rows)
        return lexed_rows


def language_of(path: str, text: str = "") -> str:
    """Return the language of a file by its name, else by the interpreter in its first line."""
    ending = os.path.basename(path).rpartition(".")[2].lower()
    if text.startswith("#!") and ending not in _PROGRAMS:
        words = text[2:200].partition("\n")[0].split()
        names = [os.path.basename(word) for word in words if not word.startswith("-")]
        name = next((name for name in names if name != "env"), "")
        return name if name in _PROGRAMS else name.rstrip("0123456789.")
    return {"md": "markdown", "yml": "yaml"}.get(ending, ending)


def read_line(line: str, state: LineState) -> tuple[tuple[Run, ...], LineState]:
    """Return the runs of one line and the state at the start of the next."""
    if len(line) > 5000:  # every key press would wait for it
        return (), state
    if state.region == "first" and line.rstrip().lstrip("\u2423") == "---":
        return (Run(0, len(line), "punctuation"),), LineState("front", "yaml")
    if state.region == "front" and line.rstrip() in ("---", "..."):
        return (Run(0, len(line), "punctuation"),), LineState("body", "markdown")
    if state.region == "fence" and _closes(line, state.fence):
        return (Run(0, len(line), "code"),), LineState("body", "markdown")
    if state.region in ("first", "body"):
        match = _FENCE.match(line)
        if match:
            word = match.group(3).strip("{}.").lower()
            return (Run(0, len(line), "code"),), LineState(
                "fence", _LANGUAGES.get(word, "text"), match.group(2)
            )
        state = LineState("body", "markdown")
    program = _PROGRAMS.get(state.language, "") if state.region == "file" else ""
    if program:
        tokens, open_ = _program(program, line, state.open)
        runs = tuple(_runs(tokens, _PROGRAM_KIND_OF, line, program))
        return runs, state._replace(open=open_)
    if state.language not in _STEPS:
        kind = (Run(0, len(line), "code"),) if state.region == "fence" and line else ()
        return kind, state
    tokens, open_ = _STEPS[state.language](line, state.open)
    kinds = _MARKDOWN_KIND_OF if state.language == "markdown" else {}
    return tuple(_runs(tokens, kinds, line, state.language)), state._replace(open=open_)


def _closes(line: str, fence: str) -> bool:
    text = line.strip()
    return (
        len(text) >= len(fence)
        and text == fence[0] * len(text)
        and len(line) - len(line.lstrip(" ")) < 4
    )


_Tokens = Sequence[tuple[int, Any, str]]


def _runs(tokens: _Tokens, kinds: dict[Any, str], line: str, language: str) -> Iterator[Run]:
    start = end = 0
    last = ""
    for at, token, text in tokens:
        kind = _kind(token, kinds)
        if token in Literal.Scalar or (token is Name.Variable and language == "yaml"):
            kind = _plain(text)
        if kind == last and at == end:
            end = min(at + len(text), len(line))
            continue
        if last and end > start:
            yield Run(start, end, last)
        start, end, last = at, min(at + len(text), len(line)), kind
    if last and end > start:
        yield Run(start, end, last)


def _kind(token: Any, kinds: dict[Any, str]) -> str:
    while token is not None:
        kind = kinds.get(token, _KIND_OF.get(token))
        if kind is not None:
            return kind
        token = token.parent
    return ""


def _plain(text: str) -> str:
    if _PLAIN_NUMBER.fullmatch(text):
        return "number"
    return "word" if _PLAIN_WORD.fullmatch(text) else "string"


class _LineToml(ExtendedRegexLexer):
    """Pygments' TOML rules in a lexer whose stack can be read at the end of a line."""

    tokens = TOMLLexer.tokens
    flags = TOMLLexer.flags


class _LineRead(Exception):
    """The line ended; the lexer would go on with rules that match nothing."""


class _LineContext(YamlLexerContext):
    """The position of a lexer in one line, and its open constructs."""

    def __init__(self, line: str, stack: Sequence[str]) -> None:
        super().__init__(line + "\n", 0, list(stack))  # type: ignore[no-untyped-call]

    @property
    def pos(self) -> int:
        if self._pos >= self.end:
            raise _LineRead
        return self._pos

    @pos.setter
    def pos(self, pos: int) -> None:
        self._pos = pos

    def read(self, lexer: Any) -> _Tokens:
        tokens = []
        try:
            for token in lexer.get_tokens_unprocessed(context=self):
                tokens.append(token)  # noqa: PERF402  (keep the tokens before the end)
        except _LineRead:
            pass
        except IndexError:  # the lexer pops indents that half-typed text has not pushed
            self.stack, self.indent_stack, self.indent = ["root"], [], -1
        return tokens


@cache
def _lexer(kind: type[Lexer]) -> Lexer:
    return kind()


def _yaml(line: str, open_: Any) -> tuple[_Tokens, Any]:
    stack, indents, *rest = open_ or (["root"], [], -1, 0, None)
    context: Any = _LineContext(line, stack)
    context.indent_stack = list(indents)
    context.indent, context.next_indent, context.block_scalar_indent = rest
    tokens = context.read(_lexer(YamlLexer))
    rest = context.indent, context.next_indent, context.block_scalar_indent
    return tokens, (tuple(context.stack), tuple(context.indent_stack), *rest)


def _toml(line: str, open_: Any) -> tuple[_Tokens, Any]:
    context = _LineContext(line, open_ or ["root"])
    tokens = context.read(_lexer(_LineToml))
    while context.stack[-1] in ("basic-string", "literal-string"):
        context.stack.pop()  # such a string ends with its line, closed or not
    return tokens, tuple(context.stack)


def _json(line: str, open_: Any) -> tuple[_Tokens, Any]:
    return list(_lexer(JsonLexer).get_tokens_unprocessed(line)), open_


def _markdown(line: str, open_: Any) -> tuple[_Tokens, Any]:
    return list(_lexer(MarkdownLexer).get_tokens_unprocessed(line + "\n")), open_


@cache
def _line_lexer(name: str) -> Lexer | None:
    """Pygments' lexer of a language with a stack that can be read; None if that is impossible."""
    from pygments.lexers import find_lexer_class_by_name

    base = find_lexer_class_by_name(name)
    if not issubclass(base, RegexLexer):
        return None
    is_extended = issubclass(base, ExtendedRegexLexer)
    line_class = (
        base if is_extended else type(f"Line{base.__name__}", (base, ExtendedRegexLexer), {})
    )
    return cast("Lexer", line_class())


def _program(name: str, line: str, open_: Any) -> tuple[_Tokens, Any]:
    lexer = _line_lexer(name)
    if lexer is None:
        return [], open_
    context = _LineContext(line, open_ or ["root"])
    try:
        return context.read(lexer), tuple(context.stack)
    except Exception:  # Some lexers post-process whole texts; such a line has no colours.
        return [], open_


_STEPS: dict[str, Callable[[str, Any], tuple[_Tokens, Any]]] = {
    "yaml": _yaml,
    "toml": _toml,
    "json": _json,
    "markdown": _markdown,
}
