"""Search the texts of a skill (SKILL.md, references, scripts) for what is unsafe or breaks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from skillstudio.files.left_out import is_compiled
from skillstudio.files.lfs import LARGEST, describe_pointer, is_pointer
from skillstudio.files.paths import normalise
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import OPENAI_YAML, SKIPPED_FOLDERS
from skillstudio.manifest.named_files import NameCheck, NamingText, check_symlinks
from skillstudio.manifest.rulebook import level_of
from skillstudio.manifest.scan_patterns import EXAMPLE_USER, PATTERNS, SCRIPTS, ScanPattern
from skillstudio.text.diagnostic import Diagnostic, Fix, Severity, Splice
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.source import BOM, Source, Span, decode

MAX_FILES = 200
MAX_FILE = 256 * 1024
MAX_TOTAL = 4 * 1024 * 1024
MAX_ENTRIES = 2_000
MAX_FOUND = 20
"""Problems of one rule in one file."""
_MAX_SHOWN = 60
_LINE = 500


class ScanResult(NamedTuple):
    """The problems found, and the texts besides SKILL.md that have one or may ignore one."""

    diagnostics: list[Diagnostic]
    texts: Mapping[str, Source]


SearchedTexts = dict[str, "tuple[_ScannedText, list[Diagnostic]]"]
"""The texts besides SKILL.md that were searched, by path, with what is wrong in each alone."""


def scan(skill: Skill, searched_texts: SearchedTexts | None = None) -> ScanResult:
    """Search the texts of a skill, up to limits on number and size.

    `searched_texts` keeps the texts that were searched, for the next search of the same skill: of
    those with the same bytes, which are compared only by identity, nothing is searched again."""
    diagnostics: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    if skill.markdown is not None:
        skill_source = skill.markdown.source
        manifests = [
            manifest.document.span
            for manifest in skill.manifests
            if manifest.path == skill_source.path
        ]
        data = skill_source.text.encode("utf-8", "surrogatepass")
        text = _ScannedText(
            skill_source.path, data, "skill", skill.markdown.body.start, manifests, skill_source
        )
        diagnostics += _scan_text(text, skill.tree)
    reader = _TextReader(skill)
    names = NameCheck(skill, reader.existing_paths)
    references = []
    before = {} if searched_texts is None else dict(searched_texts)
    if searched_texts is not None:
        searched_texts.clear()
    for read in reader.texts():
        text, alone = before.get(read.path, (read, None))
        if alone is None or text.data is not read.data or text.kind != read.kind:
            text, alone = read, list(_alone(read))
        if searched_texts is not None:
            searched_texts[text.path] = text, alone
        text_problems = [*alone, *_in_skill(text, skill.tree), *_requirements(text, skill)]
        if text.kind == "script":
            text_problems += _prompts(text, names.own_text)
            text_problems += _imports(text, names)
        if text.kind == "reference":
            references.append(text)
        # `suppress` reads the comments of these texts.
        if text_problems or (text.kind == "reference" and b"skillstudio:" in text.data):
            diagnostics += text_problems
            sources[text.path] = text.source
    for problem, source in _check_names(skill, names, references, reader.existing_paths):
        diagnostics.append(problem)
        sources[source.path] = source
    diagnostics += check_symlinks(names, reader.links)
    if OPENAI_YAML in reader.existing_paths:
        from skillstudio.manifest.openai_yaml import check_openai_yaml

        openai, problems = check_openai_yaml(skill.tree)
        diagnostics += problems
        if openai is not None and problems:
            sources[OPENAI_YAML] = openai
    for problem, source in _deep(skill, references):
        diagnostics.append(problem)
        sources[source.path] = source
    if reader.omitted_count:
        message = (
            f"{reader.omitted_count} of the skill's files were not searched: there are too many, "
            "or they are too large"
        )
        path = skill.markdown.source.path if skill.markdown is not None else ""
        diagnostics.append(Diagnostic("file-unsearched", message, path=path))
    manifest = next((document.path for document in skill.manifests), "SKILL.md")
    for path in reader.compiled_paths[:MAX_FOUND]:
        message = f"{path} was compiled by an interpreter; delete it, and list it in .gitignore"
        diagnostics.append(Diagnostic("file-compiled", message, path=manifest))
    return ScanResult(diagnostics, sources)


class _ScannedText:
    """A text; `kind` is `skill`, `reference`, `script` or `packages`.

    `body` is where its Markdown starts. It is decoded when something in it needs a place: most
    texts have nothing to report.
    """

    def __init__(
        self,
        path: str,
        data: bytes,
        kind: str,
        body: int = 0,
        manifests: Sequence[Span] = (),
        source: Source | None = None,
    ) -> None:
        self.path = path
        self.data = data
        self.kind = kind
        self.body = body
        self.manifests = manifests
        self._source = source
        self._fences: tuple[list[int], list[Span], list[str]] | None = None

    @property
    def source(self) -> Source:
        if self._source is None:
            self._source = Source(decode(self.data)[0], self.path)
        return self._source

    def lines_with(self, marks: Sequence[str]) -> Iterator[Span]:
        """The lines that contain any of some words, given in lower case; continued lines as one."""
        whole = self.source.text
        lower = whole.lower()
        if len(lower) != len(whole):  # As with U+0130, whose small letter is two characters.
            yield Span(0, len(whole))
            return
        ahead = {mark: lower.find(mark) for mark in marks}
        end = 0
        while ahead := {mark: at for mark, at in ahead.items() if at >= 0}:
            first = min(ahead.values())
            start = whole.rfind("\n", end, first) + 1 or end
            while start > end and _continues(whole, start - 1):
                start = whole.rfind("\n", end, start - 1) + 1 or end
            end = _line_end(whole, first)
            yield Span(start, end)
            for mark, at in ahead.items():
                if at < end:
                    ahead[mark] = lower.find(mark, end)

    def fence(self, offset: int) -> tuple[Span, str] | None:
        """The fenced block around an offset, with its info string."""
        if self._fences is None:
            from skillstudio.text.reading.fences import fences

            blocks = fences(self.source.text, Span(self.body, len(self.source.text)))
            inner = [fence.inner for fence in blocks]
            self._fences = [span.start for span in inner], inner, [fence.info for fence in blocks]
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
        is_quoted = any(mark in line for mark in '"“‘«`|>') or line.endswith("'")
        return not is_quoted and self.fence(offset) is None


def _line_end(text: str, offset: int) -> int:
    """The end of the line of an offset with its line feed, and of those that continue it."""
    while (end := text.find("\n", offset)) >= 0:
        if not _continues(text, end):
            return end + 1
        offset = end + 1
    return len(text)


def _continues(text: str, line_feed: int) -> bool:
    """Whether a backslash before a line feed joins the next line."""
    return text.endswith(("\\", "\\\r"), 0, line_feed)


def _line_before(text: str, offset: int) -> str:
    """The line of an offset up to it, cut if it is long."""
    return text[max(offset - _LINE, 0) : offset].rpartition("\n")[2]


class _TextReader:
    """The texts besides SKILL.md, and how many were omitted because of a limit."""

    def __init__(self, skill: Skill) -> None:
        self._tree = skill.tree
        self._skill_path = skill.markdown.source.path if skill.markdown is not None else "SKILL.md"
        self.omitted_count = 0
        self.compiled_paths: list[str] = []  # Files, and folders with a `/`.
        self.links: list[str] = []  # Symbolic links.
        self.existing_paths: set[str] = set()  # Files and folders, as far as they were listed.

    def texts(self) -> Iterator[_ScannedText]:
        total = 0
        for number, (path, size, kind) in enumerate(self._paths()):
            if number >= MAX_FILES or size > MAX_FILE or total + size > MAX_TOTAL:
                self.omitted_count += 1
                continue
            try:
                data = self._tree.read(path, MAX_FILE)
            except OSError:
                self.omitted_count += 1
                continue
            total += len(data)
            if not kind:
                kind = "script" if data.startswith(b"#!") else ""
            if kind and b"\0" not in data:
                yield _ScannedText(path, data, kind)

    def _paths(self) -> Iterator[tuple[str, int, str]]:
        """The path, size and kind of each file that may be a text, without nested skills."""
        folders = [""]
        entries = 0
        while folders:
            folder = folders.pop()
            try:
                children = self._tree.list(folder)
            except OSError:
                self.omitted_count += 1
                continue
            if folder and any(entry.name == "SKILL.md" for entry in children):
                continue
            below = []
            for entry in children:
                entries += 1
                if entries > MAX_ENTRIES:
                    self.omitted_count += 1
                    return
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.kind == "link":
                    self.links.append(path)
                else:
                    self.existing_paths.add(path)
                if entry.kind == "folder":
                    if entry.name not in SKIPPED_FOLDERS:
                        below.append(path)
                    elif is_compiled(entry.name, True):
                        self.compiled_paths.append(f"{path}/")
                elif entry.kind == "file" and path != self._skill_path:
                    name = entry.name.lower()
                    if name.endswith((".md", ".mdx")):
                        yield path, entry.size, "reference"
                    elif name.endswith(SCRIPTS):
                        yield path, entry.size, "script"
                    elif entry.name in ("requirements.txt", "pyproject.toml"):
                        yield path, entry.size, "packages"
                    elif "." not in name:
                        yield path, entry.size, ""
                    elif is_compiled(entry.name, False):
                        self.compiled_paths.append(path)
            folders += reversed(below)


def _scan_text(text: _ScannedText, tree: FileTree) -> Iterator[Diagnostic]:
    yield from _alone(text)
    yield from _in_skill(text, tree)


def _alone(text: _ScannedText) -> Iterator[Diagnostic]:
    """What is wrong in a text, whatever the other files are."""
    lower = text.data.lower()
    if not lower.isascii():
        lower = lower.replace(
            _KELVIN, b"k"
        )  # The only other character whose small letter is ASCII.
    marks = _marks(text.kind).find_words(lower)
    for pattern in _patterns(text.kind) if marks else ():
        if not marks.isdisjoint(pattern.marks):
            problems = (
                Diagnostic(pattern.rule, pattern.message, span, path=text.path)
                for span in islice(_find_spans(pattern, text), MAX_FOUND)
            )
            yield from _merge_repeats(problems) if pattern.rule == "path-home" else problems
    if _may_hide(text.data):
        yield from _merge_repeats(islice(_find_hidden(text), MAX_FOUND))
    if text.kind == "script" and text.data.startswith(b"#!"):
        first = text.data.partition(b"\n")[0]
        if first.endswith(b"\r"):
            message = (
                "the line ends in CRLF, so Linux and macOS look for a program whose name ends in a "
                "carriage return; save the script with LF, and add *.sh text eol=lf to "
                ".gitattributes"
            )
            whole = text.source.text
            splice = Splice(0, len(whole), whole.replace("\r\n", "\n"))
            fix = Fix("Change the line ends to LF", (splice,))
            yield Diagnostic(
                "script-crlf", message, Span(0, len(first) - 1), "", (fix,), path=text.path
            )


def _merge_repeats(problems: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The problems of a text, those with one message and no fix once, with their number."""
    groups: dict[object, list[Diagnostic]] = {}
    for problem in problems:
        groups.setdefault(problem.span if problem.fixes else problem.message, []).append(problem)
    for first, *repeats in groups.values():
        number = f"at least {len(repeats)}" if len(repeats) + 1 == MAX_FOUND else len(repeats)
        suffix = f"; so are {number} more places in this file" if repeats else ""
        suffix = "; so is 1 more place in this file" if len(repeats) == 1 else suffix
        yield first._replace(message=first.message + suffix)


def _in_skill(text: _ScannedText, tree: FileTree) -> Iterator[Diagnostic]:
    """What is wrong in a text because of the other files."""
    if text.kind in ("skill", "reference") and b"\\" in text.data:
        yield from islice(_backslashes(text, tree), MAX_FOUND)


def _requirements(text: _ScannedText, skill: Skill) -> Iterator[Diagnostic]:
    """`requirement-refused` for each package that `run --with-deps` would not install."""
    if text.kind != "packages" and (text.kind != "script" or b"# /// script" not in text.data):
        return
    # It is off by default, and importing `packaging` takes longer than the check of a skill.
    if level_of("requirement-refused", None, "", skill.settings) == "off":
        return
    from skillstudio.text.reading.requirements import read_requirements

    refusals = (item for item in read_requirements(text.source) if item.problem)
    for item in islice(refusals, MAX_FOUND):
        yield Diagnostic("requirement-refused", item.problem, item.span, path=text.path)


_PROMPT_CALLS = (b"read -", b"input(", b"getpass(", b".question(", b".prompt(")


def _prompts(text: _ScannedText, skill_text: str) -> Iterator[Diagnostic]:
    """`script-prompts` for a script that SKILL.md names."""
    if text.path.rpartition("/")[2] in skill_text and any(
        mark in text.data for mark in _PROMPT_CALLS
    ):
        from skillstudio.manifest.script_prompts import check_prompts

        yield from check_prompts(text.path, text.data, text.source, skill_text)


def _imports(text: _ScannedText, names: NameCheck) -> Iterator[Diagnostic]:
    """`import-outside` for a script that SKILL.md names."""
    if b"sys.path" in text.data or b"../" in text.data:
        from skillstudio.manifest.script_imports import check_imports

        yield from check_imports(names, text.path, text.source)


_SOURCES = (".md", ".mdx", *SCRIPTS)
"""Names of texts, which nobody stores in Git LFS."""
_KELVIN = "\N{KELVIN SIGN}".encode()


@cache
def _patterns(kind: str) -> list[ScanPattern]:
    return [pattern for pattern in PATTERNS if kind in pattern.kinds.split()]


_RARE_FIRST, _RARE = "\\/.", "xw"
"""Characters of marks that are rare in other words."""


class MarkFinder:
    """Find which of some words a text contains.

    The words with a rare character are found by one search for that character, which finds one word
    at a place: none may contain another one, or have the same character where they overlap.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._alone: dict[str, bytes] = {}
        words_by_first: dict[str, list[str]] = {}
        around: dict[str, list[str]] = {}
        for word in words:
            rare = next((character for character in _RARE if character in word), "")
            if word[0] in _RARE_FIRST:
                words_by_first.setdefault(word[0], []).append(word)
            elif rare:
                around.setdefault(rare, []).append(word)
            else:
                self._alone[word] = word.encode()
        self._start_patterns = [
            _compile_start(first, same) for first, same in words_by_first.items()
        ]
        self._around = [(same, _around(rare, same)) for rare, same in around.items()]

    def find_words(self, text: bytes) -> set[str]:
        """The words that a text in lower case contains."""
        present_words = {word for word, encoded_word in self._alone.items() if encoded_word in text}
        for pattern in self._start_patterns:
            present_words.update((match[0] + match[1]).decode() for match in pattern.finditer(text))
        for words, pattern in self._around:
            present_words.update(
                words[(match.lastindex or 0) - 1] for match in pattern.finditer(text)
            )
        return present_words


def _compile_start(first: str, words: Iterable[str]) -> re.Pattern[bytes]:
    """A pattern that matches the first character of words; the group is the rest of one."""
    rests = "|".join(re.escape(word[1:]) for word in words)
    return re.compile(f"{re.escape(first)}(?=({rests}))".encode())


def _around(rare: str, words: Iterable[str]) -> re.Pattern[bytes]:
    """A pattern that matches a character within words; the number of the group tells which."""
    ways = []
    for word in words:
        before, _, after = word.partition(rare)
        ways.append(f"(?<={re.escape(before + rare)})(?={re.escape(after)})()")
    return re.compile(f"{re.escape(rare)}(?:{'|'.join(ways)})".encode())


@cache
def _marks(kind: str) -> MarkFinder:
    return MarkFinder(sorted({mark for pattern in _patterns(kind) for mark in pattern.marks}))


@cache
def _compile_pattern(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


_NEAR_EXAMPLE = 40
_OUTPUT = lazy_pattern(
    r"[\W_]*(?:INFO|WARN(?:ING)?|ERROR|DEBUG|(?:[A-Za-z]+)?Error|error|fatal|Watching|Traceback"
    r"|File \"|\w+: can't)\b"
)
_FOR_EXAMPLE = ("e.g.", "E.g.", "such as", "for example")


_LISTS = lazy_pattern(r"\bpatterns?[ \t]*\($")
"""What is before the example of a pattern that a scanner looks for."""


def _is_quoted(whole: str, match: re.Match[str]) -> bool:
    """Whether a path is in the output of a program, or an example."""
    start = whole.rfind("\n", max(match.start() - _LINE, 0), match.start()) + 1
    before = whole[start : match.start()][-_NEAR_EXAMPLE:]
    if any(words in before for words in _FOR_EXAMPLE):
        return True
    return start > 0 and _OUTPUT.match(whole, start, match.end()) is not None


def _find_spans(pattern: ScanPattern, text: _ScannedText) -> Iterator[Span]:
    whole = text.source.text
    in_comments = pattern.part == "comment"
    # Most patterns begin with a word that is anywhere, so only lines that may match are searched.
    spans = text.comments() if in_comments else text.lines_with(pattern.marks)
    for span in spans:
        for match in _compile_pattern(pattern.regex).finditer(whole, *span):
            user = match.groupdict().get("user")
            if user and (
                _compile_pattern(EXAMPLE_USER).fullmatch(user) or _is_quoted(whole, match)
            ):
                continue
            if user and "example" in text.path.lower():
                continue
            at = match.start()
            if pattern.part != "prose" or (
                text.is_prose(at) and not _LISTS.search(whole, max(at - 20, 0), at)
            ):
                yield Span(*match.span())


_INVISIBLE = lazy_pattern(
    "[\x08\x1b\u115f\u1160\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
_CONTROLS = "\x08\x1b"
_RIGHT_TO_LEFT = lazy_pattern("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_QUOTE = lazy_pattern(r"""["'`\[]""")
_OVERRIDES = "\u202d\u202e"
_EMBEDDINGS = "\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_ZERO_WIDTH = "\u115f\u1160\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u3164\ufeff\uffa0"


_MAY_HIDE = lazy_pattern(
    rb"\xe1(?:\x85[\x9f\xa0]|\xa0\x8e)|\xe2(?:\x80[\x8b-\x8d\xaa-\xae]|\x81[\xa0-\xa9])"
    rb"|\xe3\x85\xa4|\xef(?:\xb8[\x80-\x8f](?:\xef\xb8[\x80-\x8f]){2}|\xbb\xbf|\xbe\xa0)|\xf3\xa0"
)
"""The bytes of what `_INVISIBLE` finds, except for the selectors that one or two emoji have."""
_ASCII = bytes(range(128))


def _may_hide(data: bytes) -> bool:
    """Whether `_find_hidden` may find something in a text; false for nearly all."""
    if b"\x1b" in data or b"\x08" in data:
        return True
    return not data.isascii() and _MAY_HIDE.search(data.translate(None, _ASCII)) is not None


def _find_hidden(text: _ScannedText) -> Iterator[Diagnostic]:
    """`character-hidden` for each run of invisible characters without a use in its script."""
    whole = text.source.text
    for run in _INVISIBLE.finditer(whole, 1 if whole.startswith(BOM) else 0):
        reason = _why_hidden(run, whole, text.kind)
        is_fault = run[0][0] in _CONTROLS and any(
            span.start <= run.start() < span.end for span in text.manifests
        )
        # `control-character` reports those in manifests.
        if reason and not is_fault:
            fixes: tuple[Fix, ...] = ()
            if text.kind == "skill":
                fixes = (Fix("Remove it", (Splice(*run.span(), ""),)),)
            message = f"{reason}; people do not see it, and agents read it; remove it"
            yield Diagnostic(
                "character-hidden", message, Span(*run.span()), "", fixes, path=text.path
            )


def _why_hidden(run: re.Match[str], text: str, kind: str) -> str:
    characters = run.group()
    before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
    first = f"U+{ord(characters[0]):04X}"
    tags = "".join(
        chr(ord(character) - 0xE0000)
        for character in characters
        if "\U000e0020" <= character < "\U000e007f"
    )
    if tags and not (before == "\N{WAVING BLACK FLAG}" and characters.endswith("\U000e007f")):
        visible_tags = tags if len(tags) <= _MAX_SHOWN else f"{tags[:_MAX_SHOWN]}…"
        return f'invisible tag characters spell "{visible_tags}"'
    if "\x1b" in characters or "\x08" in characters:
        return f"the control character {first} can hide text in a terminal"
    selectors = sum(
        "\ufe00" <= character <= "\ufe0f" or character >= "\U000e0100" for character in characters
    )
    if selectors > 2 or (selectors and characters[0] >= "\U000e0100" and before.isascii()):
        return f"{selectors} invisible variation selectors (from {first})"
    if any(character in characters for character in _OVERRIDES):
        return f"the character {first} reverses the text that people see"
    if any(character in characters for character in _EMBEDDINGS):
        line = (
            _line_before(text, run.start()) + text[run.end() : run.end() + _LINE].partition("\n")[0]
        )
        if kind == "script" or not _RIGHT_TO_LEFT.search(line):
            return f"the character {first} changes the order of the text that people see"
        return ""
    # They join emoji and letters of many scripts; before a fence they show its marks as text.
    plain = before.isascii() and after.isascii() and after not in ("`", "~")
    if kind == "script" and _QUOTE.search(_line_before(text, run.start())):
        return ""  # The value of a program that removes such characters.
    return f"the invisible character {first}" if plain and characters[0] in _ZERO_WIDTH else ""


_BACKSLASH_PATH = lazy_pattern(r"(?<![\w\\/:.%$-])(?:\.\\)?[\w.-]{1,100}(?:\\[\w.-]{1,100}){1,8}")
_JOINT = lazy_pattern(r"\\(?<=[\w.-]\\)[\w.-]")
_WINDOWS_SCRIPTS = (".bat", ".cmd", ".ps1")
_WINDOWS = frozenset({"bat", "batch", "cmd", "dos", "powershell", "ps1", "pwsh"})


def _backslashes(text: _ScannedText, tree: FileTree) -> Iterator[Diagnostic]:
    """`path-backslash` for paths of files that exist in the skill with slashes."""
    existence: dict[str, bool] = {}
    for match in _find_backslash_paths(text.source.text, text.body):
        path_text = match.group().rstrip(".")
        path = path_text.replace("\\", "/")
        if path not in existence:
            if len(existence) >= MAX_FILES:
                return
            inside = normalise(path)
            existence[path] = bool(inside) and tree.kind(inside or "") is not None
        # The command prompt of Windows starts its scripts only by such a path.
        if not existence[path] or path.lower().endswith(_WINDOWS_SCRIPTS):
            continue
        fence = text.fence(match.start())
        if fence and fence[1].split(" ")[0].lower() in _WINDOWS:
            continue
        span = Span(match.start(), match.start() + len(path_text))
        fixes: tuple[Fix, ...] = ()
        if text.kind == "skill":
            fixes = (Fix(f"Change to {path}", (Splice(*span, path),), fence is None),)
        message = f"backslashes separate folders only on Windows; write {path}"
        yield Diagnostic("path-backslash", message, span, "", fixes, path=text.path)


def _find_backslash_paths(whole: str, start: int) -> Iterator[re.Match[str]]:
    """What `_BACKSLASH_PATH` matches from an offset on; only lines with a backslash are
    searched."""
    while joint := _JOINT.search(whole, start):
        start = max(whole.rfind("\n", 0, joint.start()) + 1, start)
        end = whole.find("\n", joint.start()) + 1 or len(whole)
        yield from _BACKSLASH_PATH.finditer(whole, start, end)
        start = end


def _check_names(
    skill: Skill, names: NameCheck, references: list[_ScannedText], existing_paths: set[str]
) -> Iterator[tuple[Diagnostic, Source]]:
    """What SKILL.md and the references that it leads to name and the skill lacks."""
    if skill.markdown is None:
        return
    source = skill.markdown.source
    skill_text = names.read(source, skill.markdown.body.start)
    problems = list(_names(names, skill_text))
    if skill.tree.kind(source.path) == "link" and skill.tree.resolve(source.path) is None:
        # What it names is beside the file that the link leads to.
        problems = [_report_link(skill.tree.target(source.path), source.path, len(problems))]
    for problem in problems:
        yield problem, source
    for problem in islice(_pointers(skill.tree, skill_text, existing_paths), MAX_FOUND):
        yield problem, source
    if source.text.find("$", skill.markdown.body.start) >= 0:
        from skillstudio.manifest.substitutions import check_substitutions

        for problem in check_substitutions(names, skill_text):
            yield problem, source
    for text in _led_to(source.text, references):
        read = names.read(text.source, 0)
        for problem in _names(names, read):
            yield problem, text.source
        if b"$ARGUMENTS" in text.data:
            from skillstudio.manifest.substitutions import check_reference

            for problem in check_reference(read):
                yield problem, text.source


def _report_link(target: str, path: str, number: int) -> Diagnostic:
    message = f"{path} is a symbolic link to {target}"
    files = "1 file that it names is" if number == 1 else f"{number} files that it names are"
    message += f", and {files} not beside it" if number else ", which some clients do not follow"
    severity: Severity | None = None if number else "info"
    return Diagnostic(
        "symlink-outside", f"{message}; link the folder", Span(0, 0), path=path, severity=severity
    )


def _pointers(tree: FileTree, text: NamingText, existing_paths: set[str]) -> Iterator[Diagnostic]:
    """`file-lfs-pointer` for each file that SKILL.md names and that was not downloaded."""
    targets = [*text.links, *((name.path, name.span) for name in text.mentions)]
    judged_paths: set[str] = set()
    for target, span in targets:
        path = target.removeprefix("./")
        if path in judged_paths or path not in existing_paths or path.endswith(_SOURCES):
            continue
        judged_paths.add(path)
        try:
            data = tree.read(path, LARGEST) if tree.kind(path) == "file" else b""
        except OSError:
            continue
        if is_pointer(data):
            yield Diagnostic(
                "file-lfs-pointer", describe_pointer(path), span, path=text.source.path
            )


def _names(names: NameCheck, text: NamingText) -> Iterator[Diagnostic]:
    if links := names.doubtful_links(text):
        from skillstudio.manifest.named_links import check_links

        yield from check_links(names, text, links)
    if mentions := names.doubtful_mentions(text):
        from skillstudio.manifest.named_mentions import check_mentions

        yield from check_mentions(names, text, mentions)
    if plain := names.plain_mentions(text):
        from skillstudio.manifest.started_scripts import check_starts

        yield from check_starts(names, text, plain)
    if option_mentions := names.with_options(text):
        from skillstudio.manifest.documented_options import check_options

        yield from check_options(names, text, option_mentions)


def _led_to(body: str, references: list[_ScannedText]) -> Iterator[_ScannedText]:
    """The references that SKILL.md names, and those that these name."""
    texts, rest = [body], {text.path: text for text in references}
    while texts and rest:
        whole = "\n".join(texts)
        near = [rest.pop(path) for path in list(rest) if path.rpartition("/")[2] in whole]
        texts = [text.source.text for text in near]
        yield from near


_MARKDOWN_LINK = lazy_pattern(r"\]\([ \t]*<?([^\s()<>#?]{1,300}\.mdx?)(?=[\s)>#?])")


def _deep(skill: Skill, references: list[_ScannedText]) -> Iterator[tuple[Diagnostic, Source]]:
    """`reference-deep` at the first link of each file to one that SKILL.md does not mention."""
    if skill.markdown is None:
        return
    body = skill.markdown.source.text
    unnamed_files = {text.path: text.path.rpartition("/")[2] for text in references}
    unnamed_files = {path: name for path, name in unnamed_files.items() if name not in body}
    for text in references:
        if not unnamed_files or text.path in unnamed_files or b"](" not in text.data:
            continue
        source = text.source
        folder = text.path.rpartition("/")[0]
        target_spans: dict[str, Span] = {}
        for link in _MARKDOWN_LINK.finditer(source.text):
            targets = normalise(f"{folder}/{link[1]}"), normalise(link[1])
            for target in targets:
                if target in unnamed_files and target is not None:
                    target_spans[target] = Span(*link.span(1))
                    del unnamed_files[target]
        if target_spans:
            target, span = next(iter(target_spans.items()))
            suffix = f" and {len(target_spans) - 1} more" if len(target_spans) > 1 else ""
            message = f"only this file leads to {target}{suffix}; link every file from SKILL.md"
            yield Diagnostic("reference-deep", message, span, path=source.path), source
