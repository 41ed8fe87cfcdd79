"""Check that what the Markdown of a skill names exists: targets of links, and files in code.

This module finds what is named, in linear time; most of it exists. `named_links` and
`named_mentions` judge the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from skillstudio.files.around import Surroundings, surroundings
from skillstudio.files.paths import judge_path, normalise
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import SKIPPED_FOLDERS
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.reading.fences import Fence, fences
from skillstudio.text.source import Source, Span

MAX_NAMES = 2_000
"""Links, and named files, of one text."""
MAX_LINKS = 20
_MAX_FOLDERS = 30
_MAX_LABEL = 200
_MOST_ABOVE = 10  # Folders above a text that are searched.
_FEW = 50  # Offsets whose blocks cost less to estimate than to find all blocks.
_MAX_SUGGESTED = 200  # Files of a folder among which a misspelled one is searched.
USUAL = ("scripts", "references", "assets", "templates", "examples", "resources")
"""Folders that skills usually have."""
_OFTEN_ELSEWHERE = frozenset(
    ["app", "build", "dist", "docs", "lib", "public", "src", "test", "tests", *SKIPPED_FOLDERS]
)
"""Folders that the user's project usually has."""
SHELLS = frozenset(
    ["!", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal"]
)  # fmt: skip
"""The info strings of blocks of commands; those of `!` are run before the agent reads them."""
_NOT_STARTED = frozenset(["bat", "cmd", "csv", "html", "json", "md", "ps1", "toml", "txt", "yaml"])
_INLINE = lazy_pattern(r"\]\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))")
_DEFINITION = lazy_pattern(r"\]:[ \t]*(?:<([^<>\n]*)>|([^\s<>]+))")
_ELSEWHERE = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|[/?\\~]")
_EXAMPLE = lazy_pattern(r"[{}<>$*|]|\.\.\.")
_PATH = r"([\w.-][\w./-]{0,199}+)"
_BELOW = lazy_pattern("s/(?:" + "|".join(rf"(?<=({name})/)" for name in USUAL) + ")" + _PATH)
_BASE_PATH = lazy_pattern(
    r"\}/(?:(?<=\{(baseDir)\}/)|(?<=\{(CLAUDE_SKILL_DIR)\}/)|(?<=\{(CLAUDE_PLUGIN_ROOT)\}/))"
    + _PATH
)
_SKILLS = lazy_pattern(
    r"\b(?:creat|writ|author|build|design|develop|improv|review|validat|audit|edit|packag|scaffold"
    r"|generat|maintain)\w{0,5}\b[^.]{0,40}\bskills?\b"
    r"|\bskills? (?:creat|author|writ|develop|build|design|structur|quality|md)"
)
_AUTHORING_NAME = lazy_pattern(
    r"\bskills?-(?:creat|author|writ|build|dev|design|mak|generat|templat|standard|review|format)"
    r"|(?:creat|writ|author|build|mak|develop|agent|templat)[a-z]{0,5}-(?:an?-)?skills?\b"
)
_TREE = lazy_pattern(r"[├└]|\|--|`--|\+--")
_FENCE_LINE = lazy_pattern(
    r"^[ \t>*+.\d-]{0,20}(?P<ticks>`{3,9})[ \t]*(?P<info>[^`\s]*)[^`\n]*$", re.MULTILINE
)
"""A line that opens a block or closes one, as far as a line alone tells."""
_PLUGINS = lazy_pattern(r"\b(?:plugins?|hooks?)\b")
_REST = lazy_pattern(r"([\w.-][\w./-]{0,199}+)")


class NamedPath(NamedTuple):
    """A path in a text; `base` is `baseDir`, `CLAUDE_SKILL_DIR`, `CLAUDE_PLUGIN_ROOT` or ""."""

    start: int
    path: str
    base: str = ""

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.path))


class NamingText:
    """A Markdown text of a skill with what it names; depends on the text alone."""

    def __init__(self, source: Source, body: int, folders: Sequence[str]) -> None:
        self.source = source
        self.body = body
        self.folders = folders
        self.folder = source.path.rpartition("/")[0]
        self._query_count = 0

    @property
    def folders_above(self) -> list[str]:
        """The folder of the text and those above it in the skill, the nearest first."""
        parts = self.folder.split("/") if self.folder else []
        return ["/".join(parts[:end]) for end in range(len(parts), 0, -1)][:_MOST_ABOVE]

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        text = self.source.text
        if "```" not in text and "~~~" not in text:
            return ()
        return fences(text, Span(self.body, len(text)))

    def fence(self, offset: int) -> Fence | None:
        """The fenced block around an offset."""
        self._query_count += 1
        if self._query_count <= _FEW and not self._may_be_fenced(offset):
            return None
        at = bisect_right(self.fences, offset, key=lambda fence: fence.inner.start) - 1
        return self.fences[at] if at >= 0 and offset < self.fences[at].inner.end else None

    @cached_property
    def has_confused_fences(self) -> bool:
        """Whether a block contains the opening line of another: an author meant other blocks."""
        ticks, info = 0, ""
        for line in _FENCE_LINE.finditer(self.source.text, self.body):
            if not ticks:
                ticks, info = len(line["ticks"]), line["info"]
            elif not line["info"]:
                ticks = 0 if len(line["ticks"]) >= ticks else ticks
            elif not info or len(line["ticks"]) >= ticks:
                return True
        return False

    @cached_property
    def _has_simple_fences(self) -> bool:
        """Whether every ``` is a line of a block, and each second one ends one."""
        text = self.source.text
        if "````" in text or "~~~" in text:
            return False
        return text.count("```", self.body) == len(_FENCE_LINE.findall(text, self.body))

    @cached_property
    def trees(self) -> str:
        """The lines that draw a tree of files."""
        return "\n".join(line for line in self.source.text.split("\n") if _TREE.search(line))

    def _may_be_fenced(self, offset: int) -> bool:
        """Whether an offset may be in a fenced block: to find all blocks takes long."""
        marks = self.source.text.count("```", self.body, offset)
        return marks > 0 and (marks % 2 == 1 or not self._has_simple_fences)

    @cached_property
    def links(self) -> list[tuple[str, Span]]:
        """The targets of links that are relative paths or anchors, also those in code."""
        text = self.source.text
        links: list[tuple[str, Span]] = []
        for link in _INLINE.finditer(text, self.body) if "](" in text else ():
            self._add(link, links)
        for link in _DEFINITION.finditer(text, self.body) if "]:" in text else ():
            line = text.rfind("\n", max(link.start() - _MAX_LABEL, 0), link.start()) + 1
            if text[line : line + 4].lstrip(" ").startswith("["):
                self._add(link, links)
        return links

    def _add(self, link: re.Match[str], links: list[tuple[str, Span]]) -> None:
        group = link.lastindex or 2
        target = link[group]
        is_elsewhere = _ELSEWHERE.match(target) or _EXAMPLE.search(target)
        if target and not is_elsewhere and len(links) < MAX_NAMES:
            links.append((target, Span(*link.span(group))))

    @cached_property
    def mentions(self) -> list[NamedPath]:
        """Paths below the usual folders, those of the skill, and variables for its folder."""
        text = self.source.text
        paths = []
        for match in _BELOW.finditer(text, self.body):
            start = match.start() + 1 - len(next(name for name in match.groups() if name))
            paths.append(NamedPath(start, text[start : match.end()]))
            if len(paths) >= MAX_NAMES:
                break
        if "}/" in text:
            for match in _BASE_PATH.finditer(text, self.body):
                base = next(name for name in match.groups() if name)
                paths.append(NamedPath(match.start(4), match[4], base))
                if len(paths) >= 2 * MAX_NAMES:
                    break
        for folder in self.folders:
            at, prefix = self.body, f"{folder}/"
            while (at := text.find(prefix, at)) >= 0 and len(paths) < 3 * MAX_NAMES:
                rest = _REST.match(text, at + len(prefix))
                end = rest.end() if rest else at + len(prefix)
                paths.append(NamedPath(at, text[at:end]))
                at = end
        return paths


class NameCheck:
    """The check of one skill's texts, with what is known of paths."""

    def __init__(self, skill: Skill, existing_paths: Collection[str]) -> None:
        self.skill = skill
        self._existing_paths = existing_paths  # Paths of files and folders.
        self.anchors: dict[str, frozenset[str] | None] = {}
        """Those of each Markdown file that a link with an anchor leads to."""
        self._problems: dict[str, str | None] = {}
        self._files: dict[str, list[str]] = {}
        self._plain: dict[str, bool] = {}

    @cached_property
    def around(self) -> Surroundings | None:
        return surroundings(self.skill.tree)

    @cached_property
    def markdown_path(self) -> str:
        """The path of SKILL.md."""
        markdown = self.skill.markdown
        return markdown.source.path if markdown is not None else "SKILL.md"

    @property
    def own_text(self) -> str:
        """The text of SKILL.md."""
        markdown = self.skill.markdown
        return markdown.source.text if markdown is not None else ""

    @cached_property
    def is_about_skills(self) -> bool:
        """Whether the skill teaches how to write skills, so that it names imaginary files."""
        return self.is_named_for_skills or self._is_about(_SKILLS)

    @property
    def is_named_for_skills(self) -> bool:
        """Whether the name alone tells it, as skill-creator and writing-skills."""
        return _AUTHORING_NAME.search(self.skill.name.lower()) is not None

    @cached_property
    def is_about_plugins(self) -> bool:
        """The same for plugins and their hooks."""
        return self._is_about(_PLUGINS) or self.is_about_skills

    def _is_about(self, words: re.Pattern[str]) -> bool:
        front = self.skill.front
        description = front.text_of("description") if front else ""
        return words.search(f"{self.skill.name} {description[:2_000]}".lower()) is not None

    @cached_property
    def folders(self) -> list[str]:
        """The folders of the skill that are neither usual nor likely those of a project."""
        try:
            entries = self.skill.tree.list()
        except OSError:
            return []
        names = [entry.name for entry in entries if entry.kind == "folder"]
        skill_folders = [
            name for name in names
            if name not in USUAL and name not in _OFTEN_ELSEWHERE and not name.startswith(".")
        ]  # fmt: skip
        return skill_folders[:_MAX_FOLDERS]

    def problem(self, path: str) -> str | None:
        """What `judge_path` reports about a path in the skill."""
        if path in self._existing_paths:
            return None
        if path not in self._problems:
            self._problems[path] = judge_path(self.skill.tree, path, windows=True).problem
        return self._problems[path]

    def files(self, folder: str) -> list[str]:
        """The names of the files in a folder of the skill, for suggestions."""
        if folder not in self._files:
            names: list[str] = []
            with suppress(OSError):
                names = [entry.name for entry in self.skill.tree.list(folder)]
            self._files[folder] = names if len(names) <= _MAX_SUGGESTED else []
        return self._files[folder]

    def read(self, source: Source, body: int) -> NamingText:
        return NamingText(source, body, self.folders)

    def doubtful_links(self, text: NamingText) -> list[tuple[str, Span]]:
        """The links of a text that do not plainly lead to a file of the skill."""
        return [link for link in text.links if not self._leads(link[0], text)]

    def doubtful_mentions(self, text: NamingText) -> list[NamedPath]:
        """The paths that a text names and that are no files of the skill."""
        return [name for name in text.mentions if not self._exists(name, text)]

    def plain_mentions(self, text: NamingText) -> list[NamedPath]:
        """The paths that a text names and that are files without an execute bit."""
        return [name for name in text.mentions if self._is_plain(name)]

    def with_options(self, text: NamingText) -> list[NamedPath]:
        """The Python scripts of the skill that a text names, perhaps with options."""
        if " --" not in text.source.text:
            return []
        return [
            name for name in text.mentions
            if name.path.endswith(".py") and name.path in self._existing_paths
        ]  # fmt: skip

    def _is_plain(self, name: NamedPath) -> bool:
        path = name.path
        if path not in self._plain:
            is_plain = False
            ending = path.rpartition("/")[2].rpartition(".")[2]
            if path in self._existing_paths and ending not in _NOT_STARTED:
                with suppress(OSError):
                    tree = self.skill.tree
                    is_plain = tree.kind(path) == "file" and not tree.mode(path) & 0o111
            self._plain[path] = is_plain
        return self._plain[path] and name.base != "CLAUDE_PLUGIN_ROOT"

    def _leads(self, target: str, text: NamingText) -> bool:
        """Whether a link certainly leads to a file of the skill."""
        if "#" in target or "%" in target or "?" in target:
            return False
        whole = f"{text.folder}/{target}" if text.folder else target
        if whole in self._existing_paths:
            return True
        path = normalise(whole, windows=True)
        return path is not None and (not path or self.problem(path) is None)

    def _exists(self, name: NamedPath, text: NamingText) -> bool:
        if name.path in self._existing_paths and name.base != "CLAUDE_PLUGIN_ROOT":
            return True
        path = normalise(name.path.rstrip("."))
        if path is None or name.base == "CLAUDE_PLUGIN_ROOT":
            return path is None
        if self.problem(path) is None:
            return True
        return any(self.problem(f"{folder}/{path}") is None for folder in text.folders_above)


def check_symlinks(check: NameCheck, paths: Sequence[str]) -> Iterator[Diagnostic]:
    """`symlink-broken` and `symlink-outside` for each symbolic link in the skill."""
    for path in paths[:MAX_LINKS]:
        # SKILL.md as a link is `path-link-outside`.
        problem = check.problem(path) if path != check.markdown_path else None
        if problem is not None:
            yield _symlink(check, path, problem)


def _symlink(check: NameCheck, path: str, problem: str) -> Diagnostic:
    around = check.around
    if around is not None and around.root and problem != "path-missing":
        problem = around.problem(f"{around.place()}/{path}") or ""
    try:
        target = check.skill.tree.target(path)
    except OSError:
        target = "another file"
    if problem == "path-missing":
        message = f"{path} is a symbolic link to {target}, which does not exist"
        return Diagnostic("symlink-broken", message, path=check.markdown_path)
    severity: Severity | None = None
    advice = "and is broken where only the skill is installed; copy the file"
    if around is not None and around.is_in_plugin(path):
        severity, advice = "info", "and works only where its plugin is installed"
    message = f"{path} is a symbolic link out of the skill, to {target}, {advice}"
    return Diagnostic("symlink-outside", message, path=check.markdown_path, severity=severity)
