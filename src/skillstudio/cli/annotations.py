"""Problems with places as CI systems read them: what the formats for CI are made of.

`check`, `diff` and `test` turn their results into an `AnnotationLog`; a module of `formats/` prints
one. So each format works for each of these commands.
"""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import below
from skillstudio.text.diagnostic import Severity
from skillstudio.text.source import Source, decode


class Replacement(NamedTuple):
    """A text for the characters between two places: lines and columns from 1, end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class ReportedFix(NamedTuple):
    """A fix of a problem; without `edits` it changes other files, or they were not computed."""

    title: str
    safe: bool
    edits: tuple[Replacement, ...] = ()


class Annotation(NamedTuple):
    """A problem at a place of a file."""

    rule: str
    level: Severity
    message: str
    path: str
    """On disk: absolute, or from the working directory."""
    line: int = 1
    column: int = 0  # 0: the whole line.
    end_line: int = 1
    end_column: int = 0  # 0: the end is not known.
    title: str = ""  # Its heading (default: the rule).
    fixes: tuple[ReportedFix, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.line}:{self.column}" if self.column else str(self.line)


class AnnotatedRule(NamedTuple):
    """What a rule, or a kind of change, is about."""

    summary: str
    why: str
    level: Severity
    advice: str = ""  # How to fix it, with examples, as Markdown.
    page: str = ""  # Its place in the documentation.


class AnnotatedCase(NamedTuple):
    """A test with its result, for JUnit."""

    group: str
    name: str
    path: str
    failure: str = ""
    kind: str = ""
    text: str = ""  # The whole of the failure.
    skipped: str = ""
    output: str = ""
    errors: str = ""
    seconds: float | None = None


class AnnotationLog:
    """The problems of one command; `text` reads a file by the path of an annotation."""

    def __init__(
        self,
        annotations: Sequence[Annotation],
        rules: Callable[[], Mapping[str, AnnotatedRule]],
        text: Callable[[str], str],
        omitted_counts: Mapping[str, int] | None = None,
        notes: Sequence[tuple[str, str]] = (),
        cases: Callable[[], Iterator[AnnotatedCase]] | None = None,
        passed_paths: Sequence[str] = (),
    ) -> None:
        self.annotations = annotations
        self.rules = rules
        self.omitted_counts = omitted_counts or {}
        """How many problems of each rule are left out."""
        self.notes = notes
        """The titles and texts of notes on the whole result, such as what is left out."""
        self.passed_paths = passed_paths
        """The paths of what was checked and has no problem."""
        self._cases = cases
        self._text = text
        self._sources: dict[str, Source] = {}

    def source(self, path: str) -> Source:
        """The text of a file; empty if it cannot be read."""
        if path not in self._sources:
            try:
                text = self._text(path)
            except OSError:
                text = ""
            self._sources[path] = Source(text, path)
        return self._sources[path]

    def line(self, path: str, number: int) -> str:
        """A line of a file; empty if there is none."""
        source = self.source(path)
        return source.line(number) if 0 < number <= len(source.line_starts) else ""

    def byte_column(self, path: str, line: int, column: int) -> int:
        """The column in bytes of UTF-8 of one in code points."""
        before = self.line(path, line)[: column - 1]
        return column + len(before.encode("utf-8", "surrogatepass")) - len(before)

    def fingerprints(self) -> Iterator[str]:
        """A digest of each annotation that stays the same when its lines move."""
        from hashlib import sha256

        number: Counter[tuple[str, ...]] = Counter()
        for annotation in self.annotations:
            key = (
                annotation.rule,
                self.repository_path(annotation.path),
                self.line(annotation.path, annotation.line).strip() or annotation.message,
            )
            number[key] += 1
            text = "\0".join((*key, str(number[key])))
            yield sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def cases(self) -> Iterator[AnnotatedCase]:
        """The tests: those of the command, else one for each problem and valid skill."""
        if self._cases is not None:
            for case in self._cases():
                yield case._replace(path=self.repository_path(case.path))
            return
        for annotation in self.annotations:
            path = self.repository_path(annotation.path)
            text = f"{path}:{annotation.place}: {annotation.level}: {annotation.message}"
            case = AnnotatedCase(
                path, f"{annotation.title or annotation.rule} ({annotation.place})", path
            )
            if annotation.level == "info":
                yield case._replace(output=text)
            else:
                yield case._replace(failure=annotation.message, kind=annotation.level, text=text)
        for title, note in self.notes:
            yield AnnotatedCase("skillstudio", title, "skillstudio", output=note)
        for passed_path in self.passed_paths:
            path = self.repository_path(passed_path)
            yield AnnotatedCase(path, "no problems", path)

    @cached_property
    def root(self) -> str:
        """The root of the repository of the working directory, else that directory."""
        from skillstudio.files.git import enclosing_repository

        here = os.getcwd()
        return enclosing_repository(here) or here

    def repository_path(self, path: str) -> str:
        """A path relative to the root of the repository with `/`; absolute outside of it."""
        whole = os.path.abspath(path)
        for candidate in (whole, os.path.realpath(whole)):
            inside = below(candidate, self.root)
            if inside is not None:
                return inside.replace(os.sep, "/") or "."
        return whole.replace(os.sep, "/")


def read_text(path: str) -> str:
    """The text of a regular file on disk; reading a pipe would block. Raises OSError."""
    folder, name = os.path.split(path)
    return decode(DiskTree(folder or ".").read(name))[0]
