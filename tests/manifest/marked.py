"""Texts in which `«` and `»` mark the place where a finding is expected."""

from __future__ import annotations

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.check import check
from skillstudio.manifest.locate import locate
from skillstudio.text.diagnostic import Diagnostic, Splice
from skillstudio.text.node import Document

Places = list[tuple[str, str, str]]


def unmark(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without marks, and the spans that they enclosed."""
    text, spans, opened = "", [], []
    for character in marked:
        if character == "«":
            opened.append(len(text))
        elif character == "»":
            spans.append((opened.pop(), len(text)))
        else:
            text += character
    return text, sorted(spans)


def diagnose(
    text: str, name: str = "worklog", files: dict[str, bytes] | None = None
) -> list[Diagnostic]:
    """The diagnostics of a skill made of one SKILL.md and some other files."""
    tree = MemoryTree({"SKILL.md": text.encode(), **(files or {})}, name)
    located = locate(tree)
    return list(check(located.skill, located.diagnostics))


def found(text: str, name: str = "worklog", files: dict[str, bytes] | None = None) -> list[str]:
    """The same as `rule start-end` with offsets."""
    return [
        f"{each.rule} {each.span.start}-{each.span.end}" if each.span else each.rule
        for each in diagnose(text, name, files)
    ]


def expected(rule: str, marked: str) -> tuple[str, list[str]]:
    """The text of a marked case and what `found` has to give for it."""
    text, spans = unmark(marked)
    return text, [f"{rule} {start}-{end}" for start, end in spans]


def document_of(text: str, name: str = "worklog") -> Document:
    """The frontmatter of a SKILL.md."""
    return locate(MemoryTree({"SKILL.md": text.encode()}, name)).skill.manifests[0].document


def mended(text: str, name: str = "worklog", files: dict[str, bytes] | None = None) -> str:
    """The text after the first fix of the first diagnostic that has one."""
    from skillstudio.text.edit import apply, resolve_edits

    diagnostic = next(each for each in diagnose(text, name, files) if each.fixes)
    edits = diagnostic.fixes[0].edits
    if all(isinstance(edit, Splice) for edit in edits):
        return apply(text, [edit for edit in edits if isinstance(edit, Splice)])
    return apply(text, resolve_edits(document_of(text, name), edits))
