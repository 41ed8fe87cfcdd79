"""The preview of a new skill: its files as a tree and as lines, and the problems in them."""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.present.lines import count
from skillstudio.scaffold.new.creation import SkillDraft
from skillstudio.text.lazy_pattern import lazy_pattern

MOST_LINES = 2_000
MOST_BYTES = 256 << 10
_TODO = lazy_pattern(rb"\bTODO\b")
_SIGNS = (("error", "✗"), ("warning", "!"), ("info", "i"))


class WizardFileRow(NamedTuple):
    """One line of the tree; `path` is "" for the check of all files."""

    path: str
    name: str
    depth: int
    size: int | None = None  # None for a folder.
    executable: bool = False
    counts: str = ""


class FileText(NamedTuple):
    """The lines of a file, and a note about omitted ones."""

    lines: tuple[str, ...]
    note: str = ""


def file_rows(draft: SkillDraft) -> list[WizardFileRow]:
    """The new folder with its content, folders before their files and hidden files last; then the
    check."""
    rendering = draft.rendering
    rows = [WizardFileRow("/", f"{rendering.name}/", 0)]
    seen_folders: set[str] = set()
    for path in sorted(rendering.files, key=lambda path: (path.startswith("."), path.split("/"))):
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in seen_folders:
                seen_folders.add(folder)
                rows.append(WizardFileRow(f"{folder}/", f"{parts[depth - 1]}/", depth))
        size, executable = len(rendering.files[path]), path in rendering.executable
        summary = counts(draft, path)
        rows.append(WizardFileRow(path, parts[-1], len(parts), size, executable, summary))
    return [*rows, WizardFileRow("", "check", 0, None, False, counts(draft))]


def first_file(draft: SkillDraft) -> str:
    """The file to show first: SKILL.md, else the manifest, else the check of all files."""
    manifests = (manifest.path for manifest in draft.analysis.skill.manifests)
    return next((path for path in ("SKILL.md", *manifests) if path in draft.rendering.files), "")


def counts(draft: SkillDraft, path: str = "") -> str:
    """The number of problems by severity and of TODOs, such as `✗1 !2 · 3 TODO`, in one file or in
    all."""
    severities = [
        diagnostic.severity or "error"
        for diagnostic in draft.analysis.diagnostics
        if not path or diagnostic.path == path
    ]
    problems = " ".join(
        f"{sign}{severities.count(name)}" for name, sign in _SIGNS if name in severities
    )
    files = [path] if path else draft.rendering.files
    todos = sum(_todos(draft, file) for file in files)
    return " · ".join(filter(None, [problems, f"{todos} TODO" if todos else ""]))


def _todos(draft: SkillDraft, path: str) -> int:
    """The number of TODOs in a file; a hidden one is not the author's to write."""
    return 0 if path.startswith(".") else len(_TODO.findall(draft.rendering.files[path]))


def file_text(draft: SkillDraft, path: str) -> FileText:
    """The first lines of a file."""
    data = draft.rendering.files[path]
    if not data:
        return FileText((), "an empty file")
    text = data[:MOST_BYTES].decode("utf-8", "replace")
    if "\0" in text or text.count("\ufffd") > len(text) // 10:
        return FileText((), f"not text: {count(len(data), 'byte')}, copied unchanged")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    cut = len(data) > MOST_BYTES or len(lines) > MOST_LINES
    first_lines = tuple(line.removesuffix("\r") for line in lines[:MOST_LINES])
    return FileText(first_lines, f"the start of {count(len(data), 'byte')}" if cut else "")
