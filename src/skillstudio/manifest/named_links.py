"""Judge the links of a text that do not plainly lead to a file of the skill."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from skillstudio.files.paths import normalise
from skillstudio.manifest.named_files import USUAL
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.nearest import did_you_mean, nearest
from skillstudio.text.source import Span, decode

if TYPE_CHECKING:
    from skillstudio.manifest.named_files import NameCheck, NamingText

MAX_BYTES = 256 * 1024
_MARKDOWN = (".md", ".mdx", ".markdown")
_TICKS = lazy_pattern(r"`+")
_HEADING = lazy_pattern(r"\n[ \t>]{0,8}#{1,6}[ \t]+([^\n]{1,300})")
_UNDERLINE = lazy_pattern(r"\n {0,3}(?:=+|-+)[ \t\r]*(?=\n|\Z)")
_ID = lazy_pattern(r"""(?:\bid|\bname)=["']?([^\s"'<>]{1,200})|\{#([^\s{}]{1,200})\}""")
_IDS = ("id=", "name=", "{#")
_LINK = lazy_pattern(r"!?\[([^\[\]]{0,200})\](?:\([^()]{0,300}\)|\[[^\[\]]{0,200}\])")
_TAG = lazy_pattern(r"<[^<>]{1,200}>")
_EMPHASIS = lazy_pattern(r"(?<!\w)_{1,3}|_{1,3}(?!\w)")
_NO_SLUG = lazy_pattern(r"[^\w\- ]")
_POSITION = lazy_pattern(r"L\d+(?:C\d+)?(?:-L\d+(?:C\d+)?)?$|:~:|top$")
_EXAMPLE_MARKS = ("✅", "❌")
"""Marks of good and bad examples."""
_TEMPLATES = lazy_pattern(r"/(?:[\w-]*templates?|assets|[\w-]*examples?)(?:/|[\w.-]*\.md)")
"""Files that a step fills in or copies, whose links start elsewhere."""


def check_links(
    check: NameCheck, text: NamingText, links: Sequence[tuple[str, Span]]
) -> Iterator[Diagnostic]:
    """`link-missing` and `anchor-missing` once for each target, `link-outside` for each text."""
    if _TEMPLATES.search(f"/{text.source.path.lower()}"):
        return
    judge = _LinkJudge(check, text)
    code = CodeSpans(text.source.text)
    judged_targets: set[str] = set()
    outside: dict[str | None, list[Diagnostic]] = {}
    for target, span in links:
        problem = None if target in judged_targets else judge.problem(target, span)
        if problem is None:
            judged_targets.add(target)
            continue
        # Few texts have a problem, and to find their code takes longer than to find their links.
        if span.start in code or text.fence(span.start) is not None or text.has_confused_fences:
            continue
        if any(mark in code.line for mark in _EXAMPLE_MARKS):
            continue
        judged_targets.add(target)
        if problem.rule == "link-outside":
            outside.setdefault(problem.severity, []).append(problem)
        else:
            yield problem._replace(path=text.source.path)
    for first, *other_problems in outside.values():
        suffix = f"; so do {len(other_problems)} more links" if other_problems else ""
        suffix = "; so does 1 more link" if len(other_problems) == 1 else suffix
        yield first._replace(message=first.message + suffix, path=text.source.path)


class _LinkJudge:
    """What is wrong with the links of one text."""

    def __init__(self, check: NameCheck, text: NamingText) -> None:
        self._check = check
        self._text = text

    def problem(self, target: str, span: Span) -> Diagnostic | None:
        reference, _, anchor = target.partition("#")
        path = _unquote(reference.partition("?")[0]).replace("\\", "/")
        if _is_placeholder(path, anchor):
            return None
        whole = f"{self._text.folder}/{path}".lstrip("/")
        inside = normalise(whole)
        if inside is None:
            return self._outside(whole, path, span)
        verdict = self._check.problem(whole) if path else None
        if verdict == "path-missing" or (verdict and self._is_missing_outside(whole)):
            if self._leads_from_skill(path):
                return self._from_skill(path, span)
            near = near_file(self._check, inside, self._text.folder)
            if self._check.is_named_for_skills and not near:
                return None
            if not near and path.rpartition("/")[2] in self._text.trees:
                return None  # A file that a step writes.
            message = f"this link points to a file that does not exist in the skill{near}"
            return Diagnostic("link-missing", message, span)
        if not anchor or verdict or _POSITION.match(anchor):
            return None
        return self._anchor(inside if path else self._text.source.path, anchor, span)

    def _is_missing_outside(self, path: str) -> bool:
        around = self._check.around
        if around is None or not around.root or around.is_root:
            return False
        return around.problem(f"{around.place()}/{path}") == "path-missing"

    def _leads_from_skill(self, path: str) -> bool:
        """Whether a file exists if the path starts in the skill's folder, not in the text's."""
        if not self._text.folder:
            return False
        if normalise(path) is not None:
            return self._check.problem(path) is None
        around = self._check.around
        if around is None or not around.root or around.is_root:
            return False
        return around.problem(f"{around.place()}/{path}") is None

    def _from_skill(self, path: str, span: Span) -> Diagnostic:
        right = posixpath.relpath(path, self._text.folder)
        message = f"links start in the folder of their file, not of the skill; write {right}"
        return Diagnostic("link-missing", message, span, severity="info")

    def _outside(self, whole: str, path: str, span: Span) -> Diagnostic | None:
        around = self._check.around
        leaves = "this link leaves the skill"
        advice = "so it leads nowhere where only the skill is installed; copy the file into it"
        if around is None or not around.root or around.is_root:
            return Diagnostic("link-outside", f"{leaves}, {advice}", span)
        problem = around.problem(f"{around.place()}/{whole}")
        if problem == "path-missing":
            if self._leads_from_skill(path):
                return self._from_skill(path, span)
            message = "this link points to a file that does not exist"
            return Diagnostic("link-missing", message, span)
        severity: Severity | None = None
        if around.is_in_plugin(whole):
            severity, advice = "info", "which works only where its plugin is installed"
        if severity is None and (name := self._other_skill(whole)):
            severity, advice = "info", f"which works only where {name} is installed next to it"
        return Diagnostic("link-outside", f"{leaves}, {advice}", span, severity=severity)

    def _other_skill(self, path: str) -> str:
        """The name of the skill next to this one that a path leads to, or ""."""
        around = self._check.around
        whole = normalise(f"{around.place()}/{path}") if around is not None else None
        if around is None or whole is None:
            return ""
        beside = around.place().rpartition("/")[0]
        rest = whole.removeprefix(f"{beside}/") if beside else whole
        name = rest.partition("/")[0]
        manifest = f"{beside}/{name}/SKILL.md".lstrip("/")
        is_below = not beside or whole.startswith(f"{beside}/")
        return name if is_below and name and around.problem(manifest) is None else ""

    def _anchor(self, path: str, anchor: str, span: Span) -> Diagnostic | None:
        if not path.lower().endswith(_MARKDOWN):
            return None
        known_anchors = self._check.anchors
        if path not in known_anchors:
            known_anchors[path] = self._read_anchors(path)
        anchors = known_anchors[path]
        name = _unquote(anchor).lower().replace("\ufe0f", "")
        if anchors is None or name in anchors or f"user-content-{name}" in anchors:
            return None
        where = "this file" if path == self._text.source.path else path
        message = f"{where} has no heading for #{anchor}"
        message += did_you_mean(name, anchors, quote="") if len(anchors) < 500 else ""
        return Diagnostic("anchor-missing", message, span)

    def _read_anchors(self, path: str) -> frozenset[str] | None:
        if path == self._text.source.path:
            return anchors_of(self._text.source.text)
        try:
            data = self._check.skill.tree.read(path, MAX_BYTES + 1)
        except OSError:
            return None
        return None if len(data) > MAX_BYTES else anchors_of(decode(data)[0])


def _unquote(reference: str) -> str:
    if "%" not in reference:
        return reference
    from urllib.parse import unquote

    return unquote(reference)


def _is_placeholder(path: str, anchor: str) -> bool:
    """Whether a target is the word of an example, as in `[title](url)`."""
    if not path:
        return not anchor
    name = path.rstrip("/").rpartition("/")[2]
    # As in `[0](MON/FRI)`, which is no link.
    if "." not in path and not path.endswith("/"):
        return True
    stem = name.partition(".")[0]
    is_word = ("/" not in path and stem in _WORDS) or stem.lower().endswith(("-name", "_name"))
    return is_word or "path/to/" in path or _DAY.search(path) is not None


_DAY = lazy_pattern(r"(?<!\d)20\d{6}(?!\d)")
"""A day, as in plans/20260102-api.md, which is the example of a file that a step writes."""
_EVERYWHERE = frozenset(["SKILL.md", "README.md", "index.md", "__init__.py"])
"""Names of which another folder has another file."""
_WORDS = frozenset(
    [
        *("foo", "bar", "baz", "example", "sample", "placeholder"),
        *("url", "link", "path", "file", "filename", "name", "title"),
    ]
)


def anchors_of(text: str) -> frozenset[str]:
    """The anchors of a Markdown text: ids, and the slugs of headings by GitHub's rules."""
    anchors: set[str] = set()
    counts: dict[str, int] = {}
    for title in _titles(f"\n{text}"):
        title = title.strip().rstrip("#").strip().lower()
        plain = {title}
        if not title.isalnum() and any(mark in title for mark in "<[_"):
            title = _LINK.sub(r"\1", title)
            # Markup is not part of the text, but may be in code, so both are accepted.
            plain = {title, _TAG.sub("", title).strip(), _EMPHASIS.sub("", title)}
        for slug in {_NO_SLUG.sub("", words).replace(" ", "-") for words in plain}:
            number = counts.get(slug, 0)
            counts[slug] = number + 1
            anchors.add(f"{slug}-{number}" if number else slug)
    for match in _ID.finditer(text) if any(mark in text for mark in _IDS) else ():
        anchors.add((match[1] or match[2]).lower())
    return frozenset(anchors)


def _titles(text: str) -> Iterator[str]:
    """The texts of headings, also of lines in code that look like one."""
    for heading in _HEADING.finditer(text):
        yield heading[1]
    for line in _UNDERLINE.finditer(text):
        start = text.rfind("\n", max(line.start() - 300, 0), line.start())
        if start >= 0 and start + 1 < line.start():
            yield text[start + 1 : line.start()]


def near_file(check: NameCheck, path: str, folder: str = "") -> str:
    """The suggestion of an existing file: one with nearly that path, or the same name."""
    above, _, name = path.rpartition("/")
    for place in dict.fromkeys((above, folder, "", *USUAL)):
        names = check.files(place)
        inside = f"{place}/" if place else ""
        if place != above and name in names and name not in _EVERYWHERE:
            return f"; did you mean {inside}{name}?"
        if place == above and name not in _EVERYWHERE and (near := nearest(name, names)):
            return f"; did you mean {inside}{near}?"
    return ""


class CodeSpans:
    """The code spans of each line; offsets must be asked in the order of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._start, self._end = 0, -1
        """The current line."""
        self._spans: list[Span] = []

    def __contains__(self, offset: int) -> bool:
        return self.around(offset) is not None

    @property
    def line(self) -> str:
        """The line of the last offset that was asked."""
        return self.text[self._start : self._end]

    def around(self, offset: int) -> Span | None:
        """The inside of the code span around an offset."""
        if offset > self._end:
            start = self.text.rfind("\n", 0, offset) + 1
            end = self.text.find("\n", offset)
            self._end = end if end >= 0 else len(self.text)
            self._start = start
            self._spans = list(_code_spans(self.text, start, self._end))
        at = bisect_right(self._spans, offset, key=lambda span: span.start) - 1
        return self._spans[at] if at >= 0 and offset < self._spans[at].end else None


def _code_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """What is between a run of backticks and the next one of the same length in a line."""
    opening_run: re.Match[str] | None = None
    for run in _TICKS.finditer(text, start, end):
        if opening_run is None:
            opening_run = run
        elif run.group() == opening_run.group():
            yield Span(opening_run.end(), run.start())
            opening_run = None
