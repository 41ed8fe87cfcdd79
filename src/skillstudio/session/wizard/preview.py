"""What a new skill would hold: its files as a tree, each as lines, and what a check says."""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.scaffold.new.creation import SkillDraft

MOST_LINES = 2_000
"""Lines of a file that are previewed."""
MOST_BYTES = 256 << 10
"""Bytes of a file that are looked at for them."""
_SEVERITIES = (("error", "E"), ("warning", "W"), ("info", "I"))


class WizardFileRow(NamedTuple):
    """One line of the tree; `path` is "" for the check of the whole."""

    path: str
    name: str
    depth: int
    size: int | None = None
    """Bytes; None for a folder."""
    executable: bool = False
    counts: str = ""
    """What the check found in it, as `2E 1W`."""


class FileText(NamedTuple):
    """A file to be read: its lines, and what is not among them."""

    lines: tuple[str, ...]
    note: str = ""


def file_rows(draft: SkillDraft) -> list[WizardFileRow]:
    """The check, then the new folder with everything in it, folders before what they hold."""
    rendered = draft.rendered
    rows = [WizardFileRow("", "check", 0, None, False, counts(draft))]
    rows.append(WizardFileRow("/", f"{rendered.name}/", 0))
    shown: set[str] = set()
    for path in sorted(rendered.files, key=lambda each: each.split("/")):
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in shown:
                shown.add(folder)
                rows.append(WizardFileRow(f"{folder}/", f"{parts[depth - 1]}/", depth))
        rows.append(
            WizardFileRow(
                path,
                parts[-1],
                len(parts),
                len(rendered.files[path]),
                path in rendered.executable,
                counts(draft, path),
            )
        )
    return rows


def counts(draft: SkillDraft, path: str = "") -> str:
    """How much a check found, by severity; in one file, or in all."""
    found = [
        each.severity or "error"
        for each in draft.analysis.diagnostics
        if not path or each.path == path
    ]
    parts = [f"{found.count(name)}{letter}" for name, letter in _SEVERITIES if name in found]
    return " ".join(parts)


def file_text(draft: SkillDraft, path: str) -> FileText:
    """A file as lines, from its beginning."""
    data = draft.rendered.files[path]
    if not data:
        return FileText((), "an empty file")
    text = data[:MOST_BYTES].decode("utf-8", "replace")
    if "\0" in text or text.count("\ufffd") > len(text) // 10:
        return FileText((), f"not a text: {size_words(len(data))}, taken over as they are")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    cut = len(data) > MOST_BYTES or len(lines) > MOST_LINES
    kept = tuple(line.removesuffix("\r") for line in lines[:MOST_LINES])
    note = f"the beginning of {size_words(len(data))}" if cut else ""
    return FileText(kept, note)


def size_words(size: int) -> str:
    """A number of bytes."""
    return "1 byte" if size == 1 else f"{size:,} bytes"
