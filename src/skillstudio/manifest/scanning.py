"""Search the texts of a skill (SKILL.md, references, scripts) for what is unsafe or breaks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import SKIPPED
from skillstudio.manifest.scan_patterns import EXAMPLE_USER, PATTERNS, SCRIPTS, ScanPattern
from skillstudio.manifest.targets import documented_keys
from skillstudio.text.diagnostic import Diagnostic, Fix, Splice
from skillstudio.text.node import Mapping as MappingNode
from skillstudio.text.node import resolve
from skillstudio.text.source import BOM, Source, Span, decode

MAX_FILES = 200
MAX_FILE = 256 * 1024
MAX_TOTAL = 4 * 1024 * 1024
MAX_ENTRIES = 2_000
MAX_FOUND = 20
"""Problems of one rule in one file."""
_MAX_SHOWN = 60
_LINE = 500


class Scanned(NamedTuple):
    """The problems found, and the texts besides SKILL.md that have one."""

    diagnostics: list[Diagnostic]
    texts: Mapping[str, Source]


def scan(skill: Skill) -> Scanned:
    """Search the texts of a skill, up to limits on number and size."""
    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    if skill.markdown is not None:
        own = skill.markdown.source
        manifests = [each.document.span for each in skill.manifests if each.path == own.path]
        text = _ScannedText(own, "skill", skill.markdown.body.start, manifests)
        found += _scanned(text, skill.tree)
        # Which keys are Claude Code's is read from many files, so it is asked last.
        substituted = list(_substituted(text))
        if substituted and _is_for_claude_code(skill):
            found += substituted
    reader = _TextReader(skill)
    references = []
    for text in reader.texts():
        more = list(_scanned(text, skill.tree))
        if text.kind == "reference":
            references.append(text)
        if more:
            found += more
            sources[text.source.path] = text.source
    for each, source in _deep(skill, references):
        found.append(each)
        sources[source.path] = source
    if reader.omitted:
        message = (
            f"{reader.omitted} of the skill's files were not searched: there are too many, or "
            "they are too large"
        )
        path = skill.markdown.source.path if skill.markdown is not None else ""
        found.append(Diagnostic("file-unsearched", message, path=path))
    return Scanned(found, sources)


class _ScannedText:
    """A text; `kind` is `skill`, `reference` or `script`, `body` where its Markdown starts."""

    def __init__(
        self, source: Source, kind: str, body: int = 0, manifests: Sequence[Span] = ()
    ) -> None:
        self.source = source
        self.kind = kind
        self.body = body
        self.manifests = manifests
        self.lower = source.text.lower()
        self._fences: tuple[list[int], list[Span], list[str]] | None = None

    def fence(self, offset: int) -> tuple[Span, str] | None:
        """The fenced block around an offset, with its info string."""
        if self._fences is None:
            from skillstudio.text.reading.fences import fences

            found = fences(self.source.text, Span(self.body, len(self.source.text)))
            inner = [each.inner for each in found]
            self._fences = [each.start for each in inner], inner, [each.info for each in found]
        starts, inner, infos = self._fences
        at = bisect_right(starts, offset) - 1
        return (inner[at], infos[at]) if at >= 0 and offset < inner[at].end else None

    def comments(self) -> Iterator[Span]:
        """The HTML comments outside of fenced blocks and code spans."""
        text, end = self.source.text, 0
        while (start := text.find("<!--", end)) >= 0:
            end = text.find("-->", start + 4)
            if end < 0:
                return
            if _line_before(text, start).count("`") % 2 == 0 and self.fence(start) is None:
                yield Span(start + 4, end)

    def is_prose(self, offset: int) -> bool:
        """Whether an offset is in a sentence, not in code, a quotation or a table."""
        line = _line_before(self.source.text, offset)
        quoted = any(each in line for each in '"“‘«`|>') or line.endswith("'")
        return not quoted and self.fence(offset) is None


def _line_before(text: str, offset: int) -> str:
    """The line of an offset up to it, cut if it is long."""
    return text[max(offset - _LINE, 0) : offset].rpartition("\n")[2]


class _TextReader:
    """The texts besides SKILL.md, and how many were omitted because of a limit."""

    def __init__(self, skill: Skill) -> None:
        self._tree = skill.tree
        self._own = skill.markdown.source.path if skill.markdown is not None else "SKILL.md"
        self.omitted = 0

    def texts(self) -> Iterator[_ScannedText]:
        total = 0
        for number, (path, size, kind) in enumerate(self._paths()):
            if number >= MAX_FILES or size > MAX_FILE or total + size > MAX_TOTAL:
                self.omitted += 1
                continue
            try:
                data = self._tree.read(path, MAX_FILE)
            except OSError:
                self.omitted += 1
                continue
            total += len(data)
            if not kind:
                kind = "script" if data.startswith(b"#!") else ""
            if kind and b"\0" not in data:
                yield _ScannedText(Source(decode(data)[0], path), kind)

    def _paths(self) -> Iterator[tuple[str, int, str]]:
        """The path, size and kind of each file that may be a text, without nested skills."""
        folders = [""]
        entries = 0
        while folders:
            folder = folders.pop()
            try:
                listed = self._tree.list(folder)
            except OSError:
                self.omitted += 1
                continue
            if folder and any(each.name == "SKILL.md" for each in listed):
                continue
            below = []
            for entry in listed:
                entries += 1
                if entries > MAX_ENTRIES:
                    self.omitted += 1
                    return
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.kind == "folder" and entry.name not in SKIPPED:
                    below.append(path)
                elif entry.kind == "file" and path != self._own:
                    name = entry.name.lower()
                    if name.endswith((".md", ".mdx")):
                        yield path, entry.size, "reference"
                    elif name.endswith(SCRIPTS):
                        yield path, entry.size, "script"
                    elif "." not in name:
                        yield path, entry.size, ""
            folders += reversed(below)


def _scanned(text: _ScannedText, tree: FileTree) -> Iterator[Diagnostic]:
    path = text.source.path
    for pattern in PATTERNS:
        if text.kind in pattern.kinds.split() and any(e in text.lower for e in pattern.marks):
            for span in islice(_found(pattern, text), MAX_FOUND):
                yield Diagnostic(pattern.rule, pattern.message, span, path=path)
    yield from islice(_hidden(text), MAX_FOUND)
    if text.kind != "script" and "\\" in text.source.text:
        yield from islice(_backslashes(text, tree), MAX_FOUND)


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


def _found(pattern: ScanPattern, text: _ScannedText) -> Iterator[Span]:
    whole = text.source.text
    spans = text.comments() if pattern.part == "comment" else [Span(0, len(whole))]
    for span in spans:
        for match in _compiled(pattern.regex).finditer(whole, *span):
            user = match.groupdict().get("user")
            if user and _compiled(EXAMPLE_USER).fullmatch(user):
                continue
            if pattern.part != "prose" or text.is_prose(match.start()):
                yield Span(*match.span())


_INVISIBLE = re.compile(
    "[\x08\x1b\u115f\u1160\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
_CONTROLS = "\x08\x1b"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_OVERRIDES = "\u202d\u202e"
_EMBEDDINGS = "\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_ZERO_WIDTH = "\u115f\u1160\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u3164\ufeff\uffa0"


def _hidden(text: _ScannedText) -> Iterator[Diagnostic]:
    """`character-hidden` for each run of invisible characters without a use in its script."""
    whole = text.source.text
    if whole.isascii() and "\x1b" not in whole and "\x08" not in whole:
        return
    for run in _INVISIBLE.finditer(whole, 1 if whole.startswith(BOM) else 0):
        said = _why_hidden(run, whole, text.kind)
        is_fault = run[0][0] in _CONTROLS and any(
            span.start <= run.start() < span.end for span in text.manifests
        )
        # `control-character` reports those in manifests.
        if said and not is_fault:
            fixes: tuple[Fix, ...] = ()
            if text.kind == "skill":
                fixes = (Fix("Remove it", (Splice(*run.span(), ""),)),)
            message = f"{said}; people do not see it, and agents read it; remove it"
            path = text.source.path
            yield Diagnostic("character-hidden", message, Span(*run.span()), "", fixes, path=path)


def _why_hidden(run: re.Match[str], text: str, kind: str) -> str:
    found = run.group()
    before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
    first = f"U+{ord(found[0]):04X}"
    tags = "".join(
        chr(ord(each) - 0xE0000) for each in found if "\U000e0020" <= each < "\U000e007f"
    )
    if tags and not (before == "\N{WAVING BLACK FLAG}" and found.endswith("\U000e007f")):
        shown = tags if len(tags) <= _MAX_SHOWN else f"{tags[:_MAX_SHOWN]}…"
        return f'invisible tag characters spell "{shown}"'
    if "\x1b" in found or "\x08" in found:
        return f"the control character {first} can hide text in a terminal"
    selectors = sum("\ufe00" <= each <= "\ufe0f" or each >= "\U000e0100" for each in found)
    if selectors > 2 or (selectors and found[0] >= "\U000e0100" and before.isascii()):
        return f"{selectors} invisible variation selectors (from {first})"
    if any(each in found for each in _OVERRIDES):
        return f"the character {first} reverses the text that people see"
    if any(each in found for each in _EMBEDDINGS):
        line = (
            _line_before(text, run.start()) + text[run.end() : run.end() + _LINE].partition("\n")[0]
        )
        if kind == "script" or not _RIGHT_TO_LEFT.search(line):
            return f"the character {first} changes the order of the text that people see"
        return ""
    # They join emoji and letters of many scripts; before a fence they show its marks as text.
    plain = before.isascii() and after.isascii() and after not in ("`", "~")
    return f"the invisible character {first}" if plain and found[0] in _ZERO_WIDTH else ""


_BACKSLASHED = re.compile(r"(?<![\w\\/:.%$-])(?:\.\\)?[\w.-]{1,100}(?:\\[\w.-]{1,100}){1,8}")
_WINDOWS = frozenset({"bat", "batch", "cmd", "dos", "powershell", "ps1", "pwsh"})


def _backslashes(text: _ScannedText, tree: FileTree) -> Iterator[Diagnostic]:
    """`path-backslash` for paths of files that exist in the skill with slashes."""
    known: dict[str, bool] = {}
    for match in _BACKSLASHED.finditer(text.source.text, text.body):
        written = match.group().rstrip(".")
        path = written.replace("\\", "/")
        if path not in known:
            if len(known) >= MAX_FILES:
                return
            inside = normalise(path)
            known[path] = bool(inside) and tree.kind(inside or "") is not None
        fence = text.fence(match.start())
        if not known[path] or (fence and fence[1].split(" ")[0].lower() in _WINDOWS):
            continue
        span = Span(match.start(), match.start() + len(written))
        fixes: tuple[Fix, ...] = ()
        if text.kind == "skill":
            fixes = (Fix(f"Change to {path}", (Splice(*span, path),), fence is None),)
        message = f"backslashes separate folders only on Windows; write {path}"
        yield Diagnostic("path-backslash", message, span, "", fixes, path=text.source.path)


_ARGUMENT = re.compile(r"(?<!\\)\$\d+(?!\w)")
_PROGRAM = re.compile(
    r"\b(?P<program>[gmn]?awk|perl)\b(?:(?!awk|perl)[^'\n`]){0,200}'(?P<code>[^']{0,2000})'"
)
_SCRIPT = re.compile(
    r"^[ \t]*(?:#!|(?:function[ \t]+)?[\w-]{1,60}[ \t]*\(\)[ \t]*\{)", re.MULTILINE
)
_SHELLS = frozenset({"", "bash", "sh", "shell", "zsh"})


def _is_for_claude_code(skill: Skill) -> bool:
    """Whether Claude Code is a selected target, or the skill has keys of its own."""
    if "claude-code" in skill.settings.targets:
        return True
    root = resolve(skill.front.document.root) if skill.front else None
    keys = {each.name for each in root.entries} if isinstance(root, MappingNode) else set()
    return bool(keys & (documented_keys(["claude-code"]) - documented_keys(["spec"])))


def _substituted(text: _ScannedText) -> Iterator[Diagnostic]:
    """`argument-substituted` once for each program of awk or Perl, and each shell script."""
    whole = text.source.text
    found: dict[int, tuple[Span, str]] = {}
    if "$" not in whole:
        return
    for program in _PROGRAM.finditer(whole):
        if field := _ARGUMENT.search(whole, *program.span("code")):
            found[field.start()] = Span(*field.span()), program["program"]
    seen: set[Span] = set()
    for first in _ARGUMENT.finditer(whole):
        fence = text.fence(first.start())
        if fence is None or fence[0] in seen or fence[1].split(" ")[0].lower() not in _SHELLS:
            continue
        if _SCRIPT.search(whole, fence[0].start, first.start()):
            seen.add(fence[0])
            found.setdefault(first.start(), (Span(*first.span()), "the shell"))
    for _, (span, name) in sorted(found.items())[:MAX_FOUND]:
        written = whole[span.start : span.end]
        message = (
            f"Claude Code replaces {written} with an argument of the skill before {name} sees it; "
            f"move the code to a script, or write \\{written} for Claude Code only"
        )
        yield Diagnostic("argument-substituted", message, span, path=text.source.path)


_LINKED = re.compile(r"\]\([ \t]*<?([^\s()<>#?]{1,300}\.mdx?)(?=[\s)>#?])")


def _deep(skill: Skill, references: list[_ScannedText]) -> Iterator[tuple[Diagnostic, Source]]:
    """`reference-deep` at the first link of each file to one that SKILL.md does not mention."""
    if skill.markdown is None:
        return
    body = skill.markdown.source.text
    left = {each.source.path: each.source.path.rpartition("/")[2] for each in references}
    left = {path: name for path, name in left.items() if name not in body}
    for text in references:
        source = text.source
        folder = source.path.rpartition("/")[0]
        if not left or source.path in left:
            continue
        led: dict[str, Span] = {}
        for link in _LINKED.finditer(source.text):
            targets = normalise(f"{folder}/{link[1]}"), normalise(link[1])
            for target in targets:
                if target in left and target is not None:
                    led[target] = Span(*link.span(1))
                    del left[target]
        if led:
            target, span = next(iter(led.items()))
            more = f" and {len(led) - 1} more" if len(led) > 1 else ""
            message = f"only this file leads to {target}{more}; link every file from SKILL.md"
            yield Diagnostic("reference-deep", message, span, path=source.path), source
