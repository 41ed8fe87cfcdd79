"""Judge the files that commands and code spans name and the skill does not contain.

Only what must be a file of the skill is reported: not what a step writes, not an example, not a
file of the user's project. In doubt nothing is reported.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.manifest.named_files import SHELLS, USUAL
from skillstudio.manifest.named_links import CodeSpans, near_file
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Span

if TYPE_CHECKING:
    from skillstudio.manifest.named_files import NameCheck, NamedPath, NamingText

_MOST = 20
"""Problems of one text."""
_LINE = 400
"""Characters before and after a path that are searched."""
_SHORT = 100
"""Characters before a path that a command or a verb with it has."""
_NEAR = 120
"""Characters before and after a path in which the name of another skill concerns it."""
_OF_SKILLS = frozenset(["references", "reference"])
"""Folders that only skills have; the others may be folders of the user's project, too."""
_PLUGIN = "CLAUDE_PLUGIN_ROOT"
_FILE = re.compile(r"(?:[\w-][\w.-]{0,80})\.(?:[a-z][a-z0-9]{0,7}|R)$")
_PATTERN = frozenset("{}<>*$[…=@%\\")
"""Characters after a path that make it a pattern, or something else."""
_PARTS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/\\}~$.>-")
"""Characters before a path that make it the end of another one."""
_ALONE = re.compile(r"^$|[\s(:*-]")
_TEMPLATE = re.compile(r"(?:^|/)[\w-]*templates?(?:/|[\w.-]*$)")
"""Files that a step fills in: their commands are of the project that gets them."""
_PREFIX = re.compile(
    r"(?:(?P<variable>\$\{?(?:CLAUDE_SKILL_DIR|SKILL_DIR)\}?/|\{baseDir\}/)"
    r"|(?P<import>(?<![\w@.`])@)|(?P<above>(?:\.\./){1,9})|(?P<here>\./))?$"
)
_RUNS = re.compile(
    r"(?:^|[;&|(]|\$ )[ \t]*(?:sudo |time )?(?:python[\d.]*|bash|sh|zsh|node|bun(?: run)?|deno run"
    r"|ruby|perl|php|pwsh|Rscript|uv run(?: python[\d.]*)?|npx tsx|tsx)"
    r"(?: -{1,2}[\w-]+){0,3} [\"']?$"
)
_STARTS = re.compile(r"(?:^|[;&|(]|\$ )[ \t]*[\"']?$")
_CREATE_COMMAND = re.compile(
    r"(?:>{1,2}|\btouch|\btee(?: -a)?|\bmkdir(?: -p)?|\s-[oO]|\s--out(?:put)?(?:-file)?"
    r"|\b(?:cp|mv)(?: -\w+)? \S{1,80})[ =]{0,3}[\"']?$"
)
"""What is before a path that a command creates."""
_USES = re.compile(
    r"\b(?:runs?|running|execut(?:es?|ing)|see|read|loads?|consult|refer to|follow|invoke|open|use"
    r"|using|via|check|review|call|details in|documented in|described in)"
    r"[\s:*(\[]{1,4}(?:the |file |also |script )?[`\[*\"']{0,3}$",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\b(?:sav(?:e|es|ed|ing)|writ(?:e|es|ing|ten)|creat\w{1,4}|generat\w{1,4}|produc\w{1,4}"
    r"|outputs?|export\w{0,3}|stor(?:e|es|ed|ing)|append\w{0,3}|scaffold\w{0,3}|emit\w{0,3}|put"
    r"|plac(?:e|es|ed|ing)|add(?:s|ed|ing)?|record\w{0,3}|builds?|bundle|new|propos\w{1,4}|draft"
    r"|author|extract\w{0,3}|mov(?:e|es|ed|ing)|renam\w{1,3}|convert\w{0,3}|cop(?:y|ies|ied)"
    r"|download\w{0,3}|install\w{0,3}|clon\w{1,3}|split\w{0,4}|into|delet\w{1,3}|remov\w{1,3}"
    r"|updat\w{1,3}|maintain\w{0,3}|missing|absent|should|would|could|if|optional(?:ly)?|where"
    r"|when present|candidates?|consider|todo|future|planned)\b|->|→",
    re.IGNORECASE,
)
"""Words before a path, in its sentence, after which the file need not exist yet."""
_IF = re.compile(r"\b(?:if|when)\b[^,]{0,60}\b(?:exists?|present|available|missing)\b", re.I)
_ABSENCE_CLAUSE = re.compile(
    r"^[^.;!?]{0,40}?(?:\b(?:is|are|will be|gets?|was|were|been)\s+(?:auto-?)?(?:created|generated"
    r"|written|saved|produced|updated|missing|absent|optional|removed|deleted|deprecated|not)\b"
    r"|\b(?:if|when)\s+(?:\w+\s){0,2}(?:exist|present|available|need|applicable)"
    r"|\((?:auto-?)?(?:created|generated|output|optional|new|if|todo|planned)"
    r"|\b(?:does|do)(?:n['’]t| not) exist|\bnot yet exist|\bno longer|\bnot included"
    r"|\|\s{0,9}removed\b|\bfrom the\b)",
    re.IGNORECASE,
)
"""The same after a path."""
_EXAMPLES = re.compile(
    r"\bexamples?\b(?!/)|\be\.?g\.?\b|\bi\.e\.|\bsuch as\b|\bfor instance\b|\blike\s|\bimagin"
    r"|\bhypothetical|\bsamples?\b(?!/)|\bplaceholder|\btypical|\bpattern\b|\bstructure\b|\blayout\b"
    r"|\bnaming\b|\bconvention|\bis there\b|\bspecific\b|\b(?:wrong|correct|bad|good):|❌|✅"
    r"|\binstead of\b|\bavoid\b|\bnever\b|\bdon['’]t\b",
    re.IGNORECASE,
)
_OF_EXAMPLES = re.compile(r"\bexamples\b(?!:)", re.IGNORECASE)
_PROJECT = re.compile(
    r"\b(?:your|users?['’]?s?|their|target|current|existing|this|the|an?|each|every) (?:own )?"
    r"(?:project|repo(?:sitory)?|codebase|app(?:lication)?|package|workspace|site|theme|extension"
    r"|vault|module|service|component|deployment)\b"
    r"|\b(?:project|repo(?:sitory)?|workspace|app)[- ]?(?:root|level|local|folder|director)"
    r"|\bproject scripts?\b|\bin-repo\b|\brails\b|\bdjango\b",
    re.IGNORECASE,
)
_LISTED_ITEM = re.compile(r"(?:^|\n)[ \t]*(?:[-*+]|\d{1,2}\.)[ \t]+(?:\*\*)?`?$")
"""What is before a path that starts an item of a list."""
_EXPLANATION = re.compile(r"`?(?:\*\*)?:?(?:\*\*)?[ \t]*(?:[-\u2013\u2014:(]|$)[ \t]*\S")
_HEADING = re.compile(r"^#{1,6}[ \t]+([^\n]{1,100})", re.MULTILINE)
_OF_FILES = re.compile(
    r"^\W*(?:bundled|additional|skill|supporting|reference|included)?[ ]?"
    r"(?:resources?|references?|reference files|files|scripts|assets|templates|examples)"
    r"(?: (?:in|of) this skill| files| directory)?\W*$",
    re.IGNORECASE,
)
"""The heading of a list of the skill's own files."""
_FOLDERS = re.compile(r"(?<![\w./-])(?:\./)?(src|tests?|app)/")
_REPOSITORY = re.compile(r"git\+https|\bgit clone |\b(?:github|gitlab)\.com/[\w.-]+/[\w.-]+")
_TREE = re.compile(r"[├└│]|\|--|`--|\+--")
_PLACEHOLDERS = frozenset(
    [
        *("a", "b", "c", "x", "y", "z", "n", "foo", "bar", "baz", "qux", "xxx", "xyz", "abc"),
        *("example", "examples", "sample", "template", "placeholder", "thing", "something"),
        *("file", "filename", "name", "names", "script", "path", "topic", "new", "old"),
    ]
)
_IMAGINARY = frozenset(["your", "my", "some", "foo", "example", "sample"])
"""First words of the names of examples, as in my-script.py."""
_VARIABLE = re.compile(r"NAME|XX|(?:^|[a-z0-9_-])[NX]$|[-_]name$")
"""A variable part of a name, as in phaseN."""
_OTHER_SKILL = re.compile(
    r"(?<!this )\bskill['’]s\s[`*]{0,3}$|(?:^|[\s(`])/[a-z][\w:-]{1,60}`?\s[`*(]{0,3}$",
    re.IGNORECASE,
)
"""What is before a path of another skill: its command, or "the … skill's"."""
_SENTENCE = re.compile(r"[.;!?]\s|\|")
_WORD = re.compile(r"[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){1,8}|[a-z0-9]{3,40}")
_CONTENT_BLOCK = re.compile(r"[`*)]*:[ *]*\s*(?:```|~~~)")
"""What follows a path whose content is shown, because a step writes it."""


class _MentionPlace(NamedTuple):
    """Where a path is named: the line before and after, and in what kind of text."""

    start: int
    before: str
    after: str
    prefix: str  # A group of `_PREFIX`, or "".
    is_command: bool = False

    def runs(self, pattern: re.Pattern[str]) -> bool:
        """Whether what is directly before the path matches."""
        return pattern.search(self.before[-_SHORT:]) is not None


def check_mentions(
    check: NameCheck, text: NamingText, mentions: Sequence[NamedPath]
) -> Iterator[Diagnostic]:
    """`file-missing` at the first place of each path."""
    if _TEMPLATE.search(text.source.path):
        return
    judge = _MentionJudge(check, text)
    for (base, path), place in judge.missing(mentions)[:_MOST]:
        if base == _PLUGIN:
            message = f"the plugin has no file {path}; add it, or correct the path"
            if check.problem(path) is None and check.around is not None:
                message = f"the plugin has no file {path}; did you mean "
                message += f"{check.around.place(check.around.plugin)}/{path}?"
        else:
            advice = near_file(check, path, text.folder) or "; add it, or correct the path"
            message = f"the skill has no file {path}{advice}"
        yield Diagnostic("file-missing", message, place, path=text.source.path)


class _MentionJudge:
    """Which of the paths of a text must exist and do not."""

    def __init__(self, check: NameCheck, text: NamingText) -> None:
        self._check = check
        self._text = text
        self._whole = text.source.text
        self._code = CodeSpans(self._whole)
        self._is_own = text.source.path == check.markdown_path

    def missing(self, mentions: Sequence[NamedPath]) -> list[tuple[tuple[str, str], Span]]:
        """The base and path of each missing file, with its first place."""
        first: dict[tuple[str, str], Span] = {}
        quiet: set[tuple[str, str]] = set()
        for name in sorted(mentions):
            path = name.path.rstrip(".")
            key = (_PLUGIN if name.base == _PLUGIN else "", path)
            if key in quiet or not self._may_be_of_skill(name, path):
                continue
            if not self._is_file(name, path):
                continue
            place = self._place(name, path)
            if place is None:
                continue
            if self._need_not_exist(place, name.start + len(path)):
                quiet.add(key)
            elif key not in first and self._must_exist(name, path, place):
                first[key] = Span(place.start, name.start + len(path))
        return [(key, span) for key, span in first.items() if key not in quiet]

    def _may_be_of_skill(self, name: NamedPath, path: str) -> bool:
        """Whether a path is one of the skill, not of the user's project, in some place."""
        folder = path.partition("/")[0]
        if name.base or folder in _OF_SKILLS or self._check.problem(folder) is None:
            return True
        before = self._whole[max(name.start - 20, 0) : name.start]
        return self._is_own or "SKILL_DIR" in before or "baseDir" in before

    def _is_file(self, name: NamedPath, path: str) -> bool:
        """Whether a path has the form of a file's, and is no pattern or placeholder."""
        end = name.start + len(path)
        if normalise(path) is None or "//" in path or ".." in path or "path/to/" in path:
            return False
        file = path.rpartition("/")[2]
        stem = file.partition(".")[0]
        is_bold = (
            self._whole.startswith("**", end) and self._whole[name.start - 2 : name.start] == "**"
        )
        if not _FILE.match(file) or (self._whole[end : end + 1] in _PATTERN and not is_bold):
            return False
        first = re.split("[-_]", stem.lower(), maxsplit=1)[0]
        is_example = stem.lower() in _PLACEHOLDERS or first in _IMAGINARY
        return not is_example and _VARIABLE.search(stem) is None

    def _place(self, name: NamedPath, path: str) -> _MentionPlace | None:
        """The place of a path that a command or a code span names, or None."""
        whole, end = self._whole, name.start + len(path)
        low = max(name.start - _LINE, 0)
        low = max(whole.rfind("\n", low, name.start) + 1, low)
        line_end = whole.find("\n", end, end + _LINE)
        before = whole[low : name.start]
        prefix, start = "variable", before.rfind("{" if name.base == "baseDir" else "$")
        if not name.base:
            match = _PREFIX.search(before, max(len(before) - _SHORT, 0))
            prefix = (match.lastgroup or "") if match else ""
            start = match.start() if match else len(before)
        after = whole[end : line_end if line_end >= 0 else end + _LINE]
        place = _MentionPlace(low + start, before[:start], after, prefix)
        span = self._code.around(name.start)
        is_bold = place.before.endswith("**")
        runs = place.runs(_RUNS) or (prefix in ("variable", "here") and place.runs(_STARTS))
        # To find the fences takes long, and few paths are in the places that matter.
        if span is None and not (
            runs or place.runs(_CREATE_COMMAND) or prefix == "import" or is_bold
        ):
            return None
        if (fence := self._text.fence(name.start)) is not None:
            is_shell = fence.info.split(" ")[0].lower() in SHELLS
            is_command = (runs and is_shell) or place.runs(_CREATE_COMMAND)
            return place._replace(is_command=True) if is_command else None
        if span is None:
            is_import = prefix == "import" and path.endswith(".md")
            if is_import and _ALONE.search(place.before[-1:]):
                return place
            is_closed = is_bold and after.startswith(("**", ":**"))
            return place if is_closed and place.runs(_LISTED_ITEM) else None
        head, tail = whole[span.start : place.start], whole[end : span.end]
        if not head and (not tail or tail[0] in "#: "):
            return place._replace(before=place.before.rstrip("`"), after=after[len(tail) :])
        inside = place._replace(before=head)
        if prefix and whole.startswith("!`", span.start - 2) and inside.runs(_STARTS):
            return place._replace(is_command=True)
        is_command = inside.runs(_RUNS) or inside.runs(_CREATE_COMMAND)
        return place._replace(is_command=True) if is_command else None

    def _need_not_exist(self, place: _MentionPlace, end: int) -> bool:
        """Whether the text creates the file, or says that it may be missing."""
        if place.runs(_CREATE_COMMAND) or _ABSENCE_CLAUSE.search(place.after):
            return True
        if place.is_command:
            return False
        if _CONTENT_BLOCK.match(self._whole, end) or _ABSENCE_CLAUSE.match(
            self._whole[end : end + _NEAR]
        ):
            return True
        sentence = _SENTENCE.split(place.before)[-1]
        if _IF.search(sentence):
            return True
        return not place.runs(_USES) and _WRITES.search(sentence) is not None

    def _must_exist(self, name: NamedPath, path: str, place: _MentionPlace) -> bool:
        line = f"{place.before} {place.after}"
        # What is opened for its examples is no example.
        checked_line = _OF_EXAMPLES.sub("", line) if place.runs(_USES) else line
        if _TREE.search(line) or _EXAMPLES.search(checked_line):
            return False
        if name.base == _PLUGIN:
            return "/" in path and self._is_missing_in_plugin(path)
        is_part = not place.is_command and place.before[-1:] in _PARTS and place.before
        if place.prefix == "above" or is_part or place.runs(_OTHER_SKILL):
            return False
        if place.prefix != "variable":
            if self._check.is_about_skills or _PROJECT.search(line):
                return False
            if not self._is_of_skill(path, place) or self._is_beside_project(name):
                return False
        return not self._is_elsewhere(path, place)

    def _is_of_skill(self, path: str, place: _MentionPlace) -> bool:
        """Whether a path is one of the skill, not of the user's project."""
        folder = path.partition("/")[0]
        if folder in _OF_SKILLS:
            return True
        # A script of another text is often one of the user's project.
        if (place.is_command or place.prefix == "here") and not self._is_own:
            return False
        if self._check.problem(folder) is None:
            return True
        if self._is_listed(path, place):
            return True
        if self._is_own and folder in USUAL and path.endswith(".md") and place.runs(_USES):
            return True
        if not (self._is_own and place.is_command and folder == "scripts" and path.count("/") == 1):
            return False
        # A skill without scripts that is about other software names those of its repository.
        return _REPOSITORY.search(self._whole) is None

    def _is_listed(self, path: str, place: _MentionPlace) -> bool:
        """Whether a list of the skill's own files names a path, each with what it is for."""
        if path.partition("/")[0] not in USUAL or not place.runs(_LISTED_ITEM):
            return False
        if not _EXPLANATION.match(place.after):
            return False
        at = bisect_right(self._headings, place.start, key=lambda heading: heading[0]) - 1
        return at >= 0 and self._headings[at][1]

    @cached_property
    def _headings(self) -> list[tuple[int, bool]]:
        """Where each section starts, and whether its heading is one of a list of files."""
        return [
            (heading.start(), _OF_FILES.search(heading[1]) is not None)
            for heading in _HEADING.finditer(self._whole)
        ]

    def _is_beside_project(self, name: NamedPath) -> bool:
        """Whether the block of a command also names folders of the user's project."""
        fence = self._text.fence(name.start)
        if fence is None:
            return False
        folders = set(_FOLDERS.findall(self._whole, *fence.inner))
        return any(self._check.problem(folder) is not None for folder in folders)

    def _is_missing_in_plugin(self, path: str) -> bool:
        around = self._check.around
        if around is None or not around.plugin or self._check.is_about_plugins:
            return False
        return around.problem(path, around.plugin) == "path-missing"

    def _is_elsewhere(self, path: str, place: _MentionPlace) -> bool:
        """Whether the file is in a folder above the skill, or in another skill that is named."""
        around = self._check.around
        if around is None or not around.root:
            return False
        above = (
            [*around.folders(), *around.tops] if path.startswith("scripts/") else around.folders()
        )
        if any(
            around.problem(f"{folder}/{path}".lstrip("/")) != "path-missing" for folder in above
        ):
            return True
        beside = around.place().rpartition("/")[0]
        # The name of the other skill may be on the line above.
        near = self._whole[max(place.start - _NEAR, 0) : place.start] + place.after[:_NEAR]
        names = _WORD.findall(near.lower())
        return any(
            around.problem(f"{beside}/{other}/{path}".lstrip("/")) is None
            for other in dict.fromkeys(names)
        )
