"""Read which Python packages a file declares: only packages of an index, by name and version.

A requirement is used as its parsed value, never as its text. Installers expand variables in lines
of a `requirements.txt` and read options, paths and URLs there, which may run code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Mapping, Node, Scalar, Sequence
from skillstudio.text.source import Source, Span

MAX_LENGTH = 500  # Characters of a requirement.
_MAX_QUOTED = 80
_ADVICE = "declare packages only by name and version, as in 'six>=1.16'"
_CHARACTERS = lazy_pattern(r"""[A-Za-z0-9 \t._\-\[\],()<>=!~;*+'"]*""")
_OPTION = lazy_pattern(r"(?:^|[ \t])-")
_PATH = lazy_pattern(r"(?i)^[.~]|/|\.(?:whl|zip|tar|tgz|tar\.[a-z0-9]+)$")
_HASH = lazy_pattern(r"[ \t]+--hash[= ]((?:sha256|sha384|sha512):[0-9a-f]+)(?=[ \t]|$)")
_COMMENT = lazy_pattern(r"(?:^|[ \t])#")
_BLOCK_START = lazy_pattern(r"(?m)^# /// script[ \t]*\r?$")
_BLOCK_END = lazy_pattern(r"# ///[ \t]*\r?")


class DeclaredRequirement(NamedTuple):
    """A requirement in a file: its normalised value, or why it is refused."""

    span: Span
    value: str  # With its hashes; empty if it is refused.
    problem: str = ""


class ScriptMetadata(NamedTuple):
    """What the PEP 723 block of a script says about its environment."""

    python: str  # `requires-python`; "" without it.
    has_packages: bool


def read_script_metadata(source: Source) -> ScriptMetadata | None:
    """The PEP 723 metadata of a script; None if it has none."""
    from skillstudio.text.reading.toml import read_toml

    block = _inline_block(source.text)
    if block is None:
        return None
    document = read_toml(_blank_marks(source, block), block)
    node = document.root.get("requires-python") if isinstance(document.root, Mapping) else None
    value = node.value if isinstance(node, Scalar) else ""
    python = value.strip() if isinstance(value, str) else ""
    return ScriptMetadata(python, bool(read_requirements(source)))


def read_requirements(source: Source) -> tuple[DeclaredRequirement, ...]:
    """The requirements of a `requirements.txt`, a `pyproject.toml`, or a script's PEP 723 block."""
    name = source.path.rpartition("/")[2]
    if name == "requirements.txt":
        return tuple(_requirement(text, span) for text, span in _lines(source))
    if name == "pyproject.toml":
        return tuple(_of_toml(source, Span(0, len(source.text)), ("project", "dependencies")))
    block = _inline_block(source.text)
    if block is None:
        return ()
    return tuple(_of_toml(_blank_marks(source, block), block, ("dependencies",)))


def _blank_marks(source: Source, block: Span) -> Source:
    """A script without the marks of comments before the lines of its PEP 723 block.

    It has the same length, so that every place is that of the script.
    """
    start, end = block
    text = re.sub(r"(?m)^# ?", lambda mark: " " * len(mark[0]), source.text[start:end])
    return Source(source.text[:start] + text + source.text[end:], source.path)


def parse_requirement(text: str) -> str:
    """Return a requirement, normalised. Raises ValueError: what is wrong with it, as a predicate.

    The result has no character that an installer expands or reads as an option, path or URL.
    """
    fault = _fault(text)
    if fault:
        raise ValueError(fault)
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    try:
        requirement = Requirement(text)
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        marker = f"; {requirement.marker}" if requirement.marker else ""
        value = f"{canonicalize_name(requirement.name)}{extras}{requirement.specifier}{marker}"
        # A quotation mark within a marker's text is written as its end.
        is_same = requirement.url is None and str(Requirement(value).marker) == str(
            requirement.marker
        )
    except (InvalidRequirement, RecursionError):
        is_same = False
    if not is_same:
        raise ValueError("is not a requirement as in PEP 508")
    return value


def _fault(text: str) -> str:
    """What a requirement contains that no package of an index needs, as a predicate; else ""."""
    for character in text:
        code = ord(character)
        if character in "\n\r":
            return "contains a line break"
        if character != "\t" and (code < 0x20 or code == 0x7F):
            return f"contains the control character U+{code:04X}"
        if code > 0x7F:
            return f"contains U+{code:04X}, which is not ASCII"
        if character in "$\\":
            return f"contains {character}"
    if len(text) > MAX_LENGTH:
        return f"is longer than {MAX_LENGTH} characters"
    if _OPTION.search(text):
        return "is an option" if text.lstrip().startswith("-") else "contains an option"
    if "@" in text or "://" in text:
        return "names a URL"
    if _PATH.search(text.strip()):
        return "names a path"
    match = _CHARACTERS.match(text)
    end = match.end() if match else 0
    return f"contains {text[end]}" if end < len(text) else ""


def _requirement(text: str, span: Span, has_hashes: bool = True) -> DeclaredRequirement:
    hashes = sorted(set(_HASH.findall(text))) if has_hashes else []
    try:
        value = parse_requirement(_HASH.sub("", text) if hashes else text)
    except ValueError as error:
        return DeclaredRequirement(span, "", _problem(ascii(text), str(error)))
    return DeclaredRequirement(span, " ".join((value, *(f"--hash={item}" for item in hashes))))


def _problem(quoted_text: str, fault: str) -> str:
    if len(quoted_text) > _MAX_QUOTED:
        quoted_text = f"{quoted_text[: _MAX_QUOTED - 1]}…"
    return f"{quoted_text} {fault}; {_ADVICE}"


def _lines(source: Source) -> Iterator[tuple[str, Span]]:
    """The lines of a `requirements.txt` without comments; continued lines as one."""
    text = source.text
    parts: list[str] = []
    begin = end = 0
    for start, stop in pairwise([*source.line_starts, len(text) + 1]):
        line = text[start:stop].rstrip("\r\n")
        content = _without_comment(line)
        is_continued = content == line and line.endswith("\\")
        content = content[:-1] if is_continued else content
        if content.strip(" \t"):
            begin = begin if parts else start + len(content) - len(content.lstrip(" \t"))
            end = start + len(content.rstrip(" \t"))
            parts.append(content.strip(" \t"))
        if parts and not is_continued:
            yield " ".join(parts), Span(begin, end)
            parts = []
    if parts:
        yield " ".join(parts), Span(begin, end)


def _without_comment(line: str) -> str:
    """A line up to a `#` at its start or after white space."""
    comment = _COMMENT.search(line)
    return line[: comment.start()] if comment else line


def _inline_block(text: str) -> Span | None:
    """The TOML of a script's PEP 723 block, whose lines still start with `#`."""
    position = 0
    for block_start in _BLOCK_START.finditer(text):
        if block_start.start() < position:  # Within lines that have no end of a block.
            continue
        start = position = block_start.end() + 1
        block_end = -1
        while position < len(text):
            stop = text.find("\n", position)
            line = text[position : stop if stop >= 0 else len(text)]
            if _BLOCK_END.fullmatch(line):
                block_end = position
            elif not line.startswith("# ") and line.rstrip("\r") != "#":
                break
            position += len(line) + 1
        if block_end >= 0:
            return Span(start, block_end)
    return None


def _of_toml(source: Source, span: Span, keys: tuple[str, ...]) -> Iterator[DeclaredRequirement]:
    """The requirements of the list at `keys`; only the first fault of a text with faults."""
    from skillstudio.text.reading.toml import read_toml

    document = read_toml(source, span)
    node: Node | None = document.root
    if document.faults:
        fault = document.faults[0]
        problem = f"the packages cannot be read, because this is not TOML 1.0: {fault.message}"
        yield DeclaredRequirement(Span(fault.start, fault.end), "", problem)
        return
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    if node is None:
        return
    if not isinstance(node, Sequence):
        yield DeclaredRequirement(node.span, "", _problem(keys[-1], "is not a list of strings"))
        return
    for item in node.items:
        if isinstance(item, Scalar) and isinstance(item.value, str) and item.style != "date":
            yield _requirement(item.value, item.span, has_hashes=False)
        else:
            text = source.text[item.start : item.end]
            yield DeclaredRequirement(item.span, "", _problem(ascii(text), "is not a string"))
